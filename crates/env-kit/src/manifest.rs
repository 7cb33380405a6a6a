//! One reader for the manifests of environments (CTHA-060, CTHA-070): the part `manifest` of a `brief.yaml`, and its checks against the tools.

use std::collections::BTreeMap;

use gimbal_core::manifest::parameters;
use gimbal_core::{CommandFacts, CommandForm, Manifest, Scope, ToolFacts, ToolSpec, nearest};
use serde::Deserialize;
use serde_json::Value;
use thiserror::Error;

/// A manifest as a file has it.
#[derive(Clone, Debug, Default, PartialEq, Eq, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Draft {
    /// The facts of tools. A name that ends in `*` has those of all tools that begin so and have no entry of their own.
    pub tools: BTreeMap<String, ToolDraft>,
    /// Forms of commands, for all tools that take commands in words. The first form that a command has counts.
    #[serde(default)]
    pub commands: Vec<CommandDraft>,
}

/// The facts of one tool, as [`ToolFacts`].
#[derive(Clone, Debug, Default, PartialEq, Eq, Deserialize)]
#[serde(default, deny_unknown_fields)]
pub struct ToolDraft {
    /// Shortest and longest time for which a call decides.
    pub seconds: Option<(u32, u32)>,
    /// What kind of decision a call is.
    pub scope: Scope,
    /// What it reads.
    pub reads: Vec<String>,
    /// What it changes.
    pub writes: Vec<String>,
    /// What it brings about.
    pub effects: BTreeMap<String, String>,
    /// The argument that is a command in words.
    pub command: Option<String>,
}

/// The facts of commands of one form, as [`CommandFacts`].
#[derive(Clone, Debug, PartialEq, Eq, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct CommandDraft {
    /// The form.
    pub form: CommandForm,
    /// The name of the form that means any whole number from 1.
    #[serde(default)]
    pub any_number: Option<String>,
    /// Shortest and longest time for which a call decides, where it is another than the tool's.
    #[serde(default)]
    pub seconds: Option<(u32, u32)>,
    /// What kind of decision a call is, where it is another than the tool's.
    #[serde(default)]
    pub scope: Option<Scope>,
    /// What it reads.
    #[serde(default)]
    pub reads: Vec<String>,
    /// What it changes.
    #[serde(default)]
    pub writes: Vec<String>,
    /// What it brings about.
    #[serde(default)]
    pub effects: BTreeMap<String, String>,
}

/// A manifest that does not fit the tools.
#[derive(Clone, Debug, PartialEq, Eq, Error)]
#[error("{file}, manifest, {key}: {problem}")]
pub struct ManifestError {
    /// The file.
    pub file: String,
    /// Where in it: `tools.NAME`, or `tools.NAME.writes`.
    pub key: String,
    /// What is wrong there.
    pub problem: Box<Problem>,
}

/// What is wrong with a manifest.
#[derive(Clone, Debug, PartialEq, Eq, Error)]
pub enum Problem {
    /// An entry names a tool that the environment does not have.
    #[error("the environment has no such tool{hint} (known: {known})")]
    UnknownTool {
        /// What was meant.
        hint: String,
        /// The tools that there are.
        known: String,
    },
    /// An entry for several tools is for none.
    #[error("no tool without an entry of its own begins so; take the entry out (known: {known})")]
    NoneLeft {
        /// The tools that there are.
        known: String,
    },
    /// A tool has no entry.
    #[error("the tool has no entry; add one, `{{}}` where it uses and changes nothing")]
    NoEntry,
    /// A text names a parameter that the tool does not have.
    #[error("`{text}` names `{parameter}`, which is not a parameter of the tool{hint} (known: {known})")]
    UnknownParameter {
        /// The text.
        text: String,
        /// The parameter.
        parameter: String,
        /// What was meant.
        hint: String,
        /// The parameters that every call gives.
        known: String,
    },
    /// A text names a parameter that a call may leave out.
    #[error(
        "`{text}` names `{parameter}`, which a call may leave out; name parameters that every call gives (known: {known})"
    )]
    Optional {
        /// The text.
        text: String,
        /// The parameter.
        parameter: String,
        /// The parameters that every call gives.
        known: String,
    },
    /// A brace is not closed.
    #[error("`{text}` has a brace without its other half; write parameters as `{{name}}`")]
    Unclosed {
        /// The text.
        text: String,
    },
    /// A name of a form is a parameter of the tool too.
    #[error(
        "the form `{form}` has the name `{name}`, which is a parameter of the tool `{tool}` too; choose another name"
    )]
    Shadowed {
        /// The form.
        form: String,
        /// The name.
        name: String,
        /// The tool.
        tool: String,
    },
    /// Forms of commands that no tool takes.
    #[error("no tool takes commands; name the argument of one by `command: ARGUMENT`, or take the forms out")]
    NoCommands,
    /// A tool takes commands, and there are no forms.
    #[error("the tool takes commands and no form is there; add `commands` with forms such as `go to {{place}}`")]
    NoForms,
    /// The shortest time is longer than the longest.
    #[error("{shortest} to {longest} seconds are not a span; write the shorter time first")]
    Reversed {
        /// What is written first.
        shortest: u32,
        /// What is written second.
        longest: u32,
    },
}

