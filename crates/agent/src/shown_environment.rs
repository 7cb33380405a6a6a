//! An environment as prompts show it that nobody plays.

use std::sync::Arc;

use gimbal_core::{Brief, Environment, ToolCall, ToolSpec};

use crate::{idle_is_offered, prompt};

/// An environment as first prompts see it.
pub struct ShownEnvironment {
    /// What it says of itself.
    pub brief: Arc<Brief>,
    /// Its tools.
    pub tools: Vec<ToolSpec>,
    /// What was seen before the first step, where that is known.
    pub first: Option<String>,
    /// The queries of its tracker.
    pub queries: Vec<ToolSpec>,
    /// The call that does nothing, as it writes it.
    pub idle: String,
    /// The actions that a list of actions may show.
    pub actions: Vec<String>,
    /// The action of made-up steps; `None` if there is none that prompts could show.
    pub offered: Option<OfferedAction>,
}

/// An action that a brief offers to agents.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct OfferedAction {
    /// Its tool.
    pub tool: String,
    /// The action as the environment writes it.
    pub text: String,
}

/// A call that the brief of an environment offers to agents: the idle one where prompts offer it, else the first other one that the
/// glossary explains and that gives no answer; `None` if no values of such a call are known.
#[must_use]
pub fn offered_call(environment: &dyn Environment) -> Option<ToolCall> {
    let brief = environment.brief();
    if idle_is_offered(brief) {
        return Some(brief.idle.clone());
    }
    let answers = |call: &ToolCall| brief.answer.as_ref().is_some_and(|answer| answer.tool == call.tool);
    let is_offered = |call: &ToolCall| *call != brief.idle && brief.entry_of(&call.tool).is_some() && !answers(call);
    calls(environment).into_iter().find(is_offered)
}

impl ShownEnvironment {
    /// An environment that was reset, with the queries of its tracker.
    #[must_use]
    pub fn new(environment: &dyn Environment, queries: &[ToolSpec]) -> Self {
        let brief = Arc::clone(environment.brief());
        let idle = environment.render(&brief.idle);
        let actions = calls(environment).iter().map(|call| environment.render(call)).collect();
        let offered =
            offered_call(environment).map(|call| OfferedAction { text: environment.render(&call), tool: call.tool });
        let (tools, queries) = (environment.tools().to_vec(), queries.to_vec());
        Self { brief, tools, first: None, queries, idle, actions, offered }
    }

    /// The same with what was seen before the first step.
    #[must_use]
    pub fn seen_first(mut self, text: &str) -> Self {
        self.first = Some(text.to_owned());
        self
    }

    /// The subject that an adviser is asked about: the first one, or none.
    #[must_use]
    pub fn target(&self) -> &str {
        self.brief.subjects.first().map_or("", String::as_str)
    }
}

/// The calls of tools with at most one parameter of known literals, without what requests leave out.
fn calls(environment: &dyn Environment) -> Vec<ToolCall> {
    let (mut calls, brief) = (Vec::new(), environment.brief());
    for tool in environment.tools().iter() {
        let required: Vec<&str> = tool.required().collect();
        match required.as_slice() {
            [] => calls.push(ToolCall::bare(&tool.name)),
            [parameter] => {
                let choices = environment.choices(&tool.name, parameter).unwrap_or_default();
                calls.extend(choices.iter().map(|choice| ToolCall::with(&tool.name, &[(parameter, choice)])));
            }
            _ => {}
        }
    }
    calls.retain(|call| prompt::explains(brief, &call.tool));
    calls
}
