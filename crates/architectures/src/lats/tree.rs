//! The tree of one real step: nodes, what they are worth, which one is expanded next, which first action is played. No model and no branch.

use std::cmp::Ordering;

use gimbal_core::stop::EnvironmentStop;
use gimbal_core::{Milli, ToolCall};

/// Place of the present in the tree.
pub(super) const ROOT: usize = 0;
/// Value of a node of which nobody says anything: neither good nor bad.
pub(super) const UNKNOWN: Milli = Milli(500);

/// What counts how much.
#[derive(Clone, Copy, Debug, PartialEq)]
pub(super) struct Weights {
    /// Weight of rarely visited nodes.
    pub exploration: f64,
    /// Share of the model's value; the rest is the simulated return.
    pub value: f64,
}

/// An action that was tried, and what it led to.
#[derive(Clone, Debug, Default, PartialEq)]
pub(super) struct Step {
    /// The call; none of the present, to which none led.
    pub call: Option<ToolCall>,
    /// Action text.
    pub action: String,
    /// What would be seen then; empty where nobody knows.
    pub result: String,
    /// Reward of the simulated step, where it may be told.
    pub reward: Option<Milli>,
    pub ended: Option<EnvironmentStop>,
    /// Whether it was carried out in a branch.
    pub simulated: bool,
}

/// A node of the tree.
#[derive(Clone, Debug)]
pub(super) struct Node {
    pub parent: usize,
    pub step: Step,
    pub depth: u32,
    /// Sum of rewards from the present.
    returned: Milli,
    children: Vec<usize>,
    expanded: bool,
    /// Whether it, or a node below it, may be expanded.
    open: bool,
    visits: u32,
    values: i64,
    /// Sum over visits of the return a simulated step.
    rates: i64,
}

/// The tree.
#[derive(Clone, Debug)]
pub(super) struct Tree {
    nodes: Vec<Node>,
    depth: u32,
    weights: Weights,
}

impl Tree {
    /// The present alone; nodes `depth` steps from it are not expanded.
    pub(super) fn new(depth: u32, weights: Weights) -> Self {
        let root = Node {
            parent: ROOT,
            step: Step::default(),
            depth: 0,
            returned: Milli::ZERO,
            children: Vec::new(),
            expanded: false,
            open: true,
            visits: 0,
            values: 0,
            rates: 0,
        };
        Self { nodes: vec![root], depth, weights }
    }

    pub(super) fn node(&self, at: usize) -> &Node {
        &self.nodes[at]
    }

    /// Nodes without the present.
    pub(super) fn size(&self) -> usize {
        self.nodes.len() - 1
    }

    /// Steps from the present to the deepest node.
    pub(super) fn deepest(&self) -> u32 {
        self.nodes.iter().map(|node| node.depth).max().unwrap_or(0)
    }

    /// First actions, in the order in which they were proposed.
    pub(super) fn first(&self) -> &[usize] {
        &self.nodes[ROOT].children
    }

    /// The steps from the present to a node.
    pub(super) fn path(&self, at: usize) -> Vec<&Step> {
        let mut path = Vec::new();
        let mut at = at;
        while at != ROOT {
            path.push(&self.nodes[at].step);
            at = self.nodes[at].parent;
        }
        path.reverse();
        path
    }

    /// Takes up a child of `parent`. It counts only once it is [backed up](Self::back_up).
    pub(super) fn add(&mut self, parent: usize, step: Step) -> usize {
        let at = self.nodes.len();
        let depth = self.nodes[parent].depth + 1;
        let returned = self.nodes[parent].returned + step.reward.unwrap_or_default();
        let open = step.simulated && step.ended.is_none() && depth < self.depth;
        self.nodes[parent].children.push(at);
        self.nodes.push(Node {
            parent,
            step,
            depth,
            returned,
            children: Vec::new(),
            expanded: false,
            open,
            visits: 0,
            values: 0,
            rates: 0,
        });
        at
    }

    /// A node has been expanded: what is open is found again from it upwards.
    pub(super) fn expanded(&mut self, at: usize) {
        self.nodes[at].expanded = true;
        let mut at = at;
        loop {
            let node = &self.nodes[at];
            let open = !node.expanded || node.children.iter().any(|child| self.nodes[*child].open);
            self.nodes[at].open = open && self.nodes[at].open;
            if at == ROOT {
                return;
            }
            at = self.nodes[at].parent;
        }
    }

    /// Counts a node with what is said of it, in itself and in all nodes above it.
    pub(super) fn back_up(&mut self, at: usize, value: Milli) {
        let rate = self.rate(at);
        let mut at = at;
        loop {
            let node = &mut self.nodes[at];
            node.visits += 1;
            node.values += value.0;
            node.rates += rate;
            if at == ROOT {
                return;
            }
            at = node.parent;
        }
    }

    /// Return a simulated step, so that paths of different lengths can be compared.
    fn rate(&self, at: usize) -> i64 {
        let node = &self.nodes[at];
        node.returned.0 / i64::from(node.depth.max(1))
    }

