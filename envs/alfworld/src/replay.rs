//! Recorded walks, played again and compared field by field.

use std::collections::HashMap;
use std::fs::File;
use std::io::{self, BufRead, BufReader, Read};
use std::path::{Path, PathBuf};
use std::sync::Arc;

use flate2::bufread::MultiGzDecoder;
use gimbal_env_kit::replay::{self, Counts, Mismatch, Unreadable};
use serde::{Deserialize, Serialize};
use thiserror::Error;

use crate::engine::{Game, Play, Role};
use crate::error::GameError;
use crate::library::{Library, Wording};

/// No line of a recording is longer.
const LONGEST_LINE: u64 = 64 << 20;

/// A recorded walk.
#[derive(Clone, Debug, Deserialize)]
pub struct Walk {
    /// The game: its path below the folder of games.
    pub game: String,
    /// What kind of walk it is.
    #[serde(default)]
    pub walk: String,
    /// The first text.
    pub intro: String,
    /// The first admissible commands, in order.
    pub admissible: Vec<String>,
    /// Whether it was won from the start.
    pub won: bool,
    /// The commands and what they led to.
    pub steps: Vec<WalkStep>,
}

/// A recorded step.
#[derive(Clone, Debug, Deserialize)]
pub struct WalkStep {
    /// The command as it was typed.
    pub cmd: String,
    /// What was seen then.
    pub obs: String,
    /// Commands that became admissible.
    pub adm_add: Vec<String>,
    /// Commands that are not admissible any more.
    pub adm_del: Vec<String>,
    /// Whether the goal holds.
    pub won: bool,
    /// One when won.
    pub score: u32,
    /// Whether the game is over.
    pub done: bool,
}

/// Why recordings cannot be played again.
#[derive(Debug, Error)]
pub enum ReplayError {
    /// A recording cannot be read.
    #[error("{}: cannot be read ({source}); give a recording as .jsonl or .jsonl.gz", path.display())]
    Io {
        /// The file.
        path: PathBuf,
        /// Why.
        source: io::Error,
    },
    /// A recording breaks off.
    #[error("{}:{line}: the file cannot be read any further ({source}); it is cut short or damaged: fetch it again", path.display())]
    Torn {
        /// The file.
        path: PathBuf,
        /// The line that could not be read to its end, from one.
        line: usize,
        /// Why.
        source: io::Error,
    },
    /// A line is not what the format says.
    #[error("{}:{line}: {what}; a recording holds one walk a line, as a JSON object", path.display())]
    Malformed {
        /// The file.
        path: PathBuf,
        /// The line, from one.
        line: usize,
        /// What is wrong.
        what: String,
    },
    /// The recorded game cannot be read.
    #[error("{}:{line}: {error}", path.display())]
    Game {
        /// The file.
        path: PathBuf,
        /// The line, from one.
        line: usize,
        /// What is wrong with the game.
        error: Box<GameError>,
    },
    /// The recording is of the other wording, and that is not there.
    #[error("{}:{line}: this walk is in the words of the older downloads; give their folder with --variant ({why})", path.display())]
    NoVariant {
        /// The file.
        path: PathBuf,
        /// The line, from one.
        line: usize,
        /// What is wrong with the folder.
        why: String,
    },
    /// A file without any walk.
    #[error("{}: holds no walk; a recording holds one a line, as a JSON object", path.display())]
    Empty {
        /// The file.
        path: PathBuf,
    },
}

/// What was found in recordings. Each walk with a difference counts once, at its first.
pub type ReplayReport = gimbal_env_kit::replay::ReplayReport<ReplayCounts, Place>;

/// What was played.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize)]
pub struct ReplayCounts {
    /// Walks.
    pub walks: u64,
    /// Steps.
    pub steps: u64,
    /// Different games.
    pub games: u64,
    /// Walks in the older words.
    pub older: u64,
    /// Walks that end won.
    pub won: u64,
}

impl Counts for ReplayCounts {
    const HAS_OPTIONAL_FIELDS: bool = false;

    fn played(&self) -> Vec<(u64, &'static str)> {
        vec![(self.walks, "walk"), (self.games, "game"), (self.steps, "step")]
    }

    fn remarks(&self) -> Vec<String> {
        vec![format!("{} walks in the older words, {} walks end won", self.older, self.won)]
    }
}

/// A place in a recording.
#[derive(Clone, Debug, PartialEq, Eq, Serialize)]
pub struct Place {
    /// The line, from one.
    pub line: usize,
    /// The game.
    pub game: String,
    /// The step, from one; 0 at the start.
    pub step: usize,
    /// The command; empty at the start.
    pub command: String,
}

