//! What an expert in a member's place would answer, for the noisy expert alone.
//!
//! Over a packet it is what the rules of both sides come to: they see the packet and no more. Elsewhere it is the answer of the
//! environment's own expert, where that one would answer now.

use gimbal_core::{Hint, ToolCall};
use gimbal_evidence::Packet;
use gimbal_evidence::judge::Verdict;
use gimbal_evidence::rules::{Decision, RuleSet, SkepticKind, single_turn};
use gimbal_messages::spaced;
use serde_json::{Value, json};

use super::opinion::{Answers, NONE, Questions};

/// The argument of the call of a round.
pub(super) const BALLOTS: &str = "ballots";

/// What an expert would say, and what others of the same form would; `call` is what the environment's expert would do now.
pub(super) fn opinion(questions: &Questions, call: &ToolCall, rules: &RuleSet) -> Option<Hint> {
    let right = match &questions.packet {
        Some(packet) => by_rule(packet, rules),
        None => {
            let (tool, argument) = &questions.call;
            let answer = (call.tool == *tool).then(|| call.string(argument)).flatten()?;
            answers(answer, NONE, "nothing", "close")
        }
    };
    // Whoever errs gives another answer, with the first fact at hand.
    let first = questions.packet.as_ref().and_then(|packet| packet.facts().first());
    let finding = first.map_or_else(|| NONE.to_owned(), |fact| fact.id.to_string());
    let others = questions.answers.iter().filter(|answer| *answer != right.answer());
    let others = others.map(|answer| answers(answer, &finding, "records", "collect"));
    Some(Hint { answer: spaced(&right.message()), alternatives: others.map(|one| spaced(&one.message())).collect() })
}

fn answers(answer: &str, finding: &str, gap: &str, next: &str) -> Answers {
    Answers([answer, finding, gap, next, "nothing else stands out"].map(str::to_owned))
}

/// The single turn by rule, judged over claims.
fn by_rule(packet: &Packet, rules: &RuleSet) -> Answers {
    let outcome = single_turn(packet, rules, SkepticKind::Deterministic, Decision::Claims);
    let (side, gap, next) = match outcome.verdict {
        Verdict::ThreatConfirmed => (outcome.architect.cited(), "outcome", "contain"),
        Verdict::ThreatDismissed => (outcome.skeptic.cited(), "nothing", "close"),
        Verdict::Inconclusive => (outcome.architect.cited(), "permission", "ask"),
    };
    let finding = side.first().map_or_else(|| NONE.to_owned(), ToString::to_string);
    answers(outcome.verdict.name(), &finding, gap, next)
}

/// What an expert would give for an agent: its ballot in the call that the environment's expert would make. Others give another value, or
/// vote the other way.
pub(super) fn ballot(call: &ToolCall, seat: &str, values: (u64, u64)) -> Option<Hint> {
    let ballots = call.arguments.get(BALLOTS)?.as_array()?;
    let own = ballots.iter().find(|ballot| ballot["agent"].as_str() == Some(seat))?;
    let (value, vote) = (own["value"].as_u64(), own["vote"].as_str().unwrap_or("continue"));
    let said = |value: Option<u64>, vote: &str| {
        spaced(
            &json!({ "strategy": "follow the expert", "value": value, "reason": "as the expert says", "vote": vote }),
        )
    };
    let (low, high) = values;
    let other = match value {
        Some(value) if value < high => Value::from(value + 1).as_u64(),
        _ => Some(low),
    };
    let turned = if vote == "stop" { "continue" } else { "stop" };
    Some(Hint { answer: said(value, vote), alternatives: vec![said(other, vote), said(value, turned)] })
}
