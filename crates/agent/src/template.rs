//! Templates with strict variables: a variable that does not exist is found when the persona is loaded.

use std::collections::{BTreeMap, BTreeSet};

use gimbal_core::nearest;
use minijinja::syntax::SyntaxConfig;
use minijinja::{Environment, ErrorKind, UndefinedBehavior, Value};
use thiserror::Error;

use gimbal_core::yaml::line_of;

use crate::template_language as language;

/// A template that is wrong: which file, line and variable, and which variables there are.
#[derive(Clone, Debug, Error, PartialEq, Eq)]
#[error("{place}:{line}: {key}: {message}")]
pub struct TemplateError {
    /// The file.
    pub place: String,
    /// Line of the file, from 1.
    pub line: u64,
    /// Key under which the text stands.
    pub key: String,
    /// What is wrong and what would be right.
    pub message: String,
}

/// Texts of a persona, compiled once and checked.
#[derive(Debug)]
pub(crate) struct Templates {
    environment: Environment<'static>,
    /// Where each compiled text stands, for messages.
    stands: BTreeMap<String, Stands>,
    /// Files by name.
    sources: BTreeMap<String, String>,
}

#[derive(Debug)]
struct Stands {
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
        Self { environment, stands: BTreeMap::new(), sources: BTreeMap::new() }
    }

    /// Compiles `text`, which stands under `key`; it may use the variables `known` and no others.
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
        let stands = Stands { place: place.place.to_owned(), key: key.to_owned(), text: text.to_owned() };
        self.stands.insert(name.clone(), stands);
        if let Err(foreign) = language::check(text) {
            let line = text[..foreign.at].matches('\n').count();
            let line = text.lines().nth(line).unwrap_or(text);
            return Err(TemplateError {
                place: place.place.to_owned(),
                line: line_of(place.source, line),
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
            let line = text.lines().find(|line| uses(line, &variable)).unwrap_or(text);
            let hint = nearest::hint(&variable, known.iter().copied());
            return Err(TemplateError {
                place: place.place.to_owned(),
                line: line_of(place.source, line),
                key: key.to_owned(),
                message: format!("unknown variable `{variable}`{hint} (known: {})", known.join(", ")),
            });
        }
        Ok(Text::Compiled(name))
    }

    /// A problem of the compiled text `name`, told by its place in the file.
    fn error(&self, name: &str, problem: &minijinja::Error) -> TemplateError {
        let stands = self.stands.get(name);
        let text = stands.map_or("", |stands| stands.text.as_str());
        let line = text.lines().nth(problem.line().unwrap_or(1).saturating_sub(1)).unwrap_or(text);
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
            place: stands.map_or_else(|| name.to_owned(), |stands| stands.place.clone()),
            line: stands.and_then(|stands| self.sources.get(&stands.place)).map_or(1, |source| line_of(source, line)),
            key: stands.map_or_else(String::new, |stands| stands.key.clone()),
            message: format!("the template cannot be filled in: {what}{}", at.unwrap_or_default()),
        }
    }

    /// Variables that the text needs from outside.
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

/// Whether `variable` occurs in `line` as a whole word.
fn uses(line: &str, variable: &str) -> bool {
    let letter = |character: char| character.is_alphanumeric() || character == '_';
    line.match_indices(variable).any(|(at, _)| {
        !line[..at].chars().next_back().is_some_and(letter)
            && !line[at + variable.len()..].chars().next().is_some_and(letter)
    })
}
