//! The games there are. A task names how starts are drawn; which values they are, the seed of the episode decides.

use gimbal_core::{EnvError, TaskId};
use gimbal_env_kit::catalogue;

use crate::game::Starts;

/// Splits: the published starts for tests and for trying out, and starts that are not drawn uniformly.
pub(super) const SPLITS: [&str; 3] = ["test", "dev", "controls"];
/// What tasks of a split are called, how their starts are drawn, and how many there are. 25 games are what the published study played of each
/// configuration.
const KINDS: [(&str, &str, Starts, u32); 4] = [
    ("test", "game", Starts::Uniform, 25),
    ("dev", "dev", Starts::Uniform, 10),
    ("controls", "alike", Starts::Alike, 5),
    ("controls", "camps", Starts::Camps, 5),
];

/// The tasks of a split.
pub(super) fn tasks(split: &str) -> Result<Vec<TaskId>, EnvError> {
    if !SPLITS.contains(&split) {
        return Err(catalogue::unknown("consensus", "split", split, &SPLITS));
    }
    let of = KINDS.iter().filter(|(known, ..)| *known == split);
    Ok(of
        .flat_map(|(_, name, _, count)| (1..=*count).map(move |number| TaskId(format!("{name}-{number:02}"))))
        .collect())
}

/// How the starts of a task are drawn.
pub(super) fn starts(task: &TaskId) -> Result<Starts, EnvError> {
    let found = KINDS.iter().find(|(_, name, _, count)| {
        let number = task.0.strip_prefix(name).and_then(|rest| rest.strip_prefix('-'));
        number.and_then(|number| number.parse::<u32>().ok()).is_some_and(|number| (1..=*count).contains(&number))
    });
    found.map(|(_, _, starts, _)| *starts).ok_or_else(|| {
        EnvError::Usage(format!("`consensus` has no task `{task}`; `gimbal env consensus tasks` lists all of them"))
    })
}
