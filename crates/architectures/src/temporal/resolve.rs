//! The hierarchy that settings describe, and combinations that mean nothing.

use gimbal_agent::Agent;
use gimbal_core::fit::ArtefactNeed;
use gimbal_core::{BuildError, Files, Milli};
use gimbal_temporal::Layer;
use serde_json::{Value, json};

use super::labelling::WEIGHTS;
use super::messages::{self, Reading};
use super::settings::{ArbiterKind, DirectiveKind, HASHED, NONE, Settings, Temperatures};
use super::{LayerAgent, Layers, Temporal, arbiters};
use crate::shared::member::{Member, Place};

/// The persona of a layer without contracts has this behind its name.
const FREE: &str = "-free";

/// The hierarchy that the settings describe.
pub(super) fn resolve(name: &str, settings: &Value, files: &dyn Files) -> Result<Temporal, BuildError> {
    let settings: Settings = crate::shared::configuration::read(name, settings, files)?;
    let wrong = |key: &str, words: String| BuildError::new(format!("{name}: {words}")).at(key);
    let count = usize::try_from(settings.layers).unwrap_or(usize::MAX);
    let kinds = Layer::of_count(count);
    if kinds.is_empty() {
        return Err(wrong("layers", format!("a hierarchy has 1 to 5 layers, and this one has {}", settings.layers)));
    }
    if !(1..=1_000).contains(&settings.tactical_period) {
        let words =
            format!("Tactical is asked at every so many steps, 1 to 1000; here are {}", settings.tactical_period);
        return Err(wrong("tactical_period", words));
    }
    if settings.arbiter == ArbiterKind::Rollout && settings.rollouts.is_none() {
        let words = "the arbiter `rollout` goes by rollouts: say how they are played out under `rollouts`";
        return Err(wrong("rollouts", words.to_owned()));
    }
    if let Some(rollouts) = &settings.rollouts {
        if !(1..=1_024).contains(&rollouts.futures) || !(2..=256).contains(&rollouts.ways) {
            let words =
                format!("1 to 1024 futures and 2 to 256 ways; here are {} and {}", rollouts.futures, rollouts.ways);
            return Err(wrong("rollouts", words));
        }
        if rollouts.steps == Some(0) {
            return Err(wrong("rollouts", "`steps` counts the call's own: at least 1, or leave it out".to_owned()));
        }
    }
    let by_score = matches!(settings.arbiter, ArbiterKind::Greedy | ArbiterKind::Literal | ArbiterKind::Published);
    if settings.weights.is_some() && !by_score {
        let words = format!(
            "the arbiter `{}` does not go by the score; take `greedy`, `literal` or `published`, or leave `weights` out",
            settings.arbiter.name()
        );
        return Err(wrong("weights", words));
    }
    if let Some(experts) = settings.experts.filter(|experts| experts.overconfident > 1_000) {
        let words = format!("`overconfident` is a share in thousandths, 0 to 1000; it is {}", experts.overconfident);
        return Err(wrong("experts", words));
    }
    if settings.directives == DirectiveKind::Proposed && (!settings.contracts || settings.arbiter == ArbiterKind::Last)
    {
        let words = "directives are proposed to an arbiter, under contracts: leave `directives` out, or have both";
        return Err(wrong("directives", words.to_owned()));
    }
    if count == 1 && settings.directives == DirectiveKind::Proposed {
        return Err(wrong("layers", "one layer directs nobody: leave `directives` out".to_owned()));
    }
    if count == 1 && (settings.weights.is_some() || settings.experts.is_some()) {
        return Err(wrong("layers", "one layer has no arbiter: leave `weights` and `experts` out".to_owned()));
    }
    if count == 1 && (settings.rollouts.is_some() || settings.arbiter == ArbiterKind::Learned) {
        return Err(wrong(
            "layers",
            "one layer has no conflicts: leave `rollouts` and the learned arbiter out".to_owned(),
        ));
    }
    if count == 1 && settings.maps.kind().is_some() {
        return Err(wrong(
            "maps",
            "one layer has nobody to share with: leave `maps` out, or take more layers".to_owned(),
        ));
    }
    if count == 1 && settings.embedder != HASHED {
        return Err(wrong("embedder", "one layer has no notes to find: leave `embedder` out".to_owned()));
    }
    let reading = Reading::new().map_err(|error| wrong("", error.to_string()))?;
    let layers = if count == 1 {
        let Settings { reflex, context, agent, .. } = &settings;
        Layers::One(Box::new(alone(name, reflex, context.as_ref(), agent, files)?))
    } else {
        let mut agents = Vec::with_capacity(count);
        for layer in kinds.iter().copied() {
            agents.push(layer_agent(name, layer, &settings, files)?);
        }
        Layers::Several(agents)
    };
    let kind = settings.arbiter;
    Ok(Temporal {
        layers,
        contracts: settings.contracts,
        authority: settings.authority,
        kind,
        arbiter: arbiters::arbiter(kind, settings.authority, settings.weights),
        directives: settings.directives,
        weights: settings.weights,
        experts: settings.experts,
        maps: settings.maps,
        tactical_period: settings.tactical_period,
        parallel: settings.parallel,
        cache: settings.cache,
        embedder: Some(settings.embedder).filter(|name| name != NONE && kinds.contains(&Layer::Strategic)),
        rollouts: settings.rollouts,
        reading,
    })
}

