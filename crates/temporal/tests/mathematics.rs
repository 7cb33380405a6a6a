//! Maps, their projection, and gains.

use gimbal_core::Rng;
use gimbal_temporal::mathematics::{
    Family, Gains, ITERATIONS, Matrix, Parameters, Projections, Switches, amplification, deviation, doubly_stochastic,
    gains, growth, normalised, propagate, spectral_norm,
};
use proptest::prelude::*;

fn matrix(rows: usize, values: &[f64]) -> Matrix {
    Matrix::new(rows, values.len() / rows, values.to_vec()).unwrap()
}

fn near(one: &Matrix, other: &Matrix, tolerance: f64) -> bool {
    one.shape() == other.shape()
        && one.values().iter().zip(other.values()).all(|(one, other)| (one - other).abs() <= tolerance)
}

#[test]
fn matrices_that_do_not_fit_are_refused_with_their_shapes() {
    let error = Matrix::identity(2).times(&matrix(3, &[1.0; 3])).unwrap_err().to_string();
    assert_eq!(error, "right factor: found 3 x 1, expected 2 x 1");
    assert!(Matrix::new(2, 2, vec![1.0]).is_err() && Matrix::new(usize::MAX, 2, vec![]).is_err());
    assert!(Matrix::identity(2).plus(&Matrix::identity(3)).is_err());
    assert!(propagate(&[Matrix::identity(2)], &[matrix(2, &[1.0; 2])]).is_err());
    assert!(Matrix::identity(2).at(2, 0).is_nan() && Matrix::identity(2).row(5).is_empty());
}

// covers: CTHA-027
#[test]
fn gains_are_the_largest_sums_of_rows_and_columns() {
    let map = matrix(2, &[1.0, -2.0, 0.5, 0.0]);
    let Gains { forward, backward, spectral } = gains(&map);
    assert!((forward - 3.0).abs() < 1e-12 && (backward - 2.0).abs() < 1e-12);
    // Singular values of a 2 x 2 matrix: s1^2 + s2^2 = 5.25, s1 s2 = |det| = 1.
    let exact = ((5.25 + (5.25_f64 * 5.25 - 4.0).sqrt()) / 2.0).sqrt();
    assert!((spectral - exact).abs() < 1e-12, "{spectral} {exact}");
    assert!(spectral_norm(&matrix(1, &[f64::NAN])).is_nan());
    assert!((spectral_norm(&matrix(2, &[0.0; 4]))).abs() < 1e-300);
    assert!((spectral_norm(&matrix(1, &[3e200, 4e200])) / 5e200 - 1.0).abs() < 1e-12);
}

// covers: CTHA-029
#[test]
fn maps_that_are_off_are_fixed_as_in_the_table() {
    let mut rng = Rng::stream(3, "maps");
    let parameters = Parameters::random(4, 8, 1.0, &mut rng);
    let state = Matrix::of(4, 8, |row, column| (row * 8 + column) as f64 - 9.0);
    let off = Switches { pre: false, post: false, res: false };
    let maps = parameters.maps(&state, Projections::Free, off).unwrap();
    assert_eq!(maps.pre, matrix(1, &[0.25; 4]));
    assert_eq!(maps.post, matrix(1, &[1.0; 4]));
    assert_eq!(maps.res, Matrix::identity(4));
    // Without res the streams do not meet but through the layer: state + output.
    let after = maps.update(&state, |input| input.map(|_| 1.0)).unwrap();
    assert!(near(&after, &state.map(|value| value + 1.0), 1e-12));
    assert!(maps.update(&state, |_| Matrix::identity(2)).is_err());
    assert!(parameters.maps(&Matrix::identity(3), Projections::Free, off).is_err());
}

