//! What the episodes of a cell have in common, held and written out once.

use std::sync::{Arc, Mutex, MutexGuard, PoisonError};

use gimbal_core::{Brief, Digest, Environment, Observation, TextRef, ToolCall, ToolSpec};

use super::legal::Menu;
use super::recorder::{RecordError, Recorder};
use super::texts::{keep, tools_text};

/// What the episodes of a cell have in common: mostly its tools, brief and legal calls. One for each cell of a run; an
/// episode that differs has its own.
#[derive(Debug, Default)]
pub struct CellCache {
    tools: Mutex<Option<(Arc<[ToolSpec]>, TextRef)>>,
    queries: Mutex<Option<Arc<[ToolSpec]>>>,
    brief: Mutex<Option<Arc<Brief>>>,
    menu: Mutex<Option<Arc<Menu>>>,
    first: Mutex<Option<(Digest, Arc<Observation>)>>,
}

fn locked<T>(mutex: &Mutex<T>) -> MutexGuard<'_, T> {
    mutex.lock().unwrap_or_else(PoisonError::into_inner)
}

impl CellCache {
    /// The tools and their reference; the text is kept once.
    pub(super) fn tools(
        &self,
        recorder: &dyn Recorder,
        tools: &Arc<[ToolSpec]>,
    ) -> Result<(Arc<[ToolSpec]>, TextRef), RecordError> {
        let mut known = locked(&self.tools);
        let same = |shared: &Arc<[ToolSpec]>| Arc::ptr_eq(shared, tools) || shared == tools;
        if let Some((shared, reference)) = known.as_ref().filter(|(shared, _)| same(shared)) {
            return Ok((Arc::clone(shared), reference.clone()));
        }
        let fresh = (Arc::clone(tools), keep(recorder, &tools_text(tools), &[])?);
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
    pub(super) fn brief(&self, brief: &Arc<Brief>) -> Arc<Brief> {
        let mut known = locked(&self.brief);
        let shared = known.get_or_insert_with(|| Arc::clone(brief));
        Arc::clone(if Arc::ptr_eq(shared, brief) || shared == brief { shared } else { brief })
    }

    /// The legal calls now, at most `cap`: the list of before, of whichever episode, where they are the same. What is made of a list is found by its
    /// address.
    pub(super) fn legal(&self, environment: &dyn Environment, cap: usize) -> Arc<[ToolCall]> {
        let known = locked(&self.menu).clone();
        if let Some(menu) = known.filter(|menu| menu.stands(environment, cap)) {
            return menu.calls();
        }
        let fresh = Menu::of(environment, cap);
        let mut known = locked(&self.menu);
        // Another episode may have been faster.
        if let Some(menu) = known.as_ref().filter(|menu| menu.stands(environment, cap)) {
            return menu.calls();
        }
        known.insert(Arc::new(fresh)).calls()
    }

    /// A first observation of the cell, which others are likely to resemble, and its hash.
    pub(super) fn first(&self) -> Option<(Digest, Arc<Observation>)> {
        locked(&self.first).clone()
    }

    /// Offers a stored first observation to the other episodes.
    pub(super) fn begun(&self, digest: Digest, first: &Arc<Observation>) {
        locked(&self.first).get_or_insert_with(|| (digest, Arc::clone(first)));
    }
}

#[cfg(test)]
mod tests {
    use std::sync::{Arc, Barrier};
    use std::thread;

    use serde_json::json;

    use super::CellCache;

    #[test]
    fn episodes_that_begin_at_once_share_one_list_of_legal_calls() {
        let family = gimbal_testkit::environments().into_iter().find(|family| family.name() == "corridor").unwrap();
        // The race is short: many cells, so that a list of its own would be seen.
        for _ in 0..500 {
            let (cache, barrier) = (CellCache::default(), Barrier::new(2));
            let begun = || {
                let environment = family.open(&json!({})).unwrap();
                barrier.wait();
                cache.legal(&*environment, usize::MAX)
            };
            let first =
                thread::scope(|scope| [scope.spawn(begun), scope.spawn(begun)].map(|begun| begun.join().unwrap()));
            let later = cache.legal(&*family.open(&json!({})).unwrap(), usize::MAX);
            assert!(!later.is_empty() && first.iter().all(|list| Arc::ptr_eq(list, &later)));
        }
    }
}
