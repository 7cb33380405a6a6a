//! Windows events: event logs (`.evtx`) and event XML, with one mapping for both (ARES-011).
//!
//! A record of an event log is rendered as event XML by the library that reads the log, so that both sources go through one
//! parser ([`event`]) and one table ([`rules`]). The table states for an event of a provider its class, what was done, and which
//! fields name who did it and what it was done to. Events that it does not name are of the class `message`.

mod entity;
mod event;
mod fact;
mod log;
mod openssh;
mod rules;
mod stream;
mod xml;

use event::{Event, Layout};
use fact::{Broken, Names, Record};

use super::{ExtractError, Issue, IssueKind, Observed, ReadOptions, Sink, Stats};
use crate::{Class, Utc};

pub use log::read_evtx;
pub use stream::read_xml;

/// Longest event as XML, in bytes. Longer ones are damaged.
const MAX_EVENT: usize = 1 << 20;

/// What both readers share: one event in, one fact out.
struct Reader<'s> {
    sink: &'s mut dyn Sink,
    stats: Stats,
    strict: bool,
    /// Used again for each event.
    layout: Layout,
    names: Names,
}

impl<'s> Reader<'s> {
    fn new(options: &ReadOptions, sink: &'s mut dyn Sink) -> Self {
        let (stats, layout, names) = (Stats::default(), Layout::default(), Names::default());
        Self { sink, stats, strict: options.strict, layout, names }
    }

    /// Observes an event. `place` is called only when the place is needed.
    fn event(&mut self, text: &str, raw: &[u8], place: &dyn Fn() -> String) -> Result<(), ExtractError> {
        if text.len() > MAX_EVENT {
            return self.damaged(raw, place, IssueKind::TooLarge, "an event of more than 1 MiB");
        }
        if let Err(problem) = self.layout.read(text) {
            return self.damaged(raw, place, IssueKind::Malformed, &problem.to_string());
        }
        let event = Event::new(text, &self.layout);
        let found = event.time();
        let time = found.parse::<Utc>().ok();
        if time.is_none() && !found.is_empty() {
            let what = format!("`{found}` is no time: expected RFC 3339");
            return self.damaged(raw, place, IssueKind::Time, &what);
        }
        let class = self.names.of(&event);
        self.stats.seen += 1;
        self.stats.parsed += 1;
        self.stats.emit(class);
        self.sink.observe(&Observed {
            class,
            action: self.names.action(),
            actor: self.names.actor(),
            object: self.names.object(),
            time,
            raw,
            details: &Record { event: &event, place },
        });
        Ok(())
    }

    /// Observes a piece of the source that cannot be read, or stops at it.
    fn damaged(
        &mut self,
        raw: &[u8],
        place: &dyn Fn() -> String,
        kind: IssueKind,
        what: &str,
    ) -> Result<(), ExtractError> {
        self.stats.seen += 1;
        let issue = Issue::new(place(), kind, what, raw);
        if self.strict {
            self.stats.damage(issue.clone());
            return Err(ExtractError::Record(Box::new(issue)));
        }
        self.stats.emit(Class::Damaged);
        self.sink.observe(&Observed {
            class: Class::Damaged,
            action: "unreadable record",
            actor: None,
            object: None,
            time: None,
            raw,
            details: &Broken { issue: &issue },
        });
        self.stats.damage(issue);
        Ok(())
    }
}
