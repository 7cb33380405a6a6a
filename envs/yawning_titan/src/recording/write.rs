//! Writes recordings in the format of the original's traces, from our own simulator with Python's generators.

use std::io::{self, Write};

use serde_json::{Map, Value, json};

use super::text::intent_text;
use crate::draws::{Arguments, Drawn, Entry, Function, Purpose, Python, Recorder};
use crate::dynamics::{Graph, Raised};
use crate::network::{Network, Parameters};
use crate::policy::{Policy, PolicyKind};
use crate::sim::{Scenario, Simulator, Source};

/// What to record.
#[derive(Clone, Debug)]
pub struct RecordOptions {
    /// The mode, whose settings are in the recording.
    pub mode: String,
    /// Options of the mode that are set otherwise.
    pub changes: Map<String, Value>,
    /// The network; one that is given is recorded as it is.
    pub scenario: Scenario,
    /// Blue's policy.
    pub policy: PolicyKind,
    /// Episodes.
    pub episodes: u64,
    /// Steps after which an episode is cut.
    pub horizon: u64,
    /// The seed of the building; episodes count up from it.
    pub seed: u64,
}

/// Plays and writes one environment with its episodes.
///
/// # Errors
/// When the scenario cannot be played, or writing fails.
pub fn record(what: &RecordOptions, out: &mut impl Write) -> io::Result<()> {
    let network = what.scenario.network().map_err(io::Error::other)?;
    let recorder = Recorder::new(Python::new(what.seed));
    let mut simulator = Simulator::new(&what.scenario, recorder).map_err(io::Error::other)?;
    simulator.construct(what.seed).map_err(io::Error::other)?;
    let tape = tape(&mut simulator);
    let name = match &what.scenario.network {
        Source::Stored(name) => json!(name),
        // How it was made is not known; the network itself is kept beside it.
        Source::Made { .. } | Source::Given(_) => Value::Null,
    };
    let line = json!({
        "kind": "env", "env": 0, "mode": what.mode, "changes": what.changes, "red": what.scenario.red.name(),
        "seed": what.seed, "network": name, "net": net(&simulator, &network),
        "n_actions": simulator.action_count(), "obs_size": simulator.announced_length(),
        "connectivity": simulator.connectivity(), "sine": sine(&simulator), "tape": tape,
    });
    writeln!(out, "{line}")?;
    let mut policy = Policy::new(what.policy);
    for episode in 0..what.episodes {
        let seed = what.seed.wrapping_add(1).wrapping_add(episode);
        policy.reset(seed);
        write_episode(what, episode, seed, &mut simulator, &mut policy, out)?;
    }
    out.flush()
}

