//! What a study may name: environments, architectures, models, files.

use std::collections::BTreeMap;
use std::io::ErrorKind;
use std::path::PathBuf;
use std::pin::Pin;
use std::sync::Arc;

use gimbal_core::{ArchitectureKind, Catalogue, ChatModel, FileError, Files, RecordKinds};
use gimbal_model::{Known, ModelFacts, Models, SetupError};

/// Environments and architectures by which a study is resolved; the order is that of listings.
#[derive(Clone, Default)]
pub struct Registry {
    /// Families of environments.
    pub environments: Vec<Arc<dyn Catalogue>>,
    /// Families of architectures.
    pub architectures: Vec<Arc<dyn ArchitectureKind>>,
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
    folders: Vec<PathBuf>,
}

impl Library {
    /// A library of built-in files (path and text) and of folders, the first of which goes before the others.
    #[must_use]
    pub fn new(builtin: &[(&str, &'static str)], folders: Vec<PathBuf>) -> Self {
        Self { builtin: builtin.iter().map(|(path, text)| ((*path).to_owned(), *text)).collect(), folders }
    }
}

impl Files for Library {
    fn read(&self, path: &str) -> Result<Option<(String, String)>, FileError> {
        // Paths come from studies and personas: they stay within the folders.
        if path.split('/').any(|part| part == ".." || part.is_empty()) {
            return Ok(None);
        }
        for folder in &self.folders {
            let file = folder.join(path);
            match std::fs::read_to_string(&file) {
                Ok(text) => return Ok(Some((text, file.display().to_string()))),
                // A link that points at nothing is there, and cannot be read.
                Err(error) if error.kind() == ErrorKind::NotFound && !file.is_symlink() => {}
                Err(error) => return Err(FileError::of(file.display().to_string(), &error)),
            }
        }
        Ok(self.builtin.get(path).map(|text| ((*text).to_owned(), format!("built-in {path}"))))
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
        assert_eq!(read("personas/own/core.yaml").unwrap().0, "mine");
        assert_eq!(read("personas/other/core.yaml").unwrap().1, "built-in personas/other/core.yaml");
        assert_eq!(read("../secret"), None);
        assert_eq!(library.list("personas"), ["personas/other/core.yaml", "personas/own/core.yaml"]);
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
