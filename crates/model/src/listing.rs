//! What `gimbal model list` shows: every model that this program can name, in the form of its JSON output.

use serde::Serialize;

use crate::Readers;
use crate::remote::Provider;
use crate::weights::{self, Cache, Listed};

/// Every kind of model that a study can name, apart from scripts, noisy experts and recordings, whose names are open.
#[derive(Clone, Debug, PartialEq, Eq, Serialize)]
pub struct ModelListing {
    /// Models with known weights, the default first.
    pub embedded: Vec<EmbeddedRow>,
    /// Readers: players by rule.
    pub readers: Vec<ReaderRow>,
    /// Providers of remote models.
    pub remote: Vec<RemoteRow>,
}

/// A model with known weights.
#[derive(Clone, Debug, PartialEq, Eq, Serialize)]
pub struct EmbeddedRow {
    /// Its name in studies: `local/NAME`.
    pub name: String,
    /// What it is, in a line.
    pub title: String,
    /// Size of its weights, in whole megabytes.
    pub megabytes: u64,
    /// Licence of the weights.
    pub licence: String,
    /// What results with it are worth, in a sentence.
    pub verdict: String,
    /// Whether results with it may count as evidence about language models as agents.
    pub evidence: bool,
    /// What the cache holds of it, in words.
    pub state: String,
}

/// A reader.
#[derive(Clone, Debug, PartialEq, Eq, Serialize)]
pub struct ReaderRow {
    /// Its name in studies: `reader/NAME`.
    pub name: String,
    /// How it plays, in a line.
    pub what: &'static str,
}

/// A provider of remote models.
#[derive(Clone, Debug, PartialEq, Eq, Serialize)]
pub struct RemoteRow {
    /// How its models are named in studies: `PROVIDER/<id>`.
    pub name: String,
    /// The environment variable of its key.
    pub key_variable: &'static str,
    /// Whether that variable is set and not empty.
    pub key_set: bool,
}

impl ModelListing {
    /// What there is, with what `cache` holds of weights and which keys the process's environment has.
    #[must_use]
    pub fn read(cache: &Cache, readers: &dyn Readers) -> Self {
        let readers = readers.list();
        Self {
            embedded: weights::list(cache).iter().map(EmbeddedRow::from).collect(),
            readers: readers
                .into_iter()
                .map(|(name, what)| ReaderRow { name: format!("reader/{name}"), what })
                .collect(),
            remote: Provider::ALL.into_iter().map(RemoteRow::from).collect(),
        }
    }
}

impl From<&Listed> for EmbeddedRow {
    fn from(listed: &Listed) -> Self {
        let model = listed.model;
        Self {
            name: format!("local/{}", model.name),
            title: model.title.to_string(),
            megabytes: model.bytes / 1_000_000,
            licence: model.licence.to_string(),
            verdict: model.verdict.to_string(),
            evidence: model.evidence,
            state: listed.state(),
        }
    }
}

impl From<Provider> for RemoteRow {
    fn from(provider: Provider) -> Self {
        Self {
            name: format!("{}/<id>", provider.name()),
            key_variable: provider.key_variable(),
            key_set: provider.is_key_set(),
        }
    }
}
