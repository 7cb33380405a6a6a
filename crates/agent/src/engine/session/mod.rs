//! An agent in an episode.

mod bounds;
mod legal;

use std::sync::{Arc, Mutex, PoisonError};

use gimbal_core::{Brief, EpisodeStopped, Message, Speaker, Stage, ToolCall, ToolSpec};
use gimbal_messages::Form;

use self::legal::{ActionForm, Legal, Menu, Reply, hidden_from};
use super::Agent;
use super::reply::ReplySpec;
use crate::persona::PersonaError;
use crate::persona::data::FINISH;
use crate::prompt::{self, PromptContext};
use crate::protocol::grammar::{Shape, shape};
use crate::tool::{Carrier, Delegates, INPUT, Offered, with_reasoning};
use crate::variables::Variables;
use crate::{Protocol, Settings};

/// What stays the same through an episode, and from one episode to the next where the brief is the same.
pub(super) struct Prepared {
    pub(super) brief: Arc<Brief>,
    /// The environment's tools that the agent may use, where that is not all of them (CYC-027).
    only: Option<Vec<String>>,
    /// What prompts tell of the brief: of a specialist, the actions of its tools only.
    pub(super) told: Arc<Brief>,
    queries: Arc<[ToolSpec]>,
    pub(super) env_tools: Arc<[ToolSpec]>,
    pub(super) idle: String,
    pub(super) tools: Vec<Offered>,
    /// What the inputs of the tools may be, under constrained decoding.
    pub(super) forms: Vec<(String, Form)>,
    /// Tools for native calls: queries first, then the actions of the environment that its brief explains, each with
    /// `reasoning`.
    pub(super) native: Arc<[ToolSpec]>,
    /// With an empty list of actions.
    pub(super) variables: Variables,
    /// The system message, unless it changes with the legal actions.
    pub(super) system: Option<Arc<Message>>,
    /// The latest menu of any episode: mostly all episodes have the same.
    menu: Mutex<Option<Arc<Menu>>>,
    /// The latest form of actions within a message, of any episode.
    action_form: Mutex<Option<ActionForm>>,
}

/// What an environment offers to an agent.
pub(super) struct Interface {
    /// What it says of itself.
    pub brief: Arc<Brief>,
    /// The queries of its tracker.
    pub queries: Arc<[ToolSpec]>,
    /// Its own tools.
    pub env_tools: Arc<[ToolSpec]>,
    /// The call that does nothing, as it writes it.
    pub idle: String,
}

impl Prepared {
    pub(super) fn new(
        agent: &Agent,
        Interface { brief, queries, env_tools, idle }: Interface,
        only: Option<&[String]>,
    ) -> Result<Self, PersonaError> {
        let told = match only {
            None => Arc::clone(&brief),
            Some(only) => {
                let mut told = (*brief).clone();
                let named: Vec<&str> =
                    only.iter().filter_map(|tool| brief.entry_of(tool)).map(|entry| entry.name.as_str()).collect();
                told.glossary.retain(|entry| named.contains(&entry.name.as_str()));
                Arc::new(told)
            }
        };
        let allowed = |spec: &&ToolSpec| {
            only.is_none_or(|only| only.contains(&spec.name)) && prompt::explains(&brief, &spec.name)
        };
        let delegates = Delegates::These(agent.partners.delegates);
        let tools = Offered::of(&agent.persona, &agent.settings, (&brief, &idle), &queries, delegates)?;
        let forms = input_forms(&tools, &brief, &brief);
        let environment = PromptContext { brief: &told, idle: &idle, tools: &tools, actions: &[] };
        let variables = environment.variables();
        let system = if wants_actions(agent) {
            None
        } else {
            let text = prompt::system(&agent.persona, &agent.settings, environment)?.text();
            Some(Arc::new(Message::new(Speaker::System, text)))
        };
        let native: Arc<[ToolSpec]> = if agent.settings.protocol == Protocol::NativeTools {
            let actions = if agent.persona.core.contract.is_some() { &[][..] } else { &env_tools[..] };
            tools.iter().map(|tool| &tool.spec).chain(actions.iter().filter(allowed)).map(with_reasoning).collect()
        } else {
            Arc::new([])
        };
        let only = only.map(<[String]>::to_vec);
        let (menu, action_form) = (Mutex::default(), Mutex::default());
        Ok(Self {
            brief,
            only,
            told,
            queries,
            env_tools,
            idle,
            tools,
            forms,
            native,
            variables,
            system,
            menu,
            action_form,
        })
    }

    pub(super) fn is_for(
        &self,
        brief: &Arc<Brief>,
        queries: &Arc<[ToolSpec]>,
        tools: &Arc<[ToolSpec]>,
        only: Option<&[String]>,
    ) -> bool {
        let same = |left: &Arc<[ToolSpec]>, right: &Arc<[ToolSpec]>| Arc::ptr_eq(left, right) || left == right;
        self.only.as_deref() == only
            && (Arc::ptr_eq(&self.brief, brief) || self.brief == *brief)
            && same(&self.queries, queries)
            && same(&self.env_tools, tools)
    }
}

