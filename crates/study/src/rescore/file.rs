//! The verdicts of one judge beside a run: a head, then a line each.

use std::collections::BTreeMap;
use std::fs::{self, File, OpenOptions, TryLockError};
use std::io::{Read as _, Seek as _, SeekFrom, Write as _};
use std::path::{Path, PathBuf};

use gimbal_core::Digest;
use serde::{Deserialize, Serialize};
use serde_json::Value;

use super::RescoreError;

/// Folder of the verdicts in a run folder.
const FOLDER: &str = "rescored";
/// Version of the stored form.
const FORMAT: u32 = 1;

/// What became of a question about an item.
#[derive(Clone, Debug, PartialEq, Eq, PartialOrd, Ord, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum Outcome {
    /// The item passes.
    Passed,
    /// It does not.
    Failed,
    /// The judge answered neither yes nor no.
    Unclear,
    /// The judge's model gave no answer that counts: it refused, or was cut short.
    Unanswered(String),
    /// The provider failed, so that there is no verdict: it is asked again next time.
    Provider(String),
}

impl Outcome {
    /// The verdict, where it is one.
    #[must_use]
    pub const fn verdict(&self) -> Option<bool> {
        match self {
            Self::Passed => Some(true),
            Self::Failed => Some(false),
            Self::Unclear | Self::Unanswered(_) | Self::Provider(_) => None,
        }
    }

    /// Its name in tables: the kind of failure where there is no verdict.
    #[must_use]
    pub fn name(&self) -> &str {
        match self {
            Self::Passed => "passed",
            Self::Failed => "failed",
            Self::Unclear => "unclear",
            Self::Unanswered(kind) | Self::Provider(kind) => kind,
        }
    }
}

/// A line: what a judge made of one item of one answer.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct Row {
    /// Key of the episode.
    pub episode: Digest,
    /// Number of the item, from 0.
    pub item: u32,
    /// Hash of what was asked: another answer, item or wording is another question.
    pub asked: Digest,
    /// What became of it.
    pub outcome: Outcome,
    /// What the judge wrote.
    #[serde(default, skip_serializing_if = "String::is_empty")]
    pub reply: String,
    /// Prompt tokens of all attempts that were counted.
    #[serde(default)]
    pub input: u64,
    /// Completion tokens of them.
    #[serde(default)]
    pub output: u64,
}

/// The first line.
#[derive(Debug, PartialEq, Serialize, Deserialize)]
struct Head {
    format: u32,
    judge: String,
    identity: Value,
}

/// The verdicts of one judge, on disk and in memory.
#[derive(Debug)]
pub struct Verdicts {
    path: PathBuf,
    file: File,
    rows: BTreeMap<(Digest, u32), Row>,
    /// Tokens of all questions by episode, repeated ones too.
    spent: BTreeMap<Digest, (u64, u64)>,
}

impl Verdicts {
    /// Opens or begins the verdicts of `judge` in a run folder. `identity` is what decides the judge's words: verdicts of
    /// another model are not mixed with these. A last line that was torn is taken off.
    ///
    /// # Errors
    /// When the file cannot be read or written, is damaged, belongs to another model, or another process writes it.
    pub fn open(root: &Path, judge: &str, identity: &Value) -> Result<Self, RescoreError> {
        let folder = root.join(FOLDER);
        let slug: String = judge
            .chars()
            .map(|letter| if letter.is_ascii_alphanumeric() || letter == '.' { letter } else { '-' })
            .collect();
        // Different names may look the same as a file's.
        let slug =
            if slug == judge { slug } else { format!("{slug}-{}", &Digest::of(judge.as_bytes()).to_string()[..8]) };
        let path = folder.join(format!("{slug}.jsonl"));
        let wrong = |what: String| RescoreError::File { path: path.clone(), what };
        let io = |what: &str, error: &std::io::Error| wrong(format!("{what}: {error}"));
        fs::create_dir_all(&folder).map_err(|error| io("the folder cannot be made", &error))?;
        let opened = OpenOptions::new().read(true).write(true).create(true).truncate(false).open(&path);
        let mut file = opened.map_err(|error| io("cannot be opened", &error))?;
        match file.try_lock() {
            Ok(()) => {}
            Err(TryLockError::WouldBlock) => {
                return Err(wrong("another `gimbal rescore` writes these verdicts; wait for it".to_owned()));
            }
            Err(TryLockError::Error(error)) => return Err(io("cannot be locked", &error)),
        }
        let mut bytes = Vec::new();
        file.read_to_end(&mut bytes).map_err(|error| io("cannot be read", &error))?;
        // What is not ended by a line end was torn.
        let whole = bytes.iter().rposition(|byte| *byte == b'\n').map_or(0, |last| last + 1);
        let mut lines = bytes[..whole].split(|byte| *byte == b'\n').filter(|line| !line.is_empty()).enumerate();
        let head = Head { format: FORMAT, judge: judge.to_owned(), identity: identity.clone() };
        let mut verdicts = Self { path: path.clone(), file, rows: BTreeMap::new(), spent: BTreeMap::new() };
        verdicts.file.set_len(whole as u64).map_err(|error| io("cannot be repaired", &error))?;
        verdicts.file.seek(SeekFrom::End(0)).map_err(|error| io("cannot be read", &error))?;
        let damaged = |line: usize, error: &serde_json::Error| {
            wrong(format!(
                "line {} is damaged ({error}); take that line out, or move the file away to judge again",
                line + 1
            ))
        };
        match lines.next() {
            None => verdicts.write(&[head])?,
            Some((at, line)) => {
                let found: Head = serde_json::from_slice(line).map_err(|error| damaged(at, &error))?;
                if found != head {
                    let what = "holds verdicts of another form or of a model that was something else then; move it away \
                                to judge again";
                    return Err(wrong(what.to_owned()));
                }
            }
        }
        for (at, line) in lines {
            verdicts.take(serde_json::from_slice(line).map_err(|error| damaged(at, &error))?);
        }
        Ok(verdicts)
    }

