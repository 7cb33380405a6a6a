//! The options of the environment.

use std::collections::BTreeMap;
use std::net::SocketAddr;
use std::path::PathBuf;

use gimbal_core::{EnvError, nearest};
use serde::de::DeserializeOwned;
use serde::{Deserialize, Serialize};
use serde_json::{Map, Value, json};

use crate::corpus::Spec;
use crate::tools::Version;

/// Where the tools' services are.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum Services {
    /// On this machine, over the synthetic corpus.
    Synthetic,
    /// The real ones, by the addresses of the options.
    Live,
}

/// What a search over filings asks.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum SearchBy {
    /// The search service over filings; it wants a key.
    Api,
    /// The archive's own full-text search; it wants a contact.
    Archive,
}

/// Who judges answers.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum JudgeBy {
    /// The deterministic judge.
    Offline,
    /// The role `judge`, one call an item.
    Model,
    /// Both; the deterministic one decides.
    Both,
}

/// Who reads stored texts.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum ReadBy {
    /// The role `reader`.
    Model,
    /// Nobody: the lines that share most words with the prompt are given back.
    Extract,
}

/// Whether arguments are free.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum Literals {
    /// Any text, as in the work.
    Open,
    /// Lists of sensible values in every step: for noisy experts and for models under constrained decoding.
    Suggested,
}

/// The options, every default written out.
#[derive(Clone, Debug, PartialEq, Eq, Serialize)]
pub struct Settings {
    /// Where services are.
    pub services: Services,
    /// Edition of the public questions (`2025-09`, `2026-02`), or the path of a table.
    pub questions: String,
    /// Whose texts and argument forms the tools have.
    pub texts: Version,
    /// Who judges.
    pub judge: JudgeBy,
    /// Who reads.
    pub reader: ReadBy,
    /// Whether arguments are free.
    pub literals: Literals,
    /// What a search over filings asks.
    pub search: SearchBy,
    /// Calls of an episode (CYC-050).
    pub max_calls: u32,
    /// Tokens of one call of the reader (CYC-039).
    pub chunk_tokens: u32,
    /// Seed of the synthetic corpus.
    pub corpus: u64,
    /// Its companies.
    pub companies: u32,
    /// Seconds for a page.
    pub seconds: u32,
    /// Bytes of a page.
    pub page_bytes: u32,
    /// How often a busy server is asked again.
    pub retries: u32,
    /// Milliseconds of the first wait for it at most.
    pub first_wait: u32,
    /// Address of the search service over filings.
    pub api: String,
    /// Address of the archive's own search.
    pub archive_search: String,
    /// Host of the archive's documents.
    pub archive: String,
    /// Address of the web search service.
    pub serp: String,
    /// Domains that are served at an address of a private network.
    pub served: BTreeMap<String, SocketAddr>,
    /// Whether private addresses are fetched otherwise too.
    pub allow_private: bool,
}

impl Default for Settings {
    fn default() -> Self {
        let corpus = Spec::default();
        Self {
            services: Services::Synthetic,
            questions: EDITIONS[0].to_owned(),
            texts: Version::V10,
            judge: JudgeBy::Offline,
            reader: ReadBy::Model,
            literals: Literals::Suggested,
            search: SearchBy::Api,
            max_calls: 20,
            chunk_tokens: 24_000,
            corpus: corpus.seed,
            companies: corpus.companies,
            seconds: 60,
            page_bytes: 8 << 20,
            retries: 8,
            first_wait: 3000,
            api: "https://api.sec-api.io/full-text-search".to_owned(),
            archive_search: "https://efts.sec.gov/LATEST/search-index".to_owned(),
            archive: "www.sec.gov".to_owned(),
            serp: "https://serpapi.com/search.json".to_owned(),
            served: BTreeMap::new(),
            allow_private: false,
        }
    }
}

/// Editions of the public questions; the first is the default.
pub const EDITIONS: [&str; 2] = ["2025-09", "2026-02"];

/// Names of the options.
const KEYS: [&str; 21] = [
    "services",
    "questions",
    "texts",
    "judge",
    "reader",
    "literals",
    "search",
    "max_calls",
    "chunk_tokens",
    "corpus",
    "companies",
    "seconds",
    "page_bytes",
    "retries",
    "first_wait",
    "api",
    "archive_search",
    "archive",
    "serp",
    "served",
    "allow_private",
];

