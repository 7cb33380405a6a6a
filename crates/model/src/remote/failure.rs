//! Gives every failure of a remote call its own name.

use std::time::SystemTime;

use gimbal_core::chat::ProviderFacts;
use gimbal_core::{ModelError, ModelErrorKind, Usage, UsageSource};
use reqwest::header::HeaderMap;
use serde_json::Value;

use super::body;
use super::transport::{self, Broken, Received};
use crate::secret::{self, Secret};

/// Letters of a provider's words that a message shows.
const SHOWN: usize = 400;
/// Bytes of a body that are kept with a failure.
const KEPT: usize = 64 << 10;

/// Who was asked, for messages.
pub(super) struct Asked<'a> {
    pub model: &'a str,
    pub key_variable: &'a str,
    pub key: Option<&'a Secret>,
    /// Whether the model has answered a request before.
    pub answered: bool,
}

impl Asked<'_> {
    /// `text` without anything that is or looks like a key.
    pub(super) fn scrub(&self, text: &str) -> String {
        self.key.map_or_else(|| secret::scrub(text), |key| key.scrub(text))
    }

    /// The failure of a request that brought no whole answer.
    pub(super) fn broken(&self, broken: &Broken) -> ModelError {
        match broken {
            Broken::Web(error) => self.transport(error),
            Broken::TooLong => {
                let message = format!(
                    "the answer is longer than {} MiB and was given up: no model writes that much, so look at the server",
                    transport::MOST >> 20
                );
                self.error(ModelErrorKind::BadResponse, &message, None)
            }
            Broken::Packed(why) => {
                self.error(ModelErrorKind::BadResponse, &format!("the answer cannot be read: {why}"), None)
            }
        }
    }

    /// The JSON of an answer, or why there is none.
    pub(super) fn json(&self, received: &Received) -> Result<Value, ModelError> {
        if !(200..300).contains(&received.status) {
            return Err(self.status(received.status, &received.body, &received.headers));
        }
        // Some servers send JSON without saying so.
        let kind = transport::content_type(&received.headers).trim_start();
        let says_json = kind.to_ascii_lowercase().starts_with("application/json");
        let why = match serde_json::from_str::<Value>(&received.body) {
            Ok(json) if says_json || json.is_object() => return Ok(json),
            Err(cause) if says_json => format!("the answer is not valid JSON ({cause})"),
            _ => format!("the answer is not JSON ({})", if kind.is_empty() { "no content type" } else { kind }),
        };
        let message = format!("{why}: {}", self.excerpt(&received.body));
        Err(self.error(ModelErrorKind::BadResponse, &message, Some(&received.body)))
    }

    fn transport(&self, error: &reqwest::Error) -> ModelError {
        if error.is_timeout() {
            let message = "no answer in time: raise `timeouts`, or ask for less output";
            return self.error(ModelErrorKind::Timeout, message, None);
        }
        if error.is_builder() {
            let message = "the request cannot be sent: check base address and key";
            return ModelError { lasting: true, ..self.error(ModelErrorKind::BadRequest, message, None) };
        }
        let what = if error.is_connect() {
            "the provider cannot be reached: check base address, network and proxy"
        } else if error.is_body() || error.is_decode() {
            "the connection broke before the answer was whole"
        } else {
            "the connection broke"
        };
        // The innermost cause is the informative one; addresses are left out.
        let mut cause: &dyn std::error::Error = error;
        while let Some(inner) = cause.source() {
            cause = inner;
        }
        let message = format!("{what} ({})", self.excerpt(&cause.to_string()));
        let failure = self.error(ModelErrorKind::Transport, &message, None);
        // Nothing left this machine, and that costs nothing.
        let usage = error.is_connect().then(|| Usage { source: UsageSource::Exact, ..Usage::default() });
        ModelError { usage, ..failure }
    }

    fn status(&self, status: u16, body: &str, headers: &HeaderMap) -> ModelError {
        let json: Option<Value> = serde_json::from_str(body).ok();
        let said = json.as_ref().and_then(words).unwrap_or_else(|| body.to_owned());
        let said = self.excerpt(&said);
        // Out of money is reported as a rate limit, but waiting does not help.
        let broke = status == 429 && body.contains("insufficient_quota");
        // OpenRouter reports its filters so.
        let filtered = status == 403 && of_a_filter(json.as_ref(), &said);
        let (kind, fix) = match status {
            403 if filtered => (ModelErrorKind::BadRequest, String::new()),
            401 | 403 => (ModelErrorKind::Denied, format!(": check the key in {}", self.key_variable)),
            402 => (ModelErrorKind::Denied, ": the account has no credit".to_owned()),
            429 if broke => (ModelErrorKind::Denied, ": the account has no credit".to_owned()),
            404 => (ModelErrorKind::BadRequest, ": check model name and base address".to_owned()),
            408 | 504 | 524 => (ModelErrorKind::Timeout, String::new()),
            429 => (ModelErrorKind::RateLimited, String::new()),
            300..=399 => {
                (ModelErrorKind::BadRequest, ": it sends us elsewhere; set the base address itself".to_owned())
            }
            500..=599 => (ModelErrorKind::Unavailable, String::new()),
            _ => (ModelErrorKind::BadRequest, String::new()),
        };
        let message = format!("the provider answered with status {status}{fix}: {said}");
        let asked = retry_after(headers, json.as_ref(), SystemTime::now());
        // Wrong for every other request as well, and not for this one alone.
        let lasting = (matches!(status, 300..=399 | 401..=406 | 410 | 415 | 501) && !filtered)
            || broke
            || (kind == ModelErrorKind::BadRequest
                && status != 413
                && !of_this_request(json.as_ref(), &said)
                && self.is_lasting(json.as_ref(), &said));
        ModelError { retry_after_ms: asked, lasting, ..self.error(kind, &message, Some(body)) }
    }

    /// Whether a refusal holds for all requests of this kind: it names the model, a setting or the schema, or the model
    /// has never answered.
    fn is_lasting(&self, body: Option<&Value>, said: &str) -> bool {
        !self.answered || no_such_model(body, said) || of_the_settings(body, said)
    }

    /// A failure with its message and the beginning of the body. Both are cut after scrubbing, lest half a key stays.
    pub(super) fn error(&self, kind: ModelErrorKind, message: &str, body: Option<&str>) -> ModelError {
        let raw = body.map(|body| cut(&self.scrub_body(body), KEPT).to_owned());
        ModelError {
            provider: Box::new(ProviderFacts { raw, ..ProviderFacts::default() }),
            ..ModelError::new(kind, self.scrub(&format!("{}: {message}", self.model)))
        }
    }

    /// A body without keys. JSON has many ways to write a letter, so its texts are looked at as they read.
    fn scrub_body(&self, body: &str) -> String {
        match (self.key, serde_json::from_str::<Value>(body)) {
            (Some(key), Ok(mut json)) => {
                let before = json.clone();
                body::take_out(&mut json, key);
                self.scrub(&if json == before { body.to_owned() } else { json.to_string() })
            }
            _ => self.scrub(body),
        }
    }

    /// The beginning of a text on one line, without keys. Cut after scrubbing, lest half a key stays.
    pub(super) fn excerpt(&self, text: &str) -> String {
        let scrubbed = self.scrub(text);
        let line: String = cut(&scrubbed, KEPT).split_whitespace().collect::<Vec<_>>().join(" ");
        if line.is_empty() {
            return "(nothing more was said)".to_owned();
        }
        let shown: String = line.chars().filter(|letter| !letter.is_control()).take(SHOWN).collect();
        if shown.chars().count() < line.chars().count() { format!("{shown}...") } else { shown }
    }
}

