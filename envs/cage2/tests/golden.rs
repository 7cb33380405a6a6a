//! What a seed gives is fixed by `BEHAVIOUR`: whoever changes a digest here raises that number.
#![allow(clippy::unwrap_used, clippy::expect_used, missing_docs)]

use std::fmt::Write as _;

use gimbal_cage2::draws::{Draws, Fast, Mersenne};
use gimbal_cage2::options::REDS;
use gimbal_cage2::policy::{POLICIES, Policy};
use gimbal_cage2::{BEHAVIOUR, Green, Options, Simulator};

fn digests<D: Draws>(name: &str, draws: impl Fn() -> D, out: &mut String) {
    for red in REDS {
        for green in [Green::Sleep, Green::Scan] {
            for kind in POLICIES {
                let mut simulator = Simulator::new(Options { red, green, horizon: 100 }, draws());
                let mut policy = Policy::new(kind);
                simulator.reset(2026);
                policy.reset(2026);
                while !simulator.done() {
                    simulator.step(policy.act(simulator.vector()));
                }
                let digest: String = simulator.digest()[..8].iter().map(|byte| format!("{byte:02x}")).collect();
                writeln!(
                    out,
                    "{name} {} {} {} {digest} {:.1}",
                    red.name(),
                    green.name(),
                    kind.name(),
                    simulator.return_value()
                )
                .unwrap();
            }
        }
    }
}

#[test]
fn the_digests_of_this_behaviour_are_golden() {
    let mut out = format!("behaviour {BEHAVIOUR}\n");
    digests("fast", || Fast::new(0), &mut out);
    digests("mersenne", || Mersenne::new(0), &mut out);
    insta::assert_snapshot!("digests", out);
}