// covers: CTHA-024, CTHA-025
#[test]
fn the_dynamic_part_is_gate_times_sigmoid_and_the_static_part_is_added() {
    let ones = |rows: usize, columns: usize| Matrix::of(rows, columns, |_, _| 1.0);
    let parameters = Parameters {
        gates: [0.5, 2.0, 1.0],
        pre: ones(1, 2),
        post: ones(1, 2),
        res: matrix(2, &[1.0, 0.0, 0.0, 1.0]),
        pre_bias: matrix(1, &[0.1, 0.2]),
        post_bias: matrix(1, &[0.0, 0.0]),
        res_bias: Matrix::identity(2),
    };
    // Rows of mean square 1 stay; the zero row stays zero.
    let state = matrix(2, &[1.0, -1.0, 0.0, 0.0]);
    assert!(near(&normalised(&state), &state, 1e-9));
    let maps = parameters.maps(&state, Projections::Free, Switches::ALL).unwrap();
    assert!(near(&maps.pre, &matrix(1, &[0.35, 0.45]), 1e-9));
    assert!(near(&maps.post, &matrix(1, &[1.0, 1.0]), 1e-9));
    let sigmoid = |value: f64| 1.0 / (1.0 + (-value).exp());
    let expected = matrix(2, &[1.0 + sigmoid(1.0), 0.5, sigmoid(-1.0), 1.5]);
    assert!(near(&maps.res, &expected, 1e-9));
    let projected = parameters.maps(&state, Projections::Stochastic(ITERATIONS), Switches::ALL).unwrap();
    assert!(projected.pre.values().iter().all(|value| (0.0..1.0).contains(value)));
    assert!(projected.post.values().iter().all(|value| (0.0..2.0).contains(value)));
    assert!(deviation(&projected.res) < 1e-6);
}

// covers: CTHA-020, CTHA-021, CTHA-022
#[test]
fn layers_one_after_another_are_the_composite_map_and_the_sum_of_what_they_add() {
    let mut rng = Rng::stream(5, "layers");
    let mut any = |rows: usize, columns: usize| Matrix::of(rows, columns, |_, _| 2.0 * rng.unit() - 1.0);
    let (first, second) = (any(3, 3), any(3, 3));
    let (state, add) = (any(3, 4), any(3, 4));
    // Eq. 3 twice, against Eq. 4 written out.
    let stepped = second.times(&first.times(&state).unwrap().plus(&add).unwrap()).unwrap();
    let product = second.times(&first).unwrap();
    let written = product.times(&state).unwrap().plus(&second.times(&add).unwrap()).unwrap();
    assert!(near(&stepped, &written, 1e-12));
    // With identities it is Eq. 2: what was there and what came, added up.
    let still = Matrix::identity(3);
    let sum = propagate(&[still.clone(), still], &[state.clone(), add.clone(), add.clone()]).unwrap();
    assert!(near(&sum, &state.plus(&add).unwrap().plus(&add).unwrap(), 1e-12));
}

// covers: CTHA-023, CTHA-111
#[test]
fn an_error_grows_with_the_maps_behind_it() {
    let double = Matrix::identity(2).map(|value| 2.0 * value);
    let error = matrix(2, &[1.0, 0.0]);
    assert!((amplification(&[double.clone(), double.clone(), double.clone()], &error).unwrap() - 8.0).abs() < 1e-12);
    let none = error.map(|_| 0.0);
    // Own errors behind the first and the second map: 2 * 1 + 1.
    let behind = propagate(&[double.clone(), double.clone()], &[none.clone(), error.clone(), error.clone()]).unwrap();
    assert!(near(&behind, &matrix(2, &[3.0, 0.0]), 1e-12));
    assert!(amplification(&[double], &none).unwrap().abs() < 1e-300);
}

// covers: CTHA-026, CTHA-R16
#[test]
fn rounds_bring_sums_to_one() {
    let mut rng = Rng::stream(11, "rounds");
    let draws: Vec<Matrix> = (0..50).map(|_| Parameters::random(4, 1, 1.0, &mut rng).res_bias).collect();
    let worst =
        |rounds: usize| draws.iter().map(|draw| deviation(&doubly_stochastic(draw, rounds))).fold(0.0, f64::max);
    let falls: Vec<f64> = [1, 5, 20, 50].map(worst).to_vec();
    assert!(falls.windows(2).all(|pair| pair[1] < pair[0]), "{falls:?}");
    assert!(falls[0] > 0.1 && falls[2] < 5e-3 && falls[3] < 1e-6, "{falls:?}");
    // Columns come last, so that they are right after any number of rounds.
    for draw in &draws {
        assert!(doubly_stochastic(draw, 1).column_sums().all(|sum| (sum - 1.0).abs() < 1e-12));
    }
    let wild = matrix(2, &[f64::NAN, f64::INFINITY, -1e308, 1e308]);
    assert!(doubly_stochastic(&wild, 50).values().iter().all(|value| (0.0..=1.0 + 1e-9).contains(value)));
}

