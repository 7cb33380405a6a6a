//! The belief state says what is, never what to do.

use std::collections::BTreeSet;

use gimbal_cage2::action::KINDS;
use gimbal_cage2::policy::{Policy, PolicyKind};
use gimbal_cage2::tracker::words;
use gimbal_cage2::{Names, Options, Red};
use gimbal_core::Tracker as _;

use crate::tracker::play::{Play, answers};

fn split(text: &str) -> impl Iterator<Item = &str> {
    text.split(|letter: char| !letter.is_alphanumeric() && letter != '_').filter(|word| !word.is_empty())
}

/// The list of statuses without the record of what was done.
fn without_records(status: &str) -> String {
    let Some((heading, list)) = status.split_once('\n') else { return status.to_owned() };
    let mut list: serde_json::Value = serde_json::from_str(list).unwrap();
    for line in list.as_array_mut().unwrap() {
        line.as_object_mut().unwrap().remove("applied_actions_so_far").unwrap();
    }
    format!("{heading}\n{list}")
}

// covers: BOG-089
#[test]
fn its_own_words_are_a_fixed_list_without_advice() {
    let own = words::ALL.join(" ").to_lowercase();
    let own: BTreeSet<&str> = split(&own).flat_map(|word| word.split('_')).collect();
    for word in [
        "should",
        "must",
        "need",
        "recommend",
        "recommended",
        "suggest",
        "suggested",
        "advise",
        "consider",
        "try",
        "use",
        "best",
        "better",
        "next",
        "first",
        "priority",
        "urgent",
        "critical",
        "severe",
        "severity",
        "high",
        "danger",
        "malicious",
        "attack",
        "attacker",
        "compromised",
        "infected",
        "threat",
        "safe",
        "monitor",
        "sleep",
    ] {
        assert!(!own.contains(word), "`{word}` is a judgement");
    }
    for kind in KINDS {
        assert!(!own.contains(kind.name().to_lowercase().as_str()), "{}", kind.name());
    }
}

// covers: BOG-080, BOG-089
#[test]
fn nothing_is_written_but_its_own_words_and_what_was_seen_and_done() {
    let names = Names::original();
    let tools: BTreeSet<&str> = KINDS.iter().map(|kind| names.kind(*kind)).chain(["Monitor", "Sleep"]).collect();
    for (seed, red) in [(1, Red::BLine), (2, Red::Meander), (3, Red::Sleep)] {
        for kind in [PolicyKind::Random, PolicyKind::RemoveThenRestore, PolicyKind::GreedyDecoysThenRestore] {
            let mut play = Play::new(Options { red, ..Options::default() }, seed, names.clone());
            let mut policy = Policy::new(kind);
            policy.reset(seed);
            let mut told: BTreeSet<String> =
                words::ALL.iter().flat_map(|text| split(text)).map(str::to_owned).collect();
            let data = crate::tracker::play::observation(&play.simulator, &names).data.to_string();
            told.extend(split(&data).map(str::to_owned));
            for _ in 0..30 {
                let (call, seen) = play.act(policy.act(play.simulator.vector()), Some("Reasons of my own"));
                told.extend(split(&seen.data.to_string()).map(str::to_owned));
                told.extend(split("Reasons of my own").map(str::to_owned));
                told.extend(call.arguments.keys().cloned());
                told.insert(call.tool);
                let (status, history) = (play.block("status"), play.block("history"));
                let queries = answers(&play.tracker).join("\n");
                for word in split(&status).chain(split(&history)).chain(split(&queries)) {
                    let known = told.contains(word) || word.parse::<u32>().is_ok_and(|step| step <= play.step);
                    assert!(known, "`{word}` comes from nowhere");
                }
                // Actions are named where they were taken, and nowhere else.
                for word in split(&without_records(&status)).chain(split(&queries)) {
                    assert!(!tools.contains(word), "`{word}` in {status}\n{queries}");
                }
                let taken = play
                    .block("history")
                    .lines()
                    .skip(1)
                    .filter(|line| {
                        let (_, what) = line.split_once(": ").unwrap();
                        what.starts_with("{\"action\":\"") || what.ends_with("(no status change)")
                    })
                    .count();
                assert_eq!(taken, history.lines().count() - 1);
            }
            assert!(
                play.tracker.queries().iter().all(|query| !split(&query.description).any(|word| tools.contains(word)))
            );
        }
    }
}