/// Bounds of the numbers.
const BOUNDS: [(&str, u64, u64); 7] = [
    ("max_calls", 1, 1000),
    ("chunk_tokens", 4000, 1_000_000),
    ("companies", Spec::COMPANIES.0 as u64, Spec::COMPANIES.1 as u64),
    ("seconds", 1, 600),
    ("page_bytes", 1024, 256 << 20),
    ("retries", 0, 20),
    ("first_wait", 0, 60_000),
];

fn usage(what: impl std::fmt::Display) -> EnvError {
    EnvError::Usage(format!("options of `finance_agent`: {what}"))
}

impl Settings {
    /// Reads raw or resolved options.
    ///
    /// # Errors
    /// Which option is wrong, and what would be right.
    pub fn read(options: &Value) -> Result<Self, EnvError> {
        let empty = Map::new();
        let given = match options {
            Value::Null => &empty,
            Value::Object(given) => given,
            other => return Err(usage(format!("{other} is no map of options"))),
        };
        if let Some(other) = given.keys().find(|key| !KEYS.contains(&key.as_str())) {
            return Err(usage(format!(
                "unknown key `{other}`{} (known: {})",
                nearest::hint(other, KEYS),
                KEYS.join(", ")
            )));
        }
        for (key, least, most) in BOUNDS {
            if let Some(value) = given.get(key)
                && !value.as_u64().is_some_and(|value| (least..=most).contains(&value))
            {
                return Err(usage(format!("`{key}` is {value}; give a whole number from {least} to {most}")));
            }
        }
        let default = Self::default();
        let services = field(given, "services", default.services)?;
        let literals = match services {
            Services::Synthetic => Literals::Suggested,
            Services::Live => Literals::Open,
        };
        let settings = Self {
            services,
            questions: field(given, "questions", default.questions)?,
            texts: field(given, "texts", default.texts)?,
            judge: field(given, "judge", default.judge)?,
            reader: field(given, "reader", default.reader)?,
            literals: field(given, "literals", literals)?,
            search: field(given, "search", default.search)?,
            max_calls: field(given, "max_calls", default.max_calls)?,
            chunk_tokens: field(given, "chunk_tokens", default.chunk_tokens)?,
            corpus: field(given, "corpus", default.corpus)?,
            companies: field(given, "companies", default.companies)?,
            seconds: field(given, "seconds", default.seconds)?,
            page_bytes: field(given, "page_bytes", default.page_bytes)?,
            retries: field(given, "retries", default.retries)?,
            first_wait: field(given, "first_wait", default.first_wait)?,
            api: field(given, "api", default.api)?,
            archive_search: field(given, "archive_search", default.archive_search)?,
            archive: field(given, "archive", default.archive)?,
            serp: field(given, "serp", default.serp)?,
            served: field(given, "served", default.served)?,
            allow_private: field(given, "allow_private", default.allow_private)?,
        };
        for (key, address) in
            [("api", &settings.api), ("archive_search", &settings.archive_search), ("serp", &settings.serp)]
        {
            if !(address.starts_with("https://") || address.starts_with("http://")) {
                return Err(usage(format!("`{key}` is `{address}`; give an address that begins with https://")));
            }
        }
        if settings.archive.is_empty() || settings.archive.contains(['/', ' ']) {
            return Err(usage(format!("`archive` is `{}`; give a host, such as www.sec.gov", settings.archive)));
        }
        Ok(settings)
    }

    /// What decides the synthetic corpus.
    #[must_use]
    pub const fn spec(&self) -> Spec {
        Spec { seed: self.corpus, companies: self.companies }
    }

    /// The file of the public questions.
    ///
    /// # Errors
    /// When it is an edition and no data folder is named.
    pub fn table(&self) -> Result<PathBuf, EnvError> {
        if EDITIONS.contains(&self.questions.as_str()) {
            edition(&self.questions)
        } else {
            Ok(PathBuf::from(&self.questions))
        }
    }
}

