//! Windows events: event logs (`.evtx`), event XML, JSON lines and delimited text, with one mapping for all (ARES-011).
//!
//! A record of an event log is rendered as event XML by the library that reads the log, so that all sources go through one
//! parser ([`event`]) and one table ([`rules`]). The table states for an event of a provider its class, what was done, and which
//! fields name who did it and what it was done to. Events that it does not name are of the class `message`.

mod csv;
mod entity;
mod event;
mod fact;
pub(super) mod json;
mod log;
mod named;
mod openssh;
mod rules;
mod stream;
mod xml;

use event::{Event, Layout};
use fact::{Names, Record};

use super::run::Run;
use super::{ExtractError, IssueKind, Observed, ReadOptions, Sink};
use crate::{NewFact, Utc};

pub(super) use csv::{Head, is_of_windows, is_type};

pub use csv::read_windows_csv;
pub use log::read_evtx;
pub use stream::read_xml;

/// Longest event as XML, in bytes. Longer ones are damaged.
const MAX_EVENT: usize = 1 << 20;

/// What all extractors share: one event in, one fact out.
pub(super) struct Reader<'s> {
    pub(super) run: Run<'s>,
    /// Used again for each event.
    layout: Layout,
    names: Names,
}

impl<'s> Reader<'s> {
    pub(super) fn new(options: &ReadOptions, sink: &'s mut dyn Sink) -> Self {
        Self { run: Run::new(options, sink), layout: Layout::default(), names: Names::default() }
    }

    /// Observes an event. `place` is called only when the place is needed.
    pub(super) fn event(&mut self, text: &str, raw: &[u8], place: &dyn Fn() -> String) -> Result<(), ExtractError> {
        self.event_within(text, raw, place, &|_| {})
    }

    /// Observes an event that something else is around, such as a line of syslog; `more` adds that to a fact which is kept.
    pub(super) fn event_within(
        &mut self,
        text: &str,
        raw: &[u8],
        place: &dyn Fn() -> String,
        more: &dyn Fn(&mut NewFact),
    ) -> Result<(), ExtractError> {
        if text.len() > MAX_EVENT {
            return self.run.damage(place(), IssueKind::TooLarge, "an event of more than 1 MiB", raw);
        }
        if let Err(problem) = self.layout.read(text) {
            return self.run.damage(place(), IssueKind::Malformed, problem.to_string(), raw);
        }
        let event = Event::new(text, &self.layout);
        let found = event.time();
        let time = found.parse::<Utc>().ok();
        if time.is_none() && !found.is_empty() {
            let what = format!("`{found}` is not a time: expected RFC 3339");
            return self.run.damage(place(), IssueKind::Time, what, raw);
        }
        let class = self.names.of(&event);
        self.run.parsed(1);
        self.run.emit(&Observed {
            class,
            action: self.names.action(),
            actor: self.names.actor(),
            object: self.names.object(),
            time,
            raw,
            details: &Record { event: &event, place, more },
        });
        Ok(())
    }
}
