//! Steps a second on one core: `cargo run --release -p gimbal-textcraft --example textcraft_speed [steps]`. Besides wall time it
//! prints the processor's, where the system tells it, for machines that do other work.
#![allow(clippy::print_stdout)]

use gimbal_textcraft::Tree;
use gimbal_textcraft::bench::{BenchOptions, MIX, bench};
use gimbal_textcraft::policy::PolicyKind;

/// Seconds of processor time of this process so far.
fn processor() -> Option<f64> {
    let stat = std::fs::read_to_string("/proc/self/schedstat").ok()?;
    stat.split(' ').next()?.parse::<f64>().ok().map(|nanoseconds| nanoseconds / 1e9)
}

fn main() -> Result<(), Box<dyn std::error::Error>> {
    let steps = std::env::args().nth(1).map_or(Ok(3_000_000), |steps| steps.parse())?;
    for (what, share) in MIX {
        println!("{share:>3} % {what}");
    }
    for policy in [PolicyKind::Random, PolicyKind::Expert] {
        for aliasing in [false, true] {
            let options = BenchOptions { tree: Tree::shipped()?, policy, steps, horizon: 50, seed: 0, aliasing };
            let before = processor();
            let report = bench(&options);
            // Scenes are drawn before the clock starts, on the same processor.
            let own = before.zip(processor()).map(|(before, after)| after - before - report.scenes_seconds);
            println!(
                "{:<8} aliasing {aliasing:<5} {:>10.0} steps/s, {:>10.0} by processor time, {} episodes, {} goals, {:.1} \
                 characters a reply, {} scenes in {:.3} s before, checksum {}",
                report.policy,
                report.steps_per_second,
                own.map_or(f64::NAN, |own| steps as f64 / own),
                report.episodes,
                report.solved,
                report.characters as f64 / report.steps as f64,
                report.scenes,
                report.scenes_seconds,
                report.checksum
            );
            let share = |count: u64| 100.0 * count as f64 / report.steps as f64;
            let replies: Vec<String> =
                report.replies.iter().map(|(said, count)| format!("{:.1} % {said}", share(*count))).collect();
            println!("         {}", replies.join(", "));
        }
    }
    Ok(())
}
