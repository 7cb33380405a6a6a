//! Messages of exporters: NetFlow 5, 7 and 9 (RFC 3954), and IPFIX (RFC 7011).

use std::collections::{HashMap, VecDeque};
use std::io::Read;
use std::net::SocketAddr;

use super::super::run::Run;
use super::super::{ExtractError, IssueKind, ReadOptions, Sink, Stats};
use super::record::{Head, observe_set};
use super::template::{Field, Span, Template, fixed};

/// Longest payload of a datagram, in bytes.
pub const MAX_PAYLOAD: usize = 65_535;
/// Most fields of all templates together, where each template counts as [`TEMPLATE`] fields more: about 30 MB.
const MAX_FIELDS: usize = 1 << 20;
const TEMPLATE: usize = 16;
/// Bytes of a source of datagrams that are read at once.
const BUFFER: usize = 4 * (MAX_PAYLOAD + 1);
/// Versions that a message can begin with. In version 9 no set has one of these numbers.
const VERSIONS: [u16; 4] = [5, 7, 9, 10];
/// Most sets, and most bytes of them, that wait for their template.
const MAX_WAITING: usize = 1024;
const MAX_WAITING_BYTES: usize = 4 << 20;

/// Templates belong to an exporter's socket, version and observation domain.
type Domain = (Option<SocketAddr>, u16, u32);

/// Reads payloads of NetFlow and IPFIX one by one, and keeps the templates of each exporter between them (ARES-013).
pub struct FlowReader<'s> {
    run: Run<'s>,
    templates: HashMap<(Domain, u16), Template>,
    fields: usize,
    waiting: VecDeque<Waiting>,
    waiting_bytes: usize,
    datagram: u64,
    fixed: [Template; 2],
    scratch: Vec<Span>,
}

/// A set whose template did not come yet.
struct Waiting {
    head: Head,
    id: u16,
    set: u32,
    body: Vec<u8>,
}

impl<'s> FlowReader<'s> {
    /// An extractor without templates.
    #[must_use]
    pub fn new(options: &ReadOptions, sink: &'s mut dyn Sink) -> Self {
        Self {
            run: Run::new(options, sink),
            templates: HashMap::new(),
            fields: 0,
            waiting: VecDeque::new(),
            waiting_bytes: 0,
            datagram: 0,
            fixed: [fixed(5), fixed(7)],
            scratch: Vec::new(),
        }
    }

    /// Reads one payload; `exporter` is who sent it, where it is known.
    ///
    /// # Errors
    /// When it is damaged and the extractor is strict.
    pub fn payload(&mut self, exporter: Option<SocketAddr>, payload: &[u8]) -> Result<(), ExtractError> {
        let mut rest = payload;
        // Some exporters put several messages into one payload. Each has a number of its own, so that each record has a place of its own.
        loop {
            self.datagram += 1;
            let Some(length) = self.message(exporter, rest)? else { return Ok(()) };
            rest = rest.get(length..).unwrap_or_default();
            if is_padding(rest) {
                return Ok(());
            }
        }
    }

    /// Reads datagrams that are in a source one after another. Each has a number of its own; who sent them is not known.
    ///
    /// # Errors
    /// When the source cannot be read, or a datagram is damaged and the extractor is strict.
    pub(super) fn datagrams(&mut self, mut input: impl Read) -> Result<(), ExtractError> {
        let (mut buffer, mut at, mut is_whole) = (Vec::new(), 0, false);
        loop {
            if !is_whole && buffer.len() - at < MAX_PAYLOAD {
                buffer.drain(..at);
                at = 0;
                let room = BUFFER - buffer.len();
                is_whole = input.by_ref().take(room as u64).read_to_end(&mut buffer)? < room;
            }
            let rest = buffer.get(at..).unwrap_or_default();
            if is_padding(rest) {
                return Ok(());
            }
            self.datagram += 1;
            let first = rest.get(..rest.len().min(MAX_PAYLOAD)).unwrap_or_default();
            let Some(length) = self.message(None, first)? else {
                let behind = rest.get(first.len()..).unwrap_or_default();
                if !behind.is_empty() || !is_whole {
                    let what = "where the datagram ends is not known: nothing behind it is read";
                    self.broken(IssueKind::Malformed, what, behind)?;
                }
                return Ok(());
            };
            at += length;
        }
    }

    /// Counts a packet that is not an export.
    pub(super) fn dropped(&mut self) {
        self.run.dropped();
    }

    /// A packet of the capture that cannot be read.
    pub(super) fn damaged(&mut self, at: String, kind: IssueKind, what: &str, raw: &[u8]) -> Result<(), ExtractError> {
        self.run.damage(at, kind, what, raw)
    }

    /// The counts. Sets whose template never came are damaged records.
    ///
    /// # Errors
    /// When there are such sets and the extractor is strict.
    pub fn finish(mut self) -> Result<Stats, ExtractError> {
        while let Some(waiting) = self.waiting.pop_front() {
            self.give_up(&waiting)?;
        }
        Ok(self.run.finish())
    }

