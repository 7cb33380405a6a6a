//! A deterministic belief state of what is carried, built from the agent's own observations and calls only.
//!
//! It holds for every item of the shown commands a baseline (the commands that make it and those that take it), how many of
//! it are carried, and a record of what was done for it; and a log of the episode. It renders three blocks for prompts and
//! answers two read-only queries. It never says what to do: its own words are those of [`words`] (BOG-080 to BOG-090,
//! BOG-100 to BOG-106).
//!
//! | what the reply says | what follows |
//! |---|---|
//! | `Got n x` | n more of x |
//! | `Crafted n x` | n more of x, and less of what the command listed |
//! | `Inventory: ...` | exactly what is there |
//! | `Could not find x` | x could not be found |
//! | any other refusal of a crafting command | the command to make x failed |
//!
//! An item is *changed* while some of it is carried, *unknown* while none is and a command for it failed, else in its
//! *baseline* state.

mod item;
mod query;
pub mod words;

pub use gimbal_env_kit::JUSTIFICATION_LIMIT;
pub use item::Status;

use gimbal_core::{Observation, Rejection, Stepped, ToolCall, ToolSpec};
use gimbal_env_kit::{Belief, BeliefTracker, Logged, StepKind, json};

use self::item::Item;
use crate::action;
use crate::command::{self, Command};
use crate::count::Count;
use crate::names::NAMESPACE;

/// The tracker of one episode.
pub type ItemTracker = BeliefTracker<ItemBelief>;

/// What is known of the items of one episode.
///
/// # Examples
/// ```
/// use gimbal_core::{Observation, Stepped, ToolCall, Tracker};
/// use gimbal_textcraft::tracker::ItemTracker;
///
/// let mut tracker = ItemTracker::default();
/// let seen = |text: &str| Observation { text: text.to_owned(), ..Observation::default() };
/// tracker.begin(&seen("Crafting commands:\ncraft 4 oak planks using 1 oak logs\n\nGoal: craft oak planks."));
/// let call = ToolCall::with("textcraft_select_command", &[("command", "get 2 oak logs")]);
/// let (observation, justification) = (seen("Got 2 oak logs"), None);
/// tracker.update(Stepped { step: 1, call: &call, observation: &observation, justification });
/// assert!(tracker.block("status").is_some_and(|text| text.contains(r#""current_status":"changed","carried":2"#)));
/// ```
#[derive(Clone, Debug, Default)]
pub struct ItemBelief {
    /// In the order of their first appearance in the commands; others behind.
    items: Vec<Item>,
}

/// What is believed of an item.
#[derive(Clone, Copy, Debug)]
pub struct ItemStatus<'a> {
    /// Its name, as the commands show it.
    pub name: &'a str,
    /// Its status.
    pub status: Status,
    /// How many are carried.
    pub carried: &'a Count,
}

