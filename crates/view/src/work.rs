//! Works: what a publication adds to reports of runs, as one list of tables, figures and printed numbers.
//!
//! A work lives in a room of its own and implements [`Work`]. It gets data that are read and folded already
//! ([`Context`]), so it depends on no run folder, no environment and no model.

use std::any::Any;
use std::fmt;

use gimbal_analysis::detect::Detector;
use gimbal_analysis::papers::Examined;
use gimbal_analysis::planned::SdSource;
use gimbal_analysis::profile::{Agents, Measure, Traces};
use gimbal_analysis::work_folds::{FoldSource, FoldStates};
use gimbal_analysis::{Analysis, AnalysisError, CellMarks, Rows, Table};

use crate::kit::picture::{Figure, Output};

/// A publication whose tables, figures and printed numbers the program can make.
pub trait Work: Sync {
    /// Short name, such as `bog`.
    fn name(&self) -> &'static str;

    /// Everything that the work has, in reading order. A key is unique among the items of its kind in all works.
    fn items(&self) -> &'static [Item];

    /// What is looked for in the trajectories of every episode, for items that need traces.
    fn detectors(&self) -> &'static [Detector] {
        &[]
    }

    /// Numbers of every episode whose means by cell the work needs, for items that need traces.
    fn measures(&self) -> &'static [Measure] {
        &[]
    }

    /// How the work marks cells in every table of a report, whatever the report shows of the work.
    fn marks(&self) -> Option<&'static MarkSource> {
        None
    }

    /// The agents that trace contrasts always have lines for, for `gimbal compare`.
    fn agents(&self) -> Option<Agents> {
        None
    }

    /// What the work knows of studies before they are played, for `gimbal plan`.
    fn planning(&self) -> Option<&'static Planning> {
        None
    }

    /// How the work shows a single episode, for `gimbal trace`.
    fn episode_view(&self) -> Option<&'static EpisodeView> {
        None
    }

    /// What the items of the work share beside the data of the run, such as which configuration is what; made once before
    /// the items ([`Context::shared`]).
    fn prepare(&self, _inputs: &Inputs, _choices: &Choices<'_>) -> Option<Shared> {
        None
    }
}

/// Marks that a work puts on cells, from a fold of its own.
#[derive(Clone, Copy, Debug)]
pub struct MarkSource {
    /// The fold. It opens the journals of cells that may have a mark alone.
    pub fold: &'static FoldSource,
    /// The marks, from what the fold kept.
    pub of: fn(&FoldStates) -> CellMarks,
}

/// What a work knows of studies before they are played.
#[derive(Clone, Copy, Debug)]
pub struct Planning {
    /// The configuration that others are compared with, where a study names none.
    pub baseline: fn() -> String,
    /// Further pairs of configurations that it compares, in order.
    pub pairs: fn() -> Vec<(String, String)>,
    /// File with its printed SDs among the program's data, such as `papers/bog.yaml`.
    pub file: &'static str,
    /// Reads such a file; the second argument is what messages call it.
    pub sds: fn(text: &str, name: &str) -> Result<PrintedSds, AnalysisError>,
}

/// The SD of the paired difference of two configurations, as far as a work prints it.
pub type PrintedSds = Box<dyn Fn(&str, &str) -> Option<(f64, SdSource)>>;

/// How a work shows a single episode.
#[derive(Clone, Copy, Debug)]
pub struct EpisodeView {
    /// What it shows, such as `debate over a packet`.
    pub subject: &'static str,
    /// The fold over the episode; it needs events and texts alone.
    pub fold: &'static FoldSource,
    /// Draws the episode of this name. Fails with what the episode lacks.
    pub figure: fn(&FoldStates, &str) -> Result<Figure, String>,
    /// The messages between the agents of the episode; empty if it is none of the work's.
    pub messages: fn(&FoldStates) -> Vec<EpisodeMessage>,
}

/// A message between agents of an episode, as a work shows it.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct EpisodeMessage {
    /// In words.
    pub text: String,
    /// As one line of JSON.
    pub json: String,
}

/// What the items of a work share: of a type that the work alone knows.
pub type Shared = Box<dyn Any>;

/// What the user chose for a report, as far as works read it.
#[derive(Clone, Copy, Debug, Default)]
pub struct Choices<'c> {
    /// The baseline that the study names.
    pub baseline: Option<&'c str>,
    /// A protocol in place of a work's own; of the type of the work that reads it.
    pub protocol: Option<&'c (dyn Any + 'static)>,
}

/// One table, one figure, or the printed numbers of a work.
#[derive(Clone, Copy, Debug)]
pub struct Item {
    /// Name by which it is asked for.
    pub key: &'static str,
    /// Title in lists.
    pub title: &'static str,
    /// Where the work prints it, such as `Tab. 3`; empty for what goes beyond the work.
    pub source: &'static str,
    /// What it is made from.
    pub needs: Needs,
    /// Whether the report of a run shows this table where it has rows. Everything is in `--all`.
    pub in_report: bool,
    /// How it is made.
    pub make: Make,
}

