//! What the agents of a controller are asked, for whoever looks at prompts without playing: the requests are filled by the code that fills
//! those of an episode, in a graph that the environment suggests.

use std::sync::Arc;

use gimbal_agent::shown::ShownEnvironment;
use gimbal_agent::{Assignment, CallRecord, Placed, Segment};
use gimbal_core::{Data, Observation, View};
use gimbal_messages::records::control::SegmentStop;

use super::settings::{FAMILY_LIST_PLANNER, FAMILY_PLANNER, Settings};
use super::{ANALYZER, EXECUTOR, PLANNER, Run, Summary, Walk, analysis, candidates, maker, run};
use crate::shared::graph::{TaskGraph, Ways};
use crate::shared::seen_blocks;

/// What an agent of a controller is asked. A planner is shown the task, unless its persona is one that plans for a family of tasks or is named
/// after such a one.
pub(crate) fn asked<W: Walk>(placed: &Placed, shown: &ShownEnvironment) -> Option<Assignment> {
    let view = view(shown);
    match placed.place {
        PLANNER => {
            let name = &placed.agent.persona().name;
            let of_family = [FAMILY_PLANNER, FAMILY_LIST_PLANNER].iter().any(|known| name.starts_with(known));
            let first = seen_blocks::text(&view);
            let task = (!of_family).then(|| (shown.brief.goal.as_str(), first.as_deref()));
            let message = maker::request(&shown.brief, &shown.tools, Settings::default().size, task, &[]);
            Some(Assignment::new("", &message))
        }
        EXECUTOR => {
            let run = example(W::WAYS, &view, shown)?;
            let most = shown.brief.segment_calls.unwrap_or(run::LOCAL);
            let message = run::assigned(&run, None, run.left().min(most));
            Some(Assignment { first: run.first.clone(), ..Assignment::new(&run.node().name, &message) })
        }
        ANALYZER => {
            let mut run = example(W::WAYS, &view, shown)?;
            run.summary = run::summary(&segment(shown), Summary::default());
            run.calls = 1;
            let ways = (W::WAYS != Ways::List).then(|| candidates::of(&run, None));
            let message = analysis::request(&run, 1, ways.as_deref());
            Some(Assignment { first: run.first.clone(), ..Assignment::new("", &message) })
        }
        _ => Assignment::by_message(&placed.agent, shown),
    }
}

/// What an agent sees before the first step.
fn view(shown: &ShownEnvironment) -> View {
    let text = shown.first.clone().unwrap_or_default();
    let observation = Arc::new(Observation { text, data: Data::default() });
    View { step: 1, brief: Arc::clone(&shown.brief), observation }
}

/// A run at its first subtask; `None` if the environment has no tools.
fn example(ways: Ways, view: &View, shown: &ShownEnvironment) -> Option<Run> {
    let nodes = TaskGraph::suggested(&shown.brief, &shown.tools);
    if nodes.is_empty() {
        return None;
    }
    let graph = if ways == Ways::List { TaskGraph::list(nodes) } else { TaskGraph::complete(nodes) };
    Some(Run::of(Arc::new(graph), shown.brief.horizon, view))
}

/// A segment of one call.
fn segment(shown: &ShownEnvironment) -> Segment {
    let call = CallRecord {
        call: shown.idle.clone(),
        observation: "(what was seen then)".to_owned(),
        accepted: true,
        tool: Some(shown.brief.idle.tool.clone()),
    };
    let result = Some("(what the agent says)".to_owned());
    Segment { taken: vec![call], stop: SegmentStop::Done, result, over: None }
}
