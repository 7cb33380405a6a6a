//! What every request must hold, whoever is asked, in whichever environment and form. A rule looks at the text that is sent
//! and knows no persona.

mod bounds;
mod form;
mod messages;
mod names;
mod schemas;
mod sight;

use std::collections::{BTreeMap, BTreeSet};

use gimbal_core::Speaker;
use gimbal_readers::kit::sections;

use super::common::Asked;
use super::letter::{Cast, Kind, Letter, MESSAGES, Now};
use super::scene::Scene;

/// What is wrong, each kind of it once, with where it was seen first and how often.
#[derive(Default)]
pub struct Broken(BTreeMap<(&'static str, String), (String, usize)>);

impl Broken {
    fn add(&mut self, scene: &Scene, asked: &Asked, rule: &'static str, what: impl Into<String>) {
        assert!(RULES.contains(&rule), "`{rule}` is not among the rules");
        let place = format!("{}/{} {}", scene.place, scene.cell, asked.role);
        let known = self.0.entry((rule, what.into())).or_insert((place, 0));
        known.1 += 1;
    }

    /// Takes up what another part of the reading found.
    pub fn extend(&mut self, other: Self) {
        for (key, (place, count)) in other.0 {
            self.0.entry(key).or_insert((place, 0)).1 += count;
        }
    }

    /// The rules that were broken.
    pub fn rules(&self) -> BTreeSet<&'static str> {
        self.0.keys().map(|(rule, _)| *rule).collect()
    }

    /// A line for each.
    pub fn lines(&self) -> Vec<String> {
        let line = |((rule, what), (place, count)): (&(&'static str, String), &(String, usize))| {
            format!("{rule}: {what} [{count} times, first in {place}]")
        };
        self.0.iter().map(line).collect()
    }
}

/// The rules, by the names under which they report. The test of the rules breaks each of them.
pub const RULES: [&str; 55] = [
    "a bound that is not that of the mask",
    "a call without its result",
    "a form of a command that is not spelt once",
    "a form that nobody was told of",
    "a key of the status that nothing explains",
    "a message that is no object",
    "a name of a tool that a provider refuses",
    "a planner without tools or size",
    "a proposer that is asked for nothing",
    "a record without calls",
    "a record without the task or a subtask's goal",
    "a record without the task, the steps or how they ended",
    "a repair without the answer",
    "a repair without what is allowed",
    "a repair without what was asked",
    "a request of no known kind",
    "a request without its step",
    "a schema that a provider refuses",
    "a seat without its rounds",
    "a segment without ways",
    "a tool that the agent lacks",
    "a tool that the specialist lacks",
    "a valuer without candidates",
    "a verifier without question, answer, figures or passages",
    "a way without goal, tools or criterion",
    "an action without its result",
    "an adviser without a subject",
    "an adviser without the situation",
    "an empty list of possible actions",
    "an object is asked for, and nothing but a part of it",
    "arguments of a tool that a provider refuses",
    "blank lines",
    "contradiction",
    "conversation",
    "empty part",
    "facts of the packet are out of sight",
    "form of another protocol",
    "missing part",
    "names that nobody showed",
    "no form",
    "no grammar",
    "no values for any call",
    "one call of many is called the final answer",
    "paragraph twice",
    "plain text is asked for and an object is enforced",
    "possible actions",
    "template",
    "the first observation is out of sight",
    "the goal is out of sight",
    "the latest result is out of sight",
    "the number of actions that are left",
    "too few turns",
    "tools are denied before actions",
    "what is known now is out of sight",
    "wording",
];

/// What a rule found: its name, and the words in question.
type Found = Vec<(&'static str, String)>;

/// Tools by which an agent turns to itself or gives control back.
const OWN: [&str; 4] = ["raise_a_question", "critique_the_answer", "improve_based_on_critique", "finish_subtask"];

/// Parts that texts refer to by their tags, beside the messages.
const PARTS: [&str; 8] = [
    "rules",
    "reflection_knowledge",
    "tools",
    "chain_of_thought",
    "examples",
    "available_actions_list",
    "possible_actions",
    "actions_left",
];

/// Words that no system message holds.
const UNWANTED: [&str; 6] = ["world", "worlds", "mend", "nought", "news", "hearsay"];

/// Looks at one request with every rule.
pub fn check(scene: &Scene, (cast, now): (&Cast, &Now), asked: &Asked, broken: &mut Broken) {
    let letter = match Letter::of(asked, (cast, now)) {
        Ok(letter) => letter,
        Err(why) => return broken.add(scene, asked, "a request of no known kind", why),
    };
    let mut found = Found::new();
    conversation(&letter, &mut found);
    schemas::check(scene, &letter, &mut found);
    bounds::check(scene, &letter, &mut found);
    if letter.kind != Kind::Serves {
        writing(scene, &letter, &mut found);
        form::check(scene, &letter, &mut found);
        names::check(scene, &letter, &mut found);
        sight::check(scene, &letter, &mut found);
        sight::literals(scene, &letter, &mut found);
        messages::check(scene, &letter, &mut found);
    }
    for (rule, what) in found {
        broken.add(scene, asked, rule, what);
    }
}

/// Providers take conversations of this shape only: system, user, then by turns; each native call is answered once.
fn conversation(letter: &Letter<'_>, found: &mut Found) {
    let messages = &letter.request.messages;
    let mut open: Vec<&str> = Vec::new();
    let mut last = None;
    for (at, message) in messages.iter().enumerate() {
        let speaker = message.speaker;
        let fits = match speaker {
            Speaker::System => at == 0,
            Speaker::User => matches!(last, None | Some(Speaker::System | Speaker::Assistant | Speaker::Tool)),
            Speaker::Assistant => matches!(last, Some(Speaker::User | Speaker::Tool)),
            Speaker::Tool => open.iter().any(|id| Some(*id) == message.answers.as_deref()),
        };
        if !fits {
            found.push(("conversation", format!("a message of {} after {last:?}", speaker.name())));
        }
        if speaker != Speaker::Tool && !open.is_empty() {
            found.push(("conversation", "a native call without its result".to_owned()));
            open.clear();
        }
        open.retain(|id| Some(*id) != message.answers.as_deref());
        open.extend(message.calls.iter().map(|call| call.id.as_str()));
        if message.text.trim().is_empty() && message.calls.is_empty() {
            found.push(("conversation", format!("an empty message of {}", speaker.name())));
        }
        last = Some(speaker);
    }
    if !matches!(last, Some(Speaker::User | Speaker::Tool)) {
        found.push(("conversation", "the last message is the agent's own".to_owned()));
    }
}

/// The text itself: no template left, nothing empty, nothing twice, the project's words.
fn writing(scene: &Scene, letter: &Letter<'_>, found: &mut Found) {
    let mut say = |rule, what: String| found.push((rule, what));
    for message in &letter.request.messages {
        // A message that an earlier request held was read then.
        if message.speaker == Speaker::Assistant || !scene.is_new(&message.text) {
            continue;
        }
        let text = &message.text;
        if message.speaker == Speaker::System {
            for piece in text.split(|letter: char| !letter.is_alphanumeric()) {
                if let Some(word) = UNWANTED.iter().find(|word| piece.eq_ignore_ascii_case(word)) {
                    say("wording", format!("the word `{word}`: {}", around(text, piece)));
                }
            }
        }
        if (!scene.braces && text.contains("{{")) || text.contains("{%") || text.contains("{{ ") {
            say("template", around(text, "{"));
        }
        if text.contains("\n\n\n") && message.speaker != Speaker::Tool {
            say("blank lines", around(text, "\n\n\n"));
        }
        for (name, body) in sections(text) {
            if body.trim().is_empty() || (body.trim().ends_with(':') && !body.trim().contains('\n')) {
                say("empty part", format!("<{name}>{body}</{name}>"));
            }
        }
        let mut seen: Vec<&str> = Vec::new();
        // What is said of an attempt is said again of the next one.
        let paragraphs = text.split("\n\n").map(str::trim).take_while(|paragraph| !is_of_attempt(paragraph));
        for paragraph in paragraphs.filter(|paragraph| paragraph.len() > 40) {
            if seen.contains(&paragraph) {
                say("paragraph twice", short(paragraph));
            }
            seen.push(paragraph);
        }
    }
    for phrase in REFUSED.into_iter().filter(|phrase| letter.told.contains(phrase)) {
        say("contradiction", around(&letter.told, phrase));
    }
    if !letter.request.tools.is_empty() && letter.told.contains("The input is one JSON object") {
        say("contradiction", around(&letter.told, "The input is one JSON object"));
    }
    let bounds = if letter.kind == Kind::Votes { bounds(letter.system) } else { Vec::new() };
    for (key, bound) in bounds {
        let told = letter.system.lines().filter(|line| line.trim_start().starts_with(&format!("- \"{key}\":")));
        let other = told.filter_map(|line| number_before(line, " characters")).find(|told| *told != bound);
        if let Some(other) = other {
            say("contradiction", format!("\"{key}\" has at most {other} characters, and at most {bound}"));
        }
    }
    // What is referred to by its tag is there. Placeholders of usages are left out.
    let is_in_usage = |tag: &str| {
        letter.glossary().iter().any(|entry| entry["usage"].to_string().contains(tag))
            || scene.brief.glossary.iter().any(|entry| entry.usage.contains(tag))
    };
    for part in PARTS.into_iter().chain(MESSAGES) {
        let tag = format!("<{part}>");
        if letter.told.contains(&tag) && !letter.told.contains(&format!("{tag}\n")) && !is_in_usage(&tag) {
            say("missing part", format!("{tag}: {}", around(&letter.told, &tag)));
        }
    }
}

/// Phrases that contradict the text around them or that nothing explains: fields of messages that are for programs, a task that is an environment, a
/// number that must be reached where less is possible.
const REFUSED: [&str; 8] = [
    "here is news",
    "\"layer_id\"",
    "\"state_digest\"",
    "\"timestamp\": ",
    "It does nothing that the other tools do not do",
    "gives you no new information, after",
    "The task, as it was given to you: ",
    "list of texts, as many as are wanted",
];

/// The bounds of texts that a request states: `"key" has at most N characters`.
fn bounds(text: &str) -> Vec<(&str, usize)> {
    let stated = text.match_indices("\" has at most ").filter_map(|(at, _)| {
        let key = text[..at].rsplit('"').next()?;
        let (number, rest) = text[at + "\" has at most ".len()..].split_once(' ')?;
        rest.starts_with("characters").then(|| Some((key, number.parse().ok()?))).flatten()
    });
    stated.collect()
}

/// The number before some words.
fn number_before(line: &str, words: &str) -> Option<usize> {
    line[..line.find(words)?].rsplit(' ').next()?.parse().ok()
}

/// Whether a paragraph says that an answer was not accepted.
fn is_of_attempt(paragraph: &str) -> bool {
    paragraph.starts_with("Attempt 1 of ") || paragraph.starts_with("The action was refused and nothing was done.")
}

/// The beginning of a text, on one line.
fn short(text: &str) -> String {
    text.chars().take(160).collect::<String>().replace('\n', "\\n")
}

/// What is around some words.
fn around(text: &str, words: &str) -> String {
    let at = text.find(words).unwrap_or(0);
    let begin = text[..at].char_indices().rev().nth(60).map_or(0, |(begin, _)| begin);
    short(&text[begin..])
}
