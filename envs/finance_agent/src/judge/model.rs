//! The words for a judge that is a model: one call an item.

use gimbal_core::{Grammar, Message, Speaker};

use crate::rubric::{Item, Operator};

/// What the judge may say.
pub const ANSWERS: [&str; 2] = ["yes", "no"];

/// The messages of the call about one item.
#[must_use]
pub fn messages(question: &str, item: &Item, answer: &str) -> Vec<Message> {
    let task = match item.operator {
        Operator::Correctness => {
            "Decide whether the ANSWER states the FACT. Figures may be rounded or written with another unit or scale; \
             wording may differ; the meaning must be the same. Say yes if it states the fact, no if it does not."
        }
        Operator::Contradiction => {
            "Decide whether the ANSWER is free of contradictions to the REFERENCE. Leaving something out is no contradiction; \
             another figure, name or direction for the same thing is one. Say yes if nothing contradicts the reference, no if \
             something does."
        }
    };
    let name = match item.operator {
        Operator::Correctness => "FACT",
        Operator::Contradiction => "REFERENCE",
    };
    let system = format!(
        "You grade answers to financial questions, one point at a time. {task} Reply with the one word yes or no."
    );
    let user = format!("QUESTION:\n{question}\n\n{name}:\n{}\n\nANSWER:\n{answer}", item.criteria);
    vec![Message::new(Speaker::System, system), Message::new(Speaker::User, user)]
}

/// The messages of a second call, where the first reply said neither yes nor no.
#[must_use]
pub fn again(question: &str, item: &Item, answer: &str, reply: &str) -> Vec<Message> {
    let mut messages = messages(question, item, answer);
    messages.push(Message::new(Speaker::Assistant, reply.to_owned()));
    let text = "That is neither yes nor no. Reply with the one word yes or the one word no.";
    messages.push(Message::new(Speaker::User, text));
    messages
}

/// The shape of the judge's reply.
#[must_use]
pub fn grammar() -> Grammar {
    Grammar::Choice(ANSWERS.map(str::to_owned).to_vec())
}

/// What the judge said: true for a pass. `None` if it said neither or both.
///
/// # Examples
/// ```
/// use gimbal_finance_agent::judge::model::read;
///
/// assert_eq!(read("Yes."), Some(true));
/// assert_eq!(read("The figure differs, so: **no**"), Some(false));
/// assert_eq!(read("yes and no"), None);
/// ```
#[must_use]
pub fn read(reply: &str) -> Option<bool> {
    let words: Vec<String> = reply
        .split(|letter: char| !letter.is_alphanumeric())
        .filter(|word| !word.is_empty())
        .map(str::to_lowercase)
        .collect();
    let verdict = |word: &String| match word.as_str() {
        "yes" | "pass" | "passed" | "true" => Some(true),
        "no" | "fail" | "failed" | "false" => Some(false),
        _ => None,
    };
    // The first word, where the judge begins with it; else whatever it says throughout.
    let said: Vec<bool> = words.iter().filter_map(verdict).collect();
    match said.as_slice() {
        [] => None,
        [first, ..] if said.iter().all(|other| other == first) => Some(*first),
        _ if words.len() > 3 => words.first().and_then(verdict),
        _ => None,
    }
}
