//! What the stage itself records.

use gimbal_core::StoryMemory;
use serde::{Deserialize, Serialize};

use super::records;

records! {
    /// Kinds that the stage writes.
    PromptLacks = "prompt_lacks",
    Left = "left",
    Branched = "branched" => branched [behind],
}

/// What a reader missed in the prompt of the call before.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct PromptLacks {
    /// One text for each: kind of the lack, and the words that are missing.
    pub missed: Vec<String>,
}

/// An architecture left an environment that runs on: the rest is played with the idle call.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct Left {
    /// Steps that were played before.
    pub step: u32,
    /// Steps of the whole episode.
    pub horizon: u32,
}

/// What an architecture with a simulator did in branches of the environment, over the whole episode.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct Branched {
    /// Branches that were made, forks of branches too.
    pub branches: u64,
    /// Calls that were made in them, rejected ones too. They are not tool calls of the episode.
    pub calls: u64,
    /// Calls that the limit `branch_calls` refused.
    pub refused: u64,
}

fn branched(branched: &Branched, _memory: &mut StoryMemory) -> String {
    let Branched { branches, calls, refused } = branched;
    let refused = if *refused > 0 { format!(", {refused} more refused by the limit") } else { String::new() };
    let (branches, calls) = (some(*branches, "branch", "branches"), some(*calls, "call", "calls"));
    format!("in branches, over the whole episode: {branches} with {calls}{refused}")
}

/// A count with its noun.
pub(super) fn some(count: u64, one: &str, more: &str) -> String {
    format!("{count} {}", if count == 1 { one } else { more })
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::Record;

    #[test]
    fn branches_are_told_with_their_calls() {
        let record = Branched { branches: 9, calls: 1, refused: 2 };
        assert_eq!(
            record.told(&mut StoryMemory::default()).as_deref(),
            Some("in branches, over the whole episode: 9 branches with 1 call, 2 more refused by the limit")
        );
        const { assert!(Branched::IS_BEHIND && !Left::IS_BEHIND) };
    }
}
