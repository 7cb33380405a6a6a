//! Returns of the baselines against those of the original.
#![allow(clippy::unwrap_used, clippy::expect_used, clippy::print_stdout, missing_docs)]

mod common;

use gimbal_yawning_titan::generator::Numbers;
use gimbal_yawning_titan::policy::PolicyKind;
use gimbal_yawning_titan::returns::{RecordedReturns, ReturnsOptions, returns};
use gimbal_yawning_titan::{RedKind, Scenario};

#[test]
fn five_hundred_episodes_lie_within_three_standard_errors_of_every_cell() {
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
            returns(&ReturnsOptions { scenario, policy, episodes: 40000, draws: Numbers::Fast, seed: 0 }).unwrap();
        let z = (report.mean - cell.mean) / cell.se.hypot(report.se.unwrap());
        let length_error =
            (cell.length_sd / (cell.n as f64).sqrt()).hypot(report.length_sd.unwrap() / 40000_f64.sqrt());
        let length_z = (report.length_mean - cell.length_mean) / length_error;
        println!(
            "{} {} {}: {:.3} against {:.3}, z {z:.2}; steps {:.2} against {:.2}, z {length_z:.2}",
            cell.mode, cell.red, cell.blue, report.mean, cell.mean, report.length_mean, cell.length_mean
        );
    }
}
