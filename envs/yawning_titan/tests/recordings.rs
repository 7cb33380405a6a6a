//! Recordings of our own: written, replayed, spoiled, refused. They need nothing of the original.
#![allow(clippy::unwrap_used, clippy::expect_used, clippy::print_stdout, missing_docs)]

use std::io::Cursor;
use std::path::Path;

use gimbal_yawning_titan::policy::{POLICIES, PolicyKind};
use gimbal_yawning_titan::recording::{Json, RecordOptions, record};
use gimbal_yawning_titan::replay::{DrawSource, ReplayOptions, ReplayReport, replay_from};
use gimbal_yawning_titan::{Config, RedKind, Scenario, Source};
use serde_json::{Map, Value, json};

fn written(mode: &str, network: &str, red: RedKind, changes: Value, policy: PolicyKind, seed: u64) -> String {
    let changes: Map<String, Value> = changes.as_object().unwrap().clone();
    let mut config = Config::mode(mode).unwrap();
    for (name, value) in &changes {
        config.set(name, value).unwrap();
    }
    let scenario = Scenario { config, network: Source::Stored(network.to_owned()), red };
    let mut out = Vec::new();
    let what = RecordOptions { mode: mode.to_owned(), changes, scenario, policy, episodes: 2, horizon: 40, seed };
    record(&what, &mut out).unwrap();
    String::from_utf8(out).unwrap()
}

/// Everything that blue may do, deceptive nodes in play.
fn all_actions() -> Value {
    json!({
        "blue.action_set.deceptive_nodes.use": true, "blue.action_set.restore_node": true,
        "blue.action_set.isolate_node": true, "blue.action_set.reconnect_node": true,
        "blue.action_set.make_node_safe.gives_random_vulnerability": true, "blue.action_set.do_nothing": true,
        "red.action_set.spread.use": true, "red.action_set.random_infect.use": true, "red.action_set.move.use": true,
        "game_rules.blue_loss_condition.high_value_node_lost": false,
    })
}

fn replayed(text: &str, draws: DrawSource) -> Result<ReplayReport, String> {
    let options = ReplayOptions { files: Vec::new(), draws, checksum: true };
    replay_from(Path::new("recording"), Box::new(Cursor::new(text.as_bytes().to_vec())), &options)
        .map_err(|error| error.to_string())
}

#[test]
fn what_is_recorded_replays_from_tape_and_from_seed() {
    let mut steps = 0;
    for (seed, policy) in POLICIES.into_iter().enumerate() {
        for text in [
            written("default", "default_18", RedKind::Standard, json!({}), policy, seed as u64),
            written("dcbo", "dcbo_base", RedKind::Sine, json!({}), policy, seed as u64 + 10),
            written("low_skill_red", "default_18_set_entry", RedKind::Standard, json!({}), policy, 77),
            written("default", "mesh_15", RedKind::Standard, all_actions(), policy, seed as u64 + 20),
            written("default", "mesh_5", RedKind::Sine, all_actions(), policy, seed as u64 + 30),
        ] {
            for draws in [DrawSource::Tape, DrawSource::Seed] {
                let report = replayed(&text, draws).unwrap();
                assert_eq!(report.first, None);
                assert_eq!((report.counts.environments, report.counts.episodes, report.unrecorded), (1, 2, Some(0)));
                let checksums = report.checksums.unwrap();
                assert_eq!(Some(checksums.played), checksums.recorded);
                steps += report.counts.steps;
            }
        }
    }
    assert!(steps > 500, "{steps}");
}

/// A recording written once and kept: what replays today replays forever.
#[test]
fn the_kept_recording_still_replays() {
    let kept = include_str!("fixtures/recording.jsonl");
    for draws in [DrawSource::Tape, DrawSource::Seed] {
        let report = replayed(kept, draws).unwrap();
        assert_eq!(report.first, None);
        assert_eq!((report.counts.environments, report.counts.episodes), (1, 2));
    }
    assert_eq!(written("default", "mesh_5", RedKind::Sine, all_actions(), PolicyKind::Random, 3), kept);
}

