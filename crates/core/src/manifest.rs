//! What an environment says of its tools to whoever arranges decisions in time: how long a decision lasts, what kind of decision it is, what it
//! uses and what it brings about (CTHA-060, CTHA-070).
//!
//! An architecture that knows these facts needs no other knowledge of the environment: it finds out which calls exclude one another.

use std::collections::BTreeMap;
use std::sync::Arc;

use serde::{Deserialize, Serialize};
use serde_json::Value;

use crate::command_form::Parts;
use crate::{CommandForm, ToolCall};

/// The facts of an environment's tools, by name. A tool that is not named has those of [`ToolFacts::default`]. Copies share them.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
#[serde(from = "BTreeMap<String, ToolFacts>", into = "BTreeMap<String, ToolFacts>")]
pub struct Manifest(Arc<BTreeMap<String, ToolFacts>>);

/// What calls of one tool are like. Names of resources, keys and values of effects may hold parameters in braces: `host {hostname}`.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
#[serde(default, deny_unknown_fields)]
pub struct ToolFacts {
    /// Shortest and longest time, in seconds of the environment, for which such a call decides: a layer whose characteristic time is between
    /// them may decide it (Eq. 19). `None` where it decides its own step alone.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub seconds: Option<(u32, u32)>,
    /// What kind of decision such a call is.
    pub scope: Scope,
    /// What it reads.
    #[serde(skip_serializing_if = "Vec::is_empty")]
    pub reads: Vec<String>,
    /// What it changes.
    #[serde(skip_serializing_if = "Vec::is_empty")]
    pub writes: Vec<String>,
    /// What it brings about: a key and the value that it will have. Two values of one key contradict one another.
    #[serde(skip_serializing_if = "BTreeMap::is_empty")]
    pub effects: BTreeMap<String, String>,
    /// Where an argument is a command in words: what commands of each form do beside it. The first form that a command has counts.
    #[serde(skip_serializing_if = "Vec::is_empty")]
    pub commands: Vec<CommandFacts>,
}

/// What commands of one form are like. Texts may hold names of the form in braces.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct CommandFacts {
    /// The argument that is a command.
    pub argument: String,
    /// Its form.
    pub form: CommandForm,
    /// The name of the form that means any whole number from 1, of which legal calls hold only some.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub any_number: Option<String>,
    /// As [`ToolFacts::seconds`], where it is another time than the tool's.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub seconds: Option<(u32, u32)>,
    /// As [`ToolFacts::scope`], where it is another kind than the tool's.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub scope: Option<Scope>,
    /// What it reads, beside what the tool does.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub reads: Vec<String>,
    /// What it changes, beside what the tool does.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub writes: Vec<String>,
    /// What it brings about, beside what the tool does.
    #[serde(default, skip_serializing_if = "BTreeMap::is_empty")]
    pub effects: BTreeMap<String, String>,
}

/// What kind of decision a call is: which layer of a hierarchy may take it by itself (Tab. 10).
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, PartialOrd, Ord, Hash, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum Scope {
    /// An action like any other: whoever acts may take it.
    #[default]
    Act,
    /// It binds the task for long or cannot be undone: whoever acts takes it where a plan names it, and hands it on elsewhere.
    Plan,
}

/// The facts of one call: those of its tool with the call's arguments filled in.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct CallFacts {
    /// Shortest and longest time, in seconds of the environment.
    pub seconds: Option<(u32, u32)>,
    /// What kind of decision it is.
    pub scope: Scope,
    /// Names of what it reads, each once.
    pub reads: Vec<String>,
    /// Names of what it changes, each once.
    pub writes: Vec<String>,
    /// What it brings about.
    pub effects: BTreeMap<String, String>,
}

impl Manifest {
    /// The facts of these tools.
    #[must_use]
    pub fn new(tools: BTreeMap<String, ToolFacts>) -> Self {
        Self(Arc::new(tools))
    }

