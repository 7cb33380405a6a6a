//! Summaries as plain code reads them (Tab. 29; CTHA-047).

use std::collections::BTreeSet;

use gimbal_core::Milli;
use gimbal_messages::{numbers, typed};
use serde::de::Error;
use serde::{Deserialize, Deserializer, Serialize};
use serde_json::{Value, json};

use super::kind::{NO_DATA, number};
use crate::Layer;

/// What happened, for the next slower layer.
#[derive(Clone, Debug, PartialEq, Eq, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Summary {
    /// The layer that reports.
    #[serde(rename = "layer_id", deserialize_with = "layer")]
    pub layer: Layer,
    /// Time of the session: the number of the step.
    #[serde(deserialize_with = "numbers::milli")]
    pub timestamp: Milli,
    /// The state in short.
    pub state_digest: String,
    /// What was seen.
    #[serde(default)]
    pub observations: Vec<String>,
    /// What went wrong.
    #[serde(default)]
    pub anomalies: Vec<Anomaly>,
    /// What was used.
    #[serde(default)]
    pub resources: Option<Resources>,
}

/// Something that went wrong.
#[derive(Clone, Debug, PartialEq, Eq, PartialOrd, Ord, Deserialize)]
pub struct Anomaly {
    /// Of which kind.
    #[serde(rename = "type", default)]
    pub kind: AnomalyKind,
    /// In words; empty where the message has none.
    #[serde(default)]
    pub description: String,
}

/// Kinds of anomaly; one that a message does not name is `unexpected`.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, PartialOrd, Ord, Hash, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum AnomalyKind {
    /// Something failed.
    Error,
    /// Something may fail.
    Warning,
    /// Something was not foreseen.
    #[default]
    Unexpected,
}

impl AnomalyKind {
    /// Its name in messages.
    #[must_use]
    pub const fn name(self) -> &'static str {
        match self {
            Self::Error => "error",
            Self::Warning => "warning",
            Self::Unexpected => "unexpected",
        }
    }
}

/// What was used.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Deserialize)]
pub struct Resources {
    /// Tokens; 0 where the message has none.
    #[serde(default, deserialize_with = "count")]
    pub tokens_used: u64,
    /// Model calls; 0 where the message has none.
    #[serde(default, deserialize_with = "count")]
    pub api_calls: u64,
    /// Time; `None` where nobody measured it.
    #[serde(default, deserialize_with = "numbers::milli_or_none")]
    pub elapsed_seconds: Option<Milli>,
}

/// The layer of this number.
fn layer<'de, D: Deserializer<'de>>(from: D) -> Result<Layer, D::Error> {
    let number = numbers::whole(from)?;
    let layer = Layer::ALL.into_iter().find(|one| i64::try_from(one.number()) == Ok(number));
    layer.ok_or_else(|| D::Error::custom(format!("there is no layer {number}")))
}

/// How many; the schema sets no lower bound.
fn count<'de, D: Deserializer<'de>>(from: D) -> Result<u64, D::Error> {
    numbers::whole(from).map(|number| u64::try_from(number).unwrap_or(0))
}

impl Summary {
    /// A summary that follows its contract, as plain code reads it.
    ///
    /// # Errors
    /// When it does not follow it: the place, what was found and what was expected.
    pub fn read(value: &Value) -> Result<Self, String> {
        typed(value.clone())
    }

    /// The summary of [`super::Kind::default`]: it reports nothing.
    #[must_use]
    pub fn nothing(sender: Layer, now: Milli) -> Self {
        // Summaries have a layer from 1 to 4; Meta sends none.
        let layer = if sender == Layer::Meta { Layer::Institutional } else { sender };
        let state_digest = NO_DATA.to_owned();
        Self { layer, timestamp: now, state_digest, observations: Vec::new(), anomalies: Vec::new(), resources: None }
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
            if let Some(elapsed) = used.elapsed_seconds {
                value["resources"]["elapsed_seconds"] = number(elapsed);
            }
        }
        value
    }

    /// The anomalies that call for a plan: errors and what was not foreseen (Sec. 5.7; CTHA-098). Each once, in order.
    #[must_use]
    pub fn alarms(&self) -> BTreeSet<&Anomaly> {
        self.anomalies.iter().filter(|one| one.kind != AnomalyKind::Warning).collect()
    }
}
