//! Household tasks: what a request says is enough to win.
#![allow(clippy::unwrap_used, clippy::expect_used, clippy::print_stdout, missing_docs)]

use crate::common;

use std::collections::BTreeMap;
use std::path::PathBuf;

use common::{Cell, Tally, controllers, solver, tasks};
use gimbal_alfworld::Alfworld;
use gimbal_core::{Catalogue, TaskId};
use serde_json::{Value, json};

/// The user's data, if games are at hand.
fn real() -> Option<Alfworld> {
    let set = std::env::var_os("GIMBAL_DATA").map(PathBuf::from);
    let data = set.unwrap_or_else(|| PathBuf::from(concat!(env!("CARGO_MANIFEST_DIR"), "/../../../shared/reference")));
    let folder = data.join("alfworld");
    if !folder.join("games").is_dir() {
        println!("skipped: no games in {}", folder.display());
        return None;
    }
    Some(Alfworld::over(Some(folder)))
}

async fn tally(cell: &Cell, environment: &Alfworld, options: &Value, tasks: &[TaskId]) -> Tally {
    let mut tally = Tally::default();
    for (seed, task) in tasks.iter().enumerate() {
        let played = cell.play(environment, options, task, seed as u64).await;
        if (!played.won() || played.outcome.rejected > 0) && std::env::var("READER_STORY").is_ok() {
            println!("{}", played.story());
        }
        tally.add(&played);
    }
    println!("{}: {}", cell.name(), tally.line());
    tally
}

fn spread(all: Vec<TaskId>, count: usize) -> Vec<TaskId> {
    let step = (all.len() / count.max(1)).max(1);
    all.into_iter().step_by(step).take(count).collect()
}

// covers: CYC-026, CYC-036
#[tokio::test]
async fn a_solver_wins_generated_games_in_every_form() {
    let environment = Alfworld::over(None);
    let options = json!({ "tools": "split" });
    for cell in Cell::all("react", &solver()) {
        let tally = tally(&cell, &environment, &options, &tasks(&environment, "generated", &options, 24)).await;
        assert!(tally.rate() >= 0.9, "{}: {}", cell.name(), tally.line());
        assert_eq!((tally.rejected, tally.fallbacks), (0, 0), "{}", cell.name());
    }
}

// covers: CYC-036
#[tokio::test]
async fn a_prompt_that_lacks_something_is_told_and_played_on() {
    let environment = Alfworld::over(None);
    let options = json!({ "tools": "split" });
    let mut settings = solver();
    settings["flags"] = json!({ "list_literals": false });
    let cell = &Cell::all("react", &settings)[0];
    let played = cell.play(&environment, &options, &tasks(&environment, "generated", &options, 1)[0], 0).await;
    let lacks = played.notes("prompt_lacks");
    assert!(lacks[0].contains("names: a list of the commands that are possible now"), "{}", lacks[0]);
    assert!(played.outcome.steps > 1 && played.outcome.stop.is_outcome());
}

/// One agent, and every controller that may go back with every exposure of its agents.
// covers: CYC-027, CYC-036, CYC-080, CYC-083
#[tokio::test]
async fn solver_and_controllers_win_real_games() {
    let Some(environment) = real() else { return };
    for options in [json!({ "tools": "split" }), json!({ "tools": "split", "wording": "2.1.1" })] {
        let games = spread(tasks(&environment, "unseen", &options, 1000), 24);
        let everyone = std::iter::once(("solver", "react", solver())).chain(controllers());
        for (name, base, settings) in everyone.filter(|(_, base, _)| *base != "dag") {
            let cell = &Cell::all(base, &settings)[0];
            println!("{name}, {options}");
            let tally = tally(cell, &environment, &options, &games).await;
            assert!(tally.rate() >= 0.9, "{name}, {}: {}", cell.name(), tally.line());
            assert_eq!((tally.rejected, tally.fallbacks), (0, 0), "{name}, {}", cell.name());
        }
    }
}

/// The six types of task, and the words by which a goal shows its type.
const TYPES: [(&str, &[&str]); 6] = [
    ("light", &["look at", "examine", "beside"]),
    ("two", &["two "]),
    ("clean", &["clean", "wash"]),
    ("heat", &["heat", "hot ", "warm"]),
    ("cool", &["cool", "cold ", "chill"]),
    ("place", &["put", "bring", "place"]),
];

async fn type_of(environment: &Alfworld, options: &Value, task: &TaskId) -> &'static str {
    let mut game = environment.open(options).unwrap();
    game.reset(task, 0).await.unwrap();
    let goal = game.brief().goal.to_lowercase();
    let known = TYPES.iter().find(|(_, words)| words.iter().any(|word| goal.contains(word)));
    known.unwrap_or_else(|| panic!("{task}: {goal}")).0
}

/// Plays all tasks of a split, type by type; each type must be won at this rate.
async fn each_type(environment: &Alfworld, options: &Value, (split, count): (&str, usize), cell: &Cell, least: f64) {
    let mut tallies: BTreeMap<&str, Tally> = BTreeMap::new();
    for (seed, task) in tasks(environment, split, options, count).iter().enumerate() {
        let played = cell.play(environment, options, task, seed as u64).await;
        if !played.won() && std::env::var("READER_STORY").is_ok() {
            println!("{}", played.story());
        }
        tallies.entry(type_of(environment, options, task).await).or_default().add(&played);
    }
    assert_eq!(tallies.len(), TYPES.len(), "{split}: {:?}", tallies.keys());
    for (kind, tally) in &tallies {
        println!("{split} {options} {}: {kind}: {}", cell.name(), tally.line());
    }
    for (kind, tally) in tallies {
        assert!(tally.rate() >= least, "{split} {options} {}: {kind}: {}", cell.name(), tally.line());
        assert_eq!((tally.rejected, tally.fallbacks, tally.lacks), (0, 0, 0), "{split} {}: {kind}", cell.name());
    }
}

