//! Failures as the program shows them, with their exit codes.

use thiserror::Error;

/// Why the program stops without having done its work.
#[derive(Debug, Error)]
pub enum Failure {
    /// A check failed: replay, verify. What failed has been printed already, or is in this text.
    #[error("{0}")]
    Check(String),
    /// The user's arguments or files: where, and how to fix it.
    #[error("{0}")]
    Usage(String),
    /// Network, disk or provider.
    #[error("{0}")]
    External(String),
    /// Triage came to a verdict that is not a dismissal: nothing failed, and the exit code says which.
    #[error("")]
    Verdict(gimbal_evidence::judge::Verdict),
    /// Ctrl-C.
    #[error("interrupted; run the same command again to go on")]
    Interrupted,
}

impl Failure {
    /// The exit code.
    #[must_use]
    pub const fn code(&self) -> u8 {
        match self {
            Self::Check(_) => 1,
            Self::Usage(_) => 2,
            Self::External(_) => 3,
            Self::Verdict(gimbal_evidence::judge::Verdict::Inconclusive) => 10,
            Self::Verdict(gimbal_evidence::judge::Verdict::ThreatConfirmed) => 20,
            Self::Verdict(gimbal_evidence::judge::Verdict::ThreatDismissed) => 0,
            Self::Interrupted => 130,
        }
    }

    /// The user's mistake.
    pub fn usage(error: impl std::fmt::Display) -> Self {
        Self::Usage(error.to_string())
    }

    /// What is wrong with an environment: options and data are the user's to fix, services are outside the program.
    pub fn environment(error: gimbal_core::EnvError) -> Self {
        match error {
            gimbal_core::EnvError::Usage(text)
            | gimbal_core::EnvError::Data(text)
            | gimbal_core::EnvError::Option { message: text, .. } => Self::Usage(text),
            error @ gimbal_core::EnvError::Service(_) => Self::External(error.to_string()),
        }
    }

    /// A failure of network, disk or provider.
    pub fn external(error: impl std::fmt::Display) -> Self {
        Self::External(error.to_string())
    }
}
