//! The text that Python prints for an observation, byte for byte.

use std::sync::LazyLock;

use super::{Constant, Sink, Symbol, push_address, push_int, push_real};
use crate::facts::{HOSTS, Os};

/// The constant parts as text: both systems, and the users of every host. Made by the very walk that they replace.
static CONSTANTS: LazyLock<Vec<Vec<u8>>> = LazyLock::new(|| {
    let systems = [Os::Windows, Os::Linux].map(Constant::System);
    let parts = systems.into_iter().chain(HOSTS.map(Constant::Users));
    let text = |part: Constant| {
        let mut out = Vec::new();
        part.walk(&mut PythonSink::new(&mut out));
        out
    };
    parts.map(text).collect()
});

/// Appends Python's `repr` of a nested observation to a buffer.
#[derive(Debug)]
pub struct PythonSink<'a> {
    out: &'a mut Vec<u8>,
    /// Whether the next item follows another one.
    follows: bool,
}

impl<'a> PythonSink<'a> {
    /// A sink that appends to `out`.
    pub const fn new(out: &'a mut Vec<u8>) -> Self {
        Self { out, follows: false }
    }

    #[inline]
    fn separate(&mut self) {
        if self.follows {
            self.out.extend_from_slice(b", ");
        }
        self.follows = true;
    }

    #[inline]
    fn quote(&mut self, text: &str) {
        let plain = |byte: u8| (0x20..0x7F).contains(&byte) && byte != b'\'' && byte != b'\\';
        if text.bytes().all(plain) {
            self.out.push(b'\'');
            self.out.extend_from_slice(text.as_bytes());
            self.out.push(b'\'');
        } else {
            self.quote_escaped(text);
        }
    }

    #[cold]
    fn quote_escaped(&mut self, text: &str) {
        // Python prefers single quotes, and takes double ones where that saves escaping.
        let mark = if text.contains('\'') && !text.contains('"') { b'"' } else { b'\'' };
        self.out.push(mark);
        for c in text.chars() {
            match c {
                '\\' => self.out.extend_from_slice(b"\\\\"),
                '\n' => self.out.extend_from_slice(b"\\n"),
                '\r' => self.out.extend_from_slice(b"\\r"),
                '\t' => self.out.extend_from_slice(b"\\t"),
                c if c == char::from(mark) => self.out.extend_from_slice(&[b'\\', mark]),
                c if c.is_control() => self.out.extend_from_slice(format!("\\x{:02x}", c as u32).as_bytes()),
                c => self.out.extend_from_slice(c.encode_utf8(&mut [0; 4]).as_bytes()),
            }
        }
        self.out.push(mark);
    }
}

impl Sink for PythonSink<'_> {
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

    #[inline]
    fn key(&mut self, key: &str) {
        self.out.extend_from_slice(if self.follows { b", '" } else { b"'" });
        self.out.extend_from_slice(key.as_bytes());
        self.out.extend_from_slice(b"': ");
        self.follows = false;
    }

    fn foreign_key(&mut self, key: &str) {
        self.separate();
        self.quote(key);
        self.out.extend_from_slice(b": ");
        self.follows = false;
    }

    fn constant(&mut self, part: Constant) {
        let at = match part {
            Constant::System(Os::Windows) => 0,
            Constant::System(Os::Linux) => 1,
            Constant::Users(host) => 2 + host.index(),
        };
        match CONSTANTS.get(at) {
            Some(text) => {
                self.separate();
                self.out.extend_from_slice(text);
            }
            None => part.walk(self),
        }
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
        self.out.extend_from_slice(if value { b"True" } else { b"False" });
    }

    fn null(&mut self) {
        self.separate();
        self.out.extend_from_slice(b"None");
    }

    fn symbol(&mut self, symbol: Symbol) {
        self.separate();
        self.out.push(b'<');
        self.out.extend_from_slice(symbol.class.as_bytes());
        self.out.push(b'.');
        self.out.extend_from_slice(symbol.name.as_bytes());
        self.out.extend_from_slice(b": ");
        push_int(self.out, i64::from(symbol.value));
        self.out.push(b'>');
    }

    fn address(&mut self, address: u32) {
        self.separate();
        self.out.extend_from_slice(b"IPv4Address('");
        push_address(self.out, address);
        self.out.extend_from_slice(b"')");
    }

    fn network(&mut self, base: u32) {
        self.separate();
        self.out.extend_from_slice(b"IPv4Network('");
        push_address(self.out, base);
        self.out.extend_from_slice(b"/28')");
    }

    #[inline]
    fn event(&mut self, pid: u16, local: u16, remote: u16, local_address: u32, remote_address: u32) {
        // The bulk of all text: the same as the general walk, put together on the stack and appended at once.
        let mut piece = Piece::new();
        if self.follows {
            piece.put(b", ");
        }
        self.follows = true;
        if pid == 0 {
            piece.put(b"{'Connections': [{'local_port': ");
        } else {
            piece.put(b"{'PID': ");
            piece.number(pid);
            piece.put(b", 'Connections': [{'local_port': ");
        }
        piece.number(local);
        if remote != 0 {
            piece.put(b", 'remote_port': ");
            piece.number(remote);
        }
        piece.put(b", 'local_address': IPv4Address('");
        piece.address(local_address);
        piece.put(b"'), 'remote_address': IPv4Address('");
        piece.address(remote_address);
        piece.put(b"')}]}");
        self.out.extend_from_slice(piece.filled());
    }
}

