//! Asking an agent for a message, with one repair. How it was read is recorded.

use std::sync::{Mutex, PoisonError};

use gimbal_agent::prompt::Question;
use gimbal_agent::reading::{keyed, object};
use gimbal_agent::{Agent, ReplySpec};
use gimbal_core::{Block, EpisodeStopped, Hint, LaneId, Stage};
use gimbal_messages::records::reading::{Parsed, Reshaped};
use gimbal_messages::{Accepted, Change, ChangeKind, Contract, Form, StageExt, Tier};
use serde_json::Value;

use super::TextRequest;

/// What a message must be before it is looked at any closer.
#[derive(Clone, Copy)]
pub(crate) enum Shape<'a> {
    /// What follows this contract, after rules brought it into shape.
    Contract(&'a Contract),
    /// Any object, under this name: whoever asks brings it into shape.
    Object(&'a str),
}

impl Shape<'_> {
    fn name(&self) -> &str {
        match self {
            Self::Contract(contract) => contract.name(),
            Self::Object(name) => name,
        }
    }
}

/// Who is asked for what.
pub(crate) struct MessageRequest<'a> {
    /// The agent.
    pub agent: &'a Agent,
    /// Its lane.
    pub lane: LaneId,
    /// What it sees.
    pub blocks: &'a [Block],
    /// What it is called in the list of problems.
    pub who: &'a str,
    /// The subject that it speaks for; empty where there is none.
    pub target: &'a str,
    /// What it is told beside the blocks.
    pub message: &'a str,
    /// What its message must be.
    pub shape: Shape<'a>,
    /// The form of its message.
    pub form: Form,
    /// What an expert would say.
    pub expert: Option<Hint>,
    /// How much of an answer that cannot be used goes back to the model, in characters.
    pub longest: usize,
    /// Whether the repair is held to the form by a mask where the role's model can be given one: its tier is then
    /// [`Tier::Constrained`] (CTHA-045).
    pub mask: bool,
}

impl MessageRequest<'_> {
    /// The message as `check` reads it, or what was wrong with the last attempt.
    ///
    /// # Errors
    /// What stopped the episode.
    pub(crate) async fn ask<T: Send>(
        self,
        stage: &dyn Stage,
        check: impl Fn(Value) -> Result<T, String> + Send + Sync,
    ) -> Result<Result<T, String>, EpisodeStopped> {
        let Self { agent, lane, blocks, who, target, message, shape, form, expert, longest, mask } = self;
        let session = agent.session(stage).await?;
        let reply_spec = ReplySpec { form, expert, mask };
        let question = Question { target, message };
        let ask = TextRequest { session: &session, lane, blocks, who, question, reply_spec: &reply_spec, longest };
        let last = Mutex::new((Tier::Default, Vec::new(), None));
        let count = |text: &str| stage.tokens(agent.role(), text);
        let read = |text: &str| {
            let (members, tier) = object(text).ok_or_else(|| "the answer is not one JSON object".to_owned())?;
            let value = keyed(Value::Object(members)).ok_or_else(|| "the answer names a key twice".to_owned())?;
            let accepted = match shape {
                Shape::Contract(contract) => {
                    contract.accept_within(value, tier, &count).map_err(|refused| refused.to_string())?
                }
                Shape::Object(_) => Accepted { value, tier, changes: Vec::new(), tokens: None },
            };
            let found = check(accepted.value)?;
            *last.lock().unwrap_or_else(PoisonError::into_inner) = (accepted.tier, accepted.changes, accepted.tokens);
            Ok(found)
        };
        let (found, problems) = ask.once_and_again(stage, read).await?;
        let (tier, changes, tokens) = last.into_inner().unwrap_or_else(PoisonError::into_inner);
        let tier = match found.is_some() && !problems.is_empty() {
            false => tier,
            true if reply_spec.mask(stage, agent.role()).is_some() => Tier::Constrained,
            true => Tier::Repaired,
        };
        let parsed = Parsed { contract: shape.name().to_owned(), tier, unread: None, tokens };
        stage.record(lane, &parsed).await;
        reshaped(stage, lane, agent.role(), shape.name(), &changes).await;
        Ok(found.ok_or_else(|| problems.last().cloned().unwrap_or_else(|| "no answer was given".to_owned())))
    }
}

/// Records what rules changed of a message, where they changed anything.
pub(crate) async fn reshaped(stage: &dyn Stage, lane: LaneId, role: &str, contract: &str, changes: &[Change]) {
    if changes.is_empty() {
        return;
    }
    let count = |kind: ChangeKind| {
        u32::try_from(changes.iter().filter(|change| change.kind == kind).count()).unwrap_or(u32::MAX)
    };
    let record = Reshaped {
        role: role.to_owned(),
        contract: contract.to_owned(),
        coerced: count(ChangeKind::Coerced),
        clipped: count(ChangeKind::Clipped),
        dropped: count(ChangeKind::Dropped),
        filled: count(ChangeKind::Filled),
    };
    stage.record(lane, &record).await;
}
