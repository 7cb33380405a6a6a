//! What `gimbal env cage2` does beside what every environment can.

use std::path::Path;

use async_trait::async_trait;
use gimbal_core::EnvError;
use gimbal_env_kit::replay;
use gimbal_env_kit::workbench::{
    BenchRequest, Compared, EvaluateRequest, Observe as View, Output, ReplayRequest, ReturnsRequest, Setup, Spread,
    Verb, Workbench, choice_of, compared, distance, recorded_in,
};
use serde::{Deserialize, Serialize};

use crate::bench::{BenchActions, BenchOptions, Generator, bench};
use crate::checksum::Observe;
use crate::environment::{Cage2, Settings};
use crate::options::{Green, Options, Red};
use crate::policy::{POLICIES, PolicyKind};
use crate::replay::{ChecksumView, DrawSource, ReplayOptions, replay_all};
use crate::returns::{ReturnsOptions, each, evaluate, returns};

const fn view(observe: View) -> Observe {
    match observe {
        View::None => Observe::None,
        View::Vector => Observe::Vector,
        View::Raw => Observe::Raw,
    }
}

fn policy(name: &str) -> Result<PolicyKind, EnvError> {
    choice_of("--policy", name, &POLICIES, PolicyKind::name)
}

fn generator(name: &str) -> Result<Generator, EnvError> {
    choice_of("--draws", name, &[Generator::Fast, Generator::Mersenne], Generator::name)
}

fn options(setup: &Setup) -> Result<Options, EnvError> {
    Settings::read(&setup.options()).map(Settings::options)
}

#[async_trait]
impl Workbench for Cage2 {
    fn written(&self) -> &[Verb] {
        &[Verb::Replay, Verb::Bench, Verb::Evaluate]
    }

    fn contrast(&self) -> [String; 2] {
        ["random", "restore_changed"].map(str::to_owned)
    }

    fn replay(&self, request: &ReplayRequest) -> Result<Output, EnvError> {
        if request.checksum == Some(None)
            && let Some(word) = request.files.iter().find(|file| is_view(file))
        {
            let word = word.display();
            let message = format!("{word}: there is no such file; if you mean the view, write `--checksum={word}`");
            return Err(EnvError::Usage(message));
        }
        let draws = if request.from_seed { DrawSource::Seed } else { DrawSource::Tape };
        let checksum =
            request.checksum.map(|asked| asked.map_or(ChecksumView::Own, |asked| ChecksumView::Of(view(asked))));
        replay::output(&replay_all(&ReplayOptions { files: request.files.clone(), draws, checksum }))
    }

    fn bench(&self, request: &BenchRequest) -> Result<Output, EnvError> {
        let actions = if request.actions.is_empty() {
            BenchActions::Policy(policy(&request.policy)?)
        } else {
            BenchActions::Recorded(request.actions.clone())
        };
        let report = bench(&BenchOptions {
            options: options(&request.setup)?,
            actions,
            observe: request.observe.map(view),
            steps: request.steps,
            draws: generator(&request.draws)?,
            seed: request.seed,
            save: request.save.clone(),
        });
        let report = report.map_err(|error| EnvError::Usage(error.to_string()))?;
        let text = format!(
            "{:.0} steps/s: {} steps of {} episodes in {:.3} s, resets included, one core\n\
             red {}, policy {}, horizon {}, observe {}, draws {}, sum of rewards {:.1}, checksum {}\n",
            report.steps_per_second,
            report.steps,
            report.episodes,
            report.seconds,
            report.red,
            report.policy,
            report.horizon.map_or_else(|| "of each recording".to_owned(), |horizon| horizon.to_string()),
            report.observe.name(),
            report.draws,
            report.total_reward,
            report.checksum
        );
        Output::of(text, &report)
    }

    async fn returns(&self, request: &ReturnsRequest) -> Result<Output, EnvError> {
        let draws = generator(&request.draws)?;
        if let Some(file) = &request.against {
            return against(file, request, draws);
        }
        let report = returns(&ReturnsOptions {
            options: options(&request.setup)?,
            policy: policy(request.policy.as_deref().unwrap_or("sleep"))?,
            episodes: request.episodes,
            draws,
            seed: request.seed,
        });
        let (min, max) = (report.min, report.max);
        let (mean, sd, se, episodes) = (report.mean, report.sd, report.se, report.episodes);
        let spread = Spread { mean, sd, se, min, max, episodes, decimals: 1 };
        Output::of(format!("{spread}\n"), &report)
    }

    fn evaluate(&self, request: &EvaluateRequest) -> Result<Output, EnvError> {
        let policy = policy(request.policy.as_deref().unwrap_or("sleep"))?;
        let table = evaluate(policy, Green::Sleep, request.episodes, Generator::Fast, request.seed);
        Output::of(table.render(), &table)
    }

    async fn sample(&self, policy: &str, episodes: u64, seed: u64) -> Result<Vec<i64>, EnvError> {
        let policy = self::policy(policy)?;
        Ok(each(&ReturnsOptions { options: Options::default(), policy, episodes, draws: Generator::Fast, seed }))
    }
}

/// A word that names a view and no file.
fn is_view(file: &Path) -> bool {
    file.to_str().is_some_and(|word| Observe::from_name(word).is_some()) && !file.exists()
}

/// Statistics of the original simulator.
#[derive(Deserialize)]
struct Recorded {
    cells: Vec<RecordedCell>,
}

#[derive(Deserialize)]
struct RecordedCell {
    red: String,
    blue: String,
    horizon: u32,
    mean: f64,
    se: f64,
}

/// A recorded cell, played again.
#[derive(Serialize)]
struct Cell {
    red: &'static str,
    policy: &'static str,
    horizon: u32,
    mean: f64,
    sd: Option<f64>,
    episodes: u64,
    recorded_mean: f64,
    z: f64,
}

impl Compared for Cell {
    fn z(&self) -> f64 {
        self.z
    }
}

/// Every cell of recorded statistics is played; z is the difference of means over its standard error.
fn against(file: &Path, request: &ReturnsRequest, draws: Generator) -> Result<Output, EnvError> {
    let wrong = |what: String| EnvError::Usage(format!("{}: {what}", file.display()));
    let recorded: Recorded = recorded_in(file, std::fs::read_to_string(file))?;
    let mut table =
        format!("{:<10} {:<28} {:>7} {:>10} {:>10} {:>7}\n", "red", "policy", "horizon", "mean", "recorded", "z");
    let mut cells = Vec::new();
    for cell in recorded.cells {
        let red = Red::from_name(&cell.red).ok_or_else(|| wrong(format!("there is no red `{}`", cell.red)))?;
        let horizon = serde_json::json!({ "horizon": cell.horizon });
        let options = Settings::read(&horizon).map_err(|error| wrong(error.to_string()))?.options();
        let report = returns(&ReturnsOptions {
            options: Options { red, ..options },
            policy: policy(&cell.blue)?,
            episodes: request.episodes,
            draws,
            seed: request.seed,
        });
        let z = distance(report.mean - cell.mean, cell.se, report.se.unwrap_or(0.0));
        table.push_str(&format!(
            "{:<10} {:<28} {:>7} {:>10.3} {:>10.3} {z:>7.2}\n",
            red.name(),
            cell.blue,
            cell.horizon,
            report.mean,
            cell.mean
        ));
        cells.push(Cell {
            red: red.name(),
            policy: report.policy.name(),
            horizon: cell.horizon,
            mean: report.mean,
            sd: report.sd,
            episodes: report.episodes,
            recorded_mean: cell.mean,
            z,
        });
    }
    compared(table, cells, request.episodes)
}
