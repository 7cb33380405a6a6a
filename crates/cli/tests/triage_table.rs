//! What `gimbal env triage evaluate` prints.

use crate::common::Place;

fn near(value: &serde_json::Value, expected: f64) -> bool {
    value.as_f64().is_some_and(|value| (value - expected).abs() < 5e-5)
}

// covers: ARES-075
#[test]
fn an_interval_is_beside_every_rate_of_a_policy() {
    let place = Place::new();
    let evaluate = ["env", "triage", "evaluate", "--policy", "majority", "--split", "ares12"];
    let said = place.gimbal(&evaluate).good().out;
    // Wilson's intervals of 3 of 12 and 3 of 3, as other programs compute them.
    assert!(said.contains("ares12   all                   12      3     0.250  0.089 to 0.532\n"), "{said}");
    assert!(said.contains("         CLEAR_THREAT           3      3     1.000  0.439 to 1.000\n"), "{said}");
    assert!(said.contains("95% intervals by Wilson's score"), "{said}");
    let report = place.gimbal(&[&evaluate[..], &["--json"]].concat()).good().json();
    let rate = &report["rows"][0]["rate"];
    assert!(near(&rate["share"], 0.25) && near(&rate["low"], 0.0889) && near(&rate["high"], 0.5323), "{rate}");
    // A part of one tier: of the others there is no rate, and no interval.
    let part = ["env", "triage", "evaluate", "--policy", "majority", "--split", "dev-clear-threat"];
    let said = place.gimbal(&part).good().out;
    assert!(said.contains("                 CLEAR_BENIGN           0      0         -\n"), "{said}");
}
