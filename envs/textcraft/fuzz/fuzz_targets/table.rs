//! No text breaks the reader of tables or the laws: it is a table that plays, or it is refused.
#![no_main]

use std::sync::Arc;

use gimbal_textcraft::{Scene, Simulator, Table, Tree, planner};
use libfuzzer_sys::fuzz_target;

fuzz_target!(|text: &str| {
    let Ok(table) = Table::read(text, "fuzz") else { return };
    let again = Table::read(&table.write(), "fuzz").expect("what was written is read");
    assert_eq!(again.facts.len(), table.facts.len());
    let Ok(tree) = Tree::of(&table) else { return };
    let tree = Arc::new(tree);
    for seed in 0..tree.tasks().len().min(8) as u64 {
        let mut simulator = Simulator::new(Arc::new(Scene::of(&tree, seed)));
        let mut reply = String::new();
        if let Some(next) = planner::next(&simulator) {
            simulator.step(&next.text(&tree), &mut reply);
        }
    }
});
