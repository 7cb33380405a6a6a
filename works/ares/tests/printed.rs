//! The shipped facts, recomputed, and facts that are wrong.

use gimbal_analysis::papers::Verdict;
use gimbal_ares::printed::AresFacts;
use gimbal_ares::printed::{FILE, check, examine, read_and_examine};

const TEXT: &str = include_str!("../../../papers/ares.yaml");

fn facts() -> AresFacts {
    AresFacts::parse(TEXT, FILE).unwrap()
}

// covers: ARES-070, ARES-073, ARES-096, ARES-110, ARES-111, ARES-112, ARES-113, ARES-114, ARES-115, ARES-116, ARES-117
#[test]
fn every_miss_of_the_printed_numbers_is_listed() {
    let (work, examined) = read_and_examine(TEXT, FILE).unwrap();
    assert_eq!(work, "ares");
    assert!(examined.agrees(), "{:?} {:?}", examined.unlisted, examined.stale);
    let missed: Vec<&str> = examined
        .checks
        .iter()
        .filter(|check| check.verdict == Verdict::Miss)
        .map(|check| check.place.as_str())
        .collect();
    insta::assert_debug_snapshot!(missed);
}

// covers: ARES-R4
#[test]
fn a_bound_is_no_number() {
    let checks = check(&facts()).unwrap();
    let cost = checks.iter().find(|check| check.place.starts_with("total cost")).unwrap();
    assert_eq!(cost.verdict, Verdict::Miss);
    assert!((cost.recomputed - 2.17).abs() < 1e-9);
}

// covers: ARES-113
#[test]
fn a_change_that_only_the_ends_of_its_ranges_allow_is_not_called_rounding() {
    let (_, examined) = read_and_examine(TEXT, FILE).unwrap();
    let change = examined.checks.iter().find(|check| check.place.starts_with("change of the Architect on")).unwrap();
    assert_eq!((change.verdict, change.recomputed.round()), (Verdict::Range, -37.0));
    assert!(examined.checks.iter().all(|check| check.verdict != Verdict::Rounding));
    let shown = examined.numbers("Numbers", None).to_text(120);
    assert!(shown.contains("within ranges: it is not what the middles"), "{shown}");
    // Outside of what the ends allow it is a miss.
    let steep = TEXT.replace("printed: -30, of:", "printed: -54, of:");
    assert_eq!(read_and_examine(&steep, FILE).unwrap().1.unlisted.len(), 1);
}

// covers: ARES-096
#[test]
fn a_printed_number_that_is_changed_is_found() {
    let mut facts = facts();
    facts.lists.get_mut("session_tests").unwrap()[0] += 1.0;
    let examined = examine(&facts).unwrap();
    assert_eq!(examined.unlisted, ["Abstract, tests, from all rows of Tab. 4 but the last"]);
}

#[test]
fn facts_that_name_what_is_missing_are_refused_with_their_place() {
    let mut lacking = facts();
    lacking.lists.clear();
    assert!(check(&lacking).unwrap_err().to_string().contains("add the list"));
    let wrong = TEXT.replace("judge: v2,", "judge: v9,");
    assert!(read_and_examine(&wrong, FILE).unwrap_err().to_string().contains("no judge `v9`"));
    let wrong = TEXT.replace("work: ares", "works: ares");
    assert!(read_and_examine(&wrong, FILE).unwrap_err().to_string().contains("works"));
}
