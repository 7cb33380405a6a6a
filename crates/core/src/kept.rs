//! Results that are kept for the next caller with the same input.

use std::collections::VecDeque;
use std::sync::{Arc, Mutex, PoisonError};

use crate::Digest;

/// What was made of the latest inputs, each by the digest of its input. What is made must depend on that input alone.
#[derive(Debug)]
pub struct Kept<T> {
    most: usize,
    made: Mutex<VecDeque<(Digest, Arc<T>)>>,
}

impl<T> Kept<T> {
    /// Keeps the latest `most` results.
    #[must_use]
    pub const fn new(most: usize) -> Self {
        Self { most, made: Mutex::new(VecDeque::new()) }
    }

    /// The result for this input: the one that is kept, or else what `make` makes of it now. Callers at the same moment may
    /// both make it, and all hold the first one.
    ///
    /// # Errors
    /// Those of `make`; nothing is kept of them.
    pub fn get<E>(&self, input: Digest, make: impl FnOnce() -> Result<T, E>) -> Result<Arc<T>, E> {
        if let Some(found) = self.find(input) {
            return Ok(found);
        }
        // Not under the lock: others need not wait for this input.
        let result = Arc::new(make()?);
        let mut made = self.made.lock().unwrap_or_else(PoisonError::into_inner);
        if let Some((_, found)) = made.iter().find(|(known, _)| *known == input) {
            return Ok(Arc::clone(found));
        }
        made.push_front((input, Arc::clone(&result)));
        made.truncate(self.most);
        Ok(result)
    }

    fn find(&self, input: Digest) -> Option<Arc<T>> {
        let made = self.made.lock().unwrap_or_else(PoisonError::into_inner);
        made.iter().find(|(known, _)| *known == input).map(|(_, found)| Arc::clone(found))
    }
}

#[cfg(test)]
mod tests {
    use std::sync::Arc;

    use super::Kept;
    use crate::Digest;

    #[test]
    fn equal_inputs_are_made_once_and_the_oldest_go_first() {
        let (kept, mut times) = (Kept::<String>::new(2), 0);
        let mut get = |text: &str| {
            let make = || {
                times += 1;
                Ok::<_, String>(text.to_owned())
            };
            kept.get(Digest::of(text.as_bytes()), make).unwrap()
        };
        assert!(Arc::ptr_eq(&get("a"), &get("a")));
        assert_eq!((&**get("b"), &**get("a")), ("b", "a"));
        assert_eq!(&**get("c"), "c");
        // `a` was made first of the three.
        assert_eq!(&**get("a"), "a");
        assert_eq!(times, 4);
    }

    #[test]
    fn nothing_is_kept_of_an_error() {
        let (kept, input) = (Kept::<u8>::new(2), Digest::of(b"a"));
        assert_eq!(kept.get(input, || Err("no")), Err("no"));
        assert_eq!(*kept.get(input, || Ok::<_, &str>(1)).unwrap(), 1);
    }
}
