//! How many steps a second one core plays, with a checksum that says that it really played them.
//!
//! The checksum runs over all episodes in order and takes in, at every step, blue's reward in tenths and then the
//! 52-bit vector or the bytes of the text; with text, that of every reset too. `replay --checksum` folds the same
//! over a recording, through the very same step function: over the recorded values and over those it plays. So the
//! checksum of a bench over recorded actions ([`BenchActions::Recorded`]) must equal that of a replay of the same
//! files, and a bench that saved its actions can be replayed with the fast generator.

use std::io::{self, BufWriter, Write};
use std::path::PathBuf;
use std::time::Instant;

use serde::{Deserialize, Serialize};
use thiserror::Error;

use crate::action::Action;
use crate::checksum::{Checksum, Observe, fold_reset, fold_step};
use crate::draws::{Draws, Fast, Mersenne, Seed};
use crate::options::Options;
use crate::policy::{Policy, PolicyKind};
use crate::recording::{Json, Lines, ReadError, Recorded};
use crate::replay::episode::{ActionList, ListDraws, options_of, read_index};
use crate::sim::Simulator;

/// The generator of a run.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum Generator {
    /// The frozen fast one.
    #[default]
    Fast,
    /// CPython's Mersenne Twister, bit for bit.
    Mersenne,
}

impl Generator {
    /// The name in options.
    #[must_use]
    pub const fn name(self) -> &'static str {
        match self {
            Self::Fast => "fast",
            Self::Mersenne => "mersenne",
        }
    }

    /// The generator of that name.
    #[must_use]
    pub fn from_name(name: &str) -> Option<Self> {
        [Self::Fast, Self::Mersenne].into_iter().find(|generator| generator.name() == name)
    }
}

/// Where a bench takes its actions from.
#[derive(Clone, Debug)]
pub enum BenchActions {
    /// From a policy.
    Policy(PolicyKind),
    /// From recordings or saved action lists: their actions, options and seeds, played once; recordings with CPython's
    /// generator, lists with the one that they name.
    Recorded(Vec<PathBuf>),
}

/// What to play.
#[derive(Clone, Debug)]
pub struct BenchOptions {
    /// Red, green, horizon; the episodes restart at the horizon. Recorded actions bring their own.
    pub options: Options,
    /// The actions.
    pub actions: BenchActions,
    /// What is looked at after every step; where nothing is said the vector, or what saved action lists name.
    pub observe: Option<Observe>,
    /// How many steps; recorded actions bring their own number.
    pub steps: u64,
    /// The generator; recorded actions bring their own.
    pub draws: Generator,
    /// The seed of the first episode; the others count up.
    pub seed: u64,
    /// Write the actions and a checksum for each episode here (`.jsonl`), for `replay --checksum`.
    pub save: Option<PathBuf>,
}

impl Default for BenchOptions {
    fn default() -> Self {
        Self {
            options: Options::default(),
            actions: BenchActions::Policy(PolicyKind::Random),
            observe: None,
            steps: 3_000_000,
            draws: Generator::Fast,
            seed: 1,
            save: None,
        }
    }
}

/// What a bench measured; its keys are those of `--json`.
#[derive(Clone, Debug, Serialize)]
pub struct BenchReport {
    /// Steps by seconds of wall time, resets included, on one core.
    pub steps_per_second: f64,
    /// Steps played.
    pub steps: u64,
    /// Episodes begun.
    pub episodes: u64,
    /// Seconds of wall time.
    pub seconds: f64,
    /// The sum of rewards.
    pub total_reward: f64,
    /// The checksum.
    pub checksum: String,
    /// Red's agent; all of them, in the order in which they come, where recordings differ.
    pub red: String,
    /// Green's agent, likewise.
    pub green: String,
    /// The policy, or `recorded`.
    pub policy: String,
    /// Steps of an episode; none if recordings differ.
    pub horizon: Option<u32>,
    /// What was looked at.
    pub observe: Observe,
    /// The generator; all of them where recordings differ.
    pub draws: String,
    /// The seed of the first episode; none if a recording's has more than 64 bits.
    pub seed: Option<u64>,
}

/// Why a bench could not be run.
#[derive(Debug, Error)]
pub enum BenchError {
    /// A recording cannot be read.
    #[error(transparent)]
    Read(#[from] ReadError),
    /// The actions cannot be saved.
    #[error("{}: cannot be written ({source}); give another path to save the actions to", path.display())]
    Save {
        /// The file.
        path: PathBuf,
        /// Why.
        source: io::Error,
    },
    /// Saved action lists name different views.
    #[error(
        "the recordings are of different views, `{one}` and `{other}`; say which to look at, as in `--observe {one}`"
    )]
    Views {
        /// The first.
        one: &'static str,
        /// Another.
        other: &'static str,
    },
    /// The horizon is 0.
    #[error("an episode needs at least one step; give a horizon of 1 or more")]
    NoHorizon,
}

