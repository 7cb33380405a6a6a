//! `gimbal env alfworld`, and every configuration of the other environments in this one.
#![allow(clippy::unwrap_used, clippy::expect_used, missing_docs, reason = "tests")]

use crate::common;

use std::fmt::Write as _;

use common::Place;
use serde_json::json;

const NAME: &str = "alfworld";

/// A game file in the published form, with rules and words of generated households.
fn game() -> serde_json::Value {
    let facts = concat!(env!("CARGO_MANIFEST_DIR"), "/../../envs/alfworld/facts/household");
    let read = |end: &str| std::fs::read_to_string(format!("{facts}.{end}")).unwrap();
    let problem = "(define (problem small) (:domain household)
      (:objects me - person bed_bar_1 desk_bar_1 - furniture room_bar_1 - room spot_bar_1 spot_bar_2 spot_bar_9 - spot
                bed desk - make pen - sort pen_bar_1 - thing)
      (:init (stands me spot_bar_9) (placed bed_bar_1 spot_bar_1) (placed desk_bar_1 spot_bar_2) (made bed_bar_1 bed)
             (made desk_bar_1 desk) (belongs spot_bar_1 room_bar_1) (belongs spot_bar_2 room_bar_1) (fits bed pen)
             (fits desk pen) (sorted pen_bar_1 pen) (portable pen_bar_1) (lies pen_bar_1 desk_bar_1))
      (:goal (exists (?f - furniture ?t - thing) (and (made ?f bed) (lies ?t ?f)))))";
    json!({
        "pddl_domain": read("pddl"), "grammar": read("words"), "pddl_problem": problem, "solvable": true,
        "walkthrough": ["go to desk 1", "take pen 1 from desk 1", "go to bed 1", "put pen 1 in/on bed 1"],
    })
}

fn walk() -> serde_json::Value {
    let intro = "You come into a house and look about. There is a bed 1 in the room 1 and a desk 1 in the room 1.\n\nYour task: nothing.";
    json!({
        "game": "some/game", "walk": "script", "intro": intro,
        "admissible": ["go to bed 1", "go to desk 1", "help", "inventory", "look"], "won": false,
        "steps": [{
            "cmd": "go to desk 1", "obs": "You walk to the desk 1. On it there is a pen 1.",
            "adm_add": ["examine desk 1", "take pen 1 from desk 1"], "adm_del": ["go to desk 1"],
            "won": false, "score": 0, "done": false
        }]
    })
}

fn place() -> Place {
    let place = Place::new();
    std::fs::create_dir_all(place.path().join("games/some/game")).unwrap();
    place.write("games/some/game/game.tw-pddl", &game().to_string());
    place.write("walks.jsonl", &format!("{}\n", walk()));
    place
}

#[test]
fn a_recording_agrees_and_a_spoilt_one_is_named_by_place_and_field() {
    let place = place();
    let replay = |file: &str| place.gimbal(&["env", NAME, "replay", file, "--games", "games", "--json"]);
    let found = replay("walks.jsonl").good().json();
    assert_eq!((&found["walks"], &found["steps"], &found["mismatches"]), (&1.into(), &1.into(), &0.into()));
    for (field, from, to) in [
        ("obs", "there is a pen 1", "there is a pen 2"),
        ("admissible", "\"examine desk 1\",", ""),
        ("won", "\"won\":false,\"score\"", "\"won\":true,\"score\""),
        ("score", "\"score\":0", "\"score\":1"),
        ("done", "\"done\":false", "\"done\":true"),
        ("intro", "a bed 1 in", "a bed 2 in"),
    ] {
        let text = walk().to_string();
        // Keys are in the order in which they were written.
        assert!(text.contains(from), "{from}: {text}");
        place.write("spoilt.jsonl", &text.replacen(from, to, 1));
        let said = replay("spoilt.jsonl");
        assert_eq!(said.code, 1, "{field}");
        let first = &said.json()["first"];
        assert_eq!((&first["field"], &first["line"], &first["game"]), (&field.into(), &1.into(), &"some/game".into()));
        assert!(said.out.contains("spoilt.jsonl:1"), "{}", said.out);
    }
    // A change without effect, a line that is not text and a truncated file are named with their line.
    let text = walk().to_string();
    assert!(text.contains("\"adm_del\":["));
    let gone = text.replacen("\"adm_del\":[", "\"adm_del\":[\"dance\",", 1).replacen("\"dance\",]", "\"dance\"]", 1);
    place.write("spoilt.jsonl", &gone);
    let said = replay("spoilt.jsonl");
    assert_eq!((said.code, &said.json()["first"]["field"]), (1, &"adm_del".into()), "{}", said.out);
    std::fs::write(place.path().join("bytes.jsonl"), [format!("{text}\n").as_bytes(), b"\xff{}\n"].concat()).unwrap();
    let said = replay("bytes.jsonl");
    assert!(said.code == 2 && said.err.contains("bytes.jsonl:2: not UTF-8"), "{}", said.err);
    place.write("other.jsonl", &walk().to_string().replace("some/game", "no/game"));
    let said = replay("other.jsonl");
    assert!(said.code == 2 && said.err.contains("other.jsonl:1") && said.err.contains("no/game"), "{}", said.err);
    let cut = game().to_string();
    place.write("games/some/game/game.tw-pddl", &cut[..cut.len() / 2]);
    let said = replay("walks.jsonl");
    assert!(said.code == 2 && said.err.contains("cut short or damaged"), "{}", said.err);
    assert_eq!(replay("nowhere.jsonl").code, 2);
}

