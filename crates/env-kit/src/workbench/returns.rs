//! Returns of a built-in policy, through the seams of core.

use std::fmt;
use std::io;
use std::path::Path;

use gimbal_core::{EnvError, Milli};
use serde::Serialize;
use serde::de::DeserializeOwned;

use super::{Output, ReturnsRequest, Setup, Workbench, by_policy, number};

/// Recorded means that are further away than this many standard errors fail the check.
pub const WIDEST_Z: f64 = 3.0;

/// The distribution of returns; its keys are those of `--json`.
#[derive(Serialize)]
struct Report<'a> {
    mean: f64,
    sd: Option<f64>,
    episodes: u64,
    se: Option<f64>,
    min: f64,
    max: f64,
    policy: &'a str,
}

/// Mean and spread of returns, as every environment prints them.
#[derive(Clone, Copy, Debug)]
pub struct Spread {
    /// Mean return.
    pub mean: f64,
    /// Standard deviation; `None` of one episode.
    pub sd: Option<f64>,
    /// Standard error of the mean; `None` of one episode.
    pub se: Option<f64>,
    /// Smallest return.
    pub min: f64,
    /// Largest return.
    pub max: f64,
    /// Episodes.
    pub episodes: u64,
    /// Digits behind the point of the smallest and the largest return.
    pub decimals: usize,
}

impl fmt::Display for Spread {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let Self { mean, min, max, episodes, decimals, .. } = self;
        let (sd, se) = (number(self.sd), number(self.se));
        write!(
            f,
            "mean {mean:.4}, SD {sd}, SE {se}, min {min:.decimals$}, max {max:.decimals$} over {episodes} episodes"
        )
    }
}

/// Plays episodes by consecutive seeds, and the tasks in turn.
pub(super) async fn returns<W: Workbench + ?Sized>(family: &W, request: &ReturnsRequest) -> Result<Output, EnvError> {
    if request.against.is_some() {
        return Err(EnvError::Usage(format!("--against: there are no recorded statistics of `{}`", family.name())));
    }
    super::only_fast_draws(&request.draws)?;
    let [first, _] = family.contrast();
    let policy = request.policy.as_deref().unwrap_or(&first);
    let totals = totals(family, &request.setup, policy, request.episodes, request.seed).await?;
    let count = totals.len().max(1) as f64;
    let values = || totals.iter().map(|total| *total as f64 / 1000.0);
    let mean = values().sum::<f64>() / count;
    let squares: f64 = values().map(|value| (value - mean) * (value - mean)).sum();
    let sd = (totals.len() > 1).then(|| (squares / (count - 1.0)).sqrt());
    let se = sd.map(|sd| sd / count.sqrt());
    let (min, max) = (values().fold(f64::INFINITY, f64::min), values().fold(f64::NEG_INFINITY, f64::max));
    let spread = Spread { mean, sd, se, min, max, episodes: request.episodes, decimals: 3 };
    Output::of(format!("{spread}\n"), &Report { mean, sd, episodes: request.episodes, se, min, max, policy })
}

/// Returns in thousandths on the default options.
pub(super) async fn sample<W: Workbench + ?Sized>(
    family: &W,
    policy: &str,
    episodes: u64,
    seed: u64,
) -> Result<Vec<i64>, EnvError> {
    totals(family, &Setup::default(), policy, episodes, seed).await
}

async fn totals<W: Workbench + ?Sized>(
    family: &W,
    setup: &Setup,
    policy: &str,
    episodes: u64,
    seed: u64,
) -> Result<Vec<i64>, EnvError> {
    let mut environment = setup.open(family)?;
    let tasks = setup.tasks(family)?;
    let mut totals = Vec::new();
    for episode in 0..episodes {
        let seed = seed.wrapping_add(episode);
        let Some(task) = tasks.get((seed % tasks.len().max(1) as u64) as usize) else { break };
        let Milli(total) = by_policy(&mut *environment, policy, task, seed, &mut |_, _, _| {}).await?.total;
        totals.push(total);
    }
    Ok(totals)
}

/// The distance of two means in standard errors of their difference.
#[must_use]
pub fn distance(difference: f64, one: f64, other: f64) -> f64 {
    let error = one.hypot(other);
    if error > 0.0 { difference / error } else { 0.0 }
}

/// A cell of recorded statistics that was played again.
pub trait Compared: Serialize {
    /// The distance of the means, in standard errors.
    fn z(&self) -> f64;
}

/// What a comparison with recorded statistics found; its keys are those of `--json`.
#[derive(Serialize)]
struct Comparison<T> {
    cells: Vec<T>,
    largest_z: f64,
    episodes: u64,
}

/// The output of a comparison: it fails where a mean is further than [`WIDEST_Z`] standard errors away.
///
/// # Errors
/// When the cells have no JSON form.
pub fn compared<T: Compared>(text: String, cells: Vec<T>, episodes: u64) -> Result<Output, EnvError> {
    let wide = cells.iter().filter(|cell| cell.z().abs() > WIDEST_Z).count();
    let count = cells.len();
    let largest_z = cells.iter().map(|cell| cell.z().abs()).fold(0.0, f64::max);
    let mut output = Output::of(text, &Comparison { cells, largest_z, episodes })?;
    output.failed =
        (wide > 0).then(|| format!("{wide} of {count} cells are more than {WIDEST_Z} standard errors away"));
    Ok(output)
}

/// The recorded statistics in a file that `--against` names; `text` is what was read of it.
///
/// # Errors
/// When the file cannot be read, or does not hold such statistics.
pub fn recorded_in<T: DeserializeOwned>(file: &Path, text: io::Result<String>) -> Result<T, EnvError> {
    let wrong = |what: String| EnvError::Usage(format!("{}: {what}", file.display()));
    let text = text.map_err(|error| wrong(format!("cannot be read: {error}")))?;
    serde_json::from_str(&text).map_err(|error| wrong(format!("this is not a file of recorded statistics: {error}")))
}
