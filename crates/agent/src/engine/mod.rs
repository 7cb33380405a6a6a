//! The ReAct engine.
//!
//! [`Agent`] is built once per study cell, [`AgentSession`] once per episode, a conversation once per step (BOG-031): a step
//! starts with the system prompt and the user prompt and nothing else, so that all continuity is in the blocks.

mod advise;
mod behind;
mod conversation;
mod expert;
mod guard;
mod literals;
mod reply;
mod segment;
mod session;
mod step;

use std::sync::{Arc, Mutex, PoisonError};

use gimbal_core::{Brief, EpisodeStopped, GrammarKind, Milli, Needs, Stage, ToolSpec, nearest};
use gimbal_messages::Message;
use serde_json::Value;

pub use advise::Consultation;
pub use reply::{Advice, ReplySpec};
pub use segment::{CallRecord, Segment};
pub use session::AgentSession;

use crate::deliberation::Deliberation;
use crate::persona::PersonaError;
use crate::prompt::{PromptContext, SystemPrompt};
use crate::protocol::Protocol;
use crate::settings::{Acting, SettingsError};
use crate::tool::{Delegates, Offered, Partners};
use crate::{Overrides, Persona, Settings, prompt};

/// Number of the engine's behaviour: raised whenever the same persona, settings and replies may lead to other
/// requests or actions.
pub const BEHAVIOUR: u32 = 12;

/// Different episodes of a run mostly share one brief; a few system prompts are kept, of specialists one a subtask.
const KEPT: usize = 24;

/// A persona in a role, with its settings.
pub struct Agent {
    persona: Arc<Persona>,
    role: String,
    settings: Settings,
    partners: Partners,
    /// Temperature and most tokens of its calls, where they are not those of its role.
    own: (Option<Milli>, Option<u32>),
    prepared: Mutex<Vec<Arc<session::Prepared>>>,
}

impl Agent {
    /// A persona in a role, on its own.
    ///
    /// # Errors
    /// When the settings are not possible; see [`Settings::of`]. When the persona has a tool that asks another agent, or answers
    /// with a message.
    pub fn new(persona: Arc<Persona>, role: &str, overrides: &Overrides) -> Result<Self, SettingsError> {
        Self::among(persona, role, overrides, Partners::default())
    }

    /// A persona in a role, among partners.
    ///
    /// # Errors
    /// When the settings are not possible; see [`Settings::of`]. When the persona asks someone who is not there, or answers with
    /// another message than its partners read.
    pub fn among(
        persona: Arc<Persona>,
        role: &str,
        overrides: &Overrides,
        partners: Partners,
    ) -> Result<Self, SettingsError> {
        let settings = Settings::of(&persona, overrides)?;
        let (is, must) = (persona.core.contract.as_deref(), partners.message.map(Message::name));
        if is != must {
            let words = |message: Option<&str>| match message {
                Some(message) => format!("with the message `{message}`"),
                None => "with an action".to_owned(),
            };
            return Err(SettingsError::Message { persona: persona.name.clone(), is: words(is), must: words(must) });
        }
        let there: Vec<&str> = partners.delegates.iter().map(|delegate| delegate.name()).collect();
        for tool in persona.core.tools.iter().filter_map(|tool| tool.delegate.as_deref()) {
            if !there.contains(&tool) {
                return Err(SettingsError::Delegate {
                    persona: persona.name.clone(),
                    tool: tool.to_owned(),
                    hint: nearest::hint(tool, there.iter().copied()),
                    there: match there.as_slice() {
                        [] => "an agent on its own has nobody to ask".to_owned(),
                        there => format!("those who can be asked here answer to {}", there.join(", ")),
                    },
                });
            }
        }
        Ok(Self {
            persona,
            role: role.to_owned(),
            settings,
            partners,
            own: (None, None),
            prepared: Mutex::new(Vec::new()),
        })
    }

    /// The agent as one that acts many times in one conversation, and is told so.
    #[must_use]
    pub fn acting_often(mut self, overrides: &Overrides) -> Self {
        self.settings.acting = Some(Acting::of(&self.persona, overrides));
        self
    }

    /// The agent with a temperature and a bound of output of its own, in the place of those of its role (CTHA-006). Under constrained decoding
    /// the form of an answer bounds its output.
    #[must_use]
    pub const fn sampled(mut self, temperature: Option<Milli>, most_tokens: Option<u32>) -> Self {
        self.own = (temperature, most_tokens);
        self
    }

