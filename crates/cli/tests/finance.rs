//! Questions about filings as a user plays them: by studies, by services on a port, by hand.
#![allow(clippy::unwrap_used, clippy::expect_used, missing_docs, reason = "tests")]

use crate::common;

use std::io::{BufRead, BufReader, Read, Write};
use std::net::{TcpListener, TcpStream};
use std::process::Stdio;

use common::Place;
use gimbal_analysis::EpisodeRow;
use gimbal_study::read::load_rows;
use gimbal_study::run::RunFolder;

/// Names and bases of all shipped configurations.
fn configurations() -> Vec<(String, String)> {
    let path = concat!(env!("CARGO_MANIFEST_DIR"), "/../../personas/configurations.yaml");
    let text = std::fs::read_to_string(path).unwrap();
    let after = |line: &str, key: &str| line.split(key).nth(1)?.split(',').next().map(|value| value.trim().to_owned());
    text.lines()
        .filter(|line| line.trim_start().starts_with("- { name:"))
        .map(|line| (after(line, "name:").unwrap(), after(line, "base:").unwrap()))
        .map(|(name, base)| (name, base.trim_end_matches([' ', '}']).to_owned()))
        // The same settings as `+question` by another name, and those that need a packet.
        .filter(|(name, base)| name != "only-question" && !["debate", "panel"].contains(&base.as_str()))
        .collect()
}

fn rows(place: &Place, run: &str) -> Vec<EpisodeRow> {
    load_rows(&RunFolder::open(&place.path().join("runs").join(run)).unwrap()).unwrap().episodes
}

// covers: BOG-180, CYC-037
#[test]
fn every_configuration_plays_with_a_perfect_expert_and_wins() {
    let place = Place::new();
    let mut study = "study: finance\ndescription: Does every configuration play here?\nenvironment: { name: finance_agent }\narchitectures:\n".to_owned();
    let all = configurations();
    assert!(all.len() >= 20, "{all:?}");
    for (name, base) in &all {
        study.push_str(&format!("  - {{ base: {base}, configuration: \"{name}\" }}\n"));
    }
    study.push_str("  - { base: baseline, policy: expert }\n");
    study.push_str("roles:\n  - { default: noisy/1.0 }\nepisodes: { tasks: [s01, s04], runs: 1 }\n");
    place.write("finance.yaml", &study);
    place.gimbal(&["run", "finance.yaml", "--progress", "quiet", "--no-report"]).good();
    let said = place.gimbal(&["verify", "finance", "--json"]).good().json();
    let expected = (all.len() as u64 + 1) * 2;
    assert_eq!((said["episodes"].as_u64(), said["problems"].as_array().unwrap().len()), (Some(expected), 0));
    let first = place.gimbal(&["digest", "finance"]).good().out;
    // Another process has another port, and the same bytes.
    let again = Place::new();
    again.write("finance.yaml", &study);
    again.gimbal(&["run", "finance.yaml", "--progress", "quiet", "--no-report", "--jobs", "1"]).good();
    assert_eq!(again.gimbal(&["digest", "finance"]).good().out, first);
    for row in rows(&place, "finance") {
        assert_eq!((row.stop.name(), row.return_thousandths), ("answered", 1000), "{} {}", row.cell, row.task);
    }
}

/// The planner of each episode plans here as everywhere, free and under its form, whatever the tools are called.
// covers: CYC-020
#[test]
fn a_noisy_planner_plans_for_filings_free_and_constrained() {
    for decoding in ["free", "constrained"] {
        let place = Place::new();
        let study = format!(
            "study: planned\nenvironment: {{ name: finance_agent }}\narchitectures:\n\
             \x20 - {{ base: cyclic, name: Spec-Cyc, graph: planner }}\n\x20 - {{ base: dag, name: DepDAG, graph: planner }}\n\
             roles: [{{ default: {{ model: noisy/1.0, decoding: {decoding} }} }}]\n\
             episodes: {{ tasks: [s01, s04], runs: 1 }}\n"
        );
        place.write("planned.yaml", &study);
        place.gimbal(&["run", "planned.yaml", "--progress", "quiet", "--no-report"]).good();
        let played = rows(&place, "planned");
        assert_eq!(played.len(), 4);
        for (number, row) in played.iter().enumerate() {
            assert_eq!(row.bad_shapes, 0, "{decoding}: {}", row.cell);
            let spec = row.cell.contains("Spec-Cyc");
            assert!(!spec || row.return_thousandths == 1000, "{decoding}: {} {}", row.cell, row.task);
            let told = place.gimbal(&["trace", "planned", &number.to_string()]).good().out;
            assert!(told.contains("\nthe planner gave a graph after 1 attempt\n"), "{decoding}: {told}");
            assert!(told.contains(", from planner): "), "{decoding}: {told}");
        }
    }
}

