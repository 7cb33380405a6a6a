//! The folder of weights: names, stamps, the lock.

use std::fs::{self, File};
use std::io::Read;
use std::path::{Path, PathBuf};
use std::time::UNIX_EPOCH;

use fs4::FileExt;
use gimbal_core::Digest;
use serde::{Deserialize, Serialize};
use sha2::{Digest as _, Sha256};

use super::error::{WeightsError, io};
use super::registry::KnownModel;

/// A folder of weights.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Cache {
    folder: PathBuf,
}

/// What a file was when it was hashed. As long as size and time of change are the same, so is the hash.
#[derive(Debug, PartialEq, Eq, Serialize, Deserialize)]
struct Stamp {
    size: u64,
    modified_ns: u64,
    sha256: Digest,
}

impl Cache {
    /// The cache in `folder`, which need not exist yet.
    #[must_use]
    pub fn at(folder: impl Into<PathBuf>) -> Self {
        Self { folder: folder.into() }
    }

    /// `GIMBAL_WEIGHTS`, else `gimbal/weights` under `XDG_CACHE_HOME`, else under `~/.cache`.
    ///
    /// # Errors
    /// [`WeightsError::NoFolder`] when none of the variables is set.
    pub fn from_environment() -> Result<Self, WeightsError> {
        Self::choose(|name| std::env::var_os(name).filter(|value| !value.is_empty()).map(PathBuf::from))
    }

    fn choose(variable: impl Fn(&str) -> Option<PathBuf>) -> Result<Self, WeightsError> {
        let below = |base: PathBuf| base.join("gimbal").join("weights");
        variable("GIMBAL_WEIGHTS")
            .or_else(|| variable("XDG_CACHE_HOME").map(below))
            .or_else(|| variable("HOME").map(|home| below(home.join(".cache"))))
            .map(Self::at)
            .ok_or(WeightsError::NoFolder)
    }

    /// The folder.
    #[must_use]
    pub fn folder(&self) -> &Path {
        &self.folder
    }

    /// Where the weights of `model` lie, once they are there.
    #[must_use]
    pub fn path_of(&self, model: &KnownModel) -> PathBuf {
        self.folder.join(&*model.file)
    }

    /// The path of `model`'s weights if they are there and right.
    ///
    /// # Errors
    /// [`WeightsError::Missing`], or [`WeightsError::Mismatch`] when the file is another one.
    pub fn checked(&self, model: &KnownModel) -> Result<PathBuf, WeightsError> {
        let path = self.path_of(model);
        if !path.is_file() {
            return Err(WeightsError::Missing { name: model.name.to_string(), folder: self.folder.clone() });
        }
        let expected = expected_of(model)?;
        let found = self.fingerprint(&path)?;
        if found == expected { Ok(path) } else { Err(WeightsError::Mismatch { path, expected, found }) }
    }

    /// SHA-256 of a file. It is read only if its size or time of change differ from when it was last hashed.
    ///
    /// # Errors
    /// [`WeightsError::Io`] when it cannot be read.
    pub fn fingerprint(&self, path: &Path) -> Result<Digest, WeightsError> {
        let (size, modified_ns) = shape(path)?;
        let stamp_path = self.stamp_path(path);
        let known = fs::read(&stamp_path).ok().and_then(|bytes| serde_json::from_slice::<Stamp>(&bytes).ok());
        if let Some(stamp) = known
            && (stamp.size, stamp.modified_ns) == (size, modified_ns)
        {
            return Ok(stamp.sha256);
        }
        let sha256 = hash_file(path)?;
        self.stamp(path, sha256);
        Ok(sha256)
    }

    /// Notes the hash of a file. A cache that cannot be written costs time, not correctness, so that a failure is ignored.
    pub(crate) fn stamp(&self, path: &Path, sha256: Digest) {
        let Ok((size, modified_ns)) = shape(path) else { return };
        let stamp_path = self.stamp_path(path);
        let Some(folder) = stamp_path.parent() else { return };
        let Ok(text) = serde_json::to_vec(&Stamp { size, modified_ns, sha256 }) else { return };
        let written = fs::create_dir_all(folder)
            .and_then(|()| tempfile::NamedTempFile::new_in(folder))
            .and_then(|file| fs::write(file.path(), text).map(|()| file));
        if let Ok(file) = written {
            let _ = file.persist(&stamp_path);
        }
    }

    fn stamp_path(&self, path: &Path) -> PathBuf {
        let whole = fs::canonicalize(path).unwrap_or_else(|_| path.to_path_buf());
        self.folder.join("stamps").join(format!("{}.json", Digest::of(whole.as_os_str().as_encoded_bytes()).short()))
    }

    /// The lock that a fetch of these weights holds, and whether it is ours now; else [`Cache::wait`] for it.
    pub(crate) fn lock(&self, model: &KnownModel) -> Result<(File, bool), WeightsError> {
        fs::create_dir_all(&self.folder).map_err(io(&self.folder, "create the folder for weights"))?;
        let path = self.folder.join(format!(".{}.lock", model.name));
        let file = File::create(&path).map_err(io(&path, "create the lock"))?;
        let ours = FileExt::try_lock(&file).is_ok();
        Ok((file, ours))
    }

