//! An environment whose tool must ask a model: `consult` is answered by the role `reader`.

use std::borrow::Cow;
use std::sync::Arc;

use async_trait::async_trait;
use gimbal_core::fit::Offers;
use gimbal_core::stop::EnvironmentStop;
use gimbal_core::{
    Ask, Brief, Catalogue, Data, Digest, EnvError, Environment, Grammar, Message, Milli, Observation, Rejection,
    RejectionKind, Reply, Rng, Speaker, TaskId, ToolCall, ToolSpec, Tracker, Transition,
};
use gimbal_env_kit::catalogue;
use serde_json::Value;

use crate::log_tracker::LogTracker;

const COLOURS: [&str; 4] = ["amber", "green", "ochre", "white"];
const DEFAULTS: &[(&str, u64)] = &[("horizon", 6)];

/// The family `oracle`.
#[derive(Debug)]
pub struct OracleFamily;

impl Catalogue for OracleFamily {
    fn name(&self) -> &'static str {
        "oracle"
    }
    fn behaviour(&self) -> u32 {
        1
    }
    fn splits(&self) -> &[&'static str] {
        &["test"]
    }
    fn tasks(&self, split: &str, _options: &Value) -> Result<Vec<TaskId>, EnvError> {
        match split {
            "test" => Ok(vec![TaskId("colour".to_owned()), TaskId("shade".to_owned())]),
            other => Err(catalogue::unknown("oracle", "split", other, &["test"])),
        }
    }
    fn schema(&self) -> Value {
        super::schema_of(DEFAULTS)
    }
    fn resolve(&self, options: &Value) -> Result<Value, EnvError> {
        super::numbers(options, DEFAULTS)
    }
    fn open(&self, options: &Value) -> Result<Box<dyn Environment>, EnvError> {
        let horizon = super::number(&self.resolve(options)?, "horizon") as u32;
        Ok(Box::new(Oracle::new(horizon)))
    }
    fn offers(&self) -> Offers {
        Offers {
            blocks: ["observation", "history", "own_history", "status"].map(str::to_owned).to_vec(),
            asks: vec!["reader".to_owned()],
            ..Offers::default()
        }
    }
}

#[derive(Debug)]
struct Oracle {
    brief: Arc<Brief>,
    tools: Arc<[ToolSpec]>,
    secret: &'static str,
    steps: u32,
    open: bool,
}

impl Oracle {
    fn new(horizon: u32) -> Self {
        let tools = vec![
            ToolSpec::of_strings("consult", "Asks the reader.", &[]),
            ToolSpec::of_strings("declare", "Names the colour.", &[("colour", "Its name.")]),
        ];
        let goal = "Find out the colour and declare it.";
        let brief = super::brief("oracle", goal, horizon, &tools, ToolCall::bare("consult"));
        Self { brief: brief.into(), tools: tools.into(), secret: COLOURS[0], steps: 0, open: false }
    }

    fn stepped(&mut self, text: String, reward: i64, done: Option<EnvironmentStop>) -> Reply {
        self.steps += 1;
        let observation = Observation { text, data: Data::default() };
        Reply::Step(Transition { observation: observation.into(), reward: Milli(reward), done })
    }
}

#[async_trait]
impl Environment for Oracle {
    fn brief(&self) -> &Arc<Brief> {
        &self.brief
    }
    async fn reset(&mut self, task: &TaskId, seed: u64) -> Result<Observation, EnvError> {
        self.secret = Rng::stream(seed, &task.0).choose(&COLOURS).copied().unwrap_or(COLOURS[0]);
        (self.steps, self.open) = (0, false);
        Ok(Observation { text: "Nobody has told you the colour yet.".to_owned(), data: Data::default() })
    }
    fn tools(&self) -> &Arc<[ToolSpec]> {
        &self.tools
    }
    fn choices(&self, _tool: &str, parameter: &str) -> Option<Vec<Cow<'_, str>>> {
        (parameter == "colour").then(|| COLOURS.iter().map(|colour| Cow::Borrowed(*colour)).collect())
    }
    fn parse(&self, text: &str) -> Result<ToolCall, Rejection> {
        super::parse(text, &self.tools)
    }
    fn render(&self, call: &ToolCall) -> String {
        super::render(call)
    }
    async fn call(&mut self, call: &ToolCall) -> Result<Reply, Rejection> {
        super::validate(call, &self.tools)?;
        self.open = call.tool == "consult";
        if self.open {
            let text = format!("The page says: the colour is {}. Which colour is it?", self.secret);
            return Ok(Reply::Ask(Ask {
                role: "reader".to_owned(),
                messages: vec![Message::new(Speaker::User, text)],
                grammar: Some(Grammar::Choice(COLOURS.map(str::to_owned).to_vec())),
            }));
        }
        let right = call.string("colour") == Some(self.secret);
        let (text, reward) = if right { ("Right.", 1000) } else { ("Wrong.", -1000) };
        let ending = if right { EnvironmentStop::Solved } else { EnvironmentStop::Failed };
        Ok(self.stepped(text.to_owned(), reward, Some(ending)))
    }
    async fn answer(&mut self, text: &str) -> Result<Reply, Rejection> {
        if !std::mem::take(&mut self.open) {
            return Err(Rejection::new(RejectionKind::NotNow, "no question is open"));
        }
        Ok(self.stepped(format!("The reader says: {text}"), -10, None))
    }
    fn tracker(&self) -> Box<dyn Tracker> {
        Box::new(LogTracker::new(&[]))
    }
    fn state(&self) -> Digest {
        Digest::of_parts(&[self.secret.as_bytes(), &self.steps.to_be_bytes()])
    }
    fn situation(&self) -> Digest {
        Digest::of(&self.steps.to_be_bytes())
    }
}
