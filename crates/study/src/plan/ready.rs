//! Whether a plan can be played now: its models can be used, and what was to be made before is there.

use gimbal_model::{ModelKind, SetupError};

use super::cells::Plan;
use super::error::{Problem, Problems};
use crate::registry::ModelSource;

/// Names of embedded models whose weights must be fetched first, and everything else that is missing (keys, addresses,
/// graphs that a model is to plan first).
pub fn ready(plan: &Plan, models: &dyn ModelSource) -> (Vec<String>, Result<(), Problems>) {
    let (mut pulls, mut problems) = (Vec::new(), Problems::default());
    let used = |name: &str| plan.cells.iter().any(|cell| cell.roles.values().any(|settings| settings.model == name));
    for (name, facts) in plan.models.iter().filter(|(name, _)| used(name)) {
        match models.ready(name) {
            Ok(()) => {}
            Err(SetupError::Weights(_)) if facts.kind == ModelKind::Embedded => pulls.push(name.clone()),
            Err(error) => problems.0.push(Problem::new(&plan.study.file, format!("`{name}`: {error}"))),
        }
    }
    for cell in &plan.cells {
        if let Some(what) = cell.architecture.lacks(cell.environment.family.name()) {
            let problem = Problem::new(&plan.study.file, what);
            if !problems.0.contains(&problem) {
                problems.0.push(problem);
            }
        }
    }
    (pulls, problems.none())
}
