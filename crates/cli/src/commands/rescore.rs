//! `gimbal rescore`: stored answers judged again.

use std::sync::Arc;

use gimbal_analysis::judged::{AtPlay, JudgedCell, Side, table};
use gimbal_core::{ChatModel, Sampling};
use gimbal_study::plan::{self, Stored};
use gimbal_study::registry::ModelSource;
use gimbal_study::rescore::{self, Answered, JudgeFigures, Judging, Outcome, RescoreError, RescoreReport, Verdicts};
use gimbal_study::run::RunFolder;
use gimbal_study::stage::Cancel;
use serde_json::Value;

use super::{print_json, run_failure};
use crate::args::{JudgeChoice, Rescore};
use crate::exit::Failure;
use crate::home::Home;
use crate::interrupt;
use crate::registry::registry;
use crate::stdio;
use gimbal_report::WIDTH;

/// What the judge that is plain code is called.
const OFFLINE: &str = "offline";
/// Answers between two lines of progress.
const PACE: u64 = 100;

/// The verdicts of one judge.
struct Judged {
    judge: String,
    outcomes: Vec<Vec<Outcome>>,
    judging: Judging,
    verdicts: Verdicts,
}

/// Judges the stored answers of a run again.
pub async fn rescore(home: &Home, asked: &Rescore) -> Result<(), Failure> {
    if asked.judge == JudgeChoice::Offline && asked.model.is_some() {
        return Err(Failure::Usage(
            "--model names the judge of `--judge model` or `both`; plain code has none".to_owned(),
        ));
    }
    let folder = super::run_folder(&asked.run)?;
    let stored = Stored::read(&folder).map_err(run_failure)?;
    let answers = rescore::answers(&folder, &stored, &registry()).map_err(failure)?;
    let mut judges = Vec::new();
    if asked.judge != JudgeChoice::Model {
        let mut verdicts = Verdicts::open(folder.root(), OFFLINE, &Value::Null).map_err(failure)?;
        let outcomes = rescore::by_code(&answers, &mut verdicts).map_err(failure)?;
        judges.push(Judged { judge: OFFLINE.to_owned(), outcomes, judging: Judging::default(), verdicts });
    }
    if asked.judge != JudgeChoice::Offline {
        judges.push(by_model(home, asked, (&folder, &stored), &answers).await?);
    }
    let cells = cells(&stored, &answers, &judges);
    if asked.json {
        let figures = |judged: &Judged| JudgeFigures::of(&judged.judge, &judged.judging, &judged.verdicts);
        print_json(&RescoreReport {
            run: stored.study.clone(),
            judges: judges.iter().map(figures).collect(),
            table: table(&cells).to_json(),
        })?;
    } else {
        print!("{}", table(&cells).to_text(WIDTH));
        for judged in &judges {
            println!("{}: {}", judged.judge, judged.verdicts.path().display());
        }
    }
    ended(&judges)
}

fn failure(error: RescoreError) -> Failure {
    if error.exit_code() == 2 { Failure::usage(error) } else { Failure::external(error) }
}

/// How the work ended: what has no verdict for a provider's sake is due again.
fn ended(judges: &[Judged]) -> Result<(), Failure> {
    let due = |outcome: &&Outcome| matches!(outcome, Outcome::Provider(_));
    for judged in judges {
        let left = judged.outcomes.iter().flatten().filter(due).count();
        match &judged.judging.stopped {
            Some(why) if why == "interrupted" => return Err(Failure::Interrupted),
            why if left > 0 => {
                let why = why.as_ref().map(|why| format!(" ({why})")).unwrap_or_default();
                return Err(Failure::External(format!(
                    "{left} item(s) could not be judged by {}{why}; run the same command again to ask for them",
                    judged.judge
                )));
            }
            _ => {}
        }
    }
    Ok(())
}

