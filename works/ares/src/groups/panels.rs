//! Panels: how far members agreed, and what each rule made of it (ARES-098, ARES-122).

use std::collections::BTreeMap;

use gimbal_analysis::episode::Episode;
use gimbal_analysis::stored_records::{RecordState, StoredRecord, Takes};
use gimbal_analysis::work_folds::FoldSource;
use gimbal_core::RecordError;
use gimbal_evidence::Marking;
use gimbal_messages::Record;
use gimbal_messages::records::panel::{Ruled, Tabulated};

/// The records that panels are made of.
pub static PANELS: FoldSource = FoldSource::of_records::<Panels>("ares-panels");

/// How far the members of a panel agreed in one answer.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Question {
    /// The question.
    pub name: String,
    /// `unanimous`, `majority` or `split`.
    pub agreement: String,
    /// Members that gave the most frequent answer.
    pub votes: u32,
    /// Members that were asked.
    pub members: u32,
}

/// One panel.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Panel {
    /// Task id.
    pub task: String,
    /// Run number.
    pub run: u32,
    /// The questions in their order.
    pub questions: Vec<Question>,
    /// What each rule gives.
    pub ruled: Ruled,
    /// The expected answer, where the environment marks answers.
    pub expected: Option<String>,
}

/// Panels by cell, in the order in which they were played.
#[derive(Debug, Default)]
pub struct Panels {
    cells: BTreeMap<String, Vec<Panel>>,
    questions: Vec<Question>,
    ruled: Option<Ruled>,
}

impl Panels {
    /// The panels of a cell.
    #[must_use]
    pub fn of(&self, cell: &str) -> &[Panel] {
        self.cells.get(cell).map_or(&[], Vec::as_slice)
    }
}

impl RecordState for Panels {
    const TAKES: Takes = Takes::records(&[Tabulated::KIND, Ruled::KIND]).and_last_observation();

    fn on_record(&mut self, _episode: &Episode<'_>, record: &StoredRecord<'_>) -> Result<(), RecordError> {
        match record.kind {
            Tabulated::KIND => {
                let Tabulated { question, agreement, votes, members, .. } = Tabulated::read(record.data)?;
                self.questions.push(Question { name: question, agreement, votes, members });
            }
            Ruled::KIND => self.ruled = Some(Ruled::read(record.data)?),
            _ => {}
        }
        Ok(())
    }

    fn on_end(&mut self, episode: &Episode<'_>, observation: &str) {
        let questions = std::mem::take(&mut self.questions);
        if let Some(ruled) = self.ruled.take() {
            let expected = Marking::read(observation).map(|marking| marking.expected.name().to_owned());
            let (task, run) = (episode.task.to_owned(), episode.run);
            let panel = Panel { task, run, questions, ruled, expected };
            self.cells.entry(episode.cell.to_owned()).or_default().push(panel);
        }
    }
}
