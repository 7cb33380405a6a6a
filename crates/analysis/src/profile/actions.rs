//! What actions are for, from the environment's brief.

use gimbal_core::{Brief, Milli};
use serde::{Deserialize, Serialize};

/// Class of actions that look and change nothing.
pub const PASSIVE: &str = "passive";
/// Class of actions that undo harm: the remedies.
pub const REACTIVE: &str = "reactive";
/// Class of actions that prepare for harm, such as decoys.
pub const PROACTIVE: &str = "proactive";

/// What an environment's brief says of its actions: all that detectors know of an environment.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct ActionFacts {
    /// The glossary's kinds of action, in its order.
    #[serde(default)]
    pub actions: Vec<ActionClass>,
    /// The tool that does nothing.
    #[serde(default)]
    pub idle: String,
    /// Reward of one step, in thousandths, at and below which a remedy is called for; where the brief states none, the
    /// floor, and without a floor any reward below zero.
    #[serde(default)]
    pub harm: Option<i64>,
    /// Reward of one step, in thousandths, at and below which the environment counts as lost (BOG-014, BOG-223).
    #[serde(default)]
    pub floor: Option<i64>,
}

impl ActionFacts {
    /// Those of a brief.
    #[must_use]
    pub fn of(brief: &Brief) -> Self {
        let thousandths = |value: Option<Milli>| value.map(|value| value.0);
        let entries = brief.glossary.iter();
        Self {
            actions: entries.map(|entry| ActionClass { name: entry.name.clone(), class: entry.kind.clone() }).collect(),
            idle: brief.idle.tool.clone(),
            harm: thousandths(brief.thresholds.harm),
            floor: thousandths(brief.thresholds.floor),
        }
    }
}

/// A kind of action and its class.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct ActionClass {
    /// Name in the glossary. Capitals at its end stand for a part that varies: `DecoySERVICE` names `DecoyApache` too.
    pub name: String,
    /// Class, such as `passive`, `reactive`, `proactive`.
    pub class: String,
}

impl ActionFacts {
    /// The kind of action that a tool belongs to: of the same name (case does not count), else the one with the longest
    /// fixed part that the tool's name begins with.
    #[must_use]
    pub fn kind_of(&self, tool: &str) -> Option<&ActionClass> {
        self.actions.iter().find(|entry| entry.name.eq_ignore_ascii_case(tool)).or_else(|| {
            let begins = |fixed: &str| tool.get(..fixed.len()).is_some_and(|head| head.eq_ignore_ascii_case(fixed));
            self.actions
                .iter()
                .filter_map(|entry| Some((fixed_part(&entry.name)?, entry)))
                .filter(|(fixed, _)| tool.len() > fixed.len() && begins(fixed))
                .max_by_key(|(fixed, _)| fixed.len())
                .map(|(_, entry)| entry)
        })
    }

    /// The class of a tool; the idle call is passive where the glossary does not name it.
    #[must_use]
    pub fn class_of(&self, tool: &str) -> Option<&str> {
        match self.kind_of(tool) {
            Some(kind) => Some(&kind.class),
            None if !self.idle.is_empty() && self.idle.eq_ignore_ascii_case(tool) => Some(PASSIVE),
            None => None,
        }
    }

    /// What counts of actions are kept under: the kind's name where the glossary has one, else the tool's own.
    #[must_use]
    pub fn label<'a>(&'a self, tool: &'a str) -> &'a str {
        self.kind_of(tool).map_or(tool, |kind| &kind.name)
    }

    /// Whether a tool is a remedy.
    #[must_use]
    pub fn is_reactive(&self, tool: &str) -> bool {
        self.class_of(tool) == Some(REACTIVE)
    }

    /// The strongest remedy: a glossary lists remedies from the mildest to the strongest.
    #[must_use]
    pub fn strongest_remedy(&self) -> Option<&str> {
        self.actions.iter().rev().find(|entry| entry.class == REACTIVE).map(|entry| entry.name.as_str())
    }

    /// Whether a step's reward, in thousandths, calls for a remedy.
    #[must_use]
    pub fn harms(&self, reward: i64) -> bool {
        reward <= self.harm.or(self.floor).unwrap_or(-1)
    }

    /// Whether a step's reward, in thousandths, lies at or below the floor; `None` where the brief states none.
    #[must_use]
    pub fn at_floor(&self, reward: i64) -> Option<bool> {
        self.floor.map(|floor| reward <= floor)
    }
}

/// What comes before a run of at least two capitals at the end of a name that is not all capitals.
fn fixed_part(name: &str) -> Option<&str> {
    let fixed = name.trim_end_matches(|letter: char| letter.is_ascii_uppercase());
    (name.len() - fixed.len() >= 2 && !fixed.is_empty()).then_some(fixed)
}

#[cfg(test)]
mod tests {
    use super::*;

    fn facts() -> ActionFacts {
        let entry = |name: &str, class: &str| ActionClass { name: name.to_owned(), class: class.to_owned() };
        ActionFacts {
            actions: vec![
                entry("Watch", PASSIVE),
                entry("Clean", REACTIVE),
                entry("Rebuild", REACTIVE),
                entry("LureKIND", PROACTIVE),
                entry("LureBigKIND", "large"),
            ],
            idle: "Wait".to_owned(),
            harm: Some(-1_000),
            floor: Some(-13_000),
        }
    }

    // covers: BOG-221
    #[test]
    fn classes_come_from_the_glossary_alone() {
        let facts = facts();
        assert_eq!(facts.class_of("watch"), Some(PASSIVE));
        assert_eq!(facts.class_of("LureWeb"), Some(PROACTIVE));
        assert_eq!(facts.class_of("LureBigWeb"), Some("large"));
        assert_eq!(facts.class_of("Wait"), Some(PASSIVE));
        assert_eq!(facts.class_of("Lure"), None);
        assert_eq!(facts.class_of("Sleep"), None);
        assert_eq!(facts.label("LureWeb"), "LureKIND");
        assert_eq!(facts.strongest_remedy(), Some("Rebuild"));
        assert_eq!(facts.at_floor(-13_000), Some(true));
        assert_eq!(facts.at_floor(-12_999), Some(false));
        assert!(facts.harms(-1_000) && !facts.harms(-999));
        assert!(ActionFacts { harm: None, ..facts.clone() }.harms(-13_000));
        assert!(!ActionFacts { harm: None, ..facts }.harms(-12_999));
        assert!(ActionFacts::default().harms(-1) && !ActionFacts::default().harms(0));
        assert_eq!(ActionFacts::default().at_floor(-99_999), None);
        assert_eq!(ActionFacts::default().class_of(""), None);
    }

    #[test]
    fn names_in_other_scripts_do_not_break_the_prefix() {
        let odd = ActionFacts {
            actions: vec![ActionClass { name: "éXY".to_owned(), class: PASSIVE.to_owned() }],
            ..ActionFacts::default()
        };
        assert_eq!(odd.class_of("eé"), None);
        assert_eq!(odd.class_of("éa"), Some(PASSIVE));
    }
}
