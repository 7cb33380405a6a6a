//! Tables as JSON.

use serde_json::{Map, Value, json};

use super::{Cell, Table};

pub(super) fn render(table: &Table) -> Value {
    let columns: Vec<Value> = table
        .columns
        .iter()
        .map(|column| json!({"key": column.key, "title": column.title, "unit": column.unit, "help": column.help}))
        .collect();
    let rows: Vec<Value> = (0..table.rows.len())
        .map(|row| {
            let fields = table.columns.iter().enumerate();
            Value::Object(
                fields
                    .map(|(index, column)| (column.key.clone().into_owned(), value(table.cell(row, index))))
                    .collect::<Map<_, _>>(),
            )
        })
        .collect();
    json!({"key": table.key, "title": table.title, "columns": columns, "rows": rows, "notes": table.notes})
}

fn value(cell: &Cell) -> Value {
    match cell {
        Cell::Empty => Value::Null,
        Cell::Text(words) => json!(words),
        Cell::Integer(value) => json!(value),
        Cell::Number(value) | Cell::Share(value) => json!(value),
        Cell::Interval(low, high) => json!([low, high]),
        Cell::Flag(value) => json!(value),
        Cell::Record(wins, ties, losses) => json!({"wins": wins, "ties": ties, "losses": losses}),
    }
}
