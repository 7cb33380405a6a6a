//! CAGE-2 at the workbench: thin calls into its library.

use std::path::Path;

use gimbal_cage2::bench::{BenchActions, BenchOptions, Generator};
use gimbal_cage2::checksum::Observe as View;
use gimbal_cage2::draws::Fast;
use gimbal_cage2::environment::LONGEST_HORIZON;
use gimbal_cage2::policy::{POLICIES, PolicyKind};
use gimbal_cage2::replay::{ChecksumView, DrawSource, ReplayOptions, ReplayReport};
use gimbal_cage2::returns::{ReturnsOptions, returns};
use gimbal_cage2::{Green, Names, Options, Red, Simulator};
use serde::{Deserialize, Serialize};

use super::Workbench;
use crate::args::{Draws, EnvBench, EnvEvaluate, EnvPlay, EnvReplay, EnvReturns, EnvSettings, Observe};
use crate::commands::print_json;
use crate::exit::Failure;
use crate::stdio::count;

/// Seed of the neutral names at the terminal.
const NAMES_SEED: u64 = 0;

/// Recorded means that lie further away than this many standard errors fail the check.
pub(super) const WIDEST_Z: f64 = 3.0;

/// CybORG's CAGE Challenge 2.
pub struct Cage2;

pub(super) fn choice<T: Copy>(what: &str, name: &str, known: &[(&str, T)]) -> Result<T, Failure> {
    known.iter().find(|(known, _)| known.eq_ignore_ascii_case(name)).map(|(_, value)| *value).ok_or_else(|| {
        let names: Vec<&str> = known.iter().map(|(name, _)| *name).collect();
        let hint = gimbal_core::nearest::hint(name, names.iter().copied());
        Failure::Usage(format!("{what}: there is no `{name}`{hint} (known: {})", names.join(", ")))
    })
}

fn red(name: &str) -> Result<Red, Failure> {
    let known = [Red::BLine, Red::Meander, Red::Sleep].map(|red| (red.name(), red));
    choice("--red", name, &known)
}

/// Red and horizon; the rest is of environments that have modes.
fn environment(environment: &EnvSettings) -> Result<Options, Failure> {
    let other = [
        ("--mode", environment.mode.is_some()),
        ("--network", environment.network.is_some()),
        ("--set", !environment.set.is_empty()),
    ];
    if let Some((name, _)) = other.into_iter().find(|(_, given)| *given) {
        return Err(Failure::Usage(format!("{name}: `cage2` has one scenario only; leave it out")));
    }
    let default = Options::default();
    Ok(Options {
        red: environment.red.as_deref().map_or(Ok(default.red), red)?,
        horizon: horizon(environment.horizon.unwrap_or(default.horizon))?,
        ..default
    })
}

fn policy(name: &str) -> Result<PolicyKind, Failure> {
    let known: Vec<(&str, PolicyKind)> = POLICIES.iter().map(|kind| (kind.name(), *kind)).collect();
    choice("--policy", name, &known)
}

fn generator(name: &str) -> Result<Generator, Failure> {
    choice("--draws", name, &[Generator::Fast, Generator::Mersenne].map(|draws| (draws.name(), draws)))
}

fn horizon(steps: u32) -> Result<u32, Failure> {
    // The bound of studies: what goes beyond it is no episode of this challenge.
    if (1..=LONGEST_HORIZON).contains(&steps) {
        return Ok(steps);
    }
    Err(Failure::Usage(format!(
        "--horizon {steps}: give 1 to {LONGEST_HORIZON} steps (the challenge plays 30, 50 and 100)"
    )))
}

const fn view(observe: Observe) -> View {
    match observe {
        Observe::None => View::None,
        Observe::Vector => View::Vector,
        Observe::Raw => View::Raw,
    }
}

