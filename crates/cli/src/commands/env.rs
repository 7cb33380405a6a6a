//! `gimbal env`: the verbs of an environment, and what they print.

use std::future::Future;
use std::io::BufReader;

use gimbal_env_kit::workbench::{
    self as kit, BenchRequest, EvaluateRequest, Given, Output, PlayError, ReplayRequest, ReturnsRequest, SaveRequest,
    ServeRequest, Setup, Workbench,
};

use crate::args::{Draws, EnvPlay, EnvSettings, EnvVerb, Observe, OptionFlags};
use crate::commands::print_json;
use crate::exit::Failure;
use crate::registry::environment;

/// Does what was asked with an environment.
pub fn env(name: &str, verb: EnvVerb) -> Result<(), Failure> {
    let family = environment(name)?;
    let family = &*family;
    let setup = |settings: &EnvSettings| setup(family, settings);
    let (output, json) = match verb {
        EnvVerb::Show { environment, seed, json } => (apart(kit::show(family, &setup(&environment)?, seed))?, json),
        EnvVerb::Calls { environment, seed, json } => (apart(kit::calls(family, &setup(&environment)?, seed))?, json),
        EnvVerb::Tasks { split, options, set, json } => {
            let given = Given { flags: &options.0, split: split.as_deref(), set: &set, ..Given::default() };
            (kit::tasks(family, &Setup::read(family, given).map_err(Failure::environment)?), json)
        }
        EnvVerb::Play(options) => return play(family, &options),
        EnvVerb::Replay(options) => {
            let request = ReplayRequest {
                files: options.files,
                from_seed: options.draws == Draws::Seed,
                checksum: options.checksum.map(|view| view.map(Observe::view)),
                setup: of_options(family, &options.options)?,
            };
            (family.replay(&request), options.json)
        }
        EnvVerb::Bench(options) => {
            let request = BenchRequest {
                setup: setup(&options.environment)?,
                policy: options.policy,
                observe: options.observe.map(Observe::view),
                steps: options.steps,
                seed: options.seed,
                draws: options.draws,
                actions: options.actions,
                save: options.save,
            };
            (family.bench(&request), options.json)
        }
        EnvVerb::Returns(options) => {
            let request = ReturnsRequest {
                setup: setup(&options.environment)?,
                policy: options.policy,
                episodes: at_least_one(options.episodes)?,
                seed: options.seed,
                draws: options.draws,
                against: options.against,
            };
            if request.against.is_some() && request.episodes < 2 {
                return Err(Failure::Usage("--against: a standard error needs --episodes of at least 2".to_owned()));
            }
            (apart(family.returns(&request))?, options.json)
        }
        EnvVerb::Evaluate(options) => {
            let episodes = at_least_one(options.episodes)?;
            if options.split.is_some() && !family.evaluate_options().contains(&"split") {
                let words = format!("--split: the table of `{name}` has all of its cells; leave it out");
                return Err(Failure::Usage(words));
            }
            let given = Given { flags: &options.options.0, split: options.split.as_deref(), ..Given::default() };
            let setup = Setup::read(family, given).map_err(Failure::environment)?;
            let request =
                EvaluateRequest { setup, policy: options.policy, episodes, seed: options.seed, interval: wilson };
            (family.evaluate(&request), options.json)
        }
        EnvVerb::Serve(options) => {
            let setup = of_options(family, &options.options)?;
            (family.serve(&ServeRequest { port: options.port, setup, questions: options.questions }), false)
        }
        EnvVerb::Save { environment, seed, file } => {
            (family.save(&SaveRequest { setup: setup(&environment)?, file, seed }), false)
        }
    };
    print(output.map_err(Failure::environment)?, json)
}

/// The 95% interval of a share, by Wilson's score.
fn wilson(count: u64, of: u64) -> Option<(f64, f64)> {
    let interval = gimbal_analysis::Proportion::new(count, of, 0.95)?.interval;
    Some((interval.low, interval.high))
}

