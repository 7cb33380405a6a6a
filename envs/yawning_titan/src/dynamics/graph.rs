//! A graph in which all orders matter: of nodes, and of each node's neighbours (SPEC 1). No operation allocates.

/// A graph over numbered nodes, with room for all that may ever be in it.
#[derive(Clone, Debug)]
pub(crate) struct Graph {
    /// The nodes that are in, in the order in which they were put in.
    order: Vec<u16>,
    present: Vec<bool>,
    /// Neighbours of each node in order, row by row.
    lists: Vec<u16>,
    degrees: Vec<u16>,
    room: usize,
}

impl Graph {
    /// An empty graph with room for `room` nodes.
    pub fn new(room: usize) -> Self {
        Self {
            order: Vec::with_capacity(room),
            present: vec![false; room],
            lists: vec![0; room * room],
            degrees: vec![0; room],
            room,
        }
    }

    /// Takes over ordered lists of neighbours, of the first nodes.
    pub fn adopt(&mut self, neighbours: &[Vec<u16>]) {
        for (node, list) in neighbours.iter().enumerate() {
            let from = node * self.room;
            self.lists[from..from + list.len()].copy_from_slice(list);
            self.degrees[node] = list.len() as u16;
        }
    }

    /// Becomes equal to another of the same room.
    pub fn copy_from(&mut self, other: &Self) {
        self.order.clear();
        self.order.extend_from_slice(&other.order);
        self.present.copy_from_slice(&other.present);
        self.lists.copy_from_slice(&other.lists);
        self.degrees.copy_from_slice(&other.degrees);
    }

    /// The same with room for all nodes, which a plain copy does not keep.
    pub fn with_room(&self) -> Self {
        let mut copy = Self::new(self.room);
        copy.copy_from(self);
        copy
    }

    /// The nodes, in node order.
    #[inline]
    pub fn order(&self) -> &[u16] {
        &self.order
    }

    /// Whether a node is in.
    #[inline]
    pub fn contains(&self, node: u16) -> bool {
        self.present[node as usize]
    }

    /// The neighbours of a node, in order.
    #[inline]
    pub fn neighbours(&self, node: u16) -> &[u16] {
        let from = node as usize * self.room;
        &self.lists[from..from + self.degrees[node as usize] as usize]
    }

    /// Whether there is an edge.
    #[inline]
    pub fn joined(&self, one: u16, other: u16) -> bool {
        self.neighbours(one).contains(&other)
    }

    /// Puts a node in at the end, unless it is in.
    pub fn insert(&mut self, node: u16) {
        if !self.present[node as usize] {
            self.present[node as usize] = true;
            self.order.push(node);
        }
    }

    /// Adds an edge; one that exists changes nothing.
    pub fn join(&mut self, one: u16, other: u16) {
        if !self.joined(one, other) {
            self.append(one, other);
            self.append(other, one);
        }
    }

    fn append(&mut self, node: u16, other: u16) {
        let degree = self.degrees[node as usize] as usize;
        self.lists[node as usize * self.room + degree] = other;
        self.degrees[node as usize] += 1;
    }

    /// Removes an edge, if there is one.
    pub fn cut(&mut self, one: u16, other: u16) {
        self.drop_from(one, other);
        self.drop_from(other, one);
    }

    fn drop_from(&mut self, node: u16, other: u16) {
        let from = node as usize * self.room;
        let degree = self.degrees[node as usize] as usize;
        let list = &mut self.lists[from..from + degree];
        if let Some(at) = list.iter().position(|known| *known == other) {
            list.copy_within(at + 1.., at);
            self.degrees[node as usize] -= 1;
        }
    }

    /// Removes all edges of a node.
    pub fn isolate(&mut self, node: u16) {
        while let Some(other) = self.neighbours(node).first().copied() {
            self.cut(node, other);
        }
    }

    /// Removes a node with its edges.
    pub fn remove(&mut self, node: u16) {
        if self.contains(node) {
            self.isolate(node);
            self.present[node as usize] = false;
            self.order.retain(|known| *known != node);
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn orders_follow_what_was_done() {
        let mut graph = Graph::new(5);
        [3, 0, 4, 1].into_iter().for_each(|node| graph.insert(node));
        graph.join(3, 0);
        graph.join(3, 4);
        graph.join(3, 1);
        graph.join(0, 3);
        assert_eq!(graph.neighbours(3), [0, 4, 1]);
        graph.cut(3, 0);
        graph.join(0, 3);
        assert_eq!(graph.neighbours(3), [4, 1, 0], "an edge that is put back goes to the end");
        graph.remove(4);
        graph.insert(4);
        assert_eq!(graph.order(), [3, 0, 1, 4], "and so does a node");
        assert!(graph.neighbours(4).is_empty());
        assert_eq!(graph.neighbours(3), [1, 0]);
        graph.isolate(3);
        assert!(!graph.joined(3, 0) && !graph.joined(0, 3));
        let mut copy = Graph::new(5);
        copy.copy_from(&graph);
        assert_eq!(copy.order(), graph.order());
    }
}
