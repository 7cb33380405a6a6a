//! An episode becomes a walk over its task graph: events in, segments, decisions and calls out.

use std::collections::{BTreeSet, HashSet};

use gimbal_core::event::{Body, Ended, ModelCalled, Note, StepTaken};
use gimbal_core::{Digest, Event, Follower, TextRef, ToolCall};
use gimbal_messages::records::control::{self as records, Decider, GraphChosen, MemoryKept, SegmentEnded, SegmentStop};
use gimbal_messages::records::gate::Gated;
use gimbal_messages::records::reading::Parsed;
use gimbal_messages::records::stage::Left;
use gimbal_messages::{Record, Tier};

use super::{Act, Effect, Gate, Graph, GraphEdge, GraphNode, Planned, Routed, Segment, Spend, Trajectory};
use gimbal_analysis::episode::{FoldError, Source, Texts};

/// The observation of the latest step.
pub(super) struct LastSeen {
    /// Number of the event that holds it.
    pub event: u64,
    /// Its text.
    pub text: TextRef,
}

/// An episode under way.
pub(super) struct TrajectoryBuilder<'a, E> {
    pub(super) source: Source<'a, E>,
    /// Roles that the environment asks: no part of what the agent does.
    asks: &'a [String],
    pub(super) walk: Trajectory,
    /// The last call to the environment that has not been answered.
    open: Option<(String, String)>,
    /// The state of the environment, and all states before it.
    state: Option<Digest>,
    seen: BTreeSet<Digest>,
    /// What belongs to the segment under way.
    acts: Vec<Act>,
    executor: Spend,
    /// Routing since the last decision.
    router: Spend,
    /// Loops that the router's memory mentioned last.
    loops: Vec<String>,
    /// Where control is.
    node: String,
    /// What the agent saw last.
    pub(super) last: Option<LastSeen>,
    /// Accepted calls with the words that they brought, and of every call so far whether both had been met before.
    replies: HashSet<(String, String, TextRef)>,
    again: Vec<bool>,
    /// Follows the evidence, where the environment knows how.
    pub(super) follower: Option<Box<dyn Follower>>,
    /// The evidence at the beginning of the segment under way.
    evidence: BTreeSet<String>,
    /// Idle calls since the controller left an environment that runs on.
    pub(super) left: Option<u32>,
    /// What each call brought, or why it was refused, in order.
    pub(super) results: Vec<TextRef>,
}

impl<'a, E> TrajectoryBuilder<'a, E> {
    pub(super) fn new(texts: &'a mut dyn Texts<Error = E>, asks: &'a [String]) -> Self {
        Self {
            source: Source::new(texts),
            asks,
            walk: Trajectory::default(),
            open: None,
            state: None,
            seen: BTreeSet::new(),
            acts: Vec::new(),
            executor: Spend::default(),
            router: Spend::default(),
            loops: Vec::new(),
            node: String::new(),
            last: None,
            replies: HashSet::new(),
            again: Vec::new(),
            follower: None,
            evidence: BTreeSet::new(),
            left: None,
            results: Vec::new(),
        }
    }

    /// Takes in the events of an episode.
    pub(super) fn read(&mut self, events: &[Event]) -> Result<(), FoldError<E>> {
        for (number, event) in (0..).zip(events) {
            self.source.event = number;
            self.take(&event.body)?;
        }
        Ok(())
    }

    fn take(&mut self, body: &Body) -> Result<(), FoldError<E>> {
        if let Some(left) = &mut self.left {
            // The environment runs on by itself: what follows is not an act of the agent.
            match body {
                Body::ToolCalled(_) => *left += 1,
                Body::Ended(ended) => self.ended(ended),
                _ => {}
            }
            return Ok(());
        }
        match body {
            Body::Started(started) => {
                self.state = Some(started.state);
                self.seen.insert(started.state);
            }
            Body::ModelCalled(call) => self.called(call),
            Body::ToolCalled(call) => {
                self.open = Some((call.tool.clone(), self.source.text(&call.arguments)?.into_owned()));
            }
            Body::Rejected(refusal) => self.acted(Effect::Rejected, refusal.message.clone()),
            Body::Ended(ended) => self.ended(ended),
            Body::Stepped(step) => self.stepped(step)?,
            Body::Note(note) => self.noted(note)?,
            _ => {}
        }
        Ok(())
    }

