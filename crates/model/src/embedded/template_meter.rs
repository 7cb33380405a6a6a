//! What a template of a model file has made so far, in bytes, and the filters and functions that count it.

use std::io;
use std::sync::Arc;
use std::sync::atomic::{AtomicU64, Ordering};

use minijinja::value::{Kwargs, Value, ValueKind};
use minijinja::{Environment, Error, ErrorKind};

/// Bytes that all texts and lists of one rendering may have together. A prompt of a million tokens has some 4 MB.
pub(super) const MADE: u64 = 1 << 27;

/// Bytes of an item of a list beside its own.
const ITEM: u64 = 24;

/// Bytes that are gone through in the time in which one is made, about.
const READ: u64 = 16;

/// Lists and maps within one another.
const DEPTH: usize = 64;

/// Names of the filters that [`super::template_tree`] adds.
pub(super) mod filter {
    /// Counts a part of a text: to go through one takes time and no memory.
    pub(in super::super) const READ: &str = "gimbal_read";
    /// Counts a text, or the items of a list.
    pub(in super::super) const COPIED: &str = "gimbal_copied";
    /// Counts a value with all that is in it.
    pub(in super::super) const TEXT: &str = "gimbal_text";
    /// Takes numbers alone.
    pub(in super::super) const NUMBER: &str = "gimbal_number";
}

/// Counts what one rendering makes.
#[derive(Clone, Debug, Default)]
pub(super) struct Meter(Arc<AtomicU64>);

impl Meter {
    /// Whether more was made than may be.
    pub(super) fn is_spent(&self) -> bool {
        self.0.load(Ordering::Relaxed) > MADE
    }

    /// Counts bytes.
    pub(super) fn made(&self, bytes: u64) -> Result<(), Error> {
        let before = self.0.fetch_add(bytes.min(MADE + 1), Ordering::Relaxed);
        match before.saturating_add(bytes) > MADE {
            true => Err(Error::new(ErrorKind::OutOfFuel, format!("it makes more than {MADE} bytes"))),
            false => Ok(()),
        }
    }

    fn text(&self, text: &str) -> Result<(), Error> {
        self.made(text.len() as u64)
    }

    /// Counts a value with all that is in it.
    pub(super) fn weigh(&self, value: &Value) -> Result<(), Error> {
        self.within(value, 0)
    }

    fn within(&self, value: &Value, depth: usize) -> Result<(), Error> {
        if depth > DEPTH {
            let what = format!("lists are in one another more than {DEPTH} deep");
            return Err(Error::new(ErrorKind::InvalidOperation, what));
        }
        if let Some(text) = value.as_str() {
            return self.text(text);
        }
        self.made(ITEM)?;
        match value.kind() {
            ValueKind::Map => {
                for key in value.try_iter()? {
                    self.within(&key, depth + 1)?;
                    self.within(&value.get_item(&key)?, depth + 1)?;
                }
            }
            ValueKind::Seq | ValueKind::Iterable => {
                for item in value.try_iter()? {
                    self.within(&item, depth + 1)?;
                }
            }
            _ => {}
        }
        Ok(())
    }

    /// Counts a text or the items of a list. What is computed item by item becomes a list, so that none is behind another.
    fn copied(&self, value: Value) -> Result<Value, Error> {
        if let Some(text) = value.as_str() {
            self.text(text)?;
        } else if value.kind() == ValueKind::Iterable {
            let mut items = Vec::new();
            for item in value.try_iter()? {
                self.item(&item)?;
                items.push(item);
            }
            return Ok(items.into());
        } else if value.kind() == ValueKind::Seq {
            value.try_iter()?.try_for_each(|item| self.item(&item))?;
        }
        Ok(value)
    }

    fn item(&self, item: &Value) -> Result<(), Error> {
        self.made(ITEM + item.as_str().map_or(0, str::len) as u64)
    }

