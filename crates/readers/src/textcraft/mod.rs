//! A player of crafting tasks: takes what no command makes, and crafts the rest from the bottom up.
//!
//! It knows the commands and the goal that the prompt lists, and what the replies to its own commands say.

mod plan;
mod recipes;

use std::collections::BTreeMap;

use gimbal_core::chat::InformationKind;
use gimbal_model::Reply;
use serde_json::{Map, Value, json};

use crate::control::{self, Office, Step, Work};
use crate::kit::{Act, Form, Own, PastStep, Sheet, Turn, embedded, past_steps};
use plan::{Known, Move};
use recipes::{Book, Recipe, amount};

/// Whether the prompt mentions crafting commands.
#[must_use]
pub fn knows(sheet: &Sheet<'_>) -> bool {
    let says = |text: &str| text.contains("Crafting commands:") || text.contains("craft <number> <item>");
    says(&sheet.system)
        || sheet.shown().any(says)
        || sheet.tool("textcraft_craft").is_some()
        || sheet.system.contains("textcraft_")
        || sheet.shown().any(|text| text.contains("textcraft_"))
}

/// Answers a request.
#[must_use]
pub fn reply(sheet: &Sheet<'_>) -> Reply {
    control::reply(sheet, &Crafter)
}

struct Crafter;

/// What the page says in all: system message and what was shown.
fn whole(sheet: &Sheet<'_>) -> String {
    let mut text = sheet.system.clone();
    for shown in sheet.shown() {
        text.push('\n');
        // Texts within JSON have their line breaks written out.
        text.push_str(&shown.replace("\\n", "\n"));
    }
    text
}

fn book(sheet: &Sheet<'_>) -> Book {
    let mut listed: Vec<String> = sheet.choices().into_iter().map(|choice| choice.literal).collect();
    for tool in sheet.page.tools {
        for (_, schema) in tool.parameters["properties"].as_object().into_iter().flatten() {
            let values = schema.get("enum").and_then(Value::as_array).into_iter().flatten();
            listed.extend(values.filter_map(Value::as_str).map(str::to_owned));
        }
    }
    let book = Book::read(&whole(sheet), &listed);
    if book.goal.is_empty() {
        sheet.miss(InformationKind::Goal, "a line `Goal: craft ...`");
    }
    if book.recipes.is_empty() {
        sheet.miss(InformationKind::Tools, "lines `craft <number> <item> using ...`");
    }
    book
}

/// The command that the agent gave.
fn command(own: &Own) -> Option<String> {
    match own {
        Own::Action(text) => {
            let text = text.trim();
            let whole = text.strip_prefix("textcraft_select_command").map_or(text, str::trim_start);
            let whole = whole.strip_prefix(':').map_or(whole, str::trim_start);
            let named = whole.strip_prefix("command=\"").and_then(|rest| rest.strip_suffix('"'));
            Some(named.unwrap_or(whole).to_owned())
        }
        Own::Call(_, arguments) => {
            let text = |key: &str| arguments.get(key).and_then(Value::as_str).map(str::to_owned);
            let count = arguments.values().find_map(Value::as_u64);
            text("crafting_command")
                .or_else(|| text("command"))
                .or_else(|| Some(format!("get {} {}", count?, text("item_name")?)))
                .or_else(|| Some("inventory".to_owned()))
        }
        Own::Use(..) | Own::Said(_) => None,
    }
}

/// What is known from the conversation and, in a later segment, from what the prompt says is carried.
fn known(sheet: &Sheet<'_>) -> (Known, bool) {
    let mut known = Known::default();
    let mut told = carried_in(sheet.first(), &mut known);
    recall(sheet.first(), &mut known);
    for Turn { own, seen, refused } in &sheet.talk {
        if let Some(command) = command(own).filter(|_| !refused) {
            told |= hear(&mut known, &command, seen);
        }
    }
    (known, told)
}

/// Takes in the reply to a command; returns whether it listed all that is carried.
fn hear(known: &mut Known, command: &str, reply: &str) -> bool {
    let reply = reply.trim();
    if let Some((count, item)) = reply.strip_prefix("Got ").and_then(amount) {
        *known.carried.entry(item).or_default() += count;
    } else if let Some((count, item)) = reply.strip_prefix("Crafted ").and_then(amount) {
        for (count, item) in Recipe::read(command).map(|recipe| recipe.takes).unwrap_or_default() {
            let held = known.carried.entry(item).or_default();
            *held = held.saturating_sub(count);
        }
        *known.carried.entry(item).or_default() += count;
    } else if let Some(list) = reply.strip_prefix("Inventory:") {
        known.carried = inventory(list);
        return true;
    } else if let Some(item) = reply.strip_prefix("Could not find ").filter(|_| command.starts_with("get ")) {
        known.absent.insert(item.trim().replace('_', " "));
    } else if command.starts_with("craft ") && reply.starts_with("Could not find a valid recipe") {
        known.failed.insert(command.to_owned());
    }
    false
}

