//! A small reader of the text that Python prints for an observation.

use std::net::Ipv4Addr;

use gimbal_cage2::view::{Node, Symbol};

/// Reads a whole text.
pub fn read(text: &str) -> Result<Node, String> {
    let mut reader = Reader { text, at: 0 };
    let node = reader.value()?;
    if reader.at == text.len() { Ok(node) } else { Err(reader.wrong("nothing more")) }
}

struct Reader<'a> {
    text: &'a str,
    at: usize,
}

impl<'a> Reader<'a> {
    fn rest(&self) -> &'a str {
        &self.text[self.at..]
    }

    fn wrong(&self, wanted: &str) -> String {
        let rest: String = self.rest().chars().take(40).collect();
        format!("expected {wanted} at {}: {rest}", self.at)
    }

    fn take(&mut self, text: &str) -> bool {
        let found = self.rest().starts_with(text);
        self.at += if found { text.len() } else { 0 };
        found
    }

    fn expect(&mut self, text: &str) -> Result<(), String> {
        if self.take(text) { Ok(()) } else { Err(self.wrong(text)) }
    }

    fn until(&mut self, end: &str) -> Result<&'a str, String> {
        let length = self.rest().find(end).ok_or_else(|| self.wrong(end))?;
        let found = &self.rest()[..length];
        self.at += length + end.len();
        Ok(found)
    }

    fn text(&mut self) -> Result<String, String> {
        self.expect("'")?;
        Ok(self.until("'")?.replace("\\\\", "\\"))
    }

    fn value(&mut self) -> Result<Node, String> {
        if self.take("{") {
            let mut entries = Vec::new();
            while !self.take("}") {
                if !entries.is_empty() {
                    self.expect(", ")?;
                }
                let key = self.text()?;
                self.expect(": ")?;
                entries.push((key, self.value()?));
            }
            return Ok(Node::Map(entries));
        }
        if self.take("[") {
            let mut items = Vec::new();
            while !self.take("]") {
                if !items.is_empty() {
                    self.expect(", ")?;
                }
                items.push(self.value()?);
            }
            return Ok(Node::List(items));
        }
        if self.take("IPv4Address(") {
            let address: Ipv4Addr = self.text()?.parse().map_err(|_| self.wrong("an address"))?;
            self.expect(")")?;
            return Ok(Node::Address(address));
        }
        if self.take("IPv4Network(") {
            let network = self.text()?;
            let base = network.strip_suffix("/28").ok_or_else(|| self.wrong("a /28 network"))?;
            self.expect(")")?;
            return Ok(Node::Network(base.parse().map_err(|_| self.wrong("a network"))?));
        }
        if self.take("<") {
            let class = self.until(".")?.to_owned();
            let name = self.until(": ")?.to_owned();
            let value = self.until(">")?.parse().map_err(|_| self.wrong("a number"))?;
            // A test may keep a few names forever.
            return Ok(Node::Symbol(Symbol::new(class.leak(), name.leak(), value)));
        }
        for (word, node) in [("True", Node::Boolean(true)), ("False", Node::Boolean(false)), ("None", Node::Null)] {
            if self.take(word) {
                return Ok(node);
            }
        }
        if self.rest().starts_with('\'') {
            return self.text().map(Node::Text);
        }
        let length = self.rest().find([',', ']', '}']).ok_or_else(|| self.wrong("a number"))?;
        let digits = &self.rest()[..length];
        let node = match digits.parse() {
            Ok(whole) => Node::Int(whole),
            Err(_) => Node::Real(digits.parse().map_err(|_| self.wrong("a number"))?),
        };
        self.at += length;
        Ok(node)
    }
}
