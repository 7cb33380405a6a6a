//! What can be wrong with a game: where, what, and how to fix it.

use std::fmt;

use thiserror::Error;

/// A game, or a part of one, that cannot be used.
#[derive(Debug, Error, Clone, PartialEq, Eq)]
pub struct GameError {
    /// The file or the part of it: a path, `pddl_domain`, `grammar`, ... from the outside inwards.
    pub place: String,
    /// The line in that part, from one, where it is known.
    pub line: Option<usize>,
    /// What is wrong.
    pub fault: Fault,
}

impl fmt::Display for GameError {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let Self { place, line, fault } = self;
        match line {
            Some(line) => write!(f, "{place}, line {line}: {fault}"),
            None => write!(f, "{place}: {fault}"),
        }
    }
}

/// What is wrong with a game.
#[derive(Debug, Error, Clone, PartialEq, Eq)]
pub enum Fault {
    /// The file cannot be read at all.
    #[error("cannot be read ({0}); name a game file that exists and may be read")]
    Unreadable(String),
    /// The file is not JSON, or ends too early.
    #[error("is not a whole JSON object ({0}); the file is cut short or damaged: fetch it again")]
    NotJson(String),
    /// A required member is missing or of the wrong type.
    #[error("has no text `{0}`; a game file holds `pddl_domain`, `grammar`, `pddl_problem` and `walkthrough`")]
    Missing(&'static str),
    /// A file of ours with other content than its schema says.
    #[error("is not a household ({0}); write one with the generator, or see docs/alfworld.md for its form")]
    NotHousehold(String),
    /// Parentheses that do not match.
    #[error("{0}; every `(` needs its `)`: the text is cut short or damaged")]
    Unbalanced(&'static str),
    /// Brackets within brackets beyond the bound.
    #[error("is nested deeper than {0} levels; no game needs that: the text is damaged")]
    TooDeep(usize),
    /// A word is where another is expected.
    #[error("found {found}, expected {wanted}")]
    Unexpected {
        /// What was read.
        found: String,
        /// What the form asks for.
        wanted: String,
    },
    /// A predicate that the domain does not declare.
    #[error("there is no predicate `{name}`{hint}; declare it in (:predicates ...) of the domain, or correct its name")]
    UnknownPredicate {
        /// As it is written.
        name: String,
        /// The nearest known one, as a half sentence.
        hint: String,
    },
    /// A predicate with another number of arguments than declared.
    #[error("predicate `{name}` takes {declared} arguments and is given {given}")]
    Arity {
        /// The predicate.
        name: String,
        /// By its declaration.
        declared: usize,
        /// Here.
        given: usize,
    },
    /// A variable that nothing binds.
    #[error("variable `{0}` is bound by no parameter and no quantifier; declare it, or correct its name")]
    UnboundVariable(String),
    /// An object or type that is not declared.
    #[error("there is no {what} `{name}`{hint}; declare it, or correct its name")]
    Unknown {
        /// `object`, `type`, ...
        what: &'static str,
        /// As it is written.
        name: String,
        /// The nearest known one, as a half sentence.
        hint: String,
    },
    /// A grammar symbol that no rule defines.
    #[error(
        "the grammar has no symbol `{name}`{hint}, which `{user}` asks for; add a rule for it, or correct its name"
    )]
    UnknownSymbol {
        /// As it is written between `#`.
        name: String,
        /// The symbol or action that asks for it.
        user: String,
        /// The nearest known one, as a half sentence.
        hint: String,
    },
    /// A grammar symbol that comes back to itself.
    #[error("grammar symbol `{0}` leads back to itself, so that its text would never end; break the circle")]
    Circle(String),
    /// A text of the grammar that cannot be read.
    #[error("text {text:?} of `{symbol}`: {what}")]
    BadText {
        /// The symbol or action it belongs to.
        symbol: String,
        /// The text as it is written.
        text: String,
        /// What is wrong and what would be right.
        what: String,
    },
    /// An action of the domain without a block in the grammar.
    #[error("action `{0}` of the domain has no block in the grammar; add `action {0} {{ template :: ...; }}`")]
    NoWords(String),
    /// Something of PDDL that these games do not use and this engine does not run.
    #[error("{0} is not supported; these games use typed STRIPS with and, or, not, exists, forall, imply, = and when")]
    Unsupported(String),
    /// A bound of the engine is passed.
    #[error("has more than {limit} {what}; no game of this family comes near that: the text is damaged")]
    TooMany {
        /// What there is too much of.
        what: &'static str,
        /// The bound.
        limit: usize,
    },
    /// A predicate that the engine must know is not there.
    #[error("declares no predicate for {what} (one of: {known}); the domain is of another family of games")]
    NoRole {
        /// What the predicate states.
        what: &'static str,
        /// The names that are understood.
        known: String,
    },
}

impl Fault {
    /// The fault at a place, without a line.
    #[must_use]
    pub fn at(self, place: impl Into<String>) -> GameError {
        GameError { place: place.into(), line: None, fault: self }
    }
}

impl GameError {
    /// The same inside of an outer place: a file.
    #[must_use]
    pub fn within(mut self, outer: &str) -> Self {
        self.place = format!("{outer}: {}", self.place);
        self
    }
}
