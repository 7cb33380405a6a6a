//! Networks made in code against those that the original made, where they are at hand, and facts of the stored ones.
#![allow(clippy::unwrap_used, clippy::expect_used, clippy::print_stdout, missing_docs)]

use crate::common;

use std::path::Path;

use gimbal_parity::{Json, Lines, Mersenne};
use gimbal_yawning_titan::draws::Fast;
use gimbal_yawning_titan::facts::{MODES, NETWORKS, OPTIONS};
use gimbal_yawning_titan::network::{GENERATORS, Generator, Network};
use gimbal_yawning_titan::{Config, Scenario, Simulator};
use serde_json::{Map, Value, json};

fn make(name: &str, arguments: &Map<String, Value>, seed: u64) -> (Network, u64) {
    let mut numbers = Mersenne::new(seed);
    let network = Generator::read(name, arguments).unwrap().make(&mut numbers, &mut Fast::new(0));
    (network, numbers.getrandbits(64))
}

fn arguments(json: &Json) -> Map<String, Value> {
    let Json::Map(entries) = json else { panic!("arguments are a map") };
    let value = |json: &Json| match json {
        Json::Whole(value) => Value::from(i64::try_from(*value).unwrap()),
        other => Value::from(other.as_real().unwrap()),
    };
    entries.iter().map(|(key, json)| (key.clone(), value(json))).collect()
}

#[test]
fn every_recorded_network_comes_out_node_by_node() {
    let Some(folder) = common::reference() else { return };
    let path = folder.join("generators.jsonl.gz");
    let mut lines = Lines::open(Path::new(&path)).unwrap();
    let mut count = 0;
    while let Some(line) = lines.next_line().unwrap() {
        let name = line.text("gen").unwrap();
        let seed = line.whole("seed").unwrap().unwrap();
        let (network, check) = make(&name, &arguments(&line.needed("args").unwrap()), seed);
        let nodes: Vec<Json> = network
            .nodes
            .iter()
            .map(|node| {
                Json::List(vec![Json::Text(node.name.clone()), Json::Real(node.place.0), Json::Real(node.place.1)])
            })
            .collect();
        assert_eq!(line.needed("nodes").unwrap(), Json::List(nodes), "{name} {seed}");
        let text = |node: u16| Json::Text(network.nodes[node as usize].name.clone());
        let edges = network.edges().map(|(one, other)| Json::List(vec![text(one), text(other)]));
        assert_eq!(line.needed("edges").unwrap(), Json::List(edges.collect()), "{name} {seed}");
        let lists = network.neighbours.iter().map(|list| Json::List(list.iter().map(|node| text(*node)).collect()));
        assert_eq!(line.needed("neighbours").unwrap(), Json::List(lists.collect()), "{name} {seed}");
        assert_eq!(line.whole("rng_check").unwrap(), Some(check), "{name} {seed}");
        count += 1;
    }
    println!("{count} networks");
    assert_eq!(count, 70);
}

/// Frozen: what these seeds give without the original at hand.
#[test]
fn a_seed_gives_the_same_network_for_ever() {
    let mut out = String::new();
    for (name, given) in [
        ("create_mesh", json!({ "size": 6, "connectivity": 0.5 })),
        ("create_star", json!({ "first_layer_size": 2, "group_size": 3 })),
        ("create_p2p", json!({ "group_size": 4 })),
        ("create_ring", json!({ "ring_size": 7 })),
        ("gnp_random_connected_graph", json!({ "n_nodes": 6, "probability_of_edge": 0.2 })),
        ("get_18_node_network_mesh", json!({})),
        ("dcbo_base_network", json!({})),
    ] {
        let (network, check) = make(name, given.as_object().unwrap(), 11);
        let names: Vec<&str> = network.nodes.iter().map(|node| node.name.as_str()).collect();
        let edges: Vec<(u16, u16)> = network.edges().collect();
        out.push_str(&format!("{name} {names:?} {edges:?} {check}\n"));
    }
    insta::assert_snapshot!("networks", out);
}

