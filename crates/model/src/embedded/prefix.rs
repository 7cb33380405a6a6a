//! Which computed tokens of a context may serve the next prompt.
//!
//! A float sum depends on how the work was cut into batches, so a token computed in another batch may differ in its last
//! bits. In the reproducible mode a cached value is therefore only reused when a cold call would compute it in the very
//! same batch: whole chunks of the prompt, at multiples of the chunk size. Generated tokens were computed one by one, so
//! they never qualify, nor does the last, partial chunk of a prompt.

use super::settings::Mode;

/// The tokens whose values lie in a context, as far as they may be reused.
#[derive(Debug, Clone)]
pub(crate) struct Prefix {
    mode: Mode,
    chunk: usize,
    tokens: Vec<u32>,
}

impl Prefix {
    pub(crate) fn new(mode: Mode, chunk: u32) -> Self {
        Self { mode, chunk: chunk as usize, tokens: Vec::new() }
    }

    /// How many tokens of `prompt` need no computing. At least its last token is always computed: its logits are wanted.
    pub(crate) fn reusable(&self, prompt: &[u32]) -> usize {
        let common = self.tokens.iter().zip(prompt).take_while(|(a, b)| a == b).count();
        let most = common.min(prompt.len().saturating_sub(1));
        match self.mode {
            Mode::Reproducible => most / self.chunk * self.chunk,
            Mode::Fast => most,
        }
    }

    /// Tokens held.
    pub(crate) fn len(&self) -> usize {
        self.tokens.len()
    }

    /// Forgets all but the first `keep` tokens.
    pub(crate) fn truncate(&mut self, keep: usize) {
        self.tokens.truncate(keep);
    }

    /// Notes that a batch of prompt tokens was computed from position `self.len()` on.
    pub(crate) fn computed(&mut self, batch: &[u32]) {
        let whole = self.tokens.len().is_multiple_of(self.chunk) && batch.len() == self.chunk;
        if whole || self.mode == Mode::Fast {
            self.tokens.extend_from_slice(batch);
        }
    }

    /// Notes that generated tokens were computed, of which the first has position `position`.
    pub(crate) fn generated(&mut self, position: usize, batch: &[u32]) {
        if self.mode == Mode::Fast && position == self.tokens.len() {
            self.tokens.extend_from_slice(batch);
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use proptest::prelude::*;

    fn warmed(mode: Mode, prompt: &[u32]) -> Prefix {
        let mut prefix = Prefix::new(mode, 8);
        for batch in prompt.chunks(8) {
            prefix.computed(batch);
        }
        prefix
    }

    #[test]
    fn whole_chunks_only() {
        let prompt: Vec<u32> = (0..20).collect();
        let mut prefix = warmed(Mode::Reproducible, &prompt);
        assert_eq!(prefix.len(), 16);
        prefix.generated(20, &[1, 2]);
        assert_eq!(prefix.len(), 16, "generated tokens are not kept");
        assert_eq!(prefix.reusable(&prompt), 16);
        assert_eq!(prefix.reusable(&prompt[..16]), 8, "the last token is always computed, in its own chunk");
        assert_eq!(prefix.reusable(&prompt[..15]), 8);
        assert_eq!(prefix.reusable(&[]), 0);
        let mut other = prompt.clone();
        other[9] = 99;
        assert_eq!(prefix.reusable(&other), 8);
    }

    #[test]
    fn the_fast_mode_keeps_every_token() {
        let prompt: Vec<u32> = (0..20).collect();
        let mut prefix = warmed(Mode::Fast, &prompt);
        prefix.generated(20, &[70, 71]);
        let mut next = prompt.clone();
        next.extend([70, 71, 5]);
        assert_eq!(prefix.reusable(&next), 22);
        assert_eq!(prefix.reusable(&prompt), 19);
    }

    proptest! {
        /// Whatever came before, the batches that a prompt is computed in are those of a cold call: a reused part ends
        /// at a chunk boundary and is equal to the prompt's own beginning.
        #[test]
        fn reuse_never_changes_the_batches(
            first in prop::collection::vec(0u32..3, 0..60), second in prop::collection::vec(0u32..3, 1..60),
        ) {
            let mut prefix = warmed(Mode::Reproducible, &first);
            prefix.generated(first.len(), &second);
            let reuse = prefix.reusable(&second);
            prop_assert!(reuse.is_multiple_of(8) && reuse < second.len());
            prop_assert!(reuse <= first.len() && first[..reuse] == second[..reuse]);
        }
    }
}
