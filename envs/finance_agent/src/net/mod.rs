//! Fetching: bounded in size, time and redirects, with private networks refused at every hop.

mod error;
mod guard;

use std::net::{IpAddr, SocketAddr};
use std::sync::OnceLock;
use std::time::Duration;

use gimbal_core::Rng;
use reqwest::header::{AUTHORIZATION, CONTENT_TYPE, HOST, HeaderValue, LOCATION, USER_AGENT};
use reqwest::{Client, Method, Response, StatusCode};
use url::{Host, Url};

pub use error::FetchError;
pub use guard::{Refused, Resolver, is_public};

/// How pages are fetched.
#[derive(Clone, Debug)]
pub struct NetSettings {
    /// Domains that are served at an address of this machine: any host that ends so. They are reached without encryption,
    /// and are the only private addresses that are reached.
    pub served: Vec<(String, SocketAddr)>,
    /// Whether private addresses are reached otherwise too.
    pub allow_private: bool,
    /// Whether these domains are all that there is: a name or a public address beside them is answered like a host that nobody knows, and no
    /// request is sent. A web that is made up ends here, and an agent that invents an address reaches nobody.
    pub closed: bool,
    /// Whom a server may write to: sent with every request.
    pub user_agent: String,
    /// Bytes of a page; it is cut there.
    pub most_bytes: usize,
    /// Time for a page from first to last byte.
    pub timeout: Duration,
    /// Redirects that are followed.
    pub redirects: u32,
    /// How often a busy server is asked again.
    pub retries: u32,
    /// The wait before the first of these at most; it doubles with each, up to [`LONGEST_WAIT`].
    pub first_wait: Duration,
}

/// What is said of a host that a closed web does not have.
const UNKNOWN_HOST: &str = "name or service not known";

/// The longest wait for a busy server.
pub const LONGEST_WAIT: Duration = Duration::from_secs(60);

impl Default for NetSettings {
    fn default() -> Self {
        Self {
            served: Vec::new(),
            allow_private: false,
            closed: false,
            user_agent: "gimbal finance_agent".to_owned(),
            most_bytes: 8 << 20,
            timeout: Duration::from_secs(60),
            redirects: 5,
            retries: 8,
            first_wait: Duration::from_secs(3),
        }
    }
}

/// What came.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Fetched {
    /// The bytes, at most as many as allowed.
    pub bytes: Vec<u8>,
    /// What the server calls them.
    pub content_type: Option<String>,
    /// Whether there was more than is taken.
    pub cut: bool,
    /// The address after redirects.
    pub url: String,
}

/// A request.
#[derive(Clone, Debug)]
pub struct Request<'a> {
    /// Address.
    pub url: &'a str,
    /// A body in JSON: the request is a POST then.
    pub json: Option<String>,
    /// A key for the header `Authorization`; it goes to the scheme, host and port of `url` and
    /// to no other, so that no redirect takes it to another server or to a connection without encryption. Over plain `http`
    /// it is sent only where the address itself, which the user configured, is one.
    pub key: Option<&'a str>,
}

/// The fetcher.
#[derive(Clone, Debug)]
pub struct Net {
    client: Client,
    settings: NetSettings,
}

/// A reply, or where to go on.
enum Hop {
    Here(Response),
    There(Url),
}

impl Net {
    /// A fetcher.
    ///
    /// # Errors
    /// When the program's own means of encryption cannot be set up.
    pub fn new(settings: NetSettings) -> Result<Self, String> {
        let client = client(settings.allow_private)?;
        Ok(Self { client, settings })
    }

    /// The settings.
    #[must_use]
    pub const fn settings(&self) -> &NetSettings {
        &self.settings
    }

    /// Fetches, asking a busy server (429, 503) again with growing waits. `draws` spreads the waits.
    ///
    /// # Errors
    /// See [`FetchError`].
    pub async fn fetch(&self, request: &Request<'_>, draws: &mut Rng) -> Result<Fetched, FetchError> {
        let mut tries = 0;
        loop {
            let attempt = tokio::time::timeout(self.settings.timeout, self.once(request)).await;
            let attempt = attempt.unwrap_or(Err(FetchError::Timeout { seconds: self.settings.timeout.as_secs() }));
            tries += 1;
            match attempt {
                Err(FetchError::Busy { .. }) if tries <= self.settings.retries => {
                    tokio::time::sleep(self.wait(tries, draws)).await;
                }
                Err(FetchError::Busy { status, url, .. }) => return Err(FetchError::Busy { status, url, tries }),
                other => return other,
            }
        }
    }

