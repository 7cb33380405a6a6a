//! The paired interval by which the best way is told from the second (label study).

use gimbal_core::Milli;
use serde::{Deserialize, Serialize};

/// A mean of paired differences with its 95% interval (Student's t).
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct Paired {
    /// Pairs.
    pub pairs: u32,
    /// Mean difference.
    pub mean: Milli,
    /// Half of the interval's width; 0 for one pair, which is exact where nothing is left to chance.
    pub half: Milli,
    /// Whether the interval covers 0. Decided in whole numbers, so that no rounding matters.
    pub covers_zero: bool,
}

/// 97.5% points of Student's t, in thousandths, for 1 degree of freedom onwards.
const POINTS: [i64; 63] = [
    12706, 4303, 3182, 2776, 2571, 2447, 2365, 2306, 2262, 2228, 2201, 2179, 2160, 2145, 2131, 2120, 2110, 2101, 2093,
    2086, 2080, 2074, 2069, 2064, 2060, 2056, 2052, 2048, 2045, 2042, 2040, 2037, 2035, 2032, 2030, 2028, 2026, 2024,
    2023, 2021, 2020, 2018, 2017, 2015, 2014, 2013, 2012, 2011, 2010, 2009, 2008, 2007, 2006, 2005, 2004, 2003, 2002,
    2002, 2001, 2000, 2000, 1999, 1998,
];

/// The point for so many degrees of freedom. Beyond the table it is that of its end, which is at most 2% too wide.
fn point(degrees: usize) -> i64 {
    POINTS[degrees.clamp(1, POINTS.len()) - 1]
}

/// The mean of `one` minus `other`, pair by pair; values without a partner are left out. `None` without a pair.
#[must_use]
pub fn paired(one: &[Milli], other: &[Milli]) -> Option<Paired> {
    let differences: Vec<i128> =
        one.iter().zip(other).map(|(one, other)| i128::from(one.0) - i128::from(other.0)).collect();
    let count = i128::try_from(differences.len()).ok().filter(|count| *count > 0)?;
    let sum: i128 = differences.iter().sum();
    let pairs = u32::try_from(differences.len()).unwrap_or(u32::MAX);
    let mean = rounded(sum, count);
    if count == 1 {
        return Some(Paired { pairs, mean, half: Milli::ZERO, covers_zero: sum == 0 });
    }
    let squares = differences.iter().fold(0_i128, |all, one| all.saturating_add(one.saturating_mul(*one)));
    // n times the sum of squared deviations.
    let spread = count.saturating_mul(squares).saturating_sub(sum.saturating_mul(sum)).max(0);
    let t = i128::from(point(differences.len() - 1));
    // |mean| <= t s / sqrt(n), squared and multiplied by what is positive.
    let left = sum.saturating_mul(sum).saturating_mul(count - 1).saturating_mul(1_000_000);
    let right = t.saturating_mul(t).saturating_mul(spread);
    let deviation = (spread as f64 / (count * (count - 1)) as f64).sqrt();
    let half = t as f64 / 1000.0 * deviation / (count as f64).sqrt();
    Some(Paired { pairs, mean, half: Milli(half.round() as i64), covers_zero: left <= right })
}

/// A mean in thousandths, to the nearest.
pub(super) fn rounded(sum: i128, count: i128) -> Milli {
    let mean = (2 * sum + count).div_euclid(2 * count);
    Milli(i64::try_from(mean).unwrap_or(if mean < 0 { i64::MIN } else { i64::MAX }))
}

#[cfg(test)]
mod tests {
    use gimbal_core::Milli;
    use proptest::prelude::*;

    use super::{POINTS, paired};

    fn millis(values: &[i64]) -> Vec<Milli> {
        values.iter().map(|value| Milli(*value)).collect()
    }

    /// The share of Student's t between -t and t, by its finite series for whole degrees of freedom.
    fn share(t: f64, degrees: usize) -> f64 {
        let angle = (t / (degrees as f64).sqrt()).atan();
        let (sine, cosine) = angle.sin_cos();
        let (mut term, mut sum) = (1.0, 1.0);
        if degrees.is_multiple_of(2) {
            for k in 1..degrees / 2 {
                term *= cosine * cosine * (2 * k - 1) as f64 / (2 * k) as f64;
                sum += term;
            }
            return sine * sum;
        }
        if degrees == 1 {
            return 2.0 * angle / std::f64::consts::PI;
        }
        (term, sum) = (cosine, cosine);
        for k in (3..degrees - 1).step_by(2) {
            term *= cosine * cosine * (k - 1) as f64 / k as f64;
            sum += term;
        }
        2.0 / std::f64::consts::PI * (angle + sine * sum)
    }

    #[test]
    fn the_points_are_those_of_the_distribution() {
        for (place, point) in POINTS.iter().enumerate() {
            let (low, high) = ((*point as f64 - 0.51) / 1000.0, (*point as f64 + 0.51) / 1000.0);
            let degrees = place + 1;
            assert!(share(low, degrees) < 0.95 && share(high, degrees) > 0.95, "{degrees}: {point}");
        }
    }

    #[test]
    fn an_interval_is_the_textbook_one() {
        // Differences 1, 2, 3, 4: mean 2.5, deviation 1.29099, half 3.182 * 1.29099 / 2.
        let found = paired(&millis(&[2000, 4000, 6000, 8000]), &millis(&[1000, 2000, 3000, 4000])).unwrap();
        assert_eq!((found.pairs, found.mean, found.half), (4, Milli(2500), Milli(2054)));
        assert!(!found.covers_zero);
        let wide = paired(&millis(&[-1000, 4000]), &millis(&[0, 0])).unwrap();
        assert_eq!((wide.mean, wide.half, wide.covers_zero), (Milli(1500), Milli(31765), true));
        assert_eq!(paired(&[], &[]), None);
    }

    #[test]
    fn one_pair_is_exact() {
        assert!(paired(&millis(&[5]), &millis(&[5])).unwrap().covers_zero);
        assert!(!paired(&millis(&[5]), &millis(&[4])).unwrap().covers_zero);
    }

    proptest! {
        #[test]
        fn the_decision_agrees_with_the_interval(
            pairs in proptest::collection::vec((-1_000_000_i64..1_000_000, -1_000_000_i64..1_000_000), 2..70),
        ) {
            let (one, other): (Vec<i64>, Vec<i64>) = pairs.into_iter().unzip();
            let found = paired(&millis(&one), &millis(&other)).unwrap();
            // Rounding of the shown numbers may hide a difference of one.
            if (found.mean.0.abs() - found.half.0).abs() > 1 {
                prop_assert_eq!(found.covers_zero, found.mean.0.abs() < found.half.0);
            }
            let back = paired(&millis(&other), &millis(&one)).unwrap();
            prop_assert_eq!((back.covers_zero, back.half), (found.covers_zero, found.half));
        }
    }
}
