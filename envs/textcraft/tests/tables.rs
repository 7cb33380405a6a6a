//! Tables of recipes from files: what is read, and what is refused and how.
#![allow(clippy::unwrap_used, clippy::expect_used, clippy::print_stdout, missing_docs)]

use std::path::Path;
use std::sync::Arc;

use gimbal_textcraft::table::SHIPPED_NAME;
use gimbal_textcraft::tree::Left;
use gimbal_textcraft::{Scene, Simulator, Table, Tree, planner};
use proptest::prelude::*;

const SMALL: &str = "\
# Three steps.
4 plank = 1 log [planks]
2 rod = 2 #planks
1 frame = 4 rod + 1 rope

1 door = 1 frame + 6 #planks
";

fn read(text: &str) -> Result<Table, String> {
    Table::read(text, "small.txt").map_err(|error| error.to_string())
}

fn tree(text: &str) -> Result<Tree, String> {
    Tree::of(&read(text)?).map_err(|error| error.to_string())
}

#[test]
fn another_table_is_played_by_the_same_laws() {
    let tree = Arc::new(tree(SMALL).unwrap());
    let names = tree.names();
    let tasks: Vec<(&str, u32)> = tree.tasks().iter().map(|task| (names.id(task.goal), task.depth)).collect();
    assert_eq!(tasks, [("door", 4), ("frame", 3), ("rod", 2)]);
    for seed in 0..6 {
        let mut simulator = Simulator::new(Arc::new(Scene::of(&tree, seed)));
        let mut reply = String::new();
        while let Some(next) = planner::next(&simulator) {
            if simulator.step(&next.text(&tree), &mut reply).done {
                break;
            }
        }
        assert!(simulator.solved(), "{reply}");
    }
}

#[test]
fn both_forms_give_the_same_table() {
    let json = r##"
{"file": "a.json", "shaped": false, "in": [["minecraft:log", 1]], "out": "minecraft:plank", "count": 4, "group": "planks"}
{"file": "b.json", "shaped": false, "in": [["#minecraft:planks", 1], ["#minecraft:planks", 1]], "out": "rod", "count": 2}
{"shaped": true, "in": [["rod", 4], ["rope", 1]], "out": "frame"}
{"shaped": true, "in": [["frame", 1], ["#planks", 6]], "out": "door", "group": null}
"##;
    let plain = |table: Table| table.write();
    let small = plain(read(SMALL).unwrap());
    assert_eq!(plain(read(json).unwrap()), small);
    assert_eq!(plain(read(&small).unwrap()), small);
    let with_mark = format!("\u{feff}{}", SMALL.replace('\n', "\r\n"));
    assert_eq!(plain(read(&with_mark).unwrap()), small);
}

