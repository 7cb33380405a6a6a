//! An agent whose answer is a message to another agent (BOG-072).

use std::sync::Arc;

use gimbal_core::{AskError, AskRequest, Block, EpisodeStopped, Grammar, Hint, LaneId, Message, Speaker, Stage};
use gimbal_messages::records::engine::AttemptFailed;
use gimbal_messages::{Allowed, Content, StageExt, Tier, bounded};
use minijinja::Value;

use super::conversation::{Conversation, Outcome, PromptInput};
use super::expert::ExpertScript;
use super::halt;
use super::reply::{Advice, ReplySpec};
use super::session::AgentSession;
use crate::prompt::Question;
use crate::tool::Peers;

/// How much of a broken message is quoted when it is asked for again, in characters.
const QUOTED: usize = 4_000;

/// A request for a message that whoever asks describes.
#[derive(Clone, Copy)]
pub struct Consultation<'a> {
    /// Context blocks of the prompt.
    pub blocks: &'a [Block],
    /// What the agent is asked about.
    pub question: Question<'a>,
    /// The form of the answer; `None` if the agent's message says it.
    pub reply_spec: Option<&'a ReplySpec>,
}

impl AgentSession<'_> {
    /// What a message of the agent's contract may name, for a request to write it again (BOG-070); empty where whoever asks says
    /// so.
    async fn may_answer(&self, stage: &dyn Stage) -> Result<String, EpisodeStopped> {
        Ok(match self.agent.message().map(|message| message.allowed(self.brief())) {
            Some(Allowed::Actions) => {
                let present = self.present(stage, None, true, None).await?;
                present.legal.map(|legal| legal.texts.join("\n")).unwrap_or_default()
            }
            Some(Allowed::Text(text)) => text,
            None => String::new(),
        })
    }

    /// Asks the agent about something; it thinks and uses its tools for at most its number of turns, and answers once.
    ///
    /// # Errors
    /// What stopped the episode.
    pub async fn advise(
        &self,
        stage: &dyn Stage,
        lane: LaneId,
        blocks: &[Block],
        question: Question<'_>,
        peers: &dyn Peers,
    ) -> Result<Advice, EpisodeStopped> {
        self.consult(stage, lane, Consultation { blocks, question, reply_spec: None }, peers).await
    }

    /// Asks the agent as [`AgentSession::advise`] does, for a message that whoever asks describes.
    ///
    /// # Errors
    /// What stopped the episode.
    pub async fn consult(
        &self,
        stage: &dyn Stage,
        lane: LaneId,
        Consultation { blocks, question, reply_spec }: Consultation<'_>,
        peers: &dyn Peers,
    ) -> Result<Advice, EpisodeStopped> {
        let view = stage.view().await;
        let prompt_input = PromptInput {
            view: &view,
            blocks,
            question: Some(question),
            target: Some(question.target),
            peers,
            reply_spec,
        };
        let mut conversation = Conversation::open(self, stage, lane, prompt_input).await?;
        Ok(match conversation.answer(1).await? {
            Outcome::Answer { text, .. } | Outcome::Unclear { text, .. } | Outcome::Finished(text) => {
                Advice::Text(text)
            }
            // An adviser has no calls of the environment.
            Outcome::Call { call, .. } => Advice::Text(stage.render(&call).await),
            Outcome::Failed(kind) => {
                conversation.record(&AttemptFailed { attempt: 1, reason: kind.name().to_owned() }).await;
                Advice::None(kind)
            }
        })
    }

    /// What an expert in the role would write without a thought, for the noisy expert.
    async fn expert_repair(&self, stage: &dyn Stage, question: Question<'_>) -> Result<Option<Hint>, EpisodeStopped> {
        let Some(expert) = stage.expert().await else { return Ok(None) };
        let target = Some(question.target).filter(|target| !target.is_empty());
        let present = self.present(stage, None, true, target).await?;
        Ok(ExpertScript::of(self, &expert, target).bare(self, stage, &present).await)
    }

    /// Reads what the agent wrote in tiers (BOG-070): as it is; after one repair where it cannot be read, or a part of it
    /// cannot; else the default. `written` is `None` if its model gave nothing.
    ///
    /// # Errors
    /// What stopped the episode.
    pub async fn read<C: Content>(
        &self,
        stage: &dyn Stage,
        lane: LaneId,
        written: Option<&str>,
        question: Question<'_>,
    ) -> Result<(C, Tier), EpisodeStopped> {
        let nothing = || (C::default_of(question.target), Tier::Default);
        let Some(written) = written else { return Ok(nothing()) };
        let brief = self.brief();
        let read = match C::read(written, brief) {
            Some((content, tier)) if content.unread() == 0 => return Ok((content, tier)),
            read => read,
        };
        let again = self.repair(stage, lane, written, question).await?;
        let again = again.and_then(|text| C::read(&text, brief)).map(|(content, _)| content);
        // A second attempt that is read no better is worth no more than the first.
        let better = again.filter(|again| read.as_ref().is_none_or(|(first, _)| again.unread() < first.unread()));
        Ok(better.map(|again| (again, Tier::Repaired)).or(read).unwrap_or_else(nothing))
    }

    /// Asks the agent's model once more for a message that was not as it should be (BOG-070); `None` if the persona has
    /// no words for that, or the model gave nothing.
    ///
    /// # Errors
    /// What stopped the episode.
    pub async fn repair(
        &self,
        stage: &dyn Stage,
        lane: LaneId,
        broken: &str,
        question: Question<'_>,
    ) -> Result<Option<String>, EpisodeStopped> {
        self.repair_of(stage, lane, broken, Consultation { blocks: &[], question, reply_spec: None }).await
    }

    /// As [`AgentSession::repair`], of a message that whoever asks describes: what is wrong with it may be said in `broken`. Whoever writes it again sees
    /// the context blocks of the request. The answer is held to the form where [`ReplySpec::mask`] gives a grammar.
    ///
    /// # Errors
    /// What stopped the episode.
    pub async fn repair_of(
        &self,
        stage: &dyn Stage,
        lane: LaneId,
        broken: &str,
        Consultation { blocks, question, reply_spec }: Consultation<'_>,
    ) -> Result<Option<String>, EpisodeStopped> {
        let persona = &self.agent.persona;
        let Some(repair) = &persona.texts.repair else { return Ok(None) };
        let allowed = self.may_answer(stage).await?;
        let own = self.prepared.variables.with(&[]);
        let form =
            persona.templates.render(&persona.texts.answer_format.text, &own).map_err(|error| halt(error.into()))?;
        let shown = blocks.iter().map(|block| block.text.trim_end()).filter(|text| !text.is_empty());
        let shown: Vec<&str> = shown.collect();
        let values = [
            ("answer", Value::from(bounded(broken, QUOTED))),
            ("message", Value::from(question.message)),
            ("allowed", Value::from(allowed)),
            ("shown", Value::from(shown.join("\n\n"))),
            ("answer_format", Value::from(form)),
        ];
        let variables = self.prepared.variables.with(&values);
        let render = |text| persona.templates.render(text, &variables).map_err(|error| halt(error.into()));
        let messages = vec![
            Arc::new(Message::new(Speaker::System, render(&repair.system.text)?)),
            Arc::new(Message::new(Speaker::User, render(&repair.user.text)?)),
        ];
        let request = match reply_spec {
            Some(reply_spec) => {
                let mask = reply_spec.mask(stage, self.agent.role());
                let held = mask.is_some() || self.constrained(stage);
                let longest = u32::try_from(reply_spec.form.longest + 1).ok().filter(|_| held);
                let as_regex = || Arc::new(Grammar::Regex(reply_spec.form.regex.clone()));
                AskRequest {
                    messages,
                    mask: mask.is_some(),
                    grammar: held.then(|| reply_spec.enforceable(stage, self.agent.role()).unwrap_or_else(as_regex)),
                    max_output_tokens: longest.or(self.agent.own.1),
                    temperature: self.agent.own.0,
                    hint: reply_spec.expert.clone(),
                    ..AskRequest::default()
                }
            }
            None => AskRequest {
                messages,
                max_output_tokens: self.agent.own.1,
                temperature: self.agent.own.0,
                hint: self.expert_repair(stage, question).await?,
                ..AskRequest::default()
            },
        };
        match stage.ask(lane, self.agent.role(), request).await {
            Ok(completion) => Ok(Some(completion.text.to_string())),
            Err(AskError::EpisodeStopped(halt)) => Err(halt),
            Err(AskError::Model(error)) if error.kind.is_infrastructure() => {
                Err(EpisodeStopped::infrastructure(error.message))
            }
            Err(AskError::Model(error)) => {
                stage.record(lane, &AttemptFailed { attempt: 2, reason: error.kind.name().to_owned() }).await;
                Ok(None)
            }
        }
    }
}
