//! Scenarios: telemetry with the verdict that follows from it, and the criterion by which it follows (ARES-070 to ARES-074).
//!
//! Two things are kept apart. The **expected verdict** is what the packet supports, by a written criterion that code evaluates. The
//! **operator's truth** is what happened, whether the packet shows it or not. An exfiltration of which only ordinary traffic was
//! recorded is `malicious` and `INCONCLUSIVE`.

mod criterion;
mod kinds;
mod matcher;
mod names;
mod source;

use std::path::PathBuf;
use std::sync::OnceLock;

use gimbal_core::Digest;
use gimbal_evidence::extract::Pseudonyms;
use gimbal_evidence::judge::Verdict;
use gimbal_evidence::{FactId, Packet};

pub use criterion::{Criterion, Decides, Suspicion};
pub use kinds::{Category, OperatorTruth, Telemetry, Tier};
pub use matcher::Matcher;
pub(crate) use names::Names;
pub(crate) use source::{Background, Engine, Execution, FlowStep, Frame, RawSource, Reply, Script, Step};

/// A scenario. Its telemetry is made or read when its packet is asked for.
#[derive(Debug)]
pub struct Scenario {
    /// Id: what a task is called. It says nothing of the content.
    pub id: String,
    /// What the scene is, for people who write scenarios. Agents never see it.
    pub title: String,
    /// The scene that generated it; twins share one. Splits `dev` and `test` share none.
    pub family: String,
    /// The splits that it is in.
    pub splits: Vec<String>,
    /// Tier of the benchmark.
    pub tier: Tier,
    /// How hard it is to see, from 1 to 4; another thing than the tier (ARES-R11).
    pub difficulty: u8,
    /// What it is about.
    pub category: Category,
    /// Types of telemetry, without what a person stated.
    pub telemetry: Vec<Telemetry>,
    /// The verdict that the packet supports.
    pub expected: Verdict,
    /// What happened.
    pub operator_truth: OperatorTruth,
    /// Raised with every change of a label (ARES-R5).
    pub label_version: u32,
    /// Techniques of MITRE ATT&CK.
    pub techniques: Vec<String>,
    /// Why the verdict is what it is, in a sentence or two.
    pub rationale: String,
    /// People who agreed with the labels from the facts alone; empty as long as nobody did.
    pub review: Vec<String>,
    /// The criterion.
    pub criterion: Criterion,
    /// The scenario of which it is a twin.
    pub twin_of: Option<String>,
    pub(crate) sources: Vec<RawSource>,
    /// Names that facts do not show.
    pub(crate) pseudonyms: Pseudonyms,
    /// Year of times without one.
    pub(crate) year: Option<i16>,
    /// The scenario's file.
    pub(crate) place: String,
    /// The line of its id, from 1.
    pub(crate) line: u64,
    /// The line of each source.
    pub(crate) source_lines: Vec<u64>,
    /// Folder of the scenario's file, for raw files beside it.
    pub(crate) folder: PathBuf,
    pub(crate) digest: OnceLock<Digest>,
}

impl Scenario {
    /// The file that describes it, and the line of its id, from 1.
    #[must_use]
    pub fn place(&self) -> (&str, u64) {
        (&self.place, self.line)
    }

    /// Where the raw data of each source come from: a script and its seed, statements, or a file with its licence.
    #[must_use]
    pub fn origins(&self) -> Vec<String> {
        self.sources.iter().map(RawSource::origin).collect()
    }

    /// The facts on which the verdict rests: without them it is another one. Empty where nothing in the packet is suspicious.
    #[must_use]
    pub fn decisive(&self, packet: &Packet) -> Vec<FactId> {
        self.criterion.decisive(packet)
    }

    /// The facts that explain suspicious ones.
    #[must_use]
    pub fn explaining(&self, packet: &Packet) -> Vec<FactId> {
        self.criterion.explaining(packet)
    }
}
