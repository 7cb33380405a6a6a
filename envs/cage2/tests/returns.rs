//! Returns of the baseline policies, against those of the original simulator.
#![allow(clippy::unwrap_used, clippy::expect_used, clippy::print_stdout, missing_docs)]

use gimbal_cage2::bench::Generator;
use gimbal_cage2::policy::{POLICIES, PolicyKind};
use gimbal_cage2::recording::Json;
use gimbal_cage2::returns::{HORIZONS, ReturnsOptions, each, evaluate, returns};
use gimbal_cage2::{Green, Options, Red};

// covers: BOG-003, BOG-004, BOG-013
#[test]
fn a_thousand_episodes_lie_within_three_standard_errors_of_every_cell() {
    let table = Json::parse(include_str!("fixtures/returns.json")).unwrap();
    for cell in table.get("cells").unwrap().as_list().unwrap() {
        let text = |key: &str| cell.get(key).unwrap().as_text().unwrap();
        let real = |key: &str| cell.get(key).unwrap().as_real().unwrap();
        let horizon = real("horizon") as u32;
        let options = Options { red: Red::from_name(text("red")).unwrap(), green: Green::Sleep, horizon };
        let policy = PolicyKind::from_name(text("policy")).unwrap();
        let got = returns(&ReturnsOptions { options, policy, episodes: 1000, draws: Generator::Fast, seed: 1 });
        let error = (real("sd").powi(2) / real("episodes") + got.se.unwrap().powi(2)).sqrt();
        let z = (got.mean - real("mean")) / error;
        println!(
            "{:<8} {:<27} {horizon:>3}  original {:>9.3}  here {:>9.3} (sd {:.3})  z {z:>5.2}",
            text("red"),
            text("policy"),
            real("mean"),
            got.mean,
            got.sd.unwrap()
        );
        assert!(z.abs() < 3.0, "{cell:?}: {z}");
    }
}

// covers: BOG-014, BOG-008, BOG-011
#[test]
fn the_floor_of_a_step_is_thirteen_and_a_tenth() {
    use gimbal_cage2::draws::Fast;
    use gimbal_cage2::{Action, Simulator};
    let mut simulator = Simulator::new(Options::default(), Fast::new(0));
    for seed in 0..50 {
        simulator.reset(seed);
        let mut worst = 0;
        for _ in 0..100 {
            worst = worst.min(simulator.step(Action::SLEEP));
        }
        assert_eq!(worst, -131);
        assert_eq!(simulator.reward(), -13.1);
    }
}

#[test]
fn the_two_generators_agree_and_more_episodes_change_little() {
    for policy in POLICIES {
        let play =
            |draws, seed| returns(&ReturnsOptions { options: Options::default(), policy, episodes: 2000, draws, seed });
        let (fast, exact) = (play(Generator::Fast, 5), play(Generator::Mersenne, 5));
        let error = fast.se.unwrap().hypot(exact.se.unwrap());
        assert!((fast.mean - exact.mean).abs() <= 4.0 * error, "{policy:?}: {} and {}", fast.mean, exact.mean);
    }
}

#[test]
fn the_challenge_table_has_nine_cells_and_their_sum() {
    let table = evaluate(PolicyKind::RestoreChanged, Green::Sleep, 20, Generator::Fast, 3);
    assert_eq!(table.rows.len(), 9);
    assert!((table.total - table.rows.iter().map(|row| row.mean).sum::<f64>()).abs() < 1e-9);
    let text = table.render();
    for horizon in HORIZONS {
        assert_eq!(text.lines().filter(|line| line.trim_start().starts_with(&format!("{horizon} "))).count(), 3);
    }
    assert!(text.contains("total"));
    let json = serde_json::to_value(&table.rows[0]).unwrap();
    for key in ["mean", "sd", "episodes"] {
        assert!(json.get(key).is_some(), "{key}");
    }
}

#[test]
fn no_episode_is_no_error() {
    let options = ReturnsOptions {
        options: Options::default(),
        policy: PolicyKind::Sleep,
        episodes: 0,
        draws: Generator::Fast,
        seed: 0,
    };
    let report = returns(&options);
    assert_eq!((report.mean, report.sd, report.episodes), (0.0, None, 0));
    let one = returns(&ReturnsOptions { episodes: 1, ..options });
    assert_eq!((one.sd, one.se, one.episodes), (None, None, 1));
    assert!(serde_json::to_value(&one).unwrap()["sd"].is_null());
    let table = evaluate(PolicyKind::Sleep, Green::Sleep, 1, Generator::Fast, 0).render();
    assert_eq!(table.matches('–').count(), 9, "{table}");
}

/// Each return in thousandths, seed by seed, adds up to what the report says of all.
#[test]
fn single_returns_are_those_of_the_report() {
    for draws in [Generator::Fast, Generator::Mersenne] {
        let wanted =
            ReturnsOptions { options: Options::default(), policy: PolicyKind::Random, episodes: 200, draws, seed: 9 };
        let (single, report) = (each(&wanted), returns(&wanted));
        assert_eq!(single.len(), 200);
        let mean = single.iter().sum::<i64>() as f64 / 200.0 / 1000.0;
        assert!((mean - report.mean).abs() < 1e-9, "{mean} {}", report.mean);
        assert_eq!(single.iter().min().copied(), Some((1000.0 * report.min).round() as i64));
        // A seed has the same result, whatever was played before it.
        let alone = each(&ReturnsOptions { episodes: 1, seed: 9 + 57, ..wanted });
        assert_eq!(alone, single[57..58]);
    }
}
