//! Calling a run off, in two degrees.

use std::sync::Arc;
use std::sync::atomic::{AtomicU8, Ordering};

use tokio::sync::Notify;

/// Shared by everything that a run started. First degree: nothing new begins, work under way is awaited. Second
/// degree: nothing is awaited.
#[derive(Clone, Debug, Default)]
pub struct Cancel(Arc<Inner>);

#[derive(Debug, Default)]
struct Inner {
    degree: AtomicU8,
    changed: Notify,
}

impl Cancel {
    /// Raises the degree by one; the second and later times mean the same.
    pub fn raise(&self) {
        let _ = self.0.degree.fetch_update(Ordering::SeqCst, Ordering::SeqCst, |degree| Some((degree + 1).min(2)));
        self.0.changed.notify_waiters();
    }

    /// Whether the run was cancelled, in any degree.
    #[must_use]
    pub fn asked(&self) -> bool {
        self.0.degree.load(Ordering::Relaxed) > 0
    }

    /// Returns when the degree is at least `degree`.
    pub async fn reached(&self, degree: u8) {
        loop {
            let changed = self.0.changed.notified();
            tokio::pin!(changed);
            changed.as_mut().enable();
            if self.0.degree.load(Ordering::SeqCst) >= degree {
                return;
            }
            changed.await;
        }
    }
}
