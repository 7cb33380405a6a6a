//! The first prompts of an agent, without playing: for whoever looks at a persona, and for checks.

use std::sync::Arc;

use gimbal_core::{Block, Brief, Environment, ToolCall, ToolSpec};
use gimbal_messages::spaced;

use crate::family::{Family, Placed};
use crate::persona::PersonaError;
use crate::prompt::{self, Part, PromptContext, Question};

/// The step of which the prompt of the user is shown.
const STEP: u32 = 2;

/// An environment as first prompts see it.
pub struct ShownEnvironment {
    /// What it says of itself.
    pub brief: Arc<Brief>,
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
        Self { brief, queries: queries.to_vec(), idle, actions }
    }

    /// The subject that an adviser is asked about: the first one, or none.
    fn target(&self) -> &str {
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

/// The prompts that open the conversation of an agent.
pub struct FirstPrompts {
    /// The system message, in its parts.
    pub system: Vec<Part>,
    /// The message of the user in the second step, in its parts.
    pub user: Vec<Part>,
}

impl FirstPrompts {
    /// The prompts of an agent in its place of an architecture; `blocks` are the context blocks of the architecture.
    ///
    /// # Errors
    /// When a text cannot be filled in.
    pub fn new(
        family: &dyn Family,
        Placed { place, agent }: &Placed,
        environment: &ShownEnvironment,
        blocks: &[Block],
    ) -> Result<Self, PersonaError> {
        let ShownEnvironment { brief, queries, idle, actions } = environment;
        let (persona, context) = (agent.persona(), PromptContext { brief, idle, tools: &[], actions });
        let system = agent.show(brief, queries, idle, actions)?.parts;
        let user = match agent.message() {
            None => match family.assignment(place).filter(|_| persona.core.is_asked()) {
                Some(assignment) => {
                    let message = spaced(&assignment.message);
                    let question = Question { target: &assignment.target, message: &message };
                    prompt::asked(persona, context, STEP, blocks, question)
                }
                None => prompt::user(persona, context, STEP, blocks),
            },
            Some(message) => {
                let target = environment.target();
                let message = spaced(&message.request(brief, target));
                let shown = if family.shows_blocks_to_all() { blocks } else { &[] };
                prompt::asked(persona, context, STEP, shown, Question { target, message: &message })
            }
        };
        Ok(Self { system, user: user? })
    }
}
