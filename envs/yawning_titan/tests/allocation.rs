//! Neither a building nor a reset nor a step allocates, and the vector is there with each.
#![allow(unsafe_code, reason = "counting needs an allocator of our own, which only passes on")]
#![allow(clippy::unwrap_used, clippy::expect_used, missing_docs)]

use crate::counting;

use counting::allocations;
use gimbal_yawning_titan::draws::{Draws, Fast, Python};
use gimbal_yawning_titan::policy::{POLICIES, Policy, PolicyKind};
use gimbal_yawning_titan::{RedKind, Scenario, Simulator};

fn play<D: Draws>(simulator: &mut Simulator<D>, kind: PolicyKind, seeds: std::ops::Range<u64>) -> u64 {
    let mut policy = Policy::new(kind);
    allocations(|| {
        for seed in seeds {
            simulator.rebuild(seed).unwrap();
            policy.reset(seed);
            while !simulator.done() && simulator.steps() < 200 {
                let action = policy.act(simulator);
                simulator.step(action).unwrap();
            }
        }
    })
}

#[test]
fn a_step_does_not_allocate() {
    for (mode, network) in [
        ("default", "default_18"),
        ("dcbo", "dcbo_base"),
        ("low_skill_red", "default_18_set_entry"),
        ("everything_guaranteed", "mesh_24"),
        ("high_value_node_provided", "mesh_15"),
    ] {
        for red in [RedKind::Standard, RedKind::Sine] {
            for kind in POLICIES {
                let scenario = Scenario { red, ..Scenario::of(mode, network).unwrap() };
                let mut fast = Simulator::new(&scenario, Fast::new(0)).unwrap();
                assert_eq!(play(&mut fast, kind, 0..20), 0, "{mode} {network} {}", kind.name());
                let mut python = Simulator::new(&scenario, Python::new(0)).unwrap();
                // numpy's choice takes its room at its first use.
                play(&mut python, kind, 0..1);
                assert_eq!(play(&mut python, kind, 1..4), 0, "{mode} {network} {}", kind.name());
            }
        }
    }
}
