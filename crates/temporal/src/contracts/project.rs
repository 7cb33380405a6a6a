//! The projection of whatever a layer wrote onto the messages of a kind (Eq. 6, 11, 15 to 18; CTHA-041 to 045).

use gimbal_messages::{Contract, Tier};
use serde_json::Value;

use super::note::{Note, Outcome, Refusal};
use super::sanitize::sanitize;
use super::settle::settle;
use super::truncate::{tokens, truncate};
use super::{Contracts, Envelope, Kind};

/// Most rounds until a message comes to rest.
const ROUNDS: usize = 8;

/// A message that follows its contract.
#[derive(Clone, Debug, PartialEq)]
pub struct Projected {
    /// The message.
    pub value: Value,
    /// How it came to follow its contract.
    pub outcome: Outcome,
    /// What was changed.
    pub notes: Vec<Note>,
}

impl Contracts {
    /// The message of a kind that a written value becomes. It follows the contract, and projecting it again changes nothing.
    ///
    /// Each round sanitizes, truncates, validates and settles; rounds go on until one changes nothing, because a value that was read as a text
    /// may be longer than before. What does not come to rest, or is refused, becomes the default of the kind.
    #[must_use]
    pub fn project(&self, kind: Kind, written: Value, envelope: &Envelope<'_>) -> Projected {
        let refused = |refusal: Refusal, notes: Vec<Note>| Projected {
            value: kind.default(envelope.sender, envelope.now),
            outcome: Outcome::Default(refusal),
            notes,
        };
        let mut notes = Vec::new();
        let Some(fields) = kind.fields(envelope.sender) else {
            return refused(Refusal::Sender { sender: envelope.sender, kind }, notes);
        };
        // The default is at rest, also where it is longer than the budget.
        if written == kind.default(envelope.sender, envelope.now) {
            return Projected { value: written, outcome: Outcome::AsWritten, notes };
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
                return Projected { value, outcome, notes };
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
