//! The environment behind the seams, against the server on loopback.
#![allow(clippy::unwrap_used, clippy::expect_used, clippy::print_stdout, missing_docs)]

use crate::common;

use common::{ask, call, open, reset, said, step};
use gimbal_core::stop::EnvironmentStop;
use gimbal_core::{Catalogue, RejectionKind, Reply, Rng, ToolCall};
use gimbal_finance_agent::FinanceAgent;
use gimbal_finance_agent::audit::{Bottleneck, Trail, audit};
use gimbal_finance_agent::environment::question;
use gimbal_finance_agent::judge::agreement;
use gimbal_finance_agent::tools::{EDGAR_SEARCH, FINAL_ANSWER, PARSE_PAGE, RETRIEVE, TOOLS, WEB_SEARCH};
use gimbal_messages::records::filings::EpisodeRecord;
use serde_json::{Value, json};

// covers: CYC-038, CYC-050, CYC-051
#[tokio::test]
async fn tools_have_the_names_and_arguments_of_the_work() {
    let environment = open(json!({}));
    let tools = environment.tools();
    assert_eq!(tools.iter().map(|tool| tool.name.as_str()).collect::<Vec<_>>(), TOOLS);
    let arguments: Vec<(Vec<&str>, Vec<&str>)> = tools
        .iter()
        .map(|tool| {
            let all = tool.parameters["properties"].as_object().unwrap().keys().map(String::as_str).collect();
            (all, tool.required().collect())
        })
        .collect();
    let edgar = vec!["query", "form_types", "ciks", "start_date", "end_date", "page", "top_n_results"];
    assert_eq!(arguments[0], (edgar, vec!["query"]));
    assert_eq!(tools[0].parameters["properties"]["page"]["default"], 1);
    assert_eq!(tools[0].parameters["properties"]["top_n_results"]["default"], 10);
    assert_eq!(arguments[1], (vec!["search_query"], vec!["search_query"]));
    assert_eq!(arguments[2], (vec!["url", "key"], vec!["url", "key"]));
    assert_eq!(arguments[3], (vec!["prompt", "input_character_ranges"], vec!["prompt"]));
    assert_eq!(arguments[4], (vec!["answer", "sources"], vec!["answer"]));
    assert_eq!((environment.brief().horizon, environment.brief().segment_calls), (20, Some(20)));
}

/// Glossary and schemas say the same: days have their form, no text that a call needs is empty, a source has a name, and parts of
/// texts are in both.
// covers: CYC-038
#[tokio::test]
async fn schemas_and_usages_state_the_same_arguments() {
    for (version, query) in [("v1.0", "query"), ("v1.1", "search_query")] {
        let environment = open(json!({ "texts": version }));
        let tools = environment.tools();
        let search = &tools[0].parameters["properties"];
        for day in ["start_date", "end_date"] {
            assert_eq!(search[day]["pattern"], "^[0-9]{4}-[0-9]{2}-[0-9]{2}$", "{version} {day}");
        }
        assert!(search.get(query).is_some());
        for tool in tools.iter() {
            for name in tool.required() {
                assert_eq!(tool.parameters["properties"][name]["minLength"], 1, "{version} {} {name}", tool.name);
            }
            let usage = &environment.brief().entry_of(&tool.name).unwrap().usage;
            let names = tool.parameters["properties"].as_object().unwrap().keys();
            // Pages of results are for whoever is shown a schema.
            for name in names.filter(|name| !["page", "top_n_results"].contains(&name.as_str())) {
                assert!(usage.contains(&format!("{name}=")), "{version} {name}: {usage}");
            }
        }
        assert_eq!(tools[4].parameters["properties"]["sources"]["items"]["required"], json!(["url", "name"]));
    }
}

