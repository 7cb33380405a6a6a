//! `gimbal env textcraft`, and every configuration at play in it.
#![allow(clippy::unwrap_used, clippy::expect_used, missing_docs, reason = "tests")]

use crate::common;

use common::Place;
use gimbal_textcraft::Tree;
use gimbal_textcraft::recording::{KINDS, record};

const NAME: &str = "textcraft";

fn recording(place: &Place) -> String {
    let mut bytes = Vec::new();
    record(&Tree::shipped().unwrap(), [3, 418].into_iter(), &KINDS, &mut bytes).unwrap();
    let text = String::from_utf8(bytes).unwrap();
    place.write("own.jsonl", &text);
    text
}

// covers: CYC-034
#[test]
fn a_recording_agrees_and_a_spoilt_one_does_not() {
    let place = Place::new();
    let text = recording(&place);
    let said = place.gimbal(&["env", NAME, "replay", "own.jsonl", "--json"]).good();
    assert!(said.out.starts_with("8 rows, "), "{}", said.out);
    assert_eq!((&said.json()["mismatches"], &said.json()["aliased"]), (&0.into(), &2.into()));
    place.write("spoilt.jsonl", &text.replacen("Got ", "Got no ", 1));
    let said = place.gimbal(&["env", NAME, "replay", "spoilt.jsonl", "--json"]);
    assert_eq!(said.code, 1);
    assert!(said.out.contains("first: spoilt.jsonl:1, seed 3, step 0, obs"), "{}", said.out);
    for key in ["file", "line", "seed", "step", "field", "expected", "got"] {
        assert!(!said.json()["first"][key].is_null(), "{key}");
    }
    place.write("torn.jsonl", &text[..text.len() / 2]);
    let said = place.gimbal(&["env", NAME, "replay", "torn.jsonl", "nowhere.jsonl"]);
    assert!(
        said.code == 2 && said.err.contains("torn.jsonl:") && said.err.contains("nowhere.jsonl: cannot be read"),
        "{}",
        said.err
    );
}

// covers: CYC-030, CYC-040, CYC-041
#[test]
fn benches_returns_and_tasks_say_what_was_played() {
    let place = Place::new();
    let bench = |extra: &[&str]| {
        place.gimbal(&[&["env", NAME, "bench", "--steps", "4000", "--json"], extra].concat()).good().json()
    };
    let one = bench(&[]);
    assert!(one["steps"] == 4000 && one["scenes"] == 419 && one["steps_per_second"].as_f64().unwrap() > 0.0);
    assert_eq!(one["checksum"], bench(&[])["checksum"]);
    assert_ne!(one["checksum"], bench(&["--seed", "7"])["checksum"]);
    assert!(bench(&["--policy", "expert"])["solved"].as_u64().unwrap() > 100);
    let returns = ["env", NAME, "returns", "--episodes", "11", "--set", "split=depth-4-test", "--json"];
    let report = place.gimbal(&returns).good().json();
    assert_eq!((&report["solved"], &report["mean"]), (&11.into(), &1.0.into()));
    let table =
        place.gimbal(&["env", NAME, "evaluate", "--policy", "expert", "--episodes", "5", "--json"]).good().json();
    assert_eq!(table.as_array().unwrap().len(), 3);
    let tasks = place.gimbal(&["env", NAME, "tasks", "--split", "depth-3-test", "--json"]).good().json();
    assert_eq!(tasks.as_array().unwrap().len(), 82);
    let all = place.gimbal(&["env", NAME, "tasks"]).good().out;
    assert!(all.contains("cyan_banner") && all.contains("depth-2-test-5"));
}

