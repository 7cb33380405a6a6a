//! What the architecture shows of its agents.

use gimbal_core::{BuildError, Files};
use gimbal_messages::party;
use serde_json::{Value, json};

use super::{TemporalKind, agents, messages, showing};
use crate::family::{Answer, Family, Placed, answer};

impl Family for TemporalKind {
    fn answers(&self) -> Vec<Answer> {
        vec![
            answer("reflex", &messages::REFLEX_ACTION),
            answer("tactical", &messages::TACTICAL_ACTION),
            answer("strategic", &messages::PLAN),
            answer("institutional", &messages::POLICY),
            answer("reflex", &messages::REMARK),
        ]
    }

    fn agents(&self, settings: &Value, files: &dyn Files) -> Result<(Vec<Placed>, Vec<String>), BuildError> {
        agents(settings, files)
    }

    fn place(&self, place: &'static str, persona: &str) -> &'static str {
        // Several personas answer with one message: each takes the place that it is named after.
        party::LAYERS.into_iter().find(|place| persona.starts_with(place)).unwrap_or(place)
    }

    fn showing(&self, place: &str, persona: &str) -> Value {
        showing(place, persona)
    }

    fn audited(&self) -> Vec<Value> {
        vec![json!({ "layers": 5 }), json!({ "layers": 5, "contracts": false })]
    }
}
