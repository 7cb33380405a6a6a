//! An environment as prompts show it that nobody plays.

use std::sync::Arc;

use gimbal_core::{Brief, Environment, ToolCall, ToolSpec};

use crate::prompt;

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
}

impl ShownEnvironment {
    /// An environment that was reset, with the queries of its tracker.
    #[must_use]
    pub fn new(environment: &dyn Environment, queries: &[ToolSpec]) -> Self {
        let brief = Arc::clone(environment.brief());
        let (idle, actions) = (environment.render(&brief.idle), actions(environment));
        Self { brief, tools: environment.tools().to_vec(), first: None, queries: queries.to_vec(), idle, actions }
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

/// The action texts of tools with at most one parameter of known literals, without what requests leave out.
fn actions(environment: &dyn Environment) -> Vec<String> {
    let (mut actions, brief) = (Vec::new(), environment.brief());
    let sent = |call: &ToolCall| prompt::explains(brief, &call.tool);
    for tool in environment.tools().iter() {
        let required: Vec<&str> = tool.required().collect();
        match required.as_slice() {
            [] => actions.push(ToolCall::bare(&tool.name)),
            [parameter] => {
                let choices = environment.choices(&tool.name, parameter).unwrap_or_default();
                actions.extend(choices.iter().map(|choice| ToolCall::with(&tool.name, &[(parameter, choice)])));
            }
            _ => {}
        }
    }
    actions.iter().filter(|call| sent(call)).map(|call| environment.render(call)).collect()
}
