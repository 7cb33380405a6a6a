//! Writes a request for a wire format.

mod anthropic;
mod gemini;
mod openai;
mod own;

use gimbal_core::{ChatRequest, ToolSpec};
use serde_json::{Map, Value};

use super::mask::Mask;
use super::provider::{Provider, WireFormat};
use crate::traits::Known;

pub use own::reserved;

/// All that decides a request's body.
pub(super) struct Draft<'a> {
    pub request: &'a ChatRequest,
    pub provider: Provider,
    pub id: &'a str,
    pub known: &'a Known,
    pub mask: &'a Mask,
    /// Bound of the output after what fits.
    pub most: u32,
}

impl Draft<'_> {
    /// The stop texts that are sent.
    pub fn stops(&self) -> &[String] {
        if sends_stop(self.request, self.known) { &self.request.stop } else { &[] }
    }

    /// The tools that are sent, and whether as strict ones.
    fn tools(&self) -> (&[ToolSpec], bool) {
        match &self.mask.native {
            Some(native) => (&native.tools, native.sends_strict()),
            None => (&self.request.tools, false),
        }
    }

    /// Temperature and nucleus mass, where the model takes them.
    fn sampling(&self) -> (Option<f64>, Option<f64>) {
        let sampling = &self.request.sampling;
        if !self.known.sampling {
            // Its own settings are all that there is: the least is the provider's default (BOG-045).
            return (None, None);
        }
        (Some(sampling.temperature.to_f64()), sampling.top_p.map(gimbal_core::Milli::to_f64))
    }

    fn effort(&self) -> Option<&str> {
        self.request.sampling.provider.reasoning_effort.as_deref()
    }

    /// The body.
    pub fn body(&self) -> Value {
        let mut body = match self.provider.wire() {
            WireFormat::OpenAi => openai::body(self),
            WireFormat::Anthropic => anthropic::body(self),
            WireFormat::Gemini => gemini::body(self),
        };
        lay_over(&mut body, &self.request.sampling.provider.extra_body);
        // OpenAI keeps to the schemas of single calls only, so that no study may ask for several.
        let (_, strict) = self.tools();
        if strict && self.known.parallel && self.provider.wire() == WireFormat::OpenAi {
            body["parallel_tool_calls"] = Value::Bool(false);
        }
        body
    }
}

/// Whether stop texts are sent: as the role says, else as the model takes them.
pub(super) fn sends_stop(request: &ChatRequest, known: &Known) -> bool {
    request.sampling.provider.stop.unwrap_or(known.stop)
}

/// Lays members over a body, object by object; null takes a member out.
fn lay_over(body: &mut Value, extra: &Map<String, Value>) {
    let Value::Object(members) = body else { return };
    for (name, value) in extra {
        match (members.get_mut(name), value) {
            (_, Value::Null) => {
                members.remove(name);
            }
            (Some(under @ Value::Object(_)), Value::Object(over)) => lay_over(under, over),
            _ => {
                members.insert(name.clone(), value.clone());
            }
        }
    }
}

/// Where a request goes.
pub(super) fn url(format: WireFormat, base: &str, id: &str) -> String {
    match format {
        WireFormat::OpenAi => format!("{base}/chat/completions"),
        WireFormat::Anthropic => format!("{base}/messages"),
        WireFormat::Gemini => format!("{base}/models/{id}:generateContent"),
    }
}

/// The headers that carry the key, and the version where one is asked for.
pub(super) fn headers(format: WireFormat, key: Option<&str>) -> Vec<(&'static str, String)> {
    let mut headers = Vec::new();
    match (format, key) {
        (_, None) => {}
        (WireFormat::OpenAi, Some(key)) => headers.push(("authorization", format!("Bearer {key}"))),
        (WireFormat::Anthropic, Some(key)) => headers.push(("x-api-key", key.to_owned())),
        (WireFormat::Gemini, Some(key)) => headers.push(("x-goog-api-key", key.to_owned())),
    }
    if format == WireFormat::Anthropic {
        headers.push(("anthropic-version", "2023-06-01".to_owned()));
    }
    headers
}

/// Arguments of an earlier call. No provider takes back arguments that are not an object; the model still sees what it wrote.
fn arguments(written: &Value) -> Value {
    match written {
        Value::Object(_) => written.clone(),
        unreadable => serde_json::json!({ "unreadable": unreadable }),
    }
}

#[cfg(test)]
mod tests {
    use serde_json::json;

    use super::lay_over;

    #[test]
    fn members_are_laid_over_object_by_object() {
        let mut body = json!({ "a": 1, "b": { "c": 1, "d": 2 }, "e": [1] });
        lay_over(&mut body, json!({ "b": { "c": 3 }, "e": [2], "a": null, "f": {} }).as_object().unwrap());
        assert_eq!(body, json!({ "b": { "c": 3, "d": 2 }, "e": [2], "f": {} }));
    }
}
