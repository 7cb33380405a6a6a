//! From proposals and commitments to one call: who may decide, who is in conflict, who gives way.

use gimbal_core::{EpisodeStopped, LaneId, Milli, Scope, Stage, ToolCall};
use gimbal_messages::StageExt;
use gimbal_messages::records::temporal::{Clash, LayerDecided, LayerReleased, LayerViolated};
use gimbal_temporal::arbiter::{Masked, Part, Party, Scene, Verdict};
use gimbal_temporal::authority::{Authority, Category};
use gimbal_temporal::commitments::{Commitment, ReleasedBy};
use gimbal_temporal::conflict::{Cause, Conflict, Detector};
use gimbal_temporal::contracts::{RuleAction, Situation};
use gimbal_temporal::rollout::Candidate;
use gimbal_temporal::{Layer, Pattern, Proposal, pattern};

use super::Temporal;
use super::allowed::not_allowed;
use super::settings::ArbiterKind;
use super::state::Episode;
use super::turn::Turn;

/// What excludes a call before it is proposed.
pub(super) struct Objection {
    /// `policy`, `escalated`, `binding` or `untimely`.
    pub kind: &'static str,
    /// The layer whose matter it is.
    pub over: Layer,
    /// For the layer that wanted it.
    pub why: String,
}

/// The call of a step, and whose it is.
pub(super) struct Decision {
    pub call: ToolCall,
    pub caller: Option<Layer>,
}

impl Temporal {
    /// A call as a proposal of a layer, with what the environment's manifest says of it (CTHA-070).
    pub(super) fn proposal(&self, turn: &Turn<'_>, episode: &Episode, layer: Layer, call: &ToolCall) -> Proposal {
        let mut proposal = Proposal::call(layer, call.clone());
        let again = layer == Layer::Reflex && episode.refused_tool.as_deref() == Some(call.tool.as_str());
        if again {
            proposal.category = Category::ErrorRetry;
        }
        let facts = turn.brief.manifest.of(call);
        for name in &facts.reads {
            proposal = proposal.using(name, false);
        }
        for name in &facts.writes {
            proposal = proposal.using(name, true);
        }
        for (key, value) in &facts.effects {
            proposal = proposal.making(key, value);
        }
        proposal
    }

    /// What excludes a call of a faster layer (CTHA-044, CTHA-065). The idle call is always open. What a plan names is decided already.
    pub(super) fn objection(&self, turn: &Turn<'_>, episode: &Episode, proposal: &Proposal) -> Option<Objection> {
        let mut watch = turn.stage.stopwatch();
        let objection = self.objected(turn, episode, proposal);
        watch.lap("authority");
        objection
    }

    pub(super) fn objected(&self, turn: &Turn<'_>, episode: &Episode, proposal: &Proposal) -> Option<Objection> {
        let call = proposal.as_call()?;
        if !self.authority || *call == turn.brief.idle {
            return None;
        }
        let shares = [("confidence", proposal.confidence), ("urgency", proposal.urgency)];
        let numbers = episode.numbers(turn.brief.horizon, &shares);
        let situation = Situation { numbers: Some(&numbers), call: Some(call) };
        if let Some(objection) = self.forbidden_in_words(episode, proposal) {
            return Some(objection);
        }
        let mut escalated = None;
        for (layer, policy) in episode.policies.iter().rev() {
            let ruling = policy.ruling(&situation);
            match ruling.action {
                RuleAction::Deny => {
                    return Some(Objection { kind: "policy", over: *layer, why: not_allowed(&ruling.why) });
                }
                RuleAction::Escalate => {
                    escalated.get_or_insert(Objection { kind: "escalated", over: Layer::Strategic, why: ruling.why });
                }
                RuleAction::Allow | RuleAction::Log => {}
            }
        }
        let binds = || turn.brief.manifest.of(call).scope == Scope::Plan;
        let objection = escalated
            .or_else(|| {
                let why = "no plan names it".to_owned();
                binds().then_some(Objection { kind: "binding", over: Layer::Strategic, why })
            })
            .or_else(|| {
                let over = self.untimely(turn, proposal).filter(|_| self.contracts)?;
                Some(Objection { kind: "untimely", over, why: format!("it is on the time scale of {over}") })
            })?;
        // What Tactical ordered it may have; what is over sooner than its layer decides is for the faster one to want.
        if objection.kind == "untimely" && objection.over <= Layer::Tactical {
            let ordered = episode.sequence.front().is_some_and(|(_, next)| next == call);
            return (objection.over < proposal.layer || !ordered).then_some(objection);
        }
        // Without a plan nobody could ever let it through.
        let planner = self.contracts && self.layers().contains(&Layer::Strategic);
        (planner && !named(episode, call)).then_some(objection)
    }

