//! Judging the stored answers of a finished run again, from its journals alone and without playing.
//!
//! Verdicts are kept beside the run, in `rescored/JUDGE.jsonl`: one line each, on the disk before the next question to the
//! same model leaves. The journals, the index and the run's digest stay as they are. An interrupted rescore goes on where
//! it stopped: what a model has answered is not asked again.

mod file;
mod judge;
mod report;

use std::collections::BTreeMap;
use std::path::PathBuf;
use std::sync::Arc;

use gimbal_core::event::{Body, Event};
use gimbal_core::questions::AtPlay;
use gimbal_core::{Digest, EnvError, Exam, Stop, TaskId, TextRef, ToolCall};
use serde_json::Value;
use thiserror::Error;

pub use file::{Outcome, Row, Verdicts};
pub use judge::{Judging, by_code, by_model};
pub use report::{JudgeFigures, RescoreReport};

use crate::plan::{Stored, StoredCell};
use crate::read::{LazyTexts, Walk};
use crate::registry::Registry;
use crate::run::{Finished, RunError, RunFolder};

/// Why answers cannot be judged again.
#[derive(Debug, Error)]
pub enum RescoreError {
    /// The run folder cannot be read.
    #[error(transparent)]
    Run(#[from] RunError),
    /// No environment of the run has answers to judge.
    #[error("{0}: this environment has no answers to judge; rescore runs of: {1}")]
    NoAnswers(String, String),
    /// A question of the run cannot be had.
    #[error("task `{task}`: {error}")]
    Question {
        /// The task.
        task: String,
        /// Why.
        error: EnvError,
    },
    /// The file of verdicts cannot be used.
    #[error("{}: {what}", .path.display())]
    File {
        /// Which.
        path: PathBuf,
        /// What is wrong, and how to fix it.
        what: String,
    },
}

impl RescoreError {
    /// The program's exit code: 2 where what was asked for is wrong, 3 where the environment is.
    #[must_use]
    pub const fn exit_code(&self) -> u8 {
        match self {
            Self::Run(error) => error.exit_code(),
            Self::NoAnswers(..) | Self::Question { error: EnvError::Usage(_) | EnvError::Option { .. }, .. } => 2,
            Self::Question { .. } | Self::File { .. } => 3,
        }
    }
}

/// A finished episode of an environment of questions.
#[derive(Clone)]
pub struct Answered {
    /// Place of its cell among the run's.
    pub cell: usize,
    /// Key of the episode.
    pub key: Digest,
    /// Task.
    pub task: String,
    /// Run, from 0.
    pub run: u32,
    /// Trial of the session, from 0.
    pub trial: u32,
    /// The answer; `None` where the episode ended without one.
    pub answer: Option<String>,
    /// The verdicts at play; `None` where the journal has none.
    pub at_play: Option<AtPlay>,
    /// What the answer is held to.
    pub exam: Arc<dyn Exam>,
}

/// The finished episodes of all environments of questions, in order of cell, task and run.
///
/// # Errors
/// When no environment of the run has answers, a question cannot be had, or the run cannot be read.
pub fn answers(folder: &RunFolder, stored: &Stored, registry: &Registry) -> Result<Vec<Answered>, RescoreError> {
    let name = |cell: &StoredCell| cell.identity["environment"]["name"].as_str().unwrap_or_default().to_owned();
    let cells: BTreeMap<&str, usize> = stored
        .cells
        .iter()
        .enumerate()
        .filter(|(_, cell)| registry.environment(&name(cell)).is_some_and(|family| family.questions().is_some()))
        .map(|(place, cell)| (cell.info.id.as_str(), place))
        .collect();
    if cells.is_empty() {
        let mut played: Vec<String> = stored.cells.iter().map(name).collect();
        played.dedup();
        let judged = registry.environments.iter().filter(|family| family.questions().is_some());
        let judged: Vec<&str> = judged.map(|family| family.name()).collect();
        return Err(RescoreError::NoAnswers(played.join(", "), judged.join(", ")));
    }
    let mut texts = LazyTexts::new(folder);
    let mut exams: BTreeMap<(usize, String), Arc<dyn Exam>> = BTreeMap::new();
    let (mut found, mut refused) = (Vec::new(), None);
    let walked = folder.index()?.each(|episode| -> Result<(), Walk> {
        let Some(place) = cells.get(episode.id.cell.as_str()).copied().filter(|_| refused.is_none()) else {
            return Ok(());
        };
        let Some(cell) = stored.cells.get(place) else { return Ok(()) };
        let Some(family) = registry.environment(&name(cell)) else { return Ok(()) };
        let Some(questions) = family.questions() else { return Ok(()) };
        let task = &episode.id.task;
        let exam = match exams.get(&(place, task.clone())) {
            Some(known) => Arc::clone(known),
            None => match questions.exam(&TaskId(task.clone()), &cell.identity["environment"]["options"]) {
                Ok(exam) => Arc::clone(exams.entry((place, task.clone())).or_insert(exam.into())),
                Err(error) => {
                    refused = Some(RescoreError::Question { task: task.clone(), error });
                    return Ok(());
                }
            },
        };
        let told = told(folder, &episode, &mut texts, |call| questions.answer_of(call).map(str::to_owned))?;
        found.push(Answered {
            cell: place,
            key: episode.id.key,
            task: task.clone(),
            run: episode.id.run,
            trial: episode.id.trial,
            answer: told.0.filter(|_| episode.outcome.stop == Stop::Answered),
            at_play: told.1.as_deref().map_or(Ok(None), |last| exam.at_play(last)).map_err(|error| {
                RunError::Damaged {
                    path: folder.segment(episode.place),
                    what: format!("the last observation of {}: {error}", episode.id.name()),
                }
            })?,
            exam,
        });
        Ok(())
    });
    walked.map_err(|error| error.of(folder))?;
    if let Some(refused) = refused {
        return Err(refused);
    }
    found.sort_by(|one, other| {
        (one.cell, &one.task, one.run, one.trial).cmp(&(other.cell, &other.task, other.run, other.trial))
    });
    Ok(found)
}

/// The last answer that the environment took, and the last observation.
fn told(
    folder: &RunFolder,
    episode: &Finished,
    texts: &mut LazyTexts<'_>,
    answer_of: impl Fn(&ToolCall) -> Option<String>,
) -> Result<(Option<String>, Option<String>), RunError> {
    let (mut open, mut taken): (Option<(String, TextRef)>, _) = (None, None);
    let mut last: Option<TextRef> = None;
    for bytes in folder.events(episode.place)? {
        let event: Event = serde_json::from_slice(&bytes).map_err(|error| RunError::Damaged {
            path: folder.segment(episode.place),
            what: format!("an event of {}/{} cannot be read: {error}", episode.id.cell, episode.id.task),
        })?;
        match event.body {
            Body::ToolCalled(call) => open = Some((call.tool, call.arguments)),
            Body::Rejected(_) => open = None,
            Body::Stepped(step) => {
                last = Some(step.observation);
                taken = open.take().or(taken);
            }
            _ => {}
        }
    }
    let answer = match taken {
        Some((tool, arguments)) => {
            let arguments =
                serde_json::from_str::<BTreeMap<String, Value>>(&texts.get(&arguments)?).unwrap_or_default();
            answer_of(&ToolCall { tool, arguments })
        }
        None => None,
    };
    let last = last.map(|last| texts.get(&last)).transpose()?;
    Ok((answer, last))
}
