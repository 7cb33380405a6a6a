//! Trajectories from journals: events in, steps out.

use std::borrow::Cow;
use std::collections::BTreeMap;

use gimbal_core::event::{Body, Event, ModelCalled, Note, Sent};
use gimbal_core::{Digest, TextRef};
use gimbal_messages::Record;
use gimbal_messages::Tier;
use gimbal_messages::records::engine::Deliberated;
use gimbal_messages::records::hierarchy::OffMenu;
use gimbal_messages::records::reading::Parsed;
use serde_json::Value;

use super::tokenizer::Counter;
use super::{
    Action, ActionFacts, BlockShown, Invocation, Measure, Profile, RoleCalls, StepProfile, Suggestion, Tokenizer,
    Traces, count,
};
use crate::detect::Detector;
use crate::episode::{Episode, EpisodeFold, FoldError, Source, Texts};

/// Name of the message with the ranking that a sub-agent gives.
const SUGGESTIONS: &str = "suggestions";

impl Profile {
    /// The trajectory of an episode.
    ///
    /// # Errors
    /// When a text cannot be read, or a record does not have the form of its kind.
    pub fn read<E>(episode: &Episode<'_>, texts: &mut dyn Texts<Error = E>) -> Result<Self, FoldError<E>> {
        Self::counted(episode, texts, None)
    }

    /// The same with the tokens of blocks, where there is who counts them.
    fn counted<E>(
        episode: &Episode<'_>,
        texts: &mut dyn Texts<Error = E>,
        counter: Option<&mut Counter>,
    ) -> Result<Self, FoldError<E>> {
        Ok(Self {
            cell: episode.cell.to_owned(),
            environment: episode.environment.to_owned(),
            task: episode.task.to_owned(),
            run: episode.run,
            trial: episode.trial,
            instance: episode.instance,
            return_thousandths: episode.return_thousandths,
            stop: episode.stop,
            steps: steps(episode, texts, counter)?,
        })
    }
}

fn steps<E>(
    episode: &Episode<'_>,
    texts: &mut dyn Texts<Error = E>,
    counter: Option<&mut Counter>,
) -> Result<Vec<StepProfile>, FoldError<E>> {
    let mut builder = Builder { counter, ..Builder::new(episode.asks, texts) };
    for (number, event) in (0..).zip(episode.events) {
        builder.source.event = number;
        builder.take(event)?;
    }
    Ok(builder.steps)
}

/// The fold from episodes to [`Traces`].
#[derive(Clone, Debug, Default)]
pub struct TraceFold {
    facts: BTreeMap<String, ActionFacts>,
    traces: Traces,
    counter: Option<Counter>,
}

impl TraceFold {
    /// A fold over episodes of these cells: ids, and what the brief says of the actions. Episodes of other cells are left
    /// out.
    #[must_use]
    pub fn new(facts: BTreeMap<String, ActionFacts>) -> Self {
        Self { facts, traces: Traces::default(), counter: None }
    }

    /// The same with detectors that look at every episode, and numbers of every episode whose means works need.
    #[must_use]
    pub fn watched_by(mut self, detectors: Vec<Detector>, measures: Vec<Measure>) -> Self {
        self.traces = Traces::watched_by(detectors).measuring(measures);
        self
    }

    /// The same with blocks of context counted by a tokenizer; without one their tokens are estimated by length.
    #[must_use]
    pub fn counted_by(self, tokenizer: Option<Tokenizer>) -> Self {
        Self { counter: tokenizer.map(Counter::new), ..self }
    }

    /// The trajectories in sums.
    #[must_use]
    pub fn finish(mut self) -> Traces {
        self.traces.tokenizer = self.counter.map(|counter| counter.name().to_owned());
        self.traces
    }
}

impl<E> EpisodeFold<E> for TraceFold {
    fn wants(&self, episode: &Episode<'_>) -> bool {
        self.facts.contains_key(episode.cell)
    }

    fn add(&mut self, episode: &Episode<'_>, texts: &mut dyn Texts<Error = E>) -> Result<(), FoldError<E>> {
        if let Some(facts) = self.facts.get(episode.cell) {
            self.traces.add(&Profile::counted(episode, texts, self.counter.as_mut())?, facts);
        }
        Ok(())
    }
}

/// An episode under way.
struct Builder<'a, E> {
    source: Source<'a, E>,
    /// Roles that the environment asks: no part of what the agent does.
    asks: &'a [String],
    /// Counts the tokens of blocks.
    counter: Option<&'a mut Counter>,
    steps: Vec<StepProfile>,
    /// The last call to the environment that has not been answered.
    open: Option<Action>,
    talks: Talks,
}

