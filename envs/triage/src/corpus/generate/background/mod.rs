//! Ordinary activity around a scene. Profiles of `dev` and of `test` are different ones: other houses, other habits.

mod audit;
mod events;
mod lines;
mod traffic;

use std::collections::BTreeMap;

use gimbal_core::seed::Rng;

use super::step;
use crate::scenario::{Background, Script, Step};

/// What a profile is given: the length in seconds, and a stream of its own.
struct Around<'s> {
    seconds: f64,
    host: &'s str,
    rng: Rng,
}

/// A profile.
type Profile = fn(&mut Around<'_>) -> Vec<Step>;

/// All profiles by name.
const PROFILES: [(&str, Profile); 10] = [
    ("office", events::office),
    ("servers", events::servers),
    ("clinic", events::clinic),
    ("plant", events::plant),
    ("web", lines::web),
    ("build", lines::build),
    ("audit_web", audit::web),
    ("audit_build", audit::build),
    ("branch", traffic::branch),
    ("campus", traffic::campus),
];

/// The steps of a background.
///
/// # Errors
/// When there is no such profile.
pub(super) fn steps(background: &Background, script: &Script) -> Result<Vec<Step>, String> {
    let names = PROFILES.map(|(name, _)| name);
    let (_, profile) = PROFILES.iter().find(|(name, _)| *name == background.profile).ok_or_else(|| {
        let hint = gimbal_core::nearest::hint(&background.profile, names);
        format!("there is no background `{}`{hint} (known: {})", background.profile, names.join(", "))
    })?;
    let mut around = Around {
        seconds: f64::from(background.minutes) * 60.0,
        host: &script.host,
        rng: Rng::stream(script.seed, &background.profile),
    };
    Ok(profile(&mut around))
}

impl Around<'_> {
    /// How often something happens that comes every so many seconds, at least once.
    fn times(&self, every: f64) -> u32 {
        (self.seconds / every).floor().clamp(1.0, 5_000.0) as u32
    }

    /// A second within the first part of the time.
    fn moment(&mut self, part: f64) -> f64 {
        (self.rng.unit() * part * self.seconds).round()
    }

    /// One of several.
    fn one<'t>(&mut self, of: &[&'t str]) -> &'t str {
        self.rng.choose(of).copied().unwrap_or_default()
    }
}

/// Fields of a step.
fn fields(pairs: &[(&str, &str)]) -> BTreeMap<String, String> {
    pairs.iter().map(|(key, value)| ((*key).to_owned(), (*value).to_owned())).collect()
}
