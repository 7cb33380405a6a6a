//! Settings of `lats`.

use gimbal_agent::Overrides;
use gimbal_core::{BuildError, Files};
use schemars::JsonSchema;
use serde::{Deserialize, Serialize};
use serde_json::Value;

use super::Lats;
use super::messages::{APPRAISAL, PROPOSALS, Reading};
use super::tree::Weights;
use crate::shared::member::{Member, Place};
use crate::shared::reflector::{Bounds, Reflector};

/// Settings of `lats`. What is left out is as the personas say.
#[derive(Debug, Deserialize, JsonSchema)]
#[serde(default)]
pub struct Settings {
    /// Name of a setting in `personas/configurations.yaml` to start from; every other key overrides it.
    pub configuration: Option<String>,
    /// Actions that are proposed at a node.
    #[schemars(range(min = 1, max = 16))]
    pub width: u32,
    /// Most simulated steps from the present.
    #[schemars(range(min = 1, max = 64))]
    pub depth: u32,
    /// Most nodes that are expanded for one real step, the present included.
    #[schemars(range(min = 1, max = 256))]
    pub iterations: u32,
    /// Most answers of models for one real step: proposals, values and reflections. A repair of an answer is not counted. With the number that
    /// another architecture takes for a step, both play with as many.
    #[schemars(range(min = 1, max = 1024))]
    pub answers: Option<u32>,
    /// Weight of rarely visited nodes in the choice of the next one to expand (UCT).
    #[schemars(range(min = 0.0, max = 100.0))]
    pub exploration: f64,
    /// Share of the model's value in what a node is worth; the rest is the simulated return.
    #[schemars(range(min = 0.0, max = 1.0))]
    pub value_weight: f64,
    /// Whether the proposals at a node are one answer or one each.
    pub proposals: Batching,
    /// Whether the children of a node are valued in one answer or one each.
    pub values: Batching,
    /// Most reflections on failed paths for one real step; 0 for none.
    #[schemars(range(min = 0, max = 16))]
    pub reflections: u32,
    /// Reflections of the episode that are in later requests: the latest ones.
    #[schemars(range(min = 1, max = 32))]
    pub kept: u32,
    /// Context blocks of proposer and valuer; those of each persona where it is left out.
    pub context: Option<Vec<String>>,
    /// Persona and role of the proposer.
    pub proposer: Member,
    /// Persona and role of the valuer.
    pub valuer: Member,
    /// Persona and role of the reflector.
    pub reflector: Member,
    /// Overrides of all personas.
    #[serde(flatten)]
    pub agent: Overrides,
}

/// How several things are asked for.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Deserialize, Serialize, JsonSchema)]
#[serde(rename_all = "snake_case")]
#[schemars(rename = "Asked")]
pub enum Batching {
    /// In one answer.
    #[default]
    Together,
    /// In one answer each.
    Apart,
}

impl Default for Settings {
    fn default() -> Self {
        Self {
            configuration: None,
            width: 3,
            depth: 3,
            iterations: 3,
            answers: None,
            exploration: 1.0,
            value_weight: 0.5,
            proposals: Batching::default(),
            values: Batching::default(),
            reflections: 0,
            kept: 3,
            context: None,
            proposer: Member::default(),
            valuer: Member::default(),
            reflector: Member::default(),
            agent: Overrides::default(),
        }
    }
}

/// How much a reflection on a failed path holds, and is shown, in tokens.
const REFLECTION: Bounds = Bounds { reflection: 128, steps: 2_000 };

/// The search that the settings describe.
pub(super) fn resolve(name: &str, settings: &Value, files: &dyn Files) -> Result<Lats, BuildError> {
    let settings: Settings = crate::shared::configuration::read(name, settings, files)?;
    let wrong = |key: &str, words: String| BuildError::new(format!("{name}: {words}")).at(key);
    let whole = |key: &str, found: u32, (least, most): (u32, u32)| {
        let fits = (least..=most).contains(&found);
        let words = format!("{key} is {found}; it must be from {least} to {most}");
        if fits { Ok(found) } else { Err(wrong(key, words)) }
    };
    let share = |key: &str, found: f64, most: f64| {
        let words = format!("{key} is {found}; it must be from 0 to {most}");
        if (0.0..=most).contains(&found) { Ok(found) } else { Err(wrong(key, words)) }
    };
    let width = whole("width", settings.width, (1, 16))?;
    let depth = whole("depth", settings.depth, (1, 64))?;
    let iterations = whole("iterations", settings.iterations, (1, 256))?;
    let answers = settings.answers.map(|answers| whole("answers", answers, (1, 1_024))).transpose()?;
    let reflections = whole("reflections", settings.reflections, (0, 16))?;
    let kept = whole("kept", settings.kept, (1, 32))?;
    let weights = Weights {
        exploration: share("exploration", settings.exploration, 100.0)?,
        value: share("value_weight", settings.value_weight, 1.0)?,
    };
    let common = &settings.agent;
    let proposer = Place { name: "proposer", persona: "proposer", message: Some(&PROPOSALS), delegates: &[] };
    let proposer = proposer.agent(name, (&settings.proposer, common), files)?;
    let valuer = Place { name: "valuer", persona: "valuer", message: Some(&APPRAISAL), delegates: &[] };
    let valuer = valuer.agent(name, (&settings.valuer, common), files)?;
    let reflector = match reflections {
        0 => None,
        _ => Some(Reflector::of(name, REFLECTION, (&settings.reflector, common), files)?),
    };
    let proposer_context = crate::shared::settings::context(name, proposer.persona(), settings.context.clone())?;
    let valuer_context = crate::shared::settings::context(name, valuer.persona(), settings.context)?;
    let reading = Reading::new().map_err(|error| wrong("", error.to_string()))?;
    Ok(Lats {
        proposer,
        valuer,
        reflector,
        contexts: [proposer_context, valuer_context],
        width: width as usize,
        depth,
        iterations,
        answers,
        weights,
        proposals: settings.proposals,
        values: settings.values,
        reflections,
        kept: kept as usize,
        reading,
    })
}
