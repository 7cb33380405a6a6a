//! From a study file to a plan in which everything is valid: nothing is paid for before.

mod alone;
pub mod artefacts;
pub mod cells;
pub mod error;
pub mod estimate;
pub mod faults;
pub mod file;
mod hashed;
mod in_memory;
pub mod labels;
mod masks;
pub mod matrix;
pub mod members;
mod models;
pub mod options;
mod prompts;
mod provider;
mod ready;
pub mod resolve;
pub mod schema;
pub mod sessions;
pub mod stored;

pub use artefacts::{Artefacts, StoredArtefact};
pub use cells::{Cell, EnvironmentPart, Plan};
pub use error::{Problem, Problems};
pub use faults::FaultSet;
pub use file::{Count, Over, StudyFile, Trials, parse};
pub use hashed::Hashed;
pub use models::models_section;
pub use options::Options;
pub(crate) use prompts::{RequestRecorder, fillable};
pub use ready::ready;
pub use resolve::resolve;
pub use sessions::{Session, episode_key, session_seed, trial_seed};
pub use stored::{EarlierLimits, Stored, StoredCell, StoredPart};
