//! `gimbal triage` with a model: a provider on loopback, a reader, a noisy expert; and the history of what was concluded.

use std::path::PathBuf;

use serde_json::{Value, json};

use crate::common::{NO_KEY, Place, Said, provider};

/// Password guessing that gets in.
fn guessed(address: &str) -> String {
    let mut log = String::new();
    for second in 0..40 {
        log += &format!(
            "Mar 28 09:00:{second:02} gate sshd[4{second:02}]: Failed password for root from {address} port 5{second:04} ssh2\n"
        );
    }
    log + &format!("Mar 28 09:01:10 gate sshd[499]: Accepted password for root from {address} port 50999 ssh2\n")
}

fn position(facts: &[&str], confidence: f64) -> String {
    json!({
        "assertions": [{ "kind": "ASSERT", "predicate": "count 1", "facts": facts, "interpretation": "guessing that gets in" }],
        "confidence": confidence, "unknowns": [],
    })
    .to_string()
}

fn triage(place: &Place, address: &str, more: &[&str]) -> Said {
    place.write("auth.log", &guessed("192.0.2.7"));
    let mut command = place.command();
    command.env("VLLM_BASE_URL", address).args(["triage", "auth.log", "--year", "2026"]).args(more);
    command.output().unwrap().into()
}

/// The one run folder below `runs`.
fn run(place: &Place) -> PathBuf {
    let runs = std::fs::read_dir(place.path().join("runs")).unwrap().map(|entry| entry.unwrap().path());
    let runs: Vec<PathBuf> = runs.filter(|path| path.is_dir()).collect();
    assert_eq!(runs.len(), 1, "{runs:?}");
    runs[0].clone()
}

// covers: ARES-020, ARES-040
#[test]
fn a_model_argues_over_the_packet_and_its_calls_are_counted_and_kept() {
    let place = Place::new();
    let (address, asked) = provider(vec![position(&["F001", "F002"], 0.95)]);
    let model = ["--model", "vllm/judge", "--packet", "kept.json"];
    let said = triage(&place, &address, &model);
    assert_eq!(said.code, 20, "{}{}", said.out, said.err);
    assert!(said.out.starts_with("THREAT_CONFIRMED  confidence 0.95"), "{}", said.out);
    let paid =
        "played by vllm/judge, pipeline single: 1 round, 2 calls, 2400 input and 690 output tokens, price unknown";
    assert!(said.out.contains(paid), "{}", said.out);
    // Which text leaves is said before, and is in the report.
    let packet = place.gimbal(&["evidence", "verify", "kept.json", "--json"]).good().json();
    let (id, head) = (packet["packet"].as_str().unwrap(), packet["head"].as_str().unwrap());
    let stated = format!("`vllm/judge` is sent the {} facts of packet {id}", packet["facts"]);
    assert!(said.err.contains(&format!("text leaves this machine: {stated}")), "{}", said.err);
    assert!(said.out.contains(&format!("text left this machine: {stated}")) && said.out.contains(head), "{}", said.out);
    // What was sent: facts, and neither the file's name nor the map of names.
    let requests = asked.lock().unwrap().clone();
    assert_eq!(requests.len(), 2);
    for request in &requests {
        let text = request["messages"].to_string();
        assert!(text.contains("F001") && text.contains("192.0.2.7") && !text.contains("auth.log"), "{text}");
    }
    // The run verifies, and the same question is answered from it: nobody is asked twice.
    let folder = run(&place);
    let folder = folder.to_str().unwrap();
    place.gimbal(&["verify", folder]).good();
    let again = triage(&place, &address, &model);
    assert_eq!((again.code, &again.out), (20, &said.out), "{}", again.err);
    assert_eq!(asked.lock().unwrap().len(), 2);
    // Every form carries the head and says who played.
    for form in ["markdown", "jsonl", "html", "csv"] {
        let said = triage(&place, &address, &[&model[..], &["--as", form]].concat());
        assert_eq!(said.code, 20, "{form}: {}", said.err);
        let told = said.out.contains(head) && said.out.contains("vllm/judge");
        assert!(told || form == "csv" && said.out.contains("architect"), "{form}: {}", said.out);
    }
    assert_eq!(asked.lock().unwrap().len(), 2);
}

