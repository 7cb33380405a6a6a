//! One side of a case: it observes the packet, receives what the other says, and acts (ARES-021). It is made anew for every case (ARES-036).

use std::collections::BTreeSet;
use std::sync::Mutex;
use std::sync::PoisonError;
use std::sync::atomic::{AtomicU32, Ordering};

use gimbal_agent::ReplySpec;
use gimbal_agent::prompt::Question;
use gimbal_core::{EpisodeStopped, LaneId, Milli, Stage, TokenCount};
use gimbal_evidence::FactId;
use gimbal_evidence::claim::{Entailment, Predicate};
use gimbal_evidence::rules::{Position, Unknown};
use gimbal_messages::records::debate::{Asserted, Confidence, FellBack};
use gimbal_messages::records::reading::Parsed;
use gimbal_messages::{Change, Contract, CountTokens, StageExt, Tier, bounded, spaced};
use serde_json::{Map, Value, json};

use super::case::{Case, hint, share, shown, written};
use super::reading::{Reading, Refusal, Spoken, UNCITED, position};
use super::side::{Role, Strategy};
use crate::shared::asking::TextRequest;
use crate::shared::asking::reshaped;

/// How much of an answer that cannot be used goes back to the model, in characters.
const BROKEN: usize = 4_000;
/// Longest reason for a fallback, in characters.
const REASON: usize = 400;

/// What a side said in a round. Nothing changes it afterwards.
#[derive(Clone, Debug)]
pub(super) struct Turn {
    /// The round, from 1.
    pub round: u32,
    /// Assertions and confidence; of the Skeptic, that there is no threat.
    pub position: Position,
    /// The confidence as the agent wrote it: under one neutral prompt both write how sure they are of a threat.
    pub written: Milli,
    /// What answered.
    pub strategy: Strategy,
    /// Whether rules answered for a model.
    pub fell_back: bool,
    /// Facts that are named as the reason for a change, with the claim that changed.
    pub reasons: Vec<(String, FactId)>,
    /// Own claims that are given up.
    pub conceded: Vec<String>,
    /// Whether claims have confidences of their own.
    pub anchored: bool,
}

/// What the other side said, as this one receives it.
#[derive(Clone, Copy, Debug)]
pub(super) struct ReceivedTurn<'a> {
    /// The turn.
    pub turn: &'a Turn,
    /// Its summary as it arrived; `None` if it was lost on the way.
    pub summary: Option<&'a Value>,
}

/// One side of a case.
pub(super) struct Advocate<'a> {
    case: Case<'a>,
    /// The side.
    pub role: Role,
    /// What it said so far.
    pub turns: Vec<Turn>,
}

impl<'a> Advocate<'a> {
    /// A side that sees the packet and nothing else.
    pub(super) const fn observe(case: Case<'a>, role: Role) -> Self {
        Self { case, role, turns: Vec::new() }
    }

    /// What it said last.
    pub(super) fn last(&self) -> Option<&Turn> {
        self.turns.last()
    }

    /// The facts that it cited so far.
    pub(super) fn cited(&self) -> BTreeSet<FactId> {
        self.turns.iter().flat_map(|turn| turn.position.cited()).collect()
    }

    /// Whether code finds that stated facts explain what this side cited last, by an explanation of the other side that names a fact which this
    /// side never cited.
    pub(super) fn is_explained_anew(&self, other: &Turn) -> bool {
        let own = self.last().map(|last| last.position.cited()).unwrap_or_default();
        let known = self.cited();
        other.position.assertions.iter().any(|claim| {
            claim.predicate == Predicate::Explained
                && self.case.packet.entails(claim) == Entailment::Entailed
                && claim.facts.iter().any(|fact| own.contains(fact))
                && claim.facts.iter().any(|fact| !known.contains(fact))
        })
    }

    pub(super) fn strategy(&self) -> Strategy {
        self.case.debate.sides[self.role.index()].strategy
    }

    /// A concise summary of a turn of this side (ARES-045): no narrative.
    fn summary(&self, turn: &Turn) -> Value {
        let confidences = self.case.debate.anchored;
        let assertions: Vec<Value> = turn
            .position
            .assertions
            .iter()
            .enumerate()
            .map(|(index, assertion)| shown(self.role, index, assertion, confidences))
            .collect();
        let unknowns = Unknown::texts(&turn.position.unknowns);
        json!({ "confidence": turn.written.to_f64(), "assertions": assertions, "unknowns": unknowns })
    }

