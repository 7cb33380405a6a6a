//! How often two judges say the same of the same items.

/// Pairs of verdicts of two judges on the same items.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Agreement {
    /// Both say yes.
    pub both: u64,
    /// Only the first.
    pub first: u64,
    /// Only the second.
    pub second: u64,
    /// Neither.
    pub neither: u64,
}

impl Agreement {
    /// Takes in an item; one that a judge did not see counts for nothing.
    pub const fn add(&mut self, first: Option<bool>, second: Option<bool>) {
        match (first, second) {
            (Some(true), Some(true)) => self.both += 1,
            (Some(true), Some(false)) => self.first += 1,
            (Some(false), Some(true)) => self.second += 1,
            (Some(false), Some(false)) => self.neither += 1,
            _ => {}
        }
    }

    /// Items that both judged.
    #[must_use]
    pub const fn items(&self) -> u64 {
        self.both + self.first + self.second + self.neither
    }

    /// Cohen's kappa: agreement beyond chance; `None` without items, or where both judges always say the same one thing.
    #[must_use]
    pub fn kappa(&self) -> Option<f64> {
        // In whole numbers, times n squared: agreement by chance is exactly 0, without the rounding of a sum.
        let [n, both, first, second, neither] =
            [self.items(), self.both, self.first, self.second, self.neither].map(i128::from);
        let chance = (both + first) * (both + second) + (neither + second) * (neither + first);
        let (seen, all) = (n * (both + neither), n * n);
        (n > 0 && chance < all).then(|| (seen - chance) as f64 / (all - chance) as f64)
    }
}

#[cfg(test)]
mod tests {
    use super::Agreement;

    /// 20 and 15 agreed of 50, 5 and 10 not: seen 0.70, chance 0.50, kappa 0.40 (a textbook's table).
    #[test]
    fn kappa_is_agreement_beyond_chance() {
        let agreement = Agreement { both: 20, first: 5, second: 10, neither: 15 };
        assert!((agreement.kappa().unwrap() - 0.4).abs() < 1e-12);
        assert_eq!(Agreement::default().kappa(), None);
        // Agreement by chance alone is exactly 0, whatever the shares.
        let by_chance = Agreement { both: 28, first: 42, second: 12, neither: 18 };
        assert_eq!(by_chance.kappa().map(|kappa| kappa.to_string()).as_deref(), Some("0"));
        assert_eq!(Agreement { both: 7, ..Agreement::default() }.kappa(), None);
        let mut counted = Agreement::default();
        counted.add(Some(true), Some(false));
        counted.add(Some(true), None);
        assert_eq!((counted.items(), counted.first), (1, 1));
    }
}
