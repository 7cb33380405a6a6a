//! What a study may name: environments, architectures, models, files.

use std::collections::{BTreeMap, BTreeSet};
use std::fs::File;
use std::io::{ErrorKind, Read as _};
use std::path::{Component, Path, PathBuf};
use std::pin::Pin;
use std::sync::{Arc, Mutex, PoisonError};

use gimbal_core::{ArchitectureKind, Catalogue, ChatModel, FileError, Files, Learned, RecordKinds};
use gimbal_model::{Known, ModelFacts, Models, SetupError};

/// Environments and architectures by which a study is resolved; the order is that of listings.
#[derive(Clone, Default)]
pub struct Registry {
    /// Families of environments.
    pub environments: Vec<Arc<dyn Catalogue>>,
    /// Families of architectures.
    pub architectures: Vec<Arc<dyn ArchitectureKind>>,
    /// What makes scorers and embedders; `None` if the program has no learned parts.
    pub learned: Option<Arc<dyn Learned>>,
}

impl Registry {
    /// The family of environments called `name`.
    #[must_use]
    pub fn environment(&self, name: &str) -> Option<&Arc<dyn Catalogue>> {
        self.environments.iter().find(|family| family.name() == name)
    }

    /// All kinds of record that these architectures and the stage write.
    #[must_use]
    pub fn records(&self) -> RecordKinds {
        let own = gimbal_messages::records::stage::KINDS.iter().copied();
        RecordKinds::new(self.architectures.iter().flat_map(|kind| kind.records()).chain(own))
    }

    /// A message between agents in words; `None` if no architecture has words for it. `whole` asks for words that leave nothing out.
    #[must_use]
    pub fn tell_message(&self, form: &str, message: &str, whole: bool) -> Option<String> {
        self.architectures.iter().find_map(|kind| kind.tell_message(form, message, whole))
    }

    /// The family of architectures called `name`.
    #[must_use]
    pub fn architecture(&self, name: &str) -> Option<&Arc<dyn ArchitectureKind>> {
        self.architectures.iter().find(|kind| kind.name() == name)
    }
}

/// Where models come from.
pub trait ModelSource: Send + Sync {
    /// What is known of a model by its name, without the network.
    ///
    /// # Errors
    /// When there is no such model.
    fn describe(&self, name: &str) -> Result<ModelFacts, SetupError>;

    /// What is known of a remote model's server; none of other models.
    fn known(&self, _name: &str) -> Option<Known> {
        None
    }

    /// Asks a remote model's server how many tokens its context holds, where the server reports it free of charge.
    fn survey<'a>(&'a self, _name: &'a str) -> Pin<Box<dyn Future<Output = Option<u64>> + Send + 'a>> {
        Box::pin(std::future::ready(None))
    }

    /// What to know of the models after a run.
    fn remarks(&self) -> Vec<String> {
        Vec::new()
    }

    /// Whether it can be used now.
    ///
    /// # Errors
    /// What is missing, and how to fix it.
    fn ready(&self, name: &str) -> Result<(), SetupError>;

    /// The model; shared by all who name it.
    ///
    /// # Errors
    /// Why it cannot be opened.
    fn open(&self, name: &str) -> Result<Arc<dyn ChatModel>, SetupError>;
}

impl ModelSource for Models {
    fn describe(&self, name: &str) -> Result<ModelFacts, SetupError> {
        Self::describe(self, name)
    }
    fn known(&self, name: &str) -> Option<Known> {
        Self::known(self, name)
    }
    fn survey<'a>(&'a self, name: &'a str) -> Pin<Box<dyn Future<Output = Option<u64>> + Send + 'a>> {
        Box::pin(Self::survey(self, name))
    }
    fn remarks(&self) -> Vec<String> {
        Self::remarks(self)
    }
    fn ready(&self, name: &str) -> Result<(), SetupError> {
        Self::ready(self, name)
    }
    fn open(&self, name: &str) -> Result<Arc<dyn ChatModel>, SetupError> {
        Self::open(self, name)
    }
}

/// Files that come with the program, overridden by those of data folders.
#[derive(Clone, Debug, Default)]
pub struct Library {
    builtin: BTreeMap<String, &'static str>,
    /// Built-in files that are not texts.
    builtin_bytes: BTreeMap<String, &'static [u8]>,
    folders: Vec<PathBuf>,
    /// Folders with a user's own data, read after all others and for bytes only.
    own: Vec<PathBuf>,
    /// Built-in files in whose place a different file of a folder was read.
    replaced: Arc<Mutex<BTreeSet<String>>>,
}

