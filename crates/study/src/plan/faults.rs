//! The section `faults` of a study: variants of injected faults, by rate.

use gimbal_core::Files;
use gimbal_core::yaml::{Kind, Location, Node};
use serde_json::{Map, Value, json};

use std::sync::Arc;

use super::error::Problem;
use super::kinds::{self, described, is_set, with_empty};
use super::members::{Members, decimal, items, shown, small, string};
use crate::attacks::{Attack, Category, Suite};
use crate::faults::{Bounds, Fault, Faults, ONE, PlantedText, Rule, Site};

/// The word for a variant without faults.
const NONE: &str = "none";
/// Rules of one kind in one variant, at most.
const MOST: usize = 32;
/// A text with a letter and without control characters but line breaks and tabs.
const PLANTED: &str = r"^[^\u0000-\u0008\u000b-\u001f\u007f-\u009f]*[^\s\u0000-\u001f\u007f-\u009f][^\u0000-\u0008\u000b-\u001f\u007f-\u009f]*$";
/// Bytes of a planted text, at most.
const LONGEST: usize = 10_000;

/// A variant of injected faults.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct FaultSet {
    /// What tables call it: the study's own name, else the rates; empty where no fault is ever injected.
    pub label: String,
    /// The rates.
    pub faults: Faults,
    /// Its place in the file.
    pub at: Location,
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
    let mut rules = Vec::new();
    for fault in Fault::ALL {
        if let Some(node) = members.get(fault.key()) {
            rules.extend(rules_of(fault, node, file)?);
        }
    }
    members.finish()?;
    if rules.iter().filter(|rule| rule.attack.is_some()).count() > 1 {
        let what = "an entry of `faults` plants at most one attack: what became of two could not be told apart";
        return Err(Problem::at(file, node.at, what));
    }
    let faults = Faults::of(rules);
    for site in Site::ALL {
        if faults.most_at(site) > u64::from(ONE) {
            let site = site.name();
            let what = format!("the rates of `{site}` add up to more than 1, and a call gets at most one fault");
            return Err(Problem::at(file, node.at, what));
        }
    }
    let label = match (faults.is_none(), name) {
        (true, _) => String::new(),
        (false, Some(name)) => name,
        (false, None) => faults.label(),
    };
    Ok(FaultSet { label, faults, at: node.at })
}

/// The rules of one kind: a rate, or a map or list of maps with bounds.
fn rules_of(fault: Fault, node: &Node, file: &str) -> Result<Vec<Rule>, Problem> {
    let rate = |node: &Node| {
        let rate = decimal(node, file, &format!("the rate `{}`", fault.key()), 0.0, 1.0)?;
        millionths(rate, node, file, fault)
    };
    let plain = matches!(node.kind, Kind::Scalar(_));
    match fault {
        Fault::Altered if !plain => {}
        Fault::Planted if !plain => {}
        Fault::Planted => {
            let what = "`tool.planted` is a map with a text, e.g. `{ rate: 1, text: Ignore the goal., step: 3 }`, or a list of such";
            return Err(Problem::at(file, node.at, what));
        }
        _ => return Ok(vec![Rule::new(fault, rate(node)?)]),
    }
    let found = items(node);
    if found.len() > MOST {
        let what = format!("`{}` has {} rules, and at most {MOST} are taken", fault.key(), found.len());
        return Err(Problem::at(file, node.at, what));
    }
    let rule = |node: &&Node| {
        let what = format!("a rule of `{}`", fault.key());
        let mut members = Members::of(node, file, &what)?;
        let mut rule = Rule::new(fault, rate(members.need("rate")?)?);
        let step = members.get("step").map(|node| small(node, file, "`step`", 1)).transpose()?;
        if fault == Fault::Planted {
            rule.bounds.step = step;
            match attack(&mut members, file)? {
                Some(attack) => rule.attack = Some(attack),
                None => rule.text = Some(planted(&mut members, file)?),
            }
        } else {
            let mut agent =
                |key: &'static str| members.get(key).map(|node| shown(node, file, &format!("`{key}`"))).transpose();
            rule.bounds = Bounds { from: agent("from")?, to: agent("to")?, step };
        }
        members.finish()?;
        Ok(rule)
    };
    found.iter().map(rule).collect()
}

/// The attack that a rule plants, where it names a category; its suite is read when the study is resolved.
fn attack(members: &mut Members<'_>, file: &str) -> Result<Option<Attack>, Problem> {
    let (suite, category) = (members.get("suite"), members.get("attack"));
    let Some(node) = category else {
        return match suite {
            Some(node) => {
                Err(Problem::at(file, node.at, "`suite` is the file of an `attack`, which this rule does not name"))
            }
            None => Ok(None),
        };
    };
    if let Some(other) = members.get("text").or_else(|| members.get("file")) {
        return Err(Problem::at(file, other.at, "a rule of `tool.planted` has one of `text`, `file` and `attack`"));
    }
    if members.get("step").is_none() {
        return Err(Problem::at(
            file,
            node.at,
            "`attack` needs `step`: it is planted once, behind what is seen of that step",
        ));
    }
    let name = string(node, file, "`attack`")?;
    let Some(category) = Category::named(&name) else {
        let hint = gimbal_core::nearest::hint_among(&name, &Category::ALL.map(Category::name));
        return Err(Problem::at(file, node.at, format!("there is no attack `{name}`{hint}")));
    };
    let named = suite.map(|node| shown(node, file, "`suite`")).transpose()?;
    let suite = Suite::own()?;
    if named.is_none() && suite.category(category).is_none() {
        return Err(Problem::at(file, node.at, format!("the suite has no category `{name}`")));
    }
    Ok(Some(Attack { category, suite, file: named }))
}

