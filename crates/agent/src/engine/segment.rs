//! A stretch of work in one conversation: the agent acts, sees the result, and goes on, until it gives control back
//! or its calls are used up (CYC-003, CYC-016).

use gimbal_core::{Acted, Block, EpisodeStopped, LaneId, Rejection, RejectionKind, Stage, ToolCall};
use gimbal_messages::records::control::SegmentStop;
use gimbal_messages::records::engine::AttemptFailed;

use super::conversation::{Conversation, Outcome, PromptInput};
use super::session::AgentSession;
use crate::prompt::Question;
use crate::tool::Peers;
use gimbal_messages::bounded;

/// How much of an observation a segment keeps, in characters; the journal holds the whole.
const KEPT: usize = 2_000;

/// A tool call of a segment and its result.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct CallRecord {
    /// The call as its environment writes it, or what was written in its place.
    pub call: String,
    /// What the agent saw then, or why the call was refused; bounded.
    pub observation: String,
    /// Whether the environment took the call.
    pub accepted: bool,
    /// The tool, where the call reached the environment.
    pub tool: Option<String>,
}

/// The calls of a segment, and why it ended.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Segment {
    /// The tool calls, in order; refused ones too.
    pub taken: Vec<CallRecord>,
    /// Why it ended (CYC-016).
    pub stop: SegmentStop,
    /// What the agent says the result of its subtask is; `None` unless it says that the subtask is done.
    pub result: Option<String>,
    /// What stopped the episode; `None` unless the episode ended in this segment.
    pub over: Option<EpisodeStopped>,
}

impl Segment {
    /// The number of tool calls, refused ones too.
    #[must_use]
    pub fn calls(&self) -> u32 {
        u32::try_from(self.taken.len()).unwrap_or(u32::MAX)
    }
}

impl AgentSession<'_> {
    /// Lets the agent work in one conversation for at most `limit` tool calls.
    ///
    /// Each answer is one tool call, whether or not it can be read. An answer that cannot be carried out is fed back;
    /// after `max_attempts` model failures in a row the scaffolding makes the idle call (BOG-034), so that a segment
    /// always ends.
    ///
    /// # Errors
    /// The episode stopped before the first call; a later stop is in [`Segment::over`].
    pub async fn segment(
        &self,
        stage: &dyn Stage,
        lane: LaneId,
        blocks: &[Block],
        question: Option<Question<'_>>,
        (peers, limit): (&dyn Peers, u32),
    ) -> Result<Segment, EpisodeStopped> {
        let view = stage.view().await;
        let prompt_input = PromptInput { view: &view, blocks, question, target: None, reply_spec: None, peers };
        let mut conversation = Conversation::open(self, stage, lane, prompt_input).await?;
        let has_expert = stage.expert().await.is_some();
        let mut taken = Vec::new();
        let mut first = true;
        let (stop, result, over) = loop {
            let made = u32::try_from(taken.len()).unwrap_or(u32::MAX);
            if made >= limit {
                break (SegmentStop::LocalBudget, None, None);
            }
            if (!std::mem::take(&mut first) || has_expert)
                && let Err(halt) = conversation.look(taken.len()).await
            {
                break (SegmentStop::Over, None, Some(halt));
            }
            match self.call(&mut conversation, &mut taken).await {
                Ok(None) => match conversation.count(limit.saturating_sub(made + 1), limit) {
                    Ok(()) => {}
                    Err(halt) => break (SegmentStop::Over, None, Some(halt)),
                },
                Ok(Some(summary)) => break (SegmentStop::Done, Some(summary), None),
                Err(halt) => break (SegmentStop::Over, None, Some(halt)),
            }
        };
        Ok(Segment { taken, stop, result, over })
    }

    /// One tool call of a segment, or the words with which the agent gives control back.
    async fn call(
        &self,
        conversation: &mut Conversation<'_>,
        taken: &mut Vec<CallRecord>,
    ) -> Result<Option<String>, EpisodeStopped> {
        let attempts = self.settings().max_attempts;
        for attempt in 1..=attempts {
            match conversation.answer(attempt).await? {
                Outcome::Finished(summary) => return Ok(Some(summary)),
                Outcome::Answer { text, justification, missing } => {
                    match conversation.parse(&text, missing).await {
                        Ok(call) => self.carry_out(conversation, &call, justification.as_deref(), taken).await?,
                        Err(rejection) => {
                            taken.push(refused(&text, &rejection));
                            conversation.stage.reject(conversation.lane, &rejection, &text).await?;
                            self.explain_refusal(conversation, &rejection.message, &text)?;
                        }
                    }
                    return Ok(None);
                }
                Outcome::Unclear { rejection, text } => {
                    taken.push(refused(&text, &rejection));
                    conversation.stage.reject(conversation.lane, &rejection, &text).await?;
                    self.explain_refusal(conversation, &rejection.message, &text)?;
                    return Ok(None);
                }
                Outcome::Call { call, justification } => {
                    self.carry_out(conversation, &call, justification.as_deref(), taken).await?;
                    return Ok(None);
                }
                Outcome::Failed(kind) => {
                    conversation.record(&AttemptFailed { attempt, reason: kind.name().to_owned() }).await;
                    self.explain_failure(conversation, attempt, kind)?;
                }
            }
        }
        let call = self.fallback(conversation.stage).await?;
        conversation.stage.fallback(conversation.lane, &call, "attempts").await;
        self.carry_out(conversation, &call, None, taken).await?;
        Ok(None)
    }

    async fn carry_out(
        &self,
        conversation: &mut Conversation<'_>,
        call: &ToolCall,
        justification: Option<&str>,
        taken: &mut Vec<CallRecord>,
    ) -> Result<(), EpisodeStopped> {
        let (stage, lane) = (conversation.stage, conversation.lane);
        let text = stage.render(call).await;
        let sent = || self.as_sent(call, &text);
        if !self.allows(&call.tool) {
            let tools = self.allowed().unwrap_or_default().join(", ");
            let message = format!("`{}` is not a tool of this subtask, which has: {tools}", call.tool);
            let rejection = Rejection::new(RejectionKind::Forbidden, message);
            taken.push(refused(&text, &rejection));
            stage.reject(lane, &rejection, &text).await?;
            return self.explain_refusal(conversation, &rejection.message, &sent());
        }
        let made = u32::try_from(taken.len()).unwrap_or(u32::MAX);
        if let Some(rejection) = conversation.peers.holds_back(stage, lane, (call, made)).await? {
            taken.push(refused(&text, &rejection));
            stage.reject(lane, &rejection, &text).await?;
            return self.explain_refusal(conversation, &rejection.message, &sent());
        }
        conversation.peers.decided(stage, lane, call).await;
        let at = taken.len();
        let tool = Some(call.tool.clone());
        taken.push(CallRecord { call: text.clone(), observation: String::new(), accepted: true, tool: tool.clone() });
        let acted = stage.act(lane, call, justification).await?;
        conversation.peers.acted(stage, lane, call, &acted).await;
        match acted {
            Acted::Stepped(transition) => {
                let seen = &transition.observation.text;
                taken[at].observation = bounded(seen, KEPT);
                conversation.observed(seen)
            }
            Acted::Rejected(rejection) => {
                taken[at] = CallRecord { tool, ..refused(&text, &rejection) };
                self.explain_refusal(conversation, &rejection.message, &sent())
            }
        }
    }
}

fn refused(text: &str, rejection: &Rejection) -> CallRecord {
    CallRecord {
        call: bounded(text, KEPT),
        observation: bounded(&rejection.message, KEPT),
        accepted: false,
        tool: None,
    }
}
