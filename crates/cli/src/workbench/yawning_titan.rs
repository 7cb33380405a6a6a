//! YAWNING-TITAN at the workbench: thin calls into its library.

use std::path::Path;

use gimbal_yawning_titan::bench::{BenchOptions, Observe as View};
use gimbal_yawning_titan::draws::Fast;
use gimbal_yawning_titan::environment::Settings;
use gimbal_yawning_titan::generator::Numbers;
use gimbal_yawning_titan::network::{GENERATORS, Generator, Network};
use gimbal_yawning_titan::policy::{POLICIES, PolicyKind};
use gimbal_yawning_titan::replay::{DrawSource, ReplayOptions, ReplayReport};
use gimbal_yawning_titan::returns::{RecordedReturns, ReturnsOptions, ReturnsReport, each, returns};
use gimbal_yawning_titan::{Config, RedKind, Scenario, Simulator, Source};
use serde::Serialize;

use super::Workbench;
use super::cage2::{WIDEST_Z, choice, known};
use crate::args::{Draws, EnvBench, EnvEvaluate, EnvPlay, EnvReplay, EnvReturns, EnvSettings, Observe};
use crate::commands::print_json;
use crate::exit::Failure;
use crate::stdio::count;

/// YAWNING-TITAN's generic network environment.
pub struct YawningTitan;

fn red(name: &str) -> Result<RedKind, Failure> {
    choice("--red", name, &[RedKind::Standard, RedKind::Sine].map(|red| (red.name(), red)))
}

fn policy(name: &str) -> Result<PolicyKind, Failure> {
    let known: Vec<(&str, PolicyKind)> = POLICIES.iter().map(|kind| (kind.name(), *kind)).collect();
    choice("--policy", name, &known)
}

fn numbers(name: &str) -> Result<Numbers, Failure> {
    choice("--draws", name, &[Numbers::Fast, Numbers::Mersenne].map(|draws| (draws.name(), draws)))
}

/// Mode, network and red, with what is set otherwise.
fn scenario(environment: &EnvSettings) -> Result<Scenario, Failure> {
    let mut config = Config::mode(environment.mode.as_deref().unwrap_or("default")).map_err(Failure::usage)?;
    for setting in &environment.set {
        let (name, value) = setting
            .split_once('=')
            .ok_or_else(|| Failure::Usage(format!("--set {setting}: write it as NAME=VALUE, such as `{EXAMPLE}`")))?;
        // A bare word is a text.
        let value = serde_json::from_str(value).unwrap_or_else(|_| serde_json::Value::from(value));
        config.set(name.trim(), &value).map_err(Failure::usage)?;
    }
    match environment.horizon {
        Some(0) => return Err(Failure::Usage("--horizon must be at least 1".to_owned())),
        Some(horizon) => config.set("game_rules.max_steps", &horizon.into()).map_err(Failure::usage)?,
        None => {}
    }
    if config.whole("game_rules.max_steps").is_none_or(|steps| steps < 1) {
        return Err(Failure::Usage("this mode has no last step; give one with --horizon".to_owned()));
    }
    let network = environment.network.as_deref().unwrap_or("default_18");
    let red = environment.red.as_deref().map_or(Ok(RedKind::Standard), red)?;
    Ok(Scenario { config, network: source(network)?, red })
}

const EXAMPLE: &str = "red.action_set.spread.use=true";

/// A stored network, or one that a generator makes with its default arguments.
fn source(name: &str) -> Result<Source, Failure> {
    if GENERATORS.contains(&name) {
        let generator = Generator::read(name, &serde_json::Map::new()).map_err(Failure::usage)?;
        let parameters = Network::stored("default_18").map_err(Failure::usage)?.parameters;
        return Ok(Source::Made { generator, seed: 0, parameters });
    }
    Network::stored(name).map(|_| Source::Stored(name.to_owned())).map_err(Failure::usage)
}

