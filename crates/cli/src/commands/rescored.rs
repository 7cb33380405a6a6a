//! The table of scores with tokens weighted by price.

use std::collections::BTreeMap;
use std::path::Path;

use gimbal_analysis::rescore::{self, TokenPrice};
use gimbal_model::{Price, PriceTable};
use gimbal_view::Report;

use crate::exit::Failure;

/// Key of the table.
const KEY: &str = "rescored";

/// Puts the table into a report, by these prices; an earlier one is replaced.
pub fn add(built: &mut Report, prices: &BTreeMap<String, Price>) {
    let prices: BTreeMap<String, TokenPrice> = prices
        .iter()
        .filter_map(|(name, price)| {
            let band = price.bands.first()?;
            Some((name.clone(), TokenPrice { input: band.input as f64, output: band.output as f64 }))
        })
        .collect();
    let before = built.tables.iter().position(|table| table.key == KEY);
    let at = before
        .unwrap_or_else(|| built.tables.iter().position(|table| table.key == "bill").unwrap_or(built.tables.len()));
    if before.is_some() {
        built.tables.remove(at);
    }
    if let Some(table) = rescore::table(&built.analysis, &prices) {
        built.tables.insert(at, table);
    }
}

/// The same by the prices of a file.
pub fn add_from(built: &mut Report, path: &Path) -> Result<(), Failure> {
    let name = path.display().to_string();
    let text = std::fs::read_to_string(path)
        .map_err(|error| Failure::Usage(format!("--prices: {name}: {error}; name a file like prices.yaml")))?;
    let table = PriceTable::parse(&text, &name).map_err(Failure::usage)?;
    add(built, &table.models);
    Ok(())
}
