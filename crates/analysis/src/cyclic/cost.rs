//! What routing costs: the bounds of the work's equations 7 to 13 (CYC-069).
//!
//! Storage is quadratic, a decision is linear (CYC-R08): a graph of n nodes holds n² criteria, and a router that stands
//! at a node reads at most the n that lead out of it.

/// Criteria that a complete graph stores.
#[must_use]
pub const fn criteria_stored(nodes: u64) -> u64 {
    nodes.saturating_mul(nodes)
}

/// W_m, the criteria that are read at a decision among so many candidates (eqs. 10, 11): never more than there are nodes.
#[must_use]
pub fn routing_work(candidates: u64, nodes: u64) -> u64 {
    candidates.min(nodes)
}

/// Cost of a decision that reads each criterion apart, at so much a criterion (eq. 13).
#[must_use]
pub fn routing_cost(candidates: u64, nodes: u64, each: f64) -> f64 {
    routing_work(candidates, nodes) as f64 * each
}

/// Input tokens of a decision in one call (eq. 7): n (mean tokens of a criterion + mean tokens of a subtask's name and
/// goal) + tokens of the memory.
#[must_use]
pub fn router_input_tokens(candidates: u64, criterion: f64, subtask: f64, memory: f64) -> f64 {
    candidates as f64 * (criterion + subtask) + memory
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;

    use super::*;

    proptest! {
        /// The bounds of equations 7 to 13, whatever the graph.
        // covers: CYC-069
        #[test]
        fn routing_is_linear_in_nodes(
            nodes in 1..400_u64,
            candidates in 0..500_u64,
            criterion in 0.0..60.0_f64,
            subtask in 0.0..60.0_f64,
            memory in 0.0..4000.0_f64,
        ) {
            let work = routing_work(candidates, nodes);
            prop_assert!(work <= nodes, "eq. 11");
            prop_assert!(work <= criteria_stored(nodes), "a decision reads no more than is stored");
            prop_assert!(routing_cost(candidates, nodes, criterion) <= nodes as f64 * criterion + 1e-9, "eq. 13");
            let all = router_input_tokens(nodes, criterion, subtask, memory);
            prop_assert!(router_input_tokens(work, criterion, subtask, memory) <= all + 1e-9, "eq. 7");
            // Linear: twice the nodes are at most twice the cost.
            prop_assert!(router_input_tokens(2 * nodes, criterion, subtask, memory) <= 2.0 * all + 1e-9);
        }
    }
}