    /// Sends what it said last to the other side; `None` if nothing was said or the message was lost.
    pub(super) async fn send(&self, stage: &dyn Stage, lane: LaneId) -> Option<Value> {
        let summary = self.summary(self.last()?);
        stage.send(lane, self.role.name(), self.role.other().name(), "position", summary).await
    }

    /// Speaks in a round, after what was heard of the other side.
    ///
    /// # Errors
    /// What stopped the episode.
    pub(super) async fn act(
        &self,
        stage: &dyn Stage,
        lane: LaneId,
        round: u32,
        heard: Option<ReceivedTurn<'_>>,
    ) -> Result<Turn, EpisodeStopped> {
        let turn = match self.strategy() {
            Strategy::Model => self.ask(stage, lane, round, heard).await?,
            strategy => self.rule(strategy, round, heard, false),
        };
        let answers = heard.is_some_and(|heard| turn.strategy != Strategy::Model || heard.summary.is_some());
        self.record(stage, lane, &turn, answers).await;
        Ok(turn)
    }

    /// What rules say.
    fn rule(&self, strategy: Strategy, round: u32, heard: Option<ReceivedTurn<'_>>, fell_back: bool) -> Turn {
        let position = self.case.by_rule(self.role, strategy, heard.map(|heard| &heard.turn.position));
        let written = self.told(position.confidence);
        let (reasons, conceded) = (Vec::new(), Vec::new());
        Turn { round, position, written, strategy, fell_back, reasons, conceded, anchored: false }
    }

    /// A confidence between what is written and what it means for this side: under one neutral prompt both write how sure they are of a
    /// threat. It is its own inverse.
    fn told(&self, confidence: Milli) -> Milli {
        let turned = self.case.debate.neutral && self.role == Role::Skeptic;
        if turned { Milli(1000 - confidence.0) } else { confidence }
    }

    /// Asks the model of this side, with one repair; rules answer where nothing valid comes (ARES-035).
    async fn ask(
        &self,
        stage: &dyn Stage,
        lane: LaneId,
        round: u32,
        heard: Option<ReceivedTurn<'_>>,
    ) -> Result<Turn, EpisodeStopped> {
        let debate = self.case.debate;
        let (agent, contract, anchored) = debate.speaker(self.role, round, heard.is_some())?;
        let blocks = stage.context(lane, &debate.context).await?;
        let message = self.message(round, heard);
        let reply_spec = ReplySpec {
            form: self.case.positions.get(self.case.packet, anchored),
            expert: self.case.hints.then(|| self.hint(anchored, heard)),
            mask: false,
        };
        let question = Question { target: "", message: &message };
        let session = agent.session(stage).await?;
        let ask = TextRequest {
            session: &session,
            lane,
            blocks: &blocks,
            who: "side",
            question,
            reply_spec: &reply_spec,
            longest: BROKEN,
        };
        let attempts = Attempts::default();
        let count = |text: &str| stage.tokens(agent.role(), text);
        let read = |text: &str| attempts.read(text, contract, &self.case, &count);
        let (spoken, problems) = ask.once_and_again(stage, read).await?;
        let spoken = spoken.flatten();
        let Read { refusals, changes, tier, dropped, tokens } = attempts.into_read(spoken.is_some());
        let lost = refusals.last().map(|(_, refusal)| (refusal.reason, refusal.what.clone()));
        for (attempt, refusal) in refusals {
            self.case.refused(stage, lane, (self.role.name(), round, attempt), refusal).await;
        }
        let unread = (dropped > 0 && tier != Tier::Default).then_some(dropped);
        stage.record(lane, &Parsed { contract: contract.name().to_owned(), tier, unread, tokens }).await;
        reshaped(stage, lane, self.role.name(), contract.name(), &changes).await;
        let Some(spoken) = spoken else {
            let kind = match &lost {
                None => "no_answer",
                Some(("unreadable", _)) => "unreadable",
                Some(_) => "nothing_valid",
            };
            let what = lost.map(|(_, what)| what).or_else(|| problems.last().cloned()).unwrap_or_default();
            let reason = bounded(&format!("{kind}: {what}"), REASON);
            let role = self.role.name().to_owned();
            stage.record(lane, &FellBack { role, round, vote: self.case.vote, reason }).await;
            let strategy = if self.role == Role::Skeptic { Strategy::Deterministic } else { Strategy::Rules };
            return Ok(self.rule(strategy, round, heard, true));
        };
        let Spoken { assertions, confidence, unknowns, reasons, conceded } = spoken;
        let unknowns = unknowns.into_iter().map(Unknown::from).collect();
        let position = Position { assertions, confidence: self.told(confidence), unknowns, techniques: Vec::new() };
        let (written, strategy, fell_back) = (confidence, Strategy::Model, false);
        Ok(Turn { round, position, written, strategy, fell_back, reasons, conceded, anchored })
    }

