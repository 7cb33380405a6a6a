//! `gimbal graph shots`: summaries of won episodes for planners (n-shot, CYC-023), by plain code or by a model.

use std::collections::{BTreeMap, BTreeSet};

use gimbal_analysis::printable;
use gimbal_architectures::control::{CALLS_USED, Deed, ENDED_IT, Stretch, Summariser, Won};
use gimbal_core::{TaskId, ToolCall, Usage};
use gimbal_cyc::cyclic::{Graph, ResultFold, Segment, SegmentStop, Trajectory};
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
    let (environment, won) = chosen(&stored, &walks, asked.most)?;
    let Some(model) = &asked.model else {
        let texts: Vec<String> = won.iter().map(|walk| summary(walk)).collect();
        return keep(asked, &text(&texts, &environment, &BTreeMap::new()));
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
    keep(asked, &text(&written.texts, &environment, &made))?;
    if let Some(path) = &asked.out {
        stdio::message(&format!("{}: summaries of {share}", path.display()));
    }
    stopped.map_or(Ok(()), |failure| {
        stdio::message(&format!("stopped early: there are summaries of {share}"));
        Err(failure)
    })
}

/// The episodes that are summed up, and their environment.
fn chosen<'a>(stored: &Stored, walks: &'a [Trajectory], most: usize) -> Result<(String, Vec<&'a Trajectory>), Failure> {
    let fit = |walk: &&Trajectory| {
        let known = stored.cells.iter().find(|known| known.info.id == walk.cell);
        walk.won && walk.graph().is_some() && known.is_some_and(|known| known.info.faults.is_empty())
    };
    let all: Vec<&Trajectory> = walks.iter().filter(fit).collect();
    if all.is_empty() {
        return Err(Failure::Usage(format!(
            "none of the {} episodes of these cells was won under a graph and without faults: there is nothing to sum up",
            walks.len()
        )));
    }
    let trained: Vec<&Trajectory> =
        all.iter().copied().filter(|walk| walk.part.as_ref().is_some_and(|part| part.train)).collect();
    if trained.is_empty() {
        return Err(Failure::Usage(format!(
            "{} episodes were won under a graph and without faults, but none is of a task for training: what a planner \
             is shown must not come from tasks that are played later; run a study of a split for training, such as \
             `episodes: {{ split: train }}` (`gimbal env NAME tasks --split train` lists it)",
            all.len()
        )));
    }
    let family = |walk: &Trajectory| {
        let environment = serde_json::from_str::<Value>(&walk.environment).unwrap_or_default();
        environment["name"].as_str().unwrap_or(&walk.environment).to_owned()
    };
    let families: BTreeSet<String> = trained.iter().map(|walk| family(walk)).collect();
    if families.len() > 1 {
        return Err(Failure::Usage(format!(
            "these episodes are of several environments ({}): name a cell of one of them with --cell",
            families.into_iter().collect::<Vec<_>>().join(", ")
        )));
    }
    let mut seen = BTreeSet::new();
    let won = trained.into_iter().filter(|walk| seen.insert((&walk.environment, &walk.task))).take(most).collect();
    Ok((families.into_iter().collect(), won))
}

/// The file's text, in the form that planners read.
fn text(texts: &[String], environment: &str, made: &BTreeMap<&str, String>) -> String {
    let quoted = |text: &str| Value::from(text).to_string();
    let items: Vec<String> = texts.iter().map(|text| format!("  - {}\n", quoted(text))).collect();
    let mut text = format!(
        "# Summaries of {} won episodes of {environment}, tasks for training and no faults, for a planner alone (CYC-023).\n\
         shots:\n{}",
        texts.len(),
        items.concat()
    );
    if !made.is_empty() {
        text.push_str("made:\n");
        text.extend(made.iter().map(|(key, value)| format!("  {}: {}\n", quoted(key), quoted(value))));
    }
    text
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
        let mut stretches = Vec::with_capacity(walk.segments.len());
        for segment in &walk.segments {
            let mut deeds = Vec::with_capacity(segment.acts.len());
            for act in &segment.acts {
                let arguments = serde_json::from_str(&act.arguments).unwrap_or_default();
                let call = ToolCall { tool: act.tool.clone(), arguments };
                deeds.push(Deed { call, result: results.next().unwrap_or_default() });
            }
            stretches.push(Stretch {
                subtask: segment.node.clone(),
                goal: goal(&walk.graphs, segment),
                deeds,
                ended: ended(segment.ended).to_owned(),
            });
        }
        Ok(Won { task: walk.goal.clone(), stretches, plain: summary(walk) })
    }
}

/// The goal of a segment's subtask.
fn goal(graphs: &[Graph], segment: &Segment) -> String {
    let mut nodes = graphs.iter().rev().flat_map(|graph| &graph.nodes);
    nodes.find(|node| node.name == segment.node).map(|node| node.goal.clone()).unwrap_or_default()
}

/// How a segment of a won episode ended, in the words that controllers use.
const fn ended(end: SegmentStop) -> &'static str {
    match end {
        SegmentStop::Done => ENDED_IT,
        SegmentStop::LocalBudget => CALLS_USED,
        SegmentStop::Over => "the task was completed",
    }
}

/// What an episode did, by plain code: its goal, its subtasks in order, the kinds of call in each.
fn summary(walk: &Trajectory) -> String {
    let goal = walk.goal.as_deref().unwrap_or(&walk.task).trim();
    let stop = if goal.ends_with(['.', '?', '!']) { "" } else { "." };
    let stretches: Vec<String> = walk
        .segments
        .iter()
        .map(|segment| {
            let mut kinds: Vec<(&str, u32)> = Vec::new();
            for act in &segment.acts {
                match kinds.iter_mut().find(|(tool, _)| *tool == act.tool) {
                    Some((_, times)) => *times += 1,
                    None => kinds.push((&act.tool, 1)),
                }
            }
            let kinds: Vec<String> = kinds.iter().map(|(tool, times)| format!("{times} x {tool}")).collect();
            format!("{} ({})", segment.node, if kinds.is_empty() { "no call".to_owned() } else { kinds.join(", ") })
        })
        .collect();
    let what = if stretches.is_empty() { "in one stretch".to_owned() } else { stretches.join(", then ") };
    format!("Task: {goal}{stop} Won with {} calls: {what}.", walk.tool_calls)
}
