//! The legal calls: enumerated once, and again only when the environment's literals change.

use std::borrow::Cow;
use std::sync::Arc;

use gimbal_core::{Environment, ToolCall, ToolSpec, legal_calls};

/// The legal calls of a moment, with what they were made of.
#[derive(Debug)]
pub struct Menu {
    cap: usize,
    tools: Arc<[ToolSpec]>,
    /// The environment's literals for every required parameter, in order.
    literals: Vec<Option<Vec<String>>>,
    calls: Arc<[ToolCall]>,
}

/// The required parameters of all tools.
fn parameters(tools: &[ToolSpec]) -> impl Iterator<Item = (&str, &str)> {
    tools.iter().flat_map(|tool| tool.required().map(|parameter| (tool.name.as_str(), parameter)))
}

impl Menu {
    /// The legal calls now, at most `cap`.
    pub fn of(environment: &dyn Environment, cap: usize) -> Self {
        let tools = Arc::clone(environment.tools());
        let owned = |literals: Vec<Cow<'_, str>>| literals.into_iter().map(Cow::into_owned).collect();
        let literals = parameters(&tools).map(|(tool, parameter)| environment.choices(tool, parameter).map(owned));
        Self { cap, literals: literals.collect(), calls: legal_calls(environment, cap).into(), tools }
    }

    /// Whether they would be the same now.
    pub fn stands(&self, environment: &dyn Environment, cap: usize) -> bool {
        let tools = environment.tools();
        let same = |known: &Option<Vec<String>>, now: Option<Vec<Cow<'_, str>>>| match (known, now) {
            (Some(known), Some(now)) => known.iter().eq(now.iter()),
            (None, None) => true,
            _ => false,
        };
        let mut literals = self.literals.iter();
        cap == self.cap
            && (Arc::ptr_eq(tools, &self.tools) || *tools == self.tools)
            && parameters(tools).all(|(tool, parameter)| {
                literals.next().is_some_and(|known| same(known, environment.choices(tool, parameter)))
            })
    }

    /// The calls.
    pub fn calls(&self) -> Arc<[ToolCall]> {
        Arc::clone(&self.calls)
    }
}
