//! What controllers over subtasks record, as a person reads it (CYC-001 to 028).

use std::fmt::Write as _;

use gimbal_core::StoryMemory;

use super::{GraphChosen, GraphEdge, GraphNode, MemoryKept, Planned, Routed, SegmentEnded, SegmentStop};
use crate::records::memory::Memory;
use crate::records::stage::some;

pub(super) fn ended(ended: &SegmentEnded, _memory: &mut StoryMemory) -> String {
    let SegmentEnded { index, node, calls, ended } = ended;
    let ended = match ended {
        SegmentStop::Done => "the executor ends it",
        SegmentStop::LocalBudget => "its calls are used up",
        SegmentStop::Over => "the episode ends in it",
    };
    format!("segment {index} of {node}: {}; {ended}", some(u64::from(*calls), "call", "calls"))
}

pub(super) fn kept(kept: &MemoryKept, _memory: &mut StoryMemory) -> String {
    let MemoryKept { index, memory } = kept;
    format!("memory after segment {index}: {}", remembered(memory))
}

pub(super) fn graph(graph: &GraphChosen, _memory: &mut StoryMemory) -> String {
    let GraphChosen { id, kind, source, ways, entry, nodes, edges, planner, shots, rules } = graph;
    let mut out = format!(
        "graph {id} ({kind}, {ways}, from {source}): {}, {}, begins with {entry}",
        some(nodes.len() as u64, "subtask", "subtasks"),
        some(edges.len() as u64, "edge with its criterion", "edges with their criteria"),
    );
    if let Some(rules) = rules {
        let _ = write!(out, ", {}", some(rules.len() as u64, "rule", "rules"));
    }
    if let Some(planner) = planner {
        let _ = write!(out, "; made by {planner}");
    }
    if let Some(shots) = shots {
        let _ = write!(out, " with the summaries {shots}");
    }
    for node in nodes {
        let _ = write!(out, "\n  {}", subtask(node, nodes.len(), edges));
    }
    out
}

/// A subtask, with where control may go from it.
fn subtask(node: &GraphNode, nodes: usize, edges: &[GraphEdge]) -> String {
    let GraphNode { name, goal, tools } = node;
    let to: Vec<&str> = edges.iter().filter(|edge| edge.from == *name).map(|edge| edge.to.as_str()).collect();
    let to = match to.len() {
        0 => "nowhere".to_owned(),
        all if all == nodes && nodes > 1 => format!("all {all}"),
        _ => to.join(", "),
    };
    let tools = match tools.len() {
        0 => "all tools".to_owned(),
        count => some(count as u64, "tool", "tools"),
    };
    format!("{name} ({tools}) -> {to}: {goal}")
}

pub(super) fn planned(planned: &Planned, _memory: &mut StoryMemory) -> String {
    let Planned { attempts, valid, problems } = planned;
    let what = if *valid { "the planner gave a graph" } else { "the planner gave no graph" };
    let problems = if problems.is_empty() { String::new() } else { format!(": {}", problems.join("; ")) };
    format!("{what} after {}{problems}", some(u64::from(*attempts), "attempt", "attempts"))
}

pub(super) fn routed(routed: &Routed, _memory: &mut StoryMemory) -> String {
    let Routed { from, wanted, to, valid, repaired, cached, faulted, candidates, ahead, by, rule, .. } = routed;
    let mut facts = vec![some(u64::from(*candidates), "candidate", "candidates")];
    let mut note = |holds: bool, words: String| {
        if holds {
            facts.push(words);
        }
    };
    note(*repaired, "after a repair".to_owned());
    note(!valid, "no valid name was written".to_owned());
    note(*cached, "taken from an equal decision before".to_owned());
    note(*ahead == Some(true), "decided by an earlier call".to_owned());
    note(*faulted, "sent elsewhere by an injected fault".to_owned());
    note(wanted != to && !wanted.is_empty(), format!("wanted was {wanted}"));
    if let Some(by) = by {
        note(true, format!("decided by the {}", format!("{by:?}").to_lowercase()));
    }
    if let Some(Some(rule)) = rule {
        note(true, format!("rule {rule}"));
    }
    format!("control goes from {from} to {to} ({})", facts.join(", "))
}

