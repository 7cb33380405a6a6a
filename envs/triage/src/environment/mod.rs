//! Scenarios behind the seams of Gimbal: tools, tolerant text, observations, tracker, policies, forks.
//!
//! An episode is one scenario. Each call is one step, a look-up of something that does not exist too; only what does not fit a
//! tool's schema is rejected, and a verdict that cites a fact which the packet does not have (ARES-008). It ends with the verdict, or with
//! its last call. The last observation carries a [`gimbal_evidence::Marking`].

mod brief;
mod case;
mod catalogue;
mod exam;
mod given;
mod settings;
mod split;

use std::borrow::Cow;
use std::collections::BTreeSet;
use std::sync::Arc;

use async_trait::async_trait;
use gimbal_core::stop::EnvironmentStop;
use gimbal_core::{
    Brief, Digest, EnvError, Environment, Milli, Observation, Rejection, RejectionKind, Reply, Rng, TaskId, ToolCall,
    ToolSpec, Tracker, Transition,
};
use gimbal_evidence::judge::Verdict;
use gimbal_evidence::{FactId, Packet};
use serde_json::{Value, json};

pub use case::Case;
pub use catalogue::Triage;
pub use given::GivenPacket;
pub use settings::{Settings, Sources};

use crate::action;
use crate::packet_index::{PacketIndex, Shown};
use crate::policy;
use crate::tools::{CONCLUDE, Call, Conclusion, ENTITY, FACT, LIST_FACTS, PATH, specs};
use crate::tracker::PacketTracker;

/// What is seen after a verdict over a packet that nobody has labelled.
const RECORDED: &str = "The verdict is recorded.";
/// Facts that are listed for them at most.
const LISTED: usize = 24;
/// Ends of a path that are listed for them at most.
const ENDS: usize = 4;
/// Facts that an expert looks at before the verdict.
const LOOKS: usize = 3;

/// One episode's environment.
#[derive(Clone, Debug)]
struct TriageEnvironment {
    settings: Arc<Settings>,
    brief: Arc<Brief>,
    tools: Arc<[ToolSpec]>,
    task: TaskId,
    case: Arc<Case>,
    /// The packet of every episode, where the options give one in place of scenarios.
    given: Option<Arc<PacketIndex>>,
    /// Facts that were shown.
    shown: BTreeSet<FactId>,
    /// Facts that were looked at one by one, in order.
    looked: Vec<FactId>,
    calls: u32,
    over: bool,
    concluded: Option<Conclusion>,
}

impl TriageEnvironment {
    fn new(settings: Settings) -> Result<Self, EnvError> {
        let case = Case::none();
        Ok(Self {
            brief: Arc::new(brief::of(&case, settings.max_calls)?),
            settings: Arc::new(settings),
            tools: brief::FILE.described(specs())?,
            task: TaskId(String::new()),
            case: Arc::new(case),
            given: None,
            shown: BTreeSet::new(),
            looked: Vec::new(),
            calls: 0,
            over: true,
            concluded: None,
        })
    }

    /// The same over one packet that nobody has labelled.
    fn of_packet(packet: Packet, max_calls: u32) -> Result<Self, EnvError> {
        let settings = Settings { max_calls, ..Settings::default() };
        Ok(Self { given: Some(Arc::new(PacketIndex::new(packet))), ..Self::new(settings)? })
    }

    fn left(&self) -> u32 {
        self.settings.max_calls.saturating_sub(self.calls)
    }

    /// A text with the number of calls that are left behind it.
    fn counted(&self, text: &str) -> String {
        match self.left() {
            1 => format!("{text}\n\nOne call is left: give your verdict with it."),
            left => format!("{text}\n\n{left} calls are left, the one that gives the verdict included."),
        }
    }

    /// What is seen first: it says how many calls there are, which stays true where it is shown again later.
    fn first(&mut self) -> Observation {
        let shown = self.case.index.first();
        let calls = match self.settings.max_calls {
            1 => "There is one call in all: give your verdict with it.".to_owned(),
            calls => format!("There are {calls} calls in all, the one that gives the verdict included."),
        };
        let text = format!("{}\n\n{calls}", shown.text);
        Observation { text, ..self.observation("", shown) }
    }

