//! Faults that a study injects: which there are, at what rates, and when one is injected.
//!
//! Whether one is injected is decided by the episode's seed, the site, the lane and the number of the call at that site in
//! that lane, and by nothing else: the same study has the same faults with any number of workers and after every resume.
//! The true environment is never touched; only what the agent gets to see is.

pub mod alter;

use std::collections::BTreeMap;

use gimbal_core::{LaneId, Rng};
use serde_json::{Value, json};

/// Where faults are injected. A site counts its calls for itself.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub enum Site {
    /// Questions of the agent to a model. What the environment itself asks a model is part of the true environment.
    Model,
    /// What the agent sees of a step that it took, or of the answer to a query.
    Tool,
    /// Messages between agents.
    Message,
    /// What the belief state renders: blocks of the context and answers to queries.
    Tracker,
    /// Decisions of a controller on where control goes next.
    Routing,
    /// Completions in which the agent gives the answer that ends its task.
    Answer,
}

impl Site {
    /// All sites.
    pub const ALL: [Self; 6] = [Self::Model, Self::Tool, Self::Message, Self::Tracker, Self::Routing, Self::Answer];

    /// The name that studies and events use.
    #[must_use]
    pub const fn name(self) -> &'static str {
        match self {
            Self::Model => "model",
            Self::Tool => "tool",
            Self::Message => "message",
            Self::Tracker => "tracker",
            Self::Routing => "routing",
            Self::Answer => "answer",
        }
    }

    /// Its place in [`Site::ALL`].
    #[must_use]
    pub const fn place(self) -> usize {
        match self {
            Self::Model => 0,
            Self::Tool => 1,
            Self::Message => 2,
            Self::Tracker => 3,
            Self::Routing => 4,
            Self::Answer => 5,
        }
    }
}

/// What a fault does.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub enum Fault {
    /// The first attempt at a model call fails as an outage before any answer arrives. It is counted as one and sent
    /// again; it is never the agent's doing (BOG-047).
    Transport,
    /// The text of a completion is broken.
    Malformed,
    /// A completion is cut short: the agent gets the failure of an answer that reached its bound.
    Truncated,
    /// The agent sees the observation of an earlier, unrelated step, or the answer about another subject.
    Wrong,
    /// The agent sees the observation, or the answer to the query, that it saw last time.
    Stale,
    /// A message between agents does not arrive.
    Lost,
    /// A message between agents arrives with something in it altered.
    Altered,
    /// A rendered block or answer of the belief state lacks a line, or has two of them swapped.
    Corrupted,
    /// Control goes to another place than the controller chose, drawn evenly from all others (CYC-084).
    Diverted,
    /// A fact that the agent's answer cites becomes another one of the evidence at hand, else a figure of the answer another one, as a model
    /// that misremembers would write it (CYC-095).
    Misstated,
}

impl Fault {
    /// All kinds, by site; draws are divided among those of a site in this order.
    pub const ALL: [Self; 10] = [
        Self::Transport,
        Self::Malformed,
        Self::Truncated,
        Self::Wrong,
        Self::Stale,
        Self::Lost,
        Self::Altered,
        Self::Corrupted,
        Self::Diverted,
        Self::Misstated,
    ];

    /// Where it is injected.
    #[must_use]
    pub const fn site(self) -> Site {
        match self {
            Self::Transport | Self::Malformed | Self::Truncated => Site::Model,
            Self::Wrong | Self::Stale => Site::Tool,
            Self::Lost | Self::Altered => Site::Message,
            Self::Corrupted => Site::Tracker,
            Self::Diverted => Site::Routing,
            Self::Misstated => Site::Answer,
        }
    }

    /// The name that events use.
    #[must_use]
    pub const fn name(self) -> &'static str {
        match self {
            Self::Transport => "transport",
            Self::Malformed => "malformed",
            Self::Truncated => "truncated",
            Self::Wrong => "wrong",
            Self::Stale => "stale",
            Self::Lost => "lost",
            Self::Altered => "altered",
            Self::Corrupted => "corrupted",
            Self::Diverted => "diverted",
            Self::Misstated => "misstated",
        }
    }

    /// The key under which a study gives its rate: site and kind.
    #[must_use]
    pub const fn key(self) -> &'static str {
        match self {
            Self::Transport => "model.transport",
            Self::Malformed => "model.malformed",
            Self::Truncated => "model.truncated",
            Self::Wrong => "tool.wrong",
            Self::Stale => "tool.stale",
            Self::Lost => "message.lost",
            Self::Altered => "message.altered",
            Self::Corrupted => "tracker.corrupted",
            Self::Diverted => "routing.diverted",
            Self::Misstated => "answer.misstated",
        }
    }
}

/// Certainty, in the millionths that rates are kept in.
pub const ONE: u32 = 1_000_000;

/// The rates of an episode's faults. A rate of 0 is the same as none.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Faults(BTreeMap<Fault, u32>);

impl Faults {
    /// Rates in millionths. Where those of a site add up to more than [`ONE`], the last ones get what is left.
    #[must_use]
    pub fn new(rates: impl IntoIterator<Item = (Fault, u32)>) -> Self {
        Self(rates.into_iter().filter(|(_, rate)| *rate > 0).map(|(fault, rate)| (fault, rate.min(ONE))).collect())
    }

    /// Whether no fault is ever injected.
    #[must_use]
    pub fn is_none(&self) -> bool {
        self.0.is_empty()
    }

