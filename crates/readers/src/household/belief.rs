//! What is known of the house, from what the page shows.

use std::collections::{BTreeMap, BTreeSet};
use std::sync::OnceLock;

use regex::Regex;
use serde_json::Value;

use crate::kit::{Own, Sheet, embedded};

/// Numbered names, such as `egg 4`.
fn names() -> Option<&'static Regex> {
    static NAMES: OnceLock<Option<Regex>> = OnceLock::new();
    NAMES.get_or_init(|| Regex::new(r"\b[a-z]+ \d+\b").ok()).as_ref()
}

/// The numbered names in a text, in order.
pub(super) fn named(text: &str) -> Vec<String> {
    let mut found: Vec<String> = Vec::new();
    for name in names().into_iter().flat_map(|names| names.find_iter(text)) {
        if !found.iter().any(|known| known == name.as_str()) {
            found.push(name.as_str().to_owned());
        }
    }
    found
}

/// What is known.
#[derive(Clone, Debug, Default)]
pub(super) struct Belief {
    /// Receptacles in the order in which they were named.
    pub places: Vec<String>,
    /// What each was last seen to hold.
    pub holds: BTreeMap<String, Vec<String>>,
    /// Receptacles that were seen closed and not opened since.
    pub closed: BTreeSet<String>,
    pub here: Option<String>,
    pub carried: Option<String>,
    /// Objects with what was done with them: verb and object.
    pub treated: BTreeSet<(String, String)>,
    /// Commands after which nothing happened.
    pub vain: BTreeSet<String>,
    /// Receptacles that the agent went to, by its own past.
    pub visited: BTreeSet<String>,
    /// Whether the page shows neither a past nor a belief state: only where the agent is says where to go on.
    pub blind: bool,
}

/// The command that an agent gave.
pub(super) fn command(own: &Own) -> Option<String> {
    let bare = |text: &str| match text.split_once('=') {
        Some((_, value)) => value.trim().trim_matches('"').to_owned(),
        None => text.trim().to_owned(),
    };
    match own {
        Own::Action(text) => Some(bare(text)),
        Own::Call(_, arguments) => arguments.get("command").and_then(Value::as_str).map(str::to_owned),
        Own::Use(..) | Own::Said(_) => None,
    }
}

impl Belief {
    /// What a page says of the receptacles that there are.
    pub(super) fn of_places(sheet: &Sheet<'_>) -> Self {
        let mut belief = Self::default();
        if let Some(first) = sheet.section("first_observation") {
            belief.furnish(first);
        }
        for choice in sheet.choices() {
            if let Some(place) = choice.literal.strip_prefix("go to ") {
                belief.furnish(place);
            }
        }
        belief
    }

    /// Takes in the conversation.
    pub(super) fn follow(&mut self, sheet: &Sheet<'_>) {
        for turn in sheet.talk.iter().filter(|turn| !turn.refused) {
            if let Some(command) = command(&turn.own) {
                self.hear(&command, &turn.seen);
            }
        }
    }

    fn furnish(&mut self, text: &str) {
        // Rooms are numbered too, and nobody goes to a room.
        let rooms: Vec<String> =
            text.split(" in the ").skip(1).filter_map(|rest| named(rest).into_iter().next()).collect();
        for name in named(text).into_iter().filter(|name| !rooms.contains(name)) {
            if !self.places.contains(&name) {
                self.places.push(name);
            }
        }
    }

    /// What a status block, a segment's calls and a memory say.
    pub(super) fn told(&mut self, text: &str) {
        for value in embedded(text) {
            self.take(&value);
        }
    }

