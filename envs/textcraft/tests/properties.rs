//! What holds for any commands.
#![allow(clippy::unwrap_used, clippy::expect_used, clippy::print_stdout, missing_docs)]

use crate::common;

use std::collections::BTreeMap;
use std::sync::{Arc, LazyLock};

use gimbal_parity::Fast;
use gimbal_textcraft::bench::Pool;
use gimbal_textcraft::count::Count;
use gimbal_textcraft::{Said, Scene, Simulator, Tree};
use proptest::prelude::*;

static TREE: LazyLock<Arc<Tree>> = LazyLock::new(common::tree);

fn carried(simulator: &Simulator) -> BTreeMap<String, i128> {
    let names = simulator.tree().names();
    let amount = |count: &Count| i128::from(count.saturating());
    simulator.inventory().iter().map(|(item, count)| (names.id(item).to_owned(), amount(count))).collect()
}

fn commands() -> impl Strategy<Value = String> {
    let word = prop_oneof![
        "stick",
        "oak planks",
        "planks",
        "oak logs",
        "string",
        "white wool",
        "[a-z '\\\\\"\u{a0}é,\n]{0,9}"
    ];
    let part = (0_u32..4, word.clone()).prop_map(|(count, item)| format!("{count} {item}"));
    prop_oneof![
        (0_u32..9, word.clone()).prop_map(|(count, item)| format!("get {count} {item}")),
        (part.clone(), prop::collection::vec(part, 0..3))
            .prop_map(|(output, inputs)| format!("craft {output} using {}", inputs.join(", "))),
        "\\PC{0,40}",
        "(craft|get|inventory| using |[0-9 ,]){0,8}",
    ]
}

proptest! {
    #![proptest_config(ProptestConfig { cases: 256, ..ProptestConfig::default() })]

    /// What a command adds and takes away is what its recipe says, and a refusal changes nothing.
    #[test]
    fn items_are_conserved_and_refusals_change_nothing(seed in 0_u64..419, draws in any::<u64>(), aliasing: bool) {
        let scene = Arc::new(Scene::of(&TREE, seed));
        let pool = Pool::of(&scene);
        let mut coin = Fast::new(draws);
        let mut simulator = Simulator::new(Arc::clone(&scene)).with_aliasing(aliasing);
        let mut reply = String::new();
        for _ in 0..60 {
            let before = carried(&simulator);
            let situation = simulator.situation();
            let command = pool.draw(&mut coin).to_owned();
            let outcome = simulator.step(&command, &mut reply);
            let after = carried(&simulator);
            match outcome.said {
                Said::Got => {
                    let words: Vec<&str> = command.splitn(3, ' ').collect();
                    let mut expected = before.clone();
                    *expected.entry(words[2].replace(' ', "_")).or_default() += words[1].parse::<i128>().unwrap();
                    prop_assert_eq!(after, expected);
                }
                Said::Crafted => {
                    let mut expected = before.clone();
                    for part in command.split_once(" using ").unwrap().1.split(", ") {
                        let (count, item) = part.split_once(' ').unwrap();
                        let held = expected.get_mut(&item.replace(' ', "_")).expect("it was carried");
                        *held -= count.parse::<i128>().unwrap();
                        prop_assert!(*held >= 0);
                    }
                    expected.retain(|item, held| *held > 0 || before.get(item) == Some(&0));
                    let made: Vec<&str> = reply.split(' ').collect();
                    *expected.entry(made[2].trim_start_matches("minecraft:").to_owned()).or_default() += made[1].parse::<i128>().unwrap();
                    prop_assert_eq!(after, expected);
                    let goal = TREE.names().id(scene.task().goal);
                    prop_assert_eq!(outcome.done, reply.ends_with(&format!("minecraft:{goal}")));
                }
                _ => {
                    prop_assert_eq!(after, before);
                    prop_assert_eq!(simulator.situation(), situation);
                    prop_assert!(!outcome.done);
                }
            }
        }
    }

    /// Any text is a command: it is answered, and the same text twice from the same state has the same answer.
    #[test]
    fn any_text_is_answered(seed in 0_u64..1000, texts in prop::collection::vec(commands(), 1..12)) {
        let scene = Arc::new(Scene::of(&TREE, seed));
        let mut one = Simulator::new(Arc::clone(&scene));
        let mut other = one.clone();
        let (mut reply, mut again) = (String::new(), String::new());
        for text in texts {
            let situation = one.situation();
            let outcome = one.step(&text, &mut reply);
            prop_assert_eq!(outcome, other.step(&text, &mut again));
            prop_assert_eq!(&reply, &again);
            prop_assert_eq!(one.state(), other.state());
            if outcome.said == Said::NotExecuted {
                prop_assert_eq!(&reply, &format!("Could not execute {text}"));
            }
            if !matches!(outcome.said, Said::Got | Said::Crafted) {
                prop_assert_eq!(one.situation(), situation);
            }
        }
    }

    /// A scene shows everything below its goal and at most ten more, whatever the seed.
    #[test]
    fn scenes_show_what_they_must(seed in any::<u64>()) {
        let scene = Scene::of(&TREE, seed);
        let lines: Vec<&str> = scene.lines().collect();
        prop_assert_eq!(scene.task(), TREE.tasks()[(seed % 419) as usize]);
        prop_assert!(scene.core().all(|text| lines.contains(&text)));
        prop_assert_eq!(lines.len(), scene.core().len() + scene.pool().len().min(10));
        let mut sorted = lines.clone();
        sorted.sort_unstable();
        sorted.dedup();
        prop_assert_eq!(sorted.len(), lines.len());
        let prompt = scene.prompt();
        prop_assert!(prompt.starts_with("Crafting commands:\ncraft ") && prompt.ends_with('.'));
    }
}