// covers: ARES-035, ARES-R7
#[test]
fn where_a_model_gives_nothing_valid_the_report_says_who_answered() {
    let place = Place::new();
    let (address, _) = provider(vec!["I would rather not.".to_owned()]);
    let said = triage(&place, &address, &["--model", "vllm/shy", "--as", "jsonl"]);
    assert!(matches!(said.code, 0 | 10 | 20), "{}{}", said.code, said.err);
    let lines: Vec<Value> = said.out.lines().map(|line| serde_json::from_str(line).unwrap()).collect();
    let played = lines.iter().find(|line| line["record"] == "played").unwrap();
    assert_eq!(played["fallbacks"].as_array().unwrap().len(), 2, "{played}");
    assert!(played["fallbacks"].to_string().contains("unreadable"), "{played}");
    let said = triage(&place, &address, &["--model", "vllm/shy"]);
    assert_eq!(said.out.matches("RULES ANSWERED IN THE PLACE OF THE MODEL").count(), 2, "{}", said.out);
    // A citation that does not exist is refused, and the report says so.
    let (address, _) = provider(vec![position(&["F900"], 0.9)]);
    let said = triage(&place, &address, &["--model", "vllm/liar"]);
    assert!(said.out.contains("refused: architect, round 1: unknown_fact: "), "{}", said.out);
}

/// A limit of nothing is kept by a model that costs nothing.
#[test]
fn a_free_model_plays_under_a_limit_of_no_dollars() {
    let place = Place::new();
    let said = triage(&place, "http://127.0.0.1:9/v1", &["--model", "reader/triage", "--max-cost", "0"]);
    assert!(matches!(said.code, 0 | 10 | 20), "{} {}", said.code, said.err);
    assert!(said.out.contains("$0.000000"), "{}", said.out);
}

#[test]
fn nothing_is_sent_where_it_is_only_shown_and_limits_and_refusals_stop_the_run() {
    let place = Place::new();
    let (address, asked) = provider(vec![position(&["F001"], 0.9)]);
    let said = triage(&place, &address, &["--model", "vllm/judge", "--dry-run"]).good();
    assert!(said.out.contains("--- request 1 ---") && said.out.contains("F001"), "{}", said.out);
    assert!(asked.lock().unwrap().is_empty());
    // A key is not needed to see what would be sent; without it nothing else is done.
    let keyless = ["--model", "openai/gpt-4o-mini"];
    let said = triage(&place, &address, &[&keyless[..], &["--dry-run"]].concat()).good();
    assert!(said.out.contains("--- request 1 ---") && !said.err.contains("leaves this machine"), "{}", said.err);
    // Neither a look nor a missing key leaves anything behind.
    let nothing_kept =
        || assert!(!place.path().join("runs").exists(), "{:?}", std::fs::read_dir(place.path().join("runs")));
    nothing_kept();
    let said = triage(&place, &address, &keyless);
    nothing_kept();
    assert!(said.code == 2 && said.err.contains("OPENAI_API_KEY"), "{} {}", said.code, said.err);
    assert!(!said.err.contains("leaves this machine"), "{}", said.err);
    let said = triage(&place, &address, &["--model", "vllm/judge", "--max-tokens", "10", "--pipeline", "debate"]);
    assert_eq!(said.code, 3, "{}{}", said.out, said.err);
    // In the words of the command, and not in keys of a study that nobody wrote.
    assert!(said.out.is_empty() && said.err.contains("raise --max-tokens"), "{}{}", said.out, said.err);
    assert!(!said.err.contains("limits.study"), "{}", said.err);
    // A higher limit goes on with the same run.
    let said = triage(&place, &address, &["--model", "vllm/judge", "--max-tokens", "1000000", "--pipeline", "debate"]);
    assert_eq!(said.code, 20, "{}{}", said.out, said.err);
    assert!(said.out.contains("confidences by round 1: "), "{}", said.out);
    let (address, _) = provider(vec![NO_KEY.to_owned()]);
    let said = triage(&place, &address, &["--model", "vllm/other"]);
    assert!(said.code == 3 && said.out.is_empty(), "{} {}{}", said.code, said.out, said.err);
    for (more, expected) in [
        (&["--model", "vllm/judge", "--pipeline", "debat"][..], "did you mean `debate`"),
        (&["--model", "vllm/judge", "--judge", "calibrated"], "cannot judge a single packet"),
        (&["--model", "vllm/judge", "--pipeline", "obs"], "obs"),
        (&["--model", "nobody"], "--model: "),
        (&["--model", "vllm/judge", "--skeptic", "rules"], "cannot be used with"),
        (&["--max-tokens", "5"], "--model"),
        (&["--model", "vllm/judge", "--max-tokens", "0"], "--max-tokens <N>"),
        (&["--model", "vllm/judge", "--max-output-tokens", "0"], "--max-output-tokens <N>"),
        (&["--model", "vllm/judge", "--max-cost=-1"], "must be from 0 to 1000000000 dollars"),
        (&["--model", "vllm/judge", "--max-cost", "-1"], "must be from 0 to 1000000000 dollars"),
        (&["--model", "vllm/judge", "--max-cost", "lots"], "expected a number of dollars"),
        (&["--model", "openai/gpt-4o-mini", "--max-cost", "0"], "is not free"),
        (&["--model", "vllm/judge", "--pipeline", "debat"], "gimbal: --pipeline: there is no configuration `debat`"),
    ] {
        let said = triage(&place, &address, more);
        assert!(said.code == 2 && said.err.contains(expected), "{more:?}: {} {}", said.code, said.err);
    }
}

