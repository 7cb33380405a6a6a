//! Lanes: strands of work with their own events, conversations and share of the budget.

use gimbal_core::event::{Event, ModelCalled};
use gimbal_core::{Body, Limits, Spent};

use super::injector::Counts;
use super::request::Conversations;

/// A lane that is open, or the main lane.
#[derive(Debug, Default)]
pub struct Lane {
    /// The step under way when it was opened: its events belong there whatever the main lane does meanwhile.
    pub step: u32,
    /// Events that wait for the join.
    pub events: Vec<Event>,
    /// Model calls so far; numbers of calls within a lane become numbers of the journal at the join.
    pub calls: u64,
    /// Conversations by role.
    pub conversations: Conversations,
    /// Calls by site, as far as faults may be injected there.
    pub faults: Counts,
    /// What it used.
    pub spent: Spent,
    /// Its share of the budget, once it or a lane beside it began to spend.
    pub share: Option<Limits>,
    /// Latency of its calls one after the other, in microseconds.
    pub path_us: u64,
    /// The same for calls that were not waited for by one another.
    pub total_us: u64,
}

/// Divides what is left of the limits among lanes: no lane can use the part of another, whichever is faster.
pub fn shares(limits: &Limits, spent: &Spent, lanes: u64) -> Limits {
    let share = |limit: Option<u64>, used: u64| limit.map(|limit| limit.saturating_sub(used) / lanes.max(1));
    Limits {
        model_calls: share(limits.model_calls, spent.model_calls),
        tool_calls: share(limits.tool_calls, spent.tool_calls),
        tokens: share(limits.tokens, spent.tokens()),
        seconds: limits.seconds,
        cost_microdollars: share(limits.cost_microdollars, spent.cost_exact.div_ceil(1_000_000)),
        // Counted for the episode as a whole.
        branch_calls: limits.branch_calls,
    }
}

/// Sum of what two strands used.
pub fn sum(left: &Spent, right: &Spent) -> Spent {
    Spent {
        model_calls: left.model_calls + right.model_calls,
        tool_calls: left.tool_calls + right.tool_calls,
        input_tokens: left.input_tokens.saturating_add(right.input_tokens),
        output_tokens: left.output_tokens.saturating_add(right.output_tokens),
        cost_exact: left.cost_exact.saturating_add(right.cost_exact),
    }
}

/// Turns a lane's own call numbers into the journal's.
pub fn renumber(body: &mut Body, numbers: &mut Vec<u64>, next: &mut u64) {
    if let Body::ModelCalled(ModelCalled { call, extends, .. }) = body {
        numbers.push(*next);
        *call = *next;
        *next += 1;
        for extended in extends.iter_mut() {
            *extended =
                usize::try_from(*extended).ok().and_then(|local| numbers.get(local)).copied().unwrap_or_default();
        }
    }
}
