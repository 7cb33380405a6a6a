//! A conversation: thought, tool, observation, until an answer (BOG-040). It lives for one step (BOG-031).

mod added;
mod native;
mod results;
mod uses;

use std::sync::Arc;

use gimbal_core::{
    AskError, AskRequest, Block, Completion, Decoding, EpisodeStopped, LaneId, Message, ModelErrorKind, Rejection,
    RejectionKind, Speaker, Stage, ToolCall, ToolSpec, View,
};
use gimbal_messages::records::engine::{ContextGuard, LegalNarrowed, TurnsExhausted};
use gimbal_messages::{Record, StageExt};
use minijinja::Value;

use super::expert::ExpertScript;
use super::guard::{self, Counted};
use super::halt;
use super::reply::ReplySpec;
use super::session::{AgentSession, Present};
use crate::persona::Sourced;
use crate::prompt::{Question, joined, user_parts};
use crate::protocol::{Reply, ReplyContent};
use crate::tool::Peers;

/// The outcome of an attempt.
pub(in crate::engine) enum Outcome {
    /// An answer, still to be read by the environment. `missing` says why all of a message had to pass for one.
    Answer { text: String, justification: Option<String>, missing: Option<&'static str> },
    /// A message that asks for more than one action: none of them is taken.
    Unclear { rejection: Rejection, text: String },
    /// A call of one of the environment's tools.
    Call { call: ToolCall, justification: Option<String> },
    /// The agent gives control back, and says what was done (CYC-016).
    Finished(String),
    /// The model gave nothing that could be an answer (BOG-047).
    Failed(ModelErrorKind),
}

/// What a conversation is about.
#[derive(Clone, Copy)]
pub(in crate::engine) struct PromptInput<'a> {
    /// The present.
    pub(in crate::engine) view: &'a View,
    /// Context blocks.
    pub(in crate::engine) blocks: &'a [Block],
    /// What an adviser is asked.
    pub(in crate::engine) question: Option<Question<'a>>,
    /// The subject that it is about, where whoever asks names one.
    pub(in crate::engine) target: Option<&'a str>,
    /// What the answer must be, where that depends on the request.
    pub(in crate::engine) reply_spec: Option<&'a ReplySpec>,
    /// Those around the agent.
    pub(in crate::engine) peers: &'a dyn Peers,
}

/// A conversation with the model of the agent's role.
pub(in crate::engine) struct Conversation<'a> {
    pub(in crate::engine) session: &'a AgentSession<'a>,
    pub(in crate::engine) stage: &'a dyn Stage,
    pub(in crate::engine) lane: LaneId,
    pub(in crate::engine) peers: &'a dyn Peers,
    pub(in crate::engine) present: Present,
    pub(in crate::engine) messages: Vec<Arc<Message>>,
    /// How many messages at the beginning stay whatever the context guard drops.
    pinned: usize,
    /// The actions that are possible now, shown after the latest message and nowhere else (CYC-036).
    literals: Option<Arc<str>>,
    /// Tools for native calls, as they may be used now.
    native: Arc<[ToolSpec]>,
    pub(in crate::engine) counted: Option<Counted>,
    /// Whether the latest reply is noted as normalised.
    pub(in crate::engine) noted: bool,
    pub(in crate::engine) script: Option<ExpertScript>,
    reply_spec: Option<&'a ReplySpec>,
    /// Native calls of the last reply that still want a result.
    pub(in crate::engine) open_calls: Vec<String>,
    /// The native call whose result was added last; `None` where the agent writes text.
    pub(in crate::engine) answered: Option<String>,
    /// A critical tool has answered: the next message must be the answer (BOG-056).
    pub(in crate::engine) answer_due: bool,
    /// Questions raised for the answer at hand (BOG-117).
    pub(in crate::engine) questions: u32,
    /// The last answer that was rejected, as written.
    rejected: Option<String>,
    /// Texts in messages to the agent that repeat what it wrote itself.
    echoes: Vec<String>,
}

