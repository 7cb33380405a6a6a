//! What follows an injected fault: how soon the agent acts again, and how soon its rewards are what they were.
//!
//! Two measures. *Acting*: steps, model calls and tokens until the next accepted action of the agent's own (the safe
//! fallback's do not count); not recovered where the episode ended before. *Reward*: steps until the reward of a step is
//! back at or above the mean of the (up to three) steps before the fault.

use std::collections::{BTreeMap, BTreeSet};

use gimbal_core::event::Body;
use serde::{Deserialize, Serialize};

use crate::episode::{Episode, EpisodeFold, FoldError, Texts};

/// Steps before a fault whose mean reward is what a recovery must reach.
pub const BEFORE: usize = 3;

/// Something in an episode that recovery depends on; in the order of the journal.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum RecoveryEvent<'a> {
    /// A fault was injected.
    Fault {
        /// Where.
        site: &'a str,
        /// What kind.
        kind: &'a str,
    },
    /// A role of the agent asked a model.
    Call {
        /// Input and output tokens as called.
        tokens: u64,
    },
    /// The scaffolding is about to act in the agent's place.
    Fallback,
    /// An action was refused: it was nobody's step.
    Rejected,
    /// An action was accepted, and the environment moved.
    Step {
        /// Reward in thousandths.
        reward: i64,
    },
}

/// What acting again took.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Acted {
    /// Steps that the fallback took meanwhile; 0 where the agent acted in the very step of the fault.
    pub steps: u64,
    /// Model calls of the agent's roles after the fault.
    pub calls: u64,
    /// Their tokens.
    pub tokens: u64,
}

/// Whether the reward of a step came back to what it was before a fault.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum RewardBack {
    /// After so many steps, 0 for the very next one.
    After(u64),
    /// It never did.
    Never,
    /// There was no step before the fault, or none after it.
    NotComparable,
}

/// What followed one fault.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Recovery {
    /// Where it was injected.
    pub site: String,
    /// What kind.
    pub kind: String,
    /// What it took until the agent acted again; `None` where the episode ended before.
    pub acted: Option<Acted>,
    /// Whether the reward came back.
    pub reward: RewardBack,
}

