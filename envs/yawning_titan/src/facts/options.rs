//! The options of the original's configuration: names, kinds, ranges and the values of a fresh one.
//!
//! Source: YAWNING-TITAN 2.0.1 (commit db25f453, MIT), read as facts.

use std::borrow::Cow;

use crate::config::{Kind, OptionFact, Value};

const fn flag(name: &'static str, null: bool) -> OptionFact {
    OptionFact { name, kind: Kind::Flag, null, initial: Value::Flag(false), least: None, open: false, most: None }
}

const fn real(name: &'static str, null: bool, initial: Value, range: (Option<f64>, bool, Option<f64>)) -> OptionFact {
    OptionFact { name, kind: Kind::Real, null, initial, least: range.0, open: range.1, most: range.2 }
}

const fn whole(name: &'static str, null: bool, initial: Value, range: (Option<f64>, bool, Option<f64>)) -> OptionFact {
    OptionFact { name, kind: Kind::Whole, null, initial, least: range.0, open: range.1, most: range.2 }
}

/// The names of the reward functions.
pub const REWARD_FUNCTIONS: [&str; 8] = [
    "standard_rewards",
    "experimental_rewards",
    "one_per_timestep",
    "zero_reward",
    "safe_nodes_give_rewards",
    "punish_bad_actions",
    "num_nodes_safe",
    "dcbo_cost_func",
];

