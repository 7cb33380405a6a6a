//! Household text games at the workbench: thin calls into their library.

use std::path::{Path, PathBuf};
use std::sync::Arc;

use gimbal_alfworld::bench::BenchOptions;
use gimbal_alfworld::environment::{GAME_FILE, GENERATED, GENERATED_TASKS, HOUSEHOLD, Settings, data_folder, load};
use gimbal_alfworld::home::Household;
use gimbal_alfworld::replay::{ReplayOptions, ReplayReport, Replayer};
use gimbal_alfworld::returns::{POLICIES, returns};
use gimbal_alfworld::{Game, Library};
use serde_json::{Map, Value};

use super::Workbench;
use super::cage2::{choice, known};
use crate::args::{EnvBench, EnvPlay, EnvReplay, EnvReturns, EnvSettings};
use crate::commands::print_json;
use crate::exit::Failure;

/// Household text games.
pub struct Alfworld;

/// Options of the environment that `--set` may name; all others are dials of households.
const OPTIONS: [&str; 4] = ["wording", "variant", "households", "max_calls"];

/// What is to be played.
struct Chosen {
    settings: Settings,
    /// The task of `--set task=...`.
    task: Option<String>,
    /// The file of `--set write=...`.
    write: Option<PathBuf>,
}

fn chosen(environment: &EnvSettings) -> Result<Chosen, Failure> {
    let foreign = [
        ("--red", environment.red.is_some()),
        ("--mode", environment.mode.is_some()),
        ("--network", environment.network.is_some()),
    ];
    if let Some((name, _)) = foreign.iter().find(|(_, given)| *given) {
        return Err(Failure::Usage(format!("{name}: alfworld has none; choose with --games and --set")));
    }
    let (mut options, mut dials, mut task, mut write) = (Map::new(), Map::new(), None, None);
    if let Some(games) = &environment.games {
        options.insert("games".to_owned(), games.display().to_string().into());
    }
    if let Some(horizon) = environment.horizon {
        options.insert("max_calls".to_owned(), horizon.into());
    }
    for setting in &environment.set {
        let (name, value) = setting.split_once('=').ok_or_else(|| {
            Failure::Usage(format!(
                "--set {setting}: write it as NAME=VALUE, such as `task={GENERATED}17` or `receptacles=30`"
            ))
        })?;
        let (name, value) = (name.trim(), value.trim());
        // A bare word is a text, and so is the number of a wording.
        let read = || match name {
            "wording" => value.into(),
            _ => serde_json::from_str(value).unwrap_or_else(|_| Value::from(value)),
        };
        match name {
            "task" if gimbal_alfworld::home::TaskKind::from_name(value).is_none() => task = Some(value.to_owned()),
            "write" => write = Some(PathBuf::from(value)),
            _ if OPTIONS.contains(&name) => drop(options.insert(name.to_owned(), read())),
            _ => drop(dials.insert(name.to_owned(), read())),
        }
    }
    options.insert("household".to_owned(), dials.into());
    let settings = Settings::read(&Value::Object(options)).map_err(Failure::usage)?;
    Ok(Chosen { settings, task, write })
}

impl Chosen {
    /// The games to measure: the one that is named, those of the folder, or so many generated ones; and what they are
    /// called.
    fn games(&self, seed: u64, generated: u64) -> Result<(Vec<Arc<Game>>, String), Failure> {
        let library = Library::new();
        let one = |id: &str| load(id, &self.settings, &library).map(|loaded| loaded.game).map_err(Failure::environment);
        if let Some(task) = &self.task {
            return Ok((vec![one(task)?], task.clone()));
        }
        if let Some(folder) = self.settings.games_folder().filter(|folder| folder.is_dir()) {
            let mut files = Vec::new();
            below(&folder, &mut files).map_err(Failure::usage)?;
            files.sort();
            if !files.is_empty() {
                let games = files.iter().map(|file| {
                    let id = file.strip_prefix(&folder).ok().and_then(Path::parent).unwrap_or(file);
                    one(&id.iter().map(|part| part.to_string_lossy()).collect::<Vec<_>>().join("/"))
                });
                let games = games.collect::<Result<Vec<_>, _>>()?;
                let said = format!("{} games of {}", games.len(), folder.display());
                return Ok((games, said));
            }
            if self.settings.games.is_some() {
                return Err(Failure::Usage(format!("--games {}: holds no {GAME_FILE}", folder.display())));
            }
        } else if let Some(folder) = &self.settings.games {
            return Err(Failure::Usage(format!("--games {folder}: there is no such folder")));
        }
        let games = (0..generated).map(|more| one(&format!("{GENERATED}{}", seed.wrapping_add(more))));
        let said = format!("{generated} generated households, since there are no game files");
        Ok((games.collect::<Result<Vec<_>, _>>()?, said))
    }
}

