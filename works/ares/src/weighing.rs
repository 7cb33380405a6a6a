//! What the judge over claims says of a recorded verdict.

use gimbal_evidence::judge::{ClaimScore, Side, Weighing, judge_claims};
use gimbal_evidence::rules::Decision;
use gimbal_messages::records::debate::{VerdictGiven, Weighed};

/// What the judge over claims says of the claims that a verdict was recorded with; `None` of a majority, which has none, and in journals that
/// hold the claims of that judge's own verdicts alone.
pub(crate) fn weighing(given: &VerdictGiven) -> Option<Weighing> {
    let is_own = given.judge == Decision::Claims.name() && given.definition == Decision::Claims.name();
    let claims = match &given.claims {
        Some(claims) => &claims[..],
        // Such journals leave an empty list out.
        None if is_own => &[],
        None => return None,
    };
    let scores: Vec<ClaimScore> = claims.iter().filter_map(score).collect();
    Some(judge_claims(&scores))
}

/// A recorded claim as the judge saw it; `None` if its side is not known.
fn score(claim: &Weighed) -> Option<ClaimScore> {
    let side = match claim.side.as_str() {
        "threat" => Side::Threat,
        "benign" => Side::Benign,
        _ => return None,
    };
    Some(ClaimScore { side, confidence: claim.confidence, facts: claim.facts, survives: claim.survives })
}
