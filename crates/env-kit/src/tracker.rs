//! The part of a belief state that is the same in every environment: its blocks, its log, its queries.

use std::borrow::Cow;

use gimbal_core::{Observation, Rejection, Stepped, ToolCall, ToolSpec, Tracker};

use crate::{Event, History, words};

/// Names of the blocks that every belief state renders.
pub const BLOCKS: [&str; 4] = ["observation", "history", "own_history", "status"];

/// What an environment's belief state knows of its subjects, and the rules by which observations and calls change it.
/// [`BeliefTracker`] makes a tracker of it (BOG-080 to BOG-090, BOG-100 to BOG-106).
pub trait Belief: Send {
    /// Line above the latest observation.
    const OBSERVATION: &'static str = words::OBSERVATION;
    /// The block `observation` before the first step (BOG-037).
    const NO_OBSERVATION: &'static str = words::NO_OBSERVATION;

    /// Forgets the previous episode and reads the first observation.
    fn begin(&mut self, first: &Observation);

    /// Reads a step and returns what the log keeps of it.
    fn update<'a>(&mut self, step: Stepped<'a>) -> Logged<'a>;

    /// The block `status` after `now` steps.
    fn status(&self, now: u32) -> String;

    /// The queries that it answers.
    fn queries(&self) -> &[ToolSpec];

    /// Answers a query with JSON text after `now` steps.
    ///
    /// # Errors
    /// A rejection when there is no such query or subject.
    fn query(&self, now: u32, call: &ToolCall) -> Result<String, Rejection>;

    /// What the block `observation` shows before the first step, where the first observation belongs there.
    fn shown_first(&self, _first: &Observation) -> Option<String> {
        None
    }
}

/// What the log keeps of a step.
#[derive(Clone, Debug)]
pub struct Logged<'a> {
    /// The action as the agent writes it.
    pub action: Cow<'a, str>,
    /// How the step is kept.
    pub kind: StepKind,
    /// Subjects whose comparison with the baseline gave news, with the new status.
    pub updates: Vec<(String, &'static str)>,
}

/// How the log keeps a step.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum StepKind {
    /// Nothing was done: the step is folded into a run of quiet ones; changes of subjects are shown with it.
    Idle,
    /// The agent looked at something: folded as well, but shown in full when there is news.
    Look,
    /// The agent acted: shown in full.
    Act,
}

/// A tracker over an environment's belief.
#[derive(Clone, Debug, Default)]
pub struct BeliefTracker<B> {
    belief: B,
    history: History,
    /// Text of the latest observation; none before the first step, unless the first observation is shown.
    text: Option<String>,
    /// Steps taken.
    now: u32,
}

impl<B> BeliefTracker<B> {
    /// A tracker at the start of an episode.
    pub fn new(belief: B) -> Self {
        Self { belief, history: History::default(), text: None, now: 0 }
    }

    /// What is known of the subjects.
    pub const fn belief(&self) -> &B {
        &self.belief
    }
}

impl<B: Belief> Tracker for BeliefTracker<B> {
    fn begin(&mut self, first: &Observation) {
        self.history.clear();
        self.now = 0;
        self.belief.begin(first);
        self.text = self.belief.shown_first(first);
    }

    fn update(&mut self, step: Stepped<'_>) {
        self.now = step.step;
        self.text.get_or_insert_default().clone_from(&step.observation.text);
        let Logged { action, kind, updates } = self.belief.update(step);
        let event = Event { step: step.step, action: &action, justification: step.justification, updates: &updates };
        match kind {
            StepKind::Idle | StepKind::Look if updates.is_empty() => self.history.quiet(step.step, &action),
            StepKind::Idle => self.history.noticed(&action, event),
            StepKind::Look | StepKind::Act => self.history.event(event),
        }
    }

    fn blocks(&self) -> &[&'static str] {
        &BLOCKS
    }

    fn block(&self, name: &str) -> Option<String> {
        match name {
            "observation" => Some(match &self.text {
                None => B::NO_OBSERVATION.to_owned(),
                Some(text) => [B::OBSERVATION, "\n", text].concat(),
            }),
            "history" => Some(self.history.render()),
            "own_history" => Some(self.history.render_own()),
            "status" => Some(self.belief.status(self.now)),
            _ => None,
        }
    }

    fn queries(&self) -> &[ToolSpec] {
        self.belief.queries()
    }

    fn query(&self, call: &ToolCall) -> Result<String, Rejection> {
        self.belief.query(self.now, call)
    }
}
