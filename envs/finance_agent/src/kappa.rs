//! Agreement of two judges.

/// How far two judges agree on the same items.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Agreement {
    /// Items that both judged.
    pub items: usize,
    /// Items on which they said the same.
    pub same: usize,
    /// Cohen's kappa: agreement beyond chance. `None` if chance alone makes them agree (one verdict only), or
    /// without items.
    pub kappa: Option<f64>,
}

/// Cohen's kappa of two judges who each pass or fail every item. Pairs are (first judge, second judge).
///
/// # Examples
/// ```
/// use gimbal_finance_agent::kappa::agreement;
///
/// let pairs = [(true, true), (true, false), (false, false), (false, false)];
/// assert_eq!(agreement(pairs).kappa, Some(0.5));
/// ```
#[must_use]
pub fn agreement(pairs: impl IntoIterator<Item = (bool, bool)>) -> Agreement {
    let mut counts = [[0_u64; 2]; 2];
    for (one, two) in pairs {
        counts[usize::from(one)][usize::from(two)] += 1;
    }
    let [[neither, second], [first, both]] = counts;
    let items = neither + second + first + both;
    let same = neither + both;
    // Chance agreement times items squared: whole numbers until the last division.
    let chance = (first + both) * (second + both) + (neither + second) * (neither + first);
    let whole = items * items;
    let beyond = (same * items) as f64 - chance as f64;
    let kappa = (items > 0 && whole > chance).then(|| beyond / (whole - chance) as f64);
    Agreement { items: items as usize, same: same as usize, kappa }
}

#[cfg(test)]
mod tests {
    use super::agreement;

    fn table(both: usize, first: usize, second: usize, neither: usize) -> Option<f64> {
        let pairs = [((true, true), both), ((true, false), first), ((false, true), second), ((false, false), neither)];
        agreement(pairs.into_iter().flat_map(|(pair, count)| std::iter::repeat_n(pair, count))).kappa
    }

    // The textbook table (20, 5, 10, 15): observed 0.7, by chance 0.5.
    #[test]
    fn kappa_is_agreement_beyond_chance() {
        assert!((table(20, 5, 10, 15).unwrap() - 0.4).abs() < 1e-12);
        assert_eq!(table(7, 0, 0, 9), Some(1.0));
        assert_eq!(table(0, 5, 5, 0), Some(-1.0));
        assert!((table(45, 15, 25, 15).unwrap() - 0.130_434_782_608_695_65).abs() < 1e-12);
    }

    #[test]
    fn where_chance_alone_agrees_there_is_no_kappa() {
        assert_eq!(table(0, 0, 0, 0), None);
        assert_eq!(table(9, 0, 0, 0), None);
        assert_eq!(table(0, 0, 0, 4), None);
        let agreement = agreement([(true, true); 3]);
        assert_eq!((agreement.items, agreement.same), (3, 3));
    }
}
