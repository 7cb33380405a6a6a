//! From the lines of a recording to what the replay needs.

use std::collections::HashMap;

use gimbal_parity::{Json, Line, ReadError, Seed};
use serde_json::Value;

use crate::config::Config;
use crate::draws::{Arguments, Drawn, Entry, Function, PURPOSES, Purpose, Site};
use crate::dynamics::RedKind;
use crate::network::{
    EntryPreference, GENERATORS, Generator, HighValuePreference, MOST_NODES, Network, Node, Parameters, Uuid,
};

pub(crate) const ENV_FIELDS: [&str; 13] = [
    "kind",
    "env",
    "mode",
    "changes",
    "red",
    "seed",
    "network",
    "net",
    "n_actions",
    "obs_size",
    "connectivity",
    "sine",
    "tape",
];
pub(crate) const RESET_FIELDS: [&str; 10] =
    ["kind", "env", "ep", "seed", "policy", "horizon", "tape", "deceptive", "obs", "state"];
pub(crate) const STEP_FIELDS: [&str; 12] =
    ["kind", "ep", "t", "blue", "did", "red", "reward", "done", "obs_d", "seen", "state", "tape"];
pub(crate) const ERROR_FIELDS: [&str; 7] = ["kind", "ep", "t", "blue", "error", "text", "tape"];
pub(crate) const END_FIELDS: [&str; 6] = ["kind", "ep", "steps", "ret", "error", "rng_check"];

/// Every recorded field is compared, so a field that is not known is refused.
pub(crate) fn only(line: &Line<'_>, known: &[&str]) -> Result<(), ReadError> {
    match line.fields.iter().find(|(key, _)| !known.contains(&key.as_str())) {
        None => Ok(()),
        Some((key, _)) => Err(line.error(format!(
            "unknown field `{key}`: this is not the recording format that this version replays; it knows {}",
            known.join(", ")
        ))),
    }
}

/// What an `env` line sets up.
pub(crate) struct Env {
    pub number: u64,
    pub config: Config,
    pub red: RedKind,
    pub seed: Option<Seed>,
    /// The network before the draws of its building, as we make it; none if the line does not say how.
    pub made: Option<Network>,
    /// The network as recorded, after these draws.
    pub net: Network,
}

impl Env {
    pub fn read(line: &Line<'_>) -> Result<Self, ReadError> {
        only(line, &ENV_FIELDS)?;
        let wrong = |error: &dyn std::fmt::Display| line.error(error.to_string());
        let mut config = Config::mode(&line.text("mode")?).map_err(|error| wrong(&error))?;
        if let Json::Map(changes) = line.needed("changes")? {
            for (name, value) in &changes {
                config.set(name, &plain(value)).map_err(|error| wrong(&error))?;
            }
        } else {
            return Err(line.error("`changes` must be an object of options with their values"));
        }
        let red = RedKind::from_name(&line.text("red")?);
        let red = red.ok_or_else(|| line.error("`red` must be standard or sine"))?;
        let net = read_net(line)?;
        let made = made(line, &net)?;
        let number = line.whole("env")?.unwrap_or_default();
        Ok(Self { number, config, red, seed: line.seed()?, made, net })
    }
}

/// As plain JSON; reals keep every digit.
fn plain(json: &Json) -> Value {
    match json {
        Json::Null => Value::Null,
        Json::Bool(value) => Value::Bool(*value),
        Json::Whole(value) => i64::try_from(*value).map_or(Value::Null, Value::from),
        Json::Real(value) => Value::from(*value),
        Json::Text(text) => Value::from(text.as_str()),
        Json::List(items) => Value::Array(items.iter().map(plain).collect()),
        Json::Map(entries) => Value::Object(entries.iter().map(|(key, value)| (key.clone(), plain(value))).collect()),
    }
}

