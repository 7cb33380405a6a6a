//! The belief state: what each agent that is played was told, round by round, and the query that gives one of them its own view.

mod view;

use std::fmt::Write as _;
use std::sync::LazyLock;

use gimbal_core::{Observation, Rejection, Stepped, ToolCall, ToolSpec};
use gimbal_env_kit::query::{self, Nouns, SUBJECT, SUBJECT_BASELINE, SUBJECT_STATE};
use gimbal_env_kit::{Belief, BeliefTracker, Logged, StepKind, words};
use serde_json::json;

pub use view::{AgentView, GameView, Round};

use crate::action;
use crate::game::LARGEST;
use crate::tools::name;

/// The query for what one agent has seen.
pub const VIEW: &str = "view";
/// Rounds that a view shows one by one; earlier ones are left out and counted.
const SHOWN: usize = 20;
/// Rounds whose reasons a view shows.
const REASONS: usize = 2;

const NOUNS: Nouns = Nouns { one: "agent", many: "agents", argument: "the name of one agent" };

static SPECS: LazyLock<[ToolSpec; 3]> = LazyLock::new(|| {
    let [state, baseline] = query::of_subjects(
        "The name of one agent.",
        "Tells what one agent stated last, and how it voted.",
        "Tells the start of one agent, where you speak for it.",
    );
    let about = "Tells what one agent that you speak for has seen so far, and nothing that only others have seen.";
    [state, baseline, ToolSpec::of_strings(VIEW, about, &[(SUBJECT, "The name of one agent.")])]
});

/// The queries there are.
#[must_use]
pub fn queries() -> &'static [ToolSpec] {
    &*SPECS
}

/// The tracker of a game.
pub type GameTracker = BeliefTracker<GameBelief>;

/// What was told so far.
#[derive(Clone, Debug, Default)]
pub struct GameBelief {
    now: Option<GameView>,
    names: Vec<String>,
    rounds: Vec<Round>,
}

impl GameBelief {
    fn see(&mut self, observation: &Observation) {
        let Some(mut told) = GameView::read(observation) else { return };
        self.rounds.extend(told.round.take());
        self.now = Some(told);
    }

    /// What one agent has seen.
    fn view(&self, agent: usize) -> String {
        let Some(now) = &self.now else { return words::NO_OBSERVATION.to_owned() };
        let mut out =
            format!("You are {}, one of {} agents: {}.", name(agent), self.names.len(), self.names.join(", "));
        let seat = now.seats.get(agent);
        if let Some(start) = seat.and_then(|seat| seat.start) {
            let _ = write!(out, " Your number at the start was {start}.");
        }
        if seat.is_some_and(|seat| seat.adversary) {
            out.push_str(
                " You are one of those who do not follow the rules, and no other agent knows it: your goal is that the others do not agree on a \
                 number that one of them had at its start. You may abstain: write null for your number.",
            );
        }
        let hidden = self.rounds.len().saturating_sub(SHOWN);
        if hidden > 0 {
            let _ = write!(out, "\nRounds 1 to {hidden} are not shown.");
        }
        for (place, round) in self.rounds.iter().enumerate().skip(hidden) {
            let with_reasons = place + REASONS >= self.rounds.len();
            let told = round.told.get(agent).map_or(&[][..], Vec::as_slice);
            let said = told.iter().enumerate().map(|(from, value)| {
                let value = value.map_or_else(|| "nothing".to_owned(), |value| value.to_string());
                let own = if from == agent { " (you)" } else { "" };
                let reason = round.reasons.get(from).filter(|reason| with_reasons && !reason.is_empty());
                let reason = reason.map(|reason| format!(" \"{reason}\"")).unwrap_or_default();
                format!("{}{own} {value} {}{reason}", name(from), round.vote(from))
            });
            let _ = write!(out, "\nRound {}: {}.", place + 1, said.collect::<Vec<_>>().join("; "));
        }
        out.push('\n');
        out.push_str(&now.next());
        out
    }

    fn place(&self, call: &ToolCall) -> Result<usize, Rejection> {
        let subject = query::subject(call, NOUNS, &self.names, String::as_str)?;
        Ok(self.names.iter().position(|name| name == subject).unwrap_or_default())
    }
}

impl Belief for GameBelief {
    fn begin(&mut self, first: &Observation) {
        *self = Self::default();
        self.see(first);
        self.names = (0..self.now.as_ref().map_or(0, |now| now.seats.len())).map(name).collect();
    }

    fn update<'a>(&mut self, step: Stepped<'a>) -> Logged<'a> {
        self.see(step.observation);
        Logged { action: action::render(step.call).into(), kind: StepKind::Act, updates: Vec::new() }
    }

    fn status(&self, _now: u32) -> String {
        let mut out = "Numbers stated in the latest round:".to_owned();
        let Some(round) = self.rounds.last() else { return format!("{out} {}", words::NONE) };
        for (to, told) in round.told.iter().enumerate().filter(|(_, told)| !told.is_empty()) {
            let said = told.iter().map(|value| value.map_or_else(|| "-".to_owned(), |value| value.to_string()));
            let _ = write!(out, "\n{} was told: {}", name(to), said.collect::<Vec<_>>().join(" "));
        }
        out
    }

    fn queries(&self) -> &[ToolSpec] {
        queries()
    }

    fn query(&self, _now: u32, call: &ToolCall) -> Result<String, Rejection> {
        if !SPECS.iter().any(|spec| spec.name == call.tool) {
            return Err(query::unknown(call, queries()));
        }
        let agent = self.place(call)?;
        let seat = self.now.as_ref().and_then(|now| now.seats.get(agent));
        Ok(match call.tool.as_str() {
            SUBJECT_STATE => {
                let last = self.rounds.last();
                let mut values: Vec<u8> =
                    last.iter().flat_map(|round| &round.told).filter_map(|told| *told.get(agent)?).collect();
                values.sort_unstable();
                values.dedup();
                json!({ "agent": name(agent), "stated": values, "vote": last.map(|round| round.vote(agent)) })
            }
            SUBJECT_BASELINE => json!({ "agent": name(agent), "start": seat.and_then(|seat| seat.start) }),
            _ => {
                let played = seat.is_some_and(|seat| seat.played);
                let text = if played { self.view(agent) } else { String::new() };
                let may_abstain = seat.is_some_and(|seat| seat.adversary);
                json!({ "text": text, "played": played, "may_abstain": may_abstain, "values": [0, LARGEST] })
            }
        }
        .to_string())
    }

    fn shown_first(&self, first: &Observation) -> Option<String> {
        Some(first.text.clone())
    }
}
