//! What a cell is called in columns.

use crate::row::CellInfo;

impl CellInfo {
    /// Models for a column: the bare name when one model plays every role, `role=model` pairs otherwise, `none` without a
    /// model. Cells of one label are of one model: an architecture with three roles is compared with one of a single role.
    #[must_use]
    pub fn model_label(&self) -> String {
        match self.models.as_slice() {
            [] => "none".to_owned(),
            [one, rest @ ..] if rest.iter().all(|role| role.model == one.model) => one.model.clone(),
            several => {
                several.iter().map(|role| format!("{}={}", role.role, role.model)).collect::<Vec<_>>().join(", ")
            }
        }
    }

    /// Configuration for a column: with the injected faults, so that cells that differ in them alone stay apart.
    #[must_use]
    pub fn configuration_label(&self) -> String {
        match self.faults.as_str() {
            "" => self.configuration.clone(),
            faults => format!("{} | {faults}", self.configuration),
        }
    }

    /// Kind with the plumbing mark, as every table that holds the cell shows it.
    #[must_use]
    pub fn kind_label(&self) -> String {
        match &self.plumbing {
            Some(_) => format!("{}, plumbing", self.kind.label()),
            None => self.kind.label().to_owned(),
        }
    }

    /// Whether the outcome says something about a language model: a real one, strong enough to act.
    #[must_use]
    pub fn is_evidence(&self) -> bool {
        self.kind.is_model() && self.plumbing.is_none()
    }
}
