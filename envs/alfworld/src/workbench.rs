//! What `gimbal env alfworld` does beside what every environment can.

use std::path::{Path, PathBuf};
use std::sync::Arc;
use std::time::Instant;

use async_trait::async_trait;
use gimbal_core::EnvError;
use gimbal_env_kit::replay::{self, Unreadable};
use gimbal_env_kit::workbench::{
    BenchRequest, Output, ReplayRequest, ReturnsRequest, SaveRequest, Setup, Verb, Workbench, choice, number,
    only_fast_draws,
};
use serde_json::Value;

use crate::bench::{BenchOptions, bench};
use crate::engine::{Game, Play};
use crate::environment::{Alfworld, GAME_FILE, GENERATED, GENERATED_TASKS, HOUSEHOLD, Settings, load};
use crate::home::Household;
use crate::library::Library;
use crate::replay::{ReplayOptions, Replayer};
use crate::returns::{POLICIES, returns};

/// Generated households that a benchmark plays.
const BENCHED: u64 = 20;
/// Steps between two resets of a benchmark.
const BENCH_EVERY: u64 = 50;

fn usage(error: impl std::fmt::Display) -> EnvError {
    EnvError::Usage(error.to_string())
}

/// The games to measure, and what they are called: the one that is named, those of the folder, or so many generated ones.
fn games(setup: &Setup, settings: &Settings, seed: u64, generated: u64) -> Result<(Vec<Arc<Game>>, String), EnvError> {
    let library = Library::new();
    let one = |id: &str| load(id, settings, &library).map(|loaded| loaded.game);
    if let Some(task) = &setup.task {
        return Ok((vec![one(task)?], task.clone()));
    }
    if let Some(folder) = settings.games_folder().filter(|folder| folder.is_dir()) {
        let files = files_below(&folder)?;
        if !files.is_empty() {
            let games = files.iter().map(|file| {
                let id = file.strip_prefix(&folder).ok().and_then(Path::parent).unwrap_or(file);
                one(&id.iter().map(|part| part.to_string_lossy()).collect::<Vec<_>>().join("/"))
            });
            let games = games.collect::<Result<Vec<_>, _>>()?;
            let called = format!("{} games of {}", games.len(), folder.display());
            return Ok((games, called));
        }
        if settings.games.is_some() {
            return Err(usage(format!("--games {}: there is no {GAME_FILE} in it", folder.display())));
        }
    } else if let Some(folder) = &settings.games {
        return Err(usage(format!("--games {folder}: there is no such folder")));
    }
    let games = (0..generated).map(|more| one(&format!("{GENERATED}{}", seed.wrapping_add(more))));
    let called = format!("{generated} generated households, because there are no game files");
    Ok((games.collect::<Result<Vec<_>, _>>()?, called))
}

/// The game files below a folder, sorted.
fn files_below(folder: &Path) -> Result<Vec<PathBuf>, EnvError> {
    fn add(folder: &Path, files: &mut Vec<PathBuf>) -> Result<(), EnvError> {
        let failed = |error: std::io::Error| usage(format!("{}: cannot be read ({error})", folder.display()));
        for entry in std::fs::read_dir(folder).map_err(failed)? {
            let path = entry.map_err(failed)?.path();
            if path.is_dir() {
                add(&path, files)?;
            } else if path.ends_with(GAME_FILE) {
                files.push(path);
            }
        }
        Ok(())
    }
    let mut files = Vec::new();
    add(folder, &mut files)?;
    files.sort();
    Ok(files)
}

#[async_trait]
impl Workbench for Alfworld {
    fn written(&self) -> &[Verb] {
        &[Verb::Replay, Verb::Bench, Verb::Save]
    }

    fn contrast(&self) -> [String; 2] {
        ["random", "expert"].map(str::to_owned)
    }

    fn splits_of(&self, options: &Value) -> Option<&[&'static str]> {
        let names = |option: &str| options.get(option).is_some_and(Value::is_string);
        match (names("games"), names("households")) {
            (true, true) => Some(&["unseen", "seen", "train", "households"]),
            (true, false) => Some(&["unseen", "seen", "train"]),
            (false, true) => Some(&["households"]),
            (false, false) => None,
        }
    }

    fn replay_options(&self) -> &[&'static str] {
        &["games", "variant"]
    }

