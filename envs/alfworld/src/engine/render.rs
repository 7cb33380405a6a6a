//! Texts under a binding, into a buffer that is used again and again.

use super::game::Game;
use super::view::View;
use crate::grammar::{MAX_VARIABLES, Part, Piece, Query, Value};
use crate::pddl::NO_SYMBOL;
use crate::words::article;

/// Values of the grammar's variables.
pub type Scope = [u16; MAX_VARIABLES];

/// Nothing bound.
pub const EMPTY_SCOPE: Scope = [NO_SYMBOL; MAX_VARIABLES];

/// What writes.
pub struct Writer<'a> {
    /// The game.
    pub game: &'a Game,
    /// What holds.
    pub view: View<'a>,
}

impl Writer<'_> {
    /// Appends the text of `pieces`.
    pub fn write(&self, pieces: &[Piece], scope: &mut Scope, out: &mut String) {
        for piece in pieces {
            match piece {
                Piece::Text(text) => out.push_str(text),
                Piece::Task => out.push_str(&self.game.task),
                Piece::Symbol(symbol) => self.symbol(*symbol, scope, out),
                Piece::Value(value) => self.value(value, scope, out),
                Piece::Each(value, query) => {
                    self.matches(&query.atoms, query, scope, &mut |scope| {
                        self.value(value, scope, out);
                        false
                    });
                }
                Piece::List(items) => self.list(items, scope, out),
            }
        }
    }

    fn symbol(&self, symbol: u16, scope: &mut Scope, out: &mut String) {
        let Some(symbol) = self.game.rules.grammar.symbols.get(usize::from(symbol)) else { return };
        let fits = |query: &Query, scope: &mut Scope| self.matches(&query.atoms, query, scope, &mut |_| true);
        // A condition is only asked whether it matches: what it binds does not last.
        let rule = symbol.rules.iter().find(|rule| rule.condition.as_ref().is_none_or(|query| fits(query, scope)));
        if let Some(rule) = rule {
            self.write(&rule.text, scope, out);
        }
    }

    fn value(&self, value: &Value, scope: &mut Scope, out: &mut String) {
        match value {
            Value::Symbol(symbol) => self.symbol(*symbol, scope, out),
            Value::First(sums) => {
                let start = out.len();
                for sum in sums {
                    for part in sum {
                        let symbol = |variable: &u8| scope[usize::from(*variable)];
                        match part {
                            Part::Literal(text) => out.push_str(text),
                            Part::Name(variable) => out.push_str(self.game.name(symbol(variable))),
                            Part::Id(variable) => out.push_str(self.game.id(symbol(variable))),
                            Part::Article(variable) if symbol(variable) != NO_SYMBOL => out.push('a'),
                            Part::FittingArticle(variable) if symbol(variable) != NO_SYMBOL => {
                                out.push_str(article(self.game.name(symbol(variable))));
                            }
                            Part::Article(_) | Part::FittingArticle(_) => {}
                        }
                    }
                    if out.len() > start {
                        break;
                    }
                }
            }
        }
    }

    /// Items are written with the usual separator before each; the last one is exchanged in the end.
    fn list(&self, items: &[Piece], scope: &mut Scope, out: &mut String) {
        let [empty, separator, last_separator] = &self.game.rules.grammar.separators;
        let start = out.len();
        let (mut count, mut last) = (0_usize, start);
        for item in items {
            match item {
                Piece::Each(value, query) => {
                    self.matches(&query.atoms, query, scope, &mut |scope| {
                        if count > 0 {
                            last = out.len();
                            out.push_str(separator);
                        }
                        count += 1;
                        self.value(value, scope, out);
                        false
                    });
                }
                other => {
                    if count > 0 {
                        last = out.len();
                        out.push_str(separator);
                    }
                    count += 1;
                    self.write(std::slice::from_ref(other), scope, out);
                }
            }
        }
        if count == 0 {
            out.push_str(empty);
        } else if count > 1 {
            out.replace_range(last..last + separator.len(), last_separator);
        }
    }

    /// Calls `each` for every match of the rest of a query, until it says to stop; whether it did. Variables that the
    /// scope binds already stay as they are.
    fn matches<F: FnMut(&mut Scope) -> bool>(
        &self,
        atoms: &[(u16, [(u8, crate::pddl::TypeId); 2])],
        query: &Query,
        scope: &mut Scope,
        each: &mut F,
    ) -> bool {
        let Some(((predicate, [one, other]), rest)) = atoms.split_first() else { return each(scope) };
        let place = self.view.place(*predicate);
        let table = self.view.table(place);
        let bound = |scope: &Scope, (variable, _): &(u8, _)| scope[usize::from(*variable)];
        let (first, second) = (bound(scope, one), bound(scope, other));
        // Binds a free variable to a value that no other variable of the query has.
        let bind = |scope: &mut Scope, (variable, kind): &(u8, crate::pddl::TypeId), symbol: u16| {
            let taken = query.variables.iter().any(|known| scope[usize::from(*known)] == symbol && known != variable);
            let fits = !taken && self.view.is_of(symbol, *kind);
            if fits {
                scope[usize::from(*variable)] = symbol;
            }
            fits
        };
        if !place.binary {
            if first != NO_SYMBOL {
                return table.has_one(place.index, first)
                    && self.view.is_of(first, one.1)
                    && self.matches(rest, query, scope, each);
            }
            let mut stopped = false;
            for symbol in table.members(place.index) {
                if bind(scope, one, symbol) {
                    stopped = self.matches(rest, query, scope, each);
                    scope[usize::from(one.0)] = NO_SYMBOL;
                    if stopped {
                        break;
                    }
                }
            }
            return stopped;
        }
        let relation = table.relation(place.index);
        match (first != NO_SYMBOL, second != NO_SYMBOL) {
            (true, true) => {
                relation.has(first, second)
                    && self.view.is_of(first, one.1)
                    && self.view.is_of(second, other.1)
                    && self.matches(rest, query, scope, each)
            }
            (true, false) => {
                self.view.is_of(first, one.1) && {
                    relation.of_first(first).iter().any(|pair| {
                        let fits = bind(scope, other, *pair as u16);
                        let stopped = fits && self.matches(rest, query, scope, each);
                        if fits {
                            scope[usize::from(other.0)] = NO_SYMBOL;
                        }
                        stopped
                    })
                }
            }
            (false, true) => {
                self.view.is_of(second, other.1) && {
                    relation.of_second(second).iter().any(|pair| {
                        let fits = bind(scope, one, *pair as u16);
                        let stopped = fits && self.matches(rest, query, scope, each);
                        if fits {
                            scope[usize::from(one.0)] = NO_SYMBOL;
                        }
                        stopped
                    })
                }
            }
            (false, false) => relation.pairs().iter().any(|pair| {
                let (a, b) = ((*pair >> 16) as u16, *pair as u16);
                let mut stopped = false;
                if bind(scope, one, a) {
                    if one.0 == other.0 {
                        stopped = a == b && self.matches(rest, query, scope, each);
                    } else if bind(scope, other, b) {
                        stopped = self.matches(rest, query, scope, each);
                        scope[usize::from(other.0)] = NO_SYMBOL;
                    }
                    scope[usize::from(one.0)] = NO_SYMBOL;
                }
                stopped
            }),
        }
    }
}
