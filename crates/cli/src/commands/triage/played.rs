//! `gimbal triage --model`: the packet is argued over by a model, in a run of its own.

use std::path::{Path, PathBuf};
use std::sync::Arc;

use gimbal_ares::debate::ShownDebate;
use gimbal_core::Digest;
use gimbal_evidence::Packet;
use gimbal_evidence::rules::{Outcome, RuleSet};
use gimbal_evidence::triage::Played;
use gimbal_model::{ModelKind, Models, ModelsSection, Price};
use gimbal_study::plan::{self, Plan, Problem, Stored};
use gimbal_study::read::{spending, verify};
use gimbal_study::registry::{ModelSource, Registry};
use gimbal_study::rehearsal::Rehearsal;
use gimbal_study::run::{LimitReached, RunFolder};
use gimbal_study::runner::{self, Progress, RunStop, Settings};
use gimbal_study::single::{SingleEpisode, concluded};
use gimbal_study::stage::Cancel;
use gimbal_triage::GivenPacket;
use gimbal_triage::packet_index::PacketIndex;
use serde_json::{Value, json};

use super::kept::{Kept, keep};
use crate::args::TriageArgs;
use crate::commands::rehearsed::halted;
use crate::commands::{folded, model as models_of, run, run_failure, write_file};
use crate::exit::Failure;
use crate::home::Home;
use crate::{interrupt, progress, registry, stdio};

/// The architecture that argues over a packet.
const ARCHITECTURE: &str = "debate";

/// Plays the packet as one episode of `debate` and reads the verdict from its journal. The same packet, model and pipeline are one run: it is
/// played once, and asked for again it is only read. `None` if nothing was to be played.
pub async fn play(
    home: &Home,
    asked: &TriageArgs,
    model: &str,
    (packet, rules): (&Packet, &RuleSet),
) -> Result<Option<(Outcome, Played)>, Failure> {
    let models = home.models(ModelsSection::default(), None)?;
    let facts = models.describe(model).map_err(|error| Failure::Usage(format!("--model: {error}")))?;
    let name = name(asked, model, packet);
    if asked.max_cost == Some(0.0) && !facts.price.as_ref().is_some_and(Price::is_free) {
        return Err(Failure::Usage(format!(
            "--max-cost 0: `{model}` is not free, so that nothing could be asked: give what it may cost, or choose a model of this machine"
        )));
    }
    let kept = keep(asked.runs.join(format!("{name}.packet.json")), packet)?;
    let plan = resolved(home, &study(asked, model, (&name, &kept.path)), &models)?;
    if asked.dry_run {
        dry_run(plan).await?;
        return Ok(None);
    }
    let leaves = (facts.kind == ModelKind::Remote).then(|| what_leaves(packet, model));
    let unpriced = facts.price.is_none();
    let root = asked.runs.join(&name);
    // A verdict that is there already is read: the run is not opened for writing.
    let folder = match concluded(&root, &plan) {
        Some(folder) => {
            kept.stay();
            checked(&folder)?;
            folder
        }
        None => played(&root, plan, models, leaves.as_deref(), kept).await?,
    };
    let SingleEpisode { mut reader, ended, chain } =
        SingleEpisode::read(&folder, packet.head()).map_err(run_failure)?;
    let mut shown = ShownDebate::default();
    reader.fold(&mut shown).map_err(folded)?;
    let debate = &shown.debate;
    let outcome = debate.outcome(packet, rules).map_err(|error| {
        Failure::External(format!("{error}; its episode stopped with `{}` {}", ended.stop.name(), ended.detail))
    })?;
    if let Some(path) = &asked.figure {
        let title = format!("The debate over packet {}", packet.header().packet);
        let figure = shown.figure(&title).map_err(|what| Failure::Usage(format!("--figure: there is {what}")))?;
        write_file(path, &figure.alone)?;
    }
    let stored = Stored::read(&folder).map_err(run_failure)?;
    let (spent, _) = spending(&folder, &stored).map_err(run_failure)?;
    let played = Played {
        model: model.to_owned(),
        note: facts.plumbing,
        pipeline: asked.pipeline.clone(),
        rounds: debate.stands.iter().map(|stand| stand.round).max().unwrap_or(0),
        calls: ended.model_calls,
        input_tokens: ended.prompt_tokens,
        output_tokens: ended.output_tokens,
        microdollars: (!unpriced).then(|| spent.microdollars()),
        run: folder.root().display().to_string(),
        chain,
        fallbacks: debate.fell_back.iter().map(|one| in_round(&one.role, one.round, &one.reason)).collect(),
        refusals: debate.refused.iter().map(refusal).collect(),
        sent: leaves.map(|what| format!("text left this machine: {what}")),
        narration: debate.narrated.as_ref().map(|words| words.text.clone()),
        confidences: debate.confidences(),
    };
    Ok(Some((outcome, played)))
}

