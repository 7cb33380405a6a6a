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
        /// As what
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
    /// Makes a sparse graph of what a run's episodes did with a complete one
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
        /// Write the graph to this file instead of standard output
        #[arg(long, value_name = "FILE")]
        out: Option<PathBuf>,
    },
    /// Sums up won episodes of a run for a planner: a file for `shots/`
    Shots {
        /// The run folder, or the name of a study below `runs/`
        run: PathBuf,
        /// Only the episodes of this cell: its id, or the name of its configuration
        #[arg(long)]
        cell: Option<String>,
        /// At most this many, one a task
        #[arg(long, value_name = "N", default_value = "5", value_parser = at_least_one)]
        most: usize,
        /// Write the summaries to this file instead of standard output
        #[arg(long, value_name = "FILE")]
        out: Option<PathBuf>,
    },
    /// Prints what differs from one graph to another; exit code 1 if anything does
    Diff {
        /// The graph before
        before: String,
        /// The graph after
        after: String,
    },
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
    /// Seed of the worlds and of the disturbances
    #[arg(long, default_value_t = 0)]
    pub seed: u64,
    /// Check the advice against what this run of a study found
    #[arg(long, value_name = "RUN")]
    pub against: Option<PathBuf>,
    /// Print one JSON object
    #[arg(long)]
    pub json: bool,
}

/// In what form a graph is shown.
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
