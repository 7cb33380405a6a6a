//! The whole of what the household player knows beyond its prompt: which furniture cleans, heats and cools. Any model knows it.

use super::goal::Care;

/// The kinds of furniture that serve.
pub(super) const fn serves(care: Care) -> &'static [&'static str] {
    match care {
        Care::Clean => &["sinkbasin", "sink"],
        Care::Heat => &["microwave"],
        Care::Cool => &["fridge"],
    }
}
