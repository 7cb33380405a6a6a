//! What happened among the layers of a hierarchy: one row of figures for each episode, and sums for each cell (CTHA-110 to 117).

use std::collections::BTreeMap;

use gimbal_analysis::episode::Episode;
use gimbal_analysis::stored_records::{RecordState, StoredRecord, Takes};
use gimbal_analysis::work_folds::FoldSource;
use gimbal_core::RecordError;
use gimbal_messages::Record;
use gimbal_messages::records::temporal::{
    Clash, LayerAsked, LayerDecided, LayerReleased, LayerSent, LayerViolated, StoreRefused,
};

/// The records that hierarchies are judged by.
pub static LAYERS: FoldSource = FoldSource::of_records::<Layers>("ctha-layers");

/// Steps whose failures are told one by one; later ones are counted with the last.
pub const STEPS: usize = 500;
/// Failed steps in a row after a conflict that are a cascade (CTHA-114).
const CASCADE: u32 = 3;

/// Figures of one episode.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Figures {
    /// Steps that were decided.
    pub steps: u32,
    /// Steps with a conflict among proposals and commitments.
    pub conflicts: u32,
    /// Steps in which a contradiction was carried out.
    pub carried_out: u32,
    /// Attempts to decide what is not the layer's to decide.
    pub violations: u32,
    /// Those that were carried out.
    pub violated: u32,
    /// Those of them in which a faster layer did what a slower one excludes.
    pub overridden: u32,
    /// Steps with a coordination failure: a contradiction carried out, a violation carried out, or a message that the default replaces (CTHA-141).
    pub failures: u32,
    /// Runs of at least three failed steps that begin with a conflict.
    pub cascades: u32,
    /// Steps without a conflict.
    pub early: u32,
    /// Layers that were asked, summed over steps.
    pub active: u32,
    /// Layers that were not asked because nothing had changed.
    pub cached: u32,
    /// Messages, and their bytes.
    pub messages: u32,
    /// Bytes of all messages.
    pub bytes: u64,
    /// Messages that the default replaces.
    pub defaults: u32,
    /// Pairs that were compared.
    pub comparisons: u64,
    /// Proposals and commitments, summed over steps.
    pub parties: u64,
}

/// Conflicts between two layers.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Pair {
    /// Conflicts.
    pub conflicts: u64,
    /// Of them over a resource, an effect, a directive, and two calls in one step.
    pub causes: [u64; 4],
    /// Of them those in which the faster layer was kept, and the slower one.
    pub kept: [u64; 2],
}

/// How the messages of one kind were read.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Messages {
    /// As written, by rule, default, free, lost.
    pub outcomes: [u64; 5],
    /// Bytes.
    pub bytes: u64,
}

/// Sums of a cell.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct CellLayers {
    /// Figures of its episodes, with task and run.
    pub episodes: Vec<(String, u32, Figures)>,
    /// Conflicts by the faster and the slower layer.
    pub pairs: BTreeMap<(String, String), Pair>,
    /// Messages by kind.
    pub messages: BTreeMap<String, Messages>,
    /// How often each layer was asked, by layer and reason.
    pub asked: BTreeMap<(String, String), u64>,
    /// Steps by how many layers were asked in them.
    pub active: [u64; 6],
    /// Failures in each step, over all episodes.
    pub failures: Vec<u64>,
    /// How many episodes reached each step.
    pub reached: Vec<u64>,
    /// What ended commitments.
    pub released: BTreeMap<String, u64>,
}

/// All cells that have hierarchies.
#[derive(Debug, Default)]
pub struct Layers {
    cells: BTreeMap<String, CellLayers>,
    now: Figures,
    /// The step of the latest decision, whether it failed so far, and how many failed in a row after a conflict.
    step: u32,
    failed: bool,
    streak: u32,
    begun: bool,
}

/// The outcomes of messages, in the order of tables.
pub const OUTCOMES: [&str; 5] = ["as_written", "by_rule", "default", "free", "lost"];
/// Place of those that the default replaces.
const DEFAULT: usize = 2;
/// What earlier trials left and could not be read, among the kinds of messages.
const STORE: &str = "store of earlier trials";
/// What conflicts are about, in the order of tables.
pub const CAUSES: [&str; 4] = ["resource", "effect", "directive", "call"];

impl Layers {
    /// The sums of a cell; `None` if it has no hierarchy.
    #[must_use]
    pub fn of(&self, cell: &str) -> Option<&CellLayers> {
        self.cells.get(cell)
    }