/// One value of a line is spoiled at a time; each must be found, at its place.
#[test]
fn every_spoiled_field_is_found() {
    let text = written("default", "mesh_15", RedKind::Standard, all_actions(), PolicyKind::Random, 4);
    let lines: Vec<Json> = text.lines().map(|line| Json::parse(line).unwrap()).collect();
    let at = |kind: &str| lines.iter().position(|line| line.get("kind").unwrap().as_text() == Some(kind)).unwrap();
    let step = at("step") + 3;
    let spoil: Vec<(usize, &str, Value)> = vec![
        (at("env"), "n_actions", json!(7)),
        (at("env"), "obs_size", json!(7)),
        (at("env"), "connectivity", json!(0.5)),
        (at("reset"), "deceptive", json!([["d0", "00000000-0000-4000-8000-000000000000", 0.123]])),
        (step, "reward", json!(1234.5)),
        (step, "done", json!(true)),
        (step, "did", json!("connect")),
        (step, "seen", json!([[null, "0"], [null, "1"]])),
        (step, "red", json!([])),
        (step, "obs_d", json!([[0, 9.0]])),
        (step, "t", json!(99)),
        (step, "ep", json!(99)),
        (at("end"), "ret", json!(1e9)),
        (at("end"), "steps", json!(1)),
        (at("end"), "error", json!("KeyError")),
        (at("end"), "rng_check", json!([1, 0.5])),
    ];
    for (line, field, value) in spoil {
        let mut spoiled = lines.clone();
        *member(&mut spoiled[line], field) = Json::parse(&value.to_string()).unwrap();
        let report = replayed(&joined(&spoiled), DrawSource::Tape).unwrap();
        assert!(report.mismatches > 0, "{field}");
        let first = report.first.unwrap();
        assert_plain(&[&first.expected, &first.got]);
        let found = first.field;
        assert!(
            found.starts_with(field) || (field == "obs_d" && found.starts_with("obs[")),
            "{field} found as {found}"
        );
    }
    for (field, value) in [
        ("comp", json!("111111111111111")),
        ("view", json!("111111111111111")),
        ("know", json!("111111111111111")),
        ("iso", json!("111111111111111")),
        ("loc", json!("99")),
        ("zd", json!([9, 9])),
        ("dec", json!([9, 9, true])),
        ("dur", json!(99)),
        ("order", json!(["0"])),
        ("vuln", json!({ "0": 0.5 })),
        ("adj", json!({ "0": [] })),
        ("badj", json!({ "0": [] })),
        ("special", json!([[], []])),
    ] {
        let mut spoiled = lines.clone();
        let row = at("step");
        *member(member(&mut spoiled[row], "state"), field) = Json::parse(&value.to_string()).unwrap();
        let report = replayed(&joined(&spoiled), DrawSource::Tape).unwrap();
        let first = report.first.unwrap_or_else(|| panic!("{field} is not found"));
        assert_plain(&[&first.expected, &first.got]);
        let found = first.field;
        assert!(found.starts_with(&format!("state.{field}")), "{field} found as {found}");
    }
    // A draw of the tape: taken at its word it changes the environment, and the seed beside it gives it away.
    let mut spoiled = lines.clone();
    let row = at("step");
    let draw = item(item(member(&mut spoiled[row], "tape"), 0), 4);
    *draw = Json::Whole(if *draw == Json::Whole(50) { 51 } else { 50 });
    for draws in [DrawSource::Tape, DrawSource::Seed] {
        let report = replayed(&joined(&spoiled), draws).unwrap();
        assert_eq!(report.first.unwrap().field, "tape");
    }
    let mut missing = lines.clone();
    if let Json::List(tape) = member(&mut missing[row], "tape") {
        tape.pop();
    }
    assert!(replayed(&joined(&missing), DrawSource::Tape).unwrap().mismatches > 0);
    assert_eq!(replayed(&joined(&lines), DrawSource::Tape).unwrap().first, None, "unspoiled, all agrees");
}

/// Values are told as recordings write them, not as the program holds them.
fn assert_plain(texts: &[&String]) {
    for text in texts {
        for inner in ["Whole(", "Real(", "Text(", "List(", "Map(", "Null", "Some(", "None", "Network {"] {
            assert!(!text.contains(inner), "{text}");
        }
    }
}

/// A member of an object; a new one if it has none of that name.
fn member<'a>(json: &'a mut Json, key: &str) -> &'a mut Json {
    let Json::Map(entries) = json else { panic!("no object") };
    let at = entries.iter().position(|(known, _)| known == key).unwrap_or_else(|| {
        entries.push((key.to_owned(), Json::Null));
        entries.len() - 1
    });
    &mut entries[at].1
}

fn item(json: &mut Json, at: usize) -> &mut Json {
    let Json::List(items) = json else { panic!("no list") };
    &mut items[at]
}

