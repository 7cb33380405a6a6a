//! The client of a server; one request and its whole answer, within bounds of memory.

use std::io::Write;

use flate2::write::{MultiGzDecoder, ZlibDecoder};
use reqwest::header::{CONTENT_ENCODING, CONTENT_TYPE, HeaderMap};

use super::address::Address;
use crate::config::ModelsConfig;
use crate::error::SetupError;

/// Most bytes of an answer, as sent and as unpacked: a hundred times what a long answer takes.
pub(super) const MOST: usize = 4 << 20;
/// Bytes of a failure's body that are read; the message is at its beginning.
const MOST_OF_FAILURE: usize = 256 << 10;

/// A client for a server: bounded in time, without redirects and retries of its own.
pub(super) fn client(name: &str, address: &Address, config: &ModelsConfig) -> Result<reqwest::Client, SetupError> {
    // Another part of the program may have chosen already; then its choice is kept.
    let _ = rustls::crypto::ring::default_provider().install_default();
    let mut builder = reqwest::Client::builder()
        .connect_timeout(config.timeouts.connect())
        .timeout(config.timeouts.whole())
        // Unpacked here, within bounds.
        .no_gzip()
        .no_brotli()
        .no_deflate()
        .no_zstd()
        // Another host must never see the key.
        .redirect(reqwest::redirect::Policy::none())
        // Repeating is the business of a layer that meters it.
        .retry(reqwest::retry::never())
        .user_agent(concat!("gimbal/", env!("CARGO_PKG_VERSION")));
    if address.loopback {
        builder = builder.no_proxy();
    }
    let fail = |why: String| SetupError::Client(format!("model `{name}`: no HTTP client can be built: {why}"));
    builder.build().map_err(|error| fail(error.to_string()))
}

/// An answer with its whole body.
pub(super) struct Received {
    pub status: u16,
    pub headers: HeaderMap,
    pub body: String,
}

/// Why there is none.
#[derive(Debug)]
pub(super) enum Broken {
    /// The connection failed.
    Web(reqwest::Error),
    /// The body is longer than [`MOST`].
    TooLong,
    /// The body is packed in a way that was not asked for, or does not unpack.
    Packed(String),
}

/// Sends a request and reads the answer. Nothing beyond the bound is ever held.
pub(super) async fn send(request: reqwest::RequestBuilder) -> Result<Received, Broken> {
    let mut response = request.send().await.map_err(Broken::Web)?;
    let (status, headers) = (response.status(), response.headers().clone());
    let most = if status.is_success() { MOST } else { MOST_OF_FAILURE };
    let encoding = headers.get(CONTENT_ENCODING).and_then(|value| value.to_str().ok()).unwrap_or_default();
    let mut unpacker = Unpacker::of(&encoding.trim().to_ascii_lowercase(), most)?;
    let mut raw = 0_usize;
    while let Some(chunk) = response.chunk().await.map_err(Broken::Web)? {
        raw = raw.saturating_add(chunk.len());
        let fits = raw <= most;
        match unpacker.push(&chunk) {
            Ok(()) if fits => {}
            // The beginning of a failure is enough.
            Ok(()) | Err(Broken::TooLong) if !status.is_success() => break,
            Ok(()) => return Err(Broken::TooLong),
            Err(error) => return Err(error),
        }
    }
    let body = unpacker.finish(!status.is_success())?;
    Ok(Received { status: status.as_u16(), headers, body: String::from_utf8_lossy(&body).into_owned() })
}

/// The content type of an answer.
pub(super) fn content_type(headers: &HeaderMap) -> &str {
    headers.get(CONTENT_TYPE).and_then(|value| value.to_str().ok()).unwrap_or_default()
}

/// Bytes up to a bound.
struct Bounded {
    bytes: Vec<u8>,
    most: usize,
    full: bool,
}

impl Write for Bounded {
    fn write(&mut self, bytes: &[u8]) -> std::io::Result<usize> {
        let room = self.most - self.bytes.len();
        self.bytes.extend_from_slice(bytes.get(..room.min(bytes.len())).unwrap_or_default());
        if bytes.len() > room {
            self.full = true;
            return Err(std::io::Error::other("the bound is reached"));
        }
        Ok(bytes.len())
    }

    fn flush(&mut self) -> std::io::Result<()> {
        Ok(())
    }
}

/// Unpacks while the answer comes in.
enum Unpacker {
    Plain(Bounded),
    Gzip(MultiGzDecoder<Bounded>),
    Deflate(ZlibDecoder<Bounded>),
}

impl Unpacker {
    fn of(encoding: &str, most: usize) -> Result<Self, Broken> {
        let bounded = Bounded { bytes: Vec::new(), most, full: false };
        match encoding {
            "" | "identity" => Ok(Self::Plain(bounded)),
            "gzip" | "x-gzip" => Ok(Self::Gzip(MultiGzDecoder::new(bounded))),
            "deflate" => Ok(Self::Deflate(ZlibDecoder::new(bounded))),
            other => Err(Broken::Packed(format!("it is compressed as `{other}`, which the request did not allow"))),
        }
    }

    fn push(&mut self, bytes: &[u8]) -> Result<(), Broken> {
        let written = match self {
            Self::Plain(plain) => plain.write_all(bytes),
            Self::Gzip(gzip) => gzip.write_all(bytes),
            Self::Deflate(deflate) => deflate.write_all(bytes),
        };
        written.map_err(|error| if self.bounded().full { Broken::TooLong } else { damaged(&error) })
    }

    fn bounded(&self) -> &Bounded {
        match self {
            Self::Plain(plain) => plain,
            Self::Gzip(gzip) => gzip.get_ref(),
            Self::Deflate(deflate) => deflate.get_ref(),
        }
    }

    /// The bytes; of a body whose end may be missing, what there is.
    fn finish(mut self, cut: bool) -> Result<Vec<u8>, Broken> {
        let ended = match &mut self {
            Self::Plain(_) => Ok(()),
            Self::Gzip(gzip) => gzip.try_finish(),
            Self::Deflate(deflate) => deflate.try_finish(),
        };
        match ended {
            Err(_) if !cut && self.bounded().full => Err(Broken::TooLong),
            Err(error) if !cut => Err(damaged(&error)),
            _ => Ok(match &mut self {
                Self::Plain(plain) => std::mem::take(&mut plain.bytes),
                Self::Gzip(gzip) => std::mem::take(&mut gzip.get_mut().bytes),
                Self::Deflate(deflate) => std::mem::take(&mut deflate.get_mut().bytes),
            }),
        }
    }
}

fn damaged(error: &std::io::Error) -> Broken {
    Broken::Packed(format!("it does not unpack ({error})"))
}
