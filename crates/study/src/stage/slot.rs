//! A session's place among those that are under way.

use std::sync::{Arc, Mutex, MutexGuard, PoisonError};

use tokio::sync::{OwnedSemaphorePermit, Semaphore};

/// A session's place among those that a run plays at once. While a provider makes the session wait, the place is another
/// session's: a provider that pauses must not hold up the others.
#[derive(Debug)]
pub struct Slot {
    places: Arc<Semaphore>,
    held: Mutex<Option<OwnedSemaphorePermit>>,
}

impl Slot {
    /// A session that holds a place.
    #[must_use]
    pub fn new(places: Arc<Semaphore>, held: OwnedSemaphorePermit) -> Self {
        Self { places, held: Mutex::new(Some(held)) }
    }

    /// Gives the place back.
    pub fn leave(&self) {
        drop(self.held().take());
    }

    /// Waits for a place, if the session has none.
    pub async fn enter(&self) {
        if self.held().is_some() {
            return;
        }
        // The semaphore of a run is never closed; calls that came back side by side keep one place together.
        if let Ok(permit) = Arc::clone(&self.places).acquire_owned().await {
            self.held().get_or_insert(permit);
        }
    }

    fn held(&self) -> MutexGuard<'_, Option<OwnedSemaphorePermit>> {
        self.held.lock().unwrap_or_else(PoisonError::into_inner)
    }
}

#[cfg(test)]
mod tests {
    use std::sync::Arc;

    use tokio::sync::Semaphore;

    use super::Slot;

    #[tokio::test]
    async fn a_place_is_given_back_and_taken_again_once() {
        let places = Arc::new(Semaphore::new(1));
        let slot = Slot::new(Arc::clone(&places), Arc::clone(&places).acquire_owned().await.unwrap());
        slot.enter().await;
        assert_eq!(places.available_permits(), 0);
        slot.leave();
        slot.leave();
        assert_eq!(places.available_permits(), 1);
        let other = Arc::clone(&places).acquire_owned().await.unwrap();
        let (mut first, mut second) = (Box::pin(slot.enter()), Box::pin(slot.enter()));
        assert!(waits(first.as_mut()).await && waits(second.as_mut()).await);
        drop(other);
        first.await;
        // The other call of the session finds its place there, or gives a second one back.
        drop(second);
        assert_eq!(places.available_permits(), 0);
        drop(slot);
        assert_eq!(places.available_permits(), 1);
    }

    async fn waits(mut future: std::pin::Pin<&mut impl Future<Output = ()>>) -> bool {
        std::future::poll_fn(|context| std::task::Poll::Ready(future.as_mut().poll(context).is_pending())).await
    }
}
