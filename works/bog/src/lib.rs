//! The work BOG: agents with context, deliberation and hierarchy in one environment.
//!
//! Its protocol, tables, figures and printed numbers, in one list ([`Bog`]). Statistics live in `gimbal-analysis`, the
//! drawing kit in `gimbal-view`.

mod figures;
mod items;
pub mod printed;
pub mod replication;
mod tables;

use std::sync::LazyLock;

use gimbal_analysis::Protocol;
use gimbal_view::work::{Item, Work};

/// The work.
#[derive(Clone, Copy, Debug)]
pub struct Bog;

static PROTOCOL: LazyLock<Protocol> = LazyLock::new(|| {
    #[expect(clippy::expect_used, reason = "the file is compiled in, and a test reads it")]
    Protocol::parse(include_str!("../../../papers/protocol.yaml"), "papers/protocol.yaml").expect("valid")
});

/// Which configuration is what, as the work has it: `papers/protocol.yaml`.
#[must_use]
pub fn protocol() -> &'static Protocol {
    &PROTOCOL
}

impl Work for Bog {
    fn name(&self) -> &'static str {
        "bog"
    }

    fn items(&self) -> &'static [Item] {
        items::ITEMS
    }

    fn protocol(&self) -> Option<&'static Protocol> {
        Some(protocol())
    }
}
