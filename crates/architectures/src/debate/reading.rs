//! Reading a position: item by item, so that an assertion that cannot stand is dropped and the others stay (ARES-008, ARES-030,
//! ARES-035).

use gimbal_agent::reading::{keyed, object};
use gimbal_core::{Milli, TokenCount};
use gimbal_evidence::claim::{Assertion, Predicate};
use gimbal_evidence::{FactId, Packet};
use gimbal_messages::{Change, ChangeKind, Contract, CountTokens, Tier, bounded, typed};
use serde_json::{Map, Value, json};

use super::form;
use super::messages::{AssertionMessage, ChangeMessage, PositionMessage};

/// Most assertions of a position.
const ITEMS: usize = form::BOUNDS.0;
/// Longest text of a refusal, in characters.
const SHOWN: usize = 240;
/// Confidence up to which a side need not cite anything.
pub(super) const UNCITED: Milli = Milli(500);

/// What was dropped, and why.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(super) struct Refusal {
    /// The reason, as records name it.
    pub reason: &'static str,
    /// What was found.
    pub what: String,
}

impl Refusal {
    /// Whether asking again can help: who is asked again sees no packet.
    pub(super) fn is_repairable(&self) -> bool {
        !matches!(self.reason, "unknown_fact" | "missing_facts" | "empty_assertions")
    }

    pub(super) fn new(reason: &'static str, what: &str) -> Self {
        Self { reason, what: bounded(what, SHOWN) }
    }
}

/// What a side says, as far as it is valid.
#[derive(Clone, Debug)]
pub(super) struct Spoken {
    /// Assertions, in the order in which they were written.
    pub assertions: Vec<Assertion>,
    /// Confidence, as written.
    pub confidence: Milli,
    /// What would settle the question.
    pub unknowns: Vec<String>,
    /// Facts that are named as the reason for a change, with the claim that changed (ARES-046).
    pub reasons: Vec<(String, FactId)>,
    /// Own claims that are given up.
    pub conceded: Vec<String>,
}

/// A message as it was read.
#[derive(Debug)]
pub(super) struct Reading {
    /// What is valid; `None` if nothing valid remains.
    pub spoken: Option<Spoken>,
    /// Which way it was read.
    pub tier: Tier,
    /// What rules changed.
    pub changes: Vec<Change>,
    /// What was dropped.
    pub refusals: Vec<Refusal>,
    /// Tokens of what is valid, where the contract bounds them.
    pub tokens: Option<TokenCount>,
}

/// Reads what a model wrote as a position of this contract; `count` counts tokens for this model.
pub(super) fn position(text: &str, contract: &Contract, packet: &Packet, count: &CountTokens<'_>) -> Reading {
    let lost = |refusal: Refusal| {
        let (spoken, changes, refusals) = (None, Vec::new(), vec![refusal]);
        Reading { spoken, tier: Tier::Default, changes, refusals, tokens: None }
    };
    let Some((members, tier)) = object(text) else {
        return lost(Refusal::new("unreadable", "the answer is not one JSON object"));
    };
    let Some(Value::Object(mut members)) = keyed(Value::Object(members)) else {
        return lost(Refusal::new("unreadable", "the answer names a key twice"));
    };
    let (mut changes, mut refusals) = (Vec::new(), Vec::new());
    let mut items = items(&mut members);
    if items.len() > ITEMS {
        items.truncate(ITEMS);
        changes.push(Change { kind: ChangeKind::Clipped, place: "/assertions".to_owned() });
    }
    facts_in(members.get_mut("changes"), &mut changes);
    let accepted = match contract.accept_within(Value::Object(members), tier, count) {
        Ok(accepted) => accepted,
        Err(refused) => return lost(Refusal::new("unreadable", &refused.to_string())),
    };
    changes.extend(accepted.changes);
    let mut value = accepted.value;
    let confidence = match typed::<PositionMessage>(value.clone()) {
        Ok(position) => position.confidence,
        Err(why) => return lost(Refusal::new("unreadable", &why)),
    };
    let wrote = !items.is_empty();
    let (mut assertions, mut stand) = (Vec::new(), Vec::new());
    for item in items {
        match assertion(item, contract, packet, (confidence, count)) {
            Ok((assertion, item, made)) => {
                changes.extend(made);
                assertions.push(assertion);
                stand.push(item);
            }
            Err(refusal) => refusals.push(refusal),
        }
    }
    // Items were read one by one; the bound in tokens is that of the whole message.
    value["assertions"] = Value::Array(stand);
    let whole = match contract.accept_within(value, tier, count) {
        Ok(whole) => whole,
        Err(refused) => return lost(Refusal::new("unreadable", &refused.to_string())),
    };
    let position: PositionMessage = match typed(whole.value) {
        Ok(position) => position,
        Err(why) => return lost(Refusal::new("unreadable", &why)),
    };
    assertions.truncate(position.assertions.len());
    changes.extend(whole.changes);
    let tier = if changes.is_empty() { accepted.tier } else { Tier::ByRule };
    // What is claimed without any evidence is refused as a whole.
    let uncited = assertions.is_empty() && (wrote || confidence > UNCITED);
    if uncited && refusals.is_empty() {
        let what = format!("a confidence of {confidence} without an assertion; without one it is at most {UNCITED}");
        refusals.push(Refusal::new("empty_assertions", &what));
    }
    let mut reasons = Vec::new();
    for ChangeMessage { claim, facts, .. } in &position.changes {
        for fact in facts {
            match packet.validate(&[fact]) {
                Ok(known) => reasons.extend(known.into_iter().map(|fact| (claim.clone(), fact))),
                Err(unknown) => refusals.push(Refusal::new("unknown_fact", &unknown.to_string())),
            }
        }
    }
    let spoken = Spoken { assertions, confidence, unknowns: position.unknowns, reasons, conceded: position.conceded };
    Reading { spoken: (!uncited).then_some(spoken), tier, changes, refusals, tokens: whole.tokens }
}

