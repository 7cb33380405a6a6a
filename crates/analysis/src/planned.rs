//! What a planned study can see: the smallest difference that each comparison finds.

use crate::power::{detectable_difference, pairs_needed};
use crate::table::{Cell, Column, ColumnKind, Table};

/// Where the SD of a paired difference comes from.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum SdSource {
    /// It was given.
    Given,
    /// Paired differences of an earlier run of the same cells.
    Run,
    /// The first work's printed interval of this very difference (median over its models).
    PaperPaired,
    /// The first work's SDs of the two cells, as if they were not paired (median over its models).
    PaperCells,
}

impl SdSource {
    /// The words that tables show.
    #[must_use]
    pub const fn label(self) -> &'static str {
        match self {
            Self::Given => "given",
            Self::Run => "earlier run",
            Self::PaperPaired => "paper, paired",
            Self::PaperCells => "paper, unpaired",
        }
    }
}

/// A comparison of a plan.
#[derive(Clone, Debug, PartialEq)]
pub struct PlannedComparison {
    /// Environment of both.
    pub environment: String,
    /// Model of both; empty for policies.
    pub model: String,
    /// First configuration.
    pub first: String,
    /// Second configuration.
    pub second: String,
    /// Seeds that both will play.
    pub pairs: u64,
    /// Tasks that they are spread over: where there are several they count, not the runs, if runs of a task are alike.
    pub tasks: u64,
    /// SD of the paired difference and where it comes from; `None` where nothing is known.
    pub sd: Option<(f64, SdSource)>,
}

/// What is asked of a plan.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Demand {
    /// Probability with which a difference shall be found.
    pub power: f64,
    /// Level of the two-sided test.
    pub alpha: f64,
    /// A difference for which the pairs needed shall be told.
    pub difference: Option<f64>,
}

impl PlannedComparison {
    /// Smallest difference that is found; `None` without an SD or with fewer than two pairs.
    #[must_use]
    pub fn detectable(&self, demand: &Demand, alpha: f64) -> Option<f64> {
        let pairs = usize::try_from(self.pairs).ok()?;
        detectable_difference(pairs, self.sd?.0, demand.power, alpha)
    }
}

/// One row a comparison, with the level of one test and that of Holm's first step over all.
#[must_use]
pub fn table(planned: &[PlannedComparison], demand: &Demand) -> Table {
    let label = |key, title, help| Column::new(key, title, "comparison", ColumnKind::Label, help);
    let number = |key, title, digits, help| Column::new(key, title, "power", ColumnKind::Number(digits), help);
    let several = planned.windows(2).any(|pair| pair[0].environment != pair[1].environment);
    let columns = vec![
        label("first", "First", "Configuration"),
        label("second", "Against", "What it is compared with"),
        label("model", "Model", "Model of both"),
        label("environment", "Environment", "Environment of both").shown_if(several),
        Column::new("pairs", "Pairs", "power", ColumnKind::Integer, "Seeds that both will play"),
        Column::new("tasks", "Tasks", "power", ColumnKind::Integer, "Tasks that they are spread over"),
        number("sd", "SD", 1, "SD of the paired difference"),
        Column::new("source", "From", "power", ColumnKind::Text, "Where the SD comes from"),
        number("detectable", "Detects", 1, "Smallest difference found with the power that is asked for"),
        number(
            "detectable_holm",
            "after Holm",
            1,
            "The same at the strictest level of Holm's correction over all rows",
        ),
        Column::new("pairs_needed", "Needs", "power", ColumnKind::Integer, "Pairs that find the difference asked for"),
    ];
    let strict = demand.alpha / planned.len().max(1) as f64;
    let rows = planned
        .iter()
        .map(|one| {
            let needed = demand
                .difference
                .zip(one.sd)
                .and_then(|(difference, (sd, _))| pairs_needed(difference, sd, demand.power, demand.alpha));
            vec![
                Cell::text(&one.first),
                Cell::text(&one.second),
                Cell::text(&one.model),
                Cell::text(&one.environment),
                Cell::count(one.pairs),
                Cell::count(one.tasks),
                Cell::number(one.sd.map(|(sd, _)| sd)),
                Cell::text(one.sd.map_or("", |(_, source)| source.label())),
                Cell::number(one.detectable(demand, demand.alpha)),
                Cell::number(one.detectable(demand, strict)),
                needed.map_or(Cell::Empty, |needed| Cell::count(needed as u64)),
            ]
        })
        .collect();
    Table { key: "plan", title: "What the study can see".to_owned(), columns, rows, notes: notes(planned, demand) }
}

fn notes(planned: &[PlannedComparison], demand: &Demand) -> Vec<String> {
    let mut notes = vec![format!(
        "Detects: smallest mean paired difference that a two-sided paired t test at {} finds with probability {}; after Holm: at {} divided by {} comparisons.",
        demand.alpha,
        demand.power,
        demand.alpha,
        planned.len().max(1)
    )];
    let from = |source: SdSource| planned.iter().any(|one| one.sd.is_some_and(|(_, found)| found == source));
    if from(SdSource::PaperPaired) || from(SdSource::PaperCells) {
        notes.push("From the paper: medians over its models, in its environment of 30 steps; another environment or horizon has another SD, so give one with --sd or play a few runs first. Unpaired: what pairing saves is not in it.".to_owned());
    }
    if planned.iter().any(|one| one.sd.is_none()) {
        notes.push("–: nothing is known of the SD; give one with --sd, or play a few runs and plan again.".to_owned());
    }
    if planned.iter().any(|one| one.tasks > 1) {
        notes.push("Several tasks: if runs of a task are alike, it is nearer to the number of tasks than to that of pairs that counts.".to_owned());
    }
    notes
}
