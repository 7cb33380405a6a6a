//! Arguments of `gimbal env`.

use std::path::PathBuf;

use clap::{Args, Subcommand, ValueEnum};

/// What to do with an environment.
#[derive(Debug, Subcommand)]
pub enum EnvVerb {
    /// Show its brief, tools, policies, tasks and options
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
    /// List the legal calls at the beginning of a task
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
    /// Play an episode by hand, or by a built-in policy
    Play(EnvPlay),
    /// Play recordings again and compare every field
    Replay(EnvReplay),
    /// Measure steps a second on one core
    Bench(EnvBench),
    /// Mean and SD of returns of a built-in policy
    Returns(EnvReturns),
    /// The environment's own table for a policy
    Evaluate(EnvEvaluate),
    /// Serve its services on this machine until Ctrl-C
    Serve(EnvServe),
    /// Write a generated task to a file (alfworld only)
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
    /// List the tasks
    Tasks {
        /// Split
        #[arg(long)]
        split: Option<String>,
        /// An option of the environment that names the tasks, e.g. `--set games=DIR`, `--set households=DIR`,
        /// `--set questions=own.csv`; may be repeated
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
    /// A built-in policy plays, and nobody at the terminal
    #[arg(long, value_name = "NAME")]
    pub policy: Option<String>,
    /// Green agent: `sleep`, `scan` (cage2 only; default: `sleep`)
    #[arg(long, value_name = "NAME")]
    pub green: Option<String>,
    /// Seed of the episode
    #[arg(long, default_value_t = 0)]
    pub seed: u64,
    /// Names of hosts and services: `original`, `neutral`; in yawning_titan of nodes: `ordered`, `shuffled` (default: the first)
    #[arg(long, value_name = "KIND")]
    pub names: Option<String>,
}

/// `gimbal env NAME serve`.
#[derive(Debug, Args)]
pub struct EnvServe {
    /// Port on 127.0.0.1; 0 lets the system choose one
    #[arg(long, default_value_t = 0)]
    pub port: u16,
    /// Seed of the corpus
    #[arg(long, default_value_t = 2025)]
    pub corpus: u64,
    /// Companies of the corpus
    #[arg(long, default_value_t = 12)]
    pub companies: u32,
    /// Write the questions as a table and stop
    #[arg(long, value_name = "FILE")]
    pub questions: Option<PathBuf>,
}

/// How an environment is set up.
#[derive(Debug, Args)]
pub struct EnvSettings {
    /// Red agent: `b_line`, `meander`, `sleep`; in yawning_titan `standard`, `sine` (default: the first)
    #[arg(long)]
    pub red: Option<String>,
    /// Steps in an episode (default: 30; in yawning_titan the mode's own number)
    #[arg(long)]
    pub horizon: Option<u32>,
    /// Game mode, where the environment has some (yawning_titan: `default`)
    #[arg(long, value_name = "NAME")]
    pub mode: Option<String>,
    /// Folder of game files, where the environment reads some (default: alfworld/games in the folder that GIMBAL_DATA names)
    #[arg(long, value_name = "DIR")]
    pub games: Option<PathBuf>,
    /// Task to play (default: of the first split that has its data, by the seed)
    #[arg(long, value_name = "NAME")]
    pub task: Option<String>,
    /// Network, where the environment has some (yawning_titan: `default_18`)
    #[arg(long, value_name = "NAME")]
    pub network: Option<String>,
    /// An option of a study, as `show` lists them, or a member of one, e.g. `--set red.action_set.spread.use=true`,
    /// `--set receptacles=30`; also `task` and `split` (may be repeated)
    #[arg(long, value_name = "NAME=VALUE")]
    pub set: Vec<String>,
}

/// `gimbal env NAME replay`.
#[derive(Debug, Args)]
pub struct EnvReplay {
    /// Folder of game files, where recordings are of games (default: alfworld/games in the folder that GIMBAL_DATA names)
    #[arg(long, value_name = "DIR")]
    pub games: Option<PathBuf>,
    /// Folder of the older words, for recordings in them (default: `variant_2.1.1` beside the games)
    #[arg(long, value_name = "DIR")]
    pub variant: Option<PathBuf>,
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
    /// Blue policy
    #[arg(long, default_value = "random")]
    pub policy: String,
    /// What is looked at after every step (default: vector, or what saved action lists name; `raw` in cage2 only)
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
    /// Play these recordings or saved action lists once, with their own red, horizon, seeds and generator (cage2 only)
    #[arg(
        long,
        value_name = "FILE",
        num_args = 1..,
        conflicts_with_all = ["red", "policy", "steps", "horizon", "mode", "network", "set", "seed", "draws", "save"]
    )]
    pub actions: Vec<PathBuf>,
    /// Write action lists and checksums here (.jsonl), for `replay --checksum` (cage2 only)
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
    #[arg(long)]
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
    /// Blue policy (default: `sleep`, or `nothing`)
    #[arg(long)]
    pub policy: Option<String>,
    /// Episodes in each cell
    #[arg(long, default_value_t = 100)]
    pub episodes: u64,
    /// Seed
    #[arg(long, default_value_t = 0)]
    pub seed: u64,
    /// Print one JSON object as the last line
    #[arg(long)]
    pub json: bool,
}
