//! Criteria of subgoals that the tracker answers: what a planner is told about its queries, and which subgoals they meet (CTHA-091).

use gimbal_core::{LaneId, ToolCall, ToolSpec};
use gimbal_messages::records::temporal::SubgoalReached;
use gimbal_messages::{StageExt, bounded};
use gimbal_temporal::contracts::{Criterion, Subgoal};
use serde_json::{Value, json};

use super::Temporal;
use super::state::Episode;
use super::turn::Turn;

/// Most queries that a planner is told about.
const QUERIES: usize = 4;
/// Longest answer that is shown as an example, in characters.
const ANSWER: usize = 240;

/// What a planner is told about the queries of the tracker, each with an answer of now where it is about one subject.
pub(super) async fn offered(turn: &Turn<'_>, lane: LaneId) -> Value {
    let mut told = Vec::new();
    for query in turn.stage.queries().iter().filter(|query| query.required().next().is_some()).take(QUERIES) {
        let name = turn.brief.tool_name(&query.name);
        let parameters: Vec<&str> = query.required().collect();
        let mut check = json!({ "query": format!("{name}({})", parameters.join(", ")), "says": query.description });
        if let Some((subject, answer)) = example(turn, lane, query, &parameters).await {
            check["example"] = json!({ "query": format!("{name}({subject})"), "answer": answer });
        }
        told.push(check);
    }
    Value::Array(told)
}

/// The answer for the first subject, where the query takes one subject.
async fn example(turn: &Turn<'_>, lane: LaneId, query: &ToolSpec, parameters: &[&str]) -> Option<(String, Value)> {
    let (&[parameter], subject) = (parameters, turn.brief.subjects.first()?) else { return None };
    let call = ToolCall::with(&query.name, &[(parameter, subject)]);
    let answer = turn.stage.query(lane, &call).await.ok()?;
    // A whole answer as it is, so that its members can be read off; a long one is cut and can only be text.
    let whole = serde_json::from_str(&answer).ok().filter(|_| answer.chars().count() <= ANSWER);
    Some((subject.clone(), whole.unwrap_or_else(|| Value::from(bounded(&answer, ANSWER)))))
}

/// Whether the criterion of a subgoal holds, by the tracker's answers; `None` where it is no such criterion, or the answers do not tell.
async fn holds(turn: &Turn<'_>, subgoal: &Subgoal) -> Option<bool> {
    let criterion: Criterion = subgoal.success_criteria.parse().ok()?;
    let calls = criterion.calls(&turn.stage.queries(), &turn.brief.tool_names);
    let mut answers = Vec::with_capacity(calls.len());
    for call in calls {
        answers.push(match call {
            Some(call) => turn.stage.query(LaneId::MAIN, &call).await.ok(),
            None => None,
        });
    }
    criterion.holds(&answers)
}

impl Temporal {
    /// Takes up the subgoals that are ready and whose criteria hold by the tracker's answers; what becomes ready by that is judged, too.
    pub(super) async fn check(&self, turn: &Turn<'_>, episode: &mut Episode) {
        if !self.contracts {
            return;
        }
        let mut met = false;
        loop {
            let Some(made) = &episode.plan else { return };
            let ready: Vec<Subgoal> = made.plan.ready(&episode.reached).into_iter().cloned().collect();
            let mut more = false;
            for subgoal in ready {
                if holds(turn, &subgoal).await == Some(true) {
                    let by = "query".to_owned();
                    let record = SubgoalReached { step: episode.step, subgoal: subgoal.id.clone(), by };
                    turn.stage.record(LaneId::MAIN, &record).await;
                    more |= episode.reached.insert(subgoal.id);
                }
            }
            met |= more;
            if !more {
                break;
            }
        }
        if met {
            self.renew(turn, episode).await;
        }
    }

    /// Whether the tracker says of a subgoal in force that it is not met: then nobody's word counts.
    pub(super) async fn contradicted(&self, turn: &Turn<'_>, episode: &Episode, subgoal: &str) -> bool {
        let Some(made) = &episode.plan else { return false };
        match made.plan.subgoals.iter().find(|one| one.id == subgoal) {
            Some(subgoal) => holds(turn, subgoal).await == Some(false),
            None => false,
        }
    }
}
