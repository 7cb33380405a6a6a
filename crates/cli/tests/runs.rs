//! A study from the command line to its report.
#![allow(clippy::unwrap_used, clippy::expect_used, missing_docs, reason = "tests")]

use crate::common;

use common::{BUSY, Place, STUDY, provider, refusal};

// covers: SH-06, BOG-145, BOG-146, BOG-151
#[test]
fn a_study_runs_once_and_the_same_command_again_finds_nothing_to_do() {
    let place = Place::new();
    place.write("small.yaml", STUDY);
    let first = place.gimbal(&["run", "small.yaml", "--progress", "json"]).good();
    assert!(first.out.contains("hist+net"), "{}", first.out);
    let finished = first.err.lines().filter(|line| line.contains("\"event\":\"finished\"")).count();
    assert_eq!(finished, 12);
    let digest = place.gimbal(&["digest", "small"]).good().out;
    let again = place.gimbal(&["run", "small.yaml", "--progress", "json"]).good();
    assert!(!again.err.contains("\"event\":\"finished\""), "{}", again.err);
    assert_eq!(place.gimbal(&["digest", "runs/small"]).good().out, digest);
    let report = place.gimbal(&["verify", "small", "--json"]).good().json();
    assert_eq!(report["episodes"], 12);
    assert_eq!(report["problems"].as_array().unwrap().len(), 0);
    for name in ["report.html", "report.md", "report.csv", "report.json", "study.yaml", "index.sqlite"] {
        assert!(place.path().join("runs/small").join(name).exists(), "{name}");
    }
}

// covers: SH-06, BOG-143, BOG-144
#[test]
fn one_worker_and_eight_give_the_same_digest() {
    let digests: Vec<String> = ["1", "8"]
        .iter()
        .map(|jobs| {
            let place = Place::new();
            place.write("small.yaml", STUDY);
            place.gimbal(&["run", "small.yaml", "--jobs", jobs, "--progress", "quiet"]).good();
            place.gimbal(&["digest", "small"]).good().out
        })
        .collect();
    assert_eq!(digests[0], digests[1]);
}

// covers: BOG-036, BOG-048
#[test]
fn an_episode_can_be_read_down_to_one_prompt() {
    let place = Place::new();
    place.write("small.yaml", STUDY);
    place.gimbal(&["run", "small.yaml", "--progress", "quiet"]).good();
    let list = place.gimbal(&["trace", "small"]).good().out;
    assert_eq!(list.lines().count(), 13, "a head and twelve episodes: {list}");
    assert!(list.starts_with("number") && list.contains("return") && list.contains("cell/task/run"), "{list}");
    let name = list
        .lines()
        .skip(1)
        .map(|line| line.split("  ").last().unwrap())
        .find(|name| name.contains("hist+net"))
        .unwrap();
    let story = place.gimbal(&["trace", "small", name]).good().out;
    assert!(story.contains("Monitor"), "{story}");
    let prompt = place.gimbal(&["trace", "small", name, "--call", "0"]).good().out;
    assert!(prompt.contains("Answer:"), "{prompt}");
    let difference = place.gimbal(&["trace", "small", name, "--diff", "0", "1"]).good().out;
    assert!(!difference.trim().is_empty());
    let events = place.gimbal(&["trace", "small", name, "--json"]).good().out;
    assert!(events.lines().last().unwrap().contains("\"ended\""), "{events}");
    let wrong = place.gimbal(&["trace", "small", "no-such-episode"]);
    assert_eq!(wrong.code, 2, "{}", wrong.err);
}

