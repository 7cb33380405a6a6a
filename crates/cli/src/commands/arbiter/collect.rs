//! `gimbal arbiter collect`: conflicts that runs labelled by rollouts, as a file to learn from.

use gimbal_analysis::episode::{Episode, EpisodeFold, FoldError, Texts};
use gimbal_core::Milli;
use gimbal_model::ModelName;
use gimbal_model::noisy::ONE;
use gimbal_neural::Dataset;
use gimbal_neural::data::Conflict;
use gimbal_neural::data::labelled::{Origin, Unusable, header};
use gimbal_study::plan::Stored;
use gimbal_study::read::Episodes;
use gimbal_study::run::RunError;
use gimbal_temporal::rollout::LayerLabelled;

use crate::args::CollectArgs;
use crate::commands::{run_folder, write_file};
use crate::exit::Failure;
use crate::stdio::message;

/// Writes the conflicts of runs that hold labelled ones.
pub fn collect(asked: &CollectArgs) -> Result<(), Failure> {
    let mut conflicts = Vec::new();
    for path in &asked.runs {
        let failed = |error: RunError| Failure::Check(format!("{}: {error}", path.display()));
        let folder = run_folder(path)?;
        let stored = Stored::read(&folder).map_err(failed)?;
        let mut fold = Fold { stored: &stored, conflicts: Vec::new(), unusable: None };
        Episodes::of(&folder, &stored).pass(|_| true, &mut [&mut fold]).map_err(failed)?;
        if let Some(unusable) = fold.unusable {
            return Err(Failure::Check(format!("{}: {unusable}", path.display())));
        }
        conflicts.append(&mut fold.conflicts);
    }
    if conflicts.is_empty() {
        let words =
            "no conflict is labelled in these runs: set `rollouts` in an architecture `temporal`, see docs/arbiter.md";
        return Err(Failure::Usage(words.to_owned()));
    }
    let count = conflicts.len();
    let data = Dataset { header: header(), conflicts };
    write_file(&asked.out, &data.write().map_err(Failure::usage)?)?;
    message(&format!("{}: {count} labelled conflicts written", asked.out.display()));
    Ok(())
}

struct Fold<'r> {
    stored: &'r Stored,
    conflicts: Vec<Conflict>,
    /// The first labelled conflict that cannot be learned from.
    unusable: Option<Unusable>,
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
            let id = format!("{}, step {}", episode.name(), record.step);
            let origin = Origin { id, environment: environment.to_owned(), seed: episode.seed, noise };
            match Conflict::labelled(origin, &record) {
                Ok(conflict) => self.conflicts.push(conflict),
                Err(error) => {
                    self.unusable.get_or_insert(error);
                }
            }
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
