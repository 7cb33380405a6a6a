//! What advisers and planner send one another in one step, and what was decided (BOG-116: nothing is kept).

use std::sync::{Mutex, MutexGuard, PoisonError};

use async_trait::async_trait;
use gimbal_agent::prompt::Question;
use gimbal_agent::{Advice, Agent, Observed, Peers, ToolError, idle_is_offered};
use gimbal_core::{EpisodeStopped, LaneId, Stage, ToolCall, nearest};
use gimbal_messages::records::hierarchy::{Arbitrated, Dropped, Mismatch, OffMenu};
use gimbal_messages::records::reading::Parsed;
use gimbal_messages::{ANY, Content, StageExt, Tier, spaced};
use serde_json::{Map, Value, json};

use super::Hierarchy;
use super::arbiter::Candidate;
use super::messages::{Finding, Findings, Menu, Situation, Suggestion, unread_answer};

/// Follows a reply that holds something unread.
const UNREAD: &str = "\nThe member \"unread\" holds what is missing, and what could not be read or is not a possible action. In its \
                      place stands \"unknown\", which is not a finding.";

/// The advisers of the planner in one step, and what they have said.
pub(super) struct AdviserPanel<'a> {
    hierarchy: &'a Hierarchy,
    /// The call that does nothing, as the environment writes it.
    idle: String,
    /// Whether prompts offer it as an action.
    offers_idle: bool,
    state: Mutex<PanelState>,
}

/// What the advisers have said in this step.
#[derive(Default)]
struct PanelState {
    findings: Vec<Finding>,
    /// What was suggested, if anything was: the actions as calls.
    suggested: Option<Vec<ToolCall>>,
    /// The chooser was asked, and gave no action.
    is_left_alone: bool,
}

impl<'a> AdviserPanel<'a> {
    pub(super) async fn of(hierarchy: &'a Hierarchy, stage: &dyn Stage) -> Result<Self, EpisodeStopped> {
        let brief = stage.brief();
        let (idle, offers_idle) = (stage.render(&brief.idle).await, idle_is_offered(&brief));
        Ok(Self { hierarchy, idle, offers_idle, state: Mutex::default() })
    }

