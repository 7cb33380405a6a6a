//! Asking an agent of a debate for a message of a contract, with one repair.

use gimbal_agent::prompt::Question;
use gimbal_agent::reading::{keyed, object};
use gimbal_agent::{Agent, ReplySpec};
use gimbal_core::{Halt, Hint, LaneId, Stage};
use gimbal_messages::records::hierarchy::Parsed;
use gimbal_messages::{Accepted, Contract, Form, StageExt, Tier, spaced};
use serde_json::Value;
use std::sync::Mutex;
use std::sync::PoisonError;

use super::case::{Case, reshaped};
use crate::asked::Ask;

/// How much of an answer that cannot be used goes back to the model, in characters.
const BROKEN: usize = 4_000;

/// Who is asked for what.
pub(super) struct Request<'a> {
    /// The agent.
    pub agent: &'a Agent,
    /// The contract of its message.
    pub contract: &'a Contract,
    /// What it is told beside the packet.
    pub message: &'a Value,
    /// The form of its message.
    pub form: Form,
    /// What an expert would say.
    pub expert: Option<Hint>,
}

impl Request<'_> {
    /// The message; none where the model gives none that follows the contract. How it was read is recorded.
    ///
    /// # Errors
    /// The halt that ended the episode.
    pub(super) async fn ask(self, case: &Case<'_>, stage: &dyn Stage, lane: LaneId) -> Result<Option<Value>, Halt> {
        let Self { agent, contract, message, form, expert } = self;
        let blocks = stage.context(lane, &case.debate.context).await?;
        let text = spaced(message);
        let session = agent.session(stage).await?;
        let reply_spec = ReplySpec { form, expert };
        let question = Question { target: "", message: &text };
        let ask = Ask {
            session: &session,
            lane,
            blocks: &blocks,
            who: "agent",
            question,
            reply_spec: &reply_spec,
            longest: BROKEN,
        };
        let last = Mutex::new((Tier::Default, Vec::new(), None));
        let count = |text: &str| stage.tokens(agent.role(), text);
        let read = |text: &str| {
            let (members, tier) = object(text).ok_or_else(|| "the answer is not one JSON object".to_owned())?;
            let value = keyed(Value::Object(members)).ok_or_else(|| "the answer names a key twice".to_owned())?;
            let Accepted { value, tier, changes, tokens } =
                contract.accept_within(value, tier, &count).map_err(|refused| refused.to_string())?;
            *last.lock().unwrap_or_else(PoisonError::into_inner) = (tier, changes, tokens);
            Ok(value)
        };
        let (value, problems) = ask.once_and_again(stage, read).await?;
        let (tier, changes, tokens) = last.into_inner().unwrap_or_else(PoisonError::into_inner);
        let tier = if value.is_some() && !problems.is_empty() { Tier::Repaired } else { tier };
        let parsed = Parsed { contract: contract.name().to_owned(), tier, unread: None, tokens };
        stage.record(lane, &parsed).await;
        reshaped(stage, lane, agent.role(), contract.name(), &changes).await;
        Ok(value)
    }
}
