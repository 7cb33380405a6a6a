//! Conflicts: which proposals exclude one another, and why (Eq. 23; CTHA-070, CTHA-R05).
//!
//! Resources and effects are indexed by name, so that only parties that share one are compared. The work calls its arbiter linear and
//! detects conflicts pair by pair; here the comparisons that were made are counted ([`Found::comparisons`]).

use std::collections::{BTreeMap, BTreeSet};

use serde::{Deserialize, Serialize};

use crate::Proposal;

/// What counts as a conflict.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct Detector {
    /// Whether two that read the same resource leave one another in peace. Eq. 23 knows no readers: any shared resource is a conflict.
    pub readers_share: bool,
    /// Whether two different calls exclude one another, because a step takes one call, and two that are the same do not, whatever they use.
    /// Eq. 23 says neither.
    pub one_call: bool,
}

/// Two parties that exclude one another.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct Conflict {
    /// Place of the first party.
    pub one: usize,
    /// Place of the second party, greater than the first.
    pub other: usize,
    /// Why, each once.
    pub causes: BTreeSet<Cause>,
}

/// Why two parties exclude one another.
#[derive(Clone, Debug, PartialEq, Eq, PartialOrd, Ord, Hash, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum Cause {
    /// Both use this resource, and at least one of them writes it.
    Resource(String),
    /// They would give this key two values.
    Effect(String),
    /// The directive of this name of the one does not let the call of the other through.
    Directive(String),
    /// They want two different calls in one step.
    Call,
}

/// The conflicts among parties.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
pub struct Found {
    /// In the order of their places.
    pub conflicts: Vec<Conflict>,
    /// Pairs that were compared.
    pub comparisons: u64,
}

impl Default for Detector {
    /// Readers share, and a step takes one call.
    fn default() -> Self {
        Self { readers_share: true, one_call: true }
    }
}

impl Detector {
    /// Eq. 23 as printed: any shared resource, or contradictory effects.
    #[must_use]
    pub const fn published() -> Self {
        Self { readers_share: false, one_call: false }
    }

    /// The conflicts among parties.
    #[must_use]
    pub fn find(&self, parties: &[&Proposal]) -> Found {
        let mut pairs = Pairs::default();
        let mut users: BTreeMap<&str, Vec<(usize, bool)>> = BTreeMap::new();
        let mut makers: BTreeMap<&str, Vec<(usize, &str)>> = BTreeMap::new();
        for (place, party) in parties.iter().enumerate() {
            for used in &party.resources {
                users.entry(&used.resource).or_default().push((place, used.writes));
            }
            for effect in &party.effects {
                makers.entry(&effect.key).or_default().push((place, &effect.value));
            }
        }
        for (resource, users) in users.iter().filter(|(_, users)| users.len() > 1) {
            each_pair(users, |one, other| {
                // Two that want the same call want one use of it.
                let same = self.one_call && same_call(parties, one.0, other.0);
                let excludes = !same && (!self.readers_share || one.1 || other.1);
                pairs.compare(one.0, other.0, excludes, || Cause::Resource((*resource).to_owned()));
            });
        }
        for (key, makers) in makers.iter().filter(|(_, makers)| makers.len() > 1) {
            each_pair(makers, |one, other| {
                pairs.compare(one.0, other.0, one.1 != other.1, || Cause::Effect((*key).to_owned()));
            });
        }
        let calls: Vec<(usize, &gimbal_core::ToolCall)> =
            parties.iter().enumerate().filter_map(|(place, party)| Some((place, party.as_call()?))).collect();
        if self.one_call && calls.len() > 1 {
            each_pair(&calls, |one, other| pairs.compare(one.0, other.0, one.1 != other.1, || Cause::Call));
        }
        for (place, party) in parties.iter().enumerate() {
            let Some(directive) = party.as_directive() else { continue };
            if directive.forbids.is_empty() && directive.only.is_empty() {
                continue;
            }
            for (at, call) in &calls {
                let excludes = !directive.allows(call);
                pairs.compare(place, *at, excludes, || Cause::Directive(directive.id.clone()));
            }
        }
        let conflict = |((one, other), causes)| Conflict { one, other, causes };
        Found { conflicts: pairs.found.into_iter().map(conflict).collect(), comparisons: pairs.comparisons }
    }
}

/// Whether two parties want the same call.
fn same_call(parties: &[&Proposal], one: usize, other: usize) -> bool {
    let call = |place: usize| parties.get(place).and_then(|party| party.as_call());
    call(one).is_some() && call(one) == call(other)
}

#[derive(Default)]
struct Pairs {
    found: BTreeMap<(usize, usize), BTreeSet<Cause>>,
    comparisons: u64,
}

impl Pairs {
    /// A party is in no conflict with itself.
    fn compare(&mut self, one: usize, other: usize, excludes: bool, cause: impl FnOnce() -> Cause) {
        if one == other {
            return;
        }
        self.comparisons += 1;
        if excludes {
            self.found.entry((one.min(other), one.max(other))).or_default().insert(cause());
        }
    }
}

fn each_pair<T>(items: &[T], mut then: impl FnMut(&T, &T)) {
    for (place, one) in items.iter().enumerate() {
        for other in &items[place + 1..] {
            then(one, other);
        }
    }
}
