//! Reads the texts of a grammar against the predicates of a domain.

use std::collections::BTreeMap;

use serde_json::Value as Json;

use super::blocks::Blocks;
use super::pieces::{MAX_VARIABLES, Part, Piece, Query, Rule, Value, Variable};
use super::{ActionWords, Grammar, Symbol};
use crate::engine::Predicates;
use crate::error::{Fault, GameError};
use crate::pddl::{Domain, TypeId};

/// Symbols by which lists are joined, and what they stand for.
const SEPARATORS: [&str; 3] = ["list_empty", "list_separator", "list_last_separator"];

pub(super) struct Reader<'r> {
    domain: &'r Domain,
    predicates: &'r mut Predicates,
    names: BTreeMap<String, u16>,
    variables: Vec<String>,
    /// The symbol or action whose text is read.
    user: String,
}

type Read<T> = Result<T, GameError>;

/// Whether a text is only itself.
pub(crate) fn is_plain(text: &str) -> bool {
    !text.contains(['#', '{', '[', '"', '\\'])
}

impl<'r> Reader<'r> {
    pub fn read(text: &str, domain: &'r Domain, predicates: &'r mut Predicates) -> Read<(Grammar, String)> {
        let blocks = Blocks::read(text)?;
        let limit = usize::from(u16::MAX);
        if blocks.symbols.len() > limit {
            return Err(Fault::TooMany { what: "symbols", limit }.at("grammar"));
        }
        let names = blocks.symbols.keys().enumerate().map(|(at, name)| (name.clone(), at as u16)).collect();
        let mut reader = Self { domain, predicates, names, variables: Vec::new(), user: String::new() };
        let mut task = String::new();
        let mut symbols = Vec::with_capacity(blocks.symbols.len());
        for (name, rules) in &blocks.symbols {
            reader.user.clone_from(name);
            let mut read = reader.rules(rules)?;
            if let ("task", [Rule { condition: None, text }]) = (name.as_str(), read.as_mut_slice())
                && let [Piece::Text(only)] = text.as_mut_slice()
            {
                task = std::mem::take(only);
                *text = vec![Piece::Task];
            }
            symbols.push(Symbol { name: name.clone(), rules: read });
        }
        let mut actions = Vec::with_capacity(blocks.actions.len());
        for block in &blocks.actions {
            reader.user.clone_from(&block.name);
            let written = |text: &Option<String>, what| {
                let missing = || reader.bad("", &format!("an action needs a `{what} :: \"...\";`"));
                text.clone().ok_or_else(missing)
            };
            let (template, feedback) = (written(&block.template, "template")?, written(&block.feedback, "feedback")?);
            let (template, feedback) = (reader.text(&template)?, reader.text(&feedback)?);
            actions.push(ActionWords { name: block.name.to_ascii_lowercase(), template, feedback });
        }
        reader.user = "a list".to_owned();
        let mut separators = [const { String::new() }; 3];
        for (separator, name) in separators.iter_mut().zip(SEPARATORS) {
            let symbol = &symbols[usize::from(reader.symbol(name)?)];
            let [Rule { condition: None, text }] = symbol.rules.as_slice() else {
                return Err(reader.bad(name, "it must have one rule without a condition"));
            };
            match text.as_slice() {
                [Piece::Text(text)] => separator.clone_from(text),
                [] => {}
                _ => return Err(reader.bad(name, "it must be plain text")),
            }
        }
        reader.user = "the first text".to_owned();
        let intro = reader.symbol("intro")?;
        let grammar = Grammar { symbols, actions, variables: reader.variables, separators, intro };
        grammar.check_circles()?;
        Ok((grammar, task))
    }

    fn bad(&self, text: &str, what: &str) -> GameError {
        let text = crate::pddl::shortened(text);
        Fault::BadText { symbol: self.user.clone(), text, what: what.to_owned() }.at("grammar")
    }

    fn symbol(&self, name: &str) -> Read<u16> {
        self.names.get(name).copied().ok_or_else(|| {
            let hint = crate::pddl::hint(name, self.names.keys().map(String::as_str));
            let name = crate::pddl::shortened(name);
            Fault::UnknownSymbol { name, user: self.user.clone(), hint }.at("grammar")
        })
    }

    fn variable(&mut self, name: &str) -> Read<Variable> {
        let name = name.trim();
        if name.is_empty() || !name.chars().all(|c| c.is_ascii_alphanumeric() || c == '_') {
            return Err(self.bad(name, "the name of a parameter is wanted here, such as `o`"));
        }
        if let Some(known) = self.variables.iter().position(|known| known == name) {
            return Ok(known as Variable);
        }
        if self.variables.len() >= MAX_VARIABLES {
            return Err(Fault::TooMany { what: "names of parameters", limit: MAX_VARIABLES }.at("grammar"));
        }
        self.variables.push(name.to_owned());
        Ok((self.variables.len() - 1) as Variable)
    }

    fn rules(&mut self, rules: &Json) -> Read<Vec<Rule>> {
        let Some(rules) = rules.as_array() else {
            return Err(self.bad(&rules.to_string(), "a symbol needs a list of rules"));
        };
        let mut read = Vec::with_capacity(rules.len());
        for rule in rules {
            let Some(text) = rule.get("rhs").and_then(Json::as_str) else {
                return Err(self.bad(&rule.to_string(), "a rule needs a text `rhs`"));
            };
            let condition = match rule.get("condition") {
                None | Some(Json::Null) => None,
                Some(Json::String(text)) if text.trim().is_empty() => None,
                Some(Json::String(text)) => Some(self.query(text)?),
                Some(other) => return Err(self.bad(&other.to_string(), "a condition is a text")),
            };
            read.push(Rule { condition, text: self.text(text)? });
        }
        Ok(read)
    }

