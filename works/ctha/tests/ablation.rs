//! Deltas of ablations: paired, signed, and the effects of a grid.

use gimbal_ctha::ablation::{delta, effects, removals, signed};
use gimbal_ctha::layers::{CellLayers, Figures};

fn cell(episodes: &[(&str, u32, u32)]) -> CellLayers {
    let figures = |failures: u32| Figures { steps: 10, failures, ..Figures::default() };
    let episodes = episodes.iter().map(|(task, run, failures)| ((*task).to_owned(), *run, figures(*failures)));
    CellLayers { episodes: episodes.collect(), ..CellLayers::default() }
}

// covers: CTHA-118, CTHA-132
#[test]
fn deltas_are_paired_by_task_and_run_and_trials_are_averaged() {
    let full = cell(&[("a", 0, 1), ("a", 1, 1), ("b", 0, 3), ("b", 0, 5), ("c", 0, 9)]);
    let less = cell(&[("a", 0, 3), ("a", 1, 3), ("b", 0, 6), ("d", 0, 0)]);
    let found = delta(&less, &full, |one| one.failures, 0.95).unwrap();
    assert_eq!(found.n, 3, "c and d were played by one side alone");
    assert!((found.mean - 0.2).abs() < 1e-12, "{found:?}");
    assert!(delta(&less, &cell(&[("z", 0, 1)]), |one| one.failures, 0.95).is_none());
}

// covers: CTHA-118
#[test]
fn less_failures_are_better_and_what_is_missing_counts_nowhere() {
    let mean = signed(Some(-0.1), Some(0.2), Some(0.3)).unwrap();
    assert!((mean + 20.0).abs() < 1e-9, "{mean}");
    assert_eq!(signed(Some(0.25), None, None), Some(25.0));
    assert_eq!(signed(None, None, None), None);
}

// covers: CTHA-132
#[test]
fn effects_of_a_grid_are_those_that_were_put_in() {
    // Contracts add 4, authority 2, and the arbiter 8 only where there are contracts.
    let value = |name: &str| {
        let on = match name {
            "unconstrained" => [false; 3],
            "contracts-only" => [true, false, false],
            "authority-only" => [false, true, false],
            "arbiter-only" => [false, false, true],
            "ctha-arbiter" => [true, true, false],
            "ctha-authority" => [true, false, true],
            "ctha-contracts" => [false, true, true],
            _ => [true; 3],
        };
        let of = |on: bool, value: f64| if on { value } else { 0.0 };
        Some(of(on[0], 4.0) + of(on[1], 2.0) + of(on[0] && on[2], 8.0))
    };
    let said = effects(&value).unwrap();
    assert_eq!(
        said,
        "Effects in the grid of Tab. 18, in pp: contracts +8.0, authority +2.0, arbiter +4.0; all three together +0.0."
    );
    // Which of the eight is the baseline only moves all of them.
    let against = |baseline: &'static str| move |name: &str| Some(value(name)? - value(baseline)?);
    assert_eq!(effects(&against("unconstrained")).as_deref(), Some(said.as_str()));
    assert_eq!(effects(&against("arbiter-only")).as_deref(), Some(said.as_str()));
    let removed = "Single removals together: -22.0 pp; all components removed: -14.0 pp (Tab. 17).";
    for baseline in ["ctha", "unconstrained", "arbiter-only"] {
        assert_eq!(removals(&against(baseline)).as_deref(), Some(removed), "{baseline}");
    }
    assert_eq!(removals(&|name| value(name).filter(|_| name != "ctha")), None);
    assert_eq!(effects(&|name| value(name).filter(|_| name != "arbiter-only")), None);
}
