//! The environments whose requests are read, each with one task.

use gimbal_core::{Catalogue, TaskId};
use serde_json::{Value, json};

/// An environment with one task to play.
pub struct Place {
    /// Name for files and stumbles. It begins with the environment's own name.
    pub name: &'static str,
    pub family: Box<dyn Catalogue>,
    pub options: Value,
    split: &'static str,
    /// Place of the task among those of the split: of filings a question with figures in its answer, which a verifier is asked about.
    task: usize,
}

impl Place {
    /// The task, or the one at another place of the split.
    pub fn task(&self, other: Option<usize>) -> TaskId {
        self.family.tasks(self.split, &self.options).unwrap().remove(other.unwrap_or(self.task))
    }
}

pub fn defences() -> [Place; 2] {
    [
        Place {
            name: "cage2",
            family: Box::new(gimbal_cage2::environment::Cage2),
            options: json!({ "red": "b_line", "horizon": 7 }),
            split: "train",
            task: 0,
        },
        Place {
            name: "yawning_titan",
            family: Box::new(gimbal_yawning_titan::environment::YawningTitan),
            options: json!({ "horizon": 7 }),
            split: "train",
            task: 0,
        },
    ]
}

pub fn tasks() -> [Place; 5] {
    [
        Place {
            name: "textcraft",
            family: Box::new(gimbal_textcraft::environment::TextCraft),
            options: Value::Null,
            split: "depth-3-test",
            task: 0,
        },
        Place {
            name: "alfworld",
            family: Box::new(gimbal_alfworld::Alfworld::over(None)),
            options: json!({ "tools": "split" }),
            split: "generated",
            task: 0,
        },
        Place {
            name: "alfworld-2.1.1",
            family: Box::new(gimbal_alfworld::Alfworld::over(None)),
            options: json!({ "wording": "2.1.1" }),
            split: "generated",
            task: 0,
        },
        Place { name: "triage", family: Box::new(gimbal_triage::Triage), options: json!({}), split: "dev", task: 0 },
        Place {
            name: "finance_agent",
            family: Box::new(gimbal_finance_agent::FinanceAgent),
            options: json!({}),
            split: "synthetic",
            task: 1,
        },
    ]
}

/// The game of agreement, which one agent plays for all, or each seat by itself.
pub fn games() -> [Place; 1] {
    [Place {
        name: "consensus",
        family: Box::new(gimbal_consensus::Consensus),
        options: json!({}),
        split: "dev",
        task: 0,
    }]
}

pub fn all() -> Vec<Place> {
    defences().into_iter().chain(tasks()).chain(games()).collect()
}
