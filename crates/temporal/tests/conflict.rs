//! Conflicts among proposals.

use std::collections::BTreeSet;

use gimbal_temporal::conflict::{Cause, Detector};
use gimbal_temporal::{Directive, Layer, Pattern, Proposal};
use proptest::prelude::*;

use crate::support::call;

fn look(layer: Layer, subject: &str) -> Proposal {
    Proposal::call(layer, call("look", subject))
}

fn causes(detector: Detector, one: Proposal, other: Proposal) -> Vec<Cause> {
    let found = detector.find(&[&one, &other]);
    found.conflicts.into_iter().flat_map(|conflict| conflict.causes).collect()
}

// covers: CTHA-070
#[test]
fn parties_exclude_one_another_by_resources_effects_calls_and_directives() {
    let directive =
        |id: &str| Proposal::directive(Layer::Strategic, Directive { id: id.to_owned(), ..Directive::default() });
    let ours = Detector::default();
    let reads =
        |one: bool, other: bool| causes(ours, directive("a").using("disk", one), directive("b").using("disk", other));
    assert_eq!(reads(false, false), []);
    assert_eq!(reads(true, false), [Cause::Resource("disk".to_owned())]);
    // Eq. 23 as printed knows no readers.
    let printed = Detector::published();
    let shared = causes(printed, directive("a").using("disk", false), directive("b").using("disk", false));
    assert_eq!(shared, [Cause::Resource("disk".to_owned())]);
    let effects =
        |value: &str| causes(ours, directive("a").making("door", "open"), directive("b").making("door", value));
    assert_eq!((effects("open"), effects("shut")), (vec![], vec![Cause::Effect("door".to_owned())]));
    let calls = |detector| causes(detector, look(Layer::Reflex, "x"), look(Layer::Tactical, "y"));
    assert_eq!((calls(ours), calls(printed)), (vec![Cause::Call], vec![]));
    assert_eq!(causes(ours, look(Layer::Reflex, "x"), look(Layer::Tactical, "x")), []);
    let mut forbids = directive("rule");
    if let gimbal_temporal::Content::Directive(directive) = &mut forbids.content {
        directive.forbids = vec![Pattern::new("look x")];
    }
    assert_eq!(causes(ours, look(Layer::Reflex, "x"), forbids.clone()), [Cause::Directive("rule".to_owned())]);
    assert_eq!(causes(ours, look(Layer::Reflex, "y"), forbids), []);
}

// covers: CTHA-R05
#[test]
fn parties_that_share_nothing_are_not_compared() {
    let apart: Vec<Proposal> = (0..20)
        .map(|place| {
            let id = format!("d{place}");
            Proposal::directive(Layer::Strategic, Directive { id: id.clone(), ..Directive::default() }).using(&id, true)
        })
        .collect();
    let parties: Vec<&Proposal> = apart.iter().collect();
    assert_eq!(Detector::default().find(&parties).comparisons, 0);
    // All on one resource: every pair, as many as without an index.
    let together: Vec<Proposal> = apart.iter().map(|one| one.clone().using("disk", true)).collect();
    let parties: Vec<&Proposal> = together.iter().collect();
    let found = Detector::default().find(&parties);
    assert_eq!((found.comparisons, found.conflicts.len()), (190, 190));
}

pub fn any_proposal() -> impl Strategy<Value = Proposal> {
    let name = || prop::sample::select(vec!["a", "b", "c"]);
    let what = (any::<bool>(), name(), prop::collection::vec(name(), 0..2));
    let scores = (0..=20_i64, 0..=20_i64, prop::bool::weighted(0.2));
    let uses = prop::collection::vec((name(), any::<bool>()), 0..3);
    let effects = prop::collection::vec((name(), prop::sample::select(vec!["on", "off"])), 0..2);
    (prop::sample::select(Layer::ALL[..4].to_vec()), what, uses, effects, scores).prop_map(
        |(layer, (is_call, subject, forbids), uses, effects, (urgency, confidence, emergency))| {
            let mut proposal = if is_call {
                look(layer, subject)
            } else {
                let forbids = forbids.into_iter().map(|one| Pattern::new(&format!("look {one}"))).collect();
                let id = subject.to_owned();
                Proposal::directive(layer, Directive { id, text: String::new(), forbids, only: Vec::new() })
            };
            for (resource, writes) in uses {
                proposal = proposal.using(resource, writes);
            }
            for (key, value) in effects {
                proposal = proposal.making(key, value);
            }
            proposal = proposal.scored(gimbal_core::Milli(urgency * 50), gimbal_core::Milli(confidence * 50));
            proposal.emergency = emergency;
            proposal
        },
    )
}

/// The same by definition, pair by pair.
fn naive(detector: Detector, one: &Proposal, other: &Proposal) -> bool {
    // Two that want the same call want one use of what it needs.
    let same = detector.one_call && one.as_call().is_some() && one.as_call() == other.as_call();
    let resources = !same
        && one.resources.iter().any(|a| {
            other
                .resources
                .iter()
                .any(|b| a.resource == b.resource && (!detector.readers_share || a.writes || b.writes))
        });
    let effects = one.effects.iter().any(|a| other.effects.iter().any(|b| a.key == b.key && a.value != b.value));
    let calls = match (one.as_call(), other.as_call()) {
        (Some(a), Some(b)) => detector.one_call && a != b,
        _ => false,
    };
    let refuses = |a: &Proposal, b: &Proposal| {
        a.as_directive().is_some_and(|directive| b.as_call().is_some_and(|call| !directive.allows(call)))
    };
    resources || effects || calls || refuses(one, other) || refuses(other, one)
}

proptest! {
    // covers: CTHA-070, CTHA-R05
    #[test]
    fn the_index_finds_what_every_pair_compared_finds(
        proposals in prop::collection::vec(any_proposal(), 0..7), readers_share in any::<bool>(), one_call in any::<bool>(),
    ) {
        let detector = Detector { readers_share, one_call };
        let parties: Vec<&Proposal> = proposals.iter().collect();
        let found: BTreeSet<(usize, usize)> =
            detector.find(&parties).conflicts.iter().map(|conflict| (conflict.one, conflict.other)).collect();
        for one in 0..parties.len() {
            for other in one + 1..parties.len() {
                prop_assert_eq!(found.contains(&(one, other)), naive(detector, parties[one], parties[other]));
            }
        }
    }
}
