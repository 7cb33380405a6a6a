//! What is wrong with a study, all of it at once.

use std::collections::BTreeMap;
use std::fmt;

use gimbal_core::yaml::Location;

/// How often the same thing is named at other places; a study of many like cells has the same problem in each.
const SHOWN: usize = 20;

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
        let mut seen: BTreeMap<String, usize> = BTreeMap::new();
        let mut lines: Vec<String> = Vec::new();
        for problem in &self.0 {
            let count = seen.entry(kind(&problem.what)).or_default();
            *count += 1;
            if *count <= SHOWN {
                lines.push(problem.to_string());
            }
        }
        // In the order in which each was first met.
        for problem in &self.0 {
            if let Some(count) = seen.remove(&kind(&problem.what)).filter(|count| *count > SHOWN) {
                lines.push(format!("and {} more like this one: {}", count - SHOWN, problem.what));
            }
        }
        f.write_str(&lines.join("\n"))
    }
}

/// What is wrong but for the names in it: of two problems that differ in these alone the second says nothing new.
fn kind(what: &str) -> String {
    what.split('`').step_by(2).collect::<Vec<&str>>().join("`")
}

impl std::error::Error for Problems {}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_same_problem_is_named_at_twenty_places_and_counted_at_the_rest() {
        let at =
            |line: usize, what: String| Problem { place: format!("study.yaml:{line}:3"), what, setting: String::new() };
        let like = |line| at(line, format!("the cells `a` and `b{line}` differ in their names only"));
        let mut problems = Problems((1..=9_999).map(like).collect());
        problems.0.insert(7, at(0, "another".to_owned()));
        let text = problems.to_string();
        let lines: Vec<&str> = text.lines().collect();
        assert_eq!(lines.len(), 22, "{text}");
        assert_eq!(
            (lines[7], lines[20]),
            ("study.yaml:0:3: another", "study.yaml:20:3: the cells `a` and `b20` differ in their names only")
        );
        assert_eq!(lines[21], "and 9979 more like this one: the cells `a` and `b1` differ in their names only");
        problems.0.truncate(21);
        assert_eq!(problems.to_string().lines().count(), 21, "twenty of one and another");
    }
}
