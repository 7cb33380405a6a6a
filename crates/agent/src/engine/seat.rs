//! An agent in an episode.

use std::sync::{Arc, Mutex, PoisonError};

use gimbal_core::{Brief, Halt, Message, Speaker, Stage, ToolCall, ToolSpec};

use super::legal::{Legal, legal};
use super::{Agent, halt};
use crate::persona::PersonaError;
use crate::prompt::{self, Variables, World};
use crate::protocol::grammar::{Shape, Shaped, shape};
use crate::tool::{Offered, with_reasoning};
use crate::{Protocol, Settings};

/// What stays the same through an episode, and from one episode to the next where the brief is the same.
pub(super) struct Prepared {
    brief: Arc<Brief>,
    queries: Arc<[ToolSpec]>,
    world_tools: Arc<[ToolSpec]>,
    idle: String,
    pub(super) tools: Vec<Offered>,
    /// Tools for native calls: queries first, then the actions of the world, each with `reasoning`.
    pub(super) native: Arc<[ToolSpec]>,
    /// With an empty list of actions.
    pub(super) variables: Variables,
    /// The system message, unless it changes with the legal actions.
    system: Option<Arc<Message>>,
}

impl Prepared {
    pub(super) fn new(
        agent: &Agent,
        brief: Arc<Brief>,
        queries: Arc<[ToolSpec]>,
        world_tools: Arc<[ToolSpec]>,
        idle: String,
    ) -> Result<Self, PersonaError> {
        let tools = Offered::of(&agent.persona.core.tools, &brief, &queries);
        let world = World { brief: &brief, idle: &idle, tools: &tools, actions: &[] };
        let variables = Variables::of(world);
        let system = if wants_actions(agent) {
            None
        } else {
            let text = prompt::system(&agent.persona, &agent.settings, world)?.text();
            Some(Arc::new(Message::new(Speaker::System, text)))
        };
        let native: Arc<[ToolSpec]> = if agent.settings.protocol == Protocol::NativeTools {
            tools.iter().map(|tool| &tool.spec).chain(world_tools.iter()).map(with_reasoning).collect()
        } else {
            Arc::new([])
        };
        Ok(Self { brief, queries, world_tools, idle, tools, native, variables, system })
    }

    pub(super) fn is_for(&self, brief: &Arc<Brief>, queries: &Arc<[ToolSpec]>, tools: &Arc<[ToolSpec]>) -> bool {
        let same = |left: &Arc<[ToolSpec]>, right: &Arc<[ToolSpec]>| Arc::ptr_eq(left, right) || left == right;
        (Arc::ptr_eq(&self.brief, brief) || self.brief == *brief)
            && same(&self.queries, queries)
            && same(&self.world_tools, tools)
    }
}

fn wants_actions(agent: &Agent) -> bool {
    agent.settings.inject_action_list || agent.persona.mentions_actions()
}

/// An agent in one episode.
pub struct Seat<'a> {
    pub(super) agent: &'a Agent,
    pub(super) prepared: Arc<Prepared>,
    /// What was made for the legal actions of the last step, used again while they stay the same.
    last: Mutex<Last>,
}

#[derive(Default)]
struct Last {
    calls: Vec<ToolCall>,
    texts: Arc<[String]>,
    system: Option<Arc<Message>>,
    shaped: Option<(u32, Arc<Shaped>)>,
}

/// What depends on the legal actions of a step, as far as it is needed.
pub(super) struct Present {
    pub(super) legal: Option<Legal>,
    pub(super) system: Arc<Message>,
    pub(super) variables: Variables,
    pub(super) shaped: Option<Arc<Shaped>>,
}

impl<'a> Seat<'a> {
    pub(super) fn new(agent: &'a Agent, prepared: Arc<Prepared>) -> Self {
        Self { agent, prepared, last: Mutex::default() }
    }

    /// The settings of the agent.
    #[must_use]
    pub const fn settings(&self) -> &Settings {
        &self.agent.settings
    }

    /// The brief of the episode.
    pub(super) fn brief(&self) -> &Brief {
        &self.prepared.brief
    }

    /// Looks at the legal actions where the prompt, a grammar or a hint needs them. `budget` is the role's bound of
    /// the output, where it decodes under constraint.
    pub(super) async fn present(&self, stage: &dyn Stage, budget: Option<u32>, hint: bool) -> Result<Present, Halt> {
        let prepared = &self.prepared;
        let needed = budget.is_some() || hint || prepared.system.is_none();
        if !needed && let Some(system) = &prepared.system {
            let system = Arc::clone(system);
            return Ok(Present { legal: None, system, variables: prepared.variables.clone(), shaped: None });
        }
        let calls = legal(stage, self.settings().legal_cap as usize).await;
        let known = {
            let last = self.last.lock().unwrap_or_else(PoisonError::into_inner);
            (last.calls == calls.calls).then(|| Arc::clone(&last.texts))
        };
        let texts: Arc<[String]> = match known {
            Some(texts) => texts,
            None => {
                let mut texts = Vec::with_capacity(calls.calls.len());
                for call in &calls.calls {
                    texts.push(stage.render(call).await);
                }
                let texts: Arc<[String]> = texts.into();
                let mut last = self.last.lock().unwrap_or_else(PoisonError::into_inner);
                *last = Last { calls: calls.calls.clone(), texts: Arc::clone(&texts), system: None, shaped: None };
                texts
            }
        };
        let legal = Legal { texts, ..calls };
        let mut last = self.last.lock().unwrap_or_else(PoisonError::into_inner);
        let (system, variables) = self.system(&legal, &mut last)?;
        let shaped = budget.map(|budget| self.shaped(&legal, budget, &mut last));
        Ok(Present { legal: Some(legal), system, variables, shaped })
    }

    fn system(&self, legal: &Legal, last: &mut Last) -> Result<(Arc<Message>, Variables), Halt> {
        let prepared = &self.prepared;
        if let Some(system) = &prepared.system {
            return Ok((Arc::clone(system), prepared.variables.clone()));
        }
        let world =
            World { brief: &prepared.brief, idle: &prepared.idle, tools: &prepared.tools, actions: &legal.texts };
        let system = match &last.system {
            Some(system) => Arc::clone(system),
            None => {
                let text = prompt::system(&self.agent.persona, self.settings(), world).map_err(halt)?.text();
                let system = Arc::new(Message::new(Speaker::System, text));
                last.system = Some(Arc::clone(&system));
                system
            }
        };
        Ok((system, Variables::of(world)))
    }

    fn shaped(&self, legal: &Legal, budget: u32, last: &mut Last) -> Arc<Shaped> {
        if let Some((for_budget, shaped)) = &last.shaped
            && *for_budget == budget
        {
            return Arc::clone(shaped);
        }
        let names: Vec<String> = self.prepared.tools.iter().map(|tool| tool.name.clone()).collect();
        let settings = self.settings();
        let thought = settings.thought_characters;
        let of = Shape { calls: &legal.calls, texts: &legal.texts, tools: &names, thought, budget };
        let shaped = Arc::new(shape(settings.protocol, of));
        last.shaped = Some((budget, Arc::clone(&shaped)));
        shaped
    }
}
