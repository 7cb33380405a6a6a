//! The services behind the tools, by configured addresses.

use std::sync::Arc;
use std::time::Duration;

use gimbal_core::{EnvError, Rng};
use serde_json::Value;
use url::Url;

use super::settings::{SearchBy, Services, Settings};
use crate::corpus;
use crate::net::{FetchError, Fetched, Net, NetSettings, Request, scrub};
use crate::server::{KEY, Loopback};
use crate::wire::{self, Search};

/// Environment variable of the key for the search service over filings.
const API_KEY: &str = "SEC_API_KEY";
/// Environment variable of the key for the web search service.
const SERP_KEY: &str = "SERPAPI_API_KEY";
/// Environment variable of the contact that servers may write to.
const CONTACT: &str = "SEC_CONTACT";

/// Addresses and keys. Keys come from the environment alone and are shown nowhere.
#[derive(Clone)]
pub(super) struct Access {
    net: Net,
    search: SearchBy,
    api: String,
    archive_search: String,
    archive: String,
    serp: String,
    api_key: String,
    serp_key: String,
    pub loopback: Option<Arc<Loopback>>,
}

impl std::fmt::Debug for Access {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.debug_struct("Access").field("api", &self.api).field("serp", &self.serp).finish_non_exhaustive()
    }
}

/// Why a service gave nothing.
pub(super) enum Failed {
    /// The caller's doing: the tool replies with this text.
    Said(String),
    /// The environment's: no outcome of an agent.
    Service(EnvError),
}

impl Access {
    pub fn new(settings: &Settings) -> Result<Self, EnvError> {
        let mut net = NetSettings {
            served: settings.served.iter().map(|(host, address)| (host.clone(), *address)).collect(),
            allow_private: settings.allow_private,
            most_bytes: settings.page_bytes as usize,
            timeout: Duration::from_secs(u64::from(settings.seconds)),
            retries: settings.retries,
            first_wait: Duration::from_millis(u64::from(settings.first_wait)),
            ..NetSettings::default()
        };
        let variable = |name: &str| std::env::var(name).unwrap_or_default();
        let (mut api, mut archive_search) = (settings.api.clone(), settings.archive_search.clone());
        let (mut archive, mut serp) = (settings.archive.clone(), settings.serp.clone());
        let (mut api_key, mut serp_key, mut loopback) = (variable(API_KEY), variable(SERP_KEY), None);
        match settings.services {
            Services::Synthetic => {
                let server = Loopback::shared(settings.spec()).map_err(|error| EnvError::Service(error.to_string()))?;
                net.served.push((corpus::DOMAIN.to_owned(), server.address()));
                net.closed = true;
                net.user_agent = "gimbal finance_agent contact@gimbal.example".to_owned();
                api = format!("https://{}/full-text-search", corpus::API_HOST);
                archive_search = format!("https://{}/LATEST/search-index", corpus::SEARCH_HOST);
                archive = corpus::HOST.to_owned();
                serp = format!("https://{}/search", corpus::SERP_HOST);
                (api_key, serp_key) = (KEY.to_owned(), KEY.to_owned());
                loopback = Some(server);
            }
            Services::Live => {
                let contact = variable(CONTACT);
                if settings.search == SearchBy::Archive && !contact.contains('@') {
                    return Err(EnvError::Usage(format!(
                        "`search: archive` needs a contact that the archive may write to: set {CONTACT} to your name and mail address"
                    )));
                }
                if settings.search == SearchBy::Api && api_key.is_empty() {
                    return Err(EnvError::Usage(format!(
                        "`search: api` needs a key of the search service: set {API_KEY}, or set `search: archive`, which needs none"
                    )));
                }
                if !contact.is_empty() {
                    net.user_agent = format!("gimbal finance_agent {contact}");
                }
            }
        }
        let net = Net::new(net).map_err(EnvError::Service)?;
        Ok(Self { net, search: settings.search, api, archive_search, archive, serp, api_key, serp_key, loopback })
    }

    /// Rows of a search over filings.
    pub async fn filings(&self, search: &Search, draws: &mut Rng) -> Result<Vec<Value>, Failed> {
        match self.search {
            SearchBy::Api => {
                let body = search.to_api().to_string();
                let request = Request { url: &self.api, json: Some(body), key: Some(&self.api_key) };
                let reply = self.ask(&request, &self.api_key, draws).await?;
                wire::read_api(&reply).map_err(|why| self.shape(&self.api, why))
            }
            SearchBy::Archive => {
                let url = with(&self.archive_search, &search.to_archive())?;
                let reply = self.ask(&Request { url: &url, json: None, key: None }, "", draws).await?;
                wire::read_archive(&reply, &self.archive).map_err(|why| self.shape(&self.archive_search, why))
            }
        }
    }

    /// Results of a search of the web.
    pub async fn web(&self, query: &str, draws: &mut Rng) -> Result<Vec<Value>, Failed> {
        if self.serp_key.is_empty() {
            let why = format!("a search of the web needs a key of the service: set {SERP_KEY}");
            return Err(Failed::Service(EnvError::Service(why)));
        }
        let pairs = [("engine", "google"), ("q", query), ("num", "10"), ("api_key", &self.serp_key)];
        let url = with(&self.serp, &pairs.map(|(name, value)| (name, value.to_owned())))?;
        let reply = self.ask(&Request { url: &url, json: None, key: None }, &self.serp_key, draws).await?;
        wire::read_web(&reply).map_err(|why| self.shape(&self.serp, why))
    }

    /// A page. Which page is the agent's choice, and so are its effects: one that is busy forever is an answer too,
    /// or an agent could void its own episode. Only the tools' own services can fail.
    pub async fn page(&self, url: &str, draws: &mut Rng) -> Result<Fetched, Failed> {
        let fetched = self.net.fetch(&Request { url, json: None, key: None }, draws).await;
        fetched.map_err(|error| Failed::Said(error.to_string()))
    }

    fn shape(&self, url: &str, why: String) -> Failed {
        Failed::Service(EnvError::Service(FetchError::Shape { url: url.to_owned(), why }.to_string()))
    }

    /// Asks a service. What the query brings about is the caller's, everything else the environment's.
    async fn ask(&self, request: &Request<'_>, secret: &str, draws: &mut Rng) -> Result<Value, Failed> {
        let mut fetched = self.net.fetch(request, draws).await.map_err(|error| match error {
            FetchError::Status { status: 400 | 404 | 414 | 422, .. } => Failed::Said(error.to_string()),
            _ => Failed::Service(EnvError::Service(format!("a service of the tools failed: {error}"))),
        })?;
        if !secret.is_empty() {
            scrub(&mut fetched.bytes, secret.as_bytes());
        }
        serde_json::from_slice(&fetched.bytes).map_err(|error| self.shape(&fetched.url, error.to_string()))
    }
}

fn with(address: &str, pairs: &[(&str, String)]) -> Result<String, Failed> {
    let mut url = Url::parse(address).map_err(|error| {
        Failed::Service(EnvError::Usage(format!("`{address}` is not an address of a service: {error}")))
    })?;
    url.query_pairs_mut().extend_pairs(pairs);
    Ok(url.into())
}
