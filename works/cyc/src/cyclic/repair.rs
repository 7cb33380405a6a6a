//! Repair of single faults: from the diversion of a routing decision to the state of control being right again (CYC-096).
//!
//! *Right again*: the controller by its own choice enters the node that the router had wanted when the fault was injected, or
//! the episode succeeds. A decision that a fault diverts is nobody's choice, even if it leads there; and a list has no
//! choice: where its order leads there, that is how it is set right. What is counted
//! begins after the diverted decision and ends with the decision (or the end) that sets it right: the segments, and their
//! tool calls, model calls and tokens of executors and router alike.

use serde::{Deserialize, Serialize};

use super::trajectory::{Graph, Spend, Trajectory};

/// What followed one diverted decision.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct Repair {
    /// Segment after which the fault was injected.
    pub segment: u32,
    /// What it took; `None` if it was never set right.
    pub taken: Option<RepairCost>,
}

/// What setting a fault right took.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
pub struct RepairCost {
    /// Segments played.
    pub segments: u32,
    /// Tool calls.
    pub tool_calls: u64,
    /// Model calls and tokens.
    pub spent: Spend,
    /// By what.
    pub by: RepairMeans,
}

/// What set a fault right.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum RepairMeans {
    /// The controller's own choice.
    #[default]
    Choice,
    /// The order of a list, which has no choice.
    Order,
    /// Success, before control was back.
    Success,
}

/// What followed each fault of an episode, in order.
#[must_use]
pub fn repairs(trajectory: &Trajectory) -> Vec<Repair> {
    let segments = &trajectory.segments;
    let is_list = trajectory.graph().is_some_and(Graph::is_list);
    let by = if is_list { RepairMeans::Order } else { RepairMeans::Choice };
    let faulted = segments.iter().enumerate().filter_map(|(place, segment)| {
        segment.routed.as_ref().filter(|routed| routed.faulted).map(|routed| (place, segment.index, &routed.wanted))
    });
    faulted
        .map(|(place, segment, wanted)| {
            let mut taken = RepairCost { by, ..RepairCost::default() };
            for later in &segments[place + 1..] {
                taken.segments += 1;
                taken.tool_calls += u64::from(later.calls);
                taken.spent = taken.spent.plus(later.executor).plus(later.router);
                if later.routed.as_ref().is_some_and(|routed| !routed.faulted && routed.valid && routed.to == *wanted) {
                    return Repair { segment, taken: Some(taken) };
                }
            }
            taken.by = RepairMeans::Success;
            Repair { segment, taken: trajectory.won.then_some(taken) }
        })
        .collect()
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::cyclic::trajectory::{Routed, Segment};

    fn segment(index: u32, node: &str, calls: u32, routed: Option<(&str, &str, bool)>) -> Segment {
        let spent = |calls, input| Spend { calls, input, output: 10 };
        Segment {
            index,
            node: node.to_owned(),
            calls,
            executor: spent(u64::from(calls), 100),
            router: if routed.is_some() { spent(1, 50) } else { Spend::default() },
            routed: routed.map(|(wanted, to, faulted)| Routed {
                wanted: wanted.to_owned(),
                to: to.to_owned(),
                valid: true,
                faulted,
                ..Routed::default()
            }),
            ..Segment::default()
        }
    }

    fn walk(won: bool, segments: Vec<Segment>) -> Trajectory {
        Trajectory { won, segments, ..Trajectory::default() }
    }

    /// Diverted from B to C; C diverts again (to B, which is not a choice); from A the router goes to B by itself.
    // covers: CYC-096
    #[test]
    fn a_fault_is_set_right_by_a_choice_of_the_controller_alone() {
        let walk = walk(
            false,
            vec![
                segment(0, "A", 3, Some(("B", "C", true))),
                segment(1, "C", 2, Some(("A", "B", true))),
                segment(2, "B", 4, Some(("A", "A", false))),
                segment(3, "A", 1, Some(("B", "B", false))),
                segment(4, "B", 5, None),
            ],
        );
        let found = repairs(&walk);
        assert_eq!(found.len(), 2);
        let first = found[0].taken.unwrap();
        assert_eq!((found[0].segment, first.segments, first.tool_calls, first.by), (0, 3, 7, RepairMeans::Choice));
        // Executors 2 + 4 + 1 calls, routers 3; tokens (100 + 10) and (50 + 10) a segment.
        assert_eq!((first.spent.calls, first.spent.tokens()), (10, 510));
        let second = found[1].taken.unwrap();
        assert_eq!((found[1].segment, second.segments, second.tool_calls), (1, 1, 4));
        // The same walk over a list: nobody chose.
        let list = Graph { ways: "list".to_owned(), ..Graph::default() };
        let found = repairs(&Trajectory { graphs: vec![list], ..walk });
        assert!(found.iter().all(|fault| fault.taken.is_some_and(|taken| taken.by == RepairMeans::Order)), "{found:?}");
    }

    // covers: CYC-096
    #[test]
    fn success_repairs_and_the_end_of_a_lost_episode_does_not() {
        let segments = || {
            vec![
                segment(0, "A", 1, Some(("B", "C", true))),
                segment(1, "C", 2, Some(("C", "C", false))),
                segment(2, "C", 2, None),
            ]
        };
        let won = repairs(&walk(true, segments()));
        let taken = won[0].taken.unwrap();
        assert_eq!((taken.segments, taken.tool_calls, taken.by), (2, 4, RepairMeans::Success));
        assert_eq!(repairs(&walk(false, segments()))[0].taken, None);
        assert!(repairs(&walk(true, vec![segment(0, "A", 1, None)])).is_empty());
    }
}
