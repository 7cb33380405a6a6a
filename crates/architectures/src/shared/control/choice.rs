//! What a router chose, read from its answer.

use serde_json::{Map, Value};

use super::candidates::Way;
use crate::shared::graph::{Index, TaskGraph};

/// What a router chooses among.
#[derive(Clone, Copy)]
pub(super) struct Choice<'a> {
    pub graph: &'a TaskGraph,
    /// All ways of the graph.
    pub index: &'a Index,
    /// Place of the present subtask.
    pub from: usize,
    /// The ways that the router was shown.
    pub ways: &'a [Way],
    /// Most subtasks that one answer decides (CYC-097).
    pub most: usize,
}

/// Keys under which models name a subtask.
const NEXT: [&str; 4] = ["next", "to", "subtask", "name"];

impl Choice<'_> {
    /// Places of the subtasks that a router named, as far as they are among those that it was shown and a way leads from each
    /// to the next; `None` if the first is not a choice. The name is under `next`, or as the router was shown a way (`to`). No
    /// other key of the whole answer names a subtask.
    pub(super) fn read(self, members: &Map<String, Value>) -> Option<Vec<usize>> {
        let next = NEXT[..2].iter().find_map(|key| members.get(*key).filter(|value| !value.is_null()))?;
        let names = match next {
            Value::Array(names) if self.most > 1 || names.len() == 1 => names.as_slice(),
            name => std::slice::from_ref(name),
        };
        let mut places = vec![self.shown(names.first()?)?];
        for name in names.iter().skip(1).take(self.most - 1) {
            let last = places.last().copied().unwrap_or(self.from);
            match self.shown(name).filter(|place| self.index.leads(last, *place)) {
                Some(place) => places.push(place),
                // What comes after an unknown name was meant for another way.
                None => break,
            }
        }
        Some(places)
    }

    /// The subtask that an answer names which is not an object: the name and nothing else.
    pub(super) fn bare(self, text: &str) -> Option<Vec<usize>> {
        let name = Value::from(text.trim());
        self.shown(&name).map(|place| vec![place])
    }

    fn shown(self, name: &Value) -> Option<usize> {
        let place = self.graph.place(name_of(name)?)?;
        self.ways.iter().any(|way| way.to == place).then_some(place)
    }
}

/// The name in what is written as a subtask: a text, with a full stop or quotes perhaps, or an object that holds one.
fn name_of(value: &Value) -> Option<&str> {
    let text = match value {
        Value::Object(members) => NEXT.iter().find_map(|key| members.get(*key)?.as_str()),
        other => other.as_str(),
    };
    let odd = |letter: char| letter.is_whitespace() || matches!(letter, '.' | ',' | ';' | '!' | '"' | '\'' | '`' | '*');
    text.map(|text| text.trim_matches(odd)).filter(|name| !name.is_empty())
}
