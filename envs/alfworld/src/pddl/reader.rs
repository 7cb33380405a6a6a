//! Reads domains and formulas from their text.

use super::domain::{ActionForm, Domain, EffectForm, MOST_PARAMETERS, Parameter, PredicateForm};
use super::formula::{Formula, MAX_SLOTS, Slot, Term, TypeId, hint};
use super::lexer::{Lexer, Token, shortened};
use super::tree::Tree;
use crate::error::{Fault, GameError};

/// Bounds that no domain of the family comes near.
const MOST_ACTIONS: usize = 200;
const MOST_PREDICATES: usize = 500;
const MOST_TYPES: usize = 500;

impl Domain {
    /// Reads a domain, in any case of letters.
    ///
    /// # Errors
    /// With the line where something is wrong.
    pub fn read(text: &str) -> Result<Self, GameError> {
        let text = text.to_ascii_lowercase();
        let mut lexer = Lexer::new("pddl_domain", &text);
        let mut domain = Self::default();
        lexer.open("`(define (domain ...`")?;
        let word = lexer.word("`define`")?;
        if word != "define" {
            return Err(lexer.unexpected(Token::Word(word), "`define`"));
        }
        let mut actions = Vec::new();
        loop {
            match lexer.need()? {
                Token::Close => break,
                Token::Word(word) => return Err(lexer.unexpected(Token::Word(word), "a section in parentheses")),
                Token::Open => {}
            }
            let Tree::List(items, at) = Tree::rest_of_list(&mut lexer)? else { continue };
            let rest = items.get(1..).unwrap_or_default();
            match items.first().and_then(Tree::word) {
                Some("domain" | ":requirements" | ":functions") => {}
                Some(":types") => domain.read_types(rest, &lexer)?,
                Some(":predicates") => domain.read_predicates(rest, &lexer)?,
                // Actions may come before what they use.
                Some(":action") => actions.push((items, at)),
                _ => {
                    let what = items.first().map_or_else(|| "`()`".to_owned(), Tree::shown);
                    return Err(lexer.fault_at(at, Fault::Unsupported(format!("section {what}"))));
                }
            }
        }
        lexer.end()?;
        if actions.len() > MOST_ACTIONS {
            return Err(Fault::TooMany { what: "actions", limit: MOST_ACTIONS }.at("pddl_domain"));
        }
        for (items, at) in &actions {
            let action = domain.read_action(items, *at, &lexer)?;
            if domain.actions.iter().any(|known| known.name == action.name) {
                let wanted = "an action name that is not taken".to_owned();
                return Err(lexer.fault_at(*at, Fault::Unexpected { found: format!("`{}`", action.name), wanted }));
            }
            domain.actions.push(action);
        }
        if domain.actions.is_empty() {
            let fault = Fault::Unexpected { found: "the end".to_owned(), wanted: "an `(:action ...)`".to_owned() };
            return Err(fault.at("pddl_domain"));
        }
        Ok(domain)
    }

