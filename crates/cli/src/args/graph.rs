//! Arguments of `gimbal graph` and `gimbal advise`.

use std::path::PathBuf;

use clap::{Args, Subcommand, ValueEnum};

use super::at_least_one;

/// Verbs of `gimbal graph`. A graph is a file, or the name of one below `graphs/`.
#[derive(Debug, Subcommand)]
pub enum GraphVerb {
    /// Prints a graph: its subtasks and ways, or a drawing in another tool's language
    Show {
        /// A file, or the name of a graph below `graphs/`
        graph: String,
        /// Form
        #[arg(long = "as", value_enum, default_value_t = GraphForm::Text)]
        form: GraphForm,
    },
    /// Checks graphs: names, tools, the ways that their kind must have
    Check {
        /// Files, or names of graphs below `graphs/`
        #[arg(required = true)]
        graphs: Vec<String>,
        /// Check tool names against those of this environment
        #[arg(long, value_name = "NAME")]
        environment: Option<String>,
        /// Print one JSON object as the last line
        #[arg(long)]
        json: bool,
    },
    /// Lets a model plan a graph for a whole family of tasks, once, from the family's description
    Plan(GraphPlan),
    /// Measures the cost of routing against the number of subtasks, by playing episodes
    Cost(GraphCost),
    /// Makes a sparse graph or a state machine from the episodes of a run with a complete graph
    Distil {
        /// The run folder, or the name of a study below `runs/`
        run: PathBuf,
        /// Only the episodes of this cell: its id, or the name of its configuration
        #[arg(long)]
        cell: Option<String>,
        /// The graph, by its id, where the run was played on several
        #[arg(long, value_name = "ID")]
        graph: Option<String>,
        /// Weight of ways that lost episodes took more often than won ones, in thousandths
        #[arg(long, value_name = "THOUSANDTHS", default_value_t = gimbal_architectures::graph::distil::LOOP_WEIGHT)]
        weight: u32,
        /// Drop ways that won episodes took fewer times than this
        #[arg(long, value_name = "TIMES", default_value_t = 1)]
        least: u64,
        /// Keep such a way if it led back after a fault at least this many times
        #[arg(long, value_name = "TIMES", default_value_t = 1)]
        repairs: u64,
        /// What to make
        #[arg(long = "as", value_enum, default_value_t = Distilled::Sparse)]
        form: Distilled,
        /// Of a machine: least measured decisions behind a rule
        #[arg(long, value_name = "DECISIONS", default_value_t = 3)]
        support: u64,
        /// Of a machine: least share of them that took the way of the rule, in thousandths
        #[arg(long, value_name = "THOUSANDTHS", default_value_t = 800, value_parser = clap::value_parser!(u32).range(1..=1000))]
        purity: u32,
        /// Write the graph to this file instead of standard output
        #[arg(long, value_name = "FILE")]
        out: Option<PathBuf>,
    },
    /// Summarises won episodes of a run for a planner, by plain code or by a model: a file for `shots/`
    Shots(GraphShots),
    /// Prints what differs from one graph to another; exit code 1 if anything does
    Diff {
        /// The graph before
        before: String,
        /// The graph after
        after: String,
    },
}

/// `gimbal graph plan`.
#[derive(Debug, Args)]
pub struct GraphPlan {
    /// Name of the environment
    pub environment: String,
    /// Options of the environment as a JSON object
    #[arg(long, value_name = "JSON", default_value = "{}")]
    pub options: String,
    /// The model that plans
    #[arg(long, value_name = "MODEL", default_value = "noisy/1.0")]
    pub model: String,
    /// Constrain what the model may write, where its server can
    #[arg(long)]
    pub constrained: bool,
    /// Upper bound of the planner's answer, in tokens (default: as in a study)
    #[arg(long, value_name = "TOKENS", value_parser = clap::value_parser!(u32).range(1..))]
    pub max_tokens: Option<u32>,
    /// A graph with all ways, or the list of a fixed order
    #[arg(long, value_enum, default_value_t = Planned::Cyclic)]
    pub kind: Planned,
    /// Least and most subtasks
    #[arg(long, value_name = "LEAST..MOST", default_value = "3..9", value_parser = size)]
    pub size: (usize, usize),
    /// Split of the tasks; the environment's first one by default. The prompt must not depend on the task, which is checked
    #[arg(long)]
    pub split: Option<String>,
    /// Summaries of won episodes for the planner: `shots/NAME.yaml`
    #[arg(long, value_name = "NAME")]
    pub shots: Option<String>,
    /// Write the graph to this file
    #[arg(long, value_name = "FILE", conflicts_with = "name")]
    pub out: Option<PathBuf>,
    /// Write it to graphs/NAME.yaml, so that studies use it by `graph: NAME`
    #[arg(long, value_name = "NAME")]
    pub name: Option<String>,
    /// Print one JSON object as the last line
    #[arg(long)]
    pub json: bool,
}