fn cut(text: &str, bytes: usize) -> &str {
    let mut end = bytes.min(text.len());
    while !text.is_char_boundary(end) {
        end -= 1;
    }
    text.get(..end).unwrap_or_default()
}

/// The words of an error body, wherever the provider puts them.
fn words(body: &Value) -> Option<String> {
    // Gemini sends a list of one now and then.
    let body = body.get(0).unwrap_or(body);
    let places = ["/error/message", "/error", "/message", "/detail"];
    places.iter().find_map(|place| body.pointer(place).and_then(Value::as_str)).map(str::to_owned)
}

/// Whether a refused request names a model that is not there: providers agree on no status for it.
fn no_such_model(body: Option<&Value>, said: &str) -> bool {
    let code = body.and_then(|body| body.pointer("/error/code")).and_then(Value::as_str).unwrap_or_default();
    let said = said.to_lowercase();
    let ways = ["does not exist", "not found", "invalid model", "unknown model", "no such model", "not a valid model"];
    matches!(code, "model_not_found" | "invalid_model")
        || (said.contains("model") && ways.iter().any(|way| said.contains(way)))
}

/// The code, type and parameter of an error body, in small letters.
fn code(body: Option<&Value>) -> String {
    let body = body.map(|body| body.get(0).unwrap_or(body));
    let places = ["/error/code", "/error/type", "/error/param", "/error/status", "/code", "/type", "/param"];
    let found = places.iter().filter_map(|place| body?.pointer(place)?.as_str());
    found.collect::<Vec<_>>().join(" ").to_lowercase()
}