    fn read_types(&mut self, items: &[Tree<'_>], lexer: &Lexer<'_>) -> Result<(), GameError> {
        let mut waiting = 0;
        let mut parents: Vec<(usize, usize, &str)> = Vec::new();
        let mut rest = items.iter();
        while let Some(item) = rest.next() {
            let Some(name) = item.word() else {
                let fault = Fault::Unexpected { found: item.shown(), wanted: "the name of a type".to_owned() };
                return Err(lexer.fault_at(item.at(), fault));
            };
            if name == "-" {
                let Some(parent) = rest.next().and_then(Tree::word) else {
                    return Err(lexer.fault_at(item.at(), Fault::Unsupported("`either` as a parent type".to_owned())));
                };
                parents.push((waiting, self.types.len(), parent));
                waiting = self.types.len();
            } else if name != "object" && self.find_type(name).is_none() {
                self.types.push((name.to_owned(), TypeId::ANYTHING));
            }
        }
        if self.types.len() > MOST_TYPES {
            return Err(lexer.fault(Fault::TooMany { what: "types", limit: MOST_TYPES }));
        }
        for (from, to, parent) in parents {
            let parent = self.find_type(parent).unwrap_or(TypeId::ANYTHING);
            self.types[from..to].iter_mut().for_each(|(_, known)| *known = parent);
        }
        Ok(())
    }

    fn read_predicates(&mut self, items: &[Tree<'_>], lexer: &Lexer<'_>) -> Result<(), GameError> {
        for item in items {
            let parts = item.list().unwrap_or_default();
            let Some(name) = parts.first().and_then(Tree::word) else {
                let fault = Fault::Unexpected { found: item.shown(), wanted: "`(name ?argument - type)`".to_owned() };
                return Err(lexer.fault_at(item.at(), fault));
            };
            let mut reader = FormulaReader::new(self, lexer, Vec::new());
            let declared = reader.declare(&parts[1..])?;
            let arity = declared.len();
            if !(1..=2).contains(&arity) {
                let what = format!("predicate `{}` with {arity} arguments", shortened(name));
                return Err(lexer.fault_at(item.at(), Fault::Unsupported(what)));
            }
            let types = declared.into_iter().map(|(_, kind)| kind).collect();
            if self.find_predicate(name).is_none() {
                self.predicates.push(PredicateForm { name: name.to_owned(), arity, types });
            }
        }
        if self.predicates.len() > MOST_PREDICATES {
            return Err(lexer.fault(Fault::TooMany { what: "predicates", limit: MOST_PREDICATES }));
        }
        Ok(())
    }

    fn read_action(&mut self, items: &[Tree<'_>], at: usize, lexer: &Lexer<'_>) -> Result<ActionForm, GameError> {
        let Some(name) = items.get(1).and_then(Tree::word) else {
            let fault =
                Fault::Unexpected { found: "`(:action`".to_owned(), wanted: "the name of an action".to_owned() };
            return Err(lexer.fault_at(at, fault));
        };
        let mut parts: [(&str, Option<&Tree<'_>>); 3] =
            [(":parameters", None), (":precondition", None), (":effect", None)];
        for pair in items[2..].chunks(2) {
            let key = pair[0].word().unwrap_or_default();
            let Some((_, part)) = parts.iter_mut().find(|(known, _)| *known == key) else {
                let known = ["`:parameters`", "`:precondition`", "`:effect`"].join(", ");
                let hint = hint(key, [":parameters", ":precondition", ":effect"]);
                let what =
                    format!("section {} of action `{}`{hint} (known: {known})", pair[0].shown(), shortened(name));
                return Err(lexer.fault_at(pair[0].at(), Fault::Unsupported(what)));
            };
            let Some(list) = pair.get(1).filter(|tree| tree.list().is_some()) else {
                let found = pair.get(1).map_or_else(|| "the end of the action".to_owned(), Tree::shown);
                let wanted = format!("a list for `{key}` of action `{}`", shortened(name));
                return Err(lexer.fault_at(pair[0].at(), Fault::Unexpected { found, wanted }));
            };
            if part.replace(list).is_some() {
                let wanted = format!("one `{key}` in action `{}`", shortened(name));
                return Err(
                    lexer.fault_at(pair[0].at(), Fault::Unexpected { found: "a second one".to_owned(), wanted })
                );
            }
        }
        let part = |key: &str| parts.iter().find(|(known, _)| *known == key).and_then(|(_, part)| *part);
        let constants = self.constants.clone();
        let mut reader = FormulaReader::new(self, lexer, constants);
        let variables = part(":parameters").and_then(Tree::list).unwrap_or_default();
        let declared = reader.declare(variables)?;
        if declared.len() > MOST_PARAMETERS {
            let fault = Fault::TooMany { what: "parameters of one action", limit: MOST_PARAMETERS };
            return Err(lexer.fault_at(at, fault));
        }
        let names: Vec<&str> = reader.names().collect();
        let parameters = declared
            .iter()
            .zip(names)
            .map(|(&(slot, kind), name)| Parameter { name: name.trim_start_matches('?').to_owned(), slot, kind })
            .collect();
        let precondition = part(":precondition").map_or(Ok(Formula::TRUE), |tree| reader.formula(tree))?;
        let mut effects = vec![EffectForm::default()];
        if let Some(effect) = part(":effect") {
            read_effect(effect, &mut reader, lexer, &mut effects, false)?;
        }
        let constants = reader.constants;
        self.constants = constants;
        Ok(ActionForm { name: name.to_owned(), parameters, precondition, effects })
    }
}

/// Adds what an effect says to the first of `effects`, and a new one for each condition.
fn read_effect<'a>(
    tree: &Tree<'a>,
    reader: &mut FormulaReader<'_, 'a>,
    lexer: &Lexer<'a>,
    effects: &mut Vec<EffectForm>,
    inner: bool,
) -> Result<(), GameError> {
    let items = tree.list().unwrap_or_default();
    let target = if inner { effects.len() - 1 } else { 0 };
    match items.first().and_then(Tree::word) {
        None => Ok(()),
        Some("and") => items[1..].iter().try_for_each(|part| read_effect(part, reader, lexer, effects, inner)),
        // Costs of actions play no part.
        Some("increase") => Ok(()),
        Some("not") => {
            let inside = items.get(1).and_then(Tree::list).unwrap_or_default();
            let atom = reader.atom(inside, tree.at())?;
            effects[target].deletes.push(atom);
            Ok(())
        }
        Some("when") if !inner && items.len() == 3 => {
            let when = Some(reader.formula(&items[1])?);
            effects.push(EffectForm { when, ..EffectForm::default() });
            read_effect(&items[2], reader, lexer, effects, true)
        }
        Some(word @ ("when" | "forall" | "exists" | "or")) => {
            Err(lexer.fault_at(tree.at(), Fault::Unsupported(format!("`{word}` in this place of an effect"))))
        }
        Some(_) => {
            let atom = reader.atom(items, tree.at())?;
            effects[target].adds.push(atom);
            Ok(())
        }
    }
}

/// Reads formulas: names of variables in scope, and the constants that were met.
pub struct FormulaReader<'d, 'a> {
    domain: &'d Domain,
    lexer: &'d Lexer<'a>,
    /// Variables in scope, innermost last.
    scope: Vec<(&'a str, Slot)>,
    /// Slots given out.
    used: usize,
    /// Names of the constants met, in order.
    pub constants: Vec<String>,
}

impl<'d, 'a> FormulaReader<'d, 'a> {
    /// A reader that knows `constants` already.
    pub fn new(domain: &'d Domain, lexer: &'d Lexer<'a>, constants: Vec<String>) -> Self {
        Self { domain, lexer, scope: Vec::new(), used: 0, constants }
    }

    /// Brings typed variables into scope: `?a - agent ?l - location`. An undeclared type has no members: the original
    /// reads it so.
    pub fn declare(&mut self, items: &[Tree<'a>]) -> Result<Vec<(Slot, TypeId)>, GameError> {
        let mut declared = Vec::new();
        let mut waiting = Vec::new();
        let mut rest = items.iter();
        while let Some(item) = rest.next() {
            match item.word() {
                Some("-") => {
                    let Some(kind) = rest.next().and_then(Tree::word) else {
                        let what = "`either`, or a `-` without a type,".to_owned();
                        return Err(self.lexer.fault_at(item.at(), Fault::Unsupported(what)));
                    };
                    let kind = self.domain.find_type(kind).unwrap_or(TypeId::NOTHING);
                    declared.extend(waiting.drain(..).map(|slot| (slot, kind)));
                }
                Some(name) if name.starts_with('?') => {
                    if self.used >= MAX_SLOTS {
                        let fault = Fault::TooMany { what: "variables in one action or goal", limit: MAX_SLOTS };
                        return Err(self.lexer.fault_at(item.at(), fault));
                    }
                    let slot = self.used as Slot;
                    self.used += 1;
                    self.scope.push((name, slot));
                    waiting.push(slot);
                }
                _ => return Err(self.unexpected(item, "a variable such as `?o`")),
            }
        }
        declared.extend(waiting.drain(..).map(|slot| (slot, TypeId::ANYTHING)));
        Ok(declared)
    }

    /// Names of the variables in scope, by slot.
    pub fn names(&self) -> impl Iterator<Item = &'a str> + '_ {
        self.scope.iter().map(|(name, _)| *name)
    }

    fn unexpected(&self, found: &Tree<'_>, wanted: &str) -> GameError {
        let fault = Fault::Unexpected { found: found.shown(), wanted: wanted.to_owned() };
        self.lexer.fault_at(found.at(), fault)
    }

    fn term(&mut self, tree: &Tree<'a>) -> Result<Term, GameError> {
        let Some(word) = tree.word() else {
            return Err(self.unexpected(tree, "a variable or an object"));
        };
        if word.starts_with('?') {
            let known = self.scope.iter().rev().find(|(name, _)| *name == word);
            let unbound = || self.lexer.fault_at(tree.at(), Fault::UnboundVariable(word.to_owned()));
            return known.map(|(_, slot)| Term::Slot(*slot)).ok_or_else(unbound);
        }
        let known = self.constants.iter().position(|name| name == word);
        let at = known.unwrap_or_else(|| {
            self.constants.push(word.to_owned());
            self.constants.len() - 1
        });
        u16::try_from(at).map(Term::Constant).map_err(|_| {
            self.lexer.fault_at(tree.at(), Fault::TooMany { what: "constants", limit: usize::from(u16::MAX) })
        })
    }

    /// A fact with terms.
    pub fn atom(&mut self, items: &[Tree<'a>], at: usize) -> Result<(u16, [Term; 2]), GameError> {
        let Some(name) = items.first().and_then(Tree::word) else {
            let found = items.first().map_or_else(|| "`()`".to_owned(), Tree::shown);
            let fault = Fault::Unexpected { found, wanted: "a predicate or a connective".to_owned() };
            return Err(self.lexer.fault_at(at, fault));
        };
        let predicate = self.domain.predicate(name, self.lexer, at)?;
        let declared = self.domain.predicates[usize::from(predicate)].arity;
        let given = items.len() - 1;
        if given != declared {
            let fault = Fault::Arity { name: name.to_owned(), declared, given };
            return Err(self.lexer.fault_at(at, fault));
        }
        let first = self.term(&items[1])?;
        let second = if declared == 2 { self.term(&items[2])? } else { first };
        Ok((predicate, [first, second]))
    }

    /// A condition. Depth is bounded by that of the tree.
    pub fn formula(&mut self, tree: &Tree<'a>) -> Result<Formula, GameError> {
        let Some(items) = tree.list() else {
            return Err(self.unexpected(tree, "a condition in parentheses"));
        };
        let Some(first) = items.first() else { return Ok(Formula::TRUE) };
        let rest = &items[1..];
        let one = |wanted: usize| {
            let fault =
                || Fault::Unexpected { found: tree.shown(), wanted: format!("{} with {wanted} parts", first.shown()) };
            if rest.len() == wanted { Ok(()) } else { Err(self.lexer.fault_at(tree.at(), fault())) }
        };
        match first.word() {
            Some("and") => rest.iter().map(|part| self.formula(part)).collect::<Result<_, _>>().map(Formula::And),
            Some("or") => rest.iter().map(|part| self.formula(part)).collect::<Result<_, _>>().map(Formula::Or),
            Some("not") => {
                one(1)?;
                Ok(Formula::Not(Box::new(self.formula(&rest[0])?)))
            }
            Some("imply") => {
                one(2)?;
                let condition = Formula::Not(Box::new(self.formula(&rest[0])?));
                Ok(Formula::Or(vec![condition, self.formula(&rest[1])?]))
            }
            Some("=") => {
                one(2)?;
                Ok(Formula::Equal(self.term(&rest[0])?, self.term(&rest[1])?))
            }
            Some(quantifier @ ("exists" | "forall")) => {
                one(2)?;
                let Some(variables) = rest[0].list() else {
                    return Err(self.unexpected(&rest[0], "a list of variables"));
                };
                let outer = self.scope.len();
                let bound = self.declare(variables)?;
                let inner = Box::new(self.formula(&rest[1])?);
                self.scope.truncate(outer);
                Ok(if quantifier == "exists" { Formula::Exists(bound, inner) } else { Formula::Forall(bound, inner) })
            }
            _ => self.atom(items, tree.at()).map(|(predicate, terms)| Formula::Atom(predicate, terms)),
        }
    }
}
