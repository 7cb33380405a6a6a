//! What a study may set.

use std::path::{Path, PathBuf};
use std::sync::{Arc, LazyLock};

use gimbal_core::{Digest, EnvError};
use gimbal_env_kit::options::{Field, Options};
use serde::{Deserialize, Serialize};
use serde_json::Value;

use crate::action::Toolset;
use crate::table::Table;
use crate::tree::Tree;

/// The longest episode that a study may ask for.
const LONGEST: u32 = 10_000;

/// What decides the distractors and the order of lines.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum Draws {
    /// The task: every episode of a task shows the same, as in the original.
    #[default]
    Task,
    /// The episode's seed too.
    Episode,
}

/// The options of a study, with their defaults.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
pub struct Settings {
    /// A file of other recipes; none for the built-in ones.
    pub recipes: Option<PathBuf>,
    /// Hash of that file's recipes; none for the built-in ones.
    pub table: Option<String>,
    /// Whether the aliasing quirk of the original is on.
    pub aliasing: bool,
    /// Which tools an agent is given.
    pub tools: Toolset,
    /// What decides the distractors.
    pub draws: Draws,
    /// Calls of an episode; none for those of the depth (CYC-050).
    pub max_calls: Option<u32>,
}

static OPTIONS: LazyLock<Options> = LazyLock::new(|| {
    Options::of::<Settings>(
        "textcraft",
        vec![
            Field::text(
                "recipes",
                "the path of a file",
                "A file of other recipes, one a line; null for the built-in ones. Its tasks are those of the split `seeds`.",
            )
            .or_null("the built-in recipes"),
            Field::text(
                "table",
                "the hash that a run has of its recipes",
                "Hash of that file's recipes: filled in by itself, and checked where it is given.",
            )
            .or_null("that of the recipes"),
            Field::flag("aliasing", "Whether the goal's name also means what lies below it, as in the original."),
            Field::one_of(
                "tools",
                ["all", "separate", "unified"],
                "All four tools, one for each kind of command, or the one that takes any command.",
            ),
            Field::one_of(
                "draws",
                ["task", "episode"],
                "Whether every episode of a task shows the same commands, or other ones by its seed.",
            ),
            Field::whole(
                "max_calls",
                1,
                LONGEST.into(),
                "Calls of an episode; null for 30, 50 or 100 by the depth of the goal.",
            )
            .or_null("the number of the goal's depth"),
        ],
    )
});

impl Settings {
    /// Reads options; what is missing takes its default. A file of recipes is read and hashed.
    ///
    /// # Errors
    /// When an option does not exist or has a wrong value, or the recipes cannot be played or are not those that the given
    /// hash names.
    pub fn read(options: &Value) -> Result<Self, EnvError> {
        Self::with_tree(options).map(|(settings, _)| settings)
    }

    /// The same, with the tree.
    pub(super) fn with_tree(options: &Value) -> Result<(Self, Arc<Tree>), EnvError> {
        let mut settings: Self = OPTIONS.read(options)?;
        let wanted = settings.table.take();
        let tree = match &settings.recipes {
            None => shipped()?,
            Some(path) => {
                let (tree, digest) = open(path)?;
                settings.table = Some(digest);
                tree
            }
        };
        if let Some(wanted) = wanted.filter(|wanted| settings.table.as_ref() != Some(wanted)) {
            let file = settings.recipes.as_deref().map_or_else(|| "(none)".into(), Path::to_string_lossy);
            let message = format!(
                "`recipes` is {file}, and its recipes are not those of `table` {wanted}; give the file that the run began \
                 with, or leave `table` out"
            );
            return Err(OPTIONS.wrong("recipes", &message));
        }
        Ok((settings, tree))
    }
}

/// The tree of the built-in recipes.
pub(super) fn shipped() -> Result<Arc<Tree>, EnvError> {
    Tree::shipped().map_err(|error| EnvError::Data(error.to_string()))
}

fn open(path: &Path) -> Result<(Arc<Tree>, String), EnvError> {
    let table = Table::open(path).map_err(|error| EnvError::Data(error.to_string()))?;
    let digest = Digest::of(table.write().as_bytes()).short();
    let tree = Tree::of(&table).map_err(|error| EnvError::Data(error.to_string()))?;
    Ok((Arc::new(tree), digest))
}

/// JSON Schema of the options.
pub(super) fn schema() -> Value {
    OPTIONS.schema()
}
