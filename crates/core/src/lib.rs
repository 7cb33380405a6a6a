//! Words and seams that every room of Gimbal shares.
//!
//! An **architecture** plays an episode of an **environment** with **models** in named roles, through a
//! [`Stage`], and a journal of [`Event`]s records everything. This crate holds the types of that sentence
//! and nothing else.
//!
//! *Invariant*: no runtime, no input or output, no clock, no model, no environment.

pub mod architecture;
pub mod artefact;
pub mod branch;
pub mod brief;
pub mod budget;
pub mod canonical;
pub mod chain;
pub mod chat;
mod chat_model;
pub mod command_form;
pub mod data;
pub mod delta;
pub mod digest;
pub mod environment;
pub mod event;
pub mod expert;
pub mod fit;
pub mod kept;
pub mod last_line;
pub mod learned;
pub mod legal;
pub mod manifest;
pub mod milli;
pub mod nearest;
pub mod questions;
pub mod record;
pub mod remark;
pub mod reply;
pub mod seed;
pub mod stage;
pub mod stop;
pub mod task;
pub mod text;
pub mod tool;
pub mod tracker;
pub mod yaml;

pub use architecture::{Architecture, ArchitectureKind, BuildError, FileError, Files};
pub use artefact::{Artefact, Memory};
pub use branch::{Branch, BranchError};
pub use brief::{Answering, Brief, GlossaryEntry, Material, Thresholds};
pub use budget::{Limits, Spent};
pub use chat::{
    ChatRequest, Completion, Finish, Grammar, GrammarKind, Message, ModelError, ModelErrorKind, ProviderSettings,
    RequestedCall, Sampling, Speaker, Usage, UsageSource,
};
pub use chat_model::{CallContext, ChatModel, Wire};
pub use command_form::CommandForm;
pub use data::Data;
pub use digest::Digest;
pub use environment::{Catalogue, Environment, Simulator};
pub use event::{Body, Event};
pub use expert::{Expert, Hint};
pub use fit::{ArtefactNeed, Needs, Offers};
pub use kept::Kept;
pub use learned::{Embedder, Learned, Scorer};
pub use legal::legal_calls;
pub use manifest::{CallFacts, CommandFacts, Manifest, Scope, ToolFacts};
pub use milli::Milli;
pub use questions::{Exam, Follower, Questions};
pub use record::{RecordError, RecordKind, RecordKinds, StoryMemory};
pub use remark::Remark;
pub use reply::{Ask, EnvError, Observation, Reply, Transition};
pub use seed::Rng;
pub use stage::{
    Acted, AskError, AskRequest, Block, Decoding, LaneId, RoleSettings, Stage, Stopwatch, TokenCount, View,
};
pub use stop::{EnvironmentStop, EpisodeStopped, Stop};
pub use task::{Part, TaskId};
pub use text::TextRef;
pub use tool::{Rejection, RejectionKind, ToolCall, ToolSpec};
pub use tracker::{Stepped, Tracker};
