//! Tasks by their ids: real games, saved households, generated ones.

use std::path::{Path, PathBuf};
use std::sync::{Arc, OnceLock};

use gimbal_core::{Brief, EnvError, ToolSpec};

use super::settings::{Settings, Words, missing, usage};
use super::{brief, tools};
use crate::engine::{Game, Play};
use crate::home::Household;
use crate::library::{Library, Wording};
use crate::plan::Task;
use crate::scene::Lexicon;

/// Before the number of a generated task.
pub const GENERATED: &str = "generated/";
/// Before the name of a saved household.
pub const HOUSEHOLD: &str = "household/";
/// The end of a saved household's file name.
pub const HOUSEHOLD_FILE: &str = ".household.json";
/// The name of a game file.
pub const GAME_FILE: &str = "game.tw-pddl";

/// A task that is ready to be played.
#[derive(Debug)]
pub struct Loaded {
    /// Its id.
    pub id: String,
    /// The game.
    pub game: Arc<Game>,
    /// Which name in it means what.
    pub lexicon: Lexicon,
    /// An expert's commands, in the words of the game; may be empty.
    pub walkthrough: Vec<String>,
    /// What the environment says of itself.
    pub brief: Arc<Brief>,
    /// The tools.
    pub tools: Arc<[ToolSpec]>,
    ground: OnceLock<Task>,
}

impl Loaded {
    /// The game as ground actions; made when first asked for.
    pub fn ground(&self) -> &Task {
        self.ground.get_or_init(|| Task::new(&self.game))
    }
}

/// Reads a task.
///
/// # Errors
/// When there is no such task, or its file cannot be read.
pub fn load(id: &str, settings: &Settings, library: &Library) -> Result<Loaded, EnvError> {
    let data = |error: crate::GameError| EnvError::Data(error.to_string());
    let (game, walkthrough) = if let Some(seed) = id.strip_prefix(GENERATED) {
        let seed: u64 = seed.parse().map_err(|_| {
            EnvError::Usage(format!("`alfworld` has no task `{id}`; write a generated one as `{GENERATED}17`"))
        })?;
        let household = Household::generate(&settings.household, seed).map_err(|error| usage(&error))?;
        (household.game().map_err(data)?, Vec::new())
    } else if let Some(name) = id.strip_prefix(HOUSEHOLD) {
        let folder = settings.households_folder().ok_or_else(|| missing("saved households", "households"))?;
        let household = Household::load(&inside(&folder, &format!("{name}{HOUSEHOLD_FILE}"), id)?).map_err(data)?;
        (household.game().map_err(data)?, Vec::new())
    } else {
        let folder = settings.games_folder().ok_or_else(|| missing("games", "games"))?;
        let path = inside(&folder, &format!("{id}/{GAME_FILE}"), id)?;
        let own = library.load(&path).map_err(data)?;
        match settings.wording {
            Words::File => {
                let walkthrough = own.walkthrough.clone();
                (own, walkthrough)
            }
            Words::Older => {
                let folder = settings.variant_folder().ok_or_else(|| missing("games", "games"))?;
                let wording = Wording::of_folder(&folder).map_err(data)?;
                let mut game = library.load_as(&path, &wording).map_err(data)?;
                // The game keeps it too: what measures games without an environment follows it there.
                game.walkthrough = translated(own, &game);
                let walkthrough = game.walkthrough.clone();
                (game, walkthrough)
            }
        }
    };
    let lexicon = Lexicon::of(&game.rules.domain).map_err(data)?;
    let tools = brief::FILE.described(tools::specs(settings.tools))?;
    let brief = Arc::new(brief::of(&game, &lexicon, settings)?);
    Ok(Loaded { id: id.to_owned(), game: Arc::new(game), lexicon, walkthrough, brief, tools, ground: OnceLock::new() })
}

/// A file below a folder. Ids come from studies: they must not lead out of it.
fn inside(folder: &Path, relative: &str, id: &str) -> Result<PathBuf, EnvError> {
    let plain = Path::new(relative).components().all(|part| matches!(part, std::path::Component::Normal(_)));
    if !plain || id.is_empty() {
        return Err(EnvError::Usage(format!(
            "`alfworld` has no task `{id}`: an id is a path below the folder of games"
        )));
    }
    let path = folder.join(relative);
    if path.is_file() {
        return Ok(path);
    }
    Err(EnvError::Data(format!(
        "`alfworld` has no task `{id}`: there is no file {}; see `gimbal env alfworld tasks`",
        path.display()
    )))
}

/// The walkthrough of a file in other words: each command is found by what it does.
fn translated(own: Game, other: &Game) -> Vec<String> {
    let commands = own.walkthrough.clone();
    let names = |game: &Game| -> Vec<String> { game.rules.actions.iter().map(|action| action.name.clone()).collect() };
    let (own_names, other_names) = (names(&own), names(other));
    let mut play = Play::new(Arc::new(own));
    let mut state = other.first.clone();
    let mut out = Vec::with_capacity(commands.len());
    for command in commands {
        let Some(known) = play.find(&command).and_then(|at| play.grounded(at).copied()) else { return Vec::new() };
        let name = &own_names[usize::from(known.action)];
        let Some(action) = other_names.iter().position(|other| other == name) else { return Vec::new() };
        out.push(other.command_text(action as u16, &known.arguments, &state));
        other.carry_out(action as u16, &known.arguments, &mut state);
        play.step(&command);
    }
    out
}
