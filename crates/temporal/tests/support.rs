//! What several tests need.

use std::sync::LazyLock;

use gimbal_core::{Milli, ToolCall};
use gimbal_temporal::Layer;
use gimbal_temporal::contracts::{Contracts, Envelope, Kind, Projected};
use serde_json::Value;

pub static CONTRACTS: LazyLock<Contracts> = LazyLock::new(|| Contracts::published().unwrap());

/// The usual sender and receiver of a kind.
pub const fn route(kind: Kind) -> (Layer, Layer) {
    match kind {
        Kind::Summary => (Layer::Reflex, Layer::Tactical),
        Kind::Plan => (Layer::Strategic, Layer::Tactical),
        Kind::Policy => (Layer::Institutional, Layer::Strategic),
    }
}

pub fn project(kind: Kind, value: Value) -> Projected {
    let (sender, receiver) = route(kind);
    CONTRACTS.project(kind, value, &Envelope::new(sender, receiver, Milli(7000)))
}

pub fn call(tool: &str, subject: &str) -> ToolCall {
    ToolCall::with(tool, &[("subject", subject)])
}
