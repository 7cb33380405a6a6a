//! The data that the program runs on: built-in files, the folder that overrides them, and models.

use std::collections::BTreeSet;
use std::path::{Path, PathBuf};
use std::sync::{Arc, Mutex, PoisonError};

use gimbal_architectures::graph::{self, GraphFileError, TaskGraph};
use gimbal_core::{FileError, Files};
use gimbal_model::{Models, ModelsConfig, ModelsSection, PriceTable, TraitTable};
use gimbal_study::registry::Library;

use crate::exit::Failure;
use crate::stdio;

/// Personas, studies and prices that come with the program.
const BUILT_IN: &[(&str, &str)] = &include!(concat!(env!("OUT_DIR"), "/embedded_files.rs"));

/// Weights that come with the program.
const WEIGHTS: &[(&str, &[u8])] =
    &[("weights/arbiter/arbiter.weights", include_bytes!("../../../weights/arbiter/arbiter.weights"))];

/// What the program runs on.
pub struct Home {
    /// Personas, studies and prices.
    pub files: Arc<Library>,
    /// The present folder, where it overrides built-in files without having been asked to (`--config` asks).
    here: Option<PathBuf>,
    /// Overriding files that the user was warned of.
    warned: Mutex<BTreeSet<String>>,
}

impl Home {
    /// The built-in files, overridden by `folder`, or else by the present folder where it holds personas.
    pub fn new(folder: Option<PathBuf>) -> Result<Self, Failure> {
        if let Some(folder) = &folder
            && !folder.is_dir()
        {
            return Err(Failure::Usage(format!("--config: {} is not a folder", folder.display())));
        }
        let here = Some(PathBuf::from(".")).filter(|here| folder.is_none() && here.join("personas").is_dir());
        let folders = folder.or_else(|| here.clone()).into_iter().collect();
        let files = Library::new(BUILT_IN, folders).with_bytes(WEIGHTS).with_own(PathBuf::from("."));
        Ok(Self { files: Arc::new(files), here, warned: Mutex::default() })
    }

    /// Files of the present folder that differ from built-in ones and take their place without having been asked to. A study is
    /// always named by the user.
    pub fn overridden(&self) -> Vec<String> {
        let Some(here) = &self.here else { return Vec::new() };
        let differs = |path: &str, text: &str| match std::fs::read_to_string(here.join(path)) {
            Ok(own) => own != text,
            Err(error) => error.kind() != std::io::ErrorKind::NotFound,
        };
        let changed = BUILT_IN.iter().filter(|(path, text)| !path.starts_with("studies/") && differs(path, text));
        changed.map(|(path, _)| (*path).to_owned()).collect()
    }

    /// Warns of the overriding files that were read so far, each once.
    pub fn warn_of_overrides(&self) {
        if self.here.is_some() {
            let read = self.files.replaced();
            self.warn_of(read.iter().filter(|path| !path.starts_with("studies/")));
        }
    }

    /// Warns of these overriding files, each once.
    pub fn warn_of<'a>(&self, files: impl IntoIterator<Item = &'a String>) {
        const SHOWN: usize = 6;
        let mut warned = self.warned.lock().unwrap_or_else(PoisonError::into_inner);
        let fresh: Vec<&str> =
            files.into_iter().filter(|path| warned.insert((*path).clone())).map(String::as_str).collect();
        if fresh.is_empty() {
            return;
        }
        let more = fresh.len().saturating_sub(SHOWN);
        let shown = fresh.iter().take(SHOWN).copied().collect::<Vec<_>>().join(", ");
        let more = if more > 0 { format!(" and {more} more") } else { String::new() };
        stdio::message(&format!(
            "warning: files of the present folder take the place of built-in ones and differ from them: {shown}{more}; run \
             elsewhere to use the built-in ones, or name the folder with --config to say that this is meant"
        ));
    }

    /// The text of a study: a file, or a built-in one of that path.
    pub fn study(&self, path: &Path) -> Result<(String, String), Failure> {
        let name = path.display().to_string();
        match std::fs::read_to_string(path) {
            Ok(text) => Ok((text, name)),
            Err(error) if error.kind() == std::io::ErrorKind::NotFound && !path.is_symlink() => {
                let found = self.files.read(&name).map_err(Failure::usage)?;
                found.map(|(text, _)| (text, name.clone())).ok_or_else(|| {
                    let known = self.files.list("studies");
                    let hint = gimbal_core::nearest::hint(&name, known.iter().map(String::as_str));
                    let known = known.join(", ");
                    Failure::Usage(format!("{name}: there is no such file{hint} (known: {known})"))
                })
            }
            Err(error) => Err(Failure::usage(FileError::of(name, &error))),
        }
    }

    /// The graph in a file, or the one of that name below `graphs/`.
    pub fn graph(&self, name: &str) -> Result<TaskGraph, Failure> {
        self.read_graph(name).map_err(|error| match error {
            GraphFileError::File(_) => Failure::external(error),
            GraphFileError::Yaml(_) | GraphFileError::Graph { .. } | GraphFileError::Unknown { .. } => {
                Failure::usage(error)
            }
        })
    }

    /// As [`Home::graph`], with the kind of the error.
    pub fn read_graph(&self, name: &str) -> Result<TaskGraph, GraphFileError> {
        let path = Path::new(name);
        if path.is_file() {
            let text = std::fs::read_to_string(path).map_err(|error| FileError::of(name, &error))?;
            return graph::read(&text, name);
        }
        graph::named(name, &*self.files).map(Arc::unwrap_or_clone)
    }

    /// The models of a run. `section` is the section of its study.
    pub fn models(&self, section: ModelsSection, threads: Option<usize>) -> Result<Arc<Models>, Failure> {
        let prices = match self.files.read("prices.yaml").map_err(Failure::usage)? {
            None => PriceTable::default(),
            Some((text, origin)) => PriceTable::parse(&text, &origin).map_err(Failure::usage)?,
        };
        let traits = match self.files.read("providers.yaml").map_err(Failure::usage)? {
            None => TraitTable::built_in(),
            Some((text, origin)) => Arc::new(TraitTable::parse(&text, &origin).map_err(Failure::usage)?),
        };
        let threads = match threads {
            Some(0) => return Err(Failure::Usage("--threads must be at least 1".to_owned())),
            other => other.and_then(|threads| u32::try_from(threads).ok()),
        };
        let scripts = Arc::clone(&self.files) as Arc<dyn Files>;
        let readers = Arc::new(gimbal_readers::Library);
        let config = ModelsConfig { threads, scripts, readers, ..ModelsConfig::of(prices, traits) };
        Ok(Arc::new(Models::new(section.over(config))))
    }
}
