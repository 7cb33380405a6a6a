//! What an expert in an agent's role would write, for the noisy expert: each tool once, then the answer.
//!
//! What it shows is about our scaffolding: that every way through it is taken, and what it costs. An agent asks those whom it
//! can ask about the subject of the expert's call and follows the first suggestion; what it says to others its message tells
//! ([`Message::expert`]). With deliberation switched on each of its tools is used once.

use gimbal_core::{Hint, Stage, ToolCall};
use gimbal_messages::{ANY, ExpertView, Input, Message};

use super::reply::ReplySpec;
use super::session::{AgentSession, Present};
use crate::Protocol;
use crate::deliberation::Deliberation;
use crate::persona::data::FINISH;
use crate::tool::{Carrier, Offered};

/// The thought before an expert's message: short, so that it fits a grammar with little room for one.
const THOUGHT: &str = "Best now.";

/// The tools that are still to use, the next one first, and then the answer.
pub(super) struct ExpertScript {
    expert: ToolCall,
    /// What the work is about: the subject that an adviser is asked about, or that of the expert's call.
    target: Option<String>,
    /// Places among the tools.
    tools: Vec<usize>,
    next: usize,
    /// The action that an adviser put first.
    advised: Option<String>,
    /// Control is to be given back now.
    finishes: bool,
}

impl ExpertScript {
    pub(super) fn of(session: &AgentSession<'_>, expert: &ToolCall, target: Option<&str>) -> Self {
        let target = target.or_else(|| session.brief().subject_of(expert)).map(str::to_owned);
        let mut tools: Vec<(u8, usize)> = Vec::new();
        for (index, tool) in session.prepared.tools.iter().enumerate() {
            let order = match &tool.carrier {
                Carrier::Query(_) if target.is_some() => 0,
                Carrier::Delegate(delegate) if delegate.expert().is_none() => continue,
                Carrier::Delegate(_) if target.is_some() && !tool.critical => 0,
                Carrier::Deliberation(Deliberation::Question) => 1,
                Carrier::Deliberation(Deliberation::Critique) => 2,
                Carrier::Deliberation(Deliberation::Improve) => 3,
                // What must be followed by the answer comes last.
                Carrier::Delegate(_) if tool.critical && (target.is_some() || *expert != session.brief().idle) => 4,
                Carrier::Query(_) | Carrier::Delegate(_) => continue,
            };
            tools.push((order, index));
        }
        tools.sort_unstable();
        // The last turn must be the answer.
        tools.truncate((session.settings().turns as usize).saturating_sub(1));
        let tools = tools.into_iter().map(|(_, index)| index).collect();
        Self { expert: expert.clone(), target, tools, next: 0, advised: None, finishes: false }
    }

