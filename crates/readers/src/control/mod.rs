//! The agents of the controllers: solver, executor, router, analyzer, planners and summariser, for any player that knows its next
//! step.
//!
//! A player is an [`Office`]: it says from a page what it would do next and what kind of work that is. Everything else is the
//! same for all: an executor hands back where its subtask is done, a router goes where the next step belongs, a planner
//! names a subtask for each kind of work.

mod advice;
mod graph;
mod route;
mod summary;

use gimbal_core::chat::InformationKind;
use gimbal_model::Reply;
use serde_json::{Map, Value};

use crate::kit::{Act, Input, Sheet};

/// Before what an agent that gives control back says must be done.
const NEEDED: &str = "Needed: ";
/// The tool that gives control back.
const FINISH: &str = "finish_subtask";

/// What a player would do next.
#[derive(Clone, Debug, PartialEq)]
pub struct Step {
    /// Kind of work: one of [`Office::kinds`].
    pub kind: &'static str,
    /// Why.
    pub thought: String,
    /// The act, by each tool that could carry it out; the best first. Empty where the page offers none.
    pub acts: Vec<Act>,
    /// What another agent must do for this step, in the words that the player knows again; empty if nothing.
    pub needs: String,
}

impl Step {
    /// A step by one of these acts.
    #[must_use]
    pub fn act(kind: &'static str, thought: &str, acts: Vec<Act>) -> Self {
        Self { kind, thought: thought.to_owned(), acts, needs: String::new() }
    }
}

/// A subtask that a planner names.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Work {
    /// Name.
    pub name: &'static str,
    /// Kind of work.
    pub kind: &'static str,
    /// When it is done.
    pub goal: &'static str,
}

impl Work {
    /// A subtask of this kind.
    #[must_use]
    pub const fn new(name: &'static str, kind: &'static str, goal: &'static str) -> Self {
        Self { name, kind, goal }
    }
}

/// A player of one environment.
pub trait Office {
    /// What to do next, from what the page says.
    fn step(&self, sheet: &Sheet<'_>) -> Step;

    /// The kinds of work, and the words by which a subtask or a tool shows that it is of that kind.
    fn kinds(&self) -> &'static [(&'static str, &'static [&'static str])];

    /// Ends or parts of the names of the tools that carry out work of a kind.
    fn tools(&self, kind: &str) -> &'static [&'static str];

    /// The subtasks that the work falls into, in the order in which they follow from each other.
    fn plan(&self) -> Vec<Work>;

    /// The same for a fixed order that is gone through once.
    fn list(&self) -> Vec<Work> {
        self.plan()
    }

    /// What the next agents must know and no status shows, for a memory.
    fn facts(&self, _sheet: &Sheet<'_>) -> Vec<String> {
        Vec::new()
    }

    /// What is known, in a line, for a memory.
    fn state(&self, sheet: &Sheet<'_>) -> String;
}

/// Answers the request of whichever agent makes it.
#[must_use]
pub fn reply(sheet: &Sheet<'_>, office: &dyn Office) -> Reply {
    if sheet.asks_for(&["nodes", "entry", "edges"]) {
        return graph::complete(sheet, office);
    }
    if let Some(request) = sheet.request(&["segment"]) {
        return route::route(sheet, office, &request);
    }
    if sheet.asks_for(&["name", "goal", "tools"]) && sheet.adviser {
        return graph::list(sheet, office);
    }
    if let Some(reply) = advice::reply(sheet, office) {
        return reply;
    }
    match sheet.request(&["subtask"]) {
        Some(request) => execute(sheet, office, &Subtask::of(&request)),
        None => perform(sheet, &office.step(sheet)),
    }
}

/// The summary of a won episode, where a page asks for one. It takes no knowledge of an environment.
#[must_use]
pub fn summary(sheet: &Sheet<'_>) -> Option<Reply> {
    summary::record(sheet).map(|record| summary::summarise(sheet, &record))
}

