//! Names: of tools that the agent has, of subjects that it can know, of the forms of commands.

use std::borrow::Cow;

use gimbal_readers::kit::spaced;
use serde_json::Value;

use super::super::letter::Letter;
use super::{Found, OWN, Scene, around};

/// Names: of tools that the agent has, of subjects that it can know.
pub fn check(scene: &Scene, letter: &Letter<'_>, found: &mut Found) {
    let mut say = |rule, what: String| found.push((rule, what));
    let offered = letter.offered();
    let known = |name: &str| offered.contains(&name);
    let published = scene.brief.tool_names.values().map(String::as_str);
    // Checks are asked by a program: a plan names them in its criteria, and nobody calls them.
    let told = without_checks(letter);
    for name in OWN.into_iter().chain(published) {
        if told.contains(name) && !known(name) {
            say("a tool that the agent lacks", around(&told, name));
        }
    }
    // Of an agent with some of the environment's tools: no other appears in its instructions, tools and grammar.
    if let Some(own) = letter.own_tools() {
        let texts = format!("{}\n{}", letter.system, letter.grammar());
        for tool in scene.tools.iter().filter(|tool| !own.contains(tool)) {
            let spelt = texts.split(|letter: char| !letter.is_alphanumeric() && letter != '_').any(|word| word == tool);
            if spelt || letter.request.tools.iter().any(|offered| offered.name == *tool) {
                say("a tool that the specialist lacks", format!("{tool} of {own:?}"));
            }
        }
    }
    let shown = scene.brief.subjects.iter().any(|name| letter.told.contains(name.as_str()))
        || letter.told.contains("<possible_actions>")
        || scene.brief.subjects.is_empty()
        // Arguments are texts of the agent's own, and the goal says what they are about.
        || scene.brief.free_arguments
        || letter.request.tools.iter().any(|tool| tool.parameters.to_string().contains("\"enum\""));
    for rule in ["exactly as it was shown", "names that you were shown", "exactly as they were shown"] {
        let bound = letter.names_actions() && letter.system.contains(rule);
        if bound && !shown && !letter.system.contains("If no name was shown") {
            say("names that nobody showed", around(letter.system, rule));
        }
    }
    // Each form of a command is spelt once: where the kinds of action are explained, or in a tool for native calls.
    let native: Vec<String> =
        letter.request.tools.iter().map(|tool| format!("{} {}", tool.description, tool.parameters)).collect();
    // What an earlier request held was read then.
    if !scene.is_new(&format!("{}\n{}", letter.system, native.join("\n"))) {
        return;
    }
    let spelt = |form: &str| {
        let texts = std::iter::once(letter.system).chain(native.iter().map(String::as_str));
        texts.map(|text| text.matches(form).count()).sum::<usize>()
    };
    let mut listed: Vec<String> = native.iter().flat_map(|text| forms(text)).map(str::to_owned).collect();
    for entry in letter.glossary() {
        let text = |key: &str| entry.get(key).and_then(Value::as_str).unwrap_or_default();
        let usage = text("usage");
        let written = Value::from(usage).to_string();
        let times = letter.system.matches(written.as_str()).count();
        let again = native.iter().filter(|text| text.contains(usage) || text.contains(written.as_str())).count();
        if usage.contains('<') && times + again != 1 {
            say("a form of a command that is not spelt once", format!("{usage}: {times} times, and in {again} tools"));
        }
        listed.extend(forms(text("description")).into_iter().map(str::to_owned));
    }
    listed.sort_unstable();
    listed.dedup();
    for form in listed.iter().filter(|form| spelt(form) != 1) {
        say("a form of a command that is not spelt once", format!("{form}: {} times", spelt(form)));
    }
}

/// Everything that an agent is told but for the checks in its request.
fn without_checks<'a>(letter: &'a Letter<'_>) -> Cow<'a, str> {
    let checks = letter.message("request").and_then(|mut request| request.as_object_mut()?.remove("checks"));
    match checks.map(|checks| spaced(&checks)) {
        Some(checks) => Cow::Owned(letter.told.replace(&checks, "[]")),
        None => Cow::Borrowed(&letter.told),
    }
}

/// The forms of commands that a description lists.
fn forms(description: &str) -> Vec<&str> {
    let listed = description.split_once("ommands: ").map_or("", |(_, listed)| listed);
    let listed = listed.split_once(". ").map_or(listed, |(listed, _)| listed).trim_end_matches('.');
    listed.split("; ").filter(|form| form.contains('<')).collect()
}