/// One episode by hand: every tool, its texts, and the answer.
// covers: CYC-038, CYC-050
#[tokio::test]
async fn an_episode_by_hand_finds_opens_reads_and_answers() {
    let mut environment = open(json!({}));
    let first = reset(&mut *environment, "s03", 1).await;
    assert_eq!(first.text, environment.brief().goal);
    let name = first.text.split("revenue of ").nth(1).unwrap().split(" (").next().unwrap().to_owned();
    let found = step(
        &mut *environment,
        &call(
            EDGAR_SEARCH,
            json!({ "query": format!("\"{name}\" annual report"), "form_types": ["10-K"], "top_n_results": 3 }),
        ),
    )
    .await;
    let rows: Vec<Value> = serde_json::from_str(&found.observation.text).unwrap();
    assert_eq!(rows.len(), 3);
    let keys: Vec<&String> = rows[0].as_object().unwrap().keys().collect();
    assert_eq!(
        keys,
        ["accessionNo", "cik", "companyNameLong", "ticker", "description", "formType", "type", "filingUrl", "filedAt"]
    );
    assert!(
        rows.iter().all(|row| row["formType"] == "10-K" && row["companyNameLong"].as_str().unwrap().starts_with(&name))
    );
    let cik = rows[0]["cik"].as_str().unwrap();
    // The text of a list is read as one.
    let again = step(
        &mut *environment,
        &call(
            EDGAR_SEARCH,
            json!({ "query": "annual report", "form_types": "['10-K']", "ciks": [cik], "start_date": "2025-01-01" }),
        ),
    )
    .await;
    let rows: Vec<Value> = serde_json::from_str(&again.observation.text).unwrap();
    let url = rows.iter().find(|row| row["type"] == "10-K").unwrap()["filingUrl"].as_str().unwrap().to_owned();
    assert!(url.starts_with("https://www.sec.example/Archives/edgar/data/"));
    let stored = step(&mut *environment, &call(PARSE_PAGE, json!({ "url": url, "key": "report" }))).await;
    assert_eq!(
        stored.observation.text,
        "SUCCESS: The result has been saved to the data storage under the key: report.\n\
         The data_storage currently contains the following keys:\n        report\n"
    );
    let web =
        step(&mut *environment, &call(WEB_SEARCH, json!({ "search_query": format!("{name} finance chief") }))).await;
    let pages: Vec<Value> = serde_json::from_str(&web.observation.text).unwrap();
    assert!((1..=10).contains(&pages.len()));
    assert_eq!(pages[0]["position"], 1);
    let page = pages[0]["link"].as_str().unwrap();
    let second = step(&mut *environment, &call(PARSE_PAGE, json!({ "url": page, "key": "report" }))).await;
    assert!(second.observation.text.starts_with(
        "WARNING: The key already exists in the data storage. The new result overwrites the old one.\nSUCCESS:"
    ));
    let third = step(&mut *environment, &call(PARSE_PAGE, json!({ "url": url, "key": "k2" }))).await;
    assert!(third.observation.text.ends_with("following keys:\n        report\nk2\n"));
    let question = ask(
        &mut *environment,
        &call(RETRIEVE, json!({ "prompt": "Revenue? {{k2}} Thanks.", "input_character_ranges": { "k2": [0, 12] } })),
    )
    .await;
    assert_eq!((question.role.as_str(), question.messages.len()), ("reader", 1));
    assert!(question.messages[0].text.starts_with("Revenue? ") && question.messages[0].text.ends_with(" Thanks."));
    assert_eq!(question.messages[0].text.chars().count(), 9 + 12 + 8);
    let Reply::Step(read) = environment.answer("It was 5.").await.unwrap() else { panic!() };
    assert_eq!(&*read.observation.text, "It was 5.");
    let answer = step(
        &mut *environment,
        &call(FINAL_ANSWER, json!({ "answer": "About 5%.", "sources": [{ "url": url, "name": "10-K" }] })),
    )
    .await;
    assert_eq!((answer.done, answer.reward.0), (Some(EnvironmentStop::Answered), 0));
    assert!(answer.observation.text.starts_with("The final answer has been submitted.\n"));
    let record = EpisodeRecord::read(&answer.observation.text).unwrap().unwrap();
    assert_eq!((record.audit.matched, record.audit.opened, record.audit.read), (1, 1, 1));
    assert_eq!(record.bottleneck, Some(Bottleneck::FigureAbsent));
    assert_eq!(answer.observation.data["record"], serde_json::to_value(&record).unwrap());
    let late = environment.call(&ToolCall::with(WEB_SEARCH, &[("search_query", "x")])).await.unwrap_err();
    assert_eq!(late.kind, RejectionKind::NotNow);
}