/// Whether a filter of the provider refused a request for its content. That is not evidence about other requests, however
/// many are refused so.
#[must_use]
pub fn held_by_filter(error: &ModelError) -> bool {
    let Some(raw) = error.provider.raw.as_deref().filter(|_| error.kind == ModelErrorKind::BadRequest) else {
        return false;
    };
    let body: Option<Value> = serde_json::from_str(raw).ok();
    of_a_filter(body.as_ref(), body.as_ref().and_then(words).as_deref().unwrap_or(raw))
}

fn of_a_filter(body: Option<&Value>, said: &str) -> bool {
    let (code, said) = (code(body), said.to_lowercase());
    let codes = ["content_filter", "content_policy"];
    let ways = ["safety", "content policy", "flagged", "content management policy"];
    codes.iter().any(|known| code.contains(known)) || ways.iter().any(|way| said.contains(way))
}

/// Whether a refusal is about this very request: another one may be taken.
fn of_this_request(body: Option<&Value>, said: &str) -> bool {
    if of_a_filter(body, said) {
        return true;
    }
    let (code, said) = (code(body), said.to_lowercase());
    let codes = ["context_length", "string_above_max_length", "exceed_context_size"];
    let ways = [
        "context length",
        "context window",
        "context size",
        "maximum context",
        "too long",
        "too many tokens",
        "prompt is too",
        "input is too",
        "exceeds the available context",
    ];
    codes.iter().any(|known| code.contains(known)) || ways.iter().any(|way| said.contains(way))
}

/// Whether a refusal names a setting or the schema, which every other request would carry too.
fn of_the_settings(body: Option<&Value>, said: &str) -> bool {
    let (code, said) = (code(body), said.to_lowercase());
    let codes =
        ["unsupported_parameter", "unsupported_value", "unknown_parameter", "response_format", "invalid_json_schema"];
    let ways = [
        "unsupported parameter",
        "unsupported value",
        "not supported",
        "unrecognized request argument",
        "unknown parameter",
        "unknown name",
        "invalid schema",
        "response_format",
        "json schema",
        "is deprecated for this model",
        "extra inputs are not permitted",
        "output_config",
        "cannot both be specified",
        "failed to parse grammar",
    ];
    codes.iter().any(|known| code.contains(known)) || ways.iter().any(|way| said.contains(way))
}