async fn by_model(
    home: &Home,
    asked: &Rescore,
    (folder, stored): (&RunFolder, &Stored),
    answers: &[Answered],
) -> Result<Judged, Failure> {
    let name = match &asked.model {
        Some(name) => name.clone(),
        None => model_of(stored, answers)?,
    };
    let study = plan::parse(&stored.text, "the study of this run").map_err(Failure::usage)?;
    let models = home.models(plan::models_section(&study).map_err(Failure::usage)?, asked.threads)?;
    let facts = models.describe(&name).map_err(Failure::usage)?;
    super::model::fetch_if_missing(&name).await?;
    ModelSource::ready(&*models, &name).map_err(Failure::usage)?;
    let model: Arc<dyn ChatModel> = ModelSource::open(&*models, &name).map_err(Failure::usage)?;
    if model.wants_hints() {
        return Err(Failure::Usage(format!(
            "--model: `{name}` spoils answers that it is given, and a judge is given none; name a model"
        )));
    }
    let mut verdicts = Verdicts::open(folder.root(), &format!("model-{name}"), &facts.identity).map_err(failure)?;
    let cancel = Cancel::default();
    tokio::spawn(interrupt::watch(cancel.clone()));
    let told = |done: u64, due: u64| {
        if done.is_multiple_of(PACE) {
            stdio::message(&format!("{done} of {due} items asked"));
        }
    };
    let sampling = Sampling::default();
    let (outcomes, judging) =
        rescore::by_model(answers, (&model, &sampling), &mut verdicts, (asked.jobs, &cancel), told)
            .await
            .map_err(failure)?;
    Ok(Judged { judge: name, outcomes, judging, verdicts })
}

/// The model that judges in the run itself.
fn model_of(stored: &Stored, answers: &[Answered]) -> Result<String, Failure> {
    let mut names: Vec<&str> = Vec::new();
    for cell in answers.iter().map(|answered| answered.cell) {
        let Some(cell) = stored.cells.get(cell) else { continue };
        let find = |role: &str| cell.info.models.iter().find(|one| one.role == role).map(|one| one.model.as_str());
        let name = find("judge").or_else(|| find("default")).unwrap_or_default();
        if !names.contains(&name) {
            names.push(name);
        }
    }
    match names.as_slice() {
        [one] if !one.is_empty() => Ok((*one).to_owned()),
        _ => {
            names.retain(|name| !name.is_empty());
            let known = if names.is_empty() { "none".to_owned() } else { names.join(", ") };
            Err(Failure::Usage(format!("name the judge with --model (the run's cells name: {known})")))
        }
    }
}

/// The verdicts by cell.
fn cells(stored: &Stored, answers: &[Answered], judges: &[Judged]) -> Vec<JudgedCell> {
    let mut cells = Vec::new();
    for (place, info) in stored.cells.iter().enumerate() {
        let own: Vec<usize> = (0..answers.len()).filter(|at| answers[*at].cell == place).collect();
        if own.is_empty() {
            continue;
        }
        let sides = judges.iter().map(|judged| Side { judge: judged.judge.clone(), ..Side::default() });
        let mut cell = JudgedCell { cell: info.info.id.clone(), sides: sides.collect(), ..JudgedCell::default() };
        for at in own {
            let answered = &answers[at];
            let play = answered.at_play.as_ref();
            let play = play.map_or_else(AtPlay::default, |play| AtPlay { items: &play.items, passed: play.passed });
            let verdicts = |judged: &Judged| judged.outcomes[at].iter().map(Outcome::verdict).collect();
            let now: Vec<Vec<Option<bool>>> = judges.iter().map(verdicts).collect();
            cell.add(answered.answer.is_some(), play, &now);
            for (side, judged) in cell.sides.iter_mut().zip(judges) {
                for outcome in judged.outcomes[at].iter().filter(|outcome| outcome.verdict().is_none()) {
                    *side.unjudged.entry(outcome.name().to_owned()).or_default() += 1;
                }
                let (input, output) = judged.verdicts.spent_on(answered.key);
                side.input += input;
                side.output += output;
            }
        }
        cells.push(cell);
    }
    cells
}
