//! An observation as a typed, ordered tree.

use std::net::Ipv4Addr;

use super::symbol::Symbol;
use super::{JsonSink, PythonSink, Sink};

/// A value of an observation. Dictionaries keep the order of their keys.
#[derive(Clone, Debug, PartialEq)]
pub enum Node {
    /// A dictionary.
    Map(Vec<(String, Node)>),
    /// A list.
    List(Vec<Node>),
    /// A text.
    Text(String),
    /// A whole number.
    Int(i64),
    /// A real number.
    Real(f64),
    /// A truth value.
    Boolean(bool),
    /// Python's `None`.
    Null,
    /// A member of an enumeration.
    Symbol(Symbol),
    /// An address.
    Address(Ipv4Addr),
    /// A /28 network, by its first address.
    Network(Ipv4Addr),
}

impl Node {
    /// Builds a tree from a walk.
    pub fn build(walk: impl FnOnce(&mut NodeSink)) -> Self {
        let mut sink = NodeSink::default();
        walk(&mut sink);
        sink.finished.unwrap_or(Self::Null)
    }

    /// The value of a key, if this is a dictionary that has it.
    #[must_use]
    pub fn get(&self, key: &str) -> Option<&Self> {
        self.entries().find(|(known, _)| *known == key).map(|(_, value)| value)
    }

    /// The entries of a dictionary, in order; none of anything else.
    pub fn entries(&self) -> impl Iterator<Item = (&str, &Self)> {
        let entries: &[(String, Self)] = if let Self::Map(entries) = self { entries } else { &[] };
        entries.iter().map(|(key, value)| (key.as_str(), value))
    }

    /// The items of a list; none of anything else.
    #[must_use]
    pub fn items(&self) -> &[Self] {
        if let Self::List(items) = self { items } else { &[] }
    }

    /// Walks through the tree.
    pub fn walk(&self, sink: &mut impl Sink) {
        match self {
            Self::Map(entries) => {
                sink.map();
                for (key, value) in entries {
                    sink.foreign_key(key);
                    value.walk(sink);
                }
                sink.end_map();
            }
            Self::List(items) => {
                sink.list();
                for item in items {
                    item.walk(sink);
                }
                sink.end_list();
            }
            Self::Text(text) => sink.text(text),
            Self::Int(value) => sink.int(*value),
            Self::Real(value) => sink.real(*value),
            Self::Boolean(value) => sink.boolean(*value),
            Self::Null => sink.null(),
            Self::Symbol(symbol) => sink.symbol(*symbol),
            Self::Address(address) => sink.address(address.to_bits()),
            Self::Network(base) => sink.network(base.to_bits()),
        }
    }

    /// As JSON, keys in order.
    #[must_use]
    pub fn to_json(&self) -> String {
        let mut out = Vec::new();
        self.walk(&mut JsonSink::new(&mut out));
        String::from_utf8_lossy(&out).into_owned()
    }

    /// As CybORG (Python) prints it.
    #[must_use]
    pub fn to_python(&self) -> String {
        let mut out = Vec::new();
        self.walk(&mut PythonSink::new(&mut out));
        String::from_utf8_lossy(&out).into_owned()
    }
}

enum Open {
    Map(Vec<(String, Node)>),
    List(Vec<Node>),
}

/// Builds a [`Node`] from a walk.
#[derive(Default)]
pub struct NodeSink {
    open: Vec<(Open, Option<String>)>,
    key: Option<String>,
    finished: Option<Node>,
}

impl NodeSink {
    fn put(&mut self, node: Node) {
        let key = self.key.take();
        match self.open.last_mut() {
            Some((Open::Map(entries), _)) => entries.push((key.unwrap_or_default(), node)),
            Some((Open::List(items), _)) => items.push(node),
            None => self.finished = Some(node),
        }
    }

    fn close(&mut self) {
        if let Some((open, key)) = self.open.pop() {
            self.key = key;
            self.put(match open {
                Open::Map(entries) => Node::Map(entries),
                Open::List(items) => Node::List(items),
            });
        }
    }
}

impl Sink for NodeSink {
    fn map(&mut self) {
        let key = self.key.take();
        self.open.push((Open::Map(Vec::new()), key));
    }

    fn end_map(&mut self) {
        self.close();
    }

    fn list(&mut self) {
        let key = self.key.take();
        self.open.push((Open::List(Vec::new()), key));
    }

    fn end_list(&mut self) {
        self.close();
    }

    fn key(&mut self, key: &str) {
        self.key = Some(key.to_owned());
    }

    fn foreign_key(&mut self, key: &str) {
        self.key(key);
    }

    fn text(&mut self, text: &str) {
        self.put(Node::Text(text.to_owned()));
    }

    fn int(&mut self, value: i64) {
        self.put(Node::Int(value));
    }

    fn real(&mut self, value: f64) {
        self.put(Node::Real(value));
    }

    fn boolean(&mut self, value: bool) {
        self.put(Node::Boolean(value));
    }

    fn null(&mut self) {
        self.put(Node::Null);
    }

    fn symbol(&mut self, symbol: Symbol) {
        self.put(Node::Symbol(symbol));
    }

    fn address(&mut self, address: u32) {
        self.put(Node::Address(Ipv4Addr::from_bits(address)));
    }

    fn network(&mut self, base: u32) {
        self.put(Node::Network(Ipv4Addr::from_bits(base)));
    }
}