/// A mask bounds the texts of an action: the agent is told by how much, where there is a mask and nowhere else.
#[test]
fn a_bound_of_the_mask_stands_in_the_prompt() {
    for decoding in ["free", "constrained"] {
        for protocol in ["react-text", "json", "native-tools"] {
            let place = Place::new();
            let study = format!(
                "study: bounds\nenvironment: {{ name: finance_agent }}\n\
                 architectures: [{{ base: react, configuration: obs, protocol: {protocol} }}]\n\
                 roles: [{{ default: {{ model: noisy/1.0, decoding: {decoding} }} }}]\n\
                 episodes: {{ tasks: [s01], runs: 1 }}\n"
            );
            place.write("bounds.yaml", &study);
            place.gimbal(&["run", "bounds.yaml", "--progress", "quiet", "--no-report"]).good();
            let call = place.gimbal(&["trace", "bounds", "0", "--call", "0"]).good().out;
            let bounded = decoding == "constrained";
            assert_eq!(call.contains("has at most 600 characters"), bounded, "{protocol} {decoding}: {call}");
            assert_eq!(call.contains("{1,600}") || call.contains("\"maxLength\":600"), bounded, "{protocol}: {call}");
        }
    }
}

#[test]
fn a_page_that_stays_busy_is_an_answer_to_the_agent_and_voids_no_episode() {
    let listener = TcpListener::bind("127.0.0.1:0").unwrap();
    let address = listener.local_addr().unwrap();
    std::thread::spawn(move || {
        for mut stream in listener.incoming().flatten() {
            let mut bytes = [0; 1024];
            let _ = stream.read(&mut bytes);
            let _ =
                stream.write_all(b"HTTP/1.1 503 Service Unavailable\r\nContent-Length: 0\r\nConnection: close\r\n\r\n");
        }
    });
    let place = Place::new();
    place.write(
        "opens.yaml",
        "rules:\n  - say: |-\n      Thought: open it\n      Answer: finance_agent_parse_html_page url=\"https://busy.test/\", key=\"k\"\n",
    );
    let study = format!(
        "study: busy\nenvironment: {{ name: finance_agent, first_wait: 1, served: {{ busy.test: \"{address}\" }} }}\n\
         architectures: [{{ base: react, configuration: obs }}]\nroles: [{{ default: scripted/opens.yaml }}]\n\
         episodes: {{ tasks: [s01], runs: 1 }}\n"
    );
    place.write("busy.yaml", &study);
    let said = place.gimbal(&["run", "busy.yaml", "--progress", "quiet", "--no-report"]);
    assert_eq!(said.code, 0, "{} {}", said.out, said.err);
    assert!(rows(&place, "busy").iter().all(|row| !row.infrastructure && row.stop.name() == "horizon"));
    let told = place.gimbal(&["trace", "busy", "0"]).good().out;
    assert!(told.contains("the server is busy"), "{told}");
}

/// A judge that refuses makes nobody lose: where it decides the episode is infrastructure, beside the offline judge it is
/// a verdict less.
// covers: CYC-037
#[test]
fn a_judge_that_refuses_is_nobodys_outcome() {
    let place = Place::new();
    for judge in ["both", "model"] {
        let study = format!(
            "study: {judge}\nenvironment: {{ name: finance_agent, judge: {judge}, reader: extract }}\n\
             architectures: [{{ base: baseline, policy: expert }}]\n\
             roles: [{{ default: scripted/first-choice, judge: scripted/refuse }}]\n\
             episodes: {{ tasks: [s01], runs: 1 }}\n"
        );
        place.write(&format!("{judge}.yaml"), &study);
        let said = place.gimbal(&["run", &format!("{judge}.yaml"), "--progress", "quiet", "--no-report"]);
        let played = rows(&place, judge);
        assert_eq!(played.len(), 1, "{}", said.err);
        if judge == "both" {
            assert_eq!((said.code, played[0].stop.name(), played[0].return_thousandths), (0, "answered", 1000));
        } else {
            assert!(said.code == 3 && played[0].infrastructure, "{} {}", said.code, said.err);
        }
    }
}