/// One layer is `react` (CTHA-009).
fn alone(
    name: &str,
    reflex: &Member,
    context: Option<&Vec<String>>,
    common: &gimbal_agent::Overrides,
    files: &dyn Files,
) -> Result<crate::react::React, BuildError> {
    let mut settings = serde_json::to_value(common.with(&reflex.agent)).unwrap_or_else(|_| json!({}));
    if let Some(settings) = settings.as_object_mut() {
        settings.retain(|_, value| !value.is_null());
        if let Some(persona) = &reflex.persona {
            settings.insert("persona".to_owned(), json!(persona));
        }
        settings.insert("role".to_owned(), json!(reflex.role.as_deref().unwrap_or("reflex")));
        if let Some(context) = context {
            settings.insert("context".to_owned(), json!(context));
        }
    }
    crate::react::resolve(name, &settings, files)
}

fn layer_agent(name: &str, layer: Layer, settings: &Settings, files: &dyn Files) -> Result<LayerAgent, BuildError> {
    let member = match layer {
        Layer::Reflex => &settings.reflex,
        Layer::Tactical => &settings.tactical,
        Layer::Strategic => &settings.strategic,
        Layer::Institutional => &settings.institutional,
        Layer::Meta => &settings.meta,
    };
    let free = if settings.contracts { "" } else { FREE };
    let persona = format!("{}{free}", layer.name());
    let message = if settings.contracts { messages::of(layer) } else { &messages::REMARK };
    let place = Place { name: layer.name(), persona: &persona, message: Some(message), delegates: &[] };
    let agent: Agent = place.agent(name, (member, &settings.agent), files)?;
    let temperature = match settings.temperatures {
        Temperatures::Roles => None,
        Temperatures::Published => Some(layer.spec().temperature),
        Temperatures::Zero => Some(Milli::ZERO),
    };
    let agent = agent.sampled(temperature, Some(layer.spec().max_tokens));
    // The study names the blocks of those who act; planners and policies need no others than their own.
    let named = settings.context.clone().filter(|_| layer <= Layer::Tactical);
    let context = crate::shared::settings::context(name, agent.persona(), named)?;
    Ok(LayerAgent { layer, agent, context, temperature })
}

/// The weights of a learned arbiter, as an artefact.
pub(super) fn weights() -> ArtefactNeed {
    ArtefactNeed::required(WEIGHTS).scorer()
}