    /// Ends the step that is open: whether it failed, and whether failures go on.
    fn close(&mut self, cell: &str) {
        if self.step == 0 {
            return;
        }
        let at = (self.step as usize - 1).min(STEPS - 1);
        let sums = self.cells.entry(cell.to_owned()).or_default();
        if sums.failures.len() <= at {
            sums.failures.resize(at + 1, 0);
            sums.reached.resize(at + 1, 0);
        }
        sums.reached[at] += 1;
        if self.failed {
            sums.failures[at] += 1;
            self.now.failures += 1;
        }
        self.streak = match (self.failed, self.begun || self.streak > 0) {
            (true, true) => self.streak + 1,
            _ => 0,
        };
        if self.streak == CASCADE {
            self.now.cascades += 1;
        }
        (self.step, self.failed, self.begun) = (0, false, false);
    }

    fn decided(&mut self, cell: &str, decided: &LayerDecided) {
        // A default message of this step was sent before its decision.
        let failed = self.failed;
        self.step = decided.step;
        self.failed = failed || !decided.carried_out.is_empty();
        self.begun = !decided.conflicts.is_empty();
        let now = &mut self.now;
        now.steps += 1;
        now.conflicts += u32::from(!decided.conflicts.is_empty());
        now.carried_out += u32::from(!decided.carried_out.is_empty());
        now.early += u32::from(decided.early);
        now.comparisons += decided.comparisons;
        now.parties += u64::from(decided.parties);
        let active = decided.active.len().min(5);
        let sums = self.cells.entry(cell.to_owned()).or_default();
        sums.active[active] += 1;
        for clash in &decided.conflicts {
            count(sums, clash);
        }
    }
}

fn count(sums: &mut CellLayers, clash: &Clash) {
    let pair = sums.pairs.entry((clash.faster.clone(), clash.slower.clone())).or_default();
    pair.conflicts += 1;
    for (place, name) in CAUSES.iter().enumerate() {
        pair.causes[place] += u64::from(clash.causes.iter().any(|cause| cause.split(' ').next() == Some(name)));
    }
    if let Some(kept) = &clash.kept {
        pair.kept[usize::from(*kept != clash.faster)] += 1;
    }
}

impl RecordState for Layers {
    const TAKES: Takes = Takes::records(&[
        LayerAsked::KIND,
        LayerSent::KIND,
        LayerDecided::KIND,
        LayerViolated::KIND,
        LayerReleased::KIND,
        StoreRefused::KIND,
    ])
    .and_last_observation();

    fn on_record(&mut self, episode: &Episode<'_>, record: &StoredRecord<'_>) -> Result<(), RecordError> {
        match record.kind {
            LayerAsked::KIND => {
                let asked = LayerAsked::read(record.data)?;
                if self.step != 0 && asked.step != self.step {
                    self.close(episode.cell);
                }
                self.now.active += u32::from(!asked.cached);
                self.now.cached += u32::from(asked.cached);
                let sums = self.cells.entry(episode.cell.to_owned()).or_default();
                *sums.asked.entry((asked.layer, asked.why)).or_default() += 1;
            }
            LayerSent::KIND => {
                let sent = LayerSent::read(record.data)?;
                self.now.messages += 1;
                self.now.bytes += sent.bytes;
                let invalid = sent.outcome == "default";
                self.now.defaults += u32::from(invalid);
                self.failed |= invalid;
                let sums = self.cells.entry(episode.cell.to_owned()).or_default();
                let messages = sums.messages.entry(sent.kind).or_default();
                messages.bytes += sent.bytes;
                if let Some(place) = OUTCOMES.iter().position(|name| *name == sent.outcome) {
                    messages.outcomes[place] += 1;
                }
            }
            StoreRefused::KIND => {
                let refused = StoreRefused::read(record.data)?;
                let sums = self.cells.entry(episode.cell.to_owned()).or_default();
                let messages = sums.messages.entry(STORE.to_owned()).or_default();
                messages.bytes += refused.bytes;
                messages.outcomes[DEFAULT] += 1;
            }
            LayerDecided::KIND => {
                let decided = LayerDecided::read(record.data)?;
                if self.step != 0 && self.step != decided.step {
                    self.close(episode.cell);
                }
                self.decided(episode.cell, &decided);
            }
            LayerViolated::KIND => {
                let violated = LayerViolated::read(record.data)?;
                self.now.violations += 1;
                self.now.violated += u32::from(violated.carried_out);
                self.now.overridden += u32::from(violated.carried_out && violated.over.is_some());
                self.failed |= violated.carried_out;
            }
            LayerReleased::KIND => {
                let released = LayerReleased::read(record.data)?;
                let sums = self.cells.entry(episode.cell.to_owned()).or_default();
                *sums.released.entry(released.by).or_default() += 1;
            }
            _ => {}
        }
        Ok(())
    }

    fn on_end(&mut self, episode: &Episode<'_>, _observation: &str) {
        self.close(episode.cell);
        let now = std::mem::take(&mut self.now);
        self.streak = 0;
        if now.steps > 0 {
            let sums = self.cells.entry(episode.cell.to_owned()).or_default();
            sums.episodes.push((episode.task.to_owned(), episode.run, now));
        }
    }
}