// covers: CTHA-030, CTHA-R16
#[test]
fn free_maps_grow_with_depth_and_stochastic_ones_do_not() {
    let free = growth(Family::Normal(1.0), 4, 16, 100, 1).unwrap();
    assert!(free.windows(2).all(|pair| pair[0].forward.middle < pair[1].forward.middle));
    assert!(free[15].forward.middle > 1e3, "{:?}", free[15].forward);
    let printed = growth(Family::Free(1.0), 4, 16, 100, 1).unwrap();
    assert!(printed[15].forward.middle > 1e3);
    let kept = growth(Family::Stochastic { spread: 1.0, iterations: 50 }, 4, 16, 100, 1).unwrap();
    for at in &kept {
        assert!((at.forward.high - 1.0).abs() < 1e-4 && (at.backward.high - 1.0).abs() < 1e-4, "{at:?}");
        assert!(at.spectral.high < 1.0 + 1e-4 && at.error.high <= 1.0 + 1e-4);
    }
    assert_eq!(growth(Family::Normal(1.0), 4, 3, 5, 9), growth(Family::Normal(1.0), 4, 3, 5, 9));
    assert!(growth(Family::Normal(1.0), 0, 2, 3, 1).is_ok() && growth(Family::Normal(1.0), 4, 2, 0, 1).is_ok());
}

fn square(size: usize) -> impl Strategy<Value = Matrix> {
    prop::collection::vec(-3.0..3.0_f64, size * size).prop_map(move |values| Matrix::new(size, size, values).unwrap())
}

proptest! {
    // covers: CTHA-026, CTHA-027, CTHA-028, CTHA-R16
    #[test]
    fn products_of_stochastic_maps_are_stochastic_and_expand_nothing(
        logits in (1..=5_usize).prop_flat_map(|size| prop::collection::vec(square(size), 1..6)),
    ) {
        // With logits up to 3 in amount each round leaves at most 0.9902 of the deviation (Birkhoff's bound for cross-ratios up to e^12), so that
        // 2,000 rounds leave less than a millionth.
        let maps: Vec<Matrix> = logits.iter().map(|logits| doubly_stochastic(logits, 2_000)).collect();
        let size = maps[0].shape().0;
        let product = maps.iter().try_fold(Matrix::identity(size), |product, map| map.times(&product)).unwrap();
        for map in maps.iter().chain([&product]) {
            prop_assert!(map.values().iter().all(|value| *value >= 0.0));
            prop_assert!(deviation(map) < 1e-6, "{}", deviation(map));
            let gains = gains(map);
            prop_assert!((gains.forward - 1.0).abs() < 1e-6 && (gains.backward - 1.0).abs() < 1e-6);
            prop_assert!(gains.spectral <= 1.0 + 1e-6);
        }
        // One stream: the identity (CTHA-009).
        if size == 1 {
            prop_assert!(near(&product, &Matrix::identity(1), 1e-12));
        }
    }

    // covers: CTHA-028
    #[test]
    fn the_spectral_norm_lies_between_what_it_does_to_a_vector_and_the_other_norms(
        map in (1..=5_usize).prop_flat_map(square), seed in any::<u64>(),
    ) {
        let norm = spectral_norm(&map);
        let size = map.shape().0;
        let mut rng = Rng::stream(seed, "vector");
        let vector = Matrix::of(size, 1, |_, _| 2.0 * rng.unit() - 1.0);
        prop_assert!(map.times(&vector).unwrap().norm() <= norm * vector.norm() + 1e-9);
        prop_assert!(norm <= map.norm() + 1e-9 && map.norm() <= norm * (size as f64).sqrt() + 1e-9);
        let gains = gains(&map);
        prop_assert!(norm <= (gains.forward * gains.backward).sqrt() + 1e-9);
        prop_assert!((spectral_norm(&map.transposed()) - norm).abs() < 1e-9);
    }
}
