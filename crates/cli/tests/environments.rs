//! `gimbal env`, `persona`, `model`, `matrix`, `schema`, `doctor`.
#![allow(clippy::unwrap_used, clippy::expect_used, missing_docs, reason = "tests")]

use crate::common;

use common::Place;
use gimbal_cage2::policy::PolicyKind;
use gimbal_cage2::recording::{RecordOptions, record};
use gimbal_cage2::{Green, Options, Red};

fn recording(place: &Place, name: &str, red: Red, seed: u64) -> String {
    let options = RecordOptions {
        options: Options { red, green: Green::Scan, horizon: 40 },
        policy: PolicyKind::Random,
        episodes: 3,
        seed,
    };
    let mut bytes = Vec::new();
    record(&options, &mut bytes).unwrap();
    place.write(name, &String::from_utf8(bytes).unwrap());
    name.to_owned()
}

#[test]
fn a_recording_agrees_by_tape_and_by_seed_and_a_spoilt_one_does_not() {
    let place = Place::new();
    let file = recording(&place, "own.jsonl", Red::Meander, 99);
    for draws in ["tape", "seed"] {
        let said = place.gimbal(&["env", "cage2", "replay", &file, "--draws", draws, "--json"]).good();
        let found = said.json();
        assert_eq!((&found["episodes"], &found["steps"], &found["mismatches"]), (&3.into(), &120.into(), &0.into()));
        assert!(found["first"].is_null());
    }
    let text = std::fs::read_to_string(place.path().join(&file)).unwrap();
    let spoilt = text.replacen("\"reward\":-0.", "\"reward\":-9.", 1).replacen("\"reward\":0.0", "\"reward\":-9.0", 1);
    assert_ne!(text, spoilt);
    place.write("spoilt.jsonl", &spoilt);
    let said = place.gimbal(&["env", "cage2", "replay", "spoilt.jsonl", "--json"]);
    assert_eq!(said.code, 1);
    let first = &said.json()["first"];
    for key in ["file", "episode", "step", "field", "expected", "got"] {
        assert!(!first[key].is_null(), "{key}: {first}");
    }
}

#[test]
fn a_bench_and_the_replay_of_its_actions_print_the_same_checksum() {
    let place = Place::new();
    for view in ["vector", "raw"] {
        let bench =
            ["env", "cage2", "bench", "--observe", view, "--steps", "3000", "--save", "actions.jsonl", "--json"];
        let bench = place.gimbal(&bench).good().json();
        assert!(
            bench["steps_per_second"].as_f64().unwrap() > 0.0 && bench["steps"] == 3000 && bench["episodes"] == 100
        );
        let replay = format!("--checksum={view}");
        let replay = place.gimbal(&["env", "cage2", "replay", "actions.jsonl", &replay, "--json"]).good().json();
        assert_eq!(replay["checksum"], bench["checksum"], "{view}");
    }
}

#[test]
fn the_view_of_a_saved_bench_need_not_be_said_again() {
    let place = Place::new();
    let bench = ["env", "cage2", "bench", "--observe", "raw", "--steps", "300", "--save", "s3.jsonl", "--json"];
    let saved = place.gimbal(&bench).good().json();
    let replay = place.gimbal(&["env", "cage2", "replay", "--checksum", "s3.jsonl", "--json"]).good().json();
    assert_eq!((&replay["checksum"], &replay["observe"]), (&saved["checksum"], &"raw".into()));
    let again = place.gimbal(&["env", "cage2", "bench", "--json", "--actions", "s3.jsonl"]).good().json();
    assert_eq!(
        (&again["checksum"], &again["steps"], &again["draws"]),
        (&saved["checksum"], &300.into(), &"fast".into())
    );
    let said = place.gimbal(&["env", "cage2", "replay", "--checksum", "raw", "s3.jsonl"]);
    assert!(said.code == 2 && said.err.contains("--checksum=raw"), "{}", said.err);
    for flag in [
        ["--red", "meander"],
        ["--horizon", "9"],
        ["--policy", "sleep"],
        ["--draws", "fast"],
        ["--seed", "0"],
        ["--steps", "9"],
    ] {
        let mut arguments = vec!["env", "cage2", "bench"];
        arguments.extend(flag);
        arguments.extend(["--actions", "s3.jsonl"]);
        let said = place.gimbal(&arguments);
        assert!(said.code == 2 && said.err.contains(flag[0]) && said.err.contains("--actions"), "{}", said.err);
    }
}

