//! What of roles and faults decides the episodes of a cell: roles that are never asked and faults that are never injected make no
//! cell, so that none is played twice under another name.

use std::collections::{BTreeMap, BTreeSet};

use gimbal_core::{Needs, Offers, RoleSettings};
use serde_json::Value;

use super::faults::FaultSet;
use crate::faults::{Fault, Faults, Site};

/// The roles of a set that are asked: those that are named, and `default` where one is not.
pub(super) fn used(roles: &BTreeMap<String, RoleSettings>, asked: &[&String]) -> BTreeMap<String, RoleSettings> {
    let for_all = asked.iter().any(|role| !roles.contains_key(role.as_str()));
    let is_asked = |role: &String| asked.contains(&role) || (role == "default" && for_all);
    roles.iter().filter(|(role, _)| is_asked(role)).map(|(role, own)| (role.clone(), own.clone())).collect()
}

/// What of roles decides episodes: who answers each role that is asked, under whatever name it was written.
pub(super) fn answering(identities: &Value, asked: &[&String]) -> Value {
    let of = |role: &String| identities.get(role.as_str()).or_else(|| identities.get("default")).cloned();
    asked.iter().map(|role| ((*role).clone(), of(role).unwrap_or_default())).collect::<serde_json::Map<_, _>>().into()
}

/// The same as the study writes it, to distinguish entries with the same effect.
pub(super) fn answered(roles: &BTreeMap<String, RoleSettings>, asked: &[&String]) -> String {
    let of = |role: &String| roles.get(role).or_else(|| roles.get("default"));
    let asked: BTreeMap<&String, _> = asked.iter().map(|role| (*role, of(role))).collect();
    format!("{asked:?}")
}

/// Why a fault is never injected into an architecture on an environment; `None` where it may be.
fn never(fault: Fault, needs: &Needs, offers: &Offers) -> Option<&'static str> {
    if needs.roles.is_empty() {
        return Some("nothing in it sees a prompt");
    }
    match fault.site() {
        Site::Routing if !needs.routes => Some("control never goes from one part of it to another"),
        Site::Message if !needs.messages => Some("it sends no message between agents"),
        Site::Answer if !offers.answers => Some("no call of the environment ends a task with an answer"),
        _ => None,
    }
}

/// The faults that may be injected.
pub(super) fn possible(faults: &Faults, needs: &Needs, offers: &Offers) -> Faults {
    faults.only(|fault| never(fault, needs, offers).is_none())
}

/// The cells of one architecture on one environment, and why the other combinations are none.
#[derive(Default)]
pub(super) struct Merged {
    combinations: usize,
    cells: usize,
    by_roles: bool,
    by_faults: BTreeMap<String, &'static str>,
}

impl Merged {
    /// A combination of roles and faults that is a cell of its own.
    pub(super) fn own(&mut self) {
        self.combinations += 1;
        self.cells += 1;
    }

    /// One that plays the episodes of a cell before it.
    pub(super) fn same(&mut self, by_roles: bool) {
        self.combinations += 1;
        self.by_roles |= by_roles;
    }

    /// Faults of which none is ever injected.
    pub(super) fn idle(&mut self, set: &FaultSet, needs: &Needs, offers: &Offers) {
        let why = set.faults.rules().iter().find_map(|rule| never(rule.fault, needs, offers));
        self.by_faults.insert(set.label.clone(), why.unwrap_or_default());
    }

    /// What to know of it; `None` where every combination is a cell of its own.
    pub(super) fn words(&self, label: &str, environment: &str, asked: &[&String]) -> Option<String> {
        if self.cells == self.combinations && self.by_faults.is_empty() {
            return None;
        }
        let mut because: Vec<String> =
            self.by_faults.iter().map(|(name, why)| format!("`{name}` is never injected into it ({why})")).collect();
        if self.by_roles {
            let asked: BTreeSet<&str> = asked.iter().map(|role| role.as_str()).collect();
            let asked = asked.into_iter().collect::<Vec<_>>().join(", ");
            because.push(format!("it asks the models of {asked} alone"));
        }
        Some(format!(
            "`{label}` on `{environment}`: {} combinations of roles and faults are {}, each played once: {}",
            self.combinations,
            if self.cells == 1 { "1 cell".to_owned() } else { format!("{} cells", self.cells) },
            because.join("; ")
        ))
    }
}
