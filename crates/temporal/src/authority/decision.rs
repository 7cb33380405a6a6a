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
        let content = strsim::levenshtein(&self.content, &other.content);
        let category = match (other.category, other.to, self.category.home()) {
            (Category::Escalation | Category::Delegation, Some(to), Some(home)) => {
                1 + to.index().abs_diff(home.index())
            }
            _ => self.category.steps_to(other.category),
        };
        Distance { category, content }
    }
}
