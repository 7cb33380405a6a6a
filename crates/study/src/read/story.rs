//! One episode in plain words: what the agents read, what they wrote, what was done, and the results.

use std::fmt::Write as _;

use gimbal_core::event::{Body, Ended, ModelCalled};
use gimbal_core::{Grammar, RecordKinds, StoryMemory};
use gimbal_messages::records::engine::{Normalised, ReadingMark};

use super::trace::Reader;
use crate::registry::Registry;
use crate::run::RunError;

/// Characters of a long text that a story shows, unless whole ones are asked for.
const SHOWN: usize = 300;

/// What a reader of the story must know of its lines.
const LEGEND: &str = "`reads` is what was sent to the model since its last call (the whole prompt: --call N). \
                      `observation` is what the environment gave, which an agent reads only where a message shows it.";

/// The state of the text between events.
struct StoryWriter<'r> {
    registry: &'r Registry,
    kinds: RecordKinds,
    /// Characters of a long text that are shown.
    most: usize,
    /// The last reply of a model: its content is not shown a second time.
    reply: String,
    refused: u32,
    fallbacks: u32,
    normalised: u32,
    followed: u32,
    memory: StoryMemory,
}

impl<'r> StoryWriter<'r> {
    fn new(most: usize, registry: &'r Registry) -> Self {
        let (kinds, memory) = (registry.records(), StoryMemory::default());
        Self {
            registry,
            kinds,
            most,
            reply: String::new(),
            refused: 0,
            fallbacks: 0,
            normalised: 0,
            followed: 0,
            memory,
        }
    }

    /// Whether texts are shown whole.
    fn shows_all(&self) -> bool {
        self.most == usize::MAX
    }

    fn folded(&self, text: &str) -> String {
        folded(text, self.most)
    }

    /// A text under its name; nothing where it is empty, or is in the last reply.
    fn unless_said(&self, name: &str, text: &str) -> String {
        let said = text.trim();
        if said.is_empty() || self.reply.contains(said) { String::new() } else { format!("\n{name}: {said}") }
    }
}

impl Reader {
    /// The episode as a person would read it, with whole texts or the beginnings of long ones.
    ///
    /// What architectures record and say is put into words by the architectures of `registry`; kinds of record that none of them knows are
    /// shown as they are stored.
    ///
    /// # Errors
    /// When a text is missing, or a record of a known kind does not have the form of its kind.
    pub fn story(&mut self, whole: bool, registry: &Registry) -> Result<String, RunError> {
        let most = if whole { usize::MAX } else { SHOWN };
        let mut teller = StoryWriter::new(most, registry);
        let mut out = String::new();
        let mut step = 0;
        let mut has_stepped = false;
        for (number, event) in (0u64..).zip(self.events.clone()) {
            if let Body::Started(start) = &event.body {
                let (name, key) = (&self.name, start.key.short());
                let _ = writeln!(out, "{name}: episode {key}, trial {}, seed {}\n{LEGEND}\n", start.trial, start.seed);
            }
            // Nothing happens in the step after the last one: it has no heading of its own.
            if matches!(event.body, Body::Ended(_)) {
                out.push('\n');
            } else if event.step != step && !is_behind(&event.body, has_stepped, &teller.kinds) {
                step = event.step;
                let _ = writeln!(out, "\n== step {step} ==");
            }
            has_stepped = matches!(event.body, Body::Stepped(_));
            let lane = if event.lane == 0 { String::new() } else { format!("[lane {}] ", event.lane) };
            let line = self.tell(event.body, number, &mut teller)?;
            if !line.is_empty() {
                let _ = writeln!(out, "{lane}{line}");
            }
        }
        if let Some(lost) = &self.lost {
            let _ = writeln!(out, "\nno outcome: {lost}");
        }
        Ok(out)
    }