    /// What Institutional or Meta forbid in free text is their policy: authority holds faster layers to it, as it does to one that follows a contract.
    fn forbidden_in_words(&self, episode: &Episode, proposal: &Proposal) -> Option<Objection> {
        let call = proposal.as_call().filter(|_| !self.contracts)?;
        let mut policies = episode.table.live(episode.step).filter(|one| one.proposal.layer >= Layer::Institutional);
        policies.find_map(|one| {
            let held = one.proposal.as_directive().filter(|held| !held.allows(call))?;
            let over = Some(one.proposal.layer).filter(|over| *over > proposal.layer)?;
            Some(Objection { kind: "policy", over, why: not_allowed(&held.text) })
        })
    }

    /// Decides, records, and takes the losing commitments off the table.
    pub(super) async fn decide(
        &self,
        turn: &Turn<'_>,
        episode: &mut Episode,
        calls: &[Proposal],
        active: &[Layer],
    ) -> Result<Decision, EpisodeStopped> {
        let stage = turn.stage;
        let idle = &turn.brief.idle;
        let all = self.contending(episode, calls);
        let (proposals, live): (&[Proposal], Vec<&Commitment>) = (&all.proposals, all.held.iter().collect());
        let drawn = self.drawn(stage, episode.step, proposals);
        let mut verdict = self.verdict(turn, proposals, &live, &drawn);
        let mut watch = stage.stopwatch();
        let way = self.way(turn, episode, proposals, &live, &verdict).await?;
        if self.kind == ArbiterKind::Learned || self.rollouts.is_some() {
            watch.lap("ways");
        }
        if let Some((choices, place)) = way
            && let Some(way) = choices.candidates.get(place)
        {
            take(&mut verdict, way, proposals, &live);
        }
        let nobody = Proposal::call(Layer::Reflex, idle.clone());
        let party = |place: usize| -> &Proposal {
            let found = match verdict.parties.get(place) {
                Some(Party::Proposal(at)) => proposals.get(*at),
                Some(Party::Commitment(number)) => {
                    live.iter().find(|one| one.number == *number).map(|one| &one.proposal)
                }
                None => None,
            };
            found.unwrap_or(&nobody)
        };
        let mut decision = if self.kind == ArbiterKind::Last {
            // Whoever speaks last in a step is the fastest layer that wants an action.
            let may = |one: &&Proposal| self.arbiter.authority.permits(one.layer, one.category);
            let last = proposals.iter().rev().filter(may).find(|one| one.as_call().is_some());
            match last.and_then(|one| Some((one.layer, one.as_call()?))) {
                Some((layer, call)) => Decision { call: call.clone(), caller: Some(layer) },
                None => Decision { call: idle.clone(), caller: None },
            }
        } else {
            Decision { call: verdict.composed.call.clone(), caller: verdict.composed.caller }
        };
        if decision.caller.is_none() {
            decision.call = self.safe_default(turn, episode, proposals).await;
        }
        let (conflicts, comparisons) = if self.kind == ArbiterKind::Last {
            seen_from_outside(&verdict, &party)
        } else {
            (verdict.conflicts.clone(), verdict.comparisons)
        };
        let gone = |place: usize| {
            self.kind != ArbiterKind::Last
                && (verdict.masked.iter().any(|one| one.place == place)
                    || verdict.skipped.iter().any(|one| one.place == place))
        };
        let kept = |conflict: &Conflict| -> Option<String> {
            if self.kind == ArbiterKind::Last {
                return None;
            }
            match (gone(conflict.one), gone(conflict.other)) {
                (false, true) => Some(party(conflict.one).layer.name().to_owned()),
                (true, false) => Some(party(conflict.other).layer.name().to_owned()),
                _ => None,
            }
        };
        let clash = |conflict: &Conflict| Clash {
            faster: party(conflict.one).layer.name().to_owned(),
            slower: party(conflict.other).layer.name().to_owned(),
            causes: conflict.causes.iter().map(cause).collect(),
            kept: kept(conflict),
        };
        let made = |place: usize| decision.caller.is_some() && party(place).as_call() == Some(&decision.call);
        let carried_out = conflicts.iter().filter(|conflict| {
            let (one, other) = (made(conflict.one), made(conflict.other));
            (one && !other && !gone(conflict.other)) || (other && !one && !gone(conflict.one))
        });
        let record = LayerDecided {
            step: episode.step,
            arbiter: self.kind.name().to_owned(),
            parties: u32::try_from(verdict.parties.len()).unwrap_or(u32::MAX),
            conflicts: conflicts.iter().map(clash).collect(),
            comparisons,
            early: conflicts.is_empty(),
            call: stage.render(&decision.call).await,
            caller: decision.caller.map(|layer| layer.name().to_owned()),
            carried_out: carried_out.map(clash).collect(),
            active: active.iter().map(|layer| layer.name().to_owned()).collect(),
        };
        stage.record(LaneId::MAIN, &record).await;
        let gave_way: Vec<u64> = if self.kind == ArbiterKind::Last {
            Vec::new()
        } else {
            [masked(&verdict), all.gave_way(&verdict)].concat()
        };
        self.outside(turn, episode, (proposals, &gave_way), &decision).await;
        if self.kind != ArbiterKind::Last {
            self.settle(turn, episode, &all, &verdict).await;
            for (number, by) in verdict.released {
                if episode.table.release(number, episode.step, ReleasedBy::Overruled(by)) {
                    let by = "overruled".to_owned();
                    stage.record(LaneId::MAIN, &LayerReleased { step: episode.step, number, by }).await;
                }
            }
        }
        Ok(decision)
    }

