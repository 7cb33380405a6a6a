//! What runs with a complete graph leave for later ones: a sparse graph, or a machine (CYC-092, CYC-093).

use std::collections::BTreeMap;

use gimbal_messages::records::control::SegmentStop;

use super::distil::{JudgedWay, Rules, Use, distil};
use super::machine::{Facts, Learning, Sample, decide, learn};
use super::{GraphError, TaskGraph};

/// A segment that a decision of the router followed.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Visit {
    /// The subtask.
    pub node: String,
    /// Whether its agent said that it was done; if not, its calls were used up.
    pub is_done: bool,
    /// The tool of its last call that reached the environment.
    pub tool: Option<String>,
    /// Whether the environment refused that call.
    pub is_refused: bool,
    /// Where the router wanted to go.
    pub wanted: String,
    /// Where control went.
    pub to: String,
    /// Whether the choice was one of those offered.
    pub is_valid: bool,
    /// Whether a fault took control elsewhere.
    pub is_faulted: bool,
}

/// An episode on the graph.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Walk {
    /// Whether it was won.
    pub is_won: bool,
    /// Its visits in order.
    pub visits: Vec<Visit>,
}

/// How many decisions of won episodes the rules of a machine cover.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Covered {
    /// Decisions.
    pub decisions: usize,
    /// Those that a rule decides.
    pub covered: u64,
    /// Those of them that the rule decides as the router did.
    pub alike: u64,
}

/// What is left of a graph.
#[derive(Clone, Debug)]
pub struct Distilled {
    /// The graph, or the machine.
    pub graph: TaskGraph,
    /// What became of each way of the whole graph, in its order.
    pub ways: Vec<JudgedWay>,
    /// Episodes that were measured.
    pub episodes: usize,
    /// Those that were won.
    pub won: usize,
    /// What the rules of a machine cover; `None` without one.
    pub covered: Option<Covered>,
}

/// Makes a sparse graph of what episodes did with a whole one, or a machine where `learning` says how.
///
/// # Errors
/// When what is left is not a graph.
pub fn measured(
    whole: &TaskGraph,
    walks: &[Walk],
    rules: Rules,
    learning: Option<Learning>,
) -> Result<Distilled, GraphError> {
    let (mut graph, ways) = distil(whole, &uses(walks), rules);
    let covered = learning.map(|learning| {
        let samples: Vec<Sample> = walks.iter().filter(|walk| walk.is_won).flat_map(samples).collect();
        graph = learn(&graph, &samples, learning);
        covered(&graph, &samples)
    });
    graph.check(None)?;
    let won = walks.iter().filter(|walk| walk.is_won).count();
    Ok(Distilled { graph, ways, episodes: walks.len(), won, covered })
}

/// How often the router itself took each way; where a fault took control elsewhere, the choice that then leads to what had been wanted
/// is a repair.
fn uses(walks: &[Walk]) -> BTreeMap<(String, String), Use> {
    let mut uses: BTreeMap<(String, String), Use> = BTreeMap::new();
    for walk in walks {
        let mut diverted_from: Option<&str> = None;
        for visit in &walk.visits {
            if visit.is_faulted {
                diverted_from.get_or_insert(&visit.wanted);
                continue;
            }
            let used = uses.entry((visit.node.clone(), visit.to.clone())).or_default();
            used.all += 1;
            used.won += u64::from(walk.is_won);
            if diverted_from.is_some_and(|wanted| wanted == visit.to) {
                used.repairs += 1;
                diverted_from = None;
            }
        }
    }
    uses
}

/// The router's own choices in an episode, and what could be seen when they were made.
fn samples(walk: &Walk) -> Vec<Sample> {
    let (mut visits, mut before) = (BTreeMap::<&str, u32>::new(), None);
    let mut found = Vec::new();
    for visit in &walk.visits {
        let number = visits.entry(&visit.node).or_default();
        *number += 1;
        let facts = Facts {
            ended: if visit.is_done { SegmentStop::Done } else { SegmentStop::LocalBudget },
            tool: visit.tool.clone(),
            refused: visit.is_refused,
            visit: *number,
            after: before.map(str::to_owned),
        };
        // Where a fault took control elsewhere, the choice was made all the same; one that was not valid teaches nothing.
        if visit.is_valid {
            found.push(Sample { from: visit.node.clone(), facts, to: visit.wanted.clone() });
        }
        before = Some(visit.node.as_str());
    }
    found
}

