//! Do the intervals cover? Studies are drawn from a large population of seeds whose true values are known, analysed by
//! the very code that analyses a run, and the intervals that hold the truth are counted.

use gimbal_core::Stop;

use crate::cells::{Analysis, CellSummary};
use crate::compare::one_to_one;
use crate::describe::{Interval, Summary};
use crate::error::AnalysisError;
use crate::options::{BaselineChoice, Options};
use crate::paired::{cluster_sums, paired_test};
use crate::proportion::Proportion;
use crate::ratio::fieller;
use crate::rng::Generator;
use crate::row::{CellDecoding, CellInfo, EpisodeRow, Kind, RoleModel, RoleUsage, Rows, TokenUse};
use crate::special::normal_quantile;
use crate::table::{Cell, Column, ColumnKind, Table};
use crate::thresholds::Thresholds;

/// One pair of a population: what two systems return in it, and what the second spends.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Pair {
    /// Return of the baseline in thousandths.
    pub baseline: i64,
    /// Return of the other in thousandths.
    pub other: i64,
    /// Tokens of the other.
    pub tokens: u64,
}

/// Tokens of an episode that no model played: log-normal around 12,000 with a spread of a fifth, and 40 more for every
/// unit of penalty, since a losing defender has more to read. Decided by the seed alone.
#[must_use]
pub fn simulated_tokens(seed: u64, return_thousandths: i64) -> u64 {
    let mut generator = Generator::named(seed, "tokens");
    let z = normal_quantile(generator.unit().clamp(1e-12, 1.0 - 1e-12)).unwrap_or(0.0);
    let penalty = (-return_thousandths).max(0) as f64 / 1000.0;
    ((12_000.0 + 40.0 * penalty) * (0.2 * z).exp()).round() as u64
}

/// How studies are drawn.
#[derive(Clone, Debug, PartialEq)]
pub struct Design {
    /// Episodes of a cell in each study.
    pub runs: usize,
    /// Tasks that they are spread over evenly; 1 draws every seed alone. With several, seeds of one task are alike: the
    /// population is cut into strata by what separates the two systems, and a task is a stratum.
    pub tasks: usize,
    /// Studies.
    pub studies: u32,
    /// A return below this is catastrophic, in thousandths.
    pub catastrophic_below: Option<i64>,
    /// How each is analysed.
    pub options: Options,
}

/// How often one kind of interval held the truth.
#[derive(Clone, Debug, PartialEq)]
pub struct Covered {
    /// What it is an interval of.
    pub quantity: &'static str,
    /// How it is made.
    pub method: &'static str,
    /// Episodes of a cell.
    pub runs: usize,
    /// Tasks that they are spread over.
    pub tasks: usize,
    /// The truth.
    pub truth: f64,
    /// Studies whose interval held it.
    pub covered: u32,
    /// Studies that had an interval.
    pub of: u32,
    /// Mean width of the intervals.
    pub width: f64,
}

impl Covered {
    /// Share of the intervals that held the truth; `None` where no study had one.
    #[must_use]
    pub fn share(&self) -> Option<f64> {
        (self.of > 0).then(|| f64::from(self.covered) / f64::from(self.of))
    }

    /// Monte Carlo standard error of that share, by the simple formula.
    #[must_use]
    pub fn error(&self) -> Option<f64> {
        self.share().map(|share| (share * (1.0 - share) / f64::from(self.of)).sqrt())
    }
}

/// The true values of a population.
struct Truth {
    baseline: f64,
    other: f64,
    difference: f64,
    rpts: f64,
    catastrophic: (f64, f64),
}

impl Truth {
    fn of(pairs: &[Pair], limit: i64) -> Self {
        let count = pairs.len() as f64;
        let mean = |value: &dyn Fn(&Pair) -> i64| {
            pairs.iter().map(|pair| i128::from(value(pair))).sum::<i128>() as f64 / count / 1000.0
        };
        let share =
            |value: &dyn Fn(&Pair) -> i64| pairs.iter().filter(|pair| value(pair) < limit).count() as f64 / count;
        let (baseline, other) = (mean(&|pair| pair.baseline), mean(&|pair| pair.other));
        let kilotokens = pairs.iter().map(|pair| u128::from(pair.tokens)).sum::<u128>() as f64 / count / 1000.0;
        Self {
            baseline,
            other,
            difference: other - baseline,
            rpts: (other - baseline) / kilotokens,
            catastrophic: (share(&|pair| pair.baseline), share(&|pair| pair.other)),
        }
    }
}

