//! What a plan compares, before anything is played: which differences it can detect, and what it takes.

use std::collections::BTreeSet;

use gimbal_analysis::planned::{Discordance, PlannedComparison, SdSource};
use gimbal_analysis::{Cell, Column, ColumnKind, Options, Rows, Table, paired_test};
use gimbal_study::plan::{Cell as PlannedCell, Plan, estimate};
use gimbal_view::work::{Planning, PrintedSds};

use crate::error::ReportError;

/// What a plan is compared by.
pub struct Comparing<'c> {
    /// The plan.
    pub plan: &'c Plan,
    /// The baseline that was asked for; else it is the study's, else that of the first work.
    pub baseline: Option<&'c str>,
    /// An SD of paired differences for all comparisons.
    pub sd: Option<f64>,
    /// Rows of an earlier run of the study.
    pub earlier: Option<&'c Rows>,
    /// What works know of plans, each with its printed SDs where its file is there.
    pub works: Vec<(&'static Planning, Option<PrintedSds>)>,
    /// Labels of the environments whose mean reward is a rate.
    pub rates: BTreeSet<String>,
}

/// What a plan compares.
#[derive(Debug, Default)]
pub struct Compared {
    /// The configuration that the others are compared with.
    pub baseline: String,
    /// The comparisons, each once.
    pub found: Vec<PlannedComparison>,
    /// Comparisons whose pairs in the earlier run all have the same difference.
    equal: Vec<String>,
}

impl Compared {
    /// What the table of comparisons must say beside its own notes.
    #[must_use]
    pub fn note(&self) -> Option<String> {
        (!self.equal.is_empty()).then(|| {
            format!(
                "No SD from the earlier run, since all of its pairs have the same difference, which says nothing about others: \
                 {}.",
                self.equal.join("; ")
            )
        })
    }
}

/// The environments of a plan whose mean reward is a rate, by label.
pub async fn rates(plan: &Plan) -> BTreeSet<String> {
    let (mut seen, mut rates) = (BTreeSet::new(), BTreeSet::new());
    for cell in &plan.cells {
        let label = &cell.info.environment;
        if seen.insert(label.clone()) && cell.environment.is_rate().await {
            rates.insert(label.clone());
        }
    }
    rates
}

