//! What is known of a party to a conflict, without a name of a tool, a subject or an environment.
//!
//! Features come from proposals, commitments and what was seen of the episode. The true state is in none of them.

use serde::{Deserialize, Serialize};

use super::choices::{Choices, Contenders};
use crate::arbiter::{Party, Scene};
use crate::authority::Category;
use crate::conflict::Cause;
use crate::{Layer, Proposal};

/// What was seen of the episode before a conflict.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
pub struct Recent {
    /// The present step.
    pub step: u32,
    /// Steps that are left, the present one included.
    pub steps_left: u32,
    /// Steps of the episode.
    pub horizon: u32,
    /// Steps with harm among the last eight.
    pub harm: u32,
    /// Refused calls among the last eight.
    pub refusals: u32,
}

/// What is known of one party.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct Features {
    /// Its layer.
    pub layer: Layer,
    /// What kind of decision it is.
    pub category: Category,
    /// Whether it is a call; else a directive.
    pub is_call: bool,
    /// Whether it holds already; else it is wanted now.
    pub is_commitment: bool,
    /// Whether it is the idle call.
    pub is_idle: bool,
    /// Whether the environment takes the call now; true of directives.
    pub is_open: bool,
    /// Whether the layer says that something is being harmed now.
    pub emergency: bool,
    /// In thousandths, from 0 to 1,000.
    pub urgency: i64,
    /// In thousandths, from 0 to 1,000.
    pub confidence: i64,
    /// Resources that it reads.
    pub reads: u32,
    /// Resources that it writes.
    pub writes: u32,
    /// Its effects.
    pub effects: u32,
    /// Patterns of calls that it excludes or leaves.
    pub patterns: u32,
    /// Parties with which it is in conflict.
    pub conflicts: u32,
    /// Causes of its conflicts: resources.
    pub by_resource: u32,
    /// Causes of its conflicts: effects.
    pub by_effect: u32,
    /// Causes of its conflicts: directives.
    pub by_directive: u32,
    /// Causes of its conflicts: two calls in one step.
    pub by_call: u32,
    /// Other parties that use one of its resources.
    pub sharing: u32,
    /// Other parties that want one of its effects with the same value.
    pub agreeing: u32,
    /// Slower parties with which it is in conflict.
    pub slower: u32,
    /// Steps since which it holds.
    pub age: u32,
    /// Steps for which it will hold, the present one included, at most those that are left.
    pub span: u32,
    /// What was seen before.
    pub recent: Recent,
}

/// Names of the columns of [`Features::row`].
pub const COLUMNS: [&str; 32] = [
    "reflex",
    "tactical",
    "strategic",
    "institutional",
    "meta",
    "home",
    "call",
    "commitment",
    "idle",
    "open",
    "emergency",
    "urgency",
    "confidence",
    "reads",
    "writes",
    "effects",
    "patterns",
    "conflicts",
    "by_resource",
    "by_effect",
    "by_directive",
    "by_call",
    "sharing",
    "agreeing",
    "slower",
    "age",
    "span",
    "elapsed",
    "left",
    "harm",
    "refusals",
    "bias",
];

/// Counts are cut here, and divided by it.
const MANY: u32 = 8;
/// Steps are cut here, and divided by it.
const LONG: u32 = 100;

impl Features {
    /// The features of all parties, in the order of `choices`.
    #[must_use]
    pub fn of(choices: &Choices, wanted: Contenders<'_>, scene: &Scene<'_>, recent: Recent) -> Vec<Self> {
        let proposals = choices.proposals(wanted);
        (0..proposals.len()).map(|place| Self::one(choices, &proposals, place, wanted, scene, recent)).collect()
    }

