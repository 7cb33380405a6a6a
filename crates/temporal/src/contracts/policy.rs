//! Policies as plain code reads them: rules, limits, forbidden calls, validity (Tab. 31; CTHA-049).

use std::collections::BTreeMap;
use std::fmt;

use gimbal_core::{Milli, ToolCall};
use gimbal_messages::{numbers, typed};
use serde::de::{MapAccess, Visitor};
use serde::{Deserialize, Deserializer, Serialize};
use serde_json::Value;

use super::condition::{Condition, Situation};
use crate::{Directive, Layer, Pattern, Proposal};

/// Priority of a rule that names none: the middle of the range, so that rules may be weaker and stronger.
pub(super) const PRIORITY: i64 = 50;
/// The highest priority of a rule.
const HIGHEST: i64 = 100;

/// What holds for all faster layers.
#[derive(Clone, Debug, Default, PartialEq, Eq, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Policy {
    /// Rules, as written.
    pub rules: Vec<Rule>,
    /// Limits by the name of what is measured, in small letters.
    #[serde(default, deserialize_with = "limits")]
    pub thresholds: BTreeMap<String, Milli>,
    /// Calls that are forbidden.
    #[serde(default)]
    pub forbidden: Vec<Pattern>,
    /// The last time of the session at which it holds, on the clock of the summaries' `timestamp`.
    #[serde(default, deserialize_with = "numbers::milli_or_none")]
    pub valid_until: Option<Milli>,
}

/// A rule.
#[derive(Clone, Debug, PartialEq, Eq, Deserialize)]
pub struct Rule {
    /// Name.
    pub id: String,
    /// When it applies ([`Condition`]).
    pub condition: String,
    /// What it does.
    pub action: RuleAction,
    /// From 0 to 100; the higher one decides. A rule that names none is in the middle.
    #[serde(default = "middle", deserialize_with = "numbers::whole")]
    pub priority: i64,
}

/// The priority of a rule that names none.
const fn middle() -> i64 {
    PRIORITY
}

/// Limits, whatever letters their names are written in; of two with one name the last counts.
fn limits<'de, D: Deserializer<'de>>(from: D) -> Result<BTreeMap<String, Milli>, D::Error> {
    struct Limits;

    impl<'de> Visitor<'de> for Limits {
        type Value = BTreeMap<String, Milli>;

        fn expecting(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
            f.write_str("limits by name")
        }

        fn visit_map<A: MapAccess<'de>>(self, mut from: A) -> Result<Self::Value, A::Error> {
            let mut limits = BTreeMap::new();
            while let Some((name, limit)) = from.next_entry::<String, f64>()? {
                limits.insert(name.to_lowercase(), Milli::from_f64(limit));
            }
            Ok(limits)
        }
    }

    from.deserialize_map(Limits)
}

/// What a rule does, from the least to the most strict.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum RuleAction {
    /// Writes the call down, and decides nothing.
    Log,
    /// Lets the call through.
    Allow,
    /// Has a slower layer look at the call.
    Escalate,
    /// Refuses the call.
    Deny,
}

impl RuleAction {
    /// Its name in messages.
    #[must_use]
    pub const fn name(self) -> &'static str {
        match self {
            Self::Log => "log",
            Self::Allow => "allow",
            Self::Escalate => "escalate",
            Self::Deny => "deny",
        }
    }
}

/// What a policy says of a call.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct Ruling {
    /// What happens: never [`RuleAction::Log`].
    pub action: RuleAction,
    /// Why: the name of the rule, `forbidden PATTERN`, or `threshold NAME`; empty where nothing applies.
    pub why: String,
    /// Rules that write the call down.
    pub logged: Vec<String>,
    /// Rules whose conditions code cannot judge.
    pub unjudged: Vec<String>,
}

impl Policy {
    /// A policy that follows its contract, as plain code reads it.
    ///
    /// # Errors
    /// When it does not follow it: the place, what was found and what was expected.
    pub fn read(value: &Value) -> Result<Self, String> {
        typed(value.clone())
    }

    /// Whether it holds at a time of the session.
    #[must_use]
    pub fn is_valid(&self, now: Milli) -> bool {
        self.valid_until.is_none_or(|until| now <= until)
    }

    /// The pattern that forbids a call.
    #[must_use]
    pub fn forbids(&self, call: &ToolCall) -> Option<&Pattern> {
        self.forbidden.iter().find(|pattern| pattern.matches(call))
    }

