//! A run shaped like the first work's: 72 cells with its means, SDs, tokens and numbers of episodes.

use gimbal_analysis::{Analysis, EpisodeRow, Generator, Options, Rows, normal_quantile};

use gimbal_bog::printed::BogFacts;

use super::{cell, episode};

pub fn facts() -> BogFacts {
    let path = concat!(env!("CARGO_MANIFEST_DIR"), "/../../papers/bog.yaml");
    BogFacts::parse(&std::fs::read_to_string(path).unwrap(), "papers/bog.yaml").unwrap()
}

/// Deviations with mean 0 and SD 1, drawn with a seed of the cell's own.
fn deviations(count: usize, name: &str) -> Vec<f64> {
    let mut generator = Generator::named(7, name);
    let drawn: Vec<f64> = (0..count).map(|_| normal_quantile(0.001 + 0.998 * generator.unit()).unwrap()).collect();
    let mean = drawn.iter().sum::<f64>() / count as f64;
    let sd = (drawn.iter().map(|value| (value - mean).powi(2)).sum::<f64>() / (count - 1) as f64).sqrt();
    drawn.iter().map(|value| (value - mean) / sd).collect()
}

/// The rows: instances are tasks with five runs each; batches beyond fifty repeat the same seeds.
pub fn paper_rows() -> Rows {
    let facts = facts();
    let mut rows = Rows::default();
    for model in &facts.models {
        for configuration in &facts.configurations {
            let printed = facts.cell(&configuration.name, model).unwrap();
            let id = format!("{}/{model}", configuration.name);
            let info = gimbal_analysis::CellInfo {
                planned: printed.episodes,
                axis: Some(configuration.axis.clone()),
                ..cell(&id, &configuration.name, Some(model))
            };
            rows.cells.push(info);
            let count = printed.episodes as usize;
            for (index, deviation) in deviations(count, &id).into_iter().enumerate() {
                let value = (1000.0 * (printed.mean + printed.sd * deviation)).round() as i64;
                // Tokens swing around their mean in pairs; an odd last one is on it.
                let swing = match (index % 2, index + 1 == count) {
                    (0, true) => 0.0,
                    (0, false) => -0.1,
                    _ => 0.1,
                };
                let tokens = (1000.0 * printed.kilotokens * (1.0 + swing)).round() as u64;
                let environment = index % 50;
                rows.episodes.push(EpisodeRow {
                    task: format!("instance-{}", environment / 5).into(),
                    ..episode(&id, (environment % 5) as u32, value, tokens - tokens / 20, tokens / 20)
                });
            }
        }
    }
    rows
}

/// Fewer resamples than by default: tests look at numbers, not at the last digit of an interval.
pub fn analysis(rows: &Rows) -> Analysis {
    Analysis::new(rows, &Options { resamples: 200, ..Options::default() }).unwrap()
}