impl Workbench for YawningTitan {
    fn play(&self, options: &EnvPlay) -> Result<(), Failure> {
        let other = [("--green", options.green.is_some()), ("--names", options.names.is_some())];
        if let Some((name, _)) = other.into_iter().find(|(_, given)| *given) {
            return Err(Failure::Usage(format!("{name}: it is of `cage2`; `yawning_titan` has none, leave it out")));
        }
        let scenario = scenario(&options.environment)?;
        let mut simulator = Simulator::new(&scenario, Fast::new(options.seed)).map_err(Failure::usage)?;
        let (mut input, mut output) = (std::io::stdin().lock(), gimbal_analysis::Printable(std::io::stdout().lock()));
        gimbal_yawning_titan::play::play(&mut simulator, options.seed, &mut input, &mut output)
            .map(|_| ())
            .map_err(Failure::external)
    }

    fn replay(&self, options: &EnvReplay) -> Result<(), Failure> {
        let draws = match options.draws {
            Draws::Tape => DrawSource::Tape,
            Draws::Seed => DrawSource::Seed,
        };
        if let Some(Some(view)) = options.checksum
            && view != Observe::Vector
        {
            return Err(Failure::Usage("--checksum: in yawning_titan it is always of rewards and vectors".to_owned()));
        }
        let wanted = ReplayOptions { files: options.files.clone(), draws, checksum: options.checksum.is_some() };
        let report = gimbal_yawning_titan::replay::replay_all(&wanted);
        println!(
            "{}, {}, {}",
            count(report.episodes, "episode", "episodes"),
            count(report.steps, "step", "steps"),
            count(report.mismatches, "mismatch", "mismatches")
        );
        println!(
            "{} environments, {} episodes that end in an exception of the original",
            report.environments, report.exceptions
        );
        if report.unrecorded > 0 {
            println!("{} fields are not in these recordings and were not compared", report.unrecorded);
        }
        if let Some(checksum) = &report.checksum {
            println!("checksum {checksum} (vector)");
        }
        if let Some(recorded) = &report.checksum_recorded {
            println!("recorded {recorded}");
        }
        if let Some(first) = &report.first {
            let episode =
                first.episode.map_or_else(|| "its building".to_owned(), |episode| format!("episode {episode}"));
            let step = first.step.map_or_else(|| "at its start".to_owned(), |step| format!("step {step}"));
            println!("first: {} environment {}, {episode}, {step}, {}", first.file, first.environment, first.field);
            println!("  expected {}\n  got      {}", first.expected, first.got);
        }
        if options.json {
            print_json(&report)?;
        }
        verdict(&report)
    }

    fn bench(&self, options: &EnvBench) -> Result<(), Failure> {
        if !options.actions.is_empty() || options.save.is_some() {
            let message = "--actions, --save: they are of `cage2`; yawning_titan keeps no action lists, and `replay` plays its recordings";
            return Err(Failure::Usage(message.to_owned()));
        }
        let observe = match options.observe {
            None | Some(Observe::Vector) => View::Vector,
            Some(Observe::None) => View::None,
            Some(Observe::Raw) => {
                return Err(Failure::Usage("--observe raw: yawning_titan shows a vector; give `vector`".to_owned()));
            }
        };
        let report = gimbal_yawning_titan::bench::bench(&BenchOptions {
            scenario: scenario(&options.environment)?,
            policy: policy(&options.policy)?,
            observe,
            steps: options.steps,
            draws: numbers(&options.draws)?,
            seed: options.seed,
        })
        .map_err(Failure::usage)?;
        println!(
            "{:.0} steps/s: {} steps of {} episodes in {:.3} s, buildings and resets included, one core",
            report.steps_per_second, report.steps, report.episodes, report.seconds
        );
        println!(
            "red {}, policy {}, vector of {}, draws {}, sum of rewards {:.3}, checksum {}",
            report.red, report.policy, report.vector, report.draws, report.total_reward, report.checksum
        );
        if options.json { print_json(&report) } else { Ok(()) }
    }

