//! From labelled conflicts of journals to conflicts to learn from (CTHA-080).

use gimbal_core::{Embedder as _, Milli};
use gimbal_temporal::rollout::{COLUMNS, LayerLabelled};
use thiserror::Error;

use super::conflict::{ACTION, Candidate, Conflict, Header, Party};
use crate::embed::Hashed;

/// The rules whose choices are kept, in the order of the header.
pub const RULES: [&str; 4] = ["faster", "slower", "published", "greedy"];

/// Where a conflict comes from.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Origin {
    /// Its name, for messages.
    pub id: String,
    /// The environment.
    pub environment: String,
    /// Seed of the episode.
    pub seed: u64,
    /// Noise of the players, in thousandths.
    pub noise: Milli,
}

/// Why a labelled conflict cannot be learned from.
#[derive(Clone, Debug, PartialEq, Eq, Error)]
pub enum Unusable {
    /// Its record is of a program that did not keep actions and context.
    #[error(
        "{0}: the record has no actions and no context, because an older program wrote it; play the study anew with this one"
    )]
    Older(String),
    /// Its record names a way or a rule that it does not have, or has another number of parties and actions.
    #[error("{0}: the record contradicts itself")]
    Torn(String),
}

/// The header of files that are collected: the plain features, the action, and the hashed vector of the context.
#[must_use]
pub fn header() -> Header {
    let columns: Vec<&str> = COLUMNS.iter().copied().chain([ACTION]).collect();
    Header::new(&columns, Hashed.dimensions(), &RULES)
}

impl Conflict {
    /// The conflict of a record, under [`header`].
    ///
    /// # Errors
    /// See [`Unusable`].
    pub fn labelled(origin: Origin, record: &LayerLabelled) -> Result<Self, Unusable> {
        let Origin { id, environment, seed, noise } = origin;
        let Some(named) = &record.named else { return Err(Unusable::Older(id)) };
        let label = &record.labelled;
        let choices: Option<Vec<usize>> = RULES.iter().map(|rule| label.by_rule.get(*rule).copied()).collect();
        let (Some(choices), Some(best), true) =
            (choices, label.ways.get(label.best), named.actions.len() == label.parties.len())
        else {
            return Err(Unusable::Torn(id));
        };
        let candidates = label.ways.iter().map(|way| {
            let returns: Vec<f64> = way.returns.iter().map(|one| one.to_f64()).collect();
            Candidate {
                kept: way.kept.clone(),
                sets: way.sets.clone(),
                mean: way.mean.to_f64(),
                error: standard_error(&returns),
                // It turned out well where nothing was lost against the best way.
                outcome: Some(way.mean == best.mean),
            }
        });
        let parties = label.parties.iter().enumerate();
        let parties =
            parties.map(|(place, party)| Party { layer: party.layer, features: named.columns(place, party, true) });
        Ok(Self {
            id,
            environment,
            seed,
            noise,
            kind: record.kind.clone(),
            parties: parties.collect(),
            excludes: label.conflicts.clone(),
            context: Hashed.embed(&named.context),
            candidates: candidates.collect(),
            choices,
            best: label.best,
            tied: label.tied,
            weight: 1.0,
        })
    }
}

fn standard_error(returns: &[f64]) -> f64 {
    let n = returns.len() as f64;
    if returns.len() < 2 {
        return 0.0;
    }
    let mean = returns.iter().sum::<f64>() / n;
    let squares: f64 = returns.iter().map(|one| (one - mean).powi(2)).sum();
    (squares / (n - 1.0) / n).sqrt()
}
