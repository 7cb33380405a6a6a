//! Networks: their size, their scores, and that scores do not depend on the other rows.

use gimbal_core::{Digest, Scorer as _};
use gimbal_neural::data::{Conflict, Header, synthetic};
use gimbal_neural::eval::{judge, judge_together};
use gimbal_neural::net::{Said, Scratch};
use gimbal_neural::{Body, Net, Spec};

use super::support::{net, tiny};

// covers: CTHA-077, CTHA-R10
#[test]
fn the_published_encoder_has_five_point_eight_five_million_parameters() {
    let columns = ["urgency", "confidence", "action"];
    let published = Spec::of(Body::published(), &Header::new(&columns, 384, &[]));
    let count = |spec: &Spec, name: &str| {
        let shapes = spec.shapes();
        shapes.iter().filter(|shape| shape.name.starts_with(name)).map(|shape| shape.len()).sum::<usize>()
    };
    // Four blocks, as the work describes them: attention, feed-forward part, two norms.
    assert_eq!(count(&published, "block."), 4 * (4 * (256 * 256 + 256) + 2 * 256 * 1024 + 1024 + 256 + 4 * 256));
    assert_eq!((count(&published, "actions"), count(&published, "layers")), (2_560_000, 5 * 256));
    assert_eq!(count(&published, "context"), 384 * 256);
    // What the work has: all but the features of parties, which are ours, and the outcome's outputs.
    let ours = count(&published, "features") + count(&published, "outcome");
    assert_eq!(published.parameters() - ours, 5_852_677);
    assert_eq!(published.parameters(), 5_853_834);
    let small = Spec::of(Body::small(), &Header::new(&columns, 384, &[]));
    assert_eq!(small.parameters(), 717_898);
    assert!(Spec::of(Body::published().without_actions(), &Header::new(&["urgency"], 0, &[])).check().is_ok());
}

fn said(net: &Net, conflicts: &[&Conflict]) -> Vec<Said> {
    let rows: Vec<Vec<f32>> = conflicts.iter().flat_map(|conflict| conflict.rows()).collect();
    let rows: Vec<&[f32]> = rows.iter().map(Vec::as_slice).collect();
    let counts: Vec<usize> = conflicts.iter().map(|conflict| conflict.parties.len()).collect();
    net.forward(&rows, &counts, &mut Scratch::default())
}

// covers: CTHA-082
#[test]
fn a_conflict_gets_the_same_bits_beside_others_as_alone() {
    let data = synthetic::conflicts(9, 2);
    for body in [Body::Linear, Body::Mlp { hidden: 64 }, tiny()] {
        for eight in [false, true] {
            let net = net(body.clone(), 5, eight);
            let together = said(&net, &data.conflicts.iter().collect::<Vec<_>>());
            let alone: Vec<Said> = data.conflicts.iter().flat_map(|one| said(&net, &[one])).collect();
            assert_eq!(together, alone);
            assert!(together.iter().any(|one| one.score != together[0].score && one.outcome != 0.0));
        }
    }
}

// covers: CTHA-082
#[test]
fn many_conflicts_at_once_are_judged_as_one_after_the_other() {
    // More than a batch, among them one of a single party.
    let mut data = synthetic::conflicts(150, 4);
    data.conflicts[70].parties.truncate(1);
    for body in [Body::Linear, tiny()] {
        let net = net(body, 9, true);
        assert_eq!(judge_together(&data, &net), judge(&data, &net));
    }
}

/// The bits of scores are what episodes depend on: another order of a sum shows here.
#[test]
fn scores_stay_as_they_are_on_every_machine() {
    let data = synthetic::conflicts(20, 3);
    let digest = |body: Body, eight: bool| {
        let net = net(body, 6, eight);
        let said = said(&net, &data.conflicts.iter().collect::<Vec<_>>());
        let bytes: Vec<u8> = said.iter().flat_map(|one| [one.score, one.outcome]).flat_map(f32::to_le_bytes).collect();
        Digest::of(&bytes).short()
    };
    let found = [
        digest(Body::Linear, false),
        digest(Body::Mlp { hidden: 64 }, false),
        digest(tiny(), false),
        digest(tiny(), true),
    ];
    assert_eq!(found, ["992ca3981cc7", "80d6934032d7", "1d7fbd750d7d", "6d802d6b1223"]);
}

#[test]
fn blocks_of_integers_stay_near_the_full_numbers() {
    let data = synthetic::conflicts(50, 4);
    let conflicts: Vec<_> = data.conflicts.iter().collect();
    let (full, eight) = (said(&net(tiny(), 7, false), &conflicts), said(&net(tiny(), 7, true), &conflicts));
    let size = full.iter().map(|one| f64::from(one.score).abs()).fold(0.0, f64::max);
    let far = full.iter().zip(&eight).map(|(one, other)| f64::from(one.score - other.score).abs()).fold(0.0, f64::max);
    assert!(far > 0.0 && far < 0.05 * size, "{far} of {size}");
}

#[test]
fn scores_are_thousandths_and_one_party_needs_no_network() {
    let net = net(tiny(), 5, false);
    let conflict = &synthetic::conflicts(1, 2).conflicts[0];
    let rows = conflict.rows();
    let raw = said(&net, &[conflict]);
    assert_eq!(net.width(), rows[0].len());
    assert_eq!(net.score(&rows), raw.iter().map(|one| (one.score * 1000.0).round() as i64).collect::<Vec<_>>());
    assert!(net.outcome(&rows).iter().all(|chance| (0..=1000).contains(chance)));
    assert_eq!(net.score(&rows[..1]), [0]);
    assert_eq!(net.score(&[]), Vec::<i64>::new());
    // Rows that are not rows, and numbers that are none, are scored all the same.
    let odd = [vec![1.0], vec![f32::NAN; net.width()], vec![f32::MAX; net.width()]];
    assert_eq!(net.score(&odd).len(), 3);
    assert!(net.outcome(&odd).iter().all(|chance| (0..=1000).contains(chance)));
}