    /// The facts by name of tool.
    #[must_use]
    pub fn tools(&self) -> &BTreeMap<String, ToolFacts> {
        &self.0
    }

    /// Whether nothing is said of any tool.
    #[must_use]
    pub fn is_empty(&self) -> bool {
        self.0.is_empty()
    }

    /// The number of a call that may be any whole number from 1: the argument that holds it within a command, and its digits. `None` if there is no such
    /// number.
    #[must_use]
    pub fn any_number<'m>(&'m self, call: &ToolCall) -> Option<(&'m str, String)> {
        let (command, parts) = self.0.get(&call.tool)?.form_of(call)?;
        let name = command.any_number.as_ref()?;
        let (_, digits) = parts.once.into_iter().find(|(known, _)| known == name)?;
        digits.bytes().all(|byte| byte.is_ascii_digit()).then_some((command.argument.as_str(), digits))
    }

    /// The facts of a call. A parameter that the call does not give stays as it is written.
    #[must_use]
    pub fn of(&self, call: &ToolCall) -> CallFacts {
        let Some(tool) = self.0.get(&call.tool) else { return CallFacts::default() };
        let mut facts = CallFacts { seconds: tool.seconds, scope: tool.scope, ..CallFacts::default() };
        let given = Filling { call, once: &[], row: &[] };
        facts.add(&given, &tool.reads, &tool.writes, &tool.effects);
        let Some((command, parts)) = tool.form_of(call) else { return facts };
        facts.seconds = command.seconds.or(facts.seconds);
        facts.scope = command.scope.unwrap_or(facts.scope);
        // Without a part that is repeated every text is filled in once.
        let rows: &[Vec<(String, String)>] = if parts.rows.is_empty() { &[Vec::new()] } else { &parts.rows };
        for row in rows {
            let filling = Filling { call, once: &parts.once, row };
            facts.add(&filling, &command.reads, &command.writes, &command.effects);
        }
        facts
    }
}

impl ToolFacts {
    /// The first form that a command of the call has, with the command's parts.
    fn form_of(&self, call: &ToolCall) -> Option<(&CommandFacts, Parts)> {
        self.commands.iter().find_map(|command| {
            let text = call.string(&command.argument)?;
            Some((command, command.form.read(text)?))
        })
    }
}

impl From<BTreeMap<String, ToolFacts>> for Manifest {
    fn from(tools: BTreeMap<String, ToolFacts>) -> Self {
        Self::new(tools)
    }
}

impl From<Manifest> for BTreeMap<String, ToolFacts> {
    fn from(manifest: Manifest) -> Self {
        Arc::unwrap_or_clone(manifest.0)
    }
}

impl CallFacts {
    fn add(&mut self, filling: &Filling<'_>, reads: &[String], writes: &[String], effects: &BTreeMap<String, String>) {
        for (texts, all) in [(reads, &mut self.reads), (writes, &mut self.writes)] {
            for text in texts {
                let name = filling.fill(text);
                if !all.contains(&name) {
                    all.push(name);
                }
            }
        }
        self.effects.extend(effects.iter().map(|(key, value)| (filling.fill(key), filling.fill(value))));
    }
}

/// The parameters in braces that a text mentions.
pub fn parameters(text: &str) -> impl Iterator<Item = &str> {
    text.split('{').skip(1).filter_map(|after| after.split_once('}').map(|(name, _)| name))
}

/// What takes the place of parameters in braces.
struct Filling<'a> {
    call: &'a ToolCall,
    once: &'a [(String, String)],
    row: &'a [(String, String)],
}

