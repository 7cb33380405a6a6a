//! The one who acts: what needs a fix, what is asked before it, and the action.

use gimbal_core::chat::InformationKind;
use gimbal_model::Reply;
use serde_json::{Map, Value};

use super::glossary::{Entry, Glossary};
use super::sight::{Sight, sources, suspects};
use super::{deliberation, literal};
use crate::kit::{Act, Form, Input, Own, Sheet, between};

/// Written before subjects that must wait, in the thought: the agent reads it in its own past.
const LATER: &str = "Left for later: ";

/// The answer of an agent that acts.
pub fn reply(sheet: &Sheet<'_>) -> Reply {
    let glossary = Glossary::of(&sheet.system);
    let wanted = wanted(sheet, &glossary);
    let Some((target, later)) = wanted.split_first() else { return quiet(sheet, &glossary) };
    if sheet.talk.last().is_some_and(|turn| turn.refused) {
        return watch(sheet, &glossary, "The fix was rejected.");
    }
    let Some(fix) = glossary.fix().filter(|fix| may_use(sheet, &fix.name)) else {
        return watch(sheet, &glossary, "No action fixes it.");
    };
    let thought = match later {
        [] => format!("{target} has changed and needs a fix."),
        later => format!("{target} has changed and needs a fix. {LATER}{}.", later.join(", ")),
    };
    let advice = Advice::of(sheet);
    if let Some(tool) = advice.analysis.filter(|tool| !used(sheet, tool)) {
        return sheet.use_tool(&thought, tool, &Input::Text(target.clone()));
    }
    if let Some(tool) = deliberation(sheet, 3).filter(|_| !advice.given()) {
        let text = format!("Is {target} the one to fix, and does {} fix it for certain?", fix.name);
        return sheet.use_tool(&thought, tool, &Input::Text(text));
    }
    let Some(tool) = advice.suggestion else { return act(sheet, &thought, fix, Some(target)) };
    if !used(sheet, tool) {
        return sheet.use_tool(&thought, tool, &Input::Values(situation(sheet, target, "high")));
    }
    match suggested(sheet, tool, &fix.text(Some(target))) {
        Some(text) => sheet.act(&thought, &act_of(&glossary, &text)),
        None => watch(sheet, &glossary, "There is no suggestion to take."),
    }
}

/// What to do where nothing calls for a fix. An agent with advisers may take one action that nobody suggested; it asks where
/// that is not the one that watches.
fn quiet(sheet: &Sheet<'_>, glossary: &Glossary) -> Reply {
    const THOUGHT: &str = "Nothing calls for a fix.";
    let wanted = glossary.watch().map(|watch| watch.name.as_str()).unwrap_or_default();
    let advice = Advice::of(sheet);
    let free =
        sheet.system.split("without a suggestion is ").nth(1).and_then(|rest| rest.split(['.', '\n', ' ']).next());
    match advice.suggestion.filter(|_| free.is_some_and(|free| free != wanted)) {
        Some(tool) if !used(sheet, tool) => {
            sheet.use_tool(THOUGHT, tool, &Input::Values(situation(sheet, "any", "low")))
        }
        Some(tool) => {
            let text = suggested(sheet, tool, wanted).unwrap_or_else(|| free.unwrap_or_default().to_owned());
            sheet.act(THOUGHT, &act_of(glossary, &text))
        }
        None => watch(sheet, glossary, THOUGHT),
    }
}

/// The subjects that need a fix, the first one first.
pub fn wanted(sheet: &Sheet<'_>, glossary: &Glossary) -> Vec<String> {
    let sight = Sight::of(sheet.first());
    // The list of changed subjects leaves connections out, so that an observation beside it may tell more.
    let mut since = match &sight.status {
        Some(lines) => FixQueue(lines.iter().filter(|line| line.changed).map(|line| line.name.clone()).collect()),
        None => FixQueue::of_past(&sight, glossary),
    };
    since.left_for_later(&sight);
    sight.observation.iter().flat_map(suspects).for_each(|name| since.add(&name));
    if sight.status.is_none() {
        // The attacks of a step come before the action of that step.
        let cleared = sight.last().and_then(|last| last.action.split_whitespace().nth(1));
        let cleared = cleared.map(|target| target.split_once('=').map_or(target, |(_, name)| name));
        let sources = sight.observation.iter().flat_map(sources).filter(|name| Some(name.as_str()) != cleared);
        sources.for_each(|name| since.add(&name));
    }
    if since.0.is_empty() && !sight.shows_the_network() && !sight.at_the_start() && sheet.talk.is_empty() {
        let words = "`Latest observation:`, or a list of what has another status than the baseline";
        sheet.miss(InformationKind::Observation, words);
    }
    // The result of a stretch of work, as a controller describes it.
    for (call, result) in stretch(sheet) {
        let (tool, target) = call.split_once(' ').unwrap_or((&call, ""));
        since.acted(glossary, tool, Some(target));
        literal::first(&result).iter().flat_map(suspects).for_each(|name| since.add(&name));
    }
    // An agent that acts more than once in a conversation sees the results there.
    for turn in sheet.talk.iter().filter(|turn| !turn.refused) {
        if let Some((tool, target)) = acted(&turn.own, glossary) {
            since.acted(glossary, &tool, target.as_deref());
            literal::first(&turn.seen).iter().flat_map(suspects).for_each(|name| since.add(&name));
        }
    }
    since.0
}

