//! The options as play uses them: looked up once, every number in its place.

use crate::config::{Config, ConfigError};
use crate::facts::REWARD_FUNCTIONS;

/// Red's own actions, in the order in which they are weighed.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum RedAction {
    /// Every compromised node attacks its neighbours.
    Spread,
    /// Every safe node is attacked, from nowhere.
    RandomInfect,
    /// One node is attacked.
    BasicAttack,
    /// Nothing.
    DoNothing,
    /// Red goes to a compromised node next to it.
    Move,
}

const RED_ACTIONS: [(RedAction, &str, &str); 5] = [
    (RedAction::Spread, "red.action_set.spread.use", "red.action_set.spread.likelihood"),
    (RedAction::RandomInfect, "red.action_set.random_infect.use", "red.action_set.random_infect.likelihood"),
    (RedAction::BasicAttack, "red.action_set.basic_attack.use", "red.action_set.basic_attack.likelihood"),
    (RedAction::DoNothing, "red.action_set.do_nothing.use", "red.action_set.do_nothing.likelihood"),
    (RedAction::Move, "red.action_set.move.use", "red.action_set.move.likelihood"),
];

/// How red weighs its targets.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Targeting {
    /// All alike.
    Random,
    /// By the number of neighbours.
    Connected,
    /// By its inverse.
    Unconnected,
    /// QUIRK: the inverse of the vulnerability, although it is called vulnerable.
    Vulnerable,
    /// By the inverse of the vulnerability.
    Resilient,
    /// By the hops from one node.
    Specific {
        /// Only the nearest; else QUIRK: the far ones rather.
        shortest: bool,
    },
    /// The original raises an exception.
    None,
}

/// A kind of blue action on one node, in the order of the action space.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, PartialOrd, Ord)]
#[repr(u8)]
pub enum Kind {
    /// Lowers the vulnerability.
    ReduceVulnerability,
    /// Makes safe, and sets the vulnerability back.
    Restore,
    /// Makes safe.
    MakeSafe,
    /// Cuts all edges.
    Isolate,
    /// Puts them back.
    Connect,
}

/// All kinds, in the order of the action space.
pub const KINDS: [Kind; 5] = [Kind::ReduceVulnerability, Kind::Restore, Kind::MakeSafe, Kind::Isolate, Kind::Connect];

/// The reward functions.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
#[allow(missing_docs, reason = "the names are the original's own")]
pub enum RewardFunction {
    Standard,
    Experimental,
    OnePerTimestep,
    Zero,
    SafeNodesGiveRewards,
    PunishBadActions,
    NumNodesSafe,
    DcboCost,
}

const FUNCTIONS: [RewardFunction; 8] = [
    RewardFunction::Standard,
    RewardFunction::Experimental,
    RewardFunction::OnePerTimestep,
    RewardFunction::Zero,
    RewardFunction::SafeNodesGiveRewards,
    RewardFunction::PunishBadActions,
    RewardFunction::NumNodesSafe,
    RewardFunction::DcboCost,
];

/// How attacks of one outcome are detected.
#[derive(Clone, Copy, Debug)]
pub struct Discovery {
    /// Whether they are detected at all on standard nodes.
    pub used: bool,
    /// The chance on standard nodes, as configured.
    pub standard: f64,
    /// The chance on deceptive nodes, as configured.
    pub deceptive: f64,
}

/// Which parts of the observation are there.
#[derive(Clone, Copy, Debug)]
#[allow(clippy::struct_excessive_bools, reason = "these are the original's nine switches")]
#[allow(missing_docs, reason = "the names are the original's own")]
pub struct ObservationParts {
    pub connections: bool,
    pub compromised: bool,
    pub vulnerabilities: bool,
    pub average: bool,
    pub connectivity: bool,
    pub attacking: bool,
    pub attacked: bool,
    pub special: bool,
    pub skill: bool,
}

