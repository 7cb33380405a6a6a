//! The summariser: what led to success in a won episode, in a model's words, for planners of other tasks (n-shot, CYC-023).

use std::sync::{Arc, Mutex, PoisonError};

use async_trait::async_trait;
use gimbal_agent::prompt::Question;
use gimbal_agent::reading::object;
use gimbal_agent::{Agent, Answer, Family, Overrides, ReplySpec, Team};
use gimbal_core::{
    Architecture, ArchitectureKind, BuildError, EpisodeStopped, Files, Hint, LaneId, Needs, RecordKind, Stage, ToolCall,
};
use gimbal_messages::records::engine;
use gimbal_messages::{Form, bounded, party, spaced};
use schemars::JsonSchema;
use serde::Deserialize;
use serde_json::{Value, json};
use thiserror::Error;

use super::analysis::printable;
use super::messages;
use crate::shared::asking::TextRequest;
use crate::shared::member::{Member, Place};

/// Longest summary that is taken from a model, in characters.
const SUMMARY: usize = 1_000;
/// The same where the form is enforced, so that a small model ends.
const ENFORCED: usize = 400;
/// Longest task, in characters.
const TASK: usize = 2_000;
/// Longest goal of a subtask, call and result, in characters.
const WORDS: usize = 300;
/// Most calls of a segment, the latest ones.
const CALLS: usize = 12;
/// Most calls in all: those of the latest segments.
const ALL_CALLS: usize = 60;
/// Most segments, the latest ones.
const SEGMENTS: usize = 40;
/// How much of an answer without a summary goes back to the model, in characters.
const BROKEN: usize = 4_000;

/// A call of an episode, and its result.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct CallResult {
    /// The call.
    pub call: ToolCall,
    /// What the agent saw then, or why the call was refused.
    pub result: String,
}

/// A segment of work on one subtask.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct WorkSegment {
    /// Name of the subtask.
    pub subtask: String,
    /// Its goal.
    pub goal: String,
    /// The calls, in order.
    pub calls: Vec<CallResult>,
    /// How it ended, in words.
    pub ended: String,
}

/// An episode that was won.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Won {
    /// The task, where the episode's first observation says it; else the environment's goal.
    pub task: Option<String>,
    /// The work, in order.
    pub segments: Vec<WorkSegment>,
    /// The summary that plain code makes of it: what an expert would write, for the noisy expert. It is never taken
    /// in the place of a model's.
    pub plain: String,
}

/// Why there is no summary.
#[derive(Clone, Debug, Error, PartialEq, Eq)]
#[error("{}", .problems.join("; once more: "))]
pub struct NoSummary {
    /// What was wrong, one entry an attempt.
    pub problems: Vec<String>,
}

/// What a summariser came to.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Summarised {
    /// The summary; `None` if what was written held none, also after one repair.
    pub summary: Option<String>,
    /// What was wrong, one entry an attempt.
    pub problems: Vec<String>,
}

impl Summarised {
    /// The summary.
    ///
    /// # Errors
    /// When there is none: never another text in its place.
    pub fn into_summary(self) -> Result<String, NoSummary> {
        self.summary.ok_or(NoSummary { problems: self.problems })
    }
}

/// Settings of the summariser.
#[derive(Debug, Default, Deserialize, JsonSchema)]
#[serde(default)]
pub struct SummariserSettings {
    /// Its persona, role and overrides.
    pub summariser: Member,
    /// Overrides of its persona.
    #[serde(flatten)]
    pub agent: Overrides,
}

/// The family of one agent that sums up won episodes. No study plays it: `gimbal graph shots` does, one episode after another.
#[derive(Debug)]
pub struct SummariserKind;

impl ArchitectureKind for SummariserKind {
    fn name(&self) -> &'static str {
        Summariser::PLACE
    }

    fn schema(&self) -> Value {
        crate::shared::settings::schema::<SummariserSettings>()
    }

    /// The work on an episode without calls; [`Summariser::of`] gives it one.
    fn build(&self, settings: &Value, files: &dyn Files) -> Result<Arc<dyn Architecture>, BuildError> {
        Ok(Arc::new(Summariser::new(settings, files)?.of(Won::default())))
    }

    fn records(&self) -> Vec<RecordKind> {
        engine::KINDS.to_vec()
    }
}

impl Family for SummariserKind {
    fn answers(&self) -> Vec<Answer> {
        vec![Answer::new(Summariser::PLACE, &messages::SUMMARY)]
    }

    fn team(&self, settings: &Value, files: &dyn Files) -> Result<Team, BuildError> {
        Ok(Team::new([(Summariser::PLACE, agent(settings, files)?)], Vec::new()))
    }
}

/// The agent of these settings.
fn agent(settings: &Value, files: &dyn Files) -> Result<Agent, BuildError> {
    let SummariserSettings { summariser, agent } = crate::shared::settings::read(Summariser::PLACE, settings)?;
    let name = Summariser::PLACE;
    let place = Place { name, persona: name, message: Some(&messages::SUMMARY), delegates: &[] };
    place.agent(name, (&summariser, &agent), files)
}

/// The agent that writes summaries.
pub struct Summariser {
    agent: Arc<Agent>,
}

impl Summariser {
    /// The name of its place, which is its role by default.
    pub const PLACE: &'static str = "summariser";

    /// The summariser of these settings.
    ///
    /// # Errors
    /// Which key or file is wrong, and what would be right.
    pub fn new(settings: &Value, files: &dyn Files) -> Result<Self, BuildError> {
        Ok(Self { agent: Arc::new(agent(settings, files)?) })
    }

