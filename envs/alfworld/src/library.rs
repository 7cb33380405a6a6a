//! Game files: read, with what they share read once.

use std::borrow::Cow;
use std::path::Path;
use std::sync::{Arc, Mutex, PoisonError};

use serde::Deserialize;

use crate::engine::{Game, Rules};
use crate::error::{Fault, GameError};
use crate::grammar::task_place;
use crate::pddl::Problem;

/// A wording: a domain and a grammar, as texts.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Wording {
    /// The domain.
    pub domain: String,
    /// The grammar.
    pub grammar: String,
}

/// What the older downloads have in the place of the task's sentence.
const UNKNOWN_GOAL: &str = "UNKNOWN GOAL.";

impl Wording {
    /// Reads `domain.pddl` and `grammar.twl2` of a folder, as the older downloads keep them.
    ///
    /// # Errors
    /// When one of them cannot be read, or they do not fit together.
    pub fn of_folder(folder: &Path) -> Result<Self, GameError> {
        let read = |name: &str| {
            let path = folder.join(name);
            let failed = |error: std::io::Error| Fault::Unreadable(error.to_string()).at(path.display().to_string());
            std::fs::read_to_string(&path).map_err(failed)
        };
        let wording = Self { domain: read("domain.pddl")?, grammar: read("grammar.twl2")? };
        Rules::new(&wording.domain, &wording.grammar).map_err(|error| error.within(&folder.display().to_string()))?;
        Ok(wording)
    }
}

/// A game file.
#[derive(Deserialize)]
struct File<'a> {
    #[serde(borrow)]
    pddl_domain: Option<Cow<'a, str>>,
    #[serde(borrow)]
    grammar: Option<Cow<'a, str>>,
    #[serde(borrow)]
    pddl_problem: Option<Cow<'a, str>>,
    #[serde(default)]
    walkthrough: Vec<String>,
}

/// Rules with the texts that they came from; the task's sentence is cut out of the grammar.
#[derive(Debug)]
struct Known {
    domain: String,
    before: String,
    after: String,
    rules: Arc<Rules>,
}

/// Reads games. Those of one wording share their rules: they are known again by their texts, all but the sentence of
/// the task.
#[derive(Debug, Default)]
pub struct Library {
    known: Mutex<Vec<Arc<Known>>>,
}

/// Wordings that are kept.
const MOST_KEPT: usize = 8;

impl Library {
    /// A library that knows no wording yet.
    #[must_use]
    pub fn new() -> Self {
        Self::default()
    }

    /// Reads a game file.
    ///
    /// # Errors
    /// When the file cannot be read or is not a game; the place names file, part and line.
    pub fn load(&self, path: &Path) -> Result<Game, GameError> {
        let shown = path.display().to_string();
        let bytes = std::fs::read(path).map_err(|error| Fault::Unreadable(error.to_string()).at(&shown))?;
        self.read(&bytes, None).map_err(|error| error.within(&shown))
    }

    /// Reads a game file with the words of another wording: the task's sentence stays that of the file.
    ///
    /// # Errors
    /// As [`Library::load`].
    pub fn load_as(&self, path: &Path, wording: &Wording) -> Result<Game, GameError> {
        let shown = path.display().to_string();
        let bytes = std::fs::read(path).map_err(|error| Fault::Unreadable(error.to_string()).at(&shown))?;
        self.read(&bytes, Some(wording)).map_err(|error| error.within(&shown))
    }

    /// Reads the bytes of a game file, in its own words or in those of `wording`.
    ///
    /// # Errors
    /// When they are not a game; the place names part and line.
    pub fn read(&self, bytes: &[u8], wording: Option<&Wording>) -> Result<Game, GameError> {
        let not_json = |error: &dyn std::fmt::Display| Fault::NotJson(error.to_string()).at("game file");
        let file: File<'_> = serde_json::from_slice(bytes).map_err(|error| not_json(&error))?;
        let missing = |name| Fault::Missing(name).at("game file");
        let problem = file.pddl_problem.ok_or_else(|| missing("pddl_problem"))?;
        let domain = file.pddl_domain.ok_or_else(|| missing("pddl_domain"))?;
        let grammar = file.grammar.ok_or_else(|| missing("grammar"))?;
        match wording {
            None => self.make(&domain, &grammar, problem, file.walkthrough, None),
            Some(wording) => {
                let sentence = sentence(&grammar);
                // Commands of the walkthrough are in the words of the file.
                self.make(&wording.domain, &wording.grammar, problem, Vec::new(), sentence)
            }
        }
    }

    fn make(
        &self,
        domain: &str,
        grammar: &str,
        problem: Cow<'_, str>,
        walkthrough: Vec<String>,
        sentence: Option<&str>,
    ) -> Result<Game, GameError> {
        let (rules, mut task) = self.rules(domain, grammar)?;
        if let Some(sentence) = sentence {
            task = match task.contains(UNKNOWN_GOAL) {
                true => task.replace(UNKNOWN_GOAL, sentence),
                false => sentence.to_owned(),
            };
        }
        let mut problem = problem.into_owned();
        problem.make_ascii_lowercase();
        let problem = Problem::read(&problem, &rules.domain)?;
        Game::new(rules, &problem, task, walkthrough)
    }

    /// The rules of a domain and a grammar, and the sentence of the task in the latter.
    ///
    /// # Errors
    /// When they cannot be read, or do not fit together.
    pub fn rules(&self, domain: &str, grammar: &str) -> Result<(Arc<Rules>, String), GameError> {
        let known: Vec<Arc<Known>> = self.known.lock().unwrap_or_else(PoisonError::into_inner).clone();
        for known in known {
            if known.domain == domain
                && let Some(rest) = grammar.strip_prefix(known.before.as_str())
                && let Some(task) = rest.strip_suffix(known.after.as_str())
                && crate::grammar::is_plain(task)
            {
                return Ok((Arc::clone(&known.rules), task.to_owned()));
            }
        }
        let (rules, task) = Rules::new(domain, grammar)?;
        let rules = Arc::new(rules);
        if let Some(place) = task_place(grammar)
            && grammar[place.clone()] == task
        {
            let mut kept = self.known.lock().unwrap_or_else(PoisonError::into_inner);
            if kept.len() >= MOST_KEPT {
                kept.remove(0);
            }
            kept.push(Arc::new(Known {
                domain: domain.to_owned(),
                before: grammar[..place.start].to_owned(),
                after: grammar[place.end..].to_owned(),
                rules: Arc::clone(&rules),
            }));
        }
        Ok((rules, task))
    }
}

/// The sentence of the task in a grammar, without the words before its colon.
fn sentence(grammar: &str) -> Option<&str> {
    let task = &grammar[task_place(grammar)?];
    Some(task.split_once(": ").map_or(task, |(_, sentence)| sentence))
}
