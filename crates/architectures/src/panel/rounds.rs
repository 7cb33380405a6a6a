//! Rounds: every agent of the game gives a ballot on a lane of its own, and the ballots of a round are one call.
//!
//! An environment that is played so has a tool with the argument `ballots`, a list of `{agent, value, reason, vote}`, and its tracker answers the
//! query `view` about each subject with JSON: `text` (what this agent has seen, and nothing else), `played` (whether a member speaks for it),
//! `may_abstain`, and `values` (the least and the largest value). Where the ballot of an agent is missing, the environment decides for it.

use futures::future::join_all;
use gimbal_agent::Agent;
use gimbal_core::{Acted, Block, EpisodeStopped, LaneId, Stage, ToolCall};
use gimbal_messages::records::panel::Balloted;
use gimbal_messages::{Contract, Form, StageExt, bounded, party, range, typed};
use serde::Deserialize;
use serde_json::{Value, json};

use super::expert::BALLOTS;
use super::messages::{BallotMessage, PublicBallot, Vote};
use super::{BROKEN, Panel, expert};
use crate::shared::asking::{MessageRequest, Shape};

/// The query about what an agent has seen.
pub(super) const VIEW: &str = "view";
/// Longest reason that others read, in characters, as every agent is told.
const REASON: usize = 160;
/// Longest plan for which the contract has no bound, in characters.
const PLAN: usize = 240;

/// What an agent has seen, as its environment tells it.
#[derive(Debug, Deserialize)]
struct View {
    text: String,
    played: bool,
    may_abstain: bool,
    values: (u64, u64),
}

impl View {
    /// The form of a ballot under constrained decoding, with the bounds of its contract.
    fn form(&self, contract: &Contract) -> Form {
        let text = |key: &str, free: usize| Form::text(0, contract.characters(key).unwrap_or(free));
        let (low, high) = self.values;
        let regex = range::whole_numbers(low, high).unwrap_or_else(|| "0".to_owned());
        let number = Form::closed(regex, range::schema(&(low..=high)), high.to_string().len());
        let null = Form::closed("null", json!({ "type": "null" }), 4);
        let forms = if self.may_abstain { vec![number.clone(), null] } else { vec![number.clone()] };
        let value = Form::any_of(&forms).unwrap_or(number);
        Form::object(&[
            ("strategy", text("strategy", PLAN)),
            ("value", value),
            ("reason", text("reason", REASON)),
            ("vote", Form::word(&["stop", "continue"])),
        ])
    }

    /// A ballot that follows the contract, as far as it follows the game.
    fn read(&self, message: Value) -> Result<BallotMessage, String> {
        let ballot: BallotMessage = typed(message)?;
        self.check(ballot.value.map(i128::from))?;
        Ok(ballot)
    }

    /// A ballot as it arrives; `None` if nothing of it can be used.
    fn arrived(&self, message: Value) -> Option<PublicBallot> {
        let ballot: PublicBallot = typed(message).ok()?;
        self.check(ballot.value.map(i128::from)).ok()?;
        Some(PublicBallot { reason: bounded(&ballot.reason, REASON), ..ballot })
    }

    /// Whether a value may be given.
    fn check(&self, value: Option<i128>) -> Result<(), String> {
        let (low, high) = self.values;
        let shown = match value {
            None if self.may_abstain => return Ok(()),
            Some(value) if (i128::from(low)..=i128::from(high)).contains(&value) => return Ok(()),
            None => "null".to_owned(),
            Some(value) => value.to_string(),
        };
        Err(format!("\"value\" is {shown}, and must be a whole number from {low} to {high}"))
    }
}

/// A ballot as the environment and the other agents get it: without the plan.
fn public(BallotMessage { value, reason, vote, .. }: &BallotMessage) -> PublicBallot {
    let value = value.and_then(|value| u64::try_from(value).ok());
    PublicBallot { value, reason: bounded(reason, REASON), vote: *vote }
}

