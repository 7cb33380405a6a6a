//! Training: that it learns, that it can be resumed, and that candle and the plain inference agree.

use gimbal_core::{Rng, Scorer as _};
use gimbal_neural::authority::examples::examples;
use gimbal_neural::authority::{Classifier, Form, compare};
use gimbal_neural::data::{Dataset, Part, Split, synthetic};
use gimbal_neural::eval::{evaluate, judge};
use gimbal_neural::net::{Card, Scratch};
use gimbal_neural::train::{TrainError, Trainer, classifier, forward};
use gimbal_neural::{Body, Net, Preset, Spec};
use gimbal_temporal::authority::Authority;

use super::support::{tiny, values};

fn parts(count: usize) -> [Dataset; 3] {
    let data = synthetic::conflicts(count, 11);
    [Part::Train, Part::Validation, Part::Test].map(|part| data.part(&Split::default(), part))
}

fn trainer(preset: Preset, count: usize) -> Trainer {
    let [train, validation, _] = parts(count);
    let mut settings = preset.settings(3);
    settings.epochs = settings.epochs.min(4);
    Trainer::new(settings, train, validation, Card::default()).unwrap()
}

/// Scores of candle and of the plain inference differ by less than 1e-4 where scores are about 1.
#[test]
fn plain_inference_agrees_with_candle() {
    let mut data = synthetic::conflicts(40, 9);
    data.header.context = 6;
    let mut rng = Rng::stream(1, "context");
    for conflict in &mut data.conflicts {
        conflict.context = (0..6).map(|_| rng.unit() as f32).collect();
    }
    for body in [Body::Linear, Body::Mlp { hidden: 64 }, tiny(), Body::small()] {
        let spec = Spec::of(body, &data.header);
        let values = values(&spec, 2);
        let net = Net::read(&Net::file(&spec, &Card::default(), &values, false).unwrap()).unwrap();
        let rows: Vec<Vec<f32>> = data.conflicts.iter().flat_map(|conflict| conflict.rows()).collect();
        let rows: Vec<&[f32]> = rows.iter().map(Vec::as_slice).collect();
        let counts: Vec<usize> = data.conflicts.iter().map(|conflict| conflict.parties.len()).collect();
        let plain = net.forward(&rows, &counts, &mut Scratch::default());
        let candle = forward(&spec, &values, &data).unwrap();
        assert_eq!(plain.len(), candle.len());
        for (plain, candle) in plain.iter().zip(&candle) {
            assert!((plain.score - candle.score).abs() < 1e-4, "{plain:?} {candle:?}");
            assert!((plain.outcome - candle.outcome).abs() < 1e-4, "{plain:?} {candle:?}");
        }
    }
}

// covers: CTHA-079
#[test]
fn a_resumed_training_ends_with_the_same_bytes() {
    let mut unbroken = trainer(Preset::Test, 400);
    while !unbroken.is_done() {
        unbroken.epoch().unwrap();
    }
    let mut broken = trainer(Preset::Test, 400);
    while !broken.is_done() {
        broken.epoch().unwrap();
        let checkpoint = broken.checkpoint().unwrap();
        broken = trainer(Preset::Test, 400);
        broken.resume(&checkpoint).unwrap();
    }
    assert_eq!(unbroken.history(), broken.history());
    assert_eq!(unbroken.checkpoint().unwrap(), broken.checkpoint().unwrap());
    assert_eq!(unbroken.weights(true).unwrap(), broken.weights(true).unwrap());
}

#[test]
fn a_checkpoint_of_another_training_is_refused() {
    let mut one = trainer(Preset::Linear, 200);
    one.epoch().unwrap();
    let checkpoint = one.checkpoint().unwrap();
    assert!(matches!(trainer(Preset::Linear, 300).resume(&checkpoint), Err(TrainError::Other { .. })));
    assert!(matches!(trainer(Preset::Mlp, 200).resume(&checkpoint), Err(TrainError::Other { .. })));
    assert!(matches!(one.resume(&checkpoint[..100]), Err(TrainError::Checkpoint(_))));
    assert!(matches!(one.resume(&one.weights(false).unwrap()), Err(TrainError::Checkpoint(_))));
    let [train, validation, _] = parts(200);
    let empty = validation.only(|_| false);
    let refused = Trainer::new(Preset::Test.settings(1), train, empty, Card::default()).err().unwrap();
    assert!(refused.to_string().contains("the validation part holds no conflict"), "{refused}");
}

// covers: CTHA-077, CTHA-078
#[test]
fn the_test_preset_learns_a_planted_rule_and_nothing_from_shuffled_labels() {
    let [train, validation, test] = parts(3000);
    let closed = |train: Dataset, validation: Dataset| {
        let mut trainer = Trainer::new(Preset::Test.settings(1), train, validation, Card::default()).unwrap();
        while !trainer.is_done() {
            trainer.epoch().unwrap();
        }
        let net = Net::read(&trainer.weights(true).unwrap()).unwrap();
        assert!(net.identity().starts_with("encoder/q8_0"));
        let all = evaluate(&test, &judge(&test, &net)).remove(0);
        let of =
            |name: &str| all.choosers.iter().find(|one| one.name == name).and_then(|one| one.closed).unwrap().value;
        (of("published"), of("random"), all.outcomes.unwrap())
    };
    let (published, _, outcomes) = closed(train.clone(), validation.clone());
    assert!(published > 0.5, "{published}");
    assert!(outcomes.brier < 0.8 * outcomes.base_brier && outcomes.auc.unwrap() > 0.8, "{outcomes:?}");
    let (_, random, _) = closed(train.shuffled(1), validation.shuffled(2));
    assert!(random.abs() < 0.3, "{random}");
}

// covers: CTHA-064
#[test]
fn the_classifier_learns_scopes_from_words() {
    let authority = Authority::published();
    let form = Form { features: 512, hidden: 2, width: 64 };
    let seen = examples(2_000, false, 1);
    let train = || classifier(form, &authority, &seen, 60, 1, true).unwrap();
    let bytes = train();
    assert_eq!(bytes, train());
    let found = compare(&Classifier::read(&bytes).unwrap(), &authority, &examples(800, true, 1));
    // Three in four of the questions are violations: whoever forbids everything is right there.
    let share = |count: usize| count as f64 / found.asked as f64;
    assert!(share(found.classifier_right) > share(found.violations) + 0.05, "{found:?}");
}
