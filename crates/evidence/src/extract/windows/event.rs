//! One event: where its fields are in its XML.

use std::borrow::Cow;

use super::super::{FieldPart, RecordField};
use super::xml::{Scanner, Tag, XmlError, attributes, check_references, decode};

/// Deepest nesting of elements.
const MAX_DEPTH: usize = 32;
/// Most fields of an event. A record of an event log has 65,535 values at most, and real events fewer than 100.
const MAX_FIELDS: usize = 4096;

/// A piece of the event's text: bytes from and to.
#[derive(Clone, Copy, Debug, Default)]
struct Span {
    start: usize,
    end: usize,
}

/// A field of the event's data.
#[derive(Clone, Copy, Debug)]
struct Field {
    /// The element of which it is an attribute, where it is one.
    owner: Option<Span>,
    name: Span,
    value: Span,
}

/// An element that is open.
#[derive(Clone, Copy, Debug)]
struct Open {
    name: Span,
    /// What names the field: the attribute `Name`, else the element.
    label: Span,
    inner: usize,
    has_children: bool,
}

/// Where the fields of an event are. Used again for the next event, so that reading costs no allocation.
#[derive(Debug, Default)]
pub(super) struct Layout {
    provider: Span,
    id: Span,
    level: Span,
    task: Span,
    opcode: Span,
    keywords: Span,
    time: Span,
    record_id: Span,
    process_id: Span,
    channel: Span,
    computer: Span,
    user_id: Span,
    message: Span,
    fields: Vec<Field>,
    open: Vec<Open>,
}

impl Layout {
    /// Finds the fields of an event.
    ///
    /// # Errors
    /// When it is not well-formed, or is not an event.
    pub(super) fn read(&mut self, text: &str) -> Result<(), XmlError> {
        let (fields, open) = (std::mem::take(&mut self.fields), std::mem::take(&mut self.open));
        *self = Self { fields, open, ..Self::default() };
        self.fields.clear();
        self.open.clear();
        let mut scanner = Scanner::new(text);
        let mut has_system = false;
        while let Some((tag, start, end)) = scanner.next()? {
            let fault = |what| XmlError { at: start, what };
            match tag {
                Tag::Open { name, attributes: written, empty } => {
                    if self.open.len() >= MAX_DEPTH {
                        return Err(fault("elements nested more than 32 deep"));
                    }
                    let name = span(text, name);
                    if let Some(parent) = self.open.last_mut() {
                        parent.has_children = true;
                    } else if slice(text, name) != "Event" {
                        return Err(fault("an element that is not an event"));
                    }
                    let label = self.attributes(text, name, written);
                    has_system |= self.open.len() == 1 && slice(text, name) == "System";
                    self.open.push(Open { name, label, inner: end, has_children: false });
                    if empty {
                        self.close(text, end)?;
                    }
                }
                Tag::Close { name } => {
                    if self.open.last().is_none_or(|open| slice(text, open.name) != name) {
                        return Err(fault("an end tag of another element"));
                    }
                    self.close(text, start)?;
                }
            }
            if self.fields.len() > MAX_FIELDS {
                return Err(fault("more than 4096 fields"));
            }
            if self.open.is_empty() {
                let sound = has_system && text.get(end..).is_some_and(|rest| rest.trim_ascii().is_empty());
                return if sound { Ok(()) } else { Err(fault("an event without a System part, or text after it")) };
            }
        }
        Err(XmlError { at: text.len(), what: "the event ends before it is complete" })
    }

    /// The part of the event in which the innermost element is: `System`, `EventData`, `UserData` and so on.
    fn section<'a>(&self, text: &'a str) -> &'a str {
        self.open.get(1).map_or("", |section| slice(text, section.name))
    }

    /// Notes the attributes of a tag, and says what names its field.
    fn attributes(&mut self, text: &str, name: Span, written: &str) -> Span {
        let mut label = name;
        if written.is_empty() || self.open.is_empty() {
            return label;
        }
        let section = self.section(text);
        for (key, value) in attributes(written) {
            let value = span(text, value);
            match (section, slice(text, name), key) {
                ("System", "Provider", "Name") => self.provider = value,
                ("System", "Provider", "EventSourceName") if self.provider.end == 0 => self.provider = value,
                ("System", "TimeCreated", "SystemTime") => self.time = value,
                ("System", "Execution", "ProcessID") => self.process_id = value,
                ("System", "Security", "UserID") => self.user_id = value,
                ("System" | "RenderingInfo" | "", ..) => {}
                ("EventData", _, "Name") if value.start < value.end => label = value,
                _ => self.fields.push(Field { owner: Some(name), name: span(text, key), value }),
            }
        }
        label
    }

    /// Ends the innermost element, whose content ends at `end`.
    fn close(&mut self, text: &str, end: usize) -> Result<(), XmlError> {
        let Some(element) = self.open.last().copied() else { return Ok(()) };
        if !element.has_children {
            let value = Span { start: element.inner.min(end), end };
            check_references(slice(text, value))
                .map_err(|at| XmlError { at: value.start + at, what: "an entity that XML does not name" })?;
            match (self.section(text), slice(text, element.name)) {
                ("System", "EventID") => self.id = value,
                ("System", "Level") => self.level = value,
                ("System", "Task") => self.task = value,
                ("System", "Opcode") => self.opcode = value,
                ("System", "Keywords") => self.keywords = value,
                ("System", "EventRecordID") => self.record_id = value,
                ("System", "Channel") => self.channel = value,
                ("System", "Computer") => self.computer = value,
                ("RenderingInfo", "Message") => self.message = value,
                ("System" | "RenderingInfo" | "", _) => {}
                _ if self.open.len() == 2 && value.start == value.end => {}
                _ => self.fields.push(Field { owner: None, name: element.label, value }),
            }
        }
        self.open.pop();
        Ok(())
    }
}

