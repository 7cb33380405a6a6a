//! What a hierarchy remembers of an episode.

use std::collections::{BTreeMap, BTreeSet, VecDeque};
use std::sync::Arc;

use gimbal_core::{Digest, Milli, ToolCall, Transition};
use gimbal_messages::bounded;
use gimbal_temporal::Layer;
use gimbal_temporal::commitments::Commitments;
use gimbal_temporal::contracts::{Anomaly, AnomalyKind, Plan, Policy, Summary};
use serde_json::{Value, json};

use super::channel::Maps;
use super::messages::TacticalAction;
use super::notes::Notes;
use super::past::Past;

/// Steps that Tactical remembers (CTHA-003).
const LAST: usize = 8;
/// Longest observation in a layer's memory, in characters.
const SEEN: usize = 240;
/// Longest result of the last action in a summary, in characters: the first that leaves it within its budget; 0 for the action alone.
const RESULTS: [usize; 5] = [SEEN, 160, 80, 40, 0];
/// How often the same observation is seen before it is an anomaly.
const OFTEN: u32 = 3;
/// Refusals in a row that are an anomaly.
const REFUSALS: u32 = 2;
/// Steps for which the same trigger does not ask again.
const QUIET: u32 = 3;

/// One step, as Tactical remembers it.
#[derive(Clone, Debug)]
pub(super) struct PastStep {
    pub step: u32,
    pub action: String,
    pub seen: String,
    pub reward: Milli,
}

/// Something that went wrong since the last plan.
#[derive(Clone, Debug)]
pub(super) struct Noticed {
    trigger: &'static str,
    /// As it was the last time.
    latest: Anomaly,
    times: u32,
}

impl Noticed {
    /// What a summary says of it: each cause once, however often it was noticed.
    fn told(&self) -> Anomaly {
        let Self { latest, times, .. } = self;
        let description = match times {
            1 => latest.description.clone(),
            times => bounded(&format!("{times} times since the last plan: {}", latest.description), 128),
        };
        Anomaly { kind: latest.kind, description }
    }
}

/// The plan in force, and when it was made.
#[derive(Clone, Debug)]
pub(super) struct Made {
    pub plan: Plan,
    pub layer: Layer,
    pub step: u32,
}

/// The state of an episode.
#[derive(Debug)]
pub(super) struct Episode {
    /// The step that comes next, from 1.
    pub step: u32,
    pub table: Commitments,
    /// The highest number of a directive that was proposed and decided on.
    pub entered: u64,
    pub plan: Option<Made>,
    /// Subgoals that are met.
    pub reached: BTreeSet<String>,
    /// Policies of earlier trials and their returns.
    pub past: Past,
    /// Policies in force, by the layer that set them.
    pub policies: BTreeMap<Layer, Policy>,
    /// What is left of Tactical's sequence: action texts and calls.
    pub sequence: VecDeque<(String, ToolCall)>,
    /// How soon and how sure Tactical was of its sequence.
    pub tactical: (Milli, Milli),
    pub working_memory: String,
    pub taken: VecDeque<PastStep>,
    /// What Strategic finds by meaning.
    pub notes: Notes,
    /// The latest message of each layer upwards.
    pub summaries: BTreeMap<Layer, Value>,
    /// The latest free text of each layer.
    pub remarks: BTreeMap<Layer, String>,
    /// What each layer saw last, and of Tactical what it wanted then.
    pub cache: BTreeMap<Layer, (Digest, Option<TacticalAction>)>,
    /// Why layers are to be asked in the next step, in the order in which the reasons came up.
    pub due: BTreeMap<Layer, &'static str>,
    /// What went wrong since the last plan, the latest last.
    pub anomalies: Vec<Noticed>,
    pub refusals: u32,
    pub last_reward: Milli,
    pub episode_return: Milli,
    /// Steps in a row in which harm was seen.
    pub harmed: u32,
    /// The tool whose call was refused last, and why.
    pub refused_tool: Option<String>,
    pub refused_why: String,
    /// The action that waits for a plan that names it, and why.
    pub escalated: Option<String>,
    /// An action that a policy denies, and why: one that was wanted after another refusal, or that a mask leaves out where something went wrong.
    pub denied: Option<String>,
    /// The maps between layers, where there are any.
    pub maps: Option<Maps>,
    /// Which of the last eight steps did harm.
    harms: VecDeque<bool>,
    seen: BTreeMap<Digest, u32>,
    quiet: BTreeMap<&'static str, u32>,
}

