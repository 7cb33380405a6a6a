//! The agents of a debate for whoever wants to see their prompts without playing.

use gimbal_core::{ArchitectureKind, BuildError, Files};
use serde_json::{Value, json};

use super::{DebateKind, Oracle, Telling, resolve};
use crate::family::Placed;

/// The agents of a setting of `debate` by their places, and their context blocks, for whoever wants to see their prompts without playing.
///
/// # Errors
/// Which key or file is wrong, and what would be right.
pub fn agents(settings: &Value, files: &dyn Files) -> Result<(Vec<Placed>, Vec<String>), BuildError> {
    let debate = resolve::resolve(DebateKind.name(), settings, files)?;
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
    if let Telling::Model(agent) = debate.telling {
        all.push(("narrator_agent", agent));
    }
    Ok((all, debate.context))
}

/// Settings under which an agent is in this place with this persona, for whoever wants to see its prompt.
#[must_use]
pub fn showing(place: &str, persona: &str) -> Value {
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