/// What the inputs of the tools may be, by their published names, where of all subjects in `brief` the agent was shown those in
/// `shown`. A tool that asks about one subject is left out where none was shown.
fn input_forms(tools: &[Offered], brief: &Brief, shown: &Brief) -> Vec<(String, Form)> {
    let some = |form: Option<Form>| match form {
        None if brief.subjects.is_empty() => Some(Form::line(INPUT)),
        form => form,
    };
    let form = |tool: &Offered| match &tool.carrier {
        Carrier::Delegate(delegate) => some(delegate.form(shown)),
        Carrier::Query(spec) if spec.required().count() == 1 => {
            some((!shown.subjects.is_empty()).then(|| Form::one_of(&shown.subjects)))
        }
        Carrier::Query(_) | Carrier::Deliberation(_) => Some(Form::line(INPUT)),
    };
    tools.iter().filter_map(|tool| Some((tool.name.clone(), form(tool)?))).collect()
}

fn wants_actions(agent: &Agent) -> bool {
    agent.settings.inject_action_list || agent.persona.mentions_actions()
}

/// An agent in one episode.
pub struct AgentSession<'a> {
    pub(super) agent: &'a Agent,
    pub(super) prepared: Arc<Prepared>,
    last: Mutex<Option<Last>>,
}

/// The menu of the last step, and what it was made of: a step that has the same list at the same address has the same menu.
#[derive(Clone)]
struct Last {
    /// All legal calls.
    all: Arc<[ToolCall]>,
    /// The subject that an adviser was asked about.
    target: Option<String>,
    menu: Arc<Menu>,
}

/// What depends on the legal actions of a step, as far as it is needed.
pub(super) struct Present {
    pub(super) legal: Option<Legal>,
    pub(super) system: Arc<Message>,
    pub(super) variables: Variables,
    /// What grammars are made of, and the role's bound of the output, where it decodes under constraint.
    masked: Option<(Arc<Menu>, u32)>,
}

impl Present {
    /// The grammars of the next reply, where the role decodes under constraint: any reply, and one that must be the answer.
    /// Subjects that none of the messages names are in neither: whoever reads the request cannot mean them. What the agent
    /// wrote itself shows nothing, and neither do the texts that repeat it (`echoes`).
    /// `expert`: the reply is that of an expert, which sees the environment. Native tools show all names in their schemas.
    pub(super) async fn shaped(
        &self,
        (session, stage): (&AgentSession<'_>, &dyn Stage),
        messages: &[Arc<Message>],
        (echoes, expert): (&[String], bool),
    ) -> Option<Arc<[Reply; 2]>> {
        let (menu, budget) = self.masked.as_ref()?;
        let left_out = !expert && session.settings().protocol != Protocol::NativeTools;
        let hidden = match left_out || menu.legal.narrowed {
            true => hidden_from(&session.prepared.brief, messages, echoes),
            false => Vec::new(),
        };
        Some(menu.shaped((session, stage), *budget, (hidden, left_out)).await)
    }
}

fn known(menu: &Mutex<Option<Arc<Menu>>>, listed: &Arc<[ToolCall]>) -> Option<Arc<Menu>> {
    let menu = menu.lock().unwrap_or_else(PoisonError::into_inner).clone();
    menu.filter(|menu| menu.is_of(listed))
}

fn keep(place: &Mutex<Option<Arc<Menu>>>, menu: &Arc<Menu>) {
    *place.lock().unwrap_or_else(PoisonError::into_inner) = Some(Arc::clone(menu));
}

impl<'a> AgentSession<'a> {
    pub(super) fn new(agent: &'a Agent, prepared: Arc<Prepared>) -> Self {
        Self { agent, prepared, last: Mutex::default() }
    }

    /// Whether the agent may use this tool of the environment.
    pub(super) fn allows(&self, tool: &str) -> bool {
        self.allowed().is_none_or(|allowed| allowed.iter().any(|known| known == tool))
    }

    /// The tools that the agent may use, where they are not all (CYC-027).
    pub(super) fn allowed(&self) -> Option<&[String]> {
        self.prepared.only.as_deref()
    }

    /// Whether the brief explains the tool of a call: what it does not explain is in no list and no mask.
    pub(super) fn explains(&self, call: &ToolCall) -> bool {
        prompt::explains(self.brief(), &call.tool)
    }

    /// Tools for native calls.
    pub(super) fn native(&self) -> Arc<[ToolSpec]> {
        Arc::clone(&self.prepared.native)
    }

    /// The grammar of a message that whoever asks describes.
    pub(super) fn described(&self, reply_spec: &ReplySpec, budget: u32) -> Option<Reply> {
        let settings = self.settings();
        let shape_of = Shape {
            calls: &[],
            texts: &[],
            none_legal: false,
            numbers: self.numbers(),
            open: &[],
            message: Some(&reply_spec.form),
            tools: &self.prepared.forms,
            thought: settings.thought_characters,
            budget,
        };
        let shaped = shape(settings.protocol, shape_of);
        Some(Reply { grammar: Arc::new(shaped.grammar), max_output_tokens: shaped.max_output_tokens })
    }