    fn tell(&mut self, body: Body, number: u64, teller: &mut StoryWriter<'_>) -> Result<String, RunError> {
        Ok(match body {
            Body::Started(start) => {
                let mut told = format!("observation: {}", teller.folded(&self.text(&start.observation)?));
                for material in &start.materials {
                    let _ = write!(told, "\nmaterial {} ({}): {}", material.name, material.kind, material.digest);
                }
                told
            }
            Body::ContextBuilt(context) => {
                let blocks: Vec<String> =
                    context.blocks.iter().map(|block| format!("{} ({} bytes)", block.name, block.bytes)).collect();
                format!("context: {}", blocks.join(", "))
            }
            Body::ModelCalled(call) => self.told_call(&call, teller)?,
            Body::ToolCalled(call) => {
                let reason = teller.unless_said("because", &self.text(&call.justification)?);
                format!("does: {} {}{reason}", call.tool, self.text(&call.arguments)?)
            }
            Body::Rejected(refusal) => {
                teller.refused += 1;
                let (message, text) = (self.text(&refusal.message)?, self.text(&refusal.text)?);
                format!("refused ({}): {message}{}", refusal.reason, teller.unless_said("written", &text))
            }
            Body::Stepped(step) => {
                format!("reward {}\nobservation: {}", step.reward, teller.folded(&self.text(&step.observation)?))
            }
            Body::Queried(query) => {
                format!(
                    "asks the belief state: {} {} -> {}: {}",
                    query.tool,
                    self.text(&query.arguments)?,
                    query.outcome,
                    self.text(&query.reply)?
                )
            }
            Body::Fallback(fallback) => {
                teller.fallbacks += 1;
                format!("fallback ({}): the engine makes the next call in the place of the agent", fallback.reason)
            }
            Body::Fault(fault) => {
                let planted = match &fault.planted {
                    Some(text) => format!(": {}", teller.folded(&self.text(text)?)),
                    None => String::new(),
                };
                format!("fault: {} at {} number {}{planted}", fault.kind, fault.site, fault.index)
            }
            Body::Sent(sent) => {
                let message = self.text(&sent.message)?;
                let told = teller.registry.tell_message(&sent.contract, &message, teller.shows_all());
                let message = told.unwrap_or(message);
                format!("{} -> {} ({}): {message}", sent.from, sent.to, sent.contract)
            }
            Body::Remembered(change) => format!("remembers {}: {}", change.key, self.text(&change.value)?),
            // Behind every honest answer that is not written to the letter: the end counts them.
            Body::Note(note) if note.kind == "normalised" => {
                teller.normalised += 1;
                let marks = serde_json::from_str::<Normalised>(&self.text(&note.data)?).map(|read| read.marks);
                teller.followed += u32::from(marks.is_ok_and(|marks| marks.contains(&ReadingMark::FollowedByText)));
                String::new()
            }
            Body::Note(note) => {
                let data = self.text(&note.data)?;
                let told = teller.kinds.tell(&note.kind, &data, &mut teller.memory);
                let told = told.map_err(|error| RunError::Record {
                    path: self.root.clone(),
                    episode: self.name.clone(),
                    event: number,
                    error,
                })?;
                let is_short = teller.kinds.get(&note.kind).is_some_and(|kind| kind.is_short);
                let told = told.filter(|_| !(is_short && teller.shows_all()));
                told.unwrap_or_else(|| format!("note {}: {data}", note.kind))
            }
            Body::Ended(end) => told_end(&end, teller),
        })
    }

    /// A call: what is new to the model, and what it says.
    fn told_call(&mut self, call: &ModelCalled, teller: &mut StoryWriter<'_>) -> Result<String, RunError> {
        let mut out = format!("call {} to {}: {} earlier messages kept", call.call, call.role, call.kept);
        // Also of a role that decodes freely, where a mask was asked for this call.
        if let Ok(grammar) = serde_json::from_str::<Grammar>(&self.text(&call.grammar)?) {
            let _ = write!(out, ", the answer held to a grammar ({})", grammar.kind().name());
        }
        for message in call.messages.iter().filter(|message| message.speaker != "assistant") {
            let text = self.text(&message.text)?;
            // A system prompt is long, and the same from call to call.
            let shown = if message.speaker == "system" && !teller.shows_all() {
                format!("system prompt ({} characters)", text.chars().count())
            } else {
                teller.folded(text.trim_end())
            };
            let _ = write!(out, "\nreads ({}): {shown}", message.speaker);
        }
        teller.reply = self.text(&call.reply)?;
        let (prompt, output, outcome) = (call.prompt_tokens, call.output_tokens, &call.outcome);
        let _ = write!(out, "\nsays ({outcome}, {prompt} + {output} tokens): {}", teller.reply);
        Ok(out)
    }
}