/// The network of the line as we make it ourselves, with the recorded ids.
fn made(line: &Line<'_>, net: &Network) -> Result<Option<Network>, ReadError> {
    let wrong = |error: &dyn std::fmt::Display| line.error(format!("`network`: {error}"));
    let mut network = match line.json("network")? {
        None | Some(Json::Null) => return Ok(None),
        Some(Json::Text(name)) => return Network::stored(&name).map(Some).map_err(|error| wrong(&error)),
        Some(Json::Map(entries)) => {
            let map = Json::Map(entries);
            let name = map.get("gen").and_then(Json::as_text).unwrap_or_default();
            let Some(Value::Object(arguments)) = map.get("args").map(plain) else {
                return Err(wrong(&"`args` must be an object of a generator's arguments"));
            };
            let seed = map.get("seed").and_then(Json::as_whole).and_then(|seed| u64::try_from(seed).ok());
            let seed = seed.ok_or_else(|| wrong(&"`seed` must be a whole number from 0 to 2^64-1"))?;
            let generator = Generator::read(name, &arguments).map_err(|error| wrong(&error))?;
            let mut ids = crate::draws::Fast::new(seed);
            let mut network = generator.make(&mut gimbal_parity::Mersenne::new(seed), &mut ids);
            network.parameters = match map.get("params") {
                None => Parameters::NONE,
                Some(given) => parameters(given, true).ok_or_else(|| wrong(&"`params` is malformed"))?,
            };
            network
        }
        Some(_) => {
            return Err(wrong(&format!(
                "expected a stored network's name, or gen, args, seed and params ({GENERATORS:?})"
            )));
        }
    };
    // Ids are random in the original; the recording says which.
    for node in &mut network.nodes {
        if let Some(recorded) = net.nodes.iter().find(|recorded| recorded.name == node.name) {
            node.uuid = recorded.uuid;
        }
    }
    Ok(Some(network))
}

fn preference<T: serde::de::DeserializeOwned>(json: &Json) -> Option<T> {
    T::deserialize(serde::de::value::StrDeserializer::<serde::de::value::Error>::new(json.as_text()?)).ok()
}

/// Parameters under the names of an `env` line's `net`, or under the original's own.
fn parameters(json: &Json, original: bool) -> Option<Parameters> {
    let key = |short: &str, long: &str| json.get(if original { long } else { short });
    let flag = |value: Option<&Json>| match value {
        Some(Json::Bool(value)) => Some(*value),
        None => Some(false),
        _ => None,
    };
    let whole = |value: Option<&Json>| match value {
        Some(value) => value.as_whole().and_then(|value| i64::try_from(value).ok()),
        None => Some(0),
    };
    let real = |value: Option<&Json>, default: f64| value.map_or(Some(default), Json::as_real);
    Some(Parameters {
        random_entry: flag(key("random_entry", "set_random_entry_nodes"))?,
        entry_count: whole(key("entry_n", "num_of_random_entry_nodes"))?,
        entry_preference: match key("entry_pref", "random_entry_node_preference") {
            Some(value) => preference::<EntryPreference>(value)?,
            None => EntryPreference::None,
        },
        random_high_value: flag(key("random_high", "set_random_high_value_nodes"))?,
        high_value_count: whole(key("high_n", "num_of_random_high_value_nodes"))?,
        high_value_preference: match key("high_pref", "random_high_value_node_preference") {
            Some(value) => preference::<HighValuePreference>(value)?,
            None => HighValuePreference::None,
        },
        random_vulnerabilities: flag(key("random_vulnerabilities", "set_random_vulnerabilities"))?,
        lower: real(key("lower", "node_vulnerability_lower_bound"), Parameters::NONE.lower)?,
        upper: real(key("upper", "node_vulnerability_upper_bound"), Parameters::NONE.upper)?,
    })
}

fn read_net(line: &Line<'_>) -> Result<Network, ReadError> {
    let net = line.needed("net")?;
    read_network(&net).ok_or_else(|| {
        line.error(format!(
            "`net` must hold params, nodes [name, uuid, entry, high value, vulnerability, x, y] (at most {MOST_NODES}), \
             edges and neighbours"
        ))
    })
}

fn read_network(net: &Json) -> Option<Network> {
    let flag = |json: &Json| match json {
        Json::Bool(value) => Some(*value),
        other => match other.as_whole()? {
            0 => Some(false),
            1 => Some(true),
            _ => None,
        },
    };
    let nodes = net.get("nodes")?.as_list()?.iter().map(|node| {
        let [name, uuid, entry, high_value, vulnerability, x, y] = node.as_list()? else { return None };
        Some(Node {
            name: name.as_text()?.to_owned(),
            uuid: Uuid::parse(uuid.as_text()?)?,
            entry: flag(entry)?,
            high_value: flag(high_value)?,
            vulnerability: vulnerability.as_real()?,
            place: (x.as_real()?, y.as_real()?),
        })
    });
    let nodes = nodes.collect::<Option<Vec<Node>>>().filter(|nodes| nodes.len() <= MOST_NODES)?;
    let place: HashMap<String, u16> =
        nodes.iter().enumerate().map(|(at, node)| (node.name.clone(), at as u16)).collect();
    let lists = net.get("neighbours")?.as_list()?;
    let neighbours = lists.iter().map(|list| {
        list.as_list()?.iter().map(|name| place.get(name.as_text()?).copied()).collect::<Option<Vec<u16>>>()
    });
    let neighbours = neighbours.collect::<Option<Vec<Vec<u16>>>>()?;
    let network = Network { parameters: parameters(net.get("params")?, false)?, nodes, neighbours };
    let pairs = net.get("edges")?.as_list()?.iter().map(|edge| {
        let [from, to] = edge.as_list()? else { return None };
        Some((place.get(from.as_text()?).copied()?, place.get(to.as_text()?).copied()?))
    });
    let pairs = pairs.collect::<Option<Vec<_>>>()?;
    let symmetric = network.neighbours.iter().enumerate().all(|(node, list)| {
        list.iter().enumerate().all(|(at, other)| {
            usize::from(*other) != node
                && !list[..at].contains(other)
                && network.neighbours[*other as usize].contains(&(node as u16))
        })
    });
    (network.neighbours.len() == network.nodes.len() && symmetric && network.edges().eq(pairs)).then_some(network)
}

