//! The whole of what the household player knows beyond its prompt: which furniture cleans, heats and cools. Any model knows it.

use super::goal::Treatment;

/// The kinds of furniture that serve.
pub(super) const fn serves(treatment: Treatment) -> &'static [&'static str] {
    match treatment {
        Treatment::Clean => &["sinkbasin", "sink"],
        Treatment::Heat => &["microwave"],
        Treatment::Cool => &["fridge"],
    }
}
