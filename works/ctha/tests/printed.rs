//! The shipped facts, recomputed, and facts that are wrong.

use gimbal_analysis::papers::Reach;
use gimbal_analysis::papers::Verdict;
use gimbal_ctha::printed::{CthaFacts, FILE, Formula, check, examine, read_and_examine};

const TEXT: &str = include_str!("../../../papers/ctha.yaml");

fn facts() -> CthaFacts {
    CthaFacts::parse(TEXT, FILE).unwrap()
}

// covers: CTHA-095, CTHA-117, CTHA-118, CTHA-140, CTHA-141, CTHA-142, CTHA-143, CTHA-R04, CTHA-R07, CTHA-R08, CTHA-R13, CTHA-R14, CTHA-R19
#[test]
fn every_miss_of_the_printed_numbers_is_listed() {
    let (work, examined) = read_and_examine(TEXT, FILE).unwrap();
    assert_eq!(work, "ctha");
    assert!(examined.agrees(), "{:#?} {:#?}", examined.unlisted, examined.stale);
    let count = |verdict| examined.checks.iter().filter(|check| check.verdict == verdict).count();
    // Counted a second time by an independent program.
    assert_eq!([Verdict::Equal, Verdict::Rounding, Verdict::Miss].map(count), [111, 3, 27]);
    assert!(examined.checks.iter().all(|check| check.verdict != Verdict::Miss || check.note.is_some()));
}

fn recomputed(place: &str) -> f64 {
    let checks = check(&facts()).unwrap();
    checks.iter().find(|check| check.place.starts_with(place)).unwrap().recomputed
}

// covers: CTHA-140, CTHA-R04, CTHA-R07, CTHA-R13
#[test]
fn numbers_that_do_not_follow_are_computed_as_the_requirements_say() {
    assert!((recomputed("latency of the naive hierarchy") - 825.0 / 285.0).abs() < 1e-9);
    assert!((recomputed("mean active layers") - 1.48).abs() < 1e-9);
    assert!((recomputed("removing all costs more") + 15.9).abs() < 1e-9);
    assert!((recomputed("conflict rate, reduction") + 86.5).abs() < 0.05);
}

// covers: CTHA-140
#[test]
fn a_printed_number_that_is_changed_is_found() {
    let mut facts = facts();
    facts.tables.get_mut("failure").unwrap().rows.get_mut("conflict rate").unwrap()[2] = Some(-80.0);
    assert_eq!(examine(&facts).unwrap().unlisted, ["Tab. 5, conflict rate, reduction"]);
}

#[test]
fn the_rounding_of_inputs_gives_the_reach_of_what_follows() {
    let formula: Formula =
        serde_json::from_str(r#"{ "weighted": [["a", 1], [{ "difference": [3, "a"] }, 3]] }"#).unwrap();
    let reach = formula.value(&|_| Ok(Reach::rounded(1.0, 0))).unwrap();
    assert!((reach.value - 1.75).abs() < 1e-12);
    assert!((reach.least - 1.25).abs() < 1e-12 && (reach.most - 2.25).abs() < 1e-12);
    let ratio: Formula = serde_json::from_str(r#"{ "ratio": [1, "a"] }"#).unwrap();
    assert!(ratio.value(&|_| Ok(Reach::rounded(0.0, 0))).unwrap().value.is_nan());
}

#[test]
fn facts_that_name_what_is_missing_are_refused_with_their_place() {
    let error = |from: &str, to: &str| {
        assert!(TEXT.contains(from), "{from}");
        read_and_examine(&TEXT.replace(from, to), FILE).unwrap_err().to_string()
    };
    assert!(error("work: ctha", "works: ctha").contains("works"));
    assert!(error("{ table: latency, column", "{ table: latenzy, column").contains("did you mean `latency`"));
    assert!(error("latency/total/naive", "latency/total").contains("table/row/column"));
    assert!(error("latency/total/naive", "latency/total/native").contains("`native`"));
}
