//! The reflector: it reads an attempt that did not reach the goal, as its agent saw it, and writes a short note for the next one (CTHA-131).
//!
//! What it is shown holds nothing that the agent was not shown, but for how the attempt ended and what the environment counted.

use gimbal_agent::{Agent, Overrides};
use gimbal_core::{Brief, BuildError, EpisodeStopped, Files, Hint, LaneId, Milli, Needs, Stage, TokenCount};
use gimbal_messages::records::search::Reflected;
use gimbal_messages::{Contract, ContractError, Form, Message, StageExt, bounded, party, spaced, typed};
use serde::{Deserialize, Serialize};
use serde_json::{Value, json};

use crate::shared::asking::{MessageRequest, Shape};
use crate::shared::member::{Member, Place};

/// How much of an answer that cannot be used goes back to the model, in characters.
const BROKEN: usize = 2_000;
/// Longest reflection under a mask, in characters, so that a small model ends.
const ENFORCED: usize = 400;
/// Longest goal, first observation, action and result of an account, in characters.
const TEXTS: Lengths = Lengths { goal: 2_000, first: 4_000, action: 300, result: 600 };
/// Most steps that an account keeps: the latest ones.
const STEPS: usize = 60;

struct Lengths {
    goal: usize,
    first: usize,
    action: usize,
    result: usize,
}

/// A reflection. Its request brings the form.
#[derive(Debug)]
pub struct ReflectionMessage;

/// What a reflector answers.
pub static REFLECTION: ReflectionMessage = ReflectionMessage;

impl Message for ReflectionMessage {
    fn name(&self) -> &'static str {
        "reflection"
    }

    fn request(&self, brief: &Brief, _target: &str) -> Value {
        let step = AttemptStep {
            step: 1,
            action: "(an action)".to_owned(),
            result: "(what was seen then)".to_owned(),
            reward: Milli::ZERO,
        };
        let account = Account {
            attempt: 1,
            goal: brief.goal.clone(),
            first: Some("(what was seen first)".to_owned()),
            ended: "(how it ended)".to_owned(),
            returned: Some(Milli::ZERO),
            steps: vec![step],
            ..Account::default()
        };
        let notes = ["(what was noted after earlier attempts)".to_owned()];
        let mut request = account.message(&brief.role, &notes, 1, |_| TokenCount { tokens: 1, exact: false });
        request["most_tokens"] = json!(128);
        request
    }
}

/// A step of an attempt.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
pub(crate) struct AttemptStep {
    /// The step.
    pub step: u32,
    /// The action text.
    pub action: String,
    /// What was seen then, or why the action was refused.
    pub result: String,
    /// The reward; 0 of a refused action.
    pub reward: Milli,
}

/// An attempt, as its agent saw it.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
pub(crate) struct Account {
    /// Number of the attempt, from 1.
    pub attempt: u32,
    /// The goal.
    pub goal: String,
    /// What was seen before the first step, where the goal does not say it.
    pub first: Option<String>,
    /// How it ended, in words.
    pub ended: String,
    /// Whether its steps were tried in a simulation alone.
    #[serde(default, skip_serializing_if = "std::ops::Not::not")]
    pub simulated: bool,
    /// The sum of its rewards, where that may be told.
    pub returned: Option<Milli>,
    /// Steps before those that are kept.
    pub earlier: u32,
    /// The latest steps.
    pub steps: Vec<AttemptStep>,
}

impl Account {
    /// Takes up a step; the oldest ones give way.
    pub(crate) fn push(&mut self, step: AttemptStep) {
        let AttemptStep { step, action, result, reward } = step;
        let result = result.split_whitespace().collect::<Vec<_>>().join(" ");
        self.steps.push(AttemptStep {
            step,
            action: bounded(action.trim(), TEXTS.action),
            result: bounded(&result, TEXTS.result),
            reward,
        });
        if self.steps.len() > STEPS {
            self.steps.remove(0);
            self.earlier += 1;
        }
    }