impl Draft {
    /// The manifest of an environment with these tools: all that it can have, also those that an episode does not offer.
    ///
    /// # Errors
    /// With the key, for an entry that no tool has, a tool without one, and whatever [`check`] finds.
    pub fn of(&self, file: &str, tools: &[ToolSpec]) -> Result<Manifest, ManifestError> {
        let wrong = |key: String, problem| ManifestError { file: file.to_owned(), key, problem: Box::new(problem) };
        let own = |tool: &ToolSpec| self.tools.get_key_value(&tool.name);
        let shared = |tool: &ToolSpec| {
            let fits =
                |(name, _): &(&String, _)| name.strip_suffix('*').is_some_and(|stem| tool.name.starts_with(stem));
            // The longest beginning says most.
            self.tools.iter().filter(fits).max_by_key(|(name, _)| name.len())
        };
        let mut facts = BTreeMap::new();
        let mut used = Vec::new();
        for tool in tools {
            let (name, entry) = own(tool)
                .or_else(|| shared(tool))
                .ok_or_else(|| wrong(format!("tools.{}", tool.name), Problem::NoEntry))?;
            used.push(name);
            if entry.command.is_some() && self.commands.is_empty() {
                return Err(wrong(format!("tools.{name}.command"), Problem::NoForms));
            }
            facts.insert(tool.name.clone(), self.expanded(entry));
        }
        if let Some(name) = self.tools.keys().find(|name| !used.contains(name)) {
            let names = || tools.iter().map(|tool| tool.name.as_str());
            let known = names().collect::<Vec<_>>().join(", ");
            let problem = if name.ends_with('*') {
                Problem::NoneLeft { known }
            } else {
                Problem::UnknownTool { hint: nearest::hint(name, names()), known }
            };
            return Err(wrong(format!("tools.{name}"), problem));
        }
        if !self.commands.is_empty() && self.tools.values().all(|tool| tool.command.is_none()) {
            return Err(wrong("commands".to_owned(), Problem::NoCommands));
        }
        let manifest = Manifest::new(facts);
        check(&manifest, file, tools)?;
        Ok(manifest)
    }

    fn expanded(&self, entry: &ToolDraft) -> ToolFacts {
        let command = |argument: &String, command: &CommandDraft| CommandFacts {
            argument: argument.clone(),
            form: command.form.clone(),
            any_number: command.any_number.clone(),
            seconds: command.seconds,
            scope: command.scope,
            reads: command.reads.clone(),
            writes: command.writes.clone(),
            effects: command.effects.clone(),
        };
        let commands =
            entry.command.iter().flat_map(|argument| self.commands.iter().map(move |one| command(argument, one)));
        ToolFacts {
            seconds: entry.seconds,
            scope: entry.scope,
            reads: entry.reads.clone(),
            writes: entry.writes.clone(),
            effects: entry.effects.clone(),
            commands: commands.collect(),
        }
    }
}

