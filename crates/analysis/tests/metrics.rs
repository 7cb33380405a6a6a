//! The works' metrics by hand.
#![allow(clippy::unwrap_used, clippy::expect_used, missing_docs)]

use gimbal_analysis::Thresholds;
use gimbal_analysis::metrics::{
    OutcomeSplit, a_step, mean, places, prompt_completion_ratio, ranks, spearman, synergy, token_multiplier,
};

#[track_caller]
fn near(ours: Option<f64>, wanted: f64) {
    assert!((ours.unwrap() - wanted).abs() < 1e-12, "{ours:?} is not {wanted}");
}

// covers: BOG-177, BOG-178, BOG-179
#[test]
fn ratios_and_differences_by_hand() {
    // Grok: obs+net -47.0 against obs -98.4 and network -86.3.
    near(synergy(-47.0, -98.4, -86.3), 39.3);
    near(synergy(-113.7, -96.8, -136.4), -16.9);
    near(token_multiplier(29.1, 144.5), 144.5 / 29.1);
    near(prompt_completion_ratio(27.0, 1.6), 16.875);
    near(a_step(60.0, 30), 2.0);
    near(mean(&[1.0, 2.0, 6.0]), 3.0);
    for nothing in [
        token_multiplier(0.0, 1.0),
        prompt_completion_ratio(1.0, 0.0),
        a_step(1.0, 0),
        mean(&[]),
        synergy(f64::NAN, 1.0, 1.0),
    ] {
        assert_eq!(nothing, None);
    }
}

/// Values of SciPy's `spearmanr` and `rankdata`.
// covers: BOG-174, BOG-176
#[test]
fn ranks_places_and_spearman() {
    assert_eq!(ranks(&[3.0, 1.0, 2.0, 2.0]), [4.0, 1.0, 2.5, 2.5]);
    assert_eq!(places(&[Some(-52.0), None, Some(-16.1), Some(-52.0)]), [Some(2), None, Some(1), Some(2)]);
    near(spearman(&[(1.0, 5.0), (2.0, 6.0), (3.0, 7.0), (4.0, 8.0), (5.0, 7.0)]), 0.820_782_681_668_123_3);
    near(spearman(&[(1.0, 3.0), (2.0, 2.0), (3.0, 1.0)]), -1.0);
    assert_eq!(spearman(&[(1.0, 1.0)]), None);
    assert_eq!(spearman(&[(1.0, 1.0), (1.0, 2.0)]), None, "no spread on one side");
}

/// A return at a threshold is mediocre on either end.
// covers: BOG-175
#[test]
fn outcomes_are_split_at_the_thresholds() {
    let brief =
        Thresholds { catastrophic_below: Some(-150_000), success_above: Some(-50_000), ..Thresholds::default() };
    let split = OutcomeSplit::of([-150_001, -150_000, -50_000, -49_999, -300_000], &brief).unwrap();
    assert_eq!(split, OutcomeSplit { success: 1, mediocre: 2, catastrophic: 2 });
    assert_eq!(split.shares(), [0.2, 0.4, 0.4]);
    assert_eq!(OutcomeSplit::of([], &brief), None);
    assert_eq!(OutcomeSplit::of([1], &Thresholds { success_above: None, ..brief }), None);
    let crossed = Thresholds { success_above: Some(-200_000), ..brief };
    assert_eq!(OutcomeSplit::of([1], &crossed), None, "thresholds that contradict one another");
}