impl<'a, E> Builder<'a, E> {
    fn new(asks: &'a [String], texts: &'a mut dyn Texts<Error = E>) -> Self {
        Self { source: Source::new(texts), asks, counter: None, steps: Vec::new(), open: None, talks: Talks::default() }
    }

    fn step(&mut self, number: u32) -> &mut StepProfile {
        let position = match self.steps.iter().rposition(|step| step.step == number) {
            Some(position) => position,
            None => {
                self.steps.push(StepProfile { step: number, ..StepProfile::default() });
                self.steps.len() - 1
            }
        };
        &mut self.steps[position]
    }

    fn take(&mut self, event: &Event) -> Result<(), FoldError<E>> {
        let number = event.step;
        match &event.body {
            Body::ModelCalled(call) => self.called(number, call),
            Body::ToolCalled(call) => {
                let arguments = self.source.text(&call.arguments)?.into_owned();
                self.open = Some(Action { tool: call.tool.clone(), subject: subject(&arguments), arguments });
            }
            Body::Rejected(_) => {
                self.open = None;
                self.step(number).rejected += 1;
            }
            Body::Stepped(taken) => {
                let action = self.open.take();
                let step = self.step(number);
                (step.action, step.reward, step.state) = (action, taken.reward.0, first_bits(&taken.state));
            }
            Body::Queried(_) => self.step(number).queries += 1,
            Body::Fallback(_) => self.step(number).fallbacks += 1,
            Body::Fault(_) => self.step(number).faults += 1,
            Body::Sent(sent) => self.sent(number, sent)?,
            Body::Note(note) => self.noted(number, note)?,
            Body::ContextBuilt(context) => {
                for block in &context.blocks {
                    let (source, text) = (&mut self.source, &block.text);
                    let tokens = match &mut self.counter {
                        Some(counter) => counter.count(text, || source.text(text).map(Cow::into_owned))?,
                        None => None,
                    };
                    let shown = BlockShown { name: block.name.clone(), bytes: block.bytes, tokens };
                    self.step(number).blocks.push(shown);
                }
            }
            Body::Started(_) | Body::Remembered(_) | Body::Ended(_) => {}
        }
        Ok(())
    }

    fn noted(&mut self, number: u32, note: &Note) -> Result<(), FoldError<E>> {
        match note.kind.as_str() {
            Deliberated::KIND => {
                let Deliberated { agent, .. } = self.source.record(&note.data)?;
                count(&mut self.step(number).deliberations, &agent);
            }
            OffMenu::KIND => {
                self.source.record::<OffMenu>(&note.data)?;
                self.step(number).off_menu = true;
            }
            Parsed::KIND => {
                let Parsed { tier, .. } = self.source.record(&note.data)?;
                let step = self.step(number);
                step.messages_read += 1;
                step.messages_replaced += u32::from(tier == Tier::Default);
            }
            // Kinds of other systems.
            _ => {}
        }
        Ok(())
    }

    fn called(&mut self, number: u32, call: &ModelCalled) {
        if self.asks.contains(&call.role) {
            return;
        }
        let talked = self.talks.heard(call);
        let step = self.step(number);
        step.failed += u32::from(call.outcome != "completed");
        let position = step.calls.iter().position(|entry| entry.role == call.role).unwrap_or_else(|| {
            step.calls.push(RoleCalls { role: call.role.clone(), ..RoleCalls::default() });
            step.calls.len() - 1
        });
        let entry = &mut step.calls[position];
        entry.calls += 1;
        entry.input = entry.input.saturating_add(call.prompt_tokens);
        entry.output = entry.output.saturating_add(call.output_tokens);
        if let Some(invocation) = step.invocations.iter_mut().rev().find(|entry| entry.agent == call.role) {
            invocation.messages += talked;
        }
    }

    fn sent(&mut self, number: u32, sent: &Sent) -> Result<(), FoldError<E>> {
        let ranking = (sent.contract == SUGGESTIONS).then(|| self.json(&sent.message)).transpose()?;
        let step = self.step(number);
        count(&mut step.messages, &sent.contract);
        match ranking {
            Some(ranking) => step.suggestions = suggestions(&ranking),
            // A role that is asked before it has ever answered is invoked; an answer goes back to the role that asked.
            None if !self.talks.answers(&sent.from, &sent.to) => {
                self.talks.invoke(&sent.from, &sent.to);
                self.step(number).invocations.push(Invocation { agent: sent.to.clone(), messages: 0 });
            }
            None => {}
        }
        Ok(())
    }

    fn json(&mut self, reference: &TextRef) -> Result<Value, FoldError<E>> {
        // A message that is not JSON ranks nothing; a damaged text fails its checksum.
        Ok(serde_json::from_str(&self.source.text(reference)?).unwrap_or(Value::Null))
    }
}

