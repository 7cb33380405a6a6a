//! Limits of an episode and what was spent of them.

use serde::{Deserialize, Serialize};

use crate::{Stop, Usage};

/// Upper bounds for one episode; `None` means unlimited, but for `branch_calls`.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
#[serde(default, deny_unknown_fields)]
pub struct Limits {
    /// Calls to models.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub model_calls: Option<u64>,
    /// Calls to the environment, rejected ones too.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub tool_calls: Option<u64>,
    /// Input and output tokens together, as called.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub tokens: Option<u64>,
    /// Wall time in seconds. The only bound whose effect is not decided by the seed.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub seconds: Option<u64>,
    /// Money in millionths of a dollar, for tokens as called and under the price table in force.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub cost_microdollars: Option<u64>,
    /// Calls in branches ([`Stage::branch`](crate::Stage::branch)), apart from `tool_calls`, rejected ones too. `None` means
    /// [`Limits::BRANCH_CALLS`]. It ends no episode: a branch refuses further calls.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub branch_calls: Option<u64>,
}

impl Limits {
    /// Calls in branches of one episode where no limit is given.
    pub const BRANCH_CALLS: u64 = 100_000;

    /// Calls in branches that an episode may make.
    #[must_use]
    pub const fn most_branch_calls(&self) -> u64 {
        match self.branch_calls {
            Some(most) => most,
            None => Self::BRANCH_CALLS,
        }
    }
}

/// What an episode has used so far.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
pub struct Spent {
    /// Calls to models.
    pub model_calls: u64,
    /// Calls to the environment, rejected ones too.
    pub tool_calls: u64,
    /// Input tokens as called.
    pub input_tokens: u64,
    /// Output tokens as called.
    pub output_tokens: u64,
    /// Money in millionths of a millionth of a dollar; nothing for models without a price. Kept while an episode is
    /// played only: what an episode cost is a fold over the ledger.
    #[serde(skip)]
    pub cost_exact: u64,
}

impl Spent {
    /// Adds one model call.
    pub const fn add_model_call(&mut self, usage: &Usage) {
        self.model_calls = self.model_calls.saturating_add(1);
        self.input_tokens = self.input_tokens.saturating_add(usage.input);
        self.output_tokens = self.output_tokens.saturating_add(usage.output);
    }

    /// Adds money, in millionths of a millionth of a dollar.
    pub fn add_cost(&mut self, exact: u128) {
        self.cost_exact = self.cost_exact.saturating_add(u64::try_from(exact).unwrap_or(u64::MAX));
    }

    /// Input and output tokens together.
    #[must_use]
    pub const fn tokens(&self) -> u64 {
        self.input_tokens.saturating_add(self.output_tokens)
    }

    /// The stop that the next model call would run into, if any.
    #[must_use]
    pub fn bars_model_call(&self, limits: &Limits) -> Option<Stop> {
        let reached = |limit: Option<u64>, used: u64| limit.is_some_and(|limit| used >= limit);
        if reached(limits.model_calls, self.model_calls) {
            Some(Stop::ModelCallBudget)
        } else if reached(limits.tokens, self.tokens()) {
            Some(Stop::TokenBudget)
        } else if reached(limits.cost_microdollars.map(|limit| limit.saturating_mul(1_000_000)), self.cost_exact) {
            Some(Stop::CostBudget)
        } else {
            None
        }
    }

    /// The stop that the next tool call would run into, if any.
    #[must_use]
    pub fn bars_tool_call(&self, limits: &Limits) -> Option<Stop> {
        limits.tool_calls.filter(|limit| self.tool_calls >= *limit).map(|_| Stop::ToolBudget)
    }
}

#[cfg(test)]
mod tests {
    use super::{Limits, Spent};
    use crate::{Stop, Usage};

    // covers: SH-04
    #[test]
    fn a_limit_bars_the_call_after_the_last_allowed_one() {
        let limits = Limits { model_calls: Some(2), tokens: Some(100), tool_calls: Some(1), ..Limits::default() };
        let mut spent = Spent::default();
        assert_eq!(spent.bars_model_call(&limits), None);
        spent.add_model_call(&Usage { input: 60, output: 40, ..Usage::default() });
        assert_eq!(spent.bars_model_call(&limits), Some(Stop::TokenBudget));
        spent.add_model_call(&Usage::default());
        assert_eq!(spent.bars_model_call(&limits), Some(Stop::ModelCallBudget));
        assert_eq!(spent.bars_tool_call(&limits), None);
        spent.tool_calls = 1;
        assert_eq!(spent.bars_tool_call(&limits), Some(Stop::ToolBudget));
        assert_eq!(spent.bars_tool_call(&Limits::default()), None);
    }

    #[test]
    fn money_bars_the_call_after_the_one_that_used_it_up() {
        let limits = Limits { cost_microdollars: Some(2), ..Limits::default() };
        let mut spent = Spent::default();
        spent.add_cost(1_999_999);
        assert_eq!(spent.bars_model_call(&limits), None);
        spent.add_cost(1);
        assert_eq!(spent.bars_model_call(&limits), Some(Stop::CostBudget));
        spent.add_cost(u128::MAX);
        assert_eq!((spent.cost_exact, spent.bars_model_call(&Limits::default())), (u64::MAX, None));
    }

    // covers: SH-04
    #[test]
    fn a_count_beyond_all_bounds_reaches_the_limit_and_does_not_wrap() {
        let limits = Limits { tokens: Some(100), ..Limits::default() };
        let mut spent = Spent::default();
        for _ in 0..2 {
            spent.add_model_call(&Usage { input: u64::MAX, output: u64::MAX, ..Usage::default() });
            assert_eq!(spent.bars_model_call(&limits), Some(Stop::TokenBudget));
        }
        assert_eq!(spent.tokens(), u64::MAX);
    }
}
