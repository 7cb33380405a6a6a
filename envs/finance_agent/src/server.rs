//! The corpus on a port of this machine: both searches over filings, web search, and every page.
//!
//! A process starts one server for each corpus, on a port that the system chooses. Addresses of documents never name it:
//! the fetcher maps the domain `.example` to it.

use std::collections::BTreeMap;
use std::net::{Ipv4Addr, SocketAddr, TcpListener};
use std::sync::{Arc, Mutex, PoisonError};

use axum::Router;
use axum::body::Bytes;
use axum::extract::State;
use axum::http::header::{AUTHORIZATION, CONTENT_TYPE, HOST, USER_AGENT};
use axum::http::{HeaderMap, Method, StatusCode, Uri};
use axum::response::{IntoResponse, Response};
use serde_json::{Value, json};
use thiserror::Error;
use tokio::sync::oneshot;
use url::form_urlencoded;

use crate::corpus::{self, Corpus, CorpusError, Spec};
use crate::wire::{self, Search};

/// The key that the loopback services take.
pub const KEY: &str = "loopback";

/// A server that cannot be started.
#[derive(Debug, Error)]
pub enum ServeError {
    /// No port, or no thread.
    #[error("the corpus cannot be served on this machine: {0}")]
    Port(#[from] std::io::Error),
    /// No corpus.
    #[error(transparent)]
    Corpus(#[from] CorpusError),
}

/// A server; it stops when it is dropped.
#[derive(Debug)]
pub struct Loopback {
    address: SocketAddr,
    corpus: Arc<Corpus>,
    stop: Option<oneshot::Sender<()>>,
}

impl Loopback {
    /// Serves a corpus on a port of 127.0.0.1; 0 lets the system choose one.
    ///
    /// # Errors
    /// When the port is taken, or no thread can be had.
    pub fn start(corpus: Arc<Corpus>, port: u16) -> Result<Self, ServeError> {
        let listener = TcpListener::bind((Ipv4Addr::LOCALHOST, port))?;
        listener.set_nonblocking(true)?;
        let address = listener.local_addr()?;
        let (stop, stopped) = oneshot::channel();
        let served = Arc::clone(&corpus);
        let runtime = tokio::runtime::Builder::new_current_thread().enable_all().build()?;
        std::thread::Builder::new().name("finance-corpus".to_owned()).spawn(move || {
            runtime.block_on(async move {
                let Ok(listener) = tokio::net::TcpListener::from_std(listener) else { return };
                let app = Router::new().fallback(answer).with_state(served);
                let stopped = async { stopped.await.unwrap_or_default() };
                // The server ends with the process or when it is told; there is nobody to tell of its end.
                let _ = axum::serve(listener, app).with_graceful_shutdown(stopped).await;
            });
        })?;
        Ok(Self { address, corpus, stop: Some(stop) })
    }

    /// The server of a corpus in this process: started when it is first asked for, and kept.
    ///
    /// # Errors
    /// As [`Loopback::start`], or when the corpus cannot be made.
    pub fn shared(spec: Spec) -> Result<Arc<Self>, ServeError> {
        static SERVERS: Mutex<BTreeMap<Spec, Arc<Loopback>>> = Mutex::new(BTreeMap::new());
        let mut servers = SERVERS.lock().unwrap_or_else(PoisonError::into_inner);
        if let Some(known) = servers.get(&spec) {
            return Ok(Arc::clone(known));
        }
        let server = Arc::new(Self::start(Arc::new(Corpus::new(spec)?), 0)?);
        servers.insert(spec, Arc::clone(&server));
        Ok(server)
    }

    /// Where it listens.
    #[must_use]
    pub const fn address(&self) -> SocketAddr {
        self.address
    }

    /// What it serves.
    #[must_use]
    pub const fn corpus(&self) -> &Arc<Corpus> {
        &self.corpus
    }
}

impl Drop for Loopback {
    fn drop(&mut self) {
        if let Some(stop) = self.stop.take() {
            let _ = stop.send(());
        }
    }
}

async fn answer(
    State(corpus): State<Arc<Corpus>>,
    method: Method,
    uri: Uri,
    headers: HeaderMap,
    body: Bytes,
) -> Response {
    let header =
        |name| headers.get(name).and_then(|value: &axum::http::HeaderValue| value.to_str().ok()).unwrap_or_default();
    let pairs: Vec<(String, String)> =
        form_urlencoded::parse(uri.query().unwrap_or_default().as_bytes()).into_owned().collect();
    let value = |name: &str| pairs.iter().find(|(known, _)| known == name).map(|(_, value)| value.as_str());
    match (method.as_str(), uri.path()) {
        ("POST", "/full-text-search") => {
            // The published service also takes its key as a parameter.
            if header(AUTHORIZATION).is_empty() && value("token").is_none_or(str::is_empty) {
                return refused(StatusCode::FORBIDDEN, "no key in the header Authorization");
            }
            let search = serde_json::from_slice::<Value>(&body).map_err(|error| error.to_string());
            match search.and_then(|body| Search::from_api(&body)) {
                Ok(search) => reply(wire::api_reply(&corpus, &search)),
                Err(why) => refused(StatusCode::BAD_REQUEST, &why),
            }
        }
        ("GET", "/LATEST/search-index") => {
            if !header(USER_AGENT).contains('@') {
                return refused(StatusCode::FORBIDDEN, "declare your traffic with a contact in the header User-Agent");
            }
            reply(wire::archive_reply(&corpus, &Search::from_archive(&pairs)))
        }
        ("GET", "/search" | "/search.json") => {
            if value("api_key").is_none_or(str::is_empty) {
                return refused(StatusCode::UNAUTHORIZED, "no api_key");
            }
            let Some(query) = value("q").filter(|query| !query.trim().is_empty()) else {
                return refused(StatusCode::BAD_REQUEST, "q is missing");
            };
            let most = value("num").and_then(|most| most.parse().ok()).unwrap_or(10).clamp(1, 100);
            reply(wire::web_reply(&corpus, query, most))
        }
        ("GET", path) => match page(&corpus, header(HOST), path) {
            Some(page) => ([(CONTENT_TYPE, "text/html; charset=utf-8")], page.to_owned()).into_response(),
            None => (StatusCode::NOT_FOUND, [(CONTENT_TYPE, "text/html")], "<h1>404 Not Found</h1>").into_response(),
        },
        _ => refused(StatusCode::METHOD_NOT_ALLOWED, "only GET and the search by POST are served"),
    }
}

/// The page of a host and path; whoever asks by the bare port means the archive, or the one page of that path.
fn page<'a>(corpus: &'a Corpus, host: &str, path: &str) -> Option<&'a str> {
    let of = |host: &str| corpus.page(&format!("https://{host}{path}"));
    of(host).or_else(|| {
        let bare = !host.ends_with(corpus::DOMAIN);
        let elsewhere = || {
            corpus.pages().iter().find(|page| page.url.ends_with(path) && path.len() > 1).map(|page| page.html.as_str())
        };
        bare.then(|| of(corpus::HOST).or_else(elsewhere)).flatten()
    })
}

fn reply(found: Result<Value, CorpusError>) -> Response {
    match found {
        Ok(value) => ([(CONTENT_TYPE, "application/json")], value.to_string()).into_response(),
        Err(error) => refused(StatusCode::INTERNAL_SERVER_ERROR, &error.to_string()),
    }
}

fn refused(status: StatusCode, why: &str) -> Response {
    (status, [(CONTENT_TYPE, "application/json")], json!({ "status": status.as_u16(), "error": why }).to_string())
        .into_response()
}
