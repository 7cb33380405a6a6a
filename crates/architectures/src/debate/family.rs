//! What a debate shows of its agents.

use gimbal_agent::family::place_by_message;
use gimbal_agent::shown::ShownEnvironment;
use gimbal_agent::{Answer, Assignment, Family, Persona, Placed, Team};
use gimbal_core::{ArchitectureKind, BuildError, Files, Milli};
use gimbal_evidence::FactId;
use gimbal_evidence::claim::{Assertion, AssertionKind, Predicate};
use gimbal_evidence::rules::Position;
use serde_json::{Value, json};

use super::side::Role;
use super::{DebateKind, Narrator, Oracle, messages, oracle, resolve};

/// The place of the agent that attacks the surer side. It answers with the message of the sides, and is told something else.
const CHALLENGER: &str = "challenger";

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
            all.push((CHALLENGER, agent));
        }
        if let Narrator::Model(agent) = debate.narrator {
            all.push(("narrator_agent", agent));
        }
        Ok(Team::new(all, debate.context))
    }

    fn place_of(&self, persona: &Persona) -> Option<&'static str> {
        let attacks = persona.name.starts_with(CHALLENGER).then_some(CHALLENGER);
        attacks.or_else(|| place_by_message(&self.answers(), persona))
    }

    fn asked(&self, placed: &Placed, shown: &ShownEnvironment) -> Option<Assignment> {
        if placed.place != CHALLENGER {
            return Assignment::by_message(&placed.agent, shown);
        }
        let position = example();
        let cited = position.cited().into_iter().collect();
        Some(Assignment::new("", &oracle::attack(Role::Architect, &position, &cited)))
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
            CHALLENGER => json!({ "active_oracle": "model", CHALLENGER: member }),
            "narrator_agent" => json!({ "narrator": "model", "narrator_agent": member }),
            place => json!({ place: member }),
        }
    }

    fn audited(&self) -> Vec<Value> {
        vec![json!({ "narrator": "model" })]
    }
}

/// A position of one claim.
fn example() -> Position {
    let assertion = Assertion {
        kind: AssertionKind::Assert,
        predicate: Predicate::SameActor,
        facts: vec![FactId::at(0)],
        confidence: Milli(800),
        interpretation: "(what the side takes it for)".to_owned(),
    };
    Position { assertions: vec![assertion], confidence: Milli(800), unknowns: Vec::new(), techniques: Vec::new() }
}
