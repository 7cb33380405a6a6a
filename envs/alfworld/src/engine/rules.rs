//! A domain and a grammar made ready to play: what all games of one wording share.

use super::join::Join;
use super::predicates::Predicates;
use super::view::{Binding, View};
use crate::error::{Fault, GameError};
use crate::grammar::{self, Grammar, Piece, Variable};
use crate::pddl::{ActionForm, Atom, Domain, EffectForm, Formula, Slot};

/// What an action is about, by its name. Agents are offered tools by it; the engine itself does not look at it.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum Role {
    /// Looking around.
    Look,
    /// What is carried.
    Inventory,
    /// The list of commands.
    Help,
    /// Going somewhere.
    Go,
    /// Looking at a piece of furniture.
    ExamineReceptacle,
    /// Looking at a thing.
    ExamineObject,
    /// Opening.
    Open,
    /// Closing.
    Close,
    /// Picking up.
    Take,
    /// Putting down.
    Put,
    /// Cleaning, heating, cooling, switching, slicing.
    Change,
    /// Anything else.
    Other,
}

/// Names of actions, in the published domain and in ours, and what they are about.
const ROLES: [(&str, Role); 28] = [
    ("look", Role::Look),
    ("inventory", Role::Inventory),
    ("help", Role::Help),
    ("gotolocation", Role::Go),
    ("examinereceptacle", Role::ExamineReceptacle),
    ("examineobject", Role::ExamineObject),
    ("openobject", Role::Open),
    ("closeobject", Role::Close),
    ("pickupobject", Role::Take),
    ("putobject", Role::Put),
    ("cleanobject", Role::Change),
    ("heatobject", Role::Change),
    ("coolobject", Role::Change),
    ("toggleobject", Role::Change),
    ("sliceobject", Role::Change),
    ("survey", Role::Look),
    ("pockets", Role::Inventory),
    ("advice", Role::Help),
    ("walk", Role::Go),
    ("inspect", Role::ExamineReceptacle),
    ("study", Role::ExamineObject),
    ("unlatch", Role::Open),
    ("shut", Role::Close),
    ("grab", Role::Take),
    ("drop", Role::Put),
    ("wash", Role::Change),
    ("warm", Role::Change),
    ("chill", Role::Change),
];

/// Ours alone: names of actions on switches and knives.
const MORE_ROLES: [(&str, Role); 2] = [("switch", Role::Change), ("cut", Role::Change)];

fn role_of(name: &str) -> Role {
    let known = ROLES.iter().chain(&MORE_ROLES).find(|(known, _)| *known == name);
    known.map_or(Role::Other, |(_, role)| *role)
}

/// An action made ready.
#[derive(Clone, Debug)]
pub struct Action {
    /// In lower case.
    pub name: String,
    /// What it is about.
    pub role: Role,
    /// How many parameters it has: the first slots.
    pub parameters: usize,
    /// Variables of the grammar that stand for parameters.
    pub variables: Vec<(Slot, Variable)>,
    /// When it can be done: one plan for each alternative.
    pub joins: Vec<Join>,
    /// What it does.
    pub effects: Vec<EffectForm>,
    /// Whether under some binding it changes nothing.
    may_be_idle: bool,
    /// Its command.
    pub template: Vec<Piece>,
    /// What is seen after it.
    pub feedback: Vec<Piece>,
}

/// What all games of one wording share.
#[derive(Clone, Debug)]
pub struct Rules {
    /// The domain.
    pub domain: Domain,
    /// Its predicates, and negations that texts ask for.
    pub predicates: Predicates,
    /// How many there are: fixed of one and of two arguments, moving of one and of two.
    pub counts: [usize; 4],
    /// The words.
    pub grammar: Grammar,
    /// Actions in the order of the domain.
    pub actions: Vec<Action>,
    /// Whether a condition or a text reads a predicate.
    pub read: Vec<bool>,
}

