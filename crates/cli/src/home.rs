//! The data that the program runs on: built-in files, the folder that overrides them, and models.

use std::path::{Path, PathBuf};
use std::sync::Arc;

use gimbal_core::Files;
use gimbal_model::{Models, ModelsConfig, PriceTable};
use gimbal_study::registry::Library;
use serde::Deserialize;
use serde_json::Value;

use crate::exit::Failure;

/// Personas, studies and prices that come with the program.
const BUILT_IN: &[(&str, &str)] = &include!(concat!(env!("OUT_DIR"), "/embedded_files.rs"));

/// What the program runs on.
pub struct Home {
    /// Personas, studies and prices.
    pub files: Arc<Library>,
}

/// The section `models:` of a study.
#[derive(Debug, Default, Deserialize)]
#[serde(default, deny_unknown_fields)]
struct Reach {
    endpoints: std::collections::BTreeMap<String, gimbal_model::Endpoint>,
    rates: std::collections::BTreeMap<String, gimbal_model::Rate>,
    retry: gimbal_model::RetryPolicy,
    timeouts: gimbal_model::Timeouts,
    cache: Option<PathBuf>,
    record: Option<PathBuf>,
}

impl Home {
    /// The built-in files, overridden by `folder`, or else by the present folder where it holds personas.
    pub fn new(folder: Option<PathBuf>) -> Result<Self, Failure> {
        if let Some(folder) = &folder
            && !folder.is_dir()
        {
            return Err(Failure::Usage(format!("--config: {} is no folder", folder.display())));
        }
        let here = || Some(PathBuf::from(".")).filter(|here| here.join("personas").is_dir());
        let folders = folder.or_else(here).into_iter().collect();
        Ok(Self { files: Arc::new(Library::new(BUILT_IN, folders)) })
    }

    /// The text of a study: a file, or a built-in one of that path.
    pub fn study(&self, path: &Path) -> Result<(String, String), Failure> {
        let name = path.display().to_string();
        match std::fs::read_to_string(path) {
            Ok(text) => Ok((text, name)),
            Err(error) => self.files.read(&name).map(|(text, _)| (text, name.clone())).ok_or_else(|| {
                let known = self.files.list("studies");
                let hint = gimbal_core::nearest::hint(&name, known.iter().map(String::as_str));
                Failure::Usage(format!("{name}: cannot be read: {error}{hint} (built in: {})", known.join(", ")))
            }),
        }
    }

    /// The models of a run. `reach` is the section `models:` of its study.
    pub fn models(&self, reach: Option<&Value>, threads: Option<usize>) -> Result<Arc<Models>, Failure> {
        let reach: Reach = match reach {
            None => Reach::default(),
            Some(value) => serde_json::from_value(value.clone())
                .map_err(|error| Failure::Usage(format!("the section `models:` of the study: {error}")))?,
        };
        let prices = match self.files.read("prices.yaml") {
            None => PriceTable::default(),
            Some((text, origin)) => PriceTable::parse(&text, &origin).map_err(Failure::usage)?,
        };
        let threads = match threads {
            Some(0) => return Err(Failure::Usage("--threads must be at least 1".to_owned())),
            other => other.and_then(|threads| u32::try_from(threads).ok()),
        };
        Ok(Arc::new(Models::new(ModelsConfig {
            prices,
            endpoints: reach.endpoints,
            rates: reach.rates,
            retry: reach.retry,
            timeouts: reach.timeouts,
            cache: reach.cache.map(|folder| gimbal_model::CacheConfig { folder }),
            record: reach.record.map(|folder| gimbal_model::RecordConfig { folder }),
            threads,
            scripts: Arc::clone(&self.files) as Arc<dyn Files>,
            ..ModelsConfig::default()
        })))
    }
}
