//! How a verdict was played, where models spoke for the sides: what reports say of it.

use gimbal_core::{Digest, Milli};
use serde_json::{Value, json};

/// An episode that led to a verdict.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Played {
    /// The model that spoke for the sides.
    pub model: String,
    /// What its figures are worth, where it is not a language model or is known to be a weak one.
    pub note: Option<String>,
    /// The pipeline: the name of a configuration of `debate`.
    pub pipeline: String,
    /// Rounds that were held.
    pub rounds: u32,
    /// Model calls.
    pub calls: u64,
    /// Input tokens as called.
    pub input_tokens: u64,
    /// Output tokens as called.
    pub output_tokens: u64,
    /// What was billed, in millionths of a dollar; `None` if a price is unknown.
    pub microdollars: Option<u64>,
    /// The run folder that holds ledger and journal.
    pub run: String,
    /// Last value of the journal's chain.
    pub chain: Digest,
    /// Places where rules answered for the model: side, round, reason.
    pub fallbacks: Vec<String>,
    /// Assertions and messages that were refused: side, round, reason.
    pub refusals: Vec<String>,
    /// What was sent to another machine; `None` if nothing was.
    pub sent: Option<String>,
    /// The verdict in words, as the narrator put it.
    pub narration: Option<String>,
    /// Confidence of each side by round.
    pub confidences: Vec<RoundConfidences>,
}

/// How sure both sides of a debate are in one round.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct RoundConfidences {
    /// The round, from 1.
    pub round: u32,
    /// The Architect's confidence, that there is a threat.
    pub architect: Milli,
    /// The Skeptic's confidence, that there is none.
    pub skeptic: Milli,
}

impl Played {
    /// The facts of it, one sentence each.
    pub(super) fn lines(&self) -> Vec<String> {
        let rounds = if self.rounds == 1 { "1 round".to_owned() } else { format!("{} rounds", self.rounds) };
        let cost =
            self.microdollars.map_or("price unknown".to_owned(), |amount| format!("${:.6}", amount as f64 / 1e6));
        let mut lines = vec![format!(
            "played by {}, pipeline {}: {rounds}, {} calls, {} input and {} output tokens, {cost}",
            self.model, self.pipeline, self.calls, self.input_tokens, self.output_tokens
        )];
        lines.extend(self.note.clone());
        if self.confidences.len() > 1 {
            let by_round = self
                .confidences
                .iter()
                .map(|one| format!("round {}: Architect {}, Skeptic {}", one.round, one.architect, one.skeptic));
            lines.push(format!("confidences by {}", by_round.collect::<Vec<_>>().join("; ")));
        }
        lines.push(format!("run {}  journal {}", self.run, self.chain));
        lines.push(self.sent.clone().unwrap_or_else(|| "nothing left this machine".to_owned()));
        lines.extend(self.fallbacks.iter().map(|place| format!("RULES ANSWERED IN THE PLACE OF THE MODEL: {place}")));
        lines.extend(self.refusals.iter().map(|place| format!("refused: {place}")));
        lines
    }

    /// The same as a record of JSON.
    pub(super) fn json(&self) -> Value {
        let rounds: Vec<Value> = self.confidences.iter().map(|one| {
            json!({ "round": one.round, "architect": one.architect.to_f64(), "skeptic": one.skeptic.to_f64() })
        }).collect();
        json!({
            "record": "played", "model": self.model, "note": self.note, "pipeline": self.pipeline, "rounds": self.rounds, "calls": self.calls,
            "input_tokens": self.input_tokens, "output_tokens": self.output_tokens,
            "dollars": self.microdollars.map(|amount| amount as f64 / 1e6), "run": self.run, "journal": self.chain,
            "confidences": rounds, "fallbacks": self.fallbacks, "refusals": self.refusals, "sent": self.sent,
            "narration": self.narration,
        })
    }
}
