//! Files, actions and answers of the environments.

use std::io::Cursor;
use std::path::Path;
use std::sync::Arc;

use gimbal_alfworld::home::{self, Household};
use gimbal_alfworld::pddl::{Domain, Problem};
use gimbal_alfworld::plan::Task;
use gimbal_alfworld::{Library, Play};
use gimbal_cage2::Names;
use gimbal_finance_agent::html::{decode, text_of};
use gimbal_finance_agent::judge::offline;
use gimbal_finance_agent::query::Query;
use gimbal_finance_agent::rubric::{self as rubrics_of, Item, Operator};
use gimbal_finance_agent::spans::{Numbers, evidence};
use gimbal_textcraft::action::Toolset;
use gimbal_textcraft::menu::Menu;
use gimbal_textcraft::{Said, Scene, Simulator, Table, Tree, planner};
use serde_json::{Value, json};

use super::{owned, text};

const DOMAIN: &str = include_str!("../../../../envs/alfworld/facts/household.pddl");
const WORDS: &str = include_str!("../../../../envs/alfworld/facts/household.words");
const RECIPES: &str = include_str!("../../../../envs/textcraft/recipes.txt");

const PROBLEM: &str = "(define (problem p) (:domain household)
 (:objects me - person shelf_bar_1 - furniture spot_bar_1 spot_bar_2 - spot hall_bar_1 - room shelf - make)
 (:init (stands me spot_bar_2) (placed shelf_bar_1 spot_bar_1) (belongs spot_bar_1 hall_bar_1) (made shelf_bar_1 shelf))
 (:goal (exists (?t - thing ?f - furniture) (lies ?t ?f))))";

fn game_file(domain: &str, grammar: &str, problem: &str) -> Value {
    json!({ "pddl_domain": domain, "grammar": grammar, "pddl_problem": problem, "solvable": true, "walkthrough": [] })
}

/// What is read can be played, and planned for within bounds.
fn played(bytes: &[u8]) {
    if let Ok(game) = Library::new().read(bytes, None) {
        let _ = Task::new(&game);
        let mut play = Play::new(Arc::new(game));
        for at in 0..20 {
            play.step_at(at);
        }
    }
}

pub fn games() -> Vec<Vec<u8>> {
    vec![game_file(DOMAIN, WORDS, PROBLEM).to_string().into_bytes()]
}

pub fn game(bytes: &[u8]) {
    played(bytes);
}

pub fn grammars() -> Vec<Vec<u8>> {
    owned(&[WORDS])
}

pub fn grammar(bytes: &[u8]) {
    let Some(text) = text(bytes) else { return };
    played(game_file(DOMAIN, text, PROBLEM).to_string().as_bytes());
}

pub fn households() -> Vec<Vec<u8>> {
    let made = (0..3).filter_map(|seed| Household::generate(&home::Dials::default(), seed).ok());
    made.map(|household| household.write().into_bytes()).collect()
}

pub fn household(bytes: &[u8]) {
    let Some(text) = text(bytes) else { return };
    if let Ok(household) = Household::read(text)
        && let Ok(game) = household.game()
    {
        Play::new(Arc::new(game)).step_at(0);
    }
}

pub fn domains() -> Vec<Vec<u8>> {
    vec![format!("{DOMAIN}\0{PROBLEM}").into_bytes(), PROBLEM.as_bytes().to_vec()]
}

/// The first zero byte parts domain and problem.
pub fn domain(bytes: &[u8]) {
    let Some(text) = text(bytes) else { return };
    let (one, other) = text.split_once('\0').unwrap_or((text, text));
    if let Ok(domain) = Domain::read(one) {
        let _ = Problem::read(other, &domain);
    }
    if let Ok(rules) = home::rules() {
        let _ = Problem::read(text, &rules.domain);
    }
    if one != other {
        played(game_file(one, WORDS, other).to_string().as_bytes());
    }
}

pub fn cage2_actions() -> Vec<Vec<u8>> {
    owned(&["Analyse hostname=User1", "DecoyApache hostname='Enterprise0'", "Monitor", "{\"action\": \"Remove\"}"])
}

/// What is read can be written and read again.
pub fn cage2_action(bytes: &[u8]) {
    let Some(text) = text(bytes) else { return };
    for names in [Names::original(), Names::neutral(1)] {
        if let Ok(action) = gimbal_cage2::action::parse(text, &names) {
            assert_eq!(gimbal_cage2::action::parse(&action.render(&names), &names), Ok(action));
        }
        let _ = gimbal_cage2::action::parse_as_artifact(text, &names);
    }
}

pub fn recordings() -> Vec<Vec<u8>> {
    owned(&[
        "{\"kind\":\"reset\",\"red\":\"Sleep\",\"seed\":1}\n{\"kind\":\"step\",\"blue\":[1]}\n",
        "{\"kind\":\"end\"}\n",
        "[]",
    ])
}

pub fn cage2_recording(bytes: &[u8]) {
    use gimbal_cage2::replay::{DrawSource, ReplayOptions, replay_from};
    for draws in [DrawSource::Tape, DrawSource::Seed] {
        let options = ReplayOptions { files: Vec::new(), draws, checksum: None };
        let _ = replay_from(Path::new("fuzz"), Box::new(Cursor::new(bytes.to_vec())), &options);
    }
}

pub fn pages() -> Vec<Vec<u8>> {
    owned(&["<html><body><h1>A</h1><table><tr><td>1,234</td><td>(5)</td></tr></table><script>x</script></body></html>"])
}