    /// Anything from nothing to the bound of this try (full jitter).
    fn wait(&self, tries: u32, draws: &mut Rng) -> Duration {
        let bound = self.settings.first_wait.saturating_mul(1 << (tries - 1).min(16)).min(LONGEST_WAIT);
        Duration::from_micros(draws.below(bound.as_micros() as u64 + 1))
    }

    async fn once(&self, request: &Request<'_>) -> Result<Fetched, FetchError> {
        let mut url = readable(request.url)?;
        let first = url.origin();
        let mut request = request.clone();
        for _ in 0..=self.settings.redirects {
            match self.hop(&url, &request).await? {
                Hop::Here(response) => return self.read(response, &url, request.key).await,
                Hop::There(next) => {
                    // Scheme, host and port: another port is another server, and without encryption anyone reads along.
                    if next.origin() != first {
                        request.key = None;
                    }
                    request.json = None;
                    url = next;
                }
            }
        }
        Err(FetchError::Redirects { url: shown(&readable(request.url)?), most: self.settings.redirects })
    }

    /// One request: checks where it goes, sends it, and reads its status.
    async fn hop(&self, url: &Url, request: &Request<'_>) -> Result<Hop, FetchError> {
        let (target, served) = self.target(url)?;
        let method = if request.json.is_some() { Method::POST } else { Method::GET };
        let mut builder = self.client.request(method, target).header(USER_AGENT, &self.settings.user_agent);
        if served && let Some(host) = url.host_str() {
            builder = builder.header(HOST, host);
        }
        if let Some(body) = &request.json {
            builder = builder.header(CONTENT_TYPE, "application/json").body(body.clone());
        }
        if let Some(key) = request.key {
            let mut key = HeaderValue::from_str(key).map_err(|_| FetchError::Address {
                url: shown(url),
                why: "the key for it holds characters that no header may hold".to_owned(),
            })?;
            key.set_sensitive(true);
            builder = builder.header(AUTHORIZATION, key);
        }
        let response = builder.send().await.map_err(|error| failed(error, url))?;
        let status = response.status();
        if status.is_redirection() {
            let location = response.headers().get(LOCATION).and_then(|location| location.to_str().ok());
            let next = location.and_then(|location| url.join(location).ok());
            let next = next.filter(|next| matches!(next.scheme(), "http" | "https"));
            return next.map(Hop::There).ok_or_else(|| FetchError::Astray { url: shown(url) });
        }
        if matches!(status, StatusCode::TOO_MANY_REQUESTS | StatusCode::SERVICE_UNAVAILABLE) {
            return Err(FetchError::Busy { status: status.as_u16(), url: shown(url), tries: 1 });
        }
        if !status.is_success() {
            let reason = status.canonical_reason().unwrap_or_default().to_owned();
            return Err(FetchError::Status { status: status.as_u16(), reason, url: shown(url) });
        }
        Ok(Hop::Here(response))
    }

    /// Where a request really goes, and whether that is a domain of ours.
    fn target(&self, url: &Url) -> Result<(Url, bool), FetchError> {
        let address = match url.host() {
            Some(Host::Domain(host)) => {
                let host = host.trim_end_matches('.').to_ascii_lowercase();
                let served = self.settings.served.iter().find(|(domain, _)| {
                    host == domain.trim_start_matches('.')
                        || (domain.starts_with('.') && host.ends_with(domain.as_str()))
                });
                if let Some((_, address)) = served {
                    let mut target = url.clone();
                    let moved = target.set_scheme("http").is_ok()
                        && target.set_ip_host(address.ip()).is_ok()
                        && target.set_port(Some(address.port())).is_ok();
                    return if moved { Ok((target, true)) } else { Err(FetchError::Astray { url: shown(url) }) };
                }
                None
            }
            Some(Host::Ipv4(address)) => Some(IpAddr::V4(address)),
            Some(Host::Ipv6(address)) => Some(IpAddr::V6(address)),
            None => None,
        };
        // The names of this machine itself are refused where they are resolved, like its addresses.
        let is_of_machine = url.host_str().is_some_and(|host| host == "localhost" || host.ends_with(".localhost"));
        if self.settings.closed && !is_of_machine && address.is_none_or(is_public) {
            let host =
                format!("{}:{}", url.host_str().unwrap_or_default(), url.port_or_known_default().unwrap_or_default());
            return Err(FetchError::Connection { host, why: UNKNOWN_HOST.to_owned() });
        }
        // Names are checked where they are resolved; addresses are written out and never resolved.
        match address.filter(|address| !self.settings.allow_private && !is_public(*address)) {
            Some(address) => {
                Err(FetchError::Private(Refused { host: url.host_str().unwrap_or_default().to_owned(), address }))
            }
            None => Ok((url.clone(), false)),
        }
    }