    /// The persona.
    #[must_use]
    pub fn persona(&self) -> &Persona {
        &self.persona
    }

    /// The message that the agent answers with; `None` if it answers with an action.
    #[must_use]
    pub const fn message(&self) -> Option<&'static dyn Message> {
        self.partners.message
    }

    /// The role, by which the stage finds the model.
    #[must_use]
    pub fn role(&self) -> &str {
        &self.role
    }

    /// The settings.
    #[must_use]
    pub const fn settings(&self) -> &Settings {
        &self.settings
    }

    /// What the agent needs of an environment: its role and the queries of its tools.
    #[must_use]
    pub fn needs(&self) -> Needs {
        let queries = self.persona.core.tools.iter().filter_map(|tool| tool.query.clone()).collect();
        let kind = match self.settings.protocol {
            Protocol::ReactText => GrammarKind::Regex,
            Protocol::NativeTools | Protocol::Json => GrammarKind::Schema,
        };
        // An adviser's answer is a message: without tools of its own there is nothing to call.
        let core = &self.persona.core;
        let calls = core.contract.is_none()
            || !core.tools.is_empty()
            || Deliberation::ALL.into_iter().any(|tool| tool.is_on(&self.settings));
        let native = self.settings.protocol == Protocol::NativeTools && calls;
        Needs {
            queries,
            roles: vec![self.role.clone()],
            grammars: vec![(self.role.clone(), kind)],
            native: native.then(|| self.role.clone()).into_iter().collect(),
            ..Needs::default()
        }
    }

    /// Everything that decides the agent's behaviour: persona by name and hash, role, settings.
    #[must_use]
    pub fn resolved(&self) -> Value {
        serde_json::json!({
            "engine": BEHAVIOUR,
            "persona": self.persona.name,
            "persona_digest": self.persona.digest,
            "role": self.role,
            "settings": self.settings,
        })
    }

    /// The system prompt in an environment, part by part with origins. `idle` and `actions` as the environment writes them.
    ///
    /// # Errors
    /// When a text cannot be filled in.
    pub fn show(
        &self,
        brief: &Brief,
        queries: &[ToolSpec],
        idle: &str,
        actions: &[String],
    ) -> Result<SystemPrompt, PersonaError> {
        let delegates = Delegates::These(self.partners.delegates);
        let tools = Offered::of(&self.persona, &self.settings, (brief, idle), queries, delegates)?;
        prompt::system(&self.persona, &self.settings, PromptContext { brief, idle, tools: &tools, actions })
    }

    /// A session of an episode: everything that stays the same from step to step is made here.
    ///
    /// # Errors
    /// A stop when a text cannot be filled in.
    pub async fn session(&self, stage: &dyn Stage) -> Result<AgentSession<'_>, EpisodeStopped> {
        self.session_with(stage, None).await
    }

    /// A session as [`Agent::session`] gives it, of a specialist that has only some of the environment's tools and is told about no others
    /// (CYC-027).
    ///
    /// # Errors
    /// A stop when a text cannot be filled in.
    pub async fn session_with(
        &self,
        stage: &dyn Stage,
        only: Option<&[String]>,
    ) -> Result<AgentSession<'_>, EpisodeStopped> {
        let (brief, queries, tools) = (stage.brief(), stage.queries(), stage.tools());
        let known = {
            let prepared = self.prepared.lock().unwrap_or_else(PoisonError::into_inner);
            prepared.iter().find(|prepared| prepared.is_for(&brief, &queries, &tools, only)).map(Arc::clone)
        };
        let prepared = match known {
            Some(prepared) => prepared,
            None => {
                let idle = stage.render(&brief.idle).await;
                let made =
                    session::Prepared::new(self, session::Interface { brief, queries, env_tools: tools, idle }, only)
                        .map_err(halt)?;
                let made = Arc::new(made);
                let mut prepared = self.prepared.lock().unwrap_or_else(PoisonError::into_inner);
                if prepared.len() >= KEPT {
                    prepared.remove(0);
                }
                prepared.push(Arc::clone(&made));
                made
            }
        };
        Ok(AgentSession::new(self, prepared))
    }
}

/// A prompt that cannot be made is not an outcome of the agent. [`Persona::load`] has tried all of them.
fn halt(error: PersonaError) -> EpisodeStopped {
    EpisodeStopped::lasting(error.to_string())
}
