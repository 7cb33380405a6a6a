//! The packet that is kept beside its run.

use std::io::ErrorKind;
use std::path::{Path, PathBuf};

use gimbal_evidence::Packet;

use crate::commands::rehearsed::write_below;
use crate::exit::Failure;

/// A packet beside its run. What was written for it is removed again, unless it is to [`stay`](Kept::stay).
pub struct Kept {
    /// Where it is.
    pub path: PathBuf,
    is_new: bool,
    /// Folders that were made for it, the innermost first.
    made: Vec<PathBuf>,
}

impl Kept {
    /// Keeps what was written.
    pub fn stay(mut self) {
        self.is_new = false;
    }
}

impl Drop for Kept {
    fn drop(&mut self) {
        if self.is_new {
            // What cannot be taken away stays: it harms nothing.
            let _ = std::fs::remove_file(&self.path);
            for folder in &self.made {
                let _ = std::fs::remove_dir(folder);
            }
        }
    }
}

/// Keeps the packet beside its run. One that was kept there before must be this one: a file that was edited is not replaced silently.
pub fn keep(path: PathBuf, packet: &Packet) -> Result<Kept, Failure> {
    let bytes = packet.to_bytes();
    match std::fs::read(&path) {
        Ok(kept) if kept == bytes => Ok(Kept { path, is_new: false, made: Vec::new() }),
        Ok(_) => Err(Failure::Check(format!(
            "{0}: was changed since it was written: it is not the packet that its run is about. `gimbal evidence verify {0}` says where; move it \
             away, and the same command writes the packet anew",
            path.display()
        ))),
        Err(error) if error.kind() == ErrorKind::NotFound => {
            let above = path.ancestors().skip(1).filter(|folder| !folder.as_os_str().is_empty());
            let made = above.take_while(|folder| !folder.exists()).map(Path::to_path_buf).collect();
            let kept = Kept { path, is_new: true, made };
            write_below(&kept.path, &String::from_utf8_lossy(&bytes))?;
            Ok(kept)
        }
        Err(error) => Err(Failure::External(format!("{}: cannot be read: {error}", path.display()))),
    }
}