/// Draws studies from a population and counts.
///
/// # Errors
/// When the population is empty, the design asks for no study, no run, or more tasks than runs, or the options are not
/// those of an analysis.
pub fn coverage(population: &[Pair], design: &Design) -> Result<Vec<Covered>, AnalysisError> {
    let wrong = |what: &str| AnalysisError::Facts { place: "coverage".to_owned(), what: what.to_owned() };
    if population.len() < 2 * design.tasks.max(1) {
        return Err(wrong("the population is smaller than two seeds a task: play more episodes"));
    }
    if design.tasks == 0
        || design.runs < design.tasks
        || !design.runs.is_multiple_of(design.tasks)
        || design.studies == 0
    {
        return Err(wrong("runs must be a multiple of tasks, with one study, one task and one run at least"));
    }
    let limit = design.catastrophic_below.unwrap_or(i64::MIN);
    let mut pairs = population.to_vec();
    pairs.sort_by_key(|pair| (pair.other - pair.baseline, pair.baseline, pair.tokens));
    let truth = Truth::of(&pairs, limit);
    let mut counted = counters(design, &truth);
    let mut generator = Generator::named(design.options.seed, "coverage");
    for study in 0..design.studies {
        let rows = draw(&pairs, design, &mut generator);
        let seed = design.options.seed ^ u64::from(study).wrapping_mul(0x9e37_79b9_7f4a_7c15);
        let baseline = Some(BaselineChoice::Configuration("baseline".to_owned()));
        let options = Options { baseline, seed, flips: 0, ..design.options.clone() };
        let intervals = intervals(&rows, &options)?;
        for (counter, interval) in counted.iter_mut().zip(intervals) {
            let Some(interval) = interval else { continue };
            counter.of += 1;
            counter.covered += u32::from(interval.contains(counter.truth));
            counter.width += interval.width();
        }
    }
    for counter in &mut counted {
        counter.width /= f64::from(counter.of.max(1));
    }
    let told = |counter: &Covered| {
        let by_clusters = counter.method.ends_with("by clusters");
        (design.tasks > 1 || !by_clusters)
            && (design.catastrophic_below.is_some() || !counter.method.starts_with("Wilson"))
    };
    Ok(counted.into_iter().filter(told).collect())
}

/// One counter a kind of interval, in the order of [`intervals`].
fn counters(design: &Design, truth: &Truth) -> Vec<Covered> {
    let kinds = [
        ("mean of the baseline", "Student t", truth.baseline),
        ("mean of the baseline", "t by clusters", truth.baseline),
        ("mean of the other", "Student t", truth.other),
        ("mean of the other", "t by clusters", truth.other),
        ("paired difference", "Student t", truth.difference),
        ("paired difference", "t by clusters", truth.difference),
        ("paired difference", "BCa bootstrap", truth.difference),
        ("RPTS", "BCa bootstrap", truth.rpts),
        ("RPTS", "Fieller", truth.rpts),
        ("catastrophic rate of the baseline", "Wilson", truth.catastrophic.0),
        ("catastrophic rate of the baseline", "Wilson by clusters", truth.catastrophic.0),
        ("catastrophic rate of the other", "Wilson", truth.catastrophic.1),
        ("catastrophic rate of the other", "Wilson by clusters", truth.catastrophic.1),
    ];
    let counter = |(quantity, method, truth)| Covered {
        quantity,
        method,
        runs: design.runs,
        tasks: design.tasks,
        truth,
        covered: 0,
        of: 0,
        width: 0.0,
    };
    kinds.map(counter).to_vec()
}

/// The rows of one study, as a run would give them.
fn draw(pairs: &[Pair], design: &Design, generator: &mut Generator) -> Rows {
    let thresholds = Thresholds { catastrophic_below: design.catastrophic_below, ..Thresholds::default() };
    let cell = |id: &str, models: Vec<RoleModel>, kind: Kind| CellInfo {
        id: id.to_owned(),
        environment: "pool".to_owned(),
        configuration: id.to_owned(),
        axis: None,
        decoding: if models.is_empty() { CellDecoding::None } else { CellDecoding::Free },
        models,
        kind,
        plumbing: None,
        planned: design.runs as u32,
        thresholds,
        faults: String::new(),
        simulator: false,
        acts_by_messages: false,
    };
    let model = RoleModel { role: "default".to_owned(), model: "simulated tokens".to_owned() };
    let mut rows = Rows {
        cells: vec![cell("baseline", Vec::new(), Kind::Baseline), cell("other", vec![model], Kind::Scripted)],
        episodes: Vec::with_capacity(2 * design.runs),
    };
    // A task is a narrow slice of the population, drawn anew in every study: the mean over all slices is the truth.
    let count = pairs.len() as u64;
    let slices = (pairs.len() / SLICE.min(pairs.len() / design.tasks)).max(1) as u64;
    for task in 0..design.tasks {
        let slice = generator.below(slices);
        let (from, to) = (slice * count / slices, (slice + 1) * count / slices);
        for run in 0..design.runs / design.tasks {
            let drawn = match design.tasks {
                1 => generator.below(count),
                _ => from + generator.below(to - from),
            };
            let pair = pairs[drawn as usize];
            let row = |cell: &str, value: i64, tokens: u64| episode(cell, task, run as u32, value, tokens);
            rows.episodes.extend([row("baseline", pair.baseline, 0), row("other", pair.other, pair.tokens)]);
        }
    }
    rows
}

