//! Facts of a run that its report shows beside the tables.

use gimbal_study::plan::Stored;
use gimbal_study::run::RunFolder;
use gimbal_view::{Meta, Price, PriceTable};

use gimbal_study::read::Books;

/// What the run is, what it cost, and how it is made again.
pub fn meta(folder: &RunFolder, stored: &Stored, books: &Books) -> Meta {
    let root = folder.root().display();
    Meta {
        study: stored.study.clone(),
        question: stored.description.clone(),
        in_progress: folder.in_progress(),
        program_version: stored.program.clone(),
        study_hash: Some(stored.file_hash.to_string()),
        digest: Some(books.digest.to_string()),
        facts: facts(stored, books),
        prices: prices(stored),
        commands: vec![format!("gimbal verify {root}"), format!("gimbal report {root}")],
    }
}

/// Names and values, in the order of the page.
fn facts(stored: &Stored, books: &Books) -> Vec<(String, String)> {
    let several = stored.cells.windows(2).any(|pair| pair[0].info.planned != pair[1].info.planned);
    let runs = if several { "runs of every task, at most" } else { "runs of every task" };
    let mut facts = vec![(runs.to_owned(), stored.runs.to_string())];
    for cell in &stored.cells {
        let environment = &cell.identity["environment"];
        let name = environment["name"].as_str().unwrap_or_default();
        let fact = (format!("{name} behaviour"), environment["behaviour"].to_string());
        if !facts.contains(&fact) {
            facts.push(fact);
        }
    }
    if !stored.overrides.is_empty() {
        facts.push(("Files of the user's folder".to_owned(), stored.overrides.join(", ")));
    }
    for (limits, episodes) in &books.limits {
        facts.push((format!("Episodes under the limits {limits}"), episodes.to_string()));
    }
    if !books.bill.lines.is_empty() {
        facts.push(("billed in all".to_owned(), books.bill.total().words()));
    }
    facts
}

/// The prices in force when the study ran, in dollars per million tokens; `None` where no model has any.
fn prices(stored: &Stored) -> Option<PriceTable> {
    let dollars = |microdollars: u64| microdollars as f64 / 1e6;
    let dated = || stored.prices.iter().filter(|(_, price)| !price.seen.is_empty());
    let models: Vec<Price> = dated()
        .map(|(name, price)| {
            let band = price.bands.first();
            Price {
                model: name.clone(),
                input: band.map(|band| dollars(band.input)),
                cached_input: band.and_then(|band| band.cached).map(dollars),
                output: band.map(|band| dollars(band.output)),
            }
        })
        .collect();
    let sources: Vec<String> = dated().map(|(_, price)| format!("{} ({})", price.source, price.seen)).collect();
    let date = stored.prices.values().map(|price| price.seen.clone()).max().unwrap_or_default();
    (!models.is_empty()).then(|| PriceTable { date, source: sources.join("; "), models })
}