    fn one(
        choices: &Choices,
        proposals: &[&Proposal],
        place: usize,
        wanted: Contenders<'_>,
        scene: &Scene<'_>,
        recent: Recent,
    ) -> Self {
        let proposal = proposals[place];
        let others = || proposals.iter().enumerate().filter(|(other, _)| *other != place).map(|(_, other)| *other);
        let own = choices.conflicts.iter().filter(|conflict| conflict.one == place || conflict.other == place);
        let own: Vec<_> = own.collect();
        let caused = |is: fn(&Cause) -> bool| {
            counted(own.iter().flat_map(|conflict| &conflict.causes).filter(|cause| is(cause)).count())
        };
        let commitment = match choices.parties[place] {
            Party::Proposal(_) => None,
            Party::Commitment(number) => wanted.commitments.iter().find(|one| one.number == number),
        };
        // A call holds in its own step alone; a directive without an end holds for the rest.
        let until = match commitment {
            Some(commitment) => commitment.until,
            None if proposal.as_call().is_some() => Some(proposal.until.unwrap_or(recent.step)),
            None => proposal.until,
        };
        let span = until.map_or(u32::MAX, |until| (until.saturating_add(1)).saturating_sub(recent.step));
        let call = proposal.as_call();
        let patterns = proposal.as_directive().map_or(0, |held| held.forbids.len() + held.only.len());
        let slower = own.iter().filter(|conflict| {
            let other = if conflict.one == place { conflict.other } else { conflict.one };
            proposals[other].layer > proposal.layer
        });
        Self {
            layer: proposal.layer,
            category: proposal.category,
            is_call: call.is_some(),
            is_commitment: commitment.is_some(),
            is_idle: call == Some(scene.idle),
            is_open: call.is_none_or(|call| call == scene.idle || (scene.open)(call)),
            emergency: proposal.emergency,
            urgency: proposal.urgency.0.clamp(0, 1000),
            confidence: proposal.confidence.0.clamp(0, 1000),
            reads: counted(proposal.resources.iter().filter(|used| !used.writes).count()),
            writes: counted(proposal.resources.iter().filter(|used| used.writes).count()),
            effects: counted(proposal.effects.len()),
            patterns: counted(patterns),
            conflicts: counted(own.len()),
            by_resource: caused(|cause| matches!(cause, Cause::Resource(_))),
            by_effect: caused(|cause| matches!(cause, Cause::Effect(_))),
            by_directive: caused(|cause| matches!(cause, Cause::Directive(_))),
            by_call: caused(|cause| matches!(cause, Cause::Call)),
            sharing: counted(others().filter(|other| shares(proposal, other)).count()),
            agreeing: counted(others().filter(|other| agrees(proposal, other)).count()),
            slower: counted(slower.count()),
            age: commitment.map_or(0, |commitment| commitment.age(recent.step)),
            span: span.min(recent.steps_left),
            recent,
        }
    }

    /// The features as numbers from 0 to 1, in the order of [`COLUMNS`]. Counts are cut at 8, steps at 100.
    #[must_use]
    pub fn row(&self) -> Vec<f32> {
        let flag = |flag: bool| if flag { 1.0 } else { 0.0 };
        let share = |number: u32, most: u32| number.min(most) as f32 / most as f32;
        let mut row: Vec<f32> = Layer::ALL.iter().map(|layer| flag(*layer == self.layer)).collect();
        let home = self.category.home().is_none_or(|home| home == self.layer);
        row.extend([home, self.is_call, self.is_commitment, self.is_idle, self.is_open, self.emergency].map(flag));
        row.extend([self.urgency, self.confidence].map(|number| number as f32 / 1000.0));
        let counts = [
            self.reads,
            self.writes,
            self.effects,
            self.patterns,
            self.conflicts,
            self.by_resource,
            self.by_effect,
            self.by_directive,
            self.by_call,
            self.sharing,
            self.agreeing,
            self.slower,
        ];
        row.extend(counts.map(|number| share(number, MANY)));
        row.extend([self.age, self.span].map(|steps| share(steps, LONG)));
        let left = share(self.recent.steps_left, self.recent.horizon.max(1));
        row.extend([1.0 - left, left]);
        row.extend([self.recent.harm, self.recent.refusals].map(|number| share(number, MANY)));
        row.push(1.0);
        row
    }
}

fn counted(count: usize) -> u32 {
    u32::try_from(count).unwrap_or(u32::MAX)
}

fn shares(one: &Proposal, other: &Proposal) -> bool {
    one.resources.iter().any(|used| other.resources.iter().any(|theirs| theirs.resource == used.resource))
}

fn agrees(one: &Proposal, other: &Proposal) -> bool {
    one.effects.iter().any(|effect| other.effects.contains(effect))
}