/// A verdict is read of a run that verifies alone.
fn checked(folder: &RunFolder) -> Result<(), Failure> {
    let damaged = |what: &str| {
        let root = folder.root().display();
        Failure::Check(format!(
            "{root}: this run is damaged: {what}. Move it away, and the same command plays the packet anew"
        ))
    };
    let report = verify(folder, &registry::registry().records()).map_err(|error| match error {
        error if error.is_damage() => damaged(&error.to_string()),
        error => run_failure(error),
    })?;
    report.problems.first().map_or(Ok(()), |first| Err(damaged(first)))
}

fn in_round(role: &str, round: u32, what: &str) -> String {
    format!("{role}, round {round}: {what}")
}

fn refusal(one: &gimbal_messages::records::debate::Refused) -> String {
    in_round(&one.role, one.round, &format!("{}: {}", one.reason, one.what))
}

/// What a study of one packet looks like.
fn study(asked: &TriageArgs, model: &str, (name, packet): (&str, &Path)) -> Value {
    let mut architecture = json!({ "base": ARCHITECTURE, "configuration": asked.pipeline });
    if let Some(judge) = &asked.judge {
        architecture["judge"] = judge.as_str().into();
    }
    let mut role = json!({ "model": model });
    if let Some(most) = asked.max_output_tokens {
        role["max_output_tokens"] = most.into();
    }
    let mut limits = serde_json::Map::new();
    // A free model costs nothing, which a limit of 0 would take for all that it may cost.
    limits.extend(asked.max_cost.filter(|dollars| *dollars > 0.0).map(|dollars| ("cost".to_owned(), dollars.into())));
    limits.extend(asked.max_tokens.map(|tokens| ("tokens".to_owned(), tokens.into())));
    let mut study = json!({
        "study": name,
        "description": "Does this packet show a threat?",
        "environment": { "name": "packet", "packet": packet.display().to_string(), "tasks": { "split": "given" } },
        "architectures": [architecture],
        "roles": [{ "default": role }],
        "episodes": { "runs": 1, "seed": 1 },
    });
    if !limits.is_empty() {
        study["limits"] = json!({ "study": limits });
    }
    study
}

/// The run's name: packet, model, pipeline, judge and bound of answers decide it; limits do not, so that a run that reached one goes on under a
/// higher one.
fn name(asked: &TriageArgs, model: &str, packet: &Packet) -> String {
    let decides = json!([packet.head(), model, asked.pipeline, asked.judge, asked.max_output_tokens]);
    let head: String = packet.head().to_string().chars().take(12).collect();
    let rest: String = Digest::of(decides.to_string().as_bytes()).to_string().chars().take(8).collect();
    format!("triage-{head}-{rest}")
}

fn resolved(home: &Home, study: &Value, models: &Models) -> Result<Plan, Failure> {
    let study = plan::parse(&study.to_string(), "arguments").map_err(Failure::usage)?;
    let known = registry::registry();
    let environments = known.environments.into_iter().chain([Arc::new(GivenPacket) as Arc<_>]).collect();
    let registry = Registry { environments, ..known };
    let mut plan =
        plan::resolve(study, &plan::Options::default(), &registry, models, &*home.files).map_err(|problems| {
            let told: Vec<String> = problems.0.iter().map(by_flag).collect();
            Failure::Usage(told.join("\n"))
        })?;
    plan.overrides = home.overridden();
    home.warn_of(&plan.overrides);
    Ok(plan)
}