    fn returns(&self, options: &EnvReturns) -> Result<(), Failure> {
        if options.episodes == 0 {
            return Err(Failure::Usage("--episodes must be at least 1".to_owned()));
        }
        let draws = numbers(&options.draws)?;
        if let Some(file) = &options.against {
            if options.episodes < 2 {
                return Err(Failure::Usage("--against: a standard error needs --episodes of at least 2".to_owned()));
            }
            return against(file, options, draws);
        }
        let report = returns(&ReturnsOptions {
            scenario: scenario(&options.environment)?,
            policy: policy(options.policy.as_deref().unwrap_or("nothing"))?,
            episodes: options.episodes,
            draws,
            seed: options.seed,
        })
        .map_err(Failure::usage)?;
        println!(
            "mean {:.4}, SD {}, SE {}, min {:.3}, max {:.3} over {} episodes",
            report.mean,
            known(report.sd),
            known(report.se),
            report.min,
            report.max,
            report.episodes
        );
        println!(
            "steps {:.2}, SD {}; {:.1} % reach the last step, {} end in an exception",
            report.length_mean,
            known(report.length_sd),
            100.0 * report.reached_max_steps,
            report.exceptions
        );
        if options.json { print_json(&report) } else { Ok(()) }
    }

    fn evaluate(&self, options: &EnvEvaluate) -> Result<(), Failure> {
        if options.episodes == 0 {
            return Err(Failure::Usage("--episodes must be at least 1".to_owned()));
        }
        // The three shipped modes, each on the network of its statistics.
        let policy = policy(options.policy.as_deref().unwrap_or("nothing"))?;
        let mut rows = Vec::new();
        println!("{:<14} {:<21} {:<9} {:>10} {:>10} {:>8}", "mode", "network", "red", "mean", "SD", "steps");
        for (mode, network, red) in SHIPPED {
            let scenario = Scenario { red, ..Scenario::of(mode, network).map_err(Failure::usage)? };
            let (episodes, seed, draws) = (options.episodes, options.seed, Numbers::Fast);
            let report =
                returns(&ReturnsOptions { scenario, policy, episodes, draws, seed }).map_err(Failure::usage)?;
            println!(
                "{mode:<14} {network:<21} {:<9} {:>10.3} {:>10} {:>8.2}",
                red.name(),
                report.mean,
                known(report.sd),
                report.length_mean
            );
            rows.push(Row { mode, network, red, report });
        }
        if options.json { print_json(&rows) } else { Ok(()) }
    }

    fn contrast(&self) -> [&'static str; 2] {
        ["random", "reactive"]
    }

    fn sample(&self, policy: &str, episodes: u64, seed: u64) -> Result<Vec<i64>, Failure> {
        let policy = self::policy(policy)?;
        // What a study plays where it sets no option.
        let scenario = Settings::default().scenario().map_err(Failure::usage)?;
        each(&ReturnsOptions { scenario, policy, episodes, draws: Numbers::Fast, seed }).map_err(Failure::usage)
    }
}

/// The shipped modes, as the original's statistics play them.
const SHIPPED: [(&str, &str, RedKind); 4] = [
    ("default", "default_18", RedKind::Standard),
    ("dcbo", "dcbo_base", RedKind::Standard),
    ("dcbo", "dcbo_base", RedKind::Sine),
    ("low_skill_red", "default_18_set_entry", RedKind::Standard),
];

#[derive(Serialize)]
struct Row {
    mode: &'static str,
    network: &'static str,
    red: RedKind,
    #[serde(flatten)]
    report: ReturnsReport,
}

