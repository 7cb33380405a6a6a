//! Planners: a subtask for each kind of work, and a criterion for every way between two.

use gimbal_core::chat::InformationKind;
use gimbal_model::Reply;
use serde_json::{Value, json};

use super::{Office, Work};
use crate::kit::{Sheet, embedded};

/// The tools that the request lists, by name.
fn tools(sheet: &Sheet<'_>) -> Vec<String> {
    let listed = sheet.request(&["tools"]).and_then(|request| request.get("tools").and_then(Value::as_array).cloned());
    let listed = listed.unwrap_or_else(|| {
        // A repair may show the request in another place of the message.
        let tools = embedded(sheet.first()).find_map(|value| value["tools"].as_array().cloned());
        tools.unwrap_or_default()
    });
    let names: Vec<String> =
        listed.iter().filter_map(|tool| tool.get("name").unwrap_or(tool).as_str()).map(str::to_owned).collect();
    if names.is_empty() {
        sheet.miss(InformationKind::Tools, "the list `tools` of the planner's request");
    }
    names
}

/// How many subtasks there must be, and may be.
fn size(sheet: &Sheet<'_>) -> (usize, usize) {
    let size = sheet.request(&["size"]).and_then(|request| request.get("size").cloned()).unwrap_or_default();
    let bound = |key: &str, other: u64| size.get(key).and_then(Value::as_u64).unwrap_or(other);
    (usize::try_from(bound("least", 2)).unwrap_or(2), usize::try_from(bound("most", 6)).unwrap_or(6))
}

/// A subtask with its tools.
struct Node {
    work: Work,
    tools: Vec<String>,
}

/// A second look is always possible: it fills a graph that must be larger.
const MORE: [(&str, &str); 8] = [
    ("REVIEW", "Look at what has been reached so far, and say what is still open."),
    ("RECOVER", "Undo or go around what failed last, so that the work can go on."),
    ("VERIFY", "Make sure that the goal is reached in every part, and do what is missing."),
    ("ELSEWHERE", "Try another way to the same end where the first one led nowhere."),
    ("RESUME", "Take up what was left open when another subtask was begun."),
    ("COUNT", "Compare the numbers that are needed with those that are at hand."),
    ("REPEAT", "Do once more what helped before and is needed again."),
    ("CLOSE", "Do the last things that the goal asks for, and nothing else."),
];

fn nodes(sheet: &Sheet<'_>, office: &dyn Office, works: Vec<Work>) -> Vec<Node> {
    let (least, most) = size(sheet);
    let names = tools(sheet);
    let own = |kind: &str| -> Vec<String> {
        let takes = |name: &&String| office.tools(kind).iter().any(|part| name.contains(part));
        names.iter().filter(takes).take(4).cloned().collect()
    };
    let kind = works.last().map_or("", |work| work.kind);
    let more = MORE.into_iter().map(|(name, goal)| Work::new(name, kind, goal));
    let wanted = works.len().clamp(least, most.max(least));
    let all = works.into_iter().chain(more).take(wanted);
    all.map(|work| Node { work, tools: own(work.kind) }).collect()
}

fn shown(nodes: &[Node]) -> Vec<Value> {
    let one = |node: &Node| json!({ "name": node.work.name, "goal": node.work.goal, "tools": node.tools });
    nodes.iter().map(one).collect()
}

/// A complete graph.
pub(super) fn complete(sheet: &Sheet<'_>, office: &dyn Office) -> Reply {
    let nodes = nodes(sheet, office, office.plan());
    let mut edges = Vec::new();
    for from in &nodes {
        for to in &nodes {
            let (from, to) = (from.work.name, to.work.name);
            let criterion = if from == to {
                format!("The next step of the work is still one of {to}, and it can be done now.")
            } else {
                format!("Nothing is left to do in {from} now, and the next step of the work belongs to {to}.")
            };
            edges.push(json!({ "from": from, "to": to, "criterion": criterion }));
        }
    }
    let entry = nodes.first().map_or("", |node| node.work.name);
    let graph = json!({ "nodes": shown(&nodes), "entry": entry, "edges": edges });
    sheet.message("one subtask for each kind of work", &graph)
}

/// A list in order.
pub(super) fn list(sheet: &Sheet<'_>, office: &dyn Office) -> Reply {
    let nodes = nodes(sheet, office, office.list());
    sheet.message("in the order in which the work follows", &Value::from(shown(&nodes)))
}
