//! Legal actions, up to a cap, and what is made of them.

use std::borrow::Cow;
use std::collections::BTreeMap;
use std::sync::{Arc, Mutex, PoisonError};

use gimbal_core::{Brief, Grammar, Halt, Message, Speaker, Stage, ToolCall};

use super::{AgentSession, input_forms};
use crate::Protocol;
use crate::engine::halt;
use crate::prompt::{self, PromptContext};
use crate::protocol::grammar::{OpenTool, Shape, shape};
use crate::variables::Variables;

/// Most grammars that a menu keeps.
const KEPT: usize = 64;

/// The legal actions of a step.
#[derive(Clone, Debug)]
pub(in crate::engine) struct Legal {
    pub(in crate::engine) calls: Arc<[ToolCall]>,
    /// The same as the environment writes them.
    pub(in crate::engine) texts: Arc<[String]>,
    /// Whether there are more than were asked for.
    pub(in crate::engine) narrowed: bool,
}

/// What is made of a list of legal actions: used again while it stays the same, and shared by the episodes that agree
/// in it.
pub(in crate::engine) struct Menu {
    /// As the stage gave them: one more than the cap where there are more.
    listed: Arc<[ToolCall]>,
    pub(in crate::engine) legal: Legal,
    pub(in crate::engine) system: Arc<Message>,
    pub(in crate::engine) variables: Variables,
    /// Grammars, by what they were made for.
    shaped: Mutex<BTreeMap<MaskKey, Arc<[Reply; 2]>>>,
}

/// What the grammars of a menu depend on.
#[derive(Clone, Debug, PartialEq, Eq, PartialOrd, Ord)]
struct MaskKey {
    /// The role's bound of the output, in tokens.
    budget: u32,
    /// Subjects that no action of the grammar may name.
    hidden: Vec<String>,
}

/// What a reply must be under constrained decoding.
#[derive(Debug)]
pub(in crate::engine) struct Reply {
    pub(in crate::engine) grammar: Arc<Grammar>,
    /// The bound to ask for; none where the role's own does.
    pub(in crate::engine) max_output_tokens: Option<u32>,
}

impl Menu {
    /// The menu of the first `cap` legal calls, in the environment's order. `narrowed` says that there are more.
    pub(in crate::engine) async fn new(
        session: &AgentSession<'_>,
        stage: &dyn Stage,
        listed: Arc<[ToolCall]>,
        narrowed: bool,
    ) -> Result<Self, Halt> {
        let cap = session.settings().legal_cap as usize;
        let brief = session.brief();
        let explained = |call: &ToolCall| prompt::explains(brief, &call.tool);
        let calls: Arc<[ToolCall]> = match listed.iter().all(explained) {
            true if listed.len() <= cap => Arc::clone(&listed),
            true => listed[..cap].into(),
            false => listed.iter().filter(|call| explained(call)).take(cap).cloned().collect(),
        };
        let mut texts = Vec::with_capacity(calls.len());
        for call in calls.iter() {
            texts.push(stage.render(call).await);
        }
        let texts: Arc<[String]> = texts.into();
        let prepared = &session.prepared;
        let (system, variables) = match &prepared.system {
            Some(system) => (Arc::clone(system), prepared.variables.clone()),
            None => {
                let environment = PromptContext {
                    brief: &prepared.told,
                    idle: &prepared.idle,
                    tools: &prepared.tools,
                    actions: &texts,
                };
                let text =
                    prompt::system(&session.agent.persona, session.settings(), environment).map_err(halt)?.text();
                (Arc::new(Message::new(Speaker::System, text)), environment.variables())
            }
        };
        let legal = Legal { calls, texts, narrowed };
        Ok(Self { listed, legal, system, variables, shaped: Mutex::default() })
    }

    pub(in crate::engine) fn is_of(&self, listed: &Arc<[ToolCall]>) -> bool {
        Arc::ptr_eq(&self.listed, listed) || self.listed == *listed
    }

