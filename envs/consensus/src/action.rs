//! The call as text: `round ballots=[...]`, the list as JSON. Read also with brackets around the arguments, as one object, and without the name of
//! the argument.

use gimbal_core::{Rejection, RejectionKind, ToolCall};
use gimbal_env_kit::named;
pub use gimbal_env_kit::named::render;
use serde_json::Value;

use crate::tools::{BALLOTS, ROUND};

/// Longest action in bytes: more is not an action.
const LONGEST: usize = 64 * 1024;

/// Reads a call. Whether its ballots are ballots is another question, which the game answers.
///
/// # Errors
/// A rejection that says what was wrong and what would be right.
pub fn parse(text: &str) -> Result<ToolCall, Rejection> {
    let unreadable = |what: &str| {
        let example = r#"round ballots=[{"agent":"agent_1","value":12,"reason":"","vote":"continue"}]"#;
        Rejection::new(RejectionKind::Unreadable, format!("{what}; write it as in `{example}`"))
    };
    let (name, rest) = named::head(text, LONGEST)?;
    if name.is_empty() {
        return Err(unreadable("the answer names no action"));
    }
    if !name.eq_ignore_ascii_case(ROUND) {
        let message = format!("there is no action `{}` (known: {ROUND})", named::shortened(name));
        return Err(Rejection::new(RejectionKind::UnknownTool, message));
    }
    let rest = named::unbracketed(rest, &['.', ';']);
    if let Some(arguments) = named::object(rest) {
        let fits = arguments.iter().all(|(name, value)| name == BALLOTS && value.is_array());
        let call = ToolCall { tool: ROUND.to_owned(), arguments };
        return if fits { Ok(call) } else { Err(unreadable("the arguments are not one list under `ballots`")) };
    }
    let list = rest.strip_prefix(BALLOTS).map_or(rest, |rest| rest.trim_start().trim_start_matches(['=', ':']));
    let mut call = ToolCall::bare(ROUND);
    if list.trim().is_empty() {
        return Ok(call);
    }
    let mut values = serde_json::Deserializer::from_str(list).into_iter::<Value>();
    match values.next() {
        Some(Ok(Value::Array(ballots)))
            if list[values.byte_offset()..].trim_matches([' ', '.', ';', '\n', ')']).is_empty() =>
        {
            call.arguments.insert(BALLOTS.to_owned(), Value::Array(ballots));
            Ok(call)
        }
        Some(Ok(Value::Array(_))) => Err(unreadable("something follows the list of ballots")),
        _ => Err(unreadable("the ballots are no list in JSON")),
    }
}
