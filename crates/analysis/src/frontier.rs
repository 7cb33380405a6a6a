//! Which points are efficient: fewer tokens, higher return.

/// A point to judge: its cost (to be small) and its value (to be large).
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Point {
    /// Tokens, or any other cost.
    pub cost: f64,
    /// Mean return, or any other value.
    pub value: f64,
}

impl Point {
    /// Whether this point is at least as good as another on both counts and better on one.
    #[must_use]
    pub fn dominates(&self, other: &Self) -> bool {
        self.cost <= other.cost && self.value >= other.value && (self.cost < other.cost || self.value > other.value)
    }
}

/// For each point whether no other dominates it (BOG-172). Equal points stand or fall together.
#[must_use]
pub fn pareto(points: &[Point]) -> Vec<bool> {
    points.iter().map(|point| !points.iter().any(|other| other.dominates(point))).collect()
}
