//! The use of tools within a conversation.

use gimbal_core::{EpisodeStopped, Rejection, RejectionKind, ToolCall};
use gimbal_messages::Tier;
use gimbal_messages::records::engine::{
    AnswerDue, Deliberated, Normalised, ReadingMark, ToolAlias, ToolFailed, ToolReasoning,
};
use serde_json::Map;

use super::Conversation;
use crate::Protocol;
use crate::deliberation::Deliberation;
use crate::engine::{behind, halt};
use crate::persona::Sourced;
use crate::persona::data::FINISH;
use crate::prompt::answer_form;
use crate::protocol::{Input, ReplyContent, ToolUse, react_text};
use crate::reading::words;
use crate::tool::{Carrier, Observed, Offered, ToolError, arguments};

/// How much of what a tool says of its failure is journaled; the conversation holds the whole.
const NOTED: usize = 300;

/// What an agent is told whose answer takes its action back.
const TAKEN_BACK: &str =
    "the words behind the action take it back, so that it was not carried out; write one action and nothing behind it";

impl Conversation<'_> {
    /// What the system prompt says of the form of an answer.
    pub(in crate::engine) fn required_form(&self) -> Result<String, EpisodeStopped> {
        let agent = self.session.agent;
        if agent.settings.protocol == Protocol::NativeTools && agent.persona.core.contract.is_none() {
            return self.fill(&agent.persona.texts.engine.feedback_native_form, &[]);
        }
        answer_form(&agent.persona, &agent.settings, &self.present.variables).map_err(halt)
    }

    /// The call that an answer names: as the environment reads it, else behind words that only announce it. Where all of a
    /// message had to pass for the answer and names no action, the true reason is what is `missing` in the message: that a
    /// thought is not an action would lead its writer astray.
    ///
    /// Other words behind the action on its line are a mark of the reply. Where they clearly take it back, it is not taken.
    ///
    /// # Errors
    /// What the environment says of the whole answer, what is missing, or that the action was taken back.
    pub(in crate::engine) async fn parse(
        &self,
        text: &str,
        missing: Option<&'static str>,
    ) -> Result<ToolCall, Rejection> {
        let (read, action) = match (self.stage.parse(text).await, words().after_lead(text)) {
            (Err(rejection), Some(rest)) => (self.stage.parse(rest).await.map_err(|_| rejection), rest),
            (read, _) => (read, text),
        };
        let behind = match &read {
            Ok(call) => behind::behind(self.stage, action, call).await,
            Err(_) => None,
        };
        let takes_back = match behind {
            Some(behind) => behind.takes_back(),
            None => missing.is_none() && behind::is_taken_back(self.stage, action, read.as_ref().ok()).await,
        };
        if takes_back {
            return Err(Rejection::new(RejectionKind::Unreadable, TAKEN_BACK));
        }
        // No marker announced it, it does not begin the answer, or the answer goes on behind it: it was found in words of which it could have
        // been any part.
        if let Ok(call) = &read
            && !self.noted
            && (missing.is_some() || behind.is_some() || !self.begins(text, call).await)
        {
            let is_followed = behind.is_some() || behind::is_beside(action, &self.stage.render(call).await);
            let marks = is_followed.then_some(ReadingMark::FollowedByText).into_iter().collect();
            self.normalised(Tier::Normalised, marks).await;
        }
        read.map_err(|rejection| match missing {
            Some(missing) if matches!(rejection.kind, RejectionKind::Unreadable | RejectionKind::UnknownTool) => {
                Rejection::new(RejectionKind::Unreadable, missing)
            }
            Some(missing) => Rejection::new(rejection.kind, format!("{}; and {missing}", rejection.message)),
            None => rejection,
        })
    }

    /// Whether a text begins with a call: with the name of its tool, or as its environment writes it. The first words are compared, as far as the
    /// shorter of them goes: what parts the words of a name is nobody's concern.
    async fn begins(&self, text: &str, call: &ToolCall) -> bool {
        let word = |text: &str| {
            let plain = text.trim_start_matches(|letter: char| !letter.is_alphanumeric());
            plain.split(|letter: char| !letter.is_alphanumeric()).next().unwrap_or_default().to_lowercase()
        };
        let (first, name) = (word(text), word(&call.tool));
        let alike = |other: &str| other.starts_with(&first) || first.starts_with(other);
        alike(&name) || alike(&word(&self.stage.render(call).await))
    }

    /// Notes a reply that was not written to the letter and read all the same; whether it is such a one.
    pub(super) async fn normalised(&self, tier: Tier, marks: Vec<ReadingMark>) -> bool {
        if tier != Tier::Normalised {
            return false;
        }
        let (agent, protocol) = (self.session.agent.role().to_owned(), self.session.settings().protocol.name());
        self.record(&Normalised { agent, protocol: protocol.to_owned(), marks }).await;
        true
    }

    /// What is asked for, with the name of a tool as it is offered: written with blanks, behind its input, or as an answer.
    pub(super) fn meant(&self, content: ReplyContent) -> ReplyContent {
        let is_tool = |name: &str| self.session.prepared.tools.iter().any(|tool| tool.answers_to(name).is_some());
        let used = match content {
            ReplyContent::Answer(text) => {
                let word = text.split([':', '(', ' ', '\n']).next().unwrap_or_default();
                return match react_text::call(&text).filter(|_| is_tool(word)) {
                    Some(used) => ReplyContent::Use(used),
                    None => ReplyContent::Answer(text),
                };
            }
            ReplyContent::Use(used) if !is_tool(&used.name) => used,
            other => return other,
        };
        let joined = used.name.split_whitespace().collect::<Vec<_>>().join("_");
        if is_tool(&joined) {
            return ReplyContent::Use(ToolUse { name: joined, ..used });
        }
        let Input::Text(text) = &used.input else { return ReplyContent::Use(used) };
        if let Some((first, rest)) = used.name.split_once(char::is_whitespace)
            && is_tool(first)
        {
            let input = if text.is_empty() { rest.to_owned() } else { format!("{rest}: {text}") };
            return ReplyContent::Use(ToolUse { name: first.to_owned(), input: Input::Text(input) });
        }
        if is_tool(text.trim()) && !used.name.is_empty() {
            return ReplyContent::Use(ToolUse { name: text.trim().to_owned(), input: Input::Text(used.name) });
        }
        ReplyContent::Use(used)
    }

    /// The call of the environment that is meant; `None` if it is a tool of the agent's own, or unknown.
    pub(super) async fn action(&self, used: &ToolUse) -> Option<ToolCall> {
        let own = |name: &str| self.session.prepared.tools.iter().any(|tool| tool.answers_to(name).is_some());
        if self.session.advises() || own(&used.name) {
            return None;
        }
        let tools = self.stage.tools();
        let spec = tools
            .iter()
            .find(|spec| spec.name == used.name)
            .or_else(|| tools.iter().find(|spec| spec.name.eq_ignore_ascii_case(&used.name)));
        let Some(spec) = spec else { return self.by_text(used).await };
        let known = |name: &str| spec.parameters.get("properties").is_some_and(|all| all.get(name).is_some());
        let arguments = match &used.input {
            Input::Arguments(given) | Input::Beside(given) => {
                let own: Map<_, _> = given
                    .iter()
                    .filter(|(name, _)| known(name))
                    .map(|(name, value)| (name.clone(), value.clone()))
                    .collect();
                let is_whole = spec.required().all(|name| own.contains_key(name));
                // Where something is missing, the environment may know it by another name.
                if !is_whole
                    && let Some(call) = self.as_text(&spec.name, given).await.filter(|call| call.tool == spec.name)
                {
                    return Some(call);
                }
                if is_whole && matches!(used.input, Input::Beside(_)) { own } else { given.clone() }
            }
            Input::Text(text) if text.trim().is_empty() => Map::new(),
            Input::Text(text) => {
                // As the environment reads it; else as the one argument that the tool needs.
                let read = self.stage.parse(&format!("{} {}", spec.name, text.trim())).await;
                if let Some(call) = read.ok().filter(|call| call.tool == spec.name) {
                    return Some(call);
                }
                let name = spec.required().next().unwrap_or("input").to_owned();
                Map::from_iter([(name, text.trim().into())])
            }
        };
        Some(ToolCall { tool: spec.name.clone(), arguments: arguments.into_iter().collect() })
    }

    /// The call that a name and arguments make as the text of an action.
    async fn as_text(&self, name: &str, arguments: &Map<String, serde_json::Value>) -> Option<ToolCall> {
        let listed = arguments.iter().map(|(name, value)| format!("{name}={value}")).collect::<Vec<_>>().join(", ");
        self.stage.parse(format!("{name} {listed}").trim()).await.ok()
    }

    /// The call of a tool under a name that the environment knows and its specifications do not hold, such as a part of the
    /// tool's name; any other only where it is possible now, or nothing is known of what is.
    async fn by_text(&self, used: &ToolUse) -> Option<ToolCall> {
        let call = match &used.input {
            Input::Text(text) => self.stage.parse(format!("{} {}", used.name, text.trim()).trim()).await.ok()?,
            Input::Arguments(arguments) | Input::Beside(arguments) => self.as_text(&used.name, arguments).await?,
        };
        if call.tool.to_lowercase().contains(&used.name.to_lowercase()) {
            return Some(call);
        }
        let legal = self.stage.legal(usize::MAX).await;
        (legal.contains(&call) || legal.iter().all(|known| known.tool != call.tool)).then_some(call)
    }

    /// What the agent says of its subtask where it gives control back; `None` if the tool is another one.
    pub(super) fn finish(&self, used: &ToolUse) -> Option<String> {
        let offered = self.session.prepared.tools.iter().find(|tool| tool.answers_to(&used.name).is_some())?;
        (offered.generic == FINISH).then(|| match &used.input {
            Input::Text(text) => text.trim().to_owned(),
            Input::Arguments(arguments) | Input::Beside(arguments) => {
                arguments.values().next().map(crate::protocol::plain).unwrap_or_default()
            }
        })
    }

    /// Uses a tool; whatever goes wrong becomes the observation (BOG-044).
    pub(super) async fn observe(&mut self, used: &ToolUse, reasoning: &str) -> Result<String, EpisodeStopped> {
        let session = self.session;
        let offered = session.prepared.tools.iter().find_map(|tool| Some((tool, tool.answers_to(&used.name)?)));
        let texts = &session.agent.persona.texts.engine;
        let Some((tool, alias)) = offered else {
            let tool = bounded(&used.name).to_owned();
            self.record(&ToolFailed { tool, message: "unknown".to_owned() }).await;
            let unknown = if session.prepared.tools.is_empty() && session.prepared.native.is_empty() {
                &texts.no_tools
            } else {
                &texts.unknown_tool
            };
            return self.observation(unknown, &used.name, "");
        };
        if alias {
            self.record(&ToolAlias { written: used.name.clone(), tool: tool.name.clone() }).await;
        }
        if self.answer_due {
            self.record(&AnswerDue { tool: tool.name.clone() }).await;
            return self.observation(&texts.answer_now, &tool.name, "");
        }
        if !reasoning.is_empty() {
            self.record(&ToolReasoning { tool: tool.name.clone(), reasoning: reasoning.to_owned() }).await;
        }
        if let Some(script) = &mut self.script {
            script.used();
        }
        match self.carry_out(tool, &used.input).await {
            Ok(Observed { text, advised }) => {
                self.answer_due = tool.critical;
                if let Some(script) = &mut self.script {
                    script.heard(advised);
                }
                Ok(text)
            }
            Err(ToolError::EpisodeStopped(halt)) => Err(halt),
            Err(ToolError::Said(message)) => {
                self.record(&ToolFailed { tool: tool.name.clone(), message: bounded(&message).to_owned() }).await;
                self.observation(&texts.failed, &tool.name, &message)
            }
        }
    }

    async fn carry_out(&mut self, tool: &Offered, input: &Input) -> Result<Observed, ToolError> {
        match &tool.carrier {
            Carrier::Query(spec) => {
                let arguments = arguments(spec, input).map_err(ToolError::Said)?;
                let call = ToolCall { tool: spec.name.clone(), arguments };
                let found = self.stage.query(self.lane, &call).await;
                found
                    .map(|text| Observed { text, advised: None })
                    .map_err(|rejection| ToolError::Said(rejection.message))
            }
            Carrier::Deliberation(kind) => Ok(Observed { text: self.deliberate(*kind, input).await?, advised: None }),
            Carrier::Delegate(_) => {
                let arguments = arguments(&tool.spec, input).map_err(ToolError::Said)?;
                let arguments: Map<_, _> = arguments.into_iter().collect();
                self.peers.ask(self.stage, self.lane, &tool.generic, &arguments).await
            }
        }
    }

    /// The agent turns to itself: the reply asks it to think on (BOG-110..112).
    async fn deliberate(&mut self, kind: Deliberation, input: &Input) -> Result<String, EpisodeStopped> {
        let (persona, settings) = (&self.session.agent.persona, self.session.settings());
        let (reply, over_budget) = kind.reply(persona, settings, self.questions);
        if kind == Deliberation::Question {
            self.questions += 1;
        }
        let role = self.session.agent.role();
        self.record(&Deliberated { agent: role.to_owned(), tool: kind.name().to_owned(), over_budget }).await;
        // What must be asked before the answer: a reply that sends the agent on names it.
        let asks = self.session.prepared.tools.iter().find(|tool| tool.critical).map(|tool| tool.name.as_str());
        let text =
            self.fill(reply, &[("text", kind.input(input).into()), ("asks", asks.unwrap_or_default().into())])?;
        self.echo(&text);
        Ok(text)
    }

    fn observation(&self, sourced: &Sourced, tool: &str, message: &str) -> Result<String, EpisodeStopped> {
        let prepared = &self.session.prepared;
        let names: Vec<&str> = if prepared.native.is_empty() {
            prepared.tools.iter().map(|tool| tool.name.as_str()).collect()
        } else {
            prepared.native.iter().map(|spec| spec.name.as_str()).collect()
        };
        self.fill(sourced, &[("tool", tool.into()), ("tools", names.join(", ").into()), ("message", message.into())])
    }
}

fn bounded(text: &str) -> &str {
    text.char_indices().nth(NOTED).map_or(text, |(end, _)| &text[..end])
}
