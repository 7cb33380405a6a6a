//! Tables of `gimbal arbiter`.

use gimbal_analysis::{Cell, Column, ColumnKind, Interval, Table};
use gimbal_neural::eval::{Chooser, Estimate, Group};
use gimbal_neural::net::Epoch;

/// The figures of groups of conflicts: a row for each way to choose. `first` says what the first of them is: the one whose savings are shown.
pub fn figures(groups: &[Group], first: String) -> Table {
    let column = Column::new;
    let columns = vec![
        column("by", "By", "group", ColumnKind::Label, "What conflicts are grouped by"),
        column("group", "Group", "group", ColumnKind::Label, "What the conflicts of the row have in common"),
        column(
            "chooser",
            "Chooser",
            "group",
            ColumnKind::Label,
            "The network or the tuned rule, a rule of the data, or one at random",
        ),
        column("conflicts", "Conflicts", "counts", ColumnKind::Integer, "Conflicts with two candidates or more"),
        column("episodes", "Episodes", "counts", ColumnKind::Integer, "Their episodes"),
        column(
            "untied",
            "Untied",
            "counts",
            ColumnKind::Integer,
            "Conflicts whose best candidate can be told from the second",
        ),
        column(
            "accuracy",
            "Accuracy",
            "accuracy",
            ColumnKind::Share(1),
            "Share of untied conflicts in which the best candidate is chosen",
        ),
        column(
            "accuracy_interval",
            "95%",
            "accuracy",
            ColumnKind::Interval(3),
            "Interval of the accuracy, by episodes",
        ),
        column(
            "regret",
            "Regret",
            "regret",
            ColumnKind::Number(4),
            "Mean of what is lost against the best candidate, in returns",
        ),
        column("regret_interval", "95%", "regret", ColumnKind::Interval(4), "Interval of the regret, by episodes"),
        column(
            "closed",
            "Gap closed",
            "closed",
            ColumnKind::Share(1),
            "Share of this row's regret that the first row of the group saves",
        ),
        column("closed_interval", "95%", "closed", ColumnKind::Interval(3), "Interval of the share, by episodes"),
        column("brier", "Brier", "outcomes", ColumnKind::Number(4), "Brier score of the network's chances of outcomes"),
        column("brier_base", "Brier, base", "outcomes", ColumnKind::Number(4), "That of the base rate"),
        column("base_rate", "Base rate", "outcomes", ColumnKind::Share(1), "Share of candidates that turned out well"),
        column("auc", "AUC", "outcomes", ColumnKind::Number(3), "Area under the curve of the network's chances"),
    ];
    let rows =
        groups.iter().flat_map(|group| group.choosers.iter().enumerate().map(|(place, one)| row(group, one, place)));
    Table {
        key: "arbiter-offline",
        title: "Ways to choose, on conflicts whose candidates were simulated".to_owned(),
        columns,
        rows: rows.collect(),
        notes: vec![
            first,
            "Intervals: 95%, linearised variance of a ratio between episodes; conflicts of an episode are not independent."
                .to_owned(),
            "Regret adds up returns of different environments where a row has several: compare environments one by one."
                .to_owned(),
        ],
    }
}

fn row(group: &Group, chooser: &Chooser, place: usize) -> Vec<Cell> {
    let value = |estimate: Option<Estimate>| estimate.map(|estimate| estimate.value);
    let interval = |estimate: Option<Estimate>| {
        Cell::interval(estimate.and_then(|one| one.interval).map(|(low, high)| Interval { low, high }))
    };
    let outcomes = group.outcomes.filter(|_| place == 0);
    vec![
        Cell::text(group.by.name()),
        Cell::text(if group.key.is_empty() { "all" } else { &group.key }),
        Cell::text(&chooser.name),
        Cell::count(group.conflicts as u64),
        Cell::count(group.episodes as u64),
        Cell::count(group.untied as u64),
        Cell::share(value(chooser.accuracy)),
        interval(chooser.accuracy),
        Cell::number(value(chooser.regret)),
        interval(chooser.regret),
        Cell::share(value(chooser.closed)),
        interval(chooser.closed),
        Cell::number(outcomes.map(|one| one.brier)),
        Cell::number(outcomes.map(|one| one.base_brier)),
        Cell::share(outcomes.map(|one| one.base_rate)),
        Cell::number(outcomes.and_then(|one| one.auc)),
    ]
}

/// The log of a training.
pub fn history(epochs: &[Epoch]) -> Table {
    let loss = |value: i64| Cell::number(Some(value as f64 / 1e6));
    let row = |epoch: &Epoch| {
        vec![Cell::count(u64::from(epoch.epoch)), loss(epoch.training_loss), loss(epoch.validation_loss)]
    };
    Table {
        key: "arbiter-training",
        title: "Training".to_owned(),
        columns: vec![
            Column::new("epoch", "Epoch", "epoch", ColumnKind::Integer, "Epoch, from 1"),
            Column::new("training", "Training loss", "loss", ColumnKind::Number(4), "Mean over batches, with dropout"),
            Column::new(
                "validation",
                "Validation loss",
                "loss",
                ColumnKind::Number(4),
                "After the epoch, without dropout",
            ),
        ],
        rows: epochs.iter().map(row).collect(),
        notes: Vec::new(),
    }
}