    /// The lowest and the highest return a step in the tree.
    fn range(&self) -> (i64, i64) {
        let rates = (1..self.nodes.len()).map(|at| self.rate(at));
        rates.fold((i64::MAX, i64::MIN), |(low, high), rate| (low.min(rate), high.max(rate)))
    }

    /// The mean value of the model at and below a node.
    pub(super) fn value(&self, at: usize) -> Milli {
        let node = &self.nodes[at];
        Milli(node.values / i64::from(node.visits.max(1)))
    }

    /// The mean return a simulated step at and below a node.
    pub(super) fn simulated(&self, at: usize) -> Milli {
        let node = &self.nodes[at];
        Milli(node.rates / i64::from(node.visits.max(1)))
    }

    pub(super) fn visits(&self, at: usize) -> u32 {
        self.nodes[at].visits
    }

    /// What a node is worth, from 0 to 1. Where all simulated returns are alike they say nothing.
    pub(super) fn worth(&self, at: usize) -> f64 {
        let node = &self.nodes[at];
        if node.visits == 0 {
            return UNKNOWN.to_f64();
        }
        let visits = f64::from(node.visits);
        let value = node.values as f64 / visits / 1000.0;
        let (low, high) = self.range();
        if high <= low {
            return value;
        }
        let mean = node.rates as f64 / visits;
        let simulated = ((mean - low as f64) / (high - low) as f64).clamp(0.0, 1.0);
        self.weights.value * value + (1.0 - self.weights.value) * simulated
    }

    /// The node to expand next, by UCT from the present on; `None` if nothing is open. Of nodes that are alike the first.
    pub(super) fn leaf(&self) -> Option<usize> {
        let mut at = ROOT;
        if !self.nodes[at].open {
            return None;
        }
        while self.nodes[at].expanded {
            let children = self.nodes[at].children.iter().copied().filter(|child| self.nodes[*child].open);
            let bound = |child: usize| self.worth(child) + self.bonus(at, child);
            at = first_of_best(children, |one, other| bound(one).total_cmp(&bound(other)))?;
        }
        Some(at)
    }

    /// What speaks for a child that was rarely visited.
    fn bonus(&self, parent: usize, child: usize) -> f64 {
        let visits = f64::from(self.nodes[child].visits.max(1));
        self.weights.exploration * (logarithm(self.nodes[parent].visits.max(1)) / visits).sqrt()
    }

    /// The first actions, the one to play first: one that leads to the goal, by the shortest way; else the most visited one, of those alike the one
    /// worth most, of those alike the first.
    pub(super) fn ranked(&self) -> Vec<usize> {
        let mut first: Vec<(usize, Option<u32>)> =
            self.first().iter().map(|at| (*at, self.solved_below(*at))).collect();
        first.sort_by(|(one, solved), (other, also)| {
            let goal = match (solved, also) {
                (Some(one), Some(other)) => one.cmp(other),
                (Some(_), None) => Ordering::Less,
                (None, Some(_)) => Ordering::Greater,
                (None, None) => Ordering::Equal,
            };
            goal.then_with(|| self.visits(*other).cmp(&self.visits(*one)))
                .then_with(|| self.worth(*other).total_cmp(&self.worth(*one)))
        });
        first.into_iter().map(|(at, _)| at).collect()
    }

    /// Whether a path reaches the goal.
    pub(super) fn is_solved(&self) -> bool {
        self.nodes.iter().any(|node| node.step.ended == Some(EnvironmentStop::Solved))
    }

    /// Depth of the nearest node at or below `at` that reaches the goal.
    fn solved_below(&self, at: usize) -> Option<u32> {
        let node = &self.nodes[at];
        let own = (node.step.ended == Some(EnvironmentStop::Solved)).then_some(node.depth);
        node.children.iter().filter_map(|child| self.solved_below(*child)).chain(own).min()
    }
}

/// The best of some places; of those alike the first.
fn first_of_best(places: impl Iterator<Item = usize>, compare: impl Fn(usize, usize) -> Ordering) -> Option<usize> {
    places.reduce(|best, one| if compare(one, best) == Ordering::Greater { one } else { best })
}

