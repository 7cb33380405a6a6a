//! Counters for progress. Totals of record are folds over the ledger; these only show the way.

use std::collections::BTreeMap;
use std::sync::atomic::{AtomicU64, Ordering};
use std::sync::{Arc, Mutex, MutexGuard, OnceLock, PoisonError};
use std::time::Instant;

use super::progress::{Playing, RunStatus};
use crate::run::{EpisodeId, Spend};
use crate::stage::EpisodeProgress;

/// Episodes in play that progress shows: those that began first.
const SHOWN: usize = 3;

/// Counters of a run under way.
#[derive(Debug)]
pub struct Counters {
    /// Episodes planned.
    pub planned: u64,
    /// Episodes finished before this call.
    pub already: u64,
    /// Episodes finished and durable in this call.
    pub finished: AtomicU64,
    /// Sessions under way.
    pub in_flight: AtomicU64,
    /// Attempts that failed.
    pub errors: AtomicU64,
    /// Abandoned episodes.
    pub given_up: AtomicU64,
    begun: Instant,
    /// The sessions that must be played, by the models that they wait for.
    groups: Vec<Work>,
    /// Place of a cell's group, by the cell's id.
    group_of: BTreeMap<String, usize>,
    playing: Mutex<Live>,
    time_left: Mutex<Option<TimeLeft>>,
}

/// The episodes of the cells that wait for the same models.
#[derive(Debug, Default)]
pub struct Work {
    /// Ids of its cells.
    pub cells: Vec<String>,
    /// Episodes that were to be played when this call began.
    pub wanted: u64,
    finished: AtomicU64,
    begun: OnceLock<Instant>,
}

/// Episodes in play, in the order in which they began.
#[derive(Debug, Default)]
struct Live {
    next: u64,
    episodes: BTreeMap<u64, Episode>,
}

#[derive(Debug)]
struct Episode {
    group: Option<usize>,
    cell: String,
    task: String,
    run: u32,
    begun: Instant,
    seen: Arc<EpisodeProgress>,
}

/// The time left that was shown last.
#[derive(Clone, Copy, Debug)]
struct TimeLeft {
    at: Instant,
    work: f64,
    left: f64,
}

fn locked<T>(mutex: &Mutex<T>) -> MutexGuard<'_, T> {
    mutex.lock().unwrap_or_else(PoisonError::into_inner)
}

impl Work {
    /// So many episodes of these cells.
    #[must_use]
    pub fn new(cells: Vec<String>, wanted: u64) -> Self {
        Self { cells, wanted, ..Self::default() }
    }
}

impl Counters {
    /// Counters that begin now, with the number of finished episodes.
    #[must_use]
    pub fn new(planned: u64, already: u64, groups: Vec<Work>) -> Self {
        let group_of = groups
            .iter()
            .enumerate()
            .flat_map(|(place, work)| work.cells.iter().map(move |cell| (cell.clone(), place)));
        Self {
            planned,
            already,
            finished: AtomicU64::new(0),
            in_flight: AtomicU64::new(0),
            errors: AtomicU64::new(0),
            given_up: AtomicU64::new(0),
            begun: Instant::now(),
            group_of: group_of.collect(),
            groups,
            playing: Mutex::default(),
            time_left: Mutex::default(),
        }
    }

    /// An attempt at an episode begins; pass the number to [`Counters::ended`].
    pub fn begins(&self, id: &EpisodeId, seen: &Arc<EpisodeProgress>) -> u64 {
        let group = self.group_of.get(&id.cell).copied();
        let begun = Instant::now();
        if let Some(work) = group.and_then(|group| self.groups.get(group)) {
            let _ = work.begun.set(begun);
        }
        let mut live = locked(&self.playing);
        live.next += 1;
        let number = live.next;
        let (cell, task) = (id.cell.clone(), id.task.clone());
        live.episodes.insert(number, Episode { group, cell, task, run: id.run, begun, seen: Arc::clone(seen) });
        number
    }

    /// An attempt ended, whatever its outcome.
    pub fn ended(&self, number: u64) {
        locked(&self.playing).episodes.remove(&number);
    }

    /// An episode of a cell is finished and durable.
    pub fn finished(&self, cell: &str) {
        self.finished.fetch_add(1, Ordering::Relaxed);
        if let Some(work) = self.group_of.get(cell).and_then(|group| self.groups.get(*group)) {
            work.finished.fetch_add(1, Ordering::Relaxed);
        }
    }

    /// The episodes in play that began first.
    #[must_use]
    pub fn playing(&self) -> Vec<Playing> {
        let live = locked(&self.playing);
        let shown = live.episodes.values().take(SHOWN).map(|episode| {
            let ((step, horizon), (reward, total)) = (episode.seen.steps(), episode.seen.rewards());
            Playing {
                cell: episode.cell.clone(),
                task: episode.task.clone(),
                run: episode.run,
                step,
                horizon,
                reward_thousandths: reward,
                total_thousandths: total,
                seconds: episode.begun.elapsed().as_secs_f64(),
            }
        });
        shown.collect()
    }

