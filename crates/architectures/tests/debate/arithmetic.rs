//! What the published confidences come to, through the whole architecture (ARES-113 to ARES-118).

use std::collections::BTreeMap;

use gimbal_messages::records::debate::VerdictGiven;
use serde_json::{Value, json};

use super::{Court, Played, answer, architect, skeptic};

const CONFIRMED: &str = "THREAT_CONFIRMED";
const DISMISSED: &str = "THREAT_DISMISSED";
const INCONCLUSIVE: &str = "INCONCLUSIVE";

/// The two sides with these confidences, round by round.
async fn debate(settings: Value, sides: &[(f64, f64)]) -> Played {
    let court = Court::new(settings)
        .says("architect", sides.iter().map(|(confidence, _)| architect(*confidence)))
        .says("skeptic", sides.iter().map(|(_, confidence)| skeptic(*confidence)));
    court.play().await
}

fn by_round(played: &Played) -> Vec<String> {
    let all = played.records::<VerdictGiven>();
    all.into_iter().filter(|one| !one.last && one.after == "round").map(|one| one.verdict).collect()
}

/// An anchored answer: the confidence of the claim is that of the side.
fn anchored(kind: &str, facts: &[&str], confidence: f64) -> String {
    let claim = json!({ "kind": kind, "predicate": "means as told", "facts": facts, "confidence": confidence });
    answer(&json!({ "assertions": [claim], "confidence": confidence, "changes": [], "conceded": [] }))
}

/// Verdicts of round 1 and of round 2, over a grid of the published ranges.
async fn published(judge: &str, anchors: bool) -> [BTreeMap<String, u32>; 2] {
    let mut counts = [BTreeMap::new(), BTreeMap::new()];
    let second = if anchors { [0.75, 0.9, 1.0] } else { [0.45, 0.55, 0.65] };
    for first in [0.85, 0.92, 0.98] {
        for then in second {
            for rigid in [0.6, 0.75, 0.9] {
                let settings = json!({ "rounds": 2, "judge": judge, "anchored": anchors });
                let played = if anchors {
                    let court = Court::new(settings)
                        .says("architect", [architect(first), anchored("ASSERT", &["F001", "F002"], then)])
                        .says("skeptic", [skeptic(rigid), anchored("ALT", &["F003", "F005"], rigid)]);
                    court.play().await
                } else {
                    debate(settings, &[(first, rigid), (then, rigid)]).await
                };
                for (count, verdict) in counts.iter_mut().zip(by_round(&played)) {
                    *count.entry(verdict).or_default() += 1;
                }
            }
        }
    }
    counts
}

fn of(counts: &BTreeMap<String, u32>, verdict: &str) -> u32 {
    counts.get(verdict).copied().unwrap_or(0)
}

// covers: ARES-111, ARES-113, ARES-114
#[tokio::test]
async fn under_the_second_judge_the_retreat_turns_confirmed_into_dismissed_and_inconclusive() {
    let [before, after] = published("v2", false).await;
    assert!(of(&before, CONFIRMED) >= 18, "{before:?}");
    assert_eq!(of(&after, CONFIRMED), 0, "{after:?}");
    assert!(of(&after, DISMISSED) > 0 && of(&after, INCONCLUSIVE) > 0, "{after:?}");
}

// covers: ARES-112, ARES-115
#[tokio::test]
async fn under_the_second_judge_anchoring_turns_it_back() {
    let [_, after] = published("v2", true).await;
    assert!(of(&after, CONFIRMED) > of(&after, DISMISSED) + of(&after, INCONCLUSIVE), "{after:?}");
}

// covers: ARES-060, ARES-113, ARES-115
#[tokio::test]
async fn under_the_first_judge_these_ranges_confirm_nothing_in_either_round() {
    for anchors in [false, true] {
        for counts in published("v1", anchors).await {
            assert_eq!(of(&counts, CONFIRMED), 0, "{counts:?}");
            assert_eq!(counts.values().sum::<u32>(), 27);
        }
    }
}

// covers: ARES-116
#[tokio::test]
async fn sc_011_the_skeptic_softens_and_the_case_is_open_again() {
    let played = debate(json!({ "rounds": 2, "judge": "v1" }), &[(0.4, 0.8), (0.4, 0.6)]).await;
    assert_eq!(
        (by_round(&played), played.verdict()),
        (vec![DISMISSED.into(), INCONCLUSIVE.into()], INCONCLUSIVE.into())
    );
}