    /// What it is asked: nothing beyond the packet where it speaks for the first time and heard nothing.
    fn message(&self, round: u32, heard: Option<ReceivedTurn<'_>>) -> String {
        let mut message = Map::new();
        if let Some(own) = self.last() {
            message.insert("yours".to_owned(), self.summary(own));
        }
        if let Some(heard) = heard {
            message.insert("theirs".to_owned(), heard.summary.cloned().unwrap_or(Value::Null));
        }
        if message.is_empty() {
            return String::new();
        }
        message.insert("round".to_owned(), json!(round));
        message.insert("rounds".to_owned(), json!(self.case.debate.rounds));
        spaced(&Value::Object(message))
    }

    /// What an expert of this side says, who knows the packet and the rules and no more. It keeps the rules of the answer: whoever is surer than
    /// [`UNCITED`] of what it is asked makes a claim. Under one neutral prompt a Skeptic without an explanation is sure of a threat, and claims what
    /// the Architect claims.
    fn expert_position(&self, heard: Option<ReceivedTurn<'_>>) -> Position {
        let thesis = heard.map(|heard| &heard.turn.position);
        let mut position = self.case.by_rule(self.role, self.strategy(), thesis);
        let is_uncited =
            |position: &Position| position.assertions.is_empty() && self.told(position.confidence) > UNCITED;
        if is_uncited(&position) && self.role == Role::Skeptic {
            let own = || self.case.by_rule(Role::Architect, Strategy::Rules, None);
            position.assertions = thesis.cloned().unwrap_or_else(own).assertions;
            position.assertions.retain(|claim| self.case.packet.entails(claim) != Entailment::Contradicted);
        }
        if is_uncited(&position) {
            position.confidence = self.told(UNCITED);
        }
        position
    }

    /// What an expert would say; others are unsure the other way round, cite facts that say nothing of the sort, or cite one that does not
    /// exist.
    fn hint(&self, anchored: bool, heard: Option<ReceivedTurn<'_>>) -> gimbal_core::Hint {
        let position = self.expert_position(heard);
        let confidence = share(self.told(position.confidence));
        let opposite = share(Milli(1000 - self.told(position.confidence).0));
        let message = |assertions: Vec<Value>, confidence: &Value| {
            let mut message = json!({ "assertions": assertions, "confidence": confidence });
            if anchored {
                message["changes"] = json!([]);
                message["conceded"] = json!([]);
            }
            message
        };
        let assertions = written(&position, anchored);
        let one = |fact: String| {
            let mut item = json!({ "kind": "ASSERT", "predicate": "means this decides the case", "facts": [fact] });
            if anchored {
                item["confidence"] = confidence.clone();
            }
            item["interpretation"] = json!("");
            vec![item]
        };
        let facts = u32::try_from(self.case.packet.facts().len()).unwrap_or(u32::MAX);
        let mut others = vec![message(one(FactId::at(facts).to_string()), &confidence)];
        if facts > 0 {
            others.insert(0, message(one(FactId::at(facts - 1).to_string()), &opposite));
            others.insert(1, message(one(FactId::at(0).to_string()), &confidence));
        }
        hint(&message(assertions, &confidence), &others)
    }