fn write_episode(
    what: &RecordOptions,
    episode: u64,
    seed: u64,
    simulator: &mut Simulator<Recorder>,
    policy: &mut Policy,
    out: &mut impl Write,
) -> io::Result<()> {
    simulator.reset(seed).map_err(io::Error::other)?;
    let tape = tape(simulator);
    let base = simulator.base_count() as u16;
    let deceptive: Vec<Value> = (base..simulator.node_count() as u16)
        .map(|node| json!([simulator.name(node), simulator.uuid(node).as_str(), simulator.vulnerability(node)]))
        .collect();
    let mut last_state = LastState::initial(simulator);
    let shown = simulator.vector();
    let nz: Vec<Value> =
        shown.iter().enumerate().filter(|(_, value)| **value != 0.0).map(|(at, value)| json!([at, value])).collect();
    let line = json!({
        "kind": "reset", "env": 0, "ep": episode, "seed": seed, "policy": what.policy.name(), "horizon": what.horizon,
        "tape": tape, "deceptive": deceptive, "obs": { "n": shown.len(), "nz": nz }, "state": last_state.state(simulator),
    });
    writeln!(out, "{line}")?;
    let (mut steps, mut total, mut raised): (u64, f64, Option<Raised>) = (0, 0.0, None);
    let mut last = simulator.vector().to_vec();
    while steps < what.horizon && !simulator.done() {
        let action = policy.act(simulator);
        let blue = json!([action, intent_text(simulator, simulator.intent(action))]);
        let result = simulator.step(action);
        let tape = self::tape(simulator);
        if let Err(error) = result {
            let text = match error {
                Raised::Key(node) => super::key_error_text(simulator, node),
                other => other.to_string().split(": ").last().unwrap_or_default().to_owned(),
            };
            let line = json!({
                "kind": "error", "ep": episode, "t": steps, "blue": blue, "error": error.name(), "text": text,
                "tape": tape,
            });
            writeln!(out, "{line}")?;
            raised = Some(error);
            break;
        }
        total += simulator.reward();
        let changed: Vec<Value> = simulator
            .vector()
            .iter()
            .zip(&last)
            .enumerate()
            .filter(|(_, (now, before))| now != before)
            .map(|(at, (now, _))| json!([at, now]))
            .collect();
        last.copy_from_slice(simulator.vector());
        let seen: Vec<Value> = simulator
            .detected()
            .iter()
            .map(|(source, target)| json!([source.map(|node| simulator.name(node)), simulator.name(*target)]))
            .collect();
        let line = json!({
            "kind": "step", "ep": episode, "t": steps, "blue": blue, "did": simulator.did().name(),
            "red": red(simulator), "reward": simulator.reward(), "done": simulator.done(), "obs_d": changed,
            "seen": seen, "state": last_state.state(simulator), "tape": tape,
        });
        writeln!(out, "{line}")?;
        steps += 1;
    }
    let (python, numpy) = simulator.draws().inner().check();
    let line = json!({
        "kind": "end", "ep": episode, "steps": steps, "ret": total, "error": raised.map(Raised::name),
        "rng_check": [python, numpy],
    });
    writeln!(out, "{line}")
}

fn red<D>(simulator: &Simulator<D>) -> Value {
    let acts = simulator.red().map(|(kind, rows)| {
        let (mut sources, mut targets, mut successes) = (Vec::new(), Vec::new(), Vec::new());
        for (place, success) in rows {
            if let Some((source, target)) = place {
                sources.push(json!(source.map(|node| simulator.name(node))));
                targets.push(json!(target.map(|node| simulator.name(node))));
            }
            successes.push(json!(u8::from(success)));
        }
        json!([kind.name(), sources, targets, successes])
    });
    acts.collect()
}

fn sine<D>(simulator: &Simulator<D>) -> Value {
    simulator.state().sine.map_or(Value::Null, |sine| {
        json!([sine.time, sine.sine_shift, sine.cosine_shift, sine.sine_factor, sine.cosine_factor])
    })
}

fn net<D>(simulator: &Simulator<D>, network: &Network) -> Value {
    let initial = &simulator.state().initial;
    let Parameters { lower, upper, .. } = network.parameters;
    let parameters = &network.parameters;
    let nodes: Vec<Value> = network
        .nodes
        .iter()
        .enumerate()
        .map(|(at, node)| {
            json!([
                node.name,
                node.uuid.as_str(),
                u8::from(initial.entry[at]),
                u8::from(initial.high_value[at]),
                initial.vulnerability[at],
                node.place.0,
                node.place.1
            ])
        })
        .collect();
    let name = |node: u16| network.nodes[node as usize].name.as_str();
    let edges: Vec<Value> = network.edges().map(|(one, other)| json!([name(one), name(other)])).collect();
    let neighbours: Vec<Vec<&str>> =
        network.neighbours.iter().map(|list| list.iter().map(|node| name(*node)).collect()).collect();
    json!({
        "params": {
            "entry_pref": parameters.entry_preference, "entry_n": parameters.entry_count,
            "high_pref": parameters.high_value_preference, "high_n": parameters.high_value_count,
            "random_entry": parameters.random_entry, "random_high": parameters.random_high_value,
            "random_vulnerabilities": parameters.random_vulnerabilities, "lower": lower, "upper": upper,
        },
        "nodes": nodes, "edges": edges, "neighbours": neighbours,
    })
}

/// The draws since the last call, as recordings write them.
fn tape(simulator: &mut Simulator<Recorder>) -> Value {
    let entries = simulator.draws().take();
    entries.iter().map(|entry| write_entry(simulator, entry)).collect()
}