/// The last line is one object, whatever else went wrong; no difference is lost behind a file that cannot be read.
#[test]
fn replay_checks_every_file_and_prints_one_object() {
    let place = Place::new();
    let file = recording(&place, "own.jsonl", Red::BLine, 99);
    let said = place.gimbal(&["env", "cage2", "replay", "nowhere.jsonl", &file, "--json"]);
    let found = said.json();
    assert_eq!((said.code, &found["episodes"], &found["mismatches"]), (2, &3.into(), &0.into()));
    assert_eq!(found["unreadable"][0]["file"], "nowhere.jsonl");
    assert!(said.err.contains("nowhere.jsonl"), "{}", said.err);
    let text = std::fs::read_to_string(place.path().join(&file)).unwrap();
    place.write("spoilt.jsonl", &text.replacen("\"fsm\":", "\"fsm\":9", 1));
    let said = place.gimbal(&["env", "cage2", "replay", "spoilt.jsonl", "nowhere.jsonl", &file, "--json"]);
    let found = said.json();
    assert_eq!((said.code, &found["episodes"], &found["mismatches"]), (1, &6.into(), &1.into()));
    assert!(said.err.contains("nowhere.jsonl"), "{}", said.err);
}

#[test]
fn a_recording_may_come_from_standard_input() {
    use std::io::Write as _;
    let place = Place::new();
    let file = recording(&place, "own.jsonl", Red::Meander, 99);
    let mut child = place
        .command()
        .args(["env", "cage2", "replay", "-", "--json"])
        .stdin(std::process::Stdio::piped())
        .stdout(std::process::Stdio::piped())
        .spawn()
        .unwrap();
    child.stdin.take().unwrap().write_all(&std::fs::read(place.path().join(file)).unwrap()).unwrap();
    let output = child.wait_with_output().unwrap();
    assert!(output.status.success());
    let text = String::from_utf8_lossy(&output.stdout).into_owned();
    let found: serde_json::Value = serde_json::from_str(text.lines().last().unwrap()).unwrap();
    assert_eq!((&found["episodes"], &found["mismatches"]), (&3.into(), &0.into()));
}

#[test]
fn returns_against_a_file_are_one_object() {
    let place = Place::new();
    let cell = r#"{"red":"B_line","blue":"sleep","horizon":30,"mean":-218.0,"se":1.0}"#;
    place.write("returns.json", &format!("{{\"cells\":[{cell}]}}"));
    let asked = |episodes: &str| {
        place.gimbal(&["env", "cage2", "returns", "--against", "returns.json", "--episodes", episodes, "--json"])
    };
    let found = asked("200").json();
    assert_eq!((&found["episodes"], found["cells"].as_array().unwrap().len()), (&200.into(), 1));
    let z = found["cells"][0]["z"].as_f64().unwrap().abs();
    assert!((found["largest_z"].as_f64().unwrap() - z).abs() < 1e-12);
    assert!(asked("1").err.contains("at least 2"));
    let one = place.gimbal(&["env", "cage2", "returns", "--episodes", "1", "--json"]).good();
    assert!(one.out.contains("SD –") && one.json()["sd"].is_null(), "{}", one.out);
}

#[test]
fn returns_and_evaluate_print_the_keys_of_every_environment() {
    let place = Place::new();
    let said = place.gimbal(&["env", "cage2", "returns", "--episodes", "50", "--json"]).good().json();
    assert!(said["mean"].as_f64().unwrap() < -150.0 && said["sd"].as_f64().unwrap() > 0.0 && said["episodes"] == 50);
    let table = place.gimbal(&["env", "cage2", "evaluate", "--policy", "sleep", "--episodes", "3"]).good().out;
    for word in ["b_line", "meander", "sleep", "30", "50", "100"] {
        assert!(table.contains(word), "{table}");
    }
}

#[test]
fn a_person_can_play() {
    let place = Place::new();
    let mut child = place
        .command()
        .args(["env", "cage2", "play", "--horizon", "3"])
        .stdin(std::process::Stdio::piped())
        .stdout(std::process::Stdio::piped())
        .spawn()
        .unwrap();
    use std::io::Write as _;
    child.stdin.take().unwrap().write_all(b"help\nMonitr\nMonitor\nanalyse user1\nquit\n").unwrap();
    let output = child.wait_with_output().unwrap();
    assert!(output.status.success());
    let text = String::from_utf8_lossy(&output.stdout).into_owned();
    assert!(text.contains("step 2 of 3") && text.contains("Monitor"), "{text}");
}

