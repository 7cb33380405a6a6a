//! `gimbal arbiter collect`: conflicts that runs labelled by rollouts, as a file to learn from.

use gimbal_analysis::episode::{Episode, EpisodeFold, FoldError, Texts};
use gimbal_core::Milli;
use gimbal_model::ModelName;
use gimbal_model::noisy::ONE;
use gimbal_neural::Dataset;
use gimbal_neural::data::{Candidate, Conflict, Header, Party};
use gimbal_study::plan::Stored;
use gimbal_study::read::Episodes;
use gimbal_study::run::RunError;
use gimbal_temporal::rollout::{COLUMNS, Labelled, LayerLabelled};

use crate::args::CollectArgs;
use crate::commands::{run_folder, write_file};
use crate::exit::Failure;
use crate::stdio::message;

/// The rules whose choices are kept, in the order of the header.
const RULES: [&str; 4] = ["faster", "slower", "published", "greedy"];

/// Writes the conflicts of runs that hold labelled ones.
pub fn collect(asked: &CollectArgs) -> Result<(), Failure> {
    let mut conflicts = Vec::new();
    for path in &asked.runs {
        let failed = |error: RunError| Failure::Check(format!("{}: {error}", path.display()));
        let folder = run_folder(path)?;
        let stored = Stored::read(&folder).map_err(failed)?;
        let mut fold = Fold { stored: &stored, conflicts: Vec::new() };
        Episodes::of(&folder, &stored).pass(|_| true, &mut [&mut fold]).map_err(failed)?;
        conflicts.append(&mut fold.conflicts);
    }
    if conflicts.is_empty() {
        let words =
            "no conflict is labelled in these runs: set `rollouts` in an architecture `temporal`, see docs/arbiter.md";
        return Err(Failure::Usage(words.to_owned()));
    }
    let header = Header::new(&COLUMNS, 0, &RULES);
    let count = conflicts.len();
    let data = Dataset { header, conflicts };
    write_file(&asked.out, &data.write().map_err(Failure::usage)?)?;
    message(&format!("{}: {count} labelled conflicts written", asked.out.display()));
    Ok(())
}

struct Fold<'r> {
    stored: &'r Stored,
    conflicts: Vec<Conflict>,
}

impl EpisodeFold<RunError> for Fold<'_> {
    fn add(
        &mut self,
        episode: &Episode<'_>,
        texts: &mut dyn Texts<Error = RunError>,
    ) -> Result<(), FoldError<RunError>> {
        let Some(cell) = self.stored.cells.iter().find(|cell| cell.info.id == episode.cell) else { return Ok(()) };
        // The registry name, by which conflicts are held out; tables call an environment by its options too.
        let environment = cell.identity["environment"]["name"].as_str().unwrap_or(&cell.info.environment);
        let noise = noise(&cell.info.models);
        for record in episode.records::<LayerLabelled, RunError>(texts)? {
            let name = format!("{}, step {}", episode.name(), record.step);
            self.conflicts.extend(conflict(name, (environment.to_owned(), episode.seed, noise), &record));
        }
        Ok(())
    }
}

/// The largest share of errors of noisy experts among the models of a cell; 0 for all other models.
fn noise(models: &[gimbal_analysis::RoleModel]) -> Milli {
    let share = |role: &gimbal_analysis::RoleModel| match ModelName::parse(&role.model) {
        Ok(ModelName::Noisy(noise)) => Some(Milli(i64::from((ONE - noise.competent.min(ONE)) / 1000))),
        _ => None,
    };
    models.iter().filter_map(share).max().unwrap_or(Milli::ZERO)
}

fn conflict(id: String, (environment, seed, noise): (String, u64, Milli), record: &LayerLabelled) -> Option<Conflict> {
    let Labelled { parties, conflicts, ways, best, tied, by_rule, .. } = &record.labelled;
    let choices: Option<Vec<usize>> = RULES.iter().map(|rule| by_rule.get(*rule).copied()).collect();
    let top = ways.get(*best)?.mean;
    let candidates = ways.iter().map(|way| {
        let returns: Vec<f64> = way.returns.iter().map(|one| one.to_f64()).collect();
        Candidate {
            kept: way.kept.clone(),
            sets: way.sets.clone(),
            mean: way.mean.to_f64(),
            error: standard_error(&returns),
            // It turned out well where nothing was lost against the best way.
            outcome: Some(way.mean == top),
        }
    });
    let candidates = candidates.collect();
    let party = |one: &gimbal_temporal::rollout::Features| Party { layer: one.layer, features: one.row() };
    Some(Conflict {
        id,
        environment,
        seed,
        noise,
        kind: record.kind.clone(),
        parties: parties.iter().map(party).collect(),
        excludes: conflicts.clone(),
        context: Vec::new(),
        candidates,
        choices: choices?,
        best: *best,
        tied: *tied,
        weight: 1.0,
    })
}

fn standard_error(returns: &[f64]) -> f64 {
    let n = returns.len() as f64;
    if returns.len() < 2 {
        return 0.0;
    }
    let mean = returns.iter().sum::<f64>() / n;
    let squares: f64 = returns.iter().map(|one| (one - mean).powi(2)).sum();
    (squares / (n - 1.0) / n).sqrt()
}
