//! One pass over a source: counts what is read, and gives it to the sink.

use serde_json::{Map, Value};

use super::lines::Line;
use super::{Details, ExtractError, Issue, IssueKind, Observed, ReadOptions, Sink, Stats};
use crate::{Class, NewFact};

/// What an extractor needs while it reads: its options, where facts go, and its counts.
pub(super) struct Run<'s> {
    pub options: ReadOptions,
    sink: &'s mut dyn Sink,
    stats: Stats,
    // A map for every record would cost more than the record.
    tally: [u64; Class::ALL.len()],
}

impl<'s> Run<'s> {
    pub fn new(options: &ReadOptions, sink: &'s mut dyn Sink) -> Self {
        Self { options: *options, sink, stats: Stats::default(), tally: [0; Class::ALL.len()] }
    }

    /// Gives a fact to the sink.
    #[inline]
    pub fn emit(&mut self, observed: &Observed<'_>) {
        if let Some(count) = self.tally.get_mut(observed.class as usize) {
            *count += 1;
        }
        self.stats.emitted += 1;
        self.sink.observe(observed);
    }

    /// Counts records that were read.
    #[inline]
    pub fn parsed(&mut self, records: u64) {
        self.stats.seen += records;
        self.stats.parsed += records;
    }

    /// Counts a record that carries nothing to observe.
    pub fn dropped(&mut self) {
        self.stats.seen += 1;
        self.stats.dropped += 1;
    }

    /// Whether a line is one to read: an empty one is dropped, and one that is too long is damaged.
    pub fn takes(&mut self, line: &Line<'_>) -> Result<bool, ExtractError> {
        if line.bytes.iter().all(u8::is_ascii_whitespace) {
            self.dropped();
            return Ok(false);
        }
        if line.too_long {
            self.damage(line.place(), IssueKind::TooLarge, "a line of more than 1 MiB", line.bytes)?;
            return Ok(false);
        }
        Ok(true)
    }

    /// The JSON object that a line is; another line is damaged.
    pub fn object(&mut self, line: &Line<'_>) -> Result<Option<Map<String, Value>>, ExtractError> {
        match serde_json::from_slice(line.bytes) {
            Ok(members) => Ok(Some(members)),
            Err(error) => {
                let kind = if error.is_eof() { IssueKind::Truncated } else { IssueKind::Malformed };
                self.damage(line.place(), kind, format!("no JSON object: {error}"), line.bytes)?;
                Ok(None)
            }
        }
    }

    /// Keeps an issue with a record that was read all the same.
    pub fn note(&mut self, issue: Issue) {
        if self.stats.issues.len() < Stats::MAX_ISSUES {
            self.stats.issues.push(issue);
        }
    }

    /// A record that cannot be read: an error where the extractor is strict, else a fact.
    pub fn damage(
        &mut self,
        at: impl Into<String>,
        kind: IssueKind,
        what: impl Into<String>,
        raw: &[u8],
    ) -> Result<(), ExtractError> {
        let issue = Issue::new(at, kind, what, raw);
        if self.options.strict {
            return Err(ExtractError::Record(Box::new(issue)));
        }
        self.stats.seen += 1;
        let details = Damage { at: issue.at.clone(), what: issue.what.clone() };
        self.stats.damage(issue);
        self.emit(&Observed {
            class: Class::Damaged,
            action: kind.name(),
            actor: None,
            object: None,
            time: None,
            raw,
            details: &details,
        });
        Ok(())
    }

    /// The counts, at the end.
    pub fn finish(mut self) -> Stats {
        for (class, count) in Class::ALL.iter().zip(self.tally) {
            if count > 0 {
                self.stats.classes.insert(class.name(), count);
            }
        }
        self.stats
    }
}

/// A record that could not be read.
struct Damage {
    at: String,
    what: String,
}

impl Details for Damage {
    fn place(&self) -> String {
        self.at.clone()
    }

    fn time_found(&self) -> String {
        String::new()
    }

    fn fill(&self, fact: &mut NewFact) {
        super::fill::put(fact, "what", &self.what);
    }
}
