//! What a scorer may read of a conflict beside the plain features: names in disguise. They are apart, so that who wants none has none (CTHA-077).

use gimbal_core::Digest;
use serde::{Deserialize, Serialize};

use super::choices::{Choices, Contenders};
use super::features::Features;
use super::scored::row;
use crate::Proposal;
use crate::pattern::shown;

/// Places of the hashed table that records and files hold: whole numbers below this are exact in 32-bit numbers. A network takes the remainder.
pub const ACTIONS: u32 = 1 << 24;

/// The actions of the parties to a conflict as places in a hashed table, and the text of its context.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct Named {
    /// The place of each party's action, in the order of the parties, from 0 to [`ACTIONS`].
    pub actions: Vec<u32>,
    /// What the parties share: the goal, and what was done and seen last.
    pub context: String,
}

impl Named {
    /// Of the parties of a conflict, in the order of `choices`.
    #[must_use]
    pub fn of(choices: &Choices, wanted: Contenders<'_>, context: String) -> Self {
        let actions = choices.proposals(wanted).into_iter().map(|proposal| action(proposal, ACTIONS)).collect();
        Self { actions, context }
    }

    /// The rows that a scorer gets: a party's layer, its features, its action where `with_actions` says so, and the vector of the context. Data to learn
    /// from and play go through this function alone. Without an action for a party it has 0.
    #[must_use]
    pub fn rows(&self, parties: &[Features], with_actions: bool, context: &[f32]) -> Vec<Vec<f32>> {
        let of =
            |(place, party): (usize, &Features)| row(party.layer, &self.columns(place, party, with_actions), context);
        parties.iter().enumerate().map(of).collect()
    }

    /// The columns of the party at this place.
    #[must_use]
    pub fn columns(&self, place: usize, party: &Features, with_actions: bool) -> Vec<f32> {
        let mut columns = party.row();
        if with_actions {
            columns.push(self.actions.get(place).copied().unwrap_or(0) as f32);
        }
        columns
    }
}

/// The place of a party's words in a hashed table of so many actions, for models that have one; it is a name in disguise and no part of
/// [`Features`]. A directive has that of its name.
#[must_use]
pub fn action(proposal: &Proposal, table: u32) -> u32 {
    let words = match (proposal.as_call(), proposal.as_directive()) {
        (Some(call), _) => shown(call),
        (None, Some(directive)) => directive.id.clone(),
        (None, None) => String::new(),
    };
    u32::try_from(Digest::of(words.as_bytes()).head() % u64::from(table.max(1))).unwrap_or(0)
}