/// Failures are counted where they happened: also of episodes that a controller's own budget ended before the environment
/// could tell, and as unknown where nobody knows the documents.
// covers: CYC-095
#[test]
fn every_failure_has_a_bottleneck() {
    let place = Place::new();
    place.gimbal(&["env", "finance_agent", "serve", "--questions", "own.csv"]).good();
    place.write(
        "guesses.yaml",
        "rules:\n  - say: |-\n      Thought: a guess\n      Answer: finance_agent_final_answer answer=\"nobody\"\n",
    );
    place.write(
        "waits.yaml",
        "rules:\n  - say: |-\n      Thought: no\n      Answer: finance_agent_retrieve_information prompt=\"\"\n",
    );
    let architectures = |calls: u32| {
        format!(
            "[{{ base: react, persona: solver, conversation: episode, context: [observation], global_calls: {calls} }}]"
        )
    };
    for (name, options, calls, role, task, column) in [
        ("none", "", 1, "noisy/1.0", "s01", "failed.found__not_opened"),
        ("short", "", 2, "noisy/1.0", "s01", "failed.opened__not_retrieved"),
        ("guess", "", 9, "scripted/guesses.yaml", "s01", "failed.query_never_found_it"),
        ("public", ", questions: own.csv", 9, "scripted/guesses.yaml", "q02", "failed.unknown"),
        ("late", ", questions: own.csv", 1, "scripted/waits.yaml", "q02", "failed.unknown"),
    ] {
        let study = format!(
            "study: {name}\nenvironment: {{ name: finance_agent, reader: extract{options} }}\narchitectures: {}\n\
             roles: [{{ default: {role} }}]\nepisodes: {{ tasks: [{task}], runs: 1 }}\n",
            architectures(calls)
        );
        place.write(&format!("{name}.yaml"), &study);
        place.gimbal(&["run", &format!("{name}.yaml"), "--progress", "quiet", "--no-report"]).good();
        let table = place.gimbal(&["report", name, "--table", "cyc-evidence", "--format", "csv"]).good().out;
        let lines: Vec<Vec<&str>> = table.lines().map(|line| line.split(',').collect()).collect();
        // Names of cells, which come first, may hold commas.
        let of = |key: &str| lines[1].iter().rev().nth(lines[0].iter().rev().position(|known| *known == key).unwrap());
        let of = |key: &str| of(key).copied().unwrap_or_default();
        assert_eq!((of("answers"), of("passed"), of(column)), ("1", "0", "1"), "{name}: {table}");
        assert_eq!(of("recall").is_empty(), column == "failed.unknown", "{name}: {table}");
    }
}

#[test]
fn the_corpus_is_served_until_it_is_stopped() {
    let place = Place::new();
    let mut child = place.command().args(["env", "finance_agent", "serve"]).stdout(Stdio::piped()).spawn().unwrap();
    let mut line = String::new();
    // Held open: what it prints later must find a reader.
    let mut out = BufReader::new(child.stdout.take().unwrap());
    out.read_line(&mut line).unwrap();
    let address = line.strip_prefix("http://").unwrap().split(' ').next().unwrap().to_owned();
    let ask = |request: String| {
        let mut stream = TcpStream::connect(&address).unwrap();
        stream.write_all(request.as_bytes()).unwrap();
        let mut text = String::new();
        stream.read_to_string(&mut text).unwrap();
        text
    };
    let get = |path: &str| {
        ask(format!(
            "GET {path} HTTP/1.1\r\nHost: {address}\r\nConnection: close\r\nUser-Agent: me me@place.example\r\n\r\n"
        ))
    };
    let found = get("/LATEST/search-index?q=guidance&forms=8-K");
    assert!(found.starts_with("HTTP/1.1 200 OK") && found.contains("\"_index\":\"edgar_file\""), "{found}");
    let bare =
        ask(format!("GET /LATEST/search-index?q=guidance HTTP/1.1\r\nHost: {address}\r\nConnection: close\r\n\r\n"));
    assert!(bare.starts_with("HTTP/1.1 403"), "{bare}");
    let body = "{\"query\":\"guidance\"}";
    let post = |head: &str| {
        ask(format!(
            "POST /full-text-search HTTP/1.1\r\nHost: {address}\r\nConnection: close\r\n{head}Content-Length: {}\r\n\r\n{body}",
            body.len()
        ))
    };
    assert!(post("").starts_with("HTTP/1.1 403"));
    let found = post("Authorization: any\r\n");
    let url =
        found.split("\"filingUrl\":\"https://www.sec.example").nth(1).unwrap().split('"').next().unwrap().to_owned();
    assert!(get(&url).contains("<!DOCTYPE html>"));
    assert!(get("/search?q=finance+chief").starts_with("HTTP/1.1 401"));
    assert!(get("/search?q=finance+chief&api_key=x").contains("\"organic_results\""));
    assert!(get("/nothing").starts_with("HTTP/1.1 404"));
    child.kill().unwrap();
    child.wait().unwrap();
}