impl Workbench for Cage2 {
    fn play(&self, options: &EnvPlay) -> Result<(), Failure> {
        let green = choice(
            "--green",
            options.green.as_deref().unwrap_or("sleep"),
            &[Green::Sleep, Green::Scan].map(|green| (green.name(), green)),
        )?;
        let neutral = choice(
            "--names",
            options.names.as_deref().unwrap_or("original"),
            &[("original", false), ("neutral", true)],
        )?;
        let names = if neutral { Names::neutral(NAMES_SEED) } else { Names::original() };
        let environment = Options { green, ..environment(&options.environment)? };
        let mut simulator = Simulator::new(environment, Fast::new(options.seed));
        let (mut input, mut output) = (std::io::stdin().lock(), gimbal_analysis::Printable(std::io::stdout().lock()));
        gimbal_cage2::play::play(&mut simulator, options.seed, &names, &mut input, &mut output)
            .map(|_| ())
            .map_err(Failure::external)
    }

    fn replay(&self, options: &EnvReplay) -> Result<(), Failure> {
        let draws = match options.draws {
            Draws::Tape => DrawSource::Tape,
            Draws::Seed => DrawSource::Seed,
        };
        if options.checksum == Some(None)
            && let Some(word) = options.files.iter().find(|file| is_view(file))
        {
            let word = word.display();
            return Err(Failure::Usage(format!(
                "{word}: there is no such file; if you mean the view, write `--checksum={word}`"
            )));
        }
        let checksum =
            options.checksum.map(|asked| asked.map_or(ChecksumView::Own, |asked| ChecksumView::Of(view(asked))));
        let wanted = ReplayOptions { files: options.files.clone(), draws, checksum };
        let report = gimbal_cage2::replay::replay_all(&wanted);
        println!(
            "{}, {}, {}",
            count(report.episodes, "episode", "episodes"),
            count(report.steps, "step", "steps"),
            count(report.mismatches, "mismatch", "mismatches")
        );
        if report.unrecorded > 0 {
            println!("{} fields are not in these recordings and were not compared", report.unrecorded);
        }
        if let Some(checksum) = &report.checksum {
            let view = report.observe.map_or("", View::name);
            println!("checksum {checksum} ({view})");
        }
        if let Some(recorded) = &report.checksum_recorded {
            println!("recorded {recorded}");
        }
        if let Some(first) = &report.first {
            let step = first.step.map_or_else(|| "at its ends".to_owned(), |step| format!("step {step}"));
            println!("first: {} episode {}, {step}, {}", first.file, first.episode, first.field);
            println!("  expected {}\n  got      {}", first.expected, first.got);
        }
        if options.json {
            print_json(&report)?;
        }
        verdict(&report)
    }

    fn bench(&self, options: &EnvBench) -> Result<(), Failure> {
        let actions = if options.actions.is_empty() {
            BenchActions::Policy(policy(&options.policy)?)
        } else {
            BenchActions::Recorded(options.actions.clone())
        };
        let wanted = BenchOptions {
            options: environment(&options.environment)?,
            actions,
            observe: options.observe.map(view),
            steps: options.steps,
            draws: generator(&options.draws)?,
            seed: options.seed,
            save: options.save.clone(),
        };
        let report = gimbal_cage2::bench::bench(&wanted).map_err(Failure::usage)?;
        println!(
            "{:.0} steps/s: {} steps of {} episodes in {:.3} s, resets included, one core",
            report.steps_per_second, report.steps, report.episodes, report.seconds
        );
        println!(
            "red {}, policy {}, horizon {}, observe {}, draws {}, sum of rewards {:.1}, checksum {}",
            report.red,
            report.policy,
            report.horizon.map_or_else(|| "of each recording".to_owned(), |horizon| horizon.to_string()),
            report.observe.name(),
            report.draws,
            report.total_reward,
            report.checksum
        );
        if options.json { print_json(&report) } else { Ok(()) }
    }

    fn returns(&self, options: &EnvReturns) -> Result<(), Failure> {
        if options.episodes == 0 {
            return Err(Failure::Usage("--episodes must be at least 1".to_owned()));
        }
        let draws = generator(&options.draws)?;
        if let Some(file) = &options.against {
            if options.episodes < 2 {
                return Err(Failure::Usage("--against: a standard error needs --episodes of at least 2".to_owned()));
            }
            return against(file, options, draws);
        }
        let wanted = ReturnsOptions {
            options: environment(&options.environment)?,
            policy: policy(options.policy.as_deref().unwrap_or("sleep"))?,
            episodes: options.episodes,
            draws,
            seed: options.seed,
        };
        let report = returns(&wanted);
        println!(
            "mean {:.4}, SD {}, SE {}, min {:.1}, max {:.1} over {} episodes",
            report.mean,
            known(report.sd),
            known(report.se),
            report.min,
            report.max,
            report.episodes
        );
        if options.json { print_json(&report) } else { Ok(()) }
    }

