//! Artefacts of a plan: the files that a study names, read once, and what of them each architecture asks for.

use std::collections::{BTreeMap, BTreeSet};
use std::sync::Arc;

use gimbal_core::{Artefact, Digest, Embedder, Files, Needs, Scorer, nearest};
use serde::{Deserialize, Serialize};
use serde_json::{Value, json};

use super::error::Problem;
use super::file::{NamedArtefact, StudyFile, Variant};
use crate::registry::{Registry, stays_within};
use crate::stage::LearnedParts;

/// Most bytes of an artefact: more than the weights of any small network, and little enough to be held in memory.
pub const MOST_BYTES: u64 = 1 << 28;

/// The artefacts of an architecture, and what was made of them.
#[derive(Clone, Default)]
pub struct Artefacts {
    /// What the stage hands over, by name.
    pub given: Arc<BTreeMap<String, Arc<Artefact>>>,
    /// Scorers and embedders that the architecture asks for.
    pub learned: Arc<LearnedParts>,
    /// Files as the study names them, by name.
    files: BTreeMap<String, String>,
}

/// An artefact as a run folder keeps it: its content is in its digest alone.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct StoredArtefact {
    /// Name by which it is asked for.
    pub name: String,
    /// Its file as the study names it.
    pub file: String,
    /// Hash of its content.
    pub digest: Digest,
    /// Length of its content.
    pub bytes: u64,
}

impl Artefacts {
    /// What of them decides episodes, as keys hold it: an empty list where there are none.
    #[must_use]
    pub fn identity(&self) -> Value {
        let of = |artefact: &Arc<Artefact>| {
            let mut identity = json!({ "digest": artefact.digest, "name": artefact.name });
            if let Some(scorer) = self.learned.scorers.get(&artefact.name) {
                identity["scorer"] = scorer.identity().into();
            }
            identity
        };
        let embedders = self.learned.embedders.iter();
        let embedders = embedders.map(|(name, embedder)| json!({ "embedder": embedder.identity(), "name": name }));
        self.given.values().map(of).chain(embedders).collect()
    }

    /// What a run folder keeps of them.
    #[must_use]
    pub fn stored(&self) -> Vec<StoredArtefact> {
        let of = |artefact: &Arc<Artefact>| StoredArtefact {
            name: artefact.name.clone(),
            file: self.files.get(&artefact.name).cloned().unwrap_or_default(),
            digest: artefact.digest,
            bytes: artefact.bytes.len() as u64,
        };
        self.given.values().map(of).collect()
    }
}

/// Digest and bytes of a file, or what is wrong with it.
type Content = Result<(Digest, Arc<[u8]>), String>;

/// Reads the artefacts of a study: every file once.
pub(super) struct Loader<'a> {
    study: &'a StudyFile,
    files: &'a dyn Files,
    registry: &'a Registry,
    read: BTreeMap<String, Content>,
    /// Names of the study's own section that an architecture asks for.
    asked: BTreeSet<String>,
}

impl<'a> Loader<'a> {
    pub(super) fn new(study: &'a StudyFile, registry: &'a Registry, files: &'a dyn Files) -> Self {
        Self { study, files, registry, read: BTreeMap::new(), asked: BTreeSet::new() }
    }

