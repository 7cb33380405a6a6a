//! The rule with tuned weights: the strongest arbiter that has no network (CTHA-080). Bases of the layers, the weights of urgency and confidence, the
//! margin, whether policies and emergencies come before the score, and which of two tied parties is kept are searched on a stated grid for the least
//! regret on conflicts whose candidates were simulated. Plain search, seeded.
//!
//! The rule itself is that of [`gimbal_temporal::arbiter`]: its priorities, its ranks before the score, its greedy masking.

use std::collections::{BTreeMap, BTreeSet};

use gimbal_core::{Milli, Rng};
use gimbal_temporal::Layer;
use gimbal_temporal::arbiter::{Mode, Rank, Score, Tie, Weights, mask};
use serde::{Deserialize, Serialize};
use thiserror::Error;

use crate::data::{Conflict, Dataset, Header};

/// Values that are tried, evenly spaced, in thousandths.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Grid {
    /// The least.
    pub least: i64,
    /// The greatest.
    pub greatest: i64,
    /// From one to the next.
    pub step: i64,
}

impl Grid {
    /// The values in ascending order.
    fn values(self) -> Vec<i64> {
        (0..=(self.greatest - self.least) / self.step).map(|at| self.least + at * self.step).collect()
    }
}

/// Values of a layer's base priority.
pub const BASE: Grid = Grid { least: 0, greatest: 1_000, step: 100 };
/// Values of the weights of urgency and confidence.
pub const SHARE: Grid = Grid { least: -500, greatest: 1_500, step: 100 };
/// Values of the margin.
pub const EPSILON: [i64; 4] = [0, 50, 100, 200];
/// Most passes over all weights from one start.
const PASSES: usize = 20;

/// Why the rule cannot be played on conflicts.
#[derive(Clone, Debug, PartialEq, Eq, Error)]
pub enum TuneError {
    /// A column is missing that the rule reads.
    #[error("the conflicts have no column `{0}`, which the rule reads; collect them with `gimbal arbiter collect`")]
    Column(&'static str),
    /// Who excludes whom is missing.
    #[error(
        "conflict `{0}` does not say who excludes whom (`excludes`, `sets`); collect it again with `gimbal arbiter collect`"
    )]
    Excludes(String),
    /// There is nothing to tune on.
    #[error("there is no conflict in which the choice matters: all ways are worth the same")]
    Nothing,
}

/// The rule: its weights, and what comes before and after the score.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(from = "Written", into = "Written")]
pub struct Rule {
    /// Weights of the score, and the margin.
    pub weights: Weights,
    /// Whether emergencies and policies come before the score (CTHA-076).
    pub rules: bool,
    /// Which of two tied parties is kept (CTHA-R01).
    pub tie: Tie,
}

impl From<Weights> for Rule {
    /// The default rule with these weights.
    fn from(weights: Weights) -> Self {
        Self { weights, rules: true, tie: Tie::default() }
    }
}

impl Default for Rule {
    fn default() -> Self {
        Weights::default().into()
    }
}

/// The rule as files and settings have it. Older files leave out what is as by default; it is always written, because an arbiter of other
/// settings fills in its own.
#[derive(Clone, Debug, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
struct Written {
    base: [Milli; 5],
    urgency: Milli,
    confidence: Milli,
    epsilon: Milli,
    #[serde(default, skip_serializing_if = "Option::is_none")]
    rules: Option<bool>,
    #[serde(default, skip_serializing_if = "Option::is_none")]
    tie: Option<Tie>,
}

impl From<Written> for Rule {
    fn from(written: Written) -> Self {
        let Written { base, urgency, confidence, epsilon, rules, tie } = written;
        let weights = Weights { base, urgency, confidence, epsilon };
        Self { weights, rules: rules.unwrap_or(true), tie: tie.unwrap_or_default() }
    }
}

impl From<Rule> for Written {
    fn from(rule: Rule) -> Self {
        let Rule { weights: Weights { base, urgency, confidence, epsilon }, rules, tie } = rule;
        Self { base, urgency, confidence, epsilon, rules: Some(rules), tie: Some(tie) }
    }
}

/// The rule on stored conflicts: where it finds what it reads.
#[derive(Clone, Copy, Debug)]
pub struct Ruled {
    urgency: usize,
    confidence: usize,
    emergency: Option<usize>,
    call: Option<usize>,
    idle: Option<usize>,
}