impl Episode {
    pub(super) fn new() -> Self {
        Self {
            step: 1,
            table: Commitments::new(),
            entered: 0,
            plan: None,
            reached: BTreeSet::new(),
            past: Past::default(),
            policies: BTreeMap::new(),
            sequence: VecDeque::new(),
            tactical: (Milli(500), Milli(500)),
            working_memory: String::new(),
            taken: VecDeque::new(),
            notes: Notes::default(),
            summaries: BTreeMap::new(),
            remarks: BTreeMap::new(),
            cache: BTreeMap::new(),
            due: BTreeMap::new(),
            anomalies: Vec::new(),
            refusals: 0,
            last_reward: Milli::ZERO,
            episode_return: Milli::ZERO,
            harmed: 0,
            refused_tool: None,
            refused_why: String::new(),
            escalated: None,
            denied: None,
            maps: None,
            harms: VecDeque::new(),
            seen: BTreeMap::new(),
            quiet: BTreeMap::new(),
        }
    }

    /// A layer is to be asked in the next step; the first reason is kept.
    pub(super) fn ask(&mut self, layer: Layer, why: &'static str) {
        self.due.entry(layer).or_insert(why);
    }

    /// Takes up a step that was taken. Returns the triggers that fired, each at most once in three steps (CTHA-091, CTHA-098).
    pub(super) fn took(
        &mut self,
        action: &str,
        transition: &Arc<Transition>,
        harm: Option<Milli>,
    ) -> Vec<&'static str> {
        let seen = bounded(transition.observation.text.trim(), SEEN);
        self.notes.add(self.step, &seen);
        self.taken.push_back(PastStep {
            step: self.step,
            action: action.to_owned(),
            seen: seen.clone(),
            reward: transition.reward,
        });
        while self.taken.len() > LAST {
            self.taken.pop_front();
        }
        self.last_reward = transition.reward;
        self.episode_return = Milli(self.episode_return.0.saturating_add(transition.reward.0));
        self.refusals = 0;
        self.refused_tool = None;
        let mut fired = Vec::new();
        let harmed = harm.is_some_and(|harm| transition.reward <= harm);
        self.harms.push_back(harmed);
        while self.harms.len() > LAST {
            self.harms.pop_front();
        }
        self.harmed = if harmed { self.harmed.saturating_add(1) } else { 0 };
        if harmed {
            self.fire("harm", AnomalyKind::Error, format!("reward {}", transition.reward), &mut fired);
        }
        // A situation is what was seen, whatever was done before it.
        let often = self.seen.entry(Digest::of(transition.observation.text.as_bytes())).or_insert(0);
        *often += 1;
        if *often == OFTEN && !seen.is_empty() {
            self.fire("seen_three_times", AnomalyKind::Unexpected, format!("seen three times: {seen}"), &mut fired);
        }
        self.step += 1;
        fired
    }

    /// Takes up a refusal. Two in a row are an anomaly.
    pub(super) fn refused(&mut self, tool: Option<&str>, why: &str) -> Vec<&'static str> {
        self.refusals += 1;
        self.refused_tool = tool.map(str::to_owned);
        let mut fired = Vec::new();
        if self.refusals == REFUSALS {
            self.fire("refused_twice", AnomalyKind::Error, format!("refused: {why}"), &mut fired);
        }
        fired
    }

    fn fire(&mut self, trigger: &'static str, kind: AnomalyKind, description: String, fired: &mut Vec<&'static str>) {
        let latest = Anomaly { kind, description: bounded(&description, 128) };
        let known = self.anomalies.iter().position(|one| one.trigger == trigger).map(|at| self.anomalies.remove(at));
        let times = known.map_or(1, |known| known.times + 1);
        self.anomalies.push(Noticed { trigger, latest, times });
        if self.quiet.get(trigger).is_none_or(|until| self.step >= *until) {
            self.quiet.insert(trigger, self.step + QUIET);
            fired.push(trigger);
        }
    }

    /// Steps with harm among the last eight.
    pub(super) fn recent_harm(&self) -> u32 {
        u32::try_from(self.harms.iter().filter(|harmed| **harmed).count()).unwrap_or(u32::MAX)
    }

    /// Numbers that conditions of policies and rollbacks are judged by.
    pub(super) fn numbers(&self, horizon: u32, more: &[(&str, Milli)]) -> BTreeMap<String, Milli> {
        let whole = |number: u32| Milli(i64::from(number) * 1000);
        let own = [
            ("reward", self.last_reward),
            ("return", self.episode_return),
            ("step", whole(self.step)),
            ("steps_left", whole(horizon.saturating_sub(self.step - 1))),
            ("refusals", whole(self.refusals)),
            ("harmed", whole(self.harmed)),
        ];
        own.iter().chain(more).map(|(name, number)| ((*name).to_owned(), *number)).collect()
    }

    /// The summary of a layer, from what it wrote and what code saw (CTHA-047). The result of the last action is cut to what leaves the summary within
    /// its budget (`fits`): observations of an environment may be longer than all that a layer may send.
    pub(super) fn summary(&self, layer: Layer, said: &str, fits: &dyn Fn(&Value) -> bool) -> Value {
        let latest = self.taken.back();
        let digest = latest.map_or_else(|| "start".to_owned(), |taken| Digest::of(taken.seen.as_bytes()).short());
        let written = |seen: Option<String>| {
            let observations = [Some(said.to_owned()), seen].into_iter().flatten().filter(|text| !text.is_empty());
            Summary {
                layer,
                timestamp: Milli(i64::from(self.step) * 1000),
                state_digest: digest.clone(),
                observations: observations.map(|text| bounded(&text, 256)).collect(),
                anomalies: self.anomalies.iter().rev().take(3).map(Noticed::told).collect(),
                resources: None,
            }
            .to_value()
        };
        let Some(taken) = latest else { return written(None) };
        let shortened = RESULTS.iter().map(|most| match most {
            0 => taken.action.clone(),
            most => format!("{} -> {}", taken.action, bounded(&taken.seen, *most)),
        });
        shortened.map(|seen| written(Some(seen))).find(|value| fits(value)).unwrap_or_else(|| written(None))
    }

    /// The last steps, as Tactical is told.
    pub(super) fn recent(&self) -> Value {
        let told = |taken: &PastStep| json!({ "step": taken.step, "action": taken.action, "result": taken.seen, "reward": taken.reward.to_string() });
        self.taken.iter().map(told).collect()
    }
}

