//! The projection of whatever a layer wrote onto the messages of a kind (Eq. 6, 11, 15 to 18; CTHA-041 to 045).

use gimbal_core::Milli;
use gimbal_messages::{Contract, Tier};
use serde_json::Value;

use super::note::{Note, Outcome, Refusal};
use super::sanitize::sanitize;
use super::settle::settle;
use super::truncate::{tokens, truncate};
use super::{Contracts, Envelope, Kind, Message};
use crate::Layer;

/// Most rounds until a message comes to rest.
const ROUNDS: usize = 8;

/// A message that follows its contract.
#[derive(Clone, Debug, PartialEq)]
pub struct Projected {
    /// The message, as it is sent.
    pub value: Value,
    /// The same, as plain code reads it.
    pub message: Message,
    /// How it came to follow its contract.
    pub outcome: Outcome,
    /// What was changed.
    pub notes: Vec<Note>,
}

impl Projected {
    /// The default of a kind, in the place of a message that could not be used (Eq. 18).
    #[must_use]
    pub fn refused(kind: Kind, sender: Layer, now: Milli, refusal: Refusal, notes: Vec<Note>) -> Self {
        let message = Message::default_of(kind, sender, now);
        Self { value: kind.default(sender, now), message, outcome: Outcome::Default(refusal), notes }
    }
}

impl Contracts {
    /// The message of a kind that a written value becomes. It follows the contract, and projecting it again changes nothing.
    ///
    /// Each round sanitizes, truncates, validates and settles; rounds go on until one changes nothing, because a value that was read as a text
    /// may be longer than before. What does not come to rest, or is refused, becomes the default of the kind.
    #[must_use]
    pub fn project(&self, kind: Kind, written: Value, envelope: &Envelope<'_>) -> Projected {
        let (sender, now) = (envelope.sender, envelope.now);
        let refused = |refusal: Refusal, notes: Vec<Note>| Projected::refused(kind, sender, now, refusal, notes);
        let mut notes = Vec::new();
        let Some(fields) = kind.fields(sender) else {
            return refused(Refusal::Sender { sender, kind }, notes);
        };
        // The default is at rest, also where it is longer than the budget.
        if written == kind.default(sender, now) {
            let message = Message::default_of(kind, sender, now);
            return Projected { value: written, message, outcome: Outcome::AsWritten, notes };
        }
        let mut value = written.clone();
        for _ in 0..ROUNDS {
            let before = value.clone();
            sanitize(&mut value, fields, &mut notes);
            truncate(kind, &mut value, envelope.most, envelope.measure, &mut notes);
            value = match validate(self.get(kind), value, &mut notes) {
                Ok(value) => value,
                Err(refusal) => return refused(refusal, notes),
            };
            if let Err(refusal) = settle(kind, &mut value, envelope, &mut notes) {
                return refused(refusal, notes);
            }
            if value == before {
                let tokens = tokens(&value, envelope.measure);
                if tokens > envelope.most {
                    return refused(Refusal::TooLong { tokens, most: envelope.most }, notes);
                }
                let outcome = if value == written { Outcome::AsWritten } else { Outcome::ByRule };
                // A type that differs from the schema must not make an empty message of what a layer wrote.
                return match Message::read(kind, &value) {
                    Ok(message) => Projected { value, message, outcome, notes },
                    Err(why) => refused(Refusal::Schema(why), notes),
                };
            }
        }
        refused(Refusal::Unsettled, notes)
    }
}

fn validate(contract: &Contract, value: Value, notes: &mut Vec<Note>) -> Result<Value, Refusal> {
    let accepted = contract.accept(value, Tier::Direct).map_err(|refused| Refusal::Schema(refused.to_string()))?;
    notes.extend(accepted.changes.into_iter().map(|change| Note { cause: change.kind.into(), place: change.place }));
    Ok(accepted.value)
}
