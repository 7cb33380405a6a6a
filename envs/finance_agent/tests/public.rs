//! The public questions, where they are at hand.
#![allow(clippy::unwrap_used, clippy::expect_used, clippy::print_stdout, missing_docs)]

use crate::common;

use std::collections::BTreeMap;

use common::{open, reference, reset};
use gimbal_core::Catalogue;
use gimbal_finance_agent::FinanceAgent;
use gimbal_finance_agent::judge::{offline, passed, share};
use gimbal_finance_agent::number::{Figure, figures};
use gimbal_finance_agent::questions::{Kind, load};
use gimbal_finance_agent::rubric::Operator;
use gimbal_finance_agent::split::split;
use serde_json::{Value, json};

// covers: CYC-037
#[test]
fn both_editions_load_whole() {
    let Some(folder) = reference() else { return };
    for (edition, correctness) in [("2025-09", 191), ("2026-02", 200)] {
        let questions = load(&folder.join(format!("public_{edition}.csv"))).unwrap();
        assert_eq!(questions.len(), 50);
        let mut kinds: BTreeMap<Kind, usize> = BTreeMap::new();
        let mut operators: BTreeMap<Operator, usize> = BTreeMap::new();
        for question in &questions {
            *kinds.entry(question.kind).or_default() += 1;
            for item in question.rubric.as_ref().unwrap() {
                *operators.entry(item.operator).or_default() += 1;
            }
        }
        let counts: Vec<usize> = Kind::ALL.iter().map(|kind| kinds[kind]).collect();
        assert_eq!(counts, [9, 9, 8, 7, 4, 4, 3, 3, 3]);
        assert_eq!((operators[&Operator::Correctness], operators[&Operator::Contradiction]), (correctness, 50));
    }
}

// covers: CYC-040
#[test]
fn the_split_is_the_works() {
    let (train, test) = split(50);
    assert_eq!((train.len(), test.len()), (15, 35));
    // As Python's own generator shuffles them.
    assert_eq!(train, [25, 23, 19, 11, 4, 45, 26, 9, 29, 16, 31, 21, 12, 3, 39]);
    let Some(folder) = reference() else { return };
    let text = std::fs::read_to_string(folder.parent().unwrap().join("splits.json")).unwrap();
    let splits: Value = serde_json::from_str(&text).unwrap();
    let cases = splits["cases"].as_object().unwrap();
    let (_, case) = cases.iter().find(|(_, case)| case["n"] == 50).expect("the case of fifty");
    let numbers = |name: &str| -> Vec<usize> { serde_json::from_value(case[name].clone()).unwrap() };
    assert_eq!((train, test), (numbers("train"), numbers("test")));
}

/// The judge has to pass every reference answer, and nobody else's.
// covers: CYC-037
#[test]
fn reference_answers_pass_and_those_of_other_questions_fail() {
    let Some(folder) = reference() else { return };
    for edition in ["2025-09", "2026-02"] {
        let questions = load(&folder.join(format!("public_{edition}.csv"))).unwrap();
        let (mut own, mut items, mut of, mut strangers) = (0, 0, 0, 0);
        for question in &questions {
            let rubric = question.rubric.as_ref().unwrap();
            let verdicts = offline(&question.text, rubric, &question.answer);
            own += usize::from(passed(&verdicts));
            items += verdicts.iter().filter(|verdict| verdict.passed).count();
            of += verdicts.len();
            for verdict in verdicts.iter().filter(|verdict| !verdict.passed) {
                println!(
                    "{edition} fails: {} | {:?} | {}",
                    question.text.chars().take(60).collect::<String>(),
                    verdict.criteria,
                    verdict.why
                );
            }
            for other in questions.iter().filter(|other| other.text != question.text) {
                if passed(&offline(&question.text, rubric, &other.answer)) {
                    strangers += 1;
                    println!("{edition} stranger: {} | {}", question.answer, other.answer);
                }
            }
            assert!(share(&offline(&question.text, rubric, "")).unwrap() < 1000);
        }
        println!(
            "{edition}: {own} of 50 reference answers pass, {items} of {of} items; {strangers} of 2450 answers of others pass"
        );
        assert!(own >= 47, "{own}");
        assert!(items * 100 >= of * 98, "{items} of {of}");
        assert_eq!(strangers, 0);
        // With its figures changed no reference answer passes.
        for question in &questions {
            let rubric = question.rubric.as_ref().unwrap();
            let wanted: Vec<Figure> =
                rubric.iter().flat_map(|item| figures(&item.criteria)).filter(|figure| figure.digits() >= 3).collect();
            let changed = common::with_other_figures(&question.answer);
            if !wanted.is_empty() && changed != question.answer {
                assert!(!passed(&offline(&question.text, rubric, &changed)), "{changed}");
            }
        }
    }
}