/// How the environment is set up.
fn setup(family: &dyn Workbench, settings: &EnvSettings) -> Result<Setup, Failure> {
    let horizon = settings.horizon.iter().map(|steps| ("horizon".to_owned(), steps.clone()));
    let flags: Vec<(String, String)> = settings.options.0.iter().cloned().chain(horizon).collect();
    let given = Given { flags: &flags, task: settings.task.as_deref(), set: &settings.set, ..Given::default() };
    Setup::read(family, given).map_err(Failure::environment)
}

/// The setup of a verb that takes some options and no task.
fn of_options(family: &dyn Workbench, options: &OptionFlags) -> Result<Setup, Failure> {
    Setup::read(family, Given { flags: &options.0, ..Given::default() }).map_err(Failure::environment)
}

fn at_least_one(episodes: u64) -> Result<u64, Failure> {
    if episodes > 0 { Ok(episodes) } else { Err(Failure::Usage("--episodes must be at least 1".to_owned())) }
}

/// An episode by a built-in policy, or by hand from standard input.
fn play(family: &dyn Workbench, options: &EnvPlay) -> Result<(), Failure> {
    let setup = setup(family, &options.environment)?;
    let mut environment = setup.open(family).map_err(Failure::environment)?;
    let task = setup.task(family, options.seed).map_err(Failure::environment)?;
    let Some(policy) = &options.policy else {
        let (mut input, mut output) = (BufReader::new(std::io::stdin()), gimbal_analysis::Printable(std::io::stdout()));
        let played = apart(kit::by_hand(&mut *environment, &task, options.seed, &mut input, &mut output))?;
        return match played {
            Ok(_) => Ok(()),
            Err(PlayError::Environment(error)) => Err(Failure::environment(error)),
            Err(error) => Err(Failure::external(error)),
        };
    };
    // The program's own `println!` shows what a terminal would obey, as `Printable` does.
    let mut seen = |step: u32, call: &str, taken: &gimbal_core::Transition| {
        println!("step {step}: {call}: reward {}", taken.reward);
    };
    let played = apart(kit::by_policy(&mut *environment, policy, &task, options.seed, &mut seen))?;
    println!("{}", played.map_err(Failure::environment)?);
    Ok(())
}

/// Prints what a verb found. A failed check is the last message; a file that cannot be read is named in either case.
fn print(output: Output, json: bool) -> Result<(), Failure> {
    for note in &output.notes {
        eprintln!("gimbal: {note}");
    }
    print!("{}", output.text);
    if json {
        print_json(&output.json)?;
    }
    if let Some(service) = output.running {
        apart(tokio::signal::ctrl_c())?.map_err(Failure::external)?;
        drop(service);
    }
    match output.failed {
        None if output.unreadable.is_empty() => Ok(()),
        None => Err(Failure::Usage(output.unreadable.join("\n"))),
        Some(failed) => {
            for file in &output.unreadable {
                eprintln!("gimbal: {file}");
            }
            Err(Failure::Check(failed))
        }
    }
}

/// Runs `work` on its own thread: verbs run inside of the program's runtime, which must not be blocked.
fn apart<T: Send>(work: impl Future<Output = T> + Send) -> Result<T, Failure> {
    let wait = || {
        let runtime = tokio::runtime::Builder::new_current_thread().enable_all().build().map_err(Failure::external)?;
        Ok(runtime.block_on(work))
    };
    let joined = std::thread::scope(|scope| scope.spawn(wait).join());
    joined.unwrap_or_else(|_| Err(Failure::Usage("the verb ended in a panic; this is a bug".to_owned())))
}

impl Observe {
    const fn view(self) -> kit::Observe {
        match self {
            Self::None => kit::Observe::None,
            Self::Vector => kit::Observe::Vector,
            Self::Raw => kit::Observe::Raw,
        }
    }
}
