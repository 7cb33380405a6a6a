//! Scripted models: rules in YAML, for tests and dry runs.
//!
//! A script has no state: what it answers depends on the request and the number of the call alone, so that episodes in
//! flight do not disturb each other.

mod file;
mod pick;

use async_trait::async_trait;
use gimbal_core::{
    CallContext, ChatModel, ChatRequest, Completion, Digest, Files, Finish, ModelError, ModelErrorKind, RequestedCall,
    Speaker, nearest, yaml,
};
use regex::{Captures, Regex};
use serde_saphyr::{Location, Spanned};

use crate::answer;
use crate::error::SetupError;
use crate::estimate;
use file::{Pick, RuleFile, ScriptFile, WhenFile};

/// Scripts that come with the program.
const BUILTIN: [(&str, &str); 6] = [
    ("first-choice", include_str!("builtin/first-choice.yaml")),
    ("idle", include_str!("builtin/idle.yaml")),
    ("one-position", include_str!("builtin/one-position.yaml")),
    ("react-monitor", include_str!("builtin/react-monitor.yaml")),
    ("refuse", include_str!("builtin/refuse.yaml")),
    ("vouch-for-nothing", include_str!("builtin/vouch-for-nothing.yaml")),
];

/// A scripted model.
#[derive(Debug)]
pub struct Script {
    origin: String,
    digest: Digest,
    rules: Vec<Rule>,
}

#[derive(Debug)]
struct Rule {
    line: u64,
    last: Option<Regex>,
    any: Option<Regex>,
    calls_at: Vec<u64>,
    act: Act,
}

#[derive(Debug)]
enum Act {
    Say { texts: Vec<String>, calls: Vec<RequestedCall> },
    Pick(Pick),
    Fail(ModelErrorKind),
}

impl Script {
    /// Finds a script by its name: `scripted/<name>.yaml` among the user's files, then the built-in ones. A name that
    /// ends in `.yaml` is a path: `scripted/<name>` and `<name>` among the user's files, then `<name>` from the working
    /// folder.
    ///
    /// # Errors
    /// [`SetupError::Script`] when there is none, or it cannot be read.
    pub fn find(name: &str, files: &dyn Files) -> Result<Self, SetupError> {
        if name.ends_with(".yaml") {
            return Self::at(name, files);
        }
        let path = format!("scripted/{name}.yaml");
        let read = |path: &str| files.read(path).map_err(|error| SetupError::Script(error.to_string()));
        if let Some((text, origin)) = read(&path)? {
            return Self::parse(&text, &origin);
        }
        match BUILTIN.iter().find(|(known, _)| *known == name) {
            Some((known, text)) => Self::parse(text, &format!("built-in script {known}")),
            None => {
                let known: Vec<&str> = BUILTIN.iter().map(|(name, _)| *name).collect();
                Err(SetupError::Script(format!(
                    "model `scripted/{name}`: there is no file `{path}` and no built-in script of that name{} (built in: {})",
                    nearest::hint(name, known.iter().copied()),
                    known.join(", ")
                )))
            }
        }
    }

    /// The script at a path.
    fn at(path: &str, files: &dyn Files) -> Result<Self, SetupError> {
        let beside = format!("scripted/{path}");
        for place in [&*beside, path] {
            let read = files.read(place).map_err(|error| SetupError::Script(error.to_string()))?;
            if let Some((text, origin)) = read {
                return Self::parse(&text, &origin);
            }
        }
        let why = match std::fs::read_to_string(path) {
            Ok(text) => return Self::parse(&text, path),
            Err(error) => error,
        };
        Err(SetupError::Script(format!(
            "model `scripted/{path}`: there is no file `{beside}` and no file `{path}` among the user's files, and \
             `{path}` cannot be read from the working folder ({why}); give the path of a script, or the name of a \
             built-in one: {}",
            Self::built_in().collect::<Vec<_>>().join(", ")
        )))
    }

    /// Reads a script; `origin` is named in errors.
    ///
    /// # Errors
    /// [`SetupError::Script`] with line and column.
    pub fn parse(text: &str, origin: &str) -> Result<Self, SetupError> {
        let file: ScriptFile = yaml::read(text, origin).map_err(|error| SetupError::Script(error.to_string()))?;
        if file.rules.is_empty() {
            return Err(SetupError::Script(format!(
                "{origin}:1:1: `rules` is empty: add at least one rule, e.g. `- say: Sleep`"
            )));
        }
        let rules = file
            .rules
            .into_iter()
            .map(Rule::read)
            .collect::<Result<_, _>>()
            .map_err(|(at, why)| SetupError::Script(format!("{origin}:{}:{}: {why}", at.line(), at.column())))?;
        Ok(Self { origin: origin.to_owned(), digest: Digest::of(text.as_bytes()), rules })
    }

    /// Hash of the script's text.
    #[must_use]
    pub const fn digest(&self) -> Digest {
        self.digest
    }

