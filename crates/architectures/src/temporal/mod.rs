//! The temporal hierarchy: layers on time scales, held together by contracts, authority and an arbiter, or by nothing (CTHA).
//!
//! In every step the slowest layer that is due is asked first. Institutional sets a **policy** when a trial begins, Strategic makes a **plan** when
//! it is due to, Tactical orders the next actions at every third step, Reflex wants one action now. What policies and plans exclude binds
//! faster layers as commitments; the next call of Tactical and the call of Reflex are proposals. The **arbiter** makes one call of them.
//! What the layers know of the environment is its brief: what calls use and bring about is in its manifest.
//!
//! Without `contracts`, `authority` and an arbiter the same layers write free text to one another, and the last action written is carried out. The
//! same detectors watch both.
//!
//! With one layer it is [`react`](crate::react): the same requests, calls and tokens (CTHA-009).
//!
//! Rules, contracts and mathematics are in `gimbal-temporal`; its records are in [`gimbal_messages::records::temporal`].

mod allowed;
mod answer;
mod arbiters;
mod asking;
mod channel;
mod checks;
mod deciding;
mod directing;
mod expert;
mod family;
mod forms;
mod free;
mod held;
mod labelling;
mod maps;
pub mod messages;
mod notes;
mod past;
mod playing;
mod resolve;
mod safe_default;
mod sending;
mod settings;
mod side_by_side;
mod state;
mod turn;
mod wanting;
mod words;

use std::sync::Arc;

use async_trait::async_trait;
use gimbal_agent::Agent;
use gimbal_core::{Architecture, ArchitectureKind, BuildError, EpisodeStopped, Files, Milli, Needs, RecordKind, Stage};
use gimbal_messages::party;
use gimbal_messages::records::{engine, gate, reading, temporal as records};
use gimbal_temporal::Layer;
use gimbal_temporal::arbiter::Arbiter;
use serde_json::{Value, json};

use messages::Reading;

pub use channel::MapKind;
pub use settings::{ArbiterKind, DirectiveKind, Experts, Rollouts, RuleWeights, Settings, Temperatures, TieRule};

/// Number of the behaviour: raised whenever the same settings and replies may lead to other messages or calls.
const BEHAVIOUR: u32 = 8;
/// Number of the behaviour of one layer, which is `react`'s.
const ALONE: u32 = 3;

/// The family `temporal`.
#[derive(Debug)]
pub struct TemporalKind;

impl ArchitectureKind for TemporalKind {
    fn name(&self) -> &'static str {
        "temporal"
    }

    fn schema(&self) -> Value {
        crate::shared::settings::schema::<Settings>()
    }

    fn build(&self, settings: &Value, files: &dyn Files) -> Result<Arc<dyn Architecture>, BuildError> {
        Ok(Arc::new(resolve::resolve(self.name(), settings, files)?))
    }

    fn records(&self) -> Vec<RecordKind> {
        let labelled = [gimbal_messages::kind::<gimbal_temporal::rollout::LayerLabelled>()];
        // One layer is `react`, which may have a gate.
        [engine::KINDS, reading::KINDS, records::KINDS, gate::KINDS, &labelled].concat()
    }

    fn tell_message(&self, form: &str, message: &str, _whole: bool) -> Option<String> {
        words::message(form, message)
    }

    fn parties(&self) -> &'static [&'static str] {
        // Beside the layers: all of them at once, and the gate of `react` where there is one layer.
        const {
            &[
                party::ALL,
                party::GATE,
                records::LAYERS[0],
                records::LAYERS[1],
                records::LAYERS[2],
                records::LAYERS[3],
                records::LAYERS[4],
            ]
        }
    }
}

/// A layer with its agent.
struct LayerAgent {
    layer: Layer,
    agent: Agent,
    context: Vec<String>,
    /// Its own temperature; that of its role where there is none.
    temperature: Option<Milli>,
}

enum Layers {
    /// One layer plays as `react` does.
    One(Box<crate::react::React>),
    /// The fastest first.
    Several(Vec<LayerAgent>),
}

