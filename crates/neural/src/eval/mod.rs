//! What a scorer is worth off line: accuracy where the best candidate is known, regret everywhere, the share of a rule's gap that it closes, and how good
//! its chances of outcomes are (CTHA-081). Pure functions of data and a scorer.

mod estimate;
mod judged;
mod outcome;

use std::collections::BTreeMap;

use crate::data::{Conflict, Dataset};

pub use estimate::{Estimate, Terms};
pub use judged::{Judged, judge, judge_together};
pub use outcome::Outcomes;

/// How data are grouped.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub enum GroupBy {
    /// All conflicts.
    All,
    /// By environment.
    Environment,
    /// By kind of conflict.
    Kind,
    /// By noise of the players.
    Noise,
}

/// The figures of a group of conflicts.
#[derive(Clone, Debug, PartialEq)]
pub struct Group {
    /// What is grouped by.
    pub by: GroupBy,
    /// What its conflicts have in common: a name, or noise in thousandths; empty for all.
    pub key: String,
    /// Conflicts with at least two candidates.
    pub conflicts: usize,
    /// Their episodes.
    pub episodes: usize,
    /// Those whose best candidate can be told from the second.
    pub untied: usize,
    /// Each way to choose: the scorer first, then the rules of the data, then one at random.
    pub choosers: Vec<Chooser>,
    /// How good the chances of outcomes are; `None` if the scorer gives none or no outcome is known.
    pub outcomes: Option<Outcomes>,
}

/// A way to choose candidates.
#[derive(Clone, Debug, PartialEq)]
pub struct Chooser {
    /// `network`, the name of a rule, or `random`.
    pub name: String,
    /// Share of untied conflicts in which it chooses the best candidate.
    pub accuracy: Option<Estimate>,
    /// Mean of what is lost against the best candidate, over all conflicts.
    pub regret: Option<Estimate>,
    /// Share of this chooser's regret that the scorer saves; below 0 where the scorer loses more. None for the scorer.
    pub closed: Option<Estimate>,
}

impl GroupBy {
    /// All of them.
    pub const ALL: [Self; 4] = [Self::All, Self::Environment, Self::Kind, Self::Noise];

    /// The word that tables use.
    #[must_use]
    pub const fn name(self) -> &'static str {
        match self {
            Self::All => "all",
            Self::Environment => "environment",
            Self::Kind => "kind",
            Self::Noise => "noise",
        }
    }

    fn key(self, conflict: &Conflict) -> String {
        match self {
            Self::All => String::new(),
            Self::Environment => conflict.environment.clone(),
            Self::Kind => conflict.kind.clone(),
            Self::Noise => conflict.noise.0.to_string(),
        }
    }
}

/// The figures of all groups. `judged` are those of the same data, in their order.
#[must_use]
pub fn evaluate(data: &Dataset, judged: &[Judged]) -> Vec<Group> {
    let mut groups = Vec::new();
    for by in GroupBy::ALL {
        let mut members: BTreeMap<String, Vec<(&Conflict, &Judged)>> = BTreeMap::new();
        for (conflict, judged) in data.conflicts.iter().zip(judged) {
            if conflict.candidates.len() > 1 {
                members.entry(by.key(conflict)).or_default().push((conflict, judged));
            }
        }
        let mut keyed: Vec<_> = members.into_iter().collect();
        if by == GroupBy::Noise {
            keyed.sort_by_key(|(key, _)| key.parse::<i64>().unwrap_or(0));
        }
        groups.extend(keyed.into_iter().map(|(key, members)| group(by, key, &members, &data.header.rules)));
    }
    groups
}

/// Accuracy and regret of one choice: 1 where it is the best, or the share of the choices that are.
struct Result {
    right: f64,
    regret: f64,
}

fn result(conflict: &Conflict, candidate: usize) -> Result {
    Result { right: if candidate == conflict.best { 1.0 } else { 0.0 }, regret: conflict.regret(candidate) }
}

fn at_random(conflict: &Conflict) -> Result {
    let count = conflict.candidates.len() as f64;
    let regret: f64 = (0..conflict.candidates.len()).map(|candidate| conflict.regret(candidate)).sum();
    Result { right: 1.0 / count, regret: regret / count }
}

fn group(by: GroupBy, key: String, members: &[(&Conflict, &Judged)], rules: &[String]) -> Group {
    let mut choosers = Vec::new();
    let network = |(conflict, judged): &(&Conflict, &Judged)| result(conflict, judged.candidate);
    choosers.push(chooser("network", members, network, None));
    for (place, rule) in rules.iter().enumerate() {
        let of = |(conflict, _): &(&Conflict, &Judged)| {
            result(conflict, conflict.choices.get(place).copied().unwrap_or(conflict.best))
        };
        choosers.push(chooser(rule, members, of, Some(&network)));
    }
    let random = |(conflict, _): &(&Conflict, &Judged)| at_random(conflict);
    choosers.push(chooser("random", members, random, Some(&network)));
    let episodes: std::collections::BTreeSet<_> =
        members.iter().map(|(conflict, _)| (&conflict.environment, conflict.seed)).collect();
    Group {
        by,
        key,
        conflicts: members.len(),
        episodes: episodes.len(),
        untied: members.iter().filter(|(conflict, _)| !conflict.tied).count(),
        choosers,
        outcomes: Outcomes::of(members),
    }
}

type Member<'c> = (&'c Conflict, &'c Judged);

fn chooser<'c>(
    name: &str,
    members: &[Member<'c>],
    of: impl Fn(&Member<'c>) -> Result,
    network: Option<&dyn Fn(&Member<'c>) -> Result>,
) -> Chooser {
    let (mut accuracy, mut regret, mut closed) = (Terms::default(), Terms::default(), Terms::default());
    for member in members {
        let conflict = member.0;
        let (weight, result) = (f64::from(conflict.weight), of(member));
        if !conflict.tied {
            accuracy.add(conflict, weight * result.right, weight);
        }
        regret.add(conflict, weight * result.regret, weight);
        if let Some(network) = network {
            closed.add(conflict, weight * (result.regret - network(member).regret), weight * result.regret);
        }
    }
    Chooser {
        name: name.to_owned(),
        accuracy: accuracy.ratio().map(|share| share.within(0.0, 1.0)),
        regret: regret.ratio().map(|lost| lost.within(0.0, f64::INFINITY)),
        // Nobody saves more than there is; more than all of it may be lost.
        closed: network.and_then(|_| closed.ratio()).map(|share| share.within(f64::NEG_INFINITY, 1.0)),
    }
}
