//! The analyzer, which is the router too: one structured call a segment (CYC-013).

use std::collections::BTreeMap;
use std::sync::Arc;

use gimbal_agent::prompt::Question;
use gimbal_agent::reading::{keyed, object};
use gimbal_agent::{Advice, Agent, AgentSession, Alone, Consultation, ReplySpec};
use gimbal_core::{Block, Digest, EpisodeStopped, Hint, LaneId, Stage};
use gimbal_messages::records::control::SegmentStop;
use gimbal_messages::records::memory::Memory;
use gimbal_messages::{Form, bounded, party, spaced};
use serde_json::{Map, Value, json};

use super::candidates::{self, Way};
use super::choice::Choice;
use super::memory;
use super::options::DefaultDecider;
use super::run::Run;
use crate::shared::graph::Ways;
use crate::shared::graph::machine;

/// How much of an answer without a choice goes back to the router, in characters.
const BROKEN: usize = 6_000;

/// What the router decided.
pub(crate) struct Routed {
    /// Place of the subtask that it wants next.
    pub wanted: usize,
    /// Whether it named one that it may choose.
    pub valid: bool,
    /// Whether it was asked for once more, with or without success.
    pub repaired: bool,
    /// Whether an earlier decision was used again.
    pub cached: bool,
    /// How many ways it chose among: |A_m| (CYC-069); `None` if no choice was made now.
    pub candidates: usize,
    /// Who decided.
    pub by: RouteSource,
}

impl Routed {
    /// A decision that nobody was asked for.
    pub(crate) const fn to(wanted: usize) -> Self {
        Self { wanted, valid: true, repaired: false, cached: false, candidates: 0, by: RouteSource::Router }
    }
}

/// Who decided where control goes.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum RouteSource {
    /// The router, now or in the same situation before.
    Router,
    /// The router, with an earlier decision (CYC-097).
    Ahead,
    /// A rule of the machine: its number, from 1 (CYC-093).
    Rule(usize),
    /// The machine's usual way.
    Usual,
}

impl RouteSource {
    /// Whether it was decided without a look at what the segment came to.
    pub(crate) const fn is_blind(self) -> bool {
        matches!(self, Self::Ahead)
    }
}

/// Analyses a segment, keeps the memory and, where it is asked to, chooses the next subtask.
pub(crate) struct Analyzer {
    pub agent: Agent,
    /// Context blocks that it is shown beside the segment.
    pub context: Vec<String>,
    /// Most ways that the router is shown; all where none (CYC-092).
    pub top: Option<usize>,
    /// Whether a decision in the same situation is used again (CYC-097).
    pub cached: bool,
    /// Most subtasks that one call decides (CYC-097).
    pub batch: usize,
    /// Who decides where no rule of a machine fits (CYC-093).
    pub otherwise: DefaultDecider,
    /// Most segments that no router has seen yet and that the next one is shown (CYC-008).
    pub unseen: usize,
}

/// Decisions of this episode by what they were made on: the next subtasks, in order.
pub(crate) type Cache = BTreeMap<Digest, Vec<usize>>;

impl Analyzer {
    /// Where control goes after a segment: where an earlier call said, while executors give control back (CYC-097); where a
    /// rule of a machine says (CYC-093); else where the router says.
    pub(crate) async fn next(
        &self,
        stage: &dyn Stage,
        run: &mut Run,
        cache: &mut Cache,
    ) -> Result<Routed, EpisodeStopped> {
        if let Some(wanted) = run.ahead.pop_front() {
            if run.facts.ended == SegmentStop::Done && run.ways.leads(run.node, wanted) {
                run.pass_over(self.unseen);
                return Ok(Routed { by: RouteSource::Ahead, ..Routed::to(wanted) });
            }
            run.ahead.clear();
        }
        if let Some(routed) = self.ruled(run) {
            run.pass_over(self.unseen);
            return Ok(routed);
        }
        self.route(stage, run, cache).await
    }

    /// What a machine says.
    fn ruled(&self, run: &Run) -> Option<Routed> {
        let graph = &run.graph;
        if graph.ways != Ways::Machine {
            return None;
        }
        let name = &run.node().name;
        if let Some((number, rule)) = machine::decide(graph, name, &run.facts) {
            return Some(Routed { by: RouteSource::Rule(number), ..Routed::to(graph.place(&rule.to)?) });
        }
        let usual = graph.usual.get(name).filter(|_| self.otherwise == DefaultDecider::Usual)?;
        Some(Routed { by: RouteSource::Usual, ..Routed::to(graph.place(usual)?) })
    }