/// With every digit, which a detour over other readers would not keep.
fn written_back(json: &Json) -> String {
    match json {
        Json::Null => "null".to_owned(),
        Json::Bool(value) => value.to_string(),
        Json::Whole(value) => value.to_string(),
        Json::Real(value) => format!("{value:?}"),
        Json::Text(text) => json!(text).to_string(),
        Json::List(items) => format!("[{}]", items.iter().map(written_back).collect::<Vec<_>>().join(",")),
        Json::Map(entries) => {
            let entries = entries.iter().map(|(key, value)| format!("{}:{}", json!(key), written_back(value)));
            format!("{{{}}}", entries.collect::<Vec<_>>().join(","))
        }
    }
}

fn joined(lines: &[Json]) -> String {
    lines.iter().map(|line| format!("{}\n", written_back(line))).collect()
}

#[test]
fn recordings_that_are_none_are_refused_with_their_place() {
    let text = written("default", "mesh_5", RedKind::Standard, json!({}), PolicyKind::Nothing, 4);
    let lines: Vec<&str> = text.lines().collect();
    let refused = |text: String| replayed(&text, DrawSource::Tape).unwrap_err();
    assert!(refused(String::new()).contains("no episode in recording"));
    assert!(refused("{}".to_owned()).contains("recording:1: the line has no `kind`"));
    assert!(refused("[1]".to_owned()).contains("recording:1"));
    assert!(refused(lines[1].to_owned()).contains("without an `env` line"));
    assert!(refused(format!("{}\n{}", lines[0], lines[2])).contains("without a `reset` line"));
    assert!(refused(lines[..4].join("\n")).contains("its `end` line is missing"));
    assert!(refused(format!("{}\n{}\n{}", lines[0], lines[1], lines[0])).contains("begins before the last episode"));
    assert!(refused(lines[0].replace("\"mode\":\"default\"", "\"mode\":\"defalt\"")).contains("did you mean"));
    assert!(refused(lines[0].replace("\"red\":\"standard\"", "\"red\":\"blue\"")).contains("standard or sine"));
    assert!(refused(lines[0].replace("\"edges\":[[", "\"edges\":[[\"9\",\"9\"],[")).contains("`net` must hold"));
    assert!(refused(lines[0].replacen("{\"kind\"", "{\"more\":1,\"kind\"", 1)).contains("unknown field `more`"));
    let broken = lines[1].replace("\"uniform\"", "\"unicorn\"");
    assert!(refused(format!("{}\n{broken}", lines[0])).contains("entry 0 of `tape` is malformed"));
    let odd = lines[2].replace("\"kind\":\"step\"", "\"kind\":\"stop\"");
    assert!(refused(format!("{}\n{}\n{odd}", lines[0], lines[1])).contains("unknown kind `stop`"));
}

/// Where the original raises an exception, so do we, and the recording of it replays.
#[test]
fn exceptions_replay_as_such() {
    // Red weighs targets by the inverse of their vulnerability, which is 0 on this network.
    let changes =
        json!({ "red.target_mechanism.random": false, "red.target_mechanism.prioritise_vulnerable_nodes": true });
    let text = written("dcbo", "dcbo_base", RedKind::Standard, changes, PolicyKind::Nothing, 1);
    assert!(text.contains("\"error\":\"ZeroDivisionError\""));
    for draws in [DrawSource::Tape, DrawSource::Seed] {
        let report = replayed(&text, draws).unwrap();
        assert_eq!((report.first, report.counts.exceptions, report.counts.steps), (None, 2, 0));
    }
    // A candidate that has no neighbour cannot be reached from red's target.
    let changes = json!({
        "red.target_mechanism.random": false, "red.target_mechanism.target_specific_node.use": true,
        "red.target_mechanism.target_specific_node.target": "9",
    });
    let raised = (0..20).find_map(|seed| {
        let text = written("dcbo", "dcbo_base", RedKind::Standard, changes.clone(), PolicyKind::Nothing, seed);
        text.contains("\"error\":\"KeyError\"").then_some(text)
    });
    let text = raised.expect("one of twenty networks has an entry node that has no neighbour");
    let report = replayed(&text, DrawSource::Tape).unwrap();
    assert!(report.first.is_none() && report.counts.exceptions > 0);
    let spoiled = text.replace("\"error\":\"KeyError\",\"text\"", "\"error\":\"IndexError\",\"text\"");
    assert_eq!(replayed(&spoiled, DrawSource::Tape).unwrap().first.unwrap().field, "error");
}