impl Rules {
    /// Makes a domain and a grammar ready. Gives the sentence of the task that the grammar holds, if it is plain.
    ///
    /// # Errors
    /// When one of them cannot be read, or they do not fit together.
    pub fn new(domain: &str, grammar: &str) -> Result<(Self, String), GameError> {
        let domain = Domain::read(domain)?;
        let mut predicates = Predicates::of(&domain);
        let (grammar, task) = Grammar::read(grammar, &domain, &mut predicates)?;
        let counts = predicates.settle();
        let mut actions = Vec::with_capacity(domain.actions.len());
        for form in &domain.actions {
            actions.push(Action::new(form, &predicates, &grammar)?);
        }
        if let Some(name) = grammar.unbound(&[Piece::Symbol(grammar.intro)], 0) {
            return Err(Fault::UnboundVariable(name.to_owned()).at("grammar, the first text"));
        }
        let mut read = vec![false; predicates.all.len()];
        grammar::predicates_read(&grammar, &mut |predicate| read[usize::from(predicate)] = true);
        for form in &domain.actions {
            form.precondition.predicates(&mut |predicate| read[usize::from(predicate)] = true);
            for when in form.effects.iter().filter_map(|effect| effect.when.as_ref()) {
                when.predicates(&mut |predicate| read[usize::from(predicate)] = true);
            }
        }
        Ok((Self { domain, predicates, counts, grammar, actions, read }, task))
    }
}

impl Action {
    fn new(form: &ActionForm, predicates: &Predicates, grammar: &Grammar) -> Result<Self, GameError> {
        let name = form.name.clone();
        let words = grammar.words(&name).ok_or_else(|| Fault::NoWords(name.clone()).at("grammar"))?;
        let variables: Vec<(Slot, Variable)> = form
            .parameters
            .iter()
            .filter_map(|parameter| {
                let known = grammar.variables.iter().position(|variable| *variable == parameter.name)?;
                Some((parameter.slot, known as Variable))
            })
            .collect();
        let bound = variables.iter().fold(0_u64, |bits, (_, variable)| bits | 1 << variable);
        for pieces in [&words.template, &words.feedback] {
            if let Some(missing) = grammar.unbound(pieces, bound) {
                let fault = Fault::UnboundVariable(missing.to_owned());
                return Err(fault.at(format!("grammar, action `{name}`")));
            }
        }
        let declared: Vec<_> = form.parameters.iter().map(|parameter| (parameter.slot, parameter.kind)).collect();
        let joins = Join::plan(&declared, &form.precondition, predicates).ok_or_else(|| {
            Fault::TooMany { what: "alternatives in one condition", limit: 64 }.at(format!("action `{name}`"))
        })?;
        let may_be_idle = may_be_idle(&form.effects, &joins);
        Ok(Self {
            role: role_of(&name),
            name,
            parameters: declared.len(),
            variables,
            joins,
            effects: form.effects.clone(),
            may_be_idle,
            template: words.template.clone(),
            feedback: words.feedback.clone(),
        })
    }

    /// Whether every effect under this binding is one of its own conditions, so that nothing changes: such actions are
    /// not offered.
    pub fn idle(&self, join: &Join, binding: &Binding, view: &View<'_>) -> bool {
        if !self.may_be_idle {
            return false;
        }
        let same = |one: &Atom, other: &Atom| {
            one.0 == other.0
                && one.1.iter().zip(&other.1).all(|(a, b)| view.value(*a, binding) == view.value(*b, binding))
        };
        let denied = |atom: &Atom| {
            join.tests.iter().any(|test| match test {
                Formula::Not(inner) => match &**inner {
                    Formula::Atom(predicate, terms) => same(&(*predicate, *terms), atom),
                    _ => false,
                },
                _ => false,
            })
        };
        self.effects.iter().all(|effect| {
            effect.adds.iter().all(|add| join.facts.iter().any(|fact| same(fact, add)))
                && effect.deletes.iter().all(|del| denied(del) || effect.adds.iter().any(|add| same(add, del)))
        })
    }
}

/// Whether the effects could all be conditions at once, judged by predicates alone.
fn may_be_idle(effects: &[EffectForm], joins: &[Join]) -> bool {
    let asks = |predicate: u16| {
        joins.iter().any(|join| {
            let in_test = |test: &Formula| {
                let mut found = false;
                test.predicates(&mut |read| found |= read == predicate);
                found
            };
            join.facts.iter().any(|(known, _)| *known == predicate) || join.tests.iter().any(in_test)
        })
    };
    effects.iter().all(|effect| {
        effect.when.is_none()
            && effect.adds.iter().all(|(predicate, _)| asks(*predicate))
            && effect
                .deletes
                .iter()
                .all(|(predicate, _)| asks(*predicate) || effect.adds.iter().any(|add| add.0 == *predicate))
    })
}
