//! A forkable environment with literals that change at every step: a corridor in which a step may slip.

use std::borrow::Cow;
use std::sync::Arc;

use async_trait::async_trait;
use gimbal_core::fit::Offers;
use gimbal_core::stop::EnvironmentStop;
use gimbal_core::{
    Brief, Catalogue, Digest, EnvError, Environment, Expert, Milli, Observation, Rejection, RejectionKind, Reply, Rng,
    Simulator, TaskId, ToolCall, ToolSpec, Tracker, Transition,
};
use gimbal_env_kit::catalogue;
use serde_json::Value;

use crate::log_tracker::LogTracker;

const DEFAULTS: &[(&str, u64)] = &[("horizon", 8), ("length", 4), ("slip_percent", 20)];

/// The family `corridor`.
#[derive(Debug)]
pub struct CorridorFamily;

impl Catalogue for CorridorFamily {
    fn name(&self) -> &'static str {
        "corridor"
    }
    fn behaviour(&self) -> u32 {
        1
    }
    fn splits(&self) -> &[&'static str] {
        &["train", "test"]
    }
    fn tasks(&self, split: &str, _options: &Value) -> Result<Vec<TaskId>, EnvError> {
        match split {
            "train" => Ok((0..8).map(|task| TaskId(format!("train-{task}"))).collect()),
            "test" => Ok((0..4).map(|task| TaskId(format!("test-{task}"))).collect()),
            other => Err(catalogue::unknown("corridor", "split", other, &["train", "test"])),
        }
    }
    fn schema(&self) -> Value {
        super::schema_of(DEFAULTS)
    }
    fn resolve(&self, options: &Value) -> Result<Value, EnvError> {
        super::numbers(options, DEFAULTS)
    }
    fn open(&self, options: &Value) -> Result<Box<dyn Environment>, EnvError> {
        let options = self.resolve(options)?;
        Ok(Box::new(Corridor::new(
            super::number(&options, "horizon") as u32,
            super::number(&options, "length"),
            super::number(&options, "slip_percent"),
        )))
    }
    fn offers(&self) -> Offers {
        Offers {
            simulator: true,
            subjects: true,
            policies: vec!["walk".to_owned(), "wait".to_owned()],
            blocks: ["observation", "history", "own_history", "status"].map(str::to_owned).to_vec(),
            queries: vec!["subject_state".to_owned()],
            ..Offers::default()
        }
    }
}

#[derive(Clone, Debug)]
struct Corridor {
    brief: Arc<Brief>,
    tools: Arc<[ToolSpec]>,
    length: u64,
    slip_percent: u64,
    place: u64,
    steps: u32,
    rng: Rng,
}

impl Corridor {
    fn new(horizon: u32, length: u64, slip_percent: u64) -> Self {
        let tools = vec![
            ToolSpec::of_strings("go", "Goes to a place next door.", &[("to", "The place.")]),
            ToolSpec::of_strings("wait", "Does nothing.", &[]),
        ];
        let mut brief = super::brief("corridor", "Reach the last place.", horizon, &tools, ToolCall::bare("wait"));
        brief.subjects = (0..=length).map(|place| format!("place-{place}")).collect();
        brief.reward_range = Some((Milli(-100), Milli(1000)));
        brief.thresholds.success = Some(Milli(0));
        Self {
            brief: brief.into(),
            tools: tools.into(),
            length,
            slip_percent,
            place: 0,
            steps: 0,
            rng: Rng::stream(0, "world"),
        }
    }

    fn look(&self) -> Observation {
        let data = serde_json::json!({ "place": self.place });
        Observation { text: format!("You stand at place-{} of {}.", self.place, self.length), data: data.into() }
    }
}

#[async_trait]
impl Environment for Corridor {
    fn brief(&self) -> &Arc<Brief> {
        &self.brief
    }
    async fn reset(&mut self, task: &TaskId, seed: u64) -> Result<Observation, EnvError> {
        self.rng = Rng::stream(seed, &format!("world/{task}"));
        (self.place, self.steps) = (0, 0);
        Ok(self.look())
    }
    fn tools(&self) -> &Arc<[ToolSpec]> {
        &self.tools
    }
    fn choices(&self, tool: &str, parameter: &str) -> Option<Vec<Cow<'_, str>>> {
        if (tool, parameter) != ("go", "to") {
            return None;
        }
        let mut next = vec![self.place + 1];
        next.extend(self.place.checked_sub(1));
        Some(next.into_iter().map(|place| Cow::Owned(format!("place-{place}"))).collect())
    }
    fn parse(&self, text: &str) -> Result<ToolCall, Rejection> {
        super::parse(text, &self.tools)
    }
    fn render(&self, call: &ToolCall) -> String {
        super::render(call)
    }
    async fn call(&mut self, call: &ToolCall) -> Result<Reply, Rejection> {
        super::validate(call, &self.tools)?;
        if call.tool == "go" {
            let wanted = call.string("to").unwrap_or_default();
            let choices = self.choices("go", "to").unwrap_or_default();
            if !choices.iter().any(|choice| choice == wanted) {
                let text = format!("`{wanted}` is not next door; you may go to: {}", choices.join(", "));
                return Err(Rejection::new(RejectionKind::BadValue, text));
            }
            let target = wanted.trim_start_matches("place-").parse().unwrap_or(self.place);
            if self.rng.below(100) >= self.slip_percent {
                self.place = target;
            }
        }
        self.steps += 1;
        let arrived = self.place == self.length;
        let reward = Milli(if arrived { 1000 } else { -100 });
        Ok(Reply::Step(Transition {
            observation: self.look().into(),
            reward,
            done: arrived.then_some(EnvironmentStop::Solved),
        }))
    }
    fn tracker(&self) -> Box<dyn Tracker> {
        Box::new(LogTracker::new(&self.brief.subjects))
    }
    fn state(&self) -> Digest {
        Digest::of_parts(&[&self.place.to_be_bytes(), &self.steps.to_be_bytes()])
    }
    fn situation(&self) -> Digest {
        Digest::of(&self.place.to_be_bytes())
    }
    fn simulator(&self) -> Option<&dyn Simulator> {
        Some(self)
    }

    fn expert(&self) -> Option<&dyn Expert> {
        Some(self)
    }

    fn policies(&self) -> &[&'static str] {
        &["walk", "wait"]
    }
    fn decide(&mut self, policy: &str, _draws: &mut Rng) -> Option<ToolCall> {
        match policy {
            "walk" => self.next_call(),
            "wait" => Some(ToolCall::bare("wait")),
            _ => None,
        }
    }
}

impl Simulator for Corridor {
    fn fork(&self, future: u64) -> Box<dyn Environment> {
        Box::new(Self { rng: Rng::stream(future, "fork"), ..self.clone() })
    }
}

impl Expert for Corridor {
    fn next_call(&self) -> Option<ToolCall> {
        Some(ToolCall::with("go", &[("to", &format!("place-{}", self.place + 1))]))
    }
}
