//! Intervals hold the truth about as often as they say.
#![allow(clippy::unwrap_used, clippy::expect_used, missing_docs)]

use gimbal_analysis::coverage::{Covered, Design, Pair, coverage, simulated_tokens, table};
use gimbal_analysis::{Generator, Options};

/// Skewed returns with a floor, as defenders have them; the second system is better and depends on the first.
fn population(count: u64) -> Vec<Pair> {
    let mut generator = Generator::new(3);
    (0..count)
        .map(|index| {
            let bad = generator.unit();
            let baseline = -(20_000.0 + 180_000.0 * bad * bad) as i64;
            let other = baseline / 2 - (30_000.0 * generator.unit()) as i64;
            Pair { baseline, other, tokens: simulated_tokens(index, other) }
        })
        .collect()
}

fn design(runs: usize, tasks: usize) -> Design {
    let options = Options { resamples: 400, seed: 5, ..Options::default() };
    Design { runs, tasks, studies: 400, catastrophic_below: Some(-100_000), options }
}

fn share(found: &[Covered], quantity: &str, method: &str) -> f64 {
    found.iter().find(|one| one.quantity == quantity && one.method == method).unwrap().share().unwrap()
}

/// Four standard errors of 400 studies at 95% are 4.4 points; a wrong formula misses by more.
// covers: BOG-163, BOG-164, BOG-167, BOG-168
#[test]
fn intervals_cover_as_they_say() {
    let pairs = population(20_000);
    let found = coverage(&pairs, &design(40, 1)).unwrap();
    assert_eq!(found.len(), 8);
    for one in &found {
        let share = one.share().unwrap();
        assert!((share - 0.95).abs() < 0.044, "{} by {}: {share}", one.quantity, one.method);
        assert_eq!(one.of, 400);
        let error = (share * (1.0 - share) / 400.0_f64).sqrt();
        assert!((one.error().unwrap() - error).abs() < 1e-15);
    }
    let mean = pairs.iter().map(|pair| pair.baseline).sum::<i64>() as f64 / 20_000.0 / 1000.0;
    assert!((found[0].truth - mean).abs() < 1e-9);
    assert_eq!(coverage(&pairs, &design(40, 1)).unwrap(), found, "the seed decides");
    assert_eq!(table(&found, 0.95, pairs.len()).rows.len(), found.len());
}

/// Runs of one task are alike: the plain interval covers far too little, those by clusters do not.
// covers: BOG-164, BOG-167, BOG-168
#[test]
fn clusters_matter_where_seeds_of_a_task_are_alike() {
    let found = coverage(&population(20_000), &design(60, 12)).unwrap();
    let plain = share(&found, "paired difference", "Student t");
    let clustered = share(&found, "paired difference", "t by clusters");
    assert!(plain < 0.75, "{plain}");
    assert!((clustered - 0.95).abs() < 0.05, "{clustered}");
    assert!(share(&found, "RPTS", "BCa bootstrap") > 0.85, "over clusters, too");
    // What the tables of a run print by default: means and shares, robust against clusters.
    for side in ["baseline", "other"] {
        let (mean, rate) = (format!("mean of the {side}"), format!("catastrophic rate of the {side}"));
        let (plain, clustered) = (share(&found, &mean, "Student t"), share(&found, &mean, "t by clusters"));
        assert!(plain < 0.75 && (clustered - 0.95).abs() < 0.05, "{mean}: {plain} {clustered}");
        let (plain, clustered) = (share(&found, &rate, "Wilson"), share(&found, &rate, "Wilson by clusters"));
        assert!(plain < 0.87 && clustered > 0.92, "{rate}: {plain} {clustered}");
    }
}

#[test]
fn a_design_that_cannot_be_drawn_is_refused() {
    let pairs = population(100);
    for (runs, tasks) in [(0, 1), (5, 0), (5, 2), (1, 2)] {
        assert!(coverage(&pairs, &design(runs, tasks)).is_err(), "{runs} {tasks}");
    }
    assert!(coverage(&[], &design(5, 1)).is_err());
    let none = Design { catastrophic_below: None, ..design(10, 1) };
    assert!(coverage(&pairs, &none).unwrap().iter().all(|one| one.method != "Wilson"));
}
