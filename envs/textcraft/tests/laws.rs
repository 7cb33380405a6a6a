//! The laws on the built-in recipes, held to figures of the original; needs no data beside the crate.
#![allow(clippy::unwrap_used, clippy::expect_used, clippy::print_stdout, missing_docs)]

use crate::common;

use common::{say, simulator, tree};
use gimbal_core::Digest;
use gimbal_parity::Seed;
use gimbal_textcraft::scene::task_of;
use gimbal_textcraft::tasks::{SPLITS, TIERS, max_calls, split};
use gimbal_textcraft::{Said, Scene};

// covers: CYC-030
#[test]
fn depths_and_tasks_have_the_published_numbers() {
    let tree = tree();
    let names = tree.names();
    let of_depth = |depth| tree.craftable().iter().filter(|item| tree.depth(**item) == depth).count();
    assert_eq!([1, 2, 3, 4, 5].map(of_depth), [125, 291, 117, 11, 0]);
    assert_eq!((tree.craftable().len(), tree.recipes().len(), tree.tasks().len()), (544, 613, 419));
    assert_eq!(
        (tree.craftable_tags().len(), (0..names.len() as u16).filter(|name| tree.is_tag(*name)).count()),
        (39, 23)
    );
    let goal = |place: usize| (names.id(tree.tasks()[place].goal), tree.tasks()[place].depth);
    assert_eq!(goal(0), ("cyan_banner", 4));
    assert_eq!((goal(10), goal(11)), (("purple_banner", 4), ("activator_rail", 3)));
    assert_eq!((goal(127), goal(128)), (("yellow_carpet", 3), ("acacia_boat", 2)));
    assert_eq!(goal(418), ("yellow_wool", 2));
}

/// Digests of an independent implementation in Python, whose sets were sorted first.
// covers: CYC-033
#[test]
fn every_reset_draws_what_python_draws() {
    let tree = tree();
    let (mut prompts, mut cores, mut pools) = (Vec::new(), Vec::new(), Vec::new());
    for seed in 0..tree.tasks().len() as u64 {
        let scene = Scene::of(&tree, seed);
        let push = |all: &mut Vec<u8>, text: &str| {
            all.extend_from_slice(text.as_bytes());
            all.push(0);
        };
        push(&mut prompts, scene.prompt());
        push(&mut cores, &scene.core().collect::<Vec<_>>().join("\n"));
        push(&mut pools, &scene.pool().collect::<Vec<_>>().join("\n"));
        assert_eq!(scene.lines().len(), scene.core().len() + scene.pool().len().min(10));
    }
    let hash = |bytes: &[u8]| Digest::of(bytes).to_string();
    assert_eq!(hash(&prompts), "5aed9c094f4777d15c3f85c0b8ab120bd43dd656ec12c598da4f093925f08624");
    assert_eq!(hash(&cores), "d5c10fd0fdb6042f0a87b74e0271dcfc1b6e9964fa36aa8d5ff0d4f286cd7203");
    assert_eq!(hash(&pools), "4e5c3a81d4a5c2fbc8d39a39bd868375106a98befb7c48f15e13cfe57f8ed709");
    for (seed, expected) in [
        ("1000", "c6523c11012c54ba24328a4fe12154cf5fbfd0c5c6af3d5ea0a4f50a6295952d"),
        ("2147483655", "e06b2f65b4102f0d5482903688ced12258b0e2eb8d5d9977714ef81c530b15dc"),
        ("18446744073709551615", "7402c28b52a29545f8bc420331d3acb2085cc79ec4b4d0c0f805c45fa32ce1c6"),
        ("1267650600228229401496703205379", "3dc171f90bffa40f503620b5f4b50e234cf1dc29402354ec708ca00a45505feb"),
    ] {
        let seed = Seed::from_decimal(seed).unwrap();
        let scene = Scene::draw(&tree, task_of(&tree, &seed, false), &seed);
        assert_eq!(hash(scene.prompt().as_bytes()), expected);
    }
    // As Python's remainder of a negative number.
    assert_eq!(task_of(&tree, &Seed::from(5), true), 414);
    assert_eq!(task_of(&tree, &Seed::from(419), true), 0);
}

