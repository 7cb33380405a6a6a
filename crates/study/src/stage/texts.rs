//! References to texts, each hashed and serialised once where that can be helped.

use std::borrow::Cow;
use std::sync::Arc;

use gimbal_core::{Completion, Digest, Grammar, Sampling, TextRef, ToolSpec, canonical};
use serde_json::{Value, json};

use super::recorder::{RecordError, Recorder, SimilarText};

/// A text together with its reference.
#[derive(Clone, Debug)]
pub struct Known {
    /// The text.
    pub text: Arc<str>,
    /// How events name it.
    pub reference: TextRef,
    /// Its hash, where it is long enough to be stored.
    pub digest: Option<Digest>,
}

impl Known {
    /// As a text that others may resemble.
    pub fn near(&self) -> Option<SimilarText<'_>> {
        self.digest.map(|digest| SimilarText { digest, text: &self.text })
    }
}

/// Keeps `text` where it is long and returns its reference.
pub fn keep(recorder: &dyn Recorder, text: &str, near: &[SimilarText<'_>]) -> Result<TextRef, RecordError> {
    keep_hashed(recorder, text, near).map(|(reference, _)| reference)
}

/// The same, with the hash of a stored text.
pub fn keep_hashed(
    recorder: &dyn Recorder,
    text: &str,
    near: &[SimilarText<'_>],
) -> Result<(TextRef, Option<Digest>), RecordError> {
    let (reference, digest) = TextRef::to(text);
    if let Some(digest) = digest {
        recorder.text(digest, text, near)?;
    }
    Ok((reference, digest))
}

/// References of the parts of a request that rarely change: tools, grammar, sampling.
#[derive(Debug, Default)]
pub struct RequestCache {
    tools: Option<(Arc<[ToolSpec]>, TextRef)>,
    grammars: Vec<(Arc<Grammar>, TextRef)>,
    sampling: Vec<(Sampling, Vec<String>, TextRef)>,
}

/// How many grammars and sampling settings are remembered: as many as an agent alternates between.
const REMEMBERED: usize = 4;

impl RequestCache {
    /// The reference of native tools; an empty text for none.
    pub fn tools(&mut self, recorder: &dyn Recorder, tools: &Arc<[ToolSpec]>) -> Result<TextRef, RecordError> {
        if tools.is_empty() {
            return Ok(TextRef::inline(""));
        }
        if let Some((known, reference)) = &self.tools
            && (Arc::ptr_eq(known, tools) || known == tools)
        {
            return Ok(reference.clone());
        }
        let reference = keep(recorder, &tools_text(tools), &[])?;
        self.tools = Some((Arc::clone(tools), reference.clone()));
        Ok(reference)
    }

    /// The reference of an enforced grammar; an empty text for none.
    pub fn grammar(&mut self, recorder: &dyn Recorder, grammar: Option<&Arc<Grammar>>) -> Result<TextRef, RecordError> {
        let Some(grammar) = grammar else { return Ok(TextRef::inline("")) };
        let known = self.grammars.iter().find(|(known, _)| Arc::ptr_eq(known, grammar) || known == grammar);
        if let Some((_, reference)) = known {
            return Ok(reference.clone());
        }
        let value = serde_json::to_value(&**grammar).unwrap_or(Value::Null);
        let reference = keep(recorder, &canonical::text(&value), &[])?;
        if self.grammars.len() == REMEMBERED {
            self.grammars.remove(0);
        }
        self.grammars.push((Arc::clone(grammar), reference.clone()));
        Ok(reference)
    }

    /// The reference of decoding settings and stop texts.
    pub fn sampling(
        &mut self,
        recorder: &dyn Recorder,
        sampling: &Sampling,
        stop: &[String],
    ) -> Result<TextRef, RecordError> {
        let known = self.sampling.iter().find(|(known, texts, _)| known == sampling && texts == stop);
        if let Some((_, _, reference)) = known {
            return Ok(reference.clone());
        }
        let value = json!({
            "max_output_tokens": sampling.max_output_tokens,
            // A seed may not fit a double, and canonical numbers are doubles.
            "seed": sampling.seed.map(|seed| seed.to_string()),
            "stop": stop,
            "temperature": sampling.temperature,
            "top_p": sampling.top_p,
        });
        let reference = keep(recorder, &canonical::text(&value), &[])?;
        if self.sampling.len() == REMEMBERED {
            self.sampling.remove(0);
        }
        self.sampling.push((sampling.clone(), stop.to_vec(), reference.clone()));
        Ok(reference)
    }
}

/// Tools as canonical JSON.
pub fn tools_text(tools: &[ToolSpec]) -> String {
    canonical::text(&serde_json::to_value(tools).unwrap_or(Value::Null))
}

/// The completion as the journal keeps it: with native calls its JSON form.
pub(super) fn reply_text(completion: &Completion) -> Cow<'_, str> {
    if completion.calls.is_empty() {
        return Cow::Borrowed(&completion.text);
    }
    let message = gimbal_core::Message::with_calls(Arc::clone(&completion.text), completion.calls.clone());
    Cow::Owned(message.stored_text().to_string())
}
