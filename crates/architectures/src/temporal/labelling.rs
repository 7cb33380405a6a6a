//! What each way to resolve a conflict is worth, and the way that a learned arbiter or a rollout takes.

use gimbal_core::{BranchError, EpisodeStopped, LaneId};
use gimbal_messages::{StageExt, bounded};
use gimbal_temporal::Proposal;
use gimbal_temporal::arbiter::{Rank, Scene, Verdict};
use gimbal_temporal::commitments::Commitment;
use gimbal_temporal::conflict::Cause;
use gimbal_temporal::rollout::{
    COLUMNS, Candidate, Choices, Contenders, Features, Labelled, LayerLabelled, Named, Recent, Replacement, Rollout,
    RolloutError, Rule, SecondLabel, chosen, value,
};

use super::Temporal;
use super::settings::{ArbiterKind, Rollouts};
use super::state::Episode;
use super::turn::Turn;

/// Name of the artefact with the weights of a learned arbiter.
pub(super) const WEIGHTS: &str = "arbiter";
/// The name of the rule with weights of its own in labels.
const TUNED: &str = "tuned";
/// How much of the goal is in a conflict's context, in characters.
const GOAL: usize = 400;
/// Legal calls that are compared with one that a directive does not let through.
const LEGAL: usize = 512;
/// Most ways of a conflict that a learned arbiter chooses among.
const WAYS: usize = 64;

impl Temporal {
    /// The ways to resolve the conflict of a step, and the place of the one that is taken where this arbiter takes it from there; `None` if
    /// there is no conflict or nobody asks for ways. What comes before the score in the `verdict` of the rules comes before it here too.
    ///
    /// # Errors
    /// What stopped the episode; a lasting one where the environment cannot be played out.
    pub(super) async fn way(
        &self,
        turn: &Turn<'_>,
        episode: &Episode,
        proposals: &[Proposal],
        live: &[&Commitment],
        verdict: &Verdict,
    ) -> Result<Option<(Choices, usize)>, EpisodeStopped> {
        let learned = self.kind == ArbiterKind::Learned;
        if !learned && self.rollouts.is_none() {
            return Ok(None);
        }
        let most = self.rollouts.as_ref().map_or(WAYS, |rollouts| rollouts.ways);
        let Some((mut choices, features)) = self.choices(turn, episode, proposals, live, most) else { return Ok(None) };
        let safe = self.safe_default(turn, episode, proposals).await;
        for way in choices.candidates.iter_mut().filter(|way| way.caller.is_none()) {
            way.call.clone_from(&safe);
        }
        let named = Named::of(&choices, Contenders { proposals, commitments: live }, context(turn, episode));
        let mut taken = None;
        if let Some(rollouts) = &self.rollouts
            && let Some(labelled) = label(turn, &choices, features.clone(), rollouts).await?
        {
            if self.kind == ArbiterKind::Rollout {
                taken = best_of(&labelled, |place| respects_ranks(&choices.candidates, place, verdict));
            }
            let kind = kind(&choices);
            let (policy, futures) = (rollouts.policy.clone(), rollouts.futures);
            let second = match &rollouts.second {
                Some(second) => {
                    let rollouts = Rollouts { policy: second.clone(), ..rollouts.clone() };
                    let labelled = label(turn, &choices, features.clone(), &rollouts).await?;
                    labelled.map(|labelled| SecondLabel::of(second, &labelled))
                }
                None => None,
            };
            let named = Some(named.clone());
            let record = LayerLabelled { step: episode.step, policy, futures, kind, labelled, named, second };
            turn.stage.record(LaneId::MAIN, &record).await;
        }
        if learned {
            let scorer = turn.stage.scorer(WEIGHTS);
            let scorer =
                scorer.ok_or_else(|| EpisodeStopped::lasting(format!("the artefact `{WEIGHTS}` holds no scorer")))?;
            let context = scorer.context(&named.context);
            // A row begins with the layer.
            let plain = 1 + COLUMNS.len() + context.len();
            let with_actions = scorer.width() == plain + 1;
            if scorer.width() != plain && !with_actions {
                let words = format!(
                    "the artefact `{WEIGHTS}` reads {} numbers of a party, and there are {plain}, or one more with its action",
                    scorer.width()
                );
                return Err(EpisodeStopped::lasting(words));
            }
            let rows = named.rows(&features, with_actions, &context);
            let open: Vec<usize> = (0..choices.candidates.len())
                .filter(|place| respects_ranks(&choices.candidates, *place, verdict))
                .collect();
            let ways = open.iter().map(|place| choices.candidates[*place].kept.as_slice());
            taken = chosen(&scorer.score(&rows), ways).and_then(|at| open.get(at).copied());
        }
        Ok(taken.map(|place| (choices, place)))
    }

