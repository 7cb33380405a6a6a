//! Arguments of `gimbal env`.

use std::path::PathBuf;

use clap::{ArgMatches, Args, Command, FromArgMatches, Subcommand, ValueEnum};

/// What to do with an environment.
#[derive(Debug, Subcommand)]
pub enum EnvVerb {
    /// Shows its brief, tools, policies, tasks and options
    Show {
        /// How the environment is set up
        #[command(flatten)]
        environment: EnvSettings,
        /// Seed of the episode
        #[arg(long, default_value_t = 0)]
        seed: u64,
        /// Print one JSON object as the last line
        #[arg(long)]
        json: bool,
    },
    /// Lists the legal calls at the beginning of a task
    Calls {
        /// How the environment is set up
        #[command(flatten)]
        environment: EnvSettings,
        /// Seed of the episode
        #[arg(long, default_value_t = 0)]
        seed: u64,
        /// Print JSON as the last line
        #[arg(long)]
        json: bool,
    },
    /// Plays an episode by hand, or by a built-in policy
    Play(EnvPlay),
    /// Plays recordings again and compares every field
    Replay(EnvReplay),
    /// Measures steps a second on one core
    Bench(EnvBench),
    /// Prints mean and SD of returns of a built-in policy
    Returns(EnvReturns),
    /// Plays a policy and prints the environment's table
    Evaluate(EnvEvaluate),
    /// Serves its services on this machine until Ctrl-C
    Serve(EnvServe),
    /// Writes a generated task to a file
    Save {
        /// How the environment is set up
        #[command(flatten)]
        environment: EnvSettings,
        /// Seed of the task where none is named
        #[arg(long, default_value_t = 0)]
        seed: u64,
        /// The file
        #[arg(value_name = "FILE")]
        file: PathBuf,
    },
    /// Lists the tasks
    Tasks {
        /// Split
        #[arg(long)]
        split: Option<String>,
        /// The environment's own options
        #[command(flatten)]
        options: OptionFlags,
        /// An option of the environment, such as one that names the folder of its tasks (may be repeated)
        #[arg(long, value_name = "NAME=VALUE")]
        set: Vec<String>,
        /// Print JSON
        #[arg(long)]
        json: bool,
    },
}

/// `gimbal env NAME play`.
#[derive(Debug, Args)]
pub struct EnvPlay {
    /// How the environment is set up
    #[command(flatten)]
    pub environment: EnvSettings,
    /// Let a built-in policy play
    #[arg(long, value_name = "NAME")]
    pub policy: Option<String>,
    /// Seed of the episode
    #[arg(long, default_value_t = 0)]
    pub seed: u64,
}

/// `gimbal env NAME serve`.
#[derive(Debug, Args)]
pub struct EnvServe {
    /// Port on 127.0.0.1; 0 lets the system choose one
    #[arg(long, default_value_t = 0)]
    pub port: u16,
    /// The environment's own options
    #[command(flatten)]
    pub options: OptionFlags,
    /// Write the questions as a table and stop
    #[arg(long, value_name = "FILE")]
    pub questions: Option<PathBuf>,
}

/// How an environment is set up.
#[derive(Debug, Args)]
pub struct EnvSettings {
    /// The environment's own options
    #[command(flatten)]
    pub options: OptionFlags,
    /// Task to play (default: of the first split that has its data, by the seed)
    #[arg(long, value_name = "NAME")]
    pub task: Option<String>,
    /// Steps in an episode, whatever the environment calls them (default: as its options say)
    #[arg(long, value_name = "STEPS", allow_negative_numbers = true)]
    pub horizon: Option<String>,
    /// An option of a study, as `show` lists them, or a member of one, such as `--set receptacles=30`; also `task` and
    /// `split` (may be repeated)
    #[arg(long, value_name = "NAME=VALUE")]
    pub set: Vec<String>,
}

/// Flags for the options of the environment that the command line names. The environment declares them, so that they are
/// added to the command when its name is known ([`crate::help::command_for`]).
#[derive(Clone, Debug, Default)]
pub struct OptionFlags(pub Vec<(String, String)>);

impl OptionFlags {
    /// Prefix of the ids of these flags.
    pub const ID: &str = "option.";
}

impl Args for OptionFlags {
    fn augment_args(command: Command) -> Command {
        command
    }

    fn augment_args_for_update(command: Command) -> Command {
        command
    }
}

impl FromArgMatches for OptionFlags {
    fn from_arg_matches(matches: &ArgMatches) -> Result<Self, clap::Error> {
        let ids = matches.ids().filter_map(|id| Some((id.as_str(), id.as_str().strip_prefix(Self::ID)?)));
        let given = ids.filter_map(|(id, name)| Some((name.to_owned(), matches.get_one::<String>(id)?.clone())));
        Ok(Self(given.collect()))
    }

