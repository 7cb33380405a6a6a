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
    // What is not a number is compared with nothing.
    let mut efficient = vec![true; points.len()];
    let mut order: Vec<usize> =
        (0..points.len()).filter(|at| !points[*at].cost.is_nan() && !points[*at].value.is_nan()).collect();
    order.sort_by(|a, b| points[*a].cost.partial_cmp(&points[*b].cost).unwrap_or(std::cmp::Ordering::Equal));
    // The highest value of all that cost less.
    let mut best: Option<f64> = None;
    for equal in order.chunk_by(|a, b| points[*a].cost == points[*b].cost) {
        let highest = equal.iter().map(|at| points[*at].value).fold(f64::NEG_INFINITY, f64::max);
        for at in equal {
            let value = points[*at].value;
            efficient[*at] = value >= highest && best.is_none_or(|best| best < value);
        }
        best = Some(best.map_or(highest, |best| best.max(highest)));
    }
    efficient
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;

    use super::{Point, pareto};

    proptest! {
        #[test]
        fn a_point_is_efficient_where_none_dominates_it(
            points in proptest::collection::vec((0_u8..6, prop_oneof![(0_u8..6).prop_map(f64::from), Just(f64::NAN), Just(-0.0)]), 0..40),
        ) {
            let points: Vec<Point> =
                points.into_iter().map(|(cost, value)| Point { cost: f64::from(cost), value }).collect();
            let expected: Vec<bool> =
                points.iter().map(|point| !points.iter().any(|other| other.dominates(point))).collect();
            prop_assert_eq!(pareto(&points), expected);
        }
    }
}
