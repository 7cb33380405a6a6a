//! What an episode may be set to.

use serde::{Deserialize, Serialize};

/// Red's agent.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Hash, Serialize, Deserialize)]
pub enum Red {
    /// B_line: straight to the operational server.
    #[default]
    #[serde(rename = "b_line")]
    BLine,
    /// Meander: everything, one subnet after the other.
    #[serde(rename = "meander")]
    Meander,
    /// Nothing at all.
    #[serde(rename = "sleep")]
    Sleep,
}

/// All of red's agents, in the order of the challenge's evaluation.
pub const REDS: [Red; 3] = [Red::BLine, Red::Meander, Red::Sleep];

impl Red {
    /// The name in options and tables.
    #[must_use]
    pub const fn name(self) -> &'static str {
        match self {
            Self::BLine => "b_line",
            Self::Meander => "meander",
            Self::Sleep => "sleep",
        }
    }

    /// The name in recordings.
    #[must_use]
    pub const fn recorded_name(self) -> &'static str {
        match self {
            Self::BLine => "B_line",
            Self::Meander => "Meander",
            Self::Sleep => "Sleep",
        }
    }

    /// The agent of that name, in either spelling, whatever its case.
    #[must_use]
    pub fn from_name(name: &str) -> Option<Self> {
        REDS.into_iter().find(|red| red.name().eq_ignore_ascii_case(name))
    }
}

/// Green's agent.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Hash, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum Green {
    /// As in the official evaluation: does nothing.
    #[default]
    Sleep,
    /// The optional agent that scans ports now and then.
    Scan,
}

impl Green {
    /// The name in options.
    #[must_use]
    pub const fn name(self) -> &'static str {
        match self {
            Self::Sleep => "sleep",
            Self::Scan => "scan",
        }
    }

    /// CybORG's class name, as recordings have it.
    #[must_use]
    pub const fn recorded_name(self) -> &'static str {
        match self {
            Self::Sleep => "SleepAgent",
            Self::Scan => "GreenAgent",
        }
    }
}

/// What an episode is played with.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub struct Options {
    /// Red's agent.
    pub red: Red,
    /// Green's agent.
    pub green: Green,
    /// Steps of an episode: 30, 50 or 100 in the challenge. The environment itself never ends (CybORG's `done` is
    /// always false); loops stop here, and room is reserved for as many steps.
    pub horizon: u32,
}

impl Default for Options {
    fn default() -> Self {
        Self { red: Red::BLine, green: Green::Sleep, horizon: 30 }
    }
}
