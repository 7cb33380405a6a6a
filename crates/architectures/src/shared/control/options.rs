//! Settings that the parts of a controller read themselves.

use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

/// How much of a segment its analyzer is shown: the summary's lengths, which the work leaves open (CYC-008).
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(default, deny_unknown_fields)]
pub struct Summary {
    /// Most calls of the segment, the latest ones.
    #[schemars(range(min = 1, max = 200))]
    pub calls: usize,
    /// Most characters of a call, of its result, and of what the executor said when it gave control back.
    #[schemars(range(min = 20, max = 20_000))]
    pub characters: usize,
    /// Most segments that no router has seen yet and that the next one is shown, the latest ones.
    #[schemars(range(min = 1, max = 50))]
    pub segments: usize,
}

impl Default for Summary {
    fn default() -> Self {
        Self { calls: 12, characters: 600, segments: 3 }
    }
}

impl Summary {
    /// # Errors
    /// The first value that is out of bounds, with the bounds.
    pub(super) fn check(self) -> Result<Self, String> {
        let bounds = [
            ("calls", self.calls, 1..=200),
            ("characters", self.characters, 20..=20_000),
            ("segments", self.segments, 1..=50),
        ];
        match bounds.into_iter().find(|(_, value, range)| !range.contains(value)) {
            None => Ok(self),
            Some((name, value, range)) => {
                let (least, most) = range.into_inner();
                Err(format!("summary: `{name}: {value}` is out of bounds; from {least} to {most}"))
            }
        }
    }
}

/// Who decides where no rule of a state machine fits (CYC-093).
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Deserialize, JsonSchema)]
#[serde(rename_all = "snake_case")]
#[schemars(rename = "Otherwise")]
pub enum DefaultDecider {
    /// The router's model.
    #[default]
    Router,
    /// Nobody: control goes where it went most often; the router is asked where that is not known either.
    Usual,
}
