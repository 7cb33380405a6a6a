//! What the trials of a session share: notes, what the last trial was, and which goals were reached.

use std::fmt::Write as _;

use gimbal_core::{Block, Stage};
use gimbal_messages::bounded;
use serde::{Deserialize, Serialize};

use crate::shared::reflector::Account;

/// The key in the session's memory.
const KEY: &str = "reflexion";
/// Goals that are remembered as reached, and how much of a goal a note shows, in characters.
const GOALS: usize = 256;
const GOAL: usize = 300;

/// What the environment said at the end of a trial.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub(super) enum Verdict {
    /// The goal was reached.
    Reached,
    /// It was not.
    Missed,
    /// It does not tell the agent.
    Untold,
}

/// A trial that is over.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub(super) struct Trial {
    pub account: Account,
    pub verdict: Verdict,
}

/// A note, and what it is about.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
struct Note {
    attempt: u32,
    goal: String,
    text: String,
}

/// What is remembered.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
pub(super) struct Remembered {
    /// The latest notes, the oldest first.
    notes: Vec<Note>,
    /// Goals that were reached.
    reached: Vec<String>,
    /// The last trial, as long as nobody has looked back on it.
    last: Option<Trial>,
}

impl Remembered {
    /// What earlier trials left; nothing where it is not of this form.
    pub(super) fn of(stage: &dyn Stage) -> Self {
        let kept = stage.memory().get(KEY);
        kept.and_then(|kept| serde_json::from_value(kept).ok()).unwrap_or_default()
    }

    /// Writes it down, where there is something to write.
    pub(super) fn store(&self, stage: &dyn Stage) {
        if *self != Self::of(stage) {
            stage.memory().set(KEY, serde_json::to_value(self).unwrap_or_default());
        }
    }

    /// The last trial, where it missed a goal that no trial has reached; then nobody looks back on it again.
    pub(super) fn missed_trial(&mut self) -> Option<Account> {
        let last = self.last.take()?;
        let open = last.verdict == Verdict::Missed && !self.reached.contains(&last.account.goal);
        open.then_some(last.account)
    }

    /// The notes for the reflector.
    pub(super) fn texts(&self) -> Vec<String> {
        self.notes.iter().map(|note| note.text.clone()).collect()
    }

    /// Keeps a note, and no more than `most`.
    pub(super) fn keep(&mut self, account: &Account, text: Option<String>, most: usize) {
        let Some(text) = text else { return };
        self.notes.push(Note { attempt: account.attempt, goal: account.goal.clone(), text });
        self.notes.drain(..self.notes.len().saturating_sub(most));
    }

    /// Takes up the trial that is over.
    pub(super) fn take(&mut self, trial: Trial) {
        let goal = &trial.account.goal;
        if trial.verdict == Verdict::Reached && !self.reached.contains(goal) {
            self.reached.push(goal.clone());
            self.reached.drain(..self.reached.len().saturating_sub(GOALS));
        }
        self.last = (trial.verdict == Verdict::Missed).then_some(trial);
    }

    /// The notes as a block of a prompt; `None` if there are none.
    pub(super) fn block(&self, goal: &str) -> Option<Block> {
        if self.notes.is_empty() {
            return None;
        }
        let mut text =
            "<notes_from_earlier_attempts>\nYou wrote these notes after attempts that did not reach their goal. \
                        Use what helps now. What you see now goes before what a note says.\n"
                .to_owned();
        for Note { attempt, goal: own, text: note } in &self.notes {
            let about =
                if own == goal { String::new() } else { format!(", with another goal: {}", bounded(own, GOAL)) };
            let _ = writeln!(text, "- After attempt {attempt}{about}: {note}");
        }
        text.push_str("</notes_from_earlier_attempts>");
        Some(Block { name: "notes_from_earlier_attempts".to_owned(), text: text.into() })
    }
}
