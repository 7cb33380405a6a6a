//! Extractors of telemetry: raw bytes in, observed records out. They observe and do not judge (ARES-010).
//!
//! An extractor takes a source and gives each record to a [`Sink`] as an [`Observed`]: what was observed, borrowed from the raw
//! data, so that a record that is only counted costs no allocation. Damaged records are observed too ([`Class::Damaged`]).

mod agreed;
mod auditd;
mod clock;
mod context;
mod detect;
mod direction;
mod document;
mod fill;
mod flows;
mod format;
mod groups;
mod lines;
mod members;
mod pseudonym;
mod raw;
mod run;
mod select;
mod source;
mod syslog;
mod utf16;
mod windows;

use std::borrow::Cow;
use std::collections::BTreeMap;
use std::io;

use thiserror::Error;

pub use auditd::read_auditd;
pub use context::read_context;
pub use detect::UnknownFormat;
pub use document::is_document;
pub use flows::{
    FlowReader, MAX_PAYLOAD, read_argus, read_flow_capture, read_flow_datagram, read_nfdump, read_zeek, read_zeek_json,
};
pub use format::{Format, NoFormat};
pub use groups::MAX_GROUPS;
pub use pseudonym::{PseudonymError, Pseudonyms};
pub use raw::{RawRecord, raw_records, sha256_of};
pub use select::{Selected, Selector, SourceSink};
pub use source::{Extraction, SourceError, Watcher};
pub use syslog::{read_syslog, read_syslog_json};
pub use windows::{read_evtx, read_windows_csv, read_xml};

use crate::{Class, EntityKind, NewFact, Utc};

/// Longest piece of raw data in an issue, in characters (ARES-014).
pub const MAX_SNIPPET: usize = 200;

/// What an extractor must be told.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct ReadOptions {
    /// Stop at the first record that cannot be read (ARES-014); else such records are facts of the class `damaged`.
    pub strict: bool,
    /// Year of times without one (RFC 3164).
    pub year: Option<i16>,
    /// Zone of times without one, in minutes east of UTC; UTC where it is not set.
    pub zone_minutes: Option<i16>,
}