    fn ended(&mut self, ended: &Ended) {
        // 0 in the first form of journals.
        self.walk.situations = Some(ended.situations).filter(|count| *count > 0);
    }

    fn stepped(&mut self, step: &StepTaken) -> Result<(), FoldError<E>> {
        let effect = if self.state == Some(step.state) {
            Effect::Nothing
        } else if self.seen.insert(step.state) {
            Effect::New
        } else {
            Effect::Back
        };
        self.state = Some(step.state);
        if let (Some(follower), Some((tool, arguments))) = (&mut self.follower, &self.open) {
            let arguments = serde_json::from_str(arguments).unwrap_or_default();
            let seen = self.source.text(&step.observation)?;
            follower.follow(&ToolCall { tool: tool.clone(), arguments }, &seen);
        }
        self.acted(effect, step.observation.clone());
        self.last = Some(LastSeen { event: self.source.event, text: step.observation.clone() });
        Ok(())
    }

    /// Keeps the open call with its effect. A rejection without an open call is of an unreadable answer: no call was made.
    fn acted(&mut self, effect: Effect, result: TextRef) {
        if let Some((tool, arguments)) = self.open.take() {
            let accepted = effect != Effect::Rejected;
            let again = accepted && !self.replies.insert((tool.clone(), arguments.clone(), result.clone()));
            self.again.push(again);
            self.results.push(result);
            self.acts.push(Act { tool, arguments, effect });
        }
    }

    fn called(&mut self, call: &ModelCalled) {
        if self.asks.contains(&call.role) {
            return;
        }
        let spent = Spend { calls: 1, input: call.prompt_tokens, output: call.output_tokens };
        self.walk.spent = self.walk.spent.plus(spent);
        let sum = match call.role.as_str() {
            records::PLANNER => &mut self.walk.planner,
            role if records::ROUTERS.contains(&role) => &mut self.router,
            _ => &mut self.executor,
        };
        *sum = sum.plus(spent);
    }

    fn noted(&mut self, note: &Note) -> Result<(), FoldError<E>> {
        match note.kind.as_str() {
            Left::KIND => {
                self.source.record::<Left>(&note.data)?;
                self.left = Some(0);
            }
            GraphChosen::KIND => {
                let graph = graph(self.source.record(&note.data)?);
                self.node.clone_from(&graph.entry);
                self.walk.graphs.push(graph);
            }
            SegmentEnded::KIND => {
                let SegmentEnded { index, node, calls, ended } = self.source.record(&note.data)?;
                self.settle();
                let segment = Segment { calls, ..self.segment(index, node, ended) };
                self.walk.segments.push(segment);
            }
            records::Routed::KIND => self.routed(note)?,
            MemoryKept::KIND => {
                let loops = self.source.record::<MemoryKept>(&note.data)?.memory.loops;
                // The list is bounded: what is in it now and was not before is new, however long it is.
                let more = loops.iter().filter(|one| !self.loops.contains(one)).count();
                self.loops = loops;
                if let Some(segment) = self.walk.segments.last_mut() {
                    segment.loops_noted += u32::try_from(more).unwrap_or(u32::MAX);
                }
            }
            records::Planned::KIND => {
                let records::Planned { attempts, valid, .. } = self.source.record(&note.data)?;
                self.walk.planned = Some(Planned { attempts, valid });
            }
            Gated::KIND => {
                let Gated { figures, supported, verified, claimed, passed, held, unread, .. } =
                    self.source.record(&note.data)?;
                self.walk.gates.push(Gate { figures, supported, verified, claimed, passed, held, unread });
            }
            Parsed::KIND => {
                let Parsed { tier, .. } = self.source.record(&note.data)?;
                self.walk.messages += 1;
                self.walk.unusable_messages += u32::from(tier == Tier::Default);
            }
            // Kinds of other systems.
            _ => {}
        }
        Ok(())
    }

