//! One step of the environment: attempts, feedback, fallback.

use std::sync::Arc;

use gimbal_core::{
    Acted, Block, EpisodeStopped, LaneId, ModelErrorKind, Rejection, RejectionKind, Stage, ToolCall, Transition,
};
use gimbal_messages::records::engine::AttemptFailed;

use super::conversation::{Conversation, Outcome, PromptInput};
use super::session::AgentSession;
use crate::Protocol;
use crate::protocol::native_call;
use crate::tool::{Alone, Peers};

impl AgentSession<'_> {
    /// Takes one step of the environment: asks until an answer is carried out, at most `max_attempts` times in one
    /// conversation with what was wrong fed back (BOG-032, BOG-033), and else does what the brief calls idle (BOG-034).
    ///
    /// # Errors
    /// What stopped the episode.
    pub async fn step(
        &self,
        stage: &dyn Stage,
        lane: LaneId,
        blocks: &[Block],
    ) -> Result<Arc<Transition>, EpisodeStopped> {
        self.step_with(stage, lane, blocks, &Alone).await
    }

    /// Takes one step of the environment as [`AgentSession::step`] does, with others to ask.
    ///
    /// # Errors
    /// What stopped the episode.
    pub async fn step_with(
        &self,
        stage: &dyn Stage,
        lane: LaneId,
        blocks: &[Block],
        peers: &dyn Peers,
    ) -> Result<Arc<Transition>, EpisodeStopped> {
        let view = stage.view().await;
        let prompt_input = PromptInput { view: &view, blocks, question: None, target: None, peers, reply_spec: None };
        let mut conversation = Conversation::open(self, stage, lane, prompt_input).await?;
        let attempts = self.settings().max_attempts;
        for attempt in 1..=attempts {
            let (rejection, written) = match conversation.answer(attempt).await? {
                Outcome::Answer { text, justification, missing } => match conversation.parse(&text, missing).await {
                    Ok(call) => match watched(stage, lane, peers, &call, justification.as_deref()).await? {
                        Acted::Stepped(transition) => return Ok(transition),
                        Acted::Rejected(rejection) => (rejection, text),
                    },
                    Err(rejection) => {
                        stage.reject(lane, &rejection, &text).await?;
                        (rejection, text)
                    }
                },
                Outcome::Call { call, justification } => {
                    match watched(stage, lane, peers, &call, justification.as_deref()).await? {
                        Acted::Stepped(transition) => return Ok(transition),
                        Acted::Rejected(rejection) => (rejection, self.as_sent(&call, &stage.render(&call).await)),
                    }
                }
                Outcome::Unclear { rejection, text } => {
                    stage.reject(lane, &rejection, &text).await?;
                    (rejection, text)
                }
                // No agent of a single step is given that tool; one that asks for it all the same has not acted.
                Outcome::Finished(text) => {
                    let rejection = Rejection::new(RejectionKind::Unreadable, "an action is wanted here");
                    stage.reject(lane, &rejection, &text).await?;
                    (rejection, text)
                }
                Outcome::Failed(kind) => {
                    conversation.record(&AttemptFailed { attempt, reason: kind.name().to_owned() }).await;
                    self.explain_failure(&mut conversation, attempt, kind)?;
                    continue;
                }
            };
            self.explain_rejection(&mut conversation, attempt, &rejection.message, &written)?;
        }
        let idle = &self.brief().idle;
        stage.fallback(lane, idle, "attempts").await;
        match stage.act(lane, idle, None).await? {
            Acted::Stepped(transition) => Ok(transition),
            Acted::Rejected(rejection) => {
                Err(EpisodeStopped::infrastructure(format!("the environment refused its own idle call: {rejection}")))
            }
        }
    }

    /// A refused call as the agent sent it: natively with all of its arguments, also those for which the environment's own way of writing has
    /// no place.
    pub(super) fn as_sent(&self, call: &ToolCall, rendered: &str) -> String {
        match self.settings().protocol {
            Protocol::NativeTools => native_call(&call.tool, &serde_json::json!(call.arguments)),
            Protocol::ReactText | Protocol::Json => rendered.to_owned(),
        }
    }

    pub(super) fn explain_rejection(
        &self,
        conversation: &mut Conversation<'_>,
        attempt: u32,
        message: &str,
        written: &str,
    ) -> Result<(), EpisodeStopped> {
        let text = &self.agent.persona.texts.engine.feedback_rejected;
        let placeholder = self.placeholder(conversation, written)?;
        let message = placeholder.as_deref().unwrap_or(message);
        let repeated = conversation.repeats(written);
        conversation.feedback(
            text,
            &[
                ("attempt", attempt.into()),
                ("max_attempts", self.settings().max_attempts.into()),
                ("answer", quoted(written).into()),
                ("message", message.into()),
                ("repeated", repeated.into()),
            ],
        )
    }

    /// Tells an agent that acts many times that an action was refused: it has no attempts to count, each answer is a call.
    pub(super) fn explain_refusal(
        &self,
        conversation: &mut Conversation<'_>,
        message: &str,
        written: &str,
    ) -> Result<(), EpisodeStopped> {
        match &self.agent.persona.texts.engine.acting {
            Some(acting) => {
                let placeholder = self.placeholder(conversation, written)?;
                let message = placeholder.as_deref().unwrap_or(message);
                let values = [("answer", quoted(written).into()), ("message", message.into())];
                conversation.feedback(&acting.refused, &values)
            }
            None => self.explain_rejection(conversation, 1, message, written),
        }
    }

    /// What an agent is told that copied a placeholder of a usage instead of filling it in. No environment can know: it sees a
    /// name that does not exist, and would ask for a name where none was shown.
    fn placeholder(&self, conversation: &Conversation<'_>, written: &str) -> Result<Option<String>, EpisodeStopped> {
        let glossary = &self.prepared.told.glossary;
        let mut known = glossary.iter().flat_map(|entry| placeholders(&entry.usage));
        let Some(copied) = known.find(|placeholder| written.contains(placeholder)) else { return Ok(None) };
        let without = glossary.iter().filter(|entry| placeholders(&entry.usage).next().is_none());
        let actions = without.map(|entry| entry.usage.as_str()).collect::<Vec<_>>().join(", ");
        let text = &self.agent.persona.texts.engine.feedback_placeholder;
        conversation.fill(text, &[("placeholder", copied.into()), ("actions", actions.into())]).map(Some)
    }

    pub(super) fn explain_failure(
        &self,
        conversation: &mut Conversation<'_>,
        attempt: u32,
        kind: ModelErrorKind,
    ) -> Result<(), EpisodeStopped> {
        let engine = &self.agent.persona.texts.engine;
        let (text, required_form) = match kind {
            ModelErrorKind::Refusal => (&engine.feedback_refusal, String::new()),
            ModelErrorKind::Truncated => (&engine.feedback_truncated, String::new()),
            _ => (&engine.feedback_bad_shape, conversation.required_form()?),
        };
        conversation.feedback(
            text,
            &[
                ("attempt", attempt.into()),
                ("max_attempts", self.settings().max_attempts.into()),
                ("answer", "".into()),
                ("message", kind.name().into()),
                ("required_form", required_form.as_str().into()),
            ],
        )
    }
}

