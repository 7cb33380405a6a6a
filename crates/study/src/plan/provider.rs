//! What a role sends to its provider beside the usual settings. None of it may take the place of what the program writes:
//! plan, price, mask and tables go by that.

use gimbal_core::ProviderSettings;
use gimbal_core::yaml::{Kind, Member, Node};
use gimbal_model::remote;
use gimbal_model::secret::looks_secret;
use serde_json::{Map, Value};

use super::error::Problem;
use super::members::{Members, shown, string};

/// Headers that this program writes itself: they hold a key, or decide how requests and answers are read.
const OWN_HEADERS: [&str; 20] = [
    "authorization",
    "proxy-authorization",
    "x-api-key",
    "x-goog-api-key",
    "api-key",
    "cookie",
    "anthropic-version",
    "host",
    "connection",
    "proxy-connection",
    "keep-alive",
    "upgrade",
    "expect",
    "te",
    "trailer",
    "transfer-encoding",
    "content-type",
    "content-length",
    "content-encoding",
    "accept-encoding",
];

/// The settings among the members of a role.
pub(super) fn settings(members: &mut Members<'_>, file: &str) -> Result<ProviderSettings, Problem> {
    let mut settings = ProviderSettings::default();
    if let Some(node) = members.get("stop") {
        let Kind::Scalar(Value::Bool(stop)) = node.kind else {
            let what =
                "`stop` is `true` or `false`: whether stop texts are sent; the texts themselves are the protocol's";
            return Err(Problem::at(file, node.at, what));
        };
        settings.stop = Some(stop);
    }
    if let Some(node) = members.get("reasoning_effort") {
        settings.reasoning_effort = Some(effort(node, file)?);
    }
    if let Some(node) = members.get("extra_body") {
        settings.extra_body = extra_body(node, file)?;
    }
    if let Some(node) = members.get("extra_headers") {
        for Member { key: name, at, value } in Members::of(node, file, "`extra_headers`")?.others() {
            let lower = name.to_ascii_lowercase();
            let fits =
                !lower.is_empty() && lower.bytes().all(|byte| byte.is_ascii_alphanumeric() || b"-_".contains(&byte));
            if !fits || OWN_HEADERS.contains(&lower.as_str()) {
                let what = format!(
                    "`extra_headers` must not set `{name}`: keys come from the environment (`key_variable` of an endpoint \
                     names their variable), and the rest is written by this program"
                );
                return Err(Problem::at(file, *at, what));
            }
            let text = shown(value, file, "a header")?;
            if looks_secret(&text) || !text.is_ascii() {
                let what = format!("`{name}` must be plain text without a key: a study is shared, and a key is not");
                return Err(Problem::at(file, value.at, what));
            }
            settings.extra_headers.insert(lower, text);
        }
    }
    Ok(settings)
}

/// A word of the provider's, which tables and terminals show.
fn effort(node: &Node, file: &str) -> Result<String, Problem> {
    let word = string(node, file, "`reasoning_effort`")?;
    let plain = |letter: char| letter.is_ascii_alphanumeric() || "_-".contains(letter);
    if !word.is_empty() && word.chars().all(plain) {
        return Ok(word);
    }
    let what = "`reasoning_effort` is one word of letters, digits, `_` and `-`, e.g. `low`";
    Err(Problem::at(file, node.at, what))
}

fn extra_body(node: &Node, file: &str) -> Result<Map<String, Value>, Problem> {
    let Value::Object(extra) = node.json() else {
        let what = "`extra_body` is a map of members of the request's body, e.g. `{ top_k: 20 }`";
        return Err(Problem::at(file, node.at, what));
    };
    if let Some((path, why)) = remote::reserved(&extra) {
        let first = path.split('.').next().unwrap_or(&path);
        let place = if extra.contains_key(&path) { node.place(&path) } else { node.place(first) };
        return Err(Problem::at(file, place, format!("`extra_body` must not set `{path}`: {why}")));
    }
    if let Some((name, _)) = extra.iter().find(|(name, value)| looks_secret(name) || holds_secret(value)) {
        // The name itself is not shown: it may be the key.
        let what = "`extra_body` must hold no key: a study is shared and kept with its runs, and a key is not; keys come \
                    from the environment";
        return Err(Problem::at(file, node.place(name), what));
    }
    Ok(extra)
}

/// Whether any text or name in a value looks like a key.
fn holds_secret(value: &Value) -> bool {
    match value {
        Value::String(text) => looks_secret(text),
        Value::Array(items) => items.iter().any(holds_secret),
        Value::Object(members) => members.iter().any(|(name, value)| looks_secret(name) || holds_secret(value)),
        Value::Null | Value::Bool(_) | Value::Number(_) => false,
    }
}
