//! Composition: the directives that hold, and one call (CTHA-074, CTHA-075).

use gimbal_core::ToolCall;
use serde::{Deserialize, Serialize};

use crate::authority::Authority;
use crate::{Directive, Layer, Proposal};

/// What the environment takes now.
#[derive(Clone, Copy)]
pub struct Scene<'a> {
    /// The call that does nothing. It is always open, whatever a policy says.
    pub idle: &'a ToolCall,
    /// Whether the environment takes a call now.
    pub open: &'a dyn Fn(&ToolCall) -> bool,
    /// Whether a call stops something and begins nothing, so that it may come before a policy in an emergency. The idle call is such a call.
    pub stops: &'a dyn Fn(&ToolCall) -> bool,
}

/// One call and the directives that hold after it.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct Composed {
    /// The call.
    pub call: ToolCall,
    /// The layer whose call it is; `None` for the idle call in the place of a call.
    pub caller: Option<Layer>,
    /// Directives that hold, of the slowest layer first, with their layers.
    pub directives: Vec<(Layer, Directive)>,
}

/// A party that was kept by the arbiter and not carried out.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct Skipped {
    /// Place of the party.
    pub place: usize,
    /// Why.
    pub why: Skip,
}

/// Why a party is not carried out.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum Skip {
    /// Its layer may not decide this.
    Authority,
    /// The environment does not take the call now.
    NotNow,
    /// A directive that holds does not let the call through.
    Directive,
    /// A faster layer's call is made.
    Later,
}

/// What a composition made of its parties.
pub(crate) struct Composition {
    /// The call and the directives.
    pub composed: Composed,
    /// Places of the parties that are in effect, in order.
    pub kept: Vec<usize>,
    /// The other parties, in the order of their places.
    pub skipped: Vec<Skipped>,
}

/// Composes parties that are in no conflict; `parties` come with their places, in the order of their layers.
pub(crate) fn compose(parties: &[(usize, &Proposal)], authority: &Authority, scene: &Scene<'_>) -> Composition {
    let (mut kept, mut skipped) = (Vec::new(), Vec::new());
    let mut directives: Vec<(Layer, Directive)> = Vec::new();
    for (place, party) in parties.iter().rev() {
        let Some(directive) = party.as_directive() else { continue };
        if authority.permits(party.layer, party.category) {
            directives.push((party.layer, directive.clone()));
            kept.push(*place);
        } else {
            skipped.push(Skipped { place: *place, why: Skip::Authority });
        }
    }
    let mut chosen: Option<(Layer, ToolCall)> = None;
    for (place, party) in parties {
        let Some(call) = party.as_call() else { continue };
        let why = if !authority.permits(party.layer, party.category) {
            Skip::Authority
        } else if chosen.as_ref().is_some_and(|(_, made)| made != call) {
            Skip::Later
        } else if call != scene.idle && !(scene.open)(call) {
            Skip::NotNow
        } else if call != scene.idle && directives.iter().any(|(_, directive)| !directive.allows(call)) {
            Skip::Directive
        } else {
            if chosen.is_none() {
                chosen = Some((party.layer, call.clone()));
            }
            kept.push(*place);
            continue;
        };
        skipped.push(Skipped { place: *place, why });
    }
    kept.sort_unstable();
    skipped.sort_by_key(|one| one.place);
    let (caller, call) = chosen.map_or_else(|| (None, scene.idle.clone()), |(layer, call)| (Some(layer), call));
    Composition { composed: Composed { call, caller, directives }, kept, skipped }
}
