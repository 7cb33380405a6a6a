//! The weights that come with the program: the file is the one that its card names, and it decides as stated.

use gimbal_core::{Digest, Scorer as _};
use gimbal_neural::data::Dataset;
use gimbal_neural::eval::judge;
use gimbal_neural::net::Net;

const WEIGHTS: &[u8] = include_bytes!("../../../weights/arbiter/arbiter.weights");
const CARD: &str = include_str!("../../../weights/arbiter/README.md");
/// Conflicts of the test part, and the candidate that the network chooses in each, in their order.
const CONFLICTS: &str = include_str!("../../../weights/arbiter/conflicts.jsonl");
const DECISIONS: &str = include_str!("../../../weights/arbiter/decisions.txt");

// covers: CTHA-136
#[test]
fn the_shipped_weights_are_those_of_their_card() {
    let net = Net::read(WEIGHTS).unwrap();
    assert!(CARD.contains(&format!("`{}`", net.identity())), "the card does not name {}", net.identity());
    assert!(CARD.contains(&format!("`{}`", Digest::of(WEIGHTS))), "the card does not name {}", Digest::of(WEIGHTS));
    let card = net.card();
    assert!(card.changes.is_empty(), "{:?}", card.changes);
    assert!(CARD.contains(&format!("`{}`", card.data)), "the card does not name the conflicts {}", card.data);
    assert!(CARD.contains(&format!("--preset {} --seed {}", card.preset, card.seed)), "{card:?}");
    assert_eq!(card.history.len(), card.epochs as usize);
}

// covers: CTHA-136
#[test]
fn the_shipped_weights_decide_as_stated() {
    let net = Net::read(WEIGHTS).unwrap();
    let data = Dataset::read(CONFLICTS).unwrap();
    net.fits(&data.header).unwrap();
    let chosen: Vec<usize> = judge(&data, &net).iter().map(|judged| judged.candidate).collect();
    let stated: Vec<usize> = DECISIONS.split_whitespace().map(|word| word.parse().unwrap()).collect();
    assert_eq!(chosen, stated);
    // No constant answer passes, and neither does the rule by default.
    let greedy = data.header.rules.iter().position(|rule| rule == "greedy").unwrap();
    assert!(data.conflicts.iter().zip(&stated).any(|(conflict, stated)| conflict.choices[greedy] != *stated));
    assert!(stated.iter().any(|place| *place != stated[0]));
}
