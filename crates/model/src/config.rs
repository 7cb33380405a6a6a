//! Settings of the models of a run.

use std::collections::BTreeMap;
use std::fmt;
use std::path::PathBuf;
use std::sync::Arc;
use std::time::Duration;

use gimbal_core::{FileError, Files};
use serde::{Deserialize, Serialize};

use crate::price::PriceTable;
use crate::reader::{NoReaders, Readers};
use crate::remote::Provider;
use crate::traits::{Known, TraitTable, Traits};

/// Everything that decides how models are opened.
#[derive(Clone)]
pub struct ModelsConfig {
    /// The price table in force.
    pub prices: PriceTable,
    /// A cache of answers on disk; none by default.
    pub cache: Option<CacheConfig>,
    /// Where conversations are recorded, if they are.
    pub record: Option<RecordConfig>,
    /// How failed calls are repeated.
    pub retry: RetryPolicy,
    /// How long a provider may take.
    pub timeouts: Timeouts,
    /// Rates by model name (`openai/gpt-4o-mini`) or family (`openai`); the name goes before the family.
    pub rates: BTreeMap<String, Rate>,
    /// Base addresses by model name or family; they go before the environment's and the published ones.
    pub endpoints: BTreeMap<String, Endpoint>,
    /// Traits of models that the study sets over the table of traits, by model or family.
    pub facts: BTreeMap<String, Traits>,
    /// What is known of providers and models.
    pub traits: Arc<TraitTable>,
    /// Threads of the embedded model; none takes the engine's own choice.
    pub threads: Option<u32>,
    /// Whether the embedded model gives equal tokens cold, warm and resumed.
    pub reproducible: bool,
    /// Where scripts are read from.
    pub scripts: Arc<dyn Files>,
    /// The players of `reader/NAME`.
    pub readers: Arc<dyn Readers>,
    /// Where keys and base addresses are read from: the process environment, but for tests.
    pub environment: Environment,
    /// How layers wait.
    pub clock: Arc<dyn crate::layers::Clock>,
}

impl Default for ModelsConfig {
    /// The built-in tables, as [`ModelsConfig::of`].
    fn default() -> Self {
        Self::of(PriceTable::default(), TraitTable::built_in())
    }
}

impl ModelsConfig {
    /// These tables, no cache, no recording, the process environment, the reproducible mode.
    #[must_use]
    pub fn of(prices: PriceTable, traits: Arc<TraitTable>) -> Self {
        Self {
            prices,
            cache: None,
            record: None,
            retry: RetryPolicy::default(),
            timeouts: Timeouts::default(),
            rates: BTreeMap::new(),
            endpoints: BTreeMap::new(),
            facts: BTreeMap::new(),
            traits,
            threads: None,
            reproducible: true,
            scripts: Arc::new(NoFiles),
            readers: Arc::new(NoReaders),
            environment: Environment::default(),
            clock: Arc::new(crate::layers::TokioClock::default()),
        }
    }

    /// The rate of a model: its own, its family's, or the default of remote models.
    #[must_use]
    pub fn rate(&self, name: &str) -> Rate {
        by_name(&self.rates, name).copied().unwrap_or_default()
    }

    /// What is known of a remote model: the table's word, under that of the study.
    #[must_use]
    pub fn known(&self, name: &str) -> Known {
        let dialect = self.endpoint(name).and_then(|endpoint| endpoint.grammar);
        self.traits.of(name, dialect, by_name(&self.facts, name))
    }

    /// What the study itself says of a model: it decides what is sent, so it is part of the model's identity.
    #[must_use]
    pub fn stated(&self, name: &str) -> Option<(Option<crate::remote::Dialect>, Option<&Traits>)> {
        let dialect = self.endpoint(name).and_then(|endpoint| endpoint.grammar);
        let facts = by_name(&self.facts, name);
        (dialect.is_some() || facts.is_some()).then_some((dialect, facts))
    }

    /// The endpoint that a study sets for a model or its family.
    pub(crate) fn endpoint(&self, name: &str) -> Option<&Endpoint> {
        by_name(&self.endpoints, name)
    }
}

fn by_name<'a, T>(map: &'a BTreeMap<String, T>, name: &str) -> Option<&'a T> {
    map.get(name).or_else(|| map.get(name.split('/').next().unwrap_or(name)))
}

/// A cache of answers on disk. Answers are kept by episode, call and request, so that repeats stay independent.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct CacheConfig {
    /// Its folder.
    pub folder: PathBuf,
}

/// A recording of conversations, for `replay/<folder>`.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct RecordConfig {
    /// Its folder.
    pub folder: PathBuf,
}

