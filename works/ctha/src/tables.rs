//! Tables that need no run: gains against depth, and the exhaustive search over Algorithm 1.

use gimbal_analysis::{Cell, Column, ColumnKind, Table};
use gimbal_core::Milli;
use gimbal_temporal::arbiter::search::{GRID, PARTIES, Setting, search};
use gimbal_temporal::arbiter::{Mode, Tie};

use crate::figures::{Asked, Curve};

/// Gains by family and depth (Eq. 10): the middle of the draws, and their mean where a few large ones pull it away.
#[must_use]
pub fn gains(asked: &Asked, curves: &[Curve]) -> Table {
    let number = |key, title, help| Column::new(key, title, "gains", ColumnKind::Number(4), help);
    let columns = vec![
        Column::new("family", "Maps", "gains", ColumnKind::Label, "How maps are drawn"),
        Column::new("depth", "Depth", "gains", ColumnKind::Integer, "Maps that are multiplied"),
        number("forward", "Forward", "Largest sum of amounts in a row of the product, median over draws"),
        number("forward_high", "Forward, 90%", "The value below which nine tenths of the draws lie"),
        number("backward", "Backward", "Largest sum of amounts in a column, median"),
        number("backward_high", "Backward, 90%", "The value below which nine tenths of the draws lie"),
        number("spectral", "Spectral", "Largest singular value, median"),
        number("error", "Error", "Size of an error behind the last map over its size before the first, median"),
        number("error_mean", "Error, mean", "The same, mean"),
    ];
    let rows = curves.iter().flat_map(|curve| curve.growth.iter().map(move |growth| (curve.name, growth)));
    let rows = rows.map(|(name, growth)| {
        let numbers = [
            growth.forward.middle,
            growth.forward.high,
            growth.backward.middle,
            growth.backward.high,
            growth.spectral.middle,
            growth.error.middle,
            growth.error.mean,
        ];
        let head = [Cell::text(name), Cell::count(growth.depth as u64)];
        head.into_iter().chain(numbers.map(|number| Cell::number(Some(number)))).collect()
    });
    let reach = |name: &str| {
        let curve = curves.iter().find(|curve| curve.name == name)?;
        curve.growth.iter().find(|growth| growth.forward.middle > 1e3).map(|growth| growth.depth)
    };
    let mut notes = vec![format!(
        "{} streams, {} draws of each family, seed {}; doubly stochastic maps after {} rounds.",
        asked.layers, asked.draws, asked.seed, asked.iterations
    )];
    notes.extend(curves.iter().map(|curve| match reach(curve.name) {
        Some(depth) => format!("{}: the median forward gain passes 1,000 at depth {depth}.", curve.name),
        None => format!("{}: the median forward gain stays below 1,000 up to depth {}.", curve.name, asked.depth),
    }));
    Table {
        key: "gains",
        title: "Gains of composite maps against depth".to_owned(),
        columns,
        rows: rows.collect(),
        notes,
    }
}

/// What the exhaustive search finds of Algorithm 1, by masking, tie rule and margin (CTHA-R01, CTHA-R02).
#[must_use]
pub fn searched(epsilons: &[Milli]) -> Table {
    let count = |key, title, help| Column::new(key, title, "search", ColumnKind::Integer, help);
    let text = |key, title, help| Column::new(key, title, "search", ColumnKind::Label, help);
    let columns = vec![
        text("mode", "Masking", "Algorithm 1 as printed, or its greedy form"),
        text("tie", "Tied", "Which of two tied parties is kept"),
        text("rules", "Policy", "Whether the slowest party is a policy that comes before the score"),
        Column::new("epsilon", "Margin", "search", ColumnKind::Number(3), "Priorities closer than this are tied"),
        count("cases", "Cases", "Parties, pairs in conflict and priorities that were tried"),
        count("all_masked", "All masked", "Cases in which nobody is left"),
        count("residual", "Residual", "Cases in which two that are left exclude one another"),
        count("needless", "Needless", "Cases in which a party is masked whom no remaining party excludes"),
        count("slowest", "Slowest masked", "Cases in which the slowest party is masked"),
        count("by_order", "By order", "Cases in which the order of the pairs changes who is masked"),
    ];
    let (mut rows, mut notes) = (Vec::new(), Vec::new());
    for rules in [false, true] {
        for mode in [Mode::Literal, Mode::Greedy] {
            for tie in [Tie::KeepFaster, Tie::KeepSlower] {
                for epsilon in epsilons {
                    let found = search(Setting { mode, tie, epsilon: *epsilon, rules }, &GRID, PARTIES);
                    let mode = if mode == Mode::Literal { "literal" } else { "greedy" };
                    let kept = if tie == Tie::KeepFaster { "faster" } else { "slower" };
                    let counts = [
                        found.cases,
                        found.all_masked,
                        found.residual,
                        found.needless,
                        found.slowest_masked,
                        found.by_order,
                    ];
                    let head = [
                        Cell::text(mode),
                        Cell::text(kept),
                        Cell::text(if rules { "first" } else { "by score" }),
                        Cell::number(Some(epsilon.to_f64())),
                    ];
                    rows.push(head.into_iter().chain(counts.map(Cell::count)).collect());
                    if let Some(case) = found.first_all_masked {
                        let priorities: Vec<String> = case.priorities.iter().map(Milli::to_string).collect();
                        notes.push(format!(
                            "{mode}, keeping the {kept}, margin {epsilon}: priorities {}, pairs {:?} leave nobody.",
                            priorities.join(", "),
                            case.conflicts
                        ));
                    }
                }
            }
        }
    }
    let grid: Vec<String> = GRID.iter().map(Milli::to_string).collect();
    notes.insert(
        0,
        format!("All sets of pairs among 1 to {PARTIES} parties, with priorities from {}.", grid.join(", ")),
    );
    Table { key: "search", title: "Algorithm 1, searched exhaustively".to_owned(), columns, rows, notes }
}