impl replay::Place for Place {
    fn shown(&self, file: &str) -> String {
        let Self { line, game, step, command } = self;
        let step = if *step == 0 { "at its start".to_owned() } else { format!("step {step} `{command}`") };
        format!("{file}:{line}, {game}, {step}")
    }
}

/// Where games are.
#[derive(Clone, Debug)]
pub struct ReplayOptions {
    /// The folder of games.
    pub games: PathBuf,
    /// The folder of the older words; none: `variant_2.1.1` beside the games.
    pub variant: Option<PathBuf>,
}

/// Plays recordings.
pub struct Replayer {
    options: ReplayOptions,
    library: Library,
    known: HashMap<(String, bool), Arc<Game>>,
    older: Option<Result<Wording, String>>,
    report: ReplayReport,
}

impl Replayer {
    /// One that has played nothing yet.
    #[must_use]
    pub fn new(options: ReplayOptions) -> Self {
        let (library, known, report) = (Library::new(), HashMap::new(), ReplayReport::default());
        Self { options, library, known, older: None, report }
    }

    /// Plays a file, or standard input for `-`.
    ///
    /// # Errors
    /// When the file cannot be read, a line is damaged, or a game is not there. What was played before is in the
    /// report.
    pub fn file(&mut self, path: &Path) -> Result<(), ReplayError> {
        let failed = |source| ReplayError::Io { path: path.to_owned(), source };
        let bytes: Box<dyn Read> =
            if path == Path::new("-") { Box::new(io::stdin()) } else { Box::new(File::open(path).map_err(failed)?) };
        let mut file = BufReader::with_capacity(1 << 16, bytes);
        let gzipped = file.fill_buf().map_err(failed)?.starts_with(&[0x1F, 0x8B]);
        if gzipped {
            self.lines(path, BufReader::with_capacity(1 << 16, MultiGzDecoder::new(file)))
        } else {
            self.lines(path, file)
        }
    }

    /// Plays the lines of a recording that is called `path` in messages.
    ///
    /// # Errors
    /// As [`Replayer::file`].
    pub fn lines(&mut self, path: &Path, mut source: impl BufRead) -> Result<(), ReplayError> {
        let mut bytes = Vec::new();
        let mut any = false;
        for line in 1.. {
            bytes.clear();
            let read = source.by_ref().take(LONGEST_LINE).read_until(b'\n', &mut bytes);
            let read = read.map_err(|source| ReplayError::Torn { path: path.to_owned(), line, source })?;
            if read == 0 {
                break;
            }
            if bytes.trim_ascii().is_empty() {
                continue;
            }
            any = true;
            let malformed = |what: String| ReplayError::Malformed { path: path.to_owned(), line, what };
            if read as u64 == LONGEST_LINE {
                return Err(malformed(format!("the line is longer than {LONGEST_LINE} bytes")));
            }
            let text = std::str::from_utf8(&bytes).map_err(|error| malformed(format!("not UTF-8: {error}")))?;
            let walk: Walk = serde_json::from_str(text).map_err(|error| malformed(error.to_string()))?;
            self.walk(path, line, &walk)?;
        }
        if any { Ok(()) } else { Err(ReplayError::Empty { path: path.to_owned() }) }
    }

    /// What was found.
    #[must_use]
    pub fn report(self) -> ReplayReport {
        let games: std::collections::BTreeSet<&String> = self.known.keys().map(|(id, _)| id).collect();
        let counts = ReplayCounts { games: games.len() as u64, ..self.report.counts };
        ReplayReport { counts, ..self.report }
    }

    /// What was found, with what could not be read.
    #[must_use]
    pub fn report_with(mut self, unreadable: Vec<Unreadable>) -> ReplayReport {
        self.report.unreadable = unreadable;
        self.report()
    }

    fn game(&mut self, path: &Path, line: usize, id: &str, older: bool) -> Result<Arc<Game>, ReplayError> {
        if let Some(known) = self.known.get(&(id.to_owned(), older)) {
            return Ok(Arc::clone(known));
        }
        let file = self.options.games.join(id).join(crate::environment::GAME_FILE);
        let wrong = |error| ReplayError::Game { path: path.to_owned(), line, error: Box::new(error) };
        let game = if older {
            let folder =
                self.options.variant.clone().or_else(|| Some(self.options.games.parent()?.join("variant_2.1.1")));
            let read = || match &folder {
                Some(folder) => Wording::of_folder(folder).map_err(|error| error.to_string()),
                None => Err("the folder of games has no folder above it".to_owned()),
            };
            let wording = self.older.get_or_insert_with(read).as_ref();
            let wording =
                wording.map_err(|why| ReplayError::NoVariant { path: path.to_owned(), line, why: why.clone() })?;
            self.library.load_as(&file, wording).map_err(wrong)?
        } else {
            self.library.load(&file).map_err(wrong)?
        };
        let game = Arc::new(game);
        self.known.insert((id.to_owned(), older), Arc::clone(&game));
        Ok(game)
    }