    fn state(&self) -> MutexGuard<'_, PanelState> {
        self.state.lock().unwrap_or_else(PoisonError::into_inner)
    }

    /// Asks an adviser; `None` if its model gave nothing.
    async fn advice(
        &self,
        stage: &dyn Stage,
        lane: LaneId,
        adviser: &Agent,
        question: Question<'_>,
    ) -> Result<Option<String>, EpisodeStopped> {
        let context = &self.hierarchy.adviser_context;
        let blocks = if context.is_empty() { Vec::new() } else { stage.context(lane, context).await? };
        let session = adviser.session(stage).await?;
        Ok(match session.advise(stage, lane, &blocks, question, &gimbal_agent::Alone).await? {
            Advice::Text(text) => Some(text),
            Advice::None(_) => None,
        })
    }

    async fn analyse(
        &self,
        stage: &dyn Stage,
        lane: LaneId,
        arguments: &Map<String, Value>,
    ) -> Result<Value, ToolError> {
        let (brief, planner, analyst) = (stage.brief(), self.hierarchy.planner.role(), &self.hierarchy.analyst);
        let written = arguments.values().find_map(Value::as_str).unwrap_or_default().trim();
        let Some(subject) = brief.subjects.iter().find(|name| name.eq_ignore_ascii_case(written)) else {
            let one = &brief.subject;
            let named = brief.subjects.iter().filter(|name| holds(written, name)).count();
            if named > 1 {
                return Err(ToolError::Said(format!("`{written}` names {named}; give one {one} per tool call")));
            }
            let hint = nearest::hint(written, brief.subjects.iter().map(String::as_str));
            return Err(ToolError::Said(format!("there is no {one} `{written}`{hint}")));
        };
        let request = json!({ "subject": subject });
        let request = stage.send(lane, planner, analyst.role(), "analysis_request", request).await.ok_or_else(lost)?;
        // A fault may have altered the request: the analyst works with what arrived.
        let target = request.get("subject").and_then(Value::as_str).filter(|name| brief.knows(name));
        let target =
            target.ok_or_else(|| ToolError::Said("the specialist did not understand the request".to_owned()))?;
        let message = spaced(&request);
        let question = Question { target, message: &message };
        let text = self.advice(stage, lane, analyst, question).await?;
        let session = analyst.session(stage).await?;
        let (read, tier) = session.read::<Findings>(stage, lane, text.as_deref(), question).await?;
        stage.record(lane, &parsed("analysis", tier, read.unread())).await;
        let Findings(mut findings) = read;
        if tier == Tier::Default {
            for finding in &mut findings {
                finding.unread.extend(text.as_deref().and_then(unread_answer));
            }
        }
        for finding in findings.iter_mut().filter(|finding| finding.subject != target) {
            finding.asked = Some(target.to_owned());
            stage.record(lane, &Mismatch { asked: target.to_owned(), got: finding.subject.clone() }).await;
        }
        let message = Finding::message(&findings, &brief);
        let message = stage.send(lane, analyst.role(), planner, "analysis", message).await.ok_or_else(lost)?;
        // What arrived, not what was sent, is what the mediator may go by.
        self.state()
            .findings
            .extend(Finding::read(&message.to_string(), &brief).map(|read| read.0).unwrap_or_default());
        Ok(message)
    }

    async fn suggest(
        &self,
        stage: &dyn Stage,
        lane: LaneId,
        arguments: &Map<String, Value>,
    ) -> Result<Menu, ToolError> {
        let (brief, planner, chooser) = (stage.brief(), self.hierarchy.planner.role(), &self.hierarchy.chooser);
        let situation = Situation::read(arguments, &brief).map_err(|error| ToolError::Said(error.to_string()))?;
        let message = situation.message(&brief);
        let message = stage.send(lane, planner, chooser.role(), "situation", message).await.ok_or_else(lost)?;
        let arrived = message.as_object().map(|message| Situation::read(message, &brief));
        let Some(Ok(situation)) = arrived else {
            return Err(ToolError::Said("the specialist did not understand the situation".to_owned()));
        };
        let text = spaced(&message);
        let question = Question { target: &situation.target, message: &text };
        let written = self.advice(stage, lane, chooser, question).await?;
        let (menu, tier) = self.read(stage, lane, written, question).await?;
        stage.record(lane, &parsed("suggestions", tier, menu.guessed())).await;
        let has_none = menu.found.is_empty();
        let message = menu.message();
        let message = stage.send(lane, chooser.role(), planner, "suggestions", message).await.ok_or_else(lost)?;
        let arrived = Menu::read(&message.to_string()).map(|(menu, _)| menu);
        let arrived = arrived.filter(|menu| has_none || !menu.found.is_empty());
        let Some(mut menu) = arrived else {
            return Err(ToolError::Said("the specialist's answer could not be read".to_owned()));
        };
        menu.found = self.arbitrate(stage, lane, menu.found, &situation).await;
        let mut calls = Vec::with_capacity(menu.found.len());
        for suggestion in &menu.found {
            calls.extend(stage.parse(&suggestion.action).await.ok());
        }
        let mut state = self.state();
        if has_none && calls.is_empty() {
            state.is_left_alone = true;
        } else {
            state.suggested.get_or_insert_default().extend(calls);
        }
        drop(state);
        Ok(menu)
    }

    /// The suggestions in what the chooser wrote: as they stand; after one repair where none can be read, or a confidence of
    /// one; else the default (BOG-070).
    async fn read(
        &self,
        stage: &dyn Stage,
        lane: LaneId,
        written: Option<String>,
        question: Question<'_>,
    ) -> Result<(Menu, Tier), EpisodeStopped> {
        let target = question.target;
        let mut nothing = Menu::default_of(self.offers_idle.then_some(self.idle.as_str()));
        let Some(written) = written else { return Ok((nothing, Tier::Default)) };
        let (mut read, mut quoted) = (None, false);
        if let Some((menu, tier)) = Menu::read(&written) {
            let before = menu.found.len();
            let menu = self.legal(stage, lane, menu, target).await;
            let tier = if menu.found.len() < before { tier.max(Tier::ByRule) } else { tier };
            if menu.found.is_empty() {
                quoted = !menu.unread.is_empty();
                nothing.unread.extend(menu.unread);
            } else if menu.guessed() == 0 {
                return Ok((menu, tier));
            } else {
                read = Some((menu, tier));
            }
        }
        if read.is_none() && !quoted {
            nothing.unread.extend(unread_answer(&written));
        }
        let session = self.hierarchy.chooser.session(stage).await?;
        let again = session.repair(stage, lane, &written, question).await?;
        if let Some((menu, _)) = again.as_deref().and_then(Menu::read)
            && !self.says_nothing(&menu)
        {
            let menu = self.legal(stage, lane, menu, target).await;
            // A second attempt that is read no better is worth no more than the first.
            let better = read.as_ref().is_none_or(|(first, _)| menu.guessed() < first.guessed());
            if !menu.found.is_empty() && better {
                return Ok((menu, Tier::Repaired));
            }
        }
        Ok(read.unwrap_or((nothing, Tier::Default)))
    }

    /// Whether a repaired message is the one that its prompt asks for where a text names no action.
    fn says_nothing(&self, menu: &Menu) -> bool {
        let told = |one: &Suggestion| one.action == self.idle && one.confidence == 100;
        menu.found.len() == 1 && menu.found.iter().all(told)
    }

    /// The suggestions that are actions at all, and what the others were; those about another subject are noted and kept
    /// (BOG-071).
    async fn legal(&self, stage: &dyn Stage, lane: LaneId, menu: Menu, target: &str) -> Menu {
        let brief = stage.brief();
        let mut legal = Menu { found: Vec::with_capacity(menu.found.len()), unread: menu.unread };
        for suggestion in menu.found {
            match stage.parse(&suggestion.action).await {
                Ok(call) => {
                    if let Some(got) = brief.subject_of(&call).filter(|got| *got != target && target != ANY) {
                        stage.record(lane, &Mismatch { asked: target.to_owned(), got: got.to_owned() }).await;
                    }
                    legal.found.push(suggestion);
                }
                Err(rejection) => {
                    let why = rejection.kind.name().to_owned();
                    stage.record(lane, &Dropped { action: suggestion.action.clone(), why }).await;
                    legal.drop_action(&suggestion.action);
                }
            }
        }
        legal
    }

    /// The suggestions as the mediator passes them on (BOG-234).
    async fn arbitrate(
        &self,
        stage: &dyn Stage,
        lane: LaneId,
        suggestions: Vec<Suggestion>,
        situation: &Situation,
    ) -> Vec<Suggestion> {
        let Some(arbiter) = &self.hierarchy.arbiter else { return suggestions };
        let brief = stage.brief();
        let mut options = Vec::with_capacity(suggestions.len());
        for suggestion in suggestions {
            let class = match stage.parse(&suggestion.action).await {
                Ok(call) => brief.entry_of(&call.tool).map(|entry| entry.kind.to_lowercase()).unwrap_or_default(),
                Err(_) => String::new(),
            };
            options.push(Candidate { class, suggestion });
        }
        let finding = self.state().findings.iter().rev().find(|finding| finding.subject == situation.target).cloned();
        let list = |options: &[Candidate]| {
            Suggestion::message(&options.iter().map(|option| option.suggestion.clone()).collect::<Vec<_>>())
        };
        let mut before = list(&options);
        for (rule, after) in arbiter.decide(options.clone(), situation.severity, finding.as_ref()) {
            let message = list(&after);
            let (rule, after_rule) = (rule.name().to_owned(), message.clone());
            stage.record(lane, &Arbitrated { rule, before, after: after_rule }).await;
            (before, options) = (message, after);
        }
        options.into_iter().map(|option| option.suggestion).collect()
    }
}

