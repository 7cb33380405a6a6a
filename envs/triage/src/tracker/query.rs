//! The read-only queries: about an entity (BOG-063, BOG-064), and about the facts that a verdict cites (CYC-095).

use std::cmp::Reverse;
use std::collections::BTreeSet;
use std::sync::LazyLock;

use gimbal_core::tracker::{EVIDENCE, PASSAGES, QUOTATION};
use gimbal_core::{Rejection, ToolCall, ToolSpec};
use gimbal_env_kit::query::{self, Argument, Nouns, SUBJECT_BASELINE, SUBJECT_STATE};
use gimbal_evidence::listing::Listing;
use gimbal_evidence::{Fact, FactId};
use serde_json::{Value, json};

use super::{PacketBelief, cited, words};
use crate::tools;

const NOUNS: Nouns = Nouns { one: "entity", many: "entities", argument: "one entity, as KIND:NAME" };
const ANSWER: Argument = ("answer", "the ids of the facts that are cited");
const ABOUT: Argument = ("about", "the text");
const KEY: Argument = ("key", "the id of a fact");
const TEXT: Argument = ("text", "the words");
/// Most passages.
const PASSAGES_SHOWN: usize = 24;
/// Characters that a quotation must have beside blanks.
const SHORTEST: usize = 3;

static SPECS: LazyLock<[ToolSpec; 5]> = LazyLock::new(|| {
    let [state, baseline] = query::of_subjects(
        "One entity, as KIND:NAME.",
        "Tells which facts about one entity were shown so far.",
        "Tells what people stated about one entity, as far as it was shown.",
    );
    [
        state,
        baseline,
        ToolSpec::of_strings(EVIDENCE, "Tells of each cited fact whether it was shown.", &[(ANSWER.0, "The ids.")]),
        ToolSpec::of_strings(
            PASSAGES,
            "Lists the facts that were shown, and the lines of those that share most words with a text.",
            &[(ABOUT.0, "The text.")],
        ),
        ToolSpec::of_strings(
            QUOTATION,
            "Tells whether a fact that was shown has these words, and how many numbers are among them.",
            &[(KEY.0, "Id of the fact."), (TEXT.0, "The words.")],
        ),
    ]
});

/// The queries there are.
pub(super) fn specs() -> &'static [ToolSpec] {
    &*SPECS
}

/// Answers a query with JSON text.
pub(super) fn answer(belief: &PacketBelief, call: &ToolCall) -> Result<String, Rejection> {
    match call.tool.as_str() {
        SUBJECT_STATE => {
            let (name, facts) = about(belief, call)?;
            let lines = lines(belief, &facts);
            Ok(json!({ words::ENTITY: name, words::COUNT: facts.len(), words::FACTS: lines }).to_string())
        }
        SUBJECT_BASELINE => {
            let (name, facts) = about(belief, call)?;
            let stated: Vec<FactId> = facts.into_iter().filter(|id| is_stated(belief, *id)).collect();
            let lines = lines(belief, &stated);
            let stated = if lines.is_empty() { Value::from(words::NOTHING) } else { Value::from(lines) };
            Ok(json!({ words::ENTITY: name, words::STATED: stated }).to_string())
        }
        EVIDENCE => evidence(belief, false, call),
        PASSAGES => {
            let [text] = query::arguments(call, [ABOUT])?;
            Ok(passages(belief, text).to_string())
        }
        QUOTATION => {
            let [key, text] = query::arguments(call, [KEY, TEXT])?;
            Ok(quotation(belief, key, text).to_string())
        }
        _ => Err(query::unknown(call, specs())),
    }
}

/// Whether each cited fact was shown. Where the `whole` packet was, all of its facts were.
pub(super) fn evidence(belief: &PacketBelief, whole: bool, call: &ToolCall) -> Result<String, Rejection> {
    let [answer] = query::arguments(call, [ANSWER])?;
    let figures: Vec<Value> = tools::words(answer)
        .map(|word| {
            let shown = cited(&belief.index, word).is_some_and(|id| whole || belief.is_shown(id));
            json!({ "figure": word, "support": if shown { "stored" } else { "missing" } })
        })
        .collect();
    let stored = figures.iter().filter(|figure| figure["support"] == "stored").count();
    Ok(json!({ "figures": figures, "stored": stored, "supported": stored, "all": figures.len() }).to_string())
}

fn fact(belief: &PacketBelief, id: FactId) -> Option<&Fact> {
    belief.index.packet().fact(id)
}

fn is_stated(belief: &PacketBelief, id: FactId) -> bool {
    fact(belief, id).is_some_and(|fact| fact.class.is_context())
}

fn lines<'a>(belief: &'a PacketBelief, facts: &[FactId]) -> Vec<&'a str> {
    facts.iter().filter_map(|id| belief.index.line(*id)).collect()
}

/// The entity that a query names, with the facts about it that were shown.
fn about<'a>(belief: &'a PacketBelief, call: &ToolCall) -> Result<(&'a str, Vec<FactId>), Rejection> {
    let name = query::subject(call, NOUNS, &belief.subjects, String::as_str)?;
    let facts = name.parse().map(|entity| belief.index.about(&entity).to_vec()).unwrap_or_default();
    Ok((name, facts.into_iter().filter(|id| belief.is_shown(*id)).collect()))
}

fn words_of(text: &str) -> BTreeSet<String> {
    let word = |piece: &&str| piece.len() > 2;
    text.split(|letter: char| !letter.is_alphanumeric()).filter(word).map(str::to_lowercase).collect()
}

/// The facts that were shown, and those that share most words with a text, in the order of their ids.
fn passages(belief: &PacketBelief, about: &str) -> Value {
    let wanted = words_of(about);
    let shown: BTreeSet<FactId> = belief.shown.iter().copied().collect();
    let all: Vec<(FactId, &str)> = shown.iter().filter_map(|id| Some((*id, belief.index.line(*id)?))).collect();
    let documents: Vec<Value> =
        all.iter().map(|(id, line)| json!({ "key": id.to_string(), "characters": line.chars().count() })).collect();
    let shared = |line: &str| words_of(line).intersection(&wanted).count();
    let mut scored: Vec<(Reverse<usize>, FactId, &str)> =
        all.iter().map(|(id, line)| (Reverse(shared(line)), *id, *line)).filter(|(score, ..)| score.0 > 0).collect();
    scored.sort_unstable();
    scored.truncate(PASSAGES_SHOWN);
    scored.sort_by_key(|(_, id, _)| *id);
    let passages: Vec<Value> =
        scored.into_iter().map(|(_, id, line)| json!({ "key": id.to_string(), "text": line })).collect();
    json!({ "documents": documents, "passages": passages })
}

/// Whether a fact that was shown has these words, blanks of any kind alike.
fn quotation(belief: &PacketBelief, key: &str, quote: &str) -> Value {
    let blanks = |text: &str| text.split_whitespace().collect::<Vec<_>>().join(" ");
    let quote = blanks(quote);
    let numbers = quote
        .split(|letter: char| !letter.is_alphanumeric())
        .filter(|word| word.bytes().any(|byte| byte.is_ascii_digit()))
        .count();
    let long_enough = quote.chars().filter(|letter| !letter.is_whitespace()).count() >= SHORTEST;
    let id = cited(&belief.index, key.trim()).filter(|id| long_enough && belief.is_shown(*id));
    let found = id.and_then(|id| fact(belief, id)).is_some_and(|fact| {
        [Listing::SHORT, Listing::FULL].iter().any(|listing| blanks(&listing.line(fact)).contains(&quote))
    });
    json!({ "found": found, "figures": numbers })
}
