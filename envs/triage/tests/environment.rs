//! The environment behind its seams.

use std::collections::BTreeSet;

use gimbal_core::stop::EnvironmentStop;
use gimbal_core::{Catalogue, Milli, Questions, RejectionKind, TaskId, ToolCall, legal_calls};
use gimbal_evidence::Marking;
use gimbal_evidence::judge::Verdict;
use gimbal_triage::Triage;
use gimbal_triage::corpus::Corpus;
use serde_json::json;

use crate::play::{act, begin, conclude, marking, said, tasks};

const TASK: &str = "SC-001";

// covers: ARES-001
#[test]
fn an_episode_is_seen_through_six_tools_and_ends_with_the_verdict() {
    let (mut environment, first) = begin(TASK, &json!({}));
    let mut story = first.text.clone();
    for (tool, arguments) in [
        ("overview", &[][..]),
        ("list_facts", &[("class", "logon")][..]),
        ("list_facts", &[("class", "logons")]),
        ("show_fact", &[("id", "F003")]),
        ("show_fact", &[("id", "F999")]),
        ("show_entity", &[("name", "198.51.100.23")]),
        ("show_entity", &[("name", "address:198.51.100.99")]),
        ("show_path", &[("from", "address:198.51.100.23"), ("to", "host:gate02")]),
    ] {
        let call = ToolCall::with(tool, arguments);
        let text = said(&mut *environment, tool, arguments);
        story.push_str(&format!("\n\n>>> {}\n{text}", environment.render(&call)));
    }
    insta::assert_snapshot!(story);
}

// covers: ARES-008
#[test]
fn a_verdict_cites_only_what_the_packet_has() {
    let (mut environment, _) = begin(TASK, &json!({}));
    let before = environment.state();
    for (call, kind, message) in [
        (
            conclude("THREAT_CONFIRMED", 90, "F001 F999"),
            RejectionKind::BadValue,
            "the packet has no fact F999; its facts are F001 to F",
        ),
        (conclude("THREAT_CONFIRMED", 90, "F001, logs"), RejectionKind::BadValue, "no fact logs"),
        (conclude("THREAT_CONFIRMED", 90, ""), RejectionKind::BadValue, "needs at least one fact"),
        (
            conclude("CONFIRMED", 90, "F001"),
            RejectionKind::BadValue,
            "known: THREAT_CONFIRMED, THREAT_DISMISSED, INCONCLUSIVE",
        ),
        (conclude("INCONCLUSIVE", 150, ""), RejectionKind::BadValue, "percent from 0 to 100"),
        (ToolCall::with("conclude", &[("verdict", "INCONCLUSIVE")]), RejectionKind::MissingArgument, "`confidence`"),
        (ToolCall::with("show_fact", &[("fact", "F001")]), RejectionKind::UnknownArgument, "its arguments are: id"),
        (ToolCall::with("dismiss", &[]), RejectionKind::UnknownTool, "known: overview"),
    ] {
        let rejection = act(&mut *environment, &call).unwrap_err();
        assert!(rejection.kind == kind && rejection.message.contains(message), "{call:?}: {rejection:?}");
    }
    let every: Vec<String> = (1..=21).map(|number| format!("F{number:03}")).collect();
    let rejection = act(&mut *environment, &conclude("INCONCLUSIVE", 50, &every.join(" "))).unwrap_err();
    assert!(rejection.message.contains("at most 20"), "{rejection:?}");
    assert_eq!(environment.state(), before, "a rejection changes nothing");
    // Ids in other spellings are the same facts.
    let end = act(&mut *environment, &conclude("threat confirmed", 85, "f1, F001 and F2")).unwrap();
    let marked = marking(&end);
    assert_eq!(marked.cited.iter().map(ToString::to_string).collect::<Vec<_>>(), ["F001", "F002"]);
    assert_eq!((marked.given, marked.confidence), (Some(Verdict::ThreatConfirmed), Some(Milli(850))));
    assert_eq!((end.reward, end.done), (Milli(1000), Some(EnvironmentStop::Answered)));
    assert_eq!(act(&mut *environment, &ToolCall::bare("overview")).unwrap_err().kind, RejectionKind::NotNow);
}

