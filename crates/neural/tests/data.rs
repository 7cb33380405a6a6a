//! Conflicts: reading, parts, controls.

use gimbal_neural::Dataset;
use gimbal_neural::data::{Part, Split, chosen, synthetic};
use proptest::prelude::*;

fn text() -> String {
    synthetic::conflicts(3, 1).write().unwrap()
}

// covers: CTHA-080
#[test]
fn conflicts_come_back_as_they_were_written() {
    let data = synthetic::conflicts(200, 7);
    let text = data.write().unwrap();
    let back = Dataset::read(&text).unwrap();
    assert_eq!(back, data);
    assert_eq!(back.write().unwrap(), text);
    assert_eq!(synthetic::conflicts(200, 7), data);
    assert_ne!(synthetic::conflicts(200, 8), data);
    let one = &data.conflicts[0];
    assert_eq!(one.rows()[0].len(), 1 + synthetic::COLUMNS.len());
    assert!(one.parties.len() >= 2 && one.regret(one.best) == 0.0);
}

#[test]
fn a_wrong_line_is_named_with_what_was_expected() {
    let good = text();
    let of = |from: &str, to: &str| Dataset::read(&good.replacen(from, to, 1)).unwrap_err().to_string();
    assert!(Dataset::read("").unwrap_err().to_string().starts_with("line 1: the file is empty"));
    assert_eq!(of("gimbal-conflicts", "other"), "line 1: `format` is `other`; expected `gimbal-conflicts`");
    assert!(
        of("\"version\":2", "\"version\":1")
            .contains("`version` is 1; this program reads 2, in which collected conflicts have actions")
    );
    assert!(of("\"age\"", "\"layer\"").contains("the name `layer`"));
    assert!(of("\"rules\":[\"published\"", "\"rules\":[\"network\"").contains("the name `network`"));
    assert!(of("\"columns\":[\"urgency\",", "\"columns\":[").starts_with("line 2: 7 numbers in `features`"));
    assert!(of("\"weight\":1.0", "\"weight\":0.0").starts_with("line 2: `weight` is 0"));
    assert!(of("\"kept\":[0]", "\"kept\":[9]").contains("`kept` names place 9"));
    assert!(of("\"kept\":[0]", "\"kept\":[1,0]").contains("ascending"));
    assert!(of("\"tied\"", "\"bound\"").contains("unknown field `bound`"));
    let best = good.lines().nth(1).unwrap().split("\"best\":").nth(1).unwrap()[..1].parse::<usize>().unwrap();
    let other = (best + 1) % 2;
    assert!(of(&format!("\"best\":{best}"), &format!("\"best\":{other}")).contains("has a higher mean"));
    assert!(of(&format!("\"best\":{best}"), "\"best\":77").contains("`best` names place 77"));
    assert!(of("\"seed\":1000003", "\"seed\":1e400").starts_with("line 2:"));
}

#[test]
fn all_conflicts_of_an_episode_are_in_one_part() {
    let data = synthetic::conflicts(3000, 3);
    let split = Split::default();
    let parts = [Part::Train, Part::Validation, Part::Test].map(|part| data.part(&split, part));
    assert_eq!(parts.iter().map(|part| part.conflicts.len()).sum::<usize>(), 3000);
    assert!((2200..2600).contains(&parts[0].conflicts.len()), "{}", parts[0].conflicts.len());
    for part in &parts[1..] {
        let seeds: Vec<u64> = part.conflicts.iter().map(|conflict| conflict.seed).collect();
        assert!(!parts[0].conflicts.iter().any(|conflict| seeds.contains(&conflict.seed)));
    }
    let held = Split { environments: vec!["synthetic-odd".to_owned()], noise: vec![200] };
    let (train, test) = (data.part(&held, Part::Train), data.part(&held, Part::Test));
    assert!(train.conflicts.iter().all(|one| one.environment == "synthetic-even" && one.noise.0 != 200));
    assert!(test.conflicts.iter().all(|one| one.environment == "synthetic-odd" || one.noise.0 == 200));
    assert!(test.conflicts.len() > 1500);
}

#[test]
fn controls_change_labels_or_a_column_and_nothing_else() {
    let data = synthetic::conflicts(500, 4);
    let shuffled = data.shuffled(1);
    assert_eq!(Dataset::read(&shuffled.write().unwrap()).unwrap(), shuffled);
    let mut moved = 0;
    for (before, after) in data.conflicts.iter().zip(&shuffled.conflicts) {
        assert_eq!((&before.parties, before.choices.clone()), (&after.parties, after.choices.clone()));
        let sorted = |conflict: &gimbal_neural::data::Conflict| {
            let mut means: Vec<f64> = conflict.candidates.iter().map(|candidate| candidate.mean).collect();
            means.sort_by(f64::total_cmp);
            means
        };
        assert_eq!(sorted(before), sorted(after));
        moved += usize::from(before.best != after.best);
    }
    assert!((250..400).contains(&moved), "{moved}");
    let masked = data.masked("confidence").unwrap();
    assert!(masked.conflicts.iter().flat_map(|one| &one.parties).all(|party| party.features[1] == 0.0));
    assert_eq!(masked.conflicts[0].parties[0].features[0], data.conflicts[0].parties[0].features[0]);
    assert_eq!(data.masked("colour"), None);
    let mut with = data.clone();
    with.header.context = 1;
    with.conflicts.iter_mut().for_each(|one| one.context = vec![0.5]);
    assert_eq!(with.without_context(), data);
    let (few, more) = (data.first(50), data.first(100));
    assert_eq!((few.conflicts.len(), more.conflicts.len()), (50, 100));
    assert!(few.conflicts.iter().all(|one| more.conflicts.contains(one)));
}

proptest! {
    #[test]
    fn the_chosen_candidate_has_the_highest_sum(scores in prop::collection::vec(-1000_i64..1000, 4), seed in 0_u64..50) {
        let conflict = &synthetic::conflicts(1, seed).conflicts[0];
        let place = chosen(&scores, &conflict.candidates).unwrap();
        let sum = |candidate: usize| conflict.candidates[candidate].kept.iter().map(|party| scores[*party]).sum::<i64>();
        for other in 0..conflict.candidates.len() {
            prop_assert!(sum(place) > sum(other) || (sum(place) == sum(other) && place <= other));
        }
    }

    #[test]
    fn damaged_text_is_refused_or_read(position in 0_usize..2000, byte in 0_u8..128) {
        let mut bytes = text().into_bytes();
        let at = position % bytes.len();
        bytes[at] = byte;
        if let Ok(text) = String::from_utf8(bytes) && let Ok(data) = Dataset::read(&text) {
            prop_assert!(data.write().is_ok());
        }
    }
}
