//! What the episodes of a cell have in common, held and written out once.

use std::sync::{Arc, Mutex, MutexGuard, PoisonError};

use gimbal_core::{Brief, TextRef, ToolSpec};

use super::recorder::{RecordError, Recorder};
use super::texts::{keep, tools_text};

/// What the episodes of a cell have in common: mostly its tools and its brief. One for each cell of a run; an episode
/// that differs has its own.
#[derive(Debug, Default)]
pub struct Commons {
    tools: Mutex<Option<(Arc<[ToolSpec]>, TextRef)>>,
    queries: Mutex<Option<Arc<[ToolSpec]>>>,
    brief: Mutex<Option<Arc<Brief>>>,
}

fn locked<T>(mutex: &Mutex<T>) -> MutexGuard<'_, T> {
    mutex.lock().unwrap_or_else(PoisonError::into_inner)
}

impl Commons {
    /// The tools and their reference; the text is kept once.
    pub(super) fn tools(
        &self,
        recorder: &dyn Recorder,
        tools: &[ToolSpec],
    ) -> Result<(Arc<[ToolSpec]>, TextRef), RecordError> {
        let mut known = locked(&self.tools);
        if let Some((shared, reference)) = known.as_ref().filter(|(shared, _)| **shared == *tools) {
            return Ok((Arc::clone(shared), reference.clone()));
        }
        let fresh: (Arc<[ToolSpec]>, TextRef) = (tools.into(), keep(recorder, &tools_text(tools), &[])?);
        known.get_or_insert_with(|| fresh.clone());
        Ok(fresh)
    }

    /// The tracker's queries.
    pub(super) fn queries(&self, queries: &[ToolSpec]) -> Arc<[ToolSpec]> {
        let mut known = locked(&self.queries);
        let shared = known.get_or_insert_with(|| queries.into());
        if **shared == *queries { Arc::clone(shared) } else { queries.into() }
    }

    /// The brief.
    pub(super) fn brief(&self, brief: &Brief) -> Arc<Brief> {
        let mut known = locked(&self.brief);
        let shared = known.get_or_insert_with(|| Arc::new(brief.clone()));
        if **shared == *brief { Arc::clone(shared) } else { Arc::new(brief.clone()) }
    }
}
