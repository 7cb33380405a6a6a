//! A planner with advisers, and the two advisers, for any player that knows its next step.
//!
//! The planner follows its rules: it asks for suggestions, says what it wants, and takes what is suggested. The one who suggests
//! knows no more than it is told, and writes the action that is wanted as its usage shows.

use gimbal_core::chat::InformationKind;
use gimbal_model::Reply;
use serde_json::{Value, json};

use super::{Office, Step};
use crate::defence::advisers;
use crate::defence::planner::{self, AdvisedPart};
use crate::kit::{Act, Form, Input, Sheet};

/// Before the action that is wanted, in the request for suggestions.
const WANTED: &str = "Wanted: ";
/// What the action has, and what replaces it in that request: a mask lets neither quotation marks nor backslashes through within a text.
const QUOTES: [(&str, &str); 3] = [("\\\"", "~"), ("\\n", "^"), ("\"", "`")];

/// The answer where the page is of a planner with advisers or of one of these.
pub(super) fn reply(sheet: &Sheet<'_>, office: &dyn Office) -> Option<Reply> {
    match planner::part(sheet)? {
        AdvisedPart::Plan(tool) => lead(sheet, tool, &office.step(sheet)),
        AdvisedPart::Analyse => Some(advisers::analyst(sheet)),
        AdvisedPart::Suggest => Some(choose(sheet)),
    }
}

/// Asks for suggestions, then takes the one that is wanted, else the first; its own choice where none could be had.
fn lead(sheet: &Sheet<'_>, tool: &str, step: &Step) -> Option<Reply> {
    let wanted = step.acts.iter().find(|act| sheet.allows(act)).or(step.acts.first())?;
    if wanted.text.is_empty() {
        return None;
    }
    if !planner::used(sheet, tool) {
        let written = QUOTES.iter().fold(wanted.text.clone(), |text, (from, to)| text.replace(from, to));
        let context = format!("{WANTED}{written}");
        let values = ["any", "The next step is known.", "low", &context];
        return Some(sheet.use_tool(&step.thought, tool, &Input::Values(planner::request(sheet, values))));
    }
    let suggested = planner::suggestions(sheet, tool);
    let act = match suggested.first() {
        Some(first) if !suggested.contains(&wanted.text) && sheet.form != Form::Native => {
            Act { text: first.clone(), ..Act::default() }
        }
        _ => wanted.clone(),
    };
    Some(sheet.act(&step.thought, &act))
}

/// Suggests the action that is wanted; nothing where the request names none.
fn choose(sheet: &Sheet<'_>) -> Reply {
    let situation = advisers::situation(sheet);
    if situation.is_none() {
        sheet.miss(InformationKind::Goal, "a situation with the keys \"target_...\" and \"severity\"");
    }
    let context = situation.as_ref().and_then(|told| told.get("context")).and_then(Value::as_str).unwrap_or_default();
    let read = |action: &str| QUOTES.iter().fold(action.trim().to_owned(), |text, (to, from)| text.replace(from, to));
    let wanted = context.split_once(WANTED).map(|(_, action)| read(action));
    let suggestions = wanted.map(|action| json!({ "action": action, "confidence": 0.9 }));
    sheet.message("what is wanted can be done", &suggestions.into_iter().collect())
}
