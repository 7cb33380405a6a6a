//! The work BOG: agents with context, deliberation and hierarchy in one environment.
//!
//! Its protocol, detectors, tables, figures and printed numbers, in one list ([`Bog`]). Statistics live in `gimbal-analysis`, the
//! drawing kit in `gimbal-view`.

pub mod agents;
pub mod axes;
pub mod detect;
mod figures;
pub mod handled;
mod items;
mod planning;
pub mod printed;
pub mod replication;
mod tables;

use std::sync::LazyLock;

use gimbal_analysis::detect::Detector;
use gimbal_analysis::profile::{Agents, Measure};
use gimbal_analysis::{Analysis, BaselineChoice, Rows};
use gimbal_view::work::{Choices, Context, Inputs, Item, Planning, Shared, Undeclared, Work};

pub use axes::{Grid, Grids, Protocol};

/// The work.
#[derive(Clone, Copy, Debug)]
pub struct Bog;

static PROTOCOL: LazyLock<Protocol> = LazyLock::new(|| {
    #[expect(clippy::expect_used, reason = "the file is compiled in, and a test reads it")]
    Protocol::parse(include_str!("../../../papers/protocol.yaml"), "papers/protocol.yaml").expect("valid")
});

/// Which configuration is what, as the work has it: `papers/protocol.yaml`.
#[must_use]
pub fn protocol() -> &'static Protocol {
    &PROTOCOL
}

impl Work for Bog {
    fn name(&self) -> &'static str {
        "bog"
    }

    fn items(&self) -> &'static [Item] {
        items::ITEMS
    }

    fn detectors(&self) -> &'static [Detector] {
        &detect::ALL
    }

    fn measures(&self) -> &'static [Measure] {
        &agents::MEASURES
    }

    fn agents(&self) -> Option<Agents> {
        Some(agents::AGENTS)
    }

    fn planning(&self) -> Option<&'static Planning> {
        Some(&planning::PLANNING)
    }

    /// The protocol: the work's or the user's, with the baseline that is asked for. Where the protocol's own baseline was not
    /// played, the study's takes its place.
    fn prepare(&self, inputs: &Inputs, choices: &Choices<'_>) -> Option<Shared> {
        let chosen = choices.protocol.and_then(|chosen| chosen.downcast_ref::<Protocol>());
        let mut protocol = chosen.unwrap_or(protocol()).clone();
        if let Some((rows, analysis)) = &inputs.results
            && let Some(label) = baseline(&protocol, rows, analysis, choices.baseline)
        {
            protocol.baseline = label;
        }
        Some(Box::new(protocol))
    }
}

/// What replaces a protocol's baseline, if anything does; `stored` is the baseline of the study.
fn baseline(protocol: &Protocol, rows: &Rows, analysis: &Analysis, stored: Option<&str>) -> Option<String> {
    let played = |name: &str| rows.cells.iter().any(|cell| cell.configuration == name);
    match &analysis.options.baseline {
        Some(BaselineChoice::Configuration(label)) if stored != Some(label.as_str()) => Some(label.clone()),
        Some(BaselineChoice::Configuration(label)) if !played(&protocol.baseline) => Some(label.clone()),
        _ => None,
    }
}

/// The results by environment, configuration and model, under the protocol.
fn grids<'c>(context: &'c Context<'_>) -> Result<Grids<'c>, Undeclared> {
    Ok(Grids::new(context.rows()?, context.analysis()?, context.shared()?))
}