/// A rule, and what it is worth.
#[derive(Clone, Debug, PartialEq)]
pub struct Tuned {
    /// The best rule.
    pub rule: Rule,
    /// Mean over environments of the share of random's regret that is left.
    pub left: f64,
    /// The same of the default rule.
    pub before: f64,
    /// Rules that were tried.
    pub tried: u64,
    /// Different conflicts in which the choice matters.
    pub conflicts: usize,
}

impl Ruled {
    /// The rule on conflicts with these columns.
    ///
    /// # Errors
    /// When a column is missing.
    pub fn of(header: &Header) -> Result<Self, TuneError> {
        let must = |name: &'static str| header.place(name).ok_or(TuneError::Column(name));
        Ok(Self {
            urgency: must("urgency")?,
            confidence: must("confidence")?,
            emergency: header.place("emergency"),
            call: header.place("call"),
            idle: header.place("idle"),
        })
    }

    fn inputs(&self, conflict: &Conflict) -> Vec<Input> {
        let of = |party: &crate::data::Party| {
            let number = |place: usize| party.features.get(place).copied().unwrap_or(0.0);
            let flag = |place: Option<usize>, missing: bool| place.map_or(missing, |place| number(place) > 0.5);
            let stops = flag(self.emergency, false) && flag(self.idle, false);
            Input {
                rank: Rank::of(party.layer, !flag(self.call, true), stops),
                layer: party.layer,
                urgency: Milli::from_f64(f64::from(number(self.urgency))),
                confidence: Milli::from_f64(f64::from(number(self.confidence))),
            }
        };
        conflict.parties.iter().map(of).collect()
    }

    /// The candidate that a rule takes. Where ways were left out of the file and its own is among them, the first one, which
    /// keeps as many as it can.
    #[must_use]
    pub fn choice(&self, conflict: &Conflict, rule: &Rule) -> usize {
        let left = left(&self.inputs(conflict), &conflict.excludes, rule);
        conflict.candidates.iter().position(|candidate| candidate.sets.contains(&left)).unwrap_or(0)
    }

    /// The choices of all conflicts.
    ///
    /// # Errors
    /// When a conflict does not say who excludes whom.
    pub fn choices(&self, data: &Dataset, rule: &Rule) -> Result<Vec<usize>, TuneError> {
        let of = |conflict: &Conflict| {
            let known = !conflict.excludes.is_empty() && conflict.candidates.iter().any(|one| !one.sets.is_empty());
            if !known {
                return Err(TuneError::Excludes(conflict.id.clone()));
            }
            Ok(self.choice(conflict, rule))
        };
        data.conflicts.iter().map(of).collect()
    }
}

/// What the rule reads of a party.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
struct Input {
    rank: Rank,
    layer: Layer,
    urgency: Milli,
    confidence: Milli,
}

/// The parties in conflict that the rule leaves.
fn left(parties: &[Input], excludes: &[(usize, usize)], rule: &Rule) -> Vec<usize> {
    let score = |one: &Input| Score {
        rank: if rule.rules { one.rank } else { Rank::Ordinary },
        priority: rule.weights.of(one.layer, one.urgency, one.confidence, Milli::ZERO),
    };
    let scores: Vec<Score> = parties.iter().map(score).collect();
    let masked = mask(&scores, excludes, rule.weights.epsilon, Mode::Greedy, rule.tie);
    let meets = |place: &usize| excludes.iter().any(|(one, other)| one == place || other == place);
    (0..parties.len()).filter(|place| masked[*place].is_none() && meets(place)).collect()
}

/// What the rule sees of a conflict: the parties, and who excludes whom.
type Seen = (Vec<Input>, Vec<(usize, usize)>);

/// What each set that the rule may leave loses, as a share of what random loses in the conflict's environment.
type Losses = BTreeMap<Vec<usize>, f64>;

/// Conflicts that look alike to the rule.
type Alike = BTreeMap<Seen, Losses>;