    fn observation(&mut self, tool: &str, shown: Shown) -> Observation {
        self.shown.extend(&shown.facts);
        let facts: Vec<String> = shown.facts.iter().map(ToString::to_string).collect();
        let mut data = json!({ "tool": tool, "facts": facts });
        if shown.failed {
            data["error"] = Value::from(shown.text.as_str());
        }
        Observation { text: self.counted(&shown.text), data: data.into() }
    }

    /// Ends the step of a look-up; the last one carries the marking.
    fn look(&mut self, tool: &str, shown: Shown) -> Reply {
        self.calls += 1;
        if self.left() > 0 {
            let observation = self.observation(tool, shown);
            return Reply::Step(Transition { observation: observation.into(), reward: Milli::ZERO, done: None });
        }
        self.over = true;
        self.shown.extend(&shown.facts);
        let text = match self.case.marking(None) {
            Some(marking) => marking.behind(&shown.text),
            None => shown.text,
        };
        let observation = Observation { text, data: json!({ "tool": tool }).into() };
        Reply::Step(Transition {
            observation: observation.into(),
            reward: Milli::ZERO,
            done: Some(EnvironmentStop::Horizon),
        })
    }

    fn conclude(&mut self, given: Conclusion) -> Reply {
        self.calls += 1;
        self.over = true;
        let marking = self.case.marking(Some(&given));
        self.concluded = Some(given);
        let text = marking.as_ref().map_or_else(|| RECORDED.to_owned(), |marking| marking.behind(""));
        let observation = Observation { text, data: json!({ "tool": CONCLUDE }).into() };
        let reward = if marking.is_some_and(|marking| marking.is_right()) { Milli(1000) } else { Milli::ZERO };
        Reply::Step(Transition { observation: observation.into(), reward, done: Some(EnvironmentStop::Answered) })
    }

    /// The facts that a player who chooses from lists may cite: those that were looked at, or none.
    fn citations(&self) -> Vec<String> {
        let ids: Vec<String> = self.looked.iter().rev().take(4).rev().map(ToString::to_string).collect();
        let first = || self.case.index.packet().facts().first().map(|fact| fact.id.to_string());
        let some = if ids.is_empty() { first().unwrap_or_default() } else { ids.join(" ") };
        vec![some]
    }
}

#[async_trait]
impl Environment for TriageEnvironment {
    fn brief(&self) -> &Arc<Brief> {
        &self.brief
    }

    async fn reset(&mut self, task: &TaskId, _seed: u64) -> Result<Observation, EnvError> {
        let case = match &self.given {
            Some(index) => Case::given(Arc::clone(index)),
            None => Case::load(task, &self.settings)?,
        };
        self.brief = Arc::new(brief::of(&case, self.settings.max_calls)?);
        self.case = Arc::new(case);
        self.task = task.clone();
        self.shown.clear();
        self.looked.clear();
        (self.calls, self.over, self.concluded) = (0, false, None);
        Ok(self.first())
    }

    fn tools(&self) -> &Arc<[ToolSpec]> {
        &self.tools
    }

