//! `gimbal rescore`: stored answers judged again, by code and by a model behind a real server on this machine.
#![allow(clippy::unwrap_used, clippy::expect_used, missing_docs, reason = "tests")]

use crate::common;

use std::io::{Read, Write};
use std::net::{SocketAddr, TcpListener};
use std::sync::Arc;
use std::sync::atomic::{AtomicU64, Ordering};

use common::Place;

/// A judge behind the protocol of chat completions: says yes to what holds `yes_if`, else no. After `good` answers it
/// fails with `status`.
struct Judge {
    address: SocketAddr,
    asked: Arc<AtomicU64>,
    good: Arc<AtomicU64>,
}

impl Judge {
    fn start(yes_if: &'static str, good: u64, status: u16) -> Self {
        let listener = TcpListener::bind("127.0.0.1:0").unwrap();
        let address = listener.local_addr().unwrap();
        let (asked, left) = (Arc::new(AtomicU64::new(0)), Arc::new(AtomicU64::new(good)));
        let (counted, good) = (Arc::clone(&asked), Arc::clone(&left));
        std::thread::spawn(move || {
            for mut stream in listener.incoming().flatten() {
                let (mut bytes, mut part) = (Vec::new(), [0; 4096]);
                let body = loop {
                    let read = stream.read(&mut part).unwrap_or(0);
                    bytes.extend_from_slice(&part[..read]);
                    let text = String::from_utf8_lossy(&bytes).into_owned();
                    if let Some((head, body)) = text.split_once("\r\n\r\n") {
                        let length = head
                            .to_lowercase()
                            .split("content-length: ")
                            .nth(1)
                            .and_then(|rest| rest.lines().next()?.trim().parse().ok());
                        if body.len() >= length.unwrap_or(0) {
                            break body.to_owned();
                        }
                    }
                    if read == 0 {
                        break String::new();
                    }
                };
                counted.fetch_add(1, Ordering::SeqCst);
                let fails = left.fetch_update(Ordering::SeqCst, Ordering::SeqCst, |left| left.checked_sub(1)).is_err();
                let word = if body.contains(yes_if) { "yes" } else { "no" };
                let said = if fails {
                    r#"{"error":{"message":"out of order"}}"#.to_owned()
                } else {
                    format!(
                        r#"{{"id":"1","model":"judge","choices":[{{"index":0,"finish_reason":"stop","message":{{"role":"assistant","content":"{word}"}}}}],"usage":{{"prompt_tokens":100,"completion_tokens":1,"total_tokens":101}}}}"#
                    )
                };
                let line = if fails { format!("{status} Failed") } else { "200 OK".to_owned() };
                let _ = write!(
                    stream,
                    "HTTP/1.1 {line}\r\nContent-Type: application/json\r\nContent-Length: {}\r\nConnection: close\r\n\r\n{said}",
                    said.len()
                );
            }
        });
        Self { address, asked, good }
    }
}

/// A played run whose study knows the judge's address.
fn played(address: Option<SocketAddr>) -> Place {
    let place = Place::new();
    let models = address.map_or_else(String::new, |address| {
        format!("models:\n  endpoints: {{ vllm: {{ base: \"http://{address}/v1\" }} }}\n  retry: {{ attempts: 1 }}\n")
    });
    let study = format!(
        "study: asked\nenvironment: {{ name: finance_agent, reader: extract }}\narchitectures:\n  - {{ base: baseline, policy: expert }}\n  \
         - {{ base: react, name: solver, persona: solver, conversation: episode, context: [observation] }}\n\
         roles: [{{ default: noisy/0.6 }}]\n{models}episodes: {{ tasks: [s01, s02, s07, s13, s20], runs: 1 }}\n"
    );
    place.write("asked.yaml", &study);
    place.gimbal(&["run", "asked.yaml", "--progress", "quiet", "--no-report"]).good();
    place
}

#[test]
fn code_judges_again_as_it_did_and_the_run_stays_as_it_is() {
    let place = played(None);
    let digest = place.gimbal(&["digest", "asked"]).good().out;
    let said = place.gimbal(&["rescore", "asked", "--judge", "offline", "--json"]).good().json();
    let rows = said["table"]["rows"].as_array().unwrap();
    assert_eq!(rows.len(), 3, "{said}");
    for row in rows {
        assert_eq!((&row["old"], &row["lost"], &row["gained"]), (&row["new"], &0.into(), &0.into()), "{row}");
        assert_eq!((&row["unjudged"], &row["input"]), (&0.into(), &0.into()), "{row}");
    }
    let baseline = rows.iter().find(|row| row["cell"].as_str().unwrap().contains("expert")).unwrap();
    assert_eq!((&baseline["answers"], &baseline["new"]), (&5.into(), &5.into()));
    assert_eq!(place.gimbal(&["digest", "asked"]).good().out, digest);
    assert_eq!(place.gimbal(&["verify", "asked", "--json"]).good().json()["problems"], serde_json::json!([]));
    // Once more: the same, and not a line more on the disk.
    let file = place.path().join("runs/asked/rescored/offline.jsonl");
    let before = std::fs::read(&file).unwrap();
    let text = place.gimbal(&["rescore", "runs/asked", "--judge", "offline"]).good().out;
    assert!(text.contains("Answers judged again") && text.contains("offline"), "{text}");
    assert_eq!(std::fs::read(&file).unwrap(), before);
}

