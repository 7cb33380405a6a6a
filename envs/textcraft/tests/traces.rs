//! Tables and recordings of the original, where they are at hand.
#![allow(clippy::unwrap_used, clippy::expect_used, clippy::print_stdout, missing_docs)]

use crate::common;

use std::collections::{BTreeMap, BTreeSet};

use gimbal_textcraft::replay::{ReplayOptions, replay};
use gimbal_textcraft::tasks::split;
use gimbal_textcraft::{Table, Tree};
use serde_json::Value;

fn json(path: &std::path::Path) -> Value {
    serde_json::from_str(&std::fs::read_to_string(path).unwrap()).unwrap()
}

fn strings(value: &Value) -> Vec<&str> {
    value.as_array().unwrap().iter().map(|text| text.as_str().unwrap().trim_start_matches("minecraft:")).collect()
}

// covers: CYC-030, CYC-033
#[test]
fn the_tree_and_the_tasks_are_those_of_the_original() {
    let Some(folder) = common::data() else { return };
    let tree = common::tree();
    let names = tree.names();
    let golden = json(&folder.join("textcraft/tree_golden.json"));
    let shown = |list: &[u16]| list.iter().map(|name| names.id(*name).to_owned()).collect::<Vec<_>>();
    assert_eq!(shown(tree.craftable()), strings(&golden["craftable_items"]));
    assert_eq!(shown(tree.craftable_tags()), strings(&golden["craftable_tags"]));
    let all = |wanted: &dyn Fn(u16) -> bool| -> BTreeSet<&str> {
        (0..names.len() as u16).filter(|name| wanted(*name)).map(|name| names.id(name)).collect()
    };
    assert_eq!(all(&|name| tree.is_item(name)), strings(&golden["items"]).into_iter().collect());
    assert_eq!(all(&|name| tree.is_tag(name)), strings(&golden["tags"]).into_iter().collect());
    for (name, depth) in golden["depth"].as_object().unwrap() {
        let name = names.find(name.trim_start_matches("minecraft:")).unwrap();
        assert_eq!(u64::from(tree.depth(name)), depth.as_u64().unwrap(), "{}", names.id(name));
    }
    let tags: BTreeMap<String, String> = (0..names.len() as u16)
        .filter_map(|name| Some((names.id(name).to_owned(), names.id(tree.tag_of(name)?).to_owned())))
        .collect();
    let expected = golden["item_to_tag"].as_object().unwrap().iter();
    let plain = |text: &str| text.trim_start_matches("minecraft:").to_owned();
    assert_eq!(tags, expected.map(|(item, tag)| (plain(item), plain(tag.as_str().unwrap()))).collect());
    for (item, texts) in golden["recipes"].as_object().unwrap() {
        let recipes = tree.recipes_of(names.find(item.trim_start_matches("minecraft:")).unwrap());
        let own: Vec<&str> = recipes.iter().map(|recipe| &*tree.recipe(*recipe).text).collect();
        assert_eq!(own, strings(texts), "{item}");
    }
    let tasks = json(&folder.join("textcraft/tasks.json"));
    for (place, task) in tasks.as_array().unwrap().iter().enumerate() {
        let own = tree.tasks()[place];
        assert_eq!(task["goal"].as_str().unwrap(), ["minecraft:", names.id(own.goal)].concat());
        assert_eq!((task["seed"].as_u64(), task["depth"].as_u64()), (Some(place as u64), Some(own.depth.into())));
    }
    assert_eq!(tree.tasks().len(), tasks.as_array().unwrap().len());
}

// covers: CYC-034, CYC-033
#[test]
fn every_row_of_every_recording_agrees() {
    let Some(folder) = common::data() else { return };
    let files = vec![folder.join("textcraft/traces.jsonl.gz")];
    let report = replay(&ReplayOptions { files, tree: common::tree() }).unwrap();
    println!(
        "{} rows, {} steps, {} mismatches, {:#?}",
        report.counts.rows, report.counts.steps, report.mismatches, report.first
    );
    assert_eq!((report.mismatches, report.unrecorded), (0, Some(0)));
    assert!(report.counts.rows > 0 && report.counts.aliased > 0);
}

/// The other form of a table gives the same tree: our facts are those of the original.
#[test]
fn the_recipes_are_those_that_the_original_reads() {
    let Some(folder) = common::data() else { return };
    let theirs = Table::open(&folder.join("textcraft/recipes.jsonl")).unwrap();
    let ours = Table::shipped().unwrap();
    let facts = |table: &Table| -> Vec<_> {
        table
            .facts
            .iter()
            .map(|fact| (fact.output.clone(), fact.count, fact.inputs.clone(), fact.group.clone()))
            .collect()
    };
    assert_eq!(facts(&ours), facts(&theirs));
    let (ours, theirs) = (Tree::of(&ours).unwrap(), Tree::of(&theirs).unwrap());
    assert_eq!(ours.tasks(), theirs.tasks());
    let texts = |tree: &Tree| tree.recipes().iter().map(|recipe| recipe.text.clone()).collect::<Vec<_>>();
    assert_eq!(texts(&ours), texts(&theirs));
}

// covers: CYC-040, CYC-041
#[test]
fn the_splits_are_the_published_ones() {
    let Some(folder) = common::data() else { return };
    let tree = common::tree();
    let splits = json(&folder.join("splits.json"));
    for depth in [2_u64, 3, 4] {
        let case = &splits["cases"][format!("textcraft depth {depth}")];
        let first = split(&tree, &format!("depth-{depth}")).unwrap()[0];
        let places = |list: &Value| -> Vec<usize> {
            list.as_array().unwrap().iter().map(|place| first + place.as_u64().unwrap() as usize).collect()
        };
        let own = |part: &str| split(&tree, &format!("depth-{depth}-{part}")).unwrap();
        assert_eq!(own("train"), places(&case["train"]));
        assert_eq!(own("test"), places(&case["test"]));
        let mut parts = Vec::new();
        let mut number = 1;
        while let Some(part) = split(&tree, &format!("depth-{depth}-test-{number}")) {
            parts.extend(part);
            number += 1;
        }
        assert_eq!(parts, own("test"));
    }
}
