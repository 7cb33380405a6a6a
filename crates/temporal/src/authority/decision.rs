//! Decisions and how far they are apart (Eq. 20).

use gimbal_core::Milli;
use serde::{Deserialize, Serialize};

use super::Category;
use crate::Layer;

/// A decision of a layer.
#[derive(Clone, Debug, PartialEq, Eq, PartialOrd, Ord, Serialize, Deserialize)]
pub struct Decision {
    /// Kind.
    pub category: Category,
    /// What is decided, as text: a call as patterns see it, a goal, a rule.
    pub content: String,
    /// The layer to which an escalation or a delegation goes.
    pub to: Option<Layer>,
    /// Shortest and longest time, in thousandths of a second, on which it is decided (Eq. 19); `None` where it is the time of the layer whose
    /// decision it is.
    pub span: Option<(Milli, Milli)>,
}

/// How far two decisions are apart. The kind counts before the words.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash, Serialize, Deserialize)]
pub struct Distance {
    /// Steps on the graph of categories.
    pub category: usize,
    /// Letters to insert, delete or replace from one content to the other.
    pub content: usize,
}

impl Decision {
    /// A decision on the time scale of the layer that it belongs to.
    #[must_use]
    pub fn new(category: Category, content: &str) -> Self {
        Self { category, content: content.to_owned(), to: None, span: None }
    }

    /// No decision.
    #[must_use]
    pub fn idle() -> Self {
        Self::new(Category::Idle, "")
    }

    /// Shortest and longest time on which it is decided; `None` for what has no time of its own.
    #[must_use]
    pub fn span(&self) -> Option<(Milli, Milli)> {
        self.span.or_else(|| self.category.home().map(|home| home.spec().scale))
    }

    /// How far another decision is away. Handing this decision over to the layer that it belongs to is one step away, and one more for each
    /// layer between that layer and the one that gets it.
    #[must_use]
    pub fn distance(&self, other: &Self) -> Distance {
        Distance {
            category: self.steps_to(other),
            content: edits(&self.content, &other.content, usize::MAX).unwrap_or(usize::MAX),
        }
    }

    /// Steps of category alone, which cost nothing to count.
    pub(super) fn steps_to(&self, other: &Self) -> usize {
        match (other.category, other.to, self.category.home()) {
            (Category::Escalation | Category::Delegation, Some(to), Some(home)) => {
                1 + to.index().abs_diff(home.index())
            }
            _ => self.category.steps_to(other.category),
        }
    }
}

/// Letters to insert, delete or replace from one text to the other; `None` where there are more than `most`.
pub(crate) fn edits(one: &str, other: &str, most: usize) -> Option<usize> {
    let (one, other): (Vec<char>, Vec<char>) = (one.chars().collect(), other.chars().collect());
    // What both begin and end with needs no edit.
    let begin = one.iter().zip(&other).take_while(|(one, other)| one == other).count();
    let (one, other) = (&one[begin..], &other[begin..]);
    let end = one.iter().rev().zip(other.iter().rev()).take_while(|(one, other)| one == other).count();
    let (one, other) = (&one[..one.len() - end], &other[..other.len() - end]);
    if one.len().abs_diff(other.len()) > most {
        return None;
    }
    let mut row: Vec<usize> = (0..=other.len()).collect();
    for (place, letter) in one.iter().enumerate() {
        let mut corner = place;
        let mut left = place + 1;
        let mut least = left;
        row[0] = left;
        for (cell, at) in row[1..].iter_mut().zip(other) {
            let replaced = corner + usize::from(letter != at);
            corner = *cell;
            left = replaced.min(left + 1).min(corner + 1);
            *cell = left;
            least = least.min(left);
        }
        if least > most {
            return None;
        }
    }
    row.last().copied().filter(|edits| *edits <= most)
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;

    use super::edits;

    /// By definition.
    fn naive(one: &[char], other: &[char]) -> usize {
        match (one.split_last(), other.split_last()) {
            (None, _) => other.len(),
            (_, None) => one.len(),
            (Some((a, one_rest)), Some((b, other_rest))) => {
                let replaced = naive(one_rest, other_rest) + usize::from(a != b);
                replaced.min(naive(one_rest, other) + 1).min(naive(one, other_rest) + 1)
            }
        }
    }

    proptest! {
        #[test]
        fn edits_are_the_fewest(one in "[abé]{0,5}", other in "[abé]{0,5}", most in 0..6_usize) {
            let letters = |text: &str| text.chars().collect::<Vec<_>>();
            let fewest = naive(&letters(&one), &letters(&other));
            prop_assert_eq!(edits(&one, &other, usize::MAX), Some(fewest));
            prop_assert_eq!(edits(&one, &other, most), (fewest <= most).then_some(fewest));
        }
    }
}
