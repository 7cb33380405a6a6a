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
    /// Nothing is known, and an episode is right or wrong: a [`Discordance`] is assumed.
    Assumed,
}

/// How often one of two configurations alone is right on a task, as shares of the tasks.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Discordance {
    /// The first alone is wrong.
    pub lost: f64,
    /// The first alone is right.
    pub won: f64,
}

impl Discordance {
    /// What is assumed of a rate where nothing is known: a clear effect, as of a debate against a single turn.
    pub const CLEAR: Self = Self { lost: 0.22, won: 0.06 };
    /// A milder one.
    pub const MILD: Self = Self { lost: 0.12, won: 0.04 };

    /// SD of the paired difference, whose values are -1, 0 and 1.
    #[must_use]
    pub fn sd(self) -> f64 {
        let mean = self.won - self.lost;
        (self.lost + self.won - mean * mean).sqrt()
    }

    fn words(self) -> String {
        format!("{:.0} % lost and {:.0} % won", 100.0 * self.lost, 100.0 * self.won)
    }
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
            Self::Assumed => "assumed",
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
    /// Whether the reward of an episode is from 0 to 1, so that its mean is a rate.
    pub is_rate: bool,
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
    /// Smallest difference that is found; `None` without an SD or with fewer than two pairs. Under an assumed SD, which is one over tasks,
    /// runs of a task add nothing.
    #[must_use]
    pub fn detectable(&self, demand: &Demand, alpha: f64) -> Option<f64> {
        let (sd, source) = self.sd?;
        let number = if source == SdSource::Assumed { self.clusters() } else { self.pairs };
        detectable_difference(usize::try_from(number).ok()?, sd, demand.power, alpha)
    }

    /// The same as if all runs of a task were alike, so that each task counts once; `None` where there is one task.
    #[must_use]
    pub fn detectable_by_tasks(&self, demand: &Demand) -> Option<f64> {
        let tasks = usize::try_from(self.clusters()).ok()?;
        detectable_difference(tasks, self.sd?.0, demand.power, demand.alpha)
    }

    /// Tasks that are played in pairs.
    fn clusters(&self) -> u64 {
        self.tasks.min(self.pairs)
    }
}

