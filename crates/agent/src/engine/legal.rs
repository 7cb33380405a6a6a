//! Legal actions, up to a cap.

use std::sync::Arc;

use gimbal_core::{Stage, ToolCall};

/// The legal actions of a step.
#[derive(Clone, Debug)]
pub(super) struct Legal {
    pub(super) calls: Vec<ToolCall>,
    /// The same as the world writes them.
    pub(super) texts: Arc<[String]>,
    /// Whether there are more than were asked for.
    pub(super) narrowed: bool,
}

/// The first `cap` legal calls, in the environment's order, still without their texts. Of an agent that works on one
/// subject, the caller narrows further.
pub(super) async fn legal(stage: &dyn Stage, cap: usize) -> Legal {
    let mut calls = stage.legal(cap.saturating_add(1)).await;
    let narrowed = calls.len() > cap;
    calls.truncate(cap);
    Legal { calls, texts: Arc::new([]), narrowed }
}