/// The parts of a memory of which something is known; of lists their length and their last item.
fn remembered(memory: &Memory) -> String {
    let Memory { objective, facts, state, attempts, loops, needs, hint } = memory;
    let texts = [("objective", objective), ("state", state), ("next", hint)];
    let texts = texts.into_iter().filter(|(_, text)| !text.is_empty()).map(|(name, text)| format!("{name}: {text}"));
    let lists = [("facts", facts), ("attempts", attempts), ("repeated", loops), ("needed", needs)];
    let lists = lists.into_iter().filter_map(|(name, items)| Some((name, items.len(), items.last()?)));
    let lists = lists.map(|(name, count, last)| match count {
        1 => format!("{name}: {last}"),
        count => format!("{name} ({count}), the last: {last}"),
    });
    let parts: Vec<String> = texts.chain(lists).collect();
    if parts.is_empty() { "nothing is known".to_owned() } else { parts.join("; ") }
}

#[cfg(test)]
mod tests {
    use gimbal_core::{RecordKinds, StoryMemory};

    use crate::records::control::KINDS;

    fn tell(kind: &str, data: &str) -> Option<String> {
        RecordKinds::new(KINDS.iter().copied()).tell(kind, data, &mut StoryMemory::default()).unwrap()
    }

    #[test]
    fn a_graph_is_told_by_its_subtasks_and_counts() {
        let graph = r#"{"edges":[{"criterion":"more","from":"GET","to":"GET"},{"criterion":"enough","from":"GET","to":"MAKE"}],
            "entry":"GET","id":"9bd0ad7f209f","kind":"cyclic","nodes":[{"goal":"Get items.","name":"GET","tools":["get"]},
            {"goal":"Craft.","name":"MAKE"}],"source":"planner","ways":"sparse"}"#;
        let told = "graph 9bd0ad7f209f (cyclic, sparse, from planner): 2 subtasks, 2 edges with their criteria, begins with GET\n  \
                    GET (1 tool) -> all 2: Get items.\n  MAKE (all tools) -> nowhere: Craft.";
        assert_eq!(tell("graph", graph).as_deref(), Some(told));
        let failed = r#"{"attempts":2,"problems":["no JSON","no nodes"],"valid":false}"#;
        let told = "the planner gave no graph after 2 attempts: no JSON; no nodes";
        assert_eq!(tell("planned", failed).as_deref(), Some(told));
    }

    #[test]
    fn segments_and_where_control_goes_are_told_in_words() {
        let segment = r#"{"calls":1,"ended":"local_budget","index":2,"node":"MAKE"}"#;
        assert_eq!(tell("segment", segment).as_deref(), Some("segment 2 of MAKE: 1 call; its calls are used up"));
        let routed = r#"{"cached":false,"candidates":6,"faulted":true,"from":"GET","index":0,"repaired":true,"to":"PLAN","valid":true,
            "wanted":"MAKE","by":"router","rule":null}"#;
        let told = "control goes from GET to PLAN (6 candidates, after a repair, sent elsewhere by an injected fault, wanted was MAKE, \
                    decided by the router)";
        assert_eq!(tell("routed", routed).as_deref(), Some(told));
        let memory = r#"{"index":1,"memory":{"attempts":["a","b"],"facts":[],"hint":"craft","loops":[],"needs":["logs"],"objective":"","state":"8 planks"}}"#;
        let told = "memory after segment 1: state: 8 planks; next: craft; attempts (2), the last: b; needed: logs";
        assert_eq!(tell("memory", memory).as_deref(), Some(told));
    }
}