    /// Where they are kept.
    #[must_use]
    pub fn path(&self) -> &Path {
        &self.path
    }

    /// What became of a question; `None` where it was not asked, or the provider failed.
    #[must_use]
    pub fn known(&self, episode: Digest, item: u32, asked: Digest) -> Option<&Outcome> {
        let row = self.rows.get(&(episode, item)).filter(|row| row.asked == asked)?;
        (!matches!(row.outcome, Outcome::Provider(_))).then_some(&row.outcome)
    }

    /// Prompt and completion tokens of everything that was ever asked of this judge here.
    #[must_use]
    pub fn spent(&self) -> (u64, u64) {
        self.spent.values().fold((0, 0), |sum, one| (sum.0 + one.0, sum.1 + one.1))
    }

    /// Those of the questions about one episode.
    #[must_use]
    pub fn spent_on(&self, episode: Digest) -> (u64, u64) {
        self.spent.get(&episode).copied().unwrap_or_default()
    }

    /// Adds rows; they are on the disk when this returns.
    ///
    /// # Errors
    /// When they cannot be written.
    pub fn add(&mut self, rows: Vec<Row>) -> Result<(), RescoreError> {
        self.write(&rows)?;
        rows.into_iter().for_each(|row| self.take(row));
        Ok(())
    }

    fn take(&mut self, row: Row) {
        let spent = self.spent.entry(row.episode).or_default();
        *spent = (spent.0.saturating_add(row.input), spent.1.saturating_add(row.output));
        self.rows.insert((row.episode, row.item), row);
    }

    fn write<T: Serialize>(&mut self, lines: &[T]) -> Result<(), RescoreError> {
        let failed = |error: &dyn std::fmt::Display| RescoreError::File {
            path: self.path.clone(),
            what: format!("cannot be written: {error}; run the same command again to go on"),
        };
        let mut text = String::new();
        for line in lines {
            text.push_str(&serde_json::to_string(line).map_err(|error| failed(&error))?);
            text.push('\n');
        }
        self.file.write_all(text.as_bytes()).and_then(|()| self.file.sync_data()).map_err(|error| failed(&error))
    }
}

#[cfg(test)]
mod tests {
    use serde_json::json;

    use super::*;

    fn row(item: u32, outcome: Outcome) -> Row {
        let digest = Digest::of(b"x");
        Row { episode: digest, item, asked: digest, outcome, reply: String::new(), input: 10, output: 1 }
    }

    #[test]
    fn verdicts_are_there_again_and_a_torn_line_is_taken_off() {
        let folder = tempfile::tempdir().unwrap();
        let (root, digest) = (folder.path(), Digest::of(b"x"));
        let mut verdicts = Verdicts::open(root, "openai/a", &json!(1)).unwrap();
        verdicts.add(vec![row(0, Outcome::Passed), row(1, Outcome::Provider("timeout".to_owned()))]).unwrap();
        assert!(
            Verdicts::open(root, "openai/a", &json!(1)).unwrap_err().to_string().contains("another `gimbal rescore`")
        );
        let path = verdicts.path().to_owned();
        drop(verdicts);
        let whole = fs::read(&path).unwrap();
        fs::write(&path, [&whole[..], b"{\"episode\":\"torn"].concat()).unwrap();
        let verdicts = Verdicts::open(root, "openai/a", &json!(1)).unwrap();
        assert_eq!(fs::read(&path).unwrap(), whole);
        assert_eq!(verdicts.known(digest, 0, digest), Some(&Outcome::Passed));
        assert_eq!(verdicts.known(digest, 1, digest), None, "a provider's failure is asked again");
        assert_eq!(verdicts.known(digest, 0, Digest::of(b"another answer")), None);
        assert_eq!(verdicts.spent(), (20, 2));
        drop(verdicts);
        assert!(Verdicts::open(root, "openai/a", &json!(2)).unwrap_err().to_string().contains("something else then"));
        assert_ne!(Verdicts::open(root, "openai-a", &json!(1)).unwrap().path(), path);
        fs::write(&path, [b"nonsense\n".as_slice(), &whole].concat()).unwrap();
        let error = Verdicts::open(root, "openai/a", &json!(1)).unwrap_err();
        assert!(error.to_string().contains("line 1 is damaged") && error.exit_code() == 3, "{error}");
    }
}
