//! How messages between agents were read, and what was done about them: from records, by cell and by role.

use std::any::Any;
use std::collections::BTreeMap;

use gimbal_analysis::episode::{Episode, EpisodeFold, FoldError, Source, Texts};
use gimbal_analysis::work_folds::{FoldSource, WorkFold};
use gimbal_core::event::{Body, Note};
use gimbal_messages::Record;
use gimbal_messages::records::engine::{Normalised, ReadingMark, TurnsExhausted};
use gimbal_messages::records::hierarchy::{Arbitrated, Dropped, Mismatch, OffMenu};
use gimbal_messages::records::reading::Parsed;

/// The fold.
pub static HANDLED: FoldSource =
    FoldSource { name: "bog-handled", applies: |_| true, start: |_| Box::new(HandledByCell::default()) };

/// What the records of a cell say of one role's messages and turns.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Handled {
    /// Messages read under a contract, by contract and by the way they were read (`direct`, `normalised`, `repaired`,
    /// `raw`, `default`).
    pub read: BTreeMap<String, BTreeMap<String, u64>>,
    /// Suggested actions that are none, and were taken out (BOG-071).
    pub dropped: u64,
    /// Suggested actions about another subject than the one that was asked about (BOG-071).
    pub mismatched: u64,
    /// Lists of suggestions that a rule of the mediator changed, by rule (BOG-234).
    pub arbitrated: BTreeMap<String, u64>,
    /// Decisions for none of the actions that were suggested in the step.
    pub off_menu: u64,
    /// Conversations that used up their turns without an answer (BOG-043).
    pub turns_exhausted: u64,
    /// Answers that other text followed in their message.
    pub followed: u64,
}

impl Handled {
    /// Messages read under all contracts.
    #[must_use]
    pub fn messages(&self) -> u64 {
        self.read.values().flat_map(BTreeMap::values).sum()
    }

    /// Messages read in one way, under all contracts.
    #[must_use]
    pub fn by(&self, tier: &str) -> u64 {
        self.read.values().filter_map(|tiers| tiers.get(tier)).sum()
    }

    /// Takes in a message of a contract.
    pub fn heard(&mut self, contract: &str, tier: &str) {
        *self.read.entry(contract.to_owned()).or_default().entry(tier.to_owned()).or_default() += 1;
    }
}

/// What became of messages and turns, by cell and by role, of all episodes: those that a limit cut too.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct HandledByCell(BTreeMap<String, BTreeMap<String, Handled>>);

impl HandledByCell {
    /// The roles of a cell of which anything is recorded.
    pub fn of(&self, cell: &str) -> impl Iterator<Item = (&str, &Handled)> {
        self.0.get(cell).into_iter().flatten().map(|(role, handled)| (role.as_str(), handled))
    }

    /// What is known of a role of a cell, to be added to.
    pub fn role(&mut self, cell: &str, role: &str) -> &mut Handled {
        self.0.entry(cell.to_owned()).or_default().entry(role.to_owned()).or_default()
    }

    fn noted<E>(
        &mut self,
        note: &Note,
        cell: &str,
        speaker: &str,
        source: &mut Source<'_, E>,
    ) -> Result<(), FoldError<E>> {
        match note.kind.as_str() {
            OffMenu::KIND => {
                source.record::<OffMenu>(&note.data)?;
                self.role(cell, speaker).off_menu += 1;
            }
            Parsed::KIND => {
                let Parsed { contract, tier, .. } = source.record(&note.data)?;
                self.role(cell, speaker).heard(&contract, tier.name());
            }
            Dropped::KIND => {
                source.record::<Dropped>(&note.data)?;
                self.role(cell, speaker).dropped += 1;
            }
            Mismatch::KIND => {
                source.record::<Mismatch>(&note.data)?;
                self.role(cell, speaker).mismatched += 1;
            }
            Arbitrated::KIND => {
                let Arbitrated { rule, .. } = source.record(&note.data)?;
                *self.role(cell, speaker).arbitrated.entry(rule).or_default() += 1;
            }
            Normalised::KIND => {
                let Normalised { agent, marks, .. } = source.record(&note.data)?;
                if marks.contains(&ReadingMark::FollowedByText) {
                    self.role(cell, &agent).followed += 1;
                }
            }
            TurnsExhausted::KIND => {
                source.record::<TurnsExhausted>(&note.data)?;
                self.role(cell, speaker).turns_exhausted += 1;
            }
            // Kinds of other systems.
            _ => {}
        }
        Ok(())
    }
}

impl<E> EpisodeFold<E> for HandledByCell {
    fn add(&mut self, episode: &Episode<'_>, texts: &mut dyn Texts<Error = E>) -> Result<(), FoldError<E>> {
        let mut source = Source::new(texts);
        // Records follow the call that they are about. Roles that the environment asks are left out.
        let mut speaker = "";
        for (number, event) in (0..).zip(episode.events) {
            source.event = number;
            match &event.body {
                Body::ModelCalled(call) if !episode.asks.contains(&call.role) => speaker = &call.role,
                Body::Note(note) => self.noted(note, episode.cell, speaker, &mut source)?,
                _ => {}
            }
        }
        Ok(())
    }
}

impl WorkFold for HandledByCell {
    fn finish(self: Box<Self>) -> Box<dyn Any> {
        self
    }
}