#[test]
fn the_workbench_plays_lists_and_refuses_politely() {
    let place = Place::new();
    let tasks = place.gimbal(&["env", "finance_agent", "tasks", "--split", "synthetic-train"]).good().out;
    assert_eq!(tasks.lines().count(), 16);
    let mut command = place.command();
    command.env_remove("GIMBAL_DATA").args(["env", "finance_agent", "tasks"]);
    let all: common::Said = command.output().unwrap().into();
    assert!(all.code == 0 && all.err.contains("set GIMBAL_DATA") && all.out.contains("s54"), "{}", all.err);
    // Data that are not at hand: one code and one wording in every environment.
    for (environment, split, task, folder) in [
        ("finance_agent", "test", &["--task", "q01"][..], "finance_agent/public_2025-09.csv"),
        ("alfworld", "unseen", &["--set", "task=valid_unseen/x"], "alfworld/games"),
    ] {
        let lists: &[&str] = &["tasks", "--split", split];
        for verb in [lists, &[&["play"], task].concat()] {
            let mut command = place.command();
            command.env_remove("GIMBAL_DATA").args(["env", environment]).args(verb).stdin(Stdio::null());
            let said: common::Said = command.output().unwrap().into();
            let wording = format!(
                "`{environment}` are not at hand: set GIMBAL_DATA to the folder that holds {folder}, give the option `"
            );
            assert!(
                said.code == 2 && said.err.contains(&wording),
                "{environment} {verb:?}: {} {}",
                said.code,
                said.err
            );
        }
    }
    let table = place.gimbal(&["env", "finance_agent", "serve", "--questions", "own.csv"]).good().out;
    assert!(table.starts_with("54 questions"), "{table}");
    let tasks = ["env", "finance_agent", "tasks", "--split", "all", "--set", "questions=own.csv"];
    let tasks = place.gimbal(&tasks).good().out;
    assert!(tasks.lines().count() == 54 && tasks.contains("q54"), "{tasks}");
    let mut child = place
        .command()
        .args(["env", "finance_agent", "play", "--task", "s01", "--set", "reader=extract"])
        .stdin(Stdio::piped())
        .stdout(Stdio::piped())
        .spawn()
        .unwrap();
    child
        .stdin
        .take()
        .unwrap()
        .write_all(b"google_web_search finance chief\nnonsense\nfinal_answer nobody knows\n")
        .unwrap();
    let said = String::from_utf8(child.wait_with_output().unwrap().stdout).unwrap();
    assert!(
        said.contains("\"position\":1")
            && said.contains("rejected: Tool 'nonsense' not found")
            && said.ends_with("2 steps, return 0.0, answered\n"),
        "{said}"
    );
    for (arguments, fix) in [
        (&["bench"][..], "no verb `bench`"),
        (&["play", "--mode", "x"], "unexpected argument '--mode'"),
        (&["play", "--set", "juge=model"], "did you mean `judge`?"),
        (&["play", "--task", "x9"], "s01, s02"),
        (
            &["serve", "--companies", "1"],
            "--companies 1: options of `finance_agent`: `companies` is 1; give a whole number from 3 to 60",
        ),
    ] {
        let said = place.gimbal(&[&["env", "finance_agent"], arguments].concat());
        assert_eq!(said.code, 2, "{arguments:?} {}", said.err);
        assert!(said.err.contains(fix), "{arguments:?}: {}", said.err);
    }
    let said = place.gimbal(&["env", "cage2", "serve"]);
    let sentence =
        "gimbal: `cage2` has no verb `serve`: it has show, calls, play, replay, bench, returns, evaluate and tasks\n";
    assert_eq!((said.code, said.err.as_str()), (2, sentence));
    // Arguments that only another environment's verb takes are not asked for first.
    let said = place.gimbal(&["env", "finance_agent", "replay", "--help"]);
    assert!(said.code == 2 && said.err.contains("no verb `replay`: it has show, calls,"), "{}", said.err);
    let help = place.gimbal(&["env", "finance_agent", "--help"]).good().out;
    assert!(
        help.contains("  serve  ")
            && !["replay", "bench", "evaluate", "save"].iter().any(|verb| help.contains(&format!("  {verb}  "))),
        "{help}"
    );
    let said = place.gimbal(&["env", "finance_agent"]);
    assert!(
        said.code == 2 && said.err.contains("[subcommands: show, calls, play, returns, serve, tasks, help]"),
        "{}",
        said.err
    );
}