/// Makes a call of the agent's, unless those around it hold it back.
async fn watched(
    stage: &dyn Stage,
    lane: LaneId,
    peers: &dyn Peers,
    call: &ToolCall,
    justification: Option<&str>,
) -> Result<Acted, EpisodeStopped> {
    if let Some(rejection) = peers.holds_back(stage, lane, (call, 0)).await? {
        stage.reject(lane, &rejection, &stage.render(call).await).await?;
        return Ok(Acted::Rejected(rejection));
    }
    peers.decided(stage, lane, call).await;
    let acted = stage.act(lane, call, justification).await?;
    peers.acted(stage, lane, call, &acted).await;
    Ok(acted)
}

/// How much of a refused answer is repeated to the model; the whole is in the conversation and the journal.
const QUOTED: usize = 300;

fn quoted(text: &str) -> String {
    match text.char_indices().nth(QUOTED) {
        Some((end, _)) => format!("{} [...]", &text[..end]),
        None => text.to_owned(),
    }
}

/// The placeholders of a usage, between angle brackets.
fn placeholders(usage: &str) -> impl Iterator<Item = &str> {
    usage.match_indices('<').filter_map(|(at, _)| {
        let end = usage[at..].find('>')?;
        let inside = &usage[at + 1..at + end];
        (!inside.is_empty() && !inside.contains('<')).then(|| &usage[at..=at + end])
    })
}