/// The record of how a message was read. A default is unread as a whole, which its tier says.
fn parsed(contract: &str, tier: Tier, unread: usize) -> Parsed {
    let unread = (unread > 0 && tier != Tier::Default).then_some(unread as u64);
    Parsed { contract: contract.to_owned(), tier, unread, tokens: None }
}

/// A message as the planner sees it.
fn shown(message: &Value) -> String {
    let odd = message.as_array().is_some_and(|items| items.iter().any(|item| item.get("unread").is_some()));
    spaced(message) + if odd { UNREAD } else { "" }
}

/// Whether `name` is in `text` as a word, in any case.
fn holds(text: &str, name: &str) -> bool {
    let is_part = |letter: char| letter.is_alphanumeric() || letter == '_';
    text.split(|letter| !is_part(letter)).any(|word| word.eq_ignore_ascii_case(name))
}

fn lost() -> ToolError {
    ToolError::Said("no answer came".to_owned())
}

#[async_trait]
impl Peers for AdviserPanel<'_> {
    async fn ask(
        &self,
        stage: &dyn Stage,
        lane: LaneId,
        generic: &str,
        arguments: &Map<String, Value>,
    ) -> Result<Observed, ToolError> {
        match generic {
            "analyse_subject" => {
                let message = self.analyse(stage, lane, arguments).await?;
                Ok(Observed { text: shown(&message), advised: None })
            }
            _ => {
                let menu = self.suggest(stage, lane, arguments).await?;
                let advised = menu.found.first().map(|first| first.action.clone());
                Ok(Observed { text: shown(&menu.message()), advised })
            }
        }
    }

    async fn decided(&self, stage: &dyn Stage, lane: LaneId, call: &ToolCall) {
        // Without suggestions the menu holds the idle call alone, as the rules of the planner say; who asked and got none chooses alone where
        // the idle call is not an action.
        let off_menu = {
            let state = self.state();
            match &state.suggested {
                Some(suggested) => !suggested.contains(call),
                None => !state.is_left_alone && *call != stage.brief().idle,
            }
        };
        if off_menu {
            let action = stage.render(call).await;
            stage.record(lane, &OffMenu { action }).await;
        }
    }
}
