//! How the answer is to be written.

use super::super::letter::{Kind, Letter};
use super::{Found, OWN, Scene, around, short};

/// How the answer is to be written: the form of this protocol and of no other, with room for every tool.
pub fn check(scene: &Scene, letter: &Letter<'_>, found: &mut Found) {
    let mut say = |rule, what: String| found.push((rule, what));
    if letter.kind == Kind::Repairs {
        return;
    }
    let (system, request) = (letter.system, letter.request);
    let lines = ["\nAnswer:", "\nThought:", "PAUSE"];
    let strange: &[&str] = match scene.protocol {
        "react-text" => &["{\"thought\"", "`reasoning`"],
        "json" => &["\nAnswer:", "\nThought:", "PAUSE", "`reasoning`"],
        _ => &["\nAnswer:", "\nThought:", "PAUSE", "{\"thought\""],
    };
    for form in strange {
        if system.contains(form) {
            say("form of another protocol", around(system, form));
        }
    }
    if scene.protocol == "react-text" && !lines[..2].iter().all(|form| system.contains(form)) {
        say("no form", short(system));
    }
    if request.grammar.is_none() && scene.constrained {
        say("no grammar", short(system));
    }
    if scene.protocol != "react-text" && letter.writes() && system.contains("nothing but the ") {
        say("an object is asked for, and nothing but a part of it", around(system, "nothing but the "));
    }
    // What is enforced is what was asked for.
    let message = letter.writes() && letter.grammar().contains("\"answer\"");
    if message && scene.protocol == "native-tools" && !system.contains("\"answer\"") {
        say("a form that nobody was told of", short(&letter.grammar()));
    }
    if letter.writes() && system.contains("as plain text") && letter.grammar().starts_with('{') {
        say("plain text is asked for and an object is enforced", around(system, "as plain text"));
    }
    // A bound of turns leaves one for each tool that informs and one for the answer.
    let mut tools = letter.offered();
    tools.retain(|tool| !OWN.contains(tool));
    tools.sort_unstable();
    tools.dedup();
    let tools = tools.len();
    for (number, what) in bounds(system) {
        if letter.writes() && number <= tools {
            say("too few turns", format!("{tools} tools: {what}"));
        }
    }
    if letter.acts() {
        let denies = |sentence: &&str| sentence.contains("no other tools") || sentence.starts_with("You have no tools");
        for line in system.lines().filter(denies) {
            let explained = line.contains("Actions are not tools") || line.contains("Do not write");
            let of_information = line.contains("that only give information");
            if !of_information && (!explained || !request.tools.is_empty()) {
                say("tools are denied before actions", line.to_owned());
            }
        }
        // The presets of the published work say it in its words.
        if !scene.published
            && system.to_lowercase().contains("final answer")
            && !letter.told.contains("final answer with its sources")
        {
            say("one call of many is called the final answer", around(&system.to_lowercase(), "final answer"));
        }
    }
}

/// Bounds of messages or turns that a text tells.
fn bounds(text: &str) -> Vec<(usize, String)> {
    let mut all = Vec::new();
    for (at, _) in text.match_indices("with at most ") {
        let rest = &text[at + "with at most ".len()..];
        let mut words = rest.split_whitespace();
        let number = words.next().and_then(|word| word.parse().ok());
        if let (Some(number), Some("messages" | "turns")) = (number, words.next()) {
            all.push((number, short(rest)));
        }
    }
    all
}