/// Searches rules for the least regret: from the default one, from those that keep the faster and the slower layer, and from `starts` more
/// that are drawn, one weight after the other is set to the best value of its grid until none gets better. Each environment counts alike, by the
/// share of random's regret that is left.
///
/// # Errors
/// When columns or pairs are missing, or nothing depends on the choice.
pub fn tune(data: &Dataset, starts: u32, seed: u64) -> Result<Tuned, TuneError> {
    let ruled = Ruled::of(&data.header)?;
    // A file of another making is refused before it is searched.
    ruled.choices(data, &Rule::default())?;
    let alike = alike(&ruled, data)?;
    let mut tried = 0;
    let mut value = |rule: &Rule| {
        tried += 1;
        let lost = |((parties, excludes), sets): (&Seen, &Losses)| {
            let left = left(parties, excludes, rule);
            sets.get(&left).or_else(|| sets.values().next()).copied().unwrap_or(0.0)
        };
        alike.iter().map(lost).sum::<f64>()
    };
    let before = value(&Rule::default());
    let mut best: Option<(f64, Rule)> = None;
    for start in from(starts, seed) {
        let (mut rule, mut least) = (start.clone(), value(&start));
        for _ in 0..PASSES {
            let was = least;
            for place in 0..PLACES {
                for candidate in grid(place) {
                    let changed = with(&rule, place, candidate);
                    if changed == rule {
                        continue;
                    }
                    let found = value(&changed);
                    if found < least - 1e-12 {
                        (rule, least) = (changed, found);
                    }
                }
            }
            if was - least < 1e-12 {
                break;
            }
        }
        if best.as_ref().is_none_or(|(known, _)| least < known - 1e-12) {
            best = Some((least, rule));
        }
    }
    let (left, rule) = best.ok_or(TuneError::Nothing)?;
    Ok(Tuned { rule, left, before, tried, conflicts: alike.len() })
}

/// Parts of the rule that are searched: five bases, urgency, confidence, the margin, what comes before the score, ties.
const PLACES: usize = 10;

fn grid(place: usize) -> Vec<i64> {
    match place {
        0..5 => BASE.values(),
        5 | 6 => SHARE.values(),
        7 => EPSILON.to_vec(),
        _ => vec![0, 1],
    }
}

fn with(rule: &Rule, place: usize, value: i64) -> Rule {
    let mut changed = rule.clone();
    match place {
        0..5 => changed.weights.base[place] = Milli(value),
        5 => changed.weights.urgency = Milli(value),
        6 => changed.weights.confidence = Milli(value),
        7 => changed.weights.epsilon = Milli(value),
        8 => changed.rules = value == 1,
        _ => changed.tie = if value == 1 { Tie::KeepSlower } else { Tie::KeepFaster },
    }
    changed
}

/// Where searches begin.
fn from(starts: u32, seed: u64) -> Vec<Rule> {
    use gimbal_temporal::rollout::by_layer;
    let alone = |tie: Tie| Rule { weights: by_layer(tie).weights, rules: false, tie };
    let mut all = vec![Rule::default(), alone(Tie::KeepFaster), alone(Tie::KeepSlower)];
    let mut rng = Rng::stream(seed, "neural/tune/starts");
    for _ in 0..starts {
        let mut rule = Rule::default();
        for place in 0..PLACES {
            let values = grid(place);
            let at = rng.below(values.len() as u64) as usize;
            rule = with(&rule, place, values.get(at).copied().unwrap_or(0));
        }
        all.push(rule);
    }
    all
}

fn alike(ruled: &Ruled, data: &Dataset) -> Result<Alike, TuneError> {
    let at_random = |conflict: &Conflict| {
        let lost: f64 = (0..conflict.candidates.len()).map(|candidate| conflict.regret(candidate)).sum();
        f64::from(conflict.weight) * lost / conflict.candidates.len().max(1) as f64
    };
    let mut random: BTreeMap<&str, f64> = BTreeMap::new();
    for conflict in &data.conflicts {
        *random.entry(&conflict.environment).or_default() += at_random(conflict);
    }
    random.retain(|_, lost| *lost > 0.0);
    let environments = random.len().max(1) as f64;
    let mut alike = Alike::new();
    for conflict in &data.conflicts {
        let Some(whole) = random.get(conflict.environment.as_str()) else { continue };
        if at_random(conflict) == 0.0 {
            continue;
        }
        let sets = alike.entry((ruled.inputs(conflict), conflict.excludes.clone())).or_default();
        let mut seen: BTreeSet<&Vec<usize>> = BTreeSet::new();
        for (place, candidate) in conflict.candidates.iter().enumerate() {
            let lost = f64::from(conflict.weight) * conflict.regret(place) / whole / environments;
            // A rule with another detector may leave the same set in another way: the first one is the rule's own.
            for set in candidate.sets.iter().filter(|set| seen.insert(set)) {
                *sets.entry(set.clone()).or_default() += lost;
            }
        }
    }
    if alike.is_empty() { Err(TuneError::Nothing) } else { Ok(alike) }
}