// covers: CYC-038
#[tokio::test]
async fn errors_are_steps_and_misfits_are_rejections() {
    let mut environment = open(json!({}));
    reset(&mut *environment, "s01", 1).await;
    for (call, text) in [
        (
            call(RETRIEVE, json!({ "prompt": "x" })),
            "ERROR: Your prompt must include at least one key from data storage in the format {{key_name}}. Please try again with the correct format.",
        ),
        (
            call(RETRIEVE, json!({ "prompt": "{{a}}" })),
            "\"ERROR: The key 'a' was not found in the data storage. Available keys are: \"",
        ),
        (call(FINAL_ANSWER, json!({ "answer": "  " })), "Final result must not be empty"),
        (
            call(PARSE_PAGE, json!({ "url": "https://www.sec.example/none.htm", "key": "a" })),
            "404, message='Not Found', url='https://www.sec.example/none.htm'",
        ),
        (call(EDGAR_SEARCH, json!({ "query": "zzzunknownword" })), "[]"),
        (call(EDGAR_SEARCH, json!({ "query": "revenue", "page": 50 })), "[]"),
    ] {
        assert_eq!(said(&mut *environment, &call).await, text);
    }
    let state = environment.state();
    for (call, kind) in [
        (call("edgar", json!({})), RejectionKind::UnknownTool),
        (call(EDGAR_SEARCH, json!({})), RejectionKind::MissingArgument),
        (call(EDGAR_SEARCH, json!({ "query": 5 })), RejectionKind::BadValue),
        (call(EDGAR_SEARCH, json!({ "query": "x", "page": 0 })), RejectionKind::BadValue),
        (call(EDGAR_SEARCH, json!({ "query": "x", "form_types": { "a": 1 } })), RejectionKind::BadValue),
        (call(PARSE_PAGE, json!({ "url": "x", "key": "y", "keys": "z" })), RejectionKind::UnknownArgument),
        (call(FINAL_ANSWER, json!({ "answer": "x", "sources": [5] })), RejectionKind::BadValue),
    ] {
        let rejection = environment.call(&call).await.unwrap_err();
        assert_eq!(rejection.kind, kind, "{}", rejection.message);
    }
    assert_eq!(environment.state(), state, "a rejection changes nothing");
    let unknown = environment.call(&call("parse", json!({}))).await.unwrap_err();
    assert!(
        unknown.message.starts_with("Tool 'parse' not found. Available tools: ['finance_agent_edgar_search', "),
        "{}",
        unknown.message
    );
}

