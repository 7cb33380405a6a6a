//! The named figures `cyc-f1` to `cyc-f8` of a study of cyclic control (CYC-100): one drawing a figure and environment.
//!
//! Each is drawn from the cells that a run has. Where a run lacks what a figure is about, the figure says so.

mod exploration;
mod graph;
mod noise;
mod regimes;
mod trace;
mod visits;

use gimbal_analysis::cyclic::SampleKind;
use gimbal_analysis::cyclic::tables::{Board, Entry};

use super::Figure;
use super::bog::scene::{Drawn, Picture};
use super::bog::{Output, gap, slug};

/// A named figure.
#[derive(Clone, Copy)]
pub struct Named {
    /// Its key: `cyc-f1` to `cyc-f8`, `cyc-noise`.
    pub key: &'static str,
    /// Title.
    pub title: &'static str,
    draw: Draw,
}

/// What a drawing is made from.
#[derive(Clone, Copy)]
enum Draw {
    /// One drawing an environment.
    Environment(fn(&Scene<'_>) -> Drawn),
    /// One drawing of the whole run.
    Run(fn(&Board<'_>) -> Drawn),
}

/// What a figure is drawn from: the cells of one environment.
struct Scene<'a> {
    board: &'a Board<'a>,
    environment: &'a str,
}

/// Every named figure, in order.
pub const FIGURES: &[Named] = &[
    Named { key: "cyc-f1", title: "A task graph and how it was walked", draw: Draw::Environment(graph::draw) },
    Named {
        key: "cyc-f2",
        title: "Task-specific and benchmark-generic graphs: success and cost",
        draw: Draw::Environment(regimes::draw),
    },
    Named {
        key: "cyc-f3",
        title: "Visits of won episodes: first ones and revisits",
        draw: Draw::Environment(visits::draw),
    },
    Named {
        key: "cyc-f4",
        title: "Exploration: situations met, cyclic minus ReAct",
        draw: Draw::Environment(exploration::draw),
    },
    Named {
        key: "cyc-f5",
        title: "An episode won by going back",
        draw: Draw::Environment(|scene| trace::draw(scene, SampleKind::WonByRevisits)),
    },
    Named {
        key: "cyc-f6",
        title: "An episode lost to and fro",
        draw: Draw::Environment(|scene| trace::draw(scene, SampleKind::LostOscillating)),
    },
    Named {
        key: "cyc-f7",
        title: "An episode lost at one subtask",
        draw: Draw::Environment(|scene| trace::draw(scene, SampleKind::LostInDeadEnd)),
    },
    Named {
        key: "cyc-f8",
        title: "An episode lost by acts that lead nowhere",
        draw: Draw::Environment(|scene| trace::draw(scene, SampleKind::LostDrifting)),
    },
    Named {
        key: "cyc-noise",
        title: "What becomes of each controller as its player errs more",
        draw: Draw::Run(noise::draw),
    },
];

impl<'a> Scene<'a> {
    /// The environment's cells that were played, with a control of the work.
    fn entries(&self) -> impl Iterator<Item = Entry<'_>> {
        self.board.entries().filter(|entry| {
            let condition = &entry.measures.condition;
            condition.environment == self.environment
                && entry.measures.episodes > 0
                && condition.control != gimbal_analysis::cyclic::Control::Other
        })
    }

    /// Those without faults.
    fn plain(&self) -> impl Iterator<Item = Entry<'_>> {
        self.entries().filter(|entry| entry.measures.condition.faults.is_empty())
    }
}

/// The figures of this key, one an environment; `None` where there is no such key. Keys are told apart without case.
#[must_use]
pub fn named(key: &str, board: &Board<'_>) -> Option<Vec<Output>> {
    let figure = FIGURES.iter().find(|figure| figure.key.eq_ignore_ascii_case(key))?;
    Some(outputs(figure, board))
}

/// Every figure of every environment, in order of figure.
#[must_use]
pub fn every(board: &Board<'_>) -> Vec<Output> {
    FIGURES.iter().flat_map(|figure| outputs(figure, board)).collect()
}

fn outputs(named: &Named, board: &Board<'_>) -> Vec<Output> {
    let draw = match named.draw {
        Draw::Environment(draw) => draw,
        Draw::Run(draw) => return vec![whole(named, draw(board), board)],
    };
    let environments = board.environments();
    let several = environments.len() > 1;
    let mut files: Vec<String> = Vec::new();
    let each = environments.iter().map(|environment| {
        let scene = Scene { board, environment };
        let title = if several { format!("{}: {environment}", named.title) } else { named.title.to_owned() };
        let (picture, missing) = match draw(&scene) {
            Ok(picture) => (picture, None),
            Err(missing) => (gap(&missing), Some(missing)),
        };
        let mut file = if several { format!("{}-{}", named.key, slug(environment)) } else { named.key.to_owned() };
        // Two names that differ in other than letters and digits alone must not fall on one file.
        while files.contains(&file) {
            file.push('x');
        }
        files.push(file.clone());
        let Picture { svg, height, caption } = picture;
        let caption = format!("{caption}{}", evidence(&scene));
        Output {
            key: named.key,
            environment: (*environment).to_owned(),
            file,
            figure: Figure::new(named.key, title, caption, (&svg, height)),
            missing,
        }
    });
    each.collect()
}

/// The one drawing of a run.
fn whole(named: &Named, drawn: Drawn, board: &Board<'_>) -> Output {
    let (picture, missing) = match drawn {
        Ok(picture) => (picture, None),
        Err(missing) => (gap(&missing), Some(missing)),
    };
    let Picture { svg, height, caption } = picture;
    let environments = board.environments();
    let said = environments.iter().map(|environment| evidence(&Scene { board, environment }));
    let caption = format!("{caption}{}", said.max_by_key(|words| words.len()).unwrap_or_default());
    Output {
        key: named.key,
        environment: environments.join(", "),
        file: named.key.to_owned(),
        figure: Figure::new(named.key, named.title.to_owned(), caption, (&svg, height)),
        missing,
    }
}

/// What must be said of rows that are no evidence.
fn evidence(scene: &Scene<'_>) -> &'static str {
    gimbal_analysis::tables::no_evidence(scene.entries().map(|entry| entry.info))
}
