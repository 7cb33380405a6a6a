//! What an agent saw before its first call, for every conversation of an episode: a conversation begins anew where a segment
//! or an episode does, and what was told once must stay in sight.

use gimbal_agent::contract::bounded;
use gimbal_core::{Block, View};

/// Longest text that is kept, in characters.
const LONGEST: usize = 6_000;

/// The first observation, seen at the start of an episode; none where the goal says the same already.
pub(crate) fn text(view: &View) -> Option<String> {
    let text = view.observation.text.trim();
    let said = text.is_empty() || view.brief.goal.contains(text);
    (!said).then(|| bounded(text, LONGEST))
}

/// The first observation as a block of a prompt.
pub(crate) fn observation(view: &View) -> Option<Block> {
    text(view).map(|text| block(&text))
}

/// A text as the block of the first observation.
pub(crate) fn block(text: &str) -> Block {
    let text = format!("<first_observation>\n{text}\n</first_observation>").into();
    Block { name: "first_observation".to_owned(), text }
}
