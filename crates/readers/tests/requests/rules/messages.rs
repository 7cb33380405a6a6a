//! Messages between agents: what a request tells whoever answers it.

use gimbal_readers::kit::between;
use serde_json::Value;

use super::super::letter::{Kind, Letter};
use super::{Found, OWN, Scene, short};

pub fn check(scene: &Scene, letter: &Letter<'_>, found: &mut Found) {
    match letter.kind {
        Kind::Routes | Kind::Guides => routes(letter, found),
        Kind::Plans => plans(letter, found),
        Kind::SumsUp => sums_up(letter, found),
        Kind::Advises => advises(scene, letter, found),
        Kind::Orders | Kind::Governs | Kind::Proposes | Kind::Values => request(letter, found),
        Kind::Reflects => reflects(letter, found),
        Kind::Verifies => verifies(letter, found),
        Kind::Weighs => weighs(letter, found),
        Kind::Votes => votes(letter, found),
        Kind::Repairs => repairs(scene, letter, found),
        Kind::Decides | Kind::Works | Kind::Serves | Kind::Answers => {}
    }
}

fn text<'v>(value: &'v Value, key: &str) -> &'v str {
    value[key].as_str().unwrap_or_default().trim()
}

/// An adviser is told what it is asked about, and has the situation before it or tools that show it.
fn advises(scene: &Scene, letter: &Letter<'_>, found: &mut Found) {
    let subjects = &scene.brief.subjects;
    if !subjects.is_empty()
        && !subjects.iter().any(|name| letter.opening.contains(name.as_str()))
        && !letter.opening.contains("\"any\"")
    {
        found.push(("an adviser without a subject", short(letter.opening)));
    }
    let situation = letter.message("situation_json").is_some_and(|told| !text(&told, "situation").is_empty());
    let looks = letter.offered().iter().any(|name| !OWN.contains(name));
    if !situation && !looks {
        found.push(("an adviser without the situation", short(letter.opening)));
    }
}

/// Where control goes: with each way its goal, tools and criterion.
fn routes(letter: &Letter<'_>, found: &mut Found) {
    let segment = letter.message("segment").unwrap_or_default();
    // Where one subtask follows, there are no ways to choose from.
    if segment.get("ways").is_none() && segment.get("next").is_none() {
        found.push(("a segment without ways", short(letter.opening)));
    }
    for way in segment["ways"].as_array().into_iter().flatten() {
        if ["to", "goal", "criterion"].iter().any(|key| text(way, key).is_empty()) || way.get("tools").is_none() {
            found.push(("a way without goal, tools or criterion", way.to_string()));
        }
    }
}

fn plans(letter: &Letter<'_>, found: &mut Found) {
    let work = letter.message("work").unwrap_or_default();
    if work["tools"].as_array().is_none_or(Vec::is_empty) || work.get("size").is_none() {
        found.push(("a planner without tools or size", short(letter.opening)));
    }
}

fn sums_up(letter: &Letter<'_>, found: &mut Found) {
    let record = letter.message("record").unwrap_or_default();
    let work = record["work"].as_array().map(Vec::as_slice).unwrap_or_default();
    if !work.iter().any(|segment| segment["calls"].as_array().is_some_and(|calls| !calls.is_empty())) {
        found.push(("a record without calls", short(letter.opening)));
    }
    let calls = work.iter().flat_map(|segment| segment["calls"].as_array().into_iter().flatten());
    if calls.clone().any(|call| text(call, "call").is_empty() || text(call, "result").is_empty()) {
        found.push(("a call without its result", short(letter.opening)));
    }
    let named = |name: &str| {
        let subtasks = record["subtasks"].as_array().into_iter().flatten();
        subtasks.filter(|known| !text(known, "goal").is_empty()).any(|known| known["name"] == name)
    };
    if text(&record, "task").is_empty() || work.iter().any(|segment| !named(text(segment, "subtask"))) {
        found.push(("a record without the task or a subtask's goal", short(letter.opening)));
    }
}

/// What a layer, a proposer or a valuer is told: when it is asked, and what was tried.
fn request(letter: &Letter<'_>, found: &mut Found) {
    let request = letter.message("request").unwrap_or_default();
    if request["step"].as_u64().is_none() || request["steps_left"].as_u64().is_none() {
        found.push(("a request without its step", short(letter.opening)));
    }
    let candidates = request["candidates"].as_array();
    if letter.kind == Kind::Values && candidates.is_none_or(Vec::is_empty) {
        found.push(("a valuer without candidates", short(letter.opening)));
    }
    if letter.kind == Kind::Proposes && request["wanted"].as_u64().is_none_or(|wanted| wanted == 0) {
        found.push(("a proposer that is asked for nothing", short(letter.opening)));
    }
    tried(candidates.into_iter().chain(request["simulated"].as_array()).flatten(), letter, found);
}

/// Each action with its result: what was seen then, or how everything ended with it.
fn tried<'v>(all: impl Iterator<Item = &'v Value>, letter: &Letter<'_>, found: &mut Found) {
    let lacks = |one: &&Value| {
        text(one, "action").is_empty() || (text(one, "result").is_empty() && text(one, "ended").is_empty())
    };
    for one in all.filter(lacks) {
        found.push(("an action without its result", format!("{one}: {}", short(letter.opening))));
    }
}