/// Generated households that a benchmark plays.
const BENCHED: u64 = 20;

fn below(folder: &Path, files: &mut Vec<PathBuf>) -> Result<(), String> {
    let failed = |error: std::io::Error| format!("{}: cannot be read ({error})", folder.display());
    for entry in std::fs::read_dir(folder).map_err(failed)? {
        let path = entry.map_err(failed)?.path();
        if path.is_dir() {
            below(&path, files)?;
        } else if path.ends_with(GAME_FILE) {
            files.push(path);
        }
    }
    Ok(())
}

impl Workbench for Alfworld {
    fn contrast(&self) -> [&'static str; 2] {
        ["random", "expert"]
    }

    fn play(&self, options: &EnvPlay) -> Result<(), Failure> {
        let chosen = chosen(&options.environment)?;
        let task = chosen.task.clone().unwrap_or_else(|| format!("{GENERATED}{}", options.seed));
        if let Some(file) = &chosen.write {
            let seed = task.strip_prefix(GENERATED).and_then(|number| number.parse().ok());
            let seed = seed.ok_or_else(|| {
                Failure::Usage(format!("write: only a generated household can be saved, such as `task={GENERATED}17`"))
            })?;
            let household = Household::generate(&chosen.settings.household, seed).map_err(Failure::usage)?;
            std::fs::write(file, household.write())
                .map_err(|error| Failure::Usage(format!("{}: cannot be written ({error})", file.display())))?;
            println!("{task} is saved as {}; in a folder of households it is `{HOUSEHOLD}NAME`", file.display());
        }
        let library = Library::new();
        let game = load(&task, &chosen.settings, &library).map_err(Failure::environment)?.game;
        let (mut input, mut output) = (std::io::stdin().lock(), gimbal_analysis::Printable(std::io::stdout().lock()));
        gimbal_alfworld::play_here::play(&game, chosen.settings.max_calls, &mut input, &mut output)
            .map(|_| ())
            .map_err(Failure::external)
    }

    fn replay(&self, options: &EnvReplay) -> Result<(), Failure> {
        if options.checksum.is_some() {
            return Err(Failure::Usage("--checksum: in alfworld every field is compared; there is none".to_owned()));
        }
        let games = options.games.clone().or_else(|| data_folder().map(|folder| folder.join("games")));
        let games = games.ok_or_else(|| {
            Failure::Usage(
                "--games DIR: name the folder of the games that the recordings are of, or set GIMBAL_DATA".to_owned(),
            )
        })?;
        if !games.is_dir() {
            return Err(Failure::Usage(format!("--games {}: there is no such folder", games.display())));
        }
        let mut replayer = Replayer::new(ReplayOptions { games, variant: options.variant.clone() });
        let read = options.files.iter().map(|file| replayer.file(file));
        let unreadable: Vec<String> = read.filter_map(|read| read.err().map(|error| error.to_string())).collect();
        let report = replayer.report_with(unreadable);
        println!(
            "{} walks of {} games, {} steps, {} mismatches ({} walks in the older words, {} walks end won)",
            report.walks, report.games, report.steps, report.mismatches, report.older, report.won
        );
        if let Some(first) = &report.first {
            let step = if first.step == 0 { "at its start".to_owned() } else { format!("step {}", first.step) };
            println!(
                "first: {}:{}, {}, {step} `{}`, {}",
                first.file, first.line, first.game, first.command, first.field
            );
            println!("  expected {}\n  got      {}", first.expected, first.got);
        }
        if options.json {
            print_json(&report)?;
        }
        verdict(&report)
    }

