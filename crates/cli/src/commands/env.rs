//! `gimbal env`: the verbs of an environment, and what they print.

use std::future::Future;
use std::io::BufReader;
use std::path::PathBuf;

use gimbal_env_kit::workbench::{
    self as kit, BenchRequest, EvaluateRequest, Output, PlayError, ReplayRequest, ReturnsRequest, SaveRequest,
    ServeRequest, Setup, Workbench,
};

use crate::args::{Draws, EnvPlay, EnvSettings, EnvVerb, Observe};
use crate::commands::print_json;
use crate::exit::Failure;
use crate::registry::environment;

/// Does what was asked with an environment.
pub fn env(name: &str, verb: EnvVerb) -> Result<(), Failure> {
    let family = environment(name)?;
    let family = &*family;
    let setup = |settings: &EnvSettings| setup(family, settings, &[]);
    let (output, json) = match verb {
        EnvVerb::Show { environment, seed, json } => (apart(kit::show(family, &setup(&environment)?, seed))?, json),
        EnvVerb::Calls { environment, seed, json } => (apart(kit::calls(family, &setup(&environment)?, seed))?, json),
        EnvVerb::Tasks { split, set, json } => {
            let mut setup = Setup::read(family, &[], &set).map_err(Failure::environment)?;
            setup.split = split.or(setup.split);
            (kit::tasks(family, &setup), json)
        }
        EnvVerb::Play(options) => return play(family, &options),
        EnvVerb::Replay(options) => {
            let request = ReplayRequest {
                files: options.files,
                from_seed: options.draws == Draws::Seed,
                checksum: options.checksum.map(|view| view.map(Observe::view)),
                games: options.games,
                variant: options.variant,
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
            let request = EvaluateRequest { policy: options.policy, episodes, seed: options.seed };
            (family.evaluate(&request), options.json)
        }
        EnvVerb::Serve(options) => {
            let (port, corpus, companies) = (options.port, options.corpus, options.companies);
            (family.serve(&ServeRequest { port, corpus, companies, questions: options.questions }), false)
        }
        EnvVerb::Save { environment, seed, file } => {
            (family.save(&SaveRequest { setup: setup(&environment)?, file, seed }), false)
        }
    };
    print(output.map_err(Failure::environment)?, json)
}

/// How the environment is set up; `more` are flags of one verb.
fn setup(family: &dyn Workbench, settings: &EnvSettings, more: &[(&str, &Option<String>)]) -> Result<Setup, Failure> {
    let path = |path: &Option<PathBuf>| path.as_ref().map(|path| path.display().to_string());
    let mut flags = vec![
        ("red", settings.red.clone()),
        ("horizon", settings.horizon.map(|steps| steps.to_string())),
        ("mode", settings.mode.clone()),
        ("network", settings.network.clone()),
        ("games", path(&settings.games)),
    ];
    flags.extend(more.iter().map(|(name, value)| (*name, (*value).clone())));
    let mut setup = Setup::read(family, &flags, &settings.set).map_err(Failure::environment)?;
    setup.task = settings.task.clone().or(setup.task);
    Ok(setup)
}

fn at_least_one(episodes: u64) -> Result<u64, Failure> {
    if episodes > 0 { Ok(episodes) } else { Err(Failure::Usage("--episodes must be at least 1".to_owned())) }
}

/// An episode by a built-in policy, or by whoever writes to standard input.
fn play(family: &dyn Workbench, options: &EnvPlay) -> Result<(), Failure> {
    let setup = setup(family, &options.environment, &[("green", &options.green), ("names", &options.names)])?;
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
    let mut seen = |step: u32, call: &str, taken: &gimbal_core::Transition| {
        println!("step {step}: {call}: reward {}", taken.reward);
    };
    let played = apart(kit::by_policy(&mut *environment, policy, &task, options.seed, &mut seen))?;
    println!("{}", played.map_err(Failure::environment)?);
    Ok(())
}

/// Prints what a verb found. What failed is said last; a file that cannot be read is named in either case.
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

/// Waits for something on a thread of its own: verbs run inside of the program's runtime, which may not be blocked.
fn apart<T: Send>(work: impl Future<Output = T> + Send) -> Result<T, Failure> {
    let wait = || {
        let runtime = tokio::runtime::Builder::new_current_thread().enable_all().build().map_err(Failure::external)?;
        Ok(runtime.block_on(work))
    };
    let joined = std::thread::scope(|scope| scope.spawn(wait).join());
    joined.unwrap_or_else(|_| Err(Failure::Usage("the verb broke off; this is a fault of the program".to_owned())))
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