fn write_entry<D>(simulator: &Simulator<D>, entry: &Entry) -> Value {
    let Entry { site, function, arguments, result, unit, weights } = entry;
    let arguments = match arguments {
        Arguments::Whole(low, high) => json!([low, high]),
        Arguments::Real(low, high) => json!([low, high]),
        Arguments::List(items) if site.purpose == Purpose::Action => json!(items),
        Arguments::List(items) => items.iter().map(|node| Value::from(simulator.name(*node))).collect(),
    };
    let result = match result {
        Drawn::Whole(value) => json!(value),
        Drawn::Real(value) => json!(value),
        Drawn::List(values) => json!(values),
    };
    let node = site.node.map(|node| simulator.name(node));
    let mut row = vec![json!(site.purpose.name()), json!(node), json!(function.name()), arguments, result];
    match function {
        Function::Choices => row.push(json!([unit, weights])),
        Function::NumpyChoice => row.push(json!(weights)),
        _ => {}
    }
    Value::Array(row)
}

/// What the lines before told of the state.
struct LastState {
    rows: [Map<String, Value>; 2],
    vulnerability: Map<String, Value>,
    order: Value,
    special: Value,
}

fn row<D>(simulator: &Simulator<D>, graph: &Graph, node: u16) -> Value {
    graph.neighbours(node).iter().map(|other| Value::from(simulator.name(*other))).collect()
}

impl LastState {
    fn initial<D>(simulator: &Simulator<D>) -> Self {
        let graph = &simulator.state().initial.graph;
        let rows = graph.order().iter().map(|node| (simulator.name(*node).to_owned(), row(simulator, graph, *node)));
        let rows: Map<String, Value> = rows.collect();
        Self { rows: [rows.clone(), rows], vulnerability: Map::new(), order: Value::Null, special: Value::Null }
    }

    /// The state, what did not change left out.
    fn state<D>(&mut self, simulator: &Simulator<D>) -> Value {
        let state = simulator.state();
        let order = state.now.order();
        let bits = |flags: &[bool]| -> String {
            order.iter().map(|node| if flags[*node as usize] { '1' } else { '0' }).collect()
        };
        let named = |flags: &[bool]| -> Vec<&str> {
            order.iter().filter(|node| flags[**node as usize]).map(|node| simulator.name(*node)).collect()
        };
        let mut last_state = json!({
            "comp": bits(&state.compromised), "view": bits(&state.view), "know": bits(&state.known),
            "iso": bits(&state.isolated), "loc": state.location.map(|node| simulator.name(node)),
            "zd": [state.stock, state.day], "dec": [json!(state.pointer), json!(state.in_play), json!(state.full)],
            "dur": state.steps,
        });
        let mut add = |key: &str, value: Value| {
            if let Some(map) = last_state.as_object_mut() {
                map.insert(key.to_owned(), value);
            }
        };
        if state.sine.is_some() {
            add("sine", sine(simulator));
        }
        let names: Value = order.iter().map(|node| Value::from(simulator.name(*node))).collect();
        if names != self.order {
            add("order", names.clone());
            self.order = names;
        }
        let mut changed = Map::new();
        for node in order {
            let value = json!(state.vulnerability[*node as usize]);
            if self.vulnerability.get(simulator.name(*node)) != Some(&value) {
                changed.insert(simulator.name(*node).to_owned(), value.clone());
                self.vulnerability.insert(simulator.name(*node).to_owned(), value);
            }
        }
        if !changed.is_empty() {
            add("vuln", Value::Object(changed));
        }
        for (at, (key, graph)) in [("adj", &state.now), ("badj", &state.whole)].into_iter().enumerate() {
            let mut changed = Map::new();
            for node in graph.order() {
                let (name, row) = (simulator.name(*node).to_owned(), row(simulator, graph, *node));
                if self.rows[at].get(&name) != Some(&row) {
                    changed.insert(name.clone(), row.clone());
                    self.rows[at].insert(name, row);
                }
            }
            if !changed.is_empty() {
                add(key, Value::Object(changed));
            }
        }
        let special = json!([named(&state.entry), named(&state.high_value)]);
        if special != self.special {
            add("special", special.clone());
            self.special = special;
        }
        last_state
    }
}