    fn routed(&mut self, note: &Note) -> Result<(), FoldError<E>> {
        let record: records::Routed = self.source.record(&note.data)?;
        self.node.clone_from(&record.to);
        let router = std::mem::take(&mut self.router);
        let segment = self.walk.segments.iter_mut().rev().find(|segment| segment.index == record.index);
        let Some(segment) = segment else { return Ok(()) };
        segment.router = segment.router.plus(router);
        segment.routed = Some(Routed {
            wanted: record.wanted,
            to: record.to,
            valid: record.valid,
            repaired: record.repaired,
            cached: record.cached,
            ahead: record.ahead.unwrap_or(false),
            ruled: record.by.is_some_and(|by| by != Decider::Router),
            faulted: record.faulted,
            candidates: record.candidates,
        });
        Ok(())
    }

    /// What belongs to the segment under way, which is over.
    fn segment(&mut self, index: u32, node: String, ended: SegmentStop) -> Segment {
        let acts = std::mem::take(&mut self.acts);
        let evidence_gained = self.follower.as_ref().map(|follower| {
            let now = follower.evidence();
            let gained = now.difference(&self.evidence).count();
            self.evidence = now;
            u32::try_from(gained).unwrap_or(u32::MAX)
        });
        Segment {
            evidence_gained,
            index,
            node,
            calls: u32::try_from(acts.len()).unwrap_or(u32::MAX),
            ended,
            acts,
            executor: std::mem::take(&mut self.executor),
            ..Segment::default()
        }
    }

    /// Routing without a decision belongs to the segment before it.
    fn settle(&mut self) {
        let router = std::mem::take(&mut self.router);
        if let Some(segment) = self.walk.segments.last_mut() {
            segment.router = segment.router.plus(router);
        }
    }

    /// The walk, with what came after the last segment as one that the end cut short. An agent without a graph has one
    /// segment at no node.
    pub(super) fn finish(mut self) -> Trajectory {
        self.settle();
        if !self.acts.is_empty() || self.executor.calls > 0 {
            let index = u32::try_from(self.walk.segments.len()).unwrap_or(u32::MAX);
            let node = std::mem::take(&mut self.node);
            let segment = self.segment(index, node, SegmentStop::Over);
            self.walk.segments.push(segment);
        }
        self.unwind();
        self.walk
    }

    /// Where an environment keeps a clock in its state, no call leads back: every accepted one brought a state of its own, though
    /// the agent met fewer situations. There a call that brought the same words as once before is taken to lead back.
    fn unwind(&mut self) {
        let acts = || self.walk.segments.iter().flat_map(|segment| &segment.acts);
        let accepted = acts().filter(|act| act.effect != Effect::Rejected).count();
        let clock = self.walk.situations.is_some_and(|met| (met as usize) < self.seen.len())
            && self.seen.len() == accepted + 1
            && acts().count() == self.again.len();
        if !clock {
            return;
        }
        let acts = self.walk.segments.iter_mut().flat_map(|segment| &mut segment.acts);
        for (act, _) in acts.zip(&self.again).filter(|(act, again)| **again && act.effect == Effect::New) {
            act.effect = Effect::Back;
        }
    }
}

fn graph(record: GraphChosen) -> Graph {
    let node = |node: records::GraphNode| GraphNode {
        name: node.name,
        goal: node.goal,
        tools: node.tools,
        suggested: Vec::new(),
    };
    let edge = |edge: records::GraphEdge| GraphEdge { from: edge.from, to: edge.to, criterion: edge.criterion };
    Graph {
        id: record.id,
        source: record.source,
        planner: record.planner.unwrap_or_default(),
        shots: record.shots.unwrap_or_default(),
        entry: record.entry,
        nodes: record.nodes.into_iter().map(node).collect(),
        edges: record.edges.into_iter().map(edge).collect(),
        ways: record.ways,
    }
}

