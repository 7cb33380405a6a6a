//! Tables and figures of a work from data that a test makes.
#![allow(dead_code, clippy::unwrap_used, clippy::print_stderr, missing_docs)]

use gimbal_analysis::profile::Traces;
use gimbal_analysis::{Analysis, Rows, Table};
use gimbal_view::Output;
use gimbal_view::work::{Choices, Context, Inputs, Item, Make, Work};

pub fn of_rows(rows: &Rows, analysis: &Analysis, traces: &Traces) -> Inputs {
    Inputs { results: Some((rows.clone(), analysis.clone())), traces: Some(traces.clone()), ..Inputs::default() }
}

/// The items of a work that are tables.
pub fn tables(work: &dyn Work) -> impl Iterator<Item = &'static Item> {
    work.items().iter().filter(|item| matches!(item.make, Make::Table(_)))
}

/// The items of a work that are figures.
pub fn drawings(work: &dyn Work) -> impl Iterator<Item = &'static Item> {
    work.items().iter().filter(|item| matches!(item.make, Make::Figure(_)))
}

pub fn table(work: &dyn Work, key: &str, inputs: &Inputs) -> Option<Table> {
    let item = tables(work).find(|item| item.key == key)?;
    let Make::Table(make) = item.make else { return None };
    Some(make(&Context::new(work, inputs, &Choices::default()), item).unwrap())
}

/// Every figure of a work.
pub fn figures(work: &dyn Work, inputs: &Inputs) -> Vec<Output> {
    let context = Context::new(work, inputs, &Choices::default());
    let drawn = |item: &Item| match item.make {
        Make::Figure(make) => make(&context, item).unwrap(),
        _ => Vec::new(),
    };
    drawings(work).flat_map(drawn).collect()
}

/// The transcription of a work's printed tables, where it is present; else says that the comparison is skipped.
pub fn printed_tables(work: &str) -> Option<serde_json::Value> {
    let folder = std::env::var("GIMBAL_DATA")
        .unwrap_or_else(|_| concat!(env!("CARGO_MANIFEST_DIR"), "/../../../shared/reference").to_owned());
    let Ok(text) = std::fs::read_to_string(format!("{folder}/paper-tables.json")) else {
        eprintln!("skipped: no paper-tables.json in the data folder; set GIMBAL_DATA to compare");
        return None;
    };
    let mut tables: serde_json::Value = serde_json::from_str(&text).unwrap();
    Some(tables[work].take())
}