#[test]
fn other_recipes_are_played_from_their_file() {
    let place = Place::new();
    place.write("own.txt", "4 plank = 1 log [planks]\n2 rod = 2 #planks\n1 frame = 4 rod\n1 log = 1 plank\n");
    let returns =
        |file: &str| place.gimbal(&["env", NAME, "returns", "--set", &format!("recipes={file}"), "--episodes", "4"]);
    let said = returns("own.txt").good();
    assert!(said.out.contains("4 of 4 episodes reach their goal"), "{}", said.out);
    assert!(said.err.contains("own.txt:4: left out, as the original would: it takes what is made of its own result"));
    for (text, mend) in [
        ("1 c = 1 b\n1 b = 1 a\n1 a = 1 c\n", "these recipes go in a circle: `c` (line 1) takes `b` (line 2)"),
        ("4 plank = 1 log\n2 rod = 2", "bad.txt:2: `2` is not an amount and a name, the line may be cut short"),
        ("{\"out\": \"plank\", \"inn\": [[\"log\", 1]]}\n", "bad.txt:1: unknown key `inn`; did you mean `in`?"),
        ("4 plank = 1 log\n", "no item takes two crafting steps"),
    ] {
        place.write("bad.txt", text);
        let said = returns("bad.txt");
        assert!(said.code == 2 && said.err.contains(mend), "{}", said.err);
    }
}

#[test]
fn wrong_words_are_refused_with_their_mend() {
    let place = Place::new();
    for (arguments, fix) in [
        (&["bench", "--red", "b_line"][..], "unexpected argument '--red'"),
        (&["bench", "--observe", "vector"], "every reply is written as text"),
        (&["bench", "--policy", "expart"], "did you mean `expert`?"),
        (&["bench", "--set", "aliasin=true"], "did you mean `aliasing`?"),
        (&["bench", "--set", "aliasing=maybe"], "give true or false"),
        (&["bench", "--horizon", "0"], "`max_calls` is 0; give a whole number from 1 to 10000"),
        (&["bench", "--draws", "mersenne"], "known: fast"),
        (&["returns", "--set", "split=depth-9"], "depth-2"),
        (&["returns", "--set", "split=depth-4-train"], "has no tasks"),
        (&["returns", "--set", "recipes=nowhere.txt"], "nowhere.txt: cannot be read"),
        (&["tasks", "--split", "tset"], "did you mean `test`?"),
        (&["replay", "nowhere.jsonl"], "nowhere.jsonl: cannot be read"),
    ] {
        let said = place.gimbal(&[&["env", NAME], arguments].concat());
        assert!(said.code == 2 && said.err.contains(fix), "{arguments:?}: {}", said.err);
    }
}

/// Every configuration that ships, by YAML alone, with an expert that makes no mistake.
// covers: BOG-233
#[test]
fn every_configuration_plays_an_episode_to_its_goal() {
    let place = Place::new();
    let shipped = include_str!("../../../personas/configurations.yaml");
    let mut architectures = String::new();
    let mut count = 0_u64;
    for line in shipped.lines().filter(|line| line.trim_start().starts_with("- { name: ")) {
        let field = |key: &str| line.split(key).nth(1).unwrap().split([',', ' ']).next().unwrap();
        // The same settings as `+question`; and debates and panels have environments of their own.
        if field("name: ") == "only-question" || ["debate", "panel"].contains(&field("base: ")) {
            continue;
        }
        architectures.push_str(&format!("  - {{ base: {}, configuration: {} }}\n", field("base: "), field("name: ")));
        count += 1;
    }
    assert!(count >= 22, "{count}");
    place.write(
        "all.yaml",
        &format!(
            "study: all\nenvironment: {{ name: textcraft }}\narchitectures:\n{architectures}\
             roles:\n  - {{ default: noisy/1.0 }}\nepisodes: {{ tasks: [lectern], runs: 1, seed: 1 }}\n"
        ),
    );
    place.gimbal(&["run", "all.yaml", "--progress", "quiet", "--no-report"]).good();
    let said = place.gimbal(&["verify", "all", "--json"]).good().json();
    assert_eq!((said["episodes"].as_u64(), said["problems"].as_array().unwrap().len()), (Some(count), 0));
    let list = place.gimbal(&["trace", "all"]).good().out;
    assert_eq!(list.lines().count() as u64, count + 1);
    assert!(list.lines().skip(1).all(|line| line.contains("solved")), "{list}");
}