    /// Reads a message at the start of `bytes`, and returns its length; `None` where nobody knows where it ends: all bytes then belong to it.
    fn message(&mut self, exporter: Option<SocketAddr>, bytes: &[u8]) -> Result<Option<usize>, ExtractError> {
        let version = u16_at(bytes, 0).unwrap_or_default();
        let head_length = match version {
            5 | 7 => 24,
            9 => 20,
            10 => 16,
            version => {
                let what = format!("{} bytes that begin with version {version}; expected 5, 7, 9 or 10", bytes.len());
                self.broken(IssueKind::Malformed, what, bytes)?;
                return Ok(None);
            }
        };
        let Some(head) = bytes.get(..head_length) else {
            self.broken(IssueKind::Truncated, "it ends in its head", bytes)?;
            return Ok(None);
        };
        let word = |at| u32_at(head, at).unwrap_or_default();
        let second = |at| i64::from(word(at)) * 1_000_000;
        let half = usize::from(u16_at(head, 2).unwrap_or_default());
        let mut head = Head { datagram: self.datagram, exporter, version, domain: 0, exported: 0, started: None };
        let started = |exported: i64| Some(exported - i64::from(word(4)) * 1_000);
        match version {
            9 => {
                (head.exported, head.domain) = (second(8), word(16));
                head.started = started(head.exported);
                self.sets(&head, bytes, head_length)
            }
            10 => {
                (head.exported, head.domain) = (second(4), word(12));
                self.sets(&head, bytes.get(..half).unwrap_or(bytes), head_length)?;
                if half < head_length || half > bytes.len() {
                    let what = format!("its length is {half} bytes, and {} are there", bytes.len());
                    self.broken(IssueKind::Truncated, what, bytes)?;
                    return Ok(None);
                }
                Ok(Some(half))
            }
            _ => {
                head.exported = second(8) + i64::from(word(12)) / 1_000;
                head.started = started(head.exported);
                let length = self.fixed_records(&head, half, bytes.get(head_length..).unwrap_or_default())?;
                Ok(length.map(|length| head_length + length))
            }
        }
    }

    /// Reads the records of a fixed version, and returns their length; `None` where fewer are there than the head counts.
    fn fixed_records(&mut self, head: &Head, count: usize, records: &[u8]) -> Result<Option<usize>, ExtractError> {
        let [five, seven] = &self.fixed;
        let template = if head.version == 5 { five } else { seven };
        let whole = (records.len() / template.shortest).min(count);
        let body = records.get(..whole * template.shortest).unwrap_or_default();
        let read = observe_set(&mut self.run, head, template, 0, body, &mut self.scratch);
        if let Err(what) = read {
            self.broken(IssueKind::Malformed, what, records)?;
        }
        if whole < count {
            let what = format!("its head counts {count} records, and there is room for {whole}");
            self.broken(IssueKind::Truncated, what, records)?;
            return Ok(None);
        }
        Ok(Some(body.len()))
    }

    /// Reads the sets of a message from a place on, and returns where they end; `None` where one goes beyond what is there. Version 9 does not
    /// say how long a message is: it ends where the next one begins, because no set has the number of a version.
    fn sets(&mut self, head: &Head, message: &[u8], mut at: usize) -> Result<Option<usize>, ExtractError> {
        let mut number = 0;
        let (templates, options) = if head.version == 9 { (0, 1) } else { (2, 3) };
        while let (Some(id), Some(size)) = (u16_at(message, at), u16_at(message, at + 2)) {
            let rest = message.get(at..).unwrap_or_default();
            let size = usize::from(size);
            if head.version == 9 && VERSIONS.contains(&id) {
                return Ok(Some(at));
            }
            number += 1;
            let Some(body) = rest.get(4..size) else {
                let what = format!("set {number} has {size} bytes, and {} are left", rest.len());
                self.broken(IssueKind::Truncated, what, rest)?;
                return Ok(None);
            };
            at += size;
            if id == templates || id == options {
                self.learn(head, body, id == options)?;
            } else if id >= 256 {
                self.data(head, id, number, body)?;
            } else {
                self.broken(IssueKind::Malformed, format!("set {number} is of the reserved kind {id}"), body)?;
            }
        }
        Ok(Some(at))
    }

    fn data(&mut self, head: &Head, id: u16, set: u32, body: &[u8]) -> Result<(), ExtractError> {
        if let Some(template) = self.templates.get(&(domain(head), id)) {
            return match observe_set(&mut self.run, head, template, set, body, &mut self.scratch) {
                Ok(()) => Ok(()),
                Err(what) => self.broken(IssueKind::Malformed, format!("set {set}: {what}"), body),
            };
        }
        self.waiting_bytes += body.len();
        self.waiting.push_back(Waiting { head: *head, id, set, body: body.to_vec() });
        while self.waiting.len() > MAX_WAITING || self.waiting_bytes > MAX_WAITING_BYTES {
            let Some(oldest) = self.waiting.pop_front() else { break };
            self.waiting_bytes -= oldest.body.len();
            self.give_up(&oldest)?;
        }
        Ok(())
    }