/// Everything of a configuration that play asks for.
#[derive(Clone, Debug)]
#[allow(clippy::struct_excessive_bools, reason = "these are the original's switches")]
#[allow(missing_docs, reason = "the names are the original's own, see SPEC 11 and facts::options")]
pub struct Rules {
    pub ignores_defences: bool,
    pub always_succeeds: bool,
    pub uses_skill: bool,
    pub skill: f64,
    pub main_node_only: bool,
    pub any_node: bool,
    /// Red's actions that are switched on.
    pub red_actions: Vec<RedAction>,
    /// Their weights over the sum.
    pub red_weights: Vec<f64>,
    pub spread_chance: f64,
    pub infect_chance: f64,
    pub zero_day: bool,
    pub zero_day_start: i64,
    pub zero_day_days: i64,
    pub spreads: bool,
    /// Whether spread is switched on, which the sine-wave red takes for natural spreading.
    pub spread_on: bool,
    pub to_connected: f64,
    pub to_unconnected: f64,
    pub targeting: Targeting,
    /// The name of red's target node.
    pub target: Option<String>,
    /// Blue's actions on one node that are switched on, in order.
    pub kinds: Vec<Kind>,
    pub scan: bool,
    pub do_nothing: bool,
    pub deceptive: bool,
    pub deceptive_count: usize,
    pub new_on_relocate: bool,
    pub safe_increases: bool,
    pub safe_random: bool,
    pub safe_change: f64,
    pub seen_at_once: f64,
    pub seen_on_scan: f64,
    pub failed: Discovery,
    pub known: Discovery,
    pub unknown: Discovery,
    pub grace: i64,
    pub max_steps: i64,
    pub loss_all: bool,
    pub loss_high_value: bool,
    pub loss_target: bool,
    pub loss_share: Option<f64>,
    pub observation: ObservationParts,
    pub new_vulnerabilities: bool,
    pub new_high_value: bool,
    pub new_entry: bool,
    pub for_loss: f64,
    pub for_end: f64,
    pub end_by_state: bool,
    pub loss_by_time: bool,
    pub function: RewardFunction,
    pub seed: Option<i64>,
}

/// The most deceptive nodes that room is made for.
const MOST_DECEPTIVE: i64 = 1000;

