//! The one call of the environment: a round, with the ballots of all agents that whoever calls speaks for.

use gimbal_core::{Rejection, RejectionKind, ToolCall, ToolSpec, nearest};
use serde_json::{Value as Json, json};

use crate::game::{Ballot, Game, LARGEST, Value, Vote};

/// Name of the call.
pub const ROUND: &str = "round";
/// Its argument.
pub const BALLOTS: &str = "ballots";
/// Longest reason that others read, in characters.
pub const REASON: usize = 160;
/// Members of a ballot.
const MEMBERS: [&str; 4] = ["agent", "value", "reason", "vote"];

/// The name of an agent, by its place.
#[must_use]
pub fn name(agent: usize) -> String {
    format!("agent_{}", agent + 1)
}

/// The tools of a game of so many agents; the glossary of the brief describes them.
#[must_use]
pub fn specs(agents: usize) -> Vec<ToolSpec> {
    let ballot = json!({
        "type": "object",
        "properties": {
            "agent": { "type": "string", "description": "Name of the agent." },
            "value": { "type": ["integer", "null"], "minimum": 0, "maximum": LARGEST, "description": "Its number." },
            "reason": { "type": "string", "maxLength": REASON, "description": "Why, for all others to read." },
            "vote": { "type": "string", "enum": ["stop", "continue"], "description": "Its vote." },
        },
        "required": ["agent", "value", "vote"],
        "additionalProperties": false,
    });
    vec![ToolSpec {
        name: ROUND.to_owned(),
        description: String::new(),
        parameters: json!({
            "type": "object",
            "properties": {
                BALLOTS: {
                    "type": "array", "items": ballot, "maxItems": agents, "examples": [[]],
                    "description": "One ballot of each agent."
                }
            },
            "required": [BALLOTS],
            "additionalProperties": false,
        }),
    }]
}

/// The call with these ballots, by the places of agents.
#[must_use]
pub fn call(ballots: &[Option<Ballot>]) -> ToolCall {
    let written = ballots.iter().enumerate().filter_map(|(agent, ballot)| {
        let Ballot { value, reason, vote } = ballot.as_ref()?;
        Some(json!({ "agent": name(agent), "value": value, "reason": reason, "vote": vote.name() }))
    });
    let mut call = ToolCall::bare(ROUND);
    call.arguments.insert(BALLOTS.to_owned(), Json::Array(written.collect()));
    call
}

/// The ballots of a call, by the places of agents.
///
/// # Errors
/// A rejection for another call, and for a ballot that is none: which one, what was found and what is expected.
pub fn read(call: &ToolCall, game: &Game) -> Result<Vec<Option<Ballot>>, Rejection> {
    if call.tool != ROUND {
        let message = format!("there is no action `{}` (known: {ROUND})", call.tool);
        return Err(Rejection::new(RejectionKind::UnknownTool, message));
    }
    if let Some(other) = call.arguments.keys().find(|key| *key != BALLOTS) {
        let message = format!("`{ROUND}` takes no argument `{other}`; its only argument is `{BALLOTS}`");
        return Err(Rejection::new(RejectionKind::UnknownArgument, message));
    }
    let given = call.arguments.get(BALLOTS).ok_or_else(|| {
        Rejection::new(RejectionKind::MissingArgument, format!("`{ROUND}` needs `{BALLOTS}`, a list of ballots"))
    })?;
    let given = given.as_array().ok_or_else(|| bad(format!("`{BALLOTS}` is no list; give a list of ballots")))?;
    let agents = game.setup().agents();
    let mut ballots: Vec<Option<Ballot>> = vec![None; agents];
    for (place, one) in given.iter().enumerate() {
        let (agent, ballot) = ballot(one, game).map_err(|what| bad(format!("ballot {}: {what}", place + 1)))?;
        if ballots[agent].replace(ballot).is_some() {
            return Err(bad(format!("ballot {}: `{}` has a ballot already", place + 1, name(agent))));
        }
    }
    Ok(ballots)
}

fn bad(message: String) -> Rejection {
    Rejection::new(RejectionKind::BadValue, message)
}

fn ballot(one: &Json, game: &Game) -> Result<(usize, Ballot), String> {
    let members = one.as_object().ok_or("it is no object")?;
    if let Some(other) = members.keys().find(|key| !MEMBERS.contains(&key.as_str())) {
        return Err(format!("there is no key `{other}` (known: {})", MEMBERS.join(", ")));
    }
    let agents = game.setup().agents();
    let names: Vec<String> = (0..agents).map(name).collect();
    let said = members.get("agent").and_then(Json::as_str).ok_or("`agent` is missing, the name of an agent")?;
    let agent = names.iter().position(|name| name.eq_ignore_ascii_case(said.trim())).ok_or_else(|| {
        let hint = nearest::hint(said, names.iter().map(String::as_str));
        format!("there is no agent `{}`{hint} (known: {})", gimbal_env_kit::named::shortened(said), names.join(", "))
    })?;
    if !game.is_played(agent) {
        return Err(format!("nobody speaks for `{}`: leave its ballot out", names[agent]));
    }
    let value = match members.get("value") {
        None | Some(Json::Null) if game.setup().is_adversary(agent) => None,
        None | Some(Json::Null) => {
            return Err(format!(
                "`value` is missing; give a whole number from 0 to {LARGEST}, or leave the ballot out"
            ));
        }
        Some(value) => Some(
            value
                .as_u64()
                .and_then(|value| Value::try_from(value).ok())
                .filter(|value| *value <= LARGEST)
                .ok_or_else(|| format!("`value` is {value}; give a whole number from 0 to {LARGEST}"))?,
        ),
    };
    let vote = members.get("vote").and_then(Json::as_str).ok_or("`vote` is missing; give \"stop\" or \"continue\"")?;
    let shown = || gimbal_env_kit::named::shortened(vote);
    let vote = Vote::read(vote).ok_or_else(|| format!("`vote` is `{}`; give \"stop\" or \"continue\"", shown()))?;
    let reason = match members.get("reason") {
        None | Some(Json::Null) => "",
        Some(reason) => reason.as_str().ok_or("`reason` is no text")?,
    };
    Ok((agent, Ballot { value, reason: line(reason), vote }))
}

/// A reason as others read it: one line without quotation marks, cut to its bound.
fn line(reason: &str) -> String {
    let kept = |letter: char| {
        if letter.is_control() {
            ' '
        } else if letter == '"' {
            '\''
        } else {
            letter
        }
    };
    let text: String = reason.chars().map(kept).collect();
    text.split_whitespace().collect::<Vec<_>>().join(" ").chars().take(REASON).collect()
}