/// Does a step.
fn perform(sheet: &Sheet<'_>, step: &Step) -> Reply {
    let allowed = step.acts.iter().find(|act| sheet.allows(act)).or(step.acts.first());
    match allowed {
        Some(act) => sheet.act(&step.thought, act),
        None => {
            sheet.miss(InformationKind::Tools, format!("a tool for this step: {}", step.thought));
            sheet.act("nothing offered does what is needed", &Act::default())
        }
    }
}

/// A subtask as an executor or a router sees it.
#[derive(Clone, Debug, Default)]
pub(crate) struct Subtask {
    pub name: String,
    pub goal: String,
    pub tools: Vec<String>,
    /// What the memory says is to be done next.
    pub hint: String,
}

impl Subtask {
    /// Of a request that holds `subtask` and `memory`.
    pub(crate) fn of(request: &Map<String, Value>) -> Self {
        let text = |value: Option<&Value>| value.and_then(Value::as_str).unwrap_or_default().to_owned();
        let hint = text(request.get("memory").and_then(|memory| memory.get("hint")));
        match request.get("subtask") {
            Some(Value::Object(subtask)) => Self { hint, ..Self::described(subtask) },
            name => Self {
                name: text(name),
                goal: text(request.get("what").or(request.get("goal"))),
                tools: Vec::new(),
                hint,
            },
        }
    }

    /// Whether work by these tools is left to other subtasks: its own tools are named, and none is one of them.
    pub(crate) fn leaves(&self, tools: &[&str]) -> bool {
        !self.tools.is_empty() && !self.tools.iter().any(|own| tools.iter().any(|tool| own.contains(tool)))
    }

    /// Of an object with name, goal and tools.
    pub(crate) fn described(value: &Map<String, Value>) -> Self {
        let text = |keys: &[&str]| {
            keys.iter().find_map(|key| value.get(*key).and_then(Value::as_str)).unwrap_or_default().to_owned()
        };
        let tools = value.get("tools").and_then(Value::as_array).into_iter().flatten();
        Self {
            name: text(&["name", "to"]),
            goal: text(&["goal", "what"]),
            tools: tools.filter_map(Value::as_str).map(str::to_owned).collect(),
            hint: String::new(),
        }
    }

    /// Whether work of a kind belongs to it: by the words of its name, else of its goal, else by its tools.
    pub(crate) fn covers(&self, office: &dyn Office, kind: &str) -> bool {
        let says = |text: &str, words: &[&str]| {
            let text = text.to_lowercase();
            words.iter().any(|word| text.contains(word))
        };
        for text in [self.name.as_str(), self.goal.as_str()] {
            if office.kinds().iter().any(|(_, words)| says(text, words)) {
                return office.kinds().iter().any(|(known, words)| *known == kind && says(text, words));
            }
        }
        self.can(office, kind)
    }

    /// Whether its tools, where they are known, carry out work of a kind.
    pub(crate) fn can(&self, office: &dyn Office, kind: &str) -> bool {
        let of_kind = |tool: &String| office.tools(kind).iter().any(|part| tool.contains(part));
        self.tools.is_empty() || self.tools.iter().any(of_kind)
    }
}

/// What a router says in the memory's hint when a subtask is to be used for work of a kind.
pub(crate) fn hint_of(kind: &str) -> String {
    format!("Next: {kind}.")
}

fn execute(sheet: &Sheet<'_>, office: &dyn Office, subtask: &Subtask) -> Reply {
    let step = office.step(sheet);
    let own = subtask.covers(office, step.kind) || subtask.hint == hint_of(step.kind);
    // Refusals in a row: the next agent should know.
    let stuck = sheet.talk.iter().rev().take_while(|turn| turn.refused).count() >= 2;
    if (own && !step.acts.is_empty() && !stuck) || !sheet.has_tool(FINISH) {
        return perform(sheet, &step);
    }
    let needs = if step.needs.is_empty() { String::new() } else { format!("{NEEDED}{}. ", step.needs) };
    let said = format!("{} {needs}{}", office.state(sheet), hint_of(step.kind));
    sheet.use_tool("the next step belongs to another subtask", FINISH, &Input::Text(said))
}
