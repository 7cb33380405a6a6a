//! What holds for every sequence of actions.

use gimbal_cage2::tracker::{DecoyTable, HostBelief, HostTracker, Status};
use gimbal_cage2::{Action, Names, Options, Red};
use gimbal_core::{Observation, Stepped, ToolCall, Tracker as _};
use proptest::prelude::*;
use serde_json::Value;

use crate::tracker::play::{BLOCKS, Play, answers, observation};

/// The same value with the keys of every object in reverse.
fn reversed(value: &Value) -> Value {
    match value {
        Value::Object(fields) => fields.iter().rev().map(|(key, value)| (key.clone(), reversed(value))).collect(),
        Value::Array(items) => items.iter().map(reversed).collect(),
        other => other.clone(),
    }
}

/// Numbers of the steps that the log reports, in order.
fn steps(history: &str) -> Vec<u32> {
    let mut steps = Vec::new();
    for line in history.lines().skip(1) {
        let (head, _) = line.split_once(": ").unwrap();
        let numbers = head.trim_start_matches("Steps ").trim_start_matches("Step ");
        let (from, to) = numbers.split_once('-').unwrap_or((numbers, numbers));
        steps.extend(from.parse::<u32>().unwrap()..=to.parse().unwrap());
    }
    steps
}

/// Whatever is more often quiet than not.
fn actions() -> impl Strategy<Value = Vec<usize>> {
    proptest::collection::vec(prop_oneof![2 => 0..2_usize, 1 => 0..145_usize], 1..40)
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(48))]

    // covers: BOG-022, BOG-080, BOG-090
    #[test]
    fn the_same_sequence_gives_the_same_bytes(
        seed in any::<u64>(), meander in any::<bool>(), neutral in any::<bool>(), actions in actions(),
    ) {
        let options = Options { red: if meander { Red::Meander } else { Red::BLine }, ..Options::default() };
        let names = if neutral { Names::neutral(seed) } else { Names::original() };
        let mut play = Play::new(options, seed, names);
        // Another belief state, told the same by itself later and with the keys of objects in another order.
        let first = observation(&play.simulator, &play.names);
        let mut other = HostTracker::new(HostBelief::new(DecoyTable::of(&play.names)));
        other.begin(&Observation { data: reversed(&first.data).into(), ..first });
        let mut lines: Vec<String> = Vec::new();
        for action in actions {
            let (call, seen) = play.act(Action::from_index(action).unwrap(), Some("because"));
            let seen = Observation { data: reversed(&seen.data).into(), ..seen };
            other.update(Stepped { step: play.step, call: &call, observation: &seen, justification: Some("because") });
            for name in BLOCKS {
                prop_assert_eq!(play.block(name), other.block(name).unwrap());
                prop_assert_eq!(play.block(name), play.block(name));
            }
            prop_assert_eq!(answers(&play.tracker), answers(&other));

            // The log reports every step once, and rewrites no line but its last.
            let history = play.block("history");
            prop_assert_eq!(steps(&history), (1..=play.step).collect::<Vec<_>>());
            let now: Vec<String> = history.lines().map(str::to_owned).collect();
            let settled = lines.len().saturating_sub(1);
            prop_assert_eq!(&now[..settled], &lines[..settled]);
            lines = now;
        }
    }

    // covers: BOG-082, BOG-102
    #[test]
    fn the_status_block_lists_exactly_the_hosts_that_are_not_baseline(seed in any::<u64>(), actions in actions()) {
        let mut play = Play::new(Options::default(), seed, Names::original());
        for action in actions {
            let (ToolCall { tool, arguments }, seen) = play.act(Action::from_index(action).unwrap(), None);
            let text = play.block("status");
            let wanted: Vec<(&str, Status)> =
                play.tracker.belief().statuses().filter(|(_, status)| *status != Status::Baseline).collect();
            let Some((_, list)) = text.split_once('\n') else {
                prop_assert!(wanted.is_empty());
                continue;
            };
            let list: Vec<Value> = serde_json::from_str(list).unwrap();
            let found: Vec<&str> = list.iter().filter_map(|line| line["host_name"].as_str()).collect();
            prop_assert_eq!(found, wanted.iter().map(|(host, _)| *host).collect::<Vec<_>>());
            for (line, (host, status)) in list.iter().zip(wanted) {
                let status = status.text();
                prop_assert_eq!(line["current_status"].as_str(), Some(status.as_ref()));
                let recency = if seen.data.get(host).is_some() { "Current" } else { "Past" };
                prop_assert_eq!(line["time_of_update"].as_str(), Some(recency));
                if arguments.get("hostname").and_then(Value::as_str) == Some(host) {
                    let record = line["applied_actions_so_far"].as_str().unwrap();
                    prop_assert_eq!(record.rsplit("->").next(), Some(tool.as_str()));
                }
            }
        }
    }
}