/// The natural logarithm of a whole number, by sums and products alone: a library's last bit may differ from machine to machine, and with it the
/// node that is chosen.
fn logarithm(number: u32) -> f64 {
    let ratio = |of: u32| {
        // ln(n / (n - 1)) = 2 artanh(1 / (2n - 1))
        let inverse = 1.0 / (2.0 * f64::from(of) - 1.0);
        let square = inverse * inverse;
        let (mut power, mut sum) = (inverse, 0.0);
        for odd in (1..=31_u32).step_by(2) {
            sum += power / f64::from(odd);
            power *= square;
        }
        2.0 * sum
    };
    (2..=number).map(ratio).sum()
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;

    use super::{EnvironmentStop, Milli, ROOT, Step, Tree, Weights, logarithm};

    fn tree(value: f64) -> Tree {
        Tree::new(3, Weights { exploration: 1.0, value })
    }

    fn step(action: &str, reward: i64) -> Step {
        Step { action: action.to_owned(), reward: Some(Milli(reward)), simulated: true, ..Step::default() }
    }

    fn grow(tree: &mut Tree, at: usize, children: &[(i64, i64)]) -> Vec<usize> {
        let added: Vec<usize> = children.iter().map(|(reward, _)| tree.add(at, step("do", *reward))).collect();
        tree.expanded(at);
        for (at, (_, value)) in added.iter().zip(children) {
            tree.back_up(*at, Milli(*value));
        }
        added
    }

    #[test]
    fn the_logarithm_is_that_of_the_library() {
        for number in [1, 2, 3, 10, 97, 1_000, 100_000] {
            assert!((logarithm(number) - f64::from(number).ln()).abs() < 1e-10, "{number}");
        }
    }

    // covers: CTHA-131
    #[test]
    fn the_most_promising_node_is_expanded_and_visits_decide_what_is_played() {
        let mut tree = tree(1.0);
        assert_eq!(tree.leaf(), Some(ROOT));
        let first = grow(&mut tree, ROOT, &[(0, 300), (0, 900), (0, 900)]);
        assert_eq!(tree.leaf(), Some(first[1]), "of nodes alike the first");
        assert_eq!(tree.ranked(), [first[1], first[2], first[0]]);
        let below = grow(&mut tree, first[1], &[(0, 0), (0, 0)]);
        assert_eq!(tree.value(first[1]), Milli(300));
        assert_eq!(tree.leaf(), Some(first[2]), "what was found below speaks against it");
        assert_eq!(tree.ranked()[0], first[1], "visits go before worth");
        assert_eq!((tree.deepest(), tree.size(), tree.path(below[0]).len()), (2, 5, 2));
    }

    #[test]
    fn simulated_returns_count_by_step_and_say_nothing_where_they_are_alike() {
        let mut tree = tree(0.0);
        let first = grow(&mut tree, ROOT, &[(-1000, 500), (-100, 500)]);
        assert!((tree.worth(first[0]), tree.worth(first[1])) == (0.0, 1.0));
        // A longer path with the same reward in each step is worth the same.
        grow(&mut tree, first[1], &[(-100, 500)]);
        assert!((tree.worth(first[1]) - 1.0).abs() < 1e-9, "{}", tree.worth(first[1]));
        let mut alike = Tree::new(3, Weights { exploration: 1.0, value: 0.0 });
        let first = grow(&mut alike, ROOT, &[(0, 200), (0, 700)]);
        assert!((alike.worth(first[0]), alike.worth(first[1])) == (0.2, 0.7));
    }

    #[test]
    fn a_way_to_the_goal_is_played_and_the_shortest_first() {
        let mut tree = tree(0.5);
        let first = grow(&mut tree, ROOT, &[(0, 900), (0, 100), (0, 100)]);
        let solve = |tree: &mut Tree, at: usize| {
            let at = tree.add(at, Step { ended: Some(EnvironmentStop::Solved), ..step("end", 1000) });
            tree.back_up(at, Milli(1000));
        };
        let deeper = tree.add(first[1], step("on", 0));
        solve(&mut tree, deeper);
        assert_eq!(tree.ranked()[0], first[1]);
        solve(&mut tree, first[2]);
        assert_eq!(tree.ranked()[..2], [first[2], first[1]]);
        assert!(tree.is_solved());
    }

    proptest! {
        /// Expanding until nothing is open ends, and visits add up.
        #[test]
        fn every_node_is_expanded_once_and_visits_add_up(
            width in 1_usize..4, depth in 1_u32..4, values in proptest::collection::vec(0_i64..=1000, 1..8),
            rewards in proptest::collection::vec(-500_i64..500, 1..8), weight in 0_u32..=4,
        ) {
            let mut tree = Tree::new(depth, Weights { exploration: 0.7, value: f64::from(weight) / 4.0 });
            let (mut count, mut expanded) = (0_usize, std::collections::BTreeSet::new());
            while let Some(leaf) = tree.leaf() {
                prop_assert!(expanded.insert(leaf) && tree.node(leaf).depth < depth);
                let children: Vec<(i64, i64)> =
                    (0..width).map(|at| (rewards[(count + at) % rewards.len()], values[(count + at) % values.len()])).collect();
                grow(&mut tree, leaf, &children);
                count += width;
            }
            prop_assert_eq!(tree.size(), count);
            prop_assert_eq!(tree.visits(ROOT) as usize, count);
            prop_assert_eq!(count, (1..=depth).map(|at| width.pow(at)).sum::<usize>());
            let first: u32 = tree.first().iter().map(|at| tree.visits(*at)).sum();
            prop_assert_eq!(first as usize, count);
            for at in 1..=count {
                prop_assert!((0.0..=1.0).contains(&tree.worth(at)), "{}", tree.worth(at));
            }
        }
    }
}
