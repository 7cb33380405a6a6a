//! Settings of `reflexion`: those of `react`, and how much is reflected on and kept.

use gimbal_core::{BuildError, Files};
use schemars::JsonSchema;
use serde::Deserialize;
use serde_json::Value;

use super::Reflexion;
use crate::react;
use crate::shared::member::Member;
use crate::shared::reflector::{Bounds, Reflector};

/// Settings of `reflexion`. All settings of `react` are settings of its agent.
#[derive(Debug, Deserialize, JsonSchema)]
#[serde(default)]
pub struct Settings {
    /// Reflections that are in later prompts: the latest ones.
    #[schemars(range(min = 1, max = 32))]
    pub kept: u32,
    /// Most tokens of a reflection.
    #[schemars(range(min = 16, max = 2048))]
    pub reflection_tokens: u64,
    /// Most tokens of the steps that the reflector is shown of a trial: the latest ones.
    #[schemars(range(min = 64, max = 100_000))]
    pub trajectory_tokens: u64,
    /// Persona and role of the reflector.
    pub reflector: Member,
    /// Its agent.
    #[serde(flatten)]
    pub agent: react::Settings,
}

impl Default for Settings {
    fn default() -> Self {
        Self {
            kept: 3,
            reflection_tokens: 128,
            trajectory_tokens: 2_000,
            reflector: Member::default(),
            agent: react::Settings::default(),
        }
    }
}

/// Keys that `react` does not know.
const OWN: [&str; 5] = ["kept", "reflection_tokens", "trajectory_tokens", "reflector", "configuration"];

/// The architecture that the settings describe.
pub(super) fn resolve(name: &str, settings: &Value, files: &dyn Files) -> Result<Reflexion, BuildError> {
    let (settings, mut whole): (Settings, Value) = crate::shared::configuration::read_whole(name, settings, files)?;
    let Settings { kept, reflection_tokens, trajectory_tokens, reflector, agent } = settings;
    let within = |key: &str, found: u64, (least, most): (u64, u64)| {
        if (least..=most).contains(&found) {
            return Ok(found);
        }
        let words = format!("{name}: {key} is {found}; it must be from {least} to {most}");
        Err(BuildError::new(words).at(key))
    };
    let kept = within("kept", u64::from(kept), (1, 32))?;
    let bounds = Bounds {
        reflection: within("reflection_tokens", reflection_tokens, (16, 2_048))?,
        steps: within("trajectory_tokens", trajectory_tokens, (64, 100_000))?,
    };
    if let Some(members) = whole.as_object_mut() {
        members.retain(|key, _| !OWN.contains(&key.as_str()));
    }
    let react = react::resolve(name, &whole, files)?;
    let reflector = Reflector::of(name, bounds, (&reflector, &agent.agent), files)?;
    Ok(Reflexion { react, reflector, kept: usize::try_from(kept).unwrap_or(usize::MAX) })
}
