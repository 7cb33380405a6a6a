//! The index of finished episodes: an SQLite file with one writer. An episode is finished when its row is committed.

use std::collections::BTreeMap;
use std::path::Path;
use std::time::Duration;

use gimbal_core::{Digest, Milli, Spent, Stop};
use rusqlite::{Connection, OpenFlags, OptionalExtension, Row, params};
use serde::{Deserialize, Serialize};

use super::error::RunError;
use super::ledger::Mark;
use crate::stage::Outcome;

/// Version of the stored form of run folders.
pub const FORMAT: u32 = 3;

/// Which episode of a study.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct EpisodeId {
    /// Key.
    pub key: Digest,
    /// Id of the cell.
    pub cell: String,
    /// Task.
    pub task: String,
    /// Run, from 0.
    pub run: u32,
    /// Trial of the session, from 0.
    pub trial: u32,
    /// Seed.
    pub seed: u64,
}

impl EpisodeId {
    /// How a person names it: cell, task and run, and the trial where there are several.
    #[must_use]
    pub fn name(&self) -> String {
        let trial = if self.trial > 0 { format!("/{}", self.trial) } else { String::new() };
        format!("{}/{}/{}{trial}", self.cell, self.task, self.run)
    }
}

/// Where the journal of an attempt ends.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct Place {
    /// Number of the segment, pack and ledger file.
    pub segment: u32,
    /// Attempt within the segment.
    pub attempt: u64,
    /// Place of the last frame.
    pub last: u64,
}

/// A finished episode.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Finished {
    /// Which.
    pub id: EpisodeId,
    /// The place of its journal.
    pub place: Place,
    /// Its outcome.
    pub outcome: Outcome,
}

/// A failed attempt.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Failed {
    /// Which episode.
    pub id: EpisodeId,
    /// The place of its journal.
    pub place: Place,
    /// How it stopped.
    pub stop: Stop,
    /// Why.
    pub detail: String,
}

/// The index.
#[derive(Debug)]
pub struct Index {
    connection: Connection,
}

/// Columns of finished episodes: those of the study's cells, and those of cells that are no longer in it.
const EPISODES: &str = "(
    key BLOB PRIMARY KEY, cell TEXT NOT NULL, task TEXT NOT NULL, run INTEGER NOT NULL, trial INTEGER NOT NULL,
    seed INTEGER NOT NULL, segment INTEGER NOT NULL, attempt INTEGER NOT NULL, last INTEGER NOT NULL,
    stop TEXT NOT NULL, detail TEXT NOT NULL, episode_return INTEGER NOT NULL, steps INTEGER NOT NULL,
    model_calls INTEGER NOT NULL, tool_calls INTEGER NOT NULL, input_tokens INTEGER NOT NULL,
    output_tokens INTEGER NOT NULL, rejected INTEGER NOT NULL, fallbacks INTEGER NOT NULL, state BLOB NOT NULL,
    chain BLOB NOT NULL, events INTEGER NOT NULL, critical_path_us INTEGER NOT NULL, total_latency_us INTEGER NOT NULL
) WITHOUT ROWID;";

const SCHEMA: &str = "
CREATE TABLE IF NOT EXISTS meta (key TEXT PRIMARY KEY, value TEXT NOT NULL);
CREATE TABLE IF NOT EXISTS failures (
    key BLOB NOT NULL, cell TEXT NOT NULL, task TEXT NOT NULL, run INTEGER NOT NULL, trial INTEGER NOT NULL,
    seed INTEGER NOT NULL, segment INTEGER NOT NULL, attempt INTEGER NOT NULL, last INTEGER NOT NULL,
    stop TEXT NOT NULL, detail TEXT NOT NULL
);
CREATE TABLE IF NOT EXISTS ledgers (number INTEGER PRIMARY KEY, bytes INTEGER NOT NULL, link INTEGER NOT NULL);";

const IDENTITY: &str = "key, cell, task, run, trial, seed, segment, attempt, last, stop, detail";

const FINISHED: &str = "episode_return, steps, model_calls, tool_calls, input_tokens, output_tokens, rejected, \
                        fallbacks, state, chain, events, critical_path_us, total_latency_us";

