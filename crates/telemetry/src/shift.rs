//! Seconds that are added to the times of a file.

use std::path::{Path, PathBuf};

use crate::TelemetryError;

/// Seconds that are added to the times of files, to bring several clocks together.
#[derive(Clone, Debug, Default)]
pub struct Shifts(Vec<Shift>);

/// Those of one file.
#[derive(Clone, Debug)]
struct Shift {
    file: PathBuf,
    seconds: i32,
    /// Whether the file was read.
    is_used: bool,
}

impl Shifts {
    /// Reads `FILE=SECONDS` of each text.
    ///
    /// # Errors
    /// When a text is not of this form.
    pub fn of(asked: &[String]) -> Result<Self, TelemetryError> {
        let one = |text: &String| {
            let parts = text.rsplit_once('=').and_then(|(file, seconds)| Some((file, seconds.parse().ok()?)));
            let shift = parts.map(|(file, seconds)| Shift { file: PathBuf::from(file), seconds, is_used: false });
            let wrong = || format!("`{text}`: expected FILE=SECONDS, such as logs/a.evtx=-614");
            shift.ok_or_else(|| TelemetryError::Shift(wrong()))
        };
        asked.iter().map(one).collect::<Result<_, _>>().map(Self)
    }

    /// The seconds for a file, which counts as read; 0 if none are asked for.
    pub(crate) fn take(&mut self, file: &Path) -> i32 {
        let asked = self.0.iter_mut().find(|shift| shift.file == file);
        asked.map_or(0, |shift| {
            shift.is_used = true;
            shift.seconds
        })
    }

    /// Fails when a file was not read: its name is written in another way, or misspelt.
    pub(crate) fn all_taken(&self) -> Result<(), TelemetryError> {
        let left = self.0.iter().find(|shift| !shift.is_used);
        left.map_or(Ok(()), |shift| {
            let file = shift.file.display();
            Err(TelemetryError::Shift(format!("`{file}` is none of the files that were read; write it as it is read")))
        })
    }
}
