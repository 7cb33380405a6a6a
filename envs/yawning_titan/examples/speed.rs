//! Steps a second of the default scenario on one core: `cargo run --release --example speed`.
#![allow(clippy::print_stdout)]

use gimbal_yawning_titan::Scenario;
use gimbal_yawning_titan::bench::{BenchOptions, bench};
use gimbal_yawning_titan::generator::Numbers;
use gimbal_yawning_titan::policy::POLICIES;

fn main() -> Result<(), Box<dyn std::error::Error>> {
    for (mode, network) in [("default", "default_18"), ("dcbo", "dcbo_base"), ("low_skill_red", "default_18_set_entry")]
    {
        for policy in POLICIES {
            for draws in [Numbers::Fast, Numbers::Mersenne] {
                let scenario = Scenario::of(mode, network)?;
                let report = bench(&BenchOptions { scenario, policy, draws, ..BenchOptions::default() })?;
                println!(
                    "{mode:<14} {:<9} {:<9} {:>10.0} steps/s, {} episodes, checksum {}",
                    report.policy, report.draws, report.steps_per_second, report.episodes, report.checksum
                );
            }
        }
    }
    Ok(())
}
