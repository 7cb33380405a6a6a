//! Remote models against a real HTTP server on loopback.
#![allow(clippy::unwrap_used, clippy::expect_used, clippy::print_stdout, missing_docs)]

mod bounds;
mod failures;
mod masks;
mod native;
mod requests;
mod server;

use std::net::SocketAddr;
use std::sync::Mutex;

use gimbal_core::{CallContext, ChatRequest, Completion, Digest, ModelError, Wire};
use gimbal_model::remote::{Provider, WireFormat};
use gimbal_model::{Endpoint, Environment, Models, ModelsConfig, RetryPolicy, Timeouts};

/// A key that must never be seen again.
pub const KEY: &str = "sk-loopback-private-0123456789";

/// A provider of each wire format.
pub const PROVIDERS: [(Provider, WireFormat); 3] = [
    (Provider::OpenAi, WireFormat::OpenAi),
    (Provider::Anthropic, WireFormat::Anthropic),
    (Provider::Gemini, WireFormat::Gemini),
];

/// A ledger in memory.
#[derive(Default)]
pub struct Ledger(Mutex<Vec<Row>>);

#[derive(Clone, Debug, PartialEq)]
pub enum Row {
    Sent { cached: bool },
    Received { attempt: u64, outcome: Result<Box<Completion>, ModelError> },
}

impl Ledger {
    pub fn rows(&self) -> Vec<Row> {
        self.0.lock().unwrap().clone()
    }

    /// Requests that left, and answers that came.
    pub fn counts(&self) -> (usize, usize) {
        let rows = self.rows();
        let sent = rows.iter().filter(|row| matches!(row, Row::Sent { .. })).count();
        (sent, rows.len() - sent)
    }
}

impl Wire for Ledger {
    fn sent(&self, _: &ChatRequest, cached: bool) -> Result<u64, ModelError> {
        let mut rows = self.0.lock().unwrap();
        rows.push(Row::Sent { cached });
        Ok(rows.len() as u64)
    }

    fn received(&self, attempt: u64, outcome: &Result<Completion, ModelError>) -> Result<(), ModelError> {
        let outcome = outcome.clone().map(Box::new);
        self.0.lock().unwrap().push(Row::Received { attempt, outcome });
        Ok(())
    }
}

/// Settings that ask this server, with short pauses.
pub fn config(provider: Provider, address: SocketAddr) -> ModelsConfig {
    let endpoint = Endpoint { base: format!("http://{address}/v1"), key_variable: None, grammar: None };
    ModelsConfig {
        endpoints: [(provider.name().to_owned(), endpoint)].into(),
        environment: Environment::of(&[(provider.key_variable(), KEY)]),
        retry: RetryPolicy { attempts: 3, first_ms: 1, longest_ms: 2, patience_ms: 5_000 },
        timeouts: Timeouts { connect_ms: 2_000, whole_ms: 20_000 },
        ..ModelsConfig::default()
    }
}

/// Asks `provider/test-model` once.
pub async fn ask(config: ModelsConfig, name: &str, request: &ChatRequest) -> (Result<Completion, ModelError>, Ledger) {
    let models = Models::new(config);
    let model = models.open(name).unwrap();
    let ledger = Ledger::default();
    let hint = gimbal_core::Hint { answer: "never sent".to_owned(), alternatives: vec![] };
    let context = CallContext { wire: &ledger, episode: Digest::of(b"episode"), call: 0, seed: 1, hint: Some(&hint) };
    let outcome = model.complete(request, &context).await;
    (outcome, ledger)
}
