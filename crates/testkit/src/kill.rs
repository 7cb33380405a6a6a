//! Kills a program at random instants and starts it again until it reports that it is done.

use std::io;
use std::process::{Command, ExitStatus, Stdio};
use std::time::Duration;

use gimbal_core::Rng;

/// How the program is harassed.
#[derive(Clone, Debug)]
pub struct KillPlan {
    /// Kills to deal out.
    pub kills: u32,
    /// Longest life of a victim.
    pub longest: Duration,
    /// Seed of the instants.
    pub seed: u64,
}

/// What happened.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Killed {
    /// Processes that died of the kill.
    pub kills: u32,
    /// Processes started, the last and undisturbed one included.
    pub starts: u32,
    /// How the undisturbed one ended.
    pub last: ExitStatus,
}

/// Starts `command()`, kills it after a random part of the longest life, and again; then lets it finish.
///
/// A victim that ends by itself before its time is not counted as killed; harassment goes on only while there is
/// work left, so callers ask for enough work.
///
/// # Errors
/// When the program cannot be started.
pub fn harass(plan: &KillPlan, mut command: impl FnMut() -> Command) -> io::Result<Killed> {
    let mut rng = Rng::stream(plan.seed, "kill");
    let (mut kills, mut starts) = (0, 0);
    while kills < plan.kills {
        let mut child = command().stdout(Stdio::null()).stderr(Stdio::null()).spawn()?;
        starts += 1;
        std::thread::sleep(Duration::from_micros(rng.below(plan.longest.as_micros() as u64)));
        child.kill()?;
        let status = child.wait()?;
        if status.code().is_some() {
            break;
        }
        kills += 1;
    }
    let last = command().stdout(Stdio::null()).stderr(Stdio::null()).status()?;
    Ok(Killed { kills, starts: starts + 1, last })
}