/// Who asks whom, and how long their conversations are.
#[derive(Default)]
struct Talks {
    /// Pairs of the role that asks and the role that is asked.
    asking: Vec<(String, String)>,
    /// By call: for each message of its prompt whether it is a system message.
    prompts: BTreeMap<u64, Vec<bool>>,
    /// By role: the last call, and how many messages its conversation had with the reply.
    last: BTreeMap<String, (u64, u32)>,
}

impl Talks {
    /// Whether a message from `from` to `to` is an answer: `to` has asked `from` before.
    fn answers(&self, from: &str, to: &str) -> bool {
        self.asking.iter().any(|(asks, asked)| asks == to && asked == from)
    }

    fn invoke(&mut self, from: &str, to: &str) {
        if !self.asking.iter().any(|(asks, asked)| asks == from && asked == to) {
            self.asking.push((from.to_owned(), to.to_owned()));
        }
        // A new invocation is a new conversation, whatever prefix its prompt shares with an earlier one.
        self.last.remove(to);
    }

    /// Messages that a call adds to its conversation, the reply included and system messages left out.
    fn heard(&mut self, call: &ModelCalled) -> u32 {
        let kept = usize::try_from(call.kept).unwrap_or(usize::MAX);
        let mut prompt: Vec<bool> =
            call.extends.first().and_then(|earlier| self.prompts.get(earlier)).cloned().unwrap_or_default();
        prompt.truncate(kept);
        prompt.extend(call.messages.iter().map(|message| message.speaker == "system"));
        let spoken = u32::try_from(prompt.iter().filter(|system| !**system).count()).unwrap_or(u32::MAX);
        let whole = spoken.saturating_add(1);
        let before = match (self.last.get(&call.role), call.extends.first()) {
            // The conversation goes on: only what is new counts.
            (Some((earlier, length)), Some(extended)) if earlier == extended && spoken >= *length => *length,
            _ => 0,
        };
        self.prompts.insert(call.call, prompt);
        self.last.insert(call.role.clone(), (call.call, whole));
        whole - before
    }
}

/// What an action is done to: the first textual argument in order of names.
fn subject(arguments: &str) -> Option<String> {
    let Ok(Value::Object(arguments)) = serde_json::from_str::<Value>(arguments) else { return None };
    let mut named: Vec<(&String, &str)> =
        arguments.iter().filter_map(|(name, value)| Some((name, value.as_str()?))).collect();
    named.sort_unstable();
    named.first().map(|(_, value)| (*value).to_owned())
}

/// A ranking as a contract writes it: a list of objects with `action` and `confidence` between 0 and 1.
fn suggestions(ranking: &Value) -> Vec<Suggestion> {
    let entries = ranking.as_array().map(Vec::as_slice).unwrap_or_default();
    entries
        .iter()
        .filter_map(|entry| {
            let action = entry["action"].as_str()?.to_owned();
            let confidence = entry["confidence"].as_f64().filter(|value| value.is_finite());
            Some(Suggestion {
                action,
                confidence: confidence.map(|value| (value.clamp(-1e6, 1e6) * 1000.0).round() as i64),
            })
        })
        .collect()
}

fn first_bits(state: &Digest) -> u64 {
    state.0.iter().take(8).fold(0, |bits, byte| bits << 8 | u64::from(*byte))
}

#[cfg(test)]
mod tests {
    use gimbal_core::Milli;
    use gimbal_core::event::{MessageUsed, Rejected, StepTaken, ToolCalled};

    use super::*;

    fn text(text: &str) -> TextRef {
        TextRef::inline(text)
    }

    fn call(number: u64, role: &str, extends: Option<(u64, u64)>, speakers: &[&str]) -> Body {
        Body::ModelCalled(ModelCalled {
            call: number,
            extends: extends.iter().map(|(earlier, _)| *earlier).collect(),
            grammar: text(""),
            kept: extends.map_or(0, |(_, kept)| kept),
            messages: speakers
                .iter()
                .map(|speaker| MessageUsed { speaker: (*speaker).to_owned(), text: text("x") })
                .collect(),
            outcome: "completed".to_owned(),
            output_tokens: 10,
            prompt_tokens: 100,
            reply: text("y"),
            role: role.to_owned(),
            sampling: text("{}"),
            tools: text(""),
        })
    }

    fn sent(from: &str, to: &str, contract: &str, message: &str) -> Body {
        Body::Sent(Sent {
            contract: contract.to_owned(),
            from: from.to_owned(),
            message: text(message),
            to: to.to_owned(),
        })
    }

    fn note(kind: &str, data: &str) -> Body {
        Body::Note(Note { data: text(data), kind: kind.to_owned() })
    }

    fn act(tool: &str, arguments: &str) -> Body {
        Body::ToolCalled(ToolCalled { arguments: text(arguments), justification: text(""), tool: tool.to_owned() })
    }

