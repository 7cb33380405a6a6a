//! What a run has cost so far, and the limit that it may not pass.

use std::collections::BTreeMap;
use std::fmt;
use std::sync::{Mutex, PoisonError};

use gimbal_core::{Usage, UsageSource};
use gimbal_model::Price;
use serde::{Deserialize, Serialize, Serializer};

/// Upper bounds for the whole study, or for each of its cells.
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
    /// Requests of unknown cost: they left, and no complete answer came.
    pub unknown: u64,
    /// Answered requests to models without a known price; their tokens are counted, and no money.
    pub unpriced: u64,
    /// Answered requests to models with a price.
    pub priced: u64,
    /// What the prompts of those cost, in the same unit: held against limits, and in no bill.
    held_exact: u128,
    /// Tokens of those prompts, by their length.
    held_tokens: u64,
}

impl Spending {
    /// Millionths of a dollar, rounded up.
    #[must_use]
    pub fn microdollars(&self) -> u64 {
        microdollars(self.exact)
    }

    /// Millionths of a millionth of a dollar.
    #[must_use]
    pub const fn exact(&self) -> u128 {
        self.exact
    }

    /// What limits go by, in millionths of a dollar: what was billed, and the prompts of requests of unknown cost.
    #[must_use]
    pub fn held_microdollars(&self) -> u64 {
        microdollars(self.exact.saturating_add(self.held_exact))
    }

    /// What limits go by, in tokens.
    #[must_use]
    pub const fn held_tokens(&self) -> u64 {
        self.tokens.saturating_add(self.held_tokens)
    }

    /// Adds what was spent elsewhere.
    pub fn join(&mut self, other: &Self) {
        self.exact = self.exact.saturating_add(other.exact);
        self.tokens = self.tokens.saturating_add(other.tokens);
        self.unknown += other.unknown;
        self.unpriced += other.unpriced;
        self.priced += other.priced;
        self.held_exact = self.held_exact.saturating_add(other.held_exact);
        self.held_tokens = self.held_tokens.saturating_add(other.held_tokens);
    }

    /// Adds an attempt.
    pub fn add(&mut self, price: Option<&Price>, usage: &Usage) {
        let exact = price.map_or(0, |price| price.cost_exact(usage));
        let tokens = usage.input.saturating_add(usage.output);
        if usage.source == UsageSource::Missing {
            self.unknown += 1;
            self.held_exact = self.held_exact.saturating_add(exact);
            self.held_tokens = self.held_tokens.saturating_add(tokens);
        } else {
            self.exact = self.exact.saturating_add(exact);
            self.tokens = self.tokens.saturating_add(tokens);
            *(if price.is_some() { &mut self.priced } else { &mut self.unpriced }) += 1;
        }
    }
}

/// Millionths of a dollar, rounded up, of millionths of them.
pub(crate) fn microdollars(exact: u128) -> u64 {
    u64::try_from(exact.div_ceil(1_000_000)).unwrap_or(u64::MAX)
}

/// Dollars with two digits after the point, and more where two are not enough.
fn dollars(microdollars: u64) -> String {
    let exact = format!("{}.{:06}", microdollars / 1_000_000, microdollars % 1_000_000);
    let least = exact.len() - 4;
    format!("{}{}", &exact[..least], exact[least..].trim_end_matches('0'))
}

/// The budget of a run. Every answer is added; no request leaves once a limit is reached.
#[derive(Debug, Default)]
pub struct Spend {
    prices: BTreeMap<String, Price>,
    limits: StudyLimits,
    cell_limits: StudyLimits,
    spent: Mutex<Spending>,
    /// By cell; held where cells have limits.
    cells: Mutex<BTreeMap<String, Spending>>,
}

impl Spend {
    /// A budget with these prices and limits, of which `spent` is used up already.
    #[must_use]
    pub fn new(prices: BTreeMap<String, Price>, limits: StudyLimits, spent: Spending) -> Self {
        Self { prices, limits, spent: Mutex::new(spent), ..Self::default() }
    }