/// The list of episodes narrows by cell, stop and return, and keeps the numbers by which episodes are asked for.
#[test]
fn the_list_of_episodes_is_filtered() {
    let place = Place::new();
    place.write("small.yaml", STUDY);
    place.gimbal(&["run", "small.yaml", "--progress", "quiet", "--no-report"]).good();
    let json = |arguments: &[&str]| -> Vec<serde_json::Value> {
        let said = place.gimbal(&[&["trace", "small", "--json"][..], arguments].concat()).good().out;
        said.lines().map(|line| serde_json::from_str(line).unwrap()).collect()
    };
    let all = json(&[]);
    let own = json(&["--cell", "hist+net"]);
    assert_eq!((all.len(), own.len()), (12, 3));
    assert!(own.iter().all(|one| all[one["number"].as_u64().unwrap() as usize] == *one), "numbers are those of all");
    let worst = json(&["--worst", "4"]);
    let returns: Vec<f64> = worst.iter().map(|one| one["return"].as_f64().unwrap()).collect();
    let mut sorted: Vec<f64> = all.iter().map(|one| one["return"].as_f64().unwrap()).collect();
    sorted.sort_by(f64::total_cmp);
    assert_eq!(returns, sorted[..4]);
    assert_eq!(json(&["--stop", "horizon"]).len(), 12);
    let wrong = place.gimbal(&["trace", "small", "--stop", "horizn"]);
    assert!(wrong.code == 2 && wrong.err.contains("did you mean `horizon`"), "{}", wrong.err);
    let wrong = place.gimbal(&["trace", "small", "--cell", "nowhere"]);
    assert!(wrong.code == 2 && wrong.err.contains("(known: "), "{}", wrong.err);
    let wrong = place.gimbal(&["trace", "small", "--worst", "0"]);
    assert!(wrong.code == 2 && wrong.err.contains("at least 1"), "{}", wrong.err);
    let number = own[0]["number"].to_string();
    let short = place.gimbal(&["trace", "small", &number]).good().out;
    let whole = place.gimbal(&["trace", "small", &number, "--full"]).good().out;
    assert!(short.contains("characters in all)") && !whole.contains("characters in all)"), "{whole}");
    assert!(whole.len() > short.len());
}

/// Tokens and costs come from the ledger: without it they are 0, which is not a result.
// covers: SH-05
#[test]
fn a_bill_that_lacks_rows_says_so() {
    let place = Place::new();
    place.write("small.yaml", STUDY);
    place.gimbal(&["run", "small.yaml", "--progress", "quiet", "--no-report"]).good();
    let words = "the bill lacks rows of 6 finished episodes";
    let report =
        || place.gimbal(&["report", "small", "--no-files"]).good().out.split_whitespace().collect::<Vec<_>>().join(" ");
    let whole = place.gimbal(&["list"]).good();
    assert!(!whole.err.contains("bill") && !report().contains("The bill lacks"), "{}", whole.err);
    std::fs::remove_dir_all(place.path().join("runs/small/ledger")).unwrap();
    let said = place.gimbal(&["list"]).good();
    assert!(said.err.contains(words) && said.err.contains("run `gimbal verify runs/small`"), "{}", said.err);
    assert_eq!(place.gimbal(&["list", "--json"]).good().json()[0]["unbilled_episodes"], 6);
    let text = report();
    assert!(text.contains("The bill lacks rows of 6 finished episodes") && text.contains("gimbal verify"), "{text}");
    assert_ne!(place.gimbal(&["verify", "small"]).code, 0);
}

#[test]
fn run_folders_are_listed_with_their_state() {
    let place = Place::new();
    assert_eq!(place.gimbal(&["list"]).code, 2, "there is no folder of runs");
    place.write("small.yaml", STUDY);
    place.gimbal(&["run", "small.yaml", "--only", "obs", "--limit", "1", "--progress", "quiet", "--no-report"]).good();
    let list = place.gimbal(&["list", "--json"]).good().json();
    assert_eq!((list[0]["name"].as_str(), list[0]["state"].as_str()), (Some("small"), Some("incomplete")), "{list}");
    place.gimbal(&["run", "small.yaml", "--progress", "quiet", "--no-report"]).good();
    std::fs::create_dir_all(place.path().join("runs/broken")).unwrap();
    std::fs::write(place.path().join("runs/broken/study.yaml"), "no study").unwrap();
    let said = place.gimbal(&["list"]).good();
    let line = |name: &str| said.out.lines().find(|line| line.starts_with(name)).unwrap().to_owned();
    assert!(line("small").contains("done") && line("small").contains("12 of 12"), "{}", said.out);
    assert!(line("broken").contains("unreadable") && said.err.contains("broken"), "{}{}", said.out, said.err);
}

/// A study of one cell and two episodes whose model is at this address, or a server that has no price.
const REMOTE: &str = "\
study: remote
environment: { name: cage2, red: b_line, horizon: 2 }
models: { retry: { attempts: 1 } }
architectures:
  - { base: react, configuration: obs }
