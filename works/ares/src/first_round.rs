//! What the sides had heard when the first round was judged, in words.

use crate::cases::{Case, Side};

/// Who had heard the other side in the first round of these cells, for a sentence about that round. Each cell has its name.
///
/// A Skeptic of code answers the Architect from the first round on, and so does a model with the setting `skeptic_sees_thesis` (ARES-041).
pub fn words<'c>(cells: impl IntoIterator<Item = (String, &'c [Case])>) -> String {
    let mut all = 0;
    let mut by_side: [Vec<String>; 2] = [Vec::new(), Vec::new()];
    for (name, cases) in cells {
        all += 1;
        for side in Side::BOTH {
            if cases.iter().any(|case| case.heard_first(side)) {
                by_side[side as usize].push(name.clone());
            }
        }
    }
    let heard = |side: Side| match side {
        Side::Architect => "the Architect has heard the Skeptic",
        Side::Skeptic => "the Skeptic has heard the Architect",
    };
    let with: Vec<(Side, &Vec<String>)> =
        Side::BOTH.into_iter().zip(&by_side).filter(|(_, names)| !names.is_empty()).collect();
    match with.as_slice() {
        [] => "neither side has heard the other".to_owned(),
        [(side, names)] if names.len() == all => heard(*side).to_owned(),
        with => {
            let except: Vec<String> =
                with.iter().map(|(side, names)| format!("{} ({})", heard(*side), listed(names))).collect();
            format!("neither side has heard the other, but in some cells {}", except.join(" and "))
        }
    }
}

/// Names, each once, in their order.
fn listed(names: &[String]) -> String {
    let mut once: Vec<&str> = Vec::new();
    for name in names {
        if !once.contains(&name.as_str()) {
            once.push(name);
        }
    }
    once.join(", ")
}
