//! The layers of a temporal hierarchy played by readers: what they are shown, and what they can write under a mask.
#![allow(clippy::unwrap_used, clippy::expect_used, clippy::print_stdout, missing_docs)]

use crate::common;

use common::{Asked, Cell, Tally, tasks};
use gimbal_cage2::environment::Cage2;
use gimbal_core::{Catalogue, Grammar, Speaker};
use gimbal_finance_agent::FinanceAgent;
use gimbal_textcraft::environment::TextCraft;
use serde_json::{Value, json};

const DEPTHS: [&str; 3] = ["depth-2-test", "depth-3-test", "depth-4-test"];
const TASKS: usize = 4;

async fn won(cell: &Cell, split: &str) -> usize {
    let mut tally = Tally::default();
    for (seed, task) in tasks(&TextCraft, split, &Value::Null, TASKS).iter().enumerate() {
        tally.add(&cell.play(&TextCraft, &Value::Null, task, seed as u64).await);
    }
    println!("{} {split}: {}", cell.name(), tally.line());
    assert_eq!((tally.rejected, tally.lacks), (0, 0), "{} {split}: {}", cell.name(), tally.line());
    tally.won
}

/// Amounts that no list names can be written under a mask: layers win what an agent on its own wins that is shown the same.
// covers: CTHA-063
#[tokio::test]
async fn layers_win_crafting_tasks_in_every_form_as_one_agent_does() {
    let alone = json!({ "layers": 1, "context": ["observation", "status"] });
    for split in DEPTHS {
        let one = won(&Cell::all("temporal", &alone)[0], split).await;
        for cell in Cell::all("temporal", &json!({ "configuration": "ctha" })) {
            let layers = won(&cell, split).await;
            assert!(layers >= one && layers > 0, "{} {split}: {layers} of {TASKS}, alone {one}", cell.name());
        }
    }
}

fn layer(one: &Asked) -> &str {
    let system = one.request.messages.first().map(|message| &*message.text).unwrap_or_default();
    let named = system.split("You are the layer ").nth(1).unwrap_or_default();
    named.split(' ').next().unwrap_or_default()
}

fn told(one: &Asked) -> String {
    let told = one.request.messages.iter().filter(|message| message.speaker != Speaker::Assistant);
    told.map(|message| message.text.to_string()).collect::<Vec<_>>().join("\n")
}

/// An agent on its own is not shown the whole first observation of a network, and neither is a layer. Under a mask no layer is offered a name that
/// it was not shown.
// covers: CTHA-131
#[tokio::test]
async fn layers_are_shown_what_an_agent_on_its_own_is_shown() {
    let options = json!({ "horizon": 8 });
    let task = tasks(&Cage2, "train", &options, 1).remove(0);
    let subjects = Cage2.open(&options).unwrap().brief().subjects.clone();
    for contracts in [true, false] {
        let rest =
            if contracts { json!({}) } else { json!({ "contracts": false, "authority": false, "arbiter": "last" }) };
        let mut settings = json!({ "layers": 5 });
        settings.as_object_mut().unwrap().extend(rest.as_object().unwrap().clone());
        for cell in Cell::all("temporal", &settings) {
            let (_, asked) = cell.requests(&Cage2, &options, (&task, 3), false).await;
            let mut longest = std::collections::BTreeMap::<String, usize>::new();
            for one in asked.iter().filter(|one| !layer(one).is_empty()) {
                let told = told(one);
                assert!(!told.contains("<first_observation>"), "{}: {}", cell.name(), layer(one));
                let most = longest.entry(layer(one).to_owned()).or_default();
                *most = told.len().max(*most);
                if let (Some(grammar), true, "Reflex" | "Tactical") = (&one.request.grammar, contracts, layer(one)) {
                    let text = match &**grammar {
                        Grammar::Regex(text) => text.clone(),
                        other => format!("{other:?}"),
                    };
                    let unseen = subjects.iter().filter(|name| !told.contains(name.as_str()));
                    for name in unseen {
                        assert!(
                            !text.contains(&format!("hostname={name}")),
                            "{}: {} may write {name}",
                            cell.name(),
                            layer(one)
                        );
                    }
                }
            }
            println!("{}: {longest:?}", cell.name());
            assert_eq!(longest.len(), 5, "{longest:?}");
            assert!(longest.values().all(|letters| *letters < 12_000), "{}: {longest:?}", cell.name());
        }
    }
}

/// Calls with free text can be written under a mask: a question about filings is searched for and answered.
// covers: CTHA-063
#[tokio::test]
async fn layers_write_free_arguments_under_a_mask() {
    for cell in Cell::all("temporal", &json!({ "configuration": "ctha" })) {
        let options = json!({});
        let environment = FinanceAgent;
        let task = tasks(&environment, "synthetic", &options, 1).remove(0);
        for seed in [1, 3] {
            let played = cell.play(&environment, &options, &task, seed).await;
            assert!(played.notes("prompt_lacks").is_empty(), "{}: {:?}", cell.name(), played.notes("prompt_lacks"));
            assert_eq!(played.outcome.rejected, 0, "{}: {:?}", cell.name(), played.refusals());
            assert!(played.won(), "{}: {}", cell.name(), played.story());
        }
    }
}