    fn stepped(reward: i64, state: &[u8]) -> Body {
        Body::Stepped(StepTaken { observation: text(""), reward: Milli(reward), state: Digest::of(state) })
    }

    fn folded(bodies: Vec<(u32, Body)>) -> Vec<StepProfile> {
        let mut texts = |reference: &TextRef| Ok::<_, String>(reference.as_inline().unwrap_or_default().to_owned());
        let asks = ["judge".to_owned()];
        let mut builder = Builder::new(&asks, &mut texts);
        for (step, body) in bodies {
            builder.take(&Event { body, lane: 0, step }).unwrap();
        }
        builder.steps
    }

    /// A planner that deliberates, asks both sub-agents, is refused once and acts; then one that acts at once.
    // covers: BOG-223
    #[test]
    fn a_hierarchy_is_counted_by_agent_and_message() {
        let steps = folded(vec![
            (1, call(0, "planner", None, &["system", "user"])),
            (1, note("deliberated", r#"{"agent":"planner","tool":"raise_a_question","over_budget":false}"#)),
            (1, sent("planner", "analyst", "analysis_request", r#"{"subject":"b"}"#)),
            (1, call(1, "analyst", None, &["system", "user"])),
            (1, call(2, "analyst", Some((1, 2)), &["assistant", "user"])),
            (1, note("parsed", r#"{"contract":"analysis","tier":"default"}"#)),
            (1, sent("analyst", "planner", "analysis", "[]")),
            (1, sent("planner", "chooser", "situation", "{}")),
            (1, call(3, "chooser", None, &["system", "user"])),
            (1, note("deliberated", r#"{"agent":"chooser","tool":"raise_a_question","over_budget":false}"#)),
            (1, call(4, "chooser", Some((3, 2)), &["assistant", "user"])),
            (1, call(5, "chooser", Some((4, 4)), &["assistant", "user"])),
            (1, note("parsed", r#"{"contract":"suggestions","tier":"repaired"}"#)),
            (
                1,
                sent(
                    "chooser",
                    "planner",
                    "suggestions",
                    r#"[{"action":"Watch","confidence":0.9},{"action":"Clean host=b","confidence":0.85},{"odd":1}]"#,
                ),
            ),
            (1, act("Clean", r#"{"host":"z"}"#)),
            (1, Body::Rejected(Rejected { message: text("no"), reason: "not_now".to_owned(), text: text("") })),
            (1, note("off_menu", r#"{"action":"Lure"}"#)),
            (1, act("Lure", r#"{"depth":3,"host":"b","kind":"web"}"#)),
            (1, call(6, "judge", None, &["user"])),
            (1, stepped(-1_100, b"one")),
            (2, sent("planner", "chooser", "situation", "{}")),
            (2, call(7, "chooser", Some((3, 1)), &["user"])),
            (2, sent("chooser", "planner", "suggestions", "not json")),
            (
                2,
                Body::Fallback(gimbal_core::event::Fallback {
                    reason: "attempts".to_owned(),
                    tool: "Watch".to_owned(),
                }),
            ),
            (2, act("Watch", "{}")),
            (2, stepped(0, b"two")),
            (3, call(8, "planner", None, &["system", "user"])),
        ]);
        let [first, second, third] = steps.as_slice() else { panic!("{}", steps.len()) };
        let action = first.action.as_ref().unwrap();
        assert_eq!((action.tool.as_str(), action.subject.as_deref()), ("Lure", Some("b")));
        assert_eq!((first.reward, first.rejected, first.off_menu, first.fallbacks), (-1_100, 1, true, 0));
        let roles: Vec<(&str, u32)> = first.calls.iter().map(|entry| (entry.role.as_str(), entry.calls)).collect();
        assert_eq!(roles, [("planner", 1), ("analyst", 2), ("chooser", 3)], "the environment's judge is no part of it");
        assert_eq!(first.tokens(), 660);
        let messages: Vec<(&str, u32)> =
            first.invocations.iter().map(|entry| (entry.agent.as_str(), entry.messages)).collect();
        // Prompt and reply; with one tool result 4, with two 6.
        assert_eq!(messages, [("analyst", 4), ("chooser", 6)]);
        assert_eq!(first.deliberations.len(), 2);
        assert_eq!((first.messages_read, first.messages_replaced, second.messages_read), (2, 1, 0));
        let ranking: Vec<(&str, Option<i64>)> =
            first.suggestions.iter().map(|entry| (entry.tool(), entry.confidence)).collect();
        assert_eq!(ranking, [("Watch", Some(900)), ("Clean", Some(850))]);
        assert_eq!((second.fallbacks, second.suggestions.len(), second.invocations[0].messages), (1, 0, 2));
        assert!(first.state != second.state);
        assert_eq!((third.action.as_ref(), third.model_calls()), (None, 1));
    }
}