// covers: CYC-038
#[tokio::test]
async fn version_1_1_has_its_own_texts() {
    let mut environment = open(json!({ "texts": "v1.1" }));
    reset(&mut *environment, "s01", 1).await;
    for (arguments, text) in [
        (
            json!({ "search_query": "revenue", "start_date": "2024-1-1" }),
            "start_date '2024-1-1' is not in yyyy-mm-dd format",
        ),
        (json!({ "search_query": "revenue", "end_date": "soon" }), "end_date 'soon' is not in yyyy-mm-dd format"),
        (
            json!({ "search_query": "revenue", "start_date": "2024-05-01", "end_date": "2024-04-01" }),
            "Parameter start_date '2024-05-01' was set to a date that is later than end_date '2024-04-01'",
        ),
    ] {
        assert_eq!(said(&mut *environment, &call(EDGAR_SEARCH, arguments)).await, text);
    }
    // Later days are set to the last known one.
    let capped =
        said(&mut *environment, &call(EDGAR_SEARCH, json!({ "search_query": "revenue", "start_date": "2030-01-01" })))
            .await;
    assert_eq!(capped, "[]");
    let all: Vec<Value> =
        serde_json::from_str(&said(&mut *environment, &call(EDGAR_SEARCH, json!({ "search_query": "revenue" }))).await)
            .unwrap();
    assert_eq!(all.len(), 100);
    let pages: Vec<Value> = serde_json::from_str(
        &said(&mut *environment, &call(WEB_SEARCH, json!({ "search_query": "finance chief" }))).await,
    )
    .unwrap();
    assert_eq!(pages[0].as_object().unwrap().keys().collect::<Vec<_>>(), ["url", "title", "content", "score"]);
    let missing = said(&mut *environment, &call(RETRIEVE, json!({ "prompt": "{{a}}" }))).await;
    assert!(missing.ends_with(". Use the retrieve_information tool to add keys to the data storage.\""), "{missing}");
    assert!(environment.call(&call(EDGAR_SEARCH, json!({ "query": "x" }))).await.is_err());
}

// covers: CYC-050
#[tokio::test]
async fn the_last_call_ends_the_episode_and_tells_where_it_got_stuck() {
    let mut environment = open(json!({ "max_calls": 3 }));
    reset(&mut *environment, "s02", 1).await;
    for _ in 0..2 {
        assert_eq!(step(&mut *environment, &call(EDGAR_SEARCH, json!({ "query": "zzzunknownword" }))).await.done, None);
    }
    let last = step(&mut *environment, &call(EDGAR_SEARCH, json!({ "query": "zzzunknownword" }))).await;
    assert_eq!(last.done, Some(EnvironmentStop::Horizon));
    let record = EpisodeRecord::read(&last.observation.text).unwrap().unwrap();
    assert_eq!((record.bottleneck, record.answer, record.passed), (Some(Bottleneck::NotMatched), None, false));
    assert!(!record.audit.gold.is_empty() && record.verdicts.is_empty());
}

