//! What holds of every environment and every text.
#![allow(clippy::unwrap_used, clippy::expect_used, missing_docs)]

use gimbal_yawning_titan::action::Vocabulary;
use gimbal_yawning_titan::draws::{Fast, Python};
use gimbal_yawning_titan::facts::{MODES, NETWORKS};
use gimbal_yawning_titan::names::Names;
use gimbal_yawning_titan::rules::KINDS;
use gimbal_yawning_titan::{RedKind, Scenario, Simulator};
use proptest::prelude::*;

/// Everything switched on that can be, so that nodes come, go and move.
fn lively(mode: &str, network: &str, red: RedKind) -> Scenario {
    let mut scenario = Scenario { red, ..Scenario::of(mode, network).unwrap() };
    for name in [
        "blue.action_set.deceptive_nodes.use",
        "blue.action_set.restore_node",
        "blue.action_set.make_node_safe.use",
        "blue.action_set.isolate_node",
        "blue.action_set.reconnect_node",
        "blue.action_set.scan",
    ] {
        scenario.config.set(name, &serde_json::json!(true)).unwrap();
    }
    scenario
}

fn scenarios() -> impl Strategy<Value = Scenario> {
    (0..MODES.len(), 0..NETWORKS.len(), any::<bool>()).prop_map(|(mode, network, sine)| {
        let red = if sine { RedKind::Sine } else { RedKind::Standard };
        lively(MODES[mode].name, NETWORKS[network].name, red)
    })
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(60))]

    #[test]
    fn environments_stay_consistent_and_repeat(scenario in scenarios(), seed in any::<u32>(), actions in prop::collection::vec(any::<u32>(), 1..60)) {
        let mut one = Simulator::new(&scenario, Python::new(0)).unwrap();
        let mut other = Simulator::new(&scenario, Python::new(7)).unwrap();
        // A used simulator is as good as a new one.
        if other.rebuild(99).is_ok() {
            for action in &actions {
                let _ = other.step(*action % 50);
            }
        }
        let begun = one.rebuild(u64::from(seed));
        prop_assert_eq!(begun, other.rebuild(u64::from(seed)));
        prop_assume!(begun.is_ok());
        for action in actions {
            let action = action % (one.action_count() + 3);
            let result = one.step(action);
            prop_assert_eq!(result.map(f64::to_bits), other.step(action).map(f64::to_bits));
            prop_assert_eq!(one.digest(), other.digest());
            if result.is_err() {
                break;
            }
            check(&one)?;
        }
    }

    #[test]
    fn any_text_is_read_or_refused_and_what_is_read_is_written_back(text in "\\PC{0,60}", kind in 0..5_usize, node in 0..20_u16, seed in any::<u64>()) {
        let edges = vec![(0, 1), (1, 2), (17, 3)];
        let words = Vocabulary { names: Names::shuffled(18, 2, seed), kinds: KINDS.to_vec(), scan: true, edges };
        let written = words.render(gimbal_yawning_titan::Intent::On(KINDS[kind], node)).unwrap();
        prop_assert_eq!(words.parse(&written), Ok(gimbal_yawning_titan::Intent::On(KINDS[kind], node)));
        for text in [text.clone(), format!("RestoreNode {text}"), format!("AddDeceptiveNode {text}")] {
            if let Ok(intent) = words.parse(&text) {
                prop_assert_eq!(words.parse(&words.render(intent).unwrap()), Ok(intent));
            }
        }
    }

    #[test]
    fn the_two_generators_draw_within_range(seed in any::<u64>(), count in 1_usize..40) {
        use gimbal_yawning_titan::draws::{Draws, Purpose, Site};
        fn check<D: Draws>(mut draws: D, count: usize) {
            let site = Site::new(Purpose::Action);
            let population: Vec<u16> = (0..count as u16).collect();
            let weights = vec![1.0 / count as f64; count];
            assert!((0..=100).contains(&draws.randint(site, 0, 100)));
            assert!((0.1..=1.0).contains(&draws.uniform(site, 0.1, 1.0)));
            assert!(draws.weighted(site, &population, &weights) < count);
            assert!(draws.choices(site, &population) < count);
            let mut shuffled = population.clone();
            draws.shuffle(site, &mut shuffled);
            shuffled.sort_unstable();
            assert_eq!(shuffled, population);
            for wanted in [1, count / 2, count] {
                for numpy in [false, true] {
                    let mut chosen = vec![0; wanted];
                    if numpy {
                        draws.numpy_choice(site, &population, &weights, &mut chosen);
                    } else {
                        draws.sample(site, &population, &mut chosen);
                    }
                    chosen.sort_unstable();
                    chosen.dedup();
                    assert!(chosen.len() == wanted && chosen.iter().all(|at| (*at as usize) < count));
                }
            }
        }
        check(Fast::new(seed), count);
        check(Python::new(seed), count);
    }
}

/// What must hold after every step.
fn check<D>(simulator: &Simulator<D>) -> Result<(), TestCaseError> {
    let nodes = simulator.nodes();
    for node in nodes.iter().copied() {
        for other in simulator.neighbours(node) {
            prop_assert!(simulator.neighbours(*other).contains(&node), "edges go both ways");
            prop_assert!(nodes.contains(other), "no edge leads out");
        }
        prop_assert!(!simulator.isolated(node) || simulator.neighbours(node).is_empty());
        prop_assert!(simulator.compromised(node) || !simulator.seen_compromised(node), "what blue sees is true");
    }
    let odd = simulator.vector().len() - simulator.announced_length();
    prop_assert!(odd <= 1);
    prop_assert!(simulator.vector().iter().all(|value| value.is_finite()));
    Ok(())
}
