//! Plans as plain code reads them: order, what is ready, deadline, rollback (Tab. 30; CTHA-048, CTHA-053).

use std::collections::{BTreeMap, BTreeSet};

use gimbal_core::Milli;
use gimbal_messages::{numbers, typed};
use serde::{Deserialize, Serialize};
use serde_json::Value;

use super::condition::{Condition, Situation};
use super::policy::Policy;
use crate::{Directive, Layer, Pattern, Proposal};

/// What the faster layers must reach.
#[derive(Clone, Debug, Default, PartialEq, Eq, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Plan {
    /// Name of the goal.
    pub goal_id: String,
    /// Subgoals, as written.
    pub subgoals: Vec<Subgoal>,
    /// Constraints, as written.
    #[serde(default)]
    pub constraints: Vec<String>,
    /// From 0 to 1, in thousandths.
    #[serde(deserialize_with = "numbers::milli")]
    pub priority: Milli,
    /// Steps after which the plan is over, counted from the one in which it was made.
    #[serde(default, deserialize_with = "numbers::whole_or_none")]
    pub deadline: Option<i64>,
    /// What happens where the plan fails.
    pub rollback: Option<Rollback>,
}

/// A part of a goal.
#[derive(Clone, Debug, Default, PartialEq, Eq, Deserialize)]
pub struct Subgoal {
    /// Name.
    pub id: String,
    /// In words.
    pub description: String,
    /// When it is reached.
    pub success_criteria: String,
    /// Subgoals that must be reached before.
    #[serde(default)]
    pub dependencies: Vec<String>,
}

/// What happens where a plan fails.
#[derive(Clone, Debug, PartialEq, Eq, Deserialize)]
pub struct Rollback {
    /// When it fails; empty where the plan says nothing.
    #[serde(default)]
    pub condition: String,
    /// What happens then; a plan that says nothing has its layer asked.
    #[serde(default)]
    pub action: RollbackAction,
}

/// What happens where a plan fails.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, PartialOrd, Ord, Hash, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum RollbackAction {
    /// The subgoal begins anew.
    Retry,
    /// The layer that made the plan is asked.
    #[default]
    Escalate,
    /// The plan is given up.
    Abort,
}

impl RollbackAction {
    /// Its name in messages.
    #[must_use]
    pub const fn name(self) -> &'static str {
        match self {
            Self::Retry => "retry",
            Self::Escalate => "escalate",
            Self::Abort => "abort",
        }
    }
}

/// A plan under a policy.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Overridden {
    /// What is left of the plan.
    pub plan: Plan,
    /// Subgoals that were left out, in the plan's order, each with the pattern that forbids it; those that depend on such a one have that of
    /// the one.
    pub removed: Vec<(String, Pattern)>,
}

impl Plan {
    /// A plan that follows its contract, as plain code reads it.
    ///
    /// # Errors
    /// When it does not follow it: the place, what was found and what was expected.
    pub fn read(value: &Value) -> Result<Self, String> {
        typed(value.clone())
    }

    /// The plan of [`super::Kind::default`]: it asks for nothing.
    #[must_use]
    pub fn nothing() -> Self {
        Self { goal_id: "none".to_owned(), ..Self::default() }
    }

    /// The subgoals in an order in which each comes after all that it depends on; among those that may come next, the first written. Subgoals in a
    /// circle, which no projected plan has, are left out.
    #[must_use]
    pub fn order(&self) -> Vec<&Subgoal> {
        let mut done: BTreeSet<String> = BTreeSet::new();
        let mut order = Vec::new();
        while let Some(next) = self.ready(&done).into_iter().next() {
            done.insert(next.id.clone());
            order.push(next);
        }
        order
    }

    /// The subgoals that are not reached and wait for none, in the plan's order.
    #[must_use]
    pub fn ready(&self, reached: &BTreeSet<String>) -> Vec<&Subgoal> {
        let free = |subgoal: &&Subgoal| {
            !reached.contains(&subgoal.id) && subgoal.dependencies.iter().all(|needed| reached.contains(needed))
        };
        self.subgoals.iter().filter(free).collect()
    }

    /// Whether the plan's time is over, `steps` after the step in which it was made. A deadline of 0 or less is over at once.
    #[must_use]
    pub fn is_over(&self, steps: u32) -> bool {
        self.deadline.is_some_and(|deadline| i64::from(steps) >= deadline)
    }

    /// What happens now where the plan fails. `failed` is what a reader says of conditions that code cannot judge; `None` where there is nobody
    /// to ask. A rollback without a condition answers every failure.
    #[must_use]
    pub fn rollback(&self, situation: &Situation<'_>, failed: Option<bool>) -> Option<RollbackAction> {
        let rollback = self.rollback.as_ref()?;
        let holds = if rollback.condition.trim().is_empty() {
            failed
        } else {
            Condition::of(&rollback.condition).holds(situation).or(failed)
        };
        (holds == Some(true)).then_some(rollback.action)
    }

