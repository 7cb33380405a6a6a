//! Ablations: what each configuration gives against the baseline, and the mean of signed deltas (Tab. 17 to 19; CTHA-118, CTHA-132).

use std::collections::{BTreeMap, BTreeSet};

use gimbal_analysis::columns::{count, label, number};
use gimbal_analysis::tables::labelled;
use gimbal_analysis::{Analysis, Cell, CellSummary, Column, ColumnKind, Comparison, Summary, Table};
use gimbal_view::work::{Context, Item, Undeclared};

use crate::layers::{CellLayers, Figures, LAYERS, Layers};

/// Configurations with one component taken away, and with all of them (Tab. 17).
const SINGLE: [&str; 3] = ["ctha-contracts", "ctha-authority", "ctha-arbiter"];
const ALL: &str = "unconstrained";
/// The whole system.
const WHOLE: &str = "ctha";
/// The grid of Tab. 18: contracts, authority and arbiter in this order, the whole system last.
const GRID: [(&str, [bool; 3]); 8] = [
    ("unconstrained", [false, false, false]),
    ("contracts-only", [true, false, false]),
    ("authority-only", [false, true, false]),
    ("arbiter-only", [false, false, true]),
    ("ctha-arbiter", [true, true, false]),
    ("ctha-authority", [true, false, true]),
    ("ctha-contracts", [false, true, true]),
    (WHOLE, [true, true, true]),
];
const COMPONENTS: [&str; 3] = ["contracts", "authority", "arbiter"];

/// First minus second of a figure a step, over tasks and runs that both played; trials of one of them are averaged first.
#[must_use]
pub fn delta(
    first: &CellLayers,
    second: &CellLayers,
    of: impl Fn(&Figures) -> u32,
    confidence: f64,
) -> Option<Summary> {
    let pooled = |layers: &CellLayers| -> BTreeMap<(String, u32), (f64, f64)> {
        let mut pooled: BTreeMap<(String, u32), (f64, f64)> = BTreeMap::new();
        for (task, run, figures) in layers.episodes.iter().filter(|(_, _, figures)| figures.steps > 0) {
            let sums = pooled.entry((task.clone(), *run)).or_default();
            sums.0 += f64::from(of(figures)) / f64::from(figures.steps);
            sums.1 += 1.0;
        }
        pooled
    };
    let (first, second) = (pooled(first), pooled(second));
    let both = first.iter().filter_map(|(place, one)| second.get(place).map(|other| one.0 / one.1 - other.0 / other.1));
    Summary::of(&both.collect::<Vec<f64>>(), confidence)
}

/// The mean of what is better and worse, in percentage points: shares of which less is better change their sign (CTHA-118).
#[must_use]
pub fn signed(success: Option<f64>, carried_out: Option<f64>, failures: Option<f64>) -> Option<f64> {
    let signed: Vec<f64> =
        [success, carried_out.map(|share| -share), failures.map(|share| -share)].into_iter().flatten().collect();
    (!signed.is_empty()).then(|| 100.0 * signed.iter().sum::<f64>() / signed.len() as f64)
}

/// What one cell gives against its baseline.
struct Ablated<'a> {
    summary: &'a CellSummary,
    comparison: &'a Comparison,
    success: Option<f64>,
    carried_out: Option<Summary>,
    failures: Option<Summary>,
    tokens: Option<f64>,
    /// The mean of signed deltas, in percentage points.
    signed: Option<f64>,
}