#[cfg(test)]
mod tests {
    use std::sync::Arc;

    use gimbal_core::{Milli, Observation, Transition};
    use gimbal_messages::spaced;
    use gimbal_temporal::Layer;
    use serde_json::Value;

    use super::Episode;

    fn stepped(text: &str, reward: i64) -> Arc<Transition> {
        let observation = Arc::new(Observation { text: text.to_owned(), data: Default::default() });
        Arc::new(Transition { observation, reward: Milli(reward), done: None })
    }

    // covers: CTHA-042, CTHA-047
    #[test]
    fn a_summary_keeps_within_its_budget_and_tells_each_anomaly_once() {
        let mut episode = Episode::new();
        for reward in [-1_000, -2_000, -3_000] {
            episode.took("Monitor", &stepped(&"a long observation ".repeat(20), reward), Some(Milli(-1_000)));
        }
        let letters = |most: usize| move |value: &Value| spaced(value).chars().count() <= most;
        let whole = episode.summary(Layer::Reflex, "as it should be", &letters(10_000));
        let seen = whole["observations"][1].as_str().unwrap();
        assert!(seen.starts_with("Monitor -> a long") && seen.chars().count() > 200, "{whole}");
        let told: Vec<&str> =
            whole["anomalies"].as_array().unwrap().iter().filter_map(|one| one["description"].as_str()).collect();
        assert_eq!(told.len(), 2, "{told:?}");
        assert!(told[0].starts_with("seen three times"), "{told:?}");
        assert_eq!(told[1], "3 times since the last plan: reward -3.0");
        let length =
            |most: usize| spaced(&episode.summary(Layer::Reflex, "as it should be", &letters(most))).chars().count();
        let (all, action) = (length(10_000), length(0));
        for most in [all - 1, all - 100, action + 30] {
            assert!(length(most) <= most, "{most}");
        }
        let short = episode.summary(Layer::Reflex, "as it should be", &letters(all - 225));
        assert_eq!(short["observations"][1], "Monitor", "{short}");
    }
}