    fn verdict(&self, turn: &Turn<'_>, proposals: &[Proposal], live: &[&Commitment], drawn: &[Milli]) -> Verdict {
        // What cannot be done now was refused before it became a proposal.
        let scene = Scene { idle: &turn.brief.idle, open: &|_| true, stops: &|_| false };
        let mut watch = turn.stage.stopwatch();
        let mut done = |part: Part| {
            watch.lap(match part {
                Part::Conflicts => "conflicts",
                Part::Masking => "arbiter",
                Part::Composing => "composing",
            });
        };
        self.arbiter.resolve_watched(proposals, live, drawn, &scene, &mut done)
    }

    /// Records calls beyond the authority of the layer that wants them, and whether they are carried out (CTHA-112).
    async fn outside(
        &self,
        turn: &Turn<'_>,
        episode: &Episode,
        (proposals, gave_way): (&[Proposal], &[u64]),
        decision: &Decision,
    ) {
        let published = Authority::published();
        for proposal in proposals {
            let Some(call) = proposal.as_call() else { continue };
            if published.permits(proposal.layer, proposal.category) {
                continue;
            }
            let carried_out = decision.caller == Some(proposal.layer) && decision.call == *call;
            let record = LayerViolated {
                step: episode.step,
                layer: proposal.layer.name().to_owned(),
                kind: "authority".to_owned(),
                text: turn.stage.render(call).await,
                carried_out,
                over: None,
                instead: String::new(),
            };
            turn.stage.record(LaneId::MAIN, &record).await;
        }
        // A faster layer that does what a slower one excludes, and that no arbiter let it do.
        let Some(caller) = decision.caller else { return };
        let against = episode.table.live(episode.step).find(|one| {
            one.proposal.layer > caller
                && !gave_way.contains(&one.number)
                && one.proposal.as_directive().is_some_and(|held| !held.allows(&decision.call))
        });
        if let Some(against) = against {
            let record = LayerViolated {
                step: episode.step,
                layer: caller.name().to_owned(),
                kind: "policy".to_owned(),
                text: turn.stage.render(&decision.call).await,
                carried_out: true,
                over: Some(against.proposal.layer.name().to_owned()),
                instead: String::new(),
            };
            turn.stage.record(LaneId::MAIN, &record).await;
        }
    }

