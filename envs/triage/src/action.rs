//! Actions as text: a tool's name and its arguments.
//!
//! Written as `tool name="text", number=3`; read also with brackets around the arguments, with `:` for `=`, with other quotes or
//! none, as one JSON object, and in any order. A text in quotation marks is a JSON string where it is one, so that a name is copied as
//! a fact shows it.

use std::collections::BTreeMap;

use gimbal_core::{Rejection, RejectionKind, ToolCall, ToolSpec, nearest};
pub use gimbal_env_kit::named::render;
use gimbal_env_kit::{answer, named};
use serde_json::Value;

/// Longest action in bytes: more is not an action.
const LONGEST: usize = 64 * 1024;
/// Quotation marks that open a text, each with the one that closes it.
const QUOTES: [(char, char); 4] = [('"', '"'), ('\'', '\''), ('\u{201c}', '\u{201d}'), ('`', '`')];

/// Reads an action. Remarks behind it are passed over where it is whole without them; two actions are refused.
///
/// # Errors
/// A rejection that says what was wrong and what would be right.
pub fn parse(text: &str, tools: &[ToolSpec]) -> Result<ToolCall, Rejection> {
    let whole = single(text, tools);
    if whole.is_ok() && !text.trim().contains('\n') {
        return whole;
    }
    let begins = |word: &str| find(word, tools).is_some();
    match answer::one(text, |text| single(text, tools), begins, |text| single(text, tools).ok()) {
        Ok(call) => Ok(call),
        Err(answer::Problem::Unread(error)) => Err(whole.err().unwrap_or(error)),
        Err(problem) => Err(problem.rejection()),
    }
}

fn unreadable(why: impl Into<String>) -> Rejection {
    Rejection::new(RejectionKind::Unreadable, why)
}

fn find<'a>(name: &str, tools: &'a [ToolSpec]) -> Option<&'a ToolSpec> {
    tools.iter().find(|tool| tool.name.eq_ignore_ascii_case(name))
}

/// Reads a text that is one action and nothing else.
fn single(text: &str, tools: &[ToolSpec]) -> Result<ToolCall, Rejection> {
    let known = || tools.iter().map(|tool| tool.name.as_str()).collect::<Vec<_>>().join(", ");
    let (name, rest) = named::head(text, LONGEST)?;
    if name.is_empty() {
        let message =
            format!("an action begins with the name of a tool (known: {}), as in `show_fact id=\"F001\"`", known());
        return Err(unreadable(message));
    }
    let Some(tool) = find(name, tools) else {
        let hint = nearest::hint(name, tools.iter().map(|tool| tool.name.as_str()));
        let message = format!("there is no action `{name}`{hint} (known: {})", known());
        return Err(Rejection::new(RejectionKind::UnknownTool, message));
    };
    let rest = named::unbracketed(rest, &['.', ';']);
    let mut arguments = match named::object(rest) {
        Some(arguments) => arguments,
        None => arguments(rest, tool)?,
    };
    // No name holds one, and a text in quotation marks that does is read as a path: written again it would be another value.
    for value in arguments.values_mut() {
        if let Value::String(text) = value
            && text.chars().any(char::is_control)
        {
            *text = text.replace(char::is_control, " ");
        }
    }
    Ok(ToolCall { tool: tool.name.clone(), arguments })
}

/// The arguments behind a tool's name.
fn arguments(text: &str, tool: &ToolSpec) -> Result<BTreeMap<String, Value>, Rejection> {
    let known = named::parameters(tool);
    let mut arguments = BTreeMap::new();
    let mut rest = text;
    loop {
        rest = rest.trim_start_matches(|letter: char| letter.is_whitespace() || letter == ',');
        if rest.is_empty() || rest == "." || rest == ";" {
            return Ok(arguments);
        }
        let Some((name, after)) = argument(rest, &known) else {
            // A bare value: all that is left, for the only argument that a call needs.
            let required: Vec<&str> = tool.required().collect();
            if let ([only], true) = (required.as_slice(), arguments.is_empty()) {
                let (value, after) = value(rest, &known, &tool.name)?;
                arguments.insert((*only).to_owned(), value);
                rest = after;
                continue;
            }
            let listed = if known.is_empty() { "none".to_owned() } else { known.join(", ") };
            return Err(unreadable(format!(
                "`{}` is no argument of `{}`; write `name=\"value\"` with one of: {listed}",
                named::shortened(rest),
                tool.name
            )));
        };
        let (value, after) = value(after, &known, &tool.name)?;
        if arguments.insert(name.to_owned(), value).is_some() {
            return Err(unreadable(format!("`{name}` is given twice")));
        }
        rest = after;
    }
}

/// The name of an argument and what is behind its sign, where a text begins so.
fn argument<'a, 'b>(text: &'b str, known: &[&'a str]) -> Option<(&'a str, &'b str)> {
    let end = named::word_end(text)?;
    let name = known.iter().find(|known| known.eq_ignore_ascii_case(&text[..end]))?;
    text[end..].trim_start().strip_prefix(['=', ':']).map(|after| (*name, after.trim_start()))
}

/// One value and what follows it.
fn value<'a>(text: &'a str, known: &[&str], tool: &str) -> Result<(Value, &'a str), Rejection> {
    let Some((open, close)) = QUOTES.into_iter().find(|(open, _)| text.starts_with(*open)) else {
        return Ok(bare(text, known));
    };
    if open == '"' || text.starts_with('[') {
        let mut stream = serde_json::Deserializer::from_str(text).into_iter::<Value>();
        if let Some(Ok(value)) = stream.next() {
            // `"C:\temp"` is JSON too; no name holds a tab.
            let is_path = value.as_str().is_some_and(|text| text.chars().any(char::is_control));
            if !is_path {
                return Ok((value, &text[stream.byte_offset()..]));
            }
        }
    }
    let inside = &text[open.len_utf8()..];
    match inside.find(close) {
        Some(end) => Ok((Value::from(&inside[..end]), &inside[end + close.len_utf8()..])),
        None => Err(unreadable(format!("`{}` of `{tool}` is never closed with {close}", named::shortened(text)))),
    }
}

/// A value without quotation marks: up to the next argument, or to the end.
fn bare<'a>(text: &'a str, known: &[&str]) -> (Value, &'a str) {
    let breaks = text.char_indices().filter(|(_, letter)| letter.is_whitespace() || *letter == ',');
    let ends = breaks.map(|(at, letter)| (at, at + letter.len_utf8())).find(|(_, next)| {
        let rest = text[*next..].trim_start_matches(|letter: char| letter.is_whitespace() || letter == ',');
        argument(rest, known).is_some()
    });
    let (value, rest) = ends.map_or((text, ""), |(at, next)| (&text[..at], &text[next..]));
    let value = value.trim().trim_end_matches([',', ';']).trim_end();
    let number = value.trim_end_matches('.').parse::<u64>().ok();
    (number.map_or_else(|| Value::from(value), Value::from), rest)
}
