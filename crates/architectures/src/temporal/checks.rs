//! Criteria of subgoals that the tracker answers: what a planner is told about its queries, and which subgoals they meet (CTHA-091).

use gimbal_core::{LaneId, ToolCall, ToolSpec};
use gimbal_messages::records::temporal::SubgoalReached;
use gimbal_messages::{StageExt, bounded, spaced};
use gimbal_temporal::contracts::{Criterion, Subgoal};
use serde_json::{Value, json};

use super::Temporal;
use super::state::Episode;
use super::turn::Turn;

/// The parameter that takes the name of a subject, in all trackers.
const SUBJECT: &str = "subject";
/// The query for what was expected of a subject at the start, in all trackers: nothing that is done changes its answer.
const BASELINE: &str = "subject_baseline";
/// Most queries that a planner is told about.
const QUERIES: usize = 4;
/// Longest text that an example of a criterion is about, in bytes.
const WORD: usize = 40;
/// Longest answer that is shown as an example, in characters.
const ANSWER: usize = 240;

/// What a planner is told about the queries of the tracker, each with an answer of now and a criterion that holds by it. A query of which none can be
/// written is not offered: nothing would say when a subgoal is met by it.
pub(super) async fn offered(turn: &Turn<'_>, lane: LaneId) -> Value {
    let mut told = Vec::new();
    for query in turn.stage.queries().iter().filter(|query| query.name != BASELINE).take(QUERIES) {
        let name = turn.brief.tool_name(&query.name);
        let parameters: Vec<&str> = query.required().collect();
        let Some((subject, answer)) = example(turn, lane, query, &parameters).await else { continue };
        let asked = format!("{name}({subject})");
        let Some(criterion) = criterion(&asked, &subject, &answer) else { continue };
        told.push(json!({
            "query": format!("{name}({})", parameters.join(", ")), "says": query.description, "criterion": criterion,
            "example": { "query": asked, "answer": answer }
        }));
    }
    Value::Array(told)
}

/// The answer for the first subject, where the query takes one subject and nothing else: an answer or a matter is not a name.
async fn example(turn: &Turn<'_>, lane: LaneId, query: &ToolSpec, parameters: &[&str]) -> Option<(String, Value)> {
    let (&[SUBJECT], subject) = (parameters, turn.brief.subjects.first()?) else { return None };
    let call = ToolCall::with(&query.name, &[(SUBJECT, subject)]);
    let answer = turn.stage.query(lane, &call).await.ok()?;
    Some((subject.clone(), shortened(&answer)))
}

/// A whole answer as it is, so that its members can be read off. Of a long object the members that a criterion can be compared with; a long text is
/// cut.
fn shortened(answer: &str) -> Value {
    let short = answer.chars().count() <= ANSWER;
    match serde_json::from_str::<Value>(answer) {
        Ok(whole) if short => whole,
        Ok(Value::Object(members)) => {
            let plain = members.into_iter().filter(|(_, value)| !value.is_object() && !value.is_array());
            let mut kept = serde_json::Map::new();
            for (name, value) in plain {
                kept.insert(name.clone(), value);
                if spaced(&Value::Object(kept.clone())).chars().count() > ANSWER {
                    kept.remove(&name);
                }
            }
            Value::Object(kept)
        }
        _ => Value::from(bounded(answer, ANSWER)),
    }
}

/// A criterion that holds now, as a planner would write it: about the first member that says something of the subject.
fn criterion(asked: &str, subject: &str, answer: &Value) -> Option<String> {
    let says = |value: &Value| match value {
        Value::String(text) => (text != subject && !text.is_empty() && text.len() <= WORD).then(|| quoted(text)),
        Value::Bool(_) | Value::Number(_) => Some(value.to_string()),
        Value::Null | Value::Array(_) | Value::Object(_) => None,
    };
    let members = answer.as_object()?.iter();
    let (name, value) = members.filter_map(|(name, value)| Some((name, says(value)?))).next()?;
    let written = format!("{asked}.{name} is {value}");
    written.parse::<Criterion>().is_ok().then_some(written)
}

/// A text as criteria write it: in quotation marks where it holds more than one word.
fn quoted(text: &str) -> String {
    let plain = text.chars().all(|letter| letter.is_alphanumeric() || matches!(letter, '_' | '-'));
    if plain { text.to_owned() } else { Value::from(text).to_string() }
}

/// Whether the criterion of a subgoal holds, by the tracker's answers; `None` where it is not such a criterion, or the answers do not tell.
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

#[cfg(test)]
mod tests {
    use gimbal_temporal::contracts::Criterion;
    use serde_json::{Value, json};

    use super::{ANSWER, criterion, shortened};

    // covers: CTHA-091
    #[test]
    fn an_example_of_a_criterion_is_one_that_code_judges_and_that_holds_now() {
        for (answer, expected) in [
            (
                json!({ "host_name": "User1", "current_status": "baseline" }),
                Some("state(User1).current_status is baseline"),
            ),
            (json!({ "carried": 4 }), Some("state(User1).carried is 4")),
            (
                json!({ "holds": ["pen 1"], "place": "on the desk, left" }),
                Some("state(User1).place is \"on the desk, left\""),
            ),
            (json!({ "holds": [] }), None),
            (json!("a text"), None),
        ] {
            let found = criterion("state(User1)", "User1", &answer);
            assert_eq!(found.as_deref(), expected, "{answer}");
            let holds = found.map(|text| text.parse::<Criterion>().unwrap().holds(&[Some(answer.to_string())]));
            assert!(holds.is_none_or(|holds| holds == Some(true)), "{answer}");
        }
    }

    #[test]
    fn a_long_answer_is_shown_by_the_members_that_can_be_compared() {
        let long = json!({ "host_name": "User1", "state": { "processes": vec!["p"; 200] }, "current_status": "changed", "note": "x".repeat(300) });
        assert_eq!(shortened(&long.to_string()), json!({ "host_name": "User1", "current_status": "changed" }));
        assert_eq!(shortened(r#"{"a": [1]}"#), json!({ "a": [1] }));
        assert!(matches!(shortened(&"x".repeat(500)), Value::String(text) if text.chars().count() <= ANSWER));
    }
}
