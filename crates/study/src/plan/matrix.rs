//! Which architectures fit which environments, and why others do not.

use gimbal_core::Files;
use serde::Serialize;
use serde_json::Value;

use crate::registry::Registry;

/// A pair and whether it fits.
#[derive(Clone, Debug, PartialEq, Eq, Serialize)]
pub struct Fit {
    /// Environment.
    pub environment: String,
    /// Architecture.
    pub architecture: String,
    /// The settings of the architecture that were tried.
    pub settings: Value,
    /// Why it does not fit; empty when it does.
    pub unmet: Vec<String>,
}

/// A pair of environment and architecture over all settings that were tried; its keys are those of `gimbal matrix --json`.
#[derive(Clone, Debug, PartialEq, Eq, Serialize)]
pub struct PairFit {
    /// Architecture.
    pub architecture: String,
    /// Environment.
    pub environment: String,
    /// Why the first settings do not fit; empty if any settings do.
    pub unmet: Vec<String>,
    /// The policies with which the architecture fits, if it needs one.
    pub policies: Vec<String>,
}

/// All pairs over the same settings as [`matrix`]: a pair fits if one of its settings does.
#[must_use]
pub fn pairs(registry: &Registry, settings: &[(String, Value)], files: &dyn Files) -> Vec<PairFit> {
    let mut pairs: Vec<PairFit> = Vec::new();
    for fit in matrix(registry, settings, files) {
        let known =
            pairs.iter().position(|pair| pair.environment == fit.environment && pair.architecture == fit.architecture);
        let at = known.unwrap_or_else(|| {
            let (architecture, environment, unmet) = (fit.architecture, fit.environment, fit.unmet.clone());
            pairs.push(PairFit { architecture, environment, unmet, policies: Vec::new() });
            pairs.len() - 1
        });
        if fit.unmet.is_empty() {
            pairs[at].unmet.clear();
            pairs[at].policies.extend(fit.settings["policy"].as_str().map(str::to_owned));
        }
    }
    pairs
}

/// All pairs, each architecture with the given settings (its defaults if none): `settings` are pairs of registry name
/// and settings, so that one architecture may be in several variants.
///
/// An architecture that cannot be built from its settings is reported as unfit, with the reason.
#[must_use]
pub fn matrix(registry: &Registry, settings: &[(String, Value)], files: &dyn Files) -> Vec<Fit> {
    let mut fits = Vec::new();
    for family in &registry.environments {
        let offers = family.offers();
        for kind in &registry.architectures {
            let mut own: Vec<&Value> =
                settings.iter().filter(|(name, _)| name == kind.name()).map(|(_, settings)| settings).collect();
            let default = Value::Object(serde_json::Map::new());
            if own.is_empty() {
                own.push(&default);
            }
            for settings in own {
                let unmet = match kind.build(settings, files) {
                    Ok(architecture) => architecture.needs().unmet(&offers),
                    Err(error) => vec![error.to_string()],
                };
                let (environment, architecture) = (family.name().to_owned(), kind.name().to_owned());
                fits.push(Fit { environment, architecture, settings: settings.clone(), unmet });
            }
        }
    }
    fits
}
