//! What the hierarchy shows of its agents.

use gimbal_agent::family::place_by_message;
use gimbal_agent::shown::ShownEnvironment;
use gimbal_agent::{Answer, Assignment, Family, Persona, Placed, Team};
use gimbal_core::{ArchitectureKind, BuildError, Files};
use gimbal_messages::Message;
use gimbal_messages::records::temporal::LAYERS;
use gimbal_temporal::Layer;
use serde_json::{Value, json};

use super::{Layers, Temporal, TemporalKind, messages, resolve};

impl Family for TemporalKind {
    fn answers(&self) -> Vec<Answer> {
        vec![
            Answer::new("reflex", &messages::REFLEX_ACTION),
            Answer::new("tactical", &messages::TACTICAL_ACTION),
            Answer::new("strategic", &messages::PLAN),
            Answer::new("institutional", &messages::POLICY),
            Answer::new("reflex", &messages::REMARK),
        ]
    }

    fn team(&self, settings: &Value, files: &dyn Files) -> Result<Team, BuildError> {
        let Temporal { layers, .. } = resolve::resolve(self.name(), settings, files)?;
        Ok(match layers {
            Layers::One(react) => {
                let (agent, context) = (*react).into_agent();
                Team::new([(Layer::Reflex.name(), agent)], context)
            }
            Layers::Several(agents) => {
                let context = agents.first().map(|one| one.context.clone()).unwrap_or_default();
                Team::new(agents.into_iter().map(|one| (one.layer.name(), one.agent)), context)
            }
        })
    }

    fn place_of(&self, persona: &Persona) -> Option<&'static str> {
        // Several personas answer with one message: each takes the place that it is named after.
        let place = place_by_message(&self.answers(), persona)?;
        Some(LAYERS.into_iter().find(|place| persona.name.starts_with(place)).unwrap_or(place))
    }

    fn asked(&self, placed: &Placed, shown: &ShownEnvironment) -> Option<Assignment> {
        // Several layers answer with one message: each is asked something else.
        let layer = Layer::ALL.into_iter().find(|layer| layer.name() == placed.place)?;
        let message = placed.agent.message()?;
        Some(Assignment::new("", &messages::example(layer, message.name() != messages::REMARK.name(), &shown.brief)))
    }

    fn showing(&self, place: &str, persona: &str) -> Value {
        let free = persona.ends_with("-free");
        let mut settings = json!({ "layers": 5, "contracts": !free });
        settings[place] = json!({ "persona": persona });
        settings
    }

    fn audited(&self) -> Vec<Value> {
        vec![json!({ "layers": 5 }), json!({ "layers": 5, "contracts": false })]
    }
}
