//! The defence of a network: what a request says is enough to defend as well as the policy that restores what has changed.
#![allow(clippy::unwrap_used, clippy::expect_used, clippy::print_stdout, missing_docs)]

use crate::common;

use std::collections::BTreeMap;
use std::sync::Arc;

use common::{Cell, Played};
use gimbal_cage2::environment::Cage2;
use gimbal_core::{Catalogue, Digest, TaskId};
use gimbal_study::stage::{EpisodeSetup, MemoryRecorder, play_episode};
use gimbal_yawning_titan::environment::YawningTitan;
use serde_json::{Value, json};

/// Episodes of a cell whose mean is compared.
const MANY: u64 = 30;
/// Episodes of a cell that only has to be the same as another.
const FEW: u64 = 2;

struct Defence {
    name: &'static str,
    family: Box<dyn Catalogue>,
    options: Value,
    /// The policy that does nothing but look.
    watches: &'static str,
    /// The policy that restores what changed, and knows no more than a prompt says.
    restores: &'static str,
}

fn environments() -> [Defence; 2] {
    [
        Defence {
            name: "cage2",
            family: Box::new(Cage2),
            options: json!({ "red": "b_line", "horizon": 30 }),
            watches: "monitor",
            restores: "restore_shown",
        },
        Defence {
            name: "yawning_titan",
            family: Box::new(YawningTitan),
            options: json!({ "horizon": 30 }),
            watches: "nothing",
            restores: "restore_changed",
        },
    ]
}

/// The other attacker of CAGE-2.
fn meander() -> Defence {
    let [cage2, _] = environments();
    Defence { name: "cage2 meander", options: json!({ "red": "meander", "horizon": 30 }), ..cage2 }
}

impl Defence {
    fn task(&self) -> TaskId {
        self.family.tasks("train", &self.options).unwrap().remove(0)
    }

    async fn play(&self, cell: &Cell, seed: u64) -> Played {
        cell.play(&*self.family, &self.options, &self.task(), seed).await
    }

    /// Returns of a policy, in thousandths.
    async fn policy(&self, policy: &str) -> Vec<i64> {
        let architecture = common::architecture("baseline", &json!({ "policy": policy }));
        let mut returns = Vec::new();
        for seed in 0..MANY {
            let setup = EpisodeSetup::new(Digest::of(b"reader"), self.task(), seed, Arc::new(BTreeMap::new()));
            let environment = self.family.open(&self.options).unwrap();
            let outcome =
                play_episode(&*architecture, environment, setup, Arc::new(MemoryRecorder::default())).await.unwrap();
            returns.push(outcome.episode_return.0);
        }
        returns
    }

    /// Returns of a cell in thousandths. No answer may be refused, and no name invented.
    async fn returns(&self, cell: &Cell, episodes: u64) -> Vec<i64> {
        let mut returns = Vec::new();
        for seed in 0..episodes {
            let played = self.play(cell, seed).await;
            let name = format!("{} {} seed {seed}", self.name, cell.name());
            if std::env::var("READER_STORY").is_ok() {
                println!("{name}\n{}", played.story());
            }
            assert_eq!((played.outcome.rejected, played.outcome.fallbacks), (0, 0), "{name}: {:?}", played.refusals());
            for kind in ["dropped", "mismatch", "off_menu", "tool_failed", "turns_exhausted", "attempt_failed"] {
                assert_eq!(played.notes(kind), Vec::<String>::new(), "{name}: {kind}");
            }
            assert!(
                played.notes("parsed").iter().all(|note| note.contains("\"direct\"")),
                "{name}: {:?}",
                played.notes("parsed")
            );
            returns.push(played.outcome.episode_return.0);
        }
        returns
    }
}

fn cell(base: &'static str, settings: Value, protocol: &'static str, constrained: bool) -> Cell {
    Cell::new(base, settings, protocol, constrained)
}

fn configured(base: &'static str, configuration: &str) -> Cell {
    cell(base, json!({ "configuration": configuration }), "react-text", false)
}