/// How long the provider asks us to wait, in milliseconds: `retry-after-ms`, `retry-after` in seconds or as a date, or
/// Gemini's detail.
fn retry_after(headers: &HeaderMap, body: Option<&Value>, now: SystemTime) -> Option<u64> {
    let header = |name: &str| headers.get(name).and_then(|value| value.to_str().ok()).map(str::trim);
    if let Some(asked) = header("retry-after-ms").and_then(milliseconds_of) {
        return Some(asked);
    }
    if let Some(asked) = header("retry-after") {
        if let Some(seconds) = seconds_of(asked) {
            return Some(seconds);
        }
        if let Ok(until) = httpdate::parse_http_date(asked) {
            let wait = until.duration_since(now).unwrap_or_default();
            return Some(u64::try_from(wait.as_millis()).unwrap_or(u64::MAX));
        }
    }
    let body = body?;
    let details = body.get(0).unwrap_or(body).pointer("/error/details")?.as_array()?;
    let delay = details.iter().find_map(|detail| detail.get("retryDelay").and_then(Value::as_str))?;
    seconds_of(delay.strip_suffix('s')?)
}

fn milliseconds_of(text: &str) -> Option<u64> {
    text.parse::<f64>().ok().filter(|number| number.is_finite() && *number >= 0.0).map(|number| number.ceil() as u64)
}

fn seconds_of(text: &str) -> Option<u64> {
    text.parse::<f64>()
        .ok()
        .filter(|number| number.is_finite() && *number >= 0.0)
        .map(|number| (number * 1000.0).ceil() as u64)
}

#[cfg(test)]
mod tests {
    use std::time::{Duration, SystemTime};

    use gimbal_core::ModelErrorKind;
    use reqwest::header::{HeaderMap, HeaderName, HeaderValue};
    use serde_json::json;

    use super::{Asked, retry_after};
    use crate::secret::Secret;