fn told_end(end: &Ended, teller: &StoryWriter<'_>) -> String {
    let StoryWriter { refused, fallbacks, normalised, followed, .. } = *teller;
    let counted = |count: u32, what: &str| if count > 0 { format!(", {count} {what}") } else { String::new() };
    format!(
        "ended: {}{} after {} steps, return {}, {} model calls, {} + {} tokens, {} tool calls{}{}{}{}",
        end.stop.name(),
        if end.detail.is_empty() { String::new() } else { format!(" ({})", end.detail) },
        end.steps,
        end.episode_return,
        end.model_calls,
        end.prompt_tokens,
        end.output_tokens,
        end.tool_calls,
        counted(refused, "refused"),
        counted(fallbacks, "by the fallback"),
        counted(normalised, "replies not written to the letter and read all the same"),
        counted(followed, "of them with other text behind the answer"),
    )
}

/// Whether an event is about the step before it, or about all of them: it has no heading of its own. A fault in what is seen of a step follows
/// that step at once.
fn is_behind(body: &Body, has_stepped: bool, kinds: &RecordKinds) -> bool {
    match body {
        Body::Note(note) => kinds.get(&note.kind).is_some_and(|kind| kind.is_behind),
        Body::Fault(fault) => has_stepped && fault.site == "tool",
        _ => false,
    }
}

fn folded(text: &str, most: usize) -> String {
    match text.char_indices().nth(most) {
        None => text.to_owned(),
        Some((end, _)) => format!("{} ... ({} characters in all)", text[..end].trim_end(), text.chars().count()),
    }
}

#[cfg(test)]
mod tests {
    use gimbal_core::event::{Body, Ended, Fault};
    use gimbal_core::{Digest, Milli, RecordKinds, Stop};

    use super::{Registry, SHOWN, StoryWriter, folded, is_behind, told_end};

    /// Otherwise a planted text would be told under the step behind the one that shows it.
    #[test]
    fn a_fault_in_what_is_seen_of_a_step_is_told_under_that_step() {
        let fault = |site: &str| {
            Body::Fault(Fault { index: 0, kind: "planted".to_owned(), planted: None, site: site.to_owned() })
        };
        let kinds = RecordKinds::default();
        assert!(is_behind(&fault("tool"), true, &kinds));
        assert!(!is_behind(&fault("tool"), false, &kinds) && !is_behind(&fault("model"), true, &kinds));
    }

    #[test]
    fn long_texts_are_folded() {
        assert_eq!(folded(&"é".repeat(300), SHOWN), "é".repeat(300));
        let folded = folded(&"é".repeat(301), SHOWN);
        assert_eq!(folded, format!("{} ... (301 characters in all)", "é".repeat(300)));
    }

    #[test]
    fn what_the_reply_holds_is_not_said_again_and_the_end_counts_what_was_left_out() {
        let reply = "Thought: it runs dry\nAnswer: Oil machine=press".to_owned();
        let registry = Registry::default();
        let teller = StoryWriter { reply, refused: 1, fallbacks: 2, ..StoryWriter::new(SHOWN, &registry) };
        assert_eq!(teller.unless_said("because", "it runs dry"), "");
        assert_eq!(teller.unless_said("because", " "), "");
        assert_eq!(teller.unless_said("written", "Oil machine=drill"), "\nwritten: Oil machine=drill");
        let end = Ended {
            detail: String::new(),
            model_calls: 4,
            output_tokens: 20,
            prompt_tokens: 100,
            episode_return: Milli(-1_500),
            situations: 1,
            state: Digest::of(b""),
            steps: 3,
            stop: Stop::Horizon,
            tool_calls: 6,
        };
        let told = "ended: horizon after 3 steps, return -1.5, 4 model calls, 100 + 20 tokens, 6 tool calls, 1 refused, \
                    2 by the fallback";
        assert_eq!(told_end(&end, &teller), told);
        let teller = StoryWriter { normalised: 3, followed: 1, ..teller };
        let more =
            ", 3 replies not written to the letter and read all the same, 1 of them with other text behind the answer";
        assert_eq!(told_end(&end, &teller), format!("{told}{more}"));
    }
}