/// Calls and their results in the message of a controller.
fn stretch(sheet: &Sheet<'_>) -> Vec<(String, String)> {
    let request = sheet.request(&["segment"]).unwrap_or_default();
    let calls = request.get("segment").and_then(|segment| segment.get("calls")).and_then(Value::as_array);
    let text = |call: &Value, key: &str| call.get(key).and_then(Value::as_str).unwrap_or_default().to_owned();
    calls.into_iter().flatten().map(|call| (text(call, "call"), text(call, "result"))).collect()
}

/// Subjects that wait for a fix, the one that waits longest first.
#[derive(Default)]
struct FixQueue(Vec<String>);

impl FixQueue {
    /// What the past says: what was seen to change and was not fixed since.
    fn of_past(sight: &Sight, glossary: &Glossary) -> Self {
        let mut wanted = Self::default();
        let past = sight.history.as_deref().unwrap_or_default();
        for step in past {
            let mut words = step.action.split_whitespace();
            wanted.acted(glossary, words.next().unwrap_or_default(), words.next());
            for (name, status) in &step.compared {
                match status.as_str() {
                    "changed" => wanted.add(name),
                    "baseline" => wanted.0.retain(|known| known != name),
                    _ => {}
                }
            }
        }
        wanted
    }

    /// What the agent left for later in its last step.
    fn left_for_later(&mut self, sight: &Sight) {
        if let Some((_, names)) = sight.last().and_then(|last| last.reason.split_once(LATER)) {
            names.trim_end_matches(['.', '…']).split(", ").for_each(|name| self.add(name.trim()));
        }
    }

    fn add(&mut self, name: &str) {
        if !name.is_empty() && !self.0.iter().any(|known| known == name) {
            self.0.push(name.to_owned());
        }
    }

    fn acted(&mut self, glossary: &Glossary, tool: &str, target: Option<&str>) {
        let fixed = glossary.fix().is_some_and(|fix| fix.name == tool);
        if let Some(target) = target.filter(|_| fixed) {
            let name = target.split_once('=').map_or(target, |(_, name)| name);
            self.0.retain(|known| known != name);
        }
    }
}

/// An action of the environment in what the agent wrote: its name and what it was about.
fn acted(own: &Own, glossary: &Glossary) -> Option<(String, Option<String>)> {
    match own {
        Own::Action(text) => {
            let mut words = text.split_whitespace();
            let name = words.next()?;
            Some((name.to_owned(), words.next().map(str::to_owned)))
        }
        Own::Call(name, arguments) => {
            let entry = glossary.named(name)?;
            let target =
                entry.parameter.as_ref().and_then(|parameter| arguments.get(parameter)).and_then(Value::as_str);
            Some((name.clone(), target.map(str::to_owned)))
        }
        Own::Use(..) | Own::Said(_) => None,
    }
}

/// The name of a tool that the agent used.
pub fn tool_of(own: &Own) -> Option<&str> {
    match own {
        Own::Use(name, _) | Own::Call(name, _) => Some(name),
        Own::Action(_) | Own::Said(_) => None,
    }
}

/// Whether a tool was used in this conversation.
pub fn used(sheet: &Sheet<'_>, tool: &str) -> bool {
    sheet.talk.iter().any(|turn| tool_of(&turn.own) == Some(tool))
}

/// The advisers that may be asked, by the names of the tools that the prompt lists.
pub struct Advice<'a> {
    /// Who compares a subject with its baseline.
    pub analysis: Option<&'a str>,
    /// Who suggests actions.
    pub suggestion: Option<&'a str>,
    suggested: bool,
}

impl<'a> Advice<'a> {
    /// Those of a sheet.
    pub fn of(sheet: &'a Sheet<'_>) -> Self {
        let tools = between(&sheet.system, "tools").unwrap_or_default();
        let named =
            |start: &str| tools.lines().map(str::trim).find(|line| line.starts_with(start) && !line.contains(' '));
        let suggestion = named("get_suggestion");
        Self {
            analysis: named("get_analysis"),
            suggestion,
            suggested: suggestion.is_some_and(|tool| used(sheet, tool)),
        }
    }

    /// Whether there is one at all.
    pub const fn any(&self) -> bool {
        self.analysis.is_some() || self.suggestion.is_some()
    }

    /// Whether suggestions were given: the answer is due then.
    const fn given(&self) -> bool {
        self.suggested
    }
}

