//! The work's figures (CYC-100): a drawing for each environment, or one for the whole run.
//!
//! Each is drawn from the cells that a run has. Where a run lacks what a figure is about, the figure says so.

pub mod exploration;
pub mod graph;
pub mod noise;
pub mod regimes;
pub mod trace;
pub mod visits;

use crate::cyclic::{Board, CYCLES, Control, Entry};
use gimbal_view::Output;
use gimbal_view::kit::picture::{Drawn, slug};
use gimbal_view::work::{Context, Item, Undeclared};

/// What a figure is drawn from: the cells of one environment.
pub struct Scene<'a> {
    board: &'a Board,
    environment: &'a str,
}

impl<'a> Scene<'a> {
    /// The environment's cells that were played, with a control of the work and a model that acted, where they have one.
    pub fn entries(&self) -> impl Iterator<Item = Entry<'_>> {
        self.board.entries().filter(|entry| {
            let condition = &entry.measures.condition;
            condition.environment == self.environment
                && entry.measures.episodes > 0
                && !entry.measures.hardly_acted
                && condition.control != Control::Other
        })
    }

    /// Those without faults.
    pub fn plain(&self) -> impl Iterator<Item = Entry<'_>> {
        self.entries().filter(|entry| entry.measures.condition.faults.is_empty())
    }
}

/// A figure with a drawing for each environment.
pub fn each(context: &Context<'_>, item: &Item, draw: fn(&Scene<'_>) -> Drawn) -> Result<Vec<Output>, Undeclared> {
    let board: &Board = context.fold(&CYCLES)?;
    let environments = board.environments();
    let several = environments.len() > 1;
    let mut files: Vec<String> = Vec::new();
    let each = environments.iter().map(|environment| {
        let scene = Scene { board, environment };
        let title = if several { format!("{}: {environment}", item.title) } else { item.title.to_owned() };
        let mut file = if several { format!("{}-{}", item.key, slug(environment)) } else { item.key.to_owned() };
        // Two names that differ in other than letters and digits alone must not become one file.
        while files.contains(&file) {
            file.push('x');
        }
        files.push(file.clone());
        Output::of(item.key, (title, file, (*environment).to_owned()), draw(&scene), evidence(&scene))
    });
    Ok(each.collect())
}

/// A figure with one drawing for the whole run.
pub fn whole(context: &Context<'_>, item: &Item, draw: fn(&Board) -> Drawn) -> Result<Vec<Output>, Undeclared> {
    let board: &Board = context.fold(&CYCLES)?;
    let environments = board.environments();
    let said = environments.iter().map(|environment| evidence(&Scene { board, environment }));
    let said = said.max_by_key(|words| words.len()).unwrap_or_default();
    let names = (item.title.to_owned(), item.key.to_owned(), environments.join(", "));
    Ok(vec![Output::of(item.key, names, draw(board), said)])
}

/// What must be said of rows that are not evidence.
fn evidence(scene: &Scene<'_>) -> &'static str {
    gimbal_analysis::tables::no_evidence(scene.entries().map(|entry| entry.info))
}