    /// What the reflector is told, with at most so many tokens of steps: the oldest are left out first, since the end of an attempt
    /// decides it.
    fn message(&self, role: &str, notes: &[String], most: u64, count: impl Fn(&str) -> TokenCount) -> Value {
        let told = |step: &AttemptStep| {
            let mut told = json!({ "step": step.step, "action": step.action, "result": step.result });
            if step.reward != Milli::ZERO {
                told["reward"] = json!(step.reward.to_string());
            }
            told
        };
        let (mut steps, mut left) = (Vec::new(), most);
        for step in self.steps.iter().rev() {
            let told = told(step);
            let tokens = count(&spaced(&told)).tokens;
            // The last step is always told.
            if tokens > left && !steps.is_empty() {
                break;
            }
            left = left.saturating_sub(tokens);
            steps.push(told);
        }
        steps.reverse();
        let skipped = self.earlier as usize + self.steps.len() - steps.len();
        let mut message = json!({
            "environment": role, "task": bounded(self.goal.trim(), TEXTS.goal), "attempt": self.attempt, "ended": self.ended,
        });
        if self.simulated {
            message["simulated"] = json!(true);
        }
        if let Some(first) = &self.first {
            message["first_observation"] = json!(bounded(first, TEXTS.first));
        }
        if let Some(returned) = self.returned {
            message["return"] = json!(returned.to_string());
        }
        if skipped > 0 {
            message["earlier_steps"] = json!(skipped);
        }
        message["steps"] = Value::Array(steps);
        if !notes.is_empty() {
            message["notes"] = json!(notes);
        }
        message
    }
}

/// How much a reflector reads and writes.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) struct Bounds {
    /// Most tokens of a reflection.
    pub reflection: u64,
    /// Most tokens of the steps that it is shown.
    pub steps: u64,
}

/// The agent that reflects.
pub(crate) struct Reflector {
    pub agent: Agent,
    contract: Contract,
    bounds: Bounds,
}

/// What is reflected on.
pub(crate) struct Attempt<'a> {
    /// `trial` or `leaf`.
    pub about: &'static str,
    /// The attempt.
    pub account: &'a Account,
    /// What was noted before.
    pub notes: &'a [String],
    /// Most notes that are kept: what the record counts.
    pub kept: usize,
}

impl Reflector {
    /// The name of its place, which is its role by default.
    pub(crate) const PLACE: &'static str = "reflector";

    /// The reflector of the architecture called `name`.
    pub(crate) fn of(
        name: &str,
        bounds: Bounds,
        (member, common): (&Member, &Overrides),
        files: &dyn Files,
    ) -> Result<Self, BuildError> {
        let place = Place { name: Self::PLACE, persona: Self::PLACE, message: Some(&REFLECTION), delegates: &[] };
        let agent = place.agent(name, (member, common), files)?;
        let contract = contract(bounds.reflection).map_err(|error| BuildError::new(format!("{name}: {error}")))?;
        Ok(Self { agent, contract, bounds })
    }

    /// What it needs of an environment.
    pub(crate) fn needs(&self) -> Needs {
        Needs { messages: true, ..self.agent.needs() }
    }

    /// Everything that decides its behaviour.
    pub(crate) fn resolved(&self) -> Value {
        json!({
            "agent": self.agent.resolved(), "contract": self.contract.digest(), "reflection_tokens": self.bounds.reflection,
            "steps_tokens": self.bounds.steps,
        })
    }

    /// Asks about an attempt; `None` if nothing usable was written. It is recorded either way.
    ///
    /// # Errors
    /// What stopped the episode.
    pub(crate) async fn reflect(
        &self,
        stage: &dyn Stage,
        lane: LaneId,
        attempt: Attempt<'_>,
    ) -> Result<Option<String>, EpisodeStopped> {
        let Attempt { about, account, notes, kept } = attempt;
        let role = self.agent.role();
        let count = |text: &str| stage.tokens(role, text);
        let mut request = account.message(&stage.brief().role, notes, self.bounds.steps, count);
        request["most_tokens"] = json!(self.bounds.reflection);
        let text = match stage.send(lane, party::JOURNAL, role, self.contract.name(), request).await {
            Some(request) => self.ask(stage, lane, &request).await?,
            None => None,
        };
        let tokens = text.as_deref().map(count);
        let record = Reflected {
            about: about.to_owned(),
            attempt: account.attempt,
            ended: account.ended.clone(),
            tokens: tokens.map_or(0, |tokens| tokens.tokens),
            exact: tokens.is_some_and(|tokens| tokens.exact),
            kept: u32::try_from((notes.len() + usize::from(text.is_some())).min(kept)).unwrap_or(u32::MAX),
            text: text.clone(),
        };
        stage.record(lane, &record).await;
        Ok(text)
    }