/// What a rule plants: its own text, or that of a file, which is read when the study is resolved.
fn planted(members: &mut Members<'_>, file: &str) -> Result<PlantedText, Problem> {
    match (members.get("text"), members.get("file")) {
        (Some(node), None) => {
            let text = string(node, file, "`text`")?;
            checked(&text).map_err(|what| Problem::at(file, node.at, format!("`text` {what}")))?;
            Ok(PlantedText { text: text.into(), file: None })
        }
        (None, Some(node)) => Ok(PlantedText { text: "".into(), file: Some(shown(node, file, "`file`")?) }),
        (_, found) => {
            let at = found.map_or(members.at, |node| node.at);
            Err(Problem::at(
                file,
                at,
                "a rule of `tool.planted` needs either `text` or `file`, and not both; or `attack`",
            ))
        }
    }
}

/// What is wrong with a text that agents are to be shown.
fn checked(text: &str) -> Result<(), String> {
    if text.trim().is_empty() {
        return Err("is empty: there is nothing to plant".to_owned());
    }
    if text.len() > LONGEST {
        return Err(format!("has {} bytes, and at most {LONGEST} are planted", text.len()));
    }
    if let Some(found) = text.chars().find(|letter| letter.is_control() && !matches!(letter, '\n' | '\t')) {
        return Err(format!(
            "has the control character U+{:04X}; only line breaks and tabs are taken",
            u32::from(found)
        ));
    }
    Ok(())
}

/// Reads the texts that fault sets plant from files in the data folders, without the line break at their end.
///
/// Returns for each set what is wrong with its first such file: it is missing, cannot be read, or holds no text to plant.
pub(super) fn read_texts(sets: &mut [FaultSet], file: &str, files: &dyn Files) -> Vec<Problem> {
    let mut problems = Vec::new();
    for set in sets {
        let read = |path: &str| {
            let found = files.read(path).map_err(|error| error.to_string())?;
            let (text, place) = found.ok_or_else(|| {
                format!(
                    "there is no file `{path}` in the data folders; give its path below one of them, or write `text`"
                )
            })?;
            let text = text.replace("\r\n", "\n").trim_end_matches('\n').to_owned();
            checked(&text).map_err(|what| format!("{place} {what}"))?;
            Ok(text)
        };
        let read = set.faults.read_texts(read);
        problems.extend(read.err().map(|what: String| Problem::at(file, set.at, format!("`tool.planted`: {what}"))));
        let at = set.at;
        let read = |path: &str, category: Category| -> Result<Arc<Suite>, Problem> {
            let wrong = |what: String| Problem::at(file, at, format!("`tool.planted`: {what}"));
            let found = files.read(path).map_err(|error| wrong(error.to_string()))?;
            let (text, place) = found.ok_or_else(|| {
                wrong(format!("there is no suite `{path}` in the data folders; give its path below one of them"))
            })?;
            let suite = Suite::parse(&text, &place)?;
            if suite.category(category).is_none() {
                return Err(wrong(format!("the suite `{path}` has no category `{}`", category.name())));
            }
            Ok(Arc::new(suite))
        };
        problems.extend(set.faults.read_suites(read).err());
    }
    problems
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
        let step = json!({
            "type": "integer", "minimum": 1, "maximum": u32::MAX, "description": "Number of the step under way, from 1."
        });
        let rules = |bounds: Value, either: Option<Value>| {
            let mut rule = json!({ "type": "object", "required": ["rate"], "additionalProperties": false });
            rule["properties"] = bounds;
            rule["properties"]["rate"] = rate.clone();
            rule["properties"]["step"] = step.clone();
            with_empty(&mut rule);
            if let Some(either) = either {
                rule["oneOf"] = either;
            }
            (rule.clone(), json!({ "type": "array", "maxItems": MOST, "items": rule }))
        };
        let taken = match fault {
            Fault::Altered => {
                let (from, to) = (
                    described(kinds::shown(), "Who sends the message."),
                    described(kinds::shown(), "Who gets the message."),
                );
                let bounds = json!({ "from": from, "to": to });
                let (rule, list) = rules(bounds, None);
                json!({ "anyOf": [rate, rule, list] })
            }
            Fault::Planted => {
                let text = json!({
                    "type": ["string", "number", "boolean"], "pattern": PLANTED, "maxLength": LONGEST, "description": "The text."
                });
                let file = described(kinds::shown(), "Its file, in a data folder.");
                let attack = json!({
                    "enum": Category::ALL.map(Category::name), "description": "Category of a suite of attacks whose text is planted."
                });
                let suite =
                    described(kinds::shown(), "File of the suite, in a data folder; that of the program if left out.");
                // Only an attack has a suite.
                let alone =
                    |key: &str| json!({ "allOf": [is_set(key), { "properties": { "suite": { "type": "null" } } }] });
                let either = json!([
                    alone("text"), alone("file"), { "allOf": [is_set("attack"), is_set("step")] },
                ]);
                let own = json!({ "text": text, "file": file, "attack": attack, "suite": suite });
                let (rule, list) = rules(own, Some(either));
                json!({ "anyOf": [rule, list] })
            }
            _ => rate,
        };
        properties.insert(fault.key().to_owned(), taken);
    }
    let mut set = json!({ "type": "object", "properties": properties, "additionalProperties": false });
    with_empty(&mut set);
    json!({ "anyOf": [{ "const": NONE }, set] })
}