/// Cells whose baseline is a hierarchy, against it.
fn ablated<'a>(context: &Context<'a>) -> Result<(&'a Analysis, Vec<Ablated<'a>>), Undeclared> {
    let (analysis, layers) = (context.analysis()?, context.fold::<Layers>(&LAYERS)?);
    let confidence = analysis.options.confidence;
    let of = |comparison: &'a Comparison| {
        let (summary, full) = (&analysis.cells[comparison.cell], &analysis.cells[comparison.against]);
        // A fault changes what is played; a design without layers has nothing to take away.
        let faulty = [summary, full].into_iter().any(|cell| !cell.info.faults.is_empty());
        let whole = layers.of(&full.info.id).filter(|_| !faulty)?;
        let own = layers.of(&summary.info.id);
        let success = summary.success.as_ref().zip(full.success.as_ref()).map(|(own, full)| own.share - full.share);
        let carried_out = own.and_then(|own| delta(own, whole, |one| one.carried_out, confidence));
        let failures = own.and_then(|own| delta(own, whole, |one| one.failures, confidence));
        let means = summary.tokens.as_ref().zip(full.tokens.as_ref()).filter(|(_, full)| full.mean > 0.0);
        let tokens = means.map(|(own, full)| 100.0 * (own.mean / full.mean - 1.0));
        let mean = |one: &Option<Summary>| one.as_ref().map(|one| one.mean);
        let signed = signed(success, mean(&carried_out), mean(&failures));
        Some(Ablated { summary, comparison, success, carried_out, failures, tokens, signed })
    };
    Ok((analysis, analysis.comparisons.iter().filter_map(of).collect()))
}

/// Each configuration against the baseline, cell by cell.
///
/// # Errors
/// When the item does not declare what it reads.
pub fn ablation(context: &Context<'_>, item: &Item) -> Result<Table, Undeclared> {
    let (analysis, ablated) = ablated(context)?;
    let interval = |key, group, digits| {
        Column::new(key, "Interval", group, ColumnKind::Interval(digits), "Interval of the paired mean difference")
    };
    let points = |key, title, group, help| number(key, title, group, 1, help).unit("pp");
    let columns = vec![
        count("pairs", "Pairs", "n", "Seeds that both played"),
        number("return", "Return", "return", 2, "Mean return, cell minus baseline, paired"),
        interval("return_ci", "return", 2),
        points("success", "Success", "success", "Share of successes, cell minus baseline"),
        number(
            "carried_out",
            "Carried out",
            "failures",
            3,
            "Share of steps with a contradiction carried out, minus that of the baseline",
        ),
        interval("carried_out_ci", "failures", 3),
        number(
            "failures",
            "Failed steps",
            "failures",
            3,
            "Share of steps with a coordination failure, minus that of the baseline",
        ),
        interval("failures_ci", "failures", 3),
        number("tokens", "Tokens", "cost", 0, "Tokens an episode, change against the baseline").unit("%"),
        points(
            "signed",
            "Mean delta",
            "mean",
            "Mean of the signed changes of success, contradictions and failures, less of the latter two being better (CTHA-118)",
        ),
    ];
    let mean = |one: &Option<Summary>| Cell::number(one.as_ref().map(|one| one.mean));
    let within = |one: &Option<Summary>| Cell::interval(one.as_ref().and_then(Summary::interval));
    let rows = ablated.iter().map(|one| {
        let paired = one.comparison.paired.as_ref();
        let cells = vec![
            Cell::count(paired.map_or(0, |paired| paired.difference.n as u64)),
            Cell::number(paired.map(|paired| paired.difference.mean)),
            Cell::interval(paired.and_then(|paired| paired.difference.interval())),
            Cell::number(one.success.map(|success| 100.0 * success)),
            mean(&one.carried_out),
            within(&one.carried_out),
            mean(&one.failures),
            within(&one.failures),
            Cell::number(one.tokens),
            Cell::number(one.signed),
        ];
        (one.summary, cells)
    });
    let notes = vec![
        "Against the baseline of the study, where that is a hierarchy. Intervals of shares take each task and run as one.".to_owned(),
        "An arbiter carries out no contradiction by construction; a configuration without one differs in that column by construction too.".to_owned(),
        "Authority alone, without contracts and arbiter, can hold calls back only against what Institutional forbids in free text: without a contract nobody plans.".to_owned(),
        "One layer has no contradictions and no messages: its mean delta is that of success alone.".to_owned(),
    ];
    Ok(labelled(analysis, (item.key, item.title), columns, rows.collect(), notes))
}

