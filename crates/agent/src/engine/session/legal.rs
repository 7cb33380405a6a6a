//! Legal actions, up to a cap, and what is made of them.

use std::sync::{Arc, Mutex, PoisonError};

use gimbal_core::{Grammar, Halt, Message, Speaker, Stage, ToolCall, ToolSpec};

use super::AgentSession;
use crate::engine::halt;
use crate::prompt::{self, PromptContext};
use crate::protocol::grammar::{Shape, shape};
use crate::variables::Variables;

/// The legal actions of a step.
#[derive(Clone, Debug)]
pub(in crate::engine) struct Legal {
    pub(in crate::engine) calls: Arc<[ToolCall]>,
    /// The same as the environment writes them.
    pub(in crate::engine) texts: Arc<[String]>,
    /// Whether there are more than were asked for.
    pub(in crate::engine) narrowed: bool,
}

/// What is made of a list of legal actions: used again while it stays the same, and shared by the episodes that agree
/// in it.
pub(in crate::engine) struct Menu {
    /// As the stage gave them: one more than the cap where there are more.
    listed: Arc<[ToolCall]>,
    pub(in crate::engine) legal: Legal,
    pub(in crate::engine) system: Arc<Message>,
    pub(in crate::engine) variables: Variables,
    /// The latest grammar, with the bound of the output that it was made for.
    shaped: Mutex<Option<(u32, Arc<[Reply; 2]>)>>,
}

/// What a reply must be under constrained decoding.
#[derive(Debug)]
pub(in crate::engine) struct Reply {
    pub(in crate::engine) grammar: Arc<Grammar>,
    /// The bound to ask for; none where the role's own does.
    pub(in crate::engine) max_output_tokens: Option<u32>,
}

impl Menu {
    /// The menu of the first `cap` legal calls, in the environment's order. `narrowed` says that there are more.
    pub(in crate::engine) async fn new(
        session: &AgentSession<'_>,
        stage: &dyn Stage,
        listed: Arc<[ToolCall]>,
        narrowed: bool,
    ) -> Result<Self, Halt> {
        let cap = session.settings().legal_cap as usize;
        let brief = session.brief();
        let explained = |call: &ToolCall| prompt::explains(brief, &call.tool);
        let calls: Arc<[ToolCall]> = match listed.iter().all(explained) {
            true if listed.len() <= cap => Arc::clone(&listed),
            true => listed[..cap].into(),
            false => listed.iter().filter(|call| explained(call)).take(cap).cloned().collect(),
        };
        let mut texts = Vec::with_capacity(calls.len());
        for call in calls.iter() {
            texts.push(stage.render(call).await);
        }
        let texts: Arc<[String]> = texts.into();
        let prepared = &session.prepared;
        let (system, variables) = match &prepared.system {
            Some(system) => (Arc::clone(system), prepared.variables.clone()),
            None => {
                let environment = PromptContext {
                    brief: &prepared.told,
                    idle: &prepared.idle,
                    tools: &prepared.tools,
                    actions: &texts,
                };
                let text =
                    prompt::system(&session.agent.persona, session.settings(), environment).map_err(halt)?.text();
                (Arc::new(Message::new(Speaker::System, text)), environment.variables())
            }
        };
        Ok(Self { listed, legal: Legal { calls, texts, narrowed }, system, variables, shaped: Mutex::default() })
    }

    pub(in crate::engine) fn is_of(&self, listed: &Arc<[ToolCall]>) -> bool {
        Arc::ptr_eq(&self.listed, listed) || self.listed == *listed
    }

    /// The grammars for a reply of at most `budget` tokens: any reply, and one that must be the answer.
    pub(in crate::engine) fn shaped(&self, session: &AgentSession<'_>, budget: u32) -> Arc<[Reply; 2]> {
        let mut known = self.shaped.lock().unwrap_or_else(PoisonError::into_inner);
        if let Some((_, shaped)) = known.as_ref().filter(|(bound, _)| *bound == budget) {
            return Arc::clone(shaped);
        }
        let (settings, prepared) = (session.settings(), &session.prepared);
        let (calls, texts, thought) = (&*self.legal.calls, &*self.legal.texts, settings.thought_characters);
        let message = session.agent.partners.message.map(|message| message.form(&prepared.brief, texts));
        let open: Vec<ToolSpec> = match prepared.brief.free_arguments {
            true => prepared.env_tools.iter().filter(|spec| session.allows(&spec.name)).cloned().collect(),
            false => Vec::new(),
        };
        let shaped = Arc::new([&prepared.forms[..], &[]].map(|tools| {
            let message = message.as_ref();
            let shaped = shape(
                settings.protocol,
                Shape { calls, texts, specs: &prepared.env_tools, open: &open, message, tools, thought, budget },
            );
            Reply { grammar: Arc::new(shaped.grammar), max_output_tokens: shaped.max_output_tokens }
        }));
        *known = Some((budget, Arc::clone(&shaped)));
        shaped
    }
}
