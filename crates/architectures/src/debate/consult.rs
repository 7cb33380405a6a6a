//! Asking an agent of a debate for a message of a contract.

use gimbal_agent::Agent;
use gimbal_core::{EpisodeStopped, Hint, LaneId, Stage};
use gimbal_messages::{Contract, Form, spaced, typed};
use serde::de::DeserializeOwned;
use serde_json::Value;

use super::case::Case;
use crate::shared::asking::{MessageRequest, Shape};

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
    /// The message as the type of its contract; `None` if the model gives none that follows it. How it was read is recorded.
    ///
    /// # Errors
    /// What stopped the episode.
    pub(super) async fn ask<T: DeserializeOwned + Send>(
        self,
        case: &Case<'_>,
        stage: &dyn Stage,
        lane: LaneId,
    ) -> Result<Option<T>, EpisodeStopped> {
        let Self { agent, contract, message, form, expert } = self;
        let blocks = stage.context(lane, &case.debate.context).await?;
        let message = spaced(message);
        let asked = MessageRequest {
            agent,
            lane,
            blocks: &blocks,
            who: "agent",
            target: "",
            message: &message,
            shape: Shape::Contract(contract),
            form,
            expert,
            longest: BROKEN,
            mask: false,
        };
        Ok(asked.ask(stage, typed).await?.ok())
    }
}
