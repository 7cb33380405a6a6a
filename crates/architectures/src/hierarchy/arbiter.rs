//! A deterministic mediator between the advisers and the planner (BOG-234, the work's open question).
//!
//! Its rules, in the order in which they are applied; each can be switched off, and each is noted where it changes
//! anything. It ranks what was suggested and never adds an action of its own.
//!
//! 1. **Gate** (`gate: c`): a suggestion with a confidence below `c` is taken out. If all are, the surest stays.
//! 2. **Aggregate** (`aggregate: true`): each confidence is combined with how far the analyst's finding about the same
//!    subject supports the class of the action. Both are probabilities; the result is the mean of their log-odds, the
//!    chooser's weighed down by half towards even odds, since models overstate their confidence. Support by
//!    recommended focus: containment speaks for reactive, investigation for passive, monitor for passive and proactive;
//!    its strength grows with the severity (low 0.55, medium 0.65, high 0.8, critical 0.9), and what the focus does not
//!    speak for gets one minus it. Then the suggestions are sorted anew. Without a finding nothing happens.
//! 3. **Urgency** (`urgency: c`): where the situation or the finding is of high or critical severity, a reactive
//!    suggestion may not stand behind another whose confidence is below `c`: the surest reactive one is put first.
//!
//! A confidence that could not be read counts as 0 in every rule, and none is made of it: it stays unread. A severity that
//! could not be read counts as less than any, and a focus that could not be read speaks for nothing and against nothing.

use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

use super::messages::{Finding, Focus, Severity, Suggestion};

/// The switches of the mediator.
#[derive(Clone, Copy, Debug, Default, PartialEq, Serialize, Deserialize, JsonSchema)]
#[serde(default)]
pub struct Arbiter {
    /// Confidence below which a suggestion is taken out, from 0 to 1; off if it is left out.
    #[schemars(range(min = 0, max = 1))]
    pub gate: Option<f64>,
    /// Whether confidences are combined with the analyst's finding.
    pub aggregate: bool,
    /// Confidence that a preference needs to defer a grave matter, from 0 to 1; off if it is left out.
    #[schemars(range(min = 0, max = 1))]
    pub urgency: Option<f64>,
}

/// A rule of the mediator.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Rule {
    /// Unsure suggestions are taken out.
    Gate,
    /// Confidences meet the analyst's finding.
    Aggregate,
    /// What is grave is not put off.
    Urgency,
}

impl Rule {
    /// The name that notes and tables use.
    #[must_use]
    pub const fn name(self) -> &'static str {
        match self {
            Self::Gate => "gate",
            Self::Aggregate => "aggregate",
            Self::Urgency => "urgency",
        }
    }
}

/// A suggestion and the class of its action by the glossary.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Candidate {
    /// `passive`, `reactive`, `proactive`, or empty where the glossary does not say.
    pub class: String,
    /// The suggestion.
    pub suggestion: Suggestion,
}

impl Arbiter {
    /// Whether the numbers can be.
    pub(super) fn check(&self) -> Result<(), (&'static str, String)> {
        for (key, value) in [("gate", self.gate), ("urgency", self.urgency)] {
            if let Some(value) = value.filter(|value| !(0.0..=1.0).contains(value)) {
                return Err((key, format!("`{key}` is {value}; it must be from 0 to 1")));
            }
        }
        Ok(())
    }

    /// What the rules make of the suggestions, one entry for each rule that changes them.
    #[must_use]
    pub fn decide(
        &self,
        options: Vec<Candidate>,
        severity: Severity,
        finding: Option<&Finding>,
    ) -> Vec<(Rule, Vec<Candidate>)> {
        let severity = finding.map_or(severity, |finding| severity.max(finding.severity));
        let mut changes = Vec::new();
        let mut now = options;
        let gated = self.gate.map(|bound| gate(&now, thousandths(bound)));
        apply(Rule::Gate, gated, &mut now, &mut changes);
        let aggregated = finding.filter(|_| self.aggregate).map(|finding| aggregate(&now, finding));
        apply(Rule::Aggregate, aggregated, &mut now, &mut changes);
        let urgent = self.urgency.filter(|_| severity >= Severity::High).map(|bound| urge(&now, thousandths(bound)));
        apply(Rule::Urgency, urgent, &mut now, &mut changes);
        changes
    }
}

fn apply(
    rule: Rule,
    after: Option<Vec<Candidate>>,
    now: &mut Vec<Candidate>,
    changes: &mut Vec<(Rule, Vec<Candidate>)>,
) {
    if let Some(after) = after.filter(|after| after != now) {
        changes.push((rule, after.clone()));
        *now = after;
    }
}

