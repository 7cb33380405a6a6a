//! The names of verbs, and which of them an environment has.

/// A verb that an environment has if it writes it. The others of [`VERBS`] work by the seams of core, so that all have them.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Verb {
    /// Plays recordings again.
    Replay,
    /// Measures steps a second.
    Bench,
    /// The environment's own table.
    Evaluate,
    /// Serves services.
    Serve,
    /// Writes a generated task.
    Save,
}

/// All verbs, in the order of the help.
pub const VERBS: [&str; 10] =
    ["show", "calls", "play", "replay", "bench", "returns", "evaluate", "serve", "save", "tasks"];

impl Verb {
    /// All that must be written.
    pub const ALL: [Self; 5] = [Self::Replay, Self::Bench, Self::Evaluate, Self::Serve, Self::Save];

    /// As it is typed.
    #[must_use]
    pub const fn name(self) -> &'static str {
        match self {
            Self::Replay => "replay",
            Self::Bench => "bench",
            Self::Evaluate => "evaluate",
            Self::Serve => "serve",
            Self::Save => "save",
        }
    }
}

/// The verbs of an environment that writes these, in the order of the help.
pub(super) fn of(written: &[Verb]) -> Vec<&'static str> {
    let has =
        |name: &&str| Verb::ALL.into_iter().find(|verb| verb.name() == *name).is_none_or(|own| written.contains(&own));
    VERBS.into_iter().filter(has).collect()
}

/// Why an environment refuses a verb, with those that it has.
pub(super) fn refusal(environment: &str, verb: Verb, has: &[&str]) -> String {
    let (last, before) = has.split_last().unwrap_or((&"none", &[]));
    format!("`{environment}` has no verb `{}`: it has {} and {last}", verb.name(), before.join(", "))
}

#[cfg(test)]
mod tests {
    use super::{VERBS, Verb, of, refusal};

    #[test]
    fn an_absent_verb_is_refused_with_those_that_exist() {
        assert_eq!(of(&Verb::ALL), VERBS);
        let has = of(&[Verb::Save]);
        assert_eq!(has, ["show", "calls", "play", "returns", "save", "tasks"]);
        let words = "`lamps` has no verb `bench`: it has show, calls, play, returns, save and tasks";
        assert_eq!(refusal("lamps", Verb::Bench, &has), words);
    }
}
