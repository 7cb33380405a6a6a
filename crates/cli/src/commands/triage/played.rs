//! `gimbal triage --model`: the packet is argued over by a model, in a run of its own.

use std::collections::BTreeMap;
use std::io::ErrorKind;
use std::path::{Path, PathBuf};
use std::sync::Arc;

use gimbal_ares::debate::{Debate, Message, drawn};
use gimbal_core::event::{Body, Ended, Event, Note};
use gimbal_core::{Digest, Milli};
use gimbal_evidence::Packet;
use gimbal_evidence::rules::{Outcome, RuleSet};
use gimbal_evidence::triage::Played;
use gimbal_model::{ModelFacts, ModelKind, Models, ModelsSection, Price};
use gimbal_study::plan::{self, Plan, Stored};
use gimbal_study::read::trace::{self, Reader};
use gimbal_study::read::{spending, verify};
use gimbal_study::registry::{ModelSource, Registry};
use gimbal_study::rehearsal::Rehearsal;
use gimbal_study::run::{RunError, RunFolder};
use gimbal_study::runner::{self, Progress, RunStop, Settings};
use gimbal_study::stage::Cancel;
use gimbal_triage::GivenPacket;
use gimbal_triage::packet_index::PacketIndex;
use serde_json::{Value, json};

use crate::args::TriageArgs;
use crate::commands::rehearsed::{halted, write_below};
use crate::commands::{model as models_of, print_json, print_text, run, run_failure, write_file};
use crate::exit::Failure;
use crate::home::Home;
use crate::{interrupt, progress, registry, stdio};

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
    if asked.max_cost == Some(0.0) && !is_free(&facts) {
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
    let episode = episode(&folder, packet)?;
    let ended = &episode.ended;
    let outcome = episode.debate.outcome(packet, rules).map_err(|error| {
        Failure::External(format!("{error}; its episode stopped with `{}` {}", ended.stop.name(), ended.detail))
    })?;
    if let Some(path) = &asked.figure {
        let title = format!("The debate over packet {}", packet.header().packet);
        drawing(path, Some(packet), &episode.debate, &title)?;
    }
    let stored = Stored::read(&folder).map_err(run_failure)?;
    let (spent, _) = spending(&folder, &stored).map_err(run_failure)?;
    let played = Played {
        model: model.to_owned(),
        note: facts.plumbing,
        pipeline: asked.pipeline.clone(),
        rounds: episode.debate.stands.iter().map(|stand| stand.round).max().unwrap_or(0),
        calls: ended.model_calls,
        input_tokens: ended.prompt_tokens,
        output_tokens: ended.output_tokens,
        microdollars: (!unpriced).then(|| spent.microdollars()),
        run: folder.root().display().to_string(),
        chain: episode.chain,
        fallbacks: episode.debate.fell_back.iter().map(|one| in_round(&one.role, one.round, &one.reason)).collect(),
        refusals: episode.debate.refused.iter().map(refusal).collect(),
        sent: leaves.map(|what| format!("text left this machine: {what}")),
        narration: episode.debate.narrated.as_ref().map(|words| words.text.clone()),
        confidences: confidences(&episode.debate),
    };
    Ok(Some((outcome, played)))
}

/// A packet beside its run. Until it is to [`stay`](Kept::stay), what was written for it is taken away again.
struct Kept {
    path: PathBuf,
    is_new: bool,
    /// Folders that were made for it, the innermost first.
    made: Vec<PathBuf>,
}

impl Kept {
    fn stay(mut self) {
        self.is_new = false;
    }
}

impl Drop for Kept {
    fn drop(&mut self) {
        if self.is_new {
            // What cannot be taken away stays: it harms nothing.
            let _ = std::fs::remove_file(&self.path);
            for folder in &self.made {
                let _ = std::fs::remove_dir(folder);
            }
        }
    }
}

/// Whether its calls cost nothing.
fn is_free(facts: &ModelFacts) -> bool {
    let free = |price: &Price| {
        price
            .bands
            .iter()
            .all(|band| band.input == 0 && band.output == 0 && band.cached.is_none_or(|cached| cached == 0))
    };
    facts.price.as_ref().is_some_and(free)
}

