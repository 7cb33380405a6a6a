//! Summaries as plain code reads them (Tab. 29; CTHA-047).

use std::collections::BTreeSet;

use gimbal_core::Milli;
use serde::{Deserialize, Serialize};
use serde_json::{Value, json};

use super::kind::number;
use crate::Layer;

/// What happened, for the next slower layer.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct Summary {
    /// The layer that reports.
    pub layer: Layer,
    /// Time of the session: the number of the step.
    pub timestamp: Milli,
    /// The state in short.
    pub state_digest: String,
    /// What was seen.
    pub observations: Vec<String>,
    /// What went wrong.
    pub anomalies: Vec<Anomaly>,
    /// What was used.
    pub resources: Option<Resources>,
}

/// Something that went wrong.
#[derive(Clone, Debug, PartialEq, Eq, PartialOrd, Ord, Serialize, Deserialize)]
pub struct Anomaly {
    /// Of which kind.
    pub kind: AnomalyKind,
    /// In words.
    pub description: String,
}

/// Kinds of anomaly; one that a message does not name is `unexpected`.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum AnomalyKind {
    /// Something failed.
    Error,
    /// Something may fail.
    Warning,
    /// Something was not foreseen.
    Unexpected,
}

/// What was used.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
pub struct Resources {
    /// Tokens.
    pub tokens_used: u64,
    /// Model calls.
    pub api_calls: u64,
}

impl Summary {
    /// A summary that follows its contract, as plain code reads it. Members of other types than the contract has read as missing.
    #[must_use]
    pub fn read(value: &Value) -> Self {
        let text = |value: &Value, key: &str| value.get(key).and_then(Value::as_str).unwrap_or_default().to_owned();
        let list = |key: &str| value.get(key).and_then(Value::as_array).into_iter().flatten();
        let layer = value.get("layer_id").and_then(Value::as_u64).unwrap_or(1);
        let kind = |value: &Value| match value.get("type").and_then(Value::as_str) {
            Some("error") => AnomalyKind::Error,
            Some("warning") => AnomalyKind::Warning,
            _ => AnomalyKind::Unexpected,
        };
        let count = |used: &Value, key: &str| used.get(key).and_then(Value::as_u64).unwrap_or(0);
        Self {
            layer: Layer::ALL.into_iter().find(|one| one.number() as u64 == layer).unwrap_or(Layer::Reflex),
            timestamp: Milli::from_f64(value.get("timestamp").and_then(Value::as_f64).unwrap_or(0.0)),
            state_digest: text(value, "state_digest"),
            observations: list("observations").filter_map(Value::as_str).map(str::to_owned).collect(),
            anomalies: list("anomalies")
                .map(|one| Anomaly { kind: kind(one), description: text(one, "description") })
                .collect(),
            resources: value
                .get("resources")
                .map(|used| Resources { tokens_used: count(used, "tokens_used"), api_calls: count(used, "api_calls") }),
        }
    }

    /// The summary as a message.
    #[must_use]
    pub fn to_value(&self) -> Value {
        let mut value = json!({
            "layer_id": self.layer.number().min(4), "timestamp": number(self.timestamp), "state_digest": self.state_digest
        });
        if !self.observations.is_empty() {
            value["observations"] = json!(self.observations);
        }
        if !self.anomalies.is_empty() {
            let told = |one: &Anomaly| json!({ "type": one.kind, "description": one.description });
            value["anomalies"] = self.anomalies.iter().map(told).collect();
        }
        if let Some(used) = self.resources {
            value["resources"] = json!({ "tokens_used": used.tokens_used, "api_calls": used.api_calls });
        }
        value
    }

    /// The anomalies that call for a plan: errors and what was not foreseen (Sec. 5.7; CTHA-098). Each once, in order.
    #[must_use]
    pub fn alarms(&self) -> BTreeSet<&Anomaly> {
        self.anomalies.iter().filter(|one| one.kind != AnomalyKind::Warning).collect()
    }
}