/// `gimbal graph shots`.
#[derive(Debug, Args)]
pub struct GraphShots {
    /// The run folder, or the name of a study below `runs/`
    pub run: PathBuf,
    /// Only the episodes of this cell: its id, or the name of its configuration
    #[arg(long)]
    pub cell: Option<String>,
    /// At most this many, one for each task
    #[arg(long, value_name = "N", default_value = "5", value_parser = at_least_one)]
    pub most: usize,
    /// The model that writes the summaries, with one call for each (default: plain code writes them)
    #[arg(long, value_name = "MODEL")]
    pub model: Option<String>,
    /// Constrain what the model may write, where its server can
    #[arg(long, requires = "model")]
    pub constrained: bool,
    /// Upper bound of an answer of the model, in tokens (default: as in a study)
    #[arg(long, value_name = "TOKENS", requires = "model", value_parser = clap::value_parser!(u32).range(1..))]
    pub max_tokens: Option<u32>,
    /// Write the summaries to this file instead of standard output
    #[arg(long, value_name = "FILE")]
    pub out: Option<PathBuf>,
}

/// `gimbal graph cost`.
#[derive(Debug, Args)]
pub struct GraphCost {
    /// Name of the environment that is played
    pub environment: String,
    /// Options of the environment as a JSON object
    #[arg(long, value_name = "JSON", default_value = "{}")]
    pub options: String,
    /// Divide the subtasks of this graph, a file or a name, in place of the environment's own classes of action
    #[arg(long)]
    pub graph: Option<String>,
    /// Numbers of subtasks
    #[arg(long, value_delimiter = ',', default_values_t = [5, 10, 20, 50, 100, 200], value_parser = clap::value_parser!(u32).range(1..=200))]
    pub nodes: Vec<u32>,
    /// Edges shown to the router when only some are
    #[arg(long, value_name = "N", default_value = "8", value_parser = at_least_one)]
    pub candidates: usize,
    /// Subtasks that one call decides, where several are decided at once
    #[arg(long, value_name = "N", default_value_t = 4, value_parser = clap::value_parser!(u32).range(2..=16))]
    pub batch: u32,
    /// Episodes of each, on tasks spread over the split
    #[arg(long, value_name = "N", default_value = "4", value_parser = at_least_one)]
    pub episodes: usize,
    /// Split of the tasks; the environment's first one by default
    #[arg(long)]
    pub split: Option<String>,
    /// Model that plays
    #[arg(long, value_name = "MODEL", default_value = "noisy/1.0")]
    pub model: String,
    /// Print the table as Markdown
    #[arg(long, conflicts_with = "json")]
    pub markdown: bool,
    /// Print one JSON object
    #[arg(long)]
    pub json: bool,
    /// Write the figure to this file
    #[arg(long, value_name = "FILE")]
    pub figure: Option<PathBuf>,
}

/// What a planner makes.
#[derive(Clone, Copy, Debug, PartialEq, Eq, ValueEnum)]
pub enum Planned {
    /// Subtasks that are all connected
    Cyclic,
    /// Subtasks in a fixed order
    List,
}

/// What is made from a run.
#[derive(Clone, Copy, Debug, PartialEq, Eq, ValueEnum)]
pub enum Distilled {
    /// The edges that are worth keeping; a router chooses among them
    Sparse,
    /// The same with rules that choose in the router's place
    Machine,
}

fn size(text: &str) -> Result<(usize, usize), String> {
    let number = |text: &str| text.trim().trim_start_matches('=').parse::<usize>().ok();
    let ends = text.split_once("..").and_then(|(least, most)| Some((number(least)?, number(most)?)));
    let most = gimbal_architectures::graph::MOST_NODES;
    ends.filter(|(least, end)| 1 <= *least && least <= end && *end <= most)
        .ok_or_else(|| format!("expected LEAST..MOST from 1 to {most}, such as 3..9"))
}

/// `gimbal advise`.
#[derive(Debug, Args)]
pub struct Advise {
    /// Name of the environment
    pub environment: String,
    /// Options of the environment as a JSON object
    #[arg(long, value_name = "JSON", default_value = "{}")]
    pub options: String,
    /// Split of the tasks; the environment's first one by default
    #[arg(long)]
    pub split: Option<String>,
    /// Tasks to probe, spread evenly over the split
    #[arg(long, value_name = "N", default_value = "20", value_parser = at_least_one)]
    pub tasks: usize,
    /// Seed of the episodes and of the disturbances
    #[arg(long, default_value_t = 0)]
    pub seed: u64,
    /// Check the advice against what this run of a study found
    #[arg(long, value_name = "RUN")]
    pub against: Option<PathBuf>,
    /// Print one JSON object
    #[arg(long)]
    pub json: bool,
}

/// The form in which a graph is shown.
#[derive(Clone, Copy, Debug, PartialEq, Eq, ValueEnum)]
pub enum GraphForm {
    /// Subtasks and ways, for reading
    Text,
    /// The text of a graph's file
    Yaml,
    /// One JSON object
    Json,
    /// Graphviz
    Dot,
    /// Mermaid
    Mermaid,
}
