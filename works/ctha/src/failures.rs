//! Coordination failures by step: Fig. 2(a), for hierarchies that were played (CTHA-113).

use gimbal_analysis::CellInfo;
use gimbal_analysis::tables::no_evidence;
use gimbal_view::Output;
use gimbal_view::kit::lines;
use gimbal_view::kit::looks::look;
use gimbal_view::kit::picture::{Drawn, slug};
use gimbal_view::kit::svg::Svg;
use gimbal_view::work::{Context, Item, Undeclared};

use crate::hierarchy::cells;

/// Key of the figure.
pub const KEY: &str = "ctha-f2a";
/// Most curves of a figure.
const MOST: usize = 12;
/// Most places along a curve.
const PLACES: usize = 50;

/// The figure of a run, for each environment one.
///
/// # Errors
/// When the item does not declare what it reads.
pub fn figures(context: &Context<'_>, item: &Item) -> Result<Vec<Output>, Undeclared> {
    let (_, cells) = cells(context)?;
    let mut environments: Vec<&str> = Vec::new();
    for (summary, _) in &cells {
        if !environments.contains(&summary.info.environment.as_str()) {
            environments.push(&summary.info.environment);
        }
    }
    if environments.is_empty() {
        return Ok(vec![output(item, "", Err("no layers were asked in this run".to_owned()), "")]);
    }
    let several = environments.len() > 1;
    let drawn = environments.into_iter().map(|environment| {
        let own: Vec<_> = cells.iter().filter(|(summary, _)| summary.info.environment.as_str() == environment).collect();
        let longest = own.iter().map(|(_, layers)| layers.failures.len()).max().unwrap_or(0);
        let wide = longest.div_ceil(PLACES).max(1);
        let places: Vec<String> = (1..=longest.div_ceil(wide)).map(|place| (place * wide).min(longest).to_string()).collect();
        let series: Vec<lines::Series> = own
            .iter()
            .take(MOST)
            .enumerate()
            .map(|(number, (summary, layers))| {
                let mut sum = 0.0;
                let mut points = Vec::new();
                for (step, failed) in layers.failures.iter().enumerate() {
                    let reached = layers.reached.get(step).copied().unwrap_or(0);
                    if reached > 0 {
                        sum += *failed as f64 / reached as f64;
                    }
                    if (step + 1) % wide == 0 || step + 1 == layers.failures.len() {
                        points.push(Some((sum, None)));
                    }
                }
                lines::Series { name: label(&summary.info), look: look(number), points }
            })
            .collect();
        let chart = lines::Chart {
            places: &places,
            series: &series,
            axis: "failed steps so far",
            beneath: "step",
            downwards: false,
            amounts: true,
            height: 280.0,
        };
        let left = own.len().saturating_sub(MOST);
        let more = if left > 0 { format!(" {left} more cells are in the table.") } else { String::new() };
        let caption = format!(
            "Steps with a coordination failure up to each step, in the mean over the episodes that reached it: a contradiction or a violation that was \
             carried out, or a message that its default replaces.{more}"
        );
        let said = no_evidence(own.iter().map(|(summary, _)| &summary.info));
        output(item, if several { environment } else { "" }, Ok(lines::draw(Svg::new(), &chart, 0.0, caption)), said)
    });
    Ok(drawn.collect())
}

/// The name of a cell's curve: its configuration, and who plays it.
pub(crate) fn label(info: &CellInfo) -> String {
    let mut models: Vec<&str> = info.models.iter().map(|one| one.model.as_str()).collect();
    models.dedup();
    let label = info.configuration_label();
    std::iter::once(label.as_str()).chain(models).collect::<Vec<_>>().join(", ")
}

/// The drawing; `environment` is named where there are several.
pub(crate) fn output(item: &Item, environment: &str, drawn: Drawn, said: &str) -> Output {
    let (title, file) = if environment.is_empty() {
        (item.title.to_owned(), item.key.to_owned())
    } else {
        (format!("{}: {environment}", item.title), format!("{}-{}", item.key, slug(environment)))
    };
    Output::of(item.key, (title, file, environment.to_owned()), drawn, said)
}
