#![allow(clippy::print_stdout, missing_docs)]
use gimbal_yawning_titan::bench::{BenchOptions, bench};
fn main() {
    let r = bench(&BenchOptions::default()).unwrap();
    println!("{:.0}", r.steps_per_second);
}
