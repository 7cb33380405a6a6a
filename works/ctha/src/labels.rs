//! The label study: what the ways to resolve conflicts are worth, and what each rule loses against the best (CTHA-080).

use std::collections::{BTreeMap, BTreeSet};

use gimbal_analysis::columns::{count, number, share};
use gimbal_analysis::metrics::ratio;
use gimbal_analysis::stored_records::{RecordSource, RecordState, StoredRecord};
use gimbal_analysis::tables::labelled;
use gimbal_analysis::{Cell, Column, ColumnKind, Summary, Table};
use gimbal_core::RecordError;
use gimbal_messages::Record;
use gimbal_temporal::rollout::LayerLabelled;
use gimbal_view::work::{Context, Item, Undeclared};

/// The records of labelled conflicts.
pub static LABELS: RecordSource =
    RecordSource { name: "ctha-labels", kinds: &[LayerLabelled::KIND], start: || Box::<Labels>::default() };

/// The rules of the table, in its order.
pub const RULES: [&str; 5] = ["random", "slower", "faster", "published", "greedy"];

/// Sums of an episode.
#[derive(Clone, Debug, Default, PartialEq)]
struct Sums {
    conflicts: u64,
    /// Regret of each rule, summed in thousandths.
    regret: [i64; RULES.len()],
}

/// What the conflicts of a cell come to.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct CellLabels {
    /// Conflicts, those without a right answer, and those with more than one way.
    conflicts: u64,
    tied: u64,
    ways: u64,
    /// Distance from the best way to the worst, summed in thousandths.
    spread: i64,
    /// Conflicts whose two halves of futures agree in the best way, and those that have halves.
    halves: (u64, u64),
    /// Untied conflicts, and how often each rule takes the best way there.
    untied: u64,
    right: [u64; RULES.len()],
    episodes: BTreeMap<(String, u32, u32), Sums>,
    played: BTreeSet<(String, u64)>,
}

/// All cells that have labelled conflicts.
#[derive(Debug, Default)]
pub struct Labels(BTreeMap<String, CellLabels>);

impl RecordState for Labels {
    fn add(&mut self, record: &StoredRecord<'_>) -> Result<(), RecordError> {
        if record.kind != LayerLabelled::KIND {
            return Ok(());
        }
        let LayerLabelled { policy, futures, labelled, .. } = LayerLabelled::read(record.data)?;
        let cell = self.0.entry(record.cell.to_owned()).or_default();
        cell.conflicts += 1;
        cell.tied += u64::from(labelled.tied);
        cell.ways += labelled.ways.len() as u64;
        cell.spread += labelled.spread().0;
        if let Some((one, other)) = labelled.halves {
            cell.halves.0 += u64::from(one == other);
            cell.halves.1 += 1;
        }
        cell.untied += u64::from(!labelled.tied);
        cell.played.insert((policy, futures));
        let own = (record.task.to_owned(), record.run, record.trial);
        let sums = cell.episodes.entry(own).or_default();
        sums.conflicts += 1;
        for (place, rule) in RULES.iter().enumerate() {
            sums.regret[place] += labelled.regret.get(*rule).map_or(0, |regret| regret.0);
            if !labelled.tied && labelled.by_rule.get(*rule) == Some(&labelled.best) {
                cell.right[place] += 1;
            }
        }
        Ok(())
    }
}

/// What a right answer is worth, by cell.
///
/// # Errors
/// When the item does not declare what it reads.
pub fn labels(context: &Context<'_>, item: &Item) -> Result<Table, Undeclared> {
    let (analysis, labels) = (context.analysis()?, context.records::<Labels>(&LABELS)?);
    let mut columns = vec![
        count("conflicts", "Conflicts", "n", "Labelled conflicts"),
        share(
            "tied",
            "Tied",
            "label",
            "Share whose best way cannot be told from the second (paired 95% interval over futures)",
        ),
        number("ways", "Ways", "label", 1, "Mean number of ways to resolve a conflict"),
        number("spread", "Spread", "label", 2, "Mean distance in return from the best way to the worst"),
        share(
            "halves",
            "Halves agree",
            "label",
            "Share of conflicts in which both halves of the futures name the same best way: what noise of labels allows",
        ),
    ];
    let regrets: [&'static str; RULES.len()] =
        ["regret_random", "regret_slower", "regret_faster", "regret_published", "regret_greedy"];
    columns.extend(regrets.iter().zip(RULES).map(|(key, rule)| {
        number(
            key,
            rule,
            "mean regret",
            3,
            "What the rule loses against the best way, a conflict; in the mean over episodes",
        )
    }));
    columns.push(Column::new(
        "greedy_ci",
        "Interval",
        "mean regret",
        ColumnKind::Interval(3),
        "Interval of the regret of greedy, with episodes as clusters",
    ));
    let rights: [&'static str; RULES.len() - 1] = ["right_slower", "right_faster", "right_published", "right_greedy"];
    columns.extend(rights.iter().zip(&RULES[1..]).map(|(key, rule)| {
        Column::new(
            *key,
            rule,
            "right where untied",
            ColumnKind::Share(1),
            "Share of untied conflicts in which the rule takes the best way",
        )
    }));
    let mut rows = Vec::new();
    let mut how = BTreeSet::new();
    for summary in &analysis.cells {
        let Some(cell) = labels.0.get(&summary.info.id) else { continue };
        how.extend(cell.played.iter().cloned());
        let of_rule = |place: usize| -> Vec<f64> {
            cell.episodes.values().map(|one| one.regret[place] as f64 / 1000.0 / one.conflicts as f64).collect()
        };
        let mean = |values: &[f64]| (!values.is_empty()).then(|| values.iter().sum::<f64>() / values.len() as f64);
        let mut row = vec![
            Cell::count(cell.conflicts),
            Cell::share(ratio(cell.tied, cell.conflicts)),
            Cell::number(ratio(cell.ways, cell.conflicts)),
            Cell::number(Some(cell.spread as f64 / 1000.0 / cell.conflicts as f64)),
            Cell::share(ratio(cell.halves.0, cell.halves.1)),
        ];
        row.extend((0..RULES.len()).map(|place| Cell::number(mean(&of_rule(place)))));
        let greedy = Summary::of(&of_rule(RULES.len() - 1), analysis.options.confidence);
        row.push(Cell::interval(greedy.as_ref().and_then(Summary::interval)));
        row.extend((1..RULES.len()).map(|place| Cell::share(ratio(cell.right[place], cell.untied))));
        rows.push((summary, row));
    }
    let how: Vec<String> = how
        .into_iter()
        .map(|(policy, futures)| {
            format!("`{policy}` plays on in {futures} {}", if futures == 1 { "future" } else { "futures" })
        })
        .collect();
    let mut notes = vec![
        "The value of a way is what is earned to the end when its call is made and a policy plays on, each of its calls brought within the directives that \
         the way leaves. It sees the true state; the rules do not."
            .to_owned(),
        "What a learned arbiter can win is the gap from the best rule to 0. random takes each way that keeps as many as it can equally often.".to_owned(),
    ];
    if !how.is_empty() {
        notes.push(format!("{}.", how.join("; ")));
    }
    Ok(labelled(analysis, (item.key, item.title), columns, rows, notes))
}