roles:
  - { default: vllm/test }
episodes: { runs: 2, seed: 3 }
";

fn played_at(place: &Place, texts: &[&str]) -> common::Said {
    let (address, _) = provider(texts.iter().map(|text| (*text).to_owned()).collect());
    place.write("remote.yaml", REMOTE);
    let mut command = place.command();
    let run = ["run", "remote.yaml", "--jobs", "1", "--progress", "quiet", "--no-report"];
    command.env("VLLM_BASE_URL", address).args(run).output().unwrap().into()
}

/// What a terminal obeys, or shows as nothing, is an escape wherever a reply is shown.
#[test]
fn a_reply_is_shown_without_what_cannot_be_seen() {
    let place = Place::new();
    played_at(&place, &["Thought: first\r\nthen \u{3164}\u{115f}\rnothing.\r\nAnswer: Monitor"]).good();
    for line in
        [&["trace", "remote", "1"][..], &["trace", "remote", "1", "--full"], &["trace", "remote", "1", "--call", "1"]]
    {
        let said = place.gimbal(line).good();
        assert!(!said.out.contains(['\r', '\u{3164}', '\u{115f}']), "{line:?}: {:?}", said.out);
    }
    let full = place.gimbal(&["trace", "remote", "1", "--full"]).good();
    assert!(full.out.contains("first\\u000d\nthen \\u3164\\u115f\\u000dnothing"), "{}", full.out);
}

/// Nobody knows what such a run cost; that is not nothing.
#[test]
fn a_run_without_a_known_price_is_listed_without_an_amount() {
    let place = Place::new();
    played_at(&place, &["Thought: nothing to do.\nAnswer: Monitor"]).good();
    let said = place.gimbal(&["list"]).good();
    let line = said.out.lines().find(|line| line.starts_with("remote")).unwrap();
    assert!(line.ends_with("–  no price") && !line.contains("0.0000"), "{}", said.out);
    let list = place.gimbal(&["list", "--json"]).good().json();
    assert!(list[0]["dollars"].is_null() && list[0]["unpriced_requests"] == 4, "{list}");
}

/// No request was answered: what they cost is as unknown, and no amount is shown instead.
#[test]
fn a_run_without_an_answer_and_without_a_price_is_listed_without_an_amount() {
    let place = Place::new();
    played_at(&place, &[BUSY]);
    let said = place.gimbal(&["list"]).good();
    let line = said.out.lines().find(|line| line.starts_with("remote")).unwrap();
    assert!(line.contains("–  no price") && !line.contains("0.0000"), "{}", said.out);
    assert!(place.gimbal(&["list", "--json"]).good().json()[0]["dollars"].is_null());
}

/// What a provider said has scrolled away when a run ends.
#[test]
fn the_last_line_of_a_run_says_why_episodes_are_missing() {
    let place = Place::new();
    let said = played_at(&place, &[BUSY]);
    assert_eq!(said.code, 3, "{}", said.err);
    let last = said.err.lines().last().unwrap_or_default();
    for part in [
        "2 episodes could not be played",
        "vllm/test: 6 call(s) without an answer (unavailable), the last one: the provider answered with status 503",
        "run the same command to try again",
    ] {
        assert!(last.contains(part), "{part}: {}", said.err);
    }
}

/// Whatever is refused, the words of the provider are beside what could not be played; a model that refuses its first request is asked no more.
#[test]
fn the_last_line_of_a_run_has_the_words_of_a_refusal() {
    let answer = "Thought: nothing to do.\nAnswer: Monitor";
    let filtered = refusal(400, "The prompt was filtered by our content policy");
    for (texts, requests, parts) in [
        (vec![refusal(451, "not in your country")], 1, ["vllm/test", "not in your country", "change what is refused"]),
        (vec![refusal(418, "a teapot")], 1, ["vllm/test", "a teapot", "change what is refused"]),
        (vec![refusal(413, "too much")], 2, ["2 call(s) refused", "too much", "run the same command"]),
        (
            vec![answer.to_owned(), answer.to_owned(), answer.to_owned(), filtered],
            4,
            ["1 episode could not", "1 call(s) refused", "The prompt was filtered by our content policy"],
        ),
    ] {
        let place = Place::new();
        let (address, asked) = provider(texts);
        place.write("remote.yaml", REMOTE);
        let mut command = place.command();
        let run = ["run", "remote.yaml", "--jobs", "1", "--progress", "quiet", "--no-report"];
        let said: common::Said = command.env("VLLM_BASE_URL", address).args(run).output().unwrap().into();
        let last = said.err.lines().last().unwrap_or_default();
        assert_eq!((said.code, asked.lock().unwrap().len()), (3, requests), "{}", said.err);
        for part in parts {
            assert!(last.contains(part), "{part}: {}", said.err);
        }
    }
}

