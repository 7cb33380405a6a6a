//! A sparse graph from what runs of a complete one measured (CYC-092, CYC-093).

use std::collections::{BTreeMap, BTreeSet};

use super::{Edge, TaskGraph, Ways};

/// How often a way was taken.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Use {
    /// In all episodes.
    pub all: u64,
    /// In won ones.
    pub won: u64,
    /// As the first choice of the router's own after control had been diverted.
    pub repairs: u64,
}

/// What becomes of a way.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum EdgeDecision {
    /// It stays as it is: won episodes took it, and no fewer times than lost ones.
    Kept,
    /// It stays with less weight: lost episodes took it more often than won ones, as loops are.
    Weighed,
    /// It stays though no won episode took it, or too few: it led back after a fault.
    Repair,
    /// It stays so that its subtask has a way out.
    Exit,
    /// It goes: no won episode took it, or too few.
    Dropped,
}

impl EdgeDecision {
    /// The name that tables use.
    #[must_use]
    pub const fn name(self) -> &'static str {
        match self {
            Self::Kept => "kept",
            Self::Weighed => "weighed down",
            Self::Repair => "kept for repair",
            Self::Exit => "kept as the way out",
            Self::Dropped => "dropped",
        }
    }
}

/// A way of the whole graph, and what becomes of it.
#[derive(Clone, Debug, PartialEq)]
pub struct JudgedWay {
    /// The way.
    pub edge: Edge,
    /// How often it was taken.
    pub used: Use,
    /// What becomes of it.
    pub decision: EdgeDecision,
}

impl JudgedWay {
    fn is_left(&self) -> bool {
        self.decision != EdgeDecision::Dropped
    }
}

/// The weight of a way that lost episodes took more often than won ones, in thousandths.
pub const LOOP_WEIGHT: u32 = 300;

/// What decides whether a way stays.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Rules {
    /// Weight of a way that lost episodes took more often than won ones, in thousandths.
    pub loop_weight: u32,
    /// A way that won episodes took fewer times than this is dropped; one at least.
    pub least: u64,
    /// Unless it led back after a fault at least so many times; one at least.
    pub repairs: u64,
}

impl Default for Rules {
    fn default() -> Self {
        Self { loop_weight: LOOP_WEIGHT, least: 1, repairs: 1 }
    }
}

/// The sparse graph that is left of `graph`, and what became of each of its ways, in its order.
///
/// A way that won episodes took fewer times than `least` is dropped, unless it led back after a fault as often as `repairs`
/// says; one that lost episodes took more often
/// than won ones gets the weight of loops. A subtask that control can still reach keeps its most taken way out, itself if need
/// be. Subtasks that nothing leads to any more go too.
#[must_use]
pub fn distil(graph: &TaskGraph, uses: &BTreeMap<(String, String), Use>, rules: Rules) -> (TaskGraph, Vec<JudgedWay>) {
    let of = |edge: &Edge| uses.get(&(edge.from.clone(), edge.to.clone())).copied().unwrap_or_default();
    let mut decisions: Vec<JudgedWay> = graph
        .edges
        .iter()
        .map(|edge| {
            let used = of(edge);
            let decision = match used {
                Use { won, repairs, .. } if won < rules.least.max(1) && repairs < rules.repairs.max(1) => {
                    EdgeDecision::Dropped
                }
                Use { won, .. } if won < rules.least.max(1) => EdgeDecision::Repair,
                Use { all, won, .. } if all - won.min(all) > won => EdgeDecision::Weighed,
                Use { .. } => EdgeDecision::Kept,
            };
            JudgedWay { edge: edge.clone(), used, decision }
        })
        .collect();
    // What can be reached may need an exit, which may reach more.
    let reached = loop {
        let reached = reach(graph, &decisions);
        let stuck = reached.iter().find(|name| !decisions.iter().any(|way| way.edge.from == **name && way.is_left()));
        let Some(stuck) = stuck.cloned() else { break reached };
        let exit = (0..decisions.len()).filter(|index| decisions[*index].edge.from == stuck).max_by_key(|index| {
            let JudgedWay { edge, used, .. } = &decisions[*index];
            (used.all, edge.to == stuck, std::cmp::Reverse(*index))
        });
        match exit {
            Some(index) => decisions[index].decision = EdgeDecision::Exit,
            None => break reached,
        }
    };
    for way in &mut decisions {
        if !reached.contains(&way.edge.from) {
            way.decision = EdgeDecision::Dropped;
        }
    }
    let edges = decisions
        .iter()
        .filter(|way| way.is_left())
        .map(|JudgedWay { edge, decision, .. }| Edge {
            weight: if *decision == EdgeDecision::Weighed { rules.loop_weight } else { edge.weight },
            ..edge.clone()
        })
        .collect();
    let nodes = graph.nodes.iter().filter(|node| reached.contains(&node.name)).cloned().collect();
    (TaskGraph { ways: Ways::Sparse, entry: graph.entry.clone(), nodes, edges, ..TaskGraph::default() }, decisions)
}