/// The live services by their addresses, with the served corpus in the place of the real ones.
#[test]
fn live_services_take_addresses_and_keys_and_show_no_key() {
    let place = Place::new();
    place.gimbal(&["env", "finance_agent", "serve", "--questions", "own.csv"]).good();
    let mut child = place.command().args(["env", "finance_agent", "serve"]).stdout(Stdio::piped()).spawn().unwrap();
    let mut line = String::new();
    // Held open: what it prints later must find a reader.
    let mut out = BufReader::new(child.stdout.take().unwrap());
    out.read_line(&mut line).unwrap();
    let address = line.strip_prefix("http://").unwrap().split(' ').next().unwrap().to_owned();
    let served = format!("served={{\".example\":\"{address}\"}}");
    let play = |search: &str, variables: &[(&str, &str)], input: &str| -> common::Said {
        let mut command = place.command();
        command.args([
            "env",
            "finance_agent",
            "play",
            "--task",
            "q01",
            "--set",
            "services=live",
            "--set",
            "questions=own.csv",
        ]);
        command.args(["--set", "api=https://api.sec-api.example/full-text-search", "--set", "archive=www.sec.example"]);
        command.args([
            "--set",
            "archive_search=https://efts.sec.example/LATEST/search-index",
            "--set",
            "reader=extract",
        ]);
        command.args([
            "--set",
            "serp=https://serp.example/search",
            "--set",
            &served,
            "--set",
            &format!("search={search}"),
        ]);
        for name in ["SEC_API_KEY", "SERPAPI_API_KEY", "SEC_CONTACT"] {
            command.env_remove(name);
        }
        let mut child = command
            .envs(variables.iter().copied())
            .stdin(Stdio::piped())
            .stdout(Stdio::piped())
            .stderr(Stdio::piped())
            .spawn()
            .unwrap();
        let _ = child.stdin.take().unwrap().write_all(input.as_bytes());
        child.wait_with_output().unwrap().into()
    };
    let keys = [("SEC_API_KEY", "topsecret-1"), ("SERPAPI_API_KEY", "topsecret-2")];
    let search = "edgar_search query=\"appointed Chief Financial Officer\", form_types=[\"8-K\"]\n";
    let said = play("api", &keys, &format!("{search}google_web_search finance chief\nquit\n"));
    assert!(
        said.code == 0 && said.out.contains("\"accessionNo\"") && said.out.contains("\"position\":1"),
        "{} {}",
        said.out,
        said.err
    );
    assert!(!said.out.contains("topsecret") && !said.err.contains("topsecret"));
    let said = play("archive", &[("SEC_CONTACT", "Me me@place.example")], search);
    assert!(said.code == 0 && said.out.contains("\"accessionNo\""), "{} {}", said.out, said.err);
    for (search, mend) in [("api", "set SEC_API_KEY"), ("archive", "set SEC_CONTACT")] {
        let said = play(search, &[], "quit\n");
        assert!(said.code == 2 && said.err.contains(mend), "{}", said.err);
    }
    child.kill().unwrap();
    child.wait().unwrap();
}

