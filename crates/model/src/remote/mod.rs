//! Remote models behind one seam: OpenAI's chat completions with any base address, Anthropic's messages, Gemini.
//!
//! Requests are written here (`write`), with the grammar as the provider takes it (`mask`, `native`, `rules`, `gbnf`). Answers are
//! read from a bounded stream (`transport`) and from their raw bodies (`body`); every failure has its own name (`failure`).

mod address;
mod body;
mod failure;
mod gbnf;
mod mask;
mod model;
mod native;
mod provider;
mod rules;
mod survey;
mod transport;
mod write;

pub use body::{Read, read};
pub use failure::held_by_filter;
pub use model::Remote;
pub use provider::{Dialect, Provider, WireFormat};
pub use rules::SchemaRules;
pub use survey::Survey;
pub use write::reserved;