/// A small study fits on one screen; everything is in the files and by `--table`.
#[test]
fn a_report_on_a_terminal_is_one_screen() {
    let place = Place::new();
    place.write("small.yaml", STUDY);
    let played = place.gimbal(&["run", "small.yaml"]).good();
    let said = place.gimbal(&["report", "small"]).good();
    assert!(said.out.lines().count() <= 24, "{}", said.out);
    assert!(said.out.lines().all(|line| line.chars().count() <= 120), "{}", said.out);
    assert!(said.out.contains("Results by cell") && said.out.contains("--table KEY"), "{}", said.out);
    assert!(said.err.contains("report.html"), "{}", said.err);
    // A report names a few more tables that are read from journals.
    let head = said.out.split("More by").next().unwrap_or_default();
    assert!(played.out.starts_with(head) && head.lines().count() > 10, "a run ends with the same: {}", played.out);
    let all = std::fs::read_to_string(place.path().join("runs/small/report.txt")).unwrap();
    assert!(all.contains("How episodes ended") && all.lines().count() > 40);
    for name in ["study-as-written.yaml", "report-instances.csv", "report-tokens.csv"] {
        assert!(place.path().join("runs/small").join(name).exists(), "{name}");
    }
    assert_eq!(std::fs::read_to_string(place.path().join("runs/small/study-as-written.yaml")).unwrap(), STUDY);
}

/// Files of the present folder never take the place of built-in ones without a word.
#[test]
fn personas_of_the_present_folder_are_named() {
    let place = Place::new();
    place.write("small.yaml", STUDY);
    std::fs::create_dir_all(place.path().join("personas/planner")).unwrap();
    let shipped = concat!(env!("CARGO_MANIFEST_DIR"), "/../../personas/planner/prompt.yaml");
    let shipped = std::fs::read_to_string(shipped).unwrap();
    place.write("personas/planner/prompt.yaml", &shipped);
    let same = place.gimbal(&["run", "small.yaml", "--dry-run"]).good();
    assert!(!same.err.contains("take the place"), "equal files change nothing: {}", same.err);
    place.write("personas/planner/prompt.yaml", &format!("{shipped}\n# mine\n"));
    let dry = place.gimbal(&["run", "small.yaml", "--dry-run"]).good();
    assert!(dry.err.contains("take the place") && dry.err.contains("personas/planner/prompt.yaml"), "{}", dry.err);
    let run = place.gimbal(&["run", "small.yaml", "--progress", "quiet"]).good();
    assert!(run.err.contains("personas/planner/prompt.yaml"), "{}", run.err);
    let text = std::fs::read_to_string(place.path().join("runs/small/report.txt")).unwrap();
    assert!(text.contains("personas/planner/prompt.yaml"), "{text}");
    let here = place.path().display().to_string();
    let meant = place.gimbal(&["--config", &here, "run", "small.yaml", "--dry-run"]).good();
    assert!(!meant.err.contains("take the place"), "{}", meant.err);
}

