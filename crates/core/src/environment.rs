//! The seam to an environment.

use std::borrow::Cow;
use std::sync::Arc;

use async_trait::async_trait;
use serde_json::Value;

use crate::fit::Offers;
use crate::reply::{EnvError, Observation, Reply};
use crate::task::{Part, TaskId};
use crate::{Brief, Digest, Expert, Questions, Rejection, Rng, ToolCall, ToolSpec, Tracker};

/// An environment. The same task, seed and calls give the same episode on every machine. Knows no model and no clock.
#[async_trait]
pub trait Environment: Send {
    /// The environment's description of itself for this episode; valid after [`Environment::reset`]. Episodes that say the
    /// same should share it.
    fn brief(&self) -> &Arc<Brief>;

    /// Begins an episode.
    ///
    /// # Errors
    /// When the task does not exist or its data cannot be read.
    async fn reset(&mut self, task: &TaskId, seed: u64) -> Result<Observation, EnvError>;

    /// The tools, fixed for the episode. Episodes with the same tools should share them.
    fn tools(&self) -> &Arc<[ToolSpec]>;

    /// What may be filled in for a parameter now; `None` where anything of the schema may.
    fn choices(&self, tool: &str, parameter: &str) -> Option<Vec<Cow<'_, str>>>;

    /// Reads an action as a model writes it (tolerant).
    ///
    /// # Errors
    /// A rejection that says what was wrong and what would be right.
    fn parse(&self, text: &str) -> Result<ToolCall, Rejection>;

    /// Writes a call as an action text: the inverse of [`Environment::parse`]. The text depends on the call, the brief and
    /// the tools alone, so that the texts of legal calls are written once for all episodes that agree in them.
    fn render(&self, call: &ToolCall) -> String;

    /// Carries out a call. A rejection changes nothing.
    ///
    /// # Errors
    /// A rejection that says what was wrong and what would be right.
    async fn call(&mut self, call: &ToolCall) -> Result<Reply, Rejection>;

    /// Goes on after [`Reply::Ask`] with the model's answer.
    ///
    /// # Errors
    /// A rejection when no question is open, or the answer is of no use.
    async fn answer(&mut self, text: &str) -> Result<Reply, Rejection> {
        let _ = text;
        Err(Rejection::new(crate::RejectionKind::NotNow, "no question is open in this environment"))
    }

    /// Goes on after [`Reply::Ask`] where the model gave no usable answer (it refused, was cut short, ...): `why` is the
    /// name of the failure. The call is rejected by default; an environment that can do without the answer goes on, and one whose
    /// outcome depends on it reports a failure of its own by [`Environment::failure`].
    ///
    /// # Errors
    /// A rejection, with which the question is closed.
    async fn unanswered(&mut self, role: &str, why: &str) -> Result<Reply, Rejection> {
        Err(Rejection::new(crate::RejectionKind::NotNow, format!("the {role} gave no usable answer: {why}")))
    }

    /// A failure of the environment's own services in the latest call or answer, which is not an outcome: the stage ends the
    /// episode as one of infrastructure. It stays until the next [`Environment::reset`].
    fn failure(&self) -> Option<&EnvError> {
        None
    }

    /// A fresh belief state for this episode.
    fn tracker(&self) -> Box<dyn Tracker>;

    /// Hash of the true state of the environment, for replay and for telling what a call did: a call that changes nothing leaves
    /// it as it was, and a way back leads to the digest that was there before. The count of an episode's calls is not part
    /// of it, even where it ends the episode; a clock is part of it only where the rules of the environment depend on it.
    fn state(&self) -> Digest;

    /// Hash of what the agent can distinguish, for exploration.
    fn situation(&self) -> Digest;

    /// The forkable side of this environment, where it has one.
    fn simulator(&self) -> Option<&dyn Simulator> {
        None
    }

    /// What an expert would do here, where this environment knows it. No part of what models see.
    fn expert(&self) -> Option<&dyn Expert> {
        None
    }

    /// Names of the built-in policies that need no model.
    fn policies(&self) -> &[&'static str] {
        &[]
    }

    /// The next call of a built-in policy; `None` if there is no such policy. `draws` is the policy's own stream.
    fn decide(&mut self, policy: &str, draws: &mut Rng) -> Option<ToolCall> {
        let _ = (policy, draws);
        None
    }
}

/// An environment that can be copied.
pub trait Simulator {
    /// A copy with the same true state and a fresh random future named by `future`.
    fn fork(&self, future: u64) -> Box<dyn Environment>;
}

/// A family of environments, by which a study finds one.
pub trait Catalogue: Send + Sync {
    /// Registry name: `cage2`, `textcraft`, ...
    fn name(&self) -> &'static str;

    /// Number of the behaviour: raised whenever the same seed and calls may lead to another episode.
    fn behaviour(&self) -> u32;

    /// Names of the splits.
    fn splits(&self) -> &[&'static str];

    /// The tasks of a split, by resolved or raw options: an option may name the folder or the table that holds the tasks,
    /// so that what a split holds is known only together with them.
    ///
    /// # Errors
    /// When there is no such split, its data cannot be read, or an option does not exist.
    fn tasks(&self, split: &str, options: &Value) -> Result<Vec<TaskId>, EnvError>;

    /// The parts that the tasks of this family are divided into, disjoint and in the order of its tables; empty where it
    /// has no such division. A run keeps of each task to which of them it belongs.
    fn parts(&self) -> &[Part] {
        &[]
    }

    /// JSON Schema of the options that a study may set.
    fn schema(&self) -> Value;

    /// The options with every default written out, in a form that is keyed and stored.
    ///
    /// # Errors
    /// When an option does not exist or has a wrong value.
    fn resolve(&self, options: &Value) -> Result<Value, EnvError>;

    /// The part of resolved options that decides the environment. Episodes that agree in it (and in task and run) share a
    /// seed, so that cells which differ in the rest, such as names at the rim, meet the same environments.
    fn environment(&self, resolved: &Value) -> Value {
        resolved.clone()
    }

    /// Opens an environment with resolved or raw options.
    ///
    /// # Errors
    /// When an option does not exist or has a wrong value.
    fn open(&self, options: &Value) -> Result<Box<dyn Environment>, EnvError>;

    /// What environments of this family offer to an architecture.
    fn offers(&self) -> Offers;

    /// The judging of stored answers, where the tasks are questions. Most environments have no answers to judge.
    fn questions(&self) -> Option<&dyn Questions> {
        None
    }
}
