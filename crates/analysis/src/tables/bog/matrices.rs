//! Configurations by models: T3, T4, T6, T22, T23, T24, T34.

use super::frame::{Frame, Part};
use crate::bog::Grid;
use crate::table::{Cell, ColumnKind, Table};
use crate::tables::catastrophic_note;

fn whole<'a>(frame: &Frame<'_, 'a>, parts: &[Part], cells: impl Fn(&Grid<'a>, &str, &str) -> Vec<Cell>) -> Table {
    frame.matrix(&frame.grids.models(), parts, Frame::all, cells)
}

fn mean(digits: usize) -> Part {
    Part::new("mean", "mean", ColumnKind::Number(digits), "Mean episode return")
}

/// T3: mean, SD and kilotokens, best and worst marked.
pub(super) fn full(frame: &Frame<'_, '_>) -> Table {
    let digits = frame.digits();
    let parts = [
        mean(digits),
        Part::new("sd", "SD", ColumnKind::Number(digits), "Sample standard deviation of the return"),
        Part::new("kilotokens", "kTok", ColumnKind::Number(1), "Thousand tokens an episode"),
        Part::new("place", "", ColumnKind::Text, "Best or worst of its axis, or of all"),
    ];
    let mut table = whole(frame, &parts, |grid, configuration, model| {
        vec![
            Cell::number(grid.mean(configuration, model)),
            Cell::number(grid.sd(configuration, model)),
            Cell::number(grid.kilotokens(configuration, model)),
            Cell::text(place(grid, configuration, model)),
        ]
    });
    for column in table.columns.iter_mut().filter(|column| column.key.ends_with(".place")) {
        column.title = "↑↓".to_owned();
    }
    table.notes.insert(0, "↑ best and ↓ worst of its axis, ✓ best and ✗ worst of all, by mean return. A range picked after the fact flatters: see t24 and t25 for intervals.".to_owned());
    table
}