    /// Names of the scripts that come with the program.
    pub fn built_in() -> impl Iterator<Item = &'static str> {
        BUILTIN.iter().map(|(name, _)| *name)
    }

    /// JSON Schema of script files, for editors.
    #[must_use]
    pub fn schema() -> serde_json::Value {
        schemars::schema_for!(ScriptFile).to_value()
    }

    fn answer(&self, request: &ChatRequest, call: u64) -> Result<Completion, ModelError> {
        let last = request.messages.iter().rev().find(|message| message.speaker == Speaker::User);
        for rule in &self.rules {
            if !rule.calls_at.is_empty() && !rule.calls_at.contains(&call) {
                continue;
            }
            let in_last = match &rule.last {
                None => None,
                Some(pattern) => match last.and_then(|message| pattern.captures(&message.text)) {
                    None => continue,
                    found => found,
                },
            };
            let in_any = match &rule.any {
                None => None,
                Some(pattern) => match request.messages.iter().find_map(|message| pattern.captures(&message.text)) {
                    None => continue,
                    found => found,
                },
            };
            match &rule.act {
                Act::Say { texts, calls } => {
                    let text = expand(texts, call, in_last.or(in_any).as_ref());
                    let finish = if calls.is_empty() { Finish::Stop } else { Finish::Calls };
                    return Ok(answer::plain(request, &text, calls.clone(), finish));
                }
                Act::Pick(Pick::First) => {
                    if let Some(grammar) = &request.grammar
                        && let Some(text) = pick::first(grammar)
                    {
                        return Ok(answer::plain(request, &text, Vec::new(), Finish::Stop));
                    }
                    if let Some(call) = request.tools.first().and_then(pick::first_call) {
                        return Ok(answer::plain(request, "", vec![call], Finish::Calls));
                    }
                }
                Act::Fail(kind) => {
                    let message = format!("{}: line {} says `fail: {}`", self.origin, rule.line, kind.name());
                    let usage = (!kind.is_infrastructure()).then(|| estimate::usage(request, "", &[]));
                    return Err(ModelError { usage, ..ModelError::new(*kind, message) });
                }
            }
        }
        Err(ModelError::new(
            ModelErrorKind::BadResponse,
            format!("{}: no rule holds for call {call}: add a last rule without `when`", self.origin),
        ))
    }
}

impl Rule {
    fn read(rule: Spanned<RuleFile>) -> Result<Self, (Location, String)> {
        let place = rule.referenced;
        let RuleFile { when: WhenFile { last, any, call }, say, calls, pick, fail } = rule.value;
        let act = match (say, calls.is_empty(), pick, fail) {
            (Some(texts), true, None, None) if texts.0.is_empty() => {
                return Err((place, "`say` is an empty list: write at least one text".to_owned()));
            }
            (None, false, None, None) => Act::Say { texts: Vec::new(), calls: read_calls(calls) },
            (Some(texts), _, None, None) => Act::Say { texts: texts.0, calls: read_calls(calls) },
            (None, true, Some(pick), None) => Act::Pick(pick),
            (None, true, None, Some(kind)) => Act::Fail(kind),
            _ => {
                let why = "a rule needs exactly one of `say`, `calls`, `pick` and `fail` (`say` may be used together with `calls`)";
                return Err((place, why.to_owned()));
            }
        };
        let line = place.line();
        Ok(Self {
            line,
            last: compile(last)?,
            any: compile(any)?,
            calls_at: call.map(|call| call.0).unwrap_or_default(),
            act,
        })
    }
}

fn compile(pattern: Option<Spanned<String>>) -> Result<Option<Regex>, (Location, String)> {
    pattern
        .map(|pattern| {
            Regex::new(&pattern.value)
                .map_err(|error| (pattern.referenced, format!("this is not a regular expression: {error}")))
        })
        .transpose()
}

fn read_calls(calls: Vec<file::CallFile>) -> Vec<RequestedCall> {
    let numbered = calls.into_iter().enumerate();
    numbered
        .map(|(number, call)| RequestedCall {
            id: format!("call-{number}"),
            tool: call.tool,
            arguments: call.arguments.into_iter().collect::<serde_json::Map<_, _>>().into(),
        })
        .collect()
}

fn expand(texts: &[String], call: u64, found: Option<&Captures<'_>>) -> String {
    let Some(text) = texts.get((call % (texts.len().max(1) as u64)) as usize) else { return String::new() };
    match found {
        None => text.clone(),
        Some(found) => {
            let mut out = String::with_capacity(text.len());
            found.expand(text, &mut out);
            out
        }
    }
}

#[async_trait]
impl ChatModel for Script {
    async fn complete(&self, request: &ChatRequest, context: &CallContext<'_>) -> Result<Completion, ModelError> {
        self.answer(request, context.call)
    }
}

#[cfg(test)]
mod tests;
