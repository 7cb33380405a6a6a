//! Configurations by models: T3, T4, T6, T22, T23, T24, T34.

use crate::axes::Grid;
use gimbal_analysis::interval_note;
use gimbal_analysis::tables::{catastrophic_note, clustered};
use gimbal_analysis::{Cell, ColumnKind, Table};
use gimbal_analysis::{Summary, t_half_width};

use super::frame::{Frame, Part};

fn whole<'a>(frame: &Frame<'a>, parts: &[Part], cells: impl Fn(&Grid<'a>, &str, &str) -> Vec<Cell>) -> Table {
    frame.matrix(&frame.grids.models(), parts, Frame::all, cells)
}

fn mean(digits: usize) -> Part {
    Part::new("mean", "mean", ColumnKind::Number(digits), "Mean episode return")
}

/// T3: mean, SD and kilotokens, best and worst marked.
pub fn full(frame: &Frame<'_>) -> Table {
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
    table.notes.insert(0, "↑ best and ↓ worst of its axis, ✓ best and ✗ worst of all, by mean return; exact ties share a mark, = where all are equal. A range picked after the fact flatters: see t24 and t25 for intervals.".to_owned());
    table
}

fn place(grid: &Grid<'_>, configuration: &str, model: &str) -> &'static str {
    let all: Vec<&str> = grid.configurations.iter().map(|entry| entry.name.as_str()).collect();
    let axis_of = |name: &str| grid.configurations.iter().find(|entry| entry.name == name)?.axis.clone();
    let axis = axis_of(configuration);
    let own: Vec<&str> = all.iter().copied().filter(|name| axis_of(name) == axis).collect();
    let Some(mean) = grid.mean(configuration, model) else { return "" };
    // Equal means share a mark; where all are equal there is no best and no worst.
    let ends = |names: &[&str]| {
        let (best, worst) = (grid.best(names, model)?.1, grid.worst(names, model)?.1);
        let several = names.iter().filter(|name| grid.mean(name, model).is_some()).count() > 1;
        several.then_some((best, worst))
    };
    match (ends(&all), ends(&own)) {
        (Some((best, worst)), _) if best == worst => "=",
        (Some((best, _)), _) if best == mean => "✓",
        (Some((_, worst)), _) if worst == mean => "✗",
        (_, Some((best, worst))) if best == worst => "",
        (_, Some((best, _))) if best == mean => "↑",
        (_, Some((_, worst))) if worst == mean => "↓",
        _ => "",
    }
}

/// T4: return per thousand tokens against the baseline (BOG-163).
pub fn rpts(frame: &Frame<'_>) -> Table {
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
pub fn spread(frame: &Frame<'_>) -> Table {
    let digits = frame.digits();
    let parts =
        [mean(digits), Part::new("sd", "SD", ColumnKind::Number(digits), "Sample standard deviation of the return")];
    whole(frame, &parts, |grid, configuration, model| {
        vec![Cell::number(grid.mean(configuration, model)), Cell::number(grid.sd(configuration, model))]
    })
}

/// T22: SD and worst episode (BOG-165).
pub fn tail(frame: &Frame<'_>) -> Table {
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
pub fn catastrophic(frame: &Frame<'_>) -> Table {
    let parts = [
        Part::new("catastrophic", "", ColumnKind::Share(1), "Share of episodes below the brief's threshold"),
        Part::new("catastrophic_ci", "Wilson CI", ColumnKind::Interval(2), "Wilson interval of the share"),
    ];
    let mut table = whole(frame, &parts, |grid, configuration, model| {
        let share = grid.cell(configuration, model).and_then(|cell| cell.catastrophic);
        vec![Cell::share(share.map(|share| share.share)), Cell::interval(share.and_then(|share| share.told()))]
    });
    table.notes.insert(0, interval_note(frame.grids.analysis));
    table.notes.extend(catastrophic_note(frame.grids.analysis));
    table
}

/// T24: mean and half width of its interval: as the work takes it, every episode for itself (BOG-167), and robust against
/// clusters where there are any.
pub fn intervals(frame: &Frame<'_>) -> Table {
    let digits = frame.digits();
    let analysis = frame.grids.analysis;
    let half = |key, title, help| Part::new(key, title, ColumnKind::Number(digits), help);
    let parts = [
        mean(digits),
        half("half_width", "±", "Half width of the Student t interval of the mean, every episode for itself"),
        half(CLUSTERED, "± cl.", "Half width of the Student t interval of the mean, robust against clusters"),
    ];
    let mut table = whole(frame, &parts, |grid, configuration, model| {
        let returns = grid.cell(configuration, model).and_then(|cell| cell.returns);
        let plain = |returns: Summary| t_half_width(returns.sd?, returns.n, analysis.options.confidence);
        vec![
            Cell::number(returns.map(|returns| returns.mean)),
            Cell::number(returns.and_then(plain)),
            Cell::number(returns.and_then(|returns| returns.half_width)),
        ]
    });
    let clustered = clustered(analysis);
    for column in table.columns.iter_mut().filter(|column| column.key.ends_with(CLUSTERED)) {
        column.programs_only = !clustered;
    }
    let percent = analysis.options.percent();
    let plain = format!(
        "±: half width of the {percent}% interval, Student t with n−1 degrees of freedom, every episode for itself, as the work takes it."
    );
    let notes = if clustered {
        vec![format!("{plain} ± cl.: robust against clusters, the one to go by."), interval_note(analysis)]
    } else {
        vec![plain]
    };
    table.notes.splice(0..0, notes);
    table
}

/// Key of the half width that is robust against clusters.
const CLUSTERED: &str = "half_width_clustered";

/// T34: episodes that count, with a total.
pub fn episodes(frame: &Frame<'_>) -> Table {
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