/// Each command that reads a file of the present folder in the place of a built-in one names it once, and no other.
#[test]
fn every_command_names_the_files_of_the_present_folder_that_it_uses() {
    let place = Place::new();
    place.write("small.yaml", STUDY);
    place.write("auth.log", "Mar 28 11:00:00 gate sshd[5]: Failed password for root from 198.51.100.4 port 41 ssh2\n");
    let shipped = |name: &str| {
        let path = std::path::Path::new(concat!(env!("CARGO_MANIFEST_DIR"), "/../..")).join(name);
        std::fs::read_to_string(path).unwrap()
    };
    let (persona, settings, rules) = ("personas/engine.yaml", "personas/configurations.yaml", "rules/triage.yaml");
    let commands: [(&[&str], &str, &str); 6] = [
        (&["persona", "show", "planner"], persona, rules),
        (&["persona", "list"], settings, persona),
        (&["persona", "audit", "--environment", "cage2"], persona, "rules/none.yaml"),
        (&["plan", "small.yaml"], persona, rules),
        (&["run", "small.yaml", "--dry-run"], persona, "rules/none.yaml"),
        (&["triage", "auth.log", "--year", "2026"], rules, persona),
    ];
    let plain: Vec<_> = commands.iter().map(|(line, ..)| place.gimbal(line)).collect();
    for file in [persona, settings, rules] {
        place.write(file, &format!("{}\n# mine\n", shipped(file)));
    }
    for ((line, named, other), plain) in commands.iter().zip(plain) {
        let said = place.gimbal(line);
        assert!(!plain.err.contains("take the place"), "{line:?}: {}", plain.err);
        assert_eq!((said.code, &said.out), (plain.code, &plain.out), "{line:?}: {}", said.err);
        assert_eq!(said.err.matches("take the place of built-in ones").count(), 1, "{line:?}: {}", said.err);
        assert!(said.err.contains(named) && !said.err.contains(other), "{line:?}: {}", said.err);
        let meant = place.gimbal(&[&["--config", "."], *line].concat());
        assert!(!meant.err.contains("take the place"), "{line:?}: {}", meant.err);
    }
    for line in [&["list"][..], &["schema", "study"], &["doctor"]] {
        let said = place.gimbal(line);
        assert!(!said.err.contains(rules), "{line:?}: {}", said.err);
    }
}

/// `verify`, `report` and `trace` beside a run that goes on: nothing is damaged or lost.
// covers: SH-05
#[test]
fn reading_a_run_in_progress() {
    let place = Place::new();
    let study = STUDY.replace("runs: 3", "runs: 4000");
    place.write("small.yaml", &study);
    let mut run = place.command();
    let mut run = run.args(["run", "small.yaml", "--progress", "quiet"]).spawn().unwrap();
    let mut looked = 0;
    for _ in 0..600 {
        let said = place.gimbal(&["verify", "small"]);
        if said.out.contains("in progress") {
            assert_eq!(said.code, 0, "{}\n{}", said.out, said.err);
            assert!(!said.out.contains("PROBLEM") && !said.out.contains("torn"), "{}", said.out);
            assert!(
                said.out.contains("; 0 attempts without an outcome") && said.out.contains("under way"),
                "{}",
                said.out
            );
            let report = place.gimbal(&["report", "small", "--no-files"]).good();
            let state = place.gimbal(&["list", "--json"]).good().json()[0]["state"].clone();
            if state == "in progress" {
                assert!(report.out.contains("In progress"), "{}", report.out);
                assert!(!report.out.contains("missing"), "{}", report.out);
                // Whatever else reads the folder says so too, and where a run ends meanwhile nobody does.
                for line in [&["report", "small", "--table", "cells"][..], &["digest", "small"]] {
                    let said = place.gimbal(line).good();
                    let goes_on = place.gimbal(&["list", "--json"]).good().json()[0]["state"] == "in progress";
                    assert!(!goes_on || said.err.contains("in progress"), "{line:?}: {}", said.err);
                }
                // A reader of the index leaves its log to the run.
                let has_log = place.path().join("runs/small/index.sqlite-wal").exists();
                let goes_on = place.gimbal(&["list", "--json"]).good().json()[0]["state"] == "in progress";
                assert!(!goes_on || has_log, "a reader deleted the log of the index");
                looked += 1;
            }
        }
        if looked == 3 || run.try_wait().unwrap().is_some() {
            break;
        }
        std::thread::sleep(std::time::Duration::from_millis(20));
    }
    let _ = run.kill();
    let _ = run.wait();
    assert!(looked > 0, "the run was looked at while it went on");
}

// covers: SH-09
#[test]
fn a_report_prints_in_every_form() {
    let place = Place::new();
    place.write("small.yaml", STUDY);
    place.gimbal(&["run", "small.yaml", "--progress", "quiet", "--no-report"]).good();
    for (form, holds) in [("text", "obs"), ("markdown", "| "), ("csv", ","), ("json", "{"), ("html", "<!")] {
        let said = place.gimbal(&["report", "small", "--format", form]).good();
        assert!(said.out.contains(holds), "{form}: {}", said.out);
    }
    let wrong = place.gimbal(&["report", "small", "--baseline", "obss"]);
    assert_eq!(wrong.code, 2);
    assert!(wrong.err.contains("did you mean `obs`"), "{}", wrong.err);
}