/// A difference fails the check; a file that cannot be read is the user's, and named in either case.
fn verdict(report: &ReplayReport) -> Result<(), Failure> {
    let messages: Vec<&str> = report.unreadable.iter().map(|file| file.message.as_str()).collect();
    if report.agrees() {
        return if messages.is_empty() { Ok(()) } else { Err(Failure::Usage(messages.join("\n"))) };
    }
    for message in messages {
        eprintln!("gimbal: {message}");
    }
    Err(Failure::Check("the recordings and the simulator differ".to_owned()))
}

#[derive(Serialize)]
struct Compared {
    mode: String,
    network: String,
    red: RedKind,
    policy: PolicyKind,
    #[serde(flatten)]
    report: ReturnsReport,
    recorded_mean: f64,
    z: f64,
    recorded_length: f64,
    length_z: f64,
}

/// What a comparison came to; its keys are those of `--json`.
#[derive(Serialize)]
struct Comparison {
    cells: Vec<Compared>,
    /// Largest distance from a recorded mean, in standard errors, without its sign.
    largest_z: f64,
    /// Episodes played in each cell.
    episodes: u64,
}

/// Every cell of recorded statistics is played; z is the difference of means over its standard error.
fn against(file: &Path, options: &EnvReturns, draws: Numbers) -> Result<(), Failure> {
    let place = file.display();
    let text =
        std::fs::read_to_string(file).map_err(|error| Failure::Usage(format!("{place}: cannot be read: {error}")))?;
    let recorded: RecordedReturns = serde_json::from_str(&text)
        .map_err(|error| Failure::Usage(format!("{place}: no file of recorded statistics: {error}")))?;
    println!(
        "{:<14} {:<9} {:<9} {:>10} {:>10} {:>7} {:>8} {:>8} {:>7}",
        "mode", "red", "policy", "mean", "recorded", "z", "steps", "recorded", "z"
    );
    let mut all = Vec::new();
    for cell in recorded.cells {
        let place = |error: &dyn std::fmt::Display| Failure::Usage(format!("{place}: {error}"));
        let red = RedKind::from_name(&cell.red).ok_or_else(|| place(&format!("there is no red `{}`", cell.red)))?;
        let scenario = Scenario { red, ..Scenario::of(&cell.mode, &cell.network).map_err(|error| place(&error))? };
        let (policy, episodes, seed) = (policy(&cell.blue)?, options.episodes, options.seed);
        let report =
            returns(&ReturnsOptions { scenario, policy, episodes, draws, seed }).map_err(|error| place(&error))?;
        let z = |difference: f64, one: f64, other: f64| {
            let error = one.hypot(other);
            if error > 0.0 { difference / error } else { 0.0 }
        };
        let mean_z = z(report.mean - cell.mean, report.se.unwrap_or(0.0), cell.se);
        let length_error = report.length_sd.unwrap_or(0.0) / (episodes as f64).sqrt();
        let recorded_error = cell.length_sd / (cell.n.max(1) as f64).sqrt();
        let length_z = z(report.length_mean - cell.length_mean, length_error, recorded_error);
        println!(
            "{:<14} {:<9} {:<9} {:>10.3} {:>10.3} {mean_z:>7.2} {:>8.2} {:>8.2} {length_z:>7.2}",
            cell.mode,
            red.name(),
            cell.blue,
            report.mean,
            cell.mean,
            report.length_mean,
            cell.length_mean
        );
        all.push(Compared {
            mode: cell.mode,
            network: cell.network,
            red,
            policy,
            report,
            recorded_mean: cell.mean,
            z: mean_z,
            recorded_length: cell.length_mean,
            length_z,
        });
    }
    let wide = all.iter().filter(|cell| cell.z.abs() > WIDEST_Z).count();
    let cells = all.len();
    if options.json {
        let largest_z = all.iter().map(|cell| cell.z.abs()).fold(0.0, f64::max);
        print_json(&Comparison { cells: all, largest_z, episodes: options.episodes })?;
    }
    if wide == 0 {
        return Ok(());
    }
    Err(Failure::Check(format!("{wide} of {cells} cells lie more than {WIDEST_Z} standard errors away")))
}