impl<'a> Conversation<'a> {
    /// A fresh conversation about the present.
    pub(in crate::engine) async fn open(
        session: &'a AgentSession<'a>,
        stage: &'a dyn Stage,
        lane: LaneId,
        prompt_input: PromptInput<'a>,
    ) -> Result<Self, EpisodeStopped> {
        let PromptInput { view, blocks, question, target, reply_spec, peers } = prompt_input;
        let expert = stage.expert().await;
        let present = session.present(stage, budget(session, stage), expert.is_some(), target).await?;
        if let Some(legal) = present.legal.as_ref().filter(|legal| legal.narrowed) {
            stage.record(lane, &LegalNarrowed { listed: legal.calls.len() as u64 }).await;
        }
        let parts =
            user_parts(&session.agent.persona, &present.variables, view.step, blocks, question).map_err(halt)?;
        let often = session.settings().acting.is_some();
        let literals = if often { session.literals(stage).await? } else { None };
        let (mut opening, mut literals) = (joined(&parts), literals);
        if let Some(fixed) = literals.take_if(|_| !session.brief().literals_change) {
            opening = format!("{opening}\n\n{fixed}");
        }
        let native = session.narrowed(stage).await;
        let system = match session.text_bounds(stage, &present, reply_spec).map_err(halt)? {
            Some(bounds) => Arc::new(Message::new(Speaker::System, format!("{}\n\n{bounds}", present.system.text))),
            None => Arc::clone(&present.system),
        };
        let messages = vec![system, Arc::new(Message::new(Speaker::User, opening))];
        // An agent that acts many times was told its task in the opening.
        let pinned = if often { messages.len() } else { 1 };
        let script = expert.as_ref().map(|expert| ExpertScript::of(session, expert, target));
        let (counted, open_calls) = (None, Vec::new());
        Ok(Self {
            session,
            stage,
            lane,
            peers,
            present,
            messages,
            pinned,
            literals,
            native,
            counted,
            noted: false,
            script,
            reply_spec,
            open_calls,
            answered: None,
            answer_due: false,
            questions: 0,
            rejected: None,
            echoes: Vec::new(),
        })
    }

    /// Talks until an answer or until the turns are used up; then the fixed text takes its place (BOG-043).
    pub(in crate::engine) async fn answer(&mut self, attempt: u32) -> Result<Outcome, EpisodeStopped> {
        let turns = self.session.settings().turns;
        for turn in 1..=turns {
            if turn == turns {
                self.last_turn(turn)?;
            }
            let completion = match self.ask().await? {
                Ok(completion) => completion,
                Err(kind) => return Ok(Outcome::Failed(kind)),
            };
            if let Some(outcome) = self.turn(&completion).await? {
                return Ok(outcome);
            }
        }
        self.record(&TurnsExhausted { attempt, turns }).await;
        let text = self.session.agent.persona.wording.no_answer.clone();
        Ok(Outcome::Answer { text, justification: None, missing: None })
    }

    /// Looks at the present again, for an agent that has made `made` calls and talks on.
    pub(in crate::engine) async fn look(&mut self, made: usize) -> Result<(), EpisodeStopped> {
        let (session, stage) = (self.session, self.stage);
        let expert = stage.expert().await;
        self.present = session.present(stage, budget(session, stage), expert.is_some(), None).await?;
        if session.brief().literals_change {
            self.literals = session.literals(stage).await?;
            self.native = session.narrowed(stage).await;
        }
        self.answer_due = false;
        let now = (self.session, &self.present);
        self.script =
            expert.as_ref().map(|expert| ExpertScript::next_move(now, expert, self.peers.hands_back(expert), made));
        Ok(())
    }

    /// Keeps a text that repeats what the agent wrote: it shows the agent nothing.
    pub(in crate::engine) fn echo(&mut self, text: &str) {
        self.echoes.push(text.to_owned());
    }

    /// Whether a rejected answer is the one that was rejected before.
    pub(in crate::engine) fn repeats(&mut self, written: &str) -> bool {
        self.rejected.replace(written.to_owned()).is_some_and(|before| before == written)
    }