// covers: ARES-117
#[tokio::test]
async fn sc_016_the_architect_holds_while_the_skeptic_drops() {
    let played = debate(json!({ "rounds": 2, "judge": "v1" }), &[(0.94, 0.6), (0.94, 0.44)]).await;
    assert_eq!((by_round(&played), played.verdict()), (vec![INCONCLUSIVE.into(), CONFIRMED.into()], CONFIRMED.into()));
}

// covers: ARES-R10
#[tokio::test]
async fn a_tie_of_floats_is_decided_by_the_arithmetic_that_the_settings_name() {
    for (arithmetic, verdict) in [("exact", INCONCLUSIVE), ("float_compat", CONFIRMED)] {
        let settings = json!({ "rounds": 1, "judge": "v2", "arithmetic": arithmetic });
        assert_eq!(debate(settings, &[(0.75, 0.6)]).await.verdict(), verdict, "{arithmetic}");
    }
}

// covers: ARES-044, ARES-062
#[tokio::test]
async fn the_verdict_follows_the_last_round_alone_and_is_recorded_with_its_inputs() {
    let played = debate(json!({ "rounds": 3, "stops_early": false }), &[(0.95, 0.3), (0.95, 0.3), (0.2, 0.9)]).await;
    let last: Vec<VerdictGiven> = played.records::<VerdictGiven>().into_iter().filter(|one| one.last).collect();
    let one = &last[0];
    assert_eq!(
        (one.verdict.as_str(), one.round, one.judge.as_str(), one.arithmetic.as_str()),
        (DISMISSED, 3, "v2", "exact")
    );
    assert_eq!((one.architect.0, one.skeptic.0, one.certainty.0, one.definition.as_str()), (200, 900, 900, "winner"));
    assert_eq!((one.architect_facts, one.skeptic_facts), (2, 2));
    let call = played.concluded();
    assert_eq!(call["verdict"], DISMISSED);
    assert_eq!((&call["facts"], &call["confidence"]), (&json!("F003 F005"), &json!("0.9")));
    assert_eq!(played.outcome.episode_return.0, 0, "the case is a threat");
}

// covers: ARES-065
#[tokio::test]
async fn the_judge_over_claims_weighs_claims_and_not_positions() {
    let claim =
        |kind: &str, predicate: &str, facts: &[&str]| json!({ "kind": kind, "predicate": predicate, "facts": facts });
    let court = Court::new(json!({ "rounds": 1, "judge": "claims" }))
        .says("architect", [answer(&json!({
            "assertions": [claim("ASSERT", "count 300", &["F001"]), claim("ASSERT", "class flow", &["F004"])], "confidence": 0.6
        }))])
        .says("skeptic", [answer(&json!({ "assertions": [claim("ALT", "means a test", &["F005"])], "confidence": 0.9 }))]);
    let played = court.play().await;
    let last: Vec<VerdictGiven> = played.records::<VerdictGiven>().into_iter().filter(|one| one.last).collect();
    let claims: Vec<(&str, &str, u32, bool)> = last[0]
        .claims
        .iter()
        .flatten()
        .map(|one| (one.claim.as_str(), one.side.as_str(), one.facts, one.survives))
        .collect();
    assert_eq!(claims, [("A1", "threat", 1, true), ("A2", "threat", 1, false), ("S1", "benign", 1, true)]);
    assert_eq!((played.verdict().as_str(), last[0].certainty.0), (INCONCLUSIVE, 150));
}

/// An even case is a sure inconclusive one, and not one with confidence 0.
// covers: ARES-049, ARES-065
#[tokio::test]
async fn a_balanced_case_is_inconclusive_with_confidence() {
    let claim = |kind: &str, fact: &str| json!({ "kind": kind, "predicate": "means a test", "facts": [fact] });
    let court = Court::new(json!({ "rounds": 1, "judge": "claims" }))
        .says("architect", [answer(&json!({ "assertions": [claim("ASSERT", "F001")], "confidence": 0.7 }))])
        .says("skeptic", [answer(&json!({ "assertions": [claim("ALT", "F005")], "confidence": 0.7 }))]);
    let played = court.play().await;
    assert_eq!((played.verdict().as_str(), &played.concluded()["confidence"]), (INCONCLUSIVE, &json!("1.0")));
    let court = Court::new(json!({ "rounds": 1, "certainty": "margin" }))
        .says("architect", [super::architect(0.6)])
        .says("skeptic", [super::skeptic(0.55)]);
    let played = court.play().await;
    assert_eq!((played.verdict().as_str(), &played.concluded()["confidence"]), (INCONCLUSIVE, &json!("0.95")));
}