// covers: ARES-042, ARES-046, ARES-095
#[test]
fn readers_and_noisy_experts_play_every_pipeline_offline() {
    let place = Place::new();
    for pipeline in ["single", "debate", "anchored", "gate", "code-skeptic", "claims+audit", "votes"] {
        for model in ["reader/triage", "noisy/1.0"] {
            let said = triage(&place, "http://127.0.0.1:9/v1", &["--model", model, "--pipeline", pipeline]);
            assert!(matches!(said.code, 0 | 10 | 20), "{pipeline} {model}: {} {}", said.code, said.err);
            assert!(said.out.contains("nothing left this machine"), "{}", said.out);
            assert!(!said.err.contains("leaves this machine"), "{}", said.err);
        }
    }
    let figure = ["--model", "reader/triage", "--pipeline", "debate", "--figure", "debate.svg"];
    triage(&place, "http://127.0.0.1:9/v1", &figure);
    let drawn = std::fs::read_to_string(place.path().join("debate.svg")).unwrap();
    assert!(drawn.starts_with("<svg") && drawn.contains("F001 ") && drawn.contains("Round 1: Architect"), "{drawn}");
}

/// A verdict that is there is read: nothing is written, and a packet that was edited beside its run is not replaced in silence.
#[test]
fn a_run_that_is_there_is_read_and_an_edited_packet_is_named() {
    let place = Place::new();
    let asked = ["--model", "reader/triage", "--pipeline", "debate"];
    let offline = "http://127.0.0.1:9/v1";
    let first = triage(&place, offline, &asked);
    let root = run(&place);
    let files = || {
        let all = ["journals", "ledger", "texts"].map(|part| std::fs::read_dir(root.join(part)).unwrap().count());
        all.iter().sum::<usize>()
    };
    let before = files();
    let again = triage(&place, offline, &asked);
    assert_eq!((again.code, &again.out, files()), (first.code, &first.out, before), "{}", again.err);

    // Its records as messages, and what other judges make of it: nobody labelled this packet.
    let name = root.to_str().unwrap();
    let told = place.gimbal(&["trace", name, "0", "--messages"]).good().out;
    assert!(told.starts_with("M1 architect -> ") && told.contains("(thesis, round 1)"), "{told}");
    assert!(told.contains("judge -> all: verdict (resolution"), "{told}");
    let lines = place.gimbal(&["trace", name, "0", "--messages", "--json"]).good().out;
    let types: Vec<Value> =
        lines.lines().map(|line| serde_json::from_str::<Value>(line).unwrap()["type"].clone()).collect();
    assert_eq!((&types[0], types.last().unwrap()), (&json!("hypothesis"), &json!("verdict")));
    let judged = place.gimbal(&["judge", "sweep", "--run", name]).good().out;
    assert!(judged.contains("v2_symmetric") && !judged.contains("a limit cut them"), "{judged}");
    // One packet has no other one that a mean could be taken over.
    assert!(!judged.lines().any(|line| line.contains("calibrated") && line.contains("exact")), "{judged}");
    assert!(judged.contains("No row of it where a cell has one scenario"), "{judged}");

    let kept = root.with_extension("packet.json");
    let text = std::fs::read_to_string(&kept).unwrap();
    std::fs::write(&kept, text.replacen("root", "boot", 1)).unwrap();
    let said = triage(&place, offline, &asked);
    assert!(said.code == 1 && said.err.contains("was changed since it was written"), "{} {}", said.code, said.err);
    assert!(std::fs::read_to_string(&kept).unwrap().contains("boot"));
}