    /// The directives of the plan: one for the constraints, and one for each subgoal of `ready`. A constraint `forbid PATTERN` or
    /// `only PATTERN` binds calls; other constraints are words for the layers that read the plan.
    #[must_use]
    pub fn directives(&self, reached: &BTreeSet<String>) -> Vec<Directive> {
        let after = |word: &str| -> Vec<Pattern> {
            let bound = self.constraints.iter().filter_map(|one| {
                let (first, pattern) = one.trim().split_once(' ')?;
                first.eq_ignore_ascii_case(word).then(|| Pattern::new(pattern))
            });
            bound.collect()
        };
        let mut directives = Vec::new();
        if !self.constraints.is_empty() {
            directives.push(Directive {
                id: format!("{}/constraints", self.goal_id),
                text: self.constraints.join("; "),
                forbids: after("forbid"),
                only: after("only"),
            });
        }
        directives.extend(self.ready(reached).into_iter().map(|subgoal| Directive {
            id: format!("{}/{}", self.goal_id, subgoal.id),
            text: subgoal.description.clone(),
            ..Directive::default()
        }));
        directives
    }

    /// The directives as proposals of a layer at a step, `made` being the one in which the plan was made: as sure as the plan's priority. Those of a plan
    /// whose time is over are none. What is to be reached within n steps is as urgent as 1 / n, and a plan without a deadline is not urgent.
    #[must_use]
    pub fn proposals(&self, layer: Layer, reached: &BTreeSet<String>, made: u32, step: u32) -> Vec<Proposal> {
        let directives = if self.is_over(step.saturating_sub(made)) { Vec::new() } else { self.directives(reached) };
        let urgency = self.deadline.map_or(Milli::ZERO, |deadline| Milli(1000 / deadline.max(1)));
        let last = self.last(made);
        let of = |directive| Proposal {
            until: last,
            ..Proposal::directive(layer, directive).scored(urgency, self.priority)
        };
        directives.into_iter().map(of).collect()
    }

    /// The last step in which it holds: a deadline of n covers the step in which it was made and the n - 1 after it.
    #[must_use]
    pub fn last(&self, made: u32) -> Option<u32> {
        self.deadline.map(|deadline| {
            let last = i64::from(made).saturating_add(deadline).saturating_sub(1);
            u32::try_from(last.max(0)).unwrap_or(u32::MAX)
        })
    }

    /// The plan without what a policy forbids: policies come before what the layers below them say (Eq. 17; CTHA-044). A subgoal is forbidden
    /// where its description names, as whole words, a call that the policy forbids or denies; what depends on it goes with it.
    #[must_use]
    pub fn under(&self, policy: &Policy) -> Overridden {
        let patterns = policy.denied_calls();
        let mut removed: BTreeMap<&str, Pattern> = BTreeMap::new();
        for subgoal in &self.subgoals {
            if let Some(pattern) = patterns.iter().find(|pattern| pattern.is_named_in(&subgoal.description)) {
                removed.insert(&subgoal.id, pattern.clone());
            }
        }
        loop {
            let next =
                self.subgoals.iter().filter(|subgoal| !removed.contains_key(subgoal.id.as_str())).find_map(|one| {
                    let needed = one.dependencies.iter().find_map(|needed| removed.get(needed.as_str()))?;
                    Some((one.id.as_str(), needed.clone()))
                });
            let Some((id, pattern)) = next else { break };
            removed.insert(id, pattern);
        }
        let mut plan = self.clone();
        plan.subgoals.retain(|subgoal| !removed.contains_key(subgoal.id.as_str()));
        let told = self.subgoals.iter().filter_map(|one| Some((one.id.clone(), removed.get(one.id.as_str())?.clone())));
        Overridden { removed: told.collect(), plan }
    }
}

/// The names that wait for one another: those that are left when what waits for nothing is taken away again and again. Edges lead from a name to what
/// it waits for; every name that is waited for is among them.
pub(super) fn waits_in_circle(edges: &[(String, Vec<String>)]) -> Vec<String> {
    let mut left: Vec<&(String, Vec<String>)> = edges.iter().collect();
    loop {
        let names: BTreeSet<&str> = left.iter().map(|(name, _)| name.as_str()).collect();
        let waiting = |edge: &&(String, Vec<String>)| edge.1.iter().any(|needed| names.contains(needed.as_str()));
        let rest: Vec<_> = left.iter().copied().filter(waiting).collect();
        if rest.len() == left.len() {
            return rest.into_iter().map(|(name, _)| name.clone()).collect();
        }
        left = rest;
    }
}