    /// Whether any fault may be injected at this site.
    #[must_use]
    pub fn has_any_at(&self, site: Site) -> bool {
        self.0.keys().any(|fault| fault.site() == site)
    }

    /// The faults and their rates in millionths, in the order of [`Fault::ALL`].
    pub fn rates(&self) -> impl Iterator<Item = (Fault, u32)> + '_ {
        self.0.iter().map(|(fault, rate)| (*fault, *rate))
    }

    /// What of them goes into a cell's identity: an empty list for none.
    #[must_use]
    pub fn identity(&self) -> Value {
        self.rates().map(|(fault, rate)| json!({ "kind": fault.key(), "per_million": rate })).collect()
    }

    /// What they are called where the study gives no name.
    #[must_use]
    pub fn label(&self) -> String {
        let words: Vec<String> =
            self.rates().map(|(fault, rate)| format!("{} {}", fault.key(), decimal(rate))).collect();
        words.join(", ")
    }

    /// The fault of call number `index` at a site of a lane, with the draws that decide the rest of it. A call gets at most
    /// one fault, each with exactly its rate.
    #[must_use]
    pub fn draw(&self, seed: u64, site: Site, lane: LaneId, index: u64) -> Option<(Fault, Rng)> {
        if !self.has_any_at(site) {
            return None;
        }
        let mut draws = Rng::stream(seed, &format!("faults/{}/{}/{index}", site.name(), lane.0));
        let mut drawn = draws.below(u64::from(ONE));
        for (fault, rate) in self.rates().filter(|(fault, _)| fault.site() == site) {
            let rate = u64::from(rate);
            if drawn < rate {
                return Some((fault, draws));
            }
            drawn -= rate;
        }
        None
    }
}

/// A rate as a study writes it.
fn decimal(rate: u32) -> String {
    let text = format!("{}.{:06}", rate / ONE, rate % ONE);
    text.trim_end_matches('0').trim_end_matches('.').to_owned()
}

#[cfg(test)]
mod tests {
    use gimbal_core::LaneId;
    use proptest::prelude::*;

    use super::{Fault, Faults, ONE, Site, decimal};

    #[test]
    fn keys_are_site_and_kind_and_sites_know_their_place() {
        for fault in Fault::ALL {
            assert_eq!(fault.key(), format!("{}.{}", fault.site().name(), fault.name()));
        }
        for (place, site) in Site::ALL.into_iter().enumerate() {
            assert_eq!(site.place(), place);
        }
        assert!(Fault::ALL.is_sorted(), "rates are walked in this order");
        let rates = [(1, "0.000001"), (50_000, "0.05"), (ONE, "1"), (0, "0")];
        assert!(rates.iter().all(|(rate, text)| decimal(*rate) == *text));
    }

    #[test]
    fn each_is_injected_as_often_as_its_rate_says_and_never_two_at_once() {
        let faults =
            Faults::new([(Fault::Transport, 100_000), (Fault::Malformed, 200_000), (Fault::Truncated, 300_000)]);
        let mut counts = [0_u32; 4];
        for index in 0..20_000 {
            match faults.draw(7, Site::Model, LaneId::MAIN, index) {
                Some((fault, _)) => counts[Fault::ALL.iter().position(|known| *known == fault).unwrap()] += 1,
                None => counts[3] += 1,
            }
        }
        for (count, expected) in counts.into_iter().zip([2000_u32, 4000, 6000, 8000]) {
            // Four standard deviations of a binomial count.
            assert!(count.abs_diff(expected) < 280, "{counts:?}");
        }
        assert!((0..1000).all(|index| faults.draw(7, Site::Tool, LaneId::MAIN, index).is_none()));
        let sure = Faults::new([(Fault::Lost, ONE)]);
        assert!((0..1000).all(|index| sure.draw(7, Site::Message, LaneId(3), index).is_some()));
    }

    proptest! {
        #[test]
        fn nothing_but_seed_site_lane_and_number_decides(seed: u64, lane: u32, index: u64, rate in 0..=ONE) {
            let faults = Faults::new([(Fault::Stale, rate), (Fault::Lost, rate)]);
            let beside = Faults::new([(Fault::Stale, rate), (Fault::Corrupted, ONE)]);
            let draw = |faults: &Faults| {
                faults.draw(seed, Site::Tool, LaneId(lane), index).map(|(fault, mut rest)| (fault, rest.next_u64()))
            };
            prop_assert_eq!(draw(&faults), draw(&faults));
            prop_assert_eq!(draw(&faults), draw(&beside));
        }

        #[test]
        fn a_rate_of_zero_injects_nothing(chosen in proptest::sample::subsequence(Fault::ALL.to_vec(), 0..8)) {
            let faults = Faults::new(chosen.into_iter().map(|fault| (fault, 0)));
            prop_assert!(faults.is_none());
            prop_assert_eq!(&faults, &Faults::default());
            prop_assert_eq!(faults.identity(), serde_json::json!([]));
        }

        #[test]
        fn a_higher_rate_keeps_the_faults_of_a_lower_one(seed: u64, index: u64, low in 0..=ONE, more in 0..=ONE) {
            let of = |rate: u32| Faults::new([(Fault::Altered, rate)]);
            let injected = |rate: u32| of(rate).draw(seed, Site::Message, LaneId::MAIN, index).is_some();
            prop_assert!(!injected(low) || injected(low.saturating_add(more)));
        }
    }
}