/// How many of the measured decisions the rules cover, and how many of those they make alike.
fn covered(machine: &TaskGraph, samples: &[Sample]) -> Covered {
    let decided = samples.iter().filter_map(|sample| Some((sample, decide(machine, &sample.from, &sample.facts)?.1)));
    let none = Covered { decisions: samples.len(), covered: 0, alike: 0 };
    decided.fold(none, |sum, (sample, rule)| Covered {
        covered: sum.covered + 1,
        alike: sum.alike + u64::from(rule.to == sample.to),
        ..sum
    })
}

#[cfg(test)]
mod tests {
    use super::{Learning, Rules, Use, Visit, Walk, measured, samples, uses};
    use crate::shared::graph::{Node, TaskGraph};

    fn visit(node: &str, to: &str) -> Visit {
        Visit {
            node: node.to_owned(),
            is_done: true,
            tool: Some("go".to_owned()),
            is_refused: false,
            wanted: to.to_owned(),
            to: to.to_owned(),
            is_valid: true,
            is_faulted: false,
        }
    }

    fn diverted(node: &str, wanted: &str, to: &str) -> Visit {
        Visit { wanted: wanted.to_owned(), is_faulted: true, ..visit(node, to) }
    }

    // covers: CYC-092
    #[test]
    fn a_choice_that_leads_to_what_a_fault_prevented_is_a_repair() {
        let walk = Walk { is_won: true, visits: vec![diverted("A", "B", "C"), visit("C", "A"), visit("A", "B")] };
        let uses = uses(&[walk, Walk { is_won: false, visits: vec![visit("A", "B")] }]);
        let of = |from: &str, to: &str| uses.get(&(from.to_owned(), to.to_owned())).copied();
        assert_eq!(of("A", "B"), Some(Use { all: 2, won: 1, repairs: 1 }));
        assert_eq!(of("C", "A"), Some(Use { all: 1, won: 1, repairs: 0 }));
        assert_eq!(of("A", "C"), None, "what a fault took is nobody's choice");
    }

    // covers: CYC-093
    #[test]
    fn a_choice_is_a_sample_with_what_could_be_seen_and_one_that_is_not_valid_is_none() {
        let unread = Visit { is_valid: false, ..visit("B", "A") };
        let found = samples(&Walk { is_won: true, visits: vec![visit("A", "B"), unread, diverted("A", "B", "C")] });
        let seen: Vec<(&str, u32, Option<&str>, &str)> =
            found.iter().map(|one| (&*one.from, one.facts.visit, one.facts.after.as_deref(), &*one.to)).collect();
        assert_eq!(seen, [("A", 1, None, "B"), ("A", 2, Some("B"), "B")]);
    }

    // covers: CYC-092, CYC-093
    #[test]
    fn a_run_leaves_a_sparse_graph_or_a_machine_that_covers_its_choices() {
        let node = |name: &str| Node { name: name.to_owned(), goal: "do it".to_owned(), tools: Vec::new() };
        let whole = TaskGraph::complete(["A", "B"].map(node).into());
        let walks = vec![Walk { is_won: true, visits: vec![visit("A", "B"), visit("B", "A")] }; 3];
        let sparse = measured(&whole, &walks, Rules::default(), None).unwrap();
        assert_eq!((sparse.episodes, sparse.won, sparse.covered), (3, 3, None));
        assert_eq!((sparse.graph.edges.len(), sparse.ways.len()), (2, 4));
        let machine = measured(&whole, &walks, Rules::default(), Some(Learning::default())).unwrap();
        let covered = machine.covered.unwrap();
        assert_eq!((covered.decisions, covered.covered, covered.alike), (6, 6, 6));
    }
}
