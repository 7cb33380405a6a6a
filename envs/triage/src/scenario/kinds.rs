//! The closed lists by which scenarios are sorted.

use std::fmt;

use gimbal_evidence::judge::Verdict;
use serde::{Deserialize, Serialize};

macro_rules! words {
    ($(#[$about:meta])* $name:ident { $($(#[$means:meta])* $variant:ident = $word:literal,)* }) => {
        $(#[$about])*
        #[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash, Serialize, Deserialize)]
        pub enum $name {
            $($(#[$means])* #[serde(rename = $word)] $variant,)*
        }

        impl $name {
            /// All of them, in the order of tables.
            pub const ALL: &'static [Self] = &[$(Self::$variant),*];

            /// The word in files and tables.
            #[must_use]
            pub const fn name(self) -> &'static str {
                match self { $(Self::$variant => $word,)* }
            }
        }

        impl fmt::Display for $name {
            fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
                f.pad(self.name())
            }
        }
    };
}

words! {
    /// Tier of a scenario: how clear the evidence is (ARES-070).
    Tier {
        /// Evidence of a threat without a harmless reading.
        ClearThreat = "CLEAR_THREAT",
        /// Nothing suspicious, or all of it explained at first sight.
        ClearBenign = "CLEAR_BENIGN",
        /// Both readings fit, and nothing separates them.
        Ambiguous = "AMBIGUOUS",
        /// Some facts point to a threat and others away from it; all together they decide.
        MixedSignals = "MIXED_SIGNALS",
    }
}

impl Tier {
    /// Whether scenarios of this tier can have this verdict.
    #[must_use]
    pub const fn allows(self, verdict: Verdict) -> bool {
        matches!(
            (self, verdict),
            (Self::ClearThreat | Self::MixedSignals, Verdict::ThreatConfirmed)
                | (Self::ClearBenign | Self::MixedSignals, Verdict::ThreatDismissed)
                | (Self::Ambiguous, Verdict::Inconclusive)
        )
    }
}

words! {
    /// What a scenario is about (ARES-072).
    Category {
        /// Tools that administrators and intruders use alike.
        DualUse = "dual_use",
        /// Data that leave.
        Exfiltration = "exfiltration",
        /// Guessed, stolen or abused credentials.
        Credentials = "credentials",
        /// Order, spacing and hour of events.
        Timing = "timing",
        /// Scans and sweeps.
        Scanning = "scanning",
        /// Ways to stay.
        Persistence = "persistence",
        /// Logs, sensors and rules that are switched off or cleared.
        Evasion = "evasion",
        /// Programs that start where they should not.
        Execution = "execution",
        /// From host to host.
        Movement = "movement",
        /// Calls to a controller, tunnels.
        Control = "control",
    }
}

words! {
    /// What happened, whether the packet shows it or not.
    OperatorTruth {
        /// An intruder acted.
        Malicious = "malicious",
        /// Nobody did harm.
        Benign = "benign",
        /// Nobody knows: the source of the data does not say.
        Unknown = "unknown",
    }
}

words! {
    /// A type of telemetry.
    Telemetry {
        /// Windows event logs.
        Windows = "windows",
        /// Syslog and the Linux audit log.
        Syslog = "syslog",
        /// Flow records.
        Netflow = "netflow",
    }
}
