//! Whether a Windows event log is all there: what its header and the headers of its chunks count.
//!
//! The header of a log that was open when it was copied is stale: it counts fewer chunks and records than there are. So what is beyond its
//! counts is not a fault, and what is missing of them is one. A live log that was cut behind the counts of its stale header does not show it.

use super::CHUNK_MAGIC;

/// What was counted so far.
#[derive(Clone, Copy, Debug, Default)]
pub(super) struct Whole {
    /// Chunks that the header of the file counts.
    chunks: u64,
    /// The number that the header gives to the next record; 0 where there is no header.
    next_record: u64,
    /// Chunks that were met, those of zeros included.
    met: u64,
    /// The last number of a record that the chunk before counts, and that any chunk does.
    last: Option<u64>,
    highest: u64,
}

impl Whole {
    /// From the header of a file.
    pub(super) fn of_header(bytes: &[u8]) -> Self {
        let chunks = bytes.get(42..44).and_then(|pair| pair.try_into().ok()).map_or(0, u16::from_le_bytes);
        Self { chunks: u64::from(chunks), next_record: number(bytes, 24).unwrap_or(0), ..Self::default() }
    }

    /// Looks at the next chunk, and says what is missing there or before it.
    pub(super) fn chunk(&mut self, bytes: &[u8]) -> Option<String> {
        self.met += 1;
        if bytes.iter().all(|byte| *byte == 0) {
            let (at, counted) = (self.met, self.chunks);
            self.last = None;
            return (at <= counted).then(|| {
                format!("chunk {at} holds zeros only, and the file header counts {counted} chunks with records")
            });
        }
        let Some((first, last)) = number(bytes, 24).zip(number(bytes, 32)).filter(|_| bytes.starts_with(CHUNK_MAGIC))
        else {
            // It is damaged by itself, and so is said.
            self.last = None;
            return None;
        };
        let before = self.last.replace(last);
        self.highest = self.highest.max(last);
        // In a log that writes over its oldest records, the newest chunk is followed by the oldest one: numbers fall there.
        let missing =
            before.and_then(|before| first.checked_sub(before.checked_add(1)?)).filter(|missing| *missing > 0)?;
        Some(format!("the records {} to {} are missing before it", first - missing, first - 1))
    }

    /// What is missing at the end of the file.
    pub(super) fn missing(&self) -> Option<String> {
        let chunks = self.chunks.saturating_sub(self.met);
        if chunks > 0 {
            let counted = self.chunks;
            return Some(format!(
                "{chunks} of {counted} chunks are missing that the file header counts: the file was cut"
            ));
        }
        let last = self.next_record.saturating_sub(1);
        (last > self.highest && self.highest > 0).then(|| {
            format!(
                "the records {} to {last} are missing, which the file header counts: the file was cut",
                self.highest + 1
            )
        })
    }
}

/// A number of eight bytes.
fn number(bytes: &[u8], at: usize) -> Option<u64> {
    bytes.get(at..at + 8).and_then(|bytes| bytes.try_into().ok()).map(u64::from_le_bytes)
}

#[cfg(test)]
mod tests {
    use super::super::CHUNK_MAGIC;
    use super::Whole;

    fn header(chunks: u16, next: u64) -> Whole {
        let mut bytes = vec![0; 128];
        bytes[24..32].copy_from_slice(&next.to_le_bytes());
        bytes[42..44].copy_from_slice(&chunks.to_le_bytes());
        Whole::of_header(&bytes)
    }

    fn chunk(first: u64, last: u64) -> Vec<u8> {
        let mut bytes = vec![0; 512];
        bytes[..8].copy_from_slice(CHUNK_MAGIC);
        bytes[24..32].copy_from_slice(&first.to_le_bytes());
        bytes[32..40].copy_from_slice(&last.to_le_bytes());
        bytes
    }

    #[test]
    fn what_the_header_counts_and_is_not_there_is_said() {
        let mut whole = header(2, 21);
        assert_eq!(whole.chunk(&chunk(1, 10)), None);
        assert!(whole.missing().unwrap().contains("1 of 2 chunks"));
        assert!(whole.chunk(&[0; 512]).unwrap().contains("chunk 2 holds zeros"));
        assert!(whole.missing().unwrap().contains("records 11 to 20"));
        let mut stale = header(1, 5);
        assert_eq!(
            [stale.chunk(&chunk(1, 10)), stale.chunk(&chunk(11, 20)), stale.chunk(&[0; 512])],
            [None, None, None]
        );
        assert_eq!(stale.missing(), None, "a stale header counts less than there is");
    }

    #[test]
    fn a_gap_between_chunks_is_said_and_a_log_that_writes_over_itself_has_none() {
        let mut whole = header(3, 41);
        assert_eq!(whole.chunk(&chunk(21, 30)), None);
        assert_eq!(whole.chunk(&chunk(1, 10)), None, "the newest chunk is followed by the oldest");
        assert!(whole.chunk(&chunk(31, 40)).unwrap().contains("records 11 to 30"));
        assert_eq!(whole.missing(), None);
        // Without a header nothing is counted, and broken numbers are none.
        assert_eq!(Whole::default().missing(), None);
        assert_eq!(Whole::default().chunk(&chunk(u64::MAX, u64::MAX)), None);
    }
}
