//! Agents: personas, templates, protocols and the ReAct engine.
//!
//! A [`Persona`] is data (YAML under `personas/`); an [`Agent`] is a persona in a role with its settings; a
//! [`AgentSession`] is an agent in one episode. A session takes steps: it asks the model of its role, reads the reply under
//! its [`Protocol`], uses tools, and acts on the environment through the stage. A [`Family`] is an architecture that shows its agents without playing.
//!
//! *Invariant*: knows no particular environment, no provider and no study; touches the environment through
//! [`gimbal_core::Stage`] and files through [`gimbal_core::Files`] alone.

pub mod audit;
pub mod deliberation;
pub mod engine;
pub mod family;
mod library;
pub mod persona;
pub mod prompt;
pub mod protocol;
pub mod reading;
pub mod sample;
pub mod settings;
pub mod shown;
mod shown_environment;
mod template;
mod template_language;
pub mod tool;
mod values;
mod variables;

pub use audit::{Finding, Forbidden, audit};
pub use deliberation::Deliberation;
pub use engine::{Advice, Agent, AgentSession, CallRecord, Consultation, ReplySpec, Segment};
pub use family::{Answer, Assignment, Family, Placed, Team};
pub use persona::{Origin, Persona, PersonaError};
pub use prompt::{Part, SystemPrompt};
pub use protocol::Protocol;
pub use settings::{Flags, Overrides, Settings};
pub use tool::{Alone, Observed, Partners, Peers, ToolError};
pub use variables::idle_is_offered;
