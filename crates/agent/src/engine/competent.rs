//! What a competent player of an agent's role would write, for the noisy expert: each tool once, then the answer.
//!
//! What it shows is about our scaffolding: that every way through it is taken, and what it costs. The planner asks both
//! advisers about the subject of the expert's call and follows the first suggestion; the analyst looks at both states;
//! the chooser puts the expert's call first. With deliberation switched on each of its tools is used once.

use gimbal_core::{Brief, Hint, Stage, ToolCall};
use serde_json::Value;

use super::advise::ReplySpec;
use super::session::{AgentSession, Present};
use crate::Protocol;
use crate::contract::{ANY, Finding, Focus, Severity, Situation, Status, Suggestion, competent_suggestions, spaced};
use crate::deliberation::Deliberation;
use crate::persona::data::Contract;
use crate::tool::{Carrier, FINISH, Offered};

/// The thought before a competent message: short, so that it fits a grammar with little room for one.
const THOUGHT: &str = "Best now.";

/// The moves that are left, the next one first.
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
                Carrier::Delegate if tool.generic == FINISH => continue,
                Carrier::Delegate if target.is_some() && !tool.critical => 0,
                Carrier::Deliberation(Deliberation::Question) => 1,
                Carrier::Deliberation(Deliberation::Critique) => 2,
                Carrier::Deliberation(Deliberation::Improve) => 3,
                // What must be followed by the answer comes last.
                Carrier::Delegate if tool.critical && (target.is_some() || *expert != session.brief().idle) => 4,
                Carrier::Query(_) | Carrier::Delegate => continue,
            };
            tools.push((order, index));
        }
        tools.sort_unstable();
        // The last turn must be the answer.
        tools.truncate((session.settings().turns as usize).saturating_sub(1));
        let tools = tools.into_iter().map(|(_, index)| index).collect();
        Self { expert: expert.clone(), target, tools, next: 0, advised: None, finishes: false }
    }

    /// The move of an agent that has thought already and only acts.
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
        Some(match (tool.filter(|_| !answer_due), session.agent.persona.core.contract) {
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
            (None, Some(Contract::Analysis)) => self.analysis(session).written(protocol),
            (None, Some(Contract::Suggestions)) => self.suggestions(session, stage, present).await.written(protocol),
            (
                None,
                Some(
                    Contract::Graph
                    | Contract::Subtasks
                    | Contract::Routing
                    | Contract::Guidance
                    | Contract::Verification
                    | Contract::Summary,
                ),
            ) => reply_spec?.competent.clone()?.written(protocol),
        })
    }

    /// The message of an adviser alone, as a repair asks for it; none where whoever asks must describe it.
    pub(super) async fn bare(&self, session: &AgentSession<'_>, stage: &dyn Stage, present: &Present) -> Option<Hint> {
        match session.agent.persona.core.contract {
            Some(Contract::Analysis) => Some(self.analysis(session)),
            Some(Contract::Suggestions) => Some(self.suggestions(session, stage, present).await),
            _ => None,
        }
    }

    fn use_of(&self, session: &AgentSession<'_>, tool: &Offered) -> Hint {
        let (brief, protocol) = (session.brief(), session.settings().protocol);
        let write = |input: &str, structured| protocol.write_use(THOUGHT, &tool.name, input, structured);
        let others = || {
            let target = self.target.as_deref().unwrap_or_default();
            brief.subjects.iter().filter(move |subject| *subject != target)
        };
        let of_target = |target: &str| match (&tool.carrier, tool.generic.as_str()) {
            (Carrier::Delegate, "suggest_action") => write(&spaced(&self.situation(brief, target)), true),
            _ => write(target, false),
        };
        if matches!(tool.carrier, Carrier::Deliberation(_)) {
            return Hint { answer: write("Does this fit all that was shown?", false), alternatives: Vec::new() };
        }
        let answer = of_target(self.target.as_deref().unwrap_or(ANY));
        Hint { answer, alternatives: others().map(|subject| of_target(subject)).collect() }
    }

    fn situation(&self, brief: &Brief, target: &str) -> Value {
        let situation = Situation {
            target: target.to_owned(),
            situation: "It needs attention.".to_owned(),
            severity: self.severity(brief),
            context: String::new(),
        };
        situation.message(brief)
    }

    fn class(&self, brief: &Brief) -> String {
        brief.entry_of(&self.expert.tool).map(|entry| entry.kind.to_lowercase()).unwrap_or_default()
    }

    fn severity(&self, brief: &Brief) -> Severity {
        match self.class(brief).as_str() {
            "reactive" => Severity::High,
            "proactive" => Severity::Low,
            _ => Severity::Medium,
        }
    }

    fn analysis(&self, session: &AgentSession<'_>) -> Hint {
        let brief = session.brief();
        let target = self.target.clone().unwrap_or_default();
        let about = brief.subject_of(&self.expert) == Some(target.as_str());
        let finding = |status, severity, recommended_focus| {
            let finding = Finding {
                status,
                severity,
                recommended_focus,
                rationale: "As both states show.".to_owned(),
                ..Finding::default_of(&target)
            };
            spaced(&Finding::message(&[finding], brief))
        };
        let focus = match self.class(brief).as_str() {
            "reactive" => Focus::Containment,
            "passive" => Focus::Investigation,
            _ => Focus::Monitor,
        };
        let right = if about {
            (Status::Changed, self.severity(brief), focus)
        } else {
            (Status::Baseline, Severity::Low, Focus::Monitor)
        };
        let answer = finding(right.0, right.1, right.2);
        let all = [
            (Status::Baseline, Severity::Low, Focus::Monitor),
            (Status::Unknown, Severity::Medium, Focus::Investigation),
            (Status::Changed, Severity::High, Focus::Containment),
        ];
        let alternatives = all.into_iter().filter(|other| *other != right).map(|(a, b, c)| finding(a, b, c)).collect();
        Hint { answer, alternatives }
    }

    async fn suggestions(&self, session: &AgentSession<'_>, stage: &dyn Stage, present: &Present) -> Hint {
        let brief = session.brief();
        let target = self.target.as_deref();
        let about = |call: &ToolCall| target == Some(ANY) || brief.subject_of(call) == target;
        let on_target: Vec<&str> = present.legal.as_ref().map_or_else(Vec::new, |legal| {
            let pairs = legal.calls.iter().zip(legal.texts.iter());
            pairs.filter(|(call, _)| about(call)).map(|(_, text)| text.as_str()).collect()
        });
        let expert_text =
            if about(&self.expert) { stage.render(&self.expert).await } else { session.prepared.idle.clone() };
        let led_by = |first: &str| {
            let others: Vec<&str> = on_target.iter().copied().filter(|text| *text != first).take(2).collect();
            Suggestion::text(&competent_suggestions(first, &others))
        };
        let alternatives = on_target.iter().filter(|text| **text != expert_text).map(|text| led_by(text)).collect();
        Hint { answer: led_by(&expert_text), alternatives }
    }

    /// The competent answer and the other legal ones, in the form of the protocol.
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