#[test]
fn bench_and_returns_play_files_and_households() {
    let place = place();
    for environment in [&["--games", "games"][..], &["--set", "task=generated/4"]] {
        let report =
            place.gimbal(&[&["env", NAME, "bench", "--steps", "3000", "--json"], environment].concat()).good().json();
        assert!(report["steps"] == 3000 && report["resets"] == 60, "{report}");
        for policy in ["expert", "planner"] {
            let arguments = [&["env", NAME, "returns", "--policy", policy, "--json"], environment].concat();
            let report = place.gimbal(&arguments).good().json();
            assert_eq!((&report["success_rate"], &report["given_up"]), (&json!(1.0), &0.into()), "{policy}");
        }
    }
    // As many episodes as were asked for, and none twice where it would be the same.
    for (policy, asked, played) in
        [("planner", "7", 7), ("random", "7", 7), ("random", "130", 130), ("planner", "130", 100)]
    {
        let arguments =
            ["env", NAME, "returns", "--policy", policy, "--episodes", asked, "--json", "--set", "receptacles=6"];
        let said = place.gimbal(&arguments).good();
        assert_eq!(said.json()["episodes"], played, "{policy} {asked}");
        assert_eq!(said.out.contains("130 episodes were asked for"), played == 100, "{}", said.out);
    }
    let tasks = place.gimbal(&["env", NAME, "tasks", "--split", "generated"]).good();
    assert!(tasks.out.contains("generated/99"));
    for (arguments, fix) in [
        (&["bench", "--set", "receptacle=3"][..], "did you mean `receptacles`?"),
        (&["bench", "--games", "nowhere"], "no such folder"),
        (&["bench", "--mode", "x"], "unexpected argument '--mode'"),
        (&["play", "--games", "nowhere"], "nowhere/valid_unseen: holds no game.tw-pddl"),
        (&["play", "--policy", "nothing", "--games", "nowhere"], "nowhere/valid_unseen: holds no game.tw-pddl"),
        (&["play", "--set", "households=nowhere"], "nowhere: cannot be read"),
        (&["returns", "--policy", "exper"], "did you mean `expert`?"),
        (&["replay", "walks.jsonl", "--games", "nowhere"], "no such folder"),
        (&["evaluate"], "no verb `evaluate`: it has show, calls, play, replay, bench, returns, save and tasks"),
    ] {
        let said = place.gimbal(&[&["env", NAME], arguments].concat());
        assert_eq!(said.code, 2, "{arguments:?}");
        assert!(said.err.contains(fix), "{arguments:?}: {}", said.err);
    }
}