impl Rules {
    /// The rules of a configuration.
    ///
    /// # Errors
    /// When a number that they need is not set, or the original could not be built either: red's weights sum to 0.
    pub fn of(config: &Config) -> Result<Self, ConfigError> {
        let flag = |name: &str| config.flag(name);
        let needed = |on: bool, name: &'static str, reason: &'static str| match config.real(name) {
            Some(value) => Ok(value),
            None if on => Err(ConfigError::Unset { name, reason }),
            None => Ok(0.0),
        };
        let whole =
            |name: &'static str, reason: &'static str| config.whole(name).ok_or(ConfigError::Unset { name, reason });
        let mut red_actions = Vec::new();
        let mut likelihoods = Vec::new();
        for (action, switch, likelihood) in RED_ACTIONS {
            if flag(switch) {
                red_actions.push(action);
                likelihoods.push(needed(true, likelihood, "its action is switched on")?);
            }
        }
        let sum: f64 = likelihoods.iter().fold(0.0, |sum, weight| sum + weight);
        if !likelihoods.is_empty() && sum == 0.0 {
            let message = "the likelihoods of red's actions sum to 0; give one of them a greater one";
            return Err(ConfigError::Unplayable(message.to_owned()));
        }
        let discovery = |switch: &'static str, standard: &'static str, deceptive: &'static str| {
            let used = flag(switch);
            needed(used, standard, "its discovery is switched on").map(|standard| {
                let deceptive = config.real(deceptive).unwrap_or(0.0);
                Discovery { used, standard, deceptive }
            })
        };
        let uses_skill = flag("red.agent_attack.skill.use");
        let skill_shown = flag("observation_space.red_agent_skill");
        let spread_on = flag("red.action_set.spread.use");
        let spreads = flag("red.natural_spreading.capable");
        let chances = spreads || spread_on;
        let share = flag("game_rules.blue_loss_condition.n_percent_nodes_lost.use");
        let zero_day = flag("red.action_set.zero_day.use");
        let function = config.text("rewards.function").unwrap_or(REWARD_FUNCTIONS[0]);
        let function =
            REWARD_FUNCTIONS.iter().position(|known| *known == function).map_or(FUNCTIONS[0], |at| FUNCTIONS[at]);
        let deceptive_count = whole("blue.action_set.deceptive_nodes.max_number", "their number decides the actions")?;
        if !(0..=MOST_DECEPTIVE).contains(&deceptive_count) {
            return Err(ConfigError::Value {
                name: "blue.action_set.deceptive_nodes.max_number",
                value: deceptive_count.to_string(),
                expected: format!("a whole number from 0 to {MOST_DECEPTIVE}"),
            });
        }
        const FAILED: &str = "blue.attack_discovery.failed_attacks.chance.standard_node";
        const FAILED_DECEPTIVE: &str = "blue.attack_discovery.failed_attacks.chance.deceptive_node";
        const KNOWN: &str = "blue.attack_discovery.succeeded_attacks_known_compromise.chance.standard_node";
        const UNKNOWN: &str = "blue.attack_discovery.succeeded_attacks_unknown_compromise.chance.standard_node";
        // QUIRK: the deceptive chances of known and unknown are one value, and that of unknown counts.
        const DECEPTIVE: &str = "blue.attack_discovery.succeeded_attacks_unknown_compromise.chance.deceptive_node";
        Ok(Self {
            ignores_defences: flag("red.agent_attack.ignores_defences"),
            always_succeeds: flag("red.agent_attack.always_succeeds"),
            uses_skill,
            skill: needed(uses_skill || skill_shown, "red.agent_attack.skill.value", "red's skill is used or shown")?,
            main_node_only: flag("red.agent_attack.attack_from.only_main_red_node"),
            any_node: flag("red.agent_attack.attack_from.any_red_node"),
            red_weights: likelihoods.iter().map(|weight| weight / sum).collect(),
            red_actions,
            spread_chance: needed(spread_on, "red.action_set.spread.chance", "red spreads")?,
            infect_chance: needed(
                flag("red.action_set.random_infect.use"),
                "red.action_set.random_infect.chance",
                "red infects at random",
            )?,
            zero_day,
            zero_day_start: config.whole("red.action_set.zero_day.start_amount").unwrap_or(0),
            zero_day_days: config.whole("red.action_set.zero_day.days_required").unwrap_or(0),
            spreads,
            spread_on,
            to_connected: needed(chances, "red.natural_spreading.chance.to_connected_node", "red spreads naturally")?,
            to_unconnected: needed(
                chances,
                "red.natural_spreading.chance.to_unconnected_node",
                "red spreads naturally",
            )?,
            targeting: targeting(config),
            target: config.text("red.target_mechanism.target_specific_node.target").map(str::to_owned),
            kinds: kinds(config),
            scan: flag("blue.action_set.scan"),
            do_nothing: flag("blue.action_set.do_nothing"),
            deceptive: flag("blue.action_set.deceptive_nodes.use"),
            deceptive_count: usize::try_from(deceptive_count).unwrap_or_default(),
            new_on_relocate: flag("blue.action_set.deceptive_nodes.new_node_on_relocate"),
            safe_increases: flag("blue.action_set.make_node_safe.increases_vulnerability"),
            safe_random: flag("blue.action_set.make_node_safe.gives_random_vulnerability"),
            safe_change: needed(
                flag("blue.action_set.make_node_safe.use")
                    && flag("blue.action_set.make_node_safe.increases_vulnerability"),
                "blue.action_set.make_node_safe.vulnerability_change",
                "making a node safe changes its vulnerability",
            )?,
            seen_at_once: needed(
                true,
                "blue.intrusion_discovery_chance.immediate.standard_node",
                "every intrusion may be seen at once",
            )?,
            seen_on_scan: needed(
                flag("blue.action_set.scan"),
                "blue.intrusion_discovery_chance.on_scan.standard_node",
                "blue scans",
            )?,
            failed: discovery("blue.attack_discovery.failed_attacks.use", FAILED, FAILED_DECEPTIVE)?,
            known: discovery("blue.attack_discovery.succeeded_attacks_known_compromise.use", KNOWN, DECEPTIVE)?,
            unknown: discovery("blue.attack_discovery.succeeded_attacks_unknown_compromise.use", UNKNOWN, DECEPTIVE)?,
            grace: config.whole("game_rules.grace_period_length").unwrap_or(0),
            max_steps: whole("game_rules.max_steps", "an episode ends there")?,
            loss_all: flag("game_rules.blue_loss_condition.all_nodes_lost"),
            loss_high_value: flag("game_rules.blue_loss_condition.high_value_node_lost"),
            loss_target: flag("game_rules.blue_loss_condition.target_node_lost"),
            loss_share: if share {
                Some(needed(
                    true,
                    "game_rules.blue_loss_condition.n_percent_nodes_lost.value",
                    "blue loses by this share",
                )?)
            } else {
                None
            },
            observation: ObservationParts {
                connections: flag("observation_space.node_connections"),
                compromised: flag("observation_space.compromised_status"),
                vulnerabilities: flag("observation_space.vulnerabilities"),
                average: flag("observation_space.average_vulnerability"),
                connectivity: flag("observation_space.graph_connectivity"),
                attacking: flag("observation_space.attacking_nodes"),
                attacked: flag("observation_space.attacked_nodes"),
                special: flag("observation_space.special_nodes"),
                skill: skill_shown,
            },
            new_vulnerabilities: flag("on_reset.randomise_vulnerabilities"),
            new_high_value: flag("on_reset.choose_new_high_value_nodes"),
            new_entry: flag("on_reset.choose_new_entry_nodes"),
            for_loss: needed(true, "rewards.for_loss", "a loss is rewarded with it")?,
            for_end: needed(true, "rewards.for_reaching_max_steps", "the last step is rewarded with it")?,
            end_by_state: flag("rewards.end_rewards_are_multiplied_by_end_state"),
            loss_by_time: flag("rewards.reduce_negative_rewards_for_closer_fails"),
            function,
            seed: config.whole("miscellaneous.random_seed"),
        })
    }
}

fn targeting(config: &Config) -> Targeting {
    const MECHANISM: &str = "red.target_mechanism";
    let on = |name: &str| config.flag(&format!("{MECHANISM}.{name}"));
    if on("random") {
        Targeting::Random
    } else if on("prioritise_connected_nodes") {
        Targeting::Connected
    } else if on("prioritise_unconnected_nodes") {
        Targeting::Unconnected
    } else if on("prioritise_vulnerable_nodes") {
        Targeting::Vulnerable
    } else if on("prioritise_resilient_nodes") {
        Targeting::Resilient
    } else if on("target_specific_node.use")
        || config.text("red.target_mechanism.target_specific_node.target").is_some()
    {
        Targeting::Specific { shortest: on("target_specific_node.always_choose_shortest_distance") }
    } else {
        Targeting::None
    }
}

fn kinds(config: &Config) -> Vec<Kind> {
    let switches = [
        "blue.action_set.reduce_vulnerability",
        "blue.action_set.restore_node",
        "blue.action_set.make_node_safe.use",
        "blue.action_set.isolate_node",
        "blue.action_set.reconnect_node",
    ];
    KINDS.into_iter().zip(switches).filter(|(_, switch)| config.flag(switch)).map(|(kind, _)| kind).collect()
}