/// Positions of nodes by their names.
pub(crate) fn names_of(names: &[String]) -> HashMap<String, u16> {
    names.iter().enumerate().map(|(at, name)| (name.clone(), at as u16)).collect()
}

/// A node by its name, or none for null.
pub(crate) fn node_of(json: &Json, names: &HashMap<String, u16>) -> Option<Option<u16>> {
    match json {
        Json::Null => Some(None),
        other => names.get(other.as_text()?).copied().map(Some),
    }
}

/// The draws, if the line has them.
pub(crate) fn read_tape(line: &Line<'_>, names: &HashMap<String, u16>) -> Result<Option<Vec<Entry>>, ReadError> {
    let Some(tape) = line.json("tape")? else { return Ok(None) };
    let entries = tape.as_list().ok_or_else(|| line.error("`tape` must be a list"))?;
    let entries = entries.iter().enumerate().map(|(at, entry)| {
        read_entry(entry, names).ok_or_else(|| {
            line.error(format!(
                "entry {at} of `tape` is malformed; expected [purpose, node or null, function, arguments, result (, extra)]"
            ))
        })
    });
    entries.collect::<Result<Vec<_>, _>>().map(Some)
}

fn read_entry(entry: &Json, names: &HashMap<String, u16>) -> Option<Entry> {
    let (parts, extra) = match entry.as_list()? {
        [purpose, node, function, arguments, result] => ([purpose, node, function, arguments, result], None),
        [purpose, node, function, arguments, result, extra] => {
            ([purpose, node, function, arguments, result], Some(extra))
        }
        _ => return None,
    };
    let [purpose, node, function, arguments, result] = parts;
    let purpose = purpose.as_text()?;
    let purpose: Purpose = PURPOSES.into_iter().find(|known| known.name() == purpose)?;
    let site = Site { purpose, node: node_of(node, names)? };
    const FUNCTIONS: [Function; 6] = [
        Function::Randint,
        Function::Uniform,
        Function::Choices,
        Function::Shuffle,
        Function::Sample,
        Function::NumpyChoice,
    ];
    let function = function.as_text()?;
    let function = FUNCTIONS.into_iter().find(|known| known.name() == function)?;
    let small = |value: &Json| value.as_whole().and_then(|value| i32::try_from(value).ok());
    let list = arguments.as_list()?;
    let arguments = match (function, list) {
        (Function::Randint, [low, high]) => Arguments::Whole(small(low)?, small(high)?),
        (Function::Uniform, [low, high]) => Arguments::Real(low.as_real()?, high.as_real()?),
        (Function::Randint | Function::Uniform, _) => return None,
        // Nodes by name, actions by number.
        (_, items) => Arguments::List(
            items
                .iter()
                .map(|item| match item {
                    Json::Text(name) => names.get(name).copied(),
                    other => other.as_whole().and_then(|value| u16::try_from(value).ok()),
                })
                .collect::<Option<Vec<u16>>>()?,
        ),
    };
    let result = match function {
        Function::Uniform => Drawn::Real(result.as_real()?),
        Function::Randint | Function::Choices => Drawn::Whole(small(result)?),
        _ => Drawn::List(
            result
                .as_list()?
                .iter()
                .map(|value| small(value).and_then(|value| u32::try_from(value).ok()))
                .collect::<Option<Vec<u32>>>()?,
        ),
    };
    let reals = |json: &Json| json.as_list()?.iter().map(Json::as_real).collect::<Option<Vec<f64>>>();
    let (unit, weights) = match (function, extra) {
        (_, None) => (None, None),
        (Function::Choices, Some(extra)) => {
            let [unit, weights] = extra.as_list()? else { return None };
            let weights = if matches!(weights, Json::Null) { None } else { Some(reals(weights)?) };
            (Some(unit.as_real()?), weights)
        }
        (Function::NumpyChoice, Some(extra)) => (None, Some(reals(extra)?)),
        _ => return None,
    };
    Some(Entry { site, function, arguments, result, unit, weights })
}
