//! Whether what plays acted at all. Where the fallback acted in its place, returns measure the scaffolding and no model.

use crate::rate::Rate;

/// Share of environment steps taken by the fallback from which on a cell is not a measurement of its model, as the mean over its
/// episodes: one long episode does not decide.
pub const FALLBACK_LIMIT: f64 = 0.5;

/// Share of invalid attempts at an action from which on a cell is not a measurement of its model, as the mean over its episodes.
pub const INVALID_LIMIT: f64 = 0.8;

/// Share of messages of which nothing could be used from which on a cell is not a measurement of its model: a default or a rule
/// spoke in the place of its router, planner, adviser or debater. The mean over its episodes.
pub const UNUSABLE_LIMIT: f64 = 0.5;

/// Share of fallback steps, invalid attempts or unusable messages from which on the headline of a report names it, though the cell
/// is a measurement.
pub const NAMED_FROM: f64 = 0.25;

/// Rounding of a mean of shares.
const ROUNDING: f64 = 1e-12;

/// The mean over episodes of a share within each. Episodes in which there was nothing to count take no part; `None` where
/// that are all.
#[must_use]
pub fn mean_share(episodes: impl IntoIterator<Item = Rate>) -> Option<f64> {
    let (sum, count) = episodes
        .into_iter()
        .filter_map(|rate| rate.share())
        .fold((0.0, 0_u64), |(sum, count), one| (sum + one, count + 1));
    (count > 0).then(|| sum / count as f64)
}

/// What one episode says about whether its model acted.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct EpisodeActs {
    /// Fallback steps of all steps.
    pub fallback: Rate,
    /// Attempts at an action that brought none, of all.
    pub invalid: Rate,
    /// Messages of which nothing could be used, of all.
    pub unusable: Rate,
    /// Whether models were asked, an agent was to act, and none made a single tool call.
    pub without_call: bool,
}

/// The same of a cell: means over its episodes.
#[derive(Clone, Copy, Debug, Default, PartialEq)]
pub struct CellActs {
    /// Mean share of fallback steps; an episode without a tool call counts as 1.
    pub fallback: Option<f64>,
    /// Mean share of invalid attempts; an episode without a tool call counts as 1.
    pub invalid: Option<f64>,
    /// Mean share of messages of which nothing could be used.
    pub unusable: Option<f64>,
    /// Episodes without a tool call, of all.
    pub without_call: Rate,
}

impl CellActs {
    /// Of the episodes of a cell.
    #[must_use]
    pub fn of(episodes: &[EpisodeActs]) -> Self {
        // No step and no attempt of such an episode was the model's.
        let whole = |one: &EpisodeActs, rate: Rate| if one.without_call { Rate { count: 1, of: 1 } } else { rate };
        Self {
            fallback: mean_share(episodes.iter().map(|one| whole(one, one.fallback))),
            invalid: mean_share(episodes.iter().map(|one| whole(one, one.invalid))),
            unusable: mean_share(episodes.iter().map(|one| one.unusable)),
            without_call: Rate {
                count: episodes.iter().filter(|one| one.without_call).count() as u64,
                of: episodes.len() as u64,
            },
        }
    }

    /// Whether the model hardly acted ([`hardly_acted`]).
    #[must_use]
    pub fn is_hardly(&self) -> bool {
        hardly_acted(self.fallback, self.invalid, self.unusable)
    }
}

/// Whether the model hardly acted: in the mean over its episodes ([`mean_share`]) at least [`FALLBACK_LIMIT`] of the steps
/// were the fallback's, or at least [`INVALID_LIMIT`] of the attempts brought no action, or of at least [`UNUSABLE_LIMIT`] of the
/// messages on which code acts nothing could be used.
#[must_use]
pub fn hardly_acted(fallback: Option<f64>, invalid: Option<f64>, unusable: Option<f64>) -> bool {
    let reaches = |share: Option<f64>, limit: f64| share.is_some_and(|share| share >= limit - ROUNDING);
    reaches(fallback, FALLBACK_LIMIT) || reaches(invalid, INVALID_LIMIT) || reaches(unusable, UNUSABLE_LIMIT)
}

/// The rule in words, for tables and pages.
#[must_use]
pub fn rule() -> String {
    format!(
        "in the mean over episodes the fallback took at least {:.0}% of the steps, or at least {:.0}% of the attempts at an action were invalid, or of at least {:.0}% of the messages on which code acts nothing could be used; an episode without a tool call counts as 100% of both",
        100.0 * FALLBACK_LIMIT,
        100.0 * INVALID_LIMIT,
        100.0 * UNUSABLE_LIMIT
    )
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn every_share_has_a_limit_and_nothing_played_reaches_none() {
        assert!(hardly_acted(Some(0.5), Some(0.0), None));
        assert!(!hardly_acted(Some(0.4), Some(0.7), Some(0.4)));
        assert!(hardly_acted(None, Some(0.8), None));
        assert!(hardly_acted(Some(0.0), Some(0.0), Some(0.5)));
        assert!(!hardly_acted(None, None, None));
    }

    #[test]
    fn an_episode_without_a_tool_call_was_not_acted_in() {
        let acted = EpisodeActs {
            fallback: Rate { count: 0, of: 4 },
            invalid: Rate { count: 1, of: 5 },
            ..EpisodeActs::default()
        };
        let silent = EpisodeActs { without_call: true, ..EpisodeActs::default() };
        let cell = CellActs::of(&[acted, silent]);
        assert_eq!((cell.fallback, cell.invalid, cell.unusable), (Some(0.5), Some(0.6), None));
        assert_eq!(cell.without_call, Rate { count: 1, of: 2 });
        assert!(cell.is_hardly() && !CellActs::of(&[acted, acted, silent]).is_hardly());
        // Nothing played and nothing asked is not silence.
        assert!(!CellActs::of(&[]).is_hardly() && !CellActs::of(&[EpisodeActs::default()]).is_hardly());
    }

    #[test]
    fn every_episode_has_one_voice() {
        let rate = |count, of| Rate { count, of };
        assert_eq!(mean_share([rate(90, 90), rate(0, 10), rate(0, 0)]), Some(0.5));
        assert_eq!(mean_share([rate(0, 0)]), None);
        // A mean of equal shares reaches the limit that each of them reaches.
        assert!(hardly_acted(None, mean_share((0..7).map(|_| rate(4, 5))), None));
    }
}
