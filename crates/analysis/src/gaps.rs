//! What is missing from the cells of a study.

use serde::{Deserialize, Serialize};

use crate::cells::Analysis;

/// What is missing from a cell.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct Gap {
    /// Index of the cell.
    pub cell: usize,
    /// Episodes planned.
    pub planned: usize,
    /// Episodes that count.
    pub played: usize,
    /// Episodes lost to infrastructure.
    pub infrastructure: usize,
    /// Episodes that a limit of the study or the cell ended, or that were called off.
    #[serde(default)]
    pub withheld: usize,
    /// Episodes that a limit of the episode cut.
    #[serde(default)]
    pub cut: usize,
}

impl Gap {
    /// Planned and never played to an end.
    #[must_use]
    pub fn missing(&self) -> usize {
        self.planned.saturating_sub(self.played + self.cut)
    }
}

impl Analysis {
    /// Cells with fewer episodes than planned, with losses, or with episodes that a limit cut.
    #[must_use]
    pub fn gaps(&self) -> Vec<Gap> {
        self.cells
            .iter()
            .enumerate()
            .map(|(cell, summary)| Gap {
                cell,
                planned: summary.info.planned as usize,
                played: summary.episodes,
                infrastructure: summary.infrastructure,
                withheld: summary.withheld,
                cut: summary.cuts(),
            })
            .filter(|gap| gap.played < gap.planned || gap.infrastructure + gap.withheld + gap.cut > 0)
            .collect()
    }
}