/// Takes in the agent's own past, which says what was done and not what came back. A command has failed if the item that it makes could
/// not be had since, and if all that was ever obtained of something that it takes is still carried.
fn recall(text: &str, known: &mut Known) {
    let mut obtained: BTreeMap<String, u64> = BTreeMap::new();
    let mut crafts = Vec::new();
    for PastStep { action, .. } in past_steps(text) {
        let recipe = Recipe::read(&action);
        let got = action.strip_prefix("get ").and_then(amount);
        if let Some((count, item)) = got.or_else(|| recipe.as_ref().map(|recipe| recipe.made.clone())) {
            *obtained.entry(item).or_default() += count;
        }
        crafts.extend(recipe);
    }
    for recipe in crafts {
        let is_whole = |(_, item): &(u64, String)| {
            obtained.get(item).is_some_and(|all| known.carried.get(item).is_some_and(|carried| carried >= all))
        };
        if known.unknown.contains(&recipe.made.1) || recipe.takes.iter().any(is_whole) {
            known.failed.insert(recipe.command);
        }
    }
}

/// What an earlier agent says must be got, and how many of it must be carried then.
fn needed(sheet: &Sheet<'_>, known: &Known) -> Option<(u64, String)> {
    let request = sheet.request(&["subtask", "memory"])?;
    let needs = request["memory"].get("needs").and_then(Value::as_array).cloned().unwrap_or_default();
    let gets = needs.iter().filter_map(Value::as_str).filter_map(|need| need.strip_prefix("get ").and_then(amount));
    let open = gets.filter_map(|(count, item)| {
        let carried = known.carried.get(&item).copied().unwrap_or(0);
        let is_open = carried < count && !known.absent.contains(&item);
        is_open.then(|| (count - carried, item))
    });
    open.into_iter().next()
}

fn inventory(list: &str) -> BTreeMap<String, u64> {
    let entries = list.split('[').skip(1).filter_map(|entry| {
        let (name, rest) = entry.split_once("] (")?;
        Some((name.to_owned(), rest.split(')').next()?.trim().parse().ok()?))
    });
    entries.collect()
}

/// What a status block, a summary of calls or a memory says is carried; whether one said so.
fn carried_in(text: &str, known: &mut Known) -> bool {
    let mut told = text.to_lowercase().contains("nothing was got or crafted");
    for value in embedded(text) {
        told |= carried_value(&value, known);
    }
    told
}

fn carried_value(value: &Value, known: &mut Known) -> bool {
    let mut told = false;
    match value {
        Value::Array(items) => {
            for item in items {
                told |= carried_value(item, known);
            }
        }
        Value::Object(members) => {
            let number = |value: &Value| value.as_u64().or_else(|| value.as_str()?.parse().ok());
            let name = members.iter().find(|(key, _)| key.contains("name") || *key == "item").map(|(_, value)| value);
            match (name.and_then(Value::as_str), members.get("carried").and_then(number)) {
                (Some(name), Some(count)) => {
                    known.carried.insert(name.to_owned(), count);
                    told = true;
                    let text = |key: &str| members.get(key).and_then(Value::as_str).unwrap_or_default();
                    if text("current_status") == "unknown" {
                        known.unknown.insert(name.to_owned());
                        // What was asked for, never crafted and is not carried could not be taken.
                        if text("applied_actions_so_far").split("->").all(|action| action.trim() == "get") {
                            known.absent.insert(name.to_owned());
                        }
                    }
                }
                (Some(name), None)
                    if members
                        .values()
                        .any(|value| value.as_str().is_some_and(|text| text.contains("not be found"))) =>
                {
                    known.absent.insert(name.to_owned());
                }
                _ => {}
            }
        }
        _ => {}
    }
    told
}

/// The number that is needed, and what else would serve where a mask knows the numbers of the recipes alone: more at once
/// first, less at once last.
fn amounts(book: &Book, count: u64) -> impl Iterator<Item = u64> {
    let mut known: Vec<u64> =
        book.recipes.iter().flat_map(|recipe| recipe.takes.iter().map(|(count, _)| *count)).collect();
    known.sort_unstable();
    known.dedup();
    let (less, more): (Vec<u64>, Vec<u64>) =
        known.into_iter().filter(|other| *other != count).partition(|other| *other < count);
    [count].into_iter().chain(more).chain(less.into_iter().rev())
}