impl Index {
    /// Opens the index for writing, making it when it is not there.
    ///
    /// # Errors
    /// When it cannot be opened or is of another format.
    pub fn create(path: &Path) -> Result<Self, RunError> {
        let failed = |error: rusqlite::Error| unreadable(path, &error);
        let connection = Connection::open(path).map_err(failed)?;
        connection.busy_timeout(Duration::from_secs(10)).map_err(failed)?;
        connection.pragma_update(None, "journal_mode", "WAL").map_err(failed)?;
        // A lost commit costs an episode played again, never a wrong one; the journal is durable before the row.
        connection.pragma_update(None, "synchronous", "NORMAL").map_err(failed)?;
        connection.execute_batch(SCHEMA).map_err(failed)?;
        for table in ["episodes", "past"] {
            connection.execute_batch(&format!("CREATE TABLE IF NOT EXISTS {table} {EPISODES}")).map_err(failed)?;
        }
        let program = env!("CARGO_PKG_VERSION");
        let set = "INSERT OR IGNORE INTO meta (key, value) VALUES (?1, ?2)";
        connection.execute(set, params!["format", FORMAT.to_string()]).map_err(failed)?;
        connection.execute(set, params!["program", program]).map_err(failed)?;
        let index = Self { connection };
        index.check_format(path)?;
        Ok(index)
    }

    /// Opens the index for reading.
    ///
    /// # Errors
    /// When it is missing, damaged or of another format.
    pub fn open(path: &Path) -> Result<Self, RunError> {
        // SQLite opens lazily: only a query shows whether it can make the files that it wants beside the index.
        let probed = Self::existing(path).and_then(|connection| {
            connection.query_row("SELECT count(*) FROM sqlite_master", [], |row| row.get::<_, i64>(0))?;
            Ok(connection)
        });
        let connection = match probed {
            Ok(connection) => connection,
            Err(error) if needs_writing(&error) => Self::unchanging(path, &error)?,
            Err(error) => return Err(unreadable(path, &error)),
        };
        let index = Self { connection };
        index.check_format(path)?;
        Ok(index)
    }

    fn existing(path: &Path) -> Result<Connection, rusqlite::Error> {
        let flags = OpenFlags::SQLITE_OPEN_READ_WRITE | OpenFlags::SQLITE_OPEN_NO_MUTEX;
        let connection = Connection::open_with_flags(path, flags)
            .or_else(|_| Connection::open_with_flags(path, OpenFlags::SQLITE_OPEN_READ_ONLY))?;
        connection.busy_timeout(Duration::from_secs(10))?;
        Ok(connection)
    }

    /// Opens the index of a read-only folder, which no process can change.
    fn unchanging(path: &Path, first: &rusqlite::Error) -> Result<Connection, RunError> {
        let mut log = path.as_os_str().to_owned();
        log.push("-wal");
        // Read this way, SQLite leaves rows out that a cut off run has not moved into the index yet.
        if std::fs::metadata(&log).is_ok_and(|log| log.len() > 0) {
            return Err(RunError::ReadOnly { path: path.to_owned(), why: first.to_string() });
        }
        let name = path.to_str().ok_or_else(|| unreadable(path, first))?;
        let name = name.replace('%', "%25").replace('?', "%3f").replace('#', "%23");
        let flags = OpenFlags::SQLITE_OPEN_READ_ONLY | OpenFlags::SQLITE_OPEN_NO_MUTEX | OpenFlags::SQLITE_OPEN_URI;
        Connection::open_with_flags(format!("file:{name}?immutable=1"), flags).map_err(|error| unreadable(path, &error))
    }

    /// Whether an index was ever begun at this path.
    ///
    /// # Errors
    /// When the file is not an index.
    pub fn begun(path: &Path) -> Result<bool, RunError> {
        if !path.exists() {
            return Ok(false);
        }
        let sql = "SELECT count(*) FROM sqlite_master WHERE name = 'meta'";
        let tables =
            Self::existing(path).and_then(|connection| connection.query_row(sql, [], |row| row.get::<_, i64>(0)));
        tables.map(|tables| tables > 0).map_err(|error| unreadable(path, &error))
    }

    /// The highest number of a segment that a row names; 0 where there is none.
    ///
    /// # Errors
    /// Errors of SQLite.
    pub fn last_segment(&self) -> Result<u32, rusqlite::Error> {
        let mut last = 0;
        for table in ["episodes", "failures", "past"] {
            if table == "past" && !self.has_past()? {
                continue;
            }
            let sql = format!("SELECT coalesce(max(segment), 0) FROM {table}");
            last = self.connection.query_row(&sql, [], |row| row.get::<_, u32>(0))?.max(last);
        }
        Ok(last)
    }