fn reflects(letter: &Letter<'_>, found: &mut Found) {
    let record = letter.message("record").unwrap_or_default();
    let steps = record["steps"].as_array();
    if text(&record, "task").is_empty() || text(&record, "ended").is_empty() || steps.is_none_or(Vec::is_empty) {
        found.push(("a record without the task, the steps or how they ended", short(letter.opening)));
    }
    tried(steps.into_iter().flatten(), letter, found);
}

/// Who checks figures is told the question, the answer, the figures and the passages to look in.
fn verifies(letter: &Letter<'_>, found: &mut Found) {
    let told = letter.message("answer").unwrap_or_default();
    let lists = ["figures", "stored", "passages"].iter().all(|key| told[*key].is_array());
    if text(&told, "question").is_empty() || text(&told, "answer").is_empty() || !lists {
        found.push(("a verifier without question, answer, figures or passages", short(letter.opening)));
    }
}

/// A message in its tag is an object with something in it.
fn is_object(tag: &str, letter: &Letter<'_>, found: &mut Found) {
    let told = between(&letter.told, tag).map(|told| serde_json::from_str::<Value>(told.trim()));
    if !told.is_some_and(|told| told.is_ok_and(|told| told.as_object().is_some_and(|told| !told.is_empty()))) {
        found.push(("a message that is no object", format!("<{tag}>: {}", short(letter.opening))));
    }
}

/// What is told beside the packet.
fn weighs(letter: &Letter<'_>, found: &mut Found) {
    for tag in ["debate", "claims", "position", "verdict", "answers"] {
        if letter.opening.contains(&format!("<{tag}>\n")) {
            is_object(tag, letter, found);
        }
    }
}

/// An agent of a game is told the rounds that it saw.
fn votes(letter: &Letter<'_>, found: &mut Found) {
    if between(letter.opening, "rounds").is_none_or(|rounds| rounds.trim().is_empty()) {
        found.push(("a seat without its rounds", short(letter.opening)));
    }
}

/// What is asked for again: with the request before, the answer that could not be used, and what is allowed.
fn repairs(scene: &Scene, letter: &Letter<'_>, found: &mut Found) {
    let mut say = |rule, what: String| found.push((rule, what));
    if let Some(before) = &letter.now.before {
        for asked in before.messages.iter().filter(|asked| !letter.says(asked)) {
            say("a repair without what was asked", format!("{}: {}", short(asked), short(letter.opening)));
        }
        // Of an answer with members, those that could be read are shown in a form of their own.
        let plain = before.answer.as_deref().filter(|answer| !answer.contains(['{', '[']));
        let answer = plain.map(|answer| answer.rsplit("Answer:").next().unwrap_or(answer));
        if answer.is_some_and(|answer| !letter.says(answer)) {
            say("a repair without the answer", short(letter.opening));
        }
    }
    for what in not_allowed(scene, letter) {
        say("a repair without what is allowed", format!("{what}: {}", short(letter.opening)));
    }
}

/// What a repair lacks of what its answer may hold.
fn not_allowed(scene: &Scene, letter: &Letter<'_>) -> Vec<String> {
    let lacks = |fine: bool, what: &str| (!fine).then(|| what.to_owned());
    // A role may have a persona for the first round and another one for later ones.
    let lost = |form: &Vec<String>| {
        let lost = form.iter().filter(|line| !letter.says(line));
        lost.map(|line| format!("the form `{}`", short(line))).collect::<Vec<_>>()
    };
    let form = || letter.forms.iter().map(lost).min_by_key(Vec::len).unwrap_or_default();
    let acts = || {
        let unknown = scene.brief.glossary.iter().filter(|entry| !letter.says(&entry.usage));
        let unseen = letter.now.blocks.iter().filter(|block| !letter.says(block));
        let unknown = unknown.map(|entry| format!("the action `{}`", entry.usage));
        unknown.chain(unseen.map(|block| format!("what was shown, `{}`", short(block)))).collect::<Vec<_>>()
    };
    match letter.about {
        // Advice names actions or fixed words, and a router one of its ways: which there are, is in the repair.
        Kind::Advises => {
            let allowed = between(letter.opening, "allowed").is_some_and(|allowed| !allowed.trim().is_empty());
            lacks(allowed, "a list").into_iter().collect()
        }
        Kind::Routes => lacks(letter.told.contains(" one of: "), "the ways").into_iter().collect(),
        Kind::Orders | Kind::Proposes => [form(), acts()].concat(),
        Kind::Governs => {
            let pattern = lacks(letter.says("A pattern is the name of an action"), "how patterns are written");
            [form(), acts(), pattern.into_iter().collect()].concat()
        }
        Kind::Plans | Kind::SumsUp | Kind::Values | Kind::Reflects | Kind::Weighs | Kind::Votes | Kind::Answers => {
            form()
        }
        Kind::Decides | Kind::Works | Kind::Guides | Kind::Verifies | Kind::Repairs | Kind::Serves => {
            vec!["no persona of the kind asks again".to_owned()]
        }
    }
}
