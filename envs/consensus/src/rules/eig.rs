//! Exponential information gathering: agents pass on what they were told, and what was told of whom, for `f + 1` rounds. Then each resolves the
//! tree of what it heard from its leaves by strict majorities. Where `3f < n`, all honest agents come to the same list of starts, in which
//! those of honest agents are true, and take its lower median.
//!
//! What is passed on grows with every round and is not a single value. It goes beside the values that agents state in the game, each of which is the
//! agent's start until it has decided; who reads only values, sees nothing of it.

use crate::game::{Ballot, Relay, Seen, Setup, Value, Vote};

/// The ballot of the next round.
pub(super) fn ballot(seen: &Seen, setup: &Setup, faults: usize) -> Ballot {
    if seen.rounds.len() <= faults {
        return Ballot::of(seen.start, Vote::Continue);
    }
    Ballot::of(decided(setup, seen.agent, faults), Vote::Stop)
}

/// The value that an honest agent decides on.
pub(super) fn decided(setup: &Setup, agent: usize, faults: usize) -> Value {
    let starts = starts(setup, agent, faults);
    super::lower_median(starts.into_iter().flatten()).unwrap_or_else(|| setup.start(agent))
}

/// What an honest agent comes to believe of the start of every agent; none of one whose start it cannot tell.
pub(super) fn starts(setup: &Setup, agent: usize, faults: usize) -> Vec<Option<Value>> {
    let heard = Heard { setup, agent, depth: faults + 1 };
    (0..setup.agents()).map(|of| heard.resolve(&Path::EMPTY.then(of))).collect()
}

/// Most agents of a path: there are at most 16 agents and 5 adversaries.
const LONGEST: usize = 16;

/// The agents along which a value came, the first one its owner.
#[derive(Clone, Copy)]
struct Path {
    agents: [u8; LONGEST],
    length: usize,
}

impl Path {
    const EMPTY: Self = Self { agents: [0; LONGEST], length: 0 };

    fn then(mut self, agent: usize) -> Self {
        if let Some(place) = self.agents.get_mut(self.length) {
            *place = agent as u8;
            self.length += 1;
        }
        self
    }

    fn has(&self, agent: usize) -> bool {
        self.agents[..self.length].iter().any(|other| usize::from(*other) == agent)
    }

    fn number(&self) -> u64 {
        self.agents[..self.length].iter().fold(1, |number, agent| number * 17 + u64::from(*agent))
    }
}

/// What an agent heard.
struct Heard<'a> {
    setup: &'a Setup,
    agent: usize,
    depth: usize,
}

impl Heard<'_> {
    /// What this agent makes of a value that came along a path.
    fn resolve(&self, path: &Path) -> Option<Value> {
        if path.length >= self.depth {
            return told(self.setup, self.agent, path);
        }
        let mut counts = [0_u8; 256];
        let mut children = 0_usize;
        for next in (0..self.setup.agents()).filter(|next| !path.has(*next)) {
            children += 1;
            if let Some(value) = self.resolve(&path.then(next)) {
                counts[usize::from(value)] += 1;
            }
        }
        let majority = counts.iter().position(|count| 2 * usize::from(*count) > children);
        majority.map(|value| value as Value)
    }
}

/// What the last agent of a path told `to`: the start of the first one, as it came along the path.
fn told(setup: &Setup, to: usize, path: &Path) -> Option<Value> {
    let length = path.length.checked_sub(1)?;
    let speaker = usize::from(path.agents[length]);
    let before = Path { length, ..*path };
    let honest = if length == 0 { Some(setup.start(speaker)) } else { told(setup, speaker, &before) };
    if setup.is_adversary(speaker) {
        let relay = Relay { to, path: path.number(), length: path.length, honest };
        return setup.relayed_by(speaker, relay);
    }
    honest
}
