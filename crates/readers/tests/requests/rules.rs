//! What every request must hold, whoever is asked, in whichever environment and form. A rule looks at the text that is sent
//! and knows no persona.

use std::collections::BTreeMap;

use gimbal_core::{Grammar, Message, Speaker};
use gimbal_readers::kit::{between, embedded, sections};
use serde_json::Value;

use super::common::Asked;

/// Where a request was made.
pub struct Scene<'a> {
    pub place: &'a str,
    pub cell: &'a str,
    pub protocol: &'a str,
    /// The first observation.
    pub first: &'a str,
    pub goal: String,
    /// Names under which the environment publishes tools that agents may have.
    pub published: Vec<String>,
    pub subjects: Vec<String>,
    /// The environment's own tools.
    pub tools: Vec<String>,
    /// Those of them with a value that must be one of a list, now or always.
    pub closed: Vec<String>,
}

/// What is wrong, each kind of it once, with where it was seen first and how often.
#[derive(Default)]
pub struct Broken(BTreeMap<(&'static str, String), (String, usize)>);

impl Broken {
    fn add(&mut self, scene: &Scene<'_>, asked: &Asked, rule: &'static str, what: impl Into<String>) {
        let place = format!("{}/{} {}", scene.place, scene.cell, asked.role);
        let known = self.0.entry((rule, what.into())).or_insert((place, 0));
        known.1 += 1;
    }

    /// A line for each.
    pub fn lines(&self) -> Vec<String> {
        let line = |((rule, what), (place, count)): (&(&'static str, String), &(String, usize))| {
            format!("{rule}: {what} [{count} times, first in {place}]")
        };
        self.0.iter().map(line).collect()
    }
}

/// Tools by which an agent turns to itself or gives control back.
const OWN: [&str; 4] = ["raise_a_question", "critique_the_answer", "improve_based_on_critique", "finish_subtask"];

/// Parts that texts refer to by their tags.
const PARTS: [&str; 13] = [
    "rules",
    "reflection_knowledge",
    "tools",
    "chain_of_thought",
    "examples",
    "available_actions_list",
    "possible_actions",
    "situation_json",
    "subtask",
    "segment",
    "work",
    "answer",
    "record",
];

/// What a request is, as its own text shows it.
struct Letter<'a> {
    asked: &'a Asked,
    system: &'a str,
    /// The first user message.
    opening: &'a str,
    /// Everything but what the agent itself wrote.
    told: String,
    kind: Kind,
}

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Kind {
    /// Chooses one action, then the conversation is over.
    Decides,
    /// Acts many times in one conversation.
    Works,
    /// Writes a message to another agent.
    Advises,
    /// Is asked once more for a message that could not be read.
    Repairs,
    /// Answers a question of the environment's own.
    Serves,
}

impl<'a> Letter<'a> {
    fn of(asked: &'a Asked) -> Self {
        let messages = &asked.request.messages;
        let texts = |message: &Message| message.text.to_string();
        let told = messages.iter().filter(|message| message.speaker != Speaker::Assistant);
        let told = told.map(|message| texts(message)).collect::<Vec<_>>().join("\n\n");
        let system: &str =
            messages.first().filter(|message| message.speaker == Speaker::System).map_or("", |message| &message.text);
        let opening: &str =
            messages.iter().find(|message| message.speaker == Speaker::User).map_or("", |message| &message.text);
        let kind = match asked.role {
            "reader" => Kind::Serves,
            _ if ["You correct", "You turn", "You fix"].iter().any(|words| system.starts_with(words)) => Kind::Repairs,
            "executor" => Kind::Works,
            "default" if system.contains("You continue until the task is complete") => Kind::Works,
            "default" | "planner" if !system.contains("You plan ") => Kind::Decides,
            _ => Kind::Advises,
        };
        Self { asked, system, opening, told, kind }
    }

    fn acts(&self) -> bool {
        matches!(self.kind, Kind::Decides | Kind::Works)
    }

    /// Names of the tools that the agent is offered, in the text or natively.
    fn offered(&self) -> Vec<&str> {
        let listed = between(self.system, "tools").unwrap_or_default();
        let is_name =
            |line: &&str| !line.is_empty() && line.chars().all(|letter| letter.is_alphanumeric() || letter == '_');
        let mut all: Vec<&str> = listed.lines().filter(is_name).collect();
        all.extend(self.asked.request.tools.iter().map(|tool| tool.name.as_str()));
        all
    }

    /// The message in a tag of the opening, where it is an object.
    fn message(&self, tag: &str) -> Option<Value> {
        serde_json::from_str(between(self.opening, tag)?.trim()).ok()
    }

    fn grammar(&self) -> String {
        match self.asked.request.grammar.as_deref() {
            Some(Grammar::JsonSchema(schema)) => schema.to_string(),
            Some(Grammar::Regex(regex)) => regex.replace('\\', ""),
            Some(Grammar::Choice(texts)) => texts.join("\n"),
            None => String::new(),
        }
    }
}

/// Looks at one request with every rule.
pub fn check(scene: &Scene<'_>, asked: &Asked, broken: &mut Broken) {
    let letter = Letter::of(asked);
    let mut found: Vec<(&'static str, String)> = Vec::new();
    conversation(&letter, &mut found);
    if letter.kind != Kind::Serves {
        writing(scene, &letter, &mut found);
        form(scene, &letter, &mut found);
        names(scene, &letter, &mut found);
        sight(scene, &letter, &mut found);
        literals(scene, &letter, &mut found);
        messages(scene, &letter, &mut found);
    }
    for (rule, what) in found {
        broken.add(scene, asked, rule, what);
    }
}

/// Providers take conversations of this shape only: system, user, then by turns; each native call is answered once.
fn conversation(letter: &Letter<'_>, found: &mut Vec<(&'static str, String)>) {
    let messages = &letter.asked.request.messages;
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
fn writing(scene: &Scene<'_>, letter: &Letter<'_>, found: &mut Vec<(&'static str, String)>) {
    let mut say = |rule, what: String| found.push((rule, what));
    for message in &letter.asked.request.messages {
        if message.speaker == Speaker::Assistant {
            continue;
        }
        let text = &message.text;
        let braces = scene.place != "finance_agent" && text.contains("{{");
        if braces || text.contains("{%") || text.contains("{{ ") {
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
        for paragraph in text.split("\n\n").map(str::trim).filter(|paragraph| paragraph.len() > 40) {
            if seen.contains(&paragraph) {
                say("paragraph twice", short(paragraph));
            }
            seen.push(paragraph);
        }
    }
    for word in ["world", "worlds", "mend", "nought", "news", "hearsay", "somebody"] {
        let is_it = |piece: &&str| piece.eq_ignore_ascii_case(word);
        if letter.system.split(|letter: char| !letter.is_alphanumeric()).any(|piece| is_it(&piece)) {
            say("wording", format!("the word `{word}`: {}", around(letter.system, word)));
        }
    }
    if letter.told.contains("here is news") {
        say("contradiction", around(&letter.told, "here is news"));
    }
    // What is referred to by its tag is there.
    for part in PARTS {
        let tag = format!("<{part}>");
        let stands = letter.told.contains(&format!("{tag}\n"));
        // In quotation marks it is a placeholder.
        let meant = letter.told.replace(&format!("\\\"{tag}\\\""), "").contains(&tag);
        if meant && !stands {
            say("missing part", format!("{tag}: {}", around(&letter.told, &tag)));
        }
    }
}

/// How the answer is to be written: the form of this protocol and of no other, with room for every tool.
fn form(scene: &Scene<'_>, letter: &Letter<'_>, found: &mut Vec<(&'static str, String)>) {
    let mut say = |rule, what: String| found.push((rule, what));
    if letter.kind == Kind::Repairs {
        return;
    }
    let (system, request) = (letter.system, &letter.asked.request);
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
    if request.grammar.is_none() && scene.cell.contains("-constrained") && letter.kind != Kind::Serves {
        say("no grammar", short(system));
    }
    if scene.protocol != "react-text" && letter.kind == Kind::Advises && system.contains("nothing but the ") {
        say("an object is asked for, and nothing but a part of it", around(system, "nothing but the "));
    }
    // What is enforced is what was asked for.
    let message = letter.kind == Kind::Advises && letter.grammar().contains("\"answer\"");
    if message && scene.protocol == "native-tools" && !system.contains("\"answer\"") {
        say("a form that nobody was told of", short(&letter.grammar()));
    }
    if letter.kind == Kind::Advises && system.contains("as plain text") && letter.grammar().starts_with('{') {
        say("plain text is asked for and an object is enforced", around(system, "as plain text"));
    }
    // A bound of turns leaves one for each tool that informs and one for the answer.
    let mut tools = letter.offered();
    tools.retain(|tool| !OWN.contains(tool));
    tools.sort_unstable();
    tools.dedup();
    let tools = tools.len();
    for (number, what) in bounds(system) {
        if letter.kind == Kind::Advises && number <= tools {
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
        let published = scene.cell.contains("strict") || scene.cell.contains("artefact");
        if !published
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

/// Names: of tools that the agent has, of subjects that it can know.
fn names(scene: &Scene<'_>, letter: &Letter<'_>, found: &mut Vec<(&'static str, String)>) {
    let mut say = |rule, what: String| found.push((rule, what));
    let offered = letter.offered();
    let known = |name: &str| offered.contains(&name);
    let published = scene.published.iter().map(String::as_str);
    for name in OWN.into_iter().chain(published) {
        if letter.told.contains(name) && !known(name) {
            say("a tool that the agent lacks", around(&letter.told, name));
        }
    }
    // Of an agent with some of the environment's tools: no other appears in its instructions, tools and grammar.
    let limited = letter.message("subtask").and_then(|message| message.get("subtask")?.get("tools").cloned());
    if let Some(limited) = limited.as_ref().and_then(Value::as_array) {
        let own: Vec<&str> = limited.iter().filter_map(Value::as_str).collect();
        let texts = format!("{}\n{}", letter.system, letter.grammar());
        for tool in scene.tools.iter().filter(|tool| !own.contains(&tool.as_str())) {
            let spelt = texts.split(|letter: char| !letter.is_alphanumeric() && letter != '_').any(|word| word == tool);
            if spelt || letter.asked.request.tools.iter().any(|offered| offered.name == *tool) {
                say("a tool that the specialist lacks", format!("{tool} of {own:?}"));
            }
        }
    }
    let shown = scene.subjects.iter().any(|name| letter.told.contains(name.as_str()))
        || letter.told.contains("<possible_actions>")
        || scene.subjects.is_empty()
        // The question names the companies.
        || scene.place == "finance_agent"
        || letter.asked.request.tools.iter().any(|tool| tool.parameters.to_string().contains("\"enum\""));
    for rule in ["exactly as it was shown", "names that you were shown", "exactly as they were shown"] {
        if letter.system.contains(rule) && !shown && !letter.system.contains("If no name was shown") {
            say("names that nobody showed", around(letter.system, rule));
        }
    }
    // Each form of a command is spelt once: where the kinds of action are explained, or in a tool for native calls.
    let native: Vec<String> =
        letter.asked.request.tools.iter().map(|tool| format!("{} {}", tool.description, tool.parameters)).collect();
    let spelt = |form: &str| {
        let texts = std::iter::once(letter.system).chain(native.iter().map(String::as_str));
        texts.map(|text| text.matches(form).count()).sum::<usize>()
    };
    let glossary = embedded(letter.system).into_iter().find_map(|value| value.get("actions").cloned());
    let mut listed: Vec<String> = native.iter().flat_map(|text| forms(text)).map(str::to_owned).collect();
    for entry in glossary.as_ref().and_then(Value::as_array).into_iter().flatten() {
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

/// The forms of commands that a description lists.
fn forms(description: &str) -> Vec<&str> {
    let listed = description.split_once("ommands: ").map_or("", |(_, listed)| listed);
    let listed = listed.split_once(". ").map_or(listed, |(listed, _)| listed).trim_end_matches('.');
    listed.split("; ").filter(|form| form.contains('<')).collect()
}

/// What an agent that acts or routes must see: what was seen first, or what is known now.
fn sight(scene: &Scene<'_>, letter: &Letter<'_>, found: &mut Vec<(&'static str, String)>) {
    const BELIEF: [&str; 13] = [
        "Latest observation:",
        "Result of the latest call:",
        "No observation has been made yet.",
        "baseline state",
        "Steps so far:",
        "No step has been taken yet.",
        "Sources so far:",
        "No source has been found",
        "Facts shown so far:",
        "Hosts whose",
        "Nodes whose",
        "Items whose",
        "Receptacles whose",
    ];
    let routes = letter.message("segment").is_some() && letter.kind != Kind::Repairs;
    if letter.kind == Kind::Works || routes {
        let seen = scene.first.is_empty() || letter.opening.contains(scene.first) || scene.goal.contains(scene.first);
        if !seen && !begins(letter.opening, scene.first) {
            found.push(("the first observation is out of sight", short(letter.opening)));
        }
    }
    if (letter.acts() || routes) && !letter.told.contains(scene.goal.trim()) {
        found.push(("the goal is out of sight", short(letter.system)));
    }
    // A task may say all that is to be seen.
    let told = scene.first.is_empty() || scene.goal.contains(scene.first);
    if letter.kind == Kind::Decides && !told && !BELIEF.iter().any(|words| letter.opening.contains(words)) {
        found.push(("nothing of the environment is in sight", short(letter.opening)));
    }
}

/// Whether the beginning of a long observation is in a text, as far as a bound lets it, with the mark of the cut behind it.
fn begins(text: &str, first: &str) -> bool {
    const LEAST: usize = 16_000;
    let kept = between(text, "first_observation").and_then(|shown| shown.trim().strip_suffix(" [...]"));
    kept.is_some_and(|kept| kept.chars().count() >= LEAST && first.starts_with(kept))
}

/// What may be done now stands where an agent that works looks for it.
fn literals(scene: &Scene<'_>, letter: &Letter<'_>, found: &mut Vec<(&'static str, String)>) {
    if letter.kind != Kind::Works {
        return;
    }
    let messages = &letter.asked.request.messages;
    if scene.protocol == "native-tools" {
        let closed = |tool: &gimbal_core::ToolSpec| {
            scene.tools.contains(&tool.name) && tool.parameters.to_string().contains("\"enum\"")
        };
        let open = |tool: &gimbal_core::ToolSpec| {
            scene.tools.contains(&tool.name) && tool.required().all(|name| name == "reasoning")
        };
        // Where arguments are free, their values are in what was shown.
        let free = ["finance_agent", "triage"].contains(&scene.place);
        if !letter.asked.request.tools.iter().any(|tool| closed(tool) || open(tool)) && !free {
            found.push(("no values for any call", short(letter.opening)));
        }
        return;
    }
    let shown = |message: &Message| message.text.matches("<possible_actions>\n").count();
    let all: usize = messages.iter().map(|message| shown(message)).sum();
    let last = messages.last().map_or(0, |message| shown(message));
    let opening = messages.get(1).map_or(0, |message| shown(message));
    // Where every value of the agent's own tools is open there is nothing to list.
    let own = letter.message("subtask").and_then(|message| message.get("subtask")?.get("tools").cloned());
    let own = own.as_ref().and_then(Value::as_array);
    let mine = |tool: &&String| own.is_none_or(|own| own.iter().any(|name| name.as_str() == Some(tool.as_str())));
    let closed: Vec<&String> = scene.closed.iter().filter(mine).collect();
    if all != usize::from(!closed.is_empty()) || last + opening < all {
        let what = format!("{all} lists, {last} of them in the last message, {opening} in the first, for {closed:?}");
        found.push(("possible actions", what));
    }
    for message in messages.iter().filter(|message| shown(message) > 0) {
        if between(&message.text, "possible_actions").is_none_or(|list| list.trim().lines().count() < 2) {
            found.push(("an empty list of possible actions", short(&message.text)));
        }
    }
}

/// Messages between agents.
fn messages(scene: &Scene<'_>, letter: &Letter<'_>, found: &mut Vec<(&'static str, String)>) {
    let mut say = |rule, what: String| found.push((rule, what));
    if let Some(segment) = letter.message("segment").filter(|_| letter.kind == Kind::Advises) {
        let ways = segment.get("ways").and_then(Value::as_array);
        if ways.is_none() && letter.asked.role == "router" {
            say("a router without ways", short(letter.opening));
        }
        for way in ways.into_iter().flatten() {
            let text = |key: &str| way.get(key).and_then(Value::as_str).unwrap_or_default();
            if ["to", "goal", "criterion"].iter().any(|key| text(key).is_empty()) || way.get("tools").is_none() {
                say("a way without goal, tools or criterion", way.to_string());
            }
        }
    }
    let work = letter.message("work").filter(|_| letter.kind == Kind::Advises);
    let lacks = |work: Value| work["tools"].as_array().is_none_or(Vec::is_empty) || work.get("size").is_none();
    if work.is_some_and(lacks) {
        say("a planner without tools or size", short(letter.opening));
    }
    let record = letter.message("record").filter(|_| letter.kind == Kind::Advises);
    if letter.asked.role == "summariser" && letter.kind == Kind::Advises {
        let record = record.unwrap_or_default();
        let work = record["work"].as_array().map(Vec::as_slice).unwrap_or_default();
        let text = |value: &Value, key: &str| value[key].as_str().unwrap_or_default().trim().to_owned();
        if !work.iter().any(|segment| segment["calls"].as_array().is_some_and(|calls| !calls.is_empty())) {
            say("a record without calls", short(letter.opening));
        }
        let calls = work.iter().flat_map(|segment| segment["calls"].as_array().into_iter().flatten());
        if calls.clone().any(|call| text(call, "call").is_empty() || text(call, "result").is_empty()) {
            say("a call without its result", short(letter.opening));
        }
        let named = |name: &str| {
            let subtasks = record["subtasks"].as_array().into_iter().flatten();
            subtasks.filter(|known| !text(known, "goal").is_empty()).any(|known| known["name"] == name)
        };
        if text(&record, "task").is_empty() || work.iter().any(|segment| !named(&text(segment, "subtask"))) {
            say("a record without the task or a subtask's goal", short(letter.opening));
        }
    }
    if letter.kind == Kind::Repairs {
        if !letter.told.contains("<request>\n") {
            say("a repair without what was asked", short(letter.opening));
        }
        match letter.asked.role {
            "router" | "analyzer" | "planner" | "summariser" => {
                let told: Option<Value> = letter.message("request");
                let has = |key: &str| told.as_ref().is_some_and(|told| told.get(key).is_some());
                if !(letter.told.contains(scene.goal.trim()) || has("environment")) {
                    say("a repair without the task", short(letter.opening));
                }
                if letter.asked.role == "router" && !letter.told.contains(" one of: ") {
                    say("a repair without what is allowed", short(letter.opening));
                }
            }
            _ => {
                let allowed = between(letter.opening, "allowed").unwrap_or_default();
                if allowed.trim().is_empty() {
                    say("a repair without what is allowed", short(letter.opening));
                }
            }
        }
    }
}

fn short(text: &str) -> String {
    text.chars().take(160).collect::<String>().replace('\n', "\\n")
}

/// What stands around some words.
fn around(text: &str, words: &str) -> String {
    let at = text.find(words).unwrap_or(0);
    let begin = text[..at].char_indices().rev().nth(60).map_or(0, |(begin, _)| begin);
    short(&text[begin..])
}
