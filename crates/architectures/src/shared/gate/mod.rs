//! A gate before final answers (CYC-095): each figure of an answer must be based on a stored text, or the answer is held back.
//!
//! Code looks first: the environment's query for evidence tells which figures are in stored texts or follow from such. Of the
//! others a verifier is asked once; what it quotes must be in the text that it names, hold a figure, and is looked up by
//! the environment's query for quotations, so that a model's word alone lets nothing pass. An answer with figures that neither
//! supports is held back, at most so many times; then it goes through, and that is counted.
//!
//! The record is [`records::Gated`].

mod claim;

use std::sync::atomic::{AtomicU32, Ordering};

use async_trait::async_trait;
use gimbal_agent::prompt::Question;
use gimbal_agent::{Advice, Agent, Alone, Consultation, Observed, Overrides, Peers, ReplySpec, ToolError};
use gimbal_core::tracker::{EVIDENCE, PASSAGES, QUOTATION};
use gimbal_core::{
    Acted, BuildError, EpisodeStopped, Files, Hint, LaneId, Needs, Rejection, RejectionKind, Stage, ToolCall,
};
use gimbal_messages::records::gate as records;
use gimbal_messages::{StageExt, bounded, party, spaced};
use schemars::JsonSchema;
use serde::Deserialize;
use serde_json::{Map, Value, json};

pub use claim::{Claim, Quote, Verification};

use crate::shared::member::{Member, Place};

/// How often an answer is held back where a study does not say.
const REFUSALS: u32 = 2;
/// Figures that a message or a note names, and letters of each.
const NAMED: (usize, usize) = (12, 60);
/// Stored texts that a message names.
const DOCUMENTS: usize = 12;

/// What is checked before a final answer.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Deserialize, JsonSchema)]
#[serde(rename_all = "snake_case")]
pub enum GateKind {
    /// Nothing.
    #[default]
    None,
    /// Each figure must be based on a stored text (CYC-095).
    Evidence,
}

/// A gate on evidence.
pub(crate) struct Gate {
    verifier: Agent,
    /// Most answers of an episode that are held back.
    refusals: u32,
}

/// What a gate remembers of an episode.
#[derive(Debug, Default)]
pub(crate) struct GateState {
    refused: AtomicU32,
}

/// What the verifier is asked about.
struct Doubt<'a> {
    /// The answer that is held back.
    answer: &'a str,
    /// Its figures that plain code did not find.
    doubted: &'a [String],
    /// The passages that were found for them.
    shown: &'a Value,
    /// The texts that are stored, by key, with their lengths.
    stored: &'a [(String, u64)],
}

impl Gate {
    /// The gate of the architecture called `name`; `None` if it has none.
    pub(crate) fn of(
        name: &str,
        (kind, refusals): (GateKind, Option<u32>),
        (verifier, common): (&Member, &Overrides),
        files: &dyn Files,
    ) -> Result<Option<Self>, BuildError> {
        if kind == GateKind::None {
            return match refusals {
                Some(_) => {
                    let words = format!("{name}: gate_refusals needs `gate: evidence`; set it, or drop both");
                    Err(BuildError::new(words).at("gate_refusals"))
                }
                None => Ok(None),
            };
        }
        let place = Place { name: "verifier", persona: "verifier", message: Some(&Verification), delegates: &[] };
        let verifier = place.agent(name, (verifier, common), files)?;
        Ok(Some(Self { verifier, refusals: refusals.unwrap_or(REFUSALS) }))
    }

    /// Adds what the gate needs of an environment.
    pub(crate) fn add_needs(&self, needs: &mut Needs) {
        needs.answers = true;
        needs.messages = true;
        needs.queries.extend([EVIDENCE, PASSAGES, QUOTATION].map(str::to_owned));
        needs.add_agent(self.verifier.needs());
    }

    /// Everything that decides its behaviour.
    pub(crate) fn resolved(&self) -> Value {
        json!({ "kind": "evidence", "refusals": self.refusals, "verifier": self.verifier.resolved() })
    }

    /// The one that is asked about figures in doubt.
    pub(crate) fn verifier(self) -> Agent {
        self.verifier
    }