    /// Reads the templates of a set. A template replaces the one before it, and sets that waited for it are read.
    fn learn(&mut self, head: &Head, body: &[u8], is_options: bool) -> Result<(), ExtractError> {
        let mut at = 0;
        while body.len() - at >= 4 && u16_at(body, at).is_some_and(|id| id >= 256) {
            let Some((id, template, length)) = template(body.get(at..).unwrap_or_default(), head.version, is_options)
            else {
                return self.broken(IssueKind::Truncated, "a template goes beyond the end of its set", body);
            };
            at += length;
            self.run.dropped();
            self.keep(head, id, template, body)?;
        }
        Ok(())
    }

    fn keep(&mut self, head: &Head, id: u16, template: Template, raw: &[u8]) -> Result<(), ExtractError> {
        let key = (domain(head), id);
        if let Some(before) = self.templates.remove(&key) {
            self.fields -= before.fields.len() + TEMPLATE;
        }
        // A template of no fields withdraws the one before it.
        if template.fields.is_empty() {
            return Ok(());
        }
        if self.fields + template.fields.len() + TEMPLATE > MAX_FIELDS {
            return self.broken(IssueKind::TooLarge, "templates of more than a million fields", raw);
        }
        self.fields += template.fields.len() + TEMPLATE;
        let is_due = |waiting: &Waiting| (domain(&waiting.head), waiting.id) == key;
        if self.waiting.iter().any(is_due) {
            let (due, rest) = std::mem::take(&mut self.waiting).into_iter().partition(is_due);
            self.waiting = rest;
            let due: VecDeque<Waiting> = due;
            for Waiting { head, set, body, .. } in due {
                self.waiting_bytes -= body.len();
                let read = observe_set(&mut self.run, &head, &template, set, &body, &mut self.scratch);
                if let Err(what) = read {
                    let at = format!("datagram {} set {set}", head.datagram);
                    self.run.damage(at, IssueKind::Malformed, what, &body)?;
                }
            }
        }
        self.templates.insert(key, template);
        Ok(())
    }

    /// Damage in the payload that is being read.
    fn broken(&mut self, kind: IssueKind, what: impl Into<String>, raw: &[u8]) -> Result<(), ExtractError> {
        self.run.damage(format!("datagram {}", self.datagram), kind, what, raw)
    }

    fn give_up(&mut self, waiting: &Waiting) -> Result<(), ExtractError> {
        let at = format!("datagram {} set {}", waiting.head.datagram, waiting.set);
        let what = format!("no template {} of domain {} came", waiting.id, waiting.head.domain);
        self.run.damage(at, IssueKind::NoTemplate, what, &waiting.body)
    }
}

/// Whether what is behind a message is nothing: at most three zeros, which fill a word.
fn is_padding(rest: &[u8]) -> bool {
    rest.len() < 4 && rest.iter().all(|byte| *byte == 0)
}

fn domain(head: &Head) -> Domain {
    (head.exporter, head.version, head.domain)
}

/// The template at the start of `body` with its number and length; `None` where it goes beyond the end.
fn template(body: &[u8], version: u16, is_options: bool) -> Option<(u16, Template, usize)> {
    let (id, mut count) = (u16_at(body, 0)?, usize::from(u16_at(body, 2)?));
    let (mut at, mut scopes) = (4, None);
    // The withdrawal of a template of options has no further number.
    if is_options && count > 0 {
        let second = usize::from(u16_at(body, 4)?);
        at = 6;
        // Version 9 counts the bytes of scopes and of options, IPFIX counts all fields and the scopes among them.
        (count, scopes) = match version {
            9 => ((count + second) / 4, Some(count / 4)),
            _ => (count, Some(second)),
        };
    }
    let mut fields = Vec::new();
    for _ in 0..count {
        let (number, length) = (u16_at(body, at)?, u16_at(body, at + 2)?);
        at += 4;
        let mut field = Field { enterprise: 0, id: number, length };
        if version == 10 {
            field.id &= 0x7fff;
            if number & 0x8000 != 0 {
                field.enterprise = u32_at(body, at)?;
                at += 4;
            }
        }
        fields.push(field);
    }
    Some((id, Template::new(fields, scopes), at))
}

fn u16_at(bytes: &[u8], at: usize) -> Option<u16> {
    let bytes = bytes.get(at..at.checked_add(2)?)?;
    Some(u16::from_be_bytes(bytes.try_into().ok()?))
}

fn u32_at(bytes: &[u8], at: usize) -> Option<u32> {
    let bytes = bytes.get(at..at.checked_add(4)?)?;
    Some(u32::from_be_bytes(bytes.try_into().ok()?))
}