    fn walk(&mut self, path: &Path, line: usize, walk: &Walk) -> Result<(), ReplayError> {
        let mut play = Play::new(self.game(path, line, &walk.game, false)?);
        // The older words have no `help`: a walk whose first list lacks this alone is in them.
        let helps = (0..play.admissible().len()).filter(|at| play.role(*at) == Some(Role::Help));
        let mut helps = helps.filter_map(|at| play.command(at)).peekable();
        if helps.peek().is_some() && helps.all(|help| !walk.admissible.iter().any(|known| known == help)) {
            play = Play::new(self.game(path, line, &walk.game, true)?);
            self.report.counts.older += 1;
        }
        self.report.counts.walks += 1;
        self.report.counts.steps += walk.steps.len() as u64;
        let found = compare(&mut play, walk);
        self.report.counts.won += u64::from(play.won());
        if let Some((step, field, expected, got)) = found {
            self.report.differs(|| {
                let command = step.checked_sub(1).and_then(|at| walk.steps.get(at)).map(|step| step.cmd.clone());
                let (game, command) = (walk.game.clone(), command.unwrap_or_default());
                let place = Place { line, game, step, command };
                Mismatch { file: path.display().to_string(), place, field: field.to_owned(), expected, got }
            });
        }
        Ok(())
    }
}

const NOT_THERE: &str = "it was not admissible before";
const THERE: &str = "it was admissible before";

/// Step, field, as recorded, as played.
type Difference = (usize, &'static str, String, String);

fn compare(play: &mut Play, walk: &Walk) -> Option<Difference> {
    let differs = |step: usize, field, expected: &dyn ToString, got: &dyn ToString| {
        let (expected, got) = (expected.to_string(), got.to_string());
        (expected != got).then_some((step, field, expected, got))
    };
    let mut admissible = walk.admissible.clone();
    let start = differs(0, "intro", &walk.intro, &play.observation())
        .or_else(|| lists(0, &admissible, play))
        .or_else(|| differs(0, "won", &walk.won, &play.won()));
    if start.is_some() {
        return start;
    }
    for (at, step) in walk.steps.iter().enumerate() {
        let stepped = play.step(&step.cmd);
        let at = at + 1;
        // A recorded change must be one: what goes was there, and what comes was not.
        let mut changes = None;
        for command in &step.adm_del {
            match admissible.iter().position(|known| known == command) {
                Some(place) => drop(admissible.remove(place)),
                None => {
                    changes =
                        changes.or_else(|| Some((at, "adm_del", format!("`{command}` goes"), NOT_THERE.to_owned())))
                }
            }
        }
        for command in &step.adm_add {
            if admissible.contains(command) {
                changes = changes.or_else(|| Some((at, "adm_add", format!("`{command}` comes"), THERE.to_owned())));
            } else {
                admissible.push(command.clone());
            }
        }
        admissible.sort_unstable();
        let found = differs(at, "obs", &step.obs, &play.observation())
            .or(changes)
            .or_else(|| lists(at, &admissible, play))
            .or_else(|| differs(at, "won", &step.won, &stepped.won))
            .or_else(|| differs(at, "score", &step.score, &stepped.score()))
            .or_else(|| differs(at, "done", &step.done, &stepped.done()));
        if found.is_some() {
            return found;
        }
    }
    None
}

fn lists(step: usize, recorded: &[String], play: &Play) -> Option<Difference> {
    if play.admissible().eq(recorded.iter().map(String::as_str)) {
        return None;
    }
    let missing = recorded.iter().find(|command| play.find(command).is_none());
    let more = play.admissible().find(|command| !recorded.iter().any(|known| known == command));
    let expected =
        missing.map_or_else(|| format!("{} commands", recorded.len()), |command| format!("with `{command}`"));
    let got =
        more.map_or_else(|| format!("{} commands", play.admissible().len()), |command| format!("with `{command}`"));
    Some((step, "admissible", expected, got))
}
