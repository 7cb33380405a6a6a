//! Splits, and the parts by tier.

use gimbal_core::{EnvError, Part, TaskId};
use gimbal_env_kit::catalogue;

use super::settings::Settings;
use crate::corpus::SPLITS;
use crate::scenario::Tier;

/// The splits: those of the corpus, and each of the two generated ones by tier.
pub(super) const NAMES: [&str; 14] = [
    "dev",
    "test",
    "real",
    "ares33",
    "ares18",
    "ares12",
    "dev-clear-threat",
    "dev-clear-benign",
    "dev-ambiguous",
    "dev-mixed-signals",
    "test-clear-threat",
    "test-clear-benign",
    "test-ambiguous",
    "test-mixed-signals",
];

/// The parts: tier by tier, what rules and prompts were written on and what they were not.
pub(super) const PARTS: [Part; 8] = [
    Part { split: "dev-clear-threat", set: "CLEAR_THREAT", name: "dev", train: true },
    Part { split: "test-clear-threat", set: "CLEAR_THREAT", name: "test", train: false },
    Part { split: "dev-clear-benign", set: "CLEAR_BENIGN", name: "dev", train: true },
    Part { split: "test-clear-benign", set: "CLEAR_BENIGN", name: "test", train: false },
    Part { split: "dev-ambiguous", set: "AMBIGUOUS", name: "dev", train: true },
    Part { split: "test-ambiguous", set: "AMBIGUOUS", name: "test", train: false },
    Part { split: "dev-mixed-signals", set: "MIXED_SIGNALS", name: "dev", train: true },
    Part { split: "test-mixed-signals", set: "MIXED_SIGNALS", name: "test", train: false },
];

/// The tasks of a split.
pub(super) fn tasks(split: &str, settings: &Settings) -> Result<Vec<TaskId>, EnvError> {
    let Some(name) = NAMES.into_iter().find(|name| *name == split) else {
        return Err(catalogue::unknown("triage", "split", split, &NAMES));
    };
    let (of, tier) = match name.split_once('-') {
        Some((of, tier)) => (of, Some(tier)),
        None => (name, None),
    };
    debug_assert!(SPLITS.contains(&of));
    let corpus = settings.corpus()?;
    if of == "real" && settings.telemetry().is_none() {
        return Err(EnvError::Data(
            "the scenarios of the split `real` are made of real files: name the folder of telemetry by the option `data`, or set \
             GIMBAL_DATA to the folder that holds it; the other splits need no data"
                .to_owned(),
        ));
    }
    let fits = |known: Tier| tier.is_none_or(|tier| known.name().to_lowercase().replace('_', "-") == tier);
    let scenarios = corpus.scenarios(of).into_iter().filter(|scenario| fits(scenario.tier));
    Ok(scenarios.map(|scenario| TaskId(scenario.id.clone())).collect())
}
