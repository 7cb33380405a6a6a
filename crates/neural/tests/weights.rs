//! Files of weights: what is refused, and how it is said.

use gimbal_core::{Digest, Scorer as _};
use gimbal_neural::data::Header;
use gimbal_neural::net::Card;
use gimbal_neural::{Body, File, Net, Spec, WeightsError};
use proptest::prelude::*;

use super::support::{bytes, net, spec, tiny, values};

/// The same file with something changed and a digest that fits.
fn signed(mut bytes: Vec<u8>, change: impl Fn(&mut Vec<u8>)) -> Vec<u8> {
    bytes.truncate(bytes.len() - 32);
    change(&mut bytes);
    let digest = Digest::of(&bytes);
    bytes.extend(digest.0);
    bytes
}

#[test]
fn weights_come_back_with_their_card() {
    let spec = spec(tiny());
    let card =
        Card { preset: "test".to_owned(), seed: 4, changes: vec!["shuffled labels".to_owned()], ..Card::default() };
    for eight in [false, true] {
        let bytes = Net::file(&spec, &card, &values(&spec, 1), eight).unwrap();
        let net = Net::read(&bytes).unwrap();
        assert_eq!((net.spec(), net.card()), (&spec, &card));
        assert_eq!(Some(net.digest()), File::digest(&bytes));
        assert!(net.identity().starts_with(if eight { "encoder/q8_0/1/" } else { "encoder/f32/1/" }));
        let file = File::read(&bytes).unwrap();
        assert_eq!(file.write().unwrap(), bytes);
    }
}

#[test]
fn damaged_weights_are_refused_and_the_reason_is_said() {
    let spec = spec(tiny());
    let good = bytes(&spec, 1, true);
    let of = |bytes: &[u8]| Net::read(bytes).unwrap_err();
    assert!(matches!(of(&good[..20]), WeightsError::Short { found: 20, .. }));
    assert!(matches!(of(&good[..good.len() - 1]), WeightsError::Truncated { .. }));
    assert!(matches!(of(&good[..60]), WeightsError::Truncated { .. }));
    assert!(matches!(of(&[&good[..], b"x"].concat()), WeightsError::Truncated { .. }));
    let mut changed = good.clone();
    changed[0] = b'x';
    assert_eq!(of(&changed), WeightsError::Magic);
    let mut changed = good.clone();
    changed[8] = 9;
    assert_eq!(of(&changed), WeightsError::Version { found: 9, expected: 1 });
    let mut changed = good.clone();
    let at = good.len() - 100;
    changed[at] ^= 1;
    assert!(matches!(of(&changed), WeightsError::Digest { .. }));
    let text = |from: &'static str, to: &'static str| {
        signed(good.clone(), move |bytes| {
            let at = bytes.windows(from.len()).position(|window| window == from.as_bytes()).unwrap();
            bytes[at..at + from.len()].copy_from_slice(to.as_bytes());
        })
    };
    assert_eq!(
        of(&text("arbiter", "arbitre")),
        WeightsError::What { found: "arbitre".to_owned(), expected: "arbiter" }
    );
    assert_eq!(of(&text("\"norm.bias\"", "\"mnor.bias\"")), WeightsError::Missing { name: "norm.bias".to_owned() });
    assert!(matches!(of(&text("\"heads\":4", "\"heads\":5")), WeightsError::Spec(_)));
    assert!(matches!(of(&text("\"heads\":4", "\"heads\":x")), WeightsError::Header(_)));
    assert!(matches!(of(&text("\"inner\":96", "\"inner\":64")), WeightsError::Shape { found: [96, 64], .. }));
    let plain = bytes(&spec, 1, false);
    let infinite = signed(plain, |bytes| {
        let at = bytes.len() - 4;
        bytes[at..].copy_from_slice(&f32::NAN.to_le_bytes());
    });
    assert_eq!(of(&infinite), WeightsError::NotFinite { name: "outcome.bias".to_owned() });
}

#[test]
fn data_with_other_columns_are_refused() {
    let net = net(Body::Linear, 1, false);
    let other = Header::new(&["urgency"], 0, &[]);
    assert!(net.fits(&other).unwrap_err().to_string().contains("these data have urgency"));
    let context = Header { context: 4, ..Header::new(&gimbal_neural::data::synthetic::COLUMNS, 0, &[]) };
    assert_eq!(net.fits(&context), Err(WeightsError::Context { found: 0, expected: 4 }));
    let without = Spec::of(tiny(), &Header::new(&["urgency"], 0, &[]));
    assert!(without.check().unwrap_err().to_string().contains("--without actions"));
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(64))]
    #[test]
    fn no_damaged_file_is_read(position in 0_usize..4000, byte in 0_u8..=255) {
        let good = bytes(&spec(Body::Linear), 1, false);
        let mut damaged = good.clone();
        let at = position % damaged.len();
        damaged[at] = byte;
        prop_assert!(damaged == good || Net::read(&damaged).is_err());
        prop_assert!(Net::read(&good[..at]).is_err());
    }
}
