//! The seam between a run folder and what tables need of its journals: folds over finished episodes.
//!
//! A reader of run folders goes through the episodes once, in the order of their keys, and passes each to all folds that
//! want it ([`EpisodeFold`]). A fold does no input or output of its own: it gets the events, and asks for the texts that
//! they refer to ([`Texts`]). An episode is dropped when the folds have seen it, so that memory depends on what they keep.

use std::borrow::Cow;

use gimbal_core::event::Body;
use gimbal_core::{Event, RecordError, Stop, TextRef};
use gimbal_messages::Record;
use thiserror::Error;

/// A finished episode: what its run folder knows of it, and its events.
#[derive(Clone, Copy, Debug, Default)]
pub struct Episode<'a> {
    /// Id of the cell.
    pub cell: &'a str,
    /// The environment part of the pairing key.
    pub environment: &'a str,
    /// Roles that the environment asks: no part of what the agent does.
    pub asks: &'a [String],
    /// Task id.
    pub task: &'a str,
    /// What it was to reach, by its brief; `None` where the run does not say, or no fold asked ([`EpisodeFold::needs_objectives`]).
    pub objective: Option<&'a str>,
    /// Run number.
    pub run: u32,
    /// Trial within a session, from 0.
    pub trial: u32,
    /// Seed of the episode.
    pub seed: u64,
    /// Instance of the run, from 0 (BOG-142).
    pub instance: u32,
    /// Sum of rewards in thousandths.
    pub return_thousandths: i64,
    /// Why it ended.
    pub stop: Stop,
    /// Accepted environment steps.
    pub steps: u32,
    /// Tool calls, rejected ones and those of the fallback included.
    pub tool_calls: u64,
    /// Tool calls that the environment or the validator rejected.
    pub rejected: u64,
    /// Steps taken by the fallback.
    pub fallbacks: u64,
    /// Longest chain of model calls that had to wait for one another, in microseconds.
    pub critical_path_us: u64,
    /// Its events in order; empty until its journal is read.
    pub events: &'a [Event],
}

impl Episode<'_> {
    /// How a person names it: cell, task and run, and the trial where there are several.
    #[must_use]
    pub fn name(&self) -> String {
        name(self.cell, self.task, self.run, self.trial)
    }

    /// Its records of one kind, in order.
    ///
    /// # Errors
    /// When a text cannot be read, or a record does not have the form of its kind.
    pub fn records<R: Record, E>(&self, texts: &mut dyn Texts<Error = E>) -> Result<Vec<R>, FoldError<E>> {
        let mut source = Source::new(texts);
        let mut records = Vec::new();
        for (number, event) in (0..).zip(self.events) {
            source.event = number;
            if let Body::Note(note) = &event.body
                && note.kind == R::KIND
            {
                records.push(source.record(&note.data)?);
            }
        }
        Ok(records)
    }
}

/// How a person names an episode: cell, task and run, and the trial where there are several.
#[must_use]
pub fn name(cell: &str, task: &str, run: u32, trial: u32) -> String {
    let trial = if trial > 0 { format!("/{trial}") } else { String::new() };
    format!("{cell}/{task}/{run}{trial}")
}

/// The texts that events refer to.
pub trait Texts {
    /// Why a text cannot be read.
    type Error;

    /// The text that a reference names.
    ///
    /// # Errors
    /// When it is missing or damaged.
    fn text<'r>(&mut self, reference: &'r TextRef) -> Result<Cow<'r, str>, Self::Error>;
}

impl<E, F: FnMut(&TextRef) -> Result<String, E>> Texts for F {
    type Error = E;

    fn text<'r>(&mut self, reference: &'r TextRef) -> Result<Cow<'r, str>, E> {
        self(reference).map(Cow::Owned)
    }
}

/// Reads episodes one at a time and keeps what a table needs; `E` is why a text cannot be read.
pub trait EpisodeFold<E> {
    /// Whether it needs the journal of this episode. Its events are not read yet.
    fn wants(&self, _episode: &Episode<'_>) -> bool {
        true
    }

    /// Whether it reads [`Episode::objective`], which the run keeps beside the journals.
    fn needs_objectives(&self) -> bool {
        false
    }

    /// Takes in an episode with its events.
    ///
    /// # Errors
    /// When a text cannot be read, or a record does not have the form of its kind.
    fn add(&mut self, episode: &Episode<'_>, texts: &mut dyn Texts<Error = E>) -> Result<(), FoldError<E>>;
}

/// Why a fold cannot take in an episode.
#[derive(Clone, Debug, PartialEq, Eq, Error)]
pub enum FoldError<E> {
    /// A text of an event cannot be read.
    #[error("{0}")]
    Text(E),
    /// A record does not have the form of its kind.
    #[error("event {event}: {error}")]
    Record {
        /// Number of the event in the episode, from 0.
        event: u64,
        /// What is wrong with it.
        error: RecordError,
    },
}

/// Texts with the number of the event that is read: what builders of trajectories read from.
pub struct Source<'t, E> {
    texts: &'t mut dyn Texts<Error = E>,
    /// Number of the event under way, from 0.
    pub event: u64,
}

impl<'t, E> Source<'t, E> {
    /// Reads from these texts.
    #[must_use]
    pub fn new(texts: &'t mut dyn Texts<Error = E>) -> Self {
        Self { texts, event: 0 }
    }

    /// A text of the event under way.
    ///
    /// # Errors
    /// When it cannot be read.
    pub fn text<'r>(&mut self, reference: &'r TextRef) -> Result<Cow<'r, str>, FoldError<E>> {
        self.texts.text(reference).map_err(FoldError::Text)
    }

    /// The record that the event under way holds.
    ///
    /// # Errors
    /// When its text cannot be read, or it does not have the form of its kind.
    pub fn record<R: Record>(&mut self, data: &TextRef) -> Result<R, FoldError<E>> {
        let event = self.event;
        R::read(&self.text(data)?).map_err(|error| FoldError::Record { event, error })
    }
}