/// The idle call of some environments is only the scaffolding's way to let a step go by: no made-up step takes it.
#[test]
fn made_up_steps_take_actions_that_the_brief_offers() {
    let place = Place::new();
    for (environment, idle, offered) in [
        ("finance_agent", "finance_agent_retrieve_information prompt=", "finance_agent_edgar_search query="),
        ("triage", "conclude verdict=", "\"overview\""),
        ("cage2", "nothing like it", "Monitor"),
    ] {
        let shown = |arguments: &[&str]| {
            let all = [&["persona", "show", "--environment", environment, "--plain"][..], arguments].concat();
            place.gimbal(&all).good().out
        };
        for arguments in [&["planner", "--context", "history"][..], &["analyzer"]] {
            let said = shown(arguments);
            let (_, user) = said.split_once("=== user, step 2").or_else(|| said.split_once("user, step 2")).unwrap();
            assert!(user.contains(offered) && !user.contains(idle), "{environment} {arguments:?}: {user}");
        }
    }
}

// covers: BOG-023, BOG-054
#[test]
fn a_persona_shows_its_prompt_with_the_origin_of_each_part() {
    let place = Place::new();
    let said = place.gimbal(&["persona", "show", "planner", "--context", "observation,status,history"]).good().out;
    assert!(said.contains("core.yaml") && said.contains("prompt.yaml") && said.contains("=== user"), "{said}");
    place.write(
        "mine.yaml",
        "study: mine\nenvironment: { name: cage2, horizon: 2 }\narchitectures:\n  - base: react\n    name: status+actions\n    \
         context: [status]\n    flags: { inject_action_list: true }\nroles: [{ default: scripted/react-monitor }]\n",
    );
    let of_cell =
        place.gimbal(&["persona", "show", "--study", "mine.yaml", "--cell", "status+actions", "--plain"]).good().out;
    let by_hand = ["persona", "show", "planner", "--context", "status", "--flag", "inject_action_list=true", "--plain"];
    assert_eq!(place.gimbal(&by_hand).good().out, of_cell);
    assert!(!said.contains("Analyse hostname=User1") && of_cell.contains("Analyse hostname=User1"), "{of_cell}");
    let json = place.gimbal(&["persona", "show", "--configuration", "obs", "--protocol", "json", "--plain"]).good().out;
    assert_ne!(json, place.gimbal(&["persona", "show", "--configuration", "obs", "--plain"]).good().out);
    for (arguments, fix) in [
        (&["persona", "show", "--study", "mine.yaml", "--cell", "status+acton"][..], "did you mean `status+actions`"),
        (&["persona", "show", "planner", "--flag", "inject_acton_list=true"], "did you mean `inject_action_list`"),
        (&["persona", "show", "planner", "--context", "statos"], "did you mean `status`"),
        (&["persona", "show"], "name a persona"),
    ] {
        let wrong = place.gimbal(arguments);
        assert!(wrong.code == 2 && wrong.err.contains(fix), "{}", wrong.err);
    }
    let list = place.gimbal(&["persona", "list"]).good().out;
    for name in ["planner", "obs", "obs+hist", "obs+hist+net", "obs+net", "network", "hist+net"] {
        assert!(list.contains(name), "{list}");
    }
    let wrong = place.gimbal(&["persona", "show", "plannr"]);
    assert!(wrong.code == 2 && wrong.err.contains("planner"), "{}", wrong.err);
}

// covers: BOG-025
#[test]
fn no_prompt_of_any_persona_knows_the_environment() {
    let place = Place::new();
    let said = place.gimbal(&["persona", "show", "planner", "--plain"]).good().out.to_lowercase();
    let system = said.split("=== user").next().unwrap();
    for word in ["cage", "cyborg", "b_line", "meander", "op_server0", "kill chain", "otservice"] {
        assert!(!system.contains(word), "{word}");
    }
}

#[test]
fn lists_and_schemas_print() {
    let place = Place::new();
    assert!(place.gimbal(&["matrix"]).good().out.contains("react"));
    assert!(place.gimbal(&["env", "cage2", "tasks"]).good().out.lines().count() >= 1);
    assert!(place.gimbal(&["model", "list"]).good().out.contains("local/smollm2-135m"));
    assert!(place.gimbal(&["doctor"]).good().out.contains("disk"));
    for kind in [
        "study",
        "persona-core",
        "persona-prompt",
        "persona-knowledge",
        "persona-examples",
        "engine",
        "configurations",
        "prices",
        "script",
    ] {
        let schema: serde_json::Value = serde_json::from_str(&place.gimbal(&["schema", kind]).good().out).unwrap();
        assert!(schema.is_object(), "{kind}");
    }
}

