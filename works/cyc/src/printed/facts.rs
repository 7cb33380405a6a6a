//! Shape of `papers/cyc.yaml`.

use crate::cyclic::advise::{Controller, Level, Regime, RepairSemantics};
use gimbal_analysis::AnalysisError;
use gimbal_analysis::papers::{KnownMiss, Relation, read_facts};
use serde::{Deserialize, Serialize};

/// Mean and SD, as printed.
pub type MeanSd = [f64; 2];

/// The facts of the third work, as printed.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct CycFacts {
    /// Short name of the work.
    pub work: String,
    /// Seeds of every configuration (Sec. 4.1).
    pub seeds: u32,
    /// Tab. 4-7 and the budgets.
    pub benchmarks: Vec<Benchmark>,
    /// Tab. 1.
    pub regimes: Vec<PaperRegime>,
    /// Tab. 2, 9, 10.
    pub cells: Vec<CycCell>,
    /// Tab. 3.
    pub retention: Vec<Retention>,
    /// Tab. 11, 12.
    pub robustness: Vec<Robustness>,
    /// Tab. 8.
    pub tokens: Vec<TokenPair>,
    /// Tab. 13, 14.
    pub transitions: Vec<TransitionCounts>,
    /// Tab. 15-18.
    pub graphs: Vec<GraphRanges>,
    /// Numbers of the text.
    #[serde(default)]
    pub claims: Vec<CycClaim>,
    /// Printed numbers that are known not to follow from the printed inputs.
    #[serde(default)]
    pub known_misses: Vec<KnownMiss>,
}

/// How a work's controls are named.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "kebab-case")]
pub enum PaperControl {
    /// One agent with all tools.
    React,
    /// Forward-only list of subtasks.
    Dag,
    /// Cyclic graph made for the task.
    Spec,
    /// Cyclic graph made once for the family.
    Gen,
}

impl PaperControl {
    /// The word that checks use.
    #[must_use]
    pub const fn name(self) -> &'static str {
        match self {
            Self::React => "react",
            Self::Dag => "dag",
            Self::Spec => "spec",
            Self::Gen => "gen",
        }
    }
}

/// A benchmark: its tasks, splits and budgets.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Benchmark {
    /// Name as printed.
    pub name: String,
    /// Tasks (Tab. 4).
    pub total: u32,
    /// Training tasks.
    pub train: u32,
    /// Test sets; the first is the one that tables are about.
    pub test: Vec<u32>,
    /// Training and test tasks in percent of all, where printed.
    #[serde(default)]
    pub percent: Option<[u32; 2]>,
    /// Parts in which the test set was played (Tab. 5).
    #[serde(default)]
    pub partitions: Vec<u32>,
    /// The table that prints the counts once more.
    pub again: String,
    /// Tool calls of an episode (CYC-050).
    pub global_budget: u32,
    /// Tool calls of a segment (CYC-051).
    pub local_budget: u32,
}

/// A row of the selection matrix.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct PaperRegime {
    /// Which regime.
    pub name: Regime,
    /// Prerequisite density.
    pub density: Level,
    /// Uncertainty of the state.
    pub uncertainty: Level,
    /// How much of the state is seen.
    pub observability: Level,
    /// What repairs a failure.
    pub repair: RepairSemantics,
    /// Controllers that the work recommends.
    pub recommended: Vec<Controller>,
}

/// One configuration on one benchmark.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct CycCell {
    /// Table.
    pub table: String,
    /// Benchmark.
    pub benchmark: String,
    /// Control.
    pub control: PaperControl,
    /// Models: one for all roles; planner, executor, router; or executor, router.
    pub models: Vec<String>,
    /// Success rate in percent: mean and SD over seeds.
    pub sr: MeanSd,
    /// Tool calls of successful episodes.
    #[serde(default)]
    pub tc: Option<MeanSd>,
    /// Success rate in percent over tool calls.
    #[serde(default)]
    pub str: Option<f64>,
    /// Visits of successful episodes.
    #[serde(default)]
    pub ats: Option<MeanSd>,
    /// Different nodes of successful episodes.
    #[serde(default)]
    pub aus: Option<MeanSd>,
    /// Revisits of successful episodes.
    #[serde(default)]
    pub asr: Option<MeanSd>,
}

/// A row of Tab. 3.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Retention {
    /// Benchmark.
    pub benchmark: String,
    /// Control.
    pub control: PaperControl,
    /// Share of the success that is kept.
    pub retention: f64,
    /// More tool calls of successful episodes.
    #[serde(default)]
    pub more_calls: Option<f64>,
}

/// A row of Tab. 11 or 12.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Robustness {
    /// Table.
    pub table: String,
    /// Benchmark.
    pub benchmark: String,
    /// Control.
    pub control: PaperControl,
    /// Success rate without faults.
    pub sr: MeanSd,
    /// Tool calls without faults.
    #[serde(default)]
    pub tc: Option<MeanSd>,
    /// Success rate with faults.
    pub sr_faulted: MeanSd,
    /// Tool calls with faults.
    #[serde(default)]
    pub tc_faulted: Option<MeanSd>,
    /// Change of the rate in percentage points.
    pub change_sr: f64,
    /// Change of the calls.
    #[serde(default)]
    pub change_tc: Option<f64>,
    /// Relative difference in percent (CYC-064).
    #[serde(default)]
    pub relative: Option<f64>,
}

