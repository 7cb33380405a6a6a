//! Calls as texts, for environments whose tools take names: `Tool key=value`, read as tolerantly as everywhere.

use gimbal_core::{Environment, Rejection, RejectionKind, ToolCall, ToolSpec, nearest};
use serde_json::Value;

use crate::grammar;

/// Reads a call: the name of a tool in any case of letters, and its arguments by their keys or in their order.
///
/// # Errors
/// A rejection that says what was wrong and what would be right.
pub fn read(text: &str, tools: &[ToolSpec]) -> Result<ToolCall, Rejection> {
    let names = || tools.iter().map(|tool| tool.name.as_str());
    let known = || names().collect::<Vec<_>>().join(", ");
    let Some((name, rest)) = grammar::split(text) else {
        let message = format!("the answer names no action; write one of {}", known());
        return Err(Rejection::new(RejectionKind::Unreadable, message));
    };
    let Some(tool) = tools.iter().find(|tool| tool.name.eq_ignore_ascii_case(name)) else {
        let message = format!("there is no action `{name}`{} (known: {})", nearest::hint(name, names()), known());
        return Err(Rejection::new(RejectionKind::UnknownTool, message));
    };
    let mut call = ToolCall::bare(&tool.name);
    for (key, value) in grammar::arguments(rest) {
        let free = tool.required().find(|name| !call.arguments.contains_key(*name));
        let Some(key) = key.or(free) else {
            let message = format!("`{}` takes no `{value}`: it has all of its arguments", tool.name);
            return Err(Rejection::new(RejectionKind::UnknownArgument, message));
        };
        call.arguments.insert(key.to_owned(), Value::from(value));
    }
    check(&call, tools)?;
    Ok(call)
}

/// The place of the subject that a call names by this parameter.
#[must_use]
pub fn subject(call: &ToolCall, parameter: &str, subjects: &[String]) -> Option<usize> {
    let named = call.string(parameter)?;
    subjects.iter().position(|subject| subject == named)
}

/// Whether a call names a tool, and has its required arguments and no others.
///
/// # Errors
/// A rejection that says what was wrong and what would be right.
pub fn check(call: &ToolCall, tools: &[ToolSpec]) -> Result<(), Rejection> {
    let Some(tool) = tools.iter().find(|tool| tool.name == call.tool) else {
        return Err(Rejection::new(RejectionKind::UnknownTool, format!("there is no action `{}`", call.tool)));
    };
    if let Some(missing) = tool.required().find(|name| call.string(name).is_none()) {
        let message = format!("`{}` needs the argument `{missing}`, a text", call.tool);
        return Err(Rejection::new(RejectionKind::MissingArgument, message));
    }
    if let Some(other) = call.arguments.keys().find(|key| tool.required().all(|name| name != *key)) {
        let message = format!("`{}` takes no argument `{other}`", call.tool);
        return Err(Rejection::new(RejectionKind::UnknownArgument, message));
    }
    Ok(())
}

/// The same, and whether every argument is one of the environment's choices where it lists some.
///
/// # Errors
/// A rejection that says what was wrong and what would be right.
pub fn check_choices(call: &ToolCall, environment: &dyn Environment) -> Result<(), Rejection> {
    check(call, environment.tools())?;
    for name in call.arguments.keys() {
        let Some(choices) = environment.choices(&call.tool, name) else { continue };
        let value = call.string(name).unwrap_or_default();
        if !choices.iter().any(|choice| choice == value) {
            let hint = nearest::hint(value, choices.iter().map(AsRef::as_ref));
            let message = format!("`{name}` is `{value}`{hint} (known: {})", choices.join(", "));
            return Err(Rejection::new(RejectionKind::BadValue, message));
        }
    }
    Ok(())
}

/// The inverse of [`read`].
#[must_use]
pub fn render(call: &ToolCall) -> String {
    let mut text = call.tool.clone();
    for (key, value) in &call.arguments {
        text.push_str(&format!(" {key}={}", value.as_str().unwrap_or_default()));
    }
    text
}

#[cfg(test)]
mod tests {
    use super::*;

    fn tools() -> [ToolSpec; 2] {
        [ToolSpec::of_strings("Fix", "Fixes.", &[("node", "The node.")]), ToolSpec::of_strings("Wait", "Waits.", &[])]
    }

    #[test]
    fn a_call_is_read_in_many_ways_and_written_in_one() {
        for text in ["Fix node=a", "fix a", "`Fix(node=a)`.", "Fix: node: 'a'"] {
            let call = read(text, &tools()).unwrap();
            assert_eq!((call.string("node"), render(&call).as_str()), (Some("a"), "Fix node=a"), "{text}");
        }
        assert_eq!(render(&read("wait", &tools()).unwrap()), "Wait");
    }

    #[test]
    fn a_rejection_says_what_would_be_right() {
        for (text, kind, message) in [
            ("", RejectionKind::Unreadable, "write one of Fix, Wait"),
            ("Fx a", RejectionKind::UnknownTool, "did you mean `Fix`?"),
            ("Fix", RejectionKind::MissingArgument, "needs the argument `node`"),
            ("Fix a b", RejectionKind::UnknownArgument, "takes no `b`"),
            ("Wait node=a", RejectionKind::UnknownArgument, "takes no argument `node`"),
        ] {
            let rejection = read(text, &tools()).unwrap_err();
            assert!(rejection.kind == kind && rejection.message.contains(message), "{text}: {rejection:?}");
        }
    }
}