    /// The work of summing up one episode, to be played on a stage of its environment.
    #[must_use]
    pub fn of(&self, won: Won) -> Summarising {
        Summarising { agent: Arc::clone(&self.agent), won, made: Mutex::default() }
    }
}

/// Sums up one episode and does nothing else.
pub struct Summarising {
    agent: Arc<Agent>,
    won: Won,
    made: Mutex<Option<Summarised>>,
}

impl Summarising {
    /// What the last play came to.
    #[must_use]
    pub fn made(&self) -> Option<Summarised> {
        self.made.lock().unwrap_or_else(PoisonError::into_inner).clone()
    }

    /// What the summariser is told.
    async fn request(&self, stage: &dyn Stage) -> Value {
        let brief = stage.brief();
        let task = self.won.task.as_deref().unwrap_or(&brief.goal);
        let skipped = self.won.segments.len().saturating_sub(SEGMENTS);
        let segments = &self.won.segments[skipped..];
        let mut subtasks: Vec<Value> = Vec::new();
        for segment in segments {
            if !subtasks.iter().any(|known| known["name"] == segment.subtask) {
                subtasks.push(json!({ "name": segment.subtask, "goal": bounded(&segment.goal, WORDS) }));
            }
        }
        let (mut left, mut work) = (ALL_CALLS, Vec::new());
        // The end of the work decides: the latest calls are shown.
        for segment in segments.iter().rev() {
            let shown = segment.calls.len().min(CALLS).min(left);
            left -= shown;
            let earlier = segment.calls.len() - shown;
            let mut calls = Vec::with_capacity(shown);
            for CallResult { call, result } in &segment.calls[earlier..] {
                let call = stage.render(call).await;
                calls.push(json!({ "call": bounded(&call, WORDS), "result": bounded(result.trim(), WORDS) }));
            }
            work.push(json!({
                "subtask": segment.subtask, "earlier_calls": earlier, "calls": calls, "ended": segment.ended,
            }));
        }
        work.reverse();
        let mut request = json!({
            "environment": brief.role, "task": bounded(task.trim(), TASK), "subtasks": subtasks, "work": work,
        });
        if skipped > 0 {
            request["earlier_segments"] = skipped.into();
        }
        request
    }

    fn reply_spec(&self, hints: bool) -> ReplySpec {
        let form = Form::object(&[("summary", Form::text(1, ENFORCED))]);
        let expert = hints.then(|| {
            let say = |text: &str| spaced(&json!({ "summary": text }));
            // What goes wrong with summaries: one that tells nothing, none at all, a text without its form.
            Hint {
                answer: say(&printable(&self.won.plain, ENFORCED)),
                alternatives: vec![say("The task was completed."), say(""), "The task was completed.".to_owned()],
            }
        });
        ReplySpec { form, expert, mask: false }
    }
}

/// The summary that a model wrote, on one line, or what is wrong with it.
fn read(text: &str) -> Result<String, String> {
    let (members, _) = object(text).ok_or("this holds no JSON object with a summary")?;
    let summary = members.get("summary").ok_or("the key `summary` is missing")?;
    let summary = summary.as_str().ok_or("`summary` must be a text")?;
    let summary = summary.split_whitespace().collect::<Vec<_>>().join(" ");
    if !summary.chars().any(char::is_alphanumeric) {
        return Err("`summary` is empty".to_owned());
    }
    Ok(bounded(&summary, SUMMARY).trim_end().to_owned())
}

#[async_trait]
impl Architecture for Summarising {
    fn needs(&self) -> Needs {
        let mut needs = Needs::default();
        needs.add_agent(self.agent.needs());
        needs
    }

    fn resolved(&self) -> Value {
        json!({ "summarises": self.agent.resolved() })
    }

    async fn play(&self, stage: &dyn Stage) -> Result<(), EpisodeStopped> {
        let lane = LaneId::MAIN;
        let request = self.request(stage).await;
        let message = stage.send(lane, party::JOURNAL, self.agent.role(), "summary", request).await.unwrap_or_default();
        let text = spaced(&message);
        let session = self.agent.session(stage).await?;
        let reply_spec = self.reply_spec(stage.expert().await.is_some());
        let question = Question { target: "", message: &text };
        let ask = TextRequest {
            session: &session,
            lane,
            blocks: &[],
            who: "model",
            question,
            reply_spec: &reply_spec,
            longest: BROKEN,
        };
        let (summary, problems) = ask.once_and_again(stage, read).await?;
        *self.made.lock().unwrap_or_else(PoisonError::into_inner) = Some(Summarised { summary, problems });
        Ok(())
    }
}

#[cfg(test)]
mod tests {
    use super::{SUMMARY, read};

    // covers: CYC-023
    #[test]
    fn a_summary_is_one_line_of_bounded_length_and_what_holds_no_words_is_none() {
        let good = r#"{"summary": " First gather,\n then  craft. "}"#;
        for written in [good.to_owned(), format!("```json\n{good}\n```"), format!("Answer: {good}")] {
            assert_eq!(read(&written).as_deref(), Ok("First gather, then craft."), "{written}");
        }
        let long = format!("{{\"summary\": \"{}\"}}", "é ".repeat(5_000));
        assert_eq!(read(&long).unwrap().chars().count(), SUMMARY - 1, "cut, without the blank at its end");
        for (written, says) in [
            ("First gather.", "no JSON object"),
            (r#"{"text": "First gather."}"#, "the key `summary` is missing"),
            (r#"{"summary": ["First gather."]}"#, "must be a text"),
            (r#"{"summary": ""}"#, "is empty"),
            (r#"{"summary": " -- ... "}"#, "is empty"),
            ("", "no JSON object"),
        ] {
            assert!(read(written).unwrap_err().contains(says), "{written}");
        }
    }
}
