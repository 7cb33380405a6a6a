//! Questions about filings: what a request says is enough to answer.
#![allow(clippy::unwrap_used, clippy::expect_used, clippy::print_stdout, missing_docs)]

use crate::common;

use common::{Cell, Tally, controllers, solver, tasks};
use gimbal_finance_agent::FinanceAgent;
use serde_json::json;

#[tokio::test]
async fn a_solver_answers_in_every_form() {
    let options = json!({});
    for cell in Cell::all("react", &solver()) {
        let mut tally = Tally::default();
        for (seed, task) in tasks(&FinanceAgent, "synthetic", &options, 27).iter().enumerate() {
            let played = cell.play(&FinanceAgent, &options, task, seed as u64).await;
            if !played.won() && std::env::var("READER_STORY").is_ok() {
                println!("{}", played.story());
            }
            tally.add(&played);
        }
        println!("{}: {}", cell.name(), tally.line());
        assert!(tally.rate() >= 0.8, "{}: {}", cell.name(), tally.line());
        assert_eq!((tally.rejected, tally.fallbacks, tally.lacks), (0, 0, 0), "{}", cell.name());
    }
}

// covers: CYC-080, CYC-083
#[tokio::test]
async fn controllers_answer_with_every_exposure() {
    let options = json!({});
    for (name, base, settings) in controllers() {
        let (mut won, mut all) = (0, 0);
        for (at, cell) in Cell::all(base, &settings).into_iter().enumerate() {
            let mut tally = Tally::default();
            for (seed, task) in tasks(&FinanceAgent, "synthetic", &options, 54).iter().skip(at * 9).take(9).enumerate()
            {
                let played = cell.play(&FinanceAgent, &options, task, seed as u64).await;
                if !played.won() && std::env::var("READER_STORY").is_ok() {
                    println!("{}", played.story());
                }
                tally.add(&played);
            }
            println!("{name}, {}: {}", cell.name(), tally.line());
            assert_eq!((tally.rejected, tally.fallbacks, tally.lacks), (0, 0, 0), "{name}, {}", cell.name());
            won += tally.won;
            all += tally.episodes;
        }
        // A fixed order cannot go back for a document; whoever can go back answers all, under a mask too.
        let least = if base == "dag" { all * 2 / 3 } else { all };
        assert!(won >= least, "{name}: {won} of {all}");
    }
}

/// Named configurations of agents that decide afresh in every step, and the share of questions that a careful player answers with each. What is
/// stored is in the status alone: without it the first document is stored again and again.
const AFRESH: [(&str, f64); 5] =
    [("hist+net", 0.9), ("obs+hist+net", 0.9), ("+improve", 0.9), ("network", 0.9), ("obs", 0.0)];

// covers: BOG-130
#[tokio::test]
async fn planners_answer_with_what_their_contexts_hold() {
    let options = json!({});
    for (configuration, least) in AFRESH {
        let mut all = Tally::default();
        for (at, cell) in Cell::all("react", &json!({ "configuration": configuration })).into_iter().enumerate() {
            for (seed, task) in tasks(&FinanceAgent, "synthetic", &options, 54).iter().skip(at * 6).take(6).enumerate()
            {
                let played = cell.play(&FinanceAgent, &options, task, seed as u64).await;
                if !played.won() && std::env::var("READER_STORY").is_ok() {
                    println!("{}", played.story());
                }
                all.add(&played);
            }
        }
        println!("{configuration}: {}", all.line());
        assert!(all.rate() >= least, "{configuration}: {}", all.line());
    }
}