    fn headers(pairs: &[(&'static str, &str)]) -> HeaderMap {
        pairs
            .iter()
            .map(|(name, value)| (HeaderName::from_static(name), HeaderValue::from_str(value).unwrap()))
            .collect()
    }

    // covers: BOG-150
    #[test]
    fn the_time_to_wait_is_read_in_every_form() {
        let now = SystemTime::UNIX_EPOCH + Duration::from_secs(784_111_770);
        let read = |pairs: &[(&'static str, &str)]| retry_after(&headers(pairs), None, now);
        assert_eq!(read(&[("retry-after", "7")]), Some(7000));
        assert_eq!(read(&[("retry-after", "0.25")]), Some(250));
        assert_eq!(read(&[("retry-after", "Sun, 06 Nov 1994 08:49:37 GMT")]), Some(7000));
        assert_eq!(read(&[("retry-after", "Sun, 06 Nov 1994 08:00:00 GMT")]), Some(0));
        assert_eq!(read(&[("retry-after", "7"), ("retry-after-ms", "12")]), Some(12));
        assert_eq!(read(&[("retry-after", "soon")]), None);
        assert_eq!(read(&[("retry-after", "-1")]), None);
        let body = json!({ "error": { "details": [{ "@type": "x" }, { "retryDelay": "34.5s" }] } });
        assert_eq!(retry_after(&headers(&[]), Some(&body), now), Some(34_500));
    }

    // covers: BOG-148
    #[test]
    fn every_status_has_its_kind() {
        let key = Secret::new("a-private-key-of-ours").unwrap();
        let asked = Asked { model: "openai/x", key_variable: "OPENAI_API_KEY", key: Some(&key), answered: true };
        let body = r#"{"error": {"message": "no good: a-private-key-of-ours"}}"#;
        for (status, kind) in [
            (301, ModelErrorKind::BadRequest),
            (400, ModelErrorKind::BadRequest),
            (401, ModelErrorKind::Denied),
            (402, ModelErrorKind::Denied),
            (403, ModelErrorKind::Denied),
            (404, ModelErrorKind::BadRequest),
            (408, ModelErrorKind::Timeout),
            (422, ModelErrorKind::BadRequest),
            (429, ModelErrorKind::RateLimited),
            (500, ModelErrorKind::Unavailable),
            (503, ModelErrorKind::Unavailable),
            (504, ModelErrorKind::Timeout),
            (529, ModelErrorKind::Unavailable),
        ] {
            let error = asked.status(status, body, &HeaderMap::new());
            assert_eq!(error.kind, kind, "{status}");
            let lasting = matches!(status, 301 | 401 | 402 | 403 | 404);
            assert_eq!(error.lasting, lasting, "{status}");
            assert!(error.message.starts_with("openai/x: ") && error.message.contains("no good: [key]"), "{error}");
            assert!(!format!("{error:?}").contains("a-private-key"), "{error:?}");
        }
        // A key that is cut in two at the end of a body or an excerpt leaves no half of itself.
        for place in [super::SHOWN - 9, super::KEPT - 9] {
            let long = format!("{}a-private-key-of-ours", "x".repeat(place));
            let error = asked.status(400, &long, &HeaderMap::new());
            assert!(!format!("{error:?}").contains("a-priv"), "{place}");
        }
        let spelt = r#"{"error": {"code": "\u0061-private-key-of-ours"}}"#;
        let error = asked.status(400, spelt, &HeaderMap::new());
        assert_eq!(error.provider.raw.as_deref(), Some(r#"{"error":{"code":"[key]"}}"#));
        let broke = r#"{"error": {"code": "insufficient_quota", "message": "You exceeded your current quota"}}"#;
        let error = asked.status(429, broke, &HeaderMap::new());
        assert_eq!((error.kind, error.lasting), (ModelErrorKind::Denied, true));
        let unknown = r#"{"error": {"message": "The model `x` does not exist or you do not have access to it."}}"#;
        assert!(asked.status(400, unknown, &HeaderMap::new()).lasting);
        for (said, lasting) in [
            (r#"{"error": {"message": "Unsupported parameter: 'stop'", "code": "unsupported_parameter"}}"#, true),
            (r#"{"error": {"message": "Invalid schema for response_format 'answer'", "code": null}}"#, true),
            (r#"{"type": "error", "error": {"message": "`temperature` is deprecated for this model."}}"#, true),
            (
                r#"{"error": {"message": "This model's maximum context length is 8192", "code": "context_length_exceeded"}}"#,
                false,
            ),
            (r#"{"error": {"message": "the request exceeds the available context size"}}"#, false),
            (r#"{"error": {"message": "something else"}}"#, false),
        ] {
            assert_eq!(asked.status(400, said, &HeaderMap::new()).lasting, lasting, "{said}");
        }
        // A filter's word is about one request, whatever status carries it.
        let filter = r#"{"error": {"message": "The prompt was filtered", "code": "content_filter"}}"#;
        let moderated =
            r#"{"error": {"code": 403, "message": "x/y requires moderation. Your input was flagged for \"a\""}}"#;
        for (status, said) in [(400, filter), (403, moderated)] {
            let error = asked.status(status, said, &HeaderMap::new());
            assert_eq!((error.kind, error.lasting), (ModelErrorKind::BadRequest, false), "{said}");
            assert!(super::held_by_filter(&error), "{said}");
        }
        assert!(!super::held_by_filter(&asked.status(400, r#"{"error": "prompt is too long"}"#, &HeaderMap::new())));
        assert!(!super::held_by_filter(&asked.status(401, filter, &HeaderMap::new())));
        // What turns its very first request down for a reason of its own will turn others down as well; one request that
        // is too long says nothing of others.
        let fresh = Asked { answered: false, ..asked };
        assert!(fresh.status(400, r#"{"error": "something else"}"#, &HeaderMap::new()).lasting);
        assert!(!fresh.status(400, r#"{"error": "prompt is too long"}"#, &HeaderMap::new()).lasting);
        let no = r#"{"error": "no"}"#;
        for status in [400, 409, 412, 416, 418, 422, 428, 451] {
            assert!(fresh.status(status, no, &HeaderMap::new()).lasting, "{status}");
            assert!(!fresh.status(status, filter, &HeaderMap::new()).lasting, "{status}");
        }
        for passing in [408, 413, 429, 500, 503] {
            assert!(!fresh.status(passing, no, &HeaderMap::new()).lasting, "{passing}");
        }
    }
}