    fn evaluate(&self, options: &EnvEvaluate) -> Result<(), Failure> {
        if options.episodes == 0 {
            return Err(Failure::Usage("--episodes must be at least 1".to_owned()));
        }
        let policy = policy(options.policy.as_deref().unwrap_or("sleep"))?;
        let table =
            gimbal_cage2::returns::evaluate(policy, Green::Sleep, options.episodes, Generator::Fast, options.seed);
        print!("{}", table.render());
        if options.json { print_json(&table) } else { Ok(()) }
    }

    fn contrast(&self) -> [&'static str; 2] {
        ["random", "restore_changed"]
    }

    fn sample(&self, policy: &str, episodes: u64, seed: u64) -> Result<Vec<i64>, Failure> {
        let policy = self::policy(policy)?;
        let wanted = ReturnsOptions { options: Options::default(), policy, episodes, draws: Generator::Fast, seed };
        Ok(gimbal_cage2::returns::each(&wanted))
    }
}

/// A word that names a view and no file.
fn is_view(file: &Path) -> bool {
    file.to_str().is_some_and(|word| View::from_name(word).is_some()) && !file.exists()
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

/// A number, or a dash where there is none.
pub(super) fn known(value: Option<f64>) -> String {
    value.map_or_else(|| "–".to_owned(), |value| format!("{value:.4}"))
}

/// Statistics of the original simulator.
#[derive(Deserialize)]
struct Recorded {
    cells: Vec<RecordedCell>,
}

#[derive(Deserialize)]
struct RecordedCell {
    red: String,
    blue: String,
    horizon: u32,
    mean: f64,
    se: f64,
}

#[derive(Serialize)]
struct Compared {
    red: &'static str,
    policy: &'static str,
    horizon: u32,
    mean: f64,
    sd: Option<f64>,
    episodes: u64,
    recorded_mean: f64,
    z: f64,
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
fn against(file: &Path, options: &EnvReturns, draws: Generator) -> Result<(), Failure> {
    let place = file.display();
    let text =
        std::fs::read_to_string(file).map_err(|error| Failure::Usage(format!("{place}: cannot be read: {error}")))?;
    let recorded: Recorded = serde_json::from_str(&text)
        .map_err(|error| Failure::Usage(format!("{place}: no file of recorded statistics: {error}")))?;
    println!("{:<10} {:<28} {:>7} {:>10} {:>10} {:>7}", "red", "policy", "horizon", "mean", "recorded", "z");
    let mut all = Vec::new();
    for cell in recorded.cells {
        let Some(kind) = Red::from_name(&cell.red) else {
            return Err(Failure::Usage(format!("{place}: there is no red `{}`", cell.red)));
        };
        let report = returns(&ReturnsOptions {
            options: Options { red: kind, horizon: horizon(cell.horizon)?, ..Options::default() },
            policy: policy(&cell.blue)?,
            episodes: options.episodes,
            draws,
            seed: options.seed,
        });
        let error = cell.se.hypot(report.se.unwrap_or(0.0));
        let difference = report.mean - cell.mean;
        let z = if error > 0.0 { difference / error } else { 0.0 };
        println!(
            "{:<10} {:<28} {:>7} {:>10.3} {:>10.3} {z:>7.2}",
            kind.name(),
            cell.blue,
            cell.horizon,
            report.mean,
            cell.mean
        );
        all.push(Compared {
            red: kind.name(),
            policy: report.policy.name(),
            horizon: cell.horizon,
            mean: report.mean,
            sd: report.sd,
            episodes: report.episodes,
            recorded_mean: cell.mean,
            z,
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