    fn check_format(&self, path: &Path) -> Result<(), RunError> {
        let get = |key: &str| {
            let sql = "SELECT value FROM meta WHERE key = ?1";
            self.connection.query_row(sql, [key], |row| row.get::<_, String>(0)).optional()
        };
        let found = get("format").map_err(|error| unreadable(path, &error))?.unwrap_or_default();
        if found == FORMAT.to_string() {
            return Ok(());
        }
        let program = get("program").ok().flatten().unwrap_or_else(|| "unknown".to_owned());
        Err(RunError::Format { path: path.to_owned(), found, known: FORMAT, program })
    }

    /// Notes how far a ledger file is on the disk.
    ///
    /// # Errors
    /// Errors of SQLite.
    pub fn mark(&self, ledger: u32, mark: Mark) -> Result<(), rusqlite::Error> {
        let sql = "INSERT OR REPLACE INTO ledgers (number, bytes, link) VALUES (?1, ?2, ?3)";
        self.connection.prepare_cached(sql)?.execute(params![ledger, mark.bytes as i64, mark.link as i64]).map(drop)
    }

    /// How far each ledger file was on the disk when that was last noted. Empty in a rebuilt index.
    ///
    /// # Errors
    /// Errors of SQLite.
    pub fn marks(&self) -> Result<BTreeMap<u32, Mark>, rusqlite::Error> {
        let mut select = self.connection.prepare_cached("SELECT number, bytes, link FROM ledgers")?;
        let rows = select.query_map([], |row| {
            Ok((row.get(0)?, Mark { bytes: row.get::<_, i64>(1)? as u64, link: row.get::<_, i64>(2)? as u64 }))
        })?;
        rows.collect()
    }

    /// Adds finished episodes and failed attempts in one transaction.
    ///
    /// # Errors
    /// Errors of SQLite.
    pub fn add(&mut self, finished: &[Finished], failed: &[Failed]) -> Result<(), rusqlite::Error> {
        let transaction = self.connection.transaction()?;
        {
            let marks = ["?"; 24].join(", ");
            let sql = format!("INSERT INTO episodes ({IDENTITY}, {FINISHED}) VALUES ({marks})");
            let mut insert = transaction.prepare_cached(&sql)?;
            for episode in finished {
                let (id, place, outcome) = (&episode.id, &episode.place, &episode.outcome);
                insert.execute(params![
                    id.key.0,
                    id.cell,
                    id.task,
                    id.run,
                    id.trial,
                    id.seed as i64,
                    place.segment,
                    place.attempt as i64,
                    place.last as i64,
                    outcome.stop.name(),
                    outcome.detail,
                    outcome.episode_return.0,
                    outcome.steps,
                    outcome.spent.model_calls as i64,
                    outcome.spent.tool_calls as i64,
                    outcome.spent.input_tokens as i64,
                    outcome.spent.output_tokens as i64,
                    outcome.rejected as i64,
                    outcome.fallbacks as i64,
                    outcome.state.0,
                    outcome.chain.0,
                    outcome.events as i64,
                    outcome.critical_path_us as i64,
                    outcome.total_latency_us as i64,
                ])?;
            }
            let marks = ["?"; 11].join(", ");
            let mut insert =
                transaction.prepare_cached(&format!("INSERT INTO failures ({IDENTITY}) VALUES ({marks})"))?;
            for failure in failed {
                let (id, place) = (&failure.id, &failure.place);
                insert.execute(params![
                    id.key.0,
                    id.cell,
                    id.task,
                    id.run,
                    id.trial,
                    id.seed as i64,
                    place.segment,
                    place.attempt as i64,
                    place.last as i64,
                    failure.stop.name(),
                    failure.detail,
                ])?;
            }
        }
        transaction.commit()
    }

    /// Moves everything into the one file and closes it.
    ///
    /// # Errors
    /// Errors of SQLite.
    pub fn close(self) -> Result<(), rusqlite::Error> {
        self.connection.pragma_update(None, "wal_checkpoint", "TRUNCATE")?;
        self.connection.close().map_err(|(_, error)| error)
    }

    /// Takes back rows whose journals do not hold.
    ///
    /// # Errors
    /// Errors of SQLite.
    pub fn forget(&mut self, keys: &[Digest]) -> Result<(), rusqlite::Error> {
        let transaction = self.connection.transaction()?;
        for key in keys {
            transaction.execute("DELETE FROM episodes WHERE key = ?1", [key.0])?;
        }
        transaction.commit()
    }

    /// Whether an episode is finished.
    ///
    /// # Errors
    /// Errors of SQLite.
    pub fn holds(&self, key: &Digest) -> Result<bool, rusqlite::Error> {
        let mut select = self.connection.prepare_cached("SELECT 1 FROM episodes WHERE key = ?1")?;
        select.exists([key.0])
    }