/// Checked to lie in range, so the cast loses only the fraction.
fn thousandths(share: f64) -> u16 {
    (share.clamp(0.0, 1.0) * 1000.0).round() as u16
}

fn gate(options: &[Candidate], bound: u16) -> Vec<Candidate> {
    let kept: Vec<Candidate> = options.iter().filter(|option| option.suggestion.confidence >= bound).cloned().collect();
    if !kept.is_empty() {
        return kept;
    }
    // The first of the surest.
    let surest = options.iter().map(|option| option.suggestion.confidence).max();
    options.iter().find(|option| Some(option.suggestion.confidence) == surest).cloned().into_iter().collect()
}

/// How far a finding speaks for a class of action, as a probability.
fn support(finding: &Finding, class: &str) -> f64 {
    let strength = match finding.severity {
        Severity::Unknown => 0.5,
        Severity::Low => 0.55,
        Severity::Medium => 0.65,
        Severity::High => 0.8,
        Severity::Critical => 0.9,
    };
    let speaks_for = match finding.recommended_focus {
        Focus::Containment => class == "reactive",
        Focus::Investigation => class == "passive",
        Focus::Monitor => class == "passive" || class == "proactive",
        Focus::Unknown => return 0.5,
    };
    if speaks_for { strength } else { 1.0 - strength }
}

fn aggregate(options: &[Candidate], finding: &Finding) -> Vec<Candidate> {
    let odds = |share: f64| {
        let share = share.clamp(0.01, 0.99);
        (share / (1.0 - share)).ln()
    };
    let mut all: Vec<Candidate> = options
        .iter()
        .map(|option| {
            if option.suggestion.unread.is_some() {
                return option.clone();
            }
            let own = 0.5 * odds(f64::from(option.suggestion.confidence) / 1000.0);
            let mean = f64::midpoint(own, odds(support(finding, &option.class)));
            let confidence = thousandths(1.0 / (1.0 + (-mean).exp()));
            Candidate { suggestion: Suggestion { confidence, ..option.suggestion.clone() }, ..option.clone() }
        })
        .collect();
    // Stable: equals keep the chooser's order.
    all.sort_by_key(|option| std::cmp::Reverse(option.suggestion.confidence));
    all
}

fn urge(options: &[Candidate], bound: u16) -> Vec<Candidate> {
    let deferring =
        options.first().is_some_and(|first| first.class != "reactive" && first.suggestion.confidence < bound);
    let reactive = options.iter().enumerate().filter(|(_, option)| option.class == "reactive");
    let surest = reactive.min_by_key(|(place, option)| (std::cmp::Reverse(option.suggestion.confidence), *place));
    match surest {
        Some((place, _)) if deferring => {
            let mut all = options.to_vec();
            let first = all.remove(place);
            all.insert(0, first);
            all
        }
        _ => options.to_vec(),
    }
}

#[cfg(test)]
mod tests {
    use crate::hierarchy::messages::{Finding, Focus, Severity, Status, Suggestion};
    use proptest::prelude::*;

    use super::{Arbiter, Candidate, Rule};

    fn option(class: &str, action: &str, confidence: u16) -> Candidate {
        Candidate {
            class: class.to_owned(),
            suggestion: Suggestion { action: action.to_owned(), confidence, unread: None },
        }
    }

    /// The example of the work (BOG-221): a decoy is up, and the matter is grave.
    fn deferral() -> Vec<Candidate> {
        vec![option("passive", "watch", 900), option("passive", "look", 800), option("reactive", "mend", 700)]
    }

    fn finding(severity: Severity, recommended_focus: Focus) -> Finding {
        Finding { status: Status::Changed, severity, recommended_focus, ..Finding::default_of("x") }
    }

    fn names(options: &[Candidate]) -> Vec<&str> {
        options.iter().map(|option| option.suggestion.action.as_str()).collect()
    }

    // covers: BOG-234
    #[test]
    fn the_unsure_are_taken_out_but_never_all() {
        let arbiter = Arbiter { gate: Some(0.75), ..Arbiter::default() };
        let changes = arbiter.decide(deferral(), Severity::Low, None);
        assert_eq!(changes.len(), 1);
        assert_eq!((changes[0].0, names(&changes[0].1)), (Rule::Gate, vec!["watch", "look"]));
        let arbiter = Arbiter { gate: Some(0.95), ..Arbiter::default() };
        assert_eq!(names(&arbiter.decide(deferral(), Severity::Low, None)[0].1), ["watch"]);
    }

