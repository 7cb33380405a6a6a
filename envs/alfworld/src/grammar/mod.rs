//! The words of a game: commands and texts, read from its grammar.
//!
//! Nothing of the wording is built in. A grammar is a set of symbols, each with rules that say under which facts which
//! text is said, and a template and a feedback for each action. Both published wordings are such files.

mod blocks;
mod pieces;
mod reader;

pub use pieces::{MAX_VARIABLES, Part, Piece, Query, Rule, Value, Variable};
pub(crate) use reader::is_plain;

use crate::engine::Predicates;
use crate::error::{Fault, GameError};
use crate::pddl::Domain;

/// A symbol and its rules.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Symbol {
    /// As it is written between `#`.
    pub name: String,
    /// The first whose condition holds is used.
    pub rules: Vec<Rule>,
}

/// What an action says.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct ActionWords {
    /// The action, in lower case.
    pub name: String,
    /// The command.
    pub template: Vec<Piece>,
    /// What is seen after it.
    pub feedback: Vec<Piece>,
}

/// A grammar that is read and checked: every symbol is there, and none leads back to itself.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Grammar {
    /// Symbols.
    pub symbols: Vec<Symbol>,
    /// Actions, those that the domain does not have included.
    pub actions: Vec<ActionWords>,
    /// Names of parameters that its texts use.
    pub variables: Vec<String>,
    /// An empty list; what is between two items; between the last two.
    pub separators: [String; 3],
    /// The first text of a game.
    pub intro: u16,
}

/// Symbols within symbols; more would only be a way to fill memory.
const DEEPEST: usize = 64;
const LARGEST: usize = 10_000;

impl Grammar {
    /// Reads a grammar against a domain. Gives the sentence of its symbol `task` apart, if it is plain: it is all that
    /// differs between the games of one wording.
    ///
    /// # Errors
    /// When a text cannot be read, or asks for a symbol or a predicate that is not there.
    pub(crate) fn read(text: &str, domain: &Domain, predicates: &mut Predicates) -> Result<(Self, String), GameError> {
        reader::Reader::read(text, domain, predicates)
    }

    /// No symbol may lead back to itself.
    fn check_circles(&self) -> Result<(), GameError> {
        #[derive(Clone, Copy, PartialEq)]
        enum Mark {
            New,
            Open,
            Done,
        }
        let mut marks = vec![Mark::New; self.symbols.len()];
        // How many texts a symbol grows into.
        let mut sizes = vec![1_usize; self.symbols.len()];
        for start in 0..self.symbols.len() {
            // A stack of our own: symbol, and the number of its next mention.
            let mut stack: Vec<(usize, Vec<u16>)> = Vec::new();
            if marks[start] == Mark::New {
                marks[start] = Mark::Open;
                stack.push((start, self.mentions(start)));
            }
            while let Some((symbol, mentions)) = stack.last_mut() {
                let symbol = *symbol;
                match mentions.pop().map(usize::from) {
                    None => {
                        marks[symbol] = Mark::Done;
                        sizes[symbol] =
                            self.mentions(symbol).iter().fold(1, |sum, at| sizes[usize::from(*at)].saturating_add(sum));
                        if sizes[symbol] > LARGEST {
                            return Err(Fault::TooMany { what: "texts within one text", limit: LARGEST }.at("grammar"));
                        }
                        stack.pop();
                    }
                    Some(next) if marks[next] == Mark::Open => {
                        return Err(Fault::Circle(self.symbols[next].name.clone()).at("grammar"));
                    }
                    Some(next) if marks[next] == Mark::New => {
                        if stack.len() >= DEEPEST {
                            return Err(Fault::TooDeep(DEEPEST).at("grammar"));
                        }
                        marks[next] = Mark::Open;
                        stack.push((next, self.mentions(next)));
                    }
                    Some(_) => {}
                }
            }
        }
        Ok(())
    }

    fn mentions(&self, symbol: usize) -> Vec<u16> {
        let mut found = Vec::new();
        self.symbols[symbol].rules.iter().for_each(|rule| mentions(&rule.text, &mut found));
        found
    }

