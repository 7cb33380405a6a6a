//! Tasks: public questions `q01`, `q02`, ..., synthetic ones `s01`, ...

use std::collections::BTreeMap;
use std::path::{Path, PathBuf};
use std::sync::{Arc, Mutex, PoisonError};

use gimbal_core::{EnvError, Part, TaskId, nearest};

use super::settings::{Services, Settings};
use crate::corpus::{Corpus, Gold, OF_EACH};
use crate::questions::{self, Kind, Question};
use crate::rubric::Item;
use crate::split::split;

/// The splits: of the synthetic questions, which need no data and are the default, and of the public ones as the work
/// shuffled them (CYC-040).
pub(super) const SPLITS: [&str; 6] = ["synthetic", "synthetic-train", "synthetic-test", "train", "test", "all"];

/// The parts of the public questions and of those on the synthetic corpus (CYC-040).
pub(super) const PARTS: [Part; 4] = [
    part("train", "public", "train", true),
    part("test", "public", "test", false),
    part("synthetic-train", "synthetic", "train", true),
    part("synthetic-test", "synthetic", "test", false),
];

const fn part(split: &'static str, set: &'static str, name: &'static str, train: bool) -> Part {
    Part { split, set, name, train }
}

/// Number of synthetic questions.
pub(super) const SYNTHETIC: usize = OF_EACH * Kind::ALL.len();

/// A question to be answered.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Asked {
    /// The question.
    pub text: String,
    /// The reference answer.
    pub answer: String,
    /// Its kind.
    pub kind: Kind,
    /// Its rubric.
    pub rubric: Vec<Item>,
    /// The documents that hold the answer; none are known of public questions.
    pub gold: Vec<Gold>,
}

fn id(family: char, number: usize) -> TaskId {
    TaskId(format!("{family}{:02}", number + 1))
}

/// The tasks of a split.
pub(super) fn tasks(name: &str, settings: &Settings) -> Result<Vec<TaskId>, EnvError> {
    let (family, part) = match name {
        "train" | "test" | "all" => ('q', name),
        "synthetic" => ('s', "all"),
        "synthetic-train" => ('s', "train"),
        "synthetic-test" => ('s', "test"),
        _ => {
            let hint = nearest::hint(name, SPLITS);
            let known = SPLITS.join(", ");
            return Err(EnvError::Usage(format!("`finance_agent` has no split `{name}`{hint} (known: {known})")));
        }
    };
    let count = if family == 'q' { table(&settings.table()?)?.len() } else { SYNTHETIC };
    let (train, test) = split(count);
    let numbers = match part {
        "train" => train,
        "test" => test,
        _ => (0..count).collect(),
    };
    Ok(numbers.into_iter().map(|number| id(family, number)).collect())
}

/// A table of questions, read once.
fn table(path: &Path) -> Result<Arc<Vec<Question>>, EnvError> {
    type Tables = BTreeMap<PathBuf, Arc<Vec<Question>>>;
    static TABLES: Mutex<Tables> = Mutex::new(BTreeMap::new());
    let mut tables = TABLES.lock().unwrap_or_else(PoisonError::into_inner);
    if let Some(known) = tables.get(path) {
        return Ok(Arc::clone(known));
    }
    let read = Arc::new(questions::load(path).map_err(|error| EnvError::Data(error.to_string()))?);
    tables.insert(path.to_owned(), Arc::clone(&read));
    Ok(read)
}

/// The question of a task. `corpus` is at hand where services are synthetic.
pub(super) fn find(task: &TaskId, settings: &Settings, corpus: Option<&Corpus>) -> Result<Asked, EnvError> {
    let unknown = |most: usize, family: char| {
        let (first, last) = (id(family, 0), id(family, most.saturating_sub(1)));
        EnvError::Usage(format!("`finance_agent` has no task `{task}` (known: {first} to {last})"))
    };
    let mut letters = task.0.chars();
    let family = letters.next().unwrap_or_default();
    let number = letters.as_str().parse::<usize>().ok().and_then(|number| number.checked_sub(1));
    match (family, number) {
        ('s', Some(number)) => {
            let Some(corpus) = corpus.filter(|_| settings.services == Services::Synthetic) else {
                let why = "asks about the synthetic corpus, and `services` is live; set `services: synthetic`, or play a public question";
                return Err(EnvError::Usage(format!("task `{task}` {why}")));
            };
            let asked = corpus.questions().get(number).ok_or_else(|| unknown(corpus.questions().len(), 's'))?;
            of(&asked.question, asked.gold.clone())
        }
        ('q', Some(number)) => {
            let table = table(&settings.table()?)?;
            of(table.get(number).ok_or_else(|| unknown(table.len(), 'q'))?, Vec::new())
        }
        _ => Err(EnvError::Usage(format!(
            "`finance_agent` has no task `{task}`; public questions are q01, q02, ..., synthetic ones s01, s02, ..."
        ))),
    }
}

fn of(question: &Question, gold: Vec<Gold>) -> Result<Asked, EnvError> {
    let rubric = question.rubric.clone().map_err(|error| EnvError::Data(error.to_string()))?;
    Ok(Asked { text: question.text.clone(), answer: question.answer.clone(), kind: question.kind, rubric, gold })
}

/// The question of a task by the environment's options, without playing: for judging stored answers again.
///
/// # Errors
/// When there is no such task, or its data cannot be read.
pub fn question(task: &TaskId, options: &serde_json::Value) -> Result<Asked, EnvError> {
    let settings = Settings::read(options)?;
    let corpus = match task.0.starts_with('s') {
        true => Some(corpus(&settings)?),
        false => None,
    };
    find(task, &settings, corpus.as_deref())
}

/// The corpus without a server.
fn corpus(settings: &Settings) -> Result<Arc<Corpus>, EnvError> {
    static CORPORA: Mutex<BTreeMap<crate::corpus::Spec, Arc<Corpus>>> = Mutex::new(BTreeMap::new());
    let mut corpora = CORPORA.lock().unwrap_or_else(PoisonError::into_inner);
    if let Some(known) = corpora.get(&settings.spec()) {
        return Ok(Arc::clone(known));
    }
    let made = Arc::new(Corpus::new(settings.spec()).map_err(|error| EnvError::Service(error.to_string()))?);
    corpora.insert(settings.spec(), Arc::clone(&made));
    Ok(made)
}
