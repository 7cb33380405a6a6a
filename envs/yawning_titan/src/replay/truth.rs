//! The true state as recordings tell it: whole at first, then by what changed.

use std::collections::HashMap;

use gimbal_parity::Json;

use super::Findings;
use crate::draws::Tape;
use crate::dynamics::Graph;
use crate::recording::push_real;
use crate::sim::Simulator;

/// The recorded state, put together from its changes.
#[derive(Clone, Debug, Default)]
pub(super) struct Truth {
    order: Vec<String>,
    vulnerability: HashMap<String, f64>,
    now: HashMap<String, Vec<String>>,
    whole: HashMap<String, Vec<String>>,
    special: [Vec<String>; 2],
}

const STATE_FIELDS: [&str; 14] =
    ["comp", "view", "know", "iso", "loc", "zd", "dec", "dur", "sine", "order", "vuln", "adj", "badj", "special"];

fn texts(json: &Json) -> Option<Vec<String>> {
    json.as_list()?.iter().map(|item| item.as_text().map(str::to_owned)).collect()
}

fn entries(json: &Json) -> Option<&[(String, Json)]> {
    if let Json::Map(entries) = json { Some(entries) } else { None }
}

impl Truth {
    /// As at a reset, before what its line tells: the rows of the initial network.
    pub fn initial(simulator: &Simulator<Tape>) -> Self {
        let state = simulator.state();
        let rows: HashMap<String, Vec<String>> = state
            .initial
            .graph
            .order()
            .iter()
            .map(|node| (simulator.name(*node).to_owned(), row(simulator, &state.initial.graph, *node)))
            .collect();
        Self { now: rows.clone(), whole: rows, ..Self::default() }
    }

    /// Takes in a recorded state. `None` if it is malformed.
    pub fn apply(&mut self, recorded: &Json) -> Option<()> {
        let fields = entries(recorded)?;
        if fields.iter().any(|(key, _)| !STATE_FIELDS.contains(&key.as_str())) {
            return None;
        }
        if let Some(order) = recorded.get("order") {
            self.order = texts(order)?;
        }
        if let Some(changed) = recorded.get("vuln") {
            for (name, value) in entries(changed)? {
                self.vulnerability.insert(name.clone(), value.as_real()?);
            }
        }
        for (key, rows) in [("adj", &mut self.now), ("badj", &mut self.whole)] {
            if let Some(changed) = recorded.get(key) {
                for (name, list) in entries(changed)? {
                    rows.insert(name.clone(), texts(list)?);
                }
            }
        }
        if let Some(special) = recorded.get("special") {
            let [entry, high_value] = special.as_list()? else { return None };
            self.special = [texts(entry)?, texts(high_value)?];
        }
        Some(())
    }

    /// Compares everything with the simulator's state.
    pub fn check(&self, recorded: &Json, simulator: &Simulator<Tape>, findings: &mut Findings) {
        let state = simulator.state();
        let names = |nodes: &mut dyn Iterator<Item = u16>| -> Vec<String> {
            nodes.map(|node| simulator.name(node).to_owned()).collect()
        };
        let order = state.now.order();
        let got = names(&mut order.iter().copied());
        if got != self.order {
            findings.differs("state.order", &list(&self.order), &list(&got));
            return;
        }
        let bits = |flags: &[bool]| -> String {
            order.iter().map(|node| if flags[*node as usize] { '1' } else { '0' }).collect()
        };
        for (key, flags) in
            [("comp", &state.compromised), ("view", &state.view), ("know", &state.known), ("iso", &state.isolated)]
        {
            if let Some(expected) = recorded.get(key) {
                findings.check(&format!("state.{key}"), expected.as_text().unwrap_or("no text"), &bits(flags));
            }
        }
        let sine = state.sine.map(|sine| {
            let shifts = (f64::from(sine.sine_shift), f64::from(sine.cosine_shift));
            Json::List([sine.time, shifts.0, shifts.1, sine.sine_factor, sine.cosine_factor].map(Json::Real).to_vec())
        });
        let whole = |value: i64| Json::Whole(i128::from(value));
        let singles = [
            ("loc", Some(state.location.map_or(Json::Null, |node| Json::Text(simulator.name(node).to_owned())))),
            ("zd", Some(Json::List(vec![whole(state.stock), whole(state.day)]))),
            (
                "dec",
                Some(Json::List(vec![
                    whole(state.pointer as i64),
                    whole(state.in_play as i64),
                    Json::Bool(state.full),
                ])),
            ),
            ("dur", Some(whole(state.steps))),
            ("sine", sine),
        ];
        for (key, got) in singles {
            match (recorded.get(key), got) {
                (Some(expected), Some(got)) if *expected == got => {}
                (None, _) => {}
                (Some(expected), got) => {
                    let got = got.unwrap_or(Json::Null).to_string();
                    findings.differs(&format!("state.{key}"), &expected.to_string(), &got);
                }
            }
        }
        for node in order {
            let name = simulator.name(*node);
            let (expected, got) = (self.vulnerability.get(name).copied(), simulator.vulnerability(*node));
            if expected.map(f64::to_bits) != Some(got.to_bits()) && expected != Some(got) {
                findings.differs(
                    &format!("state.vuln.{name}"),
                    &expected.map_or_else(|| "null".to_owned(), real),
                    &real(got),
                );
            }
            for (key, rows, graph) in [("adj", &self.now, &state.now), ("badj", &self.whole, &state.whole)] {
                let got = row(simulator, graph, *node);
                if rows.get(name) != Some(&got) {
                    let expected = rows.get(name).map_or_else(|| "null".to_owned(), |row| list(row));
                    findings.differs(&format!("state.{key}.{name}"), &expected, &list(&got));
                }
            }
        }
        let special = [&state.entry, &state.high_value]
            .map(|flags| names(&mut order.iter().copied().filter(|node| flags[*node as usize])));
        for (at, key) in ["entry", "high value"].into_iter().enumerate() {
            if special[at] != self.special[at] {
                findings.differs(&format!("state.special, {key}"), &list(&self.special[at]), &list(&special[at]));
            }
        }
    }
}

fn row(simulator: &Simulator<Tape>, graph: &Graph, node: u16) -> Vec<String> {
    graph.neighbours(node).iter().map(|other| simulator.name(*other).to_owned()).collect()
}

fn list(names: &[String]) -> String {
    format!("{names:?}")
}

fn real(value: f64) -> String {
    let mut out = String::new();
    push_real(&mut out, value);
    out
}
