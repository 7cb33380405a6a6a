//! Arguments of `gimbal temporal`.

use std::path::PathBuf;

use clap::{Args, Subcommand};

use super::{TableFormat, at_least_one};

/// Verbs of `gimbal temporal`.
#[derive(Debug, Subcommand)]
pub enum TemporalVerb {
    /// Shows how signals and errors grow through composite maps, free and doubly stochastic, against depth
    Gains(GainsArgs),
    /// Searches Algorithm 1 of the arbiter exhaustively for up to four parties
    Search {
        /// Margins within which priorities are tied, in thousandths (may be repeated)
        #[arg(long, value_name = "THOUSANDTHS", default_values_t = [0, 50, 80], value_parser = clap::value_parser!(i64).range(0..=100_000))]
        epsilon: Vec<i64>,
        /// What to print
        #[arg(long, value_enum, default_value_t = TableFormat::Text)]
        format: TableFormat,
    },
}

/// `gimbal temporal gains`.
#[derive(Debug, Args)]
pub struct GainsArgs {
    /// Streams of a map: layers of the hierarchy
    #[arg(long, default_value_t = 4, value_name = "N", value_parser = clap::value_parser!(u8).range(1..=16))]
    pub layers: u8,
    /// Most maps that are multiplied
    #[arg(long, default_value_t = 16, value_name = "N", value_parser = clap::value_parser!(u8).range(1..=64))]
    pub depth: u8,
    /// Draws of each family of maps
    #[arg(long, default_value_t = 100, value_name = "N", value_parser = clap::value_parser!(u16).range(1..=10_000))]
    pub draws: u16,
    /// Seed of the draws
    #[arg(long, default_value_t = 1, value_name = "SEED")]
    pub seed: u64,
    /// Rounds of the projection onto doubly stochastic maps
    #[arg(long, default_value_t = 20, value_name = "N", value_parser = at_least_one)]
    pub iterations: usize,
    /// Write the figures ctha-f2b and ctha-f7b into this folder as SVG
    #[arg(long, value_name = "DIR")]
    pub figures: Option<PathBuf>,
    /// What to print
    #[arg(long, value_enum, default_value_t = TableFormat::Text)]
    pub format: TableFormat,
}