    // covers: BOG-234
    #[test]
    fn what_is_grave_is_not_put_off_by_a_weak_preference() {
        let urgent = |bound| Arbiter { urgency: Some(bound), ..Arbiter::default() };
        let changes = urgent(0.95).decide(deferral(), Severity::High, None);
        assert_eq!(names(&changes[0].1), ["mend", "watch", "look"]);
        // A strong preference may, and so may any where nothing is grave.
        assert!(urgent(0.9).decide(deferral(), Severity::High, None).is_empty());
        assert!(urgent(0.95).decide(deferral(), Severity::Medium, None).is_empty());
        // The analyst's finding counts as much as the planner's word.
        let grave = finding(Severity::Critical, Focus::Containment);
        assert_eq!(urgent(0.95).decide(deferral(), Severity::Low, Some(&grave)).len(), 1);
    }

    // covers: BOG-234
    #[test]
    fn confidences_meet_the_finding() {
        let arbiter = Arbiter { aggregate: true, ..Arbiter::default() };
        let grave = finding(Severity::Critical, Focus::Containment);
        let changes = arbiter.decide(deferral(), Severity::Low, Some(&grave));
        assert_eq!(names(&changes[0].1), ["mend", "watch", "look"]);
        // By hand: ln(0.7/0.3)/2 = 0.4236, ln(0.9/0.1) = 2.1972, mean 1.3104, 1/(1+e^-1.3104) = 0.788.
        assert_eq!(changes[0].1[0].suggestion.confidence, 788);
        assert!(arbiter.decide(deferral(), Severity::Low, None).is_empty());
    }

    // covers: BOG-234
    #[test]
    fn what_could_not_be_read_counts_as_the_least_and_stays_unread() {
        let mut options = deferral();
        options[0].suggestion =
            Suggestion { confidence: 0, unread: Some("confidence: 9".to_owned()), ..options[0].suggestion.clone() };
        let gate = Arbiter { gate: Some(0.01), ..Arbiter::default() };
        assert_eq!(names(&gate.decide(options.clone(), Severity::Low, None)[0].1), ["look", "mend"]);
        let urgent = Arbiter { urgency: Some(0.01), ..Arbiter::default() };
        assert_eq!(names(&urgent.decide(options.clone(), Severity::High, None)[0].1), ["mend", "watch", "look"]);
        let aggregate = Arbiter { aggregate: true, ..Arbiter::default() };
        let grave = finding(Severity::Critical, Focus::Containment);
        let after = aggregate.decide(options.clone(), Severity::Low, Some(&grave)).remove(0).1;
        assert_eq!(names(&after), ["mend", "look", "watch"]);
        assert_eq!(after[2], options[0]);
        // A finding that says nothing changes no order, and makes nothing grave.
        let nothing = finding(Severity::Unknown, Focus::Unknown);
        let after = aggregate.decide(deferral(), Severity::Low, Some(&nothing)).remove(0).1;
        assert_eq!(names(&after), names(&deferral()));
        assert!(urgent.decide(options, Severity::Low, Some(&nothing)).is_empty());
    }

    fn any_options() -> impl Strategy<Value = Vec<Candidate>> {
        let class = prop_oneof![Just("passive"), Just("reactive"), Just("proactive"), Just("")];
        prop::collection::vec((class, 0_u16..=1000), 1..4).prop_map(|all| {
            all.into_iter().enumerate().map(|(at, (class, sure))| option(class, &format!("a{at}"), sure)).collect()
        })
    }

    proptest! {
        // covers: BOG-234
        #[test]
        fn nothing_is_invented_and_nothing_is_lost_but_by_the_gate(options in any_options(), gate in 0.0..1.0_f64) {
            let arbiter = Arbiter { gate: Some(gate), aggregate: true, urgency: Some(0.9) };
            let grave = finding(Severity::High, Focus::Monitor);
            let before: Vec<String> = options.iter().map(|option| option.suggestion.action.clone()).collect();
            let mut kept = before.len();
            for (rule, after) in arbiter.decide(options, Severity::Low, Some(&grave)) {
                prop_assert!(!after.is_empty());
                prop_assert!(after.iter().all(|option| before.contains(&option.suggestion.action)));
                if rule != Rule::Gate {
                    prop_assert_eq!(after.len(), kept);
                }
                kept = after.len();
            }
        }
    }
}
