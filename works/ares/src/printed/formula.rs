//! What a printed number follows from.

use gimbal_analysis::AnalysisError;
use gimbal_analysis::papers::Reach;
use gimbal_core::Milli;
use gimbal_evidence::judge::{Arithmetic, Judge, Positions, Verdict};
use serde::{Deserialize, Serialize};

use super::AresFacts;

/// What a printed number follows from.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
#[serde(rename_all = "snake_case", deny_unknown_fields)]
pub enum Formula {
    /// A number that is printed once more.
    Same(f64),
    /// A part of a whole, in percent.
    Percent {
        /// The part.
        part: f64,
        /// The whole.
        whole: f64,
    },
    /// The sum of a printed list.
    Sum(String),
    /// How many numbers a printed list has.
    Count(String),
    /// A number times another.
    Product([f64; 2]),
    /// A number minus another.
    Difference([f64; 2]),
    /// The change, in points, from the middle of a range to the middle of another. The ends of the ranges are what it can be.
    Change {
        /// First and last before.
        from: [f64; 2],
        /// First and last after.
        to: [f64; 2],
    },
    /// 1 when a judge gives this verdict over these confidences, else 0.
    Judged {
        /// Name of the judge.
        judge: String,
        /// Confidence of the Architect.
        architect: f64,
        /// Confidence of the Skeptic.
        skeptic: f64,
        /// The verdict.
        verdict: Verdict,
    },
}

impl Formula {
    /// What follows.
    ///
    /// # Errors
    /// When a list or judge is unknown.
    pub fn value(&self, facts: &AresFacts) -> Result<Reach, AnalysisError> {
        Ok(match self {
            Self::Same(value) => Reach::exactly(*value),
            Self::Percent { part, whole } => Reach::exactly(100.0 * part / whole),
            Self::Sum(name) => Reach::exactly(facts.list(name)?.iter().sum()),
            Self::Count(name) => Reach::exactly(facts.list(name)?.len() as f64),
            Self::Product([one, other]) => Reach::exactly(one * other),
            Self::Difference([one, other]) => Reach::exactly(one - other),
            Self::Change { from, to } => Reach {
                value: 100.0 * ((to[0] + to[1]) - (from[0] + from[1])) / 2.0,
                least: 100.0 * (to[0] - from[1]),
                most: 100.0 * (to[1] - from[0]),
            },
            Self::Judged { judge, architect, skeptic, verdict } => {
                let judge: Judge = judge.parse().map_err(|error: gimbal_evidence::judge::UnknownJudge| {
                    AnalysisError::Facts { place: "claims, `judged`".to_owned(), what: error.to_string() }
                })?;
                let positions = Positions {
                    architect: Milli::from_f64(*architect),
                    skeptic: Milli::from_f64(*skeptic),
                    ..Positions::default()
                };
                let given = judge.verdict(&positions, Arithmetic::FloatCompat);
                Reach::exactly(f64::from(u8::from(given == *verdict)))
            }
        })
    }
}
