//! The tribunal: one brief, members apart, five answers each, and a count of how far they agree (ARES-098, ARES-122).

use futures::future::join_all;
use gimbal_agent::Agent;
use gimbal_core::{Acted, Block, EpisodeStopped, Hint, LaneId, Milli, Stage, ToolCall};
use gimbal_messages::records::panel::{NoOpinion, Opinion, Ruled};
use gimbal_messages::{StageExt, party};
use serde_json::{Value, json};

use super::opinion::{Answers, Questions};
use super::tally::Tally;
use super::{BROKEN, Panel, expert};
use crate::shared::asking::{MessageRequest, Shape};

/// Most facts that a conclusion cites.
const CITED: usize = 20;
/// Longest reason for a missing opinion, in characters.
const REASON: usize = 400;

impl Panel {
    /// Asks every member on a lane of its own, counts, and concludes.
    ///
    /// # Errors
    /// What stopped the episode.
    pub(super) async fn tribunal(&self, stage: &dyn Stage) -> Result<(), EpisodeStopped> {
        let questions = Questions::of(stage).await?;
        let hint = stage.expert().await.and_then(|call| expert::opinion(&questions, &call, &self.rules));
        let lanes: Vec<LaneId> = self.members.iter().map(|(name, _)| stage.lane(name)).collect();
        let asked = self.members.iter().zip(&lanes).map(|((name, agent), lane)| {
            let hint = hint.clone();
            let questions = &questions;
            async move { self.member(stage, (name.as_str(), agent), *lane, questions, hint).await }
        });
        let given = join_all(asked).await;
        stage.join(&lanes).await;
        let answers = given.into_iter().collect::<Result<Vec<_>, EpisodeStopped>>()?;
        let tally = Tally(&answers);
        for row in tally.table() {
            stage.record(LaneId::MAIN, &row).await;
        }
        let ruled = tally.ruled(self.rule);
        stage.record(LaneId::MAIN, &ruled).await;
        conclude(stage, &questions, &tally, &ruled).await
    }

    /// What one member answers, as it arrives at the chair; `None` if nothing of it can be used.
    async fn member(
        &self,
        stage: &dyn Stage,
        (name, agent): (&str, &Agent),
        lane: LaneId,
        questions: &Questions,
        expert: Option<Hint>,
    ) -> Result<Option<Answers>, EpisodeStopped> {
        let blocks: Vec<Block> = stage.context(lane, &self.context).await?;
        let message = questions.message();
        let contract = &self.contracts.opinion;
        let form = questions.form(contract);
        let (who, target, longest) = ("member", "", BROKEN);
        let asked = MessageRequest {
            agent,
            lane,
            blocks: &blocks,
            who,
            target,
            message: &message,
            shape: Shape::Contract(contract),
            form,
            expert,
            longest,
            mask: false,
        };
        let read = asked.ask(stage, |value| questions.read(value)).await?;
        let arrived = match read {
            Err(problem) => Err(problem),
            Ok(answers) => match stage.send(lane, name, party::CHAIR, "opinion", answers.message()).await {
                Some(message) => questions.read(message),
                None => Err("the answers were lost on their way".to_owned()),
            },
        };
        let (member, role) = (name.to_owned(), agent.role().to_owned());
        match arrived {
            Ok(answers) => {
                let [answer, finding, gap, next, wild_card] = answers.0.clone();
                stage.record(lane, &Opinion { member, role, answer, finding, gap, next, wild_card }).await;
                Ok(Some(answers))
            }
            Err(problem) => {
                let reason = gimbal_messages::bounded(&problem, REASON);
                stage.record(lane, &NoOpinion { member, role, reason }).await;
                Ok(None)
            }
        }
    }
}

/// Makes the answering call with the answer of the rule; the idle call where the rule gives none. A call that the environment refuses is
/// replaced with the idle call, and counted.
async fn conclude(
    stage: &dyn Stage,
    questions: &Questions,
    tally: &Tally<'_>,
    ruled: &Ruled,
) -> Result<(), EpisodeStopped> {
    let idle = stage.brief().idle.clone();
    let Some(answer) = &ruled.answer else {
        let words = format!("no answer by the rule `{}`", ruled.rule);
        stage.act(LaneId::MAIN, &idle, Some(&words)).await?;
        return Ok(());
    };
    let call = call(stage, questions, tally, (answer, ruled.certainty));
    let words = format!("by the rule `{}`", ruled.rule);
    if let Acted::Rejected(rejection) = stage.act(LaneId::MAIN, &call, Some(&words)).await? {
        let reason = format!("the conclusion was refused: {}", rejection.message);
        stage.fallback(LaneId::MAIN, &idle, &reason).await;
        stage.act(LaneId::MAIN, &idle, None).await?;
    }
    Ok(())
}

/// The answering call: the answer, how sure the panel is and the facts that it found, as far as the tool takes them.
fn call(stage: &dyn Stage, questions: &Questions, tally: &Tally<'_>, (answer, certainty): (&str, Milli)) -> ToolCall {
    let (tool, argument) = &questions.call;
    let tools = stage.tools();
    let parameters = tools.iter().find(|spec| spec.name == *tool).map(|spec| &spec.parameters["properties"]);
    let takes = |name: &str| parameters.and_then(|all| all.get(name));
    let mut findings = tally.findings(answer);
    findings.truncate(CITED);
    let mut call = ToolCall::bare(tool);
    for (name, value, text) in [
        ("confidence", share(takes("confidence"), certainty), certainty.to_string()),
        ("facts", json!(findings), findings.join(" ")),
    ] {
        if let Some(schema) = takes(name) {
            let is_text = schema.get("type").and_then(Value::as_str) == Some("string");
            call.arguments.insert(name.to_owned(), if is_text { json!(text) } else { value });
        }
    }
    call.arguments.insert(argument.clone(), json!(answer));
    call
}

/// A share as a schema wants it: a whole number of its largest where it is one, such as percent, else from 0 to 1.
fn share(schema: Option<&Value>, share: Milli) -> Value {
    let schema = schema.filter(|schema| schema.get("type").and_then(Value::as_str) == Some("integer"));
    match schema.and_then(|schema| schema.get("maximum")?.as_i64()) {
        Some(most) => json!((share.0 * most + 500) / 1000),
        None => json!(share.to_f64()),
    }
}
