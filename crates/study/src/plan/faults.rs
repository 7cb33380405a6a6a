//! The section `faults` of a study: variants of injected faults, by rate.

use gimbal_core::yaml::{At, Kind, Node};
use serde_json::{Map, Value, json};

use super::error::Problem;
use super::members::{Members, decimal, items, shown};
use crate::faults::{Fault, Faults, ONE, Site};

/// The word for a variant without faults.
const NONE: &str = "none";

/// A variant of injected faults.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct FaultSet {
    /// What tables call it: the study's own name, else the rates; empty where no fault is ever injected.
    pub label: String,
    /// The rates.
    pub faults: Faults,
    /// Its place in the file.
    pub at: At,
}

/// The variants that a study names, in its order.
///
/// # Errors
/// An unknown key, a value that is not a rate, rates of one site that add up to more than 1, and variants that are the same.
pub fn parse(node: &Node, file: &str) -> Result<Vec<FaultSet>, Problem> {
    let mut sets: Vec<FaultSet> = Vec::new();
    for item in items(node) {
        let set = fault_set(item, file)?;
        if sets.iter().any(|known| known.faults == set.faults) {
            let what = "two entries of `faults` have the same rates (a rate of 0 is none); drop one";
            return Err(Problem::at(file, set.at, what));
        }
        if sets.iter().any(|known| known.label == set.label) {
            let what = format!("two entries of `faults` are called `{}`; give each its own `name`", set.label);
            return Err(Problem::at(file, set.at, what));
        }
        sets.push(set);
    }
    Ok(sets)
}

fn fault_set(node: &Node, file: &str) -> Result<FaultSet, Problem> {
    if node.kind == Kind::Scalar(Value::from(NONE)) {
        return Ok(FaultSet { at: node.at, ..FaultSet::default() });
    }
    if !matches!(node.kind, Kind::Map(_)) {
        let what = "an entry of `faults` is `none` or a map of rates, e.g. `{ name: noisy, model.malformed: 0.1 }`";
        return Err(Problem::at(file, node.at, what));
    }
    let mut members = Members::of(node, file, "an entry of `faults`")?;
    let name = members.get("name").map(|node| shown(node, file, "`name`")).transpose()?;
    let mut rates = Vec::new();
    for fault in Fault::ALL {
        if let Some(node) = members.get(fault.key()) {
            let rate = decimal(node, file, &format!("the rate `{}`", fault.key()), 0.0, 1.0)?;
            rates.push((fault, millionths(rate, node, file, fault)?));
        }
    }
    members.finish()?;
    for site in Site::ALL {
        let sum: u64 = rates.iter().filter(|(fault, _)| fault.site() == site).map(|(_, rate)| u64::from(*rate)).sum();
        if sum > u64::from(ONE) {
            let site = site.name();
            let what = format!("the rates of `{site}` add up to more than 1, and a call gets at most one fault");
            return Err(Problem::at(file, node.at, what));
        }
    }
    let faults = Faults::new(rates);
    let label = match (faults.is_none(), name) {
        (true, _) => String::new(),
        (false, Some(name)) => name,
        (false, None) => faults.label(),
    };
    Ok(FaultSet { label, faults, at: node.at })
}

/// A rate in the unit that it is kept and drawn in; one that is too small for it would silently be none.
fn millionths(rate: f64, node: &Node, file: &str, fault: Fault) -> Result<u32, Problem> {
    let exact = rate * f64::from(ONE);
    if rate > 0.0 && exact < 0.5 {
        let what = format!("the rate `{}` is below 0.000001: give more, or 0 for none", fault.key());
        return Err(Problem::at(file, node.at, what));
    }
    Ok(exact.round() as u32)
}

/// JSON Schema of one variant.
#[must_use]
pub fn schema(name: &Value) -> Value {
    let mut properties = Map::new();
    properties.insert("name".to_owned(), name.clone());
    for fault in Fault::ALL {
        let text = format!("Rate of {} at the site {}.", fault.name(), fault.site().name());
        let rate = json!({ "type": "number", "minimum": 0, "maximum": 1, "description": text });
        properties.insert(fault.key().to_owned(), rate);
    }
    json!({ "anyOf": [
        { "const": NONE },
        { "type": "object", "properties": properties, "additionalProperties": false },
    ] })
}
