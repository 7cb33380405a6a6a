//! What the study is: T1, T2 and T5.

use crate::axes::Grid;
use gimbal_analysis::interval_note;
use gimbal_analysis::{Cell, Column, ColumnKind, Table};

use super::frame::{Frame, column};

/// T1: the layers of the system, from the protocol.
pub fn layers(frame: &Frame<'_>) -> Table {
    let columns = vec![
        frame.label("layer", "Layer", "Layer of the system"),
        frame.label("aspect", "Aspect", "What is said of it"),
        column("words", "In words", "layer", ColumnKind::Text, "What there is to say"),
    ];
    let mut rows = Vec::new();
    for layer in &frame.grids.protocol.layers {
        for (aspect, words) in [("parts", &layer.parts), ("does", &layer.does), ("configured by", &layer.configured_by)]
        {
            rows.push(vec![Cell::text(&layer.name), Cell::text(aspect), Cell::text(words)]);
        }
    }
    Table { key: frame.key, title: frame.title.to_owned(), columns, rows, notes: Vec::new() }
}

/// T2: the study at a glance, counted from its rows.
pub fn overview(frame: &Frame<'_>) -> Table {
    let columns = vec![
        frame.label("what", "What", "What is told"),
        column("value", "Value", "value", ColumnKind::Text, "What the run says"),
        column("number", "Number", "number", ColumnKind::Number(2), "The number, where it is one"),
        frame.environment(),
    ];
    let mut rows = Vec::new();
    for grid in &frame.grids.grids {
        let mut line = |what: &str, value: String, number: Option<f64>| {
            // A count has no digits after the point.
            let number = match number {
                Some(whole) if whole.fract() == 0.0 && whole.abs() < 9e15 => Cell::Integer(whole as i64),
                other => Cell::number(other),
            };
            rows.push(vec![Cell::text(what), Cell::text(value), number, Cell::text(grid.environment)]);
        };
        line("environment", grid.environment.to_owned(), None);
        line("models", grid.models.join(", "), Some(grid.models.len() as f64));
        for axis in &frame.grids.protocol.axes {
            let played: Vec<&str> = grid
                .known()
                .into_iter()
                .filter(|name| axis.configurations.iter().any(|known| known.name == **name))
                .collect();
            let (held, of) = (played.len(), axis.configurations.len());
            let words = if held == of { played.join(", ") } else { format!("{} of {of}: {}", held, played.join(", ")) };
            line(&axis.title, words, Some(held as f64));
        }
        let others: Vec<&str> = grid
            .configurations
            .iter()
            .filter(|entry| frame.grids.protocol.axis_of(&entry.name).is_none())
            .map(|entry| entry.name.as_str())
            .collect();
        if !others.is_empty() {
            line("other configurations", others.join(", "), Some(others.len() as f64));
        }
        line("anchor", frame.grids.protocol.anchor.clone(), None);
        line("baseline of RPTS", frame.grids.protocol.baseline.clone(), None);
        let scale = Scale::of(grid);
        line("cells with episodes", format!("{} of {}", scale.played, scale.cells), Some(scale.played as f64));
        line("episodes", scale.episodes.to_string(), Some(scale.episodes as f64));
        line("environment steps", scale.steps.to_string(), Some(scale.steps as f64));
        line("tokens as called", scale.tokens.to_string(), Some(scale.tokens as f64));
        line("tasks", scale.tasks.to_string(), Some(scale.tasks as f64));
        line("runs of a task", scale.runs.to_string(), Some(scale.runs as f64));
        for (name, value) in scale.thresholds() {
            line(name, format!("{value}"), Some(value));
        }
        for reference in &grid.references {
            let Some(returns) = reference.returns else { continue };
            let words = format!("{:.2}, mean of {} episodes", returns.mean, returns.n);
            line(&format!("reference return: {}", reference.info.configuration), words, Some(returns.mean));
        }
    }
    let mut notes = vec![
        "Metrics: mean episode return (higher is better), tokens an episode, RPTS, SD, catastrophic share.".to_owned(),
        interval_note(frame.grids.analysis),
    ];
    notes.extend(frame.marks(&frame.grids.models()));
    frame.table(columns, rows, notes)
}

/// What a grid amounts to.
struct Scale {
    cells: usize,
    played: usize,
    episodes: usize,
    steps: u64,
    tokens: u64,
    tasks: usize,
    runs: usize,
    thresholds: gimbal_analysis::Thresholds,
}

impl Scale {
    fn of(grid: &Grid<'_>) -> Self {
        let mut scale = Self {
            cells: 0,
            played: 0,
            episodes: 0,
            steps: 0,
            tokens: 0,
            tasks: 0,
            runs: 0,
            thresholds: gimbal_analysis::Thresholds::default(),
        };
        let (mut tasks, mut runs) = (std::collections::BTreeSet::new(), std::collections::BTreeSet::new());
        for (entry, model) in
            grid.configurations.iter().flat_map(|entry| grid.models.iter().map(move |model| (entry, model)))
        {
            let Some(cell) = grid.cell(&entry.name, model) else { continue };
            scale.cells += 1;
            scale.played += usize::from(cell.episodes > 0);
            scale.episodes += cell.episodes;
            scale.tokens += cell.called.total();
            scale.thresholds = cell.info.thresholds;
            for row in grid.episodes(&entry.name, model).iter().filter(|row| row.counts()) {
                scale.steps += u64::from(row.steps);
                tasks.insert(row.task.as_str());
                runs.insert(row.run);
            }
        }
        Self { tasks: tasks.len(), runs: runs.len(), ..scale }
    }

    fn thresholds(&self) -> Vec<(&'static str, f64)> {
        let thresholds = [
            ("catastrophic below", self.thresholds.catastrophic_below),
            ("success above", self.thresholds.success_above),
            ("shift of efficiency", self.thresholds.shift),
        ];
        thresholds.into_iter().filter_map(|(name, value)| Some((name, value? as f64 / 1000.0))).collect()
    }
}

/// T5: which switches each configuration turns on; one table for all of them (BOG-180).
pub fn switches(frame: &Frame<'_>) -> Table {
    let protocol = frame.grids.protocol;
    let mut columns = vec![
        frame.label("configuration", "Configuration", "Configuration"),
        frame.label("axis", "Axis", "Axis that it belongs to"),
    ];
    for flag in &protocol.flags {
        let title = flag.title.as_str();
        columns.push(Column::new(flag.name.clone(), title, "flags", ColumnKind::Flag, "Whether it is on"));
    }
    columns.push(column("played", "In this run", "run", ColumnKind::Flag, "Whether the run has a cell of it"));
    let mut rows = Vec::new();
    for axis in &protocol.axes {
        for configuration in &axis.configurations {
            let mut line = vec![Cell::text(&configuration.name), Cell::text(&axis.name)];
            line.extend(protocol.flags.iter().map(|flag| Cell::Flag(configuration.flags.contains(&flag.name))));
            let played = frame.grids.grids.iter().any(|grid| grid.known().contains(&configuration.name.as_str()));
            line.push(Cell::Flag(played));
            rows.push(line);
        }
    }
    let mut others: Vec<&str> = Vec::new();
    for entry in frame.grids.grids.iter().flat_map(|grid| &grid.configurations) {
        if protocol.axis_of(&entry.name).is_none() && !others.contains(&entry.name.as_str()) {
            others.push(&entry.name);
        }
    }
    let mut notes = Vec::new();
    if !others.is_empty() {
        notes.push(format!("Configurations of this run that the protocol does not list: {}.", others.join(", ")));
    }
    Table { key: frame.key, title: frame.title.to_owned(), columns, rows, notes }
}
