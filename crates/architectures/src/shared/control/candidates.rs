//! Which ways the router is shown: all that lead out of the present subtask, or the few that fit best (CYC-092).

use std::collections::BTreeSet;

use super::run::Run;

/// A way that the router may choose.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) struct Way {
    /// Place of the subtask that it leads to.
    pub to: usize,
    pub criterion: String,
    /// In thousandths.
    pub weight: u32,
}

/// The ways out of the present subtask, in the order of the graph. With `top`, only so many: those whose criterion and
/// goal share most words with what the segment came to and what the memory needs, weighed by their preference; the way
/// back to the present subtask, where there is one, is always among them.
pub(crate) fn of(run: &Run, top: Option<usize>) -> Vec<Way> {
    let graph = &run.graph;
    let ways = run.ways.out_of(graph, run.node);
    let ways: Vec<Way> =
        ways.map(|(to, edge)| Way { to, criterion: edge.criterion.clone(), weight: edge.weight }).collect();
    let Some(top) = top.filter(|top| *top < ways.len()) else { return ways };
    let asked =
        words(&format!("{} {} {} {}", run.summary, run.memory.hint, run.memory.needs.join(" "), run.memory.state));
    let score = |way: &Way| {
        let node = &graph.nodes[way.to];
        let own = words(&format!("{} {} {}", node.name, node.goal, way.criterion));
        let shared = own.intersection(&asked).count() as u64;
        // Words of the way itself weigh by their share, so that long criteria do not win by length.
        shared * 1_000_000 * u64::from(way.weight) / 1000 / (own.len() as u64).max(1)
    };
    let mut ranked: Vec<(bool, u64, usize)> =
        ways.iter().enumerate().map(|(place, way)| (way.to == run.node, score(way), place)).collect();
    ranked.sort_by(|left, right| (right.0, right.1, left.2).cmp(&(left.0, left.1, right.2)));
    let kept: BTreeSet<usize> = ranked.into_iter().take(top.max(1)).map(|(_, _, place)| place).collect();
    ways.into_iter().enumerate().filter(|(place, _)| kept.contains(place)).map(|(_, way)| way).collect()
}

/// The words of a text that say something: three letters or more, in lower case.
fn words(text: &str) -> BTreeSet<String> {
    text.split(|letter: char| !letter.is_alphanumeric())
        .filter(|word| word.chars().count() >= 3)
        .map(str::to_lowercase)
        .collect()
}
