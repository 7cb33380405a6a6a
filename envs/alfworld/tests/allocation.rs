//! Once all commands of a game were met, neither a reset nor a step allocates.
#![allow(unsafe_code, reason = "counting needs an allocator of our own, which only passes on")]
#![allow(clippy::unwrap_used, clippy::expect_used, missing_docs)]

use crate::common;
use crate::counting;

use counting::allocations;
use gimbal_parity::Fast;

#[test]
fn a_step_does_not_allocate_but_for_new_commands() {
    for household in common::households(11) {
        let mut play = common::play(&household);
        let mut command = String::with_capacity(200);
        let mut round = |seeds: std::ops::Range<u64>| {
            allocations(|| {
                for seed in seeds {
                    play.reset();
                    let mut draws = Fast::new(seed);
                    for _ in 0..50 {
                        let at = draws.below(play.admissible().len() as u32) as usize;
                        command.clear();
                        command.push_str(play.command(at).unwrap());
                        assert!(play.step(&command).accepted && !play.observation().is_empty());
                    }
                }
            })
        };
        round(0..40);
        // The same walks again: nothing in them is new.
        assert_eq!(round(0..40), 0, "{}", household.sentence());
    }
}