impl Panel {
    /// Plays rounds until the environment ends the episode.
    ///
    /// # Errors
    /// What stopped the episode; a lasting one where the environment is not played by ballots.
    pub(super) async fn play_rounds(&self, stage: &dyn Stage) -> Result<(), EpisodeStopped> {
        let tools = stage.tools();
        let tool = tools.iter().find(|spec| spec.parameters["properties"].get(BALLOTS).is_some());
        let tool = tool.ok_or_else(|| EpisodeStopped::lasting("this environment has no call that takes `ballots`"))?;
        let brief = stage.brief();
        for round in 1.. {
            let expert = stage.expert().await;
            let seats = brief.subjects.iter().enumerate();
            let lanes: Vec<LaneId> = brief.subjects.iter().map(|seat| stage.lane(seat)).collect();
            let asked = seats.zip(&lanes).map(|((place, seat), lane)| {
                let expert = expert.as_ref();
                let (_, agent) = &self.members[place % self.members.len()];
                async move { self.seat(stage, (seat, agent), *lane, round, expert).await }
            });
            let given = join_all(asked).await;
            stage.join(&lanes).await;
            let ballots: Vec<Value> =
                given.into_iter().collect::<Result<Vec<_>, EpisodeStopped>>()?.into_iter().flatten().collect();
            let mut call = ToolCall::bare(&tool.name);
            call.arguments.insert(BALLOTS.to_owned(), Value::Array(ballots));
            if let Acted::Rejected(rejection) = stage.act(LaneId::MAIN, &call, None).await? {
                let reason = format!("the ballots of round {round} were refused: {}", rejection.message);
                stage.fallback(LaneId::MAIN, &brief.idle, &reason).await;
                stage.act(LaneId::MAIN, &brief.idle, None).await?;
            }
        }
        Ok(())
    }

    /// The ballot of an agent as it arrives; `None` if the environment speaks for it, or nothing of it can be used.
    async fn seat(
        &self,
        stage: &dyn Stage,
        (seat, agent): (&str, &Agent),
        lane: LaneId,
        round: u32,
        expert: Option<&ToolCall>,
    ) -> Result<Option<Value>, EpisodeStopped> {
        let view = view(stage, lane, seat).await?;
        if !view.played {
            return Ok(None);
        }
        let expert = expert.and_then(|call| expert::ballot(call, seat, view.values));
        let blocks: Vec<Block> = stage.context(lane, &self.context).await?;
        let contract = &self.contracts.ballot;
        let (shape, form) = (Shape::Contract(contract), view.form(contract));
        let (who, target, message, longest) = ("member", seat, view.text.as_str(), BROKEN);
        let (blocks, mask) = (&blocks[..], false);
        let asked = MessageRequest { agent, lane, blocks, who, target, message, shape, form, expert, longest, mask };
        let given = asked.ask(stage, |value| view.read(value)).await?.ok();
        let arrived = match &given {
            Some(ballot) => stage.send(lane, seat, party::CHAIR, "ballot", json!(public(ballot))).await,
            None => None,
        };
        let arrived = arrived.and_then(|message| view.arrived(message));
        let strategy = given.map(|ballot| ballot.strategy).unwrap_or_default();
        let fallback = arrived.is_none();
        let nothing = || PublicBallot { value: None, reason: String::new(), vote: Vote::Continue };
        let PublicBallot { value, reason, vote } = arrived.clone().unwrap_or_else(nothing);
        let (agent, role, vote) = (seat.to_owned(), agent.role().to_owned(), vote.name().to_owned());
        stage.record(lane, &Balloted { agent, round, role, value, vote, reason, strategy, fallback }).await;
        Ok(arrived.map(|ballot| {
            let mut public = json!(ballot);
            public["agent"] = json!(seat);
            public
        }))
    }
}

/// What an agent has seen so far.
async fn view(stage: &dyn Stage, lane: LaneId, seat: &str) -> Result<View, EpisodeStopped> {
    let asked = ToolCall::with(VIEW, &[("subject", seat)]);
    let text = stage.query(lane, &asked).await;
    let text =
        text.map_err(|rejection| EpisodeStopped::lasting(format!("the view of `{seat}`: {}", rejection.message)))?;
    serde_json::from_str(&text)
        .map_err(|error| EpisodeStopped::lasting(format!("the view of `{seat}` is not a view: {error}")))
}
