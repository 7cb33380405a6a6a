//! A planner with advisers where actions have texts and numbers of their own: what its prompts ask for can be done.
#![allow(clippy::unwrap_used, clippy::expect_used, clippy::print_stdout, missing_docs)]

use crate::common;

use common::{Cell, PROTOCOLS, Tally, tasks};
use gimbal_core::Catalogue;
use gimbal_finance_agent::FinanceAgent;
use gimbal_textcraft::environment::TextCraft;
use gimbal_triage::Triage;
use serde_json::json;

/// Environments whose lists of actions are examples, with a split and whether its tasks can be won for certain.
fn open_environments() -> [(Box<dyn Catalogue>, &'static str, bool); 3] {
    [
        (Box::new(TextCraft), "depth-3-test", true),
        (Box::new(FinanceAgent), "synthetic", true),
        (Box::new(Triage), "dev", false),
    ]
}

const TASKS: usize = 3;

fn hierarchy(protocol: &'static str, constrained: bool) -> Cell {
    Cell::new("hierarchy", json!({ "configuration": "hier-base" }), protocol, constrained)
}

/// A reader that keeps to the rules of its prompt asks its adviser in every step, takes what is suggested, and wins by that.
// covers: BOG-060, BOG-067
#[tokio::test]
async fn a_planner_takes_the_actions_that_its_adviser_suggests() {
    for (environment, split, is_won) in open_environments() {
        for protocol in PROTOCOLS {
            for constrained in [false, true] {
                let cell = hierarchy(protocol, constrained);
                let mut tally = Tally::default();
                for (seed, task) in tasks(&*environment, split, &json!({}), TASKS).iter().enumerate() {
                    let played = cell.play(&*environment, &json!({}), task, seed as u64).await;
                    if std::env::var("READER_STORY").is_ok() {
                        println!("{}", played.story());
                    }
                    let name = format!("{split} {}", cell.name());
                    assert_eq!(played.notes("off_menu"), [""; 0], "{name}");
                    let read = played.notes("parsed");
                    assert!(!read.is_empty(), "{name}: nobody was asked");
                    assert!(read.iter().all(|note| note.contains("direct")), "{name}: {read:?}");
                    tally.add(&played);
                }
                println!("{split} {}: {}", cell.name(), tally.line());
                assert_eq!((tally.rejected, tally.fallbacks, tally.lacks), (0, 0, 0), "{split} {}", cell.name());
                assert!(!is_won || tally.won == TASKS, "{split} {}: {}", cell.name(), tally.line());
            }
        }
    }
}

/// What the expert says in each role can be written under a mask: it does the same there as free.
// covers: BOG-067, BOG-068
#[tokio::test]
async fn an_expert_with_advisers_does_the_same_free_and_under_a_mask() {
    for (environment, split, is_won) in open_environments() {
        for protocol in PROTOCOLS {
            let mut all = Vec::new();
            for constrained in [false, true] {
                let cell = hierarchy(protocol, constrained);
                let mut tally = Tally::default();
                for (seed, task) in tasks(&*environment, split, &json!({}), TASKS).iter().enumerate() {
                    tally.add(&cell.play_as("noisy/1.0", &*environment, &json!({}), task, seed as u64).await);
                }
                println!("{split} {}: {}", cell.name(), tally.line());
                assert_eq!((tally.rejected, tally.fallbacks), (0, 0), "{split} {}", cell.name());
                assert!(!is_won || tally.won == TASKS, "{split} {}: {}", cell.name(), tally.line());
                all.push(tally.won);
            }
            assert_eq!(all[0], all[1], "{split} {protocol}");
        }
    }
}

/// The work's own prompt tells a chooser no goal and to copy from the list. Its mask lets it write what an agent could, and who asks gets an answer.
// covers: BOG-067, BOG-068
#[tokio::test]
async fn the_strict_chooser_can_be_played_in_every_form() {
    for (environment, split, _) in open_environments() {
        for protocol in PROTOCOLS {
            for player in ["noisy/1.0", common::READER] {
                let settings = json!({ "configuration": "hier-base", "strict": true });
                let cell = Cell::new("hierarchy", settings, protocol, true);
                let mut tally = Tally::default();
                for (seed, task) in tasks(&*environment, split, &json!({}), TASKS).iter().enumerate() {
                    tally.add(&cell.play_as(player, &*environment, &json!({}), task, seed as u64).await);
                }
                println!("{split} {player} {}: {}", cell.name(), tally.line());
                assert_eq!((tally.rejected, tally.fallbacks), (0, 0), "{split} {player} {}", cell.name());
                assert!(tally.won > 0, "{split} {player} {}: {}", cell.name(), tally.line());
            }
        }
    }
}
