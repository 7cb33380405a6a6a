//! What a panel shows of its agents.

use gimbal_agent::{Answer, Family, Team};
use gimbal_core::{ArchitectureKind, BuildError, Files};
use serde_json::{Value, json};

use super::{PanelKind, messages, resolve};

/// Place of a member who gives an opinion.
const PANELIST: &str = "panelist";
/// Place of a member who plays by ballots.
const PARTICIPANT: &str = "participant";

impl Family for PanelKind {
    fn answers(&self) -> Vec<Answer> {
        vec![Answer::new(PANELIST, &messages::OPINION), Answer::new(PARTICIPANT, &messages::BALLOT)]
    }

    fn shows_blocks_to_all(&self) -> bool {
        true
    }

    fn team(&self, settings: &Value, files: &dyn Files) -> Result<Team, BuildError> {
        resolve::strict_members(self.name(), settings)?;
        let panel = resolve::resolve(self.name(), settings, files)?;
        let place = if panel.rounds { PARTICIPANT } else { PANELIST };
        Ok(Team::new(panel.members.into_iter().map(|(_, agent)| (place, agent)), panel.context))
    }

    fn showing(&self, place: &str, persona: &str) -> Value {
        json!({ "rounds": place == PARTICIPANT, "members": [{ "persona": persona }] })
    }

    fn audited(&self) -> Vec<Value> {
        vec![json!({ "size": 1 })]
    }
}
