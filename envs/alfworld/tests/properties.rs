//! What holds of every household, every walk and every state.
#![allow(clippy::unwrap_used, clippy::expect_used, missing_docs)]

use crate::common;

use std::sync::Arc;

use common::{play, wander};
use gimbal_alfworld::Play;
use gimbal_alfworld::home::{Dials, Household, TASK_KINDS};
use gimbal_alfworld::plan::{Task, plan};
use gimbal_parity::Fast;
use proptest::prelude::*;

fn dials() -> impl Strategy<Value = Dials> {
    let kind = prop::option::of(prop::sample::select(TASK_KINDS.to_vec()));
    (1_u32..=8, 4_u32..=60, 0_u32..=100, 0_u32..=100, 0_u32..=60, 0_u32..=100, kind).prop_map(
        |(rooms, receptacles, closed, together, distractors, lookalikes, task)| Dials {
            rooms,
            receptacles,
            closed,
            together,
            distractors,
            lookalikes,
            task,
        },
    )
}

fn win(play: &mut Play, task: &Task) -> usize {
    let game = Arc::clone(play.game());
    let moves = plan(&game, task, play.state()).expect("a way to win");
    for next in &moves {
        assert!(!play.won());
        let at = play.find_grounded(next.action, &next.arguments).expect("an admissible command");
        assert!(play.step_at(at).accepted);
    }
    assert!(play.won());
    moves.len()
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(64))]

    // covers: CYC-035
    #[test]
    fn every_household_is_open_at_first_and_can_be_solved_from_anywhere(dials in dials(), seed in any::<u64>()) {
        let household = Household::generate(&dials, seed).unwrap();
        prop_assert_eq!(&household, &Household::generate(&dials, seed).unwrap());
        let mut play = play(&household);
        prop_assert!(!play.won(), "{}", household.sentence());
        let task = Task::new(play.game());
        prop_assert!(win(&mut play, &task) <= 14);
        play.reset();
        wander(&mut play, 60, seed);
        if !play.won() {
            win(&mut play, &task);
        }
    }

    // covers: CYC-035
    #[test]
    fn a_saved_household_is_the_same_game(dials in dials(), seed in any::<u64>()) {
        let household = Household::generate(&dials, seed).unwrap();
        let read = Household::read(&household.write()).unwrap();
        prop_assert_eq!(&read, &household);
        let (mut one, mut other) = (play(&household), play(&read));
        // Names in the game are those of the file.
        for piece in &household.furniture {
            let command = format!("go to {}", piece.name);
            prop_assert!(one.find(&command).is_some(), "{}", command);
        }
        for step in 0..40 {
            prop_assert_eq!(one.observation(), other.observation());
            prop_assert!(one.admissible().eq(other.admissible()));
            wander(&mut one, 1, seed ^ step);
            wander(&mut other, 1, seed ^ step);
        }
    }

    #[test]
    fn admissible_commands_are_sorted_and_carried_out_and_others_change_nothing(seed in any::<u64>()) {
        let household = Household::generate(&Dials::default(), seed).unwrap();
        let mut play = play(&household);
        let mut draws = Fast::new(seed);
        for _ in 0..60 {
            let commands: Vec<String> = play.admissible().map(str::to_owned).collect();
            prop_assert!(commands.windows(2).all(|pair| pair[0] < pair[1]));
            let before = play.state().clone();
            for wrong in ["", "dance", "GO TO CABINET 1", "go to narnia 1"] {
                prop_assert!(!play.step(wrong).accepted);
                prop_assert_eq!(play.observation(), "Nothing happens.");
                prop_assert_eq!(play.state(), &before);
                prop_assert!(play.admissible().eq(commands.iter().map(String::as_str)));
            }
            let command = &commands[draws.below(commands.len() as u32) as usize];
            let typed = format!(" \t{command}\n");
            prop_assert!(play.step(&typed).accepted);
            prop_assert!(play.observation() != "Nothing happens.");
        }
    }
}

#[test]
fn the_dials_do_what_they_say() {
    let of = |dials: &Dials, seed| Household::generate(dials, seed).unwrap();
    let mean = |dials: &Dials, count: &dyn Fn(&Household) -> usize| -> f64 {
        (0..50).map(|seed| count(&of(dials, seed)) as f64).sum::<f64>() / 50.0
    };
    let closed = |house: &Household| {
        let hinged = |name: &str| {
            let kind = name.rsplit_once(' ').unwrap().0;
            gimbal_alfworld::home::tables::make_of(kind).unwrap().hinged
        };
        house.furniture.iter().filter(|piece| hinged(&piece.name)).count()
    };
    let base = Dials { rooms: 3, receptacles: 30, ..Dials::default() };
    assert!((mean(&base, &|house| house.furniture.len()) - 30.0).abs() < 1.0);
    let (few, many) = (Dials { closed: 10, ..base.clone() }, Dials { closed: 80, ..base.clone() });
    assert!(mean(&few, &closed) + 12.0 < mean(&many, &closed));
    let (few, many) = (Dials { distractors: 0, ..base.clone() }, Dials { distractors: 50, ..base.clone() });
    assert!(mean(&few, &|house| house.things.len()) < 3.0 && mean(&many, &|house| house.things.len()) > 45.0);
    let spots = |house: &Household| {
        house.furniture.iter().map(|piece| piece.spot).collect::<std::collections::BTreeSet<_>>().len()
    };
    let (few, many) = (Dials { together: 0, ..base.clone() }, Dials { together: 90, ..base.clone() });
    assert!(mean(&few, &spots) > 29.0 && mean(&many, &spots) < 12.0);
    for kind in TASK_KINDS {
        assert_eq!(of(&Dials { task: Some(kind), ..base.clone() }, 4).task.kind, kind);
    }
}

#[test]
fn a_thing_that_fits_nowhere_loses_the_game_and_the_planner_says_so() {
    // An egg that may be taken from the shelf, but put nowhere: whoever takes it never has free hands again.
    let mut file = common::game_file();
    let problem =
        common::PROBLEM.replace("egg - sort Egg_bar_x - thing", "egg pen - sort Egg_bar_x Pen_bar_x - thing").replace(
            "(portable Egg_bar_x)",
            "(portable Egg_bar_x) (lies Pen_bar_x shelf_bar_1) (sorted Pen_bar_x pen) (portable Pen_bar_x)",
        );
    file["pddl_problem"] = problem.into();
    let game = Arc::new(common::game_of(&file).unwrap());
    let task = Task::new(&game);
    let mut play = Play::new(Arc::clone(&game));
    assert!(plan(&game, &task, play.state()).is_some());
    play.step("go to shelf 2");
    assert!(play.step("take pen 1 from shelf 2").accepted, "{}", play.observation());
    assert_eq!(plan(&game, &task, play.state()), None);
}
