//! The context blocks of a conversation that begins anew: with a segment, a step or an adviser's request. What an agent saw before must stay in
//! sight: the first observation, the latest one, and the actions that are possible now.

use std::borrow::Cow;
use std::sync::Arc;

use gimbal_agent::AgentSession;
use gimbal_core::{Block, Brief, EpisodeStopped, LaneId, Stage, View};
use gimbal_messages::bounded;

/// Longest text that is shown of the first observation and of the latest one, in characters: the first look at a network of thirteen hosts has nine
/// thousand.
const LONGEST: usize = 16_000;
/// Appended to a text that was cut.
const CUT: &str = " [...]";

/// The first observation, seen at the start of an episode; `None` if the goal says the same already.
pub(crate) fn text(view: &View) -> Option<String> {
    let text = view.observation.text.trim();
    let said = text.is_empty() || view.brief.goal.contains(text);
    let kept = bounded(text, LONGEST);
    let cut = if kept.len() < text.len() { CUT } else { "" };
    (!said).then(|| format!("{kept}{cut}"))
}

/// The first observation as a block of a prompt.
pub(crate) fn observation(view: &View) -> Option<Block> {
    text(view).map(|text| block(&text))
}

/// The blocks to show beside the first observation: before the first step that is the latest one, and a block that says
/// otherwise would contradict it.
pub(crate) fn beside<'a>(view: &View, first: Option<&Block>, names: &'a [String]) -> Cow<'a, [String]> {
    if first.is_none() || view.step > 1 || names.iter().all(|name| name != LATEST) {
        return Cow::Borrowed(names);
    }
    Cow::Owned(names.iter().filter(|name| *name != LATEST).cloned().collect())
}

/// The blocks of an adviser's prompt: those that are named, as an agent on its own is shown them, and what was seen first where the belief state does
/// not hold it ([`told_once`]).
///
/// # Errors
/// What stopped the episode.
pub(crate) async fn blocks(
    stage: &dyn Stage,
    lane: LaneId,
    first: Option<&Block>,
    names: &[String],
) -> Result<Vec<Block>, EpisodeStopped> {
    let view = stage.view().await;
    let first = first.filter(|_| told_once(&view.brief));
    let mut blocks: Vec<Block> = first.cloned().into_iter().collect();
    let shown = stage.context(lane, &beside(&view, first, names)).await?;
    let cuts = told_once(&view.brief);
    blocks.extend(shown.into_iter().map(|block| if cuts && block.name == LATEST { shortened(block) } else { block }));
    Ok(blocks)
}

/// A block of the latest observation, cut where it is longer than what is shown; it says so then. A page of a filing may have any length.
fn shortened(block: Block) -> Block {
    let kept = bounded(&block.text, LONGEST);
    if kept.len() == block.text.len() {
        return block;
    }
    let left = block.text.chars().count() - LONGEST;
    let text = format!("{kept}{CUT}\n(It is longer than what can be shown: the last {left} characters were left out.)");
    Block { text: text.into(), ..block }
}

/// The blocks of an agent that decides afresh in every step: those that are named, and in environments whose observations the belief state does not
/// hold ([`told_once`]) what was seen first, the result of its latest action, and the actions that are possible now (CYC-036). In all others the first
/// observation is part of what contexts differ in (BOG-130), and the blocks are those that are named.
///
/// An agent that may take only what it is advised to gets no list: `advised`.
///
/// # Errors
/// What stopped the episode.
pub(crate) async fn deciding(
    stage: &dyn Stage,
    session: &AgentSession<'_>,
    (first, names): (Option<&Block>, &[String]),
    advised: bool,
) -> Result<Vec<Block>, EpisodeStopped> {
    let view = stage.view().await;
    if !told_once(&view.brief) {
        return stage.context(LaneId::MAIN, names).await;
    }
    let mut all = Cow::Borrowed(names);
    if view.step > 1 && names.iter().all(|name| name != LATEST) {
        all.to_mut().insert(0, LATEST.to_owned());
    }
    let mut blocks = blocks(stage, LaneId::MAIN, first, &all).await?;
    if !advised {
        let listed = session.listed(stage).await?;
        blocks.extend(listed.map(possible));
    }
    Ok(blocks)
}

/// The list of the actions that are possible now, as a block of a prompt.
pub(crate) fn possible(text: Arc<str>) -> Block {
    Block { name: "possible_actions".to_owned(), text }
}

/// Whether an environment tells something that its belief state does not hold: where what can be done changes, or is written freely.
pub(crate) fn told_once(brief: &Brief) -> bool {
    brief.literals_change || brief.free_arguments
}

/// The block of the latest observation.
const LATEST: &str = "observation";

/// What was seen first, without the tags of its block, where the belief state does not hold it ([`told_once`]): for who looks back on an attempt.
pub(crate) fn told(brief: &Brief, first: Option<&Block>) -> Option<String> {
    let text = &first.filter(|_| told_once(brief))?.text;
    let inner = text.strip_prefix("<first_observation>\n").and_then(|rest| rest.strip_suffix("\n</first_observation>"));
    Some(inner.unwrap_or(text).to_owned())
}

/// A text as the block of the first observation.
pub(crate) fn block(text: &str) -> Block {
    let text = format!("<first_observation>\n{text}\n</first_observation>").into();
    Block { name: "first_observation".to_owned(), text }
}

#[cfg(test)]
mod tests {
    use super::{Block, LATEST, LONGEST, shortened};

    #[test]
    fn a_long_result_is_cut_and_says_so() {
        let block = |letters: usize| Block { name: LATEST.to_owned(), text: "é".repeat(letters).into() };
        assert_eq!(&*shortened(block(LONGEST)).text, "é".repeat(LONGEST));
        let cut = shortened(block(LONGEST + 7)).text;
        assert!(cut.starts_with(&"é".repeat(LONGEST)) && !cut.contains(&"é".repeat(LONGEST + 1)));
        assert!(cut.ends_with("the last 7 characters were left out.)"), "{}", &cut[cut.len() - 120..]);
    }
}