/// Keeps the packet beside its run. One that was kept there before must be this one: a file that was edited is not replaced silently.
fn keep(path: PathBuf, packet: &Packet) -> Result<Kept, Failure> {
    let bytes = packet.to_bytes();
    match std::fs::read(&path) {
        Ok(kept) if kept == bytes => Ok(Kept { path, is_new: false, made: Vec::new() }),
        Ok(_) => Err(Failure::Check(format!(
            "{0}: was changed since it was written: it is not the packet that its run is about. `gimbal evidence verify {0}` says where; move it \
             away, and the same command writes the packet anew",
            path.display()
        ))),
        Err(error) if error.kind() == ErrorKind::NotFound => {
            let above = path.ancestors().skip(1).filter(|folder| !folder.as_os_str().is_empty());
            let made = above.take_while(|folder| !folder.exists()).map(Path::to_path_buf).collect();
            let kept = Kept { path, is_new: true, made };
            write_below(&kept.path, &String::from_utf8_lossy(&bytes))?;
            Ok(kept)
        }
        Err(error) => Err(Failure::External(format!("{}: cannot be read: {error}", path.display()))),
    }
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

/// The run, where the plan's episode is finished in it.
fn concluded(root: &Path, plan: &Plan) -> Option<RunFolder> {
    let cell = plan.cells.first()?;
    let episode = plan.episode(cell, cell.environment.tasks.first()?, 0, 0);
    let folder = RunFolder::open(root).ok()?;
    let finished = folder.index().ok()?.get(&episode.key).ok()?;
    finished.map(|_| folder)
}

fn in_round(role: &str, round: u32, what: &str) -> String {
    format!("{role}, round {round}: {what}")
}

fn refusal(one: &gimbal_messages::records::debate::Refused) -> String {
    in_round(&one.role, one.round, &format!("{}: {}", one.reason, one.what))
}

/// What a study of one packet looks like.
fn study(asked: &TriageArgs, model: &str, (name, packet): (&str, &Path)) -> Value {
    let mut architecture = json!({ "base": "debate", "configuration": asked.pipeline });
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
    let mut plan = plan::resolve(study, &plan::Options::default(), &registry, models, &*home.files)
        .map_err(|problems| Failure::Usage(by_flags(&problems.to_string())))?;
    plan.overrides = home.overridden();
    if let Some(overrides) = Home::overrides(&plan.overrides) {
        stdio::message(&format!("warning: {overrides}"));
    }
    Ok(plan)
}

/// A message of the study that was made of the arguments, with the flags in the place of its keys.
fn by_flags(text: &str) -> String {
    let flags = [
        ("`limits.study.tokens`", "--max-tokens"),
        ("`limits.study.cost`", "--max-cost"),
        ("the study's ", "the "),
        ("arguments: `roles[0].default.model`: ", "--model: "),
    ];
    let text = flags.iter().fold(text.to_owned(), |text, (key, flag)| text.replace(key, flag));
    text.lines().map(of_pipeline).collect::<Vec<_>>().join("\n")
}

/// A line on a configuration: nobody wrote the text whose column it names.
fn of_pipeline(line: &str) -> String {
    let what = line.strip_prefix("arguments:").and_then(|rest| rest.split_once(": debate: ")).map(|(_, what)| what);
    what.filter(|what| what.contains("configuration"))
        .map_or_else(|| line.to_owned(), |what| format!("--pipeline: {what}"))
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
        RunStop::Limit(limit) => Err(Failure::External(by_flags(&limit))),
        RunStop::Incomplete => Err(Failure::External(run::incomplete(&summary))),
    }
}

/// The one episode of a run.
struct Episode {
    debate: Debate,
    ended: Ended,
    chain: Digest,
}