// covers: BOG-180
#[test]
fn every_configuration_of_the_other_environments_solves_households_with_a_perfect_expert() {
    let place = Place::new();
    let file = concat!(env!("CARGO_MANIFEST_DIR"), "/../../personas/configurations.yaml");
    let text = std::fs::read_to_string(file).unwrap();
    let mut study = "study: households\nenvironment: { name: alfworld }\narchitectures:\n".to_owned();
    let mut cells = 0_u64;
    for line in text.lines().filter_map(|line| line.trim().strip_prefix("- { name: ")) {
        let (name, rest) = line.split_once(", base: ").unwrap();
        let base = rest.split([',', ' ', '}']).next().unwrap();
        // The same settings as `+question`, and those that need a packet.
        if name == "only-question" || ["debate", "panel"].contains(&base) {
            continue;
        }
        writeln!(study, "  - {{ base: {base}, configuration: '{name}' }}").unwrap();
        cells += 1;
    }
    assert!(cells >= 12);
    study.push_str(
        "roles:\n  - { default: noisy/1.0 }\nepisodes: { tasks: { split: generated, limit: 2 }, runs: 1, seed: 1 }\n",
    );
    place.write("households.yaml", &study);
    place.gimbal(&["run", "households.yaml", "--progress", "quiet", "--no-report"]).good();
    let said = place.gimbal(&["verify", "households", "--json"]).good().json();
    assert_eq!((said["episodes"].as_u64(), said["problems"].as_array().unwrap().len()), (Some(2 * cells), 0));
    let listed = place.gimbal(&["trace", "households"]).good().out;
    assert_eq!(listed.matches("solved").count() as u64, 2 * cells, "{listed}");
}

/// Folders that a study's options name hold its tasks, whatever `GIMBAL_DATA` says.
// covers: CYC-035
#[test]
fn folders_that_options_name_hold_the_tasks_of_a_study() {
    let place = Place::new();
    let folder = |name: &str| {
        let folder = place.path().join(name);
        std::fs::create_dir_all(&folder).unwrap();
        folder
    };
    std::fs::write(folder("games/valid_unseen/pen").join("game.tw-pddl"), game().to_string()).unwrap();
    let saved = folder("homes").join("mine.household.json");
    let said = place.gimbal(&["env", NAME, "save", "--task", "generated/3", &saved.display().to_string()]).good();
    assert!(said.out.contains("generated/3 is saved as"), "{}", said.out);
    for (option, split, task) in
        [("games", "unseen", "valid_unseen/pen"), ("households", "households", "household/mine")]
    {
        let named = place.path().join(if option == "games" { "games" } else { "homes" });
        let mut command = place.command();
        let set = format!("{option}={}", named.display());
        command.env_remove("GIMBAL_DATA").args(["env", NAME, "tasks", "--split", split, "--set", &set]);
        let said: common::Said = command.output().unwrap().into();
        assert!(
            said.code == 0 && said.out.contains(task) && said.out.lines().count() == 1,
            "{} {}",
            said.out,
            said.err
        );
        for tasks in [format!("{{ split: {split} }}"), format!("[{task}]")] {
            let run = format!("{option}-{}", tasks.len());
            let study = format!(
                "study: {run}\nenvironment: {{ name: {NAME}, {option}: '{}' }}\n\
                 architectures: [{{ base: baseline, policy: expert }}]\nroles: [{{ default: scripted/first-choice }}]\n\
                 episodes: {{ tasks: {tasks}, runs: 1 }}\n",
                named.display()
            );
            place.write("named.yaml", &study);
            let mut command = place.command();
            command.env_remove("GIMBAL_DATA").args(["run", "named.yaml", "--progress", "quiet", "--no-report"]);
            let said: common::Said = command.output().unwrap().into();
            assert_eq!(said.code, 0, "{tasks}: {}", said.err);
        }
    }
}

/// A list of subtasks of the noisy planner is one along which a household task can be done: to the thing, take it, to what
/// prepares it, prepare it, to where it belongs, put it down.
// covers: CYC-025
#[test]
fn the_noisy_planners_list_wins_households() {
    for decoding in ["free", "constrained"] {
        let place = Place::new();
        let study = format!(
            "study: listed\nenvironment: {{ name: alfworld, tools: split }}\n\
             architectures: [{{ base: dag, name: DepDAG, graph: planner }}]\n\
             roles: [{{ default: {{ model: noisy/1.0, decoding: {decoding} }} }}]\n\
             episodes: {{ tasks: {{ split: generated, limit: 12 }}, runs: 1 }}\n"
        );
        place.write("listed.yaml", &study);
        place.gimbal(&["run", "listed.yaml", "--progress", "quiet", "--no-report"]).good();
        let folder = gimbal_study::run::RunFolder::open(&place.path().join("runs/listed")).unwrap();
        let rows = gimbal_study::read::load_rows(&folder).unwrap();
        assert_eq!(rows.cells[0].environment, "alfworld split tools", "`split` alone reads like a split of the tasks");
        let rows = rows.episodes;
        let won = rows.iter().filter(|row| row.return_thousandths > 0).count();
        assert!(rows.len() == 12 && won >= 8, "{decoding}: {won} of {}", rows.len());
    }
}
