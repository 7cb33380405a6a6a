//! A table in the form that the user asks for.

use gimbal_analysis::Table;
use gimbal_report::WIDTH;

use crate::args::ReportFormat;
use crate::exit::Failure;

/// Prints a table in one of the forms that tables have.
pub fn show(table: &Table, format: ReportFormat) -> Result<(), Failure> {
    match format {
        ReportFormat::Text => print!("{}", table.to_text(WIDTH)),
        ReportFormat::Markdown => print!("{}", table.to_markdown()),
        ReportFormat::Csv => print!("{}", table.to_csv()),
        ReportFormat::Json => println!("{:#}", table.to_json()),
        ReportFormat::Html => {
            return Err(Failure::Usage(
                "--format html: the page holds all tables; print one as text, markdown, csv or json".to_owned(),
            ));
        }
    }
    Ok(())
}