/// What a page of a planner with advisers asks for.
pub enum AdvisedPart<'a> {
    /// The planner's next action; the tool asks for suggestions.
    Plan(&'a str),
    /// The analyst's comparison of a subject with its baseline.
    Analyse,
    /// Ranked actions for a situation.
    Suggest,
}

/// The part that a page is about; `None` if it mentions no adviser, or is of an adviser that has advisers of its own.
pub fn part<'a>(sheet: &'a Sheet<'_>) -> Option<AdvisedPart<'a>> {
    let advice = Advice::of(sheet);
    match advice.suggestion {
        Some(tool) if !sheet.adviser => Some(AdvisedPart::Plan(tool)),
        _ if !sheet.adviser || advice.any() => None,
        _ if sheet.asks_for(&["anomalies", "recommended_focus"]) => Some(AdvisedPart::Analyse),
        _ if sheet.asks_for(&["action", "confidence"]) => Some(AdvisedPart::Suggest),
        _ => None,
    }
}

/// The request for suggestions: the four keys that the prompt names.
fn situation(sheet: &Sheet<'_>, target: &str, severity: &str) -> Map<String, Value> {
    let said = if severity == "high" { "It has changed against its baseline." } else { "Nothing has changed." };
    request(sheet, [target, said, severity, ""])
}

/// A request for suggestions with these values: target, situation, severity, context.
pub fn request(sheet: &Sheet<'_>, [target, situation, severity, context]: [&str; 4]) -> Map<String, Value> {
    let tools = between(&sheet.system, "tools").unwrap_or_default();
    let key = tools.split('"').find(|word| word.starts_with("target_")).map(str::to_owned);
    // Under native calls the tool itself names its arguments.
    let native = || {
        let properties = sheet.page.tools.iter().filter_map(|tool| tool.parameters.get("properties")?.as_object());
        properties.flat_map(Map::keys).find(|key| key.starts_with("target_")).cloned()
    };
    let key = native().or(key).unwrap_or_else(|| {
        sheet.miss(InformationKind::Form, "a key \"target_...\" of the request for suggestions");
        "target".to_owned()
    });
    let pairs = [
        (key, target),
        ("situation".to_owned(), situation),
        ("severity".to_owned(), severity),
        ("context".to_owned(), context),
    ];
    pairs.into_iter().map(|(key, value)| (key, Value::from(value))).collect()
}

/// The action to take of those that were suggested last: the wanted one, else the first.
fn suggested(sheet: &Sheet<'_>, tool: &str, wanted: &str) -> Option<String> {
    let items = suggestions(sheet, tool);
    items.iter().find(|action| **action == wanted).or_else(|| items.first()).cloned()
}

/// The actions that were suggested last, in their order.
pub fn suggestions(sheet: &Sheet<'_>, tool: &str) -> Vec<String> {
    let turn = sheet.talk.iter().rev().find(|turn| tool_of(&turn.own) == Some(tool));
    let items = turn.and_then(|turn| turn.seen.find('[').and_then(|at| literal::first(&turn.seen[at..])));
    let items = items.as_ref().and_then(Value::as_array).into_iter().flatten();
    items.filter_map(|item| item.get("action").and_then(Value::as_str).map(str::to_owned)).collect()
}

/// An action, as a call.
pub fn call(entry: &Entry, target: Option<&str>) -> Act {
    Act { text: entry.text(target), tool: entry.name.clone(), arguments: entry.arguments(target) }
}

/// Whether this action may be taken: under native calls it must be offered.
fn may_use(sheet: &Sheet<'_>, name: &str) -> bool {
    sheet.form != Form::Native || sheet.page.tools.is_empty() || sheet.tool(name).is_some()
}

fn act(sheet: &Sheet<'_>, thought: &str, entry: &Entry, target: Option<&str>) -> Reply {
    sheet.act(thought, &call(entry, target))
}

/// An action that is written as its usage shows, as a call.
fn act_of(glossary: &Glossary, text: &str) -> Act {
    let name = text.split_whitespace().next().unwrap_or_default();
    let pairs = text.split_whitespace().skip(1).filter_map(|word| word.split_once('='));
    let arguments = pairs.map(|(key, value)| (key.to_owned(), Value::from(value))).collect();
    let known = glossary.named(name).map_or(name, |entry| entry.name.as_str());
    Act { text: text.to_owned(), tool: known.to_owned(), arguments }
}

/// Watches, as everyone may whatever was suggested.
fn watch(sheet: &Sheet<'_>, glossary: &Glossary, thought: &str) -> Reply {
    match glossary.watch().filter(|watch| may_use(sheet, &watch.name)) {
        Some(watch) => act(sheet, thought, watch, None),
        None => {
            sheet.miss(InformationKind::Tools, "an action of type \"passive\" that needs no name under \"actions\"");
            sheet.say("")
        }
    }
}