    async fn read(&self, mut response: Response, url: &Url, key: Option<&str>) -> Result<Fetched, FetchError> {
        let content_type =
            response.headers().get(CONTENT_TYPE).and_then(|value| value.to_str().ok()).map(str::to_owned);
        let most = self.settings.most_bytes;
        let mut bytes = Vec::new();
        let mut cut = false;
        while let Some(chunk) = response.chunk().await.map_err(|error| failed(error, url))? {
            let room = most - bytes.len();
            bytes.extend_from_slice(chunk.get(..room).unwrap_or(&chunk));
            if chunk.len() > room {
                cut = true;
                break;
            }
        }
        if let Some(key) = key.filter(|key| !key.is_empty()) {
            scrub(&mut bytes, key.as_bytes());
        }
        Ok(Fetched { bytes, content_type, cut, url: shown(url) })
    }
}

/// The client of this process: the settings of encryption are costly to make, and environments are many.
fn client(allow_private: bool) -> Result<Client, String> {
    static CLIENTS: [OnceLock<Result<Client, String>>; 2] = [OnceLock::new(), OnceLock::new()];
    let made = CLIENTS[usize::from(allow_private)].get_or_init(|| {
        // The second installation of the process fails, and that is well.
        let _ = rustls::crypto::ring::default_provider().install_default();
        Client::builder()
            // A proxy would resolve names behind our back.
            .no_proxy()
            .redirect(reqwest::redirect::Policy::none())
            .dns_resolver(Resolver { allow_private })
            // Connections belong to the runtime that opened them, and an environment may outlive it.
            .pool_max_idle_per_host(0)
            .build()
            .map_err(|error| format!("cannot set up fetching: {}", error.without_url()))
    });
    made.clone()
}

/// A service that repeats its caller's key must not put it into an observation.
pub(crate) fn scrub(bytes: &mut [u8], key: &[u8]) {
    let mut at = 0;
    while let Some(offset) = bytes.get(at..).and_then(|rest| rest.windows(key.len()).position(|part| part == key)) {
        let start = at + offset;
        bytes[start..start + key.len()].fill(b'*');
        at = start + key.len();
    }
}

fn readable(url: &str) -> Result<Url, FetchError> {
    let short: String = url.chars().take(200).collect();
    let parsed =
        Url::parse(url.trim()).map_err(|error| FetchError::Address { url: short.clone(), why: error.to_string() })?;
    if !matches!(parsed.scheme(), "http" | "https") {
        return Err(FetchError::Address { url: short, why: format!("`{}` is not fetched", parsed.scheme()) });
    }
    if parsed.host().is_none() {
        return Err(FetchError::Address { url: short, why: "it names no host".to_owned() });
    }
    Ok(parsed)
}

/// An address without its query, user and fragment: what a message may show.
fn shown(url: &Url) -> String {
    let mut url = url.clone();
    url.set_query(None);
    url.set_fragment(None);
    // An address that has a host takes both.
    let _ = url.set_username("");
    let _ = url.set_password(None);
    url.into()
}

fn failed(error: reqwest::Error, url: &Url) -> FetchError {
    let connected = !error.is_connect();
    let error = error.without_url();
    let mut why = error.to_string();
    let mut source = std::error::Error::source(&error);
    while let Some(inner) = source {
        if let Some(refused) = inner.downcast_ref::<Refused>() {
            return FetchError::Private(refused.clone());
        }
        why = inner.to_string();
        source = inner.source();
    }
    // There was a connection, so it is not the host that could not be reached.
    if connected {
        return FetchError::Broken { url: shown(url), why };
    }
    let port = url.port_or_known_default().unwrap_or_default();
    FetchError::Connection { host: format!("{}:{port}", url.host_str().unwrap_or_default()), why }
}
