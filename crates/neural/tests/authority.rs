//! The classifier of authority: its size, its examples, its files.

use gimbal_core::Rng;
use gimbal_neural::WeightsError;
use gimbal_neural::authority::examples::{examples, labels};
use gimbal_neural::authority::{Classifier, Form, compare};
use gimbal_temporal::authority::{Authority, Category};

const SMALL: Form = Form { features: 256, hidden: 2, width: 32 };

fn bytes(form: Form, eight: bool) -> Vec<u8> {
    let mut rng = Rng::stream(1, "tests/authority");
    let values: Vec<Vec<f32>> =
        form.shapes().iter().map(|shape| (0..shape.len()).map(|_| (rng.unit() - 0.5) as f32).collect()).collect();
    Classifier::file(form, &values, eight).unwrap()
}

// covers: CTHA-064, CTHA-R09
#[test]
fn the_published_classifier_has_two_point_one_million_parameters() {
    assert_eq!(Form::PUBLISHED.parameters(), 3_072 * 512 + 512 + 2 * (512 * 512 + 512) + 5 * 513);
    assert_eq!(Form::PUBLISHED.parameters(), 2_101_253);
    assert_eq!(Form::LINEAR.parameters(), 5 * 3_072 + 5);
}

#[test]
fn labels_follow_the_scopes() {
    let authority = Authority::published();
    let all = examples(160, false, 1);
    assert_eq!(all, examples(160, false, 1));
    for example in &all {
        let labels = labels(&authority, example);
        let home = example.category.home().unwrap();
        assert!(labels[home.index()], "{home} may not: {}", example.words);
        if example.category == Category::PolicyUpdate {
            assert_eq!(labels, [false, false, false, true, true]);
        }
        assert!(!example.words.contains('{'), "{}", example.words);
    }
    let unseen = examples(160, true, 1);
    for word in ["patch", "quarantine", "mail gateway", "kettle"] {
        assert!(unseen.iter().any(|one| one.words.contains(word)));
        assert!(!all.iter().any(|one| one.words.contains(word)), "{word}");
    }
}

#[test]
fn a_classifier_answers_for_each_layer_and_damage_is_refused() {
    for eight in [false, true] {
        let bytes = bytes(SMALL, eight);
        let classifier = Classifier::read(&bytes).unwrap();
        let permits = classifier.permits("restore the web server");
        assert!(permits.iter().all(|chance| (0..=1000).contains(chance)));
        assert_ne!(permits, classifier.permits("raise the threshold to 4"));
        assert_eq!(classifier.permits(""), Classifier::read(&bytes).unwrap().permits("?!"));
    }
    let good = bytes(SMALL, false);
    assert!(matches!(Classifier::read(&good[..good.len() - 2]), Err(WeightsError::Truncated { .. })));
    assert!(matches!(gimbal_neural::Net::read(&good), Err(WeightsError::What { .. })));
    let wrong = Classifier::file(Form { width: 16, ..SMALL }, &[], false).unwrap();
    assert!(matches!(Classifier::read(&wrong), Err(WeightsError::Missing { .. })));
}

#[test]
fn the_rule_is_right_where_it_knows_the_kind_and_not_where_the_form_claims_another() {
    let classifier = Classifier::read(&bytes(SMALL, false)).unwrap();
    let compared = compare(&classifier, &Authority::published(), &examples(160, true, 2));
    assert_eq!((compared.asked, compared.rule_right), (800, 800));
    assert!(compared.claimed_right < 800 && compared.claimed_missed > 0, "{compared:?}");
    assert!(compared.violations > 400 && compared.classifier_right < 800);
}