/// All options, in the order of the original.
pub static OPTIONS: [OptionFact; 93] = [
    flag("red.agent_attack.ignores_defences", false),
    flag("red.agent_attack.always_succeeds", false),
    flag("red.agent_attack.skill.use", false),
    real("red.agent_attack.skill.value", true, Value::Null, (Some(0.0), false, Some(1.0))),
    flag("red.agent_attack.attack_from.only_main_red_node", false),
    flag("red.agent_attack.attack_from.any_red_node", false),
    flag("red.action_set.spread.use", false),
    real("red.action_set.spread.likelihood", true, Value::Null, (Some(0.0), false, None)),
    real("red.action_set.spread.chance", true, Value::Null, (Some(0.0), false, Some(1.0))),
    flag("red.action_set.random_infect.use", false),
    real("red.action_set.random_infect.likelihood", true, Value::Null, (Some(0.0), false, None)),
    real("red.action_set.random_infect.chance", true, Value::Null, (Some(0.0), false, Some(1.0))),
    flag("red.action_set.move.use", false),
    real("red.action_set.move.likelihood", true, Value::Null, (Some(0.0), false, None)),
    flag("red.action_set.basic_attack.use", false),
    real("red.action_set.basic_attack.likelihood", true, Value::Null, (Some(0.0), false, None)),
    flag("red.action_set.do_nothing.use", false),
    real("red.action_set.do_nothing.likelihood", true, Value::Null, (Some(0.0), false, None)),
    flag("red.action_set.zero_day.use", false),
    whole("red.action_set.zero_day.start_amount", true, Value::Whole(0), (Some(0.0), false, None)),
    whole("red.action_set.zero_day.days_required", true, Value::Whole(0), (Some(0.0), false, None)),
    flag("red.natural_spreading.capable", false),
    real("red.natural_spreading.chance.to_connected_node", true, Value::Real(0.0), (Some(0.0), false, Some(1.0))),
    real("red.natural_spreading.chance.to_unconnected_node", true, Value::Real(0.0), (Some(0.0), false, Some(1.0))),
    flag("red.target_mechanism.random", true),
    flag("red.target_mechanism.prioritise_connected_nodes", true),
    flag("red.target_mechanism.prioritise_unconnected_nodes", true),
    flag("red.target_mechanism.prioritise_vulnerable_nodes", true),
    flag("red.target_mechanism.prioritise_resilient_nodes", true),
    flag("red.target_mechanism.target_specific_node.use", false),
    OptionFact {
        name: "red.target_mechanism.target_specific_node.target",
        kind: Kind::Text,
        null: true,
        initial: Value::Null,
        least: None,
        open: false,
        most: None,
    },
    flag("red.target_mechanism.target_specific_node.always_choose_shortest_distance", true),
    flag("blue.action_set.reduce_vulnerability", true),
    flag("blue.action_set.restore_node", true),
    flag("blue.action_set.scan", true),
    flag("blue.action_set.isolate_node", true),
    flag("blue.action_set.reconnect_node", true),
    flag("blue.action_set.do_nothing", true),
    flag("blue.action_set.make_node_safe.use", false),
    flag("blue.action_set.make_node_safe.increases_vulnerability", false),
    flag("blue.action_set.make_node_safe.gives_random_vulnerability", false),
    real("blue.action_set.make_node_safe.vulnerability_change", true, Value::Null, (Some(-1.0), false, Some(1.0))),
    flag("blue.action_set.deceptive_nodes.use", false),
    whole("blue.action_set.deceptive_nodes.max_number", true, Value::Whole(1), (Some(0.0), false, None)),
    flag("blue.action_set.deceptive_nodes.new_node_on_relocate", true),
    real(
        "blue.intrusion_discovery_chance.immediate.standard_node",
        true,
        Value::Real(0.5),
        (Some(0.0), true, Some(1.0)),
    ),
    real(
        "blue.intrusion_discovery_chance.immediate.deceptive_node",
        true,
        Value::Real(0.5),
        (Some(0.0), true, Some(1.0)),
    ),
    real("blue.intrusion_discovery_chance.on_scan.standard_node", true, Value::Real(0.5), (Some(0.0), true, Some(1.0))),
    real(
        "blue.intrusion_discovery_chance.on_scan.deceptive_node",
        true,
        Value::Real(0.5),
        (Some(0.0), true, Some(1.0)),
    ),
    flag("blue.attack_discovery.failed_attacks.use", true),
    real(
        "blue.attack_discovery.failed_attacks.chance.standard_node",
        true,
        Value::Real(0.5),
        (Some(0.0), true, Some(1.0)),
    ),
    real(
        "blue.attack_discovery.failed_attacks.chance.deceptive_node",
        true,
        Value::Real(0.5),
        (Some(0.0), true, Some(1.0)),
    ),
    flag("blue.attack_discovery.succeeded_attacks_known_compromise.use", true),
    real(
        "blue.attack_discovery.succeeded_attacks_known_compromise.chance.standard_node",
        true,
        Value::Real(0.5),
        (Some(0.0), true, Some(1.0)),
    ),
    real(
        "blue.attack_discovery.succeeded_attacks_known_compromise.chance.deceptive_node",
        true,
        Value::Real(0.5),
        (Some(0.0), true, Some(1.0)),
    ),
    flag("blue.attack_discovery.succeeded_attacks_unknown_compromise.use", true),
    real(
        "blue.attack_discovery.succeeded_attacks_unknown_compromise.chance.standard_node",
        true,
        Value::Real(0.5),
        (Some(0.0), true, Some(1.0)),
    ),
    real(
        "blue.attack_discovery.succeeded_attacks_unknown_compromise.chance.deceptive_node",
        true,
        Value::Real(0.5),
        (Some(0.0), true, Some(1.0)),
    ),
    whole("game_rules.grace_period_length", false, Value::Whole(0), (Some(0.0), false, Some(100.0))),
    whole("game_rules.max_steps", false, Value::Whole(0), (Some(1.0), false, Some(10000000.0))),
    flag("game_rules.blue_loss_condition.all_nodes_lost", true),
    flag("game_rules.blue_loss_condition.high_value_node_lost", true),
    flag("game_rules.blue_loss_condition.target_node_lost", true),
    flag("game_rules.blue_loss_condition.n_percent_nodes_lost.use", false),
    real("game_rules.blue_loss_condition.n_percent_nodes_lost.value", true, Value::Null, (Some(0.0), false, Some(1.0))),
    flag("game_rules.network_compatibility.node_count.restrict", true),
    whole("game_rules.network_compatibility.node_count.min", true, Value::Null, (Some(0.0), false, None)),
    whole("game_rules.network_compatibility.node_count.max", true, Value::Null, (Some(0.0), false, None)),
    flag("game_rules.network_compatibility.entry_node_count.restrict", true),
    whole("game_rules.network_compatibility.entry_node_count.min", true, Value::Null, (Some(0.0), false, None)),
    whole("game_rules.network_compatibility.entry_node_count.max", true, Value::Null, (Some(0.0), false, None)),
    flag("game_rules.network_compatibility.high_value_node_count.restrict", true),
    whole("game_rules.network_compatibility.high_value_node_count.min", true, Value::Null, (Some(0.0), false, None)),
    whole("game_rules.network_compatibility.high_value_node_count.max", true, Value::Null, (Some(0.0), false, None)),
    flag("observation_space.compromised_status", true),
    flag("observation_space.vulnerabilities", true),
    flag("observation_space.node_connections", true),
    flag("observation_space.average_vulnerability", true),
    flag("observation_space.graph_connectivity", true),
    flag("observation_space.attacking_nodes", true),
    flag("observation_space.attacked_nodes", true),
    flag("observation_space.special_nodes", true),
    flag("observation_space.red_agent_skill", true),
    flag("on_reset.randomise_vulnerabilities", true),
    flag("on_reset.choose_new_high_value_nodes", true),
    flag("on_reset.choose_new_entry_nodes", true),
    whole("rewards.for_loss", true, Value::Whole(0), (None, false, None)),
    whole("rewards.for_reaching_max_steps", true, Value::Whole(0), (None, false, None)),
    flag("rewards.end_rewards_are_multiplied_by_end_state", false),
    flag("rewards.reduce_negative_rewards_for_closer_fails", false),
    OptionFact {
        name: "rewards.function",
        kind: Kind::Text,
        null: false,
        initial: Value::Text(Cow::Borrowed("standard_rewards")),
        least: None,
        open: false,
        most: None,
    },
    whole("miscellaneous.random_seed", true, Value::Null, (None, false, None)),
    flag("miscellaneous.output_timestep_data_to_json", true),
];