/// How an item is made.
#[derive(Clone, Copy)]
pub enum Make {
    /// A table of a run.
    Table(fn(&Context<'_>, &Item) -> Result<Table, Undeclared>),
    /// A figure of a run, in one drawing or one for each environment.
    Figure(fn(&Context<'_>, &Item) -> Result<Vec<Output>, Undeclared>),
    /// Numbers that the work prints and that follow from others that it prints; no run is needed.
    Printed(Printed),
}

impl fmt::Debug for Make {
    fn fmt(&self, formatter: &mut fmt::Formatter<'_>) -> fmt::Result {
        formatter.write_str(match self {
            Self::Table(_) => "Table",
            Self::Figure(_) => "Figure",
            Self::Printed(_) => "Printed",
        })
    }
}

/// The printed numbers of a work.
#[derive(Clone, Copy)]
pub struct Printed {
    /// File with the numbers among the program's data, such as `papers/bog.yaml`.
    pub file: &'static str,
    /// Reads such a file and recomputes what follows; the second argument is what messages call the file. Returns the
    /// name of the work with the results. Fails when the text is not such a file, or one of its tables names a row that
    /// it lacks.
    pub examine: Examine,
}

/// Reads facts and recomputes them: text and its name in messages, to the work's name and the results.
pub type Examine = fn(text: &str, name: &str) -> Result<(String, Examined), AnalysisError>;

/// Which folds over a run an item is made from.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Needs {
    /// Rows of episodes and their analysis.
    pub results: bool,
    /// What agents did in every step ([`Traces`]).
    pub traces: bool,
    /// A fold of the work's own ([`Context::fold`]).
    pub fold: Option<&'static FoldSource>,
}

impl Needs {
    /// Nothing of a run.
    pub const NONE: Self = Self { results: false, traces: false, fold: None };
    /// Rows and their analysis.
    pub const RESULTS: Self = Self { results: true, ..Self::NONE };
    /// Rows, their analysis and traces.
    pub const TRACES: Self = Self { traces: true, ..Self::RESULTS };

    /// A fold of the work's own and nothing else.
    #[must_use]
    pub const fn fold(source: &'static FoldSource) -> Self {
        Self::NONE.with_fold(source)
    }

    /// The same with a fold of the work's own.
    #[must_use]
    pub const fn with_fold(self, source: &'static FoldSource) -> Self {
        Self { fold: Some(source), ..self }
    }

    /// Rows and traces where either needs them; folds of works are taken one by one.
    #[must_use]
    pub const fn and(self, other: Self) -> Self {
        Self { results: self.results || other.results, traces: self.traces || other.traces, fold: None }
    }
}

/// The data of a run as far as the items that are asked for need them.
#[derive(Debug, Default)]
pub struct Inputs {
    /// Rows of episodes and their analysis, of [`Needs::results`].
    pub results: Option<(Rows, Analysis)>,
    /// Of [`Needs::traces`].
    pub traces: Option<Traces>,
    /// Of [`Needs::fold`]: what folds of works kept.
    pub folds: FoldStates,
}

/// An item uses data that it does not declare in [`Item::needs`].
#[derive(Clone, Copy, Debug, PartialEq, Eq, thiserror::Error)]
#[error("uses {0}, which it does not list under `needs`")]
pub struct Undeclared(pub &'static str);

/// What the items of one work are made from. What several items share is made once.
pub struct Context<'a> {
    inputs: &'a Inputs,
    shared: Option<Shared>,
}

impl<'a> Context<'a> {
    /// The data with what the items of this work share.
    #[must_use]
    pub fn new(work: &dyn Work, inputs: &'a Inputs, choices: &Choices<'_>) -> Self {
        Self { inputs, shared: work.prepare(inputs, choices) }
    }

    /// Rows of episodes.
    ///
    /// # Errors
    /// When the item does not declare [`Needs::results`].
    pub fn rows(&self) -> Result<&'a Rows, Undeclared> {
        self.inputs.results.as_ref().map(|(rows, _)| rows).ok_or(Undeclared("rows"))
    }

    /// The analysis of the rows.
    ///
    /// # Errors
    /// When the item does not declare [`Needs::results`].
    pub fn analysis(&self) -> Result<&'a Analysis, Undeclared> {
        self.inputs.results.as_ref().map(|(_, analysis)| analysis).ok_or(Undeclared("the analysis of rows"))
    }

    /// What the items of the work share ([`Work::prepare`]).
    ///
    /// # Errors
    /// When the work prepares nothing, or something of another type.
    pub fn shared<S: Any>(&self) -> Result<&S, Undeclared> {
        self.shared.as_ref().and_then(|shared| shared.downcast_ref()).ok_or(Undeclared("what its work prepares"))
    }

    /// What agents did in every step.
    ///
    /// # Errors
    /// When the item does not declare [`Needs::traces`].
    pub fn traces(&self) -> Result<&'a Traces, Undeclared> {
        self.inputs.traces.as_ref().ok_or(Undeclared("traces"))
    }

    /// What a fold of the work kept.
    ///
    /// # Errors
    /// When the item does not name the source in [`Needs::fold`], or its state is of another type.
    pub fn fold<S: Any>(&self, source: &FoldSource) -> Result<&'a S, Undeclared> {
        self.inputs.folds.get(source).ok_or(Undeclared("a fold of this name"))
    }
}
