//! What kind of error a wrong verdict is (ARES-076, ARES-082), and what it costs.

use gimbal_evidence::judge::Verdict;

use crate::cases::Case;

/// The class of a wrong verdict (ARES-076).
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub enum ErrorClass {
    /// A threat was confirmed where dismissal was expected.
    FalsePositive,
    /// A threat was dismissed where confirmation was expected.
    FalseNegative,
    /// One of the two verdicts, expected and given, is inconclusive; no verdict counts as inconclusive.
    Miscalibrated,
}

impl ErrorClass {
    /// All classes, in the order of tables.
    pub const ALL: [Self; 3] = [Self::FalsePositive, Self::FalseNegative, Self::Miscalibrated];

    /// The class of a case; `None` where it is right.
    #[must_use]
    pub fn of(case: &Case) -> Option<Self> {
        use Verdict::{Inconclusive, ThreatConfirmed, ThreatDismissed};
        match (case.marking.expected, given(case)) {
            (expected, given) if expected == given && case.marking.given.is_some() => None,
            (ThreatDismissed, ThreatConfirmed) => Some(Self::FalsePositive),
            (ThreatConfirmed, ThreatDismissed) => Some(Self::FalseNegative),
            (Inconclusive, _) | (_, Inconclusive) => Some(Self::Miscalibrated),
            (ThreatConfirmed, ThreatConfirmed) | (ThreatDismissed, ThreatDismissed) => None,
        }
    }

    /// The words of tables.
    #[must_use]
    pub const fn title(self) -> &'static str {
        match self {
            Self::FalsePositive => "false positive",
            Self::FalseNegative => "false negative",
            Self::Miscalibrated => "miscalibrated",
        }
    }
}

/// Why a verdict is wrong (ARES-082).
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub enum Diagnosis {
    /// The packet does not support the expected verdict, or none of the facts that decide is cited.
    EvidenceGap,
    /// The facts that decide are cited, and one of the verdicts is inconclusive: how much doubt they leave was misjudged.
    AmbiguityMismatch,
    /// The facts that decide are cited, and the verdict is the opposite: they were weighed wrongly.
    Calibration,
}

impl Diagnosis {
    /// All, in the order of tables.
    pub const ALL: [Self; 3] = [Self::EvidenceGap, Self::AmbiguityMismatch, Self::Calibration];

    /// Of a case; `None` where it is right.
    #[must_use]
    pub fn of(case: &Case) -> Option<Self> {
        let class = ErrorClass::of(case)?;
        let marking = &case.marking;
        let counts = || marking.decisive.iter().chain(&marking.explaining);
        let unsupported = marking.supported != marking.expected;
        let uncited = counts().next().is_some() && !counts().any(|fact| marking.cited.contains(fact));
        Some(match class {
            _ if unsupported || uncited => Self::EvidenceGap,
            ErrorClass::Miscalibrated => Self::AmbiguityMismatch,
            ErrorClass::FalsePositive | ErrorClass::FalseNegative => Self::Calibration,
        })
    }
}

/// What a wrong verdict costs.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Losses {
    /// A threat that was dismissed.
    pub missed: f64,
    /// A threat that was confirmed where there was none, or where nothing decides.
    pub alarm: f64,
    /// No decision where the facts decide, or a dismissal where they do not.
    pub undecided: f64,
}

impl Losses {
    /// A missed threat 5, a false alarm 1, the rest 0.5.
    pub const USUAL: Self = Self { missed: 5.0, alarm: 1.0, undecided: 0.5 };

    /// The loss of a case.
    #[must_use]
    pub fn of(&self, case: &Case) -> f64 {
        use Verdict::{Inconclusive, ThreatConfirmed, ThreatDismissed};
        if ErrorClass::of(case).is_none() {
            return 0.0;
        }
        match (case.marking.expected, given(case)) {
            (ThreatConfirmed, ThreatDismissed) => self.missed,
            (_, ThreatConfirmed) => self.alarm,
            (_, ThreatDismissed | Inconclusive) => self.undecided,
        }
    }
}

/// The verdict that was given; no verdict decides nothing.
fn given(case: &Case) -> Verdict {
    case.marking.given.unwrap_or(Verdict::Inconclusive)
}