/// Mean and half of its interval of 95%, in points.
fn interval(returns: &[i64]) -> (f64, f64) {
    let count = returns.len() as f64;
    let mean = returns.iter().sum::<i64>() as f64 / count / 1000.0;
    let squares: f64 = returns.iter().map(|value| (*value as f64 / 1000.0 - mean).powi(2)).sum();
    // Student's t for 29 degrees of freedom.
    (mean, 2.045 * (squares / (count - 1.0) / count).sqrt())
}

// covers: BOG-061, BOG-130, BOG-132
#[tokio::test]
async fn with_observation_and_status_the_defender_returns_what_restoring_the_changed_returns() {
    let [b_line, titan] = environments();
    for environment in [b_line, meander(), titan] {
        let restoring = environment.policy(environment.restores).await;
        let (policy, half) = interval(&restoring);
        let (watching, _) = interval(&environment.policy(environment.watches).await);
        println!(
            "{}: {} {policy:.2} +- {half:.2}, {} {watching:.2}",
            environment.name, environment.restores, environment.watches
        );
        assert!(watching < policy - half, "{}: there is nothing to be gained by restoring", environment.name);
        for configuration in ["obs+net", "obs+hist+net"] {
            let returns = environment.returns(&configured("react", configuration), MANY).await;
            let (mean, own) = interval(&returns);
            println!("{} {configuration}: {mean:.2} +- {own:.2}", environment.name);
            let said = format!("{} {configuration}: {mean:.2}, policy {policy:.2} +- {half:.2}", environment.name);
            assert!(mean >= policy - half, "{said}");
            // On YAWNING-TITAN it may be above: the status reports sources of attacks that the policy does not see.
            assert!(environment.name == "yawning_titan" || returns == restoring, "{said}");
        }
    }
}

/// A shortfall that is known, and how large it may be. The list of changed hosts leaves connections out, and with them hosts that were
/// entered by guessed passwords (BOG-084): with the status alone they are fixed when something else shows, or never.
// covers: BOG-061, BOG-130
#[tokio::test]
async fn on_cage_2_the_status_alone_costs_a_known_part_of_the_return() {
    let [b_line, titan] = environments();
    for (environment, known) in [(b_line, 4.0..=20.0), (meander(), 0.3..=6.0)] {
        let (policy, half) = interval(&environment.policy(environment.restores).await);
        let (watching, _) = interval(&environment.policy(environment.watches).await);
        println!("{}: {} {policy:.2} +- {half:.2}, monitor {watching:.2}", environment.name, environment.restores);
        let mut same: Vec<Vec<i64>> = Vec::new();
        for configuration in ["network", "hist+net"] {
            let returns = environment.returns(&configured("react", configuration), MANY).await;
            let (mean, own) = interval(&returns);
            let short = policy - mean;
            let said = format!("{} {configuration}: {mean:.2} +- {own:.2}, short by {short:.2}", environment.name);
            println!("{said}");
            assert!(known.contains(&short), "{said}; known: {known:?}");
            assert!(mean - own > watching, "{said}");
            same.push(returns);
        }
        assert_eq!(same[0], same[1], "{}: a history adds nothing to the status", environment.name);
    }
    // What the policy of the challenge knows beside: User0 is the attacker's and stays so.
    let meander = meander();
    let (knowing, _) = interval(&meander.policy("restore_changed").await);
    let (shown, half) = interval(&meander.policy("restore_shown").await);
    println!("meander: restore_changed {knowing:.2}, restore_shown {shown:.2} +- {half:.2}");
    assert!(knowing > shown + half);
    // There the status says everything that this player uses.
    let with = titan.returns(&configured("react", "obs+net"), FEW).await;
    assert_eq!(titan.returns(&configured("react", "network"), FEW).await, with);
}