#[test]
fn a_line_that_is_no_recipe_is_refused_with_its_place_and_mend() {
    for (line, mend) in [
        ("4 plank 1 log", "no `=`, the line may be cut short; write `<amount> <item> ="),
        ("4 plank = 1", "`1` is not an amount and a name"),
        ("4 plank = 1 log +", "`` is not an amount and a name"),
        ("4 plank = 1 log [pla", "the `]` is missing"),
        ("4 plank = 1 log pla]", "a `]` without a `[`"),
        ("0 plank = 1 log", "`0` is not an amount; give a whole number from 1 to 1000000"),
        ("4 plank = -1 log", "`-1` is not an amount"),
        ("4 plank = +1 log", "`` is not an amount and a name"),
        ("4 Plank = 1 log", "`Plank` is not a name of an item; write it in lower-case letters"),
        ("4 #planks = 1 log", "`#planks` is a tag; leave out the `#`"),
        ("4 mod:plank = 1 log", "`mod:plank` is not a name"),
        (
            r#"{"out": "plank", "in": [["log", 1]], "coutn": 4}"#,
            "unknown key `coutn`; did you mean `count`? (known: file, shaped, in",
        ),
        (
            r#"{"out": "plank", "in": [["log", 1]], "cou"#,
            "not JSON (column 42: the text has no end); the line may be cut short",
        ),
        (r#"{"out": "plank", "in": [["log", 1]], "out": "rod"}"#, "the key `out` is given twice"),
        (r#"{"in": [["log", 1]]}"#, "`out` is missing"),
        (r#"{"out": "plank"}"#, "`in` is missing"),
        (r#"{"out": "plank", "in": []}"#, "the recipe takes nothing"),
        (r#"{"out": "plank", "in": ["log"]}"#, "an input is a list of a name and an amount"),
        (r#"{"out": "plank", "in": [["log", 1.5]]}"#, "`in`: an amount must be a whole number"),
        (r#"{"out": "plank", "in": [["log", 1]], "count": "4"}"#, "`count`: an amount must be"),
        (r#"{"out": "plank", "in": [["log", 1]], "shaped": 1}"#, "`shaped` must be true or false"),
        (r#"{"out": 1, "in": [["log", 1]]}"#, "`out` must be the name of an item"),
        (r#"{"out": "plank", "in": [["log", 1]], "group": 7}"#, "`group` must be a name"),
        (r##"{"out": "#planks", "in": [["log", 1]]}"##, "is a tag"),
    ] {
        let error = read(&format!("{SMALL}{line}\n")).unwrap_err();
        assert!(error.starts_with("small.txt:7: ") && error.contains(mend), "{line}: {error}");
    }
    let long = (0..65).map(|item| format!("1 item{item}")).collect::<Vec<_>>().join(" + ");
    assert!(read(&format!("1 x = {long}")).unwrap_err().contains("takes 65 things"));
    assert!(read("# nothing\n\n").unwrap_err().contains("there is no recipe in it"));
    let missing = Table::open(Path::new("nowhere/recipes.txt")).unwrap_err().to_string();
    assert!(
        missing.starts_with("nowhere/recipes.txt: cannot be read") && missing.contains("one recipe a line"),
        "{missing}"
    );
    let folder = tempfile::tempdir().unwrap();
    let path = folder.path().join("bytes.txt");
    std::fs::write(&path, [0xFF, 0xFE, 0x00]).unwrap();
    assert!(Table::open(&path).unwrap_err().to_string().contains("cannot be read"));
    std::fs::write(&path, SMALL).unwrap();
    assert_eq!(Table::open(&path).unwrap().facts.len(), 4);
}

#[test]
fn a_circle_is_refused_with_all_of_its_recipes() {
    let circle = "1 c = 1 b\n1 b = 1 a\n1 a = 1 c\n1 d = 1 c\n";
    let error = tree(circle).unwrap_err();
    assert_eq!(
        error,
        "small.txt: these recipes go in a circle: `c` (line 1) takes `b` (line 2) takes `a` (line 3) takes `c`; take one \
         of them out"
    );
    let own = tree("1 a = 1 a + 1 b\n").unwrap_err();
    assert!(own.contains("`a` (line 1) takes `a`"), "{own}");
    let by_tag = tree("1 b = 1 #kind [other]\n1 a = 1 b [kind]\n").unwrap_err();
    assert!(by_tag.contains("go in a circle"), "{by_tag}");
}

#[test]
fn recipes_that_the_original_drops_are_dropped_and_named() {
    let tree = tree("9 nugget = 1 ingot_block\n1 bar = 9 nugget\n9 nugget = 1 bar\n1 fence = 3 bar\n").unwrap();
    assert_eq!(tree.left_out(), [(1, Left::Block), (3, Left::Circle)]);
    assert_eq!(tree.recipes().len(), 2);
    let names = tree.names();
    let raw = |name: &str| tree.is_raw(names.find(name).unwrap());
    assert!(raw("nugget") && !raw("bar") && raw("ingot_block"));
}

#[test]
fn a_table_without_tasks_or_of_no_end_is_refused() {
    let error = tree("1 a = 1 b\n1 c = 2 d\n").unwrap_err();
    assert!(error.contains("no item takes two crafting steps"), "{error}");
    let chain: String = (0..300).map(|item| format!("1 i{} = 1 i{item}\n", item + 1)).collect();
    let error = tree(&chain).unwrap_err();
    assert!(error.contains("a chain of more than 200 recipes"), "{error}");
    let many: String = (0..9000).map(|item| format!("1 a{item} = 1 b{item}\n")).collect();
    let error = tree(&many).unwrap_err();
    assert!(error.contains("more than 8192 names of items and tags"), "{error}");
    let many: String = "1 a = 1 b\n".repeat(20_001);
    assert!(read(&many).unwrap_err().contains("more than 20000 recipes"));
}

/// The walk of the original doubles with every level: deep tables are walked once instead, and play.
#[test]
fn a_deep_table_is_played_too() {
    let chain: String = (0..60).map(|item| format!("2 i{} = 1 i{item} + 1 i0\n", item + 1)).collect();
    let tree = Arc::new(tree(&chain).unwrap());
    assert_eq!(tree.tasks()[0].depth, 60);
    let scene = Arc::new(Scene::of(&tree, 0));
    assert_eq!(scene.core().len(), 60);
    let mut simulator = Simulator::new(scene).with_aliasing(true);
    let plan = planner::plan(&simulator).unwrap();
    let mut reply = String::new();
    let done = plan.iter().filter(|step| simulator.step(&step.text(&tree), &mut reply).done).count();
    assert_eq!((done, plan.len()), (1, 61));
    let mut simulator = Simulator::new(Arc::new(Scene::of(&tree, 0))).with_aliasing(true);
    simulator.step("get 2 i0", &mut reply);
    simulator.step("craft 1 i60 using 1 i0, 1 i0", &mut reply);
    assert_eq!(reply, "Crafted 2 minecraft:i1", "the quirk holds here too");
}

/// A recipe that takes an item and any item of its tag may find one of them spoken for twice.
#[test]
fn one_item_does_not_serve_twice() {
    let tree = Arc::new(tree("1 plank = 1 log [planks]\n1 box = 1 #planks + 1 plank\n").unwrap());
    let mut simulator = Simulator::new(Arc::new(Scene::of(&tree, 0)));
    let mut reply = String::new();
    for (command, expected) in [
        ("get 2 log", "Got 2 log"),
        ("craft plank using 1 log", "Crafted 1 minecraft:plank"),
        ("craft box using 1 plank, 1 plank", "Could not find enough items to craft minecraft:box"),
        ("craft plank using 1 log", "Crafted 1 minecraft:plank"),
        ("craft box using 1 plank, 1 plank", "Crafted 1 minecraft:box"),
        ("inventory", "Inventory: [box] (1) "),
    ] {
        simulator.step(command, &mut reply);
        assert_eq!(reply, expected);
    }
    assert!(simulator.solved());
}

#[test]
fn the_built_in_table_says_where_it_comes_from() {
    let table = Table::shipped().unwrap();
    assert_eq!((table.place.as_str(), table.facts.len()), (SHIPPED_NAME, 635));
    assert_eq!(read(&table.write()).unwrap().write(), table.write());
    let text = include_str!("../recipes.txt");
    assert!(text.contains("1.16.5") && text.contains("ADaPT") && text.contains("MIT"));
}

proptest! {
    /// No text breaks the reader or the laws: it is a table that plays, or it is refused.
    #[test]
    fn any_text_is_read_or_refused(lines in prop::collection::vec(prop_oneof![
        "[1-3] [a-e] = [1-3] #?[a-e]( \\+ [1-3] #?[a-e]){0,2}( \\[[a-e]\\])?",
        "\\PC{0,30}",
        r##"\{"out": "[a-e]", "in": \[\["#?[a-e]", [0-2]\]\](, "group": "[a-e]")?\}?"##,
    ], 0..10)) {
        let Ok(table) = read(&lines.join("\n")) else { return Ok(()) };
        let again = read(&table.write()).unwrap();
        prop_assert_eq!(again.facts.len(), table.facts.len());
        if let Ok(tree) = Tree::of(&table) {
            let tree = Arc::new(tree);
            for seed in 0..tree.tasks().len() as u64 {
                let simulator = Simulator::new(Arc::new(Scene::of(&tree, seed)));
                let plan = planner::plan(&simulator);
                let mut simulator = simulator;
                let mut reply = String::new();
                if let Some(plan) = plan {
                    let texts: Vec<String> = plan.iter().map(|step| step.text(&tree)).collect();
                    for text in &texts {
                        simulator.step(text, &mut reply);
                    }
                    prop_assert!(simulator.solved(), "{} after {texts:?}", reply);
                }
            }
        }
    }
}
