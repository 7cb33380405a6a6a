//! Neither a step nor the beginning of an episode allocates, and the reply is written each time.
#![allow(unsafe_code, reason = "counting needs an allocator of our own, which only passes on")]
#![allow(clippy::unwrap_used, clippy::expect_used, clippy::print_stdout, missing_docs)]

use std::alloc::{GlobalAlloc, Layout, System};
use std::cell::Cell;
use std::sync::Arc;

use gimbal_parity::Fast;
use gimbal_textcraft::bench::Pool;
use gimbal_textcraft::{Scene, Simulator, Tree};

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
fn a_step_does_not_allocate() {
    let tree = Tree::shipped().unwrap();
    let scenes: Vec<(Arc<Scene>, Pool)> = (0..419)
        .step_by(10)
        .map(|seed| {
            let scene = Arc::new(Scene::of(&tree, seed));
            let pool = Pool::of(&scene);
            (scene, pool)
        })
        .collect();
    for aliasing in [false, true] {
        let mut simulator = Simulator::new(Arc::clone(&scenes[0].0)).with_aliasing(aliasing);
        let mut reply = String::with_capacity(8192);
        let mut play = |seed: u64| {
            let mut coin = Fast::new(seed);
            let before = COUNT.with(Cell::get);
            for (scene, pool) in &scenes {
                simulator.begin(scene);
                for _ in 0..100 {
                    simulator.step(pool.draw(&mut coin), &mut reply);
                }
            }
            COUNT.with(Cell::get) - before
        };
        // Buffers grow once.
        play(1);
        assert_eq!(play(1), 0);
        assert_eq!(play(2), 0);
    }
}