/// The layers and how they are held together.
struct Temporal {
    layers: Layers,
    contracts: bool,
    authority: bool,
    kind: ArbiterKind,
    arbiter: Arbiter,
    directives: DirectiveKind,
    weights: Option<RuleWeights>,
    experts: Option<Experts>,
    maps: MapKind,
    tactical_period: u32,
    parallel: bool,
    cache: bool,
    /// The embedder of Strategic's notes.
    embedder: Option<String>,
    rollouts: Option<Rollouts>,
    reading: Reading,
}

impl Temporal {
    /// The layers, the fastest first.
    fn layers(&self) -> &'static [Layer] {
        match &self.layers {
            Layers::One(_) => Layer::of_count(1),
            Layers::Several(agents) => Layer::of_count(agents.len()),
        }
    }

    fn agent_of(&self, layer: Layer) -> Option<&LayerAgent> {
        match &self.layers {
            Layers::One(_) => None,
            Layers::Several(agents) => agents.iter().find(|one| one.layer == layer),
        }
    }

    /// The next faster layer that there is.
    fn faster(&self, layer: Layer) -> Option<Layer> {
        self.layers().iter().copied().filter(|other| *other < layer).max()
    }

    /// The next slower layer that there is.
    fn slower(&self, layer: Layer) -> Option<Layer> {
        self.layers().iter().copied().filter(|other| *other > layer).min()
    }
}

#[async_trait]
impl Architecture for Temporal {
    fn needs(&self) -> Needs {
        let agents = match &self.layers {
            Layers::One(react) => return react.needs(),
            Layers::Several(agents) => agents,
        };
        let mut needs = Needs { messages: true, simulator: self.rollouts.is_some(), ..Needs::default() };
        let policies = |rollouts: &Rollouts| [Some(rollouts.policy.clone()), rollouts.second.clone()];
        needs.policies.extend(self.rollouts.iter().flat_map(policies).flatten());
        if self.kind == ArbiterKind::Learned {
            needs.artefacts.push(resolve::weights());
        }
        needs.embedders.extend(self.embedder.clone());
        for one in agents {
            needs.blocks.extend(one.context.iter().cloned());
            needs.add_agent(one.agent.needs());
        }
        for list in [&mut needs.blocks, &mut needs.roles] {
            list.sort();
            list.dedup();
        }
        needs.grammars.sort();
        needs.grammars.dedup();
        needs
    }

    fn resolved(&self) -> Value {
        let agents = match &self.layers {
            Layers::One(react) => {
                return json!({ "architecture": "temporal", "behaviour": ALONE, "alone": react.resolved() });
            }
            Layers::Several(agents) => agents,
        };
        let resolved = |one: &LayerAgent| {
            json!({
                "layer": one.layer.name(),
                "agent": one.agent.resolved(),
                "context": one.context,
                "temperature": one.temperature,
                "max_output_tokens": one.layer.spec().max_tokens,
            })
        };
        let mut resolved = json!({
            "architecture": "temporal",
            "behaviour": BEHAVIOUR,
            "layers": agents.iter().map(resolved).collect::<Vec<_>>(),
            "contracts": self.contracts,
            "authority": self.authority,
            "arbiter": self.kind.name(),
            "rollouts": self.rollouts,
            "tactical_period": self.tactical_period,
            "parallel": self.parallel,
            "cache": self.cache,
        });
        // Named where they are set alone, so that the keys of all other settings are as they were.
        if self.proposes_directives() {
            resolved["directives"] = json!("proposed");
        }
        if let Some(weights) = self.weights {
            resolved["weights"] = json!(weights);
        }
        if let Some(experts) = self.experts {
            resolved["experts"] = json!(experts);
        }
        if self.embedder.as_deref() != Some(settings::HASHED) {
            resolved["embedder"] = json!(self.embedder.as_deref().unwrap_or(settings::NONE));
        }
        if let Some(kind) = self.maps.kind() {
            resolved["maps"] = json!(kind.name());
        }
        resolved
    }

    async fn play(&self, stage: &dyn Stage) -> Result<(), EpisodeStopped> {
        match &self.layers {
            Layers::One(react) => react.play(stage).await,
            Layers::Several(_) => self.play_layers(stage).await,
        }
    }
}