/// Players who fail at each station in turn, and one who does not fail: every failure is counted at its own station, once,
/// and recall is the share of those who read both documents.
// covers: CYC-037, CYC-095
#[test]
fn every_failure_is_counted_at_the_station_where_it_happened() {
    let place = Place::new();
    let page = |quarter: &str, number: &str| {
        format!(
            "https://www.sec.example/Archives/edgar/data/9000334/0009000334240000{number}/irnd-ex991_q{quarter}2024.htm"
        )
    };
    let pages = [page("1", "06"), page("2", "08")];
    let search = |day: &str| {
        format!(
            r#"finance_agent_edgar_search ciks=["9000334"], end_date="{day}", form_types=["8-K"], query="\"Ironbark Dynamics\"", start_date="{day}""#
        )
    };
    let mut way = vec![search("2024-04-20"), search("2024-07-20")];
    for (number, page) in pages.iter().enumerate() {
        way.push(format!(r#"finance_agent_parse_html_page key="page {number}", url="{page}""#));
    }
    way.push(r#"finance_agent_retrieve_information prompt="What is told? {{page 0}} {{page 1}}""#.to_owned());
    let right = "2.8% BEAT: revenue of $424.7 million against a midpoint of $413.0 million";
    // How far along the way, and what is answered then.
    let players = [
        ("unmatched", 0, right.replace("2.8", "7.1")),
        ("unopened", 2, right.replace("2.8", "7.1")),
        ("unread", 4, right.replace("2.8", "7.1")),
        ("unstated", 5, "It did better than its guidance.".to_owned()),
        ("refused", 5, "2.8% MISS: revenue lay below the midpoint of the guidance".to_owned()),
        ("good", 5, right.to_owned()),
    ];
    let mut roles = String::new();
    for (name, steps, answer) in &players {
        let last = format!(
            r#"finance_agent_final_answer answer="{answer}", sources=[{{"url":"{}","name":"EX-99.1"}}]"#,
            pages[1]
        );
        let mut rules = String::from("rules:\n");
        for (call, line) in way.iter().take(*steps).chain([&last]).enumerate() {
            let say = serde_json::to_string(&format!("Thought: as told\nAnswer: {line}")).unwrap();
            rules.push_str(&format!("  - when: {{ call: {call} }}\n    say: {say}\n"));
        }
        place.write(&format!("{name}.yaml"), &rules);
        roles.push_str(&format!("  - {{ default: scripted/{name}.yaml, reader: noisy/1.0 }}\n"));
    }
    place.write(
        "stations.yaml",
        &format!(
            "study: stations\nenvironment: {{ name: finance_agent }}\narchitectures:\n  - {{ base: react, name: ReAct, persona: solver, conversation: episode, context: [observation] }}\nroles:\n{roles}episodes: {{ tasks: [s04] }}\n"
        ),
    );
    place.gimbal(&["run", "stations.yaml", "--progress", "quiet", "--no-report"]).good();
    let csv = place.gimbal(&["report", "stations", "--table", "cyc-evidence", "--format", "csv"]).good().out;
    let mut lines = csv.lines();
    let columns: Vec<&str> = lines.next().unwrap().split(',').collect();
    let rows: Vec<Vec<&str>> = lines.map(|line| line.split(',').collect()).collect();
    assert_eq!(rows.len(), players.len(), "{csv}");
    let at =
        |key: &str| columns.iter().position(|column| column.contains(key)).unwrap_or_else(|| panic!("{key}: {csv}"));
    let failed: Vec<usize> = (0..columns.len()).filter(|place| columns[*place].contains("failed.")).collect();
    assert_eq!(failed.len(), 6, "the five stations, and unknown: {csv}");
    let mut met = vec![0_u64; 6];
    for (number, row) in rows.iter().enumerate() {
        let own: Vec<u64> = failed.iter().map(|place| row[*place].parse().unwrap()).collect();
        let count = |key: &str| row[at(key)].parse::<u64>().unwrap();
        assert_eq!(own.iter().sum::<u64>(), count("answers") - count("passed"), "{csv}");
        let wanted: Vec<u64> = (0..6).map(|station| u64::from(station == number && station < 5)).collect();
        assert_eq!(own, wanted, "{}: {csv}", players[number].0);
        let recall: f64 = row[at("recall")].trim_end_matches('%').parse().unwrap();
        assert_eq!(recall > 0.0, players[number].1 == 5, "{}: {csv}", players[number].0);
        met.iter_mut().zip(own).for_each(|(sum, one)| *sum += one);
    }
    assert_eq!(met, [1, 1, 1, 1, 1, 0], "every station once");
}
