//! Legal actions, up to a cap, and what is made of them.

use std::borrow::Cow;
use std::collections::{BTreeMap, BTreeSet};
use std::sync::{Arc, Mutex, PoisonError};

use gimbal_core::{Brief, EpisodeStopped, Grammar, Message, Speaker, Stage, ToolCall, ToolSpec};
use gimbal_messages::Form;

use super::{AgentSession, input_forms};
use crate::Protocol;
use crate::engine::halt;
use crate::prompt::{self, PromptContext};
use crate::protocol::action;
use crate::protocol::grammar::{OpenTool, Shape, shape};
use crate::protocol::numbers::{Numbers, distinct_but_for_numbers};
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
    /// All that the agent may use, in the environment's order.
    listed: Arc<[ToolCall]>,
    /// Whether the agent can do nothing now, although the environment lists what others can do.
    none_legal: bool,
    pub(in crate::engine) legal: Legal,
    pub(in crate::engine) system: Arc<Message>,
    pub(in crate::engine) variables: Variables,
    /// Grammars, by what they were made for.
    shaped: Mutex<BTreeMap<MaskKey, Arc<[Reply; 2]>>>,
}

/// What [`AgentSession::action_form`] made of a list of calls: used again while the list stays the same.
pub(super) struct ActionForm {
    calls: Vec<ToolCall>,
    texts: Vec<String>,
    form: Form,
}

/// What the grammars of a menu depend on.
#[derive(Clone, Debug, PartialEq, Eq, PartialOrd, Ord)]
struct MaskKey {
    /// The role's bound of the output, in tokens.
    budget: u32,
    /// Subjects that the request does not name.
    hidden: Vec<String>,
    /// Whether actions about them are left out, or only come last where there are more actions than the cap.
    left_out: bool,
}

/// What a reply must be under constrained decoding.
#[derive(Debug)]
pub(in crate::engine) struct Reply {
    pub(in crate::engine) grammar: Arc<Grammar>,
    /// The bound to ask for; `None` if the role's own does.
    pub(in crate::engine) max_output_tokens: Option<u32>,
}

impl Menu {
    /// The menu of the legal calls `listed`: of those that the brief explains the first `cap`, and all of them for grammars. Where there are
    /// more, calls that differ in nothing but a number that may be any count as one: a grammar takes every number of it.
    /// `narrowed` says that there are more than these.
    pub(in crate::engine) async fn new(
        session: &AgentSession<'_>,
        stage: &dyn Stage,
        listed: Arc<[ToolCall]>,
        (narrowed, none_legal): (bool, bool),
    ) -> Result<Self, EpisodeStopped> {
        let cap = session.settings().legal_cap as usize;
        let explained = |call: &ToolCall| session.explains(call);
        let all_explained = listed.iter().filter(|call| explained(call)).count();
        let (calls, of): (Arc<[ToolCall]>, usize) = if all_explained > cap {
            let explained = listed.iter().filter(|call| explained(call));
            let distinct = distinct_but_for_numbers(explained, session.numbers());
            (distinct.iter().take(cap).map(|call| (*call).clone()).collect(), distinct.len())
        } else if all_explained == listed.len() {
            (Arc::clone(&listed), all_explained)
        } else {
            (listed.iter().filter(|call| explained(call)).cloned().collect(), all_explained)
        };
        let narrowed = narrowed || calls.len() < of;
        // What no prompt explains cannot be meant: who has nothing else can do nothing.
        let none_legal = none_legal || (calls.is_empty() && !listed.is_empty());
        let texts = rendered(stage, &calls).await;
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
        Ok(Self { listed, none_legal, legal, system, variables, shaped: Mutex::default() })
    }

    pub(in crate::engine) fn is_of(&self, listed: &Arc<[ToolCall]>) -> bool {
        Arc::ptr_eq(&self.listed, listed) || self.listed == *listed
    }