    fn take(&mut self, value: &Value) {
        let text = |value: &Value, key: &str| value.get(key).and_then(Value::as_str).map(str::to_owned);
        match value {
            Value::Array(items) => items.iter().for_each(|item| self.take(item)),
            Value::Object(members) => {
                if let Some(here) = text(value, "location") {
                    self.here = Some(here).filter(|here| here.contains(' '));
                    self.carried = text(value, "carried").and_then(|carried| named(&carried).into_iter().next());
                }
                if let Some(name) = text(value, "receptacle_name") {
                    let holds = members.get("holds").and_then(|holds| match holds {
                        Value::Array(items) => {
                            Some(items.iter().filter_map(Value::as_str).map(str::to_owned).collect::<Vec<_>>())
                        }
                        Value::String(text) => Some(named(text)),
                        _ => None,
                    });
                    self.furnish(&name);
                    if text(value, "door").as_deref() == Some("closed") {
                        self.closed.insert(name.clone());
                    }
                    if let Some(holds) = holds {
                        self.holds.insert(name.clone(), holds);
                    }
                    for record in members.values().filter_map(Value::as_str) {
                        self.treatments_in(record);
                    }
                }
                // What those before wrote down: a treatment leaves no trace in a receptacle that was never visited.
                let facts = members.get("memory").and_then(|memory| memory.get("facts")).and_then(Value::as_array);
                facts.into_iter().flatten().filter_map(Value::as_str).for_each(|fact| self.treatments_in(fact));
                // The calls of a segment.
                let calls = members.get("segment").and_then(|segment| segment.get("calls")).and_then(Value::as_array);
                for call in calls.into_iter().flatten().filter_map(|call| text(call, "call")) {
                    self.treatments_in(&call);
                }
            }
            _ => {}
        }
    }

    /// The treatments as facts for those who come next.
    pub fn facts(&self) -> Vec<String> {
        self.treated.iter().map(|(verb, object)| format!("done: {verb} {object} with success")).collect()
    }

    pub(super) fn treatments_in(&mut self, text: &str) {
        for verb in ["clean", "heat", "cool"] {
            for part in text.split(&format!("{verb} ")).skip(1) {
                if let Some((object, _)) = part.split_once(" with ") {
                    self.treated.insert((verb.to_owned(), object.to_owned()));
                }
            }
        }
    }

    /// The outcome of a command.
    pub fn hear(&mut self, command: &str, seen: &str) {
        if seen.contains("Nothing happens") {
            self.vain.insert(command.to_owned());
            return;
        }
        let parts: Vec<&str> = command.splitn(2, ' ').collect();
        let (verb, rest) = (parts.first().copied().unwrap_or_default(), parts.get(1).copied().unwrap_or_default());
        match verb {
            "go" => {
                let place = rest.trim_start_matches("to ").to_owned();
                self.look_at(&place, seen);
                self.here = Some(place);
            }
            "open" => {
                self.closed.remove(rest);
                self.look_at(rest, seen);
            }
            "close" => {
                self.closed.insert(rest.to_owned());
            }
            "examine" if self.places.iter().any(|place| place == rest) => self.look_at(rest, seen),
            "take" => {
                if let Some((object, place)) = rest.split_once(" from ") {
                    self.holds.entry(place.to_owned()).or_default().retain(|known| known != object);
                    self.carried = Some(object.to_owned());
                }
            }
            "put" | "move" => {
                if let [object, place] = named(rest).as_slice() {
                    self.holds.entry(place.clone()).or_default().push(object.clone());
                    self.carried = None;
                }
            }
            "clean" | "heat" | "cool" => self.treatments_in(command),
            _ => {}
        }
    }

    pub(super) fn look_at(&mut self, place: &str, seen: &str) {
        if seen.contains("is closed") || seen.contains("is shut") {
            self.closed.insert(place.to_owned());
            return;
        }
        self.closed.remove(place);
        let holds = named(seen).into_iter().filter(|name| name != place).collect();
        self.holds.insert(place.to_owned(), holds);
    }

    /// Whether what a receptacle holds was seen.
    pub fn seen(&self, place: &str) -> bool {
        self.visited.contains(place)
            || self.holds.contains_key(place) && !self.closed.contains(place)
            || self.holds.get(place).is_some_and(|all| !all.is_empty())
    }

    /// Where an object of some kind was seen.
    pub fn find(&self, wanted: impl Fn(&str, &str) -> bool) -> Option<(String, String)> {
        self.holds.iter().find_map(|(place, objects)| {
            let found = objects.iter().find(|object| wanted(object, place))?;
            Some((found.clone(), place.clone()))
        })
    }
}