    /// The limits that are passed, by name.
    pub fn passed<'a>(&'a self, situation: &'a Situation<'a>) -> impl Iterator<Item = &'a str> {
        let numbers = situation.numbers.into_iter();
        numbers.flat_map(|numbers| {
            let over = |(name, limit): &(&String, &Milli)| numbers.get(*name).is_some_and(|number| number > *limit);
            self.thresholds.iter().filter(over).map(|(name, _)| name.as_str())
        })
    }

    /// What it says of the call of a situation. What is forbidden is denied before any rule. Of the rules that apply the one of the highest
    /// priority decides, of those alike the strictest, of those the first. A limit that is passed has the call looked at where no rule
    /// denies it. The idle call must not be asked about: it is always open.
    #[must_use]
    pub fn ruling(&self, situation: &Situation<'_>) -> Ruling {
        let (mut logged, mut unjudged) = (Vec::new(), Vec::new());
        let mut best: Option<&Rule> = None;
        for rule in &self.rules {
            match Condition::of(&rule.condition).holds(situation) {
                None => unjudged.push(rule.id.clone()),
                Some(false) => {}
                Some(true) if rule.action == RuleAction::Log => logged.push(rule.id.clone()),
                Some(true) => {
                    let rank = |rule: &Rule| (rule.priority, rule.action);
                    if best.is_none_or(|best| rank(rule) > rank(best)) {
                        best = Some(rule);
                    }
                }
            }
        }
        let forbidden = situation.call.and_then(|call| self.forbids(call));
        let (action, why) = match (forbidden, best, self.passed(situation).next()) {
            (Some(pattern), ..) => (RuleAction::Deny, format!("forbidden {}", pattern.as_str())),
            (None, Some(rule), _) if rule.action == RuleAction::Deny => (rule.action, rule.id.clone()),
            (None, _, Some(name)) => (RuleAction::Escalate, format!("threshold {name}")),
            (None, Some(rule), None) => (rule.action, rule.id.clone()),
            (None, None, None) => (RuleAction::Allow, String::new()),
        };
        Ruling { action, why, logged, unjudged }
    }

    /// Rules that deny and that no allowing rule outranks.
    fn denials(&self) -> impl Iterator<Item = &Rule> {
        let outranked = |rule: &Rule| {
            self.rules.iter().any(|other| other.action == RuleAction::Allow && other.priority > rule.priority)
        };
        self.rules.iter().filter(move |rule| rule.action == RuleAction::Deny && !outranked(rule))
    }

    /// The calls that it refuses whatever is measured: what is forbidden, and what rules about calls alone deny. Rules that an allowing rule
    /// outranks are left to [`Policy::ruling`].
    #[must_use]
    pub fn denied_calls(&self) -> Vec<Pattern> {
        let calls = self.denials().filter_map(|rule| match Condition::of(&rule.condition) {
            // A rule for all calls names none of them.
            Condition::Always => None,
            condition => condition.calls(),
        });
        self.forbidden.iter().cloned().chain(calls.flatten()).collect()
    }

    /// The directives of the policy: one for what is forbidden, and one for each rule about calls alone that denies and that no allowing rule
    /// outranks.
    #[must_use]
    pub fn directives(&self) -> Vec<Directive> {
        self.weighed().into_iter().map(|(directive, _)| directive).collect()
    }

    /// The directives as proposals of a layer that hold to the step `last`: as urgent as the rule's priority, and what is forbidden as urgent as can be.
    /// A policy does not say how sure it is: its confidence is 0.5, as that of any answer that says nothing.
    #[must_use]
    pub fn proposals(&self, layer: Layer, last: Option<u32>) -> Vec<Proposal> {
        let of = |(directive, priority): (Directive, i64)| Proposal {
            until: last,
            ..Proposal::directive(layer, directive)
                .scored(Milli(priority.clamp(0, HIGHEST) * 1000 / HIGHEST), Milli(500))
        };
        self.weighed().into_iter().map(of).collect()
    }

    /// The directives with the priority of each.
    fn weighed(&self) -> Vec<(Directive, i64)> {
        let mut directives = Vec::new();
        if !self.forbidden.is_empty() {
            let text = self.forbidden.iter().map(Pattern::as_str).collect::<Vec<_>>().join(", ");
            let directive = Directive {
                id: "policy/forbidden".to_owned(),
                text: format!("forbidden: {text}"),
                forbids: self.forbidden.clone(),
                only: Vec::new(),
            };
            directives.push((directive, HIGHEST));
        }
        directives.extend(self.denials().filter_map(|rule| {
            let directive = Directive {
                id: format!("policy/{}", rule.id),
                text: format!("denied: {}", rule.condition),
                forbids: Condition::of(&rule.condition).calls()?,
                only: Vec::new(),
            };
            Some((directive, rule.priority))
        }));
        directives
    }
}
