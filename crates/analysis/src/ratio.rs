//! Fieller's interval of a ratio of two means measured on the same units.

use crate::describe::Interval;
use crate::special::t_quantile;

/// Fieller's confidence set of mean(above) / mean(below) for paired observations, with n-1 degrees of freedom.
///
/// `None` for fewer than two pairs and when the denominator's mean is not clearly apart from zero: then the set is not
/// an interval, and a number would pretend to know.
#[must_use]
pub fn fieller(pairs: &[(f64, f64)], confidence: f64) -> Option<Interval> {
    let n = pairs.len();
    if n < 2 {
        return None;
    }
    let count = n as f64;
    let (above, below) = pairs.iter().fold((0.0, 0.0), |(a, b), pair| (a + pair.0 / count, b + pair.1 / count));
    let (mut v_above, mut v_below, mut v_both) = (0.0, 0.0, 0.0);
    for pair in pairs {
        let (a, b) = (pair.0 - above, pair.1 - below);
        v_above += a * a;
        v_below += b * b;
        v_both += a * b;
    }
    let scale = (count - 1.0) * count;
    let (v_above, v_below, v_both) = (v_above / scale, v_below / scale, v_both / scale);
    let t2 = t_quantile(0.5 + confidence / 2.0, count - 1.0)?.powi(2);
    // Roots of (below^2 - t2 v_below) r^2 - 2 (above below - t2 v_both) r + (above^2 - t2 v_above) = 0.
    let a = below * below - t2 * v_below;
    let b = above * below - t2 * v_both;
    let c = above * above - t2 * v_above;
    let discriminant = b * b - a * c;
    if a <= 0.0 || discriminant < 0.0 {
        return None;
    }
    let root = discriminant.sqrt();
    Some(Interval { low: (b - root) / a, high: (b + root) / a })
}
