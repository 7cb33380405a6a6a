//! What an agent is shown: the vector's content as JSON, first whole, then what is new or calls for a look.
//!
//! Nothing is shown that the vector does not hold: detected attacks are two sets of nodes, sources and targets, and
//! parts that the mode switches off are left out.

use std::fmt::Write as _;

use gimbal_env_kit::json;

use crate::names::Names;
use crate::sim::Simulator;

/// What was shown of a node last.
#[derive(Clone, Debug, Default, PartialEq)]
struct Shown {
    compromised: bool,
    vulnerability: f64,
    isolated: bool,
    neighbours: Vec<u16>,
}

/// Writes observations, each as a change of the one before.
#[derive(Clone, Debug, Default)]
pub struct Viewer {
    /// By node; none for one that was not in play.
    last: Vec<Option<Shown>>,
}

impl Viewer {
    /// The first observation of an episode: everything.
    pub fn first<D>(&mut self, simulator: &Simulator<D>, names: &Names) -> String {
        self.last.clear();
        self.last.resize(simulator.node_count(), None);
        let mut out = "{".to_owned();
        self.nodes(simulator, names, &mut out, true);
        sums(simulator, &mut out);
        let parts = &simulator.rules().observation;
        if parts.connectivity {
            number(&mut out, "connectivity", simulator.connectivity());
        }
        if parts.skill {
            number(&mut out, "attacker_skill", simulator.rules().skill);
        }
        out.push('}');
        out
    }

    /// The observation after a step.
    pub fn next<D>(&mut self, simulator: &Simulator<D>, names: &Names) -> String {
        let mut out = "{".to_owned();
        let parts = &simulator.rules().observation;
        if parts.attacking {
            list(&mut out, "attacking_nodes", names, |node| {
                simulator.detected().iter().any(|(source, _)| *source == Some(node))
            });
        }
        if parts.attacked {
            list(&mut out, "attacked_nodes", names, |node| {
                simulator.detected().iter().any(|(_, target)| *target == node)
            });
        }
        self.nodes(simulator, names, &mut out, false);
        sums(simulator, &mut out);
        out.push('}');
        out
    }

    fn nodes<D>(&mut self, simulator: &Simulator<D>, names: &Names, out: &mut String, first: bool) {
        json::key(out, "nodes");
        out.push('{');
        let rules = simulator.rules();
        let parts = &rules.observation;
        for node in names.order().iter().copied() {
            let at = node as usize;
            if !simulator.nodes().contains(&node) {
                self.last[at] = None;
                continue;
            }
            let now = Shown {
                compromised: parts.compromised && simulator.seen_compromised(node),
                vulnerability: if parts.vulnerabilities { simulator.vulnerability(node) } else { 0.0 },
                isolated: parts.connections && simulator.isolated(node),
                neighbours: if parts.connections { simulator.neighbours(node).to_vec() } else { Vec::new() },
            };
            let last = self.last[at].replace(now.clone());
            let new = last.as_ref().is_none_or(|last| *last != now);
            let attack = simulator.detected().iter().any(|(source, target)| {
                (parts.attacking && *source == Some(node)) || (parts.attacked && *target == node)
            });
            if !(new || attack || now.compromised || now.isolated) {
                continue;
            }
            json::key(out, names.node(node));
            out.push('{');
            if parts.compromised {
                flag(out, "compromised", now.compromised);
            }
            if parts.vulnerabilities {
                number(out, "vulnerability", now.vulnerability);
            }
            if parts.connections {
                flag(out, "isolated", now.isolated);
                if last.as_ref().is_none_or(|last| last.neighbours != now.neighbours) {
                    list(out, "connections", names, |other| now.neighbours.contains(&other));
                }
            }
            if parts.special && (first || last.is_none()) {
                flag(out, "entry", simulator.entry(node));
                if rules.loss_high_value {
                    flag(out, "high_value", simulator.high_value(node));
                }
                if rules.loss_target {
                    flag(out, "target", simulator.state().target == Some(node));
                }
            }
            out.push('}');
        }
        out.push('}');
    }
}

fn sums<D>(simulator: &Simulator<D>, out: &mut String) {
    if simulator.rules().observation.average {
        let nodes = simulator.nodes();
        let sum = nodes.iter().fold(0.0, |sum, node| sum + simulator.vulnerability(*node));
        number(out, "average_vulnerability", sum / nodes.len() as f64);
    }
}

fn flag(out: &mut String, key: &str, value: bool) {
    json::key(out, key);
    out.push_str(if value { "true" } else { "false" });
}

/// A number with at most four decimals.
fn number(out: &mut String, key: &str, value: f64) {
    json::key(out, key);
    let text = format!("{value:.4}");
    let text = text.trim_end_matches('0').trim_end_matches('.');
    // Writing to a string cannot fail.
    let _ = write!(out, "{}", if text == "-0" { "0" } else { text });
}

fn list(out: &mut String, key: &str, names: &Names, wanted: impl Fn(u16) -> bool) {
    json::key(out, key);
    out.push('[');
    for node in names.order().iter().copied().filter(|node| wanted(*node)) {
        if !out.ends_with('[') {
            out.push(',');
        }
        json::quote(out, names.node(node));
    }
    out.push(']');
}