/// Two snapshots of the artefact that no table reports: the flat agent with all deliberation, and the same without CoT.
// covers: BOG-135
#[tokio::test]
async fn the_snapshots_that_no_table_reports_are_asked_and_played_as_their_names_say() {
    let tools = ["raise_a_question", "critique_the_answer", "improve_based_on_critique"];
    for environment in environments() {
        let mut played = Vec::new();
        for (configuration, thinks) in [("flat", true), ("no-COT", false)] {
            for cell in Cell::all("react", &json!({ "configuration": configuration })) {
                let place = (&environment.task(), 0);
                let (one, asked) = cell.requests(&*environment.family, &environment.options, place, false).await;
                let name = format!("{} {}", environment.name, cell.name());
                assert_eq!((one.outcome.steps, one.outcome.rejected, one.outcome.fallbacks), (30, 0, 0), "{name}");
                for one in &asked {
                    assert_eq!(one.role, "default", "{name}: a flat agent has no advisers");
                }
                let first = &asked[0].request;
                let system = &first.messages[0].text;
                assert_eq!(system.contains("<chain_of_thought>"), thinks, "{name}");
                for tool in tools {
                    let is_named = system.contains(tool) || first.tools.iter().any(|known| known.name == tool);
                    assert!(is_named, "{name}: {tool}");
                }
                played.push((name, one.outcome.episode_return));
            }
        }
        assert!(played.iter().all(|(_, value)| *value == played[0].1), "{played:?}");
    }
}

/// What the status and a history add to the prompts of an episode, by the length of texts: a share and no multiple.
// covers: BOG-108
#[tokio::test]
async fn the_status_adds_few_tokens_to_the_prompts_of_an_episode() {
    for environment in environments() {
        let mut tokens = Vec::new();
        for configuration in ["obs", "obs+net", "obs+hist+net"] {
            let played = environment.play(&configured("react", configuration), 0).await;
            tokens.push(played.outcome.spent.input_tokens as f64);
        }
        let (status, history) = (tokens[1] / tokens[0] - 1.0, tokens[2] / tokens[1] - 1.0);
        println!(
            "{}: {:.0} prompt tokens an episode; the status adds {:.1}%, the history {:.1}%",
            environment.name,
            tokens[0],
            100.0 * status,
            100.0 * history
        );
        // Hosts of CAGE-2 have long observations beside which a status is short; on the network of YAWNING-TITAN it is a third of the prompt.
        let most = if environment.name == "cage2" { 0.15 } else { 0.5 };
        assert!(status > 0.0 && status < most, "{}: {status}", environment.name);
        assert!(history > 0.0 && history < 0.8, "{}: {history}", environment.name);
    }
}

// covers: BOG-038, BOG-058, BOG-068
#[tokio::test]
async fn advisers_and_deliberation_change_nothing_for_a_player_by_rule() {
    for environment in environments() {
        let alone = environment.returns(&configured("react", "hist+net"), 6).await;
        for configuration in ["hier-base", "hier-delib", "hier-base+history", "hier-delib+arbiter"] {
            let together = environment.returns(&configured("hierarchy", configuration), 6).await;
            assert_eq!(alone, together, "{} {configuration}", environment.name);
        }
        for configuration in
            ["+question", "+critique", "+improve", "only-question", "only-critique", "only-improve", "only-COT"]
        {
            let thinking = environment.returns(&configured("react", configuration), 6).await;
            assert_eq!(alone, thinking, "{} {configuration}", environment.name);
        }
    }
}

// covers: BOG-041, BOG-026
#[tokio::test]
async fn every_form_of_answers_gives_the_same_episodes() {
    for environment in environments() {
        for (base, configuration) in [
            ("react", "hist+net"),
            ("react", "obs+hist"),
            ("react", "+COT"),
            ("hierarchy", "hier-base"),
            ("hierarchy", "hier-delib"),
        ] {
            let plain = environment.returns(&configured(base, configuration), FEW).await;
            for cell in Cell::all(base, &json!({ "configuration": configuration })) {
                assert_eq!(plain, environment.returns(&cell, FEW).await, "{} {}", environment.name, cell.name());
            }
        }
    }
}