    /// The finished episode with this key.
    ///
    /// # Errors
    /// Errors of SQLite.
    pub fn get(&self, key: &Digest) -> Result<Option<Finished>, rusqlite::Error> {
        let sql = format!("SELECT {IDENTITY}, {FINISHED} FROM episodes WHERE key = ?1");
        self.connection.prepare_cached(&sql)?.query_row([key.0], finished).optional()
    }

    /// Whether an episode is finished, of a cell of the study or of one that is no longer in it.
    ///
    /// # Errors
    /// Errors of SQLite.
    pub fn knows(&self, key: &Digest) -> Result<bool, rusqlite::Error> {
        if self.holds(key)? {
            return Ok(true);
        }
        if !self.has_past()? {
            return Ok(false);
        }
        let mut select = self.connection.prepare_cached("SELECT 1 FROM past WHERE key = ?1")?;
        select.exists([key.0])
    }

    /// Indexes of runs that never changed may lack the table.
    fn has_past(&self) -> Result<bool, rusqlite::Error> {
        let sql = "SELECT 1 FROM sqlite_master WHERE type = 'table' AND name = 'past'";
        self.connection.prepare_cached(sql)?.exists([])
    }

    /// All finished episodes of cells that are no longer in the study, by key.
    ///
    /// # Errors
    /// Errors of SQLite, or of `each`.
    pub fn each_past<E: From<rusqlite::Error>>(
        &self,
        mut each: impl FnMut(Finished) -> Result<(), E>,
    ) -> Result<(), E> {
        if !self.has_past()? {
            return Ok(());
        }
        let sql = format!("SELECT {IDENTITY}, {FINISHED} FROM past ORDER BY key");
        let mut select = self.connection.prepare_cached(&sql)?;
        let mut rows = select.query([])?;
        while let Some(row) = rows.next()? {
            each(finished(row)?)?;
        }
        Ok(())
    }

    /// Puts every row where its cell belongs and under the cell's present name: `cell_of` gives the name and whether the
    /// cell is in the study. A row without a cell stays as it is.
    ///
    /// # Errors
    /// Errors of SQLite; then nothing has changed.
    pub fn arrange(&mut self, cell_of: impl Fn(&EpisodeId) -> Option<(String, bool)>) -> Result<(), rusqlite::Error> {
        let transaction = self.connection.transaction()?;
        for (table, current) in [("episodes", true), ("past", false)] {
            let mut moves: Vec<(Digest, String, bool)> = Vec::new();
            {
                let mut select = transaction.prepare(&format!("SELECT {IDENTITY} FROM {table}"))?;
                let mut rows = select.query([])?;
                while let Some(row) = rows.next()? {
                    let id = identity(row)?.id;
                    let Some((cell, belongs)) = cell_of(&id) else { continue };
                    if cell != id.cell || belongs != current {
                        moves.push((id.key, cell, belongs));
                    }
                }
            }
            let other = if current { "past" } else { "episodes" };
            for (key, cell, belongs) in moves {
                transaction.execute(&format!("UPDATE {table} SET cell = ?2 WHERE key = ?1"), params![key.0, cell])?;
                if belongs != current {
                    let sql = format!("INSERT OR IGNORE INTO {other} SELECT * FROM {table} WHERE key = ?1");
                    transaction.execute(&sql, [key.0])?;
                    transaction.execute(&format!("DELETE FROM {table} WHERE key = ?1"), [key.0])?;
                }
            }
        }
        let mut renamed: Vec<(Digest, String)> = Vec::new();
        {
            let mut select = transaction.prepare(&format!("SELECT {IDENTITY} FROM failures"))?;
            let mut rows = select.query([])?;
            while let Some(row) = rows.next()? {
                let id = identity(row)?.id;
                renamed.extend(cell_of(&id).filter(|(cell, _)| *cell != id.cell).map(|(cell, _)| (id.key, cell)));
            }
        }
        for (key, cell) in renamed {
            transaction.execute("UPDATE failures SET cell = ?2 WHERE key = ?1", params![key.0, cell])?;
        }
        transaction.commit()
    }

    /// All finished episodes of the study's cells, by key.
    ///
    /// # Errors
    /// Errors of SQLite, or of `each`.
    pub fn each<E: From<rusqlite::Error>>(&self, mut each: impl FnMut(Finished) -> Result<(), E>) -> Result<(), E> {
        let sql = format!("SELECT {IDENTITY}, {FINISHED} FROM episodes ORDER BY key");
        let mut select = self.connection.prepare_cached(&sql)?;
        let mut rows = select.query([])?;
        while let Some(row) = rows.next()? {
            each(finished(row)?)?;
        }
        Ok(())
    }

