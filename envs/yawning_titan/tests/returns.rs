//! Returns of the baselines against those of the original.
#![allow(clippy::unwrap_used, clippy::expect_used, clippy::print_stdout, missing_docs)]

use crate::common;

use gimbal_yawning_titan::generator::Numbers;
use gimbal_yawning_titan::policy::{POLICIES, PolicyKind};
use gimbal_yawning_titan::returns::{RecordedReturns, ReturnsOptions, each, returns};
use gimbal_yawning_titan::{RedKind, Scenario};

#[test]
fn two_thousand_episodes_lie_within_three_standard_errors_of_every_cell() {
    let Some(folder) = common::reference() else { return };
    let text = std::fs::read_to_string(folder.join("returns.json")).unwrap();
    let recorded: RecordedReturns = serde_json::from_str(&text).unwrap();
    assert_eq!(recorded.cells.len(), 12);
    for cell in recorded.cells {
        let scenario = Scenario {
            red: RedKind::from_name(&cell.red).unwrap(),
            ..Scenario::of(&cell.mode, &cell.network).unwrap()
        };
        let policy = PolicyKind::from_name(&cell.blue).unwrap();
        let report =
            returns(&ReturnsOptions { scenario, policy, episodes: 2000, draws: Numbers::Fast, seed: 0 }).unwrap();
        let z = (report.mean - cell.mean) / cell.se.hypot(report.se.unwrap());
        let length_error = (cell.length_sd / (cell.n as f64).sqrt()).hypot(report.length_sd.unwrap() / 2000_f64.sqrt());
        let length_z = (report.length_mean - cell.length_mean) / length_error;
        println!(
            "{} {} {}: {:.3} against {:.3}, z {z:.2}; steps {:.2} against {:.2}, z {length_z:.2}",
            cell.mode, cell.red, cell.blue, report.mean, cell.mean, report.length_mean, cell.length_mean
        );
        assert!(z.abs() < 3.0 && length_z.abs() < 3.0, "{} {} {}", cell.mode, cell.red, cell.blue);
        assert_eq!(report.exceptions, 0);
    }
}

#[test]
fn policies_do_what_their_names_say() {
    let play = |policy, episodes| {
        let scenario = Scenario::default();
        returns(&ReturnsOptions { scenario, policy, episodes, draws: Numbers::Mersenne, seed: 9 }).unwrap()
    };
    let [nothing, random, reactive, restores] = POLICIES.map(|policy| play(policy, 300));
    assert!(reactive.mean > nothing.mean + 20.0 && reactive.mean > random.mean + 20.0);
    assert!(restores.mean > nothing.mean + 20.0 && restores.mean > random.mean + 20.0);
    assert!(nothing.length_mean < reactive.length_mean);
    assert_eq!(nothing, play(PolicyKind::Nothing, 300), "the same seeds give the same returns");
    assert_eq!(play(PolicyKind::Random, 0).mean, 0.0, "no episode is no error");
    assert_eq!(play(PolicyKind::Random, 1).sd, None);
}

#[test]
fn returns_one_by_one_are_those_of_which_the_mean_is_told() {
    for policy in POLICIES {
        let options =
            ReturnsOptions { scenario: Scenario::default(), policy, episodes: 40, draws: Numbers::Fast, seed: 5 };
        let (all, report) = (each(&options).unwrap(), returns(&options).unwrap());
        assert_eq!(all.len(), 40);
        let mean = all.iter().sum::<i64>() as f64 / 40_000.0;
        // Each of at most 1,000 steps is rounded to a thousandth.
        assert!((mean - report.mean).abs() < 0.5, "{policy:?}: {mean} and {}", report.mean);
        let lowest = *all.iter().min().unwrap() as f64 / 1000.0;
        assert!((lowest - report.min).abs() < 0.5, "{policy:?}: {lowest} and {}", report.min);
        let later = each(&ReturnsOptions { episodes: 10, seed: 15, ..options }).unwrap();
        assert_eq!(later, all[10..20], "an episode depends on its seed alone");
    }
}
