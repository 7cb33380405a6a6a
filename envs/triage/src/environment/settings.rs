//! The options of the environment.

use std::path::{Path, PathBuf};
use std::sync::{Arc, LazyLock, Mutex, PoisonError};

use gimbal_core::{Digest, EnvError};
use gimbal_env_kit::options::{Field, Options};
use serde::{Deserialize, Serialize};
use serde_json::Value;

use crate::corpus::{Corpus, CorpusError, PacketOptions, SPLITS};

/// Which sources of a scenario are in its packet.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum Sources {
    /// All of them.
    #[default]
    All,
    /// The first one alone.
    First,
}

/// The options, every default written out.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct Settings {
    /// Folder of scenarios; the built-in ones where it is missing.
    pub corpus: Option<String>,
    /// Hash over all scenarios. It is computed where it is missing; where it is given, other scenarios are refused.
    pub corpus_digest: Option<Digest>,
    /// Folder of telemetry, for scenarios of real files.
    pub data: Option<String>,
    /// Most facts of a packet.
    pub max_facts: u64,
    /// Which sources of a scenario are in its packet.
    pub sources: Sources,
    /// Whether names that tell are replaced.
    pub pseudonyms: bool,
    /// Calls of an episode, the one that concludes included.
    pub max_calls: u32,
}

impl Default for Settings {
    fn default() -> Self {
        Self {
            corpus: None,
            corpus_digest: None,
            data: None,
            max_facts: 200,
            sources: Sources::All,
            pseudonyms: true,
            max_calls: 16,
        }
    }
}

static OPTIONS: LazyLock<Options> = LazyLock::new(|| {
    Options::of::<Settings>(
        "triage",
        vec![
            Field::text(
                "corpus",
                "the path of a folder of scenarios",
                "Folder of scenarios, a scenario.yaml in a folder each; null: the built-in ones.",
            )
            .or_null("the built-in scenarios"),
            Field::text(
                "corpus_digest",
                "the hash that `resolve` computed",
                "Hash over all scenarios: a corpus that was edited is another one. Computed where it is null.",
            )
            .or_null("the hash of the scenarios as they are"),
            Field::text(
                "data",
                "the path of the folder of telemetry",
                "Folder of telemetry, for scenarios of real files; null: telemetry in the folder that GIMBAL_DATA names.",
            )
            .or_null("`telemetry` in the folder that GIMBAL_DATA names"),
            Field::whole("max_facts", 10, 10_000, "Most facts of a packet."),
            Field::one_of("sources", ["all", "first"], "The sources of a packet: all of the scenario, or its first alone."),
            Field::flag("pseudonyms", "Whether names of hosts, users and domains that tell are replaced."),
            Field::whole("max_calls", 1, 1000, "Calls of an episode, the one that concludes included."),
        ],
    )
});

/// An error of the corpus, as the environment's data.
pub(super) fn data(error: &CorpusError) -> EnvError {
    EnvError::Data(error.to_string())
}

/// The scenarios that options name.
pub(crate) enum Held {
    BuiltIn(&'static Corpus),
    Own(Corpus),
}

/// The scenarios of the latest episode.
struct Playing {
    folder: Option<String>,
    digest: Digest,
    corpus: Arc<Held>,
}

static PLAYING: Mutex<Option<Playing>> = Mutex::new(None);

impl std::ops::Deref for Held {
    type Target = Corpus;

    fn deref(&self) -> &Corpus {
        match self {
            Self::BuiltIn(corpus) => corpus,
            Self::Own(corpus) => corpus,
        }
    }
}

impl Settings {
    /// Reads raw or resolved options.
    ///
    /// # Errors
    /// Which option is wrong, and what would be right.
    pub fn read(options: &Value) -> Result<Self, EnvError> {
        OPTIONS.read(options)
    }

    /// The same with the hash of the scenarios, as they are now.
    ///
    /// # Errors
    /// When they cannot be read, or another hash was given.
    pub fn resolved(mut self) -> Result<Self, EnvError> {
        self.corpus_digest = Some(self.checked()?.1);
        Ok(self)
    }

    /// The scenarios, which have the hash that was given, if one was.
    pub(super) fn corpus(&self) -> Result<Held, EnvError> {
        if self.corpus_digest.is_some() { self.checked().map(|(corpus, _)| corpus) } else { self.held() }
    }

    /// The same for an episode: scenarios that were read and compared in this process are not read again for the next one.
    pub(crate) fn playing(&self) -> Result<Arc<Held>, EnvError> {
        let known = |last: &Playing| {
            (last.folder == self.corpus && Some(last.digest) == self.corpus_digest).then(|| Arc::clone(&last.corpus))
        };
        let last = || PLAYING.lock().unwrap_or_else(PoisonError::into_inner);
        if let Some(corpus) = last().as_ref().and_then(known) {
            return Ok(corpus);
        }
        let Some(digest) = self.corpus_digest else { return self.held().map(Arc::new) };
        let corpus = Arc::new(self.checked()?.0);
        *last() = Some(Playing { folder: self.corpus.clone(), digest, corpus: Arc::clone(&corpus) });
        Ok(corpus)
    }

    fn held(&self) -> Result<Held, EnvError> {
        match &self.corpus {
            None => Corpus::built_in().map(Held::BuiltIn).map_err(data),
            Some(folder) => Corpus::open(Path::new(folder)).map(Held::Own).map_err(|error| data(&error)),
        }
    }

    fn checked(&self) -> Result<(Held, Digest), EnvError> {
        let corpus = self.held()?;
        let digest = digest(&corpus).map_err(|error| data(&error))?;
        if let Some(given) = self.corpus_digest.filter(|given| *given != digest) {
            let place = self.corpus.as_deref().unwrap_or("the program");
            return Err(EnvError::Data(format!(
                "the scenarios of {place} have the hash {digest}, and the run was made with {given}: labels and raw data do \
                 not change under a run; begin another run, or put the scenarios back"
            )));
        }
        Ok((corpus, digest))
    }

    /// The folder of telemetry, if one is named.
    pub(super) fn telemetry(&self) -> Option<PathBuf> {
        self.data.clone().map(PathBuf::from).or_else(|| {
            let data = std::env::var_os("GIMBAL_DATA").filter(|data| !data.is_empty())?;
            Some(PathBuf::from(data).join("telemetry"))
        })
    }

    /// How packets are made.
    pub(super) const fn packets(&self) -> PacketOptions {
        PacketOptions {
            max_facts: self.max_facts,
            mixed: matches!(self.sources, Sources::All),
            pseudonyms: self.pseudonyms,
        }
    }
}

/// One hash over all splits.
fn digest(corpus: &Corpus) -> Result<Digest, CorpusError> {
    let splits = SPLITS.iter().map(|split| corpus.digest(split)).collect::<Result<Vec<_>, _>>()?;
    let parts: Vec<&[u8]> = splits.iter().map(|digest| digest.0.as_slice()).collect();
    Ok(Digest::of_parts(&parts))
}

/// JSON Schema of the options.
pub(super) fn schema() -> Value {
    OPTIONS.schema()
}
