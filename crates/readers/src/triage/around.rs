//! The agents around a debate: who answers claims, who says how sure a verdict is, who attacks the surer side, who puts the verdict into words.

use std::collections::BTreeMap;

use gimbal_model::Reply;
use serde_json::{Value, json};

use super::facts::Page;
use super::weigh::read;
use crate::kit::{Sheet, plain};

/// Most facts of an answer.
const FACTS: usize = 8;

/// The reply of one of these agents; `None` if the page asks for something else.
pub(super) fn reply(sheet: &Sheet<'_>) -> Option<Reply> {
    if !sheet.adviser {
        return None;
    }
    let told = |tag: &str| -> Option<Value> { serde_json::from_str(sheet.section(tag)?.trim()).ok() };
    if sheet.asks_for(&["answers"]) {
        return Some(audit(sheet, &told("claims")?));
    }
    if sheet.asks_for(&["assertions"]) {
        return Some(challenge(sheet, &told("position")?));
    }
    let verdict = told("verdict")?;
    if sheet.asks_for(&["confidence", "reason"]) {
        return Some(estimate(sheet, &verdict));
    }
    sheet.asks_for(&["text"]).then(|| narrate(sheet, &verdict))
}

fn texts(value: &Value) -> impl Iterator<Item = &str> {
    value.as_array().into_iter().flatten().filter_map(Value::as_str)
}

/// Rebuts a claim where stated facts that it does not cite explain all of its facts.
fn audit(sheet: &Sheet<'_>, told: &Value) -> Reply {
    let page = Page::read(sheet);
    let reading = read(page.lines.values());
    let mut explained: BTreeMap<&str, &[String]> = BTreeMap::new();
    for (sign, by) in reading.explained() {
        explained.extend(sign.facts.iter().map(|fact| (fact.id.as_str(), by)));
    }
    let answer = |claim: &Value| {
        let cited: Vec<&str> = texts(&claim["facts"]).collect();
        let by: Option<Vec<&[String]>> = cited.iter().map(|fact| explained.get(fact).copied()).collect();
        let mut facts: Vec<&String> = by.into_iter().flatten().flatten().collect();
        facts.sort_unstable();
        facts.dedup();
        facts.retain(|fact| !cited.contains(&fact.as_str()));
        facts.truncate(FACTS);
        let word = if facts.is_empty() { "no_contest" } else { "rebut" };
        json!({ "claim": claim["claim"], "answer": word, "facts": facts, "reason": "" })
    };
    let answers: Vec<Value> = told["claims"].as_array().into_iter().flatten().take(6).map(answer).collect();
    sheet.message("by what explains the facts", &json!({ "answers": answers }))
}

/// What explains, against the Architect; signs that nothing explains, against the Skeptic. Only facts that nobody cited.
fn challenge(sheet: &Sheet<'_>, told: &Value) -> Reply {
    let page = Page::read(sheet);
    let reading = read(page.lines.values());
    let cited: Vec<&str> = texts(&told["cited"]).collect();
    let mut facts: Vec<String> = if told["against"] == "architect" {
        reading.explained().flat_map(|(_, by)| by.to_vec()).collect()
    } else {
        reading.open().iter().flat_map(|sign| sign.facts.iter().map(|fact| fact.id.clone())).collect()
    };
    facts.sort_unstable();
    facts.dedup();
    facts.retain(|fact| !cited.contains(&fact.as_str()));
    facts.truncate(FACTS);
    let claim = json!({
        "kind": "ALT", "predicate": "means it speaks against the position", "facts": facts, "interpretation": ""
    });
    let (assertions, confidence) = if facts.is_empty() { (json!([]), 0.0) } else { (json!([claim]), 0.7) };
    sheet.message("by facts that nobody cited", &json!({ "assertions": assertions, "confidence": confidence }))
}

/// Sure of a verdict that the reader gives too.
fn estimate(sheet: &Sheet<'_>, told: &Value) -> Reply {
    let page = Page::read(sheet);
    let own = read(page.lines.values()).verdict();
    let confidence = if told["verdict"] == own.verdict { 0.8 } else { 0.4 };
    sheet.message("by the signs and by what explains them", &json!({ "confidence": confidence, "reason": own.why }))
}

/// The verdict with its facts.
fn narrate(sheet: &Sheet<'_>, told: &Value) -> Reply {
    let facts: Vec<&str> = texts(&told["facts"]).take(FACTS).collect();
    let rests = if facts.is_empty() { "no fact".to_owned() } else { facts.join(", ") };
    let verdict = told["verdict"].as_str().unwrap_or_default();
    let text = plain(&format!("The verdict is {verdict}. It rests on {rests}."), 400);
    sheet.message("as it was computed", &json!({ "text": text }))
}