#[cfg(test)]
mod tests {
    use gimbal_core::Milli;
    use gimbal_core::event::{MessageUsed, Rejected, Started, ToolCalled};
    use gimbal_messages::records::memory::Memory;

    use super::*;
    use crate::cyclic::{repairs, visits};

    fn text(text: &str) -> TextRef {
        TextRef::inline(text)
    }

    fn inline(reference: &TextRef) -> Result<String, String> {
        Ok(reference.as_inline().unwrap_or_default().to_owned())
    }

    fn events(bodies: Vec<Body>) -> Vec<Event> {
        bodies.into_iter().map(|body| Event { body, lane: 0, step: 1 }).collect()
    }

    fn note<R: Record>(record: &R) -> Body {
        Body::Note(Note { data: text(&record.data().to_string()), kind: R::KIND.to_owned() })
    }

    fn asked(role: &str, prompt: u64) -> Body {
        Body::ModelCalled(ModelCalled {
            call: 0,
            extends: Vec::new(),
            grammar: text(""),
            kept: 0,
            messages: vec![MessageUsed { speaker: "user".to_owned(), text: text("x") }],
            outcome: "completed".to_owned(),
            output_tokens: 1,
            prompt_tokens: prompt,
            reply: text("y"),
            role: role.to_owned(),
            sampling: text("{}"),
            tools: text(""),
        })
    }

    fn act(command: &str) -> Body {
        let arguments = text(&serde_json::json!({ "command": command }).to_string());
        Body::ToolCalled(ToolCalled { arguments, justification: text(""), tool: "do".to_owned() })
    }

    fn stepped(state: &str) -> Body {
        Body::Stepped(StepTaken { observation: text(""), reward: Milli(0), state: Digest::of(state.as_bytes()) })
    }

    fn refused() -> Body {
        Body::Rejected(Rejected { message: text(""), reason: "bad_value".to_owned(), text: text("") })
    }

    fn walk(bodies: Vec<Body>) -> Trajectory {
        let mut texts = inline;
        let asks = ["judge".to_owned()];
        let mut builder = TrajectoryBuilder::new(&mut texts, &asks);
        builder.read(&events(bodies)).unwrap();
        builder.finish()
    }