/// Checks a manifest against all tools that an environment can have; `file` names its source in errors.
///
/// # Errors
/// With the key, for a tool without an entry, an entry of no tool, a text that names no parameter which every call gives, a name of a form that
/// is a parameter, and a span that ends before it begins.
pub fn check(manifest: &Manifest, file: &str, tools: &[ToolSpec]) -> Result<(), ManifestError> {
    let wrong = |key: String, problem| ManifestError { file: file.to_owned(), key, problem: Box::new(problem) };
    let names = || tools.iter().map(|tool| tool.name.as_str());
    if let Some(name) = manifest.tools().keys().find(|name| names().all(|known| known != *name)) {
        let known = names().collect::<Vec<_>>().join(", ");
        let problem = Problem::UnknownTool { hint: nearest::hint(name, names()), known };
        return Err(wrong(format!("tools.{name}"), problem));
    }
    for tool in tools {
        let key = format!("tools.{}", tool.name);
        let facts = manifest.tools().get(&tool.name).ok_or_else(|| wrong(key.clone(), Problem::NoEntry))?;
        let parameters: Vec<&str> = tool.required().collect();
        texts(&facts.reads, &facts.writes, &facts.effects, &parameters, tool)
            .and_then(|()| span(facts.seconds).map_err(|problem| ("seconds", problem)))
            .map_err(|(member, problem)| wrong(format!("{key}.{member}"), problem))?;
        for command in &facts.commands {
            named(&command.argument, &command.argument, &parameters, tool)
                .map_err(|problem| wrong(format!("{key}.command"), problem))?;
            let key = format!("commands, form `{}`", command.form);
            if let Some(name) = command.form.names().find(|name| properties(tool).any(|known| known == *name)) {
                let form = command.form.to_string();
                let problem = Problem::Shadowed { form, name: name.to_owned(), tool: tool.name.clone() };
                return Err(wrong(key, problem));
            }
            if let Some(number) = &command.any_number {
                let names: Vec<&str> = command.form.names().collect();
                named(number, number, &names, tool).map_err(|problem| wrong(format!("{key}.any_number"), problem))?;
            }
            let known: Vec<&str> = command.form.names().chain(parameters.iter().copied()).collect();
            texts(&command.reads, &command.writes, &command.effects, &known, tool)
                .and_then(|()| span(command.seconds).map_err(|problem| ("seconds", problem)))
                .map_err(|(member, problem)| wrong(format!("{key}.{member}"), problem))?;
        }
    }
    Ok(())
}