// covers: CYC-040, CYC-041, CYC-050
#[test]
fn splits_have_the_published_sizes_and_orders() {
    let tree = tree();
    let places = |name: &str| split(&tree, name).unwrap();
    let sizes = |names: &[&str]| names.iter().map(|name| places(name).len()).collect::<Vec<_>>();
    assert_eq!(sizes(&["depth-2", "depth-2-train", "depth-2-test"]), [291, 88, 203]);
    assert_eq!(sizes(&["depth-3", "depth-3-train", "depth-3-test"]), [117, 35, 82]);
    assert_eq!(sizes(&["depth-4", "depth-4-train", "depth-4-test", "depth-4-test-1"]), [11, 0, 11, 11]);
    assert_eq!(
        (1..=5).map(|part| places(&format!("depth-2-test-{part}")).len()).collect::<Vec<_>>(),
        [45, 45, 45, 45, 23]
    );
    assert_eq!(sizes(&["depth-3-test-1", "depth-3-test-2"]), [45, 37]);
    assert_eq!(sizes(&["train", "test", "all", "seeds"]), [123, 296, 419, 419]);
    // The first, those about the border, and the last of `random.seed(42); random.shuffle(...)`.
    let depth = |name: &str, first: usize| places(name).iter().map(|place| place - first).collect::<Vec<_>>();
    assert_eq!(depth("depth-2-train", 128)[..5], [89, 157, 217, 282, 24]);
    assert_eq!(depth("depth-2-test", 128)[..5], [77, 148, 33, 21, 70]);
    assert_eq!(depth("depth-2-test-5", 128)[20..], [140, 12, 57]);
    assert_eq!(depth("depth-3-train", 11)[..5], [68, 111, 82, 50, 41]);
    assert_eq!(depth("depth-3-test", 11)[..5], [74, 22, 66, 63, 85]);
    assert_eq!(depth("depth-3-test-2", 11)[34..], [3, 14, 81]);
    assert_eq!(depth("depth-4-test", 0), [7, 3, 2, 8, 5, 6, 9, 4, 0, 1, 10]);
    for name in SPLITS {
        let mut own = places(name);
        own.sort_unstable();
        own.dedup();
        assert_eq!(own.len(), places(name).len(), "{name}");
        if let Some(tier) = TIERS.iter().find(|tier| name.starts_with(&format!("depth-{}", tier.depth))) {
            assert!(own.iter().all(|place| tree.tasks()[*place].depth == tier.depth), "{name}");
        }
    }
    assert_eq!(split(&tree, "depth-5"), None);
    assert_eq!([2, 3, 4, 9].map(max_calls), [30, 50, 100, 100]);
}

