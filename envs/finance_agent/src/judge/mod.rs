//! Judging answers against rubrics: a deterministic judge, and the words for one that is a model.
//!
//! The original's judge is not public. Ours holds every item on its own: `correctness` passes where the answer states the
//! fact, `contradiction` where it does not contradict the reference answer. An answer succeeds when all items pass.

mod claims;
mod contradiction;
mod correctness;
pub mod model;
mod words;

use serde::{Deserialize, Serialize};

pub use crate::kappa::{Agreement, agreement};
use crate::rubric::{Item, Operator};

/// What the judges made of one item.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct Verdict {
    /// How the item is applied.
    pub operator: Operator,
    /// The item's fact or reference answer.
    pub criteria: String,
    /// Whether it passes.
    pub passed: bool,
    /// What decided it.
    pub why: String,
}

/// Judges an answer without a model: the figures of each criterion, normalised, its periods, its direction and its key
/// words are looked up in the answer. What the question says need not be said again.
///
/// # Examples
/// ```
/// use gimbal_finance_agent::judge::{offline, passed};
/// use gimbal_finance_agent::rubric::read;
///
/// let rubric = read("[{'operator': 'correctness', 'criteria': '$3.25 Billion'}, \
///                     {'operator': 'contradiction', 'criteria': '$3.25 Billion'}]")?;
/// let question = "What did Oak pay for Elm?";
/// assert!(passed(&offline(question, &rubric, "Oak paid $3,250 million for Elm.")));
/// assert!(!passed(&offline(question, &rubric, "Oak paid $3.5 billion for Elm.")));
/// # Ok::<(), gimbal_finance_agent::rubric::RubricError>(())
/// ```
#[must_use]
pub fn offline(question: &str, rubric: &[Item], answer: &str) -> Vec<Verdict> {
    let answer = words::Read::of(strip_sources(answer));
    let question = words::Read::of(question);
    rubric
        .iter()
        .map(|item| {
            let found = match item.operator {
                Operator::Correctness => correctness::missing(&item.criteria, &question, &answer),
                Operator::Contradiction => contradiction::found(&item.criteria, &question, &answer),
            };
            let (passed, why) = match found {
                None => (
                    true,
                    match item.operator {
                        Operator::Correctness => "stated".to_owned(),
                        Operator::Contradiction => "no contradiction found".to_owned(),
                    },
                ),
                Some(why) => (false, why),
            };
            Verdict { operator: item.operator, criteria: item.criteria.clone(), passed, why }
        })
        .collect()
}

/// Whether an answer succeeds: every item passes.
#[must_use]
pub fn passed(verdicts: &[Verdict]) -> bool {
    !verdicts.is_empty() && verdicts.iter().all(|verdict| verdict.passed)
}

/// Share of items that pass, in thousandths; none without items.
#[must_use]
pub fn share(verdicts: &[Verdict]) -> Option<u32> {
    let passed = verdicts.iter().filter(|verdict| verdict.passed).count();
    (!verdicts.is_empty()).then(|| (passed * 1000 / verdicts.len()) as u32)
}

/// An answer without the list of sources that the harness has agents put behind it: its addresses hold figures.
fn strip_sources(answer: &str) -> &str {
    let at = answer.find("{\"sources\"").or_else(|| answer.find("{ \"sources\""));
    answer.get(..at.unwrap_or(answer.len())).unwrap_or(answer)
}
