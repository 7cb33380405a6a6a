//! The verdicts of one run, episode by episode.

use gimbal_analysis::episode::{Episode, EpisodeFold, FoldError, Source, Texts};
use gimbal_core::Digest;
use gimbal_evidence::Utc;

use super::{Entry, Found, Given, PacketEpisode};

/// What a run folder knows of an episode beside its events.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Finished {
    /// Key of the episode.
    pub key: Digest,
    /// Last value of the chain of its journal.
    pub chain: Digest,
    /// The configuration of its architecture.
    pub architecture: String,
    /// Models of its roles, in any order.
    pub models: Vec<String>,
    /// When it ended, in milliseconds since 1970; `None` if the ledger does not say.
    pub ended: Option<u64>,
}

/// Collects the verdicts of a run. `F` returns what the folder knows of the episode that is read.
#[derive(Debug)]
pub struct OfRun<F> {
    run: String,
    is_renamed: bool,
    wants_ids: bool,
    finished: F,
    /// The verdicts that were found.
    pub found: Vec<Found>,
    /// Episodes over a packet without a verdict.
    pub open: u64,
    /// Whether an episode is over a packet.
    pub over_packet: bool,
    /// The first episode with a verdict whose end the ledger does not know.
    pub untimed: Option<String>,
}

impl<F: FnMut() -> Option<Finished>> OfRun<F> {
    /// The collection for a folder of the name `run`. `study` is the name that the run gave it; a copy has another. `wants_ids` says whether
    /// packets are chosen by their ids, which only the packets themselves hold.
    pub fn new(run: String, study: &str, wants_ids: bool, finished: F) -> Self {
        let is_renamed = run != study;
        Self { run, is_renamed, wants_ids, finished, found: Vec::new(), open: 0, over_packet: false, untimed: None }
    }
}

impl<E, F: FnMut() -> Option<Finished>> EpisodeFold<E> for OfRun<F> {
    fn add(&mut self, episode: &Episode<'_>, texts: &mut dyn Texts<Error = E>) -> Result<(), FoldError<E>> {
        let Some(finished) = (self.finished)() else { return Ok(()) };
        let Some(read) = PacketEpisode::read(episode.events, Source::new(texts), self.wants_ids)? else {
            return Ok(());
        };
        self.over_packet = true;
        let Some(Given { verdict, confidence }) = read.given else {
            self.open += 1;
            return Ok(());
        };
        let time = finished.ended.and_then(|at| Utc::from_micros(i64::try_from(at).ok()?.checked_mul(1000)?));
        let Some(time) = time else {
            self.untimed.get_or_insert_with(|| episode.name());
            return Ok(());
        };
        let entry = Entry {
            architecture: finished.architecture,
            chain: finished.chain,
            confidence,
            corpus: read.corpus,
            key: finished.key,
            model: models(finished.models),
            packet: read.packet,
            run: self.run.clone(),
            task: task(episode),
            time,
            verdict,
        };
        self.found.push(Found { entry, packet_id: read.packet_id, is_renamed: self.is_renamed });
        Ok(())
    }
}

/// Each model once.
fn models(mut names: Vec<String>) -> String {
    names.sort_unstable();
    names.dedup();
    names.join(", ")
}

/// The task, with run and trial where they are not the first.
fn task(episode: &Episode<'_>) -> String {
    let mut task = episode.task.to_owned();
    if episode.run > 0 || episode.trial > 0 {
        task += &format!(" run {}", episode.run);
    }
    if episode.trial > 0 {
        task += &format!(" trial {}", episode.trial);
    }
    task
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_task_is_named_with_run_and_trial_where_they_are_not_the_first() {
        let named = |run, trial| task(&Episode { task: "SC-001", run, trial, ..Episode::default() });
        assert_eq!([named(0, 0), named(2, 0), named(0, 1)], ["SC-001", "SC-001 run 2", "SC-001 run 0 trial 1"]);
    }

    #[test]
    fn models_of_roles_are_named_once() {
        let names = ["b", "a", "b"].map(str::to_owned).to_vec();
        assert_eq!(models(names), "a, b");
        assert_eq!(models(Vec::new()), "");
    }
}
