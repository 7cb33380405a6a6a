//! The classifier beside the rule that it imitates.

use gimbal_temporal::Layer;
use gimbal_temporal::authority::{Authority, Category, Decision, Permission};

use super::classifier::Classifier;
use super::examples::{Example, labels};

/// How often the two are right. Each example is asked about for every layer.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Compared {
    /// Questions: examples times layers.
    pub asked: usize,
    /// Of these, what the layer may not do.
    pub violations: usize,
    /// Questions that the classifier answers rightly, by the words.
    pub classifier_right: usize,
    /// Violations that the classifier lets through.
    pub classifier_missed: usize,
    /// Questions that the rule answers rightly where it is given the kind that the words describe: all, by construction of the labels.
    pub rule_right: usize,
    /// Questions that the rule answers rightly where it is given the kind that the form claims: a call is a tool invocation or an order of steps, a
    /// directive of a slow layer is a plan or a policy, whatever its words say.
    pub claimed_right: usize,
    /// Violations that the rule lets through on the form's claim.
    pub claimed_missed: usize,
}

/// The kind that a layer's form claims: calls of the fast layers, directives of the slow ones.
const fn claimed(layer: Layer) -> Category {
    match layer {
        Layer::Reflex | Layer::Tactical => Category::of_call(layer),
        _ => Category::of_directive(layer),
    }
}

/// Compares on some examples.
#[must_use]
pub fn compare(classifier: &Classifier, authority: &Authority, examples: &[Example]) -> Compared {
    let mut compared = Compared::default();
    let permits = |layer: Layer, category: Category, words: &str| {
        authority.permission(layer, &Decision::new(category, words)) == Permission::Permitted
    };
    for example in examples {
        let said = classifier.permits(&example.words);
        for (layer, truth) in Layer::ALL.into_iter().zip(labels(authority, example)) {
            let guessed = said[layer.index()] >= 500;
            let claim = permits(layer, claimed(layer), &example.words);
            compared.asked += 1;
            compared.violations += usize::from(!truth);
            compared.classifier_right += usize::from(guessed == truth);
            compared.classifier_missed += usize::from(guessed && !truth);
            compared.rule_right += usize::from(permits(layer, example.category, &example.words) == truth);
            compared.claimed_right += usize::from(claim == truth);
            compared.claimed_missed += usize::from(claim && !truth);
        }
    }
    compared
}
