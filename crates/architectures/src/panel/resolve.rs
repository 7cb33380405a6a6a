//! The panel that settings describe, and combinations that mean nothing.

use gimbal_agent::Agent;
use gimbal_core::{BuildError, Files};
use gimbal_messages::Message;
use serde_json::Value;

use super::Panel;
use super::messages::{BALLOT, Contracts, OPINION};
use super::settings::{MOST, Settings};
use crate::shared::member::{Member, Place};

/// Members where a study does not say.
const SIZE: usize = 3;

/// The panel that the settings describe.
pub(super) fn resolve(name: &str, settings: &Value, files: &dyn Files) -> Result<Panel, BuildError> {
    let settings: Settings = crate::shared::configuration::read(name, settings, files)?;
    let wrong = |key: &str, words: String| BuildError::new(format!("{name}: {words}")).at(key);
    let rules = crate::shared::packet::rules(files).map_err(|words| wrong("", words))?;
    let contracts = Contracts::read().map_err(|error| wrong("", error.to_string()))?;
    let usual = if settings.rounds { 1 } else { SIZE };
    let size = settings.size.map_or(usual, |size| usize::try_from(size).unwrap_or(usize::MAX));
    let named = settings.members.as_ref().map(Vec::len);
    if settings.size.is_some() && named.is_some() {
        return Err(wrong("size", "`members` says how many there are: leave `size` out".to_owned()));
    }
    let size = named.unwrap_or(size);
    if !(1..=MOST).contains(&size) {
        let key = if named.is_some() { "members" } else { "size" };
        return Err(wrong(key, format!("a panel has 1 to {MOST} members, and this one has {size}")));
    }
    let (persona, message): (&str, &'static dyn Message) =
        if settings.rounds { ("participant", &BALLOT) } else { ("panelist", &OPINION) };
    let usual = Member::default();
    let mut members: Vec<(String, Agent)> = Vec::with_capacity(size);
    for place in 0..size {
        let own = settings.members.as_ref().and_then(|members| members.get(place)).unwrap_or(&usual);
        let lane = format!("panelist_{}", place + 1);
        let agent = Place { name: &lane, persona, message: Some(message), delegates: &[] };
        let agent = agent
            .agent(name, (own, &settings.agent), files)
            .map_err(|error| BuildError::new(error.message).at(format!("members[{place}]")))?;
        members.push((lane, agent));
    }
    let context = match members.first() {
        Some((_, first)) => crate::shared::settings::context(name, first.persona(), settings.context.clone())?,
        None => Vec::new(),
    };
    Ok(Panel { members, rule: settings.rule, rounds: settings.rounds, context, contracts, rules })
}

/// Keys of members that no member has; maps in lists are not read by the schema of the settings.
pub(super) fn strict_members(name: &str, settings: &Value) -> Result<(), BuildError> {
    let members = settings.get("members").and_then(Value::as_array).into_iter().flatten();
    for (place, member) in members.enumerate() {
        crate::shared::settings::read::<Member>(name, member).map_err(|error| {
            let key = format!("members[{place}]");
            BuildError::new(format!("{name}: {key}: {}", error.message)).at(key)
        })?;
    }
    Ok(())
}
