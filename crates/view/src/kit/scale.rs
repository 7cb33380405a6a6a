//! Axes: from values to positions, and where the ticks stand.

use gimbal_analysis::Interval;

/// A linear or logarithmic axis.
#[derive(Clone, Debug)]
pub struct Scale {
    /// The least value on the axis.
    pub low: f64,
    /// The largest value on the axis.
    pub high: f64,
    from: f64,
    to: f64,
    logarithmic: bool,
}

impl Scale {
    /// A linear axis over these values with a little air, from position `from` to position `to`.
    pub fn linear(values: impl Iterator<Item = f64>, from: f64, to: f64) -> Self {
        let (mut low, mut high) = ends(values);
        let air = if high > low { 0.04 * (high - low) } else { 0.05 * high.abs().max(1.0) };
        (low, high) = (low - air, high + air);
        Self { low, high, from, to, logarithmic: false }
    }

    /// A linear axis over values, with room for the ends of their intervals, but on each side no more than the values' own
    /// span or one and a half times a usual interval, whichever is more: with two episodes an interval is many times as
    /// wide as all that was seen, and would squeeze it flat.
    pub fn with_intervals(values: &[f64], intervals: &[Interval], from: f64, to: f64) -> Self {
        let (low, high) = bounds(values, intervals);
        Self::linear([low, high].into_iter(), from, to)
    }

    /// An axis for amounts above zero with room for intervals as in [`Scale::with_intervals`]: logarithmic when the
    /// amounts span more than a factor of eight, else linear.
    pub fn amounts(values: &[f64], intervals: &[Interval], from: f64, to: f64) -> Self {
        let (low, high) = ends(values.iter().copied());
        if low > 0.0 && high / low > 8.0 {
            let (_, above) = bounds(values, intervals);
            // An end at or near zero would stretch a logarithmic axis without bound.
            let below = intervals.iter().map(|ends| ends.low).filter(|end| *end > low / 1.5).fold(low, f64::min);
            return Self { low: below / 1.12, high: above.max(high) * 1.12, from, to, logarithmic: true };
        }
        let mut scale = Self::with_intervals(values, intervals, from, to);
        scale.low = scale.low.max(0.0);
        scale
    }

    /// A logarithmic axis over these amounts, all above zero, with a little air.
    pub fn logarithmic(values: impl Iterator<Item = f64>, from: f64, to: f64) -> Self {
        let (low, high) = ends(values.filter(|value| *value > 0.0));
        let low = if low > 0.0 { low } else { high / 10.0 };
        Self { low: low / 1.12, high: high.max(low) * 1.12, from, to, logarithmic: true }
    }

    /// A linear axis from 0 to a little beyond `most`.
    pub fn from_nought(most: f64, from: f64, to: f64) -> Self {
        let most = if most.is_finite() && most > 0.0 { most } else { 1.0 };
        Self { low: 0.0, high: most * 1.001, from, to, logarithmic: false }
    }

    /// Whether a value lies beyond the axis.
    pub fn beyond(&self, value: f64) -> bool {
        value < self.low || value > self.high
    }

    /// Whether equal distances are equal ratios.
    pub fn is_logarithmic(&self) -> bool {
        self.logarithmic
    }

    /// Position of a value, kept on the axis.
    pub fn at(&self, value: f64) -> f64 {
        let value = value.clamp(self.low, self.high);
        let share = if self.logarithmic {
            (value.ln() - self.low.ln()) / (self.high.ln() - self.low.ln())
        } else {
            (value - self.low) / (self.high - self.low)
        };
        self.from + share * (self.to - self.from)
    }

    /// Round values on the axis, about `wanted` of them.
    pub fn ticks(&self, wanted: usize) -> Vec<f64> {
        if self.logarithmic {
            return self.log_ticks(wanted);
        }
        let rough = (self.high - self.low) / wanted.max(1) as f64;
        let power = 10_f64.powi(rough.log10().floor() as i32);
        let step =
            [1.0, 2.0, 5.0, 10.0].map(|factor| factor * power).into_iter().find(|step| *step >= rough).unwrap_or(rough);
        let first = (self.low / step).ceil() as i64;
        let last = (self.high / step).floor() as i64;
        (first..=last).map(|index| index as f64 * step).collect()
    }

    fn log_ticks(&self, wanted: usize) -> Vec<f64> {
        let decades = self.low.log10().floor() as i32..=self.high.log10().ceil() as i32;
        let over = |factors: &[f64]| -> Vec<f64> {
            decades
                .clone()
                .flat_map(|decade| factors.iter().map(move |factor| factor * 10_f64.powi(decade)))
                .filter(|value| (self.low..=self.high).contains(value))
                .collect()
        };
        let fine = over(&[1.0, 2.0, 5.0]);
        if fine.len() <= wanted + 3 { fine } else { over(&[1.0]) }
    }
}

/// A tick in as few digits as its neighbours need; large round ones in thousands (`k`) or millions (`M`).
pub fn tick_label(value: f64, ticks: &[f64]) -> String {
    let largest = ticks.iter().fold(0.0_f64, |most, tick| most.max(tick.abs()));
    for (unit, letter, from) in [(1e6, "M", 1e8), (1e3, "k", 1e5)] {
        let round = |tick: &f64| (tick / unit).fract().abs() < 1e-9;
        if largest >= from && ticks.iter().all(round) {
            let told = crate::escape::minus(&format!("{:.0}", value / unit));
            return if value.abs() < 1e-12 { "0".to_owned() } else { format!("{told}{letter}") };
        }
    }
    let step = ticks.windows(2).map(|pair| pair[1] - pair[0]).fold(f64::INFINITY, f64::min);
    let digits = (0..6).find(|digits| {
        let scale = 10_f64.powi(*digits);
        ticks.iter().all(|tick| ((tick * scale).round() / scale - tick).abs() < 1e-6 * step.min(1e9))
    });
    let digits = digits.unwrap_or(2) as usize;
    let rounded = if value.abs() < 1e-12 { 0.0 } else { value };
    crate::escape::minus(&format!("{rounded:.digits$}"))
}

