//! Commitments: what layers wanted and got, and what still holds of it.

use gimbal_core::Milli;
use serde::{Deserialize, Serialize};

use crate::contracts::{Plan, Policy, RollbackAction};
use crate::{Content, Layer, Proposal, pattern};

/// Something that a layer holds to.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct Commitment {
    /// Its number in the table, from 1.
    pub number: u64,
    /// What it is about: the name of a directive, or a call.
    pub subject: String,
    /// What was wanted; its layer holds to it.
    pub proposal: Proposal,
    /// The step since which it holds.
    pub since: u32,
    /// The last step in which it holds; `None` where it holds until it is released.
    pub until: Option<u32>,
    /// When and why it was released.
    pub released: Option<Release>,
}

/// The end of a commitment.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct Release {
    /// The step.
    pub step: u32,
    /// Why.
    pub by: ReleasedBy,
}

/// Why a commitment ended.
#[derive(Clone, Debug, PartialEq, Eq, PartialOrd, Ord, Hash, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum ReleasedBy {
    /// Its time was over.
    Expired,
    /// The same layer committed itself anew in the same matter: to the commitment of this number.
    Superseded(u64),
    /// A proposal of this layer won against it.
    Overruled(Layer),
    /// What it was about is reached.
    Reached,
    /// Its plan failed, with this answer.
    RolledBack(RollbackAction),
}

/// All commitments of an episode, in the order in which they were made.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
pub struct Commitments(Vec<Commitment>);

impl Commitments {
    /// A table without commitments.
    #[must_use]
    pub const fn new() -> Self {
        Self(Vec::new())
    }

    /// All commitments, those that were released too.
    #[must_use]
    pub fn all(&self) -> &[Commitment] {
        &self.0
    }

    /// Those that hold at a step, in the order in which they were made.
    pub fn live(&self, step: u32) -> impl Iterator<Item = &Commitment> {
        self.0.iter().filter(move |one| one.holds(step))
    }

    /// Enters what a layer wanted and got at a step. It takes the place of what the same layer holds in the same matter. Returns its number;
    /// `None` for a call without an `until` of its own, which holds in its own step alone and is not a commitment.
    pub fn commit(&mut self, proposal: &Proposal, step: u32) -> Option<u64> {
        let subject = match &proposal.content {
            Content::Directive(directive) => directive.id.clone(),
            Content::Call(_) if proposal.until.is_none() => return None,
            Content::Call(call) => pattern::shown(call),
        };
        let number = self.0.last().map_or(1, |last| last.number + 1);
        for earlier in &mut self.0 {
            if earlier.holds(step) && earlier.proposal.layer == proposal.layer && earlier.subject == subject {
                earlier.released = Some(Release { step, by: ReleasedBy::Superseded(number) });
            }
        }
        let until = proposal.until;
        self.0.push(Commitment { number, subject, proposal: proposal.clone(), since: step, until, released: None });
        Some(number)
    }

    /// Ends a commitment that holds. Returns whether there was one of that number.
    pub fn release(&mut self, number: u64, step: u32, by: ReleasedBy) -> bool {
        let found = self.0.iter_mut().find(|one| one.number == number && one.holds(step));
        let is_there = found.is_some();
        if let Some(found) = found {
            found.released = Some(Release { step, by });
        }
        is_there
    }

    /// Marks what is over at a step as expired, and returns the numbers.
    pub fn expire(&mut self, step: u32) -> Vec<u64> {
        let over =
            self.0.iter_mut().filter(|one| one.released.is_none() && one.until.is_some_and(|until| until < step));
        over.map(|one| {
            one.released = Some(Release { step, by: ReleasedBy::Expired });
            one.number
        })
        .collect()
    }

    /// Enters the directives of a policy at a step, in the place of the policy that the same layer set before. `last` is the last step in
    /// which it holds, from its `valid_until` on the clock of the session.
    pub fn set_policy(&mut self, layer: Layer, policy: &Policy, step: u32, last: Option<u32>) {
        let wanted = policy.directives().into_iter().map(|directive| Proposal::directive(layer, directive));
        self.enter(layer, wanted.map(|one| Proposal { until: last, ..one }).collect(), step);
    }

    /// Enters the directives of a plan at a step, in the place of the plan that the same layer made before. Its deadline ends them.
    pub fn set_plan(
        &mut self,
        layer: Layer,
        plan: &Plan,
        reached: &std::collections::BTreeSet<String>,
        made: u32,
        step: u32,
    ) {
        let wanted = plan.proposals(layer, reached, made, step).into_iter();
        self.enter(layer, wanted.map(|one| Proposal { urgency: Milli::ZERO, ..one }).collect(), step);
    }

    /// Ends all that a layer holds, because its plan failed. Returns the numbers.
    pub fn roll_back(&mut self, layer: Layer, action: RollbackAction, step: u32) -> Vec<u64> {
        let held = self.0.iter_mut().filter(|one| one.proposal.layer == layer && one.holds(step));
        held.map(|one| {
            one.released = Some(Release { step, by: ReleasedBy::RolledBack(action) });
            one.number
        })
        .collect()
    }

    /// Enters what a layer directs at a step, in the place of all that it directed before. What is named anew is superseded; what is not is reached or
    /// given up.
    pub fn enter(&mut self, layer: Layer, wanted: Vec<Proposal>, step: u32) {
        let named =
            |one: &Commitment| wanted.iter().any(|new| new.as_directive().is_some_and(|new| new.id == one.subject));
        let gone: Vec<u64> = self
            .live(step)
            .filter(|one| one.proposal.layer == layer && one.proposal.as_directive().is_some() && !named(one))
            .map(|one| one.number)
            .collect();
        for number in gone {
            self.release(number, step, ReleasedBy::Reached);
        }
        for proposal in wanted {
            let same = self
                .live(step)
                .any(|one| one.proposal == proposal && one.proposal.layer == layer && one.until == proposal.until);
            if !same {
                self.commit(&proposal, step);
            }
        }
    }
}

impl Commitment {
    /// Whether it holds at a step.
    #[must_use]
    pub fn holds(&self, step: u32) -> bool {
        self.released.is_none() && self.since <= step && self.until.is_none_or(|until| step <= until)
    }

    /// Steps for which it has held.
    #[must_use]
    pub const fn age(&self, step: u32) -> u32 {
        step.saturating_sub(self.since)
    }
}

/// The last step that begins at or before a time of the session, in steps of `step` thousandths of the session's clock from time 0 on.
#[must_use]
pub const fn last_step(until: Milli, step: Milli) -> u32 {
    if step.0 <= 0 || until.0 < 0 {
        return 0;
    }
    let steps = until.0 / step.0;
    if steps > u32::MAX as i64 { u32::MAX } else { steps as u32 }
}