#[test]
fn help_stays_as_it_is() {
    let place = Place::new();
    insta::assert_snapshot!(place.gimbal(&["--help"]).good().out);
}

/// A scenario over refused logons, with its label and what its criterion decides.
fn scenario(id: &str, expected: &str, decides: &str) -> String {
    format!(
        "id: {id}\ntitle: Mine\nfamily: my_scene\nsplits: [dev]\ntier: CLEAR_THREAT\ndifficulty: 1\ncategory: credentials\n\
         expected: {expected}\noperator_truth: unknown\nlabel_version: 1\nrationale: As told.\n\
         sources:\n  - engine: syslog\n    host: web01\n    start: 2026-03-10T02:00:00Z\n    steps:\n\
         \x20     - {{line: 'sshd: Failed password for root from 192.0.2.7 port 4242 ssh2', count: 2, every: 60}}\n\
         criterion:\n  suspicious:\n    - {{name: failure, facts: {{class: logon_failed}}, decides: {decides}}}\n"
    )
}

// covers: ARES-071
#[test]
fn a_corpus_of_ones_own_is_verified_with_a_line_for_each_scenario_that_fails() {
    let place = Place::new();
    place.write("own/good/scenario.yaml", &scenario("MY-1", "THREAT_CONFIRMED", "alone"));
    let verify = ["env", "triage", "evaluate", "--policy", "expert", "--corpus", "own"];
    let said = place.gimbal(&verify).good();
    assert!(said.out.contains("1 scenario checked"), "{}", said.out);
    // One whose label is not what its criterion gives, and one whose raw file is missing.
    place.write("own/bad/scenario.yaml", &scenario("MY-2", "THREAT_CONFIRMED", "never"));
    let script = "  - engine: syslog\n    host: web01\n    start: 2026-03-10T02:00:00Z\n    steps:\n      - {line: 'sshd: Failed password \
                  for root from 192.0.2.7 port 4242 ssh2', count: 2, every: 60}\n";
    let file = format!("  - {{file: auth.log, format: syslog, sha256: {}}}\n", "0".repeat(64));
    let missing = scenario("MY-3", "THREAT_CONFIRMED", "alone");
    assert!(missing.contains(script));
    place.write("own/lost/scenario.yaml", &missing.replace(script, &file));
    place.write(
        "own/lost/auth.log",
        "Mar 10 02:10:01 web01 sshd[7]: Failed password for root from 192.0.2.7 port 4242 ssh2\n",
    );
    let said = place.gimbal(&verify);
    assert_eq!(said.code, 1, "{} {}", said.out, said.err);
    for line in [
        "own/bad/scenario.yaml:1: MY-2: the criterion gives INCONCLUSIVE over the packet; `expected` says THREAT_CONFIRMED",
        "own/lost/scenario.yaml:1: MY-3: ",
        "scenario `MY-3` was written on 0000",
    ] {
        assert!(said.out.contains(line), "{line}: {}", said.out);
    }
    assert!(!said.out.contains("MY-1:") && said.err.contains("2 scenarios not verified"), "{} {}", said.out, said.err);
    // A part, and settings of the environment.
    let part = [&verify[..], &["--split", "dev-clear-threat", "--max_facts", "10", "--json"]].concat();
    let report = place.gimbal(&part).json();
    assert_eq!(
        (report["rows"][0]["scenarios"].as_u64(), report["faults"].as_array().map(Vec::len)),
        (Some(3), Some(2))
    );
    let wrong = place.gimbal(&[&verify[..], &["--split", "deev"]].concat());
    assert!(wrong.code == 2 && wrong.err.contains("did you mean `dev`"), "{}", wrong.err);
}

#[test]
fn the_help_of_evaluate_speaks_of_the_environment_at_hand() {
    let place = Place::new();
    let help = |name: &str| place.gimbal(&["env", name, "evaluate", "--help"]).good().out;
    let (triage, cage2) = (help("triage"), help("cage2"));
    assert!(triage.contains("Built-in policy") && triage.contains("keyword, rule_hits"), "{triage}");
    assert!(triage.contains("--corpus") && triage.contains("--split"), "{triage}");
    assert!(cage2.contains("restore_changed") && !cage2.contains("--split"), "{cage2}");
    assert!(![triage, cage2].iter().any(|text| text.contains("Blue")));
    let refused = place.gimbal(&["env", "cage2", "evaluate", "--split", "dev"]);
    assert!(refused.code == 2 && refused.err.contains("--split"), "{}", refused.err);
}