/// The subtasks that can be reached from the entry.
fn reach(graph: &TaskGraph, decisions: &[JudgedWay]) -> BTreeSet<String> {
    let mut reached = BTreeSet::from([graph.entry.clone()]);
    loop {
        let before = reached.len();
        for way in decisions {
            if way.is_left() && reached.contains(&way.edge.from) {
                reached.insert(way.edge.to.clone());
            }
        }
        if reached.len() == before {
            return reached;
        }
    }
}

#[cfg(test)]
mod tests {
    use std::collections::BTreeMap;

    use proptest::prelude::*;

    use super::{EdgeDecision, Rules, Use, distil};
    use crate::shared::graph::{Node, TaskGraph};

    fn graph(n: usize) -> TaskGraph {
        let node = |index| Node { name: format!("N{index}"), goal: "do it".to_owned(), tools: Vec::new() };
        TaskGraph::complete((0..n).map(node).collect())
    }

    fn way(from: usize, to: usize) -> (String, String) {
        (format!("N{from}"), format!("N{to}"))
    }

    // covers: CYC-092, CYC-093
    #[test]
    fn ways_of_won_episodes_stay_loops_weigh_less_and_repairs_are_kept() {
        let uses = BTreeMap::from([
            (way(0, 1), Use { all: 9, won: 8, repairs: 0 }),
            (way(1, 1), Use { all: 9, won: 2, repairs: 0 }),
            (way(1, 0), Use { all: 3, won: 0, repairs: 2 }),
            (way(2, 0), Use { all: 1, won: 1, repairs: 0 }),
        ]);
        let (sparse, decisions) = distil(&graph(3), &uses, Rules::default());
        assert!(sparse.check(None).is_ok());
        let left: Vec<_> = sparse.edges.iter().map(|edge| (&*edge.from, &*edge.to, edge.weight)).collect();
        assert_eq!(left, [("N0", "N1", 1000), ("N1", "N0", 1000), ("N1", "N1", 300)]);
        assert_eq!(sparse.nodes.len(), 2, "nothing leads to N2 any more");
        assert_eq!(decisions.len(), 9);
        let decision = |from: &str, to: &str| {
            decisions.iter().find(|way| way.edge.from == from && way.edge.to == to).unwrap().decision
        };
        assert_eq!(
            (decision("N1", "N0"), decision("N0", "N0"), decision("N2", "N0")),
            (EdgeDecision::Repair, EdgeDecision::Dropped, EdgeDecision::Dropped)
        );
        let (fewer, _) = distil(&graph(3), &uses, Rules { least: 3, ..Rules::default() });
        assert_eq!(fewer.edges.len(), 2, "a way that won episodes took twice is not enough");
        let (fewest, _) = distil(&graph(3), &uses, Rules { repairs: 3, ..Rules::default() });
        assert_eq!(fewest.edges.len(), 2, "nor is one that led back twice, where it must be thrice");
        // From a run that won nothing a graph is left that can be played.
        let (least, _) = distil(&graph(3), &BTreeMap::new(), Rules::default());
        assert_eq!((least.nodes.len(), least.edges.len()), (1, 1));
        assert!(least.check(None).is_ok());
    }

    proptest! {
        // covers: CYC-092
        #[test]
        fn whatever_was_measured_the_sparse_graph_can_be_played(
            n in 1_usize..7,
            taken in prop::collection::vec((0_usize..7, 0_usize..7, 0_u64..4, 0_u64..4, 0_u64..2), 0..20),
        ) {
            let uses = taken
                .into_iter()
                .map(|(from, to, lost, won, repairs)| (way(from % n, to % n), Use { all: lost + won, won, repairs }))
                .collect();
            let (sparse, decisions) = distil(&graph(n), &uses, Rules::default());
            prop_assert!(sparse.check(None).is_ok());
            prop_assert_eq!(decisions.len(), n * n);
            prop_assert!(sparse.edges.len() <= n * n);
            prop_assert_eq!(distil(&graph(n), &uses, Rules::default()).0, sparse);
        }
    }
}