    /// Updates the memory and chooses the next subtask. An invalid choice is asked for once more, and then the present
    /// subtask is repeated (CYC-015).
    async fn route(&self, stage: &dyn Stage, run: &mut Run, cache: &mut Cache) -> Result<Routed, EpisodeStopped> {
        let ways = candidates::of(run, self.top);
        let request = request(run, self.batch, Some(&ways));
        // What is left of the calls says nothing of where to go.
        let mut situation = json!([run.node, run.summary, run.memory.message()]);
        if let (Some(parts), false) = (situation.as_array_mut(), run.unseen.is_empty()) {
            parts.push(run.unseen.clone().into());
        }
        let situation = Digest::of(spaced(&situation).as_bytes());
        run.unseen.clear();
        if let Some((wanted, later)) = cache.get(&situation).and_then(|all| all.split_first()).filter(|_| self.cached) {
            run.ahead.extend(later);
            return Ok(Routed { cached: true, candidates: ways.len(), ..Routed::to(*wanted) });
        }
        let names: Vec<String> = ways.iter().map(|way| run.graph.nodes[way.to].name.clone()).collect();
        let expert = stage.expert().await.map(|expert| {
            let belongs = |place: &usize| run.graph.nodes[*place].has(&expert.tool);
            let places = || ways.iter().map(|way| way.to);
            let right = places().find(|place| *place == run.node && belongs(place)).or_else(|| places().find(belongs));
            let right = right.unwrap_or(run.node);
            let say = |place: usize| spaced(&self.answer(run, Some(self.named(run, &ways, place))));
            let wrong = places().filter(|place| *place != right).map(say).collect();
            Hint { answer: say(right), alternatives: wrong }
        });
        let next = match self.batch {
            1 => Form::word(&names),
            most => Form::array(&Form::word(&names), 1, most),
        };
        let form = Form::object(&[
            ("analysis", Form::text(1, 200)),
            ("memory", memory::form()),
            ("next", next),
            ("reason", Form::text(1, 120)),
        ]);
        let reply_spec = ReplySpec { form, expert, mask: false };
        let session = self.agent.session(stage).await?;
        let (graph, index) = (Arc::clone(&run.graph), Arc::clone(&run.ways));
        let choice = Choice { graph: &graph, index: &index, from: run.node, ways: &ways, most: self.batch };
        let chosen = |run: &mut Run, written: Option<&str>| match self.take(run, written) {
            Some(members) => choice.read(&members),
            None => choice.bare(written?),
        };
        let asked = spaced(&request);
        let written = self.ask(stage, &session, (run, request), &reply_spec).await?;
        let mut decided = chosen(run, written.as_deref());
        let repaired = decided.is_none();
        if repaired {
            let must = if self.batch == 1 { "be" } else { "begin with" };
            let broken = format!(
                "`next` must {must} one of: {}\n\n{}",
                names.join(", "),
                bounded(written.as_deref().unwrap_or("(nothing was written)"), BROKEN)
            );
            let question = Question { target: "", message: &asked };
            let asked = Consultation { blocks: &[], question, reply_spec: Some(&reply_spec) };
            let fixed = session.repair_of(stage, LaneId::MAIN, &broken, asked).await?;
            decided = chosen(run, fixed.as_deref());
        }
        if let (Some(places), true) = (&decided, self.cached) {
            cache.insert(situation, places.clone());
        }
        let valid = decided.is_some();
        let places = decided.unwrap_or_default();
        let wanted = places.first().copied().unwrap_or(run.node);
        run.ahead.extend(places.get(1..).unwrap_or_default());
        Ok(Routed { valid, repaired, candidates: ways.len(), ..Routed::to(wanted) })
    }

    /// How an expert router names its choice: with several at once, what followed last time is behind it.
    fn named(&self, run: &Run, ways: &[Way], place: usize) -> Value {
        let name = |place: usize| Value::from(run.graph.nodes[place].name.as_str());
        if self.batch == 1 {
            return name(place);
        }
        let mut places = vec![place];
        while places.len() < self.batch
            && let Some(next) = places.last().and_then(|last| run.followed.get(last))
            && ways.iter().any(|way| way.to == *next)
        {
            places.push(*next);
        }
        places.into_iter().map(name).collect()
    }

