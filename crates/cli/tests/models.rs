//! `gimbal model` as a user calls it, on a tiny generated model file. Nothing is fetched.
#![cfg(feature = "embedded")]
#![allow(clippy::unwrap_used, clippy::expect_used, missing_docs)]

use crate::common;

use std::io::Write as _;
use std::process::Stdio;

use common::{Place, Said};
use gimbal_testkit::tiny_gguf::TinyGguf;

fn place() -> (Place, String) {
    let place = Place::new();
    let path = place.path().join("tiny.gguf");
    TinyGguf::default().write(&path).unwrap();
    (place, path.display().to_string())
}

fn talk(place: &Place, arguments: &[&str], lines: &str) -> Said {
    let mut command = place.command();
    command.args(arguments).stdin(Stdio::piped()).stdout(Stdio::piped()).stderr(Stdio::piped());
    let mut child = command.spawn().unwrap();
    child.stdin.take().unwrap().write_all(lines.as_bytes()).unwrap();
    child.wait_with_output().unwrap().into()
}

#[test]
fn the_bench_prints_both_sides_and_the_same_as_json() {
    let (place, path) = place();
    let bench = ["model", "bench", &path, "--threads", "1", "--prompt", "70,100", "--decode", "3", "--rounds", "2"];
    let said = place.gimbal(&bench).good();
    assert!(said.out.contains("library alone") && said.out.contains("agent loop of 10 turns"), "{}", said.out);
    let json = place.gimbal(&[&bench[..], &["--chunk", "32", "--json"]].concat()).good().json();
    assert_eq!((json["model"]["chunk"].as_u64(), json["rows"][1]["length"].as_u64()), (Some(32), Some(100)));
    for side in ["engine", "library", "ratio"] {
        assert!(json["rows"][0][side]["prefill"].as_f64().unwrap() > 0.0, "{json}");
        assert!(json["rows"][0][side]["decode"].as_f64().unwrap() > 0.0, "{json}");
    }
}

#[test]
fn a_bench_that_cannot_be_says_why() {
    let (place, path) = place();
    let small = place.gimbal(&["model", "bench", &path, "--chunk", "1"]);
    assert_eq!(small.code, 2, "{}", small.err);
    assert!(small.err.contains("`chunk`"), "{}", small.err);
    let unknown = place.gimbal(&["model", "bench", "smolm2-135m"]);
    assert_eq!(unknown.code, 2, "{}", unknown.err);
    assert!(unknown.err.contains("smollm2-135m") && !unknown.err.contains("panicked"), "{}", unknown.err);
    let missing = place.gimbal(&["model", "bench", "smollm2-135m"]);
    assert!(missing.code == 2 && missing.err.contains("gimbal model pull smollm2-135m"), "{}", missing.err);
}

#[test]
fn a_piped_conversation_goes_on_after_a_truncated_answer() {
    let (place, path) = place();
    let name = format!("local/{path}");
    let said =
        talk(&place, &["model", "chat", &name, "--threads", "1", "--max-tokens", "8"], "One?\n\nTwo?\nThree?\n").good();
    // One note for each of the three questions, be its answer whole or cut; no prompt signs where nobody types.
    let notes = said.err.lines().filter(|line| line.starts_with('[')).count();
    assert_eq!(notes, 3, "{}", said.err);
    assert!(!said.out.starts_with("> "), "{}", said.out);
    // The conversation is kept whole: the same lines give the same answers, and the last prompt holds all turns.
    let again =
        talk(&place, &["model", "chat", &name, "--threads", "1", "--max-tokens", "8"], "One?\nTwo?\nThree?\n").good();
    assert_eq!(said.out, again.out);
}

/// What a real run refuses when it opens the file, a dry run and a plan refuse too, and play nothing.
#[test]
fn a_broken_model_file_is_refused_before_anything_is_played() {
    let (place, path) = place();
    let study = common::STUDY.replace("scripted/react-monitor", &format!("local/{path}"));
    place.write("small.yaml", &study);
    let whole = place.gimbal(&["run", "small.yaml", "--dry-run"]).good();
    assert!(!whole.err.contains("refused"), "{}", whole.err);
    let bytes = std::fs::read(&path).unwrap();
    let mut mark = bytes.clone();
    mark[0] = b'X';
    for (broken, why) in [(mark, "does not begin with `GGUF`"), (bytes[..bytes.len() / 2].to_vec(), "tensor")] {
        std::fs::write(&path, broken).unwrap();
        for arguments in [&["run", "small.yaml", "--dry-run"][..], &["run", "small.yaml"], &["plan", "small.yaml"]] {
            let said = place.gimbal(arguments);
            assert_eq!(said.code, 2, "{arguments:?}: {}\n{}", said.out, said.err);
            assert!(said.err.contains(&path) && said.err.contains(why), "{arguments:?}: {}", said.err);
            assert!(!said.err.contains("not fetched yet"), "{}", said.err);
        }
        assert!(!place.path().join("runs").exists());
    }
}

/// A model whose chat template has no place for tools is refused for a role that needs them, whether its weights are there
/// or not, and in words that say what to choose; with another protocol it is taken.
#[test]
fn native_tools_without_a_template_for_them_are_refused_by_the_plan() {
    let (place, path) = place();
    let study = |model: &str, protocol: &str| {
        let own = format!("configuration: obs, protocol: {protocol}, name: obs }}");
        common::STUDY.replace("scripted/react-monitor", model).replace("configuration: obs }", &own)
    };
    for model in ["local/smollm2-135m".to_owned(), format!("local/{path}")] {
        place.write("small.yaml", &study(&model, "native-tools"));
        for arguments in [&["run", "small.yaml", "--dry-run"][..], &["run", "small.yaml"], &["plan", "small.yaml"]] {
            let said = place.gimbal(arguments);
            assert_eq!(said.code, 2, "{arguments:?}: {}\n{}", said.out, said.err);
            for word in
                ["`obs`", "`default`", "`protocol: native-tools`", &model, "`protocol: react-text`", "`protocol: json`"]
            {
                assert!(said.err.contains(word), "{arguments:?} says nothing of {word}: {}", said.err);
            }
        }
        for protocol in ["react-text", "json"] {
            place.write("small.yaml", &study(&model, protocol));
            place.gimbal(&["run", "small.yaml", "--dry-run"]).good();
        }
    }
    place.write("small.yaml", &study("local/qwen2.5-coder-0.5b", "native-tools"));
    place.gimbal(&["run", "small.yaml", "--dry-run"]).good();
    let template = "{% for message in messages %}{{ message['content'] }}{% endfor %}{% if tools %}{{ tools | tojson }}{% endif %}";
    let able = TinyGguf { chat_template: Some(template.to_owned()), ..TinyGguf::default() };
    able.write(std::path::Path::new(&path)).unwrap();
    place.write("small.yaml", &study(&format!("local/{path}"), "native-tools"));
    place.gimbal(&["run", "small.yaml", "--dry-run"]).good();
}