    /// Puts the counting filters into an environment, and replaces what makes more than it is given.
    pub(super) fn install(&self, environment: &mut Environment<'_>) {
        let meter = self.clone();
        environment.add_filter(filter::READ, move |value: Value| {
            meter.made(value.as_str().map_or(0, |text| text.len() as u64 / READ))?;
            Ok::<_, Error>(value)
        });
        let meter = self.clone();
        environment.add_filter(filter::COPIED, move |value: Value| meter.copied(value));
        let meter = self.clone();
        environment.add_filter(filter::TEXT, move |value: Value| meter.weigh(&value).map(|()| value));
        environment.add_filter(filter::NUMBER, |value: Value| match value.kind() {
            ValueKind::Number | ValueKind::Bool => Ok(value),
            other => Err(Error::new(ErrorKind::InvalidOperation, format!("it multiplies a {other}"))),
        });
        let meter = self.clone();
        environment.add_filter("string", move |value: Value| {
            meter.weigh(&value)?;
            Ok::<_, Error>(if value.as_str().is_some() { value } else { value.to_string().into() })
        });
        let meter = self.clone();
        environment.add_filter("join", move |values: Value, between: Option<String>| meter.join(&values, between));
        let meter = self.clone();
        environment
            .add_filter("replace", move |text: String, from: String, to: String| meter.replace(&text, &from, &to));
        let meter = self.clone();
        environment.add_filter(
            "indent",
            move |text: String, width: Option<usize>, first: Option<bool>, rest: Kwargs| {
                let (width, first) =
                    (rest.get::<Option<usize>>("width")?.or(width), rest.get::<Option<bool>>("first")?.or(first));
                meter.indent(&text, width.unwrap_or(4), first.unwrap_or(false))
            },
        );
        for name in ["batch", "chain", "format", "pprint", "slice", "zip"] {
            environment.remove_filter(name);
        }
        environment.remove_global("debug");
        let meter = self.clone();
        environment.set_formatter(move |output, _, value| {
            meter.weigh(value)?;
            match value.as_str() {
                Some(text) => output.write_str(text),
                None => write!(output, "{value}"),
            }
            .map_err(|_| Error::from(ErrorKind::WriteFailure))
        });
    }

    fn join(&self, values: &Value, between: Option<String>) -> Result<String, Error> {
        let between = between.unwrap_or_default();
        let mut joined = String::new();
        for (place, value) in values.try_iter()?.enumerate() {
            if place > 0 {
                self.text(&between)?;
                joined.push_str(&between);
            }
            self.weigh(&value)?;
            match value.as_str() {
                Some(text) => joined.push_str(text),
                None => joined.push_str(&value.to_string()),
            }
        }
        Ok(joined)
    }

    /// Replaces a part of a text wherever it is.
    pub(super) fn replace(&self, text: &str, from: &str, to: &str) -> Result<String, Error> {
        let found = text.matches(from).count() as u64;
        self.made((text.len() as u64).saturating_add(found.saturating_mul(to.len() as u64)))?;
        Ok(text.replace(from, to))
    }

    fn indent(&self, text: &str, width: usize, first: bool) -> Result<String, Error> {
        let lines = text.lines().count() as u64 + 1;
        self.made((text.len() as u64).saturating_add(lines.saturating_mul(width as u64)))?;
        let space = " ".repeat(width);
        let mut indented = String::new();
        for (place, line) in text.split('\n').enumerate() {
            if place > 0 {
                indented.push('\n');
            }
            if !line.is_empty() && (place > 0 || first) {
                indented.push_str(&space);
            }
            indented.push_str(line);
        }
        Ok(indented)
    }
}

/// Takes what is written at last.
pub(super) struct Written {
    pub(super) meter: Meter,
    pub(super) bytes: Vec<u8>,
}

impl io::Write for Written {
    fn write(&mut self, bytes: &[u8]) -> io::Result<usize> {
        self.meter.made(bytes.len() as u64).map_err(io::Error::other)?;
        self.bytes.extend_from_slice(bytes);
        Ok(bytes.len())
    }

    fn flush(&mut self) -> io::Result<()> {
        Ok(())
    }
}