    /// The grammars for a reply of at most `budget` tokens: any reply, and one that must be the answer. Where they are
    /// `left_out`, no action in them is about a `hidden` subject, unless no action would be left, and no input or message names
    /// one; else such actions are the first to go where there are more than the cap.
    pub(in crate::engine) async fn shaped(
        &self,
        (session, stage): (&AgentSession<'_>, &dyn Stage),
        budget: u32,
        (hidden, left_out): (Vec<String>, bool),
    ) -> Arc<[Reply; 2]> {
        // Nothing has to go where all actions are in the menu.
        let hidden = if left_out || self.legal.narrowed { hidden } else { Vec::new() };
        let key = MaskKey { budget, hidden, left_out };
        if let Some(shaped) = self.shaped.lock().unwrap_or_else(PoisonError::into_inner).get(&key) {
            return Arc::clone(shaped);
        }
        let (settings, prepared) = (session.settings(), &session.prepared);
        let (calls, texts) = self.for_mask((session, stage), &key).await;
        let (calls, texts, thought) = (&*calls, &*texts, settings.thought_characters);
        let unnamed = if left_out { &key.hidden[..] } else { &[] };
        let shown = shown_of(&prepared.brief, unnamed);
        let forms = match unnamed.is_empty() {
            true => prepared.forms.clone(),
            false => input_forms(&prepared.tools, &prepared.brief, &shown),
        };
        // A message must name some subject.
        let about = if shown.subjects.is_empty() { &*prepared.brief } else { &*shown };
        let message = session.message_form(about, calls, texts);
        let open = session.open_tools(settings.protocol != Protocol::NativeTools);
        // Who can do nothing gives control back, even where an answer is due.
        let ends: Vec<(String, Form)> = match self.none_legal {
            true => forms.iter().filter(|(name, _)| session.ends_by(name)).cloned().collect(),
            false => Vec::new(),
        };
        let shaped = Arc::new([&forms[..], &ends[..]].map(|tools| {
            let message = message.as_ref();
            let shaped = shape(
                settings.protocol,
                Shape {
                    calls,
                    texts,
                    none_legal: self.none_legal,
                    numbers: session.numbers(),
                    open: &open,
                    message,
                    tools,
                    thought,
                    budget,
                },
            );
            Reply { grammar: Arc::new(shaped.grammar), max_output_tokens: shaped.max_output_tokens }
        }));
        let mut known = self.shaped.lock().unwrap_or_else(PoisonError::into_inner);
        if known.len() >= KEPT {
            known.clear();
        }
        known.insert(key, Arc::clone(&shaped));
        shaped
    }

    /// The legal actions of a grammar and their texts. Subjects are hidden before the cap is applied: on a large network the
    /// subject at hand may be behind it.
    async fn for_mask(
        &self,
        (session, stage): (&AgentSession<'_>, &dyn Stage),
        key: &MaskKey,
    ) -> (Arc<[ToolCall]>, Arc<[String]>) {
        let all = (Arc::clone(&self.legal.calls), Arc::clone(&self.legal.texts));
        if key.hidden.is_empty() {
            return all;
        }
        let (brief, cap) = (session.brief(), session.settings().legal_cap as usize);
        let hidden: BTreeSet<&str> = key.hidden.iter().map(String::as_str).collect();
        let explained = self.listed.iter().filter(|call| session.explains(call));
        let (shown, others): (Vec<&ToolCall>, Vec<&ToolCall>) =
            explained.partition(|call| brief.subject_of(call).is_none_or(|subject| !hidden.contains(subject)));
        if shown.is_empty() {
            return all;
        }
        let others = if key.left_out { Vec::new() } else { others };
        let all = shown.into_iter().chain(others);
        let distinct = distinct_but_for_numbers(all, session.numbers());
        let calls: Arc<[ToolCall]> = distinct.into_iter().take(cap).cloned().collect();
        let texts = rendered(stage, &calls).await;
        (calls, texts)
    }
}

impl AgentSession<'_> {
    /// The tools whose arguments hold free text, with their usages where the prompt shows those and no schema.
    fn open_tools(&self, usages: bool) -> Vec<OpenTool> {
        let prepared = &self.prepared;
        if !prepared.brief.free_arguments {
            return Vec::new();
        }
        let usage = |spec: &ToolSpec| prepared.brief.entry_of(&spec.name).map(|entry| entry.usage.clone());
        self.open_specs().map(|spec| OpenTool { spec: spec.clone(), usage: usage(spec).filter(|_| usages) }).collect()
    }

    /// Which numbers of calls may be any.
    pub(super) fn numbers(&self) -> Numbers<'_> {
        Numbers { specs: &self.prepared.env_tools, manifest: &self.prepared.brief.manifest }
    }

    /// The tools that the agent may call, as their arguments are where these hold free text.
    pub(in crate::engine) fn open_specs(&self) -> impl Iterator<Item = &ToolSpec> {
        self.prepared.env_tools.iter().filter(|spec| self.allows(&spec.name))
    }

    /// The form of the agent's message, where its answer is one, with these legal calls; `texts` are the same as the environment writes them.
    pub(in crate::engine) fn message_form(&self, about: &Brief, calls: &[ToolCall], texts: &[String]) -> Option<Form> {
        let message = self.agent.message()?;
        let action = || action::form(calls, texts, self.numbers(), &self.open_tools(true));
        let action = (!texts.is_empty()).then(action);
        Some(message.form(about, action.as_ref()))
    }

    /// The form of an action as a text within a message: what the agent could write under a mask if it acted itself, with these calls in the place of
    /// all that are legal; `texts` are the same as the environment writes them. What no entry of the glossary explains is left out, and where the agent
    /// sees its request alone (`shown`, the texts of it), what is about subjects that are not named there.
    #[must_use]
    pub fn action_form(&self, calls: &[ToolCall], texts: &[String], shown: Option<&[&str]>) -> Form {
        let brief = self.brief();
        let hidden: BTreeSet<&str> = match shown {
            Some(shown) => {
                let system = self.prepared.system.as_ref().map(|system| system.text.to_string());
                let told = |subject: &str| {
                    shown.iter().any(|text| names(text, subject))
                        || system.as_ref().is_some_and(|text| names(text, subject))
                };
                brief.subjects.iter().map(String::as_str).filter(|subject| !told(subject)).collect()
            }
            None => BTreeSet::new(),
        };
        let kept = |call: &ToolCall| {
            self.explains(call) && brief.subject_of(call).is_none_or(|subject| !hidden.contains(subject))
        };
        let pairs = calls.iter().zip(texts).filter(|(call, _)| kept(call));
        let (own, written): (Vec<ToolCall>, Vec<String>) =
            pairs.map(|(call, text)| (call.clone(), text.clone())).unzip();
        let (calls, texts) = if own.is_empty() { (calls, texts) } else { (&own[..], &written[..]) };
        let latest = || self.prepared.action_form.lock().unwrap_or_else(PoisonError::into_inner);
        if let Some(known) = &*latest()
            && known.calls == calls
            && known.texts == texts
        {
            return known.form.clone();
        }
        let form = action::form(calls, texts, self.numbers(), &self.open_tools(true));
        *latest() = Some(ActionForm { calls: calls.to_vec(), texts: texts.to_vec(), form: form.clone() });
        form
    }
}

/// Calls as the environment writes them.
async fn rendered(stage: &dyn Stage, calls: &[ToolCall]) -> Arc<[String]> {
    let mut texts = Vec::with_capacity(calls.len());
    for call in calls {
        texts.push(stage.render(call).await);
    }
    texts.into()
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
