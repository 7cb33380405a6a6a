//! The label study: what the ways to resolve conflicts are worth, and what each rule loses against the best (CTHA-080).

use std::collections::{BTreeMap, BTreeSet};

use gimbal_analysis::columns::{count, interval, number, share};
use gimbal_analysis::episode::Episode;
use gimbal_analysis::metrics::ratio;
use gimbal_analysis::stored_records::{RecordState, StoredRecord, Takes};
use gimbal_analysis::tables::labelled;
use gimbal_analysis::work_folds::FoldSource;
use gimbal_analysis::{Cell, Column, ColumnKind, Summary, Table};
use gimbal_core::RecordError;
use gimbal_messages::Record;
use gimbal_temporal::Layer;
use gimbal_temporal::rollout::{LayerLabelled, Resolution};
use gimbal_view::work::{Context, Item, Undeclared};

/// The records of labelled conflicts.
pub static LABELS: FoldSource = FoldSource::of_records::<Labels>("ctha-labels");

/// The rules of the table, in its order; `tuned` is there where a hierarchy plays with weights of its own.
pub const RULES: [&str; 6] = ["random", "slower", "faster", "published", "greedy", "tuned"];
/// Place of the default rule.
const GREEDY: usize = 4;

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
    /// Who gives way by the first half of the futures and by the second, and under the policy and a second one.
    by_halves: Confusion,
    by_policies: Confusion,
    /// Conflicts with a second label; those with the same best way; those untied under both policies, and of these with the same best way.
    twice: [u64; 4],
    /// Conflicts in which the tuned rule was asked.
    tuned: u64,
    episodes: BTreeMap<(String, u32, u32), Sums>,
    second: BTreeSet<String>,
    played: BTreeSet<(String, u64)>,
}

/// How often one judge says one thing and the other another.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Confusion([[u64; 3]; 3]);

impl Confusion {
    fn add(&mut self, one: Resolution, other: Resolution) {
        self.0[one as usize][other as usize] += 1;
    }

    /// Cohen's kappa: agreement beyond chance; `None` without items, or where both always say the same one thing.
    #[must_use]
    pub fn kappa(&self) -> Option<f64> {
        let row = |place: usize| self.0[place].iter().sum::<u64>();
        let column = |place: usize| self.0.iter().map(|row| row[place]).sum::<u64>();
        // In whole numbers, times n squared.
        let n: u64 = (0..3).map(row).sum();
        let agreed: u64 = (0..3).map(|place| self.0[place][place]).sum();
        let chance: i128 = (0..3).map(|place| i128::from(row(place)) * i128::from(column(place))).sum();
        let (seen, all) = (i128::from(n) * i128::from(agreed), i128::from(n) * i128::from(n));
        (n > 0 && chance < all).then(|| (seen - chance) as f64 / (all - chance) as f64)
    }
}

/// All cells that have labelled conflicts.
#[derive(Debug, Default)]
pub struct Labels(BTreeMap<String, CellLabels>);

impl RecordState for Labels {
    const TAKES: Takes = Takes::records(&[LayerLabelled::KIND]);