/// One comparison of tokens.
#[derive(Clone, Copy, Debug, PartialEq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct TokenRow {
    /// Mean tokens of ReAct.
    pub react: f64,
    /// Mean tokens of the cyclic graph.
    pub cyclic: f64,
    /// Their difference.
    pub excess: f64,
    /// It in percent of ReAct's.
    pub percent: f64,
}

/// A block of Tab. 8.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct TokenPair {
    /// Benchmark.
    pub benchmark: String,
    /// Control.
    pub control: PaperControl,
    /// Model of ReAct.
    pub react: String,
    /// Planner, executor, router.
    pub models: Vec<String>,
    /// Tasks that both won.
    pub shared: TokenRow,
    /// All tasks that each won.
    pub all: TokenRow,
}

/// A row of Tab. 13 or 14.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct TransitionCounts {
    /// Table.
    pub table: String,
    /// Benchmark.
    pub benchmark: String,
    /// Control.
    pub control: PaperControl,
    /// Models, as in [`CycCell::models`].
    pub models: Vec<String>,
    /// Success rate once more.
    pub sr: MeanSd,
    /// Different transitions of all episodes.
    pub all: u32,
    /// Of won ones.
    pub won: u32,
    /// Of none that was won.
    pub never_won: u32,
}

/// A row of Tab. 15 and 16, or of Tab. 17 and 18: least and most over configurations.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct GraphRanges {
    /// The two tables.
    pub tables: [String; 2],
    /// Benchmark.
    pub benchmark: String,
    /// Control.
    pub control: PaperControl,
    /// Mean nodes.
    pub nodes: [f64; 2],
    /// Mean words of a criterion.
    pub words: [f64; 2],
    /// Mean self-loops an episode.
    pub self_loops: [f64; 2],
    /// Mean moves between different nodes an episode.
    pub moves: [f64; 2],
}

/// A number of the text.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct CycClaim {
    /// Requirement.
    pub claim: String,
    /// What it says.
    pub place: String,
    /// Where it is said.
    pub source: String,
    /// The number.
    pub printed: f64,
    /// Digits after the point.
    #[serde(default)]
    pub digits: i32,
    /// Whether the value is that number, above or below it.
    #[serde(default)]
    pub relation: Relation,
    /// How it follows from the tables.
    pub of: CycFormula,
}

/// How a number of the text follows.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "snake_case", deny_unknown_fields)]
#[expect(missing_docs, reason = "the fields are names of benchmarks and controls")]
pub enum CycFormula {
    /// A success rate of Tab. 2.
    Sr { benchmark: String, control: PaperControl },
    /// Difference of two success rates of Tab. 2.
    Gap { benchmark: String, first: PaperControl, second: PaperControl },
    /// Benchmarks of Tab. 2 on which no other control wins more.
    Led { control: PaperControl },
    /// Percent of the success that is kept under faults (Tab. 12).
    KeptPercent { benchmark: String, control: PaperControl },
    /// More tool calls under faults (Tab. 12).
    MoreCalls { benchmark: String, control: PaperControl },
    /// Highest success rate of Tab. 9.
    BestSr { benchmark: String, control: PaperControl },
    /// Highest percentage of Tab. 8.
    MostTokenPercent {},
    /// Lowest percentage of Tab. 8.
    LeastTokenPercent {},
    /// Configurations of Tab. 10 with a higher success rate than the same ones of Tab. 9.
    SpecialistsBetter {},
    /// Least nodes over the benchmarks whose name begins so (Tab. 15, 17).
    LeastNodes { family: String },
    /// Most nodes.
    MostNodes { family: String },
    /// Least words of a criterion over all benchmarks.
    LeastWords {},
    /// Most words.
    MostWords {},
}

impl CycFacts {
    /// Reads a facts file; `place` is what messages call it.
    ///
    /// # Errors
    /// When the text does not have this shape.
    pub fn parse(text: &str, place: &str) -> Result<Self, AnalysisError> {
        read_facts(text, place)
    }

    /// The benchmark of this name.
    ///
    /// # Errors
    /// When there is none.
    pub fn benchmark(&self, name: &str) -> Result<&Benchmark, AnalysisError> {
        self.benchmarks.iter().find(|entry| entry.name == name).ok_or_else(|| AnalysisError::Facts {
            place: format!("benchmarks, `{name}`"),
            what: "another table names it and the list lacks it: add the benchmark".to_owned(),
        })
    }

    /// The row of a table for a benchmark, control and models.
    #[must_use]
    pub fn cell(&self, table: &str, benchmark: &str, control: PaperControl, models: &[String]) -> Option<&CycCell> {
        self.cells.iter().find(|cell| {
            cell.table == table && cell.benchmark == benchmark && cell.control == control && cell.models == models
        })
    }
}