impl ItemBelief {
    /// The items in the order in which the commands name them first; others follow.
    pub fn statuses(&self) -> impl Iterator<Item = ItemStatus<'_>> {
        self.items.iter().map(|item| ItemStatus { name: &item.name, status: item.status(), carried: &item.carried })
    }

    fn item(&mut self, name: &str) -> &mut Item {
        let known = self.items.iter().position(|item| item.name == name);
        let at = known.unwrap_or_else(|| {
            self.items.push(Item { name: name.to_owned(), ..Item::default() });
            self.items.len() - 1
        });
        &mut self.items[at]
    }

    /// Takes in a reply to a command.
    fn heard(&mut self, now: u32, command: &str, reply: &str) {
        let (verb, target) = match Command::read(command) {
            Command::Craft { output, .. } => {
                let name = command::output(output).map_or(output, |(_, name)| name);
                ("craft", Some(name.replace('_', " ")))
            }
            Command::Get { item, .. } => ("get", Some(item.replace('_', " "))),
            Command::Inventory => ("inventory", None),
            Command::Unknown => ("", None),
        };
        // A name that no command shows and that failed is not an item to keep.
        let known = |items: &[Item], name: &str| items.iter().any(|item| item.name == name);
        let target = target.filter(|name| known(&self.items, name) || reply.starts_with("Got "));
        if let Some(name) = &target {
            let item = self.item(name);
            item.applied.add(verb);
            item.named = now;
        }
        if let Some((count, item)) = reply.strip_prefix("Got ").and_then(amount) {
            let item = self.item(&item);
            item.carried.add(&count);
            (item.not_found, item.named) = (false, now);
        } else if let Some((count, made)) = reply.strip_prefix("Crafted ").and_then(amount) {
            for (count, taken) in action::listed(command) {
                let item = self.item(&taken);
                item.carried.take(&count);
                item.named = now;
            }
            let item = self.item(&made);
            item.carried.add(&count);
            (item.not_made, item.named) = (false, now);
        } else if let Some(list) = reply.strip_prefix("Inventory: ") {
            self.items.iter_mut().for_each(|item| item.carried = Count::default());
            for entry in list.split('[').skip(1) {
                let Some((name, rest)) = entry.split_once("] (") else { continue };
                let Some(count) = rest.split(')').next().and_then(Count::read) else { continue };
                let item = self.item(name);
                (item.carried, item.named) = (count, now);
            }
        } else if let Some(name) = target {
            let item = self.item(&name);
            match verb {
                "get" => item.not_found = true,
                _ => item.not_made = true,
            }
        }
    }
}

/// An amount and a name, as replies write them.
fn amount(text: &str) -> Option<(Count, String)> {
    let (count, name) = command::numbered(text)?;
    let name = name.strip_prefix(NAMESPACE).unwrap_or(name);
    Some((Count::read(count)?, name.replace('_', " ")))
}

/// The queries that it answers.
pub(crate) fn queries() -> &'static [ToolSpec] {
    query::specs()
}

impl Belief for ItemBelief {
    const NO_OBSERVATION: &'static str = "";

    fn begin(&mut self, first: &Observation) {
        *self = Self::default();
        for line in first.text.lines() {
            let Command::Craft { output, inputs } = Command::read(line) else { continue };
            let Some((_, made)) = command::output(output) else { continue };
            self.item(made).made_by.push(line.to_owned());
            for part in inputs.split(',') {
                if let Some((_, taken)) = command::numbered(command::trimmed(part)) {
                    self.item(taken).taken_by.push(line.to_owned());
                }
            }
        }
    }

    fn update<'a>(&mut self, step: Stepped<'a>) -> Logged<'a> {
        let Stepped { step, call, observation, .. } = step;
        let command = action::command_of(call).unwrap_or_default();
        let before: Vec<Status> = self.items.iter().map(Item::status).collect();
        self.heard(step, &command, &observation.text);
        let news = self.items.iter().enumerate().filter_map(|(at, item)| {
            let was = before.get(at).copied().unwrap_or(Status::Baseline);
            (item.status() != was).then(|| (item.name.clone(), item.status().text()))
        });
        let updates = news.collect();
        let kind = if command == "inventory" { StepKind::Look } else { StepKind::Act };
        Logged { action: command.into(), kind, updates }
    }

    fn status(&self, now: u32) -> String {
        let mut out = String::new();
        let items = self.items.iter().filter(|item| item.status() != Status::Baseline);
        let any = json::objects(&mut out, words::STATUS, items, |out, item| {
            json::member(out, words::ITEM_NAME, &item.name);
            json::member(out, words::CURRENT_STATUS, item.status().text());
            query::carried(out, item);
            item.applied.write(out, item.named == now);
        });
        if any { out } else { words::ALL_BASELINE.to_owned() }
    }

    fn queries(&self) -> &[ToolSpec] {
        query::specs()
    }

    fn query(&self, _now: u32, call: &ToolCall) -> Result<String, Rejection> {
        query::answer(&self.items, call)
    }
}