/// The mean of signed deltas by configuration, over environments and models; single removals against all of them, and the effects of the grid.
///
/// # Errors
/// When the item does not declare what it reads.
pub fn means(context: &Context<'_>, item: &Item) -> Result<Table, Undeclared> {
    let (analysis, ablated) = ablated(context)?;
    // The baselines of the cells that are shown: against themselves they are 0.
    let baselines: BTreeSet<String> =
        ablated.iter().map(|one| analysis.cells[one.comparison.against].info.configuration_label()).collect();
    let mut by: BTreeMap<String, Vec<f64>> = BTreeMap::new();
    let mut order: Vec<String> = Vec::new();
    for one in &ablated {
        let name = one.summary.info.configuration_label();
        if !order.contains(&name) {
            order.push(name.clone());
        }
        by.entry(name).or_default().extend(one.signed);
    }
    let mean = |name: &str| {
        let own = by.get(name).and_then(|values| average(values));
        own.or_else(|| (baselines.len() == 1 && baselines.contains(name)).then_some(0.0))
    };
    let columns = vec![
        label("configuration", "Configuration", "cell", "Configuration"),
        count("cells", "Cells", "n", "Environments and models"),
        number("signed", "Mean delta", "mean", 1, "Mean of signed deltas over cells (CTHA-118)").unit("pp"),
        number("lowest", "Lowest", "mean", 1, "Lowest of the cells").unit("pp"),
        number("highest", "Highest", "mean", 1, "Highest of the cells").unit("pp"),
    ];
    let rows = order.iter().map(|name| {
        let values = by.get(name).map(Vec::as_slice).unwrap_or_default();
        let extreme = |pick: fn(f64, f64) -> f64| values.iter().copied().reduce(pick);
        vec![
            Cell::text(name.as_str()),
            Cell::count(values.len() as u64),
            Cell::number(average(values)),
            Cell::number(extreme(f64::min)),
            Cell::number(extreme(f64::max)),
        ]
    });
    let mut notes = vec!["Cells of all environments and models count alike.".to_owned()];
    notes.extend(removals(&mean));
    notes.extend(effects(&mean));
    Ok(Table { key: item.key, title: item.title.to_owned(), columns, rows: rows.collect(), notes })
}

/// Single removals against all at once, whatever the baseline is: each against the whole system. `None` if one of them was not played.
#[must_use]
pub fn removals(mean: &dyn Fn(&str) -> Option<f64>) -> Option<String> {
    let whole = mean(WHOLE)?;
    let single = SINGLE.map(|name| mean(name).map(|value| value - whole)).into_iter().sum::<Option<f64>>()?;
    let all = mean(ALL)? - whole;
    Some(format!("Single removals together: {single:.1} pp; all components removed: {all:.1} pp (Tab. 17)."))
}

fn average(values: &[f64]) -> Option<f64> {
    (!values.is_empty()).then(|| values.iter().sum::<f64>() / values.len() as f64)
}

/// What each component adds over the four settings of the others, and the interaction of all three; `None` if a cell of the grid is missing.
#[must_use]
pub fn effects(mean: &dyn Fn(&str) -> Option<f64>) -> Option<String> {
    let known: Vec<([bool; 3], f64)> = GRID.iter().map(|(name, on)| Some((*on, mean(name)?))).collect::<Option<_>>()?;
    let sign = |on: bool| if on { 1.0 } else { -1.0 };
    let main = |place: usize| known.iter().map(|(on, value)| sign(on[place]) * value).sum::<f64>() / 4.0;
    let together =
        known.iter().map(|(on, value)| on.iter().map(|on| sign(*on)).product::<f64>() * value).sum::<f64>() / 4.0;
    // Adding 0 takes the sign of a zero away.
    let each: Vec<String> = (0..3).map(|place| format!("{} {:+.1}", COMPONENTS[place], main(place) + 0.0)).collect();
    let together = together + 0.0;
    Some(format!("Effects in the grid of Tab. 18, in pp: {}; all three together {together:+.1}.", each.join(", ")))
}