    /// Why a call is held back, if it is an answer and nothing supports one of its figures.
    async fn check(
        &self,
        stage: &dyn Stage,
        lane: LaneId,
        (call, last): (&ToolCall, bool),
        gate_state: &GateState,
    ) -> Result<Option<Rejection>, EpisodeStopped> {
        let brief = stage.brief();
        let Some(answer) = brief.answer.as_ref().and_then(|answering| answering.of(call)) else { return Ok(None) };
        let before = gate_state.refused.load(Ordering::Relaxed);
        let Some(figures) = query(stage, lane, EVIDENCE, &[("answer", answer)]).await.as_ref().and_then(read) else {
            // What cannot be looked up says nothing against the answer.
            let unread = records::Gated { refusals: before, unread: true, ..records::Gated::default() };
            stage.record(lane, &unread).await;
            return Ok(None);
        };
        let doubted: Vec<String> =
            figures.iter().filter(|(_, known)| !known).map(|(figure, _)| figure.clone()).collect();
        let mut verified = Verified::default();
        let mut stored = Vec::new();
        if !doubted.is_empty() {
            let shown = query(stage, lane, PASSAGES, &[("about", &format!("{}\n{answer}", brief.goal))]).await;
            let shown = shown.unwrap_or_default();
            stored = documents(&shown);
            if !stored.is_empty() {
                verified = self
                    .verify(stage, lane, &Doubt { answer, doubted: &doubted, shown: &shown, stored: &stored })
                    .await?;
            }
        }
        let missing: Vec<&String> = doubted.iter().filter(|figure| !verified.figures.contains(figure)).collect();
        let passed = missing.is_empty();
        // With the last call of the budget there is no other answer to come: this one goes through, counted.
        let held = !passed && before < self.refusals && !last;
        let refusals = before + u32::from(held);
        gate_state.refused.store(refusals, Ordering::Relaxed);
        let named: Vec<String> = missing.iter().take(NAMED.0).map(|figure| bounded(figure, NAMED.1)).collect();
        let count = |length: usize| u32::try_from(length).unwrap_or(u32::MAX);
        let gated = records::Gated {
            figures: count(figures.len()),
            supported: count(figures.len() - doubted.len()),
            verified: count(doubted.len() - missing.len()),
            claimed: verified.claimed,
            passed,
            held,
            refusals,
            unread: false,
            unsupported: named.clone(),
        };
        stage.record(lane, &gated).await;
        let left_out = missing.len() - named.len();
        Ok(held.then(|| Rejection::new(RejectionKind::Unsupported, message(&named, left_out, &stored))))
    }

    /// Asks the verifier about figures, and looks up what it quotes.
    async fn verify(
        &self,
        stage: &dyn Stage,
        lane: LaneId,
        &Doubt { answer, doubted, shown, stored }: &Doubt<'_>,
    ) -> Result<Verified, EpisodeStopped> {
        let keys: Vec<String> = stored.iter().map(|(key, _)| key.clone()).collect();
        let request = json!({
            "question": stage.brief().goal, "answer": answer, "figures": doubted, "stored": keys,
            "passages": shown["passages"],
        });
        let role = self.verifier.role();
        let Some(request) = stage.send(lane, party::GATE, role, "verification", request).await else {
            return Ok(Verified::default());
        };
        // An expert in this role, who does not know the texts, vouches for nothing; a mistaken one vouches for
        // words that it made up.
        let expert = stage.expert().await.map(|_| {
            let say = |supported: bool| {
                let quote = |figure: &String| Quote { key: keys[0].clone(), text: format!("The figure is {figure}.") };
                let claim = |figure: &String| Claim {
                    figure: figure.clone(),
                    supported,
                    quotes: if supported { vec![quote(figure)] } else { Vec::new() },
                    how: if supported { "As quoted.".to_owned() } else { "Nothing shown supports it.".to_owned() },
                };
                spaced(&Claim::message(&doubted.iter().map(claim).collect::<Vec<_>>()))
            };
            Hint { answer: say(false), alternatives: vec![say(true)] }
        });
        let reply_spec = ReplySpec { form: Claim::form(doubted, &keys), expert, mask: false };
        let session = self.verifier.session(stage).await?;
        let text = spaced(&request);
        let question = Question { target: "", message: &text };
        let asked = Consultation { blocks: &[], question, reply_spec: Some(&reply_spec) };
        let claims = match session.consult(stage, lane, asked, &Alone).await? {
            Advice::Text(text) => Claim::read(&text).unwrap_or_default(),
            Advice::None(_) => Vec::new(),
        };
        let mut verified = Verified::default();
        for claim in claims.into_iter().filter(|claim| claim.supported && doubted.contains(&claim.figure)) {
            if verified.figures.contains(&claim.figure) {
                continue;
            }
            verified.claimed += 1;
            let (mut stands, mut figures) = (!claim.quotes.is_empty(), 0);
            for Quote { key, text } in &claim.quotes {
                let found = query(stage, lane, QUOTATION, &[("key", key), ("text", text)]).await.unwrap_or_default();
                stands &= found["found"] == true;
                figures += found["figures"].as_u64().unwrap_or(0);
            }
            if stands && figures > 0 {
                verified.figures.push(claim.figure);
            }
        }
        Ok(verified)
    }
}