/// One record, as its extractor sees it while it reads. What is needed of every record is here; the rest is made on demand.
pub struct Observed<'a> {
    /// What kind of thing was observed.
    pub class: Class,
    /// What was done, in a word or two.
    pub action: &'a str,
    /// Who did it.
    pub actor: Option<(EntityKind, &'a str)>,
    /// What it was done to.
    pub object: Option<(EntityKind, &'a str)>,
    /// When, in UTC.
    pub time: Option<Utc>,
    /// The raw record: what its hash is taken over.
    pub raw: &'a [u8],
    /// The rest.
    pub details: &'a dyn Details,
}

/// The part of a record that is made only when the record becomes a fact of its own.
pub trait Details {
    /// The place in the source, such as `record 17`, `line 12` or `datagram 3 flow 5`.
    fn place(&self) -> String;

    /// The time as the record writes it; empty where it has none.
    fn time_found(&self) -> String;

    /// When, by the clock of a source that names no year: days and times of day as found, in a year that counts from
    /// [`SourceClock::FIRST_YEAR`](crate::SourceClock::FIRST_YEAR). Asked for only where a record has no time in UTC. `None` by default.
    fn clock(&self) -> Option<Utc> {
        None
    }

    /// The host that the record is of, if it names one: the one that [`fill`](Details::fill) adds. `None` by default. Records that are counted
    /// together keep it where all of them have the same.
    fn host(&self) -> Option<Cow<'_, str>> {
        None
    }

    /// How many records this one represents, because its source says so: `message repeated 500 times`. 1 by default. It is one record with one
    /// hash, and counts so many times among the records that are counted together.
    fn repeated(&self) -> u64 {
        1
    }

    /// Gives what the fact of the record will hold as attributes, as far as it can be the same in several records: a command, the number of an
    /// event, the port of a service. Records that are counted together keep those in which all of them agree. By default it is all that
    /// [`fill`](Details::fill) adds; where many records are only counted, an extractor gives the same without making a fact.
    fn telling(&self, each: &mut dyn FnMut(&str, AttributeValue<'_>)) {
        let mut fact = NewFact::new(Class::Message, "");
        self.fill(&mut fact);
        fact.attributes.iter().for_each(|(name, value)| each(name, AttributeValue::Text(value)));
    }

    /// Those of them that follow from the actor and the object alone, as the direction of a flow does: records of one group cannot differ in
    /// them, and [`telling`](Details::telling) leaves them out. Nothing by default.
    fn of_key(&self, each: &mut dyn FnMut(&str, AttributeValue<'_>)) {
        let _ = each;
    }

    /// A number with the name of its attribute, of which records that are counted together keep the sum: the bytes of a flow. `None` by
    /// default.
    fn amount(&self) -> Option<(&str, u64)> {
        None
    }

    /// Gives the record's own fields in the order of the record, for whoever compares records with patterns of others. Unlike [`fill`], it
    /// leaves nothing out and cuts nothing; what it gives enters no fact. Nothing by default: only Windows events have them so far.
    ///
    /// [`fill`]: Details::fill
    fn fields(&self, each: &mut dyn FnMut(RecordField<'_>)) {
        let _ = each;
    }

    /// Adds attributes and further entities. Class, action, actor, object, time and locator are set already.
    fn fill(&self, fact: &mut NewFact);
}

/// The value of an attribute of a record that may only be counted.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum AttributeValue<'a> {
    /// A text.
    Text(&'a str),
    /// A whole number.
    Number(u64),
}

/// A field of a record, as its source writes it.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct RecordField<'a> {
    /// Where in the record it is.
    pub part: FieldPart,
    /// Its name.
    pub name: &'a str,
    /// Its value.
    pub value: &'a str,
}

/// Where in a record a field is.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum FieldPart {
    /// The head that all records of the source have.
    Head,
    /// The body, in an element of data that an attribute names.
    Named,
    /// The body, in an element that is known by its own name, such as `Data` without a name.
    Element,
}

/// Takes what an extractor observes.
pub trait Sink {
    /// A record.
    fn observe(&mut self, observed: &Observed<'_>);
}

impl<F: FnMut(&Observed<'_>)> Sink for F {
    fn observe(&mut self, observed: &Observed<'_>) {
        self(observed);
    }
}

/// What an extractor did with a source (ARES-014).
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Stats {
    /// Records that were met, damaged ones included.
    pub seen: u64,
    /// Records that were read.
    pub parsed: u64,
    /// Records that carry nothing to observe, such as empty lines and headers.
    pub dropped: u64,
    /// Facts that were given to the sink.
    pub emitted: u64,
    /// Facts by class, by the name of the class.
    pub classes: BTreeMap<&'static str, u64>,
    /// The first issues, at most [`Stats::MAX_ISSUES`].
    pub issues: Vec<Issue>,
    /// Records that could not be read.
    pub damaged: u64,
}

impl Stats {
    /// Most issues that are kept.
    pub const MAX_ISSUES: usize = 100;

    /// Counts a record that could not be read, and keeps what is wrong with it while there is room.
    fn damage(&mut self, issue: Issue) {
        self.damaged += 1;
        if self.issues.len() < Self::MAX_ISSUES {
            self.issues.push(issue);
        }
    }
}

/// A record that could not be read: where, what is wrong, and a piece of it.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Issue {
    /// The place in the source.
    pub at: String,
    /// What is wrong.
    pub kind: IssueKind,
    /// What is wrong, in words.
    pub what: String,
    /// At most [`MAX_SNIPPET`] characters of the raw record.
    pub snippet: String,
}

impl Issue {
    /// An issue with a snippet of the raw record, cut to its bound.
    #[must_use]
    pub fn new(at: impl Into<String>, kind: IssueKind, what: impl Into<String>, raw: &[u8]) -> Self {
        let snippet =
            String::from_utf8_lossy(&raw[..raw.len().min(4 * MAX_SNIPPET)]).chars().take(MAX_SNIPPET).collect();
        Self { at: at.into(), kind, what: what.into(), snippet }
    }
}

/// What can be wrong with a record.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub enum IssueKind {
    /// It ends before it is complete.
    Truncated,
    /// Its form is not that of its format.
    Malformed,
    /// It is encoded in another way, or not as text.
    Encoding,
    /// Its time cannot be read.
    Time,
    /// It needs a template that did not come.
    NoTemplate,
    /// It exceeds a bound.
    TooLarge,
}

impl IssueKind {
    /// Its name.
    #[must_use]
    pub const fn name(self) -> &'static str {
        match self {
            Self::Truncated => "truncated",
            Self::Malformed => "malformed",
            Self::Encoding => "encoding",
            Self::Time => "time",
            Self::NoTemplate => "no_template",
            Self::TooLarge => "too_large",
        }
    }
}

/// Why a source was not read to its end.
#[derive(Debug, Error)]
pub enum ExtractError {
    /// It cannot be read.
    #[error("cannot be read: {0}")]
    Io(#[from] io::Error),
    /// It is not in its format at all.
    #[error("it is not in the format `{format}`: {what}")]
    Format {
        /// The format.
        format: Format,
        /// What is wrong.
        what: String,
    },
    /// A record cannot be read, and the extractor is strict.
    #[error("{}: {}: {}: {:?}", .0.at, .0.kind.name(), .0.what, .0.snippet)]
    Record(Box<Issue>),
    /// A file of context is not in its form.
    #[error("{0}")]
    Context(#[from] gimbal_core::yaml::YamlError),
    /// Something must be told that was not.
    #[error("{0}")]
    Needs(String),
}
