//! What sets one trajectory apart from another (BOG-223).

use std::collections::BTreeMap;

use serde::{Deserialize, Serialize};

use super::{ActionFacts, Profile};

/// An episode in the numbers of the trace contrast.
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize)]
pub struct Contrast {
    /// Return in units.
    pub episode_return: f64,
    /// Accepted actions by kind, as the glossary names them.
    pub actions: BTreeMap<String, u32>,
    /// Deliberation calls by agent.
    pub deliberations: BTreeMap<String, u32>,
    /// Invocations by sub-agent, with the messages of their conversations.
    pub invocations: BTreeMap<String, (u32, u32)>,
    /// Steps with a reward at or below the floor; `None` where the brief states none.
    pub floor_steps: Option<u32>,
    /// First step that the strongest remedy was accepted in.
    pub first_strongest: Option<u32>,
    /// First step that any remedy was accepted in.
    pub first_remedy: Option<u32>,
    /// Accepted steps.
    pub steps: u32,
    /// Model calls.
    pub model_calls: u32,
    /// Tokens as called, all roles.
    pub tokens: u64,
    /// Refused calls and calls without a whole answer.
    pub invalid: u32,
    /// Steps that the scaffolding took.
    pub fallbacks: u32,
}

impl Contrast {
    /// Counts an episode.
    #[must_use]
    pub fn of(profile: &Profile, facts: &ActionFacts) -> Self {
        let mut contrast = Self { episode_return: profile.value(), ..Self::default() };
        let strongest = facts.strongest_remedy();
        contrast.floor_steps = facts.floor.map(|_| 0);
        for step in &profile.steps {
            for entry in &step.deliberations {
                *contrast.deliberations.entry(entry.name.clone()).or_default() += entry.count;
            }
            for entry in &step.invocations {
                let counts = contrast.invocations.entry(entry.agent.clone()).or_default();
                *counts = (counts.0 + 1, counts.1 + entry.messages);
            }
            contrast.model_calls += step.model_calls();
            contrast.tokens = contrast.tokens.saturating_add(step.tokens());
            contrast.invalid += step.rejected + step.failed;
            contrast.fallbacks += u32::from(step.fallbacks > 0);
            let Some(action) = &step.action else { continue };
            contrast.steps += 1;
            *contrast.actions.entry(facts.label(&action.tool).to_owned()).or_default() += 1;
            if let (Some(count), Some(true)) = (&mut contrast.floor_steps, facts.at_floor(step.reward)) {
                *count += 1;
            }
            if facts.is_reactive(&action.tool) {
                contrast.first_remedy.get_or_insert(step.step);
            }
            if strongest.is_some_and(|name| facts.label(&action.tool) == name) {
                contrast.first_strongest.get_or_insert(step.step);
            }
        }
        contrast
    }

    /// Deliberation calls of one agent.
    #[must_use]
    pub fn deliberations_of(&self, agent: &str) -> u32 {
        self.deliberations.get(agent).copied().unwrap_or_default()
    }

    /// Invocations of a sub-agent.
    #[must_use]
    pub fn invocations_of(&self, agent: &str) -> u32 {
        self.invocations.get(agent).map_or(0, |counts| counts.0)
    }

    /// Messages an invocation of a sub-agent; `None` where it was never invoked.
    #[must_use]
    pub fn messages_an_invocation(&self, agent: &str) -> Option<f64> {
        let (invocations, messages) = self.invocations.get(agent)?;
        (*invocations > 0).then(|| f64::from(*messages) / f64::from(*invocations))
    }
}

/// Where two trajectories part.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
pub struct Divergence {
    /// First step with another action; a step that only one of the two took counts as another.
    pub action: Option<u32>,
    /// First step with another true state after it.
    pub state: Option<u32>,
}

/// Where two trajectories of the same environment part; nowhere if they are the same to the end.
#[must_use]
pub fn divergence(first: &Profile, second: &Profile) -> Divergence {
    let (one, other): (Vec<_>, Vec<_>) = (first.acted().collect(), second.acted().collect());
    let longest = one.len().max(other.len());
    let find = |differs: &dyn Fn(usize) -> bool| {
        (0..longest).find(|&at| differs(at)).and_then(|at| u32::try_from(at + 1).ok())
    };
    let action = |at: usize| match (one.get(at), other.get(at)) {
        (Some((_, a)), Some((_, b))) => (&a.tool, &a.arguments) != (&b.tool, &b.arguments),
        _ => true,
    };
    let state = |at: usize| match (one.get(at), other.get(at)) {
        (Some((a, _)), Some((b, _))) => a.state != b.state,
        _ => true,
    };
    Divergence { action: find(&action), state: find(&state) }
}