#[tokio::test]
async fn public_questions_are_played_where_a_table_is_named() {
    let Some(folder) = reference() else { return };
    let table = folder.join("public_2026-02.csv");
    let mut environment = open(json!({ "questions": table.display().to_string() }));
    let first = reset(&mut *environment, "q01", 1).await;
    assert!(first.text.ends_with('?') && environment.brief().goal == first.text);
    assert!(
        environment
            .reset(&gimbal_core::TaskId("q51".to_owned()), 1)
            .await
            .unwrap_err()
            .to_string()
            .contains("q01 to q50")
    );
}

#[tokio::test]
async fn a_bad_rubric_is_the_datas_and_named_when_it_is_played() {
    let folder = tempfile::tempdir().unwrap();
    let path = folder.path().join("own.csv");
    let text = "Question,Answer,Question Type,Expert time (mins),Rubric\nGood?,5%,Trends,1,\"[{'operator': 'correctness', 'criteria': '5%'}]\"\nBad?,5%,Trends,1,\"[{'operator'\"\n";
    std::fs::write(&path, text).unwrap();
    let mut environment = open(json!({ "questions": path.display().to_string() }));
    reset(&mut *environment, "q01", 1).await;
    let error = environment.reset(&gimbal_core::TaskId("q02".to_owned()), 1).await.unwrap_err();
    assert!(matches!(error, gimbal_core::EnvError::Data(_)));
    assert_eq!(error.to_string(), "own.csv: row 3, column `Rubric`, character 13: the text ends where `:` is missing");
    // A table that is not there.
    let mut environment = open(json!({ "questions": folder.path().join("none.csv").display().to_string() }));
    let error = environment.reset(&gimbal_core::TaskId("q01".to_owned()), 1).await.unwrap_err();
    assert!(error.to_string().contains("none.csv: cannot be read"));
}

#[test]
fn tasks_and_splits_have_stable_names() {
    let names = |split: &str| -> Vec<String> {
        FinanceAgent.tasks(split, &serde_json::Value::Null).unwrap().into_iter().map(|task| task.0).collect()
    };
    assert_eq!(names("synthetic")[..3], ["s01", "s02", "s03"]);
    let (train, test) = (names("synthetic-train"), names("synthetic-test"));
    assert_eq!((train.len(), test.len()), (16, 38));
    assert!(train.iter().all(|task| !test.contains(task)));
    let error = FinanceAgent.tasks("tset", &serde_json::Value::Null).unwrap_err().to_string();
    assert!(error.contains("did you mean `test`?"), "{error}");
    if std::env::var_os("GIMBAL_DATA").is_none() {
        let error = FinanceAgent.tasks("test", &serde_json::Value::Null).unwrap_err();
        assert!(
            matches!(error, gimbal_core::EnvError::Data(_))
                && error
                    .to_string()
                    .contains("are not at hand: set GIMBAL_DATA to the folder that holds finance_agent/"),
            "{error}"
        );
    }
}

// covers: CYC-037
#[test]
fn the_tasks_are_those_of_the_table_that_an_option_names() {
    let folder = tempfile::tempdir().unwrap();
    let path = folder.path().join("own.csv");
    let mut text = "Question,Answer,Question Type,Expert time (mins),Rubric\n".to_owned();
    for number in 1..=3 {
        text.push_str(&format!(
            "Question {number}?,5%,Trends,1,\"[{{'operator': 'correctness', 'criteria': '5%'}}]\"\n"
        ));
    }
    std::fs::write(&path, text).unwrap();
    let resolved = FinanceAgent.resolve(&json!({ "questions": path.display().to_string() })).unwrap();
    let names = |split: &str| -> Vec<String> {
        FinanceAgent.tasks(split, &resolved).unwrap().into_iter().map(|task| task.0).collect()
    };
    assert_eq!(names("all"), ["q01", "q02", "q03"]);
    assert_eq!(names("train").len() + names("test").len(), 3);
    assert_eq!(names("synthetic").len(), 54);
}