impl Filling<'_> {
    fn fill(&self, text: &str) -> String {
        let mut filled = String::with_capacity(text.len());
        let mut rest = text;
        while let Some((before, after)) = rest.split_once('{') {
            filled.push_str(before);
            let Some((name, behind)) = after.split_once('}') else {
                filled.push('{');
                rest = after;
                continue;
            };
            self.value(name, &mut filled);
            rest = behind;
        }
        filled.push_str(rest);
        filled
    }

    fn value(&self, name: &str, filled: &mut String) {
        let part = self.row.iter().chain(self.once).find(|(known, _)| known == name);
        match (part, self.call.arguments.get(name)) {
            (Some((_, value)), _) => filled.push_str(value),
            (None, Some(Value::String(value))) => filled.push_str(value),
            (None, Some(other)) => filled.push_str(&other.to_string()),
            (None, None) => {
                filled.push('{');
                filled.push_str(name);
                filled.push('}');
            }
        }
    }
}

#[cfg(test)]
mod tests {
    use std::collections::BTreeMap;

    use super::{CallFacts, CommandFacts, Manifest, Scope, ToolFacts, parameters};
    use crate::ToolCall;

    fn manifest(tool: &str, facts: ToolFacts) -> Manifest {
        Manifest::new(BTreeMap::from([(tool.to_owned(), facts)]))
    }

    // covers: CTHA-070
    #[test]
    fn arguments_take_the_place_of_parameters() {
        let facts = ToolFacts {
            writes: vec!["host {host}".to_owned(), "{missing} {".to_owned()],
            effects: BTreeMap::from([("state of {host}".to_owned(), "clean".to_owned())]),
            ..ToolFacts::default()
        };
        let manifest = manifest("Restore", facts);
        let found = manifest.of(&ToolCall::with("Restore", &[("host", "User1")]));
        assert_eq!(found.writes, ["host User1", "{missing} {"]);
        assert_eq!(found.effects["state of User1"], "clean");
        assert_eq!((found.scope, found.seconds), (Scope::Act, None));
        assert_eq!(manifest.of(&ToolCall::bare("Wait")), CallFacts::default());
        assert_eq!(parameters("a {b} {c d} {").collect::<Vec<_>>(), ["b", "c d"]);
    }

    // covers: CTHA-070
    #[test]
    fn a_command_in_words_has_the_facts_of_its_form() {
        let command = |form: &str, writes: &[&str], scope: Option<Scope>| CommandFacts {
            argument: "command".to_owned(),
            form: form.parse().unwrap(),
            any_number: (form == "get {number} {output}").then(|| "number".to_owned()),
            seconds: None,
            scope,
            reads: Vec::new(),
            writes: writes.iter().map(|text| (*text).to_owned()).collect(),
            effects: BTreeMap::from([("where {output} is".to_owned(), "bag".to_owned())]),
        };
        let facts = ToolFacts {
            reads: vec!["recipes".to_owned()],
            commands: vec![
                command("craft {output} using [{number} {input}]", &["item {output}", "item {input}"], None),
                command("get {number} {output}", &[], None),
                command("{output}", &[], Some(Scope::Plan)),
            ],
            ..ToolFacts::default()
        };
        let manifest = manifest("do", facts);
        let found = manifest.of(&ToolCall::with("do", &[("command", "craft sign using 6 planks, 1 stick")]));
        assert_eq!(found.reads, ["recipes"]);
        assert_eq!(found.writes, ["item sign", "item planks", "item stick"]);
        assert_eq!((found.scope, found.effects["where sign is"].as_str()), (Scope::Act, "bag"));
        assert_eq!(manifest.of(&ToolCall::with("do", &[("command", "rest")])).scope, Scope::Plan);
        assert_eq!(manifest.of(&ToolCall::bare("do")).writes, Vec::<String>::new());
        let number = |command: &str| manifest.any_number(&ToolCall::with("do", &[("command", command)]));
        assert_eq!(number("get 12 oak log"), Some(("command", "12".to_owned())));
        for other in ["get many oak log", "craft sign using 6 planks, 1 stick", "rest"] {
            assert_eq!(number(other), None, "{other}");
        }
        let text = serde_json::to_string(&manifest).unwrap();
        assert_eq!(serde_json::from_str::<Manifest>(&text).unwrap(), manifest);
    }
}