/// The outcome of the verifier's word.
#[derive(Default)]
struct Verified {
    /// Figures that it vouched for.
    claimed: u32,
    /// Those of them whose quotations are in stored texts.
    figures: Vec<String>,
}

/// A query of the tracker; `None` if it is refused or its reply is not JSON.
async fn query(stage: &dyn Stage, lane: LaneId, name: &str, arguments: &[(&str, &str)]) -> Option<Value> {
    let reply = stage.query(lane, &ToolCall::with(name, arguments)).await.ok()?;
    serde_json::from_str(&reply).ok()
}

/// The figures of an answer, and whether code found what each is based on.
fn read(evidence: &Value) -> Option<Vec<(String, bool)>> {
    let figures = evidence.get("figures")?.as_array()?;
    figures
        .iter()
        .map(|one| Some((one["figure"].as_str()?.to_owned(), one["support"].as_str()? != "missing")))
        .collect()
}

/// The keys of stored texts, and how long they are.
fn documents(shown: &Value) -> Vec<(String, u64)> {
    let documents = shown["documents"].as_array().into_iter().flatten();
    documents
        .filter_map(|one| Some((one["key"].as_str()?.to_owned(), one["characters"].as_u64().unwrap_or(0))))
        .collect()
}

/// What the agent reads of an answer that is held back.
fn message(figures: &[String], left_out: usize, stored: &[(String, u64)]) -> String {
    let more = if left_out > 0 { format!(" and {left_out} more") } else { String::new() };
    let listed: Vec<String> =
        stored.iter().take(DOCUMENTS).map(|(key, characters)| format!("{key} ({characters} characters)")).collect();
    let listed = match (listed.as_slice(), stored.len().saturating_sub(DOCUMENTS)) {
        ([], _) => "Nothing is stored yet.".to_owned(),
        (listed, 0) => format!("Stored: {}.", listed.join(", ")),
        (listed, more) => format!("Stored: {} and {more} more.", listed.join(", ")),
    };
    format!(
        "the answer is held back: no stored text supports {}{more}. {listed} Store and read texts that state these figures, \
         correct the figures, or leave them out; then answer again",
        figures.join(", ")
    )
}

/// Those around an agent, and a gate before its answers where there is one.
pub(crate) struct Gated<'a> {
    /// Those around it.
    pub peers: &'a dyn Peers,
    /// The gate, and what it remembers of this episode.
    pub gate: Option<(&'a Gate, &'a GateState)>,
    /// Calls that were left of C_g when the conversation began, where a controller has such a bound.
    pub spare: Option<u32>,
}

#[async_trait]
impl Peers for Gated<'_> {
    async fn ask(
        &self,
        stage: &dyn Stage,
        lane: LaneId,
        generic: &str,
        arguments: &Map<String, Value>,
    ) -> Result<Observed, ToolError> {
        self.peers.ask(stage, lane, generic, arguments).await
    }

    async fn decided(&self, stage: &dyn Stage, lane: LaneId, call: &ToolCall) {
        self.peers.decided(stage, lane, call).await;
    }

    async fn acted(&self, stage: &dyn Stage, lane: LaneId, call: &ToolCall, acted: &Acted) {
        self.peers.acted(stage, lane, call, acted).await;
    }

    async fn holds_back(
        &self,
        stage: &dyn Stage,
        lane: LaneId,
        (call, made): (&ToolCall, u32),
    ) -> Result<Option<Rejection>, EpisodeStopped> {
        match self.gate {
            Some((gate, gate_state)) => {
                let last = self.spare.is_some_and(|spare| made.saturating_add(1) >= spare);
                gate.check(stage, lane, (call, last), gate_state).await
            }
            None => self.peers.holds_back(stage, lane, (call, made)).await,
        }
    }

    fn hands_back(&self, expert: &ToolCall) -> bool {
        self.peers.hands_back(expert)
    }
}