#[test]
fn a_model_judges_and_what_it_answered_is_not_asked_again() {
    let judge = Judge::start("REFERENCE", 7, 503);
    let place = played(Some(judge.address));
    let rescore = ["rescore", "asked", "--judge", "both", "--model", "vllm/judge", "--jobs", "1", "--json"];
    // The server fails midway: what it said is kept, the rest is due.
    let said = place.gimbal(&rescore);
    assert_eq!(said.code, 3, "{} {}", said.out, said.err);
    assert!(
        said.err.contains("could not be judged by vllm/judge") && said.err.contains("run the same command again"),
        "{}",
        said.err
    );
    let numbers = said.json();
    let sum = |row: &serde_json::Value, key: &str| row[key].as_u64().unwrap_or(0);
    let all =
        numbers["table"]["rows"].as_array().unwrap().iter().rfind(|row| row["judge"] == "vllm/judge").unwrap().clone();
    assert!(sum(&all, "unjudged") > 0 && all["why"].as_str().unwrap().contains("unavailable"), "{all}");
    assert_eq!(sum(&all, "input"), 700);
    let first = judge.asked.load(Ordering::SeqCst);
    judge.good.store(u64::MAX, Ordering::SeqCst);
    let numbers = place.gimbal(&rescore).good().json();
    let own = &numbers["judges"][1];
    assert_eq!((own["known"].as_u64(), own["judge"].as_str()), (Some(7), Some("vllm/judge")));
    let second = judge.asked.load(Ordering::SeqCst) - first;
    assert_eq!(own["asked"].as_u64(), Some(second));
    assert_eq!(own["input_tokens"].as_u64(), Some((7 + second) * 100));
    let all =
        numbers["table"]["rows"].as_array().unwrap().iter().rfind(|row| row["judge"] == "vllm/judge").unwrap().clone();
    assert_eq!((sum(&all, "unjudged"), all["between"].is_number()), (0, true), "{all}");
    // A third time nothing is asked at all, also with the server gone.
    judge.good.store(0, Ordering::SeqCst);
    let numbers = place.gimbal(&rescore).good().json();
    assert_eq!(numbers["judges"][1]["asked"], 0);
    assert_eq!(judge.asked.load(Ordering::SeqCst), first + second);
    // A torn line is judged once more, a damaged one is named.
    let folder = place.path().join("runs/asked/rescored");
    let file = std::fs::read_dir(&folder)
        .unwrap()
        .map(|entry| entry.unwrap().path())
        .find(|path| path.to_string_lossy().contains("model-"))
        .unwrap();
    let whole = std::fs::read_to_string(&file).unwrap();
    let torn = whole.trim_end().rsplit_once('\n').unwrap().0.len() + 20;
    std::fs::write(&file, &whole[..torn]).unwrap();
    judge.good.store(u64::MAX, Ordering::SeqCst);
    assert_eq!(place.gimbal(&rescore).good().json()["judges"][1]["asked"], 1);
    std::fs::write(&file, whole.replacen("{\"episode\"", "{\"epi", 1)).unwrap();
    let said = place.gimbal(&rescore);
    assert!(said.code == 3 && said.err.contains("line 2 is damaged"), "{}", said.err);
}

#[test]
fn a_script_judges_and_what_it_does_not_say_is_counted_apart() {
    let place = played(None);
    place.write("mumbles.yaml", "rules:\n  - say: It depends.\n");
    for (model, why) in [("scripted/mumbles.yaml", "unclear"), ("scripted/refuse", "refusal")] {
        let rescore = ["rescore", "asked", "--judge", "model", "--model", model, "--json"];
        let said = place.gimbal(&rescore).good().json();
        let rows = said["table"]["rows"].as_array().unwrap();
        let all = rows.last().unwrap();
        assert!(all["why"].as_str().unwrap().starts_with(why), "{all}");
        assert_eq!((&all["new"], &all["open"]), (&0.into(), &all["answers"]), "{all}");
        assert!(all["kappa"].is_null(), "{all}");
        assert_eq!(place.gimbal(&rescore).good().json()["judges"][0]["asked"], 0, "an answer that is of no use is one");
    }
}

#[test]
fn what_cannot_be_judged_is_refused_with_what_to_do() {
    let place = Place::new();
    place.write("small.yaml", common::STUDY);
    place.gimbal(&["run", "small.yaml", "--progress", "quiet", "--no-report"]).good();
    for (arguments, mend) in [
        (&["rescore", "nowhere", "--judge", "offline"][..], "not a run folder"),
        (&["rescore", "small", "--judge", "offline"], "this environment has no answers to judge"),
        (&["rescore", "small", "--judge", "coin"], "offline, model, both"),
        (&["rescore", "small"], "--judge"),
        (&["rescore", "small", "--judge", "offline", "--model", "vllm/x"], "plain code has none"),
    ] {
        let said = place.gimbal(arguments);
        assert_eq!(said.code, 2, "{arguments:?} {}", said.err);
        assert!(said.err.contains(mend), "{arguments:?}: {}", said.err);
    }
    let place = played(None);
    for (model, mend) in
        [("nobody/x", "nobody"), ("noisy/0.5", "is given none"), ("openai/gpt-4o-mini", "OPENAI_API_KEY")]
    {
        let said = place.gimbal(&["rescore", "asked", "--judge", "model", "--model", model]);
        assert!(said.code == 2 && said.err.contains(mend), "{model}: {} {}", said.code, said.err);
    }
    // A journal that is damaged.
    let journals = place.path().join("runs/asked/journals");
    for entry in std::fs::read_dir(journals).unwrap() {
        let path = entry.unwrap().path();
        let mut bytes = std::fs::read(&path).unwrap();
        let middle = bytes.len() / 2;
        bytes[middle..middle + 40].fill(0);
        std::fs::write(&path, bytes).unwrap();
    }
    let said = place.gimbal(&["rescore", "asked", "--judge", "offline"]);
    assert!(said.code == 3 && said.err.contains("gimbal verify"), "{} {}", said.code, said.err);
}