    fn text(&mut self, text: &str) -> Read<Vec<Piece>> {
        let mut rest = text;
        let pieces = self.pieces(&mut rest, text, false)?;
        Ok(pieces)
    }

    fn pieces(&mut self, rest: &mut &str, whole: &str, in_list: bool) -> Read<Vec<Piece>> {
        let mut pieces = Vec::new();
        loop {
            let stop = rest.find(if in_list { &['#', '{', '[', ']'][..] } else { &['#', '{', '['][..] });
            let (plain, tail) = rest.split_at(stop.unwrap_or(rest.len()));
            if !plain.is_empty() {
                pieces.push(Piece::Text(plain.to_owned()));
            }
            let Some(mark) = tail.chars().next() else {
                *rest = "";
                return if in_list { Err(self.bad(whole, "a `[` needs its `]`")) } else { Ok(pieces) };
            };
            let inside = &tail[1..];
            *rest = match mark {
                ']' => {
                    *rest = inside;
                    return Ok(pieces);
                }
                '#' => {
                    let Some((name, after)) = inside.split_once('#') else {
                        return Err(self.bad(whole, "a `#` needs a second one behind the name of a symbol"));
                    };
                    pieces.push(Piece::Symbol(self.symbol(name)?));
                    after
                }
                '{' => {
                    let Some((inside, after)) = inside.split_once('}') else {
                        return Err(self.bad(whole, "a `{` needs its `}`"));
                    };
                    pieces.push(match inside.split_once('|') {
                        Some((value, query)) => Piece::Each(self.value(value)?, self.query(query)?),
                        None => Piece::Value(self.value(inside)?),
                    });
                    after
                }
                _ if in_list => return Err(self.bad(whole, "a list holds no other list")),
                _ => {
                    let mut inner = inside;
                    let items = self.pieces(&mut inner, whole, true)?;
                    pieces.push(Piece::List(items));
                    inner
                }
            };
        }
    }

    fn value(&mut self, text: &str) -> Read<Value> {
        let text = text.trim();
        if let Some(name) = text.strip_prefix('#').and_then(|text| text.strip_suffix('#')) {
            return self.symbol(name).map(Value::Symbol);
        }
        let mut alternatives = Vec::new();
        for alternative in text.split(" or ") {
            let mut parts = Vec::new();
            let mut rest = alternative.trim();
            loop {
                let (part, after) = self.part(rest, text)?;
                parts.push(part);
                rest = after.trim_start();
                match rest.strip_prefix('+') {
                    Some(after) => rest = after.trim_start(),
                    None if rest.is_empty() => break,
                    None => return Err(self.bad(text, "only `+` and `or` join values")),
                }
            }
            alternatives.push(parts);
        }
        Ok(Value::First(alternatives))
    }

    fn part<'t>(&mut self, text: &'t str, whole: &str) -> Read<(Part, &'t str)> {
        if let Some(inside) = text.strip_prefix('\'') {
            let Some((literal, after)) = inside.split_once('\'') else {
                return Err(self.bad(whole, "a `'` needs a second one"));
            };
            return Ok((Part::Literal(literal.to_owned()), after));
        }
        let end = text.find(|c: char| c.is_whitespace() || c == '+').unwrap_or(text.len());
        let (word, after) = text.split_at(end);
        let (name, attribute) = word.split_once('.').unwrap_or((word, "name"));
        let variable = self.variable(name)?;
        let part = match attribute {
            "name" => Part::Name(variable),
            "id" => Part::Id(variable),
            "indefinite" => Part::Article(variable),
            "article" => Part::FittingArticle(variable),
            _ => return Err(self.bad(word, "an object has `name`, `id`, `indefinite` and `article`")),
        };
        Ok((part, after))
    }

    fn query(&mut self, text: &str) -> Read<Query> {
        let mut query = Query::default();
        for conjunct in text.split('&') {
            let form = "a condition is `predicate(x:type, y:type)`, joined with `&`";
            let Some((name, arguments)) = conjunct.trim().strip_suffix(')').and_then(|text| text.split_once('('))
            else {
                return Err(self.bad(text, form));
            };
            let name = name.trim().to_ascii_lowercase();
            let Some((predicate, arity)) = self.predicates.find_or_negate(&name) else {
                let hint = crate::pddl::hint(&name, self.predicates.names());
                let fault = Fault::UnknownPredicate { name: crate::pddl::shortened(&name), hint };
                return Err(fault.at(format!("grammar symbol `{}`", self.user)));
            };
            let mut terms = Vec::with_capacity(2);
            for argument in arguments.split(',') {
                let (variable, kind) = argument.split_once(':').map_or((argument, None), |(v, k)| (v, Some(k.trim())));
                let kind = match kind {
                    None => TypeId::ANYTHING,
                    Some(name) => self.domain.find_type(name).ok_or_else(|| {
                        let hint = crate::pddl::hint(name, self.domain.types.iter().map(|(n, _)| n.as_str()));
                        let fault = Fault::Unknown { what: "type", name: crate::pddl::shortened(name), hint };
                        fault.at(format!("grammar symbol `{}`", self.user))
                    })?,
                };
                let variable = self.variable(variable)?;
                if !query.variables.contains(&variable) {
                    query.variables.push(variable);
                }
                terms.push((variable, kind));
            }
            if terms.len() != arity {
                let fault = Fault::Arity { name, declared: arity, given: terms.len() };
                return Err(fault.at(format!("grammar symbol `{}`", self.user)));
            }
            let last = terms[arity - 1];
            query.atoms.push((predicate, [terms[0], last]));
        }
        Ok(query)
    }
}
