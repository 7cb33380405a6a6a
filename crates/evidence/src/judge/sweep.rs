//! What a judge says over ranges of confidences, each pair of a grid counted once. No model is asked.

use std::str::FromStr;

use gimbal_core::Milli;
use thiserror::Error;

use super::{Arithmetic, Judge, Positions, Verdict};

/// Most points of a range.
const MAX_POINTS: i64 = 1001;

/// Confidences from the first to the last, both included.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Range {
    first: Milli,
    last: Milli,
}

/// A text that is not a range of confidences, or a step that is none.
#[derive(Clone, Debug, PartialEq, Eq, Error)]
pub enum NotARange {
    /// No range.
    #[error(
        "`{0}` is not a range of confidences: expected FIRST-LAST, such as 0.45-0.65, or one number, each from 0 to 1 with at most three decimals"
    )]
    Range(String),
    /// No step.
    #[error("a step of {0} is too small or too large: expected 0.001 to 1")]
    Step(Milli),
}

impl Range {
    /// From the first to the last.
    ///
    /// # Errors
    /// When one of them is not from 0 to 1, or the last is below the first.
    pub fn new(first: Milli, last: Milli) -> Result<Self, NotARange> {
        if first < Milli::ZERO || last > Milli(1000) || last < first {
            return Err(NotARange::Range(format!("{first}-{last}")));
        }
        Ok(Self { first, last })
    }

    /// All confidences.
    pub const WHOLE: Self = Self { first: Milli(0), last: Milli(1000) };

    /// The points of the range: its first, and every step after it up to the last.
    fn points(self, step: Milli) -> impl Iterator<Item = Milli> + Clone {
        (0..=(self.last.0 - self.first.0) / step.0).map(move |index| Milli(self.first.0 + index * step.0))
    }
}

impl std::fmt::Display for Range {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        let two = |number: Milli| {
            let text = number.to_string();
            if text.len() < 4 { format!("{text}0") } else { text }
        };
        if self.first == self.last {
            return f.pad(&two(self.first));
        }
        f.pad(&format!("{}-{}", two(self.first), two(self.last)))
    }
}

impl FromStr for Range {
    type Err = NotARange;

    fn from_str(text: &str) -> Result<Self, Self::Err> {
        let wrong = || NotARange::Range(text.to_owned());
        let (first, last) = text.split_once('-').unwrap_or((text, text));
        let first = thousandths(first).ok_or_else(wrong)?;
        let last = thousandths(last).ok_or_else(wrong)?;
        Self::new(first, last).map_err(|_| wrong())
    }
}

/// A decimal from 0 to 1 with at most three decimals, read exactly.
#[must_use]
pub fn thousandths(text: &str) -> Option<Milli> {
    let (whole, decimals) = text.trim().split_once('.').unwrap_or((text.trim(), "0"));
    let sound = |digits: &str, most: usize| {
        !digits.is_empty() && digits.len() <= most && digits.bytes().all(|byte| byte.is_ascii_digit())
    };
    if !sound(whole, 1) || !sound(decimals, 3) {
        return None;
    }
    let value = whole.parse::<i64>().ok()? * 1000 + format!("{decimals:0<3}").parse::<i64>().ok()?;
    (0..=1000).contains(&value).then_some(Milli(value))
}

/// How often each verdict was given.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Counts {
    /// Threat confirmed.
    pub confirmed: u64,
    /// Threat dismissed.
    pub dismissed: u64,
    /// Inconclusive.
    pub inconclusive: u64,
}

impl Counts {
    /// Counts one verdict.
    pub const fn add(&mut self, verdict: Verdict) {
        match verdict {
            Verdict::ThreatConfirmed => self.confirmed += 1,
            Verdict::ThreatDismissed => self.dismissed += 1,
            Verdict::Inconclusive => self.inconclusive += 1,
        }
    }

    /// How often a verdict was given.
    #[must_use]
    pub const fn of(&self, verdict: Verdict) -> u64 {
        match verdict {
            Verdict::ThreatConfirmed => self.confirmed,
            Verdict::ThreatDismissed => self.dismissed,
            Verdict::Inconclusive => self.inconclusive,
        }
    }

    /// All verdicts.
    #[must_use]
    pub const fn all(&self) -> u64 {
        self.confirmed + self.dismissed + self.inconclusive
    }

    /// Share of a verdict, from 0 to 1; 0 where nothing was counted.
    #[must_use]
    pub fn share(&self, verdict: Verdict) -> f64 {
        if self.all() == 0 { 0.0 } else { self.of(verdict) as f64 / self.all() as f64 }
    }
}

/// Counts the verdicts of a judge over every pair of two ranges.
///
/// # Errors
/// When the step is not from 0.001 to 1.
pub fn grid(
    judge: &Judge,
    arithmetic: Arithmetic,
    architect: Range,
    skeptic: Range,
    step: Milli,
) -> Result<Counts, NotARange> {
    if step.0 < 1 || step.0 >= MAX_POINTS {
        return Err(NotARange::Step(step));
    }
    let mut counts = Counts::default();
    for architect in architect.points(step) {
        for skeptic in skeptic.points(step) {
            counts.add(judge.verdict(&Positions { architect, skeptic, ..Positions::default() }, arithmetic));
        }
    }
    Ok(counts)
}

/// A published range of confidences: a phase of a debate (ARES-113 to ARES-115).
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Phase {
    /// Name in tables.
    pub name: &'static str,
    /// Of the Architect.
    pub architect: Range,
    /// Of the Skeptic.
    pub skeptic: Range,
}

/// The phases whose confidences the work prints.
pub const PUBLISHED: [Phase; 3] = [
    Phase { name: "round 1, threats", architect: range(850, 980), skeptic: range(600, 900) },
    Phase { name: "round 2, original", architect: range(450, 650), skeptic: range(600, 900) },
    Phase { name: "anchored, both rounds", architect: range(750, 1000), skeptic: range(600, 900) },
];

const fn range(first: i64, last: i64) -> Range {
    Range { first: Milli(first), last: Milli(last) }
}