    /// The same with limits for every cell, of which `spent` is used up already.
    #[must_use]
    pub fn with_cells(self, limits: StudyLimits, spent: BTreeMap<String, Spending>) -> Self {
        Self { cell_limits: limits, cells: Mutex::new(spent), ..self }
    }

    /// Adds a billed attempt at an episode of a cell.
    pub fn add(&self, cell: &str, model: &str, usage: &Usage) {
        let price = self.prices.get(model);
        self.spent.lock().unwrap_or_else(PoisonError::into_inner).add(price, usage);
        if self.cell_limits == StudyLimits::default() {
            return;
        }
        let mut cells = self.cells.lock().unwrap_or_else(PoisonError::into_inner);
        match cells.get_mut(cell) {
            Some(spent) => spent.add(price, usage),
            None => cells.entry(cell.to_owned()).or_default().add(price, usage),
        }
    }

    /// The prices in force.
    #[must_use]
    pub const fn prices(&self) -> &BTreeMap<String, Price> {
        &self.prices
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
    pub fn allow(&self) -> Result<(), LimitReached> {
        within(&self.limits, &self.spent(), None)
    }

    /// Whether a request of a cell may leave, as far as the cell's own limits go.
    ///
    /// # Errors
    /// Which limit is reached, and how to go on.
    pub fn allow_cell(&self, cell: &str) -> Result<(), LimitReached> {
        if self.cell_limits == StudyLimits::default() {
            return Ok(());
        }
        let spent = self.cells.lock().unwrap_or_else(PoisonError::into_inner).get(cell).copied().unwrap_or_default();
        within(&self.cell_limits, &spent, Some(cell))
    }
}

/// A limit of a study that is reached: which, and how to go on.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct LimitReached {
    /// Its place in a study, such as `limits.study.cost`.
    pub key: &'static str,
    /// The limit with its unit, such as `cost limit of $0.001`.
    pub limit: String,
    /// The cell that it is for; `None` for the whole study.
    pub cell: Option<String>,
    /// Requests without an answer, which count against it by the length of their prompts.
    pub unknown: u64,
    /// What else is known of it, at the end of its message.
    pub remark: String,
}

impl LimitReached {
    /// The message for a command whose flag sets the limit.
    #[must_use]
    pub fn by_flag(&self, flag: &str) -> String {
        self.message("the", flag)
    }

    /// The same with more that is known of it.
    #[must_use]
    pub fn remarked(self, remark: &str) -> Self {
        Self { remark: self.remark + remark, ..self }
    }

    fn message(&self, whose: &str, place: &str) -> String {
        let Self { limit, unknown, remark, .. } = self;
        let cell = self.cell.as_ref().map(|cell| format!(" for the cell `{cell}`")).unwrap_or_default();
        let unknown = match unknown {
            0 => String::new(),
            count => format!(" ({count} requests of unknown cost are counted by the length of their prompts)"),
        };
        format!("{whose} {limit}{cell} is reached{unknown}; raise {place} and run the same command again{remark}")
    }
}

impl fmt::Display for LimitReached {
    fn fmt(&self, formatter: &mut fmt::Formatter<'_>) -> fmt::Result {
        let whose = if self.cell.is_some() { "the" } else { "the study's" };
        formatter.write_str(&self.message(whose, &format!("`{}`", self.key)))
    }
}

impl Serialize for LimitReached {
    fn serialize<S: Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        serializer.collect_str(self)
    }
}

/// Whether what is spent is below the limits of the study, or of one of its cells.
fn within(limits: &StudyLimits, spent: &Spending, cell: Option<&str>) -> Result<(), LimitReached> {
    let reached = |of_study, of_cell, limit: String| LimitReached {
        key: if cell.is_some() { of_cell } else { of_study },
        limit,
        cell: cell.map(str::to_owned),
        unknown: spent.unknown,
        remark: String::new(),
    };
    if let Some(limit) = limits.cost_microdollars.filter(|limit| spent.held_microdollars() >= *limit) {
        let limit = format!("cost limit of ${}", dollars(limit));
        return Err(reached("limits.study.cost", "limits.cell.cost", limit));
    }
    if let Some(limit) = limits.tokens.filter(|limit| spent.held_tokens() >= *limit) {
        return Err(reached("limits.study.tokens", "limits.cell.tokens", format!("limit of {limit} tokens")));
    }
    Ok(())
}

