//! Layers that are asked side by side: those whose incoming messages and resources are disjoint (Eq. 28; CTHA-093).

use std::collections::BTreeSet;

use futures::future::join_all;
use gimbal_core::{EpisodeStopped, LaneId, ToolCall};
use gimbal_temporal::{Layer, Proposal};

use super::Temporal;
use super::answer::{Due, LayerAnswer};
use super::state::Episode;
use super::turn::Turn;

/// Whatever a step takes, where nothing is said of the resources of a call.
const ANYTHING: &str = "anything";

/// What a layer reads and uses in a step.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
struct Footprint {
    /// The messages that come down to it, by what they are.
    messages: BTreeSet<String>,
    /// Resources of what it may want.
    resources: BTreeSet<String>,
}

impl Footprint {
    fn is_disjoint(&self, other: &Self) -> bool {
        self.messages.is_disjoint(&other.messages) && self.resources.is_disjoint(&other.resources)
    }
}

impl Temporal {
    /// How many of the layers that are due come next together: the first, and those after it each of which is disjoint from all before it. They keep
    /// their order, so that what is left reads what these give.
    pub(super) fn together(&self, turn: &Turn<'_>, episode: &Episode, due: &[Due]) -> usize {
        if !self.parallel {
            return due.len().min(1);
        }
        let prints: Vec<Footprint> = due.iter().map(|due| self.footprint(turn, episode, due.layer)).collect();
        let joins = |place: usize| {
            let Due { layer, why } = due[place];
            // A plan that is made now is what Tactical was asked for.
            let waits = layer == Layer::Tactical && why == "new_plan";
            let awaited = due[..place].iter().any(|slower| slower.layer == Layer::Strategic);
            !(waits && awaited) && prints[..place].iter().all(|before| before.is_disjoint(&prints[place]))
        };
        (1..due.len()).find(|place| !joins(*place)).unwrap_or(due.len())
    }

    /// Asks layers in lanes of their own and takes up what they gave in their order, the slowest first.
    ///
    /// # Errors
    /// What stopped the episode.
    pub(super) async fn side_by_side(
        &self,
        turn: &Turn<'_>,
        group: &[Due],
        episode: &mut Episode,
        proposals: &mut Vec<Proposal>,
    ) -> Result<(), EpisodeStopped> {
        let lanes: Vec<LaneId> = group.iter().map(|due| turn.stage.lane(due.layer.name())).collect();
        let asked = group.iter().zip(&lanes).map(|(due, lane)| {
            let episode = &*episode;
            async move { self.ask(turn, *lane, *due, episode, &[]).await }
        });
        let given = join_all(asked).await;
        turn.stage.join(&lanes).await;
        for (due, given) in group.iter().zip(given) {
            let mut given = given?;
            if due.layer == Layer::Reflex {
                self.reflex(turn, episode, proposals, Some(given)).await?;
                continue;
            }
            // Tactical named subgoals of the plan that it was shown, and the one in force may be another one with the same names.
            let is_new = episode.plan.as_ref().is_some_and(|made| made.step == episode.step);
            if let (true, LayerAnswer::Tactical(answer)) = (is_new, &mut given.answer) {
                answer.reached.clear();
            }
            self.take(turn, *due, given, episode, proposals).await?;
        }
        Ok(())
    }

    /// What a layer reads and uses: the plans, policies, sequences and remarks that come to it, and the resources of the calls that it may make. A layer
    /// that makes no calls uses none.
    fn footprint(&self, turn: &Turn<'_>, episode: &Episode, layer: Layer) -> Footprint {
        let live = episode.table.live(episode.step).map(|one| one.proposal.layer);
        let mut messages: BTreeSet<String> =
            live.filter(|from| *from > layer && *from >= Layer::Strategic).map(|from| format!("of {from}")).collect();
        if layer == Layer::Reflex && !episode.sequence.is_empty() {
            messages.insert(format!("of {}", Layer::Tactical));
        }
        if !self.contracts {
            messages
                .extend(episode.remarks.keys().filter(|from| **from != layer).map(|from| format!("remark of {from}")));
        }
        // Without contracts any layer may want a call.
        let acts = layer <= Layer::Tactical || !self.contracts;
        let resources = if acts { resources(turn) } else { BTreeSet::new() };
        Footprint { messages, resources }
    }
}

/// The resources of all calls that may be made now but the idle one. Where they are not listed, or the manifest says nothing of one of them, it may
/// be anything.
fn resources(turn: &Turn<'_>) -> BTreeSet<String> {
    let used = |call: &ToolCall| -> Option<Vec<String>> {
        turn.brief.manifest.tools().get(&call.tool)?;
        let facts = turn.brief.manifest.of(call);
        Some([facts.reads, facts.writes].concat())
    };
    let mut resources = BTreeSet::new();
    let anything = || BTreeSet::from([ANYTHING.to_owned()]);
    if turn.legal.is_empty() || turn.brief.free_arguments {
        return anything();
    }
    for call in turn.legal.iter().filter(|call| **call != turn.brief.idle) {
        match used(call) {
            Some(names) => resources.extend(names),
            None => return anything(),
        }
    }
    resources
}