/// Reads the episode, whose packet must be the one that was asked about.
fn episode(folder: &RunFolder, packet: &Packet) -> Result<Episode, Failure> {
    let damaged = |what: &str| run_failure(RunError::Damaged { path: folder.root().to_owned(), what: what.to_owned() });
    let readable = trace::find(folder, "0").map_err(run_failure)?;
    let finished = folder.index().map_err(run_failure)?.get(&readable.id.key);
    let chain = finished.ok().flatten().map(|finished| finished.outcome.chain);
    let chain = chain.ok_or_else(|| damaged("the index has no finished episode"))?;
    let mut reader = Reader::open(folder, &readable).map_err(run_failure)?;
    let is_about = |event: &Event| match &event.body {
        Body::Started(started) => started.materials.iter().any(|used| used.digest == packet.head()),
        _ => false,
    };
    if !reader.events().iter().any(is_about) {
        return Err(damaged("its journal is about another packet"));
    }
    let ended = reader.events().iter().rev().find_map(|event| match &event.body {
        Body::Ended(ended) => Some(ended.clone()),
        _ => None,
    });
    let ended = ended.ok_or_else(|| damaged("its journal has no end"))?;
    Ok(Episode { debate: debate(&mut reader)?, ended, chain })
}

/// The debate that an episode's records tell.
fn debate(reader: &mut Reader) -> Result<Debate, Failure> {
    let notes: Vec<Note> = reader
        .events()
        .iter()
        .filter_map(|event| match &event.body {
            Body::Note(note) if Debate::KINDS.contains(&note.kind.as_str()) => Some(note.clone()),
            _ => None,
        })
        .collect();
    let mut debate = Debate::default();
    for note in notes {
        let data = reader.text(&note.data).map_err(run_failure)?;
        debate.add(&note.kind, &data).map_err(Failure::external)?;
    }
    Ok(debate)
}

/// Draws the debate of an episode of any run.
pub fn figure_of(path: &Path, reader: &mut Reader, name: &str) -> Result<(), Failure> {
    let debate = debate(reader)?;
    let text = reader.events().iter().find_map(|event| match &event.body {
        Body::Started(started) => {
            started.materials.iter().find(|used| used.kind == "packet").map(|used| used.text.clone())
        }
        _ => None,
    });
    let text = text.map(|text| reader.text(&text)).transpose().map_err(run_failure)?;
    let packet = text.and_then(|text| Packet::read(text.as_bytes()).ok());
    drawing(path, packet.as_ref(), &debate, &format!("The debate of {name}"))
}

/// Tells the debate of an episode of any run as messages.
pub fn messages_of(reader: &mut Reader, json: bool) -> Result<(), Failure> {
    let messages = debate(reader)?.messages();
    if messages.is_empty() {
        return Err(Failure::Usage("--messages: this episode has no debate over a packet".to_owned()));
    }
    if json {
        return messages.iter().try_for_each(print_json);
    }
    let told: Vec<String> = messages.iter().map(Message::text).collect();
    print_text(&gimbal_analysis::printable_lines(&told.join("\n")));
    Ok(())
}

/// Confidence of both sides by round, of a debate that is not a vote.
fn confidences(debate: &Debate) -> Vec<(u32, Milli, Milli)> {
    let mut rounds: BTreeMap<u32, [Option<Milli>; 2]> = BTreeMap::new();
    for stand in debate.stands.iter().filter(|stand| stand.vote.is_none()) {
        let place = usize::from(stand.role == gimbal_ares::cases::Side::Skeptic.name());
        rounds.entry(stand.round).or_default()[place] = Some(stand.confidence);
    }
    rounds.into_iter().filter_map(|(round, [architect, skeptic])| Some((round, architect?, skeptic?))).collect()
}

/// Writes the drawing of a debate, each fact with its class.
fn drawing(path: &Path, packet: Option<&Packet>, debate: &Debate, title: &str) -> Result<(), Failure> {
    let facts = packet.into_iter().flat_map(|packet| packet.facts());
    let names = facts.map(|fact| (fact.id.to_string(), fact.class.to_string())).collect();
    let figure = drawn(debate, title, &names).map_err(|what| Failure::Usage(format!("--figure: there is {what}")))?;
    write_file(path, &figure.alone)
}
