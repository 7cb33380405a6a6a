//! State machines over subtasks: rules, learned from measured runs, that say where control goes without a router (CYC-093).
//!
//! A rule looks only at what can be seen when a segment ends: how it ended, its last call to the environment and whether that
//! was refused, how often the subtask has been visited, and which subtask came before. Of each subtask the first rule that
//! fits decides; where none fits, whoever plays asks the router or takes the usual way.

use std::collections::{BTreeMap, BTreeSet};
use std::fmt;

use gimbal_core::{ToolSpec, nearest};
use gimbal_messages::records::control::SegmentStop;
use schemars::{JsonSchema, Schema, SchemaGenerator, json_schema};
use serde::de::Error as _;
use serde::{Deserialize, Deserializer, Serialize};

use super::{GraphError, TaskGraph, Ways};

/// What can be seen when a segment ends.
#[derive(Clone, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub struct Facts {
    /// Why it ended; a segment in which the episode ended is followed by no decision.
    pub ended: SegmentStop,
    /// The tool of its last call that reached the environment; `None` if there was no such call.
    pub tool: Option<String>,
    /// Whether the environment refused that call.
    pub refused: bool,
    /// Which visit of the subtask it was, from 1.
    pub visit: u32,
    /// The subtask of the segment before; none at the first.
    pub after: Option<String>,
}

/// Conditions of a rule: all that are named must hold.
#[derive(Clone, Debug, Default, PartialEq, Eq, PartialOrd, Ord, Serialize, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub struct When {
    /// Why the segment ended: `done` or `local_budget`.
    #[serde(default, skip_serializing_if = "Option::is_none", deserialize_with = "segment_stop")]
    #[schemars(schema_with = "segment_stops")]
    pub ended: Option<SegmentStop>,
    /// The tool of its last call; `none` for a segment without a call.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub tool: Option<String>,
    /// Whether the last call was refused.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub refused: Option<bool>,
    /// Which visits of the subtask, the first and the last of a range, from 1.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub visits: Option<(u32, u32)>,
    /// The subtask of the segment before.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub after: Option<String>,
}

/// The tool that conditions name where a segment had no call.
pub const NO_TOOL: &str = "none";
/// The last of a range of visits that has no end.
pub const EVER: u32 = 9_999;

/// Why a segment ended, as a rule names it. No decision follows the end of the episode, so that no rule can name it.
fn segment_stop<'de, D: Deserializer<'de>>(deserializer: D) -> Result<Option<SegmentStop>, D::Error> {
    match Option::deserialize(deserializer)? {
        Some(SegmentStop::Over) => {
            Err(D::Error::custom("`over`: no decision follows the end of the episode; write `done` or `local_budget`"))
        }
        ended => Ok(ended),
    }
}

fn segment_stops(_: &mut SchemaGenerator) -> Schema {
    json_schema!({ "enum": [SegmentStop::Done.name(), SegmentStop::LocalBudget.name(), null] })
}

impl When {
    /// Whether everything that is named holds.
    #[must_use]
    pub fn fits(&self, facts: &Facts) -> bool {
        self.ended.is_none_or(|ended| ended == facts.ended)
            && self.tool.as_deref().is_none_or(|tool| tool == facts.tool.as_deref().unwrap_or(NO_TOOL))
            && self.refused.is_none_or(|refused| refused == facts.refused)
            && self.visits.is_none_or(|(first, last)| (first..=last).contains(&facts.visit))
            && self.after.as_deref().is_none_or(|after| facts.after.as_deref() == Some(after))
    }

    /// How many conditions are named.
    fn count(&self) -> usize {
        [self.ended.is_some(), self.tool.is_some(), self.refused.is_some(), self.visits.is_some(), self.after.is_some()]
            .into_iter()
            .filter(|named| *named)
            .count()
    }
}

impl fmt::Display for When {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let mut parts = Vec::new();
        parts.extend(self.ended.map(|ended| format!("ended {}", ended.name())));
        parts.extend(self.tool.as_ref().map(|tool| format!("last call {tool}")));
        parts.extend(self.refused.map(|refused| if refused { "refused" } else { "not refused" }.to_owned()));
        parts.extend(self.visits.map(|(first, last)| match last {
            EVER => format!("visit {first} or later"),
            last if last == first => format!("visit {first}"),
            last => format!("visit {first} to {last}"),
        }));
        parts.extend(self.after.as_ref().map(|after| format!("after {after}")));
        f.write_str(&if parts.is_empty() { "always".to_owned() } else { parts.join(", ") })
    }
}

/// A transition of a machine.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub struct Rule {
    /// The subtask that it leaves.
    pub from: String,
    /// Where control goes.
    pub to: String,
    /// When; always where nothing is named.
    #[serde(default)]
    pub when: When,
    /// Measured decisions that fit, of those that no earlier rule covers.
    #[serde(default, skip_serializing_if = "is_nought")]
    pub seen: u64,
    /// Those of them that went there.
    #[serde(default, skip_serializing_if = "is_nought")]
    pub right: u64,
}

