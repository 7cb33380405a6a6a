//! The defender of a computer network: one set of rules for every environment whose prompt explains its actions and shows
//! subjects (hosts, nodes) that are in their baseline state or not.
//!
//! With a list of changed subjects it restores the first of them, as the policy `restore_changed` does; without one it acts on
//! what the latest observation shows and on what its own past tells; where nothing calls for a fix it watches. It sits in the
//! place of the planner, alone or with advisers, of both advisers, and of the agents of a controller. Deliberation tools are
//! used once each, in the order that they ask for, before a fix; where nothing changed there is nothing to deliberate on.
//! Advisers, whose turns are few, raise one question.

pub(crate) mod advisers;
mod glossary;
mod literal;
mod office;
pub(crate) mod planner;
mod sight;

use gimbal_core::chat::InformationKind;
use gimbal_model::Reply;

use crate::kit::Sheet;

/// Who is asked to answer.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Role {
    /// Chooses one action, alone or with advisers.
    Acts,
    /// Compares a subject with its baseline.
    Analyst,
    /// Ranks actions for a situation.
    Chooser,
}

/// Whether the sheet asks for the defence of a network.
pub fn knows(sheet: &Sheet<'_>) -> bool {
    let said = |words: &str| sheet.system.contains(words) || sheet.first().contains(words);
    (said("defend") && said("network")) || matches!(role(sheet), Some(Role::Analyst | Role::Chooser))
}

fn role(sheet: &Sheet<'_>) -> Option<Role> {
    // Whoever has advisers may read there what they answer.
    let advised = planner::Advice::of(sheet).any();
    if !advised && sheet.asks_for(&["anomalies", "recommended_focus"]) {
        return Some(Role::Analyst);
    }
    if !advised && sheet.asks_for(&["action", "confidence"]) {
        return Some(Role::Chooser);
    }
    glossary::Glossary::of(&sheet.system).fix().map(|_| Role::Acts)
}

/// The answer to a sheet.
pub fn reply(sheet: &Sheet<'_>) -> Reply {
    if office::knows(sheet) {
        return crate::control::reply(sheet, &office::Defender);
    }
    match role(sheet) {
        Some(Role::Analyst) => advisers::analyst(sheet),
        Some(Role::Chooser) => advisers::chooser(sheet),
        Some(Role::Acts) => planner::reply(sheet),
        None => {
            sheet.miss(
                InformationKind::Tools,
                "an action of type \"reactive\" with a usage such as `NAME host=<host>` under \"actions\"",
            );
            planner::reply(sheet)
        }
    }
}

/// The deliberation tools, in the order in which they build on each other.
const DELIBERATION: [&str; 3] = ["raise_a_question", "critique_the_answer", "improve_based_on_critique"];

/// The deliberation tool that is to be used next, of the first `most`: each that is offered once; one that is said to come only
/// after another, only there. `None` where all were used.
fn deliberation(sheet: &Sheet<'_>, most: usize) -> Option<&'static str> {
    let last = sheet.talk.last().and_then(|turn| planner::tool_of(&turn.own));
    let follows = |at: usize| {
        let description = described(sheet, DELIBERATION[at]);
        let bound = ["directly after", "right after"].iter().any(|words| description.contains(words));
        !bound || at.checked_sub(1).is_none_or(|before| last == Some(DELIBERATION[before]))
    };
    let wanted = |at: &usize| {
        let name = DELIBERATION[*at];
        sheet.has_tool(name) && !planner::used(sheet, name) && follows(*at)
    };
    (0..most.min(DELIBERATION.len())).find(wanted).map(|at| DELIBERATION[at])
}

/// What the prompt says of a tool.
fn described(sheet: &Sheet<'_>, name: &str) -> String {
    let tools = crate::kit::between(&sheet.system, "tools").unwrap_or_default();
    let of = tools.split(&format!("\n{name}\n")).nth(1).unwrap_or_default();
    of.lines().take_while(|line| line.starts_with(' ')).collect::<Vec<_>>().join("\n").to_lowercase()
}
