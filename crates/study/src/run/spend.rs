//! What a run has cost so far, and the limit that it may not pass.

use std::collections::BTreeMap;
use std::sync::{Mutex, PoisonError};

use gimbal_core::Usage;
use gimbal_model::Price;
use serde::{Deserialize, Serialize};

/// Upper bounds for the whole study.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
pub struct StudyLimits {
    /// Money in millionths of a dollar.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub cost_microdollars: Option<u64>,
    /// Tokens as billed.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub tokens: Option<u64>,
}

/// What was spent, as billed.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Spending {
    /// Millionths of a millionth of a dollar.
    exact: u128,
    /// Input and output tokens.
    pub tokens: u64,
}

impl Spending {
    /// Millionths of a dollar, rounded up.
    #[must_use]
    pub fn microdollars(&self) -> u64 {
        u64::try_from(self.exact.div_ceil(1_000_000)).unwrap_or(u64::MAX)
    }

    /// Millionths of a millionth of a dollar.
    #[must_use]
    pub const fn exact(&self) -> u128 {
        self.exact
    }

    /// Adds a billed attempt.
    pub fn add(&mut self, price: Option<&Price>, usage: &Usage) {
        self.exact += price.map_or(0, |price| price.cost_exact(usage));
        self.tokens += usage.input + usage.output;
    }
}

/// Dollars with two digits after the point, and more where two do not tell all.
fn dollars(microdollars: u64) -> String {
    let exact = format!("{}.{:06}", microdollars / 1_000_000, microdollars % 1_000_000);
    let least = exact.len() - 4;
    format!("{}{}", &exact[..least], exact[least..].trim_end_matches('0'))
}

/// The purse of a run. Every answer is added; no request leaves once a limit is reached.
#[derive(Debug, Default)]
pub struct Spend {
    prices: BTreeMap<String, Price>,
    limits: StudyLimits,
    spent: Mutex<Spending>,
}

impl Spend {
    /// A purse with these prices and limits, from which `spent` is gone already.
    #[must_use]
    pub fn new(prices: BTreeMap<String, Price>, limits: StudyLimits, spent: Spending) -> Self {
        Self { prices, limits, spent: Mutex::new(spent) }
    }

    /// Adds a billed attempt.
    pub fn add(&self, model: &str, usage: &Usage) {
        self.spent.lock().unwrap_or_else(PoisonError::into_inner).add(self.prices.get(model), usage);
    }

    /// What is gone.
    #[must_use]
    pub fn spent(&self) -> Spending {
        *self.spent.lock().unwrap_or_else(PoisonError::into_inner)
    }

    /// Whether a request may leave.
    ///
    /// # Errors
    /// Which limit is reached, and how to go on.
    pub fn allow(&self) -> Result<(), String> {
        let spent = self.spent();
        if let Some(limit) = self.limits.cost_microdollars.filter(|limit| spent.microdollars() >= *limit) {
            return Err(format!(
                "the study's cost limit of ${} is reached; raise `limits.study.cost` and run the same command again",
                dollars(limit)
            ));
        }
        if let Some(limit) = self.limits.tokens.filter(|limit| spent.tokens >= *limit) {
            return Err(format!(
                "the study's limit of {limit} tokens is reached; raise `limits.study.tokens` and run the same command again"
            ));
        }
        Ok(())
    }
}

#[cfg(test)]
mod tests {
    #[test]
    fn amounts_are_shown_whole() {
        let shown = [0, 100, 1, 20_000, 1_500_000, 12_345_678].map(super::dollars);
        assert_eq!(shown, ["0.00", "0.0001", "0.000001", "0.02", "1.50", "12.345678"]);
    }
}