// covers: CYC-037
#[tokio::test]
async fn both_judges_are_reported_and_the_offline_one_decides() {
    let catalogue = FinanceAgent;
    for (judge, reply, passed) in
        [("both", "no", true), ("model", "no", false), ("model", "Yes.", true), ("both", "maybe", true)]
    {
        let mut environment = catalogue.open(&json!({ "judge": judge })).unwrap();
        reset(&mut *environment, "s02", 1).await;
        let expert = loop {
            let call = environment.expert().unwrap().next_call().unwrap();
            if call.tool == FINAL_ANSWER {
                break call;
            }
            if let Reply::Ask(_) = environment.call(&call).await.unwrap() {
                environment.answer("read").await.unwrap();
            }
        };
        let mut reply_now = environment.call(&expert).await.unwrap();
        let mut asked = 0;
        let done = loop {
            match reply_now {
                Reply::Ask(question) => {
                    assert_eq!(question.role, "judge");
                    assert!(question.messages[1].text.contains("ANSWER:\n"));
                    asked += 1;
                    reply_now = environment.answer(reply).await.unwrap();
                }
                Reply::Step(step) => break step,
            }
        };
        let record = EpisodeRecord::read(&done.observation.text).unwrap().unwrap();
        // What cannot be read is asked for once more.
        let asks = if reply == "maybe" { 6 } else { 3 };
        assert_eq!((asked, record.verdicts.len(), record.passed), (asks, 3, passed), "{judge} {reply}");
        assert_eq!(record.unjudged(), if reply == "maybe" { 3 } else { 0 });
        assert_eq!(done.observation.data["unjudged"], record.unjudged());
        assert!(record.verdicts.iter().all(|judged| judged.offline));
        let said = match reply {
            "no" => Some(false),
            "Yes." => Some(true),
            _ => None,
        };
        assert!(record.verdicts.iter().all(|judged| judged.model == said));
        let both = record.verdicts.iter().filter_map(|judged| Some((judged.offline, judged.model?)));
        assert_eq!(agreement(both).items, if said.is_some() { 3 } else { 0 });
        assert_eq!(done.reward.0, if passed { 1000 } else { 0 });
    }
    // A model that decides and cannot be read, or gives no answer at all, is the environment's failure and no outcome.
    for broken in [false, true] {
        let mut environment = open(json!({ "judge": "model" }));
        reset(&mut *environment, "s02", 1).await;
        let mut now = environment.call(&call(FINAL_ANSWER, json!({ "answer": "x" }))).await;
        assert!(matches!(now, Ok(Reply::Ask(_))));
        if !broken {
            now = environment.answer("perhaps").await;
            let Ok(Reply::Ask(again)) = &now else { panic!("{now:?}") };
            assert!(again.messages.len() == 4 && again.messages[2].text == "perhaps".into());
            now = environment.answer("Yes.").await;
            assert!(matches!(&now, Ok(Reply::Ask(next)) if next.messages.len() == 2), "mended: {now:?}");
            environment.answer("perhaps").await.unwrap();
            now = environment.answer("who knows").await;
        } else {
            now = environment.unanswered("judge", "refused").await;
        }
        assert!(now.is_err());
        let failure = environment.failure().unwrap().to_string();
        let (why, item) =
            if broken { ("gave no usable answer (refused)", 1) } else { ("said twice neither yes nor no", 2) };
        assert!(failure.starts_with(&format!("unjudged: the judge {why} on item {item} of 3")), "{failure}");
    }
    // With both the offline verdict is used, and the items are counted.
    let mut environment = open(json!({ "judge": "both" }));
    reset(&mut *environment, "s02", 1).await;
    let mut now = environment.call(&call(FINAL_ANSWER, json!({ "answer": "x" }))).await;
    while let Ok(Reply::Ask(_)) = now {
        now = environment.unanswered("judge", "refused").await;
    }
    let Ok(Reply::Step(done)) = now else { panic!("{now:?}") };
    assert_eq!((done.observation.data["unjudged"].as_u64(), environment.failure().is_none()), (Some(3), true));
    // A judge that gives nothing leaves the environment as it was.
    let mut environment = open(json!({ "judge": "model" }));
    reset(&mut *environment, "s01", 1).await;
    let state = environment.state();
    ask(&mut *environment, &call(FINAL_ANSWER, json!({ "answer": "x" }))).await;
    assert_eq!(environment.state(), state);
    assert_eq!(step(&mut *environment, &call(EDGAR_SEARCH, json!({ "query": "x" }))).await.done, None);
    assert!(environment.answer("yes").await.is_err(), "no question is open any more");
}

#[tokio::test]
async fn the_expert_solves_every_question_from_wherever_it_takes_over() {
    let tasks = FinanceAgent.tasks("synthetic", &serde_json::Value::Null).unwrap();
    assert_eq!(tasks.len(), 54);
    let mut draws = Rng::stream(3, "mess");
    for (at, task) in tasks.iter().enumerate() {
        let mut environment = open(json!({ "reader": "extract" }));
        reset(&mut *environment, &task.0, 1).await;
        // Some calls at random first, but no answer.
        let mut left = at % 20;
        while left > 0 {
            let call = environment.decide("random", &mut draws).unwrap();
            if call.tool != FINAL_ANSWER {
                assert_eq!(step(&mut *environment, &call).await.done, None, "{}", environment.render(&call));
                left -= 1;
            }
        }
        let mut calls = at % 20;
        let mut trail = Trail::default();
        let end = loop {
            let call = environment.expert().unwrap().next_call().unwrap();
            calls += 1;
            let step = step(&mut *environment, &call).await;
            trail.follow(&call, EpisodeRecord::before(&step.observation.text));
            if step.done.is_some() {
                break step;
            }
        };
        assert_eq!((end.done, end.reward.0), (Some(EnvironmentStop::Answered), 1000), "{task} after {}", at % 20);
        assert!(calls <= 20);
        if at % 20 == 0 {
            // The journal alone tells the same.
            let asked = question(task, &json!({})).unwrap();
            let record = EpisodeRecord::read(&end.observation.text).unwrap().unwrap();
            assert_eq!(audit(&asked.gold, &asked.rubric, &trail, Some(&asked.answer)), record.audit);
        }
        if at % 20 < 5 {
            let record = EpisodeRecord::read(&end.observation.text).unwrap().unwrap();
            assert_eq!(record.audit.read, record.audit.gold.len(), "{task}");
            assert_eq!(record.audit.recall(), Some(1.0));
        }
        assert!(environment.expert().unwrap().next_call().is_none());
    }
}

