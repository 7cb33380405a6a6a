//! Remote models behind one seam: OpenAI's chat completions with any base address, Anthropic's messages, Gemini.
//!
//! `genai` writes the requests and sends them. What comes back is read here, from the raw body that is kept: text, calls,
//! finish and usage. So is every failure, since each kind has its own name. Two habits of the library are worked around:
//! it reads settings out of model names (`qwen3-max` would become `qwen3` with an effort of `max`), and it trims texts.

mod address;
mod body;
mod failure;
mod model;
mod provider;
mod request;

pub use body::{Read, read};
pub use model::Remote;
pub use provider::{Dialect, Provider, WireFormat};