    /// Updates the memory without a choice (CYC-025).
    pub(crate) async fn guide(&self, stage: &dyn Stage, run: &mut Run) -> Result<(), EpisodeStopped> {
        let known = stage.expert().await;
        let expert = known.map(|_| Hint { answer: spaced(&self.answer(run, None)), alternatives: Vec::new() });
        let form = Form::object(&[("analysis", Form::text(1, 200)), ("memory", memory::form())]);
        let reply_spec = ReplySpec { form, expert, mask: false };
        let session = self.agent.session(stage).await?;
        let request = request(run, self.batch, None);
        let written = self.ask(stage, &session, (run, request), &reply_spec).await?;
        self.take(run, written.as_deref());
        Ok(())
    }

    async fn ask(
        &self,
        stage: &dyn Stage,
        session: &AgentSession<'_>,
        (run, request): (&Run, Value),
        reply_spec: &ReplySpec,
    ) -> Result<Option<String>, EpisodeStopped> {
        let lane = LaneId::MAIN;
        let mut blocks: Vec<Block> = run.first.iter().cloned().collect();
        blocks.extend(stage.context(lane, &self.context).await?);
        let message =
            stage.send(lane, party::CONTROLLER, self.agent.role(), "segment", request).await.unwrap_or_default();
        let text = spaced(&message);
        let question = Question { target: "", message: &text };
        let asked = Consultation { blocks: &blocks, question, reply_spec: Some(reply_spec) };
        Ok(match session.consult(stage, lane, asked, &Alone).await? {
            Advice::Text(text) => Some(text),
            Advice::None(_) => None,
        })
    }

    /// Takes the memory out of what was written; its members, if it is an object at all.
    fn take(&self, run: &mut Run, written: Option<&str>) -> Option<Map<String, Value>> {
        let (members, _) = object(written?)?;
        if let Some(Value::Object(memory)) = members.get("memory").cloned().and_then(keyed) {
            run.memory = run.memory.updated(&memory);
        }
        Some(members)
    }

    /// What an expert analyzer writes.
    fn answer(&self, run: &Run, next: Option<Value>) -> Value {
        let last = run.summary["calls"].as_array().and_then(|calls| calls.last());
        let plain = |key: &str| printable(last.and_then(|call| call[key].as_str()).unwrap_or("nothing"), 100);
        let memory = Memory {
            objective: printable(&run.memory.objective, 120),
            state: plain("result"),
            attempts: vec![bounded(&plain("call"), 80)],
            hint: "Go on from there.".to_owned(),
            ..Memory::default()
        };
        let mut answer =
            json!({ "analysis": format!("The last call was {}.", plain("call")), "memory": memory.message() });
        if let Some(next) = next {
            answer["next"] = next;
            answer["reason"] = "The next call belongs there.".into();
        }
        answer
    }
}

/// The request to the analyzer about a segment: with the ways among which it chooses up to `batch` subtasks, or with the subtask that comes next.
pub(super) fn request(run: &Run, batch: usize, ways: Option<&[Way]>) -> Value {
    let node = run.node();
    let mut request = json!({
        "subtask": { "name": node.name, "goal": node.goal }, "segment": run.summary,
        "memory": run.memory.known(), "calls_left": run.left(),
    });
    match ways {
        Some(ways) => {
            request["ways"] = ways.iter().map(|way| listed(run, way)).collect();
            if !run.unseen.is_empty() {
                request["before"] = run.unseen.clone().into();
            }
            if batch > 1 {
                request["ahead"] = format!(
                    "Here \"next\" is a list of 1 to {batch} names of subtasks, in the order in which they are to be done. Each \
                     begins as soon as the one before gives control back. If one does not, you are asked again."
                )
                .into();
            }
        }
        None => {
            request["next"] = run
                .graph
                .nodes
                .get(run.node + 1)
                .map_or(Value::Null, |next| json!({ "name": next.name, "goal": next.goal }));
        }
    }
    request
}

/// A way as the router reads it.
fn listed(run: &Run, way: &Way) -> Value {
    let to = &run.graph.nodes[way.to];
    let mut item = json!({ "to": to.name, "goal": to.goal, "tools": to.tools, "criterion": way.criterion });
    if way.weight != 1000 {
        item["preference"] = (f64::from(way.weight) / 1000.0).into();
    }
    item
}

/// A text in the letters that a form lets through, cut to a length.
pub(super) fn printable(text: &str, most: usize) -> String {
    let keep = |letter: char| if letter.is_ascii_graphic() && !"\"\\".contains(letter) { letter } else { ' ' };
    bounded(&text.chars().map(keep).collect::<String>(), most)
}
