//! Real games and recorded walks of the original, where they are at hand.
#![allow(clippy::unwrap_used, clippy::expect_used, clippy::print_stdout, missing_docs)]

use crate::common;

use std::collections::{BTreeMap, BTreeSet};
use std::sync::Arc;

use common::{games, reference, wander};
use gimbal_alfworld::plan::{Task, plan};
use gimbal_alfworld::replay::{ReplayOptions, Replayer};
use gimbal_alfworld::{Library, Play};

// covers: CYC-035
#[test]
fn every_row_of_both_wordings_agrees() {
    let Some(folder) = reference() else { return };
    for (file, walks, steps, older) in [("traces.jsonl.gz", 192, 4176, 0), ("traces_2.1.1.jsonl.gz", 32, 618, 32)] {
        let mut replayer = Replayer::new(ReplayOptions { games: folder.join("games"), variant: None });
        replayer.file(&folder.join(file)).unwrap();
        let report = replayer.report();
        assert_eq!(report.first, None, "{file}");
        assert_eq!(
            (report.counts.walks, report.counts.steps, report.counts.older, report.mismatches),
            (walks, steps, older, 0),
            "{file}"
        );
    }
}

// covers: CYC-035
#[test]
fn every_game_loads_and_is_won_by_its_walkthrough_and_by_the_planner() {
    let Some(folder) = reference() else { return };
    let library = Library::new();
    let mut kinds: BTreeMap<String, usize> = BTreeMap::new();
    let mut rules = BTreeSet::new();
    let files = games(&folder.join("games"));
    assert_eq!(files.len(), 394);
    for (number, file) in files.iter().enumerate() {
        let game = Arc::new(library.load(file).unwrap());
        rules.insert(Arc::as_ptr(&game.rules) as usize);
        let id = file.strip_prefix(folder.join("games")).unwrap().to_string_lossy().into_owned();
        let kind = id.split('/').nth(1).unwrap().split('-').next().unwrap().to_owned();
        *kinds.entry(kind).or_default() += 1;
        let mut play = Play::new(Arc::clone(&game));
        for command in &game.walkthrough {
            assert!(!play.won(), "{id}");
            assert!(play.step(command).accepted, "{id}: {command}");
        }
        assert!(play.won(), "{id}: the walkthrough");
        let task = Task::new(&game);
        // From the start, and from wherever a stroll has led.
        play.reset();
        for strolled in [false, true] {
            if strolled {
                wander(&mut play, 40, number as u64);
            }
            let moves = plan(&game, &task, play.state()).unwrap_or_else(|| panic!("{id}: no plan"));
            for next in &moves {
                let at = play.find_grounded(next.action, &next.arguments).unwrap();
                play.step_at(at);
            }
            assert!(play.won(), "{id}: the planner");
        }
    }
    // One domain and one grammar but for the task's sentence: read once.
    assert_eq!(rules.len(), 1);
    assert_eq!(kinds.len(), 6);
}
