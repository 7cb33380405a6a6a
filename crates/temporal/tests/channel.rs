//! Maps in play: what bounds them, and what they leave of what was seen.

use gimbal_core::Milli;
use gimbal_temporal::Layer;
use gimbal_temporal::channel::{Channel, Kind, Mapped, Seen, THRESHOLD, asks};
use proptest::prelude::*;

fn seen(harm: i64, waiting: i64) -> Seen {
    Seen { harm: Milli(harm), waiting: Milli(waiting), ..Seen::default() }
}

fn after(kind: Kind, steps: usize, rows: &[Seen]) -> (Channel, Mapped) {
    let mut channel = Channel::new(kind, rows.len());
    let mut last = None;
    for _ in 0..steps {
        last = Some(channel.step(rows).unwrap());
    }
    (channel, last.unwrap())
}

// covers: CTHA-025, CTHA-031
#[test]
fn a_projected_map_is_bounded_and_a_free_one_is_not() {
    let rows = [seen(1000, 1000), seen(125, 500), seen(0, 250), seen(0, 10)];
    let (_, projected) = after(Kind::Projected, 100, &rows);
    assert!(projected.scores.iter().all(|score| (0..=1000).contains(&score.0)), "{projected:?}");
    assert_eq!(projected.deviation, Milli::ZERO);
    let (_, free) = after(Kind::Free, 100, &rows);
    assert!(free.scores.iter().all(|score| score.0 > 1_000_000) && free.deviation > Milli(500), "{free:?}");
    // Numbers stay numbers in long episodes, where a free map passes every bound.
    let (channel, long) = after(Kind::Free, 5_000, &rows);
    assert!(channel.state().values().iter().all(|value| value.is_finite()));
    assert_eq!(long.shares.iter().sum::<u32>(), 1000);
}

// covers: CTHA-031
#[test]
fn shares_follow_what_concerns_a_layer_where_the_map_is_projected() {
    let quiet = [seen(0, 100); 4];
    let (_, even) = after(Kind::Projected, 20, &quiet);
    assert!(even.shares.iter().all(|share| share.abs_diff(250) <= 1), "{even:?}");
    let mut harmed = quiet;
    harmed[0] = seen(1000, 100);
    let (_, projected) = after(Kind::Projected, 20, &harmed);
    assert!(projected.shares[0] > 280 && projected.shares[0] > projected.shares[3], "{projected:?}");
    // What is over is forgotten: half of it in three steps.
    let (mut channel, _) = after(Kind::Projected, 20, &harmed);
    let over: Vec<Mapped> = (0..30).map(|_| channel.step(&quiet).unwrap()).collect();
    assert!(over[29].shares.iter().all(|share| share.abs_diff(250) <= 1), "{over:?}");
    // A free map favours layers of its own, where nothing distinguishes them.
    let (_, free) = after(Kind::Free, 100, &quiet);
    assert!(free.shares.iter().any(|share| share.abs_diff(250) > 20), "{free:?}");
}

#[test]
fn a_high_score_asks_every_layer_but_reflex() {
    assert!(!asks(Layer::Reflex, Milli(THRESHOLD)));
    assert!(asks(Layer::Strategic, Milli(THRESHOLD)) && !asks(Layer::Strategic, Milli(THRESHOLD - 1)));
    let error = Channel::new(Kind::Free, 3).step(&[Seen::default()]).unwrap_err().to_string();
    assert_eq!(error, "values of a matrix: found 1 x 4, expected 3 x 4");
    let nothing = Channel::new(Kind::Projected, 3).step(&[Seen::default(); 3]).unwrap();
    assert_eq!(nothing.shares, [334, 333, 333]);
    assert_eq!(Seen::share(9, 8), Milli(1000));
    assert_eq!(Seen::share(1, 0), Milli(1000));
}

proptest! {
    /// Shares are a division of the whole, whatever was seen, and the same twice.
    // covers: CTHA-031
    #[test]
    fn shares_are_a_division_of_the_whole(
        steps in prop::collection::vec(prop::collection::vec((-2000_i64..3000, -2000_i64..3000, 0_i64..1001, 0_i64..1001), 4), 1..30),
        free in any::<bool>(),
    ) {
        let kind = if free { Kind::Free } else { Kind::Projected };
        let (mut one, mut other) = (Channel::new(kind, 4), Channel::new(kind, 4));
        for step in &steps {
            let rows: Vec<Seen> = step.iter().map(|(harm, refused, waiting, held)| Seen {
                harm: Milli(*harm), refused: Milli(*refused), waiting: Milli(*waiting), held: Milli(*held),
            }).collect();
            let mapped = one.step(&rows).unwrap();
            prop_assert_eq!(mapped.shares.iter().sum::<u32>(), 1000);
            prop_assert_eq!(&mapped, &other.step(&rows).unwrap());
            if !free {
                // Sums of rows are 1 up to what the rounds of the projection leave.
                prop_assert!(mapped.scores.iter().all(|score| (0..=1001).contains(&score.0)));
            }
        }
    }
}