// covers: ARES-071, ARES-077
#[test]
fn the_expert_gives_the_expected_verdict_and_the_marking_says_what_counts() {
    let corpus = Corpus::built_in().unwrap();
    for task in tasks() {
        let (mut environment, _) = begin(&task, &json!({}));
        let mut steps = 0;
        let end = loop {
            let call = environment.expert().unwrap().next_call().unwrap();
            let step = act(&mut *environment, &call).unwrap();
            steps += 1;
            if step.done.is_some() {
                break step;
            }
        };
        let (marked, scenario) = (marking(&end), corpus.scenario(&task).unwrap());
        assert!(steps <= 4 && end.reward == Milli(1000) && marked.is_right(), "{task}: {marked:?}");
        assert_eq!((marked.expected, marked.supported), (scenario.expected, scenario.expected), "{task}");
        assert_eq!((marked.tier.as_str(), marked.scenario.as_str()), (scenario.tier.name(), task.as_str()));
        let counting: BTreeSet<_> = marked.decisive.iter().chain(&marked.explaining).collect();
        assert!(marked.cited.iter().all(|id| counting.contains(id)), "{task}: {marked:?}");
        assert_eq!(marked.corpus, scenario.digest().unwrap());
    }
}

#[test]
fn an_episode_without_a_verdict_ends_with_its_last_call_and_says_so() {
    let (mut environment, first) = begin(TASK, &json!({ "max_calls": 2 }));
    assert!(first.text.ends_with("There are 2 calls in all, the one that gives the verdict included."));
    let step = act(&mut *environment, &ToolCall::bare("overview")).unwrap();
    assert!(step.done.is_none() && step.observation.text.ends_with("One call is left: give your verdict with it."));
    let end = act(&mut *environment, &ToolCall::with("show_fact", &[("id", "F001")])).unwrap();
    assert_eq!((end.reward, end.done), (Milli::ZERO, Some(EnvironmentStop::Horizon)));
    let marked = marking(&end);
    assert!(marked.given.is_none() && !marked.is_right());
    assert!(Marking::before(&end.observation.text).starts_with("F001 "));
}

#[test]
fn a_hasty_expert_concludes_with_its_last_call() {
    let (environment, _) = begin(TASK, &json!({ "max_calls": 1 }));
    assert_eq!(environment.expert().unwrap().next_call().unwrap().tool, "conclude");
}

#[test]
fn texts_are_the_inverse_of_legal_calls_and_every_legal_call_is_accepted() {
    let (environment, _) = begin(TASK, &json!({}));
    let calls = legal_calls(&*environment, 1000);
    assert!(calls.len() > 30 && calls.len() < 300, "{}", calls.len());
    let tools: BTreeSet<&str> = calls.iter().map(|call| call.tool.as_str()).collect();
    assert_eq!(tools.len(), 6, "{tools:?}");
    assert!(calls.contains(&environment.brief().idle) || environment.brief().idle.string("facts") == Some(""));
    for call in &calls {
        let text = environment.render(call);
        assert_eq!(environment.parse(&text).as_ref(), Ok(call), "{text}");
        let mut other = environment.simulator().unwrap().fork(1);
        act(&mut *other, call).unwrap();
    }
}

#[test]
fn what_is_shown_twice_leaves_the_state_and_another_fact_changes_it() {
    let (mut environment, _) = begin(TASK, &json!({}));
    said(&mut *environment, "show_fact", &[("id", "F001")]);
    let once = environment.state();
    said(&mut *environment, "show_fact", &[("id", "F001")]);
    assert_eq!(environment.state(), once);
    said(&mut *environment, "show_fact", &[("id", "F002")]);
    assert_ne!(environment.state(), once);
}

// covers: ARES-R3
#[test]
fn resolved_options_name_the_corpus_and_another_one_is_refused() {
    let resolved = Triage.resolve(&json!({})).unwrap();
    assert!(resolved["corpus_digest"].is_string(), "{resolved}");
    assert_eq!(Triage.resolve(&resolved).unwrap(), resolved);
    assert_eq!(Triage.environment(&resolved), json!({}), "seeds do not depend on labels");
    let folder = tempfile::tempdir().unwrap();
    std::fs::create_dir(folder.path().join("own")).unwrap();
    let text = include_str!("../scenarios/dev/ssh_guessing/scenario.yaml");
    let file = folder.path().join("own/scenario.yaml");
    std::fs::write(&file, text.replace("label_version: 1", "label_version: 2")).unwrap();
    let options = json!({ "corpus": folder.path().to_str().unwrap() });
    let own = Triage.resolve(&options).unwrap();
    assert_ne!(own["corpus_digest"], resolved["corpus_digest"]);
    assert!(!Triage.tasks("dev", &own).unwrap().is_empty());
    std::fs::write(&file, text.replace("difficulty: 1", "difficulty: 3")).unwrap();
    let error = Triage.tasks("dev", &own).unwrap_err().to_string();
    assert!(error.contains("labels and raw data do not change under a run"), "{error}");
    assert_ne!(
        Triage.resolve(&options).unwrap()["corpus_digest"],
        own["corpus_digest"],
        "an edited corpus is another one"
    );
}

