//! One debate as its records tell it: claims, facts and confidences of both sides by round, and the verdicts.

mod dialogue;
mod figure;
mod outcome;
mod shown;

use std::collections::BTreeMap;

use gimbal_core::{Milli, RecordError};
use gimbal_evidence::triage::RoundConfidences;
use gimbal_messages::Record;
use gimbal_messages::records::debate::{
    Asserted, Audited, Challenged, Confidence, Escalation, FellBack, Narrated, Refused, Rounds, VerdictGiven,
};

pub use dialogue::{Claim, Message, MessageType, Phase, assessment, threat_level};
pub use figure::drawn;
pub(crate) use figure::{FIRST, figure};
pub use outcome::NoOutcome;
pub use shown::ShownDebate;
pub(crate) use shown::VIEW;

use crate::cases::Side;

/// The records of one episode of `debate`, each kind in the order of the journal.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Debate {
    /// Assertions that stood.
    pub asserted: Vec<Asserted>,
    /// Where each side stood in each round.
    pub stands: Vec<Confidence>,
    /// Verdicts on the way; the last one is the one that was concluded.
    pub verdicts: Vec<VerdictGiven>,
    /// What was refused.
    pub refused: Vec<Refused>,
    /// Where rules answered for a model.
    pub fell_back: Vec<FellBack>,
    /// Claims that were audited.
    pub audited: Vec<Audited>,
    /// What the active Oracle did.
    pub challenged: Option<Challenged>,
    /// What the gate decided.
    pub escalation: Option<Escalation>,
    /// How many rounds there were, and why no more.
    pub rounds: Option<Rounds>,
    /// The verdict in words.
    pub narrated: Option<Narrated>,
}

impl Debate {
    /// Kinds of the records that it is made from.
    pub const KINDS: [&'static str; 10] = [
        Asserted::KIND,
        Confidence::KIND,
        VerdictGiven::KIND,
        Refused::KIND,
        FellBack::KIND,
        Audited::KIND,
        Challenged::KIND,
        Escalation::KIND,
        Rounds::KIND,
        Narrated::KIND,
    ];

    /// Takes in a record; one of another kind changes nothing.
    ///
    /// # Errors
    /// When the record does not have the form of its kind.
    pub fn add(&mut self, kind: &str, data: &str) -> Result<(), RecordError> {
        match kind {
            Asserted::KIND => self.asserted.push(Asserted::read(data)?),
            Confidence::KIND => self.stands.push(Confidence::read(data)?),
            VerdictGiven::KIND => self.verdicts.push(VerdictGiven::read(data)?),
            Refused::KIND => self.refused.push(Refused::read(data)?),
            FellBack::KIND => self.fell_back.push(FellBack::read(data)?),
            Audited::KIND => self.audited.push(Audited::read(data)?),
            Challenged::KIND => self.challenged = Some(Challenged::read(data)?),
            Escalation::KIND => self.escalation = Some(Escalation::read(data)?),
            Rounds::KIND => self.rounds = Some(Rounds::read(data)?),
            Narrated::KIND => self.narrated = Some(Narrated::read(data)?),
            _ => {}
        }
        Ok(())
    }

    /// The verdict that was concluded.
    #[must_use]
    pub fn concluded(&self) -> Option<&VerdictGiven> {
        self.verdicts.iter().rev().find(|verdict| verdict.last)
    }

    /// The vote whose positions stand for the conclusion: the last one that came to the same verdict, or else the last one; none outside of
    /// a vote.
    fn vote(&self) -> Option<u32> {
        let concluded = self.concluded()?;
        let votes = || self.verdicts.iter().rev().filter(|verdict| verdict.vote.is_some());
        let same = votes().find(|verdict| verdict.verdict == concluded.verdict);
        same.or_else(|| votes().next()).and_then(|verdict| verdict.vote)
    }

    /// The last position of a side, in the vote that is taken as the conclusion.
    #[must_use]
    pub fn last(&self, side: Side) -> Option<&Confidence> {
        let vote = self.vote();
        self.stands.iter().rev().find(|stand| stand.role == side.name() && stand.vote == vote)
    }

    /// What a side claims in a round of a vote.
    pub fn claims(&self, side: Side, round: u32, vote: Option<u32>) -> impl Iterator<Item = &Asserted> {
        let of = move |claim: &&Asserted| claim.role == side.name() && claim.round == round && claim.vote == vote;
        self.asserted.iter().filter(of)
    }

    /// Confidence of the Architect and of the Skeptic by round, without votes.
    #[must_use]
    pub fn confidences(&self) -> Vec<RoundConfidences> {
        let mut rounds: BTreeMap<u32, [Option<Milli>; 2]> = BTreeMap::new();
        for stand in self.stands.iter().filter(|stand| stand.vote.is_none()) {
            let place = usize::from(stand.role == Side::Skeptic.name());
            rounds.entry(stand.round).or_default()[place] = Some(stand.confidence);
        }
        let both = |(round, [architect, skeptic]): (u32, [Option<Milli>; 2])| {
            Some(RoundConfidences { round, architect: architect?, skeptic: skeptic? })
        };
        rounds.into_iter().filter_map(both).collect()
    }

    /// Whether a claim of the last round was struck by the audit.
    #[must_use]
    pub fn is_struck(&self, claim: &Asserted) -> bool {
        self.audited.iter().any(|one| one.role == claim.role && one.audit.claim == claim.claim && !one.audit.survives)
    }
}