#[cfg(test)]
mod tests {
    use gimbal_core::{Usage, UsageSource};
    use gimbal_model::{Band, Price};

    use super::{Spend, Spending, StudyLimits};

    fn price() -> Price {
        let band = Band { up_to: None, input: 2_000_000, cached: None, output: 4_000_000 };
        Price { source: "test".to_owned(), seen: "2026-01-01".to_owned(), bands: vec![band] }
    }

    #[test]
    fn amounts_are_shown_whole() {
        let shown = [0, 100, 1, 20_000, 1_500_000, 12_345_678].map(super::dollars);
        assert_eq!(shown, ["0.00", "0.0001", "0.000001", "0.02", "1.50", "12.345678"]);
    }

    // covers: SH-04, BOG-150
    #[test]
    fn requests_of_unknown_cost_count_against_limits_and_in_no_bill() {
        let limits = [
            StudyLimits { cost_microdollars: Some(1000), tokens: None },
            StudyLimits { cost_microdollars: None, tokens: Some(500) },
        ];
        for limits in limits {
            let spend = Spend::new([("a".to_owned(), price())].into(), limits, Spending::default());
            let unanswered = Usage { input: 100, source: UsageSource::Missing, ..Usage::default() };
            for _ in 0..5 {
                assert_eq!(spend.allow(), Ok(()));
                spend.add("cell", "a", &unanswered);
            }
            let spent = spend.spent();
            assert_eq!((spent.tokens, spent.microdollars(), spent.unknown), (0, 0, 5));
            assert_eq!((spent.held_tokens(), spent.held_microdollars()), (500, 1000));
            assert!(spend.allow().unwrap_err().to_string().contains("5 requests of unknown cost"));
        }
    }

    #[test]
    fn a_cell_at_its_limit_is_closed_alone() {
        let cells = StudyLimits { cost_microdollars: Some(1000), tokens: None };
        let spent = [("old".to_owned(), {
            let mut spent = Spending::default();
            spent.add(Some(&price()), &usage(499));
            spent
        })];
        let spend = Spend::new([("a".to_owned(), price())].into(), StudyLimits::default(), Spending::default())
            .with_cells(cells, spent.into());
        spend.add("new", "a", &usage(400));
        assert_eq!((spend.allow_cell("old"), spend.allow_cell("new"), spend.allow()), (Ok(()), Ok(()), Ok(())));
        spend.add("old", "a", &usage(1));
        assert_eq!(
            spend.allow_cell("old").unwrap_err().to_string(),
            "the cost limit of $0.001 for the cell `old` is reached; raise `limits.cell.cost` and run the same command again"
        );
        assert_eq!((spend.allow_cell("new"), spend.allow(), spend.spent().tokens), (Ok(()), Ok(()), 401));
        let of_flag = spend.allow_cell("old").unwrap_err().by_flag("--max-cost");
        assert!(of_flag.ends_with("is reached; raise --max-cost and run the same command again"), "{of_flag}");
    }

    fn usage(input: u64) -> Usage {
        Usage { input, source: UsageSource::Reported, ..Usage::default() }
    }

    // covers: SH-04
    #[test]
    fn sums_stay_at_their_greatest_and_do_not_wrap() {
        let mut spent = Spending::default();
        for _ in 0..3 {
            let price =
                Price { bands: vec![Band { input: u64::MAX, output: u64::MAX, ..price().bands.remove(0) }], ..price() };
            let usage = Usage { input: u64::MAX, output: u64::MAX, source: UsageSource::Reported, ..Usage::default() };
            spent.add(Some(&price), &usage);
            assert_eq!((spent.tokens, spent.microdollars()), (u64::MAX, u64::MAX));
        }
    }
}
