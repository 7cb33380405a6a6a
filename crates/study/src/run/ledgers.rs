//! The ledger files of a run held against one another: none may be missing, copied, renamed, shortened or foreign.
//!
//! Each file names its run, its number and the end of the file before it; the index holds how far each file was
//! on the disk when it was last looked at. What a kill or a power cut takes from the end of the last file is less than
//! that, so neither is mistaken for damage (SH-05).

use std::collections::BTreeMap;
use std::fs::File;
use std::hash::{BuildHasher as _, RandomState};

use gimbal_core::Digest;

use super::error::RunError;
use super::folder::RunFolder;
use super::ledger::{self, LedgerRead, LedgerState, Mark, Opened, PreviousLedger};

/// What is lost with a file, for all complaints.
const LOST: &str = "what its requests cost cannot be counted, and no run brings it back: put the file back from a copy";

impl RunFolder {
    /// What is wrong with the ledger, one sentence each: within its files, and between them. `marks` are the index's.
    ///
    /// # Errors
    /// When a file cannot be read.
    pub fn ledger_complaints(
        &self,
        files: &[LedgerRead],
        marks: &BTreeMap<u32, Mark>,
    ) -> Result<Vec<String>, RunError> {
        let mut said: Vec<String> = files.iter().filter_map(|file| file.state.complaint(&name(file.number))).collect();
        let read: BTreeMap<u32, &LedgerState> = files.iter().map(|file| (file.number, &file.state)).collect();
        let last = read.keys().chain(marks.keys()).max().copied().unwrap_or_default();
        let missing = (1..=last).filter(|number| !read.contains_key(number));
        said.extend(missing.map(|number| format!("{}: the file is gone; {LOST}", name(number))));
        said.extend(foreign(&read));
        for (number, state) in &read {
            let Some(before) = state.opened.as_ref().and_then(|opened| opened.before) else { continue };
            let Some(found) = read.get(&before.file) else { continue };
            if (found.bytes, found.link) != (before.bytes, before.link) {
                said.push(format!(
                    "{}: it has {} bytes, and {} found {} when it was opened: rows were cut off, added or replaced; {LOST}",
                    name(before.file),
                    found.bytes,
                    name(*number),
                    before.bytes
                ));
            }
        }
        for (number, mark) in marks {
            let Some(file) = files.iter().find(|file| file.number == *number) else { continue };
            let failed = |error: std::io::Error| RunError::io(&file.path, "the ledger cannot be read", &error);
            if ledger::link_at(&file.path, mark.bytes).map_err(failed)? != Some(mark.link) {
                said.push(format!(
                    "{}: by the index, {} bytes of it were on the disk, and it does not hold them as they were: rows were \
                     cut off or replaced; {LOST}",
                    name(*number),
                    mark.bytes
                ));
            }
        }
        Ok(said)
    }

    /// What the first line of a new file must say. The file before it is made durable as it is found.
    pub(super) fn next_opened(&self, number: u32) -> Result<Opened, RunError> {
        let mut run = None;
        let mut before = None;
        for (file, path) in self.ledgers()? {
            let failed = |error: std::io::Error| RunError::io(&path, "the ledger cannot be made durable", &error);
            let found = ledger::read(&path, |_| {})?;
            File::open(&path).and_then(|file| file.sync_all()).map_err(failed)?;
            before = Some(PreviousLedger { bytes: found.bytes, file, link: found.link });
            run = run.or(found.opened.map(|opened| opened.run));
        }
        Ok(Opened { before, file: number, run: run.unwrap_or_else(identity) })
    }
}

fn name(number: u32) -> String {
    format!("ledger/{number:06}.log")
}

/// Files of another run, and such that were copied or renamed.
fn foreign(read: &BTreeMap<u32, &LedgerState>) -> Vec<String> {
    let mut said = Vec::new();
    let opened = || read.iter().filter_map(|(number, state)| Some((*number, state.opened.as_ref()?)));
    let mut runs: BTreeMap<&str, usize> = BTreeMap::new();
    for (_, opened) in opened() {
        *runs.entry(&opened.run).or_default() += 1;
    }
    let own = runs.iter().max_by_key(|(_, count)| **count).map(|(run, _)| *run);
    for (number, opened) in opened() {
        if Some(opened.run.as_str()) != own {
            said.push(format!(
                "{}: its first line names another run than the other files do; remove it, and put the run's own file \
                 back from a copy",
                name(number)
            ));
        } else if opened.file != number {
            said.push(format!(
                "{}: its first line says that it is {}: it was copied or renamed, and its rows are counted twice or in \
                 the wrong place; give it its name back, or remove the copy",
                name(number),
                name(opened.file)
            ));
        }
    }
    said
}

/// A name for a run that no other run has.
fn identity() -> String {
    let random = || RandomState::new().hash_one(std::process::id()).to_be_bytes();
    let now = std::time::SystemTime::now().duration_since(std::time::SystemTime::UNIX_EPOCH);
    let now = now.map_or(0, |since| since.as_nanos()).to_be_bytes();
    let mut name = Digest::of_parts(&[&random(), &random(), &now]).to_string();
    name.truncate(32);
    name
}