/// A model that only refuses has made attempts, and none of them was valid.
// covers: BOG-225
#[test]
fn refusals_are_invalid_attempts() {
    let place = Place::new();
    place.write("small.yaml", &STUDY.replace("scripted/react-monitor", "scripted/refuse"));
    place.gimbal(&["run", "small.yaml", "--only", "obs", "--limit", "1", "--progress", "quiet"]).good();
    let text = std::fs::read_to_string(place.path().join("runs/small/report.json")).unwrap();
    let report: serde_json::Value = serde_json::from_str(&text).unwrap();
    let rows = report["tables"][0]["rows"].as_array().unwrap();
    let played: Vec<_> = rows.iter().filter(|row| row["model"] == "scripted/refuse" && row["episodes"] == 1).collect();
    assert!(!played.is_empty(), "{rows:?}");
    for row in played {
        assert_eq!((row["invalid_rate"].as_f64(), row["fallback_rate"].as_f64()), (Some(1.0), Some(1.0)), "{row}");
    }
}

/// Every table is a CSV file of its own, and any can be printed.
// covers: SH-09
#[test]
fn every_table_comes_as_csv() {
    let place = Place::new();
    place.write("small.yaml", STUDY);
    place.gimbal(&["run", "small.yaml", "--progress", "quiet", "--no-report"]).good();
    let folder = place.path().join("runs/small");
    std::fs::write(folder.join("report-gaps.csv"), "of an earlier report").unwrap();
    let main = place.gimbal(&["report", "small", "--format", "csv"]).good().out;
    let read = |name: &str| std::fs::read_to_string(folder.join(name)).unwrap();
    assert_eq!(main, read("report.csv"));
    for key in ["paired", "spread", "stops"] {
        let said = place.gimbal(&["report", "small", "--format", "csv", "--table", key, "--no-files"]).good().out;
        assert!(said.starts_with("configuration,environment,model,") && said.lines().count() > 1, "{said}");
        assert_eq!(said, read(&format!("report-{key}.csv")));
    }
    assert!(!folder.join("report-gaps.csv").exists());
    let wrong = place.gimbal(&["report", "small", "--format", "csv", "--table", "pared"]);
    assert!(wrong.code == 2 && wrong.err.contains("`paired`"), "{}", wrong.err);
    let wrong = place.gimbal(&["report", "small", "--format", "csv", "--table", "gaps"]);
    assert!(wrong.code == 2 && wrong.err.contains("no rows"), "{}", wrong.err);
    assert_eq!(place.gimbal(&["report", "small", "--table", "paired", "--format", "html"]).code, 2);
}

#[test]
fn a_seventh_context_needs_yaml_alone() {
    let place = Place::new();
    let study = STUDY.replace(
        "roles:",
        "  - { base: react, name: my-seventh, context: [observation, status, history], flags: { inject_action_list: true } }\nroles:",
    );
    place.write("small.yaml", &study);
    let said =
        place.gimbal(&["run", "small.yaml", "--only", "my-seventh", "--limit", "1", "--progress", "json"]).good();
    assert!(said.out.contains("my-seventh"), "{}", said.out);
}

#[test]
fn a_dry_run_plays_nothing() {
    let place = Place::new();
    place.write("small.yaml", STUDY);
    let said = place.gimbal(&["run", "small.yaml", "--dry-run"]).good();
    assert!(said.out.contains("4 cells, 12 episodes"), "{}", said.out);
    assert!(!place.path().join("runs").exists());
}