#[expect(clippy::trivially_copy_pass_by_ref, reason = "the serialiser hands out references")]
const fn is_nought(count: &u64) -> bool {
    *count == 0
}

/// The rule by which a machine decides at a segment's end, and its number, from 1; `None` if no rule fits.
#[must_use]
pub fn decide<'a>(graph: &'a TaskGraph, from: &str, facts: &Facts) -> Option<(usize, &'a Rule)> {
    let rules = graph.rules.iter().enumerate();
    let mut fitting = rules.filter(|(_, rule)| rule.from == from && rule.when.fits(facts));
    fitting.next().map(|(place, rule)| (place + 1, rule))
}

/// Checks rules and usual ways.
pub(super) fn check(graph: &TaskGraph, tools: Option<&[ToolSpec]>) -> Result<(), GraphError> {
    if graph.ways != Ways::Machine {
        return match (graph.rules.is_empty(), graph.usual.is_empty()) {
            (true, true) => Ok(()),
            (false, _) => Err(GraphError::NotMachine("rules")),
            (true, false) => Err(GraphError::NotMachine("usual")),
        };
    }
    let names: BTreeSet<&str> = graph.nodes.iter().map(|node| node.name.as_str()).collect();
    let ways: BTreeSet<(&str, &str)> = graph.edges.iter().map(|edge| (edge.from.as_str(), edge.to.as_str())).collect();
    let mut always: BTreeSet<&str> = BTreeSet::new();
    for (place, rule) in graph.rules.iter().enumerate() {
        let number = place + 1;
        let wrong = |why: String| GraphError::Rule { number, from: rule.from.clone(), why };
        for end in [Some(&rule.from), Some(&rule.to), rule.when.after.as_ref()].into_iter().flatten() {
            if !names.contains(end.as_str()) {
                return Err(GraphError::Nowhere(end.clone(), format!("rule {number}")));
            }
        }
        if !ways.contains(&(rule.from.as_str(), rule.to.as_str())) {
            let (from, to) = (rule.from.clone(), rule.to.clone());
            return Err(GraphError::NoWay { what: format!("rule {number}"), from, to });
        }
        if always.contains(rule.from.as_str()) {
            return Err(wrong("it is never reached: an earlier rule of that subtask always fits".to_owned()));
        }
        if rule.when.count() == 0 {
            always.insert(&rule.from);
        }
        if let Some((first, last)) = rule.when.visits.filter(|(first, last)| *first == 0 || first > last) {
            return Err(wrong(format!("no visit is in `visits: [{first}, {last}]`; the first visit is 1")));
        }
        if let (Some(tool), Some(tools)) = (rule.when.tool.as_deref().filter(|tool| *tool != NO_TOOL), tools)
            && !tools.iter().any(|spec| spec.name == tool)
        {
            let known = || tools.iter().map(|spec| spec.name.as_str());
            let hint = nearest::hint(tool, known());
            let known = known().collect::<Vec<_>>().join(", ");
            return Err(wrong(format!("there is no tool `{tool}`{hint} (there are: {known}, {NO_TOOL})")));
        }
        if rule.right > rule.seen {
            return Err(wrong(format!("`right: {}` of `seen: {}` cannot be", rule.right, rule.seen)));
        }
    }
    for (from, to) in &graph.usual {
        for end in [from, to] {
            if !names.contains(end.as_str()) {
                return Err(GraphError::Nowhere(end.clone(), "`usual`".to_owned()));
            }
        }
        if !ways.contains(&(from.as_str(), to.as_str())) {
            return Err(GraphError::NoWay { what: "`usual`".to_owned(), from: from.clone(), to: to.clone() });
        }
    }
    Ok(())
}

/// A decision that was measured.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Sample {
    /// The subtask whose segment ended.
    pub from: String,
    /// What could be seen.
    pub facts: Facts,
    /// Where the router wanted to go.
    pub to: String,
}

/// What a rule must bring.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Learning {
    /// Least measured decisions that a rule covers.
    pub least: u64,
    /// Least share of them that went where the rule goes, in thousandths.
    pub purity: u32,
}

impl Default for Learning {
    fn default() -> Self {
        Self { least: 3, purity: 800 }
    }
}

/// Most conditions of a rule.
const CONDITIONS: usize = 3;