/// How failed calls are repeated (BOG-150): after a uniform time between 0 and a bound that doubles from `first_ms`
/// up to `longest_ms`, and never before the time that the provider asked for.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize, schemars::JsonSchema)]
#[serde(default, deny_unknown_fields)]
pub struct RetryPolicy {
    /// Attempts in all, the first one counted; at least 1.
    #[schemars(range(min = 1))]
    pub attempts: u32,
    /// Bound of the first pause, in milliseconds.
    pub first_ms: u64,
    /// Bound of every pause, in milliseconds.
    pub longest_ms: u64,
    /// Longest time asked for by a provider that is waited for, in milliseconds; a call that is asked to wait longer
    /// fails at once.
    pub patience_ms: u64,
}

impl Default for RetryPolicy {
    /// Six attempts, pauses bounded by 0.5 s to 30 s, two minutes of patience.
    fn default() -> Self {
        Self { attempts: 6, first_ms: 500, longest_ms: 30_000, patience_ms: 120_000 }
    }
}

/// How long a provider may take.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize, schemars::JsonSchema)]
#[serde(default, deny_unknown_fields)]
pub struct Timeouts {
    /// To connect, in milliseconds.
    #[schemars(range(min = 1))]
    pub connect_ms: u64,
    /// For an attempt as a whole, to the last byte, in milliseconds.
    #[schemars(range(min = 1))]
    pub whole_ms: u64,
}

impl Default for Timeouts {
    /// Ten seconds to connect, five minutes for the whole.
    fn default() -> Self {
        Self { connect_ms: 10_000, whole_ms: 300_000 }
    }
}

impl Timeouts {
    pub(crate) const fn connect(self) -> Duration {
        Duration::from_millis(self.connect_ms)
    }

    pub(crate) const fn whole(self) -> Duration {
        Duration::from_millis(self.whole_ms)
    }
}

/// How fast a remote model may be asked.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize, Deserialize, schemars::JsonSchema)]
#[serde(default, deny_unknown_fields)]
pub struct Rate {
    /// Requests that may leave in a minute; `None` means unlimited.
    #[schemars(range(min = 1))]
    pub requests_per_minute: Option<u32>,
    /// Requests that may be under way at once, at most; at least 1. Within this bound, or within
    /// [`Rate::MOST`] where there is none, as many are under way as the provider accepts.
    #[schemars(range(min = 1))]
    pub concurrency: Option<usize>,
}

impl Rate {
    /// Requests under way at once where no bound is stated.
    pub const MOST: usize = 32;

    /// Requests that may be under way at once, at most.
    #[must_use]
    pub fn most(&self) -> usize {
        self.concurrency.unwrap_or(Self::MOST).max(1)
    }
}

/// Where a remote model is served.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize, schemars::JsonSchema)]
#[serde(deny_unknown_fields)]
pub struct Endpoint {
    /// Base address, up to and with the version: `http://localhost:8000/v1`.
    #[schemars(regex(pattern = r"^[Hh][Tt][Tt][Pp][Ss]?://"))]
    pub base: String,
    /// Name of the environment variable that holds the key, where it is not the family's own. Never the key itself.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    #[schemars(regex(pattern = r"^[A-Z_][A-Z0-9_]*$"))]
    pub key_variable: Option<String>,
    /// How a choice or a regular expression is sent to the server; the family's own way if left out.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub grammar: Option<crate::remote::Dialect>,
}

/// Looks a variable up.
type LookUp = dyn Fn(&str) -> Option<String> + Send + Sync;

/// Where keys and addresses come from.
#[derive(Clone)]
pub struct Environment(Arc<LookUp>);

impl Environment {
    /// A made-up environment, for tests.
    #[must_use]
    pub fn of(variables: &[(&str, &str)]) -> Self {
        let variables: BTreeMap<String, String> =
            variables.iter().map(|(name, value)| ((*name).to_owned(), (*value).to_owned())).collect();
        Self(Arc::new(move |name| variables.get(name).cloned()))
    }

    pub(crate) fn get(&self, name: &str) -> Option<String> {
        (self.0)(name).filter(|value| !value.trim().is_empty())
    }
}

impl Default for Environment {
    /// The environment of the process.
    fn default() -> Self {
        Self(Arc::new(|name| std::env::var(name).ok()))
    }
}

impl fmt::Debug for Environment {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str("Environment(..)")
    }
}

/// No files at all.
#[derive(Clone, Copy, Debug, Default)]
pub struct NoFiles;

impl Files for NoFiles {
    fn read(&self, _: &str) -> Result<Option<(String, String)>, FileError> {
        Ok(None)
    }

    fn list(&self, _: &str) -> Vec<String> {
        Vec::new()
    }
}

/// The variable and base address of a provider, as everything else sees them.
pub(crate) fn key_variable(config: &ModelsConfig, name: &str, provider: Provider) -> String {
    let own = config.endpoint(name).and_then(|endpoint| endpoint.key_variable.clone());
    own.unwrap_or_else(|| provider.key_variable().to_owned())
}