/// What followed each fault of an episode, in the order of the faults.
#[must_use]
pub fn measure(happenings: &[RecoveryEvent<'_>]) -> Vec<Recovery> {
    let rewards: Vec<i64> = happenings
        .iter()
        .filter_map(|happening| if let RecoveryEvent::Step { reward } = happening { Some(*reward) } else { None })
        .collect();
    let mut steps = 0;
    let mut recoveries = Vec::new();
    for (place, happening) in happenings.iter().enumerate() {
        match happening {
            RecoveryEvent::Step { .. } => steps += 1,
            RecoveryEvent::Fault { site, kind } => recoveries.push(Recovery {
                site: (*site).to_owned(),
                kind: (*kind).to_owned(),
                // Whether the fallback is acting already decides whose the next step is.
                acted: acted(&happenings[place + 1..], falls_back(&happenings[..place])),
                reward: back(&rewards, steps),
            }),
            _ => {}
        }
    }
    recoveries
}

fn falls_back(before: &[RecoveryEvent<'_>]) -> bool {
    for happening in before.iter().rev() {
        match happening {
            RecoveryEvent::Fallback => return true,
            RecoveryEvent::Step { .. } | RecoveryEvent::Rejected => return false,
            _ => {}
        }
    }
    false
}

fn acted(after: &[RecoveryEvent<'_>], mut fallback: bool) -> Option<Acted> {
    let mut taken = Acted::default();
    for happening in after {
        match happening {
            RecoveryEvent::Call { tokens } => {
                taken.calls += 1;
                taken.tokens = taken.tokens.saturating_add(*tokens);
            }
            RecoveryEvent::Fallback => fallback = true,
            RecoveryEvent::Rejected => fallback = false,
            RecoveryEvent::Step { .. } if fallback => {
                taken.steps += 1;
                fallback = false;
            }
            RecoveryEvent::Step { .. } => return Some(taken),
            RecoveryEvent::Fault { .. } => {}
        }
    }
    None
}

/// Whether the reward comes back after a fault behind step number `steps`.
fn back(rewards: &[i64], steps: usize) -> RewardBack {
    let before = &rewards[steps.saturating_sub(BEFORE)..steps];
    let after = &rewards[steps..];
    if before.is_empty() || after.is_empty() {
        return RewardBack::NotComparable;
    }
    // In integers: a mean of thirds is not exact.
    let sum: i128 = before.iter().map(|reward| i128::from(*reward)).sum();
    let enough = |reward: &i64| i128::from(*reward) * before.len() as i128 >= sum;
    after.iter().position(enough).map_or(RewardBack::Never, |steps| RewardBack::After(steps as u64))
}

/// Whole numbers by how often they came: exact below 1,000, to three digits above, so that its size is bounded.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
pub struct Histogram(BTreeMap<u64, u64>);

impl Histogram {
    /// Counts a number.
    pub fn add(&mut self, value: u64) {
        let mut unit = 1;
        while value / unit >= 1000 {
            unit *= 10;
        }
        *self.0.entry(value / unit * unit).or_default() += 1;
    }

    /// How many numbers were counted.
    #[must_use]
    pub fn count(&self) -> u64 {
        self.0.values().sum()
    }

    /// The median: of an even number the mean of the two in the middle.
    #[must_use]
    pub fn median(&self) -> Option<f64> {
        let count = self.count();
        let last = count.checked_sub(1)?;
        Some((self.at(last / 2)? as f64 + self.at(count / 2)? as f64) / 2.0)
    }

    fn at(&self, place: u64) -> Option<u64> {
        let mut passed = 0;
        self.0.iter().find_map(|(value, count)| {
            passed += count;
            (place < passed).then_some(*value)
        })
    }
}

/// What followed the faults of one kind in one cell.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
pub struct Tally {
    /// Faults.
    pub injected: u64,
    /// Episodes with at least one.
    pub episodes: u64,
    /// Those after which the agent acted again.
    pub recovered: u64,
    /// Steps until then.
    pub steps: Histogram,
    /// Model calls until then.
    pub calls: Histogram,
    /// Tokens until then.
    pub tokens: Histogram,
    /// Those with a step before and after, so that the reward can be compared.
    pub compared: u64,
    /// Steps until the reward was back, where it was.
    pub reward_steps: Histogram,
}

impl Tally {
    fn add(&mut self, recovery: &Recovery) {
        self.injected += 1;
        if let Some(acted) = recovery.acted {
            self.recovered += 1;
            self.steps.add(acted.steps);
            self.calls.add(acted.calls);
            self.tokens.add(acted.tokens);
        }
        self.compared += u64::from(recovery.reward != RewardBack::NotComparable);
        if let RewardBack::After(steps) = recovery.reward {
            self.reward_steps.add(steps);
        }
    }
}

/// The tally of one kind of fault in one cell.
#[derive(Clone, Copy, Debug)]
pub struct KindTally<'a> {
    /// Where it is injected.
    pub site: &'a str,
    /// What kind.
    pub kind: &'a str,
    /// What followed.
    pub tally: &'a Tally,
}

/// What followed the faults of a study, by cell and by site and kind. It grows with cells and kinds, not with episodes.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
pub struct Recoveries(BTreeMap<String, BTreeMap<(String, String), Tally>>);

impl Recoveries {
    /// Adds what one episode of a cell tells.
    pub fn add(&mut self, cell: &str, happenings: &[RecoveryEvent<'_>]) {
        let recoveries = measure(happenings);
        if recoveries.is_empty() {
            return;
        }
        let kinds = self.0.entry(cell.to_owned()).or_default();
        let mut met = BTreeSet::new();
        for recovery in &recoveries {
            let key = (recovery.site.clone(), recovery.kind.clone());
            let tally = kinds.entry(key.clone()).or_default();
            tally.add(recovery);
            if met.insert(key) {
                tally.episodes += 1;
            }
        }
    }

    /// What is known of a cell, by site and kind.
    pub fn of<'a>(&'a self, cell: &str) -> impl Iterator<Item = KindTally<'a>> + use<'a> {
        let kinds = self.0.get(cell).into_iter().flatten();
        kinds.map(|((site, kind), tally)| KindTally { site, kind, tally })
    }

    /// Whether no fault was injected anywhere.
    #[must_use]
    pub fn is_empty(&self) -> bool {
        self.0.is_empty()
    }
}

/// The fold from episodes to [`Recoveries`].
#[derive(Clone, Debug, Default)]
pub struct RecoveryFold {
    cells: BTreeSet<String>,
    recoveries: Recoveries,
}

impl RecoveryFold {
    /// A fold over episodes of these cells, by id: those with injected faults.
    #[must_use]
    pub fn new(cells: BTreeSet<String>) -> Self {
        Self { cells, recoveries: Recoveries::default() }
    }

    /// What followed the faults.
    #[must_use]
    pub fn finish(self) -> Recoveries {
        self.recoveries
    }
}

impl<E> EpisodeFold<E> for RecoveryFold {
    fn wants(&self, episode: &Episode<'_>) -> bool {
        self.cells.contains(episode.cell)
    }

    fn add(&mut self, episode: &Episode<'_>, _texts: &mut dyn Texts<Error = E>) -> Result<(), FoldError<E>> {
        let happenings: Vec<RecoveryEvent<'_>> =
            episode.events.iter().filter_map(|event| happening(&event.body, episode.asks)).collect();
        self.recoveries.add(episode.cell, &happenings);
        Ok(())
    }
}

/// An event as recovery sees it; `asks` are the roles that the environment asks and not the agent.
fn happening<'a>(body: &'a Body, asks: &[String]) -> Option<RecoveryEvent<'a>> {
    Some(match body {
        Body::Fault(fault) => RecoveryEvent::Fault { site: &fault.site, kind: &fault.kind },
        Body::ModelCalled(call) if !asks.contains(&call.role) => {
            RecoveryEvent::Call { tokens: call.prompt_tokens.saturating_add(call.output_tokens) }
        }
        Body::Fallback(_) => RecoveryEvent::Fallback,
        Body::Rejected(_) => RecoveryEvent::Rejected,
        Body::Stepped(step) => RecoveryEvent::Step { reward: step.reward.0 },
        _ => return None,
    })
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;

    use super::{Acted, Histogram, Recoveries, Recovery, RecoveryEvent, RewardBack, measure};

    const FAULT: RecoveryEvent<'static> = RecoveryEvent::Fault { site: "model", kind: "malformed" };

    fn step(reward: i64) -> RecoveryEvent<'static> {
        RecoveryEvent::Step { reward }
    }

    fn call(tokens: u64) -> RecoveryEvent<'static> {
        RecoveryEvent::Call { tokens }
    }

    fn only(happenings: &[RecoveryEvent<'_>]) -> Recovery {
        let mut all = measure(happenings);
        assert_eq!(all.len(), 1);
        all.remove(0)
    }

    #[test]
    fn the_agents_own_next_action_is_the_recovery() {
        let at_once = only(&[step(0), call(5), FAULT, call(7), step(0)]);
        assert_eq!(at_once.acted, Some(Acted { steps: 0, calls: 1, tokens: 7 }));
        // A refused action and a step of the fallback are none.
        let late =
            [call(5), FAULT, RecoveryEvent::Rejected, call(7), RecoveryEvent::Fallback, step(-1), call(9), step(-1)];
        assert_eq!(only(&late).acted, Some(Acted { steps: 1, calls: 2, tokens: 16 }));
        assert_eq!(only(&[step(0), FAULT, call(7)]).acted, None, "the episode ended before");
        assert_eq!(only(&[step(0), FAULT, RecoveryEvent::Fallback, step(0)]).acted, None);
        // The fallback was on its way when the fault was injected.
        assert_eq!(only(&[RecoveryEvent::Fallback, FAULT, step(0), step(0)]).acted.unwrap().steps, 1);
        // A refused fallback leaves the agent's next step the agent's.
        let refused = [FAULT, RecoveryEvent::Fallback, RecoveryEvent::Rejected, step(0)];
        assert_eq!(only(&refused).acted.unwrap().steps, 0);
    }

    #[test]
    fn the_reward_is_back_when_it_reaches_the_mean_of_the_three_steps_before() {
        let rewards = |before: &[i64], after: &[i64]| {
            let steps = |rewards: &[i64]| rewards.iter().map(|reward| step(*reward)).collect::<Vec<_>>();
            only(&[steps(before), vec![FAULT], steps(after)].concat()).reward
        };
        assert_eq!(
            rewards(&[-9000, -100, -100, -200], &[-1100, -134, -133]),
            RewardBack::After(2),
            "-400/3 is the bar"
        );
        assert_eq!(rewards(&[0], &[0]), RewardBack::After(0));
        assert_eq!(rewards(&[0], &[-1, -1]), RewardBack::Never);
        assert_eq!([rewards(&[], &[0]), rewards(&[0], &[])], [RewardBack::NotComparable; 2]);
    }

    #[test]
    fn medians_are_exact_for_small_numbers_and_near_for_great_ones() {
        let median = |values: &[u64]| {
            let mut histogram = Histogram::default();
            values.iter().for_each(|value| histogram.add(*value));
            histogram.median()
        };
        assert_eq!(median(&[]), None);
        assert_eq!((median(&[3, 1, 2]), median(&[1, 2, 4, 9])), (Some(2.0), Some(3.0)));
        assert_eq!((median(&[999]), median(&[12_345])), (Some(999.0), Some(12_300.0)));
    }

    fn happenings() -> impl Strategy<Value = Vec<RecoveryEvent<'static>>> {
        let one = prop_oneof![
            Just(FAULT),
            Just(RecoveryEvent::Fault { site: "tool", kind: "stale" }),
            (0..9_u64).prop_map(|tokens| RecoveryEvent::Call { tokens }),
            Just(RecoveryEvent::Fallback),
            Just(RecoveryEvent::Rejected),
            (-3..=0_i64).prop_map(|reward| RecoveryEvent::Step { reward }),
        ];
        prop::collection::vec(one, 0..30)
    }

    proptest! {
        #[test]
        fn nothing_is_counted_twice_or_lost(episodes in prop::collection::vec(happenings(), 0..6)) {
            let mut recoveries = Recoveries::default();
            episodes.iter().for_each(|episode| recoveries.add("cell", episode));
            let faults = |episode: &[RecoveryEvent<'_>]| {
                episode.iter().filter(|happening| matches!(happening, RecoveryEvent::Fault { .. })).count() as u64
            };
            let injected: u64 = recoveries.of("cell").map(|of| of.tally.injected).sum();
            prop_assert_eq!(injected, episodes.iter().map(|episode| faults(episode)).sum::<u64>());
            for tally in recoveries.of("cell").map(|of| of.tally) {
                prop_assert!(tally.recovered <= tally.injected && tally.compared <= tally.injected);
                prop_assert_eq!(tally.steps.count(), tally.recovered);
                prop_assert!(tally.reward_steps.count() <= tally.compared);
                prop_assert!((1..=episodes.len() as u64).contains(&tally.episodes));
            }
        }
    }
}