#[test]
fn stored_networks_are_as_the_original_stores_them() {
    for (name, nodes, edges) in [
        ("default_18", 18, 17),
        ("dcbo_base", 10, 7),
        ("default_18_set_entry", 18, 17),
        ("mesh_5", 5, 9),
        ("mesh_24", 24, 186),
    ] {
        let network = Network::stored(name).unwrap();
        assert_eq!((network.nodes.len(), network.edges().count()), (nodes, edges), "{name}");
        network.check().unwrap();
    }
    let default = Network::stored("default_18").unwrap();
    let order: Vec<&str> = default.nodes.iter().map(|node| node.name.as_str()).take(11).collect();
    assert_eq!(order, ["0", "5", "1", "2", "3", "4", "7", "6", "8", "12", "9"]);
    let dcbo = Network::stored("dcbo_base").unwrap();
    assert!(dcbo.neighbours[5].is_empty() && dcbo.neighbours[6].is_empty(), "nodes 5 and 6 have no neighbours");
    assert!(dcbo.nodes.iter().all(|node| node.vulnerability == 0.0));
    assert!(Network::stored("default_17").unwrap_err().to_string().contains("did you mean `default_18`?"));
    assert_eq!(NETWORKS.len(), 6);
}

#[test]
fn every_mode_builds_and_actions_and_observations_have_the_announced_sizes() {
    assert_eq!((OPTIONS.len(), MODES.len()), (93, 19));
    for mode in MODES.iter() {
        let scenario = Scenario::of(mode.name, "default_18").unwrap();
        let mut simulator = Simulator::new(&scenario, Fast::new(0)).unwrap();
        simulator.rebuild(1).unwrap();
        assert_eq!(simulator.vector().len(), simulator.announced_length(), "{}", mode.name);
    }
    let mut simulator = Simulator::new(&Scenario::default(), Fast::new(0)).unwrap();
    simulator.rebuild(1).unwrap();
    assert_eq!((simulator.action_count(), simulator.vector().len()), (41, 543));
    let dcbo = Simulator::new(&Scenario::of("dcbo", "dcbo_base").unwrap(), Fast::new(0)).unwrap();
    assert_eq!((dcbo.action_count(), dcbo.announced_length()), (36, 229));
}

#[test]
fn wrong_arguments_and_options_are_refused_with_their_mend() {
    let refused = |name: &str, given: Value| Generator::read(name, given.as_object().unwrap()).unwrap_err().to_string();
    assert!(refused("create_mash", json!({})).contains("did you mean `create_mesh`?"));
    assert!(refused("create_mesh", json!({ "siz": 3 })).contains("did you mean `size`?"));
    assert!(refused("create_mesh", json!({ "size": 0 })).contains("give a whole number from 1"));
    assert!(refused("create_ring", json!({ "break_probability": 2 })).contains("give a number from 0 to 1"));
    assert!(refused("gnp_random_connected_graph", json!({ "n_nodes": 5 })).contains("is missing"));
    let full = json!({ "n_nodes": 5, "probability_of_edge": 1 });
    assert!(refused("gnp_random_connected_graph", full).contains("above 0 and below 1"));
    assert_eq!(GENERATORS.len(), 7);
    assert!(Config::mode("defalt").unwrap_err().to_string().contains("did you mean `default`?"));
    let mut config = Config::default();
    let mut set = |name: &str, value: Value| config.set_checked(name, &value).unwrap_err().to_string();
    assert!(set("red.agent_atack.skill.value", json!(1)).contains("did you mean `red.agent_attack.skill.value`?"));
    assert!(set("red.agent_attack.skill.value", json!("high")).contains("give a number"));
    assert!(set("red.agent_attack.skill.value", json!(1.5)).contains("at most 1"));
    assert!(set("rewards.function", json!("most")).contains("standard_rewards"));
    assert!(set("red.action_set.spread.use", json!(1)).contains("true or false"));
    config.set("red.agent_attack.skill.value", &Value::Null).unwrap();
    let scenario = Scenario { config, ..Scenario::default() };
    let unset = Simulator::new(&scenario, Fast::new(0)).unwrap_err().to_string();
    assert!(unset.contains("`red.agent_attack.skill.value` is not set, but red's skill is used"), "{unset}");
}