/// A problem of the study that was made of the arguments, with the flag in the place of a setting: nobody wrote the text whose column it
/// names.
fn by_flag(problem: &Problem) -> String {
    let flag = match problem.setting.as_str() {
        "configuration" => "--pipeline",
        "judge" => "--judge",
        _ => return problem.to_string(),
    };
    let what = problem.what.strip_prefix(ARCHITECTURE).and_then(|what| what.strip_prefix(": "));
    format!("{flag}: {}", what.unwrap_or(&problem.what))
}

/// A limit that is reached, with the flag that sets it.
fn limit_by_flag(limit: &LimitReached) -> String {
    limit.by_flag(if limit.key == "limits.study.cost" { "--max-cost" } else { "--max-tokens" })
}

/// What a provider gets, in a sentence.
fn what_leaves(packet: &Packet, model: &str) -> String {
    let index = PacketIndex::new(packet.clone());
    let bytes: usize = index.lines().iter().map(|line| line.len() + 1).sum();
    format!(
        "`{model}` is sent the {} of packet {} ({bytes} bytes: classes, actions, names, fields and times), and what the sides say of them; raw \
         files, their hashes and the map of pseudonyms stay here",
        stdio::count(packet.facts().len(), "fact", "facts"),
        packet.header().packet
    )
}

/// Prints the requests that come first. No model is opened, so that neither a key nor weights are needed.
async fn dry_run(plan: Plan) -> Result<(), Failure> {
    let architecture = plan.cells.first().map(|cell| Arc::clone(&cell.architecture));
    let rehearsal = Rehearsal::unopened(plan).map_err(Failure::external)?;
    let task = rehearsal.tasks().first().cloned();
    let (Some(architecture), Some(task)) = (architecture, task) else { return Ok(()) };
    let prompts = rehearsal.prompts(&*architecture, &task).await.map_err(halted)?;
    for (number, prompt) in prompts.iter().enumerate() {
        println!("--- request {} ---\n{prompt}", number + 1);
    }
    Ok(())
}

/// Plays what is not played yet. What leaves the machine is said once everything that is needed is there, and before anything is sent.
async fn played(
    folder: &Path,
    plan: Plan,
    models: Arc<Models>,
    leaves: Option<&str>,
    packet: Kept,
) -> Result<RunFolder, Failure> {
    let (missing, ready) = plan::ready(&plan, &*models);
    ready.map_err(Failure::usage)?;
    for model in &missing {
        models_of::fetch_if_missing(model).await?;
    }
    if let Some(what) = leaves {
        stdio::message(&format!("text leaves this machine: {what}; --dry-run shows it"));
    }
    packet.stay();
    crate::survive_closed_pipes();
    let cancel = Cancel::default();
    tokio::spawn(interrupt::watch(cancel.clone()));
    let settings = Settings::new(PathBuf::from(folder));
    let source: Arc<dyn ModelSource> = models;
    let tell = |event: Progress| match event {
        Progress::Warning { text } => stdio::message(&format!("warning: {text}")),
        Progress::Retrying { detail, .. } => stdio::message(&format!("tried again: {detail}")),
        Progress::Failed { detail, .. } => stdio::message(&format!("given up: {detail}")),
        Progress::Closed { model, detail } => stdio::message(&progress::reason(&model, &detail)),
        _ => {}
    };
    let summary = runner::run(Arc::new(plan), source, settings, cancel, tell).await.map_err(run_failure)?;
    match summary.ended {
        RunStop::Done => RunFolder::open(&summary.folder).map_err(run_failure),
        RunStop::Interrupted => Err(Failure::Interrupted),
        RunStop::Limit(limit) => Err(Failure::External(limit_by_flag(&limit))),
        RunStop::Incomplete => Err(Failure::External(run::incomplete(&summary))),
    }
}
