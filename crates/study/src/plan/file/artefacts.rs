//! The section `artefacts` of a study, or of one of its architectures: the files of things built before episodes.

use std::collections::BTreeMap;

use gimbal_core::yaml::{Kind, Location, Member, Node};
use serde_json::Value;

use crate::plan::error::Problem;
use crate::plan::members::{Members, string};

/// An artefact as a study names it.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct NamedArtefact {
    /// Path of its file; `None` where an architecture goes without the study's.
    pub path: Option<String>,
    /// Where it is named.
    pub at: Location,
}

/// Artefacts by name.
pub type NamedArtefacts = BTreeMap<String, NamedArtefact>;

/// The section: names and files. `~` in the place of a file is none.
pub(super) fn artefacts(node: &Node, file: &str) -> Result<NamedArtefacts, Problem> {
    let members = Members::of(node, file, "`artefacts`")?;
    let mut named = NamedArtefacts::new();
    for Member { key, at, value } in members.others() {
        if key.is_empty() {
            return Err(Problem::at(
                file,
                *at,
                "`artefacts`: a name is empty; write the name that an architecture asks for",
            ));
        }
        let path = match value.kind {
            Kind::Scalar(Value::Null) => None,
            _ => Some(string(value, file, &format!("the file of the artefact `{key}`"))?),
        };
        named.insert(key.clone(), NamedArtefact { path, at: *at });
    }
    Ok(named)
}
