//! Probing: what a family of tasks is like, by its own expert.
#![allow(clippy::unwrap_used, clippy::expect_used, missing_docs)]

use gimbal_core::Catalogue;
use gimbal_study::probe::{Probe, probe};
use gimbal_testkit::worlds::{corridor::CorridorFamily, oracle::OracleFamily};
use serde_json::json;

async fn corridor(slip: u32, seed: u64) -> Probe {
    let options = CorridorFamily.resolve(&json!({ "horizon": 30, "slip_percent": slip })).unwrap();
    let tasks = CorridorFamily.tasks("test", &serde_json::Value::Null).unwrap();
    probe(&CorridorFamily, &options, &tasks, seed).await.unwrap()
}

// covers: CYC-090
#[tokio::test]
async fn a_corridor_is_measured_the_same_twice_and_can_be_mended() {
    let sure = corridor(0, 1).await;
    assert_eq!((sure.solved, sure), (sure.tasks, corridor(0, 1).await), "the same seed measures the same");
    assert!(sure.calls > sure.tasks && sure.disturbed > 0);
    assert_eq!(sure.mendable(), 1.0);
    assert!(sure.state_uncertainty() > 0.0, "its literals are those of the present place");
    for share in [sure.prerequisite_density(), sure.observability(), sure.backtracking(), sure.state_uncertainty()] {
        assert!((0.0..=1.0).contains(&share));
    }
    assert!(sure.prerequisite_density() > 0.0, "a step further on is seen otherwise than the first");
}

#[tokio::test]
async fn a_world_without_an_expert_says_so() {
    let options = OracleFamily.resolve(&json!({})).unwrap();
    let tasks = OracleFamily.tasks(OracleFamily.splits()[0], &serde_json::Value::Null).unwrap();
    let error = probe(&OracleFamily, &options, &tasks, 1).await.unwrap_err().to_string();
    assert!(error.contains("cannot be probed"), "{error}");
}