    /// Waits until no other process fetches the same weights.
    pub(crate) fn wait(&self, lock: File) -> Result<File, WeightsError> {
        FileExt::lock(&lock).map_err(io(&self.folder, "take the lock of the folder for weights"))?;
        Ok(lock)
    }

    /// A private folder on the same file system, so that the last step is a rename. The caller holds the lock of
    /// `model`: what is left there of fetches that were ended by a signal is removed.
    pub(crate) fn workshop(&self, model: &KnownModel) -> Result<tempfile::TempDir, WeightsError> {
        let prefix = format!(".fetch-{}@", model.name);
        for entry in fs::read_dir(&self.folder).into_iter().flatten().flatten() {
            if entry.file_name().to_string_lossy().starts_with(&prefix) {
                // A file that cannot be removed takes space, but does not prevent the fetch.
                let _ = fs::remove_dir_all(entry.path());
            }
        }
        tempfile::Builder::new()
            .prefix(&prefix)
            .tempdir_in(&self.folder)
            .map_err(io(&self.folder, "create a temporary folder"))
    }
}

/// What the registry expects of the file.
pub(crate) fn expected_of(model: &KnownModel) -> Result<Digest, WeightsError> {
    model.sha256.parse().map_err(|_| WeightsError::Way(format!("the entry of `{}` holds no SHA-256", model.name)))
}

/// Size and time of change.
fn shape(path: &Path) -> Result<(u64, u64), WeightsError> {
    let data = regular(path)?;
    let modified = data.modified().map_err(io(path, "read the file's time of change"))?;
    let since = modified.duration_since(UNIX_EPOCH).unwrap_or_default();
    Ok((data.len(), u64::try_from(since.as_nanos()).unwrap_or(u64::MAX)))
}

/// What the system says of a file, which must be one: a pipe or a device may never end, and is not opened.
fn regular(path: &Path) -> Result<fs::Metadata, WeightsError> {
    let data = fs::metadata(path).map_err(io(path, "read the file's size"))?;
    if data.is_file() {
        return Ok(data);
    }
    let why = "this is not a regular file (but a folder, a pipe or a device): name the file of the weights itself";
    Err(WeightsError::Content { path: path.to_path_buf(), why: why.to_owned() })
}

/// SHA-256 of a whole file.
pub(crate) fn hash_file(path: &Path) -> Result<Digest, WeightsError> {
    regular(path)?;
    let mut file = File::open(path).map_err(io(path, "open the file"))?;
    let mut hasher = Sha256::new();
    let mut buffer = vec![0u8; 1 << 20];
    loop {
        match file.read(&mut buffer).map_err(io(path, "read the file"))? {
            0 => return Ok(Digest(hasher.finalize().into())),
            read => hasher.update(&buffer[..read]),
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_folder_comes_from_the_environment_in_order() {
        let choose = |set: &[(&str, &str)]| {
            Cache::choose(|name| set.iter().find(|(key, _)| *key == name).map(|(_, value)| PathBuf::from(value)))
                .map(|cache| cache.folder)
        };
        let all = [("GIMBAL_WEIGHTS", "/w"), ("XDG_CACHE_HOME", "/x"), ("HOME", "/h")];
        assert_eq!(choose(&all).unwrap(), PathBuf::from("/w"));
        assert_eq!(choose(&all[1..]).unwrap(), PathBuf::from("/x/gimbal/weights"));
        assert_eq!(choose(&all[2..]).unwrap(), PathBuf::from("/h/.cache/gimbal/weights"));
        assert!(matches!(choose(&[]), Err(WeightsError::NoFolder)));
    }

    #[test]
    fn what_dead_fetches_left_is_removed_and_no_other_models() {
        let folder = tempfile::tempdir().unwrap();
        let cache = Cache::at(folder.path());
        let [one, other] = [&super::super::known_models()[0], &super::super::known_models()[1]];
        let _lock = cache.lock(one).unwrap();
        let dead = cache.workshop(one).unwrap().keep();
        fs::write(dead.join("part"), "x").unwrap();
        let alive = cache.workshop(other).unwrap();
        let fresh = cache.workshop(one).unwrap();
        assert!(!dead.exists() && alive.path().is_dir() && fresh.path().is_dir());
    }

    #[test]
    fn a_changed_file_is_hashed_again() {
        let folder = tempfile::tempdir().unwrap();
        let (cache, path) = (Cache::at(folder.path().join("cache")), folder.path().join("file"));
        fs::write(&path, b"one").unwrap();
        assert_eq!(cache.fingerprint(&path).unwrap(), Digest::of(b"one"));
        // The stamp is believed: another hash in it comes back.
        cache.stamp(&path, Digest::of(b"stamped"));
        assert_eq!(cache.fingerprint(&path).unwrap(), Digest::of(b"stamped"));
        fs::write(&path, b"other").unwrap();
        assert_eq!(cache.fingerprint(&path).unwrap(), Digest::of(b"other"));
        fs::write(cache.stamp_path(&path), b"no stamp").unwrap();
        assert_eq!(cache.fingerprint(&path).unwrap(), Digest::of(b"other"));
    }
}