/// The text of a page has no empty line.
pub fn page(bytes: &[u8]) {
    let text = text_of(&decode(bytes, None).text);
    assert!(text.is_empty() || text.split('\n').all(|line| !line.is_empty()));
}

pub fn judged() -> Vec<Vec<u8>> {
    owned(&["Revenue was $4.5 billion\0The revenue is 4,500 million dollars.", "up 5%\0It rose by five percent"])
}

/// The first zero byte parts what is asked for and the answer.
pub fn judge(bytes: &[u8]) {
    let Some(text) = text(bytes) else { return };
    let (criteria, answer) = text.split_once('\0').unwrap_or((text, text));
    let items = [Operator::Correctness, Operator::Contradiction];
    let items = items.map(|operator| Item { operator, criteria: criteria.to_owned() });
    assert_eq!(offline("", &items, answer).len(), 2);
    let numbers = Numbers::of(criteria);
    let _ = evidence(answer, [("k", criteria, &numbers)]);
}

pub fn queries() -> Vec<Vec<u8>> {
    owned(&["revenue AND (growth OR \"net income\") NOT loss", "a* OR b", "((("])
}

/// What is read can be written and read again.
pub fn query(bytes: &[u8]) {
    let Some(text) = text(bytes) else { return };
    if let Ok(query) = Query::parse(text) {
        let written = query.to_string();
        if let Ok(again) = Query::parse(&written) {
            assert_eq!(again, query, "{written}");
        }
    }
}

pub fn rubrics() -> Vec<Vec<u8>> {
    owned(&["[{'operator': 'correctness', 'criteria': '5%'}, {'operator': 'contradiction', 'criteria': \"it's\"}]"])
}

/// What is read can be written and read again.
pub fn rubric(bytes: &[u8]) {
    let Some(text) = text(bytes) else { return };
    if let Ok(items) = rubrics_of::read(text) {
        assert_eq!(rubrics_of::read(&rubrics_of::write(&items)), Ok(items));
    }
}

pub fn commands() -> Vec<Vec<u8>> {
    owned(&["get 2 oak log;craft 4 oak planks using 1 oak log;inventory", "craft 1 stick using 2 planks"])
}

/// What is refused changes nothing.
pub fn command(bytes: &[u8]) {
    let (Some(text), Ok(tree)) = (text(bytes), Tree::shipped()) else { return };
    let scene = Arc::new(Scene::of(&tree, 3));
    let menu = Menu::of(&scene);
    let mut simulator = Simulator::new(scene).with_aliasing(true);
    let mut reply = String::new();
    for line in text.split(';') {
        let before = simulator.situation();
        let outcome = simulator.step(line, &mut reply);
        if !matches!(outcome.said, Said::Got | Said::Crafted) {
            assert_eq!(simulator.situation(), before);
        }
        for toolset in [Toolset::All, Toolset::Separate, Toolset::Unified] {
            if let Ok(call) = gimbal_textcraft::action::parse(line, toolset, &menu) {
                let _ = gimbal_textcraft::action::render(&call, toolset, &menu);
            }
        }
    }
}

pub fn craft_recording(bytes: &[u8]) {
    let Ok(tree) = Tree::shipped() else { return };
    let _ = gimbal_textcraft::replay::replay_from(Path::new("fuzz"), Box::new(Cursor::new(bytes.to_vec())), &tree);
}

pub fn tables() -> Vec<Vec<u8>> {
    let some: String = RECIPES.lines().take(60).map(|line| format!("{line}\n")).collect();
    vec![some.into_bytes()]
}

/// A table that is read can be written, read again, and played.
pub fn table(bytes: &[u8]) {
    let Some(Ok(table)) = text(bytes).map(|text| Table::read(text, "fuzz")) else { return };
    let again = Table::read(&table.write(), "fuzz").map(|again| again.facts.len());
    assert_eq!(again.ok(), Some(table.facts.len()), "what was written is read");
    let Ok(tree) = Tree::of(&table) else { return };
    let tree = Arc::new(tree);
    for seed in 0..tree.tasks().len().min(8) as u64 {
        let mut simulator = Simulator::new(Arc::new(Scene::of(&tree, seed)));
        let mut reply = String::new();
        if let Some(next) = planner::next(&simulator) {
            simulator.step(&next.text(&tree), &mut reply);
        }
    }
}

pub fn yt_actions() -> Vec<Vec<u8>> {
    owned(&["make_node_safe node=3", "isolate_node node=\"n1\"", "do_nothing", "scan"])
}

/// What is read has a name, and is read again as the same.
pub fn yt_action(bytes: &[u8]) {
    use gimbal_yawning_titan::{action::Vocabulary, names::Names, rules::KINDS};
    let Some(text) = text(bytes) else { return };
    for names in [Names::ordered(18, 2), Names::shuffled(18, 2, 1)] {
        let edges = vec![(0, 1), (1, 2), (17, 3)];
        let words = Vocabulary { names, kinds: KINDS.to_vec(), scan: true, edges };
        if let Ok(intent) = words.parse(text) {
            let again = words.render(intent).map(|written| words.parse(&written));
            assert_eq!(again, Some(Ok(intent)));
        }
    }
}

pub fn yt_recording(bytes: &[u8]) {
    use gimbal_yawning_titan::replay::{DrawSource, ReplayOptions, replay_from};
    for draws in [DrawSource::Tape, DrawSource::Seed] {
        let options = ReplayOptions { files: Vec::new(), draws, checksum: false };
        let _ = replay_from(Path::new("fuzz"), Box::new(Cursor::new(bytes.to_vec())), &options);
    }
}