    /// The grammars for a reply of at most `budget` tokens: any reply, and one that must be the answer. No action in them is
    /// about a `hidden` subject, unless no action would be left, and no input or message names one.
    pub(in crate::engine) fn shaped(
        &self,
        session: &AgentSession<'_>,
        budget: u32,
        hidden: Vec<String>,
    ) -> Arc<[Reply; 2]> {
        let mut known = self.shaped.lock().unwrap_or_else(PoisonError::into_inner);
        let key = MaskKey { budget, hidden };
        if let Some(shaped) = known.get(&key) {
            return Arc::clone(shaped);
        }
        let (settings, prepared) = (session.settings(), &session.prepared);
        let (calls, texts) = self.without(session, &key.hidden);
        let (calls, texts, thought) = (&*calls, &*texts, settings.thought_characters);
        let shown = shown_of(&prepared.brief, &key.hidden);
        let forms = match key.hidden.is_empty() {
            true => prepared.forms.clone(),
            false => input_forms(&prepared.tools, &prepared.brief, &shown),
        };
        // A message must name some subject.
        let about = if shown.subjects.is_empty() { &*prepared.brief } else { &*shown };
        let message = session.agent.partners.message.map(|message| message.form(about, texts));
        let open: Vec<OpenTool> = match prepared.brief.free_arguments {
            true => prepared
                .env_tools
                .iter()
                .filter(|spec| session.allows(&spec.name))
                .map(|spec| {
                    let usage = prepared.brief.entry_of(&spec.name).map(|entry| entry.usage.clone());
                    let usage = usage.filter(|_| settings.protocol != Protocol::NativeTools);
                    OpenTool { spec: spec.clone(), usage }
                })
                .collect(),
            false => Vec::new(),
        };
        let shaped = Arc::new([&forms[..], &[]].map(|tools| {
            let message = message.as_ref();
            let shaped = shape(
                settings.protocol,
                Shape { calls, texts, specs: &prepared.env_tools, open: &open, message, tools, thought, budget },
            );
            Reply { grammar: Arc::new(shaped.grammar), max_output_tokens: shaped.max_output_tokens }
        }));
        if known.len() >= KEPT {
            known.clear();
        }
        known.insert(key, Arc::clone(&shaped));
        shaped
    }

    /// The legal actions that are about no hidden subject; all where none would be left.
    fn without(&self, session: &AgentSession<'_>, hidden: &[String]) -> (Arc<[ToolCall]>, Arc<[String]>) {
        let all = || (Arc::clone(&self.legal.calls), Arc::clone(&self.legal.texts));
        if hidden.is_empty() {
            return all();
        }
        let brief = session.brief();
        let is_shown =
            |call: &ToolCall| brief.subject_of(call).is_none_or(|subject| !hidden.iter().any(|name| name == subject));
        let pairs = self.legal.calls.iter().zip(self.legal.texts.iter()).filter(|(call, _)| is_shown(call));
        let (calls, texts): (Vec<ToolCall>, Vec<String>) =
            pairs.map(|(call, text)| (call.clone(), text.clone())).unzip();
        if calls.is_empty() { all() } else { (calls.into(), texts.into()) }
    }
}

/// The brief with the subjects that are not hidden.
fn shown_of<'a>(brief: &'a Brief, hidden: &[String]) -> Cow<'a, Brief> {
    if hidden.is_empty() {
        return Cow::Borrowed(brief);
    }
    let mut shown = brief.clone();
    shown.subjects.retain(|subject| !hidden.contains(subject));
    Cow::Owned(shown)
}

/// The subjects that no message names, but for messages of the agent itself and texts that repeat them (`echoes`).
pub(in crate::engine) fn hidden_from(brief: &Brief, messages: &[Arc<Message>], echoes: &[String]) -> Vec<String> {
    let told: Vec<String> = messages
        .iter()
        .filter(|message| message.speaker != Speaker::Assistant)
        .map(|message| echoes.iter().fold(message.text.to_string(), |text, echo| text.replace(echo.as_str(), " ")))
        .collect();
    let is_shown = |subject: &str| told.iter().any(|text| names(text, subject));
    brief.subjects.iter().filter(|subject| !is_shown(subject)).cloned().collect()
}

/// Whether a text names a subject, as a word of its own.
fn names(text: &str, subject: &str) -> bool {
    let is_edge = |letter: Option<char>| letter.is_none_or(|letter| !letter.is_alphanumeric() && letter != '_');
    text.match_indices(subject)
        .any(|(at, _)| is_edge(text[..at].chars().next_back()) && is_edge(text[at + subject.len()..].chars().next()))
}

#[cfg(test)]
mod tests {
    use super::names;

    #[test]
    fn a_subject_is_named_as_a_word_of_its_own() {
        for (text, named) in [
            ("Host User1 has changed", true),
            ("hostname=User1", true),
            ("'User1': {}", true),
            ("User10 and XUser1", false),
            ("User1_old", false),
            ("", false),
        ] {
            assert_eq!(names(text, "User1"), named, "{text}");
        }
    }
}