/// Where a piece of a text is in it.
fn span(text: &str, piece: &str) -> Span {
    let start = (piece.as_ptr() as usize).saturating_sub(text.as_ptr() as usize);
    Span { start, end: start + piece.len() }
}

fn slice(text: &str, span: Span) -> &str {
    text.get(span.start..span.end).unwrap_or_default()
}

/// An event whose fields are known.
#[derive(Clone, Copy, Debug)]
pub(super) struct Event<'a> {
    text: &'a str,
    layout: &'a Layout,
}

impl<'a> Event<'a> {
    /// The event that `layout` was read from.
    pub(super) const fn new(text: &'a str, layout: &'a Layout) -> Self {
        Self { text, layout }
    }

    fn value(&self, span: Span) -> Cow<'a, str> {
        decode(slice(self.text, span))
    }

    /// The provider's name.
    pub(super) fn provider(&self) -> Cow<'a, str> {
        self.value(self.layout.provider)
    }

    /// The number of the event. Logs that were forwarded hold it as text.
    pub(super) fn id(&self) -> Option<u32> {
        self.value(self.layout.id).trim().parse().ok()
    }

    /// The time as written.
    pub(super) fn time(&self) -> Cow<'a, str> {
        self.value(self.layout.time)
    }

    /// The host that logged it, without a trailing dot.
    pub(super) fn computer(&self) -> Cow<'a, str> {
        match self.value(self.layout.computer) {
            Cow::Borrowed(name) => Cow::Borrowed(name.trim().trim_end_matches('.')),
            Cow::Owned(name) => Cow::Owned(name.trim().trim_end_matches('.').to_owned()),
        }
    }

    /// The identifier of the account under which the event was logged.
    pub(super) fn user_id(&self) -> Cow<'a, str> {
        self.value(self.layout.user_id)
    }

    /// The members of the System part that facts keep, by the names of their attributes.
    pub(super) fn system(&self) -> [(&'static str, Cow<'a, str>); 10] {
        let layout = self.layout;
        let named = |name, span| (name, self.value(span));
        [
            named("Channel", layout.channel),
            named("Computer", layout.computer),
            named("EventID", layout.id),
            named("EventRecordID", layout.record_id),
            named("ExecutionProcessID", layout.process_id),
            named("Keywords", layout.keywords),
            named("Level", layout.level),
            named("Message", layout.message),
            named("Provider", layout.provider),
            named("UserID", layout.user_id),
        ]
    }

    /// Gives the fields as the event writes them, by the names that the Sigma taxonomy has for the System part.
    pub(super) fn give(&self, each: &mut dyn FnMut(RecordField<'_>)) {
        let layout = self.layout;
        for (name, span) in [
            ("Provider_Name", layout.provider),
            ("EventID", layout.id),
            ("Level", layout.level),
            ("Task", layout.task),
            ("Opcode", layout.opcode),
            ("Keywords", layout.keywords),
            ("EventRecordID", layout.record_id),
            ("Channel", layout.channel),
            ("Computer", layout.computer),
            ("UserID", layout.user_id),
        ] {
            if span.end > 0 {
                each(RecordField { part: FieldPart::Head, name, value: &self.value(span) });
            }
        }
        for field in layout.fields.iter().filter(|field| field.owner.is_none()) {
            // The name is the value of an attribute where a quotation mark is before it, else that of the element.
            let before = self.text.as_bytes().get(field.name.start.wrapping_sub(1));
            let part = if matches!(before, Some(b'"' | b'\'')) { FieldPart::Named } else { FieldPart::Element };
            each(RecordField { part, name: &self.value(field.name), value: &self.value(field.value) });
        }
    }

    /// The first field of a name, if it has a value.
    pub(super) fn get(&self, name: &str) -> Option<Cow<'a, str>> {
        let field = self.layout.fields.iter().find(|field| slice(self.text, field.name) == name)?;
        Some(self.value(field.value)).filter(|value| !matches!(value.trim(), "" | "-"))
    }

    /// All fields in order: the element of an attribute, the name, the value.
    pub(super) fn fields(&self) -> impl Iterator<Item = (Option<&'a str>, Cow<'a, str>, Cow<'a, str>)> {
        let Self { text, layout } = *self;
        layout.fields.iter().map(move |field| {
            let value = |span| decode(slice(text, span));
            (field.owner.map(|owner| slice(text, owner)), value(field.name), value(field.value))
        })
    }
}