/// Plays and measures.
///
/// # Errors
/// When a recording cannot be read or the actions cannot be saved.
pub fn bench(options: &BenchOptions) -> Result<BenchReport, BenchError> {
    if options.options.horizon == 0 {
        return Err(BenchError::NoHorizon);
    }
    let mut report = match &options.actions {
        BenchActions::Policy(policy) => {
            let observe = options.observe.unwrap_or_default();
            let start = Instant::now();
            let tally = match options.draws {
                Generator::Fast => play_policy(options, *policy, Fast::new(0), |_| {}),
                Generator::Mersenne => play_policy(options, *policy, Mersenne::new(0), |_| {}),
            };
            let seconds = start.elapsed().as_secs_f64();
            if let Some(path) = &options.save {
                save(options, *policy, path).map_err(|source| BenchError::Save { path: path.clone(), source })?;
            }
            BenchReport {
                red: options.options.red.name().to_owned(),
                green: options.options.green.name().to_owned(),
                policy: policy.name().to_owned(),
                horizon: Some(options.options.horizon),
                draws: options.draws.name().to_owned(),
                seed: Some(options.seed),
                ..BenchReport::measured(&tally, seconds, observe)
            }
        }
        BenchActions::Recorded(files) => {
            let episodes = recorded_episodes(files)?;
            let observe = match options.observe {
                Some(observe) => observe,
                None => own_view(&episodes)?,
            };
            let start = Instant::now();
            let tally = play_recorded(&episodes, observe);
            let seconds = start.elapsed().as_secs_f64();
            let options = || episodes.iter().map(|episode| episode.options);
            let horizon = options().next().map(|first| first.horizon);
            BenchReport {
                red: named(options().map(|options| options.red.name())),
                green: named(options().map(|options| options.green.name())),
                policy: "recorded".to_owned(),
                horizon: horizon.filter(|first| options().all(|options| options.horizon == *first)),
                draws: named(episodes.iter().map(|episode| episode.draws.generator().name())),
                seed: episodes.first().and_then(|episode| episode.seed.small()),
                ..BenchReport::measured(&tally, seconds, observe)
            }
        }
    };
    report.steps_per_second = report.steps as f64 / report.seconds.max(f64::MIN_POSITIVE);
    Ok(report)
}

impl BenchReport {
    fn measured(tally: &Tally, seconds: f64, observe: Observe) -> Self {
        Self {
            steps_per_second: 0.0,
            steps: tally.steps,
            episodes: tally.episodes,
            seconds,
            total_reward: tally.tenths as f64 / 10.0,
            checksum: tally.checksum.hex(),
            red: String::new(),
            green: String::new(),
            policy: String::new(),
            horizon: None,
            observe,
            draws: String::new(),
            seed: None,
        }
    }
}

/// Each name once, in the order in which they come.
fn named(names: impl Iterator<Item = &'static str>) -> String {
    let mut seen: Vec<&str> = Vec::new();
    for name in names {
        if !seen.contains(&name) {
            seen.push(name);
        }
    }
    seen.join(", ")
}

/// The view that all episodes name; the vector for recordings, which name none.
fn own_view(episodes: &[RecordedEpisode]) -> Result<Observe, BenchError> {
    let Some(first) = episodes.first() else { return Ok(Observe::default()) };
    match episodes.iter().find(|episode| episode.observe != first.observe) {
        None => Ok(first.observe),
        Some(other) => Err(BenchError::Views { one: first.observe.name(), other: other.observe.name() }),
    }
}

#[derive(Default)]
struct Tally {
    steps: u64,
    episodes: u64,
    tenths: i64,
    checksum: Checksum,
}

fn play_policy<D: Draws>(options: &BenchOptions, kind: PolicyKind, draws: D, mut seen: impl FnMut(Action)) -> Tally {
    let mut simulator = Simulator::new(options.options, draws);
    let mut policy = Policy::new(kind);
    let mut text = Vec::with_capacity(16 * 1024);
    let mut tally = Tally::default();
    let observe = options.observe.unwrap_or_default();
    let horizon = u64::from(options.options.horizon);
    while tally.steps < options.steps {
        let seed = options.seed.wrapping_add(tally.episodes);
        tally.episodes += 1;
        simulator.reset(seed);
        policy.reset(seed);
        fold_reset(&simulator, observe, &mut text, &mut tally.checksum);
        let steps = horizon.min(options.steps - tally.steps);
        for _ in 0..steps {
            let action = policy.act(simulator.vector());
            seen(action);
            tally.tenths += i64::from(simulator.step(action));
            fold_step(&simulator, observe, &mut text, &mut tally.checksum);
        }
        tally.steps += steps;
    }
    tally
}

