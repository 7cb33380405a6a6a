//! An environment with a packet in its brief: the agent cites facts of it and closes the file.

use std::borrow::Cow;
use std::sync::Arc;

use async_trait::async_trait;
use gimbal_core::fit::Offers;
use gimbal_core::stop::Ending;
use gimbal_core::{
    Brief, Catalogue, Data, Digest, EnvError, Environment, Material, Milli, Observation, Rejection, Reply, Rng, TaskId,
    ToolCall, ToolSpec, Tracker, Transition,
};
use gimbal_env_kit::catalogue;
use serde_json::Value;

use crate::log_tracker::LogTracker;

const DEFAULTS: &[(&str, u64)] = &[("facts", 3), ("horizon", 5)];

/// The family `dossier`.
#[derive(Debug)]
pub struct DossierFamily;

impl Catalogue for DossierFamily {
    fn name(&self) -> &'static str {
        "dossier"
    }
    fn behaviour(&self) -> u32 {
        1
    }
    fn splits(&self) -> &[&'static str] {
        &["test"]
    }
    fn tasks(&self, split: &str, _options: &Value) -> Result<Vec<TaskId>, EnvError> {
        match split {
            "test" => Ok(vec![TaskId("case-1".to_owned()), TaskId("case-2".to_owned())]),
            other => Err(catalogue::unknown("dossier", "split", other, &["test"])),
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
        Ok(Box::new(Dossier::new(super::number(&options, "facts"), super::number(&options, "horizon") as u32)))
    }
    fn offers(&self) -> Offers {
        Offers {
            materials: vec!["packet".to_owned()],
            subjects: true,
            blocks: ["observation", "history", "own_history", "status"].map(str::to_owned).to_vec(),
            queries: vec!["subject_state".to_owned()],
            ..Offers::default()
        }
    }
}

#[derive(Debug)]
struct Dossier {
    brief: Arc<Brief>,
    tools: Arc<[ToolSpec]>,
    facts: u64,
    cited: Vec<String>,
    steps: u32,
}

impl Dossier {
    fn new(facts: u64, horizon: u32) -> Self {
        let tools = vec![
            ToolSpec::of_strings("cite", "Cites a fact of the packet.", &[("fact", "Its id.")]),
            ToolSpec::of_strings("close", "Closes the file.", &[]),
        ];
        let brief = super::brief("dossier", "Cite every true fact.", horizon, &tools, ToolCall::bare("close"));
        Self { brief: brief.into(), tools: tools.into(), facts, cited: Vec::new(), steps: 0 }
    }
}

#[async_trait]
impl Environment for Dossier {
    fn brief(&self) -> &Arc<Brief> {
        &self.brief
    }
    async fn reset(&mut self, task: &TaskId, seed: u64) -> Result<Observation, EnvError> {
        let mut rng = Rng::stream(seed, &task.0);
        let lines = (0..self.facts).map(|fact| format!("F{fact}: value {}", rng.below(1000)));
        let text = lines.collect::<Vec<_>>().join("\n");
        let digest = Digest::of(text.as_bytes());
        let brief = Arc::make_mut(&mut self.brief);
        brief.subjects = (0..self.facts).map(|fact| format!("F{fact}")).collect();
        brief.materials = vec![Material { name: "packet".to_owned(), kind: "packet".to_owned(), digest, text }];
        self.cited.clear();
        self.steps = 0;
        Ok(Observation { text: format!("A packet of {} facts lies before you.", self.facts), data: Data::default() })
    }
    fn tools(&self) -> &Arc<[ToolSpec]> {
        &self.tools
    }
    fn choices(&self, tool: &str, parameter: &str) -> Option<Vec<Cow<'_, str>>> {
        let open = self.brief.subjects.iter().filter(|fact| !self.cited.contains(fact));
        ((tool, parameter) == ("cite", "fact")).then(|| open.map(|fact| Cow::Borrowed(fact.as_str())).collect())
    }
    fn parse(&self, text: &str) -> Result<ToolCall, Rejection> {
        super::parse(text, &self.tools)
    }
    fn render(&self, call: &ToolCall) -> String {
        super::render(call)
    }
    async fn call(&mut self, call: &ToolCall) -> Result<Reply, Rejection> {
        super::validate(call, &self.tools)?;
        self.steps += 1;
        if call.tool == "close" {
            let observation = Observation { text: "The file is closed.".to_owned(), data: Data::default() };
            return Ok(Reply::Step(Transition {
                observation: observation.into(),
                reward: Milli::ZERO,
                done: Some(Ending::Answered),
            }));
        }
        let fact = call.string("fact").unwrap_or_default().to_owned();
        let fresh = self.brief.subjects.contains(&fact) && !self.cited.contains(&fact);
        if fresh {
            self.cited.push(fact.clone());
        }
        let done = (self.cited.len() as u64 == self.facts).then_some(Ending::Solved);
        let observation = Observation { text: format!("{fact} is noted."), data: Data::default() };
        Ok(Reply::Step(Transition {
            observation: observation.into(),
            reward: Milli(if fresh { 500 } else { -500 }),
            done,
        }))
    }
    fn tracker(&self) -> Box<dyn Tracker> {
        Box::new(LogTracker::new(&self.brief.subjects))
    }
    fn state(&self) -> Digest {
        Digest::of_parts(&[self.cited.join(",").as_bytes(), &self.steps.to_be_bytes()])
    }
    fn situation(&self) -> Digest {
        self.state()
    }
}
