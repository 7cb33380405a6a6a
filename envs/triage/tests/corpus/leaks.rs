//! Nothing in a packet tells the label: no word, no name, and no vocabulary.

use std::collections::{BTreeMap, BTreeSet};

use gimbal_evidence::Packet;
use gimbal_evidence::judge::Verdict;
use gimbal_triage::corpus::verify::{TELLING, texts};
use gimbal_triage::scenario::{Scenario, Tier};

use super::made;

#[test]
fn no_text_of_a_packet_tells_the_label() {
    for (scenario, packet) in made() {
        for fact in packet.facts() {
            for text in texts(fact) {
                let text = text.to_lowercase();
                let telling = TELLING.iter().find(|word| text.contains(*word));
                assert_eq!(telling, None, "{} {}: {text}", scenario.id, fact.id);
                assert!(!text.contains(&scenario.id.to_lowercase()), "{} {}: {text}", scenario.id, fact.id);
                assert!(!text.contains(&scenario.family), "{} {}: {text}", scenario.id, fact.id);
            }
        }
    }
}

#[test]
fn ids_are_numbers_without_an_order_by_verdict() {
    let made = made();
    for (scenario, _) in made {
        assert!(scenario.id.strip_prefix("SC-").is_some_and(|number| number.parse::<u32>().is_ok()), "{}", scenario.id);
    }
    // Neither does the place in its file: every verdict is the first, and the last, of some file.
    for of_last in [false, true] {
        let mut ends: BTreeMap<&str, Verdict> = BTreeMap::new();
        for (scenario, _) in made {
            if of_last {
                ends.insert(&scenario.family, scenario.expected);
            } else {
                ends.entry(&scenario.family).or_insert(scenario.expected);
            }
        }
        assert!(ends.values().collect::<BTreeSet<_>>().len() >= 2);
    }
}

/// The words of a packet: of letters, numbers left out, and each once.
fn words(packet: &Packet) -> BTreeSet<String> {
    let texts = packet.facts().iter().flat_map(texts);
    let words = texts.flat_map(|text| {
        let words = text.split(|letter: char| !letter.is_alphanumeric()).map(str::to_lowercase);
        words.filter(|word| word.len() > 2 && word.chars().all(char::is_alphabetic)).collect::<Vec<_>>()
    });
    words.collect()
}

/// A packet as its words, with its label.
struct Case<'s> {
    scenario: &'s Scenario,
    words: BTreeSet<String>,
    label: Verdict,
}

/// How many packets of a label there are, and in how many of them each word is.
type Seen<'w> = (f64, BTreeMap<&'w str, f64>);

/// Naive Bayes over words, trained on all scenes but one, and asked for the twins of that one. Returns how many labels it hits and how
/// many the most frequent label would.
fn by_words(cases: &[Case<'_>]) -> (usize, usize) {
    let (mut hits, mut majority) = (0, 0);
    for Case { scenario, words, label } in cases {
        let mut counts: BTreeMap<Verdict, Seen<'_>> = BTreeMap::new();
        for Case { words, label, .. } in cases.iter().filter(|other| other.scenario.family != scenario.family) {
            let (count, seen) = counts.entry(*label).or_default();
            *count += 1.0;
            for word in words {
                *seen.entry(word).or_default() += 1.0;
            }
        }
        let vocabulary: BTreeSet<&str> = counts.values().flat_map(|(_, seen)| seen.keys().copied()).collect();
        let score = |(count, seen): &Seen<'_>| {
            let of_word = |word: &&str| {
                let share = (seen.get(word).copied().unwrap_or(0.0) + 1.0) / (count + 2.0);
                if words.contains(*word) { share.ln() } else { (1.0 - share).ln() }
            };
            count.ln() + vocabulary.iter().map(of_word).sum::<f64>()
        };
        let best = |by: &dyn Fn(&Seen<'_>) -> f64| {
            counts.iter().max_by(|one, other| by(one.1).total_cmp(&by(other.1))).map(|(label, _)| *label)
        };
        hits += usize::from(best(&score) == Some(*label));
        majority += usize::from(best(&|(count, _)| *count) == Some(*label));
    }
    (hits, majority)
}

#[test]
fn the_vocabulary_of_a_packet_does_not_tell_its_verdict() {
    let made = made();
    let of = |tiers: &[Tier]| -> Vec<Case<'_>> {
        let chosen = made.iter().filter(|(scenario, _)| tiers.contains(&scenario.tier));
        chosen.map(|(scenario, packet)| Case { scenario, words: words(packet), label: scenario.expected }).collect()
    };
    for tiers in [&[Tier::MixedSignals][..], &[Tier::Ambiguous, Tier::MixedSignals]] {
        let cases = of(tiers);
        let (hits, majority) = by_words(&cases);
        // Chance is what the most frequent label hits; two standard deviations of a fair coin are allowed above it.
        let chance = majority.max(cases.len() / 2) as f64;
        let margin = (cases.len() as f64).sqrt();
        println!("{tiers:?}: {hits} of {}, majority {majority}", cases.len());
        assert!((hits as f64) <= chance + margin, "{tiers:?}: {hits} of {}, chance {chance}", cases.len());
    }
}

#[test]
fn the_number_of_facts_does_not_tell_the_verdict() {
    let made = made();
    let mean = |verdict: Verdict| {
        let counts: Vec<f64> = made
            .iter()
            .filter(|(one, _)| one.expected == verdict)
            .map(|(_, packet)| packet.facts().len() as f64)
            .collect();
        counts.iter().sum::<f64>() / counts.len() as f64
    };
    let means = Verdict::ALL.map(mean);
    let (least, most) = (means.iter().copied().fold(f64::MAX, f64::min), means.iter().copied().fold(0.0, f64::max));
    assert!(most < 1.35 * least, "{means:?}");
}
