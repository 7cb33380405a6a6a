//! A small instruct model in the program itself, on the CPU: feature `embedded`.
//!
//! [`Engine`] opens a GGUF file and answers [`GenerateRequest`]s one at a time on a thread of its own, under a grammar if
//! one is asked for: tokens that the grammar forces are computed in one batch, and an answer is always whole or a typed
//! error. [`EmbeddedModel`] is the same behind the seam [`ChatModel`](gimbal_core::ChatModel).
//!
//! In the reproducible mode (the default) equal weights, build, settings and requests give equal tokens, whatever was
//! computed before: see `prefix`.

mod bench;
mod conversation;
mod engine;
mod error;
mod generation;
mod grammar;
mod model;
mod output;
mod prefix;
mod sampler;
mod settings;
mod template;
mod template_meter;
mod template_tree;
mod tokenizer;
mod vocabulary;
mod worker;

pub use bench::{BenchOptions, BenchReport, BenchRow, LoopRow, Rates, bench};
pub use conversation::Conversation;
pub use engine::{Engine, EngineInfo};
pub use error::{EmbeddedError, TokenCounts};
pub use generation::{GenerateRequest, Generation, Prompt};
pub use model::EmbeddedModel;
pub use settings::{DEFAULT_CHUNK, DEFAULT_CONTEXT, EngineSettings, Mode, THREADS_VARIABLE};
pub(crate) use template::unusable;
pub use tokenizer::Tokenizer;
