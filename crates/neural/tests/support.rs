//! What several tests need.

use gimbal_core::Rng;
use gimbal_neural::data::{Header, synthetic};
use gimbal_neural::net::Card;
use gimbal_neural::{Body, Net, Spec};

/// A spec for synthetic conflicts.
pub fn spec(body: Body) -> Spec {
    Spec::of(body, &Header::new(&synthetic::COLUMNS, 0, &[]))
}

/// A small encoder, wide enough for blocks of 32.
pub const fn tiny() -> Body {
    Body::Encoder { blocks: 2, width: 64, inner: 96, heads: 4, table: 50 }
}

/// Random values for all tensors of a spec: matrices with a variance of one over their inputs, so that numbers stay in a usual range.
pub fn values(spec: &Spec, seed: u64) -> Vec<Vec<f32>> {
    let mut rng = Rng::stream(seed, "tests/values");
    let mut draw = |name: &str, columns: usize| {
        let unit = (rng.unit() * 2.0 - 1.0) as f32;
        if name.contains("norm") && name.ends_with("weight") || name == "input.scale" {
            1.0 + 0.2 * unit
        } else if columns > 1 {
            1.7 * unit / (columns as f32).sqrt()
        } else {
            0.3 * unit
        }
    };
    spec.shapes().iter().map(|shape| (0..shape.len()).map(|_| draw(&shape.name, shape.columns)).collect()).collect()
}

pub fn bytes(spec: &Spec, seed: u64, eight: bool) -> Vec<u8> {
    Net::file(spec, &Card::default(), &values(spec, seed), eight).unwrap()
}

pub fn net(body: Body, seed: u64, eight: bool) -> Net {
    Net::read(&bytes(&spec(body), seed, eight)).unwrap()
}