/// Seeds of a slice that is taken as a task.
const SLICE: usize = 200;

fn episode(cell: &str, task: usize, run: u32, value: i64, tokens: u64) -> EpisodeRow {
    let called = TokenUse { input: tokens - tokens / 20, output: tokens / 20, ..TokenUse::default() };
    let usage = RoleUsage { role: "default".into(), environment: false, called };
    EpisodeRow {
        cell: cell.into(),
        environment: "pool".into(),
        task: task.to_string().into(),
        run,
        trial: 0,
        seed: u64::from(run),
        return_thousandths: value,
        steps: 1,
        stop: Stop::Horizon,
        usage: if tokens > 0 { vec![usage] } else { Vec::new() },
        billed: called,
        ..EpisodeRow::default()
    }
}

fn intervals(rows: &Rows, options: &Options) -> Result<[Option<Interval>; 13], AnalysisError> {
    let analysis = Analysis::new(rows, options)?;
    let of = |cell: &str| -> Vec<&EpisodeRow> { rows.episodes.iter().filter(|row| row.cell == cell).collect() };
    let (baseline, other) = (of("baseline"), of("other"));
    let test = paired_test(&other, &baseline, None, options);
    let pairs = one_to_one(&other, &baseline).map(|pairs| cluster_sums(&pairs)).unwrap_or_default();
    let (first, second) = (&analysis.cells[0], &analysis.cells[1]);
    // What a reader would compute who knew of no clusters, beside what the program prints.
    let plain_mean = |cell: &CellSummary| Summary::of(&cell.values, options.confidence)?.interval();
    let plain_share = |cell: &CellSummary| {
        let share = cell.catastrophic?;
        Some(Proportion::new(share.count, share.of, options.confidence)?.interval)
    };
    Ok([
        plain_mean(first),
        first.returns.and_then(|returns| returns.interval()),
        plain_mean(second),
        second.returns.and_then(|returns| returns.interval()),
        test.and_then(|test| test.plain),
        test.and_then(|test| test.clustered),
        test.and_then(|test| test.bootstrap),
        second.rpts_interval,
        fieller(&pairs, options.confidence),
        plain_share(first),
        first.catastrophic.map(|share| share.interval),
        plain_share(second),
        second.catastrophic.map(|share| share.interval),
    ])
}

/// The counts as a table.
#[must_use]
pub fn table(found: &[Covered], confidence: f64, pairs: usize) -> Table {
    let text = |key, title, help| Column::new(key, title, "interval", ColumnKind::Label, help);
    let number = |key, title, digits, help| Column::new(key, title, "coverage", ColumnKind::Number(digits), help);
    let columns = vec![
        text("quantity", "Interval of", "What it is an interval of"),
        text("method", "By", "How it is made"),
        Column::new("runs", "n", "study", ColumnKind::Integer, "Episodes of a cell in each study"),
        Column::new("tasks", "Tasks", "study", ColumnKind::Integer, "Tasks that they are spread over"),
        number("truth", "Truth", 4, "Value in the whole population"),
        Column::new("studies", "Studies", "coverage", ColumnKind::Integer, "Studies that had an interval"),
        number("coverage", "Coverage", 4, "Share of the intervals that held the truth"),
        number("error", "MC error", 4, "Standard error of that share"),
        number("width", "Width", 4, "Mean width of the intervals"),
    ];
    let rows = found
        .iter()
        .map(|one| {
            vec![
                Cell::text(one.quantity),
                Cell::text(one.method),
                Cell::count(one.runs as u64),
                Cell::count(one.tasks as u64),
                Cell::number(Some(one.truth)),
                Cell::count(u64::from(one.of)),
                Cell::number(one.share()),
                Cell::number(one.error()),
                Cell::number((one.of > 0).then_some(one.width)),
            ]
        })
        .collect();
    let notes = vec![
        format!("Nominal coverage {confidence}. Studies are drawn with replacement from {pairs} seeds that both policies played; the truth is the value over all of them."),
        "Tokens are simulated from the seed: no model plays. Several tasks: seeds of a task are alike (a narrow slice of the population by what separates the two), so that intervals that ignore it cover too little; the tables of a run print those by clusters.".to_owned(),
        "A t interval covers too little where rare episodes decide a mean: most small studies meet none of them, and nothing in their rows can tell. A share that no study can miss is covered always.".to_owned(),
    ];
    Table { key: "coverage", title: "Do the intervals cover?".to_owned(), columns, rows, notes }
}