    /// An episode as the controllers note it: planner, two segments with a diverted decision between them, one without a
    /// readable choice, and one that the end cuts short.
    // covers: CYC-003, CYC-015, CYC-061, CYC-062, CYC-084, CYC-096
    #[test]
    fn notes_become_segments_and_decisions() {
        let node = |name: &str, goal: &str, tools: &[&str]| records::GraphNode {
            name: name.to_owned(),
            goal: goal.to_owned(),
            tools: tools.iter().map(|tool| (*tool).to_owned()).collect(),
        };
        let (from, to, criterion) = ("A".to_owned(), "B".to_owned(), "when A is done".to_owned());
        let graph = GraphChosen {
            id: "0123456789ab".to_owned(),
            kind: "cyclic".to_owned(),
            source: "planner".to_owned(),
            ways: "sparse".to_owned(),
            entry: "A".to_owned(),
            nodes: vec![node("A", "begin", &["get"]), node("B", "end", &["get", "do"])],
            edges: vec![records::GraphEdge { from, to, criterion, weight: Some(300) }],
            planner: None,
            shots: None,
            rules: None,
        };
        let routed = |index: u32, from: &str, wanted: &str, to: &str, valid: bool, faulted: bool| {
            note(&records::Routed {
                index,
                from: from.to_owned(),
                wanted: wanted.to_owned(),
                to: to.to_owned(),
                valid,
                repaired: !valid,
                cached: false,
                faulted,
                candidates: 2,
                ahead: None,
                left: None,
                by: None,
                rule: None,
            })
        };
        let segment = |index: u32, node: &str, calls: u32, ended: SegmentStop| {
            note(&SegmentEnded { index, node: node.to_owned(), calls, ended })
        };
        let loops = |loops: &[&str]| {
            let loops = loops.iter().map(|one| (*one).to_owned()).collect();
            note(&MemoryKept { index: 0, memory: Memory { loops, ..Memory::default() } })
        };
        let walk = walk(vec![
            Body::Started(Started {
                key: Digest::of(b"key"),
                materials: Vec::new(),
                observation: text(
                    "You see a table.

Goal: craft polished_granite.
",
                ),
                seed: "00".to_owned(),
                state: Digest::of(b"0"),
                task: "t".to_owned(),
                tools: text("[]"),
                trial: 0,
                version: 1,
            }),
            asked("planner", 500),
            note(&records::Planned { attempts: 2, valid: true, problems: vec!["no edges".to_owned()] }),
            note(&graph),
            asked("executor", 100),
            act("a"),
            stepped("1"),
            asked("executor", 100),
            refused(),
            act("b"),
            refused(),
            segment(0, "A", 2, SegmentStop::Done),
            asked("router", 40),
            loops(&["A again"]),
            routed(0, "A", "B", "A", true, true),
            act("c"),
            stepped("1"),
            asked("judge", 9999),
            act("d"),
            stepped("0"),
            segment(1, "A", 2, SegmentStop::LocalBudget),
            asked("router", 40),
            asked("router", 60),
            loops(&["and again"]),
            routed(1, "A", "A", "A", false, false),
            asked("executor", 100),
            act("e"),
            stepped("2"),
        ]);
        assert_eq!((walk.planner.tokens(), walk.spent.calls, walk.spent.input), (501, 7, 940));
        assert_eq!(walk.planned, Some(Planned { attempts: 2, valid: true }));
        let graph = walk.graph().unwrap();
        assert!(graph.is_restricted("A") && !graph.is_restricted("B"));
        assert_eq!(graph.criterion_words(), Some(4.0));
        let [first, second, third] = walk.segments.as_slice() else { panic!("{:#?}", walk.segments) };
        let effects = |segment: &Segment| segment.acts.iter().map(|act| act.effect).collect::<Vec<_>>();
        assert_eq!(effects(first), [Effect::New, Effect::Rejected], "an unreadable answer is no call");
        assert_eq!(effects(second), [Effect::Nothing, Effect::Back]);
        assert_eq!((first.executor.calls, first.router.input, first.calls), (2, 40, 2));
        assert_eq!((second.router.calls, second.router.input, second.ended), (2, 100, SegmentStop::LocalBudget));
        assert_eq!((first.loops_noted, second.loops_noted), (1, 1));
        assert_eq!((third.node.as_str(), third.ended, third.calls), ("A", SegmentStop::Over, 1));
        let counts = visits(&walk);
        assert_eq!((counts.total, counts.unique, counts.revisits, counts.self_loops), (2, 1, 1, 2));
        assert_eq!(repairs(&walk)[0].taken, None, "never set right");
        assert!(!walk.segments[1].routed.as_ref().unwrap().valid);
    }

    /// An agent without a graph is one segment at no node; records of other systems are passed over.
    // covers: CYC-095
    #[test]
    fn an_agent_without_a_graph_is_no_walk() {
        let gated = Gated { figures: 3, supported: 1, ..Gated::default() };
        let other = Note { data: text("{}"), kind: "voted".to_owned() };
        let walk = walk(vec![asked("default", 10), act("a"), stepped("1"), note(&gated), Body::Note(other)]);
        assert_eq!((walk.segments.len(), walk.graphs.len(), visits(&walk).total), (1, 0, 0));
        assert_eq!(walk.gates, [Gate { figures: 3, supported: 1, ..Gate::default() }]);
    }

    #[test]
    fn a_record_that_does_not_read_is_an_error_with_its_place() {
        let mut texts = inline;
        let mut builder = TrajectoryBuilder::new(&mut texts, &[]);
        let data = TextRef::inline(r#"{"index":0,"node":"A","calls":"two","ended":"done"}"#);
        let note = Body::Note(Note { data, kind: "segment".to_owned() });
        let error = builder.read(&events(vec![act("a"), note])).unwrap_err().to_string();
        assert!(error.contains("event 1: the record `segment` cannot be read: `calls`: "), "{error}");
    }
}
