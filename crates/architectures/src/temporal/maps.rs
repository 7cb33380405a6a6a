//! The maps between layers in play, as a switch (CTHA-025, CTHA-031): shares of the tokens for context, and scores that ask layers.

use gimbal_core::{EpisodeStopped, LaneId, Milli};
use gimbal_messages::records::temporal::{LayerMapped, LayerTrimmed};
use gimbal_messages::{StageExt, spaced};
use gimbal_temporal::Layer;
use gimbal_temporal::channel::{Mapped, Seen, asks};
use serde_json::Value;

use super::Temporal;
use super::channel::Maps;
use super::state::Episode;
use super::turn::Turn;

/// Why a layer is asked whose score is high.
const DUE: &str = "due";
/// Steps after which a layer whose score is still high is asked again; as of other triggers.
const QUIET: u32 = 3;
/// What is left out of a request where its layer's share is too small, and whether the oldest entry is the first one. What binds a layer is never left
/// out.
const MEMORIES: [(&str, bool); 4] = [("recent", true), ("past", true), ("notes", false), ("remarks", false)];
/// What a layer that is not asked by its period waits for, in steps.
const LONG: u32 = 8;
/// What counts as many held commitments.
const MANY: u32 = 4;

impl Temporal {
    /// Takes up what is seen at the beginning of a step, and asks the layers whose score is high.
    ///
    /// # Errors
    /// A lasting stop where the channel has another number of layers.
    pub(super) async fn map(&self, turn: &Turn<'_>, episode: &mut Episode) -> Result<(), EpisodeStopped> {
        let Some(mut maps) = episode.maps.take() else { return Ok(()) };
        let seen: Vec<Seen> = self.layers().iter().map(|layer| self.concerns(turn, episode, &maps, *layer)).collect();
        let mapped = maps.channel.step(&seen).map_err(|error| EpisodeStopped::lasting(format!("maps: {error}")))?;
        let Mapped { shares, scores, deviation } = mapped;
        for (place, layer) in self.layers().iter().copied().enumerate() {
            maps.shares.insert(layer, shares.get(place).copied().unwrap_or(0));
            let rested = maps.asked.get(&layer).is_none_or(|step| turn.step >= step + QUIET);
            if rested && asks(layer, scores.get(place).copied().unwrap_or(Milli::ZERO)) {
                episode.ask(layer, DUE);
            }
        }
        let record = LayerMapped { step: turn.step, maps: maps.kind.name().to_owned(), shares, scores, deviation };
        episode.maps = Some(maps);
        turn.stage.record(LaneId::MAIN, &record).await;
        Ok(())
    }

    /// What concerns a layer now.
    fn concerns(&self, turn: &Turn<'_>, episode: &Episode, maps: &Maps, layer: Layer) -> Seen {
        let waits = |matter: bool| if matter { Milli(1000) } else { Milli::ZERO };
        let (harm, refused, period) = match layer {
            Layer::Reflex => (Seen::share(episode.harmed, 1), Seen::share(episode.refusals, 3), 1),
            Layer::Tactical => {
                (Seen::share(episode.recent_harm(), LONG), Seen::share(episode.refusals, 3), self.tactical_period)
            }
            Layer::Strategic => (Seen::share(episode.recent_harm(), LONG), waits(episode.escalated.is_some()), LONG),
            Layer::Institutional | Layer::Meta => {
                (Seen::share(episode.recent_harm(), LONG), waits(episode.denied.is_some()), turn.brief.horizon)
            }
        };
        let since = maps.asked.get(&layer).map_or(0, |step| turn.step.saturating_sub(*step));
        let live = episode.table.live(turn.step).filter(|one| one.proposal.layer == layer).count();
        let held = Seen::share(u32::try_from(live).unwrap_or(u32::MAX), MANY);
        Seen { harm, refused, waiting: Seen::share(since, period), held }
    }

    /// Leaves memories out of what a layer is to be told until it fits into the layer's share of the tokens: the oldest steps and earlier trials, the
    /// notes that are farthest in meaning, the remarks of the fastest layer. `None` if nothing was left out. All shares together are what the messages
    /// of all layers may have together (CTHA-042).
    pub(super) fn fit(
        &self,
        turn: &Turn<'_>,
        layer: Layer,
        episode: &Episode,
        told: &mut Value,
    ) -> Option<LayerTrimmed> {
        let maps = episode.maps.as_ref()?;
        let share = u64::from(*maps.shares.get(&layer)?);
        let all: u64 = self.layers().iter().map(|layer| u64::from(layer.spec().message_tokens)).sum();
        let room = all * share / 1000;
        let role = self.agent_of(layer)?.agent.role();
        let tokens = |told: &Value| turn.stage.tokens(role, &spaced(told)).tokens;
        let before = tokens(told);
        let (mut after, mut left_out) = (before, 0);
        while after > room && leave_one_out(told) {
            left_out += 1;
            after = tokens(told);
        }
        let trimmed = LayerTrimmed { step: turn.step, layer: layer.name().to_owned(), room, before, after, left_out };
        (left_out > 0).then_some(trimmed)
    }
}

/// Leaves one entry of the longest memory out. Returns whether there was one.
fn leave_one_out(told: &mut Value) -> bool {
    let Some(members) = told.as_object_mut() else { return false };
    let long = |key: &str| -> usize {
        members.get(key).and_then(Value::as_array).into_iter().flatten().map(|entry| spaced(entry).len()).sum()
    };
    let Some((key, oldest_first)) = MEMORIES.into_iter().max_by_key(|(key, _)| long(key)) else { return false };
    let Some(list) = members.get_mut(key).and_then(Value::as_array_mut) else { return false };
    let gone = if oldest_first && !list.is_empty() { Some(list.remove(0)) } else { list.pop() };
    if list.is_empty() {
        members.remove(key);
    }
    gone.is_some()
}

#[cfg(test)]
mod tests {
    use serde_json::json;

    use super::leave_one_out;

    // covers: CTHA-031
    #[test]
    fn memories_go_the_oldest_first_and_what_binds_stays() {
        let mut told = json!({ "step": 3, "plan": ["a long directive that binds this layer"], "recent": ["first", "second"], "notes": ["near", "far"] });
        assert!(leave_one_out(&mut told));
        assert_eq!(told["recent"], json!(["second"]));
        assert!(leave_one_out(&mut told));
        assert_eq!(told["notes"], json!(["near"]));
        while leave_one_out(&mut told) {}
        assert_eq!(told, json!({ "step": 3, "plan": ["a long directive that binds this layer"] }));
    }
}
