//! An agent in an episode.

use std::sync::{Arc, Mutex, PoisonError};

use gimbal_core::{Brief, Halt, Message, Speaker, Stage, ToolCall, ToolSpec};

use super::Agent;
use super::legal::{Legal, Menu};
use crate::persona::PersonaError;
use crate::prompt::{self, Variables, World};
use crate::protocol::grammar::Shaped;
use crate::tool::{Offered, with_reasoning};
use crate::{Protocol, Settings};

/// What stays the same through an episode, and from one episode to the next where the brief is the same.
pub(super) struct Prepared {
    pub(super) brief: Arc<Brief>,
    queries: Arc<[ToolSpec]>,
    world_tools: Arc<[ToolSpec]>,
    pub(super) idle: String,
    pub(super) tools: Vec<Offered>,
    /// Tools for native calls: queries first, then the actions of the world, each with `reasoning`.
    pub(super) native: Arc<[ToolSpec]>,
    /// With an empty list of actions.
    pub(super) variables: Variables,
    /// The system message, unless it changes with the legal actions.
    pub(super) system: Option<Arc<Message>>,
    /// The latest menu of any episode: mostly all episodes have the same.
    menu: Mutex<Option<Arc<Menu>>>,
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
        Ok(Self { brief, queries, world_tools, idle, tools, native, variables, system, menu: Mutex::default() })
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
    /// The menu of the last step.
    last: Mutex<Option<Arc<Menu>>>,
}

/// What depends on the legal actions of a step, as far as it is needed.
pub(super) struct Present {
    pub(super) legal: Option<Legal>,
    pub(super) system: Arc<Message>,
    pub(super) variables: Variables,
    pub(super) shaped: Option<Arc<Shaped>>,
}

fn known(menu: &Mutex<Option<Arc<Menu>>>, listed: &Arc<[ToolCall]>) -> Option<Arc<Menu>> {
    let menu = menu.lock().unwrap_or_else(PoisonError::into_inner).clone();
    menu.filter(|menu| menu.is_of(listed))
}

fn keep(place: &Mutex<Option<Arc<Menu>>>, menu: &Arc<Menu>) {
    *place.lock().unwrap_or_else(PoisonError::into_inner) = Some(Arc::clone(menu));
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
        let menu = self.menu(stage).await?;
        Ok(Present {
            legal: Some(menu.legal.clone()),
            system: Arc::clone(&menu.system),
            variables: menu.variables.clone(),
            shaped: budget.map(|budget| menu.shaped(self, budget)),
        })
    }

    async fn menu(&self, stage: &dyn Stage) -> Result<Arc<Menu>, Halt> {
        let listed = stage.legal((self.settings().legal_cap as usize).saturating_add(1)).await;
        if let Some(menu) = known(&self.last, &listed) {
            return Ok(menu);
        }
        let menu = match known(&self.prepared.menu, &listed) {
            Some(menu) => menu,
            None => {
                let menu = Arc::new(Menu::new(self, stage, Arc::clone(&listed)).await?);
                // Another episode may have been faster: one is enough.
                known(&self.prepared.menu, &listed).unwrap_or_else(|| {
                    keep(&self.prepared.menu, &menu);
                    menu
                })
            }
        };
        keep(&self.last, &menu);
        Ok(menu)
    }
}