/// Takes the assertions out of a message and leaves an empty list where there was any.
fn items(members: &mut Map<String, Value>) -> Vec<Value> {
    let Some(place) = members.get_mut("assertions") else { return Vec::new() };
    match std::mem::replace(place, json!([])) {
        Value::Array(items) => items,
        Value::Null => Vec::new(),
        one => vec![one],
    }
}

/// One assertion, by itself, and as the contract has it.
fn assertion(
    mut item: Value,
    contract: &Contract,
    packet: &Packet,
    (confidence, count): (Milli, &CountTokens<'_>),
) -> Result<(Assertion, Value, Vec<Change>), Refusal> {
    let mut changes = Vec::new();
    let shown = bounded(&item.to_string(), SHOWN);
    let facts = item.get_mut("facts").filter(|facts| !facts.is_null());
    if facts.as_ref().is_none_or(|facts| facts.as_array().is_some_and(Vec::is_empty)) {
        return Err(Refusal::new("missing_facts", &format!("no fact is cited: {shown}")));
    }
    // A claim without a confidence of its own is as sure as its side.
    if let Some(members) = item.as_object_mut().filter(|_| contract.name() == "anchored_position")
        && members.get("confidence").is_none_or(Value::is_null)
    {
        members.insert("confidence".to_owned(), json!(confidence.to_f64()));
        changes.push(Change { kind: ChangeKind::Filled, place: "/assertions/confidence".to_owned() });
    }
    facts_in(Some(&mut item), &mut changes);
    let cited: Vec<String> =
        item["facts"].as_array().into_iter().flatten().filter_map(Value::as_str).map(str::to_owned).collect();
    let known = packet.validate(&cited).map_err(|unknown| Refusal::new("unknown_fact", &unknown.to_string()))?;
    let alone = json!({ "assertions": [item], "confidence": confidence.to_f64() });
    let accepted = contract
        .accept_within(alone, Tier::Direct, count)
        .map_err(|refused| Refusal::new("bad_form", &refused.to_string()))?;
    // The defaults of the rest of the message are not changes of this item.
    changes.extend(accepted.changes.into_iter().filter(|change| change.place.starts_with("/assertions/")));
    let written = accepted.value.pointer("/assertions/0").cloned().unwrap_or_default();
    let message: AssertionMessage = typed(written.clone()).map_err(|why| Refusal::new("bad_form", &why))?;
    let predicate: Predicate = message.predicate.parse().map_err(|error: gimbal_evidence::claim::NotAPredicate| {
        Refusal::new("unknown_predicate", &error.to_string())
    })?;
    let mut facts: Vec<FactId> = Vec::new();
    for fact in known.into_iter().take(message.facts.len()) {
        if !facts.contains(&fact) {
            facts.push(fact);
        }
    }
    let AssertionMessage { kind, interpretation, confidence: own, .. } = message;
    let confidence = own.unwrap_or(confidence);
    Ok((Assertion { kind, predicate, facts, confidence, interpretation }, written, changes))
}

/// Brings the lists of facts within a value into their one spelling, where what is meant is beyond doubt: `F12` and `f012` are F012, and one
/// text of several ids is a list of them.
fn facts_in(value: Option<&mut Value>, changes: &mut Vec<Change>) {
    match value {
        Some(Value::Array(items)) => items.iter_mut().for_each(|item| facts_in(Some(item), changes)),
        Some(Value::Object(members)) => {
            let Some(facts) = members.get_mut("facts") else { return };
            let words: Vec<String> = match facts {
                Value::String(text) => words(text),
                Value::Array(items) => {
                    items.iter().flat_map(|item| item.as_str().map_or_else(Vec::new, words)).collect()
                }
                _ => return,
            };
            let read: Vec<Value> = words.iter().map(|word| Value::from(spelled(word))).collect();
            let read = Value::Array(read);
            if *facts != read {
                *facts = read;
                changes.push(Change { kind: ChangeKind::Coerced, place: "/assertions/facts".to_owned() });
            }
        }
        _ => {}
    }
}

fn words(text: &str) -> Vec<String> {
    let apart = |letter: char| letter.is_whitespace() || matches!(letter, ',' | ';' | '[' | ']' | '"');
    text.split(apart).filter(|word| !word.is_empty()).map(str::to_owned).collect()
}

/// The one spelling of an id; the word itself where it is none.
fn spelled(word: &str) -> String {
    let number = word.strip_prefix(['F', 'f']).filter(|digits| digits.bytes().all(|byte| byte.is_ascii_digit()));
    match number.and_then(|digits| digits.parse::<u32>().ok()).and_then(|number| number.checked_sub(1)) {
        Some(index) => FactId::at(index).to_string(),
        None => word.to_owned(),
    }
}
