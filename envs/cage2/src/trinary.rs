//! The success of an action.

/// CybORG's three-valued success.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
#[allow(missing_docs, reason = "the names say it")]
#[repr(u8)]
pub enum Trinary {
    True = 1,
    Unknown = 2,
    False = 3,
}

impl Trinary {
    /// CybORG's member name.
    #[must_use]
    pub const fn name(self) -> &'static str {
        match self {
            Self::True => "TRUE",
            Self::Unknown => "UNKNOWN",
            Self::False => "FALSE",
        }
    }
}

impl From<bool> for Trinary {
    fn from(value: bool) -> Self {
        if value { Self::True } else { Self::False }
    }
}
