//! The graph that an environment is played with, where it is known before an episode begins.

use super::{Maker, Source};
use crate::shared::graph::{TaskGraph, Ways};

impl Maker {
    /// The graph that is given for an environment before an episode begins, and what to call it; `None` if there is none.
    pub(crate) fn given(&self, environment: &str, planned_by: Option<&str>) -> Option<(String, &TaskGraph)> {
        match &self.source {
            Source::File(graph) => {
                let place = match &self.file {
                    Some(name) => format!("the graph graphs/{name}.yaml"),
                    None => "the graph of the study".to_owned(),
                };
                Some((place, graph))
            }
            Source::Family(kind, graphs) => {
                let list = if self.ways == Ways::List { "-list" } else { kind.suffix() };
                let place = format!("the graph of the family, graphs/{environment}{list}.yaml");
                graphs.get(environment).map(|graph| (place, &**graph))
            }
            Source::Planned(graphs) => {
                let model = planned_by?.to_owned();
                let place = format!("the graph that `{model}` planned for `{environment}`");
                graphs.get(&(environment.to_owned(), model)).map(|graph| (place, &**graph))
            }
            Source::Suggested | Source::Planner(_) => None,
        }
    }
}