    fn choices(
        &self,
        turn: &Turn<'_>,
        episode: &Episode,
        proposals: &[Proposal],
        live: &[&Commitment],
        most: usize,
    ) -> Option<(Choices, Vec<Features>)> {
        let scene = Scene { idle: &turn.brief.idle, open: &|_| true, stops: &|_| false };
        let wanted = Contenders { proposals, commitments: live };
        let mut rules = Rule::standard(&self.arbiter.authority);
        if self.weights.is_some() {
            rules.push(Rule::new(TUNED, self.arbiter.clone()));
        }
        let choices = Choices::of(&self.arbiter, &rules, wanted, &scene, most)?;
        let horizon = turn.brief.horizon;
        let recent = Recent {
            step: episode.step,
            steps_left: horizon.saturating_sub(episode.step - 1),
            horizon,
            harm: episode.recent_harm(),
            refusals: episode.refusals,
        };
        let features = Features::of(&choices, wanted, &scene, recent);
        Some((choices, features))
    }
}

/// Whether a way keeps what comes before the score (CTHA-076): every stop in an emergency and every policy, unless something that it keeps, and that
/// comes before the score no later, excludes it.
fn respects_ranks(ways: &[Candidate], place: usize, verdict: &Verdict) -> bool {
    let Some(way) = ways.get(place) else { return false };
    let rank = |place: usize| verdict.scores.get(place).map_or(Rank::Ordinary, |score| score.rank);
    let excluded = |place: usize| {
        verdict.conflicts.iter().any(|conflict| {
            let other = match (conflict.one == place, conflict.other == place) {
                (true, _) => conflict.other,
                (_, true) => conflict.one,
                _ => return false,
            };
            way.kept.contains(&other) && rank(other) >= rank(place)
        })
    };
    let mut first = (0..verdict.scores.len()).filter(|place| rank(*place) > Rank::Ordinary);
    first.all(|place| way.kept.contains(&place) || excluded(place))
}

/// The way that is worth most among those that are open; of those alike the first.
fn best_of(labelled: &Labelled, is_open: impl Fn(usize) -> bool) -> Option<usize> {
    let worth = |place: &usize| -> i128 { labelled.ways[*place].returns.iter().map(|one| i128::from(one.0)).sum() };
    let open = (0..labelled.ways.len()).filter(|place| is_open(*place));
    open.max_by_key(|place| (worth(place), std::cmp::Reverse(*place)))
}

/// Plays all ways out; `None` if the calls in branches are used up.
async fn label(
    turn: &Turn<'_>,
    choices: &Choices,
    features: Vec<Features>,
    rollouts: &Rollouts,
) -> Result<Option<Labelled>, EpisodeStopped> {
    let left = turn.brief.horizon.saturating_sub(turn.step - 1).max(1);
    let rollout = Rollout {
        policy: &rollouts.policy,
        futures: rollouts.futures,
        step: turn.step,
        steps: rollouts.steps.map_or(left, |steps| steps.clamp(1, left)),
        replacement: Replacement::Nearest,
        legal: LEGAL,
        idle: &turn.brief.idle,
    };
    let mut returns = Vec::with_capacity(choices.candidates.len());
    for candidate in &choices.candidates {
        let mut present = match turn.stage.branch(0).await {
            Ok(present) => present,
            Err(error) => return ended(error),
        };
        match value(&mut *present, candidate, &rollout).await {
            Ok(earned) => returns.push(earned),
            Err(RolloutError::Branch { error: BranchError::EpisodeStopped(halt), .. }) => return Err(halt),
            Err(RolloutError::Branch { error: BranchError::Spent { .. }, .. }) => return Ok(None),
            Err(error) => return Err(EpisodeStopped::lasting(format!("a rollout: {error}"))),
        }
    }
    Ok(Labelled::of(choices, features, returns))
}

fn ended<T>(error: BranchError) -> Result<Option<T>, EpisodeStopped> {
    match error {
        BranchError::EpisodeStopped(halt) => Err(halt),
        BranchError::Spent { .. } => Ok(None),
        error => Err(EpisodeStopped::lasting(format!("a rollout: {error}"))),
    }
}

/// What the parties of a conflict share, as a text: the goal, and what was done and seen last.
fn context(turn: &Turn<'_>, episode: &Episode) -> String {
    let last = episode.taken.back().map(|taken| format!("\n{} -> {}", taken.action, taken.seen)).unwrap_or_default();
    format!("{}{last}", bounded(&turn.brief.goal, GOAL))
}

/// What a conflict is about.
fn kind(choices: &Choices) -> String {
    let word = |cause: &Cause| match cause {
        Cause::Resource(_) => "resource",
        Cause::Effect(_) => "effect",
        Cause::Directive(_) => "directive",
        Cause::Call => "call",
    };
    let words: std::collections::BTreeSet<&str> =
        choices.conflicts.iter().flat_map(|conflict| conflict.causes.iter().map(word)).collect();
    words.into_iter().collect::<Vec<_>>().join("+")
}
