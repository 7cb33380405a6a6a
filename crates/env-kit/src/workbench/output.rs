//! What a verb prints.

use std::any::Any;

use gimbal_core::{EnvError, nearest};
use serde::Serialize;
use serde_json::Value;

/// What a verb prints, and whether it found what it should.
#[derive(Default)]
pub struct Output {
    /// Lines for a person.
    pub text: String,
    /// Lines for standard error.
    pub notes: Vec<String>,
    /// One object for a program.
    pub json: Value,
    /// A check that failed.
    pub failed: Option<String>,
    /// Files that could not be read: the user's to fix.
    pub unreadable: Vec<String>,
    /// A service that runs until this is dropped.
    pub running: Option<Box<dyn Any + Send>>,
}

impl Output {
    /// Lines, and the report that they were made of.
    ///
    /// # Errors
    /// When the report has no JSON form.
    pub fn of(text: String, report: &impl Serialize) -> Result<Self, EnvError> {
        let json = serde_json::to_value(report).map_err(|error| EnvError::Data(error.to_string()))?;
        Ok(Self { text, json, ..Self::default() })
    }

    /// Lines alone.
    #[must_use]
    pub fn text(text: String) -> Self {
        Self { text, ..Self::default() }
    }
}

/// A number with four decimals, or a dash where there is none.
#[must_use]
pub fn number(value: Option<f64>) -> String {
    value.map_or_else(|| "–".to_owned(), |value| format!("{value:.4}"))
}

/// A count and what it counts: `plural(1, "step")` is `1 step`.
#[must_use]
pub fn plural(count: u64, noun: &str) -> String {
    match (count, noun.strip_suffix("ch")) {
        (1, _) => format!("1 {noun}"),
        (_, Some(_)) => format!("{count} {noun}es"),
        (_, None) => format!("{count} {noun}s"),
    }
}

/// The value of a name, in any case of letters; `what` is the flag.
///
/// # Errors
/// When no value has that name: it gives the nearest name, and all of them.
pub fn choice<T: Copy>(what: &str, name: &str, known: &[(&str, T)]) -> Result<T, EnvError> {
    known.iter().find(|(known, _)| known.eq_ignore_ascii_case(name)).map(|(_, value)| *value).ok_or_else(|| {
        let names: Vec<&str> = known.iter().map(|(name, _)| *name).collect();
        let hint = nearest::hint(name, names.iter().copied());
        EnvError::Usage(format!("{what}: there is no `{name}`{hint} (known: {})", names.join(", ")))
    })
}

/// The value of a name as [`choice`] finds it, where each of `known` has a name of its own.
///
/// # Errors
/// As [`choice`].
pub fn choice_of<T: Copy>(
    what: &str,
    name: &str,
    known: &[T],
    named: impl Fn(T) -> &'static str,
) -> Result<T, EnvError> {
    choice(what, name, &known.iter().map(|value| (named(*value), *value)).collect::<Vec<_>>())
}

/// `--draws` of an environment that has one generator.
///
/// # Errors
/// When another one is asked for.
pub fn only_fast_draws(name: &str) -> Result<(), EnvError> {
    choice("--draws", name, &[("fast", ())])
}
