//! Metrics, intervals, paired differences, frontiers and tables: pure functions from rows to tables.
//!
//! Architecture invariant: this crate does no I/O, knows no clock, no model and no environment. Every threshold and
//! every label comes in as data with the rows ([`Rows`]); the same rows give the same tables, whatever their order. What
//! tables need of journals comes in through folds ([`episode`]).
//!
//! The way through: [`Rows`] (one [`CellInfo`] a cell, one [`EpisodeRow`] an episode) → [`Analysis::new`] (one
//! [`CellSummary`] a cell and the [`Comparison`]s against a baseline) → [`tables`] (typed [`Table`]s) → text, Markdown,
//! CSV or JSON.

pub mod acted;
mod agreement;
mod answered;
pub mod bill;
pub mod calibration;
mod cell_labels;
mod cells;
mod clusters;
mod compare;
pub mod coverage;
mod describe;
pub mod detect;
pub mod episode;
mod error;
mod failures;
pub mod frontier;
mod gaps;
pub mod hypothesis;
mod interval_notes;
pub mod judged;
mod marks;
pub mod metrics;
pub mod name;
mod options;
pub mod paired;
pub mod papers;
pub mod planned;
pub mod power;
pub mod printable;
pub mod profile;
pub mod proportion;
mod rate;
pub mod ratio;
pub mod recovery;
pub mod resample;
pub mod rescore;
mod rng;
mod role_costs;
mod row;
mod special;
pub mod stored_records;
mod table;
pub mod tables;
mod thresholds;
mod trials;
pub mod work_folds;

pub use agreement::Agreement;
pub use answered::AnsweredFold;
pub use bill::{AttemptState, Bill, BillLine, BillSum};
pub use cells::{Analysis, CellSummary, RoleSummary};
pub use clusters::{EpisodePlace, Grouping};
pub use compare::{Comparison, PairedDifference, WinTieLoss, paired_difference, win_share, win_tie_loss};
pub use describe::{FEWEST, Interval, Summary, quantile, t_half_width};
pub use error::AnalysisError;
pub use failures::CallFailures;
pub use gaps::Gap;
pub use gimbal_core::Stop;
pub use interval_notes::{few_note, interval_note};
pub use marks::{CellMark, CellMarks};
pub use options::{BaselineChoice, Options};
pub use paired::{Discordance, PairedTest, paired_test};
pub use printable::{Printable, printable, printable_lines};
pub use proportion::Proportion;
pub use rate::Rate;
pub use rng::Generator;
pub use role_costs::RoleCost;
pub use row::{
    CellDecoding, CellInfo, ComponentTime, EpisodeRow, Kind, Loss, RoleLedger, RoleModel, RoleUsage, Rows, TokenUse,
};
pub use special::{normal_cdf, normal_quantile, t_cdf, t_quantile};
pub use table::{Cell, Column, ColumnKind, Log, Table, columns, markdown_text};
pub use tables::PastCell;
pub use thresholds::Thresholds;
pub use trials::TrialReturns;
