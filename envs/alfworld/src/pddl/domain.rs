//! A domain: types, predicates, actions.

use super::formula::{Formula, FormulaReader, Slot, Term, hint};
use super::lexer::{Lexer, Token, shortened};
use super::tree::Tree;
use crate::error::{Fault, GameError};

/// A type: an index into [`Domain::types`], or one of two special ones.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub struct TypeId(pub u16);

impl TypeId {
    /// The type of which everything is (`object` in PDDL).
    pub const ANYTHING: Self = Self(u16::MAX);
    /// A type without members.
    pub const NOTHING: Self = Self(u16::MAX - 1);
}

/// A declared predicate.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct PredicateForm {
    /// In lower case.
    pub name: String,
    /// One or two.
    pub arity: usize,
    /// Types of the arguments.
    pub types: Vec<TypeId>,
}

/// A predicate with its terms; the second of a unary one repeats the first.
pub type Atom = (u16, [Term; 2]);

/// What an action does, all at once or under a condition.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct EffectForm {
    /// It happens if this held before the action; always if none.
    pub when: Option<Formula>,
    /// Facts that hold after it.
    pub adds: Vec<Atom>,
    /// Facts that do not, unless added by the same action.
    pub deletes: Vec<Atom>,
}

/// An action as it is declared.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct ActionForm {
    /// In lower case.
    pub name: String,
    /// Its parameters: names without `?`, slots from nought, types.
    pub parameters: Vec<(String, Slot, TypeId)>,
    /// When it can be done.
    pub precondition: Formula,
    /// What it does.
    pub effects: Vec<EffectForm>,
}

/// A domain.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Domain {
    /// Types and their parents.
    pub types: Vec<(String, TypeId)>,
    /// Predicates that are declared.
    pub predicates: Vec<PredicateForm>,
    /// Actions in order.
    pub actions: Vec<ActionForm>,
    /// Names of objects that actions mention.
    pub constants: Vec<String>,
}

/// Bounds that no domain of the family comes near.
const MOST_ACTIONS: usize = 200;
const MOST_PREDICATES: usize = 500;
const MOST_TYPES: usize = 500;
/// Parameters of one action: a binding is one number of 128 bits.
pub(crate) const MOST_PARAMETERS: usize = 8;

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

    /// The type of a name; none if it is not declared.
    #[must_use]
    pub fn find_type(&self, name: &str) -> Option<TypeId> {
        if name == "object" {
            return Some(TypeId::ANYTHING);
        }
        self.types.iter().position(|(known, _)| known == name).map(|at| TypeId(at as u16))
    }

    /// The index of a predicate.
    pub fn find_predicate(&self, name: &str) -> Option<u16> {
        self.predicates.iter().position(|known| known.name == name).map(|at| at as u16)
    }

    pub(super) fn predicate(&self, name: &str, lexer: &Lexer<'_>, at: usize) -> Result<u16, GameError> {
        self.find_predicate(name).ok_or_else(|| {
            let hint = hint(name, self.predicates.iter().map(|known| known.name.as_str()));
            lexer.fault_at(at, Fault::UnknownPredicate { name: shortened(name), hint })
        })
    }

    /// Whether a member of `kind` is one of `of`.
    #[must_use]
    pub fn is_a(&self, kind: TypeId, of: TypeId) -> bool {
        if of == TypeId::ANYTHING {
            return true;
        }
        let mut kind = kind;
        // A chain of parents is no longer than there are types.
        for _ in 0..=self.types.len() {
            if kind == of {
                return of != TypeId::NOTHING;
            }
            match self.types.get(usize::from(kind.0)) {
                Some((_, parent)) => kind = *parent,
                None => return false,
            }
        }
        false
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
            .map(|((slot, kind), name)| (name.trim_start_matches('?').to_owned(), *slot, *kind))
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
