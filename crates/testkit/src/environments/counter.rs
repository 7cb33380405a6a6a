//! An environment that costs next to nothing, for measuring what the rest costs.

use std::borrow::Cow;
use std::sync::Arc;

use async_trait::async_trait;
use gimbal_core::fit::Offers;
use gimbal_core::{
    Brief, Catalogue, Data, Digest, EnvError, Environment, Milli, Observation, Rejection, Reply, Rng, TaskId, ToolCall,
    ToolSpec, Tracker, Transition,
};
use gimbal_env_kit::catalogue;
use serde_json::Value;

use crate::log_tracker::LogTracker;

const DEFAULTS: &[(&str, u64)] = &[("horizon", 30), ("observation_bytes", 600)];

/// The family `counter`.
#[derive(Debug)]
pub struct CounterFamily;

impl Catalogue for CounterFamily {
    fn name(&self) -> &'static str {
        "counter"
    }
    fn behaviour(&self) -> u32 {
        1
    }
    fn splits(&self) -> &[&'static str] {
        &["test"]
    }
    fn tasks(&self, split: &str, _options: &Value) -> Result<Vec<TaskId>, EnvError> {
        match split {
            "test" => Ok(vec![TaskId("count".to_owned())]),
            other => Err(catalogue::unknown("counter", "split", other, &["test"])),
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
        let horizon = super::number(&options, "horizon") as u32;
        let tools = vec![ToolSpec::of_strings("tick", "Counts one.", &[])];
        let brief = super::brief("counter", "Count.", horizon, &tools, ToolCall::bare("tick"));
        let width = super::number(&options, "observation_bytes") as usize;
        Ok(Box::new(Counter {
            brief: brief.into(),
            tools: tools.into(),
            width,
            count: 0,
            rng: Rng::stream(0, "world"),
        }))
    }
    fn offers(&self) -> Offers {
        Offers {
            policies: vec!["tick".to_owned()],
            blocks: ["observation", "history", "own_history", "status"].map(str::to_owned).to_vec(),
            ..Offers::default()
        }
    }
}

#[derive(Debug)]
struct Counter {
    brief: Arc<Brief>,
    tools: Arc<[ToolSpec]>,
    width: usize,
    count: u64,
    rng: Rng,
}

impl Counter {
    fn look(&mut self) -> Observation {
        let mut text = format!("count {}: ", self.count);
        while text.len() < self.width {
            text.push_str(&format!("{:016x} ", self.rng.next_u64()));
        }
        Observation { text, data: Data::default() }
    }
}

#[async_trait]
impl Environment for Counter {
    fn brief(&self) -> &Arc<Brief> {
        &self.brief
    }
    async fn reset(&mut self, _task: &TaskId, seed: u64) -> Result<Observation, EnvError> {
        self.count = 0;
        self.rng = Rng::stream(seed, "world");
        Ok(self.look())
    }
    fn tools(&self) -> &Arc<[ToolSpec]> {
        &self.tools
    }
    fn choices(&self, _tool: &str, _parameter: &str) -> Option<Vec<Cow<'_, str>>> {
        None
    }
    fn parse(&self, text: &str) -> Result<ToolCall, Rejection> {
        super::parse(text, &self.tools)
    }
    fn render(&self, call: &ToolCall) -> String {
        super::render(call)
    }
    async fn call(&mut self, call: &ToolCall) -> Result<Reply, Rejection> {
        super::validate(call, &self.tools)?;
        self.count += 1;
        let reward = Milli((self.rng.below(3)) as i64 * 100);
        Ok(Reply::Step(Transition { observation: self.look().into(), reward, done: None }))
    }
    fn tracker(&self) -> Box<dyn Tracker> {
        Box::new(LogTracker::new(&[]))
    }
    fn state(&self) -> Digest {
        Digest::of(&self.count.to_be_bytes())
    }
    fn situation(&self) -> Digest {
        self.state()
    }
    fn policies(&self) -> &[&'static str] {
        &["tick"]
    }
    fn decide(&mut self, policy: &str, _draws: &mut Rng) -> Option<ToolCall> {
        (policy == "tick").then(|| ToolCall::bare("tick"))
    }
}
