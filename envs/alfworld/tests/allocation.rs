//! Once all commands of a game were met, neither a reset nor a step allocates.
#![allow(unsafe_code, reason = "counting needs an allocator of our own, which only passes on")]
#![allow(clippy::unwrap_used, clippy::expect_used, missing_docs)]

mod common;

use std::alloc::{GlobalAlloc, Layout, System};
use std::cell::Cell;

use gimbal_parity::Fast;

thread_local! {
    static COUNT: Cell<u64> = const { Cell::new(0) };
}

struct Counting;

// SAFETY: every call goes to the system's allocator unchanged; the counter is a plain thread-local number.
unsafe impl GlobalAlloc for Counting {
    unsafe fn alloc(&self, layout: Layout) -> *mut u8 {
        let _ = COUNT.try_with(|count| count.set(count.get() + 1));
        // SAFETY: as above.
        unsafe { System.alloc(layout) }
    }

    unsafe fn dealloc(&self, pointer: *mut u8, layout: Layout) {
        // SAFETY: as above.
        unsafe { System.dealloc(pointer, layout) }
    }

    unsafe fn realloc(&self, pointer: *mut u8, layout: Layout, size: usize) -> *mut u8 {
        let _ = COUNT.try_with(|count| count.set(count.get() + 1));
        // SAFETY: as above.
        unsafe { System.realloc(pointer, layout, size) }
    }
}

#[global_allocator]
static ALLOCATOR: Counting = Counting;

#[test]
fn a_step_does_not_allocate_but_for_new_commands() {
    for household in common::households(11) {
        let mut play = common::play(&household);
        let mut command = String::with_capacity(200);
        let mut round = |seeds: std::ops::Range<u64>| {
            let before = COUNT.with(Cell::get);
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
            COUNT.with(Cell::get) - before
        };
        round(0..40);
        // The same walks again: nothing in them is new.
        assert_eq!(round(0..40), 0, "{}", household.sentence());
    }
}
