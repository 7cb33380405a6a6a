//! What a report reads of a run folder: rows, books and the folds over journals, in one pass.

use gimbal_analysis::{AnsweredFold, Bill, PastCell, Rows};
use gimbal_core::{Digest, canonical};

use super::accounts::Accounts;
use super::bill::BillFold;
use super::digest::RunDigest;
use super::episodes::{Episodes, Fold};
use super::gaps::LedgerGaps;
use super::rows::RowFold;
use crate::plan::Stored;
use crate::run::index::unreadable;
use crate::run::{Finished, INDEX, RunError, RunFolder};

/// What was read beside the journals.
#[derive(Debug)]
pub struct Reading {
    /// The cells as planned, the finished episodes, and those that were lost to infrastructure only.
    pub rows: Rows,
    /// The books.
    pub books: Books,
}

/// Data of a run besides its episodes.
#[derive(Clone, Debug)]
pub struct Books {
    /// One hash over all finished episodes ([`super::digest()`]).
    pub digest: Digest,
    /// Bill of the whole run; its total is compared with the limits of the study.
    pub bill: Bill,
    /// Finished episodes of cells that are no longer in the study, cell by cell in the order in which they went.
    pub past: Vec<PastCell>,
    /// How many finished episodes of the study's cells were played under which limits of an episode, the oldest first; empty
    /// where the limits never changed.
    pub limits: Vec<(String, u64)>,
    /// Finished episodes of which the ledger lacks calls: their tokens and costs are in no table and in no bill.
    pub unbilled: u64,
}

/// Reads a run folder once: the index, the journals that a fold wants, then the ledger.
///
/// # Errors
/// When the folder is damaged.
pub fn read(folder: &RunFolder, stored: &Stored, folds: &mut [&mut Fold<'_>]) -> Result<Reading, RunError> {
    read_all(folder, stored, folds, true)
}

/// Without `journals`, rows lack what only journals say ([`AnsweredFold`]), and no journal is read but for the folds.
fn read_all(
    folder: &RunFolder,
    stored: &Stored,
    folds: &mut [&mut Fold<'_>],
    journals: bool,
) -> Result<Reading, RunError> {
    let in_progress = folder.in_progress();
    let index = folder.index()?;
    let failed = |error: rusqlite::Error| unreadable(&folder.root().join(INDEX), &error);
    let count = usize::try_from(index.count().map_err(failed)?).unwrap_or_default();
    let mut rows = RowFold::new(stored, in_progress, count);
    let mut books = BookFold::new(folder, stored, in_progress)?;
    // The index before the ledger: of a run in progress the ledger then holds all calls of these episodes.
    let seen = |episode: &Finished| {
        rows.finished(episode);
        books.finished(episode);
        true
    };
    let with_model = stored.cells.iter().filter(|cell| journals && !cell.info.models.is_empty());
    let mut answered = AnsweredFold::new(with_model.map(|cell| cell.info.id.clone()));
    let mut all: Vec<&mut Fold<'_>> = folds.iter_mut().map(|fold| &mut **fold as &mut Fold<'_>).collect();
    all.push(&mut answered);
    Episodes::of(folder, stored).pass(seen, &mut all)?;
    let past = index.each_past(|episode| {
        books.past(&episode);
        Ok::<(), rusqlite::Error>(())
    });
    past.map_err(failed)?;
    let mut accounts = Accounts::new(&stored.prices);
    folder.rows(|file, row| {
        accounts.take(file, &row);
        books.bill.take(file, &row);
        books.gaps.take(file, &row);
    })?;
    for attempt in index.failures().map_err(failed)? {
        books.bill.failed(&attempt);
        if !index.holds(&attempt.id.key).map_err(failed)? {
            rows.failed(attempt);
        }
    }
    let mut rows = rows.finish(accounts);
    answered.fill(&mut rows);
    Ok(Reading { rows, books: books.finish(folder)? })
}

/// The rows of a run without what only its journals say, which are not read: enough for returns, tokens and costs, and not for
/// whether a model acted.
///
/// # Errors
/// When the folder is damaged.
pub fn load_outcomes(folder: &RunFolder) -> Result<Rows, RunError> {
    Ok(read_all(folder, &Stored::read(folder)?, &mut [], false)?.rows)
}

/// The rows of a run.
///
/// # Errors
/// When the folder is damaged.
pub fn load_rows(folder: &RunFolder) -> Result<Rows, RunError> {
    Ok(read(folder, &Stored::read(folder)?, &mut [])?.rows)
}

/// The books under way.
struct BookFold<'s> {
    digest: RunDigest,
    bill: BillFold<'s>,
    past: Vec<PastCell>,
    spans: Vec<Span>,
    gaps: LedgerGaps,
}

/// Episodes that were played under the same limits of an episode.
struct Span {
    /// The last segment of journals that was written under them.
    until: u32,
    limits: String,
    episodes: u64,
}

impl<'s> BookFold<'s> {
    fn new(folder: &RunFolder, stored: &'s Stored, in_progress: bool) -> Result<Self, RunError> {
        // The number is read before the index: what the index then lacks of this file is under way.
        let live = if in_progress { Some(folder.newest()?) } else { None };
        Ok(Self {
            digest: RunDigest::default(),
            bill: BillFold::new(stored, live),
            past: stored
                .past
                .iter()
                .map(|cell| PastCell::new(cell.info.clone(), stored.other_versions(cell)))
                .collect(),
            spans: spans(stored),
            gaps: LedgerGaps::default(),
        })
    }

    fn finished(&mut self, episode: &Finished) {
        self.digest.add(episode);
        self.bill.finished(episode);
        self.gaps.finished(episode);
        if let Some(span) = self.spans.iter_mut().find(|span| episode.place.segment <= span.until) {
            span.episodes += 1;
        }
    }

    fn past(&mut self, episode: &Finished) {
        self.bill.finished(episode);
        self.gaps.finished(episode);
        if let Some(cell) = self.past.iter_mut().find(|cell| cell.info.id == episode.id.cell) {
            let spent = &episode.outcome.spent;
            cell.add(episode.outcome.episode_return.0, spent.input_tokens, spent.output_tokens);
        }
    }

    fn finish(self, folder: &RunFolder) -> Result<Books, RunError> {
        Ok(Books {
            unbilled: self.gaps.episodes(),
            digest: self.digest.finish(),
            bill: self.bill.finish(folder)?,
            past: self.past.into_iter().filter(|cell| cell.episodes > 0).collect(),
            limits: self.spans.into_iter().map(|span| (span.limits, span.episodes)).collect(),
        })
    }
}

/// The limits of an episode that were ever in force, the oldest first; empty where they never changed.
fn spans(stored: &Stored) -> Vec<Span> {
    if stored.earlier_limits.is_empty() {
        return Vec::new();
    }
    let span = |until: u32, limits: &serde_json::Value| Span { until, limits: canonical::text(limits), episodes: 0 };
    let mut spans: Vec<Span> =
        stored.earlier_limits.iter().map(|earlier| span(earlier.until, &earlier.limits)).collect();
    let present = stored.frame.get("limits").cloned().unwrap_or_default();
    spans.push(span(u32::MAX, &present));
    spans
}
