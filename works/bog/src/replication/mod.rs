//! What a run says to claims: sign, size, interval and verdict by model, and a verdict by majority (BOG-200..211).
//!
//! A claim holds on a model when its interval lies wholly on the expected side, fails when it lies wholly on the other,
//! and otherwise the run cannot tell. Claims about a best configuration compare with what was picked after the fact.

mod differences;
mod judge;
mod resampled;

pub use differences::against_baseline;
pub use judge::judge;

use serde::{Deserialize, Serialize};

use crate::axes::{Claim, Grids};
use gimbal_analysis::Interval;
use gimbal_analysis::hypothesis::holm;
use gimbal_analysis::metrics;
use gimbal_analysis::t_quantile;

/// What one model says to a claim.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum Outcome {
    /// The interval lies on the expected side.
    Holds,
    /// The interval lies on the other side.
    Fails,
    /// The interval holds both sides, or there is none.
    CannotTell,
}

impl Outcome {
    /// The words that tables show.
    #[must_use]
    pub const fn label(self) -> &'static str {
        match self {
            Self::Holds => "holds",
            Self::Fails => "fails",
            Self::CannotTell => "cannot tell",
        }
    }
}

/// A claim on one model.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct Finding {
    /// Model.
    pub model: String,
    /// Configuration of the first side.
    pub first: String,
    /// Configuration of the second side.
    pub second: String,
    /// Difference or ratio, by what the claim is about.
    pub estimate: f64,
    /// Its interval.
    pub interval: Option<Interval>,
    /// Where the estimate lies against what says "no difference" (0, or 1 for a ratio): -1, 0 or 1.
    pub sign: i8,
    /// Whether the estimate lies on the expected side.
    pub expected: bool,
    /// Two-sided p, where there is a test.
    pub p: Option<f64>,
    /// After Holm's correction over all findings that are shown together.
    pub p_holm: Option<f64>,
    /// Outcome.
    pub outcome: Outcome,
}

/// What most models say.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum Majority {
    /// It holds on more than half of the models.
    Replicates,
    /// It does not hold on more than half, but the estimates of more than half lie on the expected side.
    DirectionOnly,
    /// It fails on more than half of the models.
    DoesNotReplicate,
    /// Neither.
    CannotTell,
}

impl Majority {
    /// The words that tables show.
    #[must_use]
    pub const fn label(self) -> &'static str {
        match self {
            Self::Replicates => "replicates",
            Self::DirectionOnly => "direction only",
            Self::DoesNotReplicate => "does not replicate",
            Self::CannotTell => "cannot tell",
        }
    }
}

/// Models by what they say to a claim.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct OutcomeCounts {
    /// It holds on them.
    pub holds: usize,
    /// It fails on them.
    pub fails: usize,
    /// They cannot tell.
    pub cannot_tell: usize,
}

/// A claim in one environment.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct Replication {
    /// Name of the claim.
    pub claim: String,
    /// In words.
    pub says: String,
    /// Environment.
    pub environment: String,
    /// Models that can say something, in the study's order.
    pub findings: Vec<Finding>,
    /// Mean of the estimates over models, where they are differences of one unit.
    pub pooled: Option<f64>,
    /// Student t interval of that mean with models as units: what a further model of the same kind may show.
    pub pooled_interval: Option<Interval>,
    /// What most models say; one model that it holds on suffices for a claim that some model is so.
    pub majority: Majority,
}

impl Replication {
    pub(crate) fn of(claim: String, says: String, environment: &str, findings: Vec<Finding>, confidence: f64) -> Self {
        let (pooled, pooled_interval) = pool(&findings, confidence);
        let majority = majority(&findings);
        Self { claim, says, environment: environment.to_owned(), findings, pooled, pooled_interval, majority }
    }

    /// Models by outcome.
    #[must_use]
    pub fn counts(&self) -> OutcomeCounts {
        let count = |wanted| self.findings.iter().filter(|finding| finding.outcome == wanted).count();
        OutcomeCounts {
            holds: count(Outcome::Holds),
            fails: count(Outcome::Fails),
            cannot_tell: count(Outcome::CannotTell),
        }
    }

    /// Models whose estimate lies on the expected side.
    #[must_use]
    pub fn expected(&self) -> usize {
        self.findings.iter().filter(|finding| finding.expected).count()
    }
}

fn majority(findings: &[Finding]) -> Majority {
    let most =
        |test: fn(&Finding) -> bool| 2 * findings.iter().filter(|finding| test(finding)).count() > findings.len();
    if most(|finding| finding.outcome == Outcome::Holds) {
        Majority::Replicates
    } else if most(|finding| finding.outcome == Outcome::Fails) {
        Majority::DoesNotReplicate
    } else if most(|finding| finding.expected) {
        Majority::DirectionOnly
    } else {
        Majority::CannotTell
    }
}

fn pool(findings: &[Finding], confidence: f64) -> (Option<f64>, Option<Interval>) {
    let values: Vec<f64> = findings.iter().map(|finding| finding.estimate).collect();
    let Some(mean) = metrics::mean(&values).filter(|_| values.len() > 1) else { return (None, None) };
    let n = values.len() as f64;
    let sd = (values.iter().map(|value| (value - mean).powi(2)).sum::<f64>() / (n - 1.0)).sqrt();
    let half = t_quantile(0.5 + confidence / 2.0, n - 1.0).map(|t| t * sd / n.sqrt());
    (Some(mean), half.map(|half| Interval { low: mean - half, high: mean + half }))
}

/// Every claim in every environment in which some model can say something to it, p-values corrected over all.
#[must_use]
pub fn replications(claims: &[Claim], grids: &Grids<'_>) -> Vec<Replication> {
    let mut all = Vec::new();
    for claim in claims {
        for grid in &grids.grids {
            all.extend(judge(claim, claims, grid, &grids.analysis.options));
        }
    }
    correct(&mut all);
    all
}

/// Holm's correction over all findings that have a p.
pub(crate) fn correct(all: &mut [Replication]) {
    let p: Vec<f64> = all.iter().flat_map(|one| &one.findings).filter_map(|finding| finding.p).collect();
    let mut adjusted = holm(&p).into_iter();
    for finding in all.iter_mut().flat_map(|one| &mut one.findings).filter(|finding| finding.p.is_some()) {
        finding.p_holm = adjusted.next();
    }
}
