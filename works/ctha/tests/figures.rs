//! Figures and tables that need no run.

use gimbal_analysis::{CellDecoding, CellInfo, EpisodeRow, Kind, RoleModel, Thresholds};
use gimbal_core::Milli;
use gimbal_ctha::Ctha;
use gimbal_ctha::curves::{BY_STEP, NOISE, competence, places, success_by_step};
use gimbal_ctha::figures::{ACROSS_LAYERS, AMPLIFICATION, Asked, output};
use gimbal_ctha::tables::{gains, searched};
use gimbal_view::work::{Make, Needs, Work};

fn small() -> Asked {
    Asked { draws: 8, depth: 6, ..Asked::default() }
}

// covers: CTHA-027, CTHA-030, CTHA-135
#[test]
fn the_figures_of_gains_are_drawn_the_same_every_time_and_need_no_run() {
    for key in [ACROSS_LAYERS, AMPLIFICATION] {
        let item = Ctha.items().iter().find(|item| item.key == key).unwrap();
        assert_eq!(item.needs, Needs::NONE);
        assert!(matches!(item.make, Make::Figure(_)));
        let drawn = output(key, "t", &small());
        assert!(drawn.missing.is_none());
        assert_eq!(drawn.figure.svg, output(key, "t", &small()).figure.svg);
        assert!(drawn.figure.svg.contains("doubly stochastic"));
    }
    let none = output(ACROSS_LAYERS, "t", &Asked { draws: 0, ..small() });
    assert_eq!(none.missing.as_deref(), Some("no maps were drawn"));
}

// covers: CTHA-030, CTHA-R16
#[test]
fn the_table_of_gains_says_where_a_thousand_is_passed() {
    let asked = Asked::default();
    let table = gains(&asked, &asked.curves());
    assert_eq!(table.rows.len(), 64);
    let notes = table.notes.join("\n");
    assert!(notes.contains("doubly stochastic: the median forward gain stays below 1,000"), "{notes}");
    assert!(notes.contains("free, normal (SD 1): the median forward gain passes 1,000"), "{notes}");
}

// covers: CTHA-R02
#[test]
fn the_table_of_the_search_names_the_first_case_that_leaves_nobody() {
    let table = searched(&[Milli::ZERO, Milli(50)]);
    assert_eq!(table.rows.len(), 16);
    assert!(table.notes.iter().any(|note| note.starts_with("literal, keeping the slower, margin 0.05: priorities")));
    assert!(!table.notes.iter().any(|note| note.starts_with("greedy")));
}

fn over(task: &str, steps: u32, return_thousandths: i64) -> EpisodeRow {
    EpisodeRow { task: task.into(), steps, return_thousandths, ..EpisodeRow::default() }
}

// covers: CTHA-113, CTHA-135
#[test]
fn success_by_step_counts_what_was_over_and_won_among_all_episodes() {
    for key in [BY_STEP, NOISE] {
        let item = Ctha.items().iter().find(|item| item.key == key).unwrap();
        assert!(item.needs.results && matches!(item.make, Make::Figure(_)), "{key}");
    }
    assert_eq!((places(7), places(50).len(), places(500)[9]), ((1..=7).collect(), 10, 500));
    assert_eq!(places(23).last(), Some(&23));
    let rows = [over("a", 2, 1_000), over("b", 4, 1_000), over("c", 3, 0), over("d", 5, 1_000)];
    let rows: Vec<&EpisodeRow> = rows.iter().collect();
    let shares = success_by_step(&rows, 999, &[1, 2, 3, 4, 5], 0.95);
    let values: Vec<f64> = shares.iter().map(|point| point.unwrap().0).collect();
    assert_eq!(
        values,
        [0.0, 25.0, 25.0, 50.0, 75.0],
        "a loss is never a success, and whoever plays on counts as one not yet"
    );
    let ends = shares[3].unwrap().1.unwrap();
    assert!(ends.low > 0.0 && ends.low < 50.0 && ends.high > 50.0 && ends.high < 100.0, "{ends:?}");
    assert_eq!(success_by_step(&[], 999, &[1], 0.95), [None]);
}

fn info() -> CellInfo {
    CellInfo {
        id: "c".to_owned(),
        environment: "e".to_owned(),
        configuration: "ctha".to_owned(),
        axis: None,
        models: Vec::new(),
        decoding: CellDecoding::Free,
        kind: Kind::NoisyExpert,
        plumbing: None,
        planned: 1,
        thresholds: Thresholds::default(),
        faults: String::new(),
        simulator: false,
        acts_by_messages: false,
    }
}

// covers: CTHA-135
#[test]
fn the_competence_of_a_cell_is_that_of_all_its_noisy_experts() {
    let played = |models: &[&str]| {
        let role = |model: &&str| RoleModel { role: "reflex".to_owned(), model: (*model).to_owned() };
        competence(&CellInfo { models: models.iter().map(role).collect(), ..info() })
    };
    assert_eq!(played(&["noisy/0.7"]), Some(0.7));
    assert_eq!(played(&["noisy/0.7", "noisy/0.7"]), Some(0.7));
    for others in [&["noisy/0.7", "noisy/0.9"][..], &["reader/careful"], &["noisy/0.7", "reader/careful"], &[]] {
        assert_eq!(played(others), None, "{others:?}");
    }
}

// covers: CTHA-080
#[test]
fn labels_are_not_said_to_be_played_to_the_end() {
    let notes = gimbal_ctha::labels::notes().join("\n");
    assert!(notes.contains("`rollouts.steps`") && !notes.contains("is earned to the end when"), "{notes}");
    assert!(notes.contains("mean over episodes") && notes.contains("mean over conflicts"), "{notes}");
}