    /// The variables that `pieces` need and nothing within them binds, given what is bound.
    pub(crate) fn unbound(&self, pieces: &[Piece], bound: u64) -> Option<&str> {
        let missing = self.missing(pieces, bound)?;
        self.variables.get(usize::from(missing)).map(String::as_str)
    }

    fn missing(&self, pieces: &[Piece], bound: u64) -> Option<Variable> {
        pieces.iter().find_map(|piece| match piece {
            Piece::Text(_) | Piece::Task => None,
            Piece::Symbol(symbol) => self.missing_in_symbol(*symbol, bound),
            Piece::Value(value) => self.missing_in_value(value, bound),
            Piece::Each(value, query) => {
                let inner = query.variables.iter().fold(bound, |bits, variable| bits | 1 << variable);
                self.missing_in_value(value, inner)
            }
            Piece::List(items) => self.missing(items, bound),
        })
    }

    fn missing_in_symbol(&self, symbol: u16, bound: u64) -> Option<Variable> {
        self.symbols[usize::from(symbol)].rules.iter().find_map(|rule| self.missing(&rule.text, bound))
    }

    fn missing_in_value(&self, value: &Value, bound: u64) -> Option<Variable> {
        match value {
            Value::Symbol(symbol) => self.missing_in_symbol(*symbol, bound),
            Value::First(sums) => sums.iter().flatten().find_map(|part| match part {
                Part::Literal(_) => None,
                Part::Name(variable)
                | Part::Id(variable)
                | Part::Article(variable)
                | Part::FittingArticle(variable) => (bound & (1 << variable) == 0).then_some(*variable),
            }),
        }
    }

    /// The words of an action of the domain.
    pub(crate) fn words(&self, action: &str) -> Option<&ActionWords> {
        self.actions.iter().find(|known| known.name == action)
    }
}

fn mentions(pieces: &[Piece], found: &mut Vec<u16>) {
    for piece in pieces {
        match piece {
            Piece::Symbol(symbol) | Piece::Value(Value::Symbol(symbol)) | Piece::Each(Value::Symbol(symbol), _) => {
                found.push(*symbol);
            }
            Piece::List(items) => mentions(items, found),
            Piece::Text(_) | Piece::Task | Piece::Value(_) | Piece::Each(..) => {}
        }
    }
}

/// Where the sentence of the symbol `task` is in the text of a grammar, if it is plain.
pub(crate) fn task_place(text: &str) -> Option<std::ops::Range<usize>> {
    let mut at = text.find("\"task\"")? + "\"task\"".len();
    for mark in [":", "[", "{", "\"rhs\"", ":", "\""] {
        let rest = &text[at..];
        let trimmed = rest.trim_start();
        at += rest.len() - trimmed.len() + mark.len();
        if !trimmed.starts_with(mark) {
            return None;
        }
    }
    let end = at + text[at..].find('"')?;
    is_plain(&text[at..end]).then_some(at..end)
}

/// The predicates that the conditions and queries of a grammar read.
pub(crate) fn predicates_read(grammar: &Grammar, each: &mut dyn FnMut(u16)) {
    fn of_query(query: &Query, each: &mut dyn FnMut(u16)) {
        query.atoms.iter().for_each(|(predicate, _)| each(*predicate));
    }
    fn of_pieces(pieces: &[Piece], each: &mut dyn FnMut(u16)) {
        for piece in pieces {
            match piece {
                Piece::Each(_, query) => of_query(query, each),
                Piece::List(items) => of_pieces(items, each),
                _ => {}
            }
        }
    }
    for rule in grammar.symbols.iter().flat_map(|symbol| &symbol.rules) {
        rule.condition.iter().for_each(|query| of_query(query, each));
        of_pieces(&rule.text, each);
    }
    for action in &grammar.actions {
        of_pieces(&action.template, each);
        of_pieces(&action.feedback, each);
    }
}
