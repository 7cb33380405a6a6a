//! JSON without blanks, keys in the order in which they come.

use super::{Sink, Symbol, push_address, push_int, push_real};

/// Appends JSON to a buffer. Enumerations are written by name, addresses as text.
#[derive(Debug)]
pub struct JsonSink<'a> {
    out: &'a mut Vec<u8>,
    /// Whether the next item follows another one.
    follows: bool,
}

impl<'a> JsonSink<'a> {
    /// A sink that appends to `out`.
    pub const fn new(out: &'a mut Vec<u8>) -> Self {
        Self { out, follows: false }
    }

    #[inline]
    fn separate(&mut self) {
        if self.follows {
            self.out.push(b',');
        }
        self.follows = true;
    }

    fn quote(&mut self, text: &str) {
        self.out.push(b'"');
        for byte in text.bytes() {
            match byte {
                b'"' | b'\\' => self.out.extend_from_slice(&[b'\\', byte]),
                0..=31 => self.out.extend_from_slice(format!("\\u{byte:04x}").as_bytes()),
                _ => self.out.push(byte),
            }
        }
        self.out.push(b'"');
    }
}

impl Sink for JsonSink<'_> {
    fn map(&mut self) {
        self.separate();
        self.out.push(b'{');
        self.follows = false;
    }

    fn end_map(&mut self) {
        self.out.push(b'}');
        self.follows = true;
    }

    fn list(&mut self) {
        self.separate();
        self.out.push(b'[');
        self.follows = false;
    }

    fn end_list(&mut self) {
        self.out.push(b']');
        self.follows = true;
    }

    fn key(&mut self, key: &str) {
        self.separate();
        self.quote(key);
        self.out.push(b':');
        self.follows = false;
    }

    fn foreign_key(&mut self, key: &str) {
        self.key(key);
    }

    fn text(&mut self, text: &str) {
        self.separate();
        self.quote(text);
    }

    fn int(&mut self, value: i64) {
        self.separate();
        push_int(self.out, value);
    }

    fn real(&mut self, value: f64) {
        self.separate();
        push_real(self.out, value);
    }

    fn boolean(&mut self, value: bool) {
        self.separate();
        self.out.extend_from_slice(if value { b"true" } else { b"false" });
    }

    fn null(&mut self) {
        self.separate();
        self.out.extend_from_slice(b"null");
    }

    fn symbol(&mut self, symbol: Symbol) {
        self.text(symbol.name);
    }

    fn address(&mut self, address: u32) {
        self.separate();
        self.out.push(b'"');
        push_address(self.out, address);
        self.out.push(b'"');
    }

    fn network(&mut self, base: u32) {
        self.separate();
        self.out.push(b'"');
        push_address(self.out, base);
        self.out.extend_from_slice(b"/28\"");
    }
}
