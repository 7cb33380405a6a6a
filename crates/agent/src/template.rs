//! Templates with strict variables: a variable that does not exist is found when the persona is loaded.

use std::collections::{BTreeMap, BTreeSet};

use gimbal_core::nearest;
use minijinja::syntax::SyntaxConfig;
use minijinja::{Environment, ErrorKind, UndefinedBehavior, Value};
use thiserror::Error;

use gimbal_core::yaml::line_within;

use crate::template_language as language;

/// A template that is wrong: which file, line and variable, and which variables there are.
#[derive(Clone, Debug, Error, PartialEq, Eq)]
#[error("{place}:{line}: {key}: {message}")]
pub struct TemplateError {
    /// The file.
    pub place: String,
    /// Line of the file, from 1.
    pub line: u64,
    /// Key under which the text origin.
    pub key: String,
    /// What is wrong and what would be right.
    pub message: String,
}

/// Texts of a persona, compiled once and checked.
#[derive(Debug)]
pub(crate) struct Templates {
    environment: Environment<'static>,
    /// The place of each compiled text, for messages.
    origins: BTreeMap<String, TextOrigin>,
    /// Files by name.
    sources: BTreeMap<String, String>,
}

#[derive(Debug)]
struct TextOrigin {
    place: String,
    key: String,
    text: String,
}

/// Handle of a text among [`Templates`].
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) enum Text {
    /// No variables and no blocks: the text as it is.
    Plain(String),
    /// Name of the compiled template.
    Compiled(String),
}

/// A file whose texts are compiled.
#[derive(Clone, Copy)]
pub(crate) struct Place<'a> {
    /// Name in messages.
    pub place: &'a str,
    /// The whole file, to find lines.
    pub source: &'a str,
}

impl Templates {
    pub(crate) fn new() -> Self {
        let mut environment = language::environment();
        environment.set_undefined_behavior(UndefinedBehavior::Strict);
        // No failure here: the delimiters are the defaults.
        if let Ok(syntax) = SyntaxConfig::builder().trim_blocks(true).lstrip_blocks(true).build() {
            environment.set_syntax(syntax);
        }
        environment.set_auto_escape_callback(|_| minijinja::AutoEscape::None);
        Self { environment, origins: BTreeMap::new(), sources: BTreeMap::new() }
    }

    /// Compiles `text`, which has the key `key`; it may use the variables `known` and no others.
    pub(crate) fn add(
        &mut self,
        place: Place<'_>,
        key: &str,
        text: &str,
        known: &[&str],
    ) -> Result<Text, TemplateError> {
        let text = text.trim_end();
        if !["{{", "{%", "{#"].iter().any(|mark| text.contains(mark)) {
            return Ok(Text::Plain(text.to_owned()));
        }
        let name = format!("{}#{key}", place.place);
        self.sources.entry(place.place.to_owned()).or_insert_with(|| place.source.to_owned());
        let origin = TextOrigin { place: place.place.to_owned(), key: key.to_owned(), text: text.to_owned() };
        self.origins.insert(name.clone(), origin);
        if let Err(foreign) = language::check(text) {
            return Err(TemplateError {
                place: place.place.to_owned(),
                line: line_within(place.source, key, foreign.at),
                key: key.to_owned(),
                message: foreign.what,
            });
        }
        self.environment
            .add_template_owned(name.clone(), text.to_owned())
            .map_err(|problem| self.error(&name, &problem))?;
        let globals: BTreeSet<&str> = self.environment.globals().map(|(name, _)| name).collect();
        for variable in self.variables(&name) {
            if known.contains(&variable.as_str()) || globals.contains(variable.as_str()) {
                continue;
            }
            let at = first_use(text, &variable).unwrap_or(0);
            let hint = nearest::hint(&variable, known.iter().copied());
            return Err(TemplateError {
                place: place.place.to_owned(),
                line: line_within(place.source, key, at),
                key: key.to_owned(),
                message: format!("unknown variable `{variable}`{hint} (known: {})", known.join(", ")),
            });
        }
        Ok(Text::Compiled(name))
    }

    /// A problem of the compiled text `name`, with its place in the file.
    fn error(&self, name: &str, problem: &minijinja::Error) -> TemplateError {
        let origin = self.origins.get(name);
        let text = origin.map_or("", |origin| origin.text.as_str());
        let lines_before = problem.line().unwrap_or(1).saturating_sub(1);
        let offset = text.split_inclusive('\n').take(lines_before).map(str::len).sum();
        let what = match problem.detail() {
            _ if problem.kind() == ErrorKind::OutOfFuel => {
                format!("it takes more than {} steps; show fewer things, or nest fewer loops", language::STEPS)
            }
            _ if problem.kind() == ErrorKind::WriteFailure => format!("it gives more than {} bytes", language::OUTPUT),
            Some(detail) => format!("{}: {detail}", problem.kind()),
            None => problem.kind().to_string(),
        };
        let at = problem.range().and_then(|range| text.get(range)).map(|part| {
            let shown: String = part.chars().take(60).collect();
            let more = if shown.len() < part.len() { "..." } else { "" };
            format!(" (`{shown}{more}`)")
        });
        TemplateError {
            place: origin.map_or_else(|| name.to_owned(), |origin| origin.place.clone()),
            line: origin
                .and_then(|origin| Some((self.sources.get(&origin.place)?, &origin.key)))
                .map_or(1, |(source, key)| line_within(source, key, offset)),
            key: origin.map_or_else(String::new, |origin| origin.key.clone()),
            message: format!("the template cannot be filled in: {what}{}", at.unwrap_or_default()),
        }
    }

    /// Each compiled text: its file, its key there and itself.
    #[cfg(test)]
    pub(crate) fn keyed(&self) -> impl Iterator<Item = (&str, &str, &str)> {
        self.origins.values().map(|origin| (origin.place.as_str(), origin.key.as_str(), origin.text.as_str()))
    }

    /// Whether the text needs `variable` from outside.
    pub(crate) fn uses(&self, text: &Text, variable: &str) -> bool {
        match text {
            Text::Plain(_) => false,
            Text::Compiled(name) => self.variables(name).contains(variable),
        }
    }

    fn variables(&self, name: &str) -> BTreeSet<String> {
        self.environment
            .get_template(name)
            .map(|template| template.undeclared_variables(false).into_iter().collect())
            .unwrap_or_default()
    }

    /// Fills in a text.
    pub(crate) fn render(&self, text: &Text, variables: &Value) -> Result<String, TemplateError> {
        match text {
            Text::Plain(text) => Ok(text.clone()),
            Text::Compiled(name) => self
                .environment
                .get_template(name)
                .and_then(|template| {
                    let mut bytes = language::Bounded::default();
                    template.render_captured_to(variables.clone(), &mut bytes)?;
                    Ok(String::from_utf8_lossy(&bytes.0).trim_end().to_owned())
                })
                .map_err(|problem| self.error(name, &problem)),
        }
    }
}

/// Byte offset at which `variable` first occurs in `text` as a whole word.
fn first_use(text: &str, variable: &str) -> Option<usize> {
    let letter = |character: char| character.is_alphanumeric() || character == '_';
    text.match_indices(variable).map(|(at, _)| at).find(|at| {
        !text[..*at].chars().next_back().is_some_and(letter)
            && !text[at + variable.len()..].chars().next().is_some_and(letter)
    })
}
