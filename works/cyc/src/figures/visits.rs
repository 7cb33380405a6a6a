//! cyc-f3: first visits and revisits of won episodes.

use crate::cyclic::Moments;
use gimbal_view::kit::looks::{Key, legend, look, plain};
use gimbal_view::kit::picture::Drawn;
use gimbal_view::kit::stacked::{self, Stack, StackPart};
use gimbal_view::kit::svg::Svg;

use super::Scene;

pub fn draw(scene: &Scene<'_>) -> Drawn {
    let stacks: Vec<Stack> = scene
        .entries()
        .filter(|entry| entry.measures.condition.control.is_cyclic())
        .map(|entry| {
            let (own, condition) = (entry.measures, &entry.measures.condition);
            let mean = |moments: Option<Moments>| moments.map(|moments| moments.mean);
            let parts = mean(own.won.unique).zip(mean(own.won.revisits)).map_or_else(Vec::new, |(unique, revisits)| {
                let part = |size: f64, look| StackPart { size, look, words: plain(size, 1) };
                vec![part(unique, look(0)), part(revisits, look(1))]
            });
            let remark = match (mean(own.won.visits), own.success) {
                (Some(visits), Some(success)) => format!("{} visits, SR {}%", plain(visits, 1), plain(success.mean, 1)),
                _ => "none won".to_owned(),
            };
            let faults = if condition.faults.is_empty() { "" } else { ", with faults" };
            Stack { group: format!("{}{faults}", condition.label()), name: scene.board.name(entry), parts, remark }
        })
        .collect();
    if stacks.iter().all(|stack| stack.parts.is_empty()) {
        return Err("no won episode of cyclic control".to_owned());
    }
    let mut svg = Svg::new();
    let entries =
        [(Key::Bar, look(0), "different subtasks (AUS)".to_owned()), (Key::Bar, look(1), "revisits (ASR)".to_owned())];
    let top = legend(&mut svg, 0.0, 0.0, &entries);
    let caption = "Visits of won episodes: segments that a routing decision followed, so that an episode won within its first segment has none. Both parts together are ATS.".to_owned();
    Ok(stacked::draw(svg, &stacks, ("visits an episode (segments)", "ATS and success rate"), top, caption))
}