    /// Records the position: each assertion with what code says of it, the confidence, and whether it answers the other side.
    async fn record(&self, stage: &dyn Stage, lane: LaneId, turn: &Turn, heard: bool) {
        let (role, round, vote) = (self.role.name().to_owned(), turn.round, self.case.vote);
        let text = |facts: &[FactId]| -> Vec<String> { facts.iter().map(ToString::to_string).collect() };
        for (index, assertion) in turn.position.assertions.iter().enumerate() {
            let asserted = Asserted {
                role: role.clone(),
                round,
                vote,
                claim: self.role.claim(index),
                kind: assertion.kind.name().to_owned(),
                predicate: assertion.predicate.to_string(),
                facts: text(&assertion.facts),
                confidence: assertion.confidence,
                interpretation: assertion.interpretation.clone(),
                check: self.case.packet.entails(assertion).name().to_owned(),
            };
            stage.record(lane, &asserted).await;
        }
        let (cited, before) = (turn.position.cited(), self.cited());
        let count = |length: usize| u32::try_from(length).unwrap_or(u32::MAX);
        let confidence = Confidence {
            role,
            round,
            vote,
            confidence: turn.position.confidence,
            before: self.last().map(|last| last.position.confidence),
            strategy: turn.strategy.name().to_owned(),
            fallback: turn.fell_back,
            assertions: count(turn.position.assertions.len()),
            facts: count(cited.len()),
            new_facts: count(cited.iter().filter(|fact| !before.contains(fact)).count()),
            reasons: text(&turn.reasons.iter().map(|(_, fact)| *fact).collect::<Vec<_>>()),
            conceded: turn.conceded.clone(),
            heard,
            unknowns: Unknown::texts(&turn.position.unknowns),
        };
        stage.record(lane, &confidence).await;
    }
}

/// What was read of the attempts at an answer.
struct Read {
    /// What was refused, with the number of the attempt.
    refusals: Vec<(u32, Refusal)>,
    /// What rules changed of the last one.
    changes: Vec<Change>,
    /// How the last one was read.
    tier: Tier,
    /// How many parts of the last one were dropped.
    dropped: u64,
    /// Tokens of the last one, where its contract bounds them.
    tokens: Option<TokenCount>,
}

/// Reads each attempt and keeps what was refused of it.
#[derive(Default)]
struct Attempts {
    made: AtomicU32,
    read: Mutex<Vec<(u32, Reading)>>,
}

impl Attempts {
    /// What is valid of an attempt; `None` if nothing is and asking again cannot help.
    fn read(
        &self,
        text: &str,
        contract: &Contract,
        case: &Case<'_>,
        count: &CountTokens<'_>,
    ) -> Result<Option<Spoken>, String> {
        let attempt = self.made.fetch_add(1, Ordering::Relaxed) + 1;
        let mut reading = position(text, contract, case.packet, count);
        let spoken = reading.spoken.take();
        let hopeless = spoken.is_none() && !reading.refusals.iter().any(Refusal::is_repairable);
        let problem = || {
            let all: Vec<String> = reading.refusals.iter().map(|refusal| refusal.what.clone()).collect();
            all.join("; ")
        };
        let result = if hopeless { Ok(None) } else { spoken.map(Some).ok_or_else(problem) };
        self.read.lock().unwrap_or_else(PoisonError::into_inner).push((attempt, reading));
        result
    }

    fn into_read(self, valid: bool) -> Read {
        let mut all = self.read.into_inner().unwrap_or_else(PoisonError::into_inner);
        let repaired = self.made.into_inner() > 1;
        let last = all.last_mut().map(|(_, reading)| reading);
        let tokens = last.as_ref().and_then(|reading| reading.tokens);
        let dropped = last.as_ref().map_or(0, |reading| reading.refusals.len() as u64);
        let tier = match (valid, repaired) {
            (false, _) => Tier::Default,
            (true, true) => Tier::Repaired,
            (true, false) => last.as_ref().map_or(Tier::Default, |reading| reading.tier),
        };
        let changes = last.map(|reading| std::mem::take(&mut reading.changes)).unwrap_or_default();
        let refusals = all
            .into_iter()
            .flat_map(|(attempt, reading)| reading.refusals.into_iter().map(move |refusal| (attempt, refusal)));
        Read { refusals: refusals.collect(), changes, tier, dropped, tokens }
    }
}
