//! A record as rules see it: one level of names with values.

use std::collections::BTreeMap;

use gimbal_evidence::extract::{Details, FieldPart};

/// A record as names with values, all of them texts.
///
/// - Members of the head come first, under the names that rules have for them (`Provider_Name`, `EventID`, `Channel`, ...), without the
///   space around them.
/// - A named field of the body takes the place of one of the same name, as the last one wins.
/// - Fields named `Data` of elements without a name are one field `Data`, with a space between.
/// - Any other element is kept where no field has its name yet.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Record {
    fields: BTreeMap<String, String>,
}

/// The name of data without a name.
const UNNAMED: &str = "Data";

impl Record {
    /// The record of what an extractor observes. Empty where its source has no fields of its own.
    #[must_use]
    pub fn of(details: &dyn Details) -> Self {
        let mut record = Self::default();
        details.fields(&mut |field| record.put(field.part, field.name, field.value));
        record
    }

    fn put(&mut self, part: FieldPart, name: &str, value: &str) {
        match part {
            FieldPart::Head => self.set(name, value.trim()),
            FieldPart::Named => self.set(name, value),
            FieldPart::Element if name == UNNAMED => {
                let before = self.fields.entry(UNNAMED.to_owned()).or_default();
                if !before.is_empty() {
                    before.push(' ');
                }
                before.push_str(value);
                let sound = before.trim();
                if sound.len() != before.len() {
                    *before = sound.to_owned();
                }
            }
            FieldPart::Element => self.set_missing(name, value),
        }
    }

    /// Gives a field a value.
    pub fn set(&mut self, name: &str, value: &str) {
        self.fields.insert(name.to_owned(), value.to_owned());
    }

    /// Gives a field a value, unless it has one.
    pub fn set_missing(&mut self, name: &str, value: &str) {
        if !self.fields.contains_key(name) {
            self.set(name, value);
        }
    }

    /// The value of a field. Names are compared exactly.
    #[must_use]
    pub fn get(&self, name: &str) -> Option<&str> {
        self.fields.get(name).map(String::as_str)
    }

    /// The channel of the event log; empty where there is none.
    #[must_use]
    pub fn channel(&self) -> &str {
        self.get("Channel").unwrap_or_default()
    }

    /// The number of the event.
    #[must_use]
    pub fn event(&self) -> Option<u32> {
        self.get("EventID")?.trim().parse().ok()
    }

    /// Whether there is no field.
    #[must_use]
    pub fn is_empty(&self) -> bool {
        self.fields.is_empty()
    }

    /// All fields, in the order of the bytes of their names.
    pub fn fields(&self) -> impl Iterator<Item = (&str, &str)> {
        self.fields.iter().map(|(name, value)| (name.as_str(), value.as_str()))
    }
}

impl<N: Into<String>, V: Into<String>> FromIterator<(N, V)> for Record {
    fn from_iter<I: IntoIterator<Item = (N, V)>>(fields: I) -> Self {
        Self { fields: fields.into_iter().map(|(name, value)| (name.into(), value.into())).collect() }
    }
}