/// One row a comparison, with the level of one test and that of Holm's first step over all.
#[must_use]
pub fn table(planned: &[PlannedComparison], demand: &Demand) -> Table {
    let label = |key, title, help| Column::new(key, title, "comparison", ColumnKind::Label, help);
    let number = |key, title, digits, help| Column::new(key, title, "power", ColumnKind::Number(digits), help);
    // A rate is from 0 to 1: one decimal would hide every difference.
    let is_rate = !planned.is_empty() && planned.iter().all(|one| one.is_rate);
    let digits = if is_rate { 3 } else { 1 };
    let has_tasks = planned.iter().any(|one| one.tasks > 1);
    let several = planned.windows(2).any(|pair| pair[0].environment != pair[1].environment);
    let columns = vec![
        label("first", "First", "Configuration"),
        label("second", "Against", "What it is compared with"),
        label("model", "Model", "Model of both"),
        label("environment", "Environment", "Environment of both").shown_if(several),
        Column::new("pairs", "Pairs", "power", ColumnKind::Integer, "Seeds that both will play"),
        Column::new("tasks", "Tasks", "power", ColumnKind::Integer, "Tasks that they are spread over"),
        number("sd", "SD", digits, "SD of the paired difference"),
        Column::new("source", "From", "power", ColumnKind::Text, "Where the SD comes from"),
        number("detectable", "Detects", digits, "Smallest difference found with the power that is asked for"),
        number(
            "detectable_tasks",
            "N = tasks",
            digits,
            "The same if all runs of a task are alike: each task counts once",
        )
        .shown_if(has_tasks),
        number(
            "detectable_holm",
            "after Holm",
            digits,
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
                Cell::number(one.detectable_by_tasks(demand)),
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
    if from(SdSource::Assumed) {
        let mild = |one: &PlannedComparison| {
            let tasks = usize::try_from(one.clusters()).ok()?;
            detectable_difference(tasks, Discordance::MILD.sd(), demand.power, demand.alpha)
        };
        let assumed = planned.iter().filter(|one| one.sd.is_some_and(|(_, source)| source == SdSource::Assumed));
        let mild = assumed
            .filter_map(mild)
            .fold(None, |least: Option<f64>, one| Some(least.map_or(one, |least| least.min(one))));
        let mild = mild.map_or_else(String::new, |mild| format!(": {mild:.3} where most tasks are played"));
        notes.push(format!(
            "Assumed: nothing was played, and an episode is right or wrong. The SD is that of {} tasks, over tasks as N; with {} it is {:.3}, and the \
             difference found is smaller{mild}. Play a few runs and plan again, or give --sd.",
            Discordance::CLEAR.words(),
            Discordance::MILD.words(),
            Discordance::MILD.sd()
        ));
    }
    if planned.iter().any(|one| one.sd.is_none()) {
        notes.push("–: nothing is known of the SD; give one with --sd, or play a few runs and plan again.".to_owned());
    }
    if planned.iter().any(|one| one.tasks > 1 && one.pairs > one.tasks) {
        notes.push("Several tasks: if runs of a task are alike, it is nearer to the number of tasks than to that of pairs that counts.".to_owned());
    }
    notes
}

#[cfg(test)]
mod tests {
    use super::{Demand, Discordance, PlannedComparison, SdSource, table};

    const DEMAND: Demand = Demand { power: 0.8, alpha: 0.05, difference: None };

    fn rate(pairs: u64, tasks: u64, sd: Option<(f64, SdSource)>) -> PlannedComparison {
        let text = str::to_owned;
        let (environment, model, first, second) = (text("triage"), text("a/b"), text("debate"), text("single"));
        PlannedComparison { environment, model, first, second, pairs, tasks, is_rate: true, sd }
    }

    #[test]
    fn an_assumed_difference_of_rates_counts_tasks_and_not_their_runs() {
        assert!((Discordance::CLEAR.sd() - 0.504_4).abs() < 1e-4 && (Discordance::MILD.sd() - 0.391_9).abs() < 1e-4);
        let assumed = Some((Discordance::CLEAR.sd(), SdSource::Assumed));
        let (once, twice) = (rate(73, 73, assumed), rate(146, 73, assumed));
        assert_eq!(once.detectable(&DEMAND, 0.05), twice.detectable(&DEMAND, 0.05));
        // A difference of 0.16 is found with power 0.84 over 100 tasks and 0.61 over 60 (McNemar's exact test, another program).
        let least = |tasks| rate(tasks, tasks, assumed).detectable(&DEMAND, 0.05).unwrap();
        assert!(least(100) < 0.16 && least(60) > 0.16, "{} {}", least(100), least(60));
        let table = table(&[once, twice], &DEMAND);
        let shown = |key: &str| {
            let column = table.columns.iter().position(|column| column.key == key).unwrap();
            [table.shown(0, column), table.shown(1, column)]
        };
        assert_eq!(shown("sd"), ["0.504", "0.504"]);
        assert_eq!(shown("source"), ["assumed", "assumed"]);
        assert_eq!(shown("detectable")[0].len(), "0.168".len());
        assert!(table.notes.iter().any(|note| note.contains("22 % lost and 6 % won") && note.contains("0.392")));
    }

    #[test]
    fn a_known_sd_counts_pairs_and_shows_the_tasks_beside_them() {
        let known = PlannedComparison { is_rate: false, ..rate(50, 5, Some((40.0, SdSource::Given))) };
        let (pairs, tasks) = (known.detectable(&DEMAND, 0.05).unwrap(), known.detectable_by_tasks(&DEMAND).unwrap());
        assert!((pairs - 16.167).abs() < 1e-3 && tasks > 3.0 * pairs, "{pairs} {tasks}");
        let table = table(&[known], &DEMAND);
        let column = table.columns.iter().position(|column| column.key == "detectable").unwrap();
        assert_eq!(table.shown(0, column), "16.2");
    }
}
