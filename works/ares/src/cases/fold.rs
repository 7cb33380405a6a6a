//! From records to cases.

use std::collections::BTreeMap;

use gimbal_analysis::episode::Episode;
use gimbal_analysis::stored_records::{RecordState, StoredRecord, Takes};
use gimbal_analysis::work_folds::FoldSource;
use gimbal_core::RecordError;
use gimbal_evidence::Marking;
use gimbal_evidence::judge::{Positions, Verdict};
use gimbal_messages::Record;
use gimbal_messages::records::debate::{Asserted, Confidence, Escalation, Refused, VerdictGiven};

use super::{AssertionCounts, Case, Gated, Side, Stance, Step};
use crate::weighing::weighing;

/// The records that cases are made of.
pub static CASES: FoldSource = FoldSource::of_records::<Cases>("ares-cases");

/// Cases by cell, in the order in which they were played.
#[derive(Debug, Default)]
pub struct Cases {
    cells: BTreeMap<String, Vec<Case>>,
    /// What is known of the episode under way.
    under_way: Records,
    /// Debates that ended without a verdict: a limit cut them.
    unmarked: u64,
    /// Debates with a verdict over packets that have no label, by cell.
    unlabelled: BTreeMap<String, Vec<Unlabelled>>,
}

/// A concluded debate over a packet that has no label, such as one of a user's own.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Unlabelled {
    /// Task id: the packet.
    pub task: String,
    /// What a judge over positions was given last.
    pub positions: Positions,
    /// What the judge over claims says of the last claims; `None` of a majority, and where claims were not recorded.
    pub by_claims: Option<Verdict>,
}

/// The records of one episode.
#[derive(Debug, Default)]
struct Records {
    stands: Vec<Stance>,
    steps: Vec<Step>,
    said: [AssertionCounts; 2],
    refused: BTreeMap<String, u64>,
    gated: Option<Gated>,
}

impl Cases {
    /// The cases of a cell.
    #[must_use]
    pub fn of(&self, cell: &str) -> &[Case] {
        self.cells.get(cell).map_or(&[], Vec::as_slice)
    }

    /// Whether there is no case at all.
    #[must_use]
    pub fn is_empty(&self) -> bool {
        self.cells.is_empty()
    }

    /// The debates of a cell whose packets have no label.
    #[must_use]
    pub fn unlabelled(&self, cell: &str) -> &[Unlabelled] {
        self.unlabelled.get(cell).map_or(&[], Vec::as_slice)
    }

    /// How many debates there are over packets without a label.
    #[must_use]
    pub fn all_unlabelled(&self) -> usize {
        self.unlabelled.values().map(Vec::len).sum()
    }

    /// Debates that ended without a verdict.
    #[must_use]
    pub const fn unmarked(&self) -> u64 {
        self.unmarked
    }
}

impl RecordState for Cases {
    const TAKES: Takes =
        Takes::records(&[Asserted::KIND, Confidence::KIND, Escalation::KIND, Refused::KIND, VerdictGiven::KIND])
            .and_last_observation();

    fn on_record(&mut self, _episode: &Episode<'_>, record: &StoredRecord<'_>) -> Result<(), RecordError> {
        let now = &mut self.under_way;
        match record.kind {
            Asserted::KIND => {
                let one = Asserted::read(record.data)?;
                let side = side(Asserted::KIND, &one.role)?;
                let said = &mut now.said[side as usize];
                said.asserted += 1;
                said.entailed += u64::from(one.check == "entailed");
                said.contradicted += u64::from(one.check == "contradicted");
            }
            Confidence::KIND => {
                let one = Confidence::read(record.data)?;
                now.stands.push(Stance {
                    side: side(Confidence::KIND, &one.role)?,
                    round: one.round,
                    vote: one.vote.unwrap_or(0),
                    confidence: one.confidence,
                    before: one.before,
                    new_facts: one.new_facts,
                    fallback: one.fallback,
                    heard: one.heard,
                });
            }
            Refused::KIND => {
                let one = Refused::read(record.data)?;
                *now.refused.entry(one.reason).or_default() += 1;
            }
            Escalation::KIND => {
                let one = Escalation::read(record.data)?;
                let single = verdict(Escalation::KIND, &one.verdict)?;
                now.gated = Some(Gated { single, escalated: one.escalated });
            }
            VerdictGiven::KIND => {
                let one = VerdictGiven::read(record.data)?;
                now.steps.push(Step {
                    round: one.round,
                    vote: one.vote.unwrap_or(0),
                    verdict: verdict(VerdictGiven::KIND, &one.verdict)?,
                    positions: Positions {
                        architect: one.architect,
                        skeptic: one.skeptic,
                        architect_facts: one.architect_facts,
                        skeptic_facts: one.skeptic_facts,
                    },
                    by_claims: weighing(&one).map(|weighing| weighing.verdict),
                    certainty: one.certainty,
                    fallback: one.fallback,
                    after_rounds: matches!(one.after.as_str(), "audit" | "challenge"),
                    last: one.last,
                });
            }
            _ => {}
        }
        Ok(())
    }

    fn on_end(&mut self, episode: &Episode<'_>, observation: &str) {
        let found = std::mem::take(&mut self.under_way);
        let Some(marking) = Marking::read(observation) else {
            match found.steps.iter().rev().find(|step| step.last) {
                Some(step) => {
                    let task = episode.task.to_owned();
                    let one = Unlabelled { task, positions: step.positions, by_claims: step.by_claims };
                    self.unlabelled.entry(episode.cell.to_owned()).or_default().push(one);
                }
                None => self.unmarked += u64::from(!found.stands.is_empty()),
            }
            return;
        };
        let Records { stands, steps, said, refused, gated } = found;
        let (task, run) = (episode.task.to_owned(), episode.run);
        let case = Case { task, run, marking, stands, steps, said, refused, gated };
        match self.cells.get_mut(episode.cell) {
            Some(cases) => cases.push(case),
            None => drop(self.cells.insert(episode.cell.to_owned(), vec![case])),
        }
    }
}

fn side(kind: &'static str, text: &str) -> Result<Side, RecordError> {
    Side::read(text).ok_or_else(|| RecordError {
        kind,
        key: "role".to_owned(),
        why: format!("`{text}` is not a side (known: architect, skeptic)"),
    })
}

fn verdict(kind: &'static str, text: &str) -> Result<Verdict, RecordError> {
    Verdict::ALL.into_iter().find(|verdict| verdict.name() == text).ok_or_else(|| RecordError {
        kind,
        key: "verdict".to_owned(),
        why: format!("`{text}` is not a verdict (known: {})", Verdict::ALL.map(Verdict::name).join(", ")),
    })
}
