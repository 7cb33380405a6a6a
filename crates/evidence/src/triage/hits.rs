//! Hits of rules of others beside a verdict: with title, id, level, author and licence of each rule, and no part of the verdict.

use serde_json::{Value, json};

use super::Triage;
use crate::{Class, Fact};

/// What is above hits in every form.
pub(super) const TITLE: &str = "Rules of others that matched (no part of the verdict)";

impl Triage<'_> {
    /// The facts of hits, in the order of their ids.
    fn hits(&self) -> impl Iterator<Item = &Fact> {
        self.packet.facts().iter().filter(|fact| fact.class == Class::RuleHit)
    }

    /// A line for each hit; none without hits.
    pub(super) fn hit_lines(&self) -> Vec<String> {
        self.hits().map(super::line).collect()
    }

    /// An object for each hit.
    pub(super) fn hit_objects(&self) -> Vec<Value> {
        let object = |fact: &Fact| {
            json!({
                "record": "rule_hit", "fact": fact.id, "rule": fact.attributes.get("rule_id"),
                "title": fact.attributes.get("rule_title"), "level": fact.attributes.get("rule_level"),
                "author": fact.attributes.get("rule_author"), "license": fact.attributes.get("rule_license"),
                "time": fact.time.as_ref().map(|time| time.utc), "at": fact.locator, "records": fact.count(),
            })
        };
        self.hits().map(object).collect()
    }
}
