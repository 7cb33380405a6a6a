//! Probing: what a family of tasks is like, by its own expert.
#![allow(clippy::unwrap_used, clippy::expect_used, missing_docs)]

use gimbal_core::Catalogue;
use gimbal_study::probe::{Probe, probe};
use gimbal_testkit::environments::{corridor::CorridorFamily, oracle::OracleFamily};
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
    assert_eq!(sure.mendable(), Some(1.0));
    assert!(sure.state_uncertainty() > 0.0, "its literals are those of the present place");
    let backtracking = sure.backtracking().unwrap();
    for share in [sure.prerequisite_density(), sure.observability(), backtracking, sure.state_uncertainty()] {
        assert!((0.0..=1.0).contains(&share));
    }
    assert!(sure.prerequisite_density() > 0.0, "a step further on is seen otherwise than the first");
}

#[tokio::test]
async fn an_environment_without_an_expert_says_so() {
    let options = OracleFamily.resolve(&json!({})).unwrap();
    let tasks = OracleFamily.tasks(OracleFamily.splits()[0], &serde_json::Value::Null).unwrap();
    let error = probe(&OracleFamily, &options, &tasks, 1).await.unwrap_err().to_string();
    assert!(error.contains("cannot be probed"), "{error}");
}

async fn of(family: &dyn Catalogue, options: serde_json::Value, split: &str, most: usize) -> Probe {
    let options = family.resolve(&options).unwrap();
    let tasks = family.tasks(split, &options).unwrap();
    probe(family, &options, &tasks[..most], 1).await.unwrap()
}

/// What the expert does in a household depends on where things lie, which nobody is told; recipes are all told; an answer
/// is in a document that must be found first.
// covers: CYC-090
#[tokio::test]
async fn observability_is_what_could_be_told_before_acting() {
    let recipes = of(&gimbal_textcraft::TextCraft, json!({}), "depth-3-train", 6).await;
    assert_eq!((recipes.solved, recipes.observability()), (6, 1.0), "{recipes:?}");
    let hidden = json!({ "household": { "closed": 100, "together": 0 } });
    let household = of(&gimbal_alfworld::Alfworld::over(None), hidden, "generated", 8).await;
    assert_eq!(household.solved, 8);
    assert!(household.observability() < 0.5, "{household:?}");
    assert!(household.observability() > 0.0, "where to bring a thing is told: {household:?}");
    let filings = of(&gimbal_finance_agent::FinanceAgent, json!({ "reader": "extract" }), "synthetic", 4).await;
    assert_eq!(filings.solved, 4);
    assert!(filings.observability() < 0.35, "{filings:?}");
}

/// Where no play was disturbed, or none was fixed, nothing is known of what fixes a failure.
// covers: CYC-090
#[test]
fn what_was_not_measured_is_not_told() {
    let nothing = Probe::default();
    assert_eq!((nothing.mendable(), nothing.backtracking()), (None, None));
    let lost = Probe { disturbed: 4, ..nothing };
    assert_eq!((lost.mendable(), lost.backtracking()), (Some(0.0), None));
    let mended = Probe { mended: 2, went_back: 1, ..lost };
    assert_eq!((mended.mendable(), mended.backtracking()), (Some(0.5), Some(0.5)));
}