#[tokio::test]
async fn the_same_calls_give_the_same_bytes_whatever_port_and_fork() {
    let mut texts: Vec<Vec<String>> = Vec::new();
    for seed in [1, 2] {
        let mut environment = open(json!({ "reader": "extract" }));
        reset(&mut *environment, "s07", seed).await;
        let mut seen = Vec::new();
        loop {
            let call = environment.expert().unwrap().next_call().unwrap();
            let mut fork = environment.simulator().unwrap().fork(99);
            let ahead = step(&mut *fork, &call).await;
            let before = environment.state();
            let now = step(&mut *environment, &call).await;
            assert_ne!(environment.state(), before);
            assert_eq!(
                (&ahead.observation.text, fork.state(), fork.situation()),
                (&now.observation.text, environment.state(), environment.situation())
            );
            seen.push(now.observation.text.clone());
            if now.done.is_some() {
                break;
            }
        }
        texts.push(seen);
    }
    assert_eq!(texts[0], texts[1], "nothing that is seen depends on the seed of the episode");
    assert!(texts[0].iter().all(|text| !text.contains("127.0.0.1") && !text.contains("localhost")));
    insta::assert_snapshot!("episode", texts[0].join("\n----\n"));
}

#[tokio::test]
async fn both_searches_over_filings_show_the_same_documents() {
    let mut api = open(json!({}));
    let mut archive = open(json!({ "search": "archive" }));
    reset(&mut *api, "s01", 1).await;
    reset(&mut *archive, "s01", 1).await;
    for arguments in [
        json!({ "query": "guidance \"gross margin\" -merger", "form_types": ["8-K"], "top_n_results": 30 }),
        json!({ "query": "subsid* OR lease", "start_date": "2024-06-01", "end_date": "2025-12-31", "top_n_results": 100 }),
        json!({ "query": "revenue", "page": 2, "top_n_results": 100 }),
    ] {
        let of = |text: &str| -> Vec<Value> { serde_json::from_str(text).unwrap() };
        let one = of(&said(&mut *api, &call(EDGAR_SEARCH, arguments.clone())).await);
        let two = of(&said(&mut *archive, &call(EDGAR_SEARCH, arguments)).await);
        assert!(!one.is_empty());
        assert_eq!(one, two);
    }
}

