//! Deceptive nodes (SPEC 6).

use super::{Executed, Graph, State};
use crate::draws::{Draws, Purpose, Site};

impl State {
    /// Places the next deceptive node on an edge of the initial network.
    pub(super) fn deceive<D: Draws>(&mut self, draws: &mut D, edge: u16) -> Executed {
        let (a, b) = self.initial.edges[edge as usize];
        let count = self.rules.deceptive_count;
        if !self.whole.joined(a, b) || count == 0 {
            return Executed::DoNothing;
        }
        // QUIRK: red is pushed out of any deceptive node, not only out of the one that moves.
        if self.location.is_some_and(|node| self.is_deceptive(node)) {
            self.push_red(draws);
        }
        let node = (self.base + self.pointer) as u16;
        let known = self.now.contains(node);
        if self.whole.contains(node) {
            self.connect(node);
            lift(&mut self.whole, node);
        }
        put(&mut self.whole, node, Some(a), Some(b));
        if known {
            self.connect(node);
            lift(&mut self.now, node);
        }
        let open = |end: u16| (!self.isolated[end as usize]).then_some(end);
        put(&mut self.now, node, open(a), open(b));
        if !known {
            let at = self.by_uuid.partition_point(|other| self.uuids[*other as usize] < self.uuids[node as usize]);
            self.by_uuid.insert(at, node);
        }
        self.pointer += 1;
        if !self.full {
            self.in_play += 1;
        }
        if self.pointer == count {
            self.pointer = 0;
        }
        if self.in_play == count {
            self.full = true;
        }
        let at = node as usize;
        // QUIRK: drawn at the first placing too.
        if self.rules.new_on_relocate {
            self.vulnerability[at] = draws.uniform(Site::new(Purpose::Vulnerability), self.lower, self.upper);
            self.original[at] = self.vulnerability[at];
            for flags in [&mut self.compromised, &mut self.view, &mut self.known, &mut self.isolated] {
                flags[at] = false;
            }
        }
        self.moved = true;
        self.marked = false;
        Executed::AddDeceptiveNode
    }
}

/// Takes a node out and joins its neighbours with one another, in order.
fn lift(graph: &mut Graph, node: u16) {
    let count = graph.neighbours(node).len();
    for one in 0..count {
        for other in one + 1..count {
            let (one, other) = (graph.neighbours(node)[one], graph.neighbours(node)[other]);
            graph.join(one, other);
        }
    }
    graph.remove(node);
}

/// Puts a node in at the end, between those of two ends that can be reached.
fn put(graph: &mut Graph, node: u16, a: Option<u16>, b: Option<u16>) {
    if let (Some(a), Some(b)) = (a, b) {
        graph.cut(a, b);
    }
    graph.insert(node);
    if let Some(a) = a {
        graph.join(a, node);
    }
    if let Some(b) = b {
        graph.join(node, b);
    }
}