/// The machine over the subtasks and ways of `graph` (a sparse one) whose rules cover the measured decisions.
///
/// Rules are found one by one, of each subtask by itself: the one that is right most often of what it covers (by Laplace's
/// estimate), with fewer conditions and then in a fixed order where several are; what it covers is taken out, and so on
/// until none is pure and frequent enough. Ways that samples take and the graph lacks are passed over.
#[must_use]
pub fn learn(graph: &TaskGraph, samples: &[Sample], rules: Learning) -> TaskGraph {
    let mut machine = TaskGraph { ways: Ways::Machine, ..graph.clone() };
    let ways: BTreeSet<(&str, &str)> = graph.edges.iter().map(|edge| (edge.from.as_str(), edge.to.as_str())).collect();
    for node in &graph.nodes {
        // Decisions that look the same are counted together.
        let mut seen: BTreeMap<Facts, BTreeMap<&str, u64>> = BTreeMap::new();
        let own = samples.iter().filter(|sample| sample.from == node.name);
        for sample in own.filter(|sample| ways.contains(&(sample.from.as_str(), sample.to.as_str()))) {
            *seen.entry(sample.facts.clone()).or_default().entry(&sample.to).or_default() += 1;
        }
        let mut sums: BTreeMap<&str, u64> = BTreeMap::new();
        for (to, count) in seen.values().flatten() {
            *sums.entry(to).or_default() += count;
        }
        let usual = sums.iter().max_by_key(|(to, count)| (**count, std::cmp::Reverse(**to)));
        if let Some((to, _)) = usual {
            machine.usual.insert(node.name.clone(), (*to).to_owned());
        }
        while let Some((rule, always)) = best(&node.name, &seen, rules) {
            seen.retain(|facts, _| !rule.when.fits(facts));
            machine.rules.push(rule);
            if always {
                merge(&mut machine.rules, &node.name);
                break;
            }
        }
    }
    machine
}

/// Makes one of the last rules of a subtask that lead to the same place, where the very last one always fits.
fn merge(rules: &mut Vec<Rule>, from: &str) {
    while let [.., earlier, last] = rules.as_mut_slice()
        && earlier.from == from
        && earlier.to == last.to
    {
        earlier.when = When::default();
        earlier.seen += last.seen;
        earlier.right += last.right;
        rules.pop();
    }
}

/// The best rule for what is left, and whether it always fits.
fn best(from: &str, seen: &BTreeMap<Facts, BTreeMap<&str, u64>>, rules: Learning) -> Option<(Rule, bool)> {
    let targets = seen.values().flat_map(BTreeMap::keys).collect::<BTreeSet<_>>().len() as u64;
    let mut found: Option<(Rule, usize)> = None;
    for when in conditions(seen) {
        let mut sums: BTreeMap<&str, u64> = BTreeMap::new();
        for (to, count) in seen.iter().filter(|(facts, _)| when.fits(facts)).flat_map(|(_, counts)| counts) {
            *sums.entry(to).or_default() += count;
        }
        let all: u64 = sums.values().sum();
        let Some((to, right)) = sums.iter().max_by_key(|(to, count)| (**count, std::cmp::Reverse(**to))) else {
            continue;
        };
        if all < rules.least.max(1) || right * 1000 < u64::from(rules.purity) * all {
            continue;
        }
        let count = when.count();
        // (right + 1) / (all + targets), compared without rounding.
        let better = found.as_ref().is_none_or(|(best, conditions)| {
            let (own, other) = ((right + 1) * (best.seen + targets), (best.right + 1) * (all + targets));
            own > other || (own == other && count < *conditions)
        });
        if better {
            let rule = Rule { from: from.to_owned(), to: (*to).to_owned(), when, seen: all, right: *right };
            found = Some((rule, count));
        }
    }
    found.map(|(rule, count)| (rule, count == 0))
}

/// Every condition of at most so many parts that something of what was seen can tell apart.
fn conditions(seen: &BTreeMap<Facts, BTreeMap<&str, u64>>) -> Vec<When> {
    let ends: BTreeSet<SegmentStop> = seen.keys().map(|facts| facts.ended).collect();
    let tools: BTreeSet<&str> = seen.keys().map(|facts| facts.tool.as_deref().unwrap_or(NO_TOOL)).collect();
    let befores: BTreeSet<&str> = seen.keys().filter_map(|facts| facts.after.as_deref()).collect();
    let some = |named: BTreeSet<&str>| {
        let named = named.into_iter().map(|name| Some(name.to_owned()));
        std::iter::once(None).chain(named).collect::<Vec<_>>()
    };
    let ends: Vec<Option<SegmentStop>> = std::iter::once(None).chain(ends.into_iter().map(Some)).collect();
    let (tools, befores) = (some(tools), some(befores));
    let mut all = Vec::new();
    for ended in &ends {
        for tool in &tools {
            for refused in [None, Some(false), Some(true)] {
                for visits in [None, Some((1, 1)), Some((2, EVER)), Some((3, EVER))] {
                    for after in &befores {
                        let when = When { ended: *ended, tool: tool.clone(), refused, visits, after: after.clone() };
                        if when.count() <= CONDITIONS {
                            all.push(when);
                        }
                    }
                }
            }
        }
    }
    all
}
