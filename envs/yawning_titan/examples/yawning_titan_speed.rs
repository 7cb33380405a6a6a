//! Steps a second on one core: `cargo run --release -p gimbal-yawning-titan --example yawning_titan_speed [mode]`. Besides wall time it prints the processor's,
//! where the system tells it, for machines that do other work.
#![allow(clippy::print_stdout)]

use gimbal_yawning_titan::Scenario;
use gimbal_yawning_titan::bench::{BenchOptions, bench};
use gimbal_yawning_titan::generator::Numbers;
use gimbal_yawning_titan::policy::POLICIES;

/// Seconds of processor time of this process so far.
fn processor() -> Option<f64> {
    let stat = std::fs::read_to_string("/proc/self/schedstat").ok()?;
    stat.split(' ').next()?.parse::<f64>().ok().map(|nanoseconds| nanoseconds / 1e9)
}

fn main() -> Result<(), Box<dyn std::error::Error>> {
    let only = std::env::args().nth(1);
    for (mode, network) in [("default", "default_18"), ("dcbo", "dcbo_base"), ("low_skill_red", "default_18_set_entry")]
    {
        if only.as_ref().is_some_and(|only| only != mode) {
            continue;
        }
        for policy in POLICIES {
            for draws in [Numbers::Fast, Numbers::Mersenne] {
                let scenario = Scenario::of(mode, network)?;
                let before = processor();
                let report = bench(&BenchOptions { scenario, policy, draws, ..BenchOptions::default() })?;
                let own = before.zip(processor()).map(|(before, after)| report.steps as f64 / (after - before));
                println!(
                    "{mode:<14} {:<9} {:<9} {:>10.0} steps/s, {:>10.0} by processor time, {} episodes, checksum {}",
                    report.policy,
                    report.draws,
                    report.steps_per_second,
                    own.unwrap_or(f64::NAN),
                    report.episodes,
                    report.checksum
                );
            }
        }
    }
    Ok(())
}
