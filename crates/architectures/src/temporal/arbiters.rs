//! The arbiter that settings name.

use gimbal_core::Milli;
use gimbal_temporal::Layer;
use gimbal_temporal::arbiter::{Arbiter, Mode, Tie, Weights};
use gimbal_temporal::authority::{Authority, Category, Scope};
use gimbal_temporal::rollout::by_layer;

use super::settings::{ArbiterKind, RuleWeights};

/// The arbiter of these settings, with other weights of the score where there are some.
pub(super) fn arbiter(kind: ArbiterKind, authority: bool, weights: Option<RuleWeights>) -> Arbiter {
    let arbiter = of_kind(kind, authority);
    match weights {
        Some(given) => Arbiter {
            weights: given.into(),
            rules: given.rules.unwrap_or(arbiter.rules),
            tie: given.tie.map_or(arbiter.tie, Into::into),
            ..arbiter
        },
        None => arbiter,
    }
}

fn of_kind(kind: ArbiterKind, authority: bool) -> Arbiter {
    let held = if authority { Authority::published() } else { unbound() };
    let rules = authority;
    match kind {
        ArbiterKind::Greedy | ArbiterKind::Learned | ArbiterKind::Rollout | ArbiterKind::Last => {
            Arbiter { rules, authority: held, ..Arbiter::default() }
        }
        ArbiterKind::Literal => {
            Arbiter { rules, mode: Mode::Literal, tie: Tie::KeepSlower, authority: held, ..Arbiter::default() }
        }
        ArbiterKind::Published => Arbiter { authority: held, ..Arbiter::published() },
        ArbiterKind::Faster => Arbiter { authority: held, ..by_layer(Tie::KeepFaster) },
        ArbiterKind::Slower => Arbiter { authority: held, ..by_layer(Tie::KeepSlower) },
        // What is drawn is added to the score, and decides alone.
        ArbiterKind::Random => {
            let weights = Weights { base: [Milli::ZERO; 5], ..by_layer(Tie::KeepFaster).weights };
            Arbiter { authority: held, weights, ..by_layer(Tie::KeepFaster) }
        }
    }
}

/// Scopes under which every layer may decide everything.
fn unbound() -> Authority {
    let scope = |layer: Layer| Scope { layer, permits: Category::ALL.to_vec(), excludes: Vec::new() };
    Authority::new(Layer::ALL.map(scope).to_vec()).unwrap_or_else(|_| Authority::published())
}
