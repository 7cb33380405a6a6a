//! The analyzer, which is the router too: one structured call a segment (CYC-013).

use std::collections::BTreeMap;

use gimbal_agent::contract::{bounded, object, spaced};
use gimbal_agent::prompt::Question;
use gimbal_agent::protocol::form::Form;
use gimbal_agent::{Advice, Agent, Alone, Seat, Wanted};
use gimbal_core::{Digest, Halt, Hint, LaneId, Stage};
use serde_json::{Map, Value, json};

use super::{Memory, Run, candidates};

/// What the router decided.
pub(crate) struct Routed {
    /// Place of the subtask that it wants next.
    pub wanted: usize,
    /// Whether it named one that it may choose.
    pub valid: bool,
    /// Whether it took a second call to get there.
    pub repaired: bool,
    /// Whether an earlier decision was used again.
    pub cached: bool,
    /// How many ways it chose among: |A_m| (CYC-069).
    pub candidates: usize,
}

/// Analyses a segment, keeps the memory and, where it is asked to, chooses the next subtask.
pub(crate) struct Analyzer {
    pub agent: Agent,
    /// Most ways that the router is shown; all where none (CYC-092).
    pub top: Option<usize>,
    /// Whether a decision in the same situation is used again (CYC-097).
    pub cached: bool,
}

/// Decisions of this episode by what they were made on.
pub(crate) type Cache = BTreeMap<Digest, usize>;

impl Analyzer {
    /// Updates the memory and chooses the next subtask. An invalid choice is asked for once more, and then the present
    /// subtask is repeated (CYC-015).
    pub(crate) async fn route(&self, stage: &dyn Stage, run: &mut Run, cache: &mut Cache) -> Result<Routed, Halt> {
        let ways = candidates::of(run, self.top);
        let listed: Vec<Value> = ways
            .iter()
            .map(|way| {
                let mut item = json!({ "to": run.graph.nodes[way.to].name, "criterion": way.criterion });
                if way.weight != 1000 {
                    item["preference"] = (f64::from(way.weight) / 1000.0).into();
                }
                item
            })
            .collect();
        let request = self.request(run, Some(listed));
        // What is left of the calls says nothing of where to go.
        let situation = Digest::of(spaced(&json!([run.node, run.summary, run.memory.message()])).as_bytes());
        if let Some(wanted) = cache.get(&situation).filter(|_| self.cached) {
            let (wanted, candidates) = (*wanted, ways.len());
            return Ok(Routed { wanted, valid: true, repaired: false, cached: true, candidates });
        }
        let names: Vec<String> = ways.iter().map(|way| run.graph.nodes[way.to].name.clone()).collect();
        let view = stage.view().await;
        let competent = view.expert.as_ref().map(|expert| {
            let belongs = |place: &usize| run.graph.nodes[*place].has(&expert.tool);
            let places = || ways.iter().map(|way| way.to);
            let right = places().find(|place| *place == run.node && belongs(place)).or_else(|| places().find(belongs));
            let right = right.unwrap_or(run.node);
            let say = |place: usize| spaced(&self.answer(run, Some(&run.graph.nodes[place].name)));
            let wrong = places().filter(|place| *place != right).map(say).collect();
            Hint { answer: say(right), alternatives: wrong }
        });
        let form = Form::object(&[
            ("analysis", Form::text(1, 200)),
            ("memory", Memory::form()),
            ("next", Form::word(&names)),
            ("reason", Form::text(1, 120)),
        ]);
        let wanted = Wanted { form, competent };
        let seat = self.agent.seat(stage).await?;
        let chosen = |run: &Run, members: &Map<String, Value>| {
            let place = run.graph.place(members.get("next").and_then(Value::as_str)?)?;
            ways.iter().any(|way| way.to == place).then_some(place)
        };
        let written = self.ask(stage, &seat, request, &wanted).await?;
        let mut choice = self.take(run, written.as_deref()).and_then(|members| chosen(run, &members));
        let repaired = choice.is_none();
        if repaired {
            let broken = format!(
                "`next` must be one of: {}\n\n{}",
                names.join(", "),
                written.as_deref().unwrap_or("(nothing was written)")
            );
            let mended = seat.repair_of(stage, LaneId::TRUNK, &broken, Some(&wanted)).await?;
            choice = self.take(run, mended.as_deref()).and_then(|members| chosen(run, &members));
        }
        if let (Some(place), true) = (choice, self.cached) {
            cache.insert(situation, place);
        }
        let valid = choice.is_some();
        let wanted = choice.unwrap_or(run.node);
        Ok(Routed { wanted, valid, repaired, cached: false, candidates: ways.len() })
    }

    /// Updates the memory without a choice (CYC-025).
    pub(crate) async fn guide(&self, stage: &dyn Stage, run: &mut Run) -> Result<(), Halt> {
        let view = stage.view().await;
        let competent =
            view.expert.is_some().then(|| Hint { answer: spaced(&self.answer(run, None)), alternatives: Vec::new() });
        let form = Form::object(&[("analysis", Form::text(1, 200)), ("memory", Memory::form())]);
        let wanted = Wanted { form, competent };
        let seat = self.agent.seat(stage).await?;
        let request = self.request(run, None);
        let written = self.ask(stage, &seat, request, &wanted).await?;
        self.take(run, written.as_deref());
        Ok(())
    }

    fn request(&self, run: &Run, ways: Option<Vec<Value>>) -> Value {
        let node = run.node();
        let mut request = json!({
            "subtask": { "name": node.name, "what": node.goal }, "segment": run.summary,
            "memory": run.memory.message(), "calls_left": run.left(),
        });
        match ways {
            Some(ways) => request["ways"] = ways.into(),
            None => {
                request["next"] = run
                    .graph
                    .nodes
                    .get(run.node + 1)
                    .map_or(Value::Null, |next| json!({ "name": next.name, "what": next.goal }));
            }
        }
        request
    }

    async fn ask(
        &self,
        stage: &dyn Stage,
        seat: &Seat<'_>,
        request: Value,
        wanted: &Wanted,
    ) -> Result<Option<String>, Halt> {
        let lane = LaneId::TRUNK;
        let message = stage.send(lane, "controller", self.agent.role(), "segment", request).await.unwrap_or_default();
        let text = spaced(&message);
        let question = Question { target: "", message: &text };
        Ok(match seat.consult(stage, lane, &[], question, (&Alone, Some(wanted))).await? {
            Advice::Text(text) => Some(text),
            Advice::None(_) => None,
        })
    }

    /// Takes the memory out of what was written; its members, if it is an object at all.
    fn take(&self, run: &mut Run, written: Option<&str>) -> Option<Map<String, Value>> {
        let (members, _) = object(written?)?;
        if let Some(memory) = members.get("memory").and_then(Value::as_object) {
            run.memory = run.memory.updated(memory);
        }
        Some(members)
    }

    /// What a competent analyzer writes.
    fn answer(&self, run: &Run, next: Option<&str>) -> Value {
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
            answer["next"] = next.into();
            answer["reason"] = "The next call belongs there.".into();
        }
        answer
    }
}

/// A text in the letters that a form lets through, cut to a length.
fn printable(text: &str, most: usize) -> String {
    let keep = |letter: char| if letter.is_ascii_graphic() && !"\"\\".contains(letter) { letter } else { ' ' };
    bounded(&text.chars().map(keep).collect::<String>(), most)
}
