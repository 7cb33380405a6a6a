//! `gimbal graph shots`: summaries of won episodes for planners (n-shot, CYC-023), by plain code or by a model.

use std::collections::BTreeMap;

use gimbal_analysis::printable;
use gimbal_architectures::control::{CALLS_USED, CallResult, ENDED_IT, Summariser, Won, WorkSegment, write_shots};
use gimbal_core::{TaskId, ToolCall, Usage};
use gimbal_cyc::cyclic::shots::{self, Shots};
use gimbal_cyc::cyclic::{ResultFold, SegmentStop, Trajectory};
use gimbal_study::plan::Stored;
use gimbal_study::read::Episodes;
use gimbal_study::rehearsal::Rehearsal;
use gimbal_study::run::{EpisodeId, RunFolder};
use serde_json::{Value, json};

use super::distil::{origin, walks_of};
use super::rehearsed::{Asked, decoding, digest, halted, rehearsal, role, say_cost, write_below};
use super::{run_failure, run_folder};
use crate::args::GraphShots;
use crate::exit::Failure;
use crate::home::Home;
use crate::interrupt;
use crate::registry::registry;
use crate::stdio;

/// Writes summaries of won episodes, in the order of the run, one a task. They are of one environment, of cells without
/// faults that a graph controls, and of tasks for training alone.
pub async fn shots(home: &Home, asked: &GraphShots) -> Result<(), Failure> {
    let folder = run_folder(&asked.run)?;
    let stored = Stored::read(&folder).map_err(run_failure)?;
    let walks = walks_of(&folder, &stored, asked.cell.as_deref())?;
    let cell = |id: &str| stored.cells.iter().find(|cell| cell.info.id == id);
    let is_faulty = |id: &str| cell(id).is_none_or(|cell| !cell.info.faults.is_empty());
    let Shots { environment, walks: won } = shots::shots(&walks, is_faulty, asked.most).map_err(Failure::usage)?;
    let Some(model) = &asked.model else {
        let texts: Vec<String> = won.iter().map(|walk| walk.summary()).collect();
        return keep(asked, &write_shots(&texts, &environment, &BTreeMap::new()));
    };
    let mut writer = Writer { home, folder: &folder, stored: &stored, asked, model, opened: Vec::new() };
    let mut written = Written::default();
    let stopped = tokio::select! {
        done = writer.write(&environment, &won, &mut written) => done.err(),
        Ok(()) = interrupt::requested() => Some(Failure::Interrupted),
    };
    if written.calls > 0 {
        say_cost(model, (written.calls, &written.usage), written.dollars);
    }
    if written.texts.is_empty() {
        return Err(stopped.unwrap_or_else(|| {
            let episodes = stdio::count(won.len(), "won episode", "won episodes");
            Failure::Check(format!("{model} gave no summary of {episodes}: {}", written.problems.join("; ")))
        }));
    }
    // The summaries so far are kept, also after a later failure.
    let share = format!("{} of {} won episodes", written.texts.len(), won.len());
    let mut made = BTreeMap::from([
        ("by", "gimbal graph shots".to_owned()),
        ("environment", environment.clone()),
        ("run", origin(&asked.run, asked.cell.as_deref())),
        ("model", model.clone()),
        ("decoding", decoding(asked.constrained).to_owned()),
        ("prompt", digest(&written.prompts)),
        ("calls", written.calls.to_string()),
        ("tokens", format!("{} prompt, {} completion", written.usage.input, written.usage.output)),
        ("episodes", share.clone()),
        ("tasks", written.tasks.join(", ")),
    ]);
    if written.repaired > 0 {
        made.insert("calls", format!("{}, {} of them repairs", written.calls, written.repaired));
    }
    keep(asked, &write_shots(&written.texts, &environment, &made))?;
    if let Some(path) = &asked.out {
        stdio::message(&format!("{}: summaries of {share}", path.display()));
    }
    stopped.map_or(Ok(()), |failure| {
        stdio::message(&format!("stopped early: there are summaries of {share}"));
        Err(failure)
    })
}

fn keep(asked: &GraphShots, text: &str) -> Result<(), Failure> {
    match &asked.out {
        Some(path) => write_below(path, text),
        None => {
            print!("{text}");
            Ok(())
        }
    }
}

/// What a model wrote so far.
#[derive(Default)]
struct Written {
    texts: Vec<String>,
    /// The task of each.
    tasks: Vec<String>,
    /// First prompts of all episodes that it was asked about.
    prompts: Vec<String>,
    /// Why there is no summary of the others.
    problems: Vec<String>,
    calls: u64,
    repaired: u64,
    usage: Usage,
    /// `None` where a price is unknown, or nothing was asked yet.
    dollars: Option<f64>,
}