/// The file of an edition in the folder that `GIMBAL_DATA` names.
pub(super) fn edition(name: &str) -> Result<PathBuf, EnvError> {
    let Some(data) = std::env::var_os("GIMBAL_DATA").filter(|data| !data.is_empty()) else {
        return Err(EnvError::Data(format!(
            "the public questions of `finance_agent` are not at hand: set GIMBAL_DATA to the folder that holds \
             finance_agent/public_{name}.csv, give the option `questions`, or play the split `synthetic`, which needs no data"
        )));
    };
    Ok(PathBuf::from(data).join("finance_agent").join(format!("public_{name}.csv")))
}

fn field<T: DeserializeOwned>(given: &Map<String, Value>, key: &str, default: T) -> Result<T, EnvError> {
    match given.get(key) {
        None => Ok(default),
        Some(value) => T::deserialize(value).map_err(|error| {
            let schema = schema();
            let known: Vec<&str> =
                schema["properties"][key]["enum"].as_array().into_iter().flatten().filter_map(Value::as_str).collect();
            if known.is_empty() {
                return usage(format!("`{key}` is {value}: {error}"));
            }
            let hint = value.as_str().map(|value| nearest::hint(value, known.iter().copied())).unwrap_or_default();
            usage(format!("`{key}` is {value}{hint} (known: {})", known.join(", ")))
        }),
    }
}

/// JSON Schema of the options.
pub(super) fn schema() -> Value {
    let default = Settings::default();
    let number = |key: &str, value: u64, description: &str| {
        let bounds = BOUNDS.iter().find(|(known, ..)| *known == key);
        json!({ "type": "integer", "minimum": bounds.map_or(0, |bounds| bounds.1), "maximum": bounds.map_or(u64::MAX, |bounds| bounds.2), "default": value, "description": description })
    };
    let text =
        |value: &str, description: &str| json!({ "type": "string", "default": value, "description": description });
    json!({
        "type": "object",
        "additionalProperties": false,
        "properties": {
            "services": { "enum": ["synthetic", "live"], "default": "synthetic", "description": "The tools' services: on this machine over a synthetic corpus, or the real ones." },
            "questions": text(&default.questions, "Edition of the public questions (2025-09, 2026-02), or the path of a table."),
            "texts": { "enum": ["v1.0", "v1.1"], "default": "v1.0", "description": "Version of the harness whose texts and arguments the tools have." },
            "judge": { "enum": ["offline", "model", "both"], "default": "offline", "description": "Who judges answers; of both, the offline judge decides." },
            "reader": { "enum": ["model", "extract"], "default": "model", "description": "Who reads stored texts: the role `reader`, or a search for the prompt's words." },
            "literals": { "enum": ["open", "suggested"], "description": "Whether arguments are free or listed in every step (default: suggested on the synthetic corpus, else open)." },
            "search": { "enum": ["api", "archive"], "default": "api", "description": "What a search over filings asks: the search service (key) or the archive's own search (contact)." },
            "max_calls": number("max_calls", u64::from(default.max_calls), "Calls of an episode."),
            "chunk_tokens": number("chunk_tokens", u64::from(default.chunk_tokens), "Tokens of one call of the reader; longer texts are summed up in parts."),
            "corpus": { "type": "integer", "minimum": 0, "default": default.corpus, "description": "Seed of the synthetic corpus." },
            "companies": number("companies", u64::from(default.companies), "Companies of the synthetic corpus."),
            "seconds": number("seconds", u64::from(default.seconds), "Seconds for a page from first to last byte."),
            "page_bytes": number("page_bytes", u64::from(default.page_bytes), "Bytes of a page; longer ones are cut."),
            "retries": number("retries", u64::from(default.retries), "How often a server that answers 429 or 503 is asked again."),
            "first_wait": number("first_wait", u64::from(default.first_wait), "Milliseconds of the first wait for such a server at most; it doubles."),
            "api": text(&default.api, "Address of the search service over filings, where services are live."),
            "archive_search": text(&default.archive_search, "Address of the archive's own search, where services are live."),
            "archive": text(&default.archive, "Host of the archive's documents, where services are live."),
            "serp": text(&default.serp, "Address of the web search service, where services are live."),
            "served": { "type": "object", "additionalProperties": { "type": "string" }, "default": {}, "description": "Hosts (or domains with a leading dot) that are served at an address of your own network, as host: ip:port." },
            "allow_private": { "type": "boolean", "default": false, "description": "Whether private and loopback addresses are fetched." }
        }
    })
}
