//! What `gimbal rescore --json` says.

use std::path::PathBuf;

use serde::Serialize;
use serde_json::Value;

use super::{Judging, Verdicts};

/// A run that was judged again.
#[derive(Clone, Debug, PartialEq, Serialize)]
pub struct RescoreReport {
    /// Name of the study.
    pub run: String,
    /// What each judge did.
    pub judges: Vec<JudgeFigures>,
    /// The table of verdicts, in its JSON form.
    pub table: Value,
}

/// What one judge did.
#[derive(Clone, Debug, PartialEq, Eq, Serialize)]
pub struct JudgeFigures {
    /// Its name.
    pub judge: String,
    /// The file of its verdicts.
    pub file: PathBuf,
    /// Questions that were asked now.
    pub asked: u64,
    /// Questions that had been answered before.
    pub known: u64,
    /// Prompt tokens of all its verdicts, those from before included.
    pub input_tokens: u64,
    /// Output tokens of all its verdicts.
    pub output_tokens: u64,
}

impl JudgeFigures {
    /// The figures of a judge.
    #[must_use]
    pub fn of(judge: &str, judging: &Judging, verdicts: &Verdicts) -> Self {
        let (input_tokens, output_tokens) = verdicts.spent();
        Self {
            judge: judge.to_owned(),
            file: verdicts.path().to_owned(),
            asked: judging.asked,
            known: judging.known,
            input_tokens,
            output_tokens,
        }
    }
}