// covers: ARES-090
#[test]
fn verdicts_over_runs_are_a_stream_that_shows_copies_and_damage() {
    let place = Place::new();
    let offline = "http://127.0.0.1:9/v1";
    triage(&place, offline, &["--model", "noisy/1.0"]);
    triage(&place, offline, &["--model", "reader/triage", "--pipeline", "debate"]);
    let kept = place.gimbal(&["evidence", "history", "--json"]).good().out;
    let lines: Vec<Value> = kept.lines().map(|line| serde_json::from_str(line).unwrap()).collect();
    let entries: Vec<&Value> = lines.iter().filter(|line| line["record"] == "entry").collect();
    assert_eq!(entries.len(), 2, "{kept}");
    assert_eq!(
        (&entries[0]["entry"]["model"], &entries[1]["entry"]["architecture"]),
        (&json!("noisy/1.0"), &json!("debate"))
    );
    let head = lines.last().unwrap()["head"].as_str().unwrap();
    let table = place.gimbal(&["evidence", "history"]).good().out;
    assert!(table.contains(head) && table.contains("noisy/1.0"), "{table}");

    // Filters.
    let packet = entries[0]["entry"]["packet"].as_str().unwrap();
    let count = |more: &[&str]| {
        let said = place.gimbal(&[&["evidence", "history", "--json"], more].concat()).good();
        said.out.lines().filter(|line| line.contains("\"entry\"")).count()
    };
    assert_eq!((count(&["--packet", &packet[..8]]), count(&["--packet", "0000"])), (2, 0));
    let id = entries[0]["entry"]["task"].as_str().unwrap();
    assert_eq!((count(&["--packet", id]), count(&["--packet", "P-000000000000"])), (2, 0), "{id}");
    let said = place.gimbal(&["evidence", "history", "--packet", "P-1"]);
    assert!(said.code == 2 && said.err.contains("nor an id"), "{}", said.err);
    assert_eq!((count(&["--since", "2020-01-01T00:00:00Z"]), count(&["--since", "2999-01-01T00:00:00Z"])), (2, 0));
    let by_verdict = ["confirmed", "dismissed", "inconclusive"].map(|verdict| count(&["--verdict", verdict]));
    assert_eq!(by_verdict.iter().sum::<usize>(), 2, "{by_verdict:?}");

    // Where nothing matches, it says what was looked at.
    let none = place.gimbal(&["evidence", "history", "--verdict", "confirmed", "--packet", "0000"]).good();
    let looked = "There is no verdict that matches --verdict confirmed --packet 0000. Looked at: 2 run folders below runs, 2 of them over packets, with 2 verdicts.";
    assert!(none.out.starts_with(looked) && none.out.contains("Head of the stream over 0 rows: "), "{}", none.out);
    let none = place.gimbal(&["evidence", "history", "--json", "--packet", "0000"]).good();
    assert!(none.out.lines().count() == 2 && none.err.contains("Looked at: 2 run folders"), "{}{}", none.out, none.err);
    std::fs::create_dir(place.path().join("none")).unwrap();
    let none = place.gimbal(&["evidence", "history", "--runs", "none"]).good();
    assert!(
        none.out.starts_with("There is no verdict. Looked at: 0 run folders below none, none of them"),
        "{}",
        none.out
    );

    // A kept stream is verified line by line.
    place.write("history.jsonl", &kept);
    place.gimbal(&["evidence", "verify", "history.jsonl", "--head", head]).good();
    place.write("changed.jsonl", &kept.replacen("noisy/1.0", "noisy/0.9", 1));
    let said = place.gimbal(&["evidence", "verify", "changed.jsonl"]);
    assert!(said.code == 1 && said.err.contains("changed.jsonl: line 2: expected number 1"), "{}", said.err);
    place.write("short.jsonl", &kept.lines().take(2).map(|line| format!("{line}\n")).collect::<String>());
    let said = place.gimbal(&["evidence", "verify", "short.jsonl"]);
    assert!(said.code == 1 && said.err.contains("ends without its head"), "{}", said.err);
    place.write("cut.jsonl", kept.trim_end());
    let said = place.gimbal(&["evidence", "verify", "cut.jsonl"]);
    assert!(said.code == 1 && said.err.contains("a line feed, is missing"), "{}", said.err);

    // A copy of a run is not a further verdict.
    let runs: Vec<PathBuf> =
        std::fs::read_dir(place.path().join("runs")).unwrap().map(|entry| entry.unwrap().path()).collect();
    let first = runs.iter().find(|path| path.is_dir()).unwrap();
    copy(first, &place.path().join("runs/zz-copy"));
    let said = place.gimbal(&["evidence", "history", "--json"]).good();
    assert_eq!(said.out.matches("\"record\":\"duplicate\"").count(), 1, "{}", said.out);
    // Whatever its name: the folder with the run's own name keeps the row.
    copy(first, &place.path().join("runs/aa-copy"));
    let said = place.gimbal(&["evidence", "history", "--json"]).good();
    assert_eq!(said.out.matches("\"record\":\"duplicate\"").count(), 2, "{}", said.out);
    assert!(said.out.lines().last().unwrap().contains(head), "{}", said.out);
    std::fs::remove_dir_all(place.path().join("runs/aa-copy")).unwrap();
    assert!(said.out.lines().last().unwrap().contains(head), "{}", said.out);

    // A damaged run is named, and nothing of it is listed.
    let journal = place.path().join("runs/zz-copy/journals/000001.seg");
    let mut bytes = std::fs::read(&journal).unwrap();
    let middle = bytes.len() / 2;
    bytes[middle] ^= 1;
    std::fs::write(&journal, bytes).unwrap();
    let said = place.gimbal(&["evidence", "history", "--json"]);
    assert!(
        said.code == 1 && said.err.contains("DAMAGED") && said.err.contains("zz-copy"),
        "{} {}",
        said.code,
        said.err
    );
    assert!(!said.out.contains("duplicate") && said.out.lines().last().unwrap().contains(head), "{}", said.out);
}

fn copy(from: &std::path::Path, to: &std::path::Path) {
    std::fs::create_dir_all(to).unwrap();
    for entry in std::fs::read_dir(from).unwrap() {
        let entry = entry.unwrap();
        let target = to.join(entry.file_name());
        if entry.file_type().unwrap().is_dir() {
            copy(&entry.path(), &target);
        } else {
            std::fs::copy(entry.path(), target).unwrap();
        }
    }
}