/// Plans count sessions where they have several trials, and a run tells its returns by trial.
#[test]
fn sessions_are_counted_and_shown_trial_by_trial() {
    let place = Place::new();
    place.write("small.yaml", &STUDY.replace("runs: 3 }", "runs: 3, trials: { number: 2, over: seeds } }"));
    let counted = "4 cells, 24 episodes in 12 sessions of 2 trials over seeds";
    let said = place.gimbal(&["run", "small.yaml", "--dry-run"]).good();
    assert!(said.out.contains(counted), "{}", said.out);
    let said = place.gimbal(&["plan", "small.yaml", "--no-cost"]).good();
    assert!(said.out.contains(counted), "{}", said.out);
    place.gimbal(&["run", "small.yaml", "--progress", "quiet"]).good();
    let said = place.gimbal(&["report", "small", "--table", "trials", "--format", "csv"]).good();
    let lines: Vec<&str> = said.out.lines().collect();
    assert!(lines[0].contains("trial") && lines[0].contains("gain"), "{}", said.out);
    assert_eq!(lines.len(), 1 + 4 * 2, "{}", said.out);
    let whole = place.gimbal(&["trace", "small"]).good();
    assert!(whole.out.contains("/2/1"), "{}", whole.out);
    place.gimbal(&["verify", "small"]).good();
}

/// A file that the study names and no architecture asks for is refused before anything is played.
#[test]
fn an_artefact_that_nobody_asks_for_is_refused() {
    let place = Place::new();
    place.write("small.yaml", &format!("{STUDY}artefacts: {{ arbiter: weights.bin }}\n"));
    let said = place.gimbal(&["run", "small.yaml"]);
    assert!(said.code == 2 && said.err.contains("asks for an artefact `arbiter`; drop it"), "{}", said.err);
    assert!(!place.path().join("runs").exists());
}

#[test]
fn a_dry_run_says_what_a_run_would_say_of_the_folder() {
    let place = Place::new();
    place.write("small.yaml", STUDY);
    place.gimbal(&["run", "small.yaml", "--progress", "quiet"]).good();
    let same = place.gimbal(&["run", "small.yaml", "--dry-run"]).good();
    assert!(!same.err.contains("warning"), "{}", same.err);
    // A cell less is told, and refuses nothing.
    place.write("small.yaml", &STUDY.replace("  - { base: baseline, policy: random }\n", ""));
    let fewer = place.gimbal(&["run", "small.yaml", "--dry-run"]).good();
    assert!(fewer.err.contains("baseline:random") && fewer.err.contains("no longer in it"), "{}", fewer.err);
    assert!(!fewer.err.contains("refused"), "{}", fewer.err);
    // Another seed is another study.
    place.write("small.yaml", &STUDY.replace("runs: 3 }", "runs: 3, seed: 77 }"));
    let dry = place.gimbal(&["run", "small.yaml", "--dry-run"]).good();
    let real = place.gimbal(&["run", "small.yaml", "--progress", "quiet"]);
    assert_eq!(real.code, 2, "{}", real.err);
    let words = real.err.trim().trim_start_matches("gimbal: ");
    assert!(words.contains("the study has changed since this run began: `seed`"), "{words}");
    assert!(dry.err.contains("the run would be refused") && dry.err.contains(words), "{}\n{words}", dry.err);
    // A file in the place of the folder is told, too.
    place.write("other.yaml", &STUDY.replace("study: small", "study: other"));
    std::fs::write(place.path().join("runs/other"), "").unwrap();
    let dry = place.gimbal(&["run", "other.yaml", "--dry-run"]).good();
    assert!(dry.err.contains("the run would be refused") && dry.err.contains("runs/other"), "{}", dry.err);
}

// covers: BOG-047, BOG-148
#[test]
fn an_outage_is_no_outcome_and_a_key_reaches_no_file() {
    let place = Place::new();
    let study = STUDY.replace("scripted/react-monitor", "compatible/some-model")
        + "models:\n  endpoints: { compatible: { base: \"http://127.0.0.1:9/v1\", key_variable: OPENAI_API_KEY } }\n  \
           retry: { attempts: 2, first_ms: 1, longest_ms: 2 }\n";
    place.write("small.yaml", &study);
    let key = "sk-a-very-secret-key-0123456789";
    let output = place.command().args(["run", "small.yaml"]).env("OPENAI_API_KEY", key).output().unwrap();
    let said: common::Said = output.into();
    assert_eq!(said.code, 3, "{}\n{}", said.out, said.err);
    assert!(!said.out.contains(key) && !said.err.contains(key));
    let rows = place.gimbal(&["report", "small", "--format", "json"]).good();
    assert!(!rows.out.contains(key));
    let mut open = vec![place.path().to_path_buf()];
    let mut files = 0;
    while let Some(folder) = open.pop() {
        for entry in std::fs::read_dir(folder).unwrap().flatten() {
            if entry.path().is_dir() {
                open.push(entry.path());
                continue;
            }
            files += 1;
            let bytes = std::fs::read(entry.path()).unwrap();
            assert!(!bytes.windows(key.len()).any(|window| window == key.as_bytes()), "{}", entry.path().display());
        }
    }
    assert!(files > 5);
}