/// Every agent that a defence has: those of a controller (planner, executor, router, analyzer), of one agent in one conversation,
/// and the lead, analyst and chooser of every preset.
// covers: CYC-026, CYC-027, BOG-132
#[tokio::test]
async fn every_seat_of_a_defence_can_be_played() {
    for environment in environments() {
        let (policy, half) = interval(&environment.policy("restore_changed").await);
        let (watching, _) = interval(&environment.policy(environment.watches).await);
        let mut cells = vec![("solver", "react", common::solver())];
        cells.extend(common::controllers());
        for (name, base, settings) in cells {
            let mut all = Vec::new();
            for cell in Cell::all(base, &settings) {
                all.extend(environment.returns(&cell, 5).await);
            }
            let (mean, own) = interval(&all);
            println!(
                "{} {name}: {mean:.2} +- {own:.2}, policy {policy:.2} +- {half:.2}, {} {watching:.2}",
                environment.name, environment.watches
            );
            // An order that is gone through once watches when its turn to fix is over.
            if base != "dag" {
                assert!(
                    mean > watching,
                    "{} {name}: {mean:.2}, {} {watching:.2}",
                    environment.name,
                    environment.watches
                );
            }
        }
        let alone = environment.returns(&configured("react", "hist+net"), FEW).await;
        for preset in ["hier-base+arbiter", "hier-planner-delib", "hier-analyst-only", "hier-chooser-only"] {
            for cell in Cell::all("hierarchy", &json!({ "configuration": preset })) {
                assert_eq!(alone, environment.returns(&cell, FEW).await, "{} {}", environment.name, cell.name());
            }
        }
    }
}

/// What is shown decides what a fixed reader returns: less is worth less, and nothing is worth watching.
// covers: BOG-130
#[tokio::test]
async fn less_in_sight_returns_less() {
    for environment in environments() {
        let of = |context: Value| {
            let settings = json!({ "persona": "planner", "context": context, "history_verdicts": true });
            cell("react", settings, "react-text", false)
        };
        let cells = [
            configured("react", "obs+hist+net"),
            configured("react", "network"),
            of(json!(["history"])),
            configured("react", "obs+hist"),
            configured("react", "obs"),
            cell("react", json!({ "persona": "planner", "context": [] }), "react-text", false),
        ];
        let mut told = Vec::new();
        for cell in cells {
            let (mean, half) = interval(&environment.returns(&cell, MANY).await);
            println!("{} {}: {mean:.2} +- {half:.2}", environment.name, cell.settings);
            told.push((mean, half));
        }
        let ((all, half), parts) = told.split_first().unwrap();
        let ((nothing, _), shown) = parts.split_last().unwrap();
        assert!(parts.iter().all(|(part, _)| *part <= all + half), "{}: {told:?}", environment.name);
        assert!(shown.iter().all(|(part, own)| part - own > *nothing), "{}: {told:?}", environment.name);
        // The list of changed hosts leaves connections out, and with them intrusions by guessed passwords (BOG-084).
        if environment.name == "cage2" {
            assert!(told[1].0 < all - half, "{told:?}");
        }
    }
}

#[tokio::test]
async fn what_a_prompt_lacks_is_told_and_the_game_goes_on() {
    for environment in environments() {
        for protocol in common::PROTOCOLS {
            let blind = cell("react", json!({ "persona": "planner", "context": [] }), protocol, false);
            let played = environment.play(&blind, 3).await;
            assert_eq!((played.outcome.steps, played.outcome.rejected), (30, 0));
            let lacks = played.notes("prompt_lacks");
            // Before the first step there is nothing to be seen.
            assert_eq!(lacks.len(), 29, "{lacks:?}");
            assert!(lacks[0].contains("observation") && lacks[0].contains("Latest observation:"), "{lacks:?}");
        }
        let sighted = environment.play(&configured("react", "hist+net"), 3).await;
        assert_eq!(sighted.notes("prompt_lacks"), Vec::<String>::new());
    }
}
