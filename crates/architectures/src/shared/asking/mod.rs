//! Asking an agent for something that code can read, with one repair: a text ([`TextRequest`]), or a message whose reading is recorded
//! ([`MessageRequest`]).

mod message;
#[cfg(test)]
mod tests;

use gimbal_agent::prompt::Question;
use gimbal_agent::{Advice, AgentSession, Alone, Consultation, ReplySpec};
use gimbal_core::{Block, EpisodeStopped, LaneId, ModelErrorKind, Stage};
use gimbal_messages::bounded;

pub(crate) use message::{MessageRequest, Shape, reshaped};

/// Who is asked, and for what.
pub(crate) struct TextRequest<'a> {
    /// The adviser.
    pub session: &'a AgentSession<'a>,
    /// The lane on which it is asked.
    pub lane: LaneId,
    /// Context blocks of its prompt.
    pub blocks: &'a [Block],
    /// What it is called in the list of problems.
    pub who: &'a str,
    /// What it is asked.
    pub question: Question<'a>,
    /// The form of the answer.
    pub reply_spec: &'a ReplySpec,
    /// How much of an answer that cannot be read goes back to the model, in characters.
    pub longest: usize,
}

impl TextRequest<'_> {
    /// What was read of the answer, or of one repaired answer, and what was wrong with each attempt before. A refusal is not
    /// asked for again.
    ///
    /// # Errors
    /// What stopped the episode.
    pub(crate) async fn once_and_again<T: Send>(
        &self,
        stage: &dyn Stage,
        read: impl Fn(&str) -> Result<T, String> + Send + Sync,
    ) -> Result<(Option<T>, Vec<String>), EpisodeStopped> {
        let lane = self.lane;
        let asked = Consultation { blocks: self.blocks, question: self.question, reply_spec: Some(self.reply_spec) };
        let mut problems = Vec::new();
        let broken = match self.session.consult(stage, lane, asked, &Alone).await? {
            Advice::Text(text) => match read(&text) {
                Ok(found) => return Ok((Some(found), problems)),
                Err(problem) => {
                    let broken = format!("{problem}\n\n{}", bounded(&text, self.longest));
                    problems.push(problem);
                    Some(broken)
                }
            },
            Advice::None(kind) => {
                problems.push(format!("the {} gave nothing: {}", self.who, kind.name()));
                unreadable(kind).map(str::to_owned)
            }
        };
        let Some(broken) = broken else { return Ok((None, problems)) };
        let Some(text) = self.session.repair_of(stage, lane, &broken, asked).await? else {
            return Ok((None, problems));
        };
        Ok(match read(&text) {
            Ok(found) => (Some(found), problems),
            Err(problem) => {
                problems.push(problem);
                (None, problems)
            }
        })
    }
}

/// What to tell an adviser whose answer cannot be read at all, where writing it again may help.
const fn unreadable(kind: ModelErrorKind) -> Option<&'static str> {
    match kind {
        ModelErrorKind::BadShape => Some("the answer did not have the form that is asked for, and cannot be shown"),
        ModelErrorKind::Truncated => Some("the answer was cut off before its end, and cannot be shown: write less"),
        _ => None,
    }
}