    /// All failed attempts, in the order in which they were noted.
    ///
    /// # Errors
    /// Errors of SQLite.
    pub fn failures(&self) -> Result<Vec<Failed>, rusqlite::Error> {
        let mut select = self.connection.prepare_cached(&format!("SELECT {IDENTITY} FROM failures ORDER BY rowid"))?;
        let rows = select.query_map([], |row| {
            let Identity { id, place, stop, detail } = identity(row)?;
            Ok(Failed { id, place, stop, detail })
        })?;
        rows.collect()
    }

    /// How many episodes are finished.
    ///
    /// # Errors
    /// Errors of SQLite.
    pub fn count(&self) -> Result<u64, rusqlite::Error> {
        self.connection
            .query_row("SELECT count(*) FROM episodes", [], |row| row.get::<_, i64>(0))
            .map(|count| count as u64)
    }
}

/// The columns that all tables of attempts share.
struct Identity {
    id: EpisodeId,
    place: Place,
    stop: Stop,
    detail: String,
}

fn identity(row: &Row<'_>) -> rusqlite::Result<Identity> {
    let id = EpisodeId {
        key: Digest(row.get(0)?),
        cell: row.get(1)?,
        task: row.get(2)?,
        run: row.get(3)?,
        trial: row.get(4)?,
        seed: row.get::<_, i64>(5)? as u64,
    };
    let place =
        Place { segment: row.get(6)?, attempt: row.get::<_, i64>(7)? as u64, last: row.get::<_, i64>(8)? as u64 };
    let name: String = row.get(9)?;
    let stop = serde_json::from_value(serde_json::Value::String(name))
        .map_err(|error| rusqlite::Error::FromSqlConversionFailure(9, rusqlite::types::Type::Text, Box::new(error)))?;
    Ok(Identity { id, place, stop, detail: row.get(10)? })
}

fn finished(row: &Row<'_>) -> rusqlite::Result<Finished> {
    let Identity { id, place, stop, detail } = identity(row)?;
    let count = |at: usize| row.get::<_, i64>(at).map(|count| count as u64);
    let outcome = Outcome {
        stop,
        detail,
        episode_return: Milli(row.get(11)?),
        steps: row.get(12)?,
        spent: Spent {
            model_calls: count(13)?,
            tool_calls: count(14)?,
            input_tokens: count(15)?,
            output_tokens: count(16)?,
            cost_exact: 0,
        },
        rejected: count(17)?,
        fallbacks: count(18)?,
        state: Digest(row.get(19)?),
        chain: Digest(row.get(20)?),
        events: count(21)?,
        critical_path_us: count(22)?,
        total_latency_us: count(23)?,
    };
    Ok(Finished { id, place, outcome })
}

/// Whether a failure to read may be for want of the right to write.
fn needs_writing(error: &rusqlite::Error) -> bool {
    use rusqlite::ErrorCode::{CannotOpen, FileLockingProtocolFailed, PermissionDenied, ReadOnly, SystemIoFailure};
    let codes = [CannotOpen, FileLockingProtocolFailed, PermissionDenied, ReadOnly, SystemIoFailure];
    error.sqlite_error_code().is_some_and(|code| codes.contains(&code))
}

/// What SQLite's failure means for a reader.
pub fn unreadable(path: &Path, error: &rusqlite::Error) -> RunError {
    match error.sqlite_error_code() {
        Some(rusqlite::ErrorCode::NotADatabase | rusqlite::ErrorCode::DatabaseCorrupt) => {
            RunError::IndexDamaged { path: path.to_owned(), why: error.to_string() }
        }
        Some(_) => RunError::sqlite(path, "the index cannot be used", error),
        None => RunError::IndexDamaged { path: path.to_owned(), why: error.to_string() },
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn rows_that_only_a_writer_can_take_up_are_not_left_out_in_silence() {
        let folder = tempfile::tempdir().unwrap();
        let path = folder.path().join("index.sqlite");
        drop(Index::create(&path).unwrap());
        let first = rusqlite::Error::InvalidQuery;
        assert!(Index::unchanging(&path, &first).is_ok());
        std::fs::write(folder.path().join("index.sqlite-wal"), [7; 64]).unwrap();
        let refused = Index::unchanging(&path, &first).unwrap_err();
        assert!(matches!(refused, RunError::ReadOnly { .. }) && refused.to_string().contains("copy"), "{refused}");
    }
}