fn place(grid: &Grid<'_>, configuration: &str, model: &str) -> &'static str {
    let all: Vec<&str> = grid.configurations.iter().map(|entry| entry.name.as_str()).collect();
    let axis_of = |name: &str| grid.configurations.iter().find(|entry| entry.name == name)?.axis.clone();
    let axis = axis_of(configuration);
    let own: Vec<&str> = all.iter().copied().filter(|name| axis_of(name) == axis).collect();
    let (played, own_played) =
        (|names: &[&str]| names.iter().filter(|name| grid.mean(name, model).is_some()).count() > 1, &own);
    let is = |found: Option<(&str, f64)>| found.is_some_and(|(name, _)| name == configuration);
    if played(&all) && is(grid.best(&all, model)) {
        "✓"
    } else if played(&all) && is(grid.worst(&all, model)) {
        "✗"
    } else if played(own_played) && is(grid.best(&own, model)) {
        "↑"
    } else if played(own_played) && is(grid.worst(&own, model)) {
        "↓"
    } else {
        ""
    }
}

/// T4: return per thousand tokens against the baseline (BOG-163).
pub(super) fn rpts(frame: &Frame<'_, '_>) -> Table {
    let parts = [Part::new("rpts", "", ColumnKind::Number(2), "(mean return − that of the baseline) / kTok")];
    let baseline = &frame.grids.protocol.baseline;
    let rows = |grid: &Grid<'_>| Frame::all(grid).into_iter().filter(|name| name != baseline).collect();
    let mut table = frame.matrix(&frame.grids.models(), &parts, rows, |grid, configuration, model| {
        vec![Cell::number(grid.rpts(configuration, model))]
    });
    let formula = format!(
        "RPTS = (mean return − mean return of “{baseline}” on the same model) / thousand tokens an episode of the configuration; below zero is worse than “{baseline}”."
    );
    table.notes.insert(0, formula);
    table.notes.extend(frame.gaps(&[baseline]));
    table
}

/// T6: mean and SD.
pub(super) fn spread(frame: &Frame<'_, '_>) -> Table {
    let digits = frame.digits();
    let parts =
        [mean(digits), Part::new("sd", "SD", ColumnKind::Number(digits), "Sample standard deviation of the return")];
    whole(frame, &parts, |grid, configuration, model| {
        vec![Cell::number(grid.mean(configuration, model)), Cell::number(grid.sd(configuration, model))]
    })
}

/// T22: SD and worst episode (BOG-165).
pub(super) fn tail(frame: &Frame<'_, '_>) -> Table {
    let digits = frame.digits();
    let parts = [
        Part::new("sd", "SD", ColumnKind::Number(digits), "Sample standard deviation of the return"),
        Part::new("min", "min", ColumnKind::Number(digits), "Worst episode"),
    ];
    whole(frame, &parts, |grid, configuration, model| {
        let returns = grid.cell(configuration, model).and_then(|cell| cell.returns);
        vec![Cell::number(returns.and_then(|returns| returns.sd)), Cell::number(returns.map(|returns| returns.min))]
    })
}

/// T23: share of catastrophic episodes with its Wilson interval (BOG-164).
pub(super) fn catastrophic(frame: &Frame<'_, '_>) -> Table {
    let parts = [
        Part::new("catastrophic", "", ColumnKind::Share(1), "Share of episodes below the brief's threshold"),
        Part::new("catastrophic_ci", "CI", ColumnKind::Interval(2), "Wilson interval of the share"),
    ];
    let mut table = whole(frame, &parts, |grid, configuration, model| {
        let share = grid.cell(configuration, model).and_then(|cell| cell.catastrophic);
        vec![Cell::share(share.map(|share| share.share)), Cell::interval(share.map(|share| share.interval))]
    });
    table.notes.extend(catastrophic_note(frame.grids.analysis));
    table
}

/// T24: mean and half width of its interval (BOG-167).
pub(super) fn intervals(frame: &Frame<'_, '_>) -> Table {
    let digits = frame.digits();
    let parts = [
        mean(digits),
        Part::new("half_width", "±", ColumnKind::Number(digits), "Half width of the Student t interval of the mean"),
    ];
    let mut table = whole(frame, &parts, |grid, configuration, model| {
        let returns = grid.cell(configuration, model).and_then(|cell| cell.returns);
        vec![
            Cell::number(returns.map(|returns| returns.mean)),
            Cell::number(returns.and_then(|returns| returns.half_width)),
        ]
    });
    let percent = frame.grids.analysis.options.percent();
    table.notes.insert(0, format!("±: half width of the {percent}% interval, Student t with n−1 degrees of freedom."));
    table
}

/// T34: episodes that count, with a total.
pub(super) fn episodes(frame: &Frame<'_, '_>) -> Table {
    let models = frame.grids.models();
    let parts = [Part::new("episodes", "", ColumnKind::Integer, "Episodes that count as the agent's outcome")];
    let count = |grid: &Grid<'_>, configuration: &str, model: &str| {
        grid.cell(configuration, model).map_or(Cell::Empty, |cell| Cell::count(cell.episodes as u64))
    };
    let mut table = whole(frame, &parts, |grid, configuration, model| vec![count(grid, configuration, model)]);
    let (mut all, mut steps, mut tokens) = (0, 0.0, 0);
    for grid in &frame.grids.grids {
        let total = |model: &str| {
            let cells = grid.configurations.iter().filter_map(|entry| grid.cell(&entry.name, model));
            cells.map(|cell| cell.episodes as u64).sum::<u64>()
        };
        let mut line = vec![Cell::text("total"), Cell::Empty, Cell::text(grid.environment)];
        line.extend(frame.across(grid, &models, 1, |model| vec![Cell::count(total(model))]));
        table.rows.push(line);
        for cell in grid.models.iter().flat_map(|model| grid.configurations.iter().map(move |entry| (entry, model))) {
            let Some(cell) = grid.cell(&cell.0.name, cell.1) else { continue };
            all += cell.episodes;
            steps += cell.steps.map_or(0.0, |steps| steps.mean * steps.n as f64);
            tokens += cell.called.total();
        }
    }
    table.notes.insert(0, format!("In all {all} episodes, {steps:.0} steps, {tokens} tokens as called by the agents."));
    table
}
