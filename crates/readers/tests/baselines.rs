//! Reflector, proposer and valuer played by readers: what their requests say is enough to answer in every form.
#![allow(clippy::unwrap_used, clippy::expect_used, clippy::print_stdout, missing_docs)]

use crate::common;

use common::{Cell, Played, Tally, tasks};
use gimbal_alfworld::Alfworld;
use gimbal_cage2::environment::Cage2;
use gimbal_core::{Catalogue, Speaker};
use gimbal_finance_agent::FinanceAgent;
use gimbal_textcraft::environment::TextCraft;
use gimbal_triage::Triage;
use serde_json::{Value, json};

/// Plays the first tasks of a split; every message is read as it was written, and nothing is missing.
async fn tally(cell: &Cell, environment: &dyn Catalogue, options: &Value, (split, count): (&str, usize)) -> Tally {
    let mut tally = Tally::default();
    for (seed, task) in tasks(environment, split, options, count).iter().enumerate() {
        let played = cell.play(environment, options, task, seed as u64).await;
        plain(&played, &format!("{} on {task}", cell.name()));
        tally.add(&played);
    }
    println!("{} {split}: {}", cell.name(), tally.line());
    tally
}

fn plain(played: &Played, what: &str) {
    let lacks = played.notes("prompt_lacks");
    assert!(lacks.is_empty(), "{what}: {lacks:?}\n{}", played.story());
    let read = played.notes("parsed");
    assert!(!read.is_empty() && read.iter().all(|one| one.contains("\"direct\"")), "{what}: {read:?}");
    assert_eq!((played.outcome.rejected, played.outcome.fallbacks), (0, 0), "{what}: {:?}", played.refusals());
}

/// A search whose actions are free text proposes several under a mask too, one for each request, and ends with an answer.
// covers: CTHA-131
#[tokio::test]
async fn a_search_among_filings_ends_with_an_answer_in_every_form() {
    for cell in Cell::all("lats", &json!({})) {
        let found = tally(&cell, &FinanceAgent, &json!({}), ("synthetic", 1)).await;
        assert_eq!(found.won, found.episodes, "{}: {}", cell.name(), found.line());
    }
}

/// With as many simulated steps as a task has, a search by a player that knows its next step follows it through branches.
// covers: CTHA-131
#[tokio::test]
async fn a_search_wins_crafting_and_household_tasks_in_every_form() {
    let settings = json!({ "iterations": 3, "depth": 3 });
    for cell in Cell::all("lats", &settings) {
        let found = tally(&cell, &TextCraft, &Value::Null, ("depth-2-test", 3)).await;
        assert_eq!(found.won, found.episodes, "{}: {}", cell.name(), found.line());
        let options = json!({ "tools": "split" });
        let found = tally(&cell, &Alfworld::over(None), &options, ("generated", 2)).await;
        assert_eq!(found.won, found.episodes, "{}: {}", cell.name(), found.line());
    }
}

// covers: CTHA-131
#[tokio::test]
async fn a_search_defends_a_network_in_every_form() {
    let options = json!({ "horizon": 6 });
    for settings in
        [json!({ "iterations": 2 }), json!({ "proposals": "apart", "values": "apart", "width": 2, "iterations": 1 })]
    {
        for cell in Cell::all("lats", &settings) {
            tally(&cell, &Cage2, &options, ("train", 1)).await;
        }
    }
}

/// A branch knows whether a verdict is right; nobody is told.
// covers: CTHA-131
#[tokio::test]
async fn what_an_answer_is_worth_stands_in_no_request_and_no_record_of_a_search() {
    let cell = &Cell::all("lats", &json!({ "iterations": 2 }))[0];
    for (seed, task) in tasks(&Triage, "dev", &json!({}), 6).iter().enumerate() {
        let (played, asked) = cell.requests(&Triage, &json!({}), (task, seed as u64), false).await;
        let expanded = played.notes("expanded");
        for one in expanded.iter().filter(|one| one.contains("\"answered\"") || one.contains("an answer is given")) {
            let one: Value = serde_json::from_str(one).unwrap();
            let answered =
                one["tried"].as_array().unwrap().iter().filter(|tried| tried["ended"] == "an answer is given");
            assert!(
                answered.clone().count() > 0 && answered.clone().all(|tried| tried.get("reward").is_none()),
                "{one}"
            );
        }
        for one in &asked {
            let shown = one.request.messages.iter().filter(|message| message.speaker == Speaker::User);
            let text: String = shown.map(|message| message.text.to_string()).collect();
            let answers = text.contains("\"ended\": \"an answer is given\"");
            assert!(!answers || !text.contains("\"reward\""), "{text}");
        }
    }
}

/// A session of trials that fail: each later one begins with a reflection, in every form.
// covers: CTHA-131
#[tokio::test]
async fn a_reflector_answers_in_every_form_and_its_notes_stand_in_the_next_trial() {
    let mut settings = common::solver();
    // Too few calls to reach anything.
    settings["global_calls"] = json!(4);
    for cell in Cell::all("reflexion", &settings) {
        let task = tasks(&TextCraft, "depth-4-test", &Value::Null, 1).remove(0);
        let played = cell.trials(&TextCraft, &Value::Null, (&task, 3), 3).await;
        for (trial, one) in played.iter().enumerate() {
            let what = format!("{} trial {trial}", cell.name());
            assert!(one.notes("prompt_lacks").is_empty(), "{what}: {:?}", one.notes("prompt_lacks"));
            let reflected = one.notes("reflected");
            assert_eq!(reflected.len(), trial.min(1), "{what}");
            assert!(reflected.iter().all(|note| note.contains("\"text\":\"")), "{what}: {reflected:?}");
            assert!(one.notes("parsed").iter().all(|read| read.contains("\"direct\"")), "{what}");
            assert!(trial == 0 || one.story().contains("- After attempt 1: "), "{what}");
        }
    }
}
