//! The options of the environment: the arms of a study.

use std::sync::LazyLock;

use gimbal_core::EnvError;
use gimbal_env_kit::options::{Field, Options};
use serde::{Deserialize, Serialize};
use serde_json::Value;

use crate::game::Strategy;

/// The options, every default written out.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct Settings {
    /// Agents, from 3 to 16.
    pub agents: usize,
    /// Those of them that do not follow the rules: at most a third.
    pub adversaries: usize,
    /// What these do.
    pub strategy: Strategy,
    /// Whether agents are told that there may be some.
    pub mentioned: bool,
    /// Most rounds (T_max). The published number was not seen; 50 is ours.
    pub rounds: usize,
}

impl Default for Settings {
    fn default() -> Self {
        Self { agents: 4, adversaries: 0, strategy: Strategy::Silent, mentioned: false, rounds: 50 }
    }
}

static OPTIONS: LazyLock<Options> = LazyLock::new(|| {
    Options::of::<Settings>(
        "consensus",
        vec![
            Field::whole("agents", 3, 16, "Agents; 4, 8 and 16 in the published study."),
            Field::whole("adversaries", 0, 5, "Agents that do not follow the rules: at most a third of all."),
            Field::one_of(
                "strategy",
                Strategy::ALL.map(Strategy::name),
                "What adversaries do. The game plays them itself, but for `played`: then whoever plays speaks for them too.",
            ),
            Field::flag("mentioned", "Whether agents are told that some may not follow the rules."),
            Field::whole(
                "rounds",
                1,
                200,
                "Most rounds; a game that votes do not end before is over without a result.",
            ),
        ],
    )
});

impl Settings {
    /// Reads raw or resolved options.
    ///
    /// # Errors
    /// Which option is wrong, and what would be right.
    pub fn read(options: &Value) -> Result<Self, EnvError> {
        let settings: Self = OPTIONS.read(options)?;
        let most = settings.agents / 3;
        if settings.adversaries > most {
            let words = format!(
                "`adversaries` is {}, and of {} agents at most a third may be: give a whole number from 0 to {most}",
                settings.adversaries, settings.agents
            );
            return Err(OPTIONS.wrong("adversaries", &words));
        }
        Ok(settings)
    }
}

/// JSON Schema of the options.
pub(super) fn schema() -> Value {
    OPTIONS.schema()
}
