//! Figures and tables that need no run.

use gimbal_core::Milli;
use gimbal_ctha::Ctha;
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