    fn bench(&self, options: &EnvBench) -> Result<(), Failure> {
        if !options.actions.is_empty() || options.save.is_some() {
            let message = "--actions, --save: alfworld keeps no action lists; `replay` plays its recordings";
            return Err(Failure::Usage(message.to_owned()));
        }
        if options.policy != "random" {
            return Err(Failure::Usage("--policy: alfworld is measured with random admissible commands".to_owned()));
        }
        let chosen = chosen(&options.environment)?;
        let (games, said) = chosen.games(options.seed, BENCHED)?;
        let report =
            gimbal_alfworld::bench::bench(&games, BenchOptions { steps: options.steps, every: 50, seed: options.seed });
        println!(
            "{:.0} steps/s: {} steps, {} resets in {:.3} s, one core, list of commands and text with every step",
            report.steps_per_second, report.steps, report.resets, report.seconds
        );
        println!("{said}; {:.1} admissible commands on average, checksum {}", report.admissible, report.checksum);
        if let Some(loading) = loading(&chosen)? {
            println!(
                "load and reset: {:.3} ms for the first game with its domain and grammar, then {:.3} ms in the median and \
                 {:.3} ms at most over {} games",
                loading.cold, loading.median, loading.most, loading.games
            );
        }
        if options.json { print_json(&report) } else { Ok(()) }
    }

    fn returns(&self, options: &EnvReturns) -> Result<(), Failure> {
        if options.against.is_some() {
            return Err(Failure::Usage("--against: there are no recorded statistics of alfworld".to_owned()));
        }
        let policy = choice("--policy", options.policy.as_deref().unwrap_or("expert"), &POLICIES)?;
        let chosen = chosen(&options.environment)?;
        if options.episodes == 0 {
            return Err(Failure::Usage("--episodes must be at least 1".to_owned()));
        }
        let (games, said) = chosen.games(options.seed, options.episodes.min(GENERATED_TASKS))?;
        let report = returns(&games, policy, options.episodes, chosen.settings.max_calls, options.seed);
        println!(
            "{} of {} episodes won ({:.1} %), {} calls, SD {} over won ones; {said}",
            report.won,
            report.episodes,
            100.0 * report.success_rate,
            known(report.calls),
            known(report.calls_sd)
        );
        if report.episodes < options.episodes {
            println!(
                "{} episodes were asked for: `{}` plays a game always the same, so that each was played once",
                options.episodes,
                options.policy.as_deref().unwrap_or("expert")
            );
        }
        if options.json { print_json(&report) } else { Ok(()) }
    }
}

/// Milliseconds to load a game and reset it.
struct Loading {
    games: usize,
    cold: f64,
    median: f64,
    most: f64,
}

/// How long game files take to load, where there are some.
fn loading(chosen: &Chosen) -> Result<Option<Loading>, Failure> {
    let Some(folder) = chosen.settings.games_folder().filter(|folder| folder.is_dir() && chosen.task.is_none()) else {
        return Ok(None);
    };
    let mut files = Vec::new();
    below(&folder, &mut files).map_err(Failure::usage)?;
    files.sort();
    let library = Library::new();
    let mut times = Vec::with_capacity(files.len());
    for file in &files {
        let start = std::time::Instant::now();
        let game = library.load(file).map_err(Failure::usage)?;
        let play = gimbal_alfworld::Play::new(Arc::new(game));
        times.push(start.elapsed().as_secs_f64() * 1e3);
        drop(play);
    }
    let Some((cold, rest)) = times.split_first_mut() else { return Ok(None) };
    rest.sort_by(f64::total_cmp);
    let (median, most) = (rest.get(rest.len() / 2).copied(), rest.last().copied());
    Ok(Some(Loading { games: files.len(), cold: *cold, median: median.unwrap_or(*cold), most: most.unwrap_or(*cold) }))
}

/// A difference fails the check; a file that cannot be read is the user's, and named in either case.
fn verdict(report: &ReplayReport) -> Result<(), Failure> {
    if report.agrees() {
        return if report.unreadable.is_empty() { Ok(()) } else { Err(Failure::Usage(report.unreadable.join("\n"))) };
    }
    for message in &report.unreadable {
        eprintln!("gimbal: {message}");
    }
    Err(Failure::Check("the recordings and the engine differ".to_owned()))
}
