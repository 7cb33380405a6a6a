//! The first prompts of an agent, without playing: for whoever looks at a persona, and for checks.

use gimbal_core::Block;

use crate::family::{Assignment, Family, Placed};
use crate::persona::PersonaError;
use crate::prompt::{self, Part, PromptContext, Question};
pub use crate::shown_environment::{OfferedAction, ShownEnvironment, offered_call};

/// The step of which the prompt of the user is shown.
const STEP: u32 = 2;

/// The prompts that open the conversation of an agent.
pub struct FirstPrompts {
    /// The system message, in its parts.
    pub system: Vec<Part>,
    /// The message of the user in the second step, in its parts.
    pub user: Vec<Part>,
    /// What a person should know of values in the message of the user, one sentence each.
    pub notes: Vec<String>,
}

impl FirstPrompts {
    /// The prompts of an agent in its place of an architecture; `blocks` are the context blocks of the architecture.
    ///
    /// # Errors
    /// When a text cannot be filled in.
    pub fn new(
        family: &dyn Family,
        placed: &Placed,
        environment: &ShownEnvironment,
        blocks: &[Block],
    ) -> Result<Self, PersonaError> {
        let ShownEnvironment { brief, queries, idle, actions, .. } = environment;
        let agent = &placed.agent;
        let (persona, context) = (agent.persona(), PromptContext { brief, idle, tools: &[], actions });
        let system = agent.show(brief, queries, idle, actions)?.parts;
        let adviser = agent.message().is_some();
        let mut notes = Vec::new();
        let user = match family.asked(placed, environment).filter(|_| adviser || persona.core.is_asked()) {
            None => prompt::user(persona, context, STEP, blocks),
            Some(Assignment { target, message, first, notes: own }) => {
                notes = own;
                let others = if adviser && !family.shows_blocks_to_all() { &[] } else { blocks };
                let shown: Vec<Block> = first.into_iter().chain(others.iter().cloned()).collect();
                prompt::asked(persona, context, STEP, &shown, Question { target: &target, message: &message })
            }
        };
        Ok(Self { system, user: user?, notes })
    }
}