    /// What chance adds to the priority of each proposal, where it decides; nothing elsewhere.
    fn drawn(&self, stage: &dyn Stage, step: u32, proposals: &[Proposal]) -> Vec<Milli> {
        if self.kind != ArbiterKind::Random {
            return Vec::new();
        }
        let mut rng = stage.rng(&format!("arbiter/{step}"));
        proposals.iter().map(|_| Milli(i64::try_from(rng.below(1_000_000)).unwrap_or(0))).collect()
    }
}

/// Makes a verdict the one that takes a way: whoever is not in it gives way.
fn take(verdict: &mut Verdict, way: &Candidate, proposals: &[Proposal], live: &[&Commitment]) {
    let layer = |place: usize| match verdict.parties.get(place) {
        Some(Party::Proposal(at)) => proposals.get(*at).map(|one| one.layer),
        Some(Party::Commitment(number)) => live.iter().find(|one| one.number == *number).map(|one| one.proposal.layer),
        None => None,
    };
    let beaten_by = |place: usize| {
        let others =
            verdict.conflicts.iter().filter_map(|conflict| match (conflict.one == place, conflict.other == place) {
                (true, _) => Some(conflict.other),
                (_, true) => Some(conflict.one),
                _ => None,
            });
        others.filter(|other| way.kept.contains(other)).min()
    };
    let lost = (0..verdict.parties.len()).filter(|place| !way.kept.contains(place));
    let masked: Vec<Masked> = lost.filter_map(|place| Some(Masked { place, by: beaten_by(place)? })).collect();
    verdict.released = masked
        .iter()
        .filter_map(|one| match verdict.parties.get(one.place) {
            Some(Party::Commitment(number)) if layer(one.place) < Some(Layer::Institutional) => {
                Some((*number, layer(one.by)?))
            }
            _ => None,
        })
        .collect();
    verdict.masked = masked;
    verdict.skipped = Vec::new();
    verdict.kept.clone_from(&way.kept);
    verdict.composed.call = way.call.clone();
    verdict.composed.caller = way.caller;
    let held = way.holds.iter().map(|held| (held.layer, held.directive.clone()));
    verdict.composed.directives = held.collect();
}

/// Numbers of the commitments that lost.
fn masked(verdict: &Verdict) -> Vec<u64> {
    let number = |place: usize| match verdict.parties.get(place) {
        Some(Party::Commitment(number)) => Some(*number),
        _ => None,
    };
    verdict.masked.iter().filter_map(|one| number(one.place)).collect()
}

/// Conflicts among all parties, for whoever watches a hierarchy without an arbiter.
fn seen_from_outside<'a>(verdict: &Verdict, party: &impl Fn(usize) -> &'a Proposal) -> (Vec<Conflict>, u64) {
    let parties: Vec<&Proposal> = (0..verdict.parties.len()).map(party).collect();
    let mut found = Detector::default().find(&parties);
    found.conflicts.retain(|conflict| {
        let proposed = |place: usize| matches!(verdict.parties.get(place), Some(Party::Proposal(_)));
        (proposed(conflict.one) && proposed(conflict.other))
            || parties[conflict.one].layer != parties[conflict.other].layer
    });
    (found.conflicts, found.comparisons)
}

fn cause(cause: &Cause) -> String {
    match cause {
        Cause::Resource(name) => format!("resource {name}"),
        Cause::Effect(key) => format!("effect {key}"),
        Cause::Directive(name) => format!("directive {name}"),
        Cause::Call => "call".to_owned(),
    }
}

/// Whether the plan in force names a call, its tool or the tool with its arguments, and nothing in it excludes the call.
fn named(episode: &Episode, call: &ToolCall) -> bool {
    let patterns = [Pattern::new(&pattern::shown(call)), Pattern::new(&call.tool)];
    let live = episode.table.live(episode.step).filter(|one| one.proposal.layer == Layer::Strategic);
    let plan: Vec<_> = live.filter_map(|one| one.proposal.as_directive()).collect();
    // A constraint that forbids a call names it too, and is not a permission to make it.
    let excluded = plan.iter().any(|directive| !directive.allows(call));
    !excluded && plan.iter().any(|one| patterns.iter().any(|pattern| pattern.is_named_in(&one.text)))
}

/// The stop of an environment that refuses its own idle call.
pub(super) fn refused_idle(why: &str) -> EpisodeStopped {
    EpisodeStopped::infrastructure(format!("the environment refused its own idle call: {why}"))
}