impl Comparing<'_> {
    /// Every configuration against the baseline, then the pairs that works compare, each once.
    ///
    /// # Errors
    /// When the baseline that was asked for is not in the plan.
    pub fn compared(&self) -> Result<Compared, ReportError> {
        let baseline = self.named_baseline()?;
        let mut compared = Compared { baseline: baseline.clone(), ..Compared::default() };
        for cell in &self.plan.cells {
            self.add(&mut compared, cell, &baseline);
        }
        for (first, second) in self.works.iter().flat_map(|(planning, _)| (planning.pairs)()) {
            for cell in self.plan.cells.iter().filter(|cell| cell.info.configuration == first) {
                self.add(&mut compared, cell, &second);
            }
        }
        Ok(compared)
    }

    fn named_baseline(&self) -> Result<String, ReportError> {
        let configurations = || self.plan.cells.iter().map(|cell| cell.info.configuration.as_str());
        let of_study = self.plan.study.baseline.as_ref().map(|(name, _)| name.as_str());
        match self.baseline.or(of_study) {
            // What is left out of a plan is still the study's baseline.
            Some(name) if self.baseline.is_none() || configurations().any(|known| known == name) => Ok(name.to_owned()),
            Some(name) => {
                let hint = gimbal_core::nearest::hint(name, configurations());
                Err(ReportError::Baseline(format!("--baseline: no cell of this study is called `{name}`{hint}")))
            }
            None => Ok(self.works.first().map(|(planning, _)| (planning.baseline)()).unwrap_or_default()),
        }
    }

    /// Adds the comparison of a cell with its partner of this configuration, where there is one.
    fn add(&self, compared: &mut Compared, first: &PlannedCell, configuration: &str) {
        let Some(second) = self.partner(first, configuration) else { return };
        let (one, two) = (&first.info.configuration, &second.info.configuration);
        let model = if first.roles.is_empty() { String::new() } else { first.info.model_label() };
        let known = |other: &PlannedComparison| {
            other.environment == first.info.environment
                && other.model == model
                && ((other.first == *one && other.second == *two) || (other.first == *two && other.second == *one))
        };
        if one == two || compared.found.iter().any(known) {
            return;
        }
        let is_rate = self.rates.contains(&first.info.environment);
        let sd = match (self.sd, self.played(first, second)) {
            (Some(sd), _) => Some((sd, SdSource::Given)),
            (None, Some(sd)) if sd > 0.0 => Some((sd, SdSource::Run)),
            // Measured values take precedence over those that a work printed for other models.
            (None, Some(_)) => {
                let of = if model.is_empty() { String::new() } else { format!(" with {model}") };
                compared.equal.push(format!("{one} against {two}{of}"));
                None
            }
            // The work's returns have another unit.
            (None, None) if is_rate => Some((Discordance::CLEAR.sd(), SdSource::Assumed)),
            (None, None) => self.works.iter().find_map(|(_, sds)| sds.as_ref()?(one, two)),
        };
        compared.found.push(PlannedComparison {
            environment: first.info.environment.clone(),
            model,
            first: one.clone(),
            second: two.clone(),
            pairs: self.plan.episodes_of(first).min(self.plan.episodes_of(second)),
            tasks: first.environment.tasks.len() as u64,
            is_rate,
            sd,
        });
    }

    /// The cell of this configuration that is like another cell in everything else.
    fn partner(&self, cell: &PlannedCell, configuration: &str) -> Option<&PlannedCell> {
        let alike = |other: &&PlannedCell| {
            other.info.configuration == configuration
                && other.environment.environment == cell.environment.environment
                && (other.roles.is_empty()
                    || (other.info.model_label() == cell.info.model_label()
                        && other.info.decoding == cell.info.decoding))
        };
        self.plan.cells.iter().find(alike)
    }

    /// SD of the paired differences of the earlier run, where it has two pairs at least.
    fn played(&self, first: &PlannedCell, second: &PlannedCell) -> Option<f64> {
        let rows = self.earlier.filter(|_| self.sd.is_none())?;
        // Ids of cells are the same in a plan and in its run.
        let of =
            |cell: &PlannedCell| -> Vec<_> { rows.episodes.iter().filter(|row| row.cell == cell.info.id).collect() };
        let options = Options { flips: 0, resamples: 1, ..Options::default() };
        paired_test(&of(first), &of(second), None, &options).and_then(|test| test.basic.difference.sd)
    }
}

/// What the cells take.
#[must_use]
pub fn costs(estimates: &[estimate::Estimate]) -> Table {
    let number = |key, title, help| Column::new(key, title, "cost", ColumnKind::Integer, help);
    let columns = vec![
        Column::new("cell", "Cell", "cell", ColumnKind::Label, "Cell"),
        number("episodes", "Episodes", "Episodes planned"),
        number("tokens_in", "Tokens in", "Estimated prompt tokens of all of them"),
        number("tokens_out", "Tokens out", "Estimated completion tokens of all of them"),
        Column::new("cost", "Cost", "cost", ColumnKind::Number(4), "Estimated cost of all of them").unit("$"),
    ];
    let line = |name: &str, counts: [u64; 3], cost: Option<u64>| {
        let mut row = vec![Cell::text(name)];
        row.extend(counts.map(Cell::count));
        row.push(Cell::number(cost.map(|micro| micro as f64 / 1e6)));
        row
    };
    let mut rows: Vec<Vec<Cell>> = Vec::new();
    let (mut counts, mut cost) = ([0_u64; 3], Some(0_u64));
    for one in estimates {
        let own = [one.episodes, one.input_tokens, one.output_tokens];
        rows.push(line(&one.cell, own, one.cost_microdollars));
        for (sum, more) in counts.iter_mut().zip(own) {
            *sum = sum.saturating_add(more);
        }
        cost = cost.zip(one.cost_microdollars).map(|(sum, more)| sum.saturating_add(more));
    }
    rows.push(line("all", counts, cost));
    let notes = vec![format!(
        "Tokens are estimates: one episode of each cell, played by {}, counted by length. –: a price is not known.",
        estimate::STAND_IN
    )];
    Table { key: "cost", title: "What the study takes".to_owned(), columns, rows, notes }
}
