//! Tab. 1 and 2: the selection matrix, and the four controls side by side.

use crate::cyclic::Control;
use crate::cyclic::Entry;
use crate::cyclic::advise::{Level, Regime, RepairSemantics};
use gimbal_analysis::columns::number;
use gimbal_analysis::{Cell, Column, ColumnKind, Table};

use super::frame::{Frame, RATES, compared, environment_column, spread, spread_cells};

/// Tab. 1 (CYC-091): from the matrix itself, whatever was played.
pub fn matrix(frame: &Frame<'_>) -> Table {
    let words = |key, title, help| Column::new(key, title, "regime", ColumnKind::Text, help);
    let columns = vec![
        Column::new("regime", "Regime", "regime", ColumnKind::Label, "Structure of the tasks"),
        words("density", "Prerequisites", "Share of acts that others must precede"),
        words("uncertainty", "Uncertainty", "How little can be foreseen"),
        words("observability", "Observability", "Share of the state that is seen"),
        words("repair", "Repair", "What repairs a failure"),
        words("failure", "What fails most", "Dominant failure"),
        words("recommended", "Recommended", "Controllers, the first one first"),
        words("advice", "What to do", "In a sentence"),
    ];
    let rows = Regime::ALL.into_iter().map(|regime| {
        let signature = regime.signature();
        let level = |share: f64| Cell::text(Level::of(share).name());
        let recommended: Vec<&str> = regime.recommended().iter().map(|controller| controller.name()).collect();
        vec![
            Cell::text(regime.title()),
            level(signature.prerequisite_density),
            level(signature.state_uncertainty),
            level(signature.observability),
            Cell::text(signature.repair.map_or("–", RepairSemantics::name)),
            Cell::text(regime.failure()),
            Cell::text(recommended.join(", ")),
            Cell::text(regime.what_to_do()),
        ]
    });
    let notes = vec!["The matrix that `advise` reads; it does not depend on the run.".to_owned()];
    Table { key: frame.key, title: frame.title.to_owned(), columns, rows: rows.collect(), notes }
}

/// Tab. 2 (CYC-060, 080): rows of benchmark and models, columns of controls.
pub fn overall(frame: &Frame<'_>) -> Table {
    let label = |key, title, help| Column::new(key, title, "row", ColumnKind::Label, help);
    let mut columns = vec![
        environment_column(),
        label("models", "Models", "Planner/executor/router; one name where all are the same"),
    ];
    for control in Control::COMPARED {
        let (key, title) = (control.key(), control.title());
        let own = |parts: Vec<Column>| {
            parts.into_iter().map(move |column| Column {
                key: format!("{key}.{}", column.key).into(),
                title: format!("{title} {}", column.title),
                group: key.into(),
                ..column
            })
        };
        columns.extend(own(spread("sr", "SR", key, 1, "Share of won episodes")
            .into_iter()
            .map(|c| c.unit("%"))
            .collect()));
        columns.extend(own(spread("tc", "TC", key, 1, "Tool calls of won episodes")));
        columns.extend(own(vec![number("str", "STR", key, 1, "SR in percent over TC")]));
    }
    let plain = |entry: Entry<'_>| {
        let condition = &entry.measures.condition;
        compared(entry) && condition.shots == 0 && !condition.specialists && condition.control != Control::Cyclic
    };
    columns.push(
        label(
            "unplanned",
            "Not planned",
            "Episodes in which the planner gave no valid graph: the one that the environment suggests played",
        )
        .shown_if(frame.board.entries().any(|entry| plain(entry) && entry.measures.planned.failed > 0)),
    );
    let mut places: Vec<(String, String)> = Vec::new();
    for entry in frame.board.entries().filter(|entry| plain(*entry)) {
        let place = (entry.measures.condition.environment.clone(), entry.measures.condition.models());
        if !places.contains(&place) {
            places.push(place);
        }
    }
    let (mut rows, mut left_out) = (Vec::new(), Vec::new());
    for (environment, models) in &places {
        let mut row = vec![Cell::text(environment), Cell::text(models)];
        let mut unplanned = Vec::new();
        for control in Control::COMPARED {
            let mut own = frame.board.entries().filter(|entry| {
                let condition = &entry.measures.condition;
                plain(*entry)
                    && condition.control == control
                    && condition.environment == *environment
                    && condition.models() == *models
            });
            let measures = own.next().map(|entry| entry.measures);
            left_out.extend(own.map(|entry| entry.info.configuration_label()));
            row.extend(spread_cells(measures.and_then(|measures| measures.success)));
            row.extend(spread_cells(measures.and_then(|measures| measures.won.calls)));
            row.push(Cell::number(measures.and_then(|measures| measures.success_to_calls)));
            if let Some(failures) = measures.and_then(|measures| measures.planned.failures()) {
                unplanned.push(format!("{}: {failures}", control.title()));
            }
        }
        row.push(Cell::text(unplanned.join(", ")));
        rows.push(row);
    }
    let mut notes = vec![RATES.to_owned()];
    if !left_out.is_empty() {
        left_out.dedup();
        notes.push(format!("Of several cells of one control the first is shown; left out: {}.", left_out.join(", ")));
    }
    frame.table(columns, rows, notes)
}
