//! The answer as it grows: tokens, bytes, and the texts that end it.

/// Tokens and bytes so far.
pub(crate) struct Output<'s> {
    tokens: Vec<u32>,
    bytes: Vec<u8>,
    stops: &'s [String],
    stop_at: Option<usize>,
}

impl<'s> Output<'s> {
    pub(crate) fn new(stops: &'s [String]) -> Self {
        Self { tokens: Vec::new(), bytes: Vec::new(), stops, stop_at: None }
    }

    /// Adds a token and looks for a stop text that it completes.
    pub(crate) fn push(&mut self, token: u32, bytes: &[u8]) {
        let before = self.bytes.len();
        self.tokens.push(token);
        self.bytes.extend_from_slice(bytes);
        if self.stop_at.is_none() {
            self.stop_at = self.stops.iter().filter_map(|stop| find_from(&self.bytes, stop.as_bytes(), before)).min();
        }
    }

    /// Drops all but the first `keep` tokens.
    pub(crate) fn cut<'v>(&mut self, keep: usize, bytes_of: impl Fn(u32) -> &'v [u8]) {
        self.tokens.truncate(keep);
        self.bytes = self.tokens.iter().flat_map(|token| bytes_of(*token)).copied().collect();
    }

    /// Number of tokens.
    pub(crate) fn len(&self) -> usize {
        self.tokens.len()
    }

    pub(crate) fn tokens(&self) -> &[u32] {
        &self.tokens
    }

    /// Whether a stop text was written.
    pub(crate) fn stopped(&self) -> bool {
        self.stop_at.is_some()
    }

    /// The text before the stop text, if any. A character that was cut in the middle is left out.
    pub(crate) fn into_text(mut self) -> String {
        if let Some(end) = self.stop_at {
            self.bytes.truncate(end);
        }
        let whole = match std::str::from_utf8(&self.bytes) {
            Err(error) if error.error_len().is_none() => error.valid_up_to(),
            _ => self.bytes.len(),
        };
        self.bytes.truncate(whole);
        String::from_utf8(self.bytes).unwrap_or_else(|error| String::from_utf8_lossy(error.as_bytes()).into_owned())
    }
}

/// First place of `needle` that ends after `before`.
fn find_from(bytes: &[u8], needle: &[u8], before: usize) -> Option<usize> {
    if needle.is_empty() {
        return None;
    }
    let start = (before + 1).saturating_sub(needle.len());
    bytes.get(start..)?.windows(needle.len()).position(|window| window == needle).map(|at| at + start)
}

#[cfg(test)]
mod tests {
    use super::*;

    fn written(stops: &[&str], pieces: &[&str]) -> (bool, String) {
        let stops: Vec<String> = stops.iter().map(|stop| (*stop).to_owned()).collect();
        let mut output = Output::new(&stops);
        for piece in pieces {
            output.push(0, piece.as_bytes());
        }
        (output.stopped(), output.into_text())
    }

    #[test]
    fn a_stop_text_is_found_across_tokens_and_left_out() {
        assert_eq!(written(&["\nObs:"], &["Act\nO", "bs", ": x"]), (true, "Act".to_owned()));
        assert_eq!(written(&["zz", "b"], &["abc"]), (true, "a".to_owned()));
        assert_eq!(written(&["", "q"], &["abc"]), (false, "abc".to_owned()));
        assert_eq!(written(&["ab"], &["a", "b", "ab"]), (true, String::new()));
    }

    #[test]
    fn half_a_character_at_the_end_is_left_out_and_wrong_bytes_are_replaced() {
        let mut output = Output::new(&[]);
        output.push(1, b"a\xC3");
        assert_eq!(output.into_text(), "a");
        let mut output = Output::new(&[]);
        output.push(1, b"a\xFFb");
        assert_eq!(output.into_text(), "a\u{FFFD}b");
    }
}