impl Crafter {
    /// The act of a command: by the tool that takes it.
    fn act(sheet: &Sheet<'_>, command: &str) -> Vec<Act> {
        if sheet.form != Form::Native {
            // A specialist is told its own kinds of action, and has no others.
            let kinds = sheet.kinds();
            let verb = command.split(' ').next().unwrap_or_default();
            if kinds.is_empty() || kinds.iter().any(|kind| kind.usage.0.split([' ', ',']).any(|word| word == verb)) {
                return vec![Act { text: command.to_owned(), ..Act::default() }];
            }
            let whole = kinds.iter().find(|kind| kind.usage.placeholders() == ["command"]);
            let text = whole.and_then(|kind| kind.usage.fill(&[command]));
            return text.into_iter().map(|text| Act { text, ..Act::default() }).collect();
        }
        let got = command.strip_prefix("get ").and_then(amount);
        let mut acts = Vec::new();
        let mut free = Vec::new();
        for tool in sheet.page.tools {
            let properties = tool.parameters["properties"].as_object().cloned().unwrap_or_default();
            let own: Vec<(&String, &Value)> = properties.iter().filter(|(name, _)| *name != "reasoning").collect();
            let takes = |schema: &Value, text: &str| {
                schema["enum"].as_array().is_some_and(|values| values.iter().any(|value| value == text))
            };
            match own.as_slice() {
                [] if command == "inventory" => acts.push(Act::native(&tool.name, Map::new())),
                [(name, schema)] if takes(schema, command) => {
                    acts.push(Act::native(&tool.name, Map::from_iter([((*name).clone(), command.into())])));
                }
                [(name, schema)] if schema.get("enum").is_none() && *name == "command" => {
                    free.push(Act::native(&tool.name, Map::from_iter([((*name).clone(), command.into())])));
                }
                [_, _] => {
                    if let Some((count, item)) = &got
                        && let Some((name, _)) = own.iter().find(|(_, schema)| takes(schema, item))
                        && let Some((number, _)) = own.iter().find(|(_, schema)| schema["type"] == "integer")
                    {
                        let values = [((*name).clone(), json!(item)), ((*number).clone(), json!(count))];
                        acts.push(Act::native(&tool.name, values.into_iter().collect()));
                    }
                }
                _ => {}
            }
        }
        acts.extend(free);
        // For a planner that says what it wants in words.
        acts.into_iter().map(|act| Act { text: command.to_owned(), ..act }).collect()
    }
}

impl Office for Crafter {
    fn step(&self, sheet: &Sheet<'_>) -> Step {
        let (known, told) = known(sheet);
        let book = book(sheet);
        let looked = sheet.talk.iter().any(|turn| command(&turn.own).is_some_and(|command| command == "inventory"));
        let late = sheet.request(&["subtask"]).is_some() || sheet.request(&["segment"]).is_some();
        // In a later segment nobody may have said what is carried.
        if late && !told && !looked {
            sheet.miss(InformationKind::History, "what is carried at the start of the subtask");
            return Step::act("look", "what is carried is not known", Self::act(sheet, "inventory"));
        }
        // Whoever crafts sees which items are of a kind, and knows better what is missing.
        let next = match needed(sheet, &known) {
            Some((count, item)) => Some(Move::Get(count, item)),
            None => plan::next(&book, &known),
        };
        match next {
            Some(Move::Get(count, item)) => {
                let why = format!("{item} is made by no command that helps");
                let acts = amounts(&book, count).flat_map(|count| Self::act(sheet, &format!("get {count} {item}")));
                let carried = known.carried.get(&item).copied().unwrap_or(0);
                Step { needs: format!("get {} {item}", carried + count), ..Step::act("get", &why, acts.collect()) }
            }
            Some(Move::Craft(command)) => {
                Step::act("craft", "all that it takes is carried", Self::act(sheet, &command))
            }
            None => Step::act("look", "nothing seems to lead on", Self::act(sheet, "inventory")),
        }
    }

    fn kinds(&self) -> &'static [(&'static str, &'static [&'static str])] {
        &[
            ("look", &["plan", "verify", "check", "inventory", "compare"]),
            ("get", &["gather", "get ", "raw"]),
            ("craft", &["craft", "make "]),
        ]
    }

    fn tools(&self, kind: &str) -> &'static [&'static str] {
        match kind {
            "look" => &["_inventory", "_select"],
            "get" => &["_get_item", "_select"],
            _ => &["_craft", "_select"],
        }
    }

    fn plan(&self) -> Vec<Work> {
        vec![
            Work::new(
                "GATHER",
                "get",
                "Get the raw items that no command makes, each in the number that is needed in all.",
            ),
            Work::new("CRAFT", "craft", "Craft what the goal needs from the bottom up, and the goal itself last."),
            Work::new("CHECK", "look", "Find out what is carried, and so what is still missing for the goal."),
        ]
    }

    fn state(&self, sheet: &Sheet<'_>) -> String {
        let (known, _) = known(sheet);
        let list: Vec<String> = known.carried.iter().map(|(name, count)| format!("{count} {name}")).collect();
        format!("Carried: {}", if list.is_empty() { "nothing known".to_owned() } else { list.join(", ") })
    }
}
