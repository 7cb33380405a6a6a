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
