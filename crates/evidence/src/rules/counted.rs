//! Records that are only counted, and what rules could find in them.

use super::{RuleSet, ThreatRule};
use crate::{Class, Fact, Packet};

/// Records that are only counted, and of which a rule could hold: it asks for something in which they differ.
#[must_use]
pub fn counted_only(packet: &Packet, rules: &RuleSet) -> u64 {
    let counted = packet.facts().iter().filter(|fact| fact.aggregate.is_some() && !fact.class.is_context());
    let hidden = counted.map(|counted| {
        let key = |fact: &Fact| (fact.class, fact.action.clone(), fact.actor.clone(), fact.object.clone());
        let of_group = |fact: &&Fact| fact.aggregate.is_none() && key(fact) == key(counted);
        let shown: Vec<&Fact> = packet.facts().iter().filter(of_group).collect();
        let hidden = counted.count().saturating_sub(shown.len() as u64);
        let could = |rule: &ThreatRule| rule.when.could_hold_of_counted(counted, &shown, &rules.fields);
        let is_open = counted.class == Class::Other || rules.threats.iter().any(could);
        if hidden > 0 && is_open { hidden } else { 0 }
    });
    hidden.sum()
}