    /// What an expert does next: the expert's call where it may be made and belongs to the subtask, or where nothing
    /// was done yet; else control is given back. Who may not make that call does what the tools of the subtask allow first:
    /// nobody gives control back who has not looked at what there is to do. `elsewhere` says that the call belongs to another subtask.
    pub(super) fn next_move(
        (session, present): (&AgentSession<'_>, &Present),
        expert: &ToolCall,
        elsewhere: bool,
        made: usize,
    ) -> Self {
        let allowed = session.allows(&expert.tool);
        let own = if elsewhere && made == 0 && !allowed { session.harmless(present.legal.as_ref()) } else { None };
        let mut script = Self::acting(own.unwrap_or(expert));
        script.finishes(elsewhere && (made > 0 || (own.is_none() && !allowed)));
        script
    }

    /// The script of an agent that has thought already and only acts.
    pub(super) fn acting(expert: &ToolCall) -> Self {
        Self { expert: expert.clone(), target: None, tools: Vec::new(), next: 0, advised: None, finishes: false }
    }

    /// Says whether control is to be given back now.
    pub(super) const fn finishes(&mut self, finishes: bool) {
        self.finishes = finishes;
    }

    /// A tool was used.
    pub(super) const fn used(&mut self) {
        self.next += 1;
    }

    /// An adviser has answered.
    pub(super) fn heard(&mut self, advised: Option<String>) {
        self.advised = advised.or_else(|| self.advised.take());
    }

    /// What to write now, and what a mistaken player might write.
    pub(super) async fn hint(
        &self,
        session: &AgentSession<'_>,
        stage: &dyn Stage,
        present: &Present,
        (answer_due, reply_spec): (bool, Option<&ReplySpec>),
    ) -> Option<Hint> {
        let tool = self.tools.get(self.next).and_then(|index| session.prepared.tools.get(*index));
        let protocol = session.settings().protocol;
        Some(match (tool.filter(|_| !answer_due), session.agent.message()) {
            (Some(tool), _) => self.use_of(session, tool),
            (None, None) => {
                let mut hint = self.action(protocol, stage, present).await;
                if self.finishes
                    && let Some(tool) = session.prepared.tools.iter().find(|tool| tool.generic == FINISH)
                {
                    let finish = protocol.write_use(THOUGHT, &tool.name, "Done as far as it goes.", false);
                    hint.alternatives.push(std::mem::replace(&mut hint.answer, finish));
                }
                hint
            }
            (None, Some(message)) => {
                let own = self.message(message, session, stage, present).await;
                own.or_else(|| reply_spec?.expert.clone())?.written(protocol)
            }
        })
    }

    /// The message of an adviser alone, as a repair asks for it; `None` if whoever asks must describe it.
    pub(super) async fn bare(&self, session: &AgentSession<'_>, stage: &dyn Stage, present: &Present) -> Option<Hint> {
        self.message(session.agent.message()?, session, stage, present).await
    }

    async fn message(
        &self,
        message: &dyn Message,
        session: &AgentSession<'_>,
        stage: &dyn Stage,
        present: &Present,
    ) -> Option<Hint> {
        let action = stage.render(&self.expert).await;
        let (calls, actions) = present.legal.as_ref().map_or((&[][..], &[][..]), |legal| (&legal.calls, &legal.texts));
        Some(message.expert()?.say(&ExpertView {
            brief: session.brief(),
            call: &self.expert,
            action: &action,
            target: self.target.as_deref(),
            calls,
            actions,
            idle: &session.prepared.idle,
        }))
    }

    fn use_of(&self, session: &AgentSession<'_>, tool: &Offered) -> Hint {
        let (brief, protocol) = (session.brief(), session.settings().protocol);
        let write = |input: &str, structured| protocol.write_use(THOUGHT, &tool.name, input, structured);
        let others = || {
            let target = self.target.as_deref().unwrap_or_default();
            brief.subjects.iter().filter(move |subject| *subject != target)
        };
        let of_target = |target: &str| match &tool.carrier {
            Carrier::Delegate(delegate) => {
                match delegate.expert().map(|expert| expert.input(brief, &self.expert, target)) {
                    Some(Input::Object(text)) => write(&text, true),
                    Some(Input::Text(text)) => write(&text, false),
                    None => write(target, false),
                }
            }
            _ => write(target, false),
        };
        if matches!(tool.carrier, Carrier::Deliberation(_)) {
            return Hint { answer: write("Does this fit all that was shown?", false), alternatives: Vec::new() };
        }
        let answer = of_target(self.target.as_deref().unwrap_or(ANY));
        Hint { answer, alternatives: others().map(|subject| of_target(subject)).collect() }
    }

    /// The expert's answer and the other legal ones, in the form of the protocol.
    async fn action(&self, protocol: Protocol, stage: &dyn Stage, present: &Present) -> Hint {
        let write = |call: &ToolCall, text: &str| protocol.write(THOUGHT, call, text);
        let advised = match &self.advised {
            Some(text) => stage.parse(text).await.ok(),
            None => None,
        };
        let expert = advised.as_ref().unwrap_or(&self.expert);
        let answer = write(expert, &stage.render(expert).await);
        let alternatives = present.legal.as_ref().map(|legal| {
            let pairs = legal.calls.iter().zip(legal.texts.iter());
            pairs.filter(|(call, _)| *call != expert).map(|(call, text)| write(call, text)).collect()
        });
        Hint { answer, alternatives: alternatives.unwrap_or_default() }
    }
}

/// A message with a thought before it, in the form of a protocol.
trait Written {
    fn written(self, protocol: Protocol) -> Self;
}

impl Written for Hint {
    fn written(self, protocol: Protocol) -> Self {
        let write = |message: &String| protocol.write_message(THOUGHT, message);
        Self { answer: write(&self.answer), alternatives: self.alternatives.iter().map(write).collect() }
    }
}