/// The member of an entry, and what is wrong with it.
type Wrong = (&'static str, Problem);

fn texts(
    reads: &[String],
    writes: &[String],
    effects: &BTreeMap<String, String>,
    known: &[&str],
    tool: &ToolSpec,
) -> Result<(), Wrong> {
    let reads = reads.iter().map(|text| ("reads", text));
    let writes = writes.iter().map(|text| ("writes", text));
    let effects = effects.iter().flat_map(|(key, value)| [("effects", key), ("effects", value)]);
    for (member, text) in reads.chain(writes).chain(effects) {
        let closed = parameters(text).count();
        if text.matches('{').count() != closed || text.matches('}').count() != closed {
            return Err((member, Problem::Unclosed { text: text.clone() }));
        }
        for parameter in parameters(text) {
            named(text, parameter, known, tool).map_err(|problem| (member, problem))?;
        }
    }
    Ok(())
}

fn named(text: &str, parameter: &str, known: &[&str], tool: &ToolSpec) -> Result<(), Problem> {
    if known.contains(&parameter) {
        return Ok(());
    }
    let (text, parameter) = (text.to_owned(), parameter.to_owned());
    let all = known.join(", ");
    if properties(tool).any(|name| name == parameter) {
        return Err(Problem::Optional { text, parameter, known: all });
    }
    let hint = nearest::hint(&parameter, known.iter().copied());
    Err(Problem::UnknownParameter { text, parameter, hint, known: all })
}

fn span(seconds: Option<(u32, u32)>) -> Result<(), Problem> {
    match seconds {
        Some((shortest, longest)) if shortest > longest => Err(Problem::Reversed { shortest, longest }),
        _ => Ok(()),
    }
}

fn properties(tool: &ToolSpec) -> impl Iterator<Item = &str> {
    let properties = tool.parameters.get("properties").and_then(Value::as_object);
    properties.into_iter().flat_map(|properties| properties.keys().map(String::as_str))
}

#[cfg(test)]
mod tests {
    use gimbal_core::{ToolCall, yaml};
    use serde_json::json;

    use super::*;

    fn tools() -> Vec<ToolSpec> {
        let host = [("hostname", "A host.")];
        let mut list = ToolSpec::of_strings("List", "Lists.", &[]);
        list.parameters["properties"]["page"] = json!({ "type": "integer" });
        vec![
            ToolSpec::of_strings("DecoyA", "A decoy.", &host),
            ToolSpec::of_strings("DecoyB", "A decoy.", &host),
            ToolSpec::of_strings("Do", "Does.", &[("command", "A command.")]),
            list,
        ]
    }

    fn read(text: &str) -> Result<Manifest, String> {
        let draft: Draft = yaml::read(text, "brief.yaml").map_err(|error| error.to_string())?;
        draft.of("brief.yaml", &tools()).map_err(|error| error.to_string())
    }

    const GOOD: &str = "
tools:
  Decoy*: { seconds: [1, 60], writes: ['decoys of {hostname}'] }
  DecoyB: { reads: ['host {hostname}'] }
  Do: { command: command }
  List: {}
commands:
  - { form: 'go to {place}', writes: [place], effects: { place: '{place}' } }
";

    // covers: CTHA-070
    #[test]
    fn one_entry_stands_for_tools_that_begin_alike() {
        let manifest = read(GOOD).unwrap();
        let of = |tool: &str, argument: (&str, &str)| manifest.of(&ToolCall::with(tool, &[argument]));
        let found = of("DecoyA", ("hostname", "User1"));
        assert_eq!((found.seconds, found.writes), (Some((1, 60)), vec!["decoys of User1".to_owned()]));
        assert_eq!(of("DecoyB", ("hostname", "User1")).reads, ["host User1"]);
        assert_eq!(of("Do", ("command", "go to sink 1")).effects["place"], "sink 1");
        assert_eq!(manifest.tools().len(), 4);
    }

    // covers: CTHA-070
    #[test]
    fn a_manifest_that_does_not_fit_is_refused_with_file_key_and_what_was_expected() {
        let changed = |from: &str, to: &str| read(&GOOD.replace(from, to)).unwrap_err();
        for (from, to, expected) in [
            ("  List: {}\n", "", "tools.List: the tool has no entry; add one, `{}` where it uses and changes nothing"),
            (
                "List: {}",
                "List: {}\n  Lost: {}",
                "tools.Lost: the environment has no such tool; did you mean `List`? (known: DecoyA, DecoyB, Do, List)",
            ),
            (
                "List: {}",
                "List: {}\n  Re*: {}",
                "tools.Re*: no tool without an entry of its own begins so; take the entry out (known: DecoyA, DecoyB, Do, List)",
            ),
            (
                "'decoys of {hostname}'",
                "'decoys of {hostnme}'",
                "tools.DecoyA.writes: `decoys of {hostnme}` names `hostnme`, which is not a parameter of the tool; did you mean `hostname`? (known: hostname)",
            ),
            (
                "List: {}",
                "List: { reads: ['page {page}'] }",
                "tools.List.reads: `page {page}` names `page`, which a call may leave out; name parameters that every call gives (known: )",
            ),
            (
                "'decoys of {hostname}'",
                "'decoys of {hostname'",
                "tools.DecoyA.writes: `decoys of {hostname` has a brace without its other half; write parameters as `{name}`",
            ),
            (
                "[1, 60]",
                "[61, 60]",
                "tools.DecoyA.seconds: 61 to 60 seconds are not a span; write the shorter time first",
            ),
            (
                "{ command: command }",
                "{}",
                "commands: no tool takes commands; name the argument of one by `command: ARGUMENT`, or take the forms out",
            ),
            (
                "command: command",
                "command: comand",
                "tools.Do.command: `comand` names `comand`, which is not a parameter of the tool; did you mean `command`? (known: command)",
            ),
            (
                "go to {place}",
                "go to {command}",
                "commands, form `go to {command}`: the form `go to {command}` has the name `command`, which is a parameter of the tool `Do` too; choose another name",
            ),
            (
                "'{place}' }",
                "'{spot}' }",
                "commands, form `go to {place}`.effects: `{spot}` names `spot`, which is not a parameter of the tool (known: place, command)",
            ),
        ] {
            assert_eq!(changed(from, to), format!("brief.yaml, manifest, {expected}"));
        }
        let unknown = changed("form: 'go to {place}',", "form: 'go to {place}', any_number: amount,");
        assert!(
            unknown.contains("any_number: `amount` names `amount`, which is not a parameter of the tool"),
            "{unknown}"
        );
        let without = GOOD.split("commands:").next().unwrap();
        let expected =
            "the tool takes commands and no form is there; add `commands` with forms such as `go to {place}`";
        assert_eq!(read(without).unwrap_err(), format!("brief.yaml, manifest, tools.Do.command: {expected}"));
        assert!(changed("go to {place}", "go {to}{place}").contains("is not a form of a command"));
        assert!(changed("Do: {", "Do: { wrties: [],").contains("did you mean `writes`?"));
    }
}