impl Library {
    /// A library of built-in files (path and text) and of folders, the first of which goes before the others.
    #[must_use]
    pub fn new(builtin: &[(&str, &'static str)], folders: Vec<PathBuf>) -> Self {
        let builtin = builtin.iter().map(|(path, text)| ((*path).to_owned(), *text)).collect();
        Self { builtin, folders, ..Self::default() }
    }

    /// The same with built-in files that are not texts (path and bytes).
    #[must_use]
    pub fn with_bytes(mut self, builtin: &[(&str, &'static [u8])]) -> Self {
        self.builtin_bytes.extend(builtin.iter().map(|(path, bytes)| ((*path).to_owned(), *bytes)));
        self
    }

    /// The same, and bytes are also read from a folder of the user's own where no data folder has the file. Texts are not: a file
    /// that happens to be there must not take the place of a persona.
    #[must_use]
    pub fn with_own(mut self, folder: PathBuf) -> Self {
        self.own.push(folder);
        self
    }

    /// Built-in files in whose place a different one of the folders was read so far, in order.
    #[must_use]
    pub fn replaced(&self) -> Vec<String> {
        self.replaced.lock().unwrap_or_else(PoisonError::into_inner).iter().cloned().collect()
    }

    /// Notes that a file of a folder was read; it replaces the built-in one of that path if they differ.
    fn note(&self, path: &str, read: &[u8]) {
        let text = self.builtin.get(path).map(|text| text.as_bytes());
        if self.builtin_bytes.get(path).copied().or(text).is_some_and(|built_in| built_in != read) {
            self.replaced.lock().unwrap_or_else(PoisonError::into_inner).insert(path.to_owned());
        }
    }

    /// The first file of that path in some folders, as `open` reads it, and its place.
    fn first<T>(
        folders: &[PathBuf],
        path: &str,
        mut open: impl FnMut(&Path) -> Result<T, FileError>,
    ) -> Result<Option<(T, String)>, FileError> {
        // Paths come from studies and personas: they stay within the folders.
        if !stays_within(path) {
            return Ok(None);
        }
        for folder in folders {
            let file = folder.join(path);
            match std::fs::symlink_metadata(&file) {
                // A link that points at nothing is there, and cannot be read.
                Ok(_) => return Ok(Some((open(&file)?, file.display().to_string()))),
                Err(error) if error.kind() == ErrorKind::NotFound => {}
                Err(error) => return Err(FileError::of(file.display().to_string(), &error)),
            }
        }
        Ok(None)
    }
}

/// Whether a path names something in a folder and nothing beside it.
pub(crate) fn stays_within(path: &str) -> bool {
    let leaves = |part: &str| part == ".." || part.is_empty();
    !path.split('/').any(leaves)
        && Path::new(path).components().all(|part| matches!(part, Component::Normal(_) | Component::CurDir))
}

/// The bytes of a file, of which at most `most` are read.
fn bounded(file: &Path, most: u64) -> Result<Vec<u8>, FileError> {
    let place = || file.display().to_string();
    let failed = |error: std::io::Error| FileError::of(place(), &error);
    let opened = File::open(file).map_err(failed)?;
    let found = opened.metadata().map_err(failed)?;
    if found.is_dir() {
        return Err(FileError::of(place(), &ErrorKind::IsADirectory.into()));
    }
    if found.len() > most {
        return Err(FileError::too_large(place(), found.len(), most));
    }
    let mut bytes = Vec::new();
    // A file may grow while it is read, and a device has no length.
    opened.take(most.saturating_add(1)).read_to_end(&mut bytes).map_err(failed)?;
    if bytes.len() as u64 > most {
        return Err(FileError::too_large(place(), bytes.len() as u64, most));
    }
    Ok(bytes)
}

impl Files for Library {
    fn read(&self, path: &str) -> Result<Option<(String, String)>, FileError> {
        let found = Self::first(&self.folders, path, |file| {
            std::fs::read_to_string(file).map_err(|error| FileError::of(file.display().to_string(), &error))
        })?;
        if let Some((text, place)) = found {
            self.note(path, text.as_bytes());
            return Ok(Some((text, place)));
        }
        Ok(self.builtin.get(path).map(|text| ((*text).to_owned(), format!("built-in {path}"))))
    }

    fn read_bytes(&self, path: &str, most: u64) -> Result<Option<(Vec<u8>, String)>, FileError> {
        let open = |file: &Path| bounded(file, most);
        if let Some((bytes, place)) = Self::first(&self.folders, path, open)? {
            self.note(path, &bytes);
            return Ok(Some((bytes, place)));
        }
        let text = || self.builtin.get(path).map(|text| text.as_bytes());
        if let Some(bytes) = self.builtin_bytes.get(path).copied().or_else(text) {
            let place = format!("built-in {path}");
            if bytes.len() as u64 > most {
                return Err(FileError::too_large(place, bytes.len() as u64, most));
            }
            return Ok(Some((bytes.to_vec(), place)));
        }
        Self::first(&self.own, path, open)
    }

    fn list(&self, folder: &str) -> Vec<String> {
        let prefix = format!("{}/", folder.trim_end_matches('/'));
        let mut paths: Vec<String> = self.builtin.keys().filter(|path| path.starts_with(&prefix)).cloned().collect();
        for root in &self.folders {
            let mut open = vec![prefix.trim_end_matches('/').to_owned()];
            while let Some(below) = open.pop() {
                for entry in std::fs::read_dir(root.join(&below)).into_iter().flatten().flatten() {
                    let path = format!("{below}/{}", entry.file_name().to_string_lossy());
                    match entry.file_type() {
                        Ok(kind) if kind.is_dir() => open.push(path),
                        Ok(_) => paths.push(path),
                        Err(_) => {}
                    }
                }
            }
        }
        paths.sort();
        paths.dedup();
        paths
    }
}

#[cfg(test)]
mod tests {
    use gimbal_core::Files as _;

    use super::Library;

    #[test]
    fn a_folder_goes_before_what_is_built_in_and_nothing_lies_outside() {
        let folder = tempfile::tempdir().unwrap();
        std::fs::create_dir_all(folder.path().join("data/personas/own")).unwrap();
        std::fs::write(folder.path().join("data/personas/own/core.yaml"), "mine").unwrap();
        std::fs::write(folder.path().join("secret"), "no").unwrap();
        let builtin = [("personas/own/core.yaml", "theirs"), ("personas/other/core.yaml", "other")];
        let library = Library::new(&builtin, vec![folder.path().join("data")]);
        let read = |path: &str| library.read(path).unwrap();
        assert_eq!(library.replaced(), [""; 0]);
        assert_eq!(read("personas/own/core.yaml").unwrap().0, "mine");
        assert_eq!(library.clone().replaced(), ["personas/own/core.yaml"]);
        std::fs::write(folder.path().join("data/personas/own/core.yaml"), "theirs").unwrap();
        let same = Library::new(&builtin, vec![folder.path().join("data")]);
        assert_eq!(same.read("personas/own/core.yaml").unwrap().unwrap().0, "theirs");
        assert_eq!(same.replaced(), [""; 0], "an equal file changes nothing");
        std::fs::write(folder.path().join("data/personas/own/core.yaml"), "mine").unwrap();
        assert_eq!(read("personas/other/core.yaml").unwrap().1, "built-in personas/other/core.yaml");
        assert_eq!(read("../secret"), None);
        assert_eq!(library.list("personas"), ["personas/other/core.yaml", "personas/own/core.yaml"]);
    }

    #[test]
    fn bytes_are_bounded_and_found_in_the_data_folder_then_built_in_then_the_users_own() {
        let folder = tempfile::tempdir().unwrap();
        let (data, own) = (folder.path().join("data"), folder.path().join("own"));
        std::fs::create_dir_all(&data).unwrap();
        std::fs::create_dir_all(&own).unwrap();
        std::fs::write(folder.path().join("secret"), "no").unwrap();
        for name in ["a", "b", "c", "c.yaml"] {
            std::fs::write(own.join(name), b"own\xff").unwrap();
        }
        std::fs::write(data.join("a"), b"data\xff").unwrap();
        let library = Library::new(&[("t.yaml", "text")], vec![data.clone()])
            .with_bytes(&[("a", b"built-in"), ("b", b"built-in")])
            .with_own(own.clone());
        let read = |path: &str, most: u64| library.read_bytes(path, most).map(|found| found.map(|(bytes, _)| bytes));
        assert_eq!(read("a", 5).unwrap().unwrap(), b"data\xff");
        assert_eq!(read("b", 8).unwrap().unwrap(), b"built-in");
        assert_eq!(read("c", 4).unwrap().unwrap(), b"own\xff");
        assert_eq!(read("t.yaml", 4).unwrap().unwrap(), b"text");
        for (path, found) in [("a", 5), ("b", 8), ("c", 4), ("t.yaml", 4)] {
            let error = read(path, found - 1).unwrap_err();
            assert!(error.why.contains(&format!("it has {found} bytes, and at most {}", found - 1)), "{error}");
        }
        for outside in ["../secret", "x/../../secret", "/etc/hostname", "./../secret", "", "none"] {
            assert_eq!(read(outside, 1 << 20).unwrap(), None, "{outside}");
        }
        assert!(read(".", 9).unwrap_err().why.contains("folder"));
        assert_eq!(library.read("c.yaml").unwrap(), None, "texts are never read from there");
    }

    #[test]
    fn what_is_there_and_cannot_be_read_is_not_replaced() {
        let folder = tempfile::tempdir().unwrap();
        let path = |name: &str| folder.path().join(name);
        std::fs::create_dir_all(path("folder.yaml")).unwrap();
        std::fs::write(path("latin.yaml"), b"caf\xe9").unwrap();
        std::fs::write(path("file"), "").unwrap();
        let builtin = [("folder.yaml", "theirs"), ("latin.yaml", "theirs"), ("file/x.yaml", "theirs")];
        let library = Library::new(&builtin, vec![folder.path().to_path_buf()]);
        let said = |name: &str| library.read(name).unwrap_err().to_string();
        for (name, why) in [("folder.yaml", "it is a folder"), ("latin.yaml", "not UTF-8"), ("file/x.yaml", "irectory")]
        {
            assert!(said(name).contains(why), "{}", said(name));
            assert!(said(name).starts_with(&path(name).display().to_string()), "{}", said(name));
        }
        #[cfg(unix)]
        {
            std::os::unix::fs::symlink(path("nowhere"), path("link.yaml")).unwrap();
            assert!(said("link.yaml").contains("cannot be read"));
        }
    }
}
