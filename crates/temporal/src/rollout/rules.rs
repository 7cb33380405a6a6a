//! Rules that resolve conflicts without rollouts, for comparison.

use gimbal_core::Milli;

use crate::arbiter::{Arbiter, Tie, Weights};
use crate::authority::Authority;

/// A rule with its name in tables.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Rule {
    /// Its name.
    pub name: String,
    /// How it decides.
    pub arbiter: Arbiter,
    /// What a learned part adds to the priority of each proposal, by place; missing ones are 0.
    pub learned: Vec<Milli>,
}

impl Rule {
    /// A rule that an arbiter is.
    #[must_use]
    pub fn new(name: &str, arbiter: Arbiter) -> Self {
        Self { name: name.to_owned(), arbiter, learned: Vec::new() }
    }

    /// The rules of the label study that need no weights: `faster` and `slower`, which keep the faster or the slower of two parties;
    /// `published`, Algorithm 1 as printed; `greedy`, the default arbiter. All with the same authority.
    #[must_use]
    pub fn standard(authority: &Authority) -> Vec<Self> {
        let held = |arbiter: Arbiter| Arbiter { authority: authority.clone(), ..arbiter };
        vec![
            Self::new("faster", held(by_layer(Tie::KeepFaster))),
            Self::new("slower", held(by_layer(Tie::KeepSlower))),
            Self::new("published", held(Arbiter::published())),
            Self::new("greedy", held(Arbiter::default())),
        ]
    }

    /// The default arbiter with other weights, such as those tuned on the training part.
    #[must_use]
    pub fn weighted(name: &str, weights: Weights, authority: &Authority) -> Self {
        Self::new(name, Arbiter { weights, authority: authority.clone(), ..Arbiter::default() })
    }
}

/// An arbiter for which the layer alone counts: the faster or the slower of two parties is kept, policies and emergencies like all others.
#[must_use]
pub fn by_layer(keeps: Tie) -> Arbiter {
    let base = match keeps {
        Tie::KeepFaster => [500, 400, 300, 200, 100],
        Tie::KeepSlower => [100, 200, 300, 400, 500],
    };
    let weights =
        Weights { base: base.map(Milli), urgency: Milli::ZERO, confidence: Milli::ZERO, epsilon: Milli::ZERO };
    Arbiter { weights, tie: keeps, rules: false, ..Arbiter::default() }
}
