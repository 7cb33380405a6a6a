//! Which draws a network asks for.

use serde::{Deserialize, Serialize};

/// Which nodes are drawn as entry nodes rather.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
pub enum EntryPreference {
    /// All alike.
    #[default]
    #[serde(rename = "NONE")]
    None,
    /// Central ones.
    #[serde(rename = "CENTRAL")]
    Central,
    /// Those at the edge.
    #[serde(rename = "EDGE")]
    Edge,
}

/// Which nodes are drawn as high-value nodes rather.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
pub enum HighValuePreference {
    /// All alike.
    #[default]
    #[serde(rename = "NONE")]
    None,
    /// Those far from the entry nodes.
    #[serde(rename = "FURTHEST_AWAY_FROM_ENTRY")]
    FurthestFromEntry,
}

/// Which draws a network asks for, and within which bounds.
#[derive(Clone, Copy, Debug, PartialEq)]
#[allow(clippy::struct_excessive_bools, reason = "these are the original's switches")]
pub struct Parameters {
    /// Whether entry nodes are drawn.
    pub random_entry: bool,
    /// How many.
    pub entry_count: i64,
    /// Which rather.
    pub entry_preference: EntryPreference,
    /// Whether high-value nodes are drawn.
    pub random_high_value: bool,
    /// How many.
    pub high_value_count: i64,
    /// Which rather.
    pub high_value_preference: HighValuePreference,
    /// Whether vulnerabilities are drawn.
    pub random_vulnerabilities: bool,
    /// The lower bound of vulnerabilities.
    pub lower: f64,
    /// The upper bound of vulnerabilities.
    pub upper: f64,
}

impl Parameters {
    /// No draws, and the bounds of a fresh network.
    pub const NONE: Self = Self {
        random_entry: false,
        entry_count: 0,
        entry_preference: EntryPreference::None,
        random_high_value: false,
        high_value_count: 0,
        high_value_preference: HighValuePreference::None,
        random_vulnerabilities: false,
        lower: 0.01,
        upper: 1.0,
    };
}
