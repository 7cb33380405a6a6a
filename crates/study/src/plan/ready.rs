//! Whether the models of a plan can be used now.

use gimbal_model::{ModelKind, SetupError};

use super::cells::Plan;
use super::error::{Problem, Problems};
use crate::registry::ModelSource;

/// Names of embedded models whose weights must be fetched first, and everything else that is missing (keys, addresses).
pub fn ready(plan: &Plan, models: &dyn ModelSource) -> (Vec<String>, Result<(), Problems>) {
    let (mut pulls, mut problems) = (Vec::new(), Problems::default());
    let used = |name: &str| plan.cells.iter().any(|cell| cell.roles.values().any(|settings| settings.model == name));
    for (name, facts) in plan.models.iter().filter(|(name, _)| used(name)) {
        match models.ready(name) {
            Ok(()) => {}
            Err(SetupError::Weights(_)) if facts.kind == ModelKind::Embedded => pulls.push(name.clone()),
            Err(error) => {
                problems.0.push(Problem { place: plan.study.file.clone(), what: format!("`{name}`: {error}") })
            }
        }
    }
    (pulls, problems.none())
}
