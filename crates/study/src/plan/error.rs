//! What is wrong with a study, all of it at once.

use std::fmt;

use gimbal_core::yaml::Location;

/// One thing that is wrong, with its place and how to fix it.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Problem {
    /// File, line and column, or what else the place is called.
    pub place: String,
    /// The setting of an architecture that is wrong, by its path in the settings; empty where no single one is.
    pub setting: String,
    /// What is wrong and what would be right.
    pub what: String,
}

impl Problem {
    /// A problem at a place that has a name.
    #[must_use]
    pub fn new(place: impl Into<String>, what: impl Into<String>) -> Self {
        Self { place: place.into(), setting: String::new(), what: what.into() }
    }

    /// A problem at a place of a file.
    #[must_use]
    pub fn at(file: &str, at: Location, what: impl Into<String>) -> Self {
        let place = if at.line == 0 { file.to_owned() } else { format!("{file}:{}:{}", at.line, at.column) };
        Self::new(place, what)
    }

    /// The same, of one setting of an architecture.
    #[must_use]
    pub fn of_setting(self, setting: impl Into<String>) -> Self {
        Self { setting: setting.into(), ..self }
    }
}

impl fmt::Display for Problem {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{}: {}", self.place, self.what)
    }
}

/// Everything that is wrong with a study; nothing is played or paid for before it is fixed.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Problems(pub Vec<Problem>);

impl Problems {
    /// Notes a problem and goes on, so that one look finds all.
    pub fn note<T>(&mut self, result: Result<T, Problem>) -> Option<T> {
        result.map_err(|problem| self.0.push(problem)).ok()
    }

    /// Nothing, or all that was noted.
    ///
    /// # Errors
    /// The problems noted.
    pub fn none(self) -> Result<(), Self> {
        if self.0.is_empty() { Ok(()) } else { Err(self) }
    }
}

impl From<Problem> for Problems {
    fn from(problem: Problem) -> Self {
        Self(vec![problem])
    }
}

impl fmt::Display for Problems {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        for (index, problem) in self.0.iter().enumerate() {
            write!(f, "{}{problem}", if index == 0 { "" } else { "\n" })?;
        }
        Ok(())
    }
}

impl std::error::Error for Problems {}