/// A short text under construction, longer than any event.
struct Piece {
    bytes: [u8; 256],
    used: usize,
}

impl Piece {
    #[inline]
    const fn new() -> Self {
        Self { bytes: [0; 256], used: 0 }
    }

    #[inline]
    fn put<const N: usize>(&mut self, text: &[u8; N]) {
        if let Some(place) = self.bytes.get_mut(self.used..self.used + N) {
            place.copy_from_slice(text);
            self.used += N;
        }
    }

    #[inline]
    fn number(&mut self, value: u16) {
        let digits = match value {
            0..=9 => 1,
            10..=99 => 2,
            100..=999 => 3,
            1000..=9999 => 4,
            _ => 5,
        };
        let mut rest = value;
        if let Some(place) = self.bytes.get_mut(self.used..self.used + digits) {
            for digit in place.iter_mut().rev() {
                *digit = b'0' + (rest % 10) as u8;
                rest /= 10;
            }
            self.used += digits;
        }
    }

    #[inline]
    fn address(&mut self, address: u32) {
        let (text, length) = super::dotted(address);
        if let Some(place) = self.bytes.get_mut(self.used..self.used + 16) {
            place.copy_from_slice(&text);
            self.used += length;
        }
    }

    #[inline]
    fn filled(&self) -> &[u8] {
        self.bytes.get(..self.used).unwrap_or_default()
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    /// The general walk of an event, which the short way above must equal.
    struct Plain<'a>(PythonSink<'a>);

    impl Sink for Plain<'_> {
        fn map(&mut self) {
            self.0.map();
        }
        fn end_map(&mut self) {
            self.0.end_map();
        }
        fn list(&mut self) {
            self.0.list();
        }
        fn end_list(&mut self) {
            self.0.end_list();
        }
        fn key(&mut self, key: &str) {
            self.0.key(key);
        }
        fn foreign_key(&mut self, key: &str) {
            self.0.foreign_key(key);
        }
        fn text(&mut self, text: &str) {
            self.0.text(text);
        }
        fn int(&mut self, value: i64) {
            self.0.int(value);
        }
        fn real(&mut self, value: f64) {
            self.0.real(value);
        }
        fn boolean(&mut self, value: bool) {
            self.0.boolean(value);
        }
        fn null(&mut self) {
            self.0.null();
        }
        fn symbol(&mut self, symbol: Symbol) {
            self.0.symbol(symbol);
        }
        fn address(&mut self, address: u32) {
            self.0.address(address);
        }
        fn network(&mut self, base: u32) {
            self.0.network(base);
        }
    }

    #[test]
    fn the_short_way_prints_what_the_long_way_prints() {
        for (pid, local, remote) in [(0, 22, 0), (7, 65_535, 4444), (32_767, 3389, 49_152), (100, 1, 60_000)] {
            let (mut short, mut long) = (Vec::new(), Vec::new());
            let mut sink = PythonSink::new(&mut short);
            sink.list();
            sink.event(pid, local, remote, 0x0AFF_FEFD, 0x0A00_0001);
            sink.event(pid, local, remote, 1, 2);
            let mut sink = Plain(PythonSink::new(&mut long));
            sink.list();
            sink.event(pid, local, remote, 0x0AFF_FEFD, 0x0A00_0001);
            sink.event(pid, local, remote, 1, 2);
            assert_eq!(String::from_utf8_lossy(&short), String::from_utf8_lossy(&long));
        }
    }

    #[test]
    fn texts_are_quoted_as_python_does() {
        let mut out = Vec::new();
        let mut sink = PythonSink::new(&mut out);
        sink.list();
        for text in ["plain", "C:\\temp\\", "it's", "it's \"both\"", "tab\t", "é"] {
            sink.text(text);
        }
        sink.end_list();
        // As CPython 3.11 prints this list.
        let expected = r#"['plain', 'C:\\temp\\', "it's", 'it\'s "both"', 'tab\t', 'é']"#;
        assert_eq!(String::from_utf8_lossy(&out), expected);
    }
}
