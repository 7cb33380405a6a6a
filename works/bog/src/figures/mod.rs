//! The work's figures (BOG-193..195): one drawing for each environment.
//!
//! Each is drawn from the cells that a run has. Where a run lacks what a figure is about, the figure says so; it never
//! shows a number that was not measured.

pub mod context;
pub mod cost;
pub mod cross;
pub mod deliberation;
pub mod hierarchy;
pub mod outcomes;
mod scene;
pub mod spread;
pub mod system;

use gimbal_analysis::tables;
use gimbal_view::kit::picture::{Drawn, gap, slug};
use gimbal_view::work::{Context, Item, Undeclared};
use gimbal_view::{Figure, Output};

use crate::axes::Grid;

pub use scene::Scene;

/// A figure in every environment of the run.
pub fn outputs(context: &Context<'_>, item: &Item, draw: fn(&Scene<'_>) -> Drawn) -> Result<Vec<Output>, Undeclared> {
    let grids = &crate::grids(context)?;
    let traces = if item.needs.traces { Some(context.traces()?) } else { None };
    let output = |grid| {
        let scene = Scene::new(grids, grid, traces);
        output(item, grid, &scene, draw)
    };
    Ok(grids.grids.iter().map(output).collect())
}

fn output(item: &Item, grid: &Grid<'_>, scene: &Scene<'_>, draw: fn(&Scene<'_>) -> Drawn) -> Output {
    let several = scene.grids.several_environments();
    let title = if several { format!("{}: {}", item.title, grid.environment) } else { item.title.to_owned() };
    let drawn = if grid.models.is_empty() && item.key != "f1" {
        Err("no cell with a model in this environment".to_owned())
    } else {
        draw(scene)
    };
    let (picture, missing) = match drawn {
        Ok(picture) => (picture, None),
        Err(missing) => (gap(&missing), Some(missing)),
    };
    let file = if several { format!("{}-{}", item.key, slug(grid.environment)) } else { item.key.to_owned() };
    let cut = tables::cut_note(grid.cells()).map(|note| format!(" {note}")).unwrap_or_default();
    let left_out: String = grid.left_out_notes(false).iter().map(|note| format!(" {note}")).collect();
    let left_out = if item.key == "f1" { String::new() } else { left_out };
    let caption = format!("{}{}{left_out}{cut}", picture.caption, evidence(grid, item.key == "f4"));
    Output {
        key: item.key,
        environment: grid.environment.to_owned(),
        file,
        figure: Figure::new(item.key, title, caption, (&picture.svg, picture.height)),
        missing,
    }
}

/// What must be said of rows that are not evidence, and of contexts that are equal by construction; with policies where the
/// figure shows them.
fn evidence(grid: &Grid<'_>, with_policies: bool) -> String {
    let cells = grid
        .configurations
        .iter()
        .flat_map(|entry| grid.models.iter().filter_map(|model| grid.cell(&entry.name, model)));
    let played: Vec<_> = cells.filter(|cell| cell.episodes > 0).map(|cell| &cell.info).collect();
    let policies = grid.references.iter().filter(|cell| with_policies && cell.episodes > 0).map(|cell| &cell.info);
    let said = tables::no_evidence(played.iter().copied());
    format!("{said}{}", tables::by_construction(played.into_iter().chain(policies)))
}
