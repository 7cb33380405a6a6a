//! Texts of a grammar: words, values, lists, symbols.

use crate::pddl::TypeId;

/// A variable of the grammar: the name of a parameter, as an index.
pub type Variable = u8;

/// Names of parameters that one grammar may use.
pub const MAX_VARIABLES: usize = 64;

/// A part of a text.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Piece {
    /// As it is written.
    Text(String),
    /// The sentence that says what to do, which differs from game to game.
    Task,
    /// What a symbol says under the present binding.
    Symbol(u16),
    /// A value of the present binding.
    Value(Value),
    /// A value for each match of a query, one after another.
    Each(Value, Query),
    /// The same as a list with separators; other pieces within are items of their own.
    List(Vec<Piece>),
}

/// What is within `{}`.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Value {
    /// The first of these sums that is not empty.
    First(Vec<Vec<Part>>),
    /// A symbol.
    Symbol(u16),
}

/// A summand.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Part {
    /// Between quotes.
    Literal(String),
    /// `x.name`, or `x` alone.
    Name(Variable),
    /// `x.id`: the object's symbol.
    Id(Variable),
    /// `x.indefinite`: the article of the published game, which is `a` before every name.
    Article(Variable),
    /// `x.article`: the article that the name asks for, in our own words.
    FittingArticle(Variable),
}

/// Facts that shall hold together, read from left to right; different variables never take the same value.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Query {
    /// Predicate and variables; the second of a unary one repeats the first.
    pub atoms: Vec<(u16, [(Variable, TypeId); 2])>,
    /// The variables, each once.
    pub variables: Vec<Variable>,
}

/// A way to expand a symbol: used if its condition holds.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Rule {
    /// Always, if none.
    pub condition: Option<Query>,
    /// What it says.
    pub text: Vec<Piece>,
}
