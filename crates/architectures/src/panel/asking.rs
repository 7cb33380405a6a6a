//! Asking a member for its message, with one repair.

use std::sync::{Mutex, PoisonError};

use gimbal_agent::prompt::Question;
use gimbal_agent::reading::{keyed, object};
use gimbal_agent::{Agent, ReplySpec};
use gimbal_core::{Block, Halt, Hint, LaneId, Stage};
use gimbal_messages::records::hierarchy::Parsed;
use gimbal_messages::{Contract, Form, StageExt, Tier};
use serde_json::Value;

use crate::asked::Ask;
use crate::debate::case::reshaped;

/// How much of an answer that cannot be used goes back to the model, in characters.
const BROKEN: usize = 2_000;

/// Who is asked for what.
pub(super) struct Asking<'a> {
    /// The agent of the member.
    pub agent: &'a Agent,
    /// Its lane.
    pub lane: LaneId,
    /// What it sees.
    pub blocks: &'a [Block],
    /// The subject that it speaks for; empty where there is none.
    pub target: &'a str,
    /// What it is told beside the blocks.
    pub message: &'a str,
    /// The contract of its message.
    pub contract: &'a Contract,
    /// The form of its message.
    pub form: Form,
    /// What an expert would say.
    pub expert: Option<Hint>,
}

impl Asking<'_> {
    /// The message as `check` reads it, or what was wrong with the last attempt. How it was read is recorded.
    ///
    /// # Errors
    /// The halt that ended the episode.
    pub(super) async fn ask<T: Send>(
        self,
        stage: &dyn Stage,
        check: impl Fn(&Value) -> Result<T, String> + Send + Sync,
    ) -> Result<Result<T, String>, Halt> {
        let Self { agent, lane, blocks, target, message, contract, form, expert } = self;
        let session = agent.session(stage).await?;
        let reply_spec = ReplySpec { form, expert };
        let question = Question { target, message };
        let who = "member";
        let ask = Ask { session: &session, lane, blocks, who, question, reply_spec: &reply_spec, longest: BROKEN };
        let last = Mutex::new((Tier::Default, Vec::new()));
        let read = |text: &str| {
            let (members, tier) = object(text).ok_or_else(|| "the answer is not one JSON object".to_owned())?;
            let value = keyed(Value::Object(members)).ok_or_else(|| "the answer names a key twice".to_owned())?;
            let accepted = contract.accept(value, tier).map_err(|refused| refused.to_string())?;
            let found = check(&accepted.value)?;
            *last.lock().unwrap_or_else(PoisonError::into_inner) = (accepted.tier, accepted.changes);
            Ok(found)
        };
        let (found, problems) = ask.once_and_again(stage, read).await?;
        let (tier, changes) = last.into_inner().unwrap_or_else(PoisonError::into_inner);
        let tier = if found.is_some() && !problems.is_empty() { Tier::Repaired } else { tier };
        stage.record(lane, &Parsed { contract: contract.name().to_owned(), tier, unread: None }).await;
        reshaped(stage, lane, agent.role(), contract.name(), &changes).await;
        Ok(found.ok_or_else(|| problems.last().cloned().unwrap_or_else(|| "no answer was given".to_owned())))
    }
}
