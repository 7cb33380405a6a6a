//! The judge over claims: a weighted mean of those that survive, with the number of valid facts as weight (ARES-065, ARES-133).

use gimbal_core::Milli;
use serde::{Deserialize, Serialize};

use super::Verdict;

/// The side that a claim speaks for.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum Side {
    /// There is a threat.
    Threat,
    /// There is none.
    Benign,
}

/// A claim as the judge sees it.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct ClaimScore {
    /// The side that it speaks for.
    pub side: Side,
    /// Confidence, from 0 to 1.
    pub confidence: Milli,
    /// Valid facts that it cites.
    pub facts: u32,
    /// Whether it holds: it was not rebutted with other facts, and the facts do not contradict it.
    pub survives: bool,
}

/// The balance beyond which the judge decides, in thousandths.
const DECIDES: i64 = 150;

/// What the judge over claims says.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Weighing {
    /// The verdict.
    pub verdict: Verdict,
    /// The weighted mean of the claims, from -1 (benign) to 1 (threat), rounded towards 0.
    pub balance: Milli,
    /// How sure the judge is of the verdict that it gives, from 0 to 1. Of a decision: how far the balance is from 0. Of an inconclusive one:
    /// how near it is to 0, from 1 at a balance of 0 to 0.15 at the bound, where a decision begins with 0.15. If no claim weighs anything, 0.5:
    /// there is nothing to be sure of.
    pub confidence: Milli,
}

/// The verdict over claims by their weighted mean. A mean beyond 0.15 decides. A claim without valid facts, and one that does not survive,
/// weighs nothing; where nothing weighs, the verdict is inconclusive.
#[must_use]
pub fn judge_claims(claims: &[ClaimScore]) -> Weighing {
    let standing = || claims.iter().filter(|claim| claim.survives);
    let weight: i128 = standing().map(|claim| i128::from(claim.facts)).sum();
    let sum: i128 = standing()
        .map(|claim| {
            let signed = match claim.side {
                Side::Threat => claim.confidence.0,
                Side::Benign => -claim.confidence.0,
            };
            i128::from(signed) * i128::from(claim.facts)
        })
        .sum();
    if weight == 0 {
        return Weighing { verdict: Verdict::Inconclusive, balance: Milli::ZERO, confidence: Milli(500) };
    }
    // Compared before it is rounded: 0.1504 is beyond 0.15.
    let verdict = if sum > i128::from(DECIDES) * weight {
        Verdict::ThreatConfirmed
    } else if -sum > i128::from(DECIDES) * weight {
        Verdict::ThreatDismissed
    } else {
        Verdict::Inconclusive
    };
    // A mean of confidences is a confidence: it fits.
    let balance = i64::try_from(sum / weight).unwrap_or_default();
    let distance = balance.abs();
    let confidence = match verdict {
        Verdict::Inconclusive => 1000 - distance * (1000 - DECIDES) / DECIDES,
        Verdict::ThreatConfirmed | Verdict::ThreatDismissed => distance,
    };
    Weighing { verdict, balance: Milli(balance), confidence: Milli(confidence) }
}