/// `GIMBAL_ALL=1` plays every published game, and every generated task in every form of answers; else the games of the unseen rooms, and
/// every generated task in one form, another one for each player. The players are one agent and every controller that may go
/// back, whichever tools their agents have.
// covers: CYC-026, CYC-036
#[tokio::test]
async fn all_six_types_of_task_are_won() {
    let whole = std::env::var_os("GIMBAL_ALL").is_some();
    let generated = Alfworld::over(None);
    let options = json!({ "tools": "split" });
    let everyone = std::iter::once(("solver", "react", solver())).chain(controllers());
    for (at, (name, base, settings)) in everyone.filter(|(_, base, _)| *base != "dag").enumerate() {
        let forms = Cell::all(base, &settings);
        let of_its_own = at % forms.len();
        for (_, cell) in forms.iter().enumerate().filter(|(form, _)| whole || *form == of_its_own) {
            println!("{name}, {}", cell.name());
            each_type(&generated, &options, ("generated", 1000), cell, 0.9).await;
        }
    }
    let cells = [Cell::all("react", &solver()), Cell::all("cyclic", &json!({ "graph": "family" }))];
    let cells = cells.iter().map(|forms| &forms[0]);
    let Some(environment) = real() else { return };
    let splits: &[&str] = if whole { &["unseen", "seen", "train"] } else { &["unseen"] };
    for cell in cells {
        for options in [json!({ "tools": "split" }), json!({ "wording": "2.1.1" })] {
            for split in splits {
                each_type(&environment, &options, (split, 1000), cell, 0.9).await;
            }
        }
    }
}

/// How many of its ten games whoever goes through a list once wins, form by form: each form plays other games.
const ONCE: [usize; 6] = [10, 10, 10, 10, 10, 9];

// covers: CYC-027, CYC-036
#[tokio::test]
async fn controllers_win_with_every_exposure() {
    let environment = Alfworld::over(None);
    let options = json!({ "tools": "split" });
    for (name, base, settings) in controllers() {
        for (at, cell) in Cell::all(base, &settings).into_iter().enumerate() {
            let games: Vec<TaskId> =
                tasks(&environment, "generated", &options, 60).into_iter().skip(at * 10).take(10).collect();
            let tally = tally(&cell, &environment, &options, &games).await;
            println!("{name}, {}: {}", cell.name(), tally.line());
            match base {
                "dag" => assert_eq!(tally.won, ONCE[at], "{name}, {}: {}", cell.name(), tally.line()),
                _ => assert!(tally.rate() >= 0.9, "{name}, {}: {}", cell.name(), tally.line()),
            }
            assert_eq!((tally.rejected, tally.fallbacks, tally.lacks), (0, 0, 0), "{name}, {}", cell.name());
        }
    }
}

/// A planner of single steps is told its task as a goal, and reads it there.
// covers: BOG-130
#[tokio::test]
async fn a_planner_of_single_steps_knows_its_task() {
    let (family, options) = (gimbal_alfworld::Alfworld::over(None), json!({ "max_calls": 6 }));
    let task = common::tasks(&family, "generated", &options, 1).remove(0);
    for configuration in ["obs", "hist+net", "hier-base"] {
        let base = if configuration == "hier-base" { "hierarchy" } else { "react" };
        for cell in Cell::all(base, &json!({ "configuration": configuration })) {
            let (played, asked) = cell.requests(&family, &options, (&task, 4), false).await;
            let goal = asked.iter().any(|one| one.request.messages[0].text.contains("Your goal: "));
            assert!(goal, "{}", cell.name());
            let lacks = played.notes("prompt_lacks");
            assert!(!lacks.iter().any(|lack| lack.contains("the sentence of the task")), "{}: {lacks:?}", cell.name());
        }
    }
}

/// Named configurations of agents that decide afresh in every step, and the share of games that a careful player wins with each. What was
/// cleaned and where it was looked for must be in the status or in the past; the latest observation alone holds none of it.
const AFRESH: [(&str, &str, f64); 7] = [
    ("react", "network", 0.9),
    ("react", "obs+net", 0.9),
    ("react", "hist+net", 0.9),
    ("react", "obs+hist", 0.9),
    ("react", "+improve", 0.9),
    ("react", "obs", 0.3),
    ("hierarchy", "hier-base", 0.9),
];

// covers: BOG-130, CYC-036
#[tokio::test]
async fn planners_win_generated_games_with_what_their_contexts_hold() {
    let environment = Alfworld::over(None);
    let options = json!({ "tools": "split" });
    for (base, configuration, least) in AFRESH {
        let mut all = Tally::default();
        for (at, cell) in Cell::all(base, &json!({ "configuration": configuration })).into_iter().enumerate() {
            let games: Vec<TaskId> =
                tasks(&environment, "generated", &options, 24).into_iter().skip(at * 4).take(4).collect();
            let tally = tally(&cell, &environment, &options, &games).await;
            assert_eq!((tally.rejected, tally.fallbacks, tally.lacks), (0, 0, 0), "{}", cell.name());
            all.extend(&tally);
        }
        println!("{configuration}: {}", all.line());
        assert!(all.rate() >= least, "{configuration}: {}", all.line());
    }
}
