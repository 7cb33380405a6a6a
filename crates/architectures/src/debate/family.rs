//! What a debate shows of its agents.

use gimbal_agent::{Answer, Family, Team};
use gimbal_core::{ArchitectureKind, BuildError, Files};
use serde_json::{Value, json};

use super::{DebateKind, Narrator, Oracle, messages, resolve};

impl Family for DebateKind {
    fn answers(&self) -> Vec<Answer> {
        vec![
            Answer::new("architect", &messages::POSITION),
            Answer::new("architect_anchored", &messages::ANCHORED_POSITION),
            Answer::new("auditor", &messages::AUDIT),
            Answer::new("oracle_agent", &messages::ESTIMATE),
            Answer::new("narrator_agent", &messages::NARRATION),
        ]
    }

    fn shows_blocks_to_all(&self) -> bool {
        true
    }

    fn team(&self, settings: &Value, files: &dyn Files) -> Result<Team, BuildError> {
        let debate = resolve::resolve(self.name(), settings, files)?;
        let mut all = Vec::new();
        let [architect, skeptic] = debate.sides;
        for (place, anchored, speaker) in
            [("architect", "architect_anchored", architect), ("skeptic", "skeptic_anchored", skeptic)]
        {
            all.extend(speaker.agent.map(|agent| (place, agent)));
            all.extend(speaker.anchored.map(|agent| (anchored, agent)));
        }
        all.extend(debate.auditors.into_iter().flatten().map(|agent| ("auditor", agent)));
        all.extend(debate.oracle.map(|agent| ("oracle_agent", agent)));
        if let Oracle::Model(agent) = debate.active {
            all.push(("challenger", agent));
        }
        if let Narrator::Model(agent) = debate.narrator {
            all.push(("narrator_agent", agent));
        }
        Ok(Team::new(all, debate.context))
    }

    fn showing(&self, place: &str, persona: &str) -> Value {
        let member = json!({ "persona": persona });
        match place {
            "architect_anchored" => {
                let plain = persona.strip_suffix(resolve::ANCHORED).unwrap_or(persona);
                json!({ "anchored": true, "architect": { "persona": plain } })
            }
            "auditor" => json!({ "rounds": 1, "judge": "claims", "audit": true, "auditor": member }),
            "oracle_agent" => json!({ "gate": { "certainty": "oracle" }, "oracle_agent": member }),
            "narrator_agent" => json!({ "narrator": "model", "narrator_agent": member }),
            place => json!({ place: member }),
        }
    }

    fn audited(&self) -> Vec<Value> {
        vec![json!({ "narrator": "model" })]
    }
}