#[tokio::test]
async fn suggested_literals_are_refreshed_and_every_one_is_a_legal_call() {
    let mut environment = open(json!({ "reader": "extract" }));
    reset(&mut *environment, "s07", 1).await;
    assert_eq!(environment.choices(PARSE_PAGE, "url").unwrap().len(), 0);
    assert_eq!(environment.choices(EDGAR_SEARCH, "ciks"), None);
    let queries = environment.choices(EDGAR_SEARCH, "query").unwrap().len();
    assert!(queries > 3);
    let expert = environment.expert().unwrap().next_call().unwrap();
    step(&mut *environment, &expert).await;
    let urls: Vec<String> = environment.choices(PARSE_PAGE, "url").unwrap().into_iter().map(String::from).collect();
    assert!(!urls.is_empty());
    step(&mut *environment, &ToolCall::with(PARSE_PAGE, &[("url", &urls[0]), ("key", "10-K")])).await;
    assert_eq!(environment.choices(PARSE_PAGE, "key").unwrap(), ["10-K 2", "10-Q", "8-K", "exhibit", "web page"]);
    let prompt = environment.choices(RETRIEVE, "prompt").unwrap()[0].to_string();
    let read = said(&mut *environment, &ToolCall::with(RETRIEVE, &[("prompt", &prompt)])).await;
    let answers: Vec<String> =
        environment.choices(FINAL_ANSWER, "answer").unwrap().into_iter().map(String::from).collect();
    assert_eq!(answers.len(), 2);
    assert!(read.starts_with(&answers[0][..200]));
    let open_environment = open(json!({ "literals": "open" }));
    assert_eq!(open_environment.choices(EDGAR_SEARCH, "query"), None);
    // What is written is read.
    for call in [ToolCall::with(FINAL_ANSWER, &[("answer", &answers[0])]), expert] {
        assert_eq!(environment.parse(&environment.render(&call)), Ok(call));
    }
}

#[test]
fn options_are_checked_and_written_out() {
    let resolved = FinanceAgent.resolve(&json!({})).unwrap();
    assert_eq!(FinanceAgent.resolve(&resolved).unwrap(), resolved);
    assert_eq!(
        (&resolved["max_calls"], &resolved["chunk_tokens"], &resolved["literals"]),
        (&json!(20), &json!(24000), &json!("suggested"))
    );
    assert_eq!(FinanceAgent.resolve(&json!({ "services": "live" })).unwrap()["literals"], "open");
    let known = FinanceAgent.schema();
    let keys: Vec<&String> = known["properties"].as_object().unwrap().keys().collect();
    assert_eq!(keys, resolved.as_object().unwrap().keys().collect::<Vec<_>>());
    for (options, said) in [
        (json!({ "judges": "model" }), "did you mean `judge`?"),
        (json!({ "judge": "modle" }), "did you mean `model`?"),
        (json!({ "max_calls": 0 }), "from 1 to 1000"),
        (json!({ "served": { "a": "nowhere" } }), "`served` is"),
        (json!({ "api": "sec-api" }), "begins with https://"),
        (json!([]), "expected a map of services, "),
    ] {
        let error = FinanceAgent.resolve(&options).unwrap_err().to_string();
        assert!(error.contains(said), "{error}");
    }
    assert!(FinanceAgent.environment(&resolved).get("judge").is_none());
}

/// What brings no evidence leaves the state: a search that shows nothing new, an error of a tool, a page stored again.
// covers: CYC-099
#[tokio::test]
async fn the_state_is_the_evidence_and_not_the_count_of_calls() {
    let mut environment = open(json!({ "reader": "extract", "max_calls": 12 }));
    reset(&mut *environment, "s01", 1).await;
    let mut states = vec![environment.state()];
    let mut calls = Vec::new();
    // Search, store and read as the expert does, each call twice: the second time brings nothing.
    while let Some(next) = environment.expert().unwrap().next_call().filter(|call| call.tool != FINAL_ANSWER) {
        step(&mut *environment, &next).await;
        let state = environment.state();
        assert!(!states.contains(&state), "{next:?} brings something new");
        step(&mut *environment, &next).await;
        assert_eq!(environment.state(), state, "{next:?} brings nothing the second time");
        states.push(state);
        calls.push(next.tool);
    }
    assert!(calls.len() >= 3, "{calls:?}");
    let state = environment.state();
    let unread = call(RETRIEVE, json!({ "prompt": "{{none}} revenue?" }));
    let mut done = None;
    while done.is_none() {
        done = step(&mut *environment, &unread).await.done;
        assert_eq!(environment.state(), state, "an error of a tool, also with the last call");
    }
}
