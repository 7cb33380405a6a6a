//! Neither a reset nor a step allocates, and nor do the vector and the text once their buffer is there.
#![allow(unsafe_code, reason = "counting needs an allocator of our own, which only passes on")]
#![allow(clippy::unwrap_used, clippy::expect_used, missing_docs)]

use crate::counting;

use counting::allocations;
use gimbal_cage2::draws::{Draws, Fast, Mersenne};
use gimbal_cage2::options::REDS;
use gimbal_cage2::policy::{POLICIES, Policy};
use gimbal_cage2::{Green, Names, Options, Simulator};

fn play<D: Draws>(simulator: &mut Simulator<D>, policy: &mut Policy, episodes: u64, text: &mut Vec<u8>) {
    let names = Names::original();
    let inside = allocations(|| {
        for seed in 0..episodes {
            simulator.reset(seed);
            policy.reset(seed);
            while !simulator.done() {
                simulator.step(policy.act(simulator.vector()));
                if text.capacity() > 0 {
                    text.clear();
                    simulator.write_observation(&names, text);
                }
            }
        }
    });
    assert_eq!(inside, 0);
}

#[test]
fn a_step_does_not_allocate() {
    let mut text = Vec::with_capacity(1 << 20);
    // The constant parts of the text are made at their first use.
    Simulator::new(Options::default(), Fast::new(0)).write_observation(&Names::original(), &mut text);
    for horizon in [30, 100, 300] {
        for red in REDS {
            for green in [Green::Sleep, Green::Scan] {
                for kind in POLICIES {
                    let options = Options { red, green, horizon };
                    let mut policy = Policy::new(kind);
                    play(&mut Simulator::new(options, Fast::new(0)), &mut policy, 20, &mut Vec::new());
                    play(&mut Simulator::new(options, Mersenne::new(0)), &mut policy, 3, &mut text);
                }
            }
        }
    }
}

#[test]
fn stacked_decoys_grow_the_lists_once() {
    // Two hundred decoys on one host, scanned at every turn of green: the worst there is.
    let options = Options { green: Green::Scan, horizon: 200, ..Options::default() };
    let mut simulator = Simulator::new(options, Fast::new(0));
    let stack = gimbal_cage2::action::parse("DecoyVsftpd User3", &Names::original()).unwrap();
    let episode = |simulator: &mut Simulator<Fast>| {
        simulator.reset(1);
        allocations(|| {
            while !simulator.done() {
                simulator.step(stack);
            }
        })
    };
    episode(&mut simulator);
    assert_eq!(episode(&mut simulator), 0);
}