    fn replay(&self, request: &ReplayRequest) -> Result<Output, EnvError> {
        if request.checksum.is_some() {
            return Err(usage("--checksum: recordings of `alfworld` have none; every field is compared"));
        }
        let settings = Settings::read(&request.setup.options())?;
        let games = settings.games_folder().ok_or_else(|| {
            usage("--games DIR: name the folder of the games that the recordings are of, or set GIMBAL_DATA")
        })?;
        if !games.is_dir() {
            return Err(usage(format!("--games {}: there is no such folder", games.display())));
        }
        let mut replayer = Replayer::new(ReplayOptions { games, variant: settings.variant.map(PathBuf::from) });
        let mut unreadable = Vec::new();
        for file in &request.files {
            if let Err(error) = replayer.file(file) {
                unreadable.push(Unreadable::new(file, &error));
            }
        }
        replay::output(&replayer.report_with(unreadable))
    }

    fn bench(&self, request: &BenchRequest) -> Result<Output, EnvError> {
        if !request.actions.is_empty() || request.save.is_some() {
            return Err(usage("--actions, --save: `alfworld` keeps no action lists; `replay` plays its recordings"));
        }
        if request.policy != "random" {
            return Err(usage("--policy: `alfworld` is measured with random admissible commands; leave it out"));
        }
        let settings = Settings::read(&request.setup.options())?;
        let (games, called) = games(&request.setup, &settings, request.seed, BENCHED)?;
        let report = bench(&games, BenchOptions { steps: request.steps, every: BENCH_EVERY, seed: request.seed });
        let mut text = format!(
            "{:.0} steps/s: {} steps, {} resets in {:.3} s, one core, list of commands and text with every step\n\
             {called}; {:.1} admissible commands on average, checksum {}\n",
            report.steps_per_second, report.steps, report.resets, report.seconds, report.admissible, report.checksum
        );
        if request.setup.task.is_none()
            && let Some(loading) = loading(&settings)?
        {
            text.push_str(&loading);
        }
        Output::of(text, &report)
    }

    async fn returns(&self, request: &ReturnsRequest) -> Result<Output, EnvError> {
        if request.against.is_some() {
            return Err(usage("--against: there are no recorded statistics of `alfworld`"));
        }
        only_fast_draws(&request.draws)?;
        let policy = request.policy.as_deref().unwrap_or("expert");
        let kind = choice("--policy", policy, &POLICIES)?;
        let settings = Settings::read(&request.setup.options())?;
        let generated = request.episodes.min(GENERATED_TASKS);
        let (games, called) = games(&request.setup, &settings, request.seed, generated)?;
        let report = returns(&games, kind, request.episodes, settings.max_calls, request.seed);
        let mut text = format!(
            "{} of {} episodes won ({:.1} %), {} calls, SD {} over won ones; {called}\n",
            report.won,
            report.episodes,
            100.0 * report.success_rate,
            number(report.calls),
            number(report.calls_sd)
        );
        if report.episodes < request.episodes {
            text.push_str(&format!(
                "{} episodes were asked for: `{policy}` plays a game always the same, so that each was played once\n",
                request.episodes
            ));
        }
        Output::of(text, &report)
    }

    fn save(&self, request: &SaveRequest) -> Result<Output, EnvError> {
        let settings = Settings::read(&request.setup.options())?;
        let task = request.setup.task.clone().unwrap_or_else(|| format!("{GENERATED}{}", request.seed));
        let seed = task.strip_prefix(GENERATED).and_then(|number| number.parse().ok());
        let seed = seed.ok_or_else(|| {
            usage(format!("--task {task}: only a generated household can be saved, such as `{GENERATED}17`"))
        })?;
        let household = Household::generate(&settings.household, seed).map_err(usage)?;
        let file = request.file.display();
        std::fs::write(&request.file, household.write())
            .map_err(|error| usage(format!("{file}: cannot be written ({error})")))?;
        Ok(Output::text(format!("{task} is saved as {file}; in a folder of households it is `{HOUSEHOLD}NAME`\n")))
    }
}

/// A line about how long game files take to load and reset, where there are some.
fn loading(settings: &Settings) -> Result<Option<String>, EnvError> {
    let Some(folder) = settings.games_folder().filter(|folder| folder.is_dir()) else { return Ok(None) };
    let (files, library) = (files_below(&folder)?, Library::new());
    let mut times = Vec::with_capacity(files.len());
    for file in &files {
        let start = Instant::now();
        let play = Play::new(Arc::new(library.load(file).map_err(usage)?));
        times.push(start.elapsed().as_secs_f64() * 1e3);
        drop(play);
    }
    let Some((cold, rest)) = times.split_first_mut() else { return Ok(None) };
    rest.sort_by(f64::total_cmp);
    let (median, most) = (rest.get(rest.len() / 2).copied(), rest.last().copied());
    Ok(Some(format!(
        "load and reset: {cold:.3} ms for the first game with its domain and grammar, then {:.3} ms in the median and \
         {:.3} ms at most over {} games\n",
        median.unwrap_or(*cold),
        most.unwrap_or(*cold),
        files.len()
    )))
}
