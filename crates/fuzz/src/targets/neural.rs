//! Conflicts with simulated values, and weights of networks.

use gimbal_core::{Digest, Scorer as _};
use gimbal_neural::data::{Header, synthetic};
use gimbal_neural::eval::{evaluate, judge};
use gimbal_neural::net::Card;
use gimbal_neural::{Body, Dataset, File, Net, Spec};

use super::text;

/// Bytes of the digest at the end of a file of weights.
const DIGEST: usize = 32;

fn net(body: Body, eight: bool) -> Option<Vec<u8>> {
    let spec = Spec::of(body, &Header::new(&synthetic::COLUMNS, 0, &[]));
    let values: Vec<Vec<f32>> = spec.shapes().iter().map(|shape| vec![0.25; shape.len()]).collect();
    Net::file(&spec, &Card::default(), &values, eight).ok()
}

pub fn conflicts() -> Vec<Vec<u8>> {
    let lines = |count| synthetic::conflicts(count, 1).write().map(String::into_bytes).unwrap_or_default();
    vec![lines(1), lines(3)]
}

/// What is read is written and read again as the same, and can be measured.
pub fn conflict(bytes: &[u8]) {
    let Some(Ok(data)) = text(bytes).map(Dataset::read) else { return };
    let again = data.write().map(|text| Dataset::read(&text));
    assert_eq!(again, Ok(Ok(data.clone())));
    if let Some(Ok(net)) = net(Body::Linear, false).map(|bytes| Net::read(&bytes)) {
        let groups = evaluate(&data, &judge(&data, &net));
        assert!(
            groups
                .iter()
                .all(|group| group.choosers.iter().all(|one| one.regret.is_none_or(|regret| regret.value >= 0.0)))
        );
    }
    let _ = (data.shuffled(1).write(), data.first(2), data.masked("age"));
}

pub fn weights() -> Vec<Vec<u8>> {
    let encoder = Body::Encoder { blocks: 1, width: 32, inner: 32, heads: 2, table: 8 };
    [net(Body::Linear, false), net(Body::Mlp { hidden: 32 }, true), net(encoder, true)].into_iter().flatten().collect()
}

/// Bytes as they come, and with a digest that fits, so that what is behind it is reached.
pub fn weight(bytes: &[u8]) {
    let _ = Net::read(bytes);
    let Some(before) = bytes.len().checked_sub(DIGEST).and_then(|end| bytes.get(..end)) else { return };
    let mut signed = before.to_vec();
    signed.extend(Digest::of(before).0);
    if let Ok(file) = File::read(&signed) {
        assert_eq!(file.write().and_then(|bytes| File::read(&bytes)), Ok(file));
    }
    if let Ok(net) = Net::read(&signed) {
        let rows = vec![vec![0.5; net.width()]; 3];
        assert!(net.score(&rows).len() == 3 && net.outcome(&rows).iter().all(|chance| (0..=1000).contains(chance)));
    }
}