    fn update_from_arg_matches(&mut self, matches: &ArgMatches) -> Result<(), clap::Error> {
        *self = Self::from_arg_matches(matches)?;
        Ok(())
    }
}

/// `gimbal env NAME replay`.
#[derive(Debug, Args)]
pub struct EnvReplay {
    /// The environment's own options
    #[command(flatten)]
    pub options: OptionFlags,
    /// Recordings or action lists saved by bench (.jsonl or .jsonl.gz; - is standard input)
    #[arg(required = true)]
    pub files: Vec<PathBuf>,
    /// Where draws come from: the recorded tape, or the seed alone
    #[arg(long, value_enum, default_value_t = Draws::Tape)]
    pub draws: Draws,
    /// Fold rewards and a view into a checksum as `bench` does, and print it: `--checksum=raw` the raw one, bare
    /// `--checksum` the one that the files name (a recording names none: the vector)
    #[arg(long, value_enum, value_name = "VIEW", num_args = 0..=1, require_equals = true)]
    pub checksum: Option<Option<Observe>>,
    /// Print one JSON object as the last line
    #[arg(long)]
    pub json: bool,
}

/// Where the draws of a replay come from.
#[derive(Clone, Copy, Debug, PartialEq, Eq, ValueEnum)]
pub enum Draws {
    /// The recorded tape
    Tape,
    /// The seed alone
    Seed,
}

/// `gimbal env NAME bench`.
#[derive(Debug, Args)]
pub struct EnvBench {
    /// How the environment is set up
    #[command(flatten)]
    pub environment: EnvSettings,
    /// Built-in policy (`show` lists them)
    #[arg(long, value_name = "NAME", default_value = "random")]
    pub policy: String,
    /// Observation computed after every step (default: vector, or what saved action lists name)
    #[arg(long, value_enum)]
    pub observe: Option<Observe>,
    /// Steps in all
    #[arg(long, default_value_t = 3_000_000, value_parser = clap::value_parser!(u64).range(1..))]
    pub steps: u64,
    /// Seed
    #[arg(long, default_value_t = 0)]
    pub seed: u64,
    /// Generator: `fast`, `mersenne`
    #[arg(long, default_value = "fast")]
    pub draws: String,
    /// Play these recordings or saved action lists once, with their own options, seeds and generator, where the environment
    /// keeps some
    #[arg(
        long,
        value_name = "FILE",
        num_args = 1..,
        conflicts_with_all = ["policy", "steps", "horizon", "set", "seed", "draws", "save"]
    )]
    pub actions: Vec<PathBuf>,
    /// Write action lists and checksums here (.jsonl), for `replay --checksum`, where the environment keeps some
    #[arg(long, value_name = "FILE")]
    pub save: Option<PathBuf>,
    /// Print one JSON object as the last line
    #[arg(long)]
    pub json: bool,
}

/// What a bench looks at after every step.
#[derive(Clone, Copy, Debug, PartialEq, Eq, ValueEnum)]
pub enum Observe {
    /// The reward alone
    None,
    /// The observation vector
    Vector,
    /// The raw observation as text
    Raw,
}

/// `gimbal env NAME returns`.
#[derive(Debug, Args)]
pub struct EnvReturns {
    /// How the environment is set up
    #[command(flatten)]
    pub environment: EnvSettings,
    /// Built-in policy (default: the environment's own; `show` lists them)
    #[arg(long, value_name = "NAME")]
    pub policy: Option<String>,
    /// Episodes
    #[arg(long, default_value_t = 1000)]
    pub episodes: u64,
    /// Seed of the first episode
    #[arg(long, default_value_t = 0)]
    pub seed: u64,
    /// Generator: `fast`, `mersenne`
    #[arg(long, default_value = "fast")]
    pub draws: String,
    /// Play every cell of this file of recorded statistics (`returns.json`), and print z
    #[arg(long, value_name = "FILE")]
    pub against: Option<PathBuf>,
    /// Print one JSON object as the last line
    #[arg(long)]
    pub json: bool,
}

/// `gimbal env NAME evaluate`.
#[derive(Debug, Args)]
pub struct EnvEvaluate {
    /// The environment's own options
    #[command(flatten)]
    pub options: OptionFlags,
    /// Split or part, where the environment's table is over its tasks (default: all that need no data)
    #[arg(long, value_name = "NAME")]
    pub split: Option<String>,
    /// Built-in policy (default: the environment's own; `show` lists them)
    #[arg(long, value_name = "NAME")]
    pub policy: Option<String>,
    /// Episodes in each cell, where episodes of a task differ
    #[arg(long, default_value_t = 100)]
    pub episodes: u64,
    /// Seed
    #[arg(long, default_value_t = 0)]
    pub seed: u64,
    /// Print one JSON object as the last line
    #[arg(long)]
    pub json: bool,
}
