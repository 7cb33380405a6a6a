//! Chat models: remote, embedded, scripted, noisy expert, reader and replayed, with their layers.
//!
//! [`Models`] is the door: `describe` returns what is known of a model by its name, `ready` whether it can be used, `open`
//! gives it as a [`ChatModel`](gimbal_core::ChatModel) with its layers (see [`layers`]).
//!
//! *Invariant*: no request leaves without a row in the ledger, keys come from the environment only and never print, and
//! an outage, a refusal, a truncation or a bad shape is a typed error and never text (BOG-047).

#[cfg(feature = "embedded")]
pub mod embedded;

mod answer;
pub mod config;
mod conversation;
mod error;
pub mod estimate;
pub mod facts;
pub mod gguf;
pub mod layers;
mod listing;
mod local;
mod models;
pub mod name;
mod native_calls;
pub mod noisy;
pub mod price;
pub mod reader;
pub mod remote;
pub mod replay;
pub mod scripted;
pub mod secret;
mod section;
pub mod shape;
mod stored;
#[cfg(test)]
mod testing;
pub mod traits;
pub mod weights;

pub use config::{
    CacheConfig, Endpoint, Environment, ModelsConfig, NoFiles, Rate, RecordConfig, RetryPolicy, Timeouts,
};
pub use conversation::{ChatReply, Conversation};
pub use error::SetupError;
pub use facts::{ModelFacts, ModelKind};
pub use layers::{AtOnce, CacheProblem, Totals};
pub use listing::{EmbeddedRow, ModelListing, ReaderRow, RemoteRow};
pub use models::Models;
pub use name::ModelName;
pub use native_calls::NativeCalls;
pub use price::{Band, Price, PriceTable};
pub use reader::{Page, Reader, Readers, Reply};
pub use section::{ModelsSection, is_variable_name};
pub use traits::{Bound, Known, TraitTable, Traits};
