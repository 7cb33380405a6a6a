//! Laws that hold for all rows.
#![allow(clippy::unwrap_used, clippy::expect_used, missing_docs)]

use crate::support;

use gimbal_analysis::frontier::{Point, pareto};
use gimbal_analysis::hypothesis::{holm, sign_flip, sign_test};
use gimbal_analysis::resample::Bootstrap;
use gimbal_analysis::{
    Analysis, BaselineChoice, FEWEST, Generator, Options, Proportion, Summary, paired_difference, quantile, tables,
    win_tie_loss,
};
use proptest::prelude::*;
use support::{episode, study};

fn returns() -> impl Strategy<Value = Vec<f64>> {
    prop::collection::vec((-250_000_i64..0).prop_map(|value| value as f64 / 1000.0), 1..60)
}

proptest! {
    // covers: BOG-162, BOG-165, BOG-167
    #[test]
    fn a_description_is_ordered_finite_and_blind_to_order(values in returns(), turn in 0_usize..60) {
        let ours = Summary::of(&values, 0.95).unwrap();
        let slack = 1e-9;
        prop_assert!(ours.min <= ours.lower_quartile && ours.lower_quartile <= ours.median);
        prop_assert!(ours.median <= ours.upper_quartile && ours.upper_quartile <= ours.max);
        prop_assert!(ours.min <= ours.mean && ours.mean <= ours.max);
        prop_assert_eq!(ours.sd.is_some(), values.len() > 1);
        prop_assert_eq!(ours.interval().is_some(), values.len() >= FEWEST && !ours.is_constant());
        if let Some(interval) = ours.interval() {
            prop_assert!(interval.contains(ours.mean) && interval.width().is_finite());
            prop_assert!(interval.width() <= Summary::of(&values, 0.99).unwrap().interval().unwrap().width() + slack);
        }
        let mut turned = values.clone();
        turned.rotate_left(turn % values.len());
        prop_assert_eq!(Summary::of(&turned, 0.95).unwrap(), ours);
    }

    // covers: BOG-164
    #[test]
    fn a_wilson_interval_holds_its_share_and_stays_inside(of in 1_u64..500, part in 0.0..=1.0_f64) {
        let count = (part * of as f64) as u64;
        let ours = Proportion::new(count, of, 0.95).unwrap();
        prop_assert!(0.0 <= ours.interval.low && ours.interval.high <= 1.0 && ours.interval.contains(ours.share));
        prop_assert!(ours.interval.width() > 0.0);
    }

    // covers: BOG-172
    #[test]
    fn a_frontier_is_never_empty_and_dominance_has_one_direction(
        raw in prop::collection::vec((0_u32..40, 0_u32..40), 1..20),
    ) {
        let points: Vec<Point> = raw.iter().map(|&(cost, value)| Point { cost: f64::from(cost), value: f64::from(value) }).collect();
        let flags = pareto(&points);
        prop_assert!(flags.contains(&true));
        for (a, flag) in points.iter().zip(&flags) {
            prop_assert!(!a.dominates(a));
            for b in &points {
                prop_assert!(!(a.dominates(b) && b.dominates(a)));
            }
            // A dominated point is dominated by one of the frontier.
            let beaten = points.iter().zip(&flags).any(|(b, efficient)| *efficient && b.dominates(a));
            prop_assert_eq!(beaten, !flag);
        }
    }

    // covers: BOG-168, BOG-169
    #[test]
    fn differences_change_sign_with_the_sides(pairs in prop::collection::vec((-250_000_i64..0, -250_000_i64..0), 1..30)) {
        let side = |pick: fn(&(i64, i64)) -> i64| -> Vec<_> {
            pairs.iter().enumerate().map(|(run, pair)| episode("c", run as u32, pick(pair), 10, 1)).collect()
        };
        let (first, second) = (side(|pair| pair.0), side(|pair| pair.1));
        let (first, second): (Vec<_>, Vec<_>) = (first.iter().collect(), second.iter().collect());
        let there = paired_difference(&first, &second, 0.95, 1).unwrap();
        let back = paired_difference(&second, &first, 0.95, 1).unwrap();
        prop_assert!((there.difference.mean + back.difference.mean).abs() < 1e-9);
        prop_assert_eq!((there.outcome.wins, there.outcome.ties), (back.outcome.losses, back.outcome.ties));
        prop_assert_eq!(there.outcome.total(), pairs.len() as u64);
        prop_assert_eq!(there.excludes_zero, back.excludes_zero);
        let same = paired_difference(&first, &first, 0.95, 1).unwrap();
        prop_assert_eq!((same.difference.mean, same.outcome.ties), (0.0, pairs.len() as u64));
        prop_assert_eq!(win_tie_loss(&first, &first).ties, pairs.len() as u64);
    }

    // covers: SH-07
    #[test]
    fn p_values_are_probabilities_and_holm_only_raises(values in prop::collection::vec(0.0..=1.0_f64, 1..12), wins in 0_u64..60, losses in 0_u64..60) {
        prop_assert!((0.0..=1.0).contains(&sign_test(wins, losses)));
        let p = sign_flip(&values, 500, 3).unwrap();
        prop_assert!(p > 0.0 && p <= 1.0);
        let adjusted = holm(&values);
        for (raw, new) in values.iter().zip(&adjusted) {
            prop_assert!(raw <= new && *new <= (raw * values.len() as f64).min(1.0) + 1e-12);
        }
    }

    // covers: SH-07
    #[test]
    fn a_bootstrap_stays_within_the_sample_and_repeats(values in returns(), seed in any::<u64>()) {
        let bootstrap = Bootstrap { resamples: 200, seed, confidence: 0.9 };
        let Some(ours) = bootstrap.mean(&values) else {
            prop_assert_eq!(values.len(), 1);
            return Ok(());
        };
        let (least, most) = (quantile(&values, 0.0).unwrap() - 1e-9, quantile(&values, 1.0).unwrap() + 1e-9);
        for ends in [ours.percentile, ours.bca] {
            prop_assert!(least <= ends.low && ends.low <= ends.high && ends.high <= most, "{:?}", ends);
        }
        prop_assert_eq!(bootstrap.mean(&values).unwrap(), ours);
    }

    /// The order of episodes does not show in a single byte of any table.
    // covers: SH-07, SH-09
    #[test]
    fn tables_are_blind_to_the_order_of_episodes(seed in any::<u64>()) {
        let options = Options { baseline: Some(BaselineChoice::Configuration("observation".into())), resamples: 50, bootstrap_minimum: 5, ..Options::default() };
        let print = |rows: &_| -> String {
            tables::all(&Analysis::new(rows, &options).unwrap()).iter().map(|table| table.to_csv() + &table.to_text(120)).collect()
        };
        let rows = study();
        let mut shuffled = rows.clone();
        let mut generator = Generator::new(seed);
        for index in (1..shuffled.episodes.len()).rev() {
            shuffled.episodes.swap(index, generator.below(index as u64 + 1) as usize);
        }
        prop_assert_eq!(print(&rows), print(&shuffled));
    }
}

/// Coverage of the 95% t interval of five normal values over 20,000 samples: within four Monte Carlo errors of 0.95.
// covers: BOG-167, SH-07
#[test]
fn t_intervals_cover_as_often_as_they_say() {
    let mut generator = Generator::new(2026);
    let repeats = 20_000;
    let mut covered = 0_u32;
    for _ in 0..repeats {
        let sample: Vec<f64> = (0..5)
            .map(|_| {
                let (u, v) = (1.0 - generator.unit(), generator.unit());
                -70.0 + 30.0 * (-2.0 * u.ln()).sqrt() * (std::f64::consts::TAU * v).cos()
            })
            .collect();
        covered += u32::from(Summary::of(&sample, 0.95).unwrap().interval().unwrap().contains(-70.0));
    }
    let (share, error) = (f64::from(covered) / f64::from(repeats), (0.95 * 0.05 / f64::from(repeats)).sqrt());
    assert!((share - 0.95).abs() < 4.0 * error, "covered {share}, Monte Carlo error {error}");
}
