//! A planner with advisers, and its two advisers.
//!
//! The planner is shown no list of actions: it says what it wants, in the order of its wishes, and takes what is suggested of that. The one who
//! suggests has the list, and knows no more of the house than it is told.

use std::borrow::Cow;

use gimbal_model::Reply;
use serde_json::{Value, json};

use super::belief::{Belief, named};
use super::goal::{Treatment, kind_of};
use super::{Housekeeper, Proposal, knowledge, past};
use crate::defence::advisers;
use crate::defence::planner::{self, AdvisedPart};
use crate::kit::{Act, Choice, Input, Sheet, between, plain};

/// Before the commands that are wanted, in the request for suggestions.
const WANTED: &str = "Wanted, the best first: ";
/// Between them.
const NEXT: &str = "; ";
/// How many are named.
const MOST: usize = 3;
/// Longest text of the request.
const LONGEST: usize = 150;

/// Whether the page mentions the advisers or the actions of a household.
pub(super) fn knows(sheet: &Sheet<'_>) -> bool {
    let commands = sheet.system.contains("select_command command=") || sheet.system.contains("manipulate_object");
    commands || sheet.system.contains("get_receptacle_current_state")
}

/// Whether the page is of a planner with advisers.
pub(super) fn leads(sheet: &Sheet<'_>) -> bool {
    matches!(planner::part(sheet), Some(AdvisedPart::Plan(_)))
}

/// The answer where the page is of a planner with advisers or of one of these.
pub(super) fn reply(sheet: &Sheet<'_>) -> Option<Reply> {
    Some(match planner::part(sheet)? {
        AdvisedPart::Plan(tool) => lead(sheet, tool),
        AdvisedPart::Analyse => advisers::analyst(sheet),
        AdvisedPart::Suggest => choose(sheet),
    })
}

/// The commands that are possible as far as the page tells: whoever has no list makes one of the forms that the page explains.
pub(super) fn possible(sheet: &Sheet<'_>, belief: &Belief) -> Vec<String> {
    let moves = says_move(sheet);
    let here = belief.here.as_deref().unwrap_or_default();
    let mut all = vec!["look".to_owned(), "inventory".to_owned()];
    all.extend(belief.places.iter().filter(|place| *place != here).map(|place| format!("go to {place}")));
    if here.is_empty() {
        return all;
    }
    if belief.closed.contains(here) {
        all.push(format!("open {here}"));
        return all;
    }
    for object in belief.holds.get(here).into_iter().flatten() {
        if kind_of(object).ends_with("lamp") {
            all.push(format!("use {object}"));
        }
        if belief.carried.is_none() {
            all.push(format!("take {object} from {here}"));
        }
    }
    if let Some(object) = &belief.carried {
        all.push(put(object, here, moves));
        for treatment in [Treatment::Clean, Treatment::Heat, Treatment::Cool] {
            if knowledge::serves(treatment).contains(&kind_of(here)) {
                all.push(format!("{} {object} with {here}", treatment.verb()));
            }
        }
    }
    all
}

/// Whether the page words the command that puts an object down as `move`, and not as `put`.
fn says_move(sheet: &Sheet<'_>) -> bool {
    sheet.system.contains("move <object> to <receptacle>")
}

fn put(object: &str, place: &str, moves: bool) -> String {
    if moves { format!("move {object} to {place}") } else { format!("put {object} in/on {place}") }
}

/// What a proposal asks for, with what comes after it: receptacles share places, and nobody goes where they are already.
fn wanted(sheet: &Sheet<'_>, proposal: &Proposal) -> Vec<String> {
    let mut all: Vec<String> = proposal.commands.iter().take(1).cloned().collect();
    let place = all.first().and_then(|command| command.strip_prefix("go to ")).map(str::to_owned);
    if let Some(place) = place {
        let belief = past::read(sheet);
        all.push(format!("open {place}"));
        let moves = says_move(sheet);
        all.extend(belief.carried.as_ref().map(|object| put(object, &place, moves)));
        if belief.carried.is_none() {
            let held = belief.holds.get(&place).into_iter().flatten();
            all.extend(held.take(1).map(|object| format!("take {object} from {place}")));
        }
    }
    all.extend(proposal.commands.iter().skip(1).cloned());
    all.truncate(MOST);
    all
}

fn lead(sheet: &Sheet<'_>, tool: &str) -> Reply {
    let proposal = Housekeeper::proposal(sheet, &[]);
    let commands = wanted(sheet, &proposal);
    let place = commands.first().and_then(|command| named(command).into_iter().next_back());
    let place = place.filter(|place| past::read(sheet).places.contains(place));
    let analysis = planner::Advice::of(sheet).analysis.filter(|tool| !planner::used(sheet, tool));
    if let Some((analyse, place)) = analysis.zip(place.as_ref()).filter(|_| !planner::used(sheet, tool)) {
        return sheet.use_tool(&proposal.thought, analyse, &Input::Text(place.clone()));
    }
    if !planner::used(sheet, tool) {
        let listed = plain(&format!("{WANTED}{}", commands.join(NEXT)), LONGEST);
        let values = ["any", &plain(&proposal.thought, LONGEST), "low", &listed];
        return sheet.use_tool(&proposal.thought, tool, &Input::Values(planner::request(sheet, values)));
    }
    let suggested: Vec<Choice> = planner::suggestions(sheet, tool).into_iter().map(|text| choice(&text)).collect();
    let found = commands.iter().find_map(|command| suggested.iter().find(|one| one.literal == *command));
    match found.or(suggested.first()) {
        Some(one) => sheet.act(&proposal.thought, &one.act),
        None => sheet.act("there is no suggestion", &Act::default()),
    }
}

/// An action as the list writes it, as a call with one command.
fn choice(text: &str) -> Choice {
    let (tool, rest) = text.split_once(' ').unwrap_or((text, ""));
    let literal = rest.split_once('=').map_or(text, |(_, value)| value.trim().trim_matches('"')).to_owned();
    let act = Act::of(text, tool, &[("command", json!(literal))]);
    Choice { literal, act }
}

/// Suggests what is wanted of what is possible; else to look around.
fn choose(sheet: &Sheet<'_>) -> Reply {
    let again = between(sheet.first(), "allowed");
    let lines = again.map(|lines| lines.lines().map(|line| Cow::Owned(line.to_owned())).collect());
    let listed: Vec<Cow<'_, str>> =
        lines.unwrap_or_else(|| sheet.choices().into_iter().map(|one| Cow::Owned(one.act.text)).collect());
    let listed: Vec<Choice> = listed.iter().map(|text| choice(text.trim())).collect();
    let situation = advisers::situation(sheet);
    let told = situation.as_ref().and_then(|told| told.get("context")).and_then(Value::as_str).unwrap_or_default();
    let commands = told.split_once(WANTED).map_or("", |(_, rest)| rest).split(NEXT);
    let mut found: Vec<&Choice> =
        commands.filter_map(|command| listed.iter().find(|one| one.literal == command.trim())).collect();
    if found.is_empty() {
        found.extend(listed.iter().find(|one| one.literal == "look"));
    }
    let ranked = found.iter().zip([0.9, 0.6, 0.3]);
    let suggestions = ranked.map(|(one, sure)| json!({ "action": one.act.text, "confidence": sure }));
    sheet.message("the first that is possible", &Value::Array(suggestions.collect()))
}