    /// Tells the model that its attempt failed.
    pub(in crate::engine) fn feedback(
        &mut self,
        sourced: &Sourced,
        values: &[(&'static str, Value)],
    ) -> Result<(), EpisodeStopped> {
        let text = self.fill(sourced, values)?;
        self.echo(&text);
        self.answer_due = false;
        if !self.answers(&text)? {
            self.say(&text);
        }
        Ok(())
    }

    /// Says something in the place of the user; two such messages in a row become one.
    pub(in crate::engine) fn say(&mut self, text: &str) {
        match self.messages.last_mut() {
            Some(last) if last.speaker == Speaker::User => {
                *last = Arc::new(Message::new(Speaker::User, format!("{}\n\n{text}", last.text)));
                // It was counted without the addition.
                self.counted = None;
            }
            _ => self.messages.push(Arc::new(Message::new(Speaker::User, text))),
        }
    }

    /// The messages as they are sent: the actions that are possible now stand behind the last one.
    fn shown(&self) -> Vec<Arc<Message>> {
        let mut messages = self.messages.clone();
        if let Some(literals) = &self.literals {
            match messages.last_mut().filter(|last| last.speaker == Speaker::User) {
                Some(last) => *last = Arc::new(Message::new(Speaker::User, format!("{}\n\n{literals}", last.text))),
                None => messages.push(Arc::new(Message::new(Speaker::User, Arc::clone(literals)))),
            }
        }
        messages
    }

    async fn ask(&mut self) -> Result<Result<Completion, ModelErrorKind>, EpisodeStopped> {
        let settings = self.session.settings();
        let guarded = guard::keep(&mut self.messages, self.counted, (settings.context_guard_tokens, self.pinned));
        if let Some((dropped, before)) = guarded {
            self.counted = None;
            let (prompt_tokens, source) = (before.tokens, before.source.to_owned());
            self.record(&ContextGuard { dropped: dropped as u64, prompt_tokens, source }).await;
        }
        let wording = self.session.agent.persona.wording.protocols.of(settings.protocol);
        let described = self
            .reply_spec
            .and_then(|reply_spec| self.session.described(reply_spec, budget(self.session, self.stage)?));
        let messages = self.shown();
        let listed = match &described {
            Some(_) => None,
            None => {
                let seen = (&self.echoes[..], self.script.is_some());
                self.present.shaped((self.session, self.stage), &messages, seen).await
            }
        };
        let shaped = described.as_ref().or_else(|| listed.as_ref().map(|listed| &listed[usize::from(self.answer_due)]));
        let hint = match &self.script {
            Some(script) => {
                script.hint(self.session, self.stage, &self.present, (self.answer_due, self.reply_spec)).await
            }
            None => None,
        };
        let request = AskRequest {
            messages,
            tools: Arc::clone(&self.native),
            grammar: shaped.map(|shaped| Arc::clone(&shaped.grammar)),
            stop: if shaped.is_some() { Vec::new() } else { wording.stop.clone() },
            max_output_tokens: shaped.and_then(|shaped| shaped.max_output_tokens).or(self.session.agent.own.1),
            temperature: self.session.agent.own.0,
            hint,
            mask: false,
        };
        match self.stage.ask(self.lane, self.session.agent.role(), request).await {
            Ok(completion) => {
                self.counted = Some(Counted { messages: self.messages.len(), usage: completion.usage });
                Ok(Ok(completion))
            }
            Err(AskError::EpisodeStopped(halt)) => Err(halt),
            Err(AskError::Model(error)) if error.kind.is_infrastructure() => {
                Err(EpisodeStopped::infrastructure(error.message))
            }
            // The partial text is never read (BOG-047).
            Err(AskError::Model(error)) => Ok(Err(error.kind)),
        }
    }

    /// Goes by one reply: an outcome, or none when the conversation goes on.
    async fn turn(&mut self, completion: &Completion) -> Result<Option<Outcome>, EpisodeStopped> {
        if !completion.calls.is_empty() {
            return self.native_calls(completion).await;
        }
        // Providers do not take empty messages.
        if !completion.text.trim().is_empty() {
            self.messages.push(Arc::new(Message::new(Speaker::Assistant, Arc::clone(&completion.text))));
        }
        let protocol = self.session.settings().protocol;
        let is_message = self.reply_spec.is_some() || self.session.advises();
        let read = if is_message { protocol.read_message(&completion.text) } else { protocol.read(&completion.text) };
        let Reply { thought, content, tier, more, marks } = read;
        self.noted = self.normalised(tier, marks).await;
        match self.meant(content) {
            ReplyContent::Answer(text) => {
                Ok(Some(Outcome::Answer { text, justification: non_empty(thought), missing: None }))
            }
            ReplyContent::Raw(text) => {
                let missing = Some(
                    protocol.missing(&completion.text, !self.session.prepared.tools.is_empty() && !self.answer_due),
                );
                Ok(Some(Outcome::Answer { justification: None, text, missing }))
            }
            ReplyContent::Use(mut used) => {
                let reasoning = used.input.take_reasoning();
                if let Some(call) = self.action(&used).await {
                    if more {
                        let message = "the message asks for more than one action; write exactly one";
                        let rejection = Rejection::new(RejectionKind::Unreadable, message);
                        return Ok(Some(Outcome::Unclear { rejection, text: completion.text.to_string() }));
                    }
                    let justification = non_empty(if reasoning.is_empty() { thought } else { reasoning });
                    return Ok(Some(Outcome::Call { call, justification }));
                }
                if let Some(summary) = self.finish(&used) {
                    return Ok(Some(Outcome::Finished(summary)));
                }
                let observation = self.observe(&used, &reasoning).await?;
                self.say(&format!("Observation: {observation}"));
                Ok(None)
            }
        }
    }

    pub(in crate::engine) fn fill(
        &self,
        sourced: &Sourced,
        values: &[(&'static str, Value)],
    ) -> Result<String, EpisodeStopped> {
        let variables = self.present.variables.with(values);
        self.session.agent.persona.templates.render(&sourced.text, &variables).map_err(|error| halt(error.into()))
    }

    pub(in crate::engine) async fn record<R: Record>(&self, record: &R) {
        self.stage.record(self.lane, record).await;
    }
}

/// The bound of the role's output, where its requests carry a grammar: under constraint, and where a call is forced, for the grammar
/// says whether one is demanded.
fn budget(session: &AgentSession<'_>, stage: &dyn Stage) -> Option<u32> {
    let role = stage.role(session.agent.role());
    let carries = |decoding| matches!(decoding, Decoding::Constrained | Decoding::Forced);
    role.filter(|role| carries(role.decoding)).map(|role| role.sampling.max_output_tokens)
}

fn non_empty(text: String) -> Option<String> {
    (!text.is_empty()).then_some(text)
}