    fn choices(&self, tool: &str, parameter: &str) -> Option<Vec<Cow<'_, str>>> {
        let index = &self.case.index;
        let subjects = || self.brief.subjects.iter().map(|name| Cow::Borrowed(name.as_str()));
        Some(match (tool, parameter) {
            (LIST_FACTS, "class") => {
                std::iter::once("all").chain(index.packet().counts().into_keys()).map(Cow::Borrowed).collect()
            }
            (FACT, "id") => {
                index.packet().facts().iter().take(LISTED).map(|fact| Cow::Owned(fact.id.to_string())).collect()
            }
            (ENTITY, "name") => subjects().collect(),
            (PATH, "from" | "to") => subjects().take(ENDS).collect(),
            (CONCLUDE, "verdict") => Verdict::ALL.iter().map(|verdict| Cow::Borrowed(verdict.name())).collect(),
            (CONCLUDE, "facts") => self.citations().into_iter().map(Cow::Owned).collect(),
            _ => return None,
        })
    }

    fn parse(&self, text: &str) -> Result<ToolCall, Rejection> {
        let call = action::parse(text, &self.tools)?;
        Call::read(&call, self.case.index.packet()).map(|_| call)
    }

    fn render(&self, call: &ToolCall) -> String {
        action::render(call)
    }

    async fn call(&mut self, call: &ToolCall) -> Result<Reply, Rejection> {
        if self.over {
            let why = "the episode is over: the verdict was given, or the last call made";
            return Err(Rejection::new(RejectionKind::NotNow, why));
        }
        let read = Call::read(call, self.case.index.packet())?;
        let case = Arc::clone(&self.case);
        let shown = match read {
            Call::Conclude(given) => return Ok(self.conclude(given)),
            Call::Overview => case.index.overview(),
            Call::List { class, page } => case.index.page(&class, page),
            Call::Fact(id) => {
                let shown = case.index.fact(&id);
                self.looked
                    .extend(shown.facts.iter().filter(|id| !self.looked.contains(id)).copied().collect::<Vec<_>>());
                shown
            }
            Call::Entity(name) => case.index.entity(&name),
            Call::Path(from, to) => case.index.path(&from, &to),
        };
        Ok(self.look(&call.tool, shown))
    }

    fn tracker(&self) -> Box<dyn Tracker> {
        Box::new(PacketTracker::new(Arc::clone(&self.case.index), &self.brief.subjects))
    }

    fn state(&self) -> Digest {
        let given = self.concluded.as_ref().map(|given| given.call().canonical_arguments()).unwrap_or_default();
        let looked: Vec<String> = self.looked.iter().map(ToString::to_string).collect();
        Digest::of_parts(&[
            self.task.0.as_bytes(),
            self.case.index.packet().head().0.as_slice(),
            ids(&self.shown).as_bytes(),
            looked.join(" ").as_bytes(),
            given.as_bytes(),
        ])
    }

    fn situation(&self) -> Digest {
        Digest::of(ids(&self.shown).as_bytes())
    }

    fn simulator(&self) -> Option<&dyn gimbal_core::Simulator> {
        Some(self)
    }

    fn expert(&self) -> Option<&dyn gimbal_core::Expert> {
        Some(self)
    }

    fn policies(&self) -> &[&'static str] {
        &policy::POLICIES
    }

    fn decide(&mut self, policy: &str, _draws: &mut Rng) -> Option<ToolCall> {
        match policy {
            policy::EXPERT => gimbal_core::Expert::next_call(self).or_else(|| Some(brief::idle())),
            name => policy::decide(name, self.case.index.packet()).map(|given| given.call()),
        }
    }
}

/// The ids of facts in a text.
fn ids(facts: &BTreeSet<FactId>) -> String {
    facts.iter().map(ToString::to_string).collect::<Vec<_>>().join(" ")
}

impl gimbal_core::Simulator for TriageEnvironment {
    /// There is no chance in this environment: every future is the same.
    fn fork(&self, _future: u64) -> Box<dyn Environment> {
        Box::new(self.clone())
    }
}

impl gimbal_core::Expert for TriageEnvironment {
    /// Looks at facts that decide or explain, as far as calls are left, and concludes by the criterion.
    fn next_call(&self) -> Option<ToolCall> {
        if self.over {
            return None;
        }
        let case = &self.case;
        let mut counting: Vec<FactId> = case.decisive.iter().chain(&case.explaining).copied().collect();
        let mut seen = BTreeSet::new();
        counting.retain(|id| seen.insert(*id));
        let next = counting.iter().take(LOOKS).find(|id| !self.looked.contains(id));
        if let Some(id) = next.filter(|_| self.left() > 1) {
            return Some(ToolCall::with(FACT, &[("id", &id.to_string())]));
        }
        let verdict = case.supported;
        // Who confirms cites something; a criterion never confirms on nothing.
        let facts = if counting.is_empty() && verdict == Verdict::ThreatConfirmed {
            case.index.packet().facts().iter().take(1).map(|fact| fact.id).collect()
        } else {
            counting
        };
        let confidence = if verdict == Verdict::Inconclusive { Milli(500) } else { Milli(900) };
        Some(Conclusion { verdict, confidence, facts }.call())
    }
}
