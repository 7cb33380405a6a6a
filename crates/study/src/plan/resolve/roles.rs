//! Role sets: which model answers each role, and what must be known of it.

use std::collections::{BTreeMap, BTreeSet};
use std::sync::Arc;

use gimbal_core::yaml::Location;
use gimbal_core::{Decoding, RoleSettings};
use gimbal_model::ModelFacts;

use super::named::Built;
use crate::plan::cells::EnvironmentPart;
use crate::plan::error::Problem;
use crate::plan::file::{StudyFile, sampling_of};
use crate::plan::options::Options;

/// The settings of each role, with the place where it is written.
pub(super) type RoleMap = BTreeMap<String, (RoleSettings, Location)>;

/// The study's role sets, with the command line's model in place of every other. Equal sets count once.
pub(super) fn role_sets(study: &StudyFile, options: &Options) -> Vec<(RoleMap, Location)> {
    let mut sets: Vec<(RoleMap, Location)> = Vec::new();
    let mut known: BTreeSet<String> = BTreeSet::new();
    for set in &study.roles {
        let mut roles = set.roles.clone();
        if let Some(model) = &options.model {
            for (settings, _) in roles.values_mut() {
                // What the study left to the model before is left to the new one.
                let bound = &mut settings.sampling.max_output_tokens;
                if *bound == sampling_of(&settings.model).max_output_tokens {
                    *bound = sampling_of(model).max_output_tokens;
                }
                settings.model.clone_from(model);
            }
        }
        // Everything but places: equal sets are written alike.
        let plain: Vec<(&String, &RoleSettings)> = roles.iter().map(|(role, (settings, _))| (role, settings)).collect();
        if known.insert(format!("{plain:?}")) {
            sets.push((roles, set.at));
        }
    }
    if let (true, Some(model)) = (sets.is_empty(), &options.model) {
        let settings = RoleSettings { model: model.clone(), decoding: Decoding::Free, sampling: sampling_of(model) };
        sets.push((BTreeMap::from([("default".to_owned(), (settings, Location::default()))]), Location::default()));
    }
    sets
}

pub(super) fn known_roles<'a>(built: &'a [Built], environments: &'a [Arc<EnvironmentPart>]) -> BTreeSet<&'a str> {
    let mut known = BTreeSet::from(["default"]);
    known.extend(built.iter().flat_map(|built| built.needs.roles.iter().map(String::as_str)));
    // Offers are owned values, and names are borrowed: the constant has the same ones.
    for environment in environments {
        for role in environment.family.offers().asks {
            if let Some(name) = ENVIRONMENT_ROLES.iter().find(|known| **known == role) {
                known.insert(name);
            }
        }
    }
    known
}

/// Roles that environments may ask.
const ENVIRONMENT_ROLES: [&str; 3] = ["judge", "reader", "user"];

pub(super) fn check_price(study: &StudyFile, facts: &ModelFacts, at: Location) -> Result<(), Problem> {
    let limits = [
        ("study", study.study_limits.cost_microdollars),
        ("cell", study.cell_limits.cost_microdollars),
        ("episode", study.episode_limits.cost_microdollars),
    ];
    let limit = limits.iter().find(|(_, limit)| limit.is_some()).filter(|_| facts.price.is_none());
    if let Some((whose, _)) = limit {
        let what = format!(
            "the price of `{}` is not known, and `limits.{whose}.cost` is set: add it to prices.yaml, or drop the limit",
            facts.name
        );
        return Err(Problem::at(&study.file, at, what));
    }
    Ok(())
}