// covers: CYC-034
#[test]
fn every_reply_reads_as_the_original_writes_it() {
    let mut environment = simulator(3);
    for (command, reply) in [
        ("inventory", "Inventory: You are not carrying anything."),
        ("get 2 oak logs", "Got 2 oak logs"),
        ("get 02 oak_logs", "Got 2 oak_logs"),
        ("get 0 sugar cane", "Got 0 sugar cane"),
        ("inventory please", "Inventory: [oak logs] (4) [sugar cane] (0) "),
        ("get 1 oak planks", "Could not find oak planks"),
        ("get 1 planks", "Could not find planks"),
        ("get 1 unobtainium", "Could not find unobtainium"),
        ("get 1 minecraft:coal", "Could not find minecraft:coal"),
        ("get 1 oak logs ", "Could not find oak logs "),
        ("get some oak logs", "Could not execute get some oak logs"),
        ("Get 1 oak logs", "Could not execute Get 1 oak logs"),
        ("craft 4 oak planks using 1 oak logs", "Crafted 4 minecraft:oak_planks"),
        ("craft 99 oak_planks using  1 oak logs , ", "Wrong item format: "),
        ("craft oak planks using oak logs", "Wrong item format: oak logs"),
        ("craft 99 oak planks using  1 oak logs ", "Crafted 4 minecraft:oak_planks"),
        (
            "craft 2 oak planks using 2 oak logs",
            "Could not find a valid recipe for ItemTagWithCount(item_tag=ItemTag(tag=None, item_id='minecraft:oak_planks'), count=2)",
        ),
        (
            "craft planks using 1 oak logs",
            "Could not find a valid recipe for ItemTagWithCount(item_tag=ItemTag(tag='minecraft:planks', item_id=None), count=1)",
        ),
        ("craft planks using 9 oak logs", "Could not find enough items to craft None"),
        ("craft 4 stick using 2 planks", "Could not find enough items to craft minecraft:stick"),
        (
            "craft it's a  box using 1 oak logs",
            "Could not find a valid recipe for ItemTagWithCount(item_tag=ItemTag(tag=None, item_id=\"minecraft:it's_a__box\"), count=1)",
        ),
        ("craft 4 stick using 2 oak planks", "Crafted 4 minecraft:stick"),
        (
            "craft 2 stick using using 1 oak logs",
            "Could not find a valid recipe for ItemTagWithCount(item_tag=ItemTag(tag=None, item_id='minecraft:stick_using'), count=2)",
        ),
        ("craft 4 stick using 9 oak planks", "Could not find enough items to craft minecraft:stick"),
        ("inventory", "Inventory: [oak logs] (2) [sugar cane] (0) [oak planks] (6) [stick] (4) "),
        ("craft 4 stick using 0 bamboo", "Could not find enough items to craft minecraft:stick"),
        ("craft 4 oak planks using 1 oak logs\nget 1 stick", "Crafted 4 minecraft:oak_planks"),
        ("craft 4 oak planks using 1 oak logs", "Crafted 4 minecraft:oak_planks"),
        ("get 1 oak logs", "Got 1 oak logs"),
        ("inventory", "Inventory: [sugar cane] (0) [oak planks] (14) [stick] (4) [oak logs] (1) "),
        ("get 100000000000000000000000 oak logs", "Got 100000000000000000000000 oak logs"),
        (
            "inventory",
            "Inventory: [sugar cane] (0) [oak planks] (14) [stick] (4) [oak logs] (100000000000000000000001) ",
        ),
        ("", "Could not execute "),
        ("look\naround", "Could not execute look\naround"),
    ] {
        assert_eq!(say(&mut environment, command), reply, "{command}");
    }
    let many = "9".repeat(4301);
    assert!(say(&mut environment, &format!("get {many} oak logs")).starts_with("Could not execute get 999"));
}

// covers: CYC-034
#[test]
fn the_goal_pays_each_time_it_is_made_and_play_may_go_on() {
    let mut environment = simulator(418);
    let mut reply = String::new();
    let mut step = |command: &str| {
        let outcome = environment.step(command, &mut reply);
        (outcome.said, outcome.done)
    };
    for _ in 0..2 {
        assert_eq!(step("get 1 dandelion"), (Said::Got, false));
        assert_eq!(step("get 4 string"), (Said::Got, false));
        assert_eq!(step("craft 1 yellow dye using 1 dandelion"), (Said::Crafted, false));
        assert_eq!(step("craft 1 white wool using 4 string"), (Said::Crafted, false));
        assert_eq!(step("craft 1 yellow wool using 1 yellow dye, 1 white wool"), (Said::Crafted, true));
    }
    assert!(environment.solved());
    assert_eq!(
        (environment.steps(), say(&mut environment, "inventory")),
        (10, "Inventory: [yellow wool] (2) ".to_owned())
    );
}

/// The goal's name means what lies below it only where the quirk is switched on.
#[test]
fn the_aliasing_quirk_stands_behind_a_switch() {
    for (aliasing, reply) in [
        (true, "Crafted 3 minecraft:bone_meal"),
        (
            false,
            "Could not find a valid recipe for ItemTagWithCount(item_tag=ItemTag(tag=None, item_id='minecraft:lime_banner'), count=1)",
        ),
    ] {
        let mut environment = simulator(4).with_aliasing(aliasing);
        say(&mut environment, "get 1 bone");
        assert_eq!(say(&mut environment, "craft 1 lime banner using 1 bone"), reply);
        assert!(!environment.solved());
    }
    // The walk leaves the shared tree as it is.
    let mut plain = simulator(4);
    say(&mut plain, "get 1 bone");
    assert!(say(&mut plain, "craft 1 lime banner using 1 bone").starts_with("Could not find a valid recipe"));
}
