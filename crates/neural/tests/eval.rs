//! Figures of a scorer, counted by hand.

use gimbal_core::Scorer;
use gimbal_neural::Dataset;
use gimbal_neural::data::synthetic;
use gimbal_neural::eval::{GroupBy, Terms, evaluate, judge};

/// A scorer that knows one column.
struct Column(usize);

impl Scorer for Column {
    fn identity(&self) -> String {
        "column".to_owned()
    }

    fn width(&self) -> usize {
        8
    }

    fn score(&self, parties: &[Vec<f32>]) -> Vec<i64> {
        parties.iter().map(|row| (row[self.0] * 1000.0) as i64).collect()
    }

    fn outcome(&self, parties: &[Vec<f32>]) -> Vec<i64> {
        self.score(parties)
    }
}

const SMALL: &str = r#"{"format":"gimbal-conflicts","version":2,"columns":["worth"],"rules":["slower"]}
{"id":"a","environment":"e","seed":1,"noise":0,"kind":"resource","parties":[{"layer":"reflex","features":[0.9]},{"layer":"tactical","features":[0.2]}],"candidates":[{"kept":[0],"mean":4,"outcome":true},{"kept":[1],"mean":1,"outcome":false}],"choices":[1],"best":0,"tied":false}
{"id":"b","environment":"e","seed":1,"noise":100,"kind":"effect","parties":[{"layer":"reflex","features":[0.6]},{"layer":"tactical","features":[0.4]}],"candidates":[{"kept":[0],"mean":1,"outcome":false},{"kept":[1],"mean":2,"outcome":true}],"choices":[1],"best":1,"tied":false}
{"id":"c","environment":"f","seed":2,"noise":1000,"kind":"effect","parties":[{"layer":"reflex","features":[0.1]},{"layer":"tactical","features":[0.3]}],"candidates":[{"kept":[0],"mean":5},{"kept":[1],"mean":5},{"kept":[],"mean":2}],"choices":[0],"best":0,"tied":true}
"#;

// covers: CTHA-081
#[test]
fn figures_are_those_counted_by_hand() {
    let data = Dataset::read(SMALL).unwrap();
    let judged = judge(&data, &Column(1));
    assert_eq!(judged.iter().map(|one| one.candidate).collect::<Vec<_>>(), [0, 0, 1]);
    assert_eq!(judged[2].chances, [Some(100), Some(300), None]);
    let groups = evaluate(&data, &judged);
    let all = &groups[0];
    assert_eq!((all.by, all.conflicts, all.episodes, all.untied), (GroupBy::All, 3, 2, 2));
    let [network, slower, random] = &all.choosers[..] else { panic!("{:?}", all.choosers) };
    assert_eq!((network.name.as_str(), network.accuracy.unwrap().value, network.closed), ("network", 0.5, None));
    assert!((network.regret.unwrap().value - 1.0 / 3.0).abs() < 1e-12);
    assert_eq!((slower.accuracy.unwrap().value, slower.regret.unwrap().value), (0.5, 1.0));
    assert!((slower.closed.unwrap().value - 2.0 / 3.0).abs() < 1e-12);
    assert!((random.regret.unwrap().value - (1.5 + 0.5 + 1.0) / 3.0).abs() < 1e-12);
    assert_eq!(random.accuracy.unwrap().value, 0.5);
    let outcomes = all.outcomes.unwrap();
    assert_eq!((outcomes.candidates, outcomes.base_rate, outcomes.base_brier), (4, 0.5, 0.25));
    assert!((outcomes.brier - (0.01 + 0.04 + 0.36 + 0.36) / 4.0).abs() < 1e-12);
    // Of the four pairs, 0.9 against 0.2 and 0.6 and 0.4 against 0.2 are right.
    assert_eq!(outcomes.auc, Some(0.75));
    let keys: Vec<(GroupBy, &str)> = groups.iter().map(|group| (group.by, group.key.as_str())).collect();
    assert_eq!(keys[1..3], [(GroupBy::Environment, "e"), (GroupBy::Environment, "f")]);
    assert_eq!(keys[5..], [(GroupBy::Noise, "0"), (GroupBy::Noise, "100"), (GroupBy::Noise, "1000")]);
    assert_eq!(groups[7].outcomes, None);
}

#[test]
fn intervals_count_episodes_and_not_conflicts() {
    let data = synthetic::conflicts(40, 1);
    let (mut one, mut many) = (Terms::default(), Terms::default());
    for (index, conflict) in data.conflicts.iter().enumerate() {
        let value = (index % 7) as f64;
        one.add(conflict, value, 1.0);
        // The same conflict four times is no more evidence.
        for _ in 0..4 {
            many.add(conflict, value, 1.0);
        }
    }
    let (one, many) = (one.ratio().unwrap(), many.ratio().unwrap());
    assert!((one.value - many.value).abs() < 1e-12);
    let (low, high) = one.interval.unwrap();
    assert!((low - many.interval.unwrap().0).abs() < 1e-12 && low < one.value && one.value < high);
    assert_eq!(Terms::default().ratio(), None);
    let mut single = Terms::default();
    single.add(&data.conflicts[0], 1.0, 2.0);
    assert_eq!(single.ratio().unwrap().interval, None);
}

#[test]
fn no_interval_leaves_what_is_possible() {
    // Two episodes that differ as far as they can: symmetric intervals reach beyond every bound.
    let mut data = Dataset::read(SMALL).unwrap();
    data.conflicts[1].seed = 3;
    data.conflicts[1].candidates[0].mean = -9.0;
    let groups = evaluate(&data, &judge(&data, &Column(1)));
    let mut cut = 0;
    for chooser in groups.iter().flat_map(|group| &group.choosers) {
        let ends = |one: Option<gimbal_neural::eval::Estimate>| one.and_then(|one| one.interval);
        if let Some((low, high)) = ends(chooser.accuracy) {
            assert!(0.0 <= low && high <= 1.0, "{chooser:?}");
            cut += usize::from(low == 0.0) + usize::from(high == 1.0);
        }
        if let Some((low, _)) = ends(chooser.regret) {
            assert!(low >= 0.0, "{chooser:?}");
            cut += usize::from(low == 0.0);
        }
        if let Some((_, high)) = ends(chooser.closed) {
            assert!(high <= 1.0, "{chooser:?}");
        }
    }
    assert!(cut > 2, "the example is too tame: {groups:?}");
}

#[test]
fn a_scorer_that_knows_the_rule_beats_one_that_does_not() {
    let data = synthetic::conflicts(2000, 5);
    let regret = |column: usize| evaluate(&data, &judge(&data, &Column(column)))[0].choosers[0].regret.unwrap().value;
    // Confidence counts in the planted rule, urgency does not.
    assert!(regret(2) < regret(1) - 0.05, "{} {}", regret(2), regret(1));
}
