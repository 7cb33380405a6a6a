//! What the agents of a controller are asked, for whoever looks at prompts without playing: the requests are filled by the code that fills
//! those of an episode, in a graph that the environment suggests.

use std::sync::Arc;

use gimbal_agent::shown::{OfferedAction, ShownEnvironment};
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
            let size = placed.setting("size").unwrap_or(Settings::default().size);
            let shots: Vec<String> = placed.setting("shots").unwrap_or_default();
            let message = maker::request(&shown.brief, &shown.tools, size, task, &shots);
            Some(Assignment { notes: size_notes(size), ..Assignment::new("", &message) })
        }
        EXECUTOR => {
            let run = example(W::WAYS, &view, (placed, shown))?;
            let most = placed.setting("local_calls").or(shown.brief.segment_calls).unwrap_or(run::LOCAL);
            let message = run::assigned(&run, None, run.left().min(most));
            Some(Assignment { first: run.first.clone(), ..Assignment::new(&run.node().name, &message) })
        }
        ANALYZER => {
            let mut run = example(W::WAYS, &view, (placed, shown))?;
            run.summary = run::summary(&segment(shown), Summary::default());
            run.calls = 1;
            let ways = (W::WAYS != Ways::List).then(|| candidates::of(&run, None));
            let message = analysis::request(&run, 1, ways.as_deref());
            Some(Assignment { first: run.first.clone(), ..Assignment::new("", &message) })
        }
        _ => Assignment::by_message(&placed.agent, shown),
    }
}

/// Where the size of a graph comes from, and what a request may state instead.
fn size_notes((least, most): (usize, usize)) -> Vec<String> {
    let mut notes = Vec::new();
    if (least, most) == Settings::default().size {
        notes.push(format!("size: the default, [{least}, {most}]; the setting `size` of a study replaces it"));
    }
    let enforced = maker::enforced((least, most));
    if enforced != (least, most) {
        notes.push(format!("size: a request under constrained decoding states at most {}", enforced.1));
    }
    notes
}

/// What an agent sees before the first step.
fn view(shown: &ShownEnvironment) -> View {
    let text = shown.first.clone().unwrap_or_default();
    let observation = Arc::new(Observation { text, data: Data::default() });
    View { step: 1, brief: Arc::clone(&shown.brief), observation }
}

/// A run at its first subtask; `None` if the environment has no tools.
fn example(ways: Ways, view: &View, (placed, shown): (&Placed, &ShownEnvironment)) -> Option<Run> {
    let nodes = TaskGraph::suggested(&shown.brief, &shown.tools);
    if nodes.is_empty() {
        return None;
    }
    let graph = if ways == Ways::List { TaskGraph::list(nodes) } else { TaskGraph::complete(nodes) };
    let calls = shown.brief.most_calls(placed.setting("global_calls"));
    Some(Run::of(Arc::new(graph), calls, view))
}

/// A segment of one call that the brief offers.
fn segment(shown: &ShownEnvironment) -> Segment {
    let (call, tool) = match &shown.offered {
        Some(OfferedAction { tool, text }) => (text.clone(), Some(tool.clone())),
        None => ("(what was done)".to_owned(), None),
    };
    let call = CallRecord { call, observation: "(what was seen then)".to_owned(), accepted: true, tool };
    let result = Some("(what the agent says)".to_owned());
    Segment { taken: vec![call], stop: SegmentStop::Done, result, over: None }
}