    /// The state of the run.
    #[must_use]
    pub fn run_status(&self, spend: &Spend) -> RunStatus {
        let of = |counter: &AtomicU64| counter.load(Ordering::Relaxed);
        let (finished, spent) = (of(&self.finished), spend.spent());
        let done = self.already + finished;
        let seconds = self.begun.elapsed().as_secs_f64();
        let per_second = if seconds > 0.0 { finished as f64 / seconds } else { 0.0 };
        RunStatus {
            done,
            planned: self.planned,
            in_flight: of(&self.in_flight),
            errors: of(&self.errors),
            per_second,
            cost_microdollars: spent.microdollars(),
            tokens: spent.tokens,
            unknown_requests: spent.unknown,
            seconds,
            seconds_left: self.left(Instant::now()),
        }
    }

    /// Seconds left: the longest of all groups, since they play side by side; each at the pace at which it played so far,
    /// episodes in play counted by their steps. None until every group that has something left has played something.
    ///
    /// While nothing happens the time that was shown runs down: waiting never makes it grow.
    fn left(&self, now: Instant) -> Option<f64> {
        let mut shares = vec![0.0; self.groups.len()];
        for episode in locked(&self.playing).episodes.values() {
            if let Some(share) = episode.group.and_then(|group| shares.get_mut(group)) {
                *share += episode.seen.share();
            }
        }
        let (mut longest, mut all, mut known) = (0.0_f64, 0.0, true);
        for (work, share) in self.groups.iter().zip(shares) {
            let played = work.finished.load(Ordering::Relaxed) as f64 + share;
            let left = work.wanted as f64 - played;
            all += played;
            if left <= 0.0 {
                continue;
            }
            match work.begun.get() {
                Some(begun) if played > 0.0 => {
                    longest = longest.max(left * now.duration_since(*begun).as_secs_f64() / played);
                }
                _ => known = false,
            }
        }
        if !known {
            return None;
        }
        let mut time_left = locked(&self.time_left);
        let left = match *time_left {
            Some(before) if before.work.to_bits() == all.to_bits() => {
                (before.left - now.duration_since(before.at).as_secs_f64()).max(0.0)
            }
            _ => longest,
        };
        if time_left.is_none_or(|before| before.work.to_bits() != all.to_bits()) {
            *time_left = Some(TimeLeft { at: now, work: all, left });
        }
        Some(left)
    }
}

#[cfg(test)]
mod tests {
    use std::time::Duration;

    use gimbal_core::{Digest, Milli};

    use super::*;

    fn id(cell: &str, run: u32) -> EpisodeId {
        EpisodeId {
            key: Digest::of(cell.as_bytes()),
            cell: cell.to_owned(),
            task: "t".to_owned(),
            run,
            trial: 0,
            seed: 0,
        }
    }

    fn counters() -> Counters {
        let work = |cell: &str, wanted| Work::new(vec![cell.to_owned()], wanted);
        Counters::new(14, 0, vec![work("policy", 8), work("model", 6)])
    }

    /// Eight quick episodes say nothing of six slow ones, and waiting adds nothing.
    // covers: BOG-147
    #[test]
    fn the_time_left_is_that_of_the_slowest_and_does_not_grow_while_one_waits() {
        let counters = counters();
        let begun = Instant::now();
        for run in 0..8 {
            let number = counters.begins(&id("policy", run), &Arc::default());
            counters.ended(number);
            counters.finished("policy");
        }
        let seen = Arc::new(EpisodeProgress::default());
        counters.begins(&id("model", 0), &seen);
        assert_eq!(counters.left(begun + Duration::from_secs(5)), None, "nothing is known of the model yet");
        seen.stepped(3, 30, Milli(-1000), Milli(-2100));
        let at = |seconds| begun + Duration::from_secs(seconds);
        // A tenth of an episode in 20 seconds: 59 tenths are left.
        let first = counters.left(at(20)).unwrap();
        assert!((first - 1180.0).abs() < 1.0, "{first}");
        let mut last = first;
        for seconds in [21, 25, 60, 600, 6000] {
            let now = counters.left(at(seconds)).unwrap();
            assert!(now <= last, "{now} after {last}");
            last = now;
        }
        seen.stepped(15, 30, Milli(0), Milli(-2100));
        assert!((counters.left(at(100)).unwrap() - 1100.0).abs() < 1.0);
    }

    // covers: BOG-147
    #[test]
    fn what_plays_is_shown_with_steps_elapsed_time_and_rewards() {
        let counters = counters();
        let seen = Arc::new(EpisodeProgress::default());
        let number = counters.begins(&id("model", 1), &seen);
        seen.stepped(12, 30, Milli(-1100), Milli(-14_200));
        let playing = counters.playing();
        let one = &playing[0];
        assert_eq!((one.cell.as_str(), one.run, one.step, one.horizon), ("model", 1, 12, 30));
        assert_eq!((one.reward_thousandths, one.total_thousandths), (-1100, -14_200));
        assert!(one.seconds >= 0.0);
        counters.ended(number);
        assert!(counters.playing().is_empty());
    }
}
