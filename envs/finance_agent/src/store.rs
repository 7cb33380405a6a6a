//! The data storage of an episode: documents under keys that the agent chooses (CYC-039).

use std::sync::Arc;

use gimbal_core::Digest;

/// A stored document.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Document {
    /// The key that the agent gave it.
    pub key: String,
    /// Its text.
    pub text: Arc<str>,
    /// Hash of the text.
    pub digest: Digest,
    /// The address that it came from, as the agent gave it.
    pub url: String,
}

/// The documents of an episode, in the order in which their keys were first used.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Store(Vec<Document>);

impl Store {
    /// Puts a document under a key; true if the key held another one, whose place it takes.
    pub fn put(&mut self, key: &str, text: &str, url: &str) -> bool {
        let (text, digest): (Arc<str>, Digest) = (text.into(), Digest::of(text.as_bytes()));
        let document = Document { key: key.to_owned(), text, digest, url: url.to_owned() };
        match self.0.iter_mut().find(|known| known.key == key) {
            Some(known) => {
                *known = document;
                true
            }
            None => {
                self.0.push(document);
                false
            }
        }
    }

    /// The document under a key.
    #[must_use]
    pub fn get(&self, key: &str) -> Option<&Document> {
        self.0.iter().find(|known| known.key == key)
    }

    /// All documents.
    #[must_use]
    pub fn documents(&self) -> &[Document] {
        &self.0
    }

    /// The keys, joined.
    #[must_use]
    pub fn keys(&self, by: &str) -> String {
        self.0.iter().map(|document| document.key.as_str()).collect::<Vec<_>>().join(by)
    }

    /// A hash of keys and texts, whatever the order in which they came.
    #[must_use]
    pub fn digest(&self) -> Digest {
        let mut parts: Vec<Vec<u8>> =
            self.0.iter().map(|document| [document.key.as_bytes(), &[0], &document.digest.0].concat()).collect();
        parts.sort();
        Digest::of_parts(&parts.iter().map(Vec::as_slice).collect::<Vec<_>>())
    }
}