/// Plays the same again, episode by episode, and writes each down.
fn save(options: &BenchOptions, policy: PolicyKind, path: &PathBuf) -> io::Result<()> {
    let mut out = BufWriter::new(std::fs::File::create(path)?);
    let horizon = u64::from(options.options.horizon);
    let mut left = options.steps;
    let mut episode = 0;
    while left > 0 {
        let mut actions = Vec::with_capacity(options.options.horizon as usize);
        let one = BenchOptions {
            steps: left.min(horizon),
            seed: options.seed.wrapping_add(episode),
            save: None,
            ..options.clone()
        };
        let seen = |action: Action| actions.push(action.index());
        let tally = match options.draws {
            Generator::Fast => play_policy(&one, policy, Fast::new(0), seen),
            Generator::Mersenne => play_policy(&one, policy, Mersenne::new(0), seen),
        };
        let line = serde_json::json!({
            "kind": "actions",
            "ep": episode,
            "red": options.options.red.recorded_name(),
            "green_agent": options.options.green.recorded_name(),
            "horizon": options.options.horizon,
            "seed": one.seed,
            "draws": options.draws.name(),
            "observe": options.observe.unwrap_or_default().name(),
            "actions": actions,
            "checksum": tally.checksum.hex(),
        });
        writeln!(out, "{line}")?;
        left -= tally.steps;
        episode += 1;
    }
    out.flush()
}

struct RecordedEpisode {
    options: Options,
    seed: Seed,
    draws: ListDraws,
    /// The view that it names; the vector where it names none.
    observe: Observe,
    actions: Vec<Option<Action>>,
}

impl ListDraws {
    const fn generator(self) -> Generator {
        match self {
            Self::Fast(_) => Generator::Fast,
            Self::Mersenne => Generator::Mersenne,
        }
    }
}

fn recorded_episodes(files: &[PathBuf]) -> Result<Vec<RecordedEpisode>, BenchError> {
    let mut episodes: Vec<RecordedEpisode> = Vec::new();
    for file in files {
        let before = episodes.len();
        let mut lines = Lines::open(file)?;
        while let Some(line) = lines.next_line()? {
            match line.kind {
                Recorded::Reset => {
                    let seed = line.seed()?.ok_or_else(|| line.error("`seed` is missing"))?;
                    let (options, draws, observe) = (options_of(&line)?, ListDraws::Mersenne, Observe::default());
                    episodes.push(RecordedEpisode { options, seed, draws, observe, actions: Vec::new() });
                }
                Recorded::Step => {
                    let wrong = || line.error("`blue` must be [index, text] with an index from -1 to 144");
                    let blue = line.json("blue")?.ok_or_else(wrong)?;
                    let index = blue.as_list().and_then(<[Json]>::first);
                    let action = index.and_then(read_index).ok_or_else(wrong)?;
                    let episode = episodes[before..].last_mut();
                    episode.ok_or_else(|| line.error("a `step` line without a `reset` line"))?.actions.push(action);
                }
                Recorded::End => {}
                Recorded::Actions => {
                    let ActionList { options, seed, actions, observe, draws } = ActionList::read(&line)?;
                    episodes.push(RecordedEpisode { options, seed, draws, observe, actions });
                }
                Recorded::Error => {
                    return Err(line
                        .error("the original simulator failed here; this recording cannot be benched")
                        .into());
                }
            }
        }
        if episodes.len() == before {
            return Err(ReadError::Empty { path: file.clone(), wanted: crate::recording::WANTED }.into());
        }
    }
    Ok(episodes)
}

fn play_recorded(episodes: &[RecordedEpisode], observe: Observe) -> Tally {
    let mut tally = Tally::default();
    let mut text = Vec::with_capacity(16 * 1024);
    let mut exact: Option<Simulator<Mersenne>> = None;
    let mut fast: Option<Simulator<Fast>> = None;
    for episode in episodes {
        match episode.draws {
            ListDraws::Mersenne => {
                let simulator = fitting(&mut exact, episode.options, || Mersenne::new(0));
                simulator.draws().seed_with(&episode.seed);
                simulator.reset_unseeded();
                play_episode(simulator, &episode.actions, observe, &mut text, &mut tally);
            }
            ListDraws::Fast(seed) => {
                let simulator = fitting(&mut fast, episode.options, || Fast::new(0));
                simulator.reset(seed);
                play_episode(simulator, &episode.actions, observe, &mut text, &mut tally);
            }
        }
    }
    tally
}

/// The simulator of the episode before, if its options are the same, or a new one.
fn fitting<D: Draws>(
    kept: &mut Option<Simulator<D>>,
    options: Options,
    draws: impl FnOnce() -> D,
) -> &mut Simulator<D> {
    if kept.as_ref().is_some_and(|simulator| simulator.options() != options) {
        *kept = None;
    }
    kept.get_or_insert_with(|| Simulator::new(options, draws()))
}

/// Plays the actions of one episode that was just reset.
fn play_episode<D: Draws>(
    simulator: &mut Simulator<D>,
    actions: &[Option<Action>],
    observe: Observe,
    text: &mut Vec<u8>,
    tally: &mut Tally,
) {
    tally.episodes += 1;
    fold_reset(simulator, observe, text, &mut tally.checksum);
    for action in actions {
        tally.tenths += i64::from(simulator.step(*action));
        fold_step(simulator, observe, text, &mut tally.checksum);
    }
    tally.steps += actions.len() as u64;
}
