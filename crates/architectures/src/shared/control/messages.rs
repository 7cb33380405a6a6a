//! The messages between a controller and its agents. Their forms depend on the graph, the tools and the segment: the request
//! brings them.

use gimbal_core::Brief;
use gimbal_messages::Message;
use serde_json::{Value, json};

/// A message whose form its request brings.
#[derive(Debug)]
pub struct Requested {
    name: &'static str,
    request: fn(&Brief) -> Value,
}

/// A task graph: subtasks and a criterion for every way between them (CYC-001).
pub static GRAPH: Requested = Requested { name: "graph", request: planning };
/// An ordered list of subtasks (CYC-025).
pub static SUBTASKS: Requested = Requested { name: "subtasks", request: planning };
/// What a segment came to, the memory, and where control goes next (CYC-013).
pub static ROUTING: Requested = Requested { name: "routing", request: looking_back };
/// What a segment came to and the memory, without a choice (CYC-025).
pub static GUIDANCE: Requested = Requested { name: "guidance", request: looking_back };
/// What led to success in an episode that was won (CYC-023).
pub static SUMMARY: Requested = Requested { name: "summary", request: summing_up };

impl Message for Requested {
    fn name(&self) -> &'static str {
        self.name
    }

    fn request(&self, brief: &Brief, _target: &str) -> Value {
        (self.request)(brief)
    }
}

fn planning(brief: &Brief) -> Value {
    let tool = json!({ "name": "(a tool)", "description": "(what it does)" });
    json!({ "environment": brief.role, "tools": [tool], "size": { "least": 2, "most": 12 }, "task": brief.goal })
}

fn looking_back(_brief: &Brief) -> Value {
    json!({
        "subtask": { "name": "(its name)", "goal": "(its goal)" }, "segment": "(its calls and results)", "memory": {},
        "calls_left": 1,
    })
}

fn summing_up(brief: &Brief) -> Value {
    let call = json!({ "call": "(a call)", "result": "(what was seen then)" });
    json!({
        "environment": brief.role, "task": brief.goal,
        "subtasks": [{ "name": "(a subtask)", "goal": "(its goal)" }],
        "work": [{ "subtask": "(a subtask)", "earlier_calls": 0, "calls": [call], "ended": "(how it ended)" }],
    })
}