/// Least and largest value, widened to the intervals' ends by at most the values' own span or a usual interval.
fn bounds(values: &[f64], intervals: &[Interval]) -> (f64, f64) {
    let (low, high) = ends(values.iter().copied());
    let mut widths: Vec<f64> = intervals.iter().map(Interval::width).filter(|width| *width > 0.0).collect();
    widths.sort_by(f64::total_cmp);
    // Of an even number the smaller middle one: one wild interval beside a tame one is not usual.
    let usual = widths.get(widths.len().saturating_sub(1) / 2).map_or(0.0, |width| 1.5 * width);
    let span = if high > low { (high - low).max(usual) } else { usual.max(f64::MIN_POSITIVE) };
    let inside = |end: &f64| !span.is_finite() || (low - span..=high + span).contains(end);
    let all = || intervals.iter().flat_map(|ends| [ends.low, ends.high]);
    let (mut least, mut most) = all().filter(inside).fold((low, high), |(l, h), end| (l.min(end), h.max(end)));
    // An interval that goes on needs some length before its arrow head.
    if all().any(|end| !inside(&end) && end < low) {
        least = least.min(low - 0.4 * span);
    }
    if all().any(|end| !inside(&end) && end > high) {
        most = most.max(high + 0.4 * span);
    }
    (least, most)
}

fn ends(values: impl Iterator<Item = f64>) -> (f64, f64) {
    let (low, high) = values
        .filter(|value| value.is_finite())
        .fold((f64::INFINITY, f64::NEG_INFINITY), |(low, high), value| (low.min(value), high.max(value)));
    if low <= high { (low, high) } else { (0.0, 1.0) }
}

#[cfg(test)]
mod tests {
    use gimbal_analysis::Interval;

    use super::{Scale, tick_label};

    #[test]
    fn ticks_are_round_and_inside() {
        let scale = Scale::linear([-225.8, -13.1].into_iter(), 0.0, 100.0);
        assert_eq!(scale.ticks(5), [-200.0, -150.0, -100.0, -50.0]);
        assert_eq!(tick_label(-50.0, &scale.ticks(5)), "\u{2212}50");
        assert_eq!(tick_label(-600_000.0, &[-600_000.0, 0.0]), "\u{2212}600k");
        assert_eq!(
            (tick_label(0.0, &[-600_000.0, 0.0]), tick_label(20_000.0, &[20_000.0])),
            ("0".into(), "20000".into())
        );
        assert_eq!(tick_label(3e8, &[3e8]), "300M");
        let amounts = Scale::amounts(&[7.9, 364.1], &[], 0.0, 100.0);
        assert!(amounts.is_logarithmic());
        assert_eq!(amounts.ticks(6), [10.0, 20.0, 50.0, 100.0, 200.0]);
        let narrow = Scale::amounts(&[8.0, 20.0], &[], 0.0, 100.0);
        assert!(!narrow.is_logarithmic() && narrow.low >= 0.0);
    }

    /// The interval of two episodes does not squeeze the values flat; that of many has its room.
    #[test]
    fn wild_intervals_are_cut_and_tame_ones_fit() {
        let wild = Interval { low: -600.0, high: 300.0 };
        let tame = Interval { low: -80.0, high: -10.0 };
        let scale = Scale::with_intervals(&[-60.0, -20.0], &[wild, tame], 0.0, 100.0);
        assert!(scale.beyond(-600.0) && scale.beyond(300.0) && !scale.beyond(-80.0) && !scale.beyond(-10.0));
        let alone = Scale::with_intervals(&[-20.0], &[tame], 0.0, 100.0);
        assert!(!alone.beyond(-80.0) && !alone.beyond(-10.0));
    }

    /// Intervals that are all wider than the values lie apart are not wild ones: there is room for them.
    #[test]
    fn intervals_of_a_kind_have_room() {
        let around = |middle: f64| Interval { low: middle - 30.0, high: middle + 30.0 };
        let scale = Scale::with_intervals(&[-5.0, 0.0, 4.0], &[around(-5.0), around(4.0)], 0.0, 100.0);
        assert!(!scale.beyond(-35.0) && !scale.beyond(34.0), "{scale:?}");
        let three = Scale::with_intervals(&[-5.0, 4.0], &[around(-5.0), around(4.0), around(0.0)], 0.0, 100.0);
        assert!(!three.beyond(-35.0) && !three.beyond(34.0), "{three:?}");
    }

    #[test]
    fn a_single_value_has_an_axis_too() {
        for value in [0.0, -13.1, 1e9] {
            let scale = Scale::linear(std::iter::once(value), 0.0, 100.0);
            assert!((scale.at(value) - 50.0).abs() < 1e-9);
            assert!(scale.ticks(4).iter().all(|tick| tick.is_finite()));
        }
        assert!(Scale::linear(std::iter::empty(), 0.0, 1.0).at(0.5).is_finite());
    }
}