    async fn ask(&self, stage: &dyn Stage, lane: LaneId, request: &Value) -> Result<Option<String>, EpisodeStopped> {
        let message = spaced(request);
        let asked = MessageRequest {
            agent: &self.agent,
            lane,
            blocks: &[],
            who: Self::PLACE,
            target: "",
            message: &message,
            shape: Shape::Contract(&self.contract),
            form: Form::object(&[("reflection", Form::text(1, ENFORCED))]),
            expert: expert(stage).await,
            longest: BROKEN,
            mask: true,
        };
        Ok(asked.ask(stage, read).await?.ok())
    }
}

/// The answer of a reflector.
#[derive(Clone, Debug, PartialEq, Eq, Deserialize)]
#[serde(deny_unknown_fields)]
struct Reflection {
    /// What to do differently.
    reflection: String,
}

/// A reflection on one line.
fn read(value: Value) -> Result<String, String> {
    let Reflection { reflection } = typed(value)?;
    let text = reflection.split_whitespace().collect::<Vec<_>>().join(" ");
    if text.chars().any(char::is_alphanumeric) { Ok(text) } else { Err("`reflection` holds no words".to_owned()) }
}

/// The contract, with the bound of tokens that the settings say.
fn contract(most: u64) -> Result<Contract, ContractError> {
    let text = include_str!("reflection.json");
    let bounded = serde_json::from_str::<Value>(text).ok().map(|mut schema| {
        schema["properties"]["reflection"]["maxTokens"] = json!(most);
        schema.to_string()
    });
    Contract::parse("reflection", bounded.as_deref().unwrap_or(text))
}

/// What an expert would write: what it would do first. A mistaken one repeats itself or gives no advice. Whoever plays by hints reads no notes, so
/// that neither changes what such a player does.
async fn expert(stage: &dyn Stage) -> Option<Hint> {
    let call = stage.expert().await?;
    let say = |text: &str| spaced(&json!({ "reflection": text }));
    let first = bounded(&stage.render(&call).await, TEXTS.action);
    let printable: String = first.chars().filter(|letter| letter.is_ascii_graphic() || *letter == ' ').collect();
    let answer = say(&bounded(&format!("Begin with this action: {}", printable.replace(['"', '\\'], "'")), ENFORCED));
    let wrong = ["Do the same once more.", "The attempt went wrong."].map(say);
    Some(Hint { answer, alternatives: wrong.into() })
}

#[cfg(test)]
mod tests {
    use gimbal_core::TokenCount;
    use serde_json::json;

    use super::{Account, AttemptStep, Milli, Reflection, STEPS, contract, read};

    fn account(steps: u32) -> Account {
        let mut account = Account { attempt: 2, goal: "craft a door".to_owned(), ..Account::default() };
        account.ended = "no step was left".to_owned();
        for step in 1..=steps {
            let result = format!("line {step}\n  and more");
            account.push(AttemptStep { step, action: format!("do {step}"), result, reward: Milli::ZERO });
        }
        account
    }

    // covers: CTHA-131
    #[test]
    fn an_account_is_bounded_and_says_how_much_is_left_out() {
        let whole = account(200);
        assert_eq!((whole.steps.len(), whole.earlier), (STEPS, 200 - STEPS as u32));
        let told = |most: u64| whole.message("You craft.", &[], most, TokenCount::estimated);
        let (few, all) = (told(60), told(100_000));
        assert_eq!(all["steps"].as_array().unwrap().len(), STEPS);
        assert_eq!((&all["earlier_steps"], &all["steps"][0]["action"]), (&json!(140), &json!("do 141")));
        assert_eq!(all["steps"][0]["result"], "line 141 and more");
        let shown = few["steps"].as_array().unwrap();
        assert!(!shown.is_empty() && shown.len() < 10, "{few}");
        assert_eq!(shown.last().unwrap()["action"], "do 200", "the end is always told");
        assert_eq!(few["earlier_steps"], json!(200 - shown.len()));
        assert_eq!(told(0)["steps"].as_array().unwrap().len(), 1);
        assert!(all.get("return").is_none() && all.get("notes").is_none(), "{all}");
    }

    #[test]
    fn a_reflection_is_one_line_with_words() {
        assert_eq!(read(json!({ "reflection": " First\n this. " })).as_deref(), Ok("First this."));
        assert!(read(json!({ "reflection": " ... " })).is_err());
        assert_eq!(read(json!({})), Err("/: missing field `reflection`".to_owned()));
        assert!(contract(128).unwrap().differs_from::<Reflection>("").is_empty());
    }
}
