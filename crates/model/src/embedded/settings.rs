//! How a model is opened.

use serde::{Deserialize, Serialize};

use super::error::EmbeddedError;

/// Tokens of a prefill chunk in the reproducible mode. Small chunks are reused more finely, large ones fill the
/// machine better; `gimbal model bench` shows what a size costs here. Another size may give other tokens.
pub const DEFAULT_CHUNK: u32 = 64;

/// Most tokens of context that are opened unless asked for otherwise.
pub const DEFAULT_CONTEXT: u32 = 8192;

/// Name of the environment variable that sets the thread count.
pub const THREADS_VARIABLE: &str = "GIMBAL_THREADS";

/// How computed prompt tokens are kept between calls.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum Mode {
    /// Prompts are computed in chunks of one size at absolute positions, and whole chunks only are reused: cold, warm,
    /// resumed and reordered calls give equal tokens.
    #[default]
    Reproducible,
    /// Every token that is still in the cache is reused, generated ones too. Equal calls may differ in the last bits of
    /// their logits, and so, rarely, in their tokens.
    Fast,
}

/// Settings of an [`Engine`](super::Engine). In the reproducible mode equal settings, weights, build and requests give
/// equal tokens.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct EngineSettings {
    /// Threads of the matrix products. More than the machine has idle cores makes every call many times slower, since
    /// the workers spin at barriers.
    pub threads: u32,
    /// Most tokens that prompt and answer may hold together; the model's own limit binds as well.
    pub context: u32,
    /// How the cache is used.
    pub mode: Mode,
    /// Tokens of a prefill chunk; also llama.cpp's batch size.
    pub chunk: u32,
    /// Conversations that are kept at once, each in a context of its own. They never run at the same time.
    pub conversations: u32,
}

impl Default for EngineSettings {
    /// One thread, reproducible, one conversation: what tests and busy machines want.
    fn default() -> Self {
        Self { threads: 1, context: DEFAULT_CONTEXT, mode: Mode::Reproducible, chunk: DEFAULT_CHUNK, conversations: 1 }
    }
}

impl EngineSettings {
    /// The default with the thread count of `GIMBAL_THREADS`, or else with two threads where the machine has them.
    ///
    /// # Errors
    /// [`EmbeddedError::Settings`] when the variable holds no positive number.
    pub fn from_environment() -> Result<Self, EmbeddedError> {
        let threads = match std::env::var(THREADS_VARIABLE) {
            Ok(text) => parse_threads(&text)?,
            Err(_) => std::thread::available_parallelism().map_or(1, |n| n.get().min(2) as u32),
        };
        Ok(Self { threads, ..Self::default() })
    }

    /// Checks the ranges.
    pub(crate) fn check(&self) -> Result<(), EmbeddedError> {
        let fail = |what: &str| Err(EmbeddedError::Settings(what.to_owned()));
        if self.threads == 0 || self.threads > 512 {
            return fail("`threads` must be from 1 to 512");
        }
        if self.chunk < 8 || self.chunk > 4096 {
            return fail("`chunk` must be from 8 to 4096 tokens");
        }
        if self.context < 2 * self.chunk {
            return fail("`context` must hold at least two chunks");
        }
        if self.conversations == 0 || self.conversations > 64 {
            return fail("`conversations` must be from 1 to 64");
        }
        Ok(())
    }
}

fn parse_threads(text: &str) -> Result<u32, EmbeddedError> {
    text.trim().parse().ok().filter(|threads| (1..=512).contains(threads)).ok_or_else(|| {
        EmbeddedError::Settings(format!(
            "{THREADS_VARIABLE} is `{text}`: set it to the number of idle cores, from 1 to 512"
        ))
    })
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn threads_are_read_strictly() {
        assert!(matches!(parse_threads(" 2 "), Ok(2)));
        for bad in ["", "0", "two", "-1", "9999"] {
            assert!(parse_threads(bad).is_err(), "{bad}");
        }
    }

    #[test]
    fn ranges_are_checked() {
        assert!(EngineSettings::default().check().is_ok());
        assert!(EngineSettings { threads: 0, ..Default::default() }.check().is_err());
        assert!(EngineSettings { context: 64, ..Default::default() }.check().is_err());
        assert!(EngineSettings { conversations: 0, ..Default::default() }.check().is_err());
    }
}
