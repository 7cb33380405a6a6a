//! What a seed gives is fixed by `BEHAVIOUR`: whoever changes a digest here raises that number.
#![allow(clippy::unwrap_used, clippy::expect_used, missing_docs)]

use std::fmt::Write as _;

use gimbal_yawning_titan::draws::{Draws, Fast, Python};
use gimbal_yawning_titan::policy::{POLICIES, Policy};
use gimbal_yawning_titan::{BEHAVIOUR, RedKind, Scenario, Simulator};

const SCENARIOS: [(&str, &str, RedKind); 5] = [
    ("default", "default_18", RedKind::Standard),
    ("dcbo", "dcbo_base", RedKind::Sine),
    ("low_skill_red", "default_18_set_entry", RedKind::Standard),
    ("everything_guaranteed", "mesh_24", RedKind::Standard),
    ("high_value_node_provided", "mesh_5", RedKind::Sine),
];

fn digests<D: Draws>(name: &str, draws: impl Fn() -> D, out: &mut String) {
    for (mode, network, red) in SCENARIOS {
        for kind in POLICIES {
            let scenario = Scenario { red, ..Scenario::of(mode, network).unwrap() };
            let mut simulator = Simulator::new(&scenario, draws()).unwrap();
            let mut policy = Policy::new(kind);
            simulator.rebuild(2026).unwrap();
            policy.reset(2026);
            for _ in 0..60 {
                if simulator.done() {
                    break;
                }
                let action = policy.act(&simulator);
                simulator.step(action).unwrap();
            }
            let digest: String = simulator.digest()[..8].iter().map(|byte| format!("{byte:02x}")).collect();
            let (kind, red, total) = (kind.name(), red.name(), simulator.return_value());
            writeln!(out, "{name} {mode} {network} {red} {kind} {digest} {} {total:.6}", simulator.steps()).unwrap();
        }
    }
}

#[test]
fn the_digests_of_this_behaviour_are_golden() {
    let mut out = format!("behaviour {BEHAVIOUR}\n");
    digests("fast", || Fast::new(0), &mut out);
    digests("mersenne", || Python::new(0), &mut out);
    insta::assert_snapshot!("digests", out);
}