/// Has a model write summaries.
struct Writer<'a> {
    home: &'a Home,
    folder: &'a RunFolder,
    stored: &'a Stored,
    asked: &'a GraphShots,
    model: &'a str,
    /// Stages, by the options of their environment.
    opened: Vec<(Value, Rehearsal)>,
}

impl Writer<'_> {
    /// One call for each episode. An answer without a summary is dropped and not replaced.
    async fn write(&mut self, environment: &str, won: &[&Trajectory], written: &mut Written) -> Result<(), Failure> {
        let summariser = Summariser::new(&json!({}), &*self.home.files).map_err(Failure::usage)?;
        written.dollars = Some(0.0);
        for walk in won {
            let task = TaskId(walk.task.clone());
            let summarising = summariser.of(self.told(walk)?);
            let rehearsal = self.stage(environment, walk).await?;
            let prompts = rehearsal.prompts(&summarising, &task).await.map_err(halted)?;
            let played = rehearsal.play(&summarising, &task, 0).await.map_err(halted)?;
            let (calls, usage) = played.used(Summariser::PLACE);
            written.prompts.extend(prompts);
            written.calls += calls;
            written.usage.input += usage.input;
            written.usage.output += usage.output;
            written.dollars = written.dollars.zip(rehearsal.dollars(&played)).map(|(before, now)| before + now);
            let made = summarising.made().unwrap_or_default();
            written.repaired += u64::from(calls > 1);
            if let (Some(problem), true) = (made.problems.first(), made.summary.is_some()) {
                stdio::message(&format!("{task}: the first answer held no summary: {problem}"));
            }
            match made.into_summary() {
                Ok(summary) => {
                    written.texts.push(printable(&summary));
                    written.tasks.push(task.0);
                }
                Err(error) => {
                    stdio::message(&format!("{task}: no summary: {error}"));
                    written.problems.push(format!("{task}: {error}"));
                }
            }
        }
        Ok(())
    }

    /// A stage of the environment in which an episode was played.
    async fn stage(&mut self, environment: &str, walk: &Trajectory) -> Result<&Rehearsal, Failure> {
        let cell = self.stored.cells.iter().find(|cell| cell.info.id == walk.cell);
        let mut options = cell.map_or(Value::Null, |cell| cell.identity["environment"]["options"].clone());
        if let Some(members) = options.as_object_mut() {
            // Options that are not set.
            members.retain(|_, value| !value.is_null());
        } else {
            options = json!({});
        }
        if let Some(at) = self.opened.iter().position(|(known, _)| *known == options) {
            return Ok(&self.opened[at].1);
        }
        let registry = registry();
        let parts = registry.environment(environment).map(|family| family.parts()).unwrap_or_default();
        let own = walk.part.as_ref();
        let of_walk = |part: &&gimbal_core::Part| own.is_some_and(|own| own.set == part.set && own.name == part.name);
        let split = parts.iter().find(of_walk).map(|part| part.split);
        let role = role(self.model, self.asked.constrained, self.asked.max_tokens);
        let text = options.to_string();
        let rehearsal = rehearsal(self.home, Asked { environment, options: &text, split, role }).await?;
        self.opened.push((options, rehearsal));
        Ok(&self.opened[self.opened.len() - 1].1)
    }

    /// An episode as the summariser sees it.
    fn told(&self, walk: &Trajectory) -> Result<Won, Failure> {
        let mut fold = ResultFold::default();
        let played =
            |id: &EpisodeId| (&id.cell, &id.task, id.run, id.trial) == (&walk.cell, &walk.task, walk.run, walk.trial);
        let passed = Episodes::of(self.folder, self.stored).pass(|episode| played(&episode.id), &mut [&mut fold]);
        passed.map_err(run_failure)?;
        let mut results = fold.results.unwrap_or_default().into_iter();
        let mut segments = Vec::with_capacity(walk.segments.len());
        for segment in &walk.segments {
            let mut calls = Vec::with_capacity(segment.acts.len());
            for act in &segment.acts {
                let arguments = serde_json::from_str(&act.arguments).unwrap_or_default();
                let call = ToolCall { tool: act.tool.clone(), arguments };
                calls.push(CallResult { call, result: results.next().unwrap_or_default() });
            }
            segments.push(WorkSegment {
                subtask: segment.node.clone(),
                goal: walk.goal_of(segment).to_owned(),
                calls,
                ended: ended(segment.ended).to_owned(),
            });
        }
        Ok(Won { task: walk.goal.clone(), segments, plain: walk.summary() })
    }
}

/// How a segment of a won episode ended, in the words that controllers use.
const fn ended(end: SegmentStop) -> &'static str {
    match end {
        SegmentStop::Done => ENDED_IT,
        SegmentStop::LocalBudget => CALLS_USED,
        SegmentStop::Over => "the task was completed",
    }
}