#[test]
fn names_that_do_not_exist_are_errors_with_what_would_be_right() {
    let error = |result: Result<Vec<TaskId>, gimbal_core::EnvError>| result.unwrap_err().to_string();
    assert!(error(Triage.tasks("tset", &json!({}))).contains("did you mean `test`?"));
    assert!(error(Triage.tasks("dev", &json!({ "corpus": "nowhere" }))).contains("nowhere"));
    let mut environment = Triage.open(&json!({})).unwrap();
    let unknown = crate::play::now(environment.reset(&TaskId("SC-0001".to_owned()), 1)).unwrap_err().to_string();
    assert!(unknown.contains("did you mean `SC-001`?"), "{unknown}");
    assert!(Triage.resolve(&json!({ "max_fact": 3 })).unwrap_err().to_string().contains("did you mean `max_facts`?"));
}

#[test]
fn parts_are_disjoint_and_their_splits_list_tasks_of_one_tier() {
    let corpus = Corpus::built_in().unwrap();
    let mut seen = BTreeSet::new();
    for part in Triage.parts() {
        for task in Triage.tasks(part.split, &json!({})).unwrap() {
            assert_eq!(corpus.scenario(&task.0).unwrap().tier.name(), part.set);
            assert!(seen.insert(task.clone()), "{task} is in two parts");
        }
    }
    let both = ["dev", "test"].map(|split| Triage.tasks(split, &json!({})).unwrap().len());
    assert_eq!(seen.len(), both.iter().sum::<usize>());
}

// covers: ARES-R5
#[test]
fn stored_verdicts_are_judged_again_and_shown_facts_are_followed() {
    let questions = Catalogue::questions(&Triage).unwrap();
    let options = Triage.resolve(&json!({})).unwrap();
    let exam = questions.exam(&TaskId(TASK.to_owned()), &options).unwrap();
    assert_eq!(exam.items().len(), 1);
    assert_eq!(exam.offline("THREAT_CONFIRMED"), [true]);
    assert_eq!(exam.offline("INCONCLUSIVE"), [false]);
    assert!(exam.ask(0, "THREAT_CONFIRMED").is_none());
    let call = conclude("INCONCLUSIVE", 50, "");
    assert_eq!(Questions::answer_of(&Triage, &call), Some("INCONCLUSIVE"));
    let (mut environment, first) = begin(TASK, &options);
    let mut follower = questions.follower();
    follower.follow(&ToolCall::bare("overview"), &first.text);
    let before = follower.evidence().len();
    assert!(before > 10);
    let end = act(&mut *environment, &call).unwrap();
    follower.follow(&call, &end.observation.text);
    assert_eq!(follower.evidence().len(), before);
    let play = exam.at_play(&end.observation.text).unwrap().unwrap();
    assert_eq!((play.passed, play.items), (false, vec![Some(false)]));
    let unanswered = exam.unanswered(&follower.evidence()).unwrap();
    assert_eq!(Marking::read(&unanswered).unwrap().given, None);
}

/// A request states one bound for all texts of calls, the longest one: each of them must have it.
// covers: CYC-036
#[test]
fn texts_of_calls_have_one_bound() {
    let specs = gimbal_triage::tools::specs();
    let bounds: std::collections::BTreeSet<u64> = specs
        .iter()
        .flat_map(|spec| spec.parameters["properties"].as_object().unwrap().values())
        .filter(|schema| schema["type"] == "string" && schema.get("pattern").is_none() && schema.get("enum").is_none())
        .map(|schema| schema["maxLength"].as_u64().unwrap())
        .collect();
    assert_eq!(bounds, [512].into());
}
