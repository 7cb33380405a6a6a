//! What slower layers hold, as Tactical and Reflex are told it.

use gimbal_temporal::Layer;

use super::state::Episode;

/// What layers above Tactical hold, by what faster layers can make of it: a text that excludes no action is not a constraint.
#[derive(Debug, Default)]
pub(super) struct HeldAbove<'a> {
    /// Texts that exclude actions.
    pub constraints: Vec<&'a str>,
    /// What the plan wants to be reached now.
    pub subgoals: Vec<&'a str>,
    /// Constraints of the plan in words.
    pub advice: Vec<&'a str>,
}

impl<'a> HeldAbove<'a> {
    pub(super) fn of(episode: &'a Episode) -> Self {
        let mut all = Self::default();
        let held = episode.table.live(episode.step).filter(|one| one.proposal.layer > Layer::Tactical);
        for (layer, directive) in held.filter_map(|one| Some((one.proposal.layer, one.proposal.as_directive()?))) {
            if layer > Layer::Strategic {
                all.constraints.push(&directive.text);
            } else if directive.id.ends_with("/constraints") {
                let (binding, words): (Vec<_>, Vec<_>) = directive.text.split("; ").partition(|text| binds(text));
                all.constraints.extend(binding);
                all.advice.extend(words);
            } else {
                all.subgoals.push(&directive.text);
            }
        }
        all
    }
}

/// Whether a constraint of a plan excludes actions.
fn binds(constraint: &str) -> bool {
    let first = constraint.trim().split_once(' ').map(|(first, _)| first);
    first.is_some_and(|first| ["forbid", "only"].iter().any(|word| first.eq_ignore_ascii_case(word)))
}