    fn on_record(&mut self, episode: &Episode<'_>, record: &StoredRecord<'_>) -> Result<(), RecordError> {
        let LayerLabelled { policy, futures, labelled, second, .. } = LayerLabelled::read(record.data)?;
        let cell = self.0.entry(episode.cell.to_owned()).or_default();
        cell.conflicts += 1;
        cell.tied += u64::from(labelled.tied);
        cell.ways += labelled.ways.len() as u64;
        cell.spread += labelled.spread().0;
        if let Some((one, other)) = labelled.halves {
            cell.halves.0 += u64::from(one == other);
            cell.halves.1 += 1;
        }
        cell.untied += u64::from(!labelled.tied);
        let layers: Vec<Layer> = labelled.parties.iter().map(|party| party.layer).collect();
        let gives_way =
            |place: usize| labelled.ways.get(place).map(|way| Resolution::of(&layers, &labelled.conflicts, &way.kept));
        if let Some((one, other)) = labelled.halves
            && let (Some(one), Some(other)) = (gives_way(one), gives_way(other))
        {
            cell.by_halves.add(one, other);
        }
        if let Some(second) = second {
            let same = u64::from(second.best == labelled.best);
            let untied = u64::from(!second.tied && !labelled.tied);
            for (sum, one) in cell.twice.iter_mut().zip([1, same, untied, untied * same]) {
                *sum += one;
            }
            if let (Some(one), Some(other)) = (gives_way(labelled.best), gives_way(second.best)) {
                cell.by_policies.add(one, other);
            }
            cell.second.insert(second.policy);
        }
        cell.tuned += u64::from(labelled.by_rule.contains_key("tuned"));
        cell.played.insert((policy, futures));
        let own = (episode.task.to_owned(), episode.run, episode.trial);
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

/// What is said beneath every table of labels.
#[must_use]
pub fn notes() -> Vec<String> {
    [
        "The value of a way is what is earned when its call is made and a policy plays on for as many steps as the study's `rollouts.steps` says (to the end \
         of the episode where it is left out; records do not keep the number), each of its calls brought within the directives that the way leaves. It \
         sees the true state; the rules do not.",
        "What a learned arbiter can win is the gap from the best rule to 0. random takes each way that keeps as many as it can equally often.",
        "Regret is the mean over episodes of each episode's mean; `gimbal arbiter eval` prints the mean over conflicts, which is another number.",
    ]
    .map(str::to_owned)
    .into()
}

/// What a right answer is worth, by cell.
///
/// # Errors
/// When the item does not declare what it reads.
pub fn labels(context: &Context<'_>, item: &Item) -> Result<Table, Undeclared> {
    let (analysis, labels) = (context.analysis()?, context.fold::<Labels>(&LABELS)?);
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
    columns.extend([
        number(
            "halves_kappa",
            "Kappa",
            "halves",
            2,
            "Cohen's kappa of who gives way (the slower layer, the faster one, some of both) between the halves",
        ),
        share(
            "second_agrees",
            "Same way",
            "second policy",
            "Share of conflicts with the same best way under a second policy",
        ),
        number("second_kappa", "Kappa", "second policy", 2, "Cohen's kappa of who gives way under the two policies"),
        share(
            "second_untied",
            "Same where untied",
            "second policy",
            "Share with the same best way among conflicts that are untied under both policies",
        ),
    ]);
    let regrets: [&'static str; RULES.len()] =
        ["regret_random", "regret_slower", "regret_faster", "regret_published", "regret_greedy", "regret_tuned"];
    columns.extend(regrets.iter().zip(RULES).map(|(key, rule)| {
        number(
            key,
            rule,
            "mean regret",
            3,
            "What the rule loses against the best way, a conflict; in the mean over episodes",
        )
    }));
    columns.push(interval(
        "greedy_ci",
        "Interval",
        "mean regret",
        3,
        "Interval of the regret of greedy, with episodes as clusters",
    ));
    let rights: [&'static str; RULES.len() - 1] =
        ["right_slower", "right_faster", "right_published", "right_greedy", "right_tuned"];
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
    let (mut how, mut second) = (BTreeSet::new(), BTreeSet::new());
    for summary in &analysis.cells {
        let Some(cell) = labels.0.get(&summary.info.id) else { continue };
        how.extend(cell.played.iter().cloned());
        second.extend(cell.second.iter().cloned());
        let is_there = |place: usize| RULES[place] != "tuned" || cell.tuned == cell.conflicts;
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
        row.extend([
            Cell::number(cell.by_halves.kappa()),
            Cell::share(ratio(cell.twice[1], cell.twice[0])),
            Cell::number(cell.by_policies.kappa()),
            Cell::share(ratio(cell.twice[3], cell.twice[2])),
        ]);
        row.extend((0..RULES.len()).map(|place| Cell::number(mean(&of_rule(place)).filter(|_| is_there(place)))));
        let greedy = Summary::of(&of_rule(GREEDY), analysis.options.confidence);
        row.push(Cell::interval(greedy.as_ref().and_then(Summary::interval)));
        row.extend(
            (1..RULES.len())
                .map(|place| Cell::share(ratio(cell.right[place], cell.untied).filter(|_| is_there(place)))),
        );
        rows.push((summary, row));
    }
    let how: Vec<String> = how
        .into_iter()
        .map(|(policy, futures)| {
            format!("`{policy}` plays on in {futures} {}", if futures == 1 { "future" } else { "futures" })
        })
        .collect();
    let mut notes = notes();
    if !second.is_empty() {
        let names: Vec<String> = second.iter().map(|name| format!("`{name}`")).collect();
        notes.push(format!("Second policy: {}.", names.join(", ")));
    }
    if !how.is_empty() {
        notes.push(format!("{}.", how.join("; ")));
    }
    Ok(labelled(analysis, (item.key, item.title), columns, rows, notes))
}