    /// The artefacts of one architecture: those of the study that it asks for, with its own in their place or beside them.
    pub(super) fn of(&mut self, variant: &Variant, label: &str, needs: &Needs) -> Result<Artefacts, Problem> {
        let (study, file) = (self.study, &self.study.file);
        let names: Vec<&str> = needs.artefacts.iter().map(|need| need.name.as_str()).collect();
        if let Some((name, named)) = variant.artefacts.iter().find(|(name, _)| !names.contains(&name.as_str())) {
            let what = format!("`artefacts`: `{label}` asks for no artefact `{name}`{}", asks_for(name, &names));
            return Err(Problem::at(file, named.at, what));
        }
        let mut found = Artefacts::default();
        let mut given = BTreeMap::new();
        let mut learned = LearnedParts::default();
        for need in &needs.artefacts {
            let of_study = study.artefacts.get(&need.name);
            if of_study.is_some() {
                self.asked.insert(need.name.clone());
            }
            let named = variant.artefacts.get(&need.name).or(of_study);
            let Some(NamedArtefact { path: Some(path), at }) = named else {
                if need.is_optional {
                    continue;
                }
                let at = named.map_or(variant.node.at, |named| named.at);
                let what = format!(
                    "`{label}` needs the artefact `{0}`: name its file, e.g. `artefacts: {{ {0}: FILE }}`",
                    need.name
                );
                return Err(Problem::at(file, at, what));
            };
            let (digest, bytes) = self
                .bytes(path)
                .map_err(|why| Problem::at(file, *at, format!("the artefact `{}`: {why}", need.name)))?;
            let artefact = Arc::new(Artefact { name: need.name.clone(), digest, bytes });
            if need.is_scorer {
                let made = self.scorer(&artefact);
                let wrong = |why| Problem::at(file, *at, format!("the artefact `{}` ({path}): {why}", need.name));
                learned.scorers.insert(need.name.clone(), made.map_err(wrong)?);
            }
            given.insert(need.name.clone(), artefact);
            found.files.insert(need.name.clone(), path.clone());
        }
        for name in &needs.embedders {
            let made = self.embedder(name).map_err(|why| {
                Problem::at(file, variant.node.at, format!("`{label}` needs the embedder `{name}`: {why}"))
            })?;
            learned.embedders.insert(name.clone(), made);
        }
        (found.given, found.learned) = (Arc::new(given), Arc::new(learned));
        Ok(found)
    }

    /// Names of the study's own section that nobody asks for.
    pub(super) fn unasked(&self, needs: &[&Needs]) -> Vec<Problem> {
        let known: Vec<&str> = needs.iter().flat_map(|needs| &needs.artefacts).map(|need| need.name.as_str()).collect();
        let unasked = self.study.artefacts.iter().filter(|(name, _)| !self.asked.contains(*name));
        unasked
            .map(|(name, named)| {
                let what = format!(
                    "`artefacts`: no architecture of this study asks for an artefact `{name}`{}",
                    asks_for(name, &known)
                );
                Problem::at(&self.study.file, named.at, what)
            })
            .collect()
    }

    fn bytes(&mut self, path: &str) -> Result<(Digest, Arc<[u8]>), String> {
        if let Some(read) = self.read.get(path) {
            return read.clone();
        }
        let read = match self.files.read_bytes(path, MOST_BYTES) {
            Err(error) => Err(error.to_string()),
            Ok(None) if !stays_within(path) => Err(format!(
                "`{path}` leads out of the data folder and the present one: name a file in one of them by a relative path \
                 without `..`"
            )),
            Ok(None) => Err(format!(
                "there is no file `{path}`: it is looked for in the data folder (`--config`) and in the present one"
            )),
            Ok(Some((bytes, place))) if bytes.is_empty() => Err(format!("{place}: the file is empty")),
            Ok(Some((bytes, _))) => Ok((Digest::of(&bytes), bytes.into())),
        };
        self.read.entry(path.to_owned()).or_insert(read).clone()
    }

    fn scorer(&self, artefact: &Artefact) -> Result<Arc<dyn Scorer>, String> {
        self.registry.learned.as_ref().ok_or_else(without)?.scorer(artefact)
    }

    fn embedder(&self, name: &str) -> Result<Arc<dyn Embedder>, String> {
        self.registry.learned.as_ref().ok_or_else(without)?.embedder(name)
    }
}

fn without() -> String {
    "this program has no learned parts; use one that was built with them".to_owned()
}

/// The names that may be meant.
fn asks_for(name: &str, names: &[&str]) -> String {
    if names.is_empty() {
        return "; drop it".to_owned();
    }
    let known: BTreeSet<&str> = names.iter().copied().collect();
    nearest::hint_among(name, &known.into_iter().collect::<Vec<_>>())
}
