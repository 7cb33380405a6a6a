//! The brief, from `brief.yaml`.

use gimbal_core::{Brief, EnvError, Milli, Thresholds, ToolCall, ToolSpec};
use gimbal_env_kit::brief::BuiltIn;
use serde::Deserialize;
use std::collections::BTreeMap;

use crate::action::{ADD_DECEPTIVE, DO_NOTHING, EDGE, NODE, SCAN, Vocabulary, tool};
use crate::facts::tables::STANDARD_REWARDS_COST;
use crate::rules::{KINDS, RewardFunction, Rules};

gimbal_env_kit::brief_form! {
    /// The file.
    Form { goal: String, thresholds: BTreeMap<String, FormThresholds> }
}

pub(super) static FILE: BuiltIn<Form> =
    BuiltIn::new("yawning_titan", "envs/yawning_titan/brief.yaml", include_str!("../../brief.yaml"));

#[derive(Clone, Copy, Debug, Deserialize)]
#[serde(deny_unknown_fields)]
struct FormThresholds {
    catastrophic: f64,
    success: f64,
    efficiency_shift: f64,
    harm: f64,
    floor: f64,
}

/// All tools that a mode can switch on, without texts and literals.
fn tools() -> Vec<ToolSpec> {
    let bare = [DO_NOTHING, SCAN].map(|name| ToolSpec::of_strings(name, "", &[]));
    let of_nodes = KINDS.map(|kind| ToolSpec::of_strings(tool(kind), "", &[(NODE, "")]));
    let of_edges = [ToolSpec::of_strings(ADD_DECEPTIVE, "", &[(EDGE, "")])];
    bare.into_iter().chain(of_nodes).chain(of_edges).collect()
}

/// The brief of an episode with these rules and names.
pub(super) fn of(rules: &Rules, function: &str, vocabulary: &Vocabulary, base: usize) -> Result<Brief, EnvError> {
    let form = FILE.form()?;
    let tools: Vec<&str> = vocabulary.tools().collect();
    let thresholds = form.thresholds.get(function);
    let names = &vocabulary.names;
    let subjects = names.order().iter().filter(|node| (**node as usize) < base);
    Ok(Brief {
        goal: form.goal.clone(),
        subjects: subjects.map(|node| names.node(*node).to_owned()).collect(),
        glossary: form.glossary.iter().filter(|entry| tools.contains(&entry.name.as_str())).cloned().collect(),
        horizon: u32::try_from(rules.max_steps).unwrap_or(u32::MAX),
        reward_range: Some(reward_range(rules, base)),
        thresholds: Thresholds {
            catastrophic: thresholds.map(|known| Milli::from_f64(known.catastrophic)),
            success: thresholds.map(|known| Milli::from_f64(known.success)),
            harm: thresholds.map(|known| Milli::from_f64(known.harm)),
            floor: thresholds.map(|known| Milli::from_f64(known.floor)),
        },
        idle: ToolCall::bare(DO_NOTHING),
        runs_on: true,
        efficiency_shift: thresholds.map(|known| Milli::from_f64(known.efficiency_shift)),
        ..FILE.brief(self::tools)?
    })
}

/// No reward of a step lies outside.
fn reward_range(rules: &Rules, base: usize) -> (Milli, Milli) {
    let nodes = (base + rules.deceptive_count) as f64;
    let dearest = STANDARD_REWARDS_COST.iter().fold(0.0_f64, |most, cost| most.max(*cost));
    let (least, most) = match rules.function {
        // A node isolated each, the share compromised, and the dearest action into a full stock.
        RewardFunction::Standard => (-(dearest + 5.0 + 1.2 * nodes + 1.0), 1.0 + 5.0 + 2.5 + 0.8),
        RewardFunction::Experimental => (-(10.0 + 0.5 * nodes + 1.0 + 0.01 * nodes * nodes), 1.5),
        RewardFunction::PunishBadActions => (-(5.0 + 0.5 * nodes), 0.0),
        RewardFunction::OnePerTimestep => (0.0, 0.1),
        RewardFunction::Zero => (0.0, 0.0),
        RewardFunction::SafeNodesGiveRewards => (0.0, nodes),
        RewardFunction::NumNodesSafe => (0.0, 1.0),
        RewardFunction::DcboCost => (-(10.0 * nodes + 1.0), 0.0),
    };
    let ends = [rules.for_loss, rules.for_end];
    let least = ends.into_iter().fold(least, f64::min);
    let most = ends.into_iter().fold(most, f64::max);
    (Milli::from_f64(least), Milli::from_f64(most))
}
