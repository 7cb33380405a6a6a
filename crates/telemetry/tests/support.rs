//! Files of telemetry, and what is said when they are read.

use std::path::{Path, PathBuf};

use gimbal_evidence::extract::{Observed, ReadOptions, Watcher};
use gimbal_evidence::{SourceId, Utc};
use gimbal_telemetry::{Extracted, Reading, TelemetryError};

/// Failed logons on a gate, one a second.
pub fn failures(count: usize) -> String {
    (0..count)
        .map(|second| {
            format!(
                "Mar 28 09:00:{second:02} gate sshd[4{second:02}]: Failed password for root from 192.0.2.7 port 5000{second} ssh2\n"
            )
        })
        .collect()
}

/// A logon that was accepted.
pub const ACCEPTED: &str =
    "Mar 28 09:01:10 gate sshd[499]: Accepted password for root from 192.0.2.7 port 50999 ssh2\n";

/// Writes a file below a folder, with the folders above it.
pub fn write(folder: &Path, name: &str, text: &str) -> PathBuf {
    let path = folder.join(name);
    std::fs::create_dir_all(path.parent().unwrap()).unwrap();
    std::fs::write(&path, text).unwrap();
    path
}

/// A reading of these files, in the year 2026.
pub fn reading(files: &[PathBuf]) -> Reading {
    let options = ReadOptions { year: Some(2026), ..ReadOptions::default() };
    Reading { files: files.to_vec(), options, ..Reading::default() }
}

/// Counts the records that it sees.
#[derive(Default)]
pub struct Counting(pub usize);

impl Watcher for Counting {
    fn watch(&mut self, _source: SourceId, _time: Option<Utc>, _observed: &Observed<'_>) {
        self.0 += 1;
    }
}

/// Reads, and returns the packet with what was said.
pub fn read(reading: Reading, standard_input: &str) -> Result<(Extracted, Vec<String>), TelemetryError> {
    let mut said = Vec::new();
    let mut notices = |notice: gimbal_telemetry::Notice| said.push(notice.to_string());
    let sources = reading.read(standard_input.as_bytes(), None::<&mut Counting>, &mut notices)?;
    let extracted = sources.freeze(&mut notices).unwrap();
    Ok((extracted, said))
}
