//! Full-text search over the corpus, by SQLite's FTS5 in memory.
//!
//! Every word, phrase and prefix of a query is one look-up with its BM25 score; the operators between them are sets. So
//! the language is exactly that of [`crate::query`], a query of negations alone included.

use std::collections::BTreeMap;
use std::sync::{Mutex, PoisonError};

use rusqlite::Connection;

use super::CorpusError;
use crate::query::Query;

/// An index of numbered texts.
#[derive(Debug)]
pub struct Index {
    connection: Mutex<Connection>,
    count: usize,
}

/// Scores in millionths: what differs less is a tie, so that the order is the same on every machine.
type Score = i64;

impl Index {
    /// Indexes texts by their place.
    ///
    /// # Errors
    /// When the library refuses.
    pub fn of<'a>(texts: impl IntoIterator<Item = &'a str>) -> Result<Self, CorpusError> {
        let mut connection = Connection::open_in_memory()?;
        connection.execute_batch(
            "CREATE VIRTUAL TABLE texts USING fts5(body, content='', tokenize=\"unicode61 remove_diacritics 0\");",
        )?;
        let mut count = 0;
        let transaction = connection.transaction()?;
        {
            let mut insert = transaction.prepare("INSERT INTO texts(rowid, body) VALUES (?1, ?2)")?;
            for text in texts {
                insert.execute(rusqlite::params![count, text])?;
                count += 1;
            }
        }
        transaction.commit()?;
        Ok(Self { connection: Mutex::new(connection), count: count as usize })
    }

    /// Places of the texts that a query matches, with their scores; higher is better.
    ///
    /// # Errors
    /// When the library refuses.
    pub fn find(&self, query: &Query) -> Result<BTreeMap<usize, Score>, CorpusError> {
        let connection = self.connection.lock().unwrap_or_else(PoisonError::into_inner);
        self.matches(&connection, query)
    }

    fn matches(&self, connection: &Connection, query: &Query) -> Result<BTreeMap<usize, Score>, CorpusError> {
        match query {
            Query::Phrase(words) => leaf(connection, words, ""),
            Query::Prefix(words) => leaf(connection, words, "*"),
            Query::And(parts) => {
                let mut all: Option<BTreeMap<usize, Score>> = None;
                for part in parts {
                    let found = self.matches(connection, part)?;
                    all = Some(match all {
                        None => found,
                        Some(all) => all
                            .into_iter()
                            .filter_map(|(place, score)| found.get(&place).map(|more| (place, score + more)))
                            .collect(),
                    });
                }
                Ok(all.unwrap_or_default())
            }
            Query::Or(parts) => {
                let mut any: BTreeMap<usize, Score> = BTreeMap::new();
                for part in parts {
                    for (place, score) in self.matches(connection, part)? {
                        *any.entry(place).or_default() += score;
                    }
                }
                Ok(any)
            }
            Query::Not(part) => {
                let found = self.matches(connection, part)?;
                Ok((0..self.count).filter(|place| !found.contains_key(place)).map(|place| (place, 0)).collect())
            }
        }
    }
}

fn leaf(connection: &Connection, words: &[String], tail: &str) -> Result<BTreeMap<usize, Score>, CorpusError> {
    if words.is_empty() {
        return Ok(BTreeMap::new());
    }
    // Words are letters and digits alone, so nothing in the quotes can end them.
    let wanted = format!("\"{}\"{tail}", words.join(" "));
    let mut statement = connection.prepare_cached("SELECT rowid, bm25(texts) FROM texts WHERE texts MATCH ?1")?;
    let rows = statement.query_map([wanted], |row| Ok((row.get::<_, i64>(0)?, row.get::<_, f64>(1)?)))?;
    let mut found = BTreeMap::new();
    for row in rows {
        let (place, score) = row?;
        found.insert(place as usize, (-score * 1e6).round() as Score);
    }
    Ok(found)
}
