//! A table in the form that the user asks for.

use gimbal_analysis::Table;
use gimbal_report::WIDTH;

use crate::args::TableFormat;

/// Prints a table in one of the forms that tables have.
pub fn show(table: &Table, format: TableFormat) {
    match format {
        TableFormat::Text => print!("{}", table.to_text(WIDTH)),
        TableFormat::Markdown => print!("{}", table.to_markdown()),
        TableFormat::Csv => print!("{}", table.to_csv()),
        TableFormat::Json => println!("{:#}", table.to_json()),
    }
}
