//! Matchers: which facts a criterion is about.
//!
//! They look at what facts are counted by (class, action, actor, object), so that they hold for a single fact, for the fact that counts
//! many, and for every limit of a packet. Attributes can be asked for where the fact is a single one.

use std::collections::BTreeMap;

use gimbal_evidence::{Class, Fact};
use serde::{Deserialize, Serialize};

/// Which facts. What is not set restricts nothing. Texts may begin and end with `*`, which matches anything.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Matcher {
    /// The action.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub action: Option<String>,
    /// The actor, as `KIND:NAME`.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub actor: Option<String>,
    /// Only facts that do not begin before the first fact of the suspicion with this name.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub after: Option<String>,
    /// Attributes; a value may be `>=N` or `<=N`.
    #[serde(default, skip_serializing_if = "BTreeMap::is_empty")]
    pub attributes: BTreeMap<String, String>,
    /// The class.
    pub class: Class,
    /// How many records the facts must stand for, together.
    #[serde(default = "one")]
    pub least: u32,
    /// The object, as `KIND:NAME`.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub object: Option<String>,
    /// Only facts at most so many seconds after a fact of `after`.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub within_seconds: Option<u32>,
}

const fn one() -> u32 {
    1
}

impl Matcher {
    /// A pattern with `*` between other letters, which would never fit.
    pub(super) fn broken_pattern(&self) -> Option<&str> {
        let texts = [&self.action, &self.actor, &self.object].into_iter().flatten().chain(self.attributes.values());
        let inner = |text: &&String| text.trim_start_matches('*').trim_end_matches('*').contains('*');
        texts.filter(|text| inner(text)).map(String::as_str).next()
    }

    /// Whether the matcher selects a fact; their order is the criterion's.
    #[must_use]
    pub fn takes(&self, fact: &Fact) -> bool {
        let entity = |pattern: &Option<String>, found: &Option<gimbal_evidence::Entity>| {
            pattern.as_ref().is_none_or(|pattern| found.as_ref().is_some_and(|found| fits(pattern, &found.to_string())))
        };
        fact.class == self.class
            && self.action.as_ref().is_none_or(|action| fits(action, &fact.action))
            && entity(&self.actor, &fact.actor)
            && entity(&self.object, &fact.object)
            && self
                .attributes
                .iter()
                .all(|(name, wanted)| fact.attributes.get(name).is_some_and(|found| holds(wanted, found)))
    }
}

/// Whether a text is what a pattern with `*` at its ends says. The case of letters does not count: Windows does not keep it.
fn fits(pattern: &str, text: &str) -> bool {
    let (pattern, text) = (pattern.to_lowercase(), text.to_lowercase());
    let (open, rest) = pattern.strip_prefix('*').map_or((false, pattern.as_str()), |rest| (true, rest));
    let (ends, rest) = rest.strip_suffix('*').map_or((false, rest), |rest| (true, rest));
    match (open, ends) {
        (false, false) => text == rest,
        (true, false) => text.ends_with(rest),
        (false, true) => text.starts_with(rest),
        (true, true) => text.contains(rest),
    }
}

/// Whether an attribute's value is what is asked for.
fn holds(wanted: &str, found: &str) -> bool {
    let number = |text: &str| text.trim().parse::<u64>().ok();
    if let Some(least) = wanted.strip_prefix(">=").and_then(number) {
        return number(found).is_some_and(|found| found >= least);
    }
    if let Some(most) = wanted.strip_prefix("<=").and_then(number) {
        return number(found).is_some_and(|found| found <= most);
    }
    fits(wanted, found)
}

#[cfg(test)]
mod tests {
    use super::{fits, holds};

    #[test]
    fn patterns_are_open_at_their_ends_only() {
        assert!(fits("process:C:\\Windows\\*", "process:c:\\windows\\x.exe (4)"));
        assert!(fits("*\\x.exe*", "process:C:\\x.exe (4)"));
        assert!(fits("*", ""));
        assert!(!fits("a*b", "axb"));
        assert!(!fits("host:web", "host:web01"));
    }

    #[test]
    fn numbers_have_bounds() {
        assert!(holds(">=500", "1000") && holds("<=500", "500") && holds("443", "443"));
        assert!(!holds(">=500", "499") && !holds(">=500", "many"));
    }
}