    /// Whether the tool of this published name gives control back.
    fn ends_by(&self, name: &str) -> bool {
        self.prepared.tools.iter().any(|tool| tool.name == name && tool.generic == FINISH)
    }

    /// The settings of the agent.
    #[must_use]
    pub const fn settings(&self) -> &Settings {
        &self.agent.settings
    }

    /// Whether the answer is a message.
    pub(super) fn advises(&self) -> bool {
        self.agent.persona.core.contract.is_some()
    }

    /// The brief of the episode.
    pub(super) fn brief(&self) -> &Brief {
        &self.prepared.brief
    }

    /// Looks at the legal actions where the prompt, a grammar or a hint needs them. `budget` is the role's bound of
    /// the output, where it decodes under constraint.
    pub(super) async fn present(
        &self,
        stage: &dyn Stage,
        budget: Option<u32>,
        hint: bool,
        target: Option<&str>,
    ) -> Result<Present, EpisodeStopped> {
        let prepared = &self.prepared;
        let needed = budget.is_some() || hint || prepared.system.is_none();
        if !needed && let Some(system) = &prepared.system {
            let system = Arc::clone(system);
            return Ok(Present { legal: None, system, variables: prepared.variables.clone(), masked: None });
        }
        let menu = self.menu(stage, target).await?;
        Ok(Present {
            legal: Some(menu.legal.clone()),
            system: Arc::clone(&menu.system),
            variables: menu.variables.clone(),
            masked: budget.map(|budget| (menu, budget)),
        })
    }

    /// The call of an agent that has none of its own to make: the idle call, or the first legal one of a specialist that lacks its tool.
    /// `None` where it may make none.
    pub(super) fn harmless<'own>(&'own self, legal: Option<&'own Legal>) -> Option<&'own ToolCall> {
        let idle = Some(&self.brief().idle).filter(|idle| self.allows(&idle.tool));
        idle.or_else(|| legal?.calls.first())
    }

    /// The call that is made where all attempts failed. Legal actions are looked at only where the idle call is not allowed.
    pub(super) async fn fallback(&self, stage: &dyn Stage) -> Result<ToolCall, EpisodeStopped> {
        let idle = &self.brief().idle;
        let menu = if self.allows(&idle.tool) { None } else { Some(self.menu(stage, None).await?) };
        Ok(self.harmless(menu.as_ref().map(|menu| &menu.legal)).unwrap_or(idle).clone())
    }

    async fn menu(&self, stage: &dyn Stage, target: Option<&str>) -> Result<Arc<Menu>, EpisodeStopped> {
        let cap = self.settings().legal_cap as usize;
        let all = stage.legal(usize::MAX).await;
        let last = self.last.lock().unwrap_or_else(PoisonError::into_inner).clone();
        if let Some(last) = &last
            && Arc::ptr_eq(&last.all, &all)
            && last.target.as_deref() == target
        {
            return Ok(Arc::clone(&last.menu));
        }
        let any_listed = !all.is_empty();
        let listed: Arc<[ToolCall]> = match self.allowed() {
            Some(_) => all.iter().filter(|call| self.allows(&call.tool)).cloned().collect(),
            None => Arc::clone(&all),
        };
        let (listed, narrowed) = match target.filter(|target| listed.len() > cap && self.brief().knows(target)) {
            // Of an adviser about one subject: what is about that subject, or about none.
            Some(target) => {
                let about = |call: &&ToolCall| self.brief().subject_of(call).is_none_or(|subject| subject == target);
                (listed.iter().filter(about).cloned().collect(), true)
            }
            None => (listed, false),
        };
        let menu = match last.map(|last| last.menu).filter(|menu| menu.is_of(&listed)) {
            Some(menu) => menu,
            None => {
                let none_legal = any_listed && listed.is_empty();
                self.shared_menu(stage, listed, (narrowed, none_legal)).await?
            }
        };
        let last = Last { all, target: target.map(str::to_owned), menu: Arc::clone(&menu) };
        *self.last.lock().unwrap_or_else(PoisonError::into_inner) = Some(last);
        Ok(menu)
    }

    /// The menu of these calls: that of whichever episode, where it is of the same. The rest is as for [`Menu::new`].
    async fn shared_menu(
        &self,
        stage: &dyn Stage,
        listed: Arc<[ToolCall]>,
        (narrowed, none_legal): (bool, bool),
    ) -> Result<Arc<Menu>, EpisodeStopped> {
        if let Some(menu) = known(&self.prepared.menu, &listed) {
            return Ok(menu);
        }
        let menu = Arc::new(Menu::new(self, stage, Arc::clone(&listed), (narrowed, none_legal)).await?);
        // Another episode may have been faster: one is enough.
        Ok(known(&self.prepared.menu, &listed).unwrap_or_else(|| {
            keep(&self.prepared.menu, &menu);
            menu
        }))
    }
}
