//! Faults that a study injects: which there are, at what rates, and when one is injected.
//!
//! Whether one is injected is decided by the episode's seed, the site, the lane and the number of the call at that site in
//! that lane, and by nothing else: the same study has the same faults with any number of workers and after every resume. A rule may be bounded
//! to sender, receiver and step; calls that are not within its bounds are counted all the same.
//! The true environment is never touched; only what the agent gets to see is.

pub mod alter;
mod rule;

use std::collections::BTreeSet;
use std::sync::Arc;

use gimbal_core::{LaneId, Rng};
use serde_json::Value;

use crate::attacks::{Category, Suite};

pub use rule::{Bounds, CallPlace, PlantedText, Rule};

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
    /// The agent sees a text of the study's behind the observation of a step, or behind the answer to a query (CTHA-119).
    Planted,
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
    pub const ALL: [Self; 11] = [
        Self::Transport,
        Self::Malformed,
        Self::Truncated,
        Self::Wrong,
        Self::Stale,
        Self::Planted,
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
            Self::Wrong | Self::Stale | Self::Planted => Site::Tool,
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
            Self::Planted => "planted",
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
            Self::Planted => "tool.planted",
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

/// The rules of an episode's faults. A rate of 0 is the same as none.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Faults(Vec<Rule>);

impl Faults {
    /// Rates in millionths, without bounds. Where those of a site add up to more than [`ONE`], the last ones get what is left.
    #[must_use]
    pub fn new(rates: impl IntoIterator<Item = (Fault, u32)>) -> Self {
        Self::of(rates.into_iter().map(|(fault, rate)| Rule::new(fault, rate)))
    }

    /// These rules, in the order of [`Fault::ALL`] and, of one kind, in the order given.
    #[must_use]
    pub fn of(rules: impl IntoIterator<Item = Rule>) -> Self {
        let rules = rules.into_iter().filter(|rule| rule.rate > 0);
        let mut rules: Vec<Rule> = rules.map(|rule| Rule { rate: rule.rate.min(ONE), ..rule }).collect();
        rules.sort_by_key(|rule| rule.fault);
        Self(rules)
    }

    /// Whether no fault is ever injected.
    #[must_use]
    pub fn is_none(&self) -> bool {
        self.0.is_empty()
    }

    /// Whether any fault may be injected at this site.
    #[must_use]
    pub fn has_any_at(&self, site: Site) -> bool {
        self.0.iter().any(|rule| rule.fault.site() == site)
    }

    /// The rules, in their order.
    #[must_use]
    pub fn rules(&self) -> &[Rule] {
        &self.0
    }

    /// The rules of the kinds that `wanted` accepts.
    #[must_use]
    pub fn only(&self, wanted: impl Fn(Fault) -> bool) -> Self {
        Self(self.0.iter().filter(|rule| wanted(rule.fault)).cloned().collect())
    }

    /// Reads the texts of rules that name a file.
    ///
    /// # Errors
    /// The first that `read` gives, which gets the path.
    pub fn read_texts<E>(&mut self, read: impl Fn(&str) -> Result<String, E>) -> Result<(), E> {
        for text in self.0.iter_mut().filter_map(|rule| rule.text.as_mut()) {
            if let Some(file) = &text.file {
                text.text = read(file)?.into();
            }
        }
        Ok(())
    }

    /// Reads the suites of attacks that name a file.
    ///
    /// # Errors
    /// The first that `read` gives, which gets the path and the category that is needed.
    pub fn read_suites<E>(&mut self, read: impl Fn(&str, Category) -> Result<Arc<Suite>, E>) -> Result<(), E> {
        for attack in self.0.iter_mut().filter_map(|rule| rule.attack.as_mut()) {
            if let Some(file) = &attack.file {
                attack.suite = read(file, attack.category)?;
            }
        }
        Ok(())
    }

    /// The greatest sum of rates, in millionths, that one call at a site may meet.
    #[must_use]
    pub fn most_at(&self, site: Site) -> u64 {
        let rules: Vec<&Rule> = self.0.iter().filter(|rule| rule.fault.site() == site).collect();
        // A call that a bound names meets every rule that one which no bound names meets.
        let froms: BTreeSet<&str> = rules.iter().filter_map(|rule| rule.bounds.from.as_deref()).chain([""]).collect();
        let tos: BTreeSet<&str> = rules.iter().filter_map(|rule| rule.bounds.to.as_deref()).chain([""]).collect();
        let steps: BTreeSet<u32> = rules.iter().filter_map(|rule| rule.bounds.step).chain([0]).collect();
        let mut most = 0;
        for from in &froms {
            for to in &tos {
                for step in &steps {
                    let call = CallPlace { from, to, step: *step };
                    let met = rules.iter().filter(|rule| rule.bounds.hold(&call));
                    most = most.max(met.map(|rule| u64::from(rule.rate)).sum());
                }
            }
        }
        most
    }

    /// What of them goes into a cell's identity: an empty list for none.
    #[must_use]
    pub fn identity(&self) -> Value {
        self.0.iter().map(Rule::identity).collect()
    }

    /// What they are called where the study gives no name.
    #[must_use]
    pub fn label(&self) -> String {
        let words: Vec<String> = self.0.iter().map(Rule::label).collect();
        words.join(", ")
    }

    /// The rule by which call number `index` at a site of a lane gets a fault, as its place in [`Faults::rules`], with the draws that decide
    /// the rest of it. A call gets at most one fault, each with exactly its rate.
    #[must_use]
    pub fn draw(&self, seed: u64, site: Site, lane: LaneId, index: u64, call: &CallPlace<'_>) -> Option<(usize, Rng)> {
        let within = |rule: &Rule| {
            rule.fault.site() == site && rule.bounds.hold(call) && (lane == LaneId::MAIN || !rule.is_once())
        };
        let mut met = self.0.iter().enumerate().filter(|(_, rule)| within(rule)).peekable();
        met.peek()?;
        let mut draws = Rng::stream(seed, &format!("faults/{}/{}/{index}", site.name(), lane.0));
        let mut drawn = draws.below(u64::from(ONE));
        for (place, rule) in met {
            let rate = u64::from(rule.rate);
            if drawn < rate {
                return Some((place, draws));
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

    use super::{Bounds, CallPlace, Fault, Faults, ONE, PlantedText, Rule, Site, decimal};

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
            match faults.draw(7, Site::Model, LaneId::MAIN, index, &CallPlace::default()) {
                Some((place, _)) => counts[place] += 1,
                None => counts[3] += 1,
            }
        }
        for (count, expected) in counts.into_iter().zip([2000_u32, 4000, 6000, 8000]) {
            // Four standard deviations of a binomial count.
            assert!(count.abs_diff(expected) < 280, "{counts:?}");
        }
        assert!(
            (0..1000).all(|index| faults.draw(7, Site::Tool, LaneId::MAIN, index, &CallPlace::default()).is_none())
        );
        let sure = Faults::new([(Fault::Lost, ONE)]);
        assert!((0..1000).all(|index| sure.draw(7, Site::Message, LaneId(3), index, &CallPlace::default()).is_some()));
    }

    fn altered(rate: u32, from: Option<&str>, to: Option<&str>, step: Option<u32>) -> Rule {
        let bounds = Bounds { from: from.map(str::to_owned), to: to.map(str::to_owned), step };
        Rule { bounds, ..Rule::new(Fault::Altered, rate) }
    }

    fn planted(rate: u32, step: Option<u32>, text: &str) -> Rule {
        let bounds = Bounds { step, ..Bounds::default() };
        let text = Some(PlantedText { text: text.into(), file: None });
        Rule { bounds, text, ..Rule::new(Fault::Planted, rate) }
    }

    #[test]
    fn rules_that_no_call_meets_together_may_each_be_certain() {
        let apart = Faults::of([altered(ONE, Some("a"), None, Some(1)), altered(ONE, Some("b"), None, Some(1))]);
        assert_eq!(apart.most_at(Site::Message), u64::from(ONE));
        let together = Faults::of([altered(ONE, Some("a"), None, None), altered(ONE, None, Some("b"), Some(2))]);
        assert_eq!(together.most_at(Site::Message), 2 * u64::from(ONE));
        assert_eq!(together.most_at(Site::Tool), 0);
        let beside = Faults::of([altered(ONE, None, None, None), Rule::new(Fault::Lost, 1)]);
        assert_eq!(beside.most_at(Site::Message), u64::from(ONE) + 1);
    }

    #[test]
    fn bounds_and_texts_are_in_the_identity_and_plain_rates_have_the_one_that_they_had() {
        let plain = Faults::new([(Fault::Altered, 500_000)]);
        assert_eq!(plain.identity(), serde_json::json!([{ "kind": "message.altered", "per_million": 500_000 }]));
        let bounded = Faults::of([altered(ONE, Some("reflex"), Some("tactical"), Some(3)), planted(ONE, Some(2), "x")]);
        let text = gimbal_core::Digest::of(b"x");
        assert_eq!(
            bounded.identity(),
            serde_json::json!([
                { "kind": "tool.planted", "per_million": ONE, "step": 2, "text": text.to_string() },
                { "kind": "message.altered", "per_million": ONE, "from": "reflex", "to": "tactical", "step": 3 },
            ])
        );
        let label = format!(
            "tool.planted 1 (step 2, text {}), message.altered 1 (from reflex, to tactical, step 3)",
            text.short()
        );
        assert_eq!(bounded.label(), label);
        assert_ne!(Faults::of([planted(ONE, None, "x")]), Faults::of([planted(ONE, None, "y")]));
    }

    #[test]
    fn a_text_at_a_named_step_is_planted_on_the_main_lane_alone() {
        let faults = Faults::of([planted(ONE, Some(2), "x")]);
        let at = |lane: u32, step: u32| {
            faults.draw(7, Site::Tool, LaneId(lane), 0, &CallPlace { step, ..CallPlace::default() }).is_some()
        };
        assert_eq!([at(0, 1), at(0, 2), at(0, 3), at(1, 2)], [false, true, false, false]);
    }

    proptest! {
        #[test]
        fn no_fault_is_beyond_its_bounds_and_rules_beyond_theirs_change_no_draw(
            seed: u64, index: u64, rate in 1..=ONE, from in 0..3_usize, to in 0..3_usize, step in 0..4_u32,
        ) {
            let names = ["reflex", "tactical", "strategic"];
            let call = CallPlace { from: names[from], to: names[to], step };
            let bounded = altered(rate, Some("reflex"), Some("tactical"), Some(2));
            let alone = Faults::of([bounded.clone()]).draw(seed, Site::Message, LaneId::MAIN, index, &call);
            if alone.is_some() {
                prop_assert_eq!((call.from, call.to, call.step), ("reflex", "tactical", 2));
            }
            let plain = Faults::new([(Fault::Lost, rate)]);
            let draw = |faults: &Faults| {
                let drawn = faults.draw(seed, Site::Message, LaneId::MAIN, index, &call);
                drawn.map(|(place, mut rest)| (faults.rules()[place].fault, rest.next_u64()))
            };
            // The call is counted and drawn alike, whether or not a rule beside is bounded to others.
            if !bounded.bounds.hold(&call) {
                let beside = Faults::of([bounded, Rule::new(Fault::Lost, rate)]);
                prop_assert_eq!(draw(&beside), draw(&plain));
            }
        }

        #[test]
        fn nothing_but_seed_site_lane_and_number_decides(seed: u64, lane: u32, index: u64, rate in 0..=ONE) {
            let faults = Faults::new([(Fault::Stale, rate), (Fault::Lost, rate)]);
            let beside = Faults::new([(Fault::Stale, rate), (Fault::Corrupted, ONE)]);
            let draw = |faults: &Faults| {
                let drawn = faults.draw(seed, Site::Tool, LaneId(lane), index, &CallPlace::default());
                drawn.map(|(place, mut rest)| (faults.rules()[place].fault, rest.next_u64()))
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
            let injected = |rate: u32| of(rate).draw(seed, Site::Message, LaneId::MAIN, index, &CallPlace::default()).is_some();
            prop_assert!(!injected(low) || injected(low.saturating_add(more)));
        }
    }
}