/// Turns every request down with a status and a body, as a provider does that knows a setting not.
fn turns_down(status: &'static str, body: &'static str) -> String {
    use std::io::{Read as _, Write as _};
    let listener = std::net::TcpListener::bind("127.0.0.1:0").unwrap();
    let address = listener.local_addr().unwrap();
    std::thread::spawn(move || {
        for mut stream in listener.incoming().flatten() {
            let (mut bytes, mut chunk) = (Vec::new(), [0; 4096]);
            let whole = |bytes: &[u8]| {
                let text = String::from_utf8_lossy(bytes).to_lowercase();
                let (head, body) = text.split_once("\r\n\r\n")?;
                // A question about the server has no body.
                let length = head.split("content-length: ").nth(1).map_or("0", |rest| rest.lines().next().unwrap());
                let length = length.trim().parse::<usize>().unwrap();
                (body.len() >= length).then_some(())
            };
            while whole(&bytes).is_none() {
                match stream.read(&mut chunk) {
                    Ok(0) | Err(_) => break,
                    Ok(read) => bytes.extend_from_slice(&chunk[..read]),
                }
            }
            let head = format!("HTTP/1.1 {status}\r\ncontent-type: application/json\r\nconnection: close\r\n");
            let _ = stream.write_all(format!("{head}content-length: {}\r\n\r\n{body}", body.len()).as_bytes());
        }
    });
    format!("http://{address}/v1")
}

// covers: BOG-047, BOG-148
#[test]
fn a_refused_run_says_why_at_its_end_and_ever_after() {
    let place = Place::new();
    let body = r#"{"error":{"message":"Unsupported parameter: 'colour' is not supported with this model.","code":"unsupported_parameter"}}"#;
    let base = turns_down("400 Bad Request", body);
    let study = STUDY.replace("scripted/react-monitor", "compatible/some-model")
        + &format!("models:\n  endpoints: {{ compatible: {{ base: \"{base}\" }} }}\n");
    place.write("small.yaml", &study);
    let said = place.gimbal(&["run", "small.yaml"]);
    let why = "Unsupported parameter: 'colour' is not supported with this model.";
    assert_eq!(said.code, 3, "{}\n{}", said.out, said.err);
    let last = said.err.lines().last().unwrap();
    assert!(last.contains("compatible/some-model") && last.contains(why) && last.contains("status 400"), "{last}");
    let headline = said.out.split("\n\n").next().unwrap().split_whitespace().collect::<Vec<_>>().join(" ");
    assert!(headline.contains(why.trim_end_matches('.')), "{headline}");
    let listed = place.gimbal(&["trace", "small"]).good().out;
    assert!(listed.contains(why), "{listed}");
    let number =
        listed.lines().find(|line| line.contains("infrastructure")).unwrap().split_whitespace().next().unwrap();
    assert!(place.gimbal(&["trace", "small", number]).good().out.contains(why));
    let page = std::fs::read_to_string(place.path().join("runs/small/report.html")).unwrap();
    assert!(page.contains("&#39;colour&#39; is not supported") || page.contains("'colour' is not supported"));
    let table = place.gimbal(&["report", "small", "--table", "failures", "--format", "json"]).good();
    assert!(table.out.contains(why), "{}", table.out);
    let csv = place.gimbal(&["report", "small", "--table", "failures", "--format", "csv"]).good().out;
    let at = |name: &str| csv.lines().next().unwrap().split(',').position(|title| title == name).unwrap();
    let sum = |name: &str| -> u32 {
        csv.lines().skip(1).map(|row| row.split(',').nth(at(name)).unwrap().parse::<u32>().unwrap()).sum()
    };
    assert_eq!((sum("turned_down"), sum("outages")), (1, 0), "{csv}");
}
