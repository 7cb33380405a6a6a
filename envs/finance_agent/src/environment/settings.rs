//! The options of the environment.

use std::collections::BTreeMap;
use std::net::SocketAddr;
use std::path::PathBuf;
use std::sync::LazyLock;

use gimbal_core::EnvError;
use gimbal_env_kit::options::{Field, Options};
use serde::{Deserialize, Serialize};
use serde_json::{Value, json};

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
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
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

static OPTIONS: LazyLock<Options> = LazyLock::new(|| {
    const ADDRESS: &str = "an address that begins with https://";
    let (least, most) = Spec::COMPANIES;
    let served = json!({
        "type": "object", "additionalProperties": { "type": "string" }, "default": {},
        "description": "Hosts (or domains with a leading dot) that are served at an address of your own network, as host: ip:port."
    });
    Options::of::<Settings>(
        "finance_agent",
        vec![
            Field::one_of(
                "services",
                ["synthetic", "live"],
                "The tools' services: on this machine over a synthetic corpus, or the real ones.",
            ),
            Field::text(
                "questions",
                "an edition (2025-09, 2026-02) or the path of a table",
                "Edition of the public questions (2025-09, 2026-02), or the path of a table.",
            ),
            Field::one_of(
                "texts",
                ["v1.0", "v1.1"],
                "Version of the harness whose texts and arguments the tools have.",
            ),
            Field::one_of(
                "judge",
                ["offline", "model", "both"],
                "Who judges answers; of both, the offline judge decides.",
            ),
            Field::one_of(
                "reader",
                ["model", "extract"],
                "Who reads stored texts: the role `reader`, or a search for the prompt's words.",
            ),
            Field::one_of(
                "literals",
                ["open", "suggested"],
                "Whether arguments are free or listed in every step (default: suggested on the synthetic corpus, else open).",
            )
            .without_default(),
            Field::one_of(
                "search",
                ["api", "archive"],
                "What a search over filings asks: the search service (key) or the archive's own search (contact).",
            ),
            Field::whole("max_calls", 1, 1000, "Calls of an episode."),
            Field::whole(
                "chunk_tokens",
                4000,
                1_000_000,
                "Tokens of one call of the reader; longer texts are summed up in parts.",
            ),
            Field::seed("corpus", "Seed of the synthetic corpus."),
            Field::whole("companies", least.into(), most.into(), "Companies of the synthetic corpus."),
            Field::whole("seconds", 1, 600, "Seconds for a page from first to last byte."),
            Field::whole("page_bytes", 1024, 256 << 20, "Bytes of a page; longer ones are cut."),
            Field::whole("retries", 0, 20, "How often a server that answers 429 or 503 is asked again."),
            Field::whole(
                "first_wait",
                0,
                60_000,
                "Milliseconds of the first wait for such a server at most; it doubles.",
            ),
            Field::text("api", ADDRESS, "Address of the search service over filings, where services are live."),
            Field::text("archive_search", ADDRESS, "Address of the archive's own search, where services are live."),
            Field::text(
                "archive",
                "a host, such as www.sec.gov",
                "Host of the archive's documents, where services are live.",
            ),
            Field::text("serp", ADDRESS, "Address of the web search service, where services are live."),
            Field::shaped("served", served, "a map of hosts to addresses, such as `host: 10.0.0.1:8080`", |value| {
                BTreeMap::<String, SocketAddr>::deserialize(value).is_ok()
            }),
            Field::flag("allow_private", "Whether private and loopback addresses are fetched."),
        ],
    )
});

impl Settings {
    /// Reads raw or resolved options.
    ///
    /// # Errors
    /// Which option is wrong, and what would be right.
    pub fn read(options: &Value) -> Result<Self, EnvError> {
        let mut settings: Self = OPTIONS.read(options)?;
        if options.get("literals").is_none() {
            settings.literals = match settings.services {
                Services::Synthetic => Literals::Suggested,
                Services::Live => Literals::Open,
            };
        }
        for (key, address) in
            [("api", &settings.api), ("archive_search", &settings.archive_search), ("serp", &settings.serp)]
        {
            if !(address.starts_with("https://") || address.starts_with("http://")) {
                let message = format!("`{key}` is `{address}`; give an address that begins with https://");
                return Err(OPTIONS.wrong(key, &message));
            }
        }
        if settings.archive.is_empty() || settings.archive.contains(['/', ' ']) {
            let message = format!("`archive` is `{}`; give a host, such as www.sec.gov", settings.archive);
            return Err(OPTIONS.wrong("archive", &message));
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

/// JSON Schema of the options.
pub(super) fn schema() -> Value {
    OPTIONS.schema()
}
