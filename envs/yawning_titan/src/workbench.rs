//! What `gimbal env yawning_titan` does beside what every environment can.

use std::path::Path;

use async_trait::async_trait;
use gimbal_core::EnvError;
use gimbal_env_kit::replay;
use gimbal_env_kit::workbench::{
    BenchRequest, Compared, EvaluateRequest, Observe as View, Output, ReplayRequest, ReturnsRequest, Setup, Spread,
    Verb, Workbench, choice_of, compared, distance, number, recorded_in,
};
use serde::Serialize;
use serde_json::{Map, Value};

use crate::bench::{BenchOptions, Observe, bench};
use crate::dynamics::RedKind;
use crate::environment::{Settings, YawningTitan};
use crate::generator::Numbers;
use crate::policy::{POLICIES, PolicyKind};
use crate::replay::{DrawSource, ReplayOptions, replay_all};
use crate::returns::{RecordedReturns, ReturnsOptions, ReturnsReport, each, returns};
use crate::sim::Scenario;

fn usage(error: impl std::fmt::Display) -> EnvError {
    EnvError::Usage(error.to_string())
}

fn policy(name: &str) -> Result<PolicyKind, EnvError> {
    choice_of("--policy", name, &POLICIES, PolicyKind::name)
}

fn numbers(name: &str) -> Result<Numbers, EnvError> {
    choice_of("--draws", name, &[Numbers::Fast, Numbers::Mersenne], Numbers::name)
}

fn scenario(setup: &Setup) -> Result<Scenario, EnvError> {
    Settings::read(&setup.options())?.scenario()
}

#[async_trait]
impl Workbench for YawningTitan {
    fn written(&self) -> &[Verb] {
        &[Verb::Replay, Verb::Bench, Verb::Evaluate]
    }

    /// The mode's own number of steps, in place of the one that studies play.
    fn alone(&self) -> Map<String, Value> {
        [("horizon".to_owned(), Value::Null)].into_iter().collect()
    }

    fn contrast(&self) -> [String; 2] {
        ["random", "reactive"].map(str::to_owned)
    }

    fn replay(&self, request: &ReplayRequest) -> Result<Output, EnvError> {
        if let Some(Some(view)) = request.checksum
            && view != View::Vector
        {
            let message = "--checksum: in `yawning_titan` it is always of rewards and vectors; give no view";
            return Err(usage(message));
        }
        let draws = if request.from_seed { DrawSource::Seed } else { DrawSource::Tape };
        let options = ReplayOptions { files: request.files.clone(), draws, checksum: request.checksum.is_some() };
        replay::output(&replay_all(&options))
    }

    fn bench(&self, request: &BenchRequest) -> Result<Output, EnvError> {
        if !request.actions.is_empty() || request.save.is_some() {
            let message = "--actions, --save: `yawning_titan` keeps no action lists; `replay` plays its recordings";
            return Err(usage(message));
        }
        let observe = match request.observe {
            None | Some(View::Vector) => Observe::Vector,
            Some(View::None) => Observe::None,
            Some(View::Raw) => return Err(usage("--observe raw: `yawning_titan` shows a vector; give `vector`")),
        };
        let report = bench(&BenchOptions {
            scenario: scenario(&request.setup)?,
            policy: policy(&request.policy)?,
            observe,
            steps: request.steps,
            draws: numbers(&request.draws)?,
            seed: request.seed,
        })
        .map_err(usage)?;
        let text = format!(
            "{:.0} steps/s: {} steps of {} episodes in {:.3} s, buildings and resets included, one core\n\
             red {}, policy {}, vector of {}, draws {}, sum of rewards {:.3}, checksum {}\n",
            report.steps_per_second,
            report.steps,
            report.episodes,
            report.seconds,
            report.red,
            report.policy,
            report.vector,
            report.draws,
            report.total_reward,
            report.checksum
        );
        Output::of(text, &report)
    }

    async fn returns(&self, request: &ReturnsRequest) -> Result<Output, EnvError> {
        let draws = numbers(&request.draws)?;
        if let Some(file) = &request.against {
            return against(file, request, draws);
        }
        let report = returns(&ReturnsOptions {
            scenario: scenario(&request.setup)?,
            policy: policy(request.policy.as_deref().unwrap_or("nothing"))?,
            episodes: request.episodes,
            draws,
            seed: request.seed,
        })
        .map_err(usage)?;
        let (mean, sd, se, episodes) = (report.mean, report.sd, report.se, report.episodes);
        let spread = Spread { mean, sd, se, min: report.min, max: report.max, episodes, decimals: 3 };
        let text = format!(
            "{spread}\nsteps {:.2}, SD {}; {:.1} % reach the last step, {} end in an exception\n",
            report.length_mean,
            number(report.length_sd),
            100.0 * report.reached_max_steps,
            report.exceptions
        );
        Output::of(text, &report)
    }

    fn evaluate(&self, request: &EvaluateRequest) -> Result<Output, EnvError> {
        let policy = policy(request.policy.as_deref().unwrap_or("nothing"))?;
        let mut text =
            format!("{:<14} {:<21} {:<9} {:>10} {:>10} {:>8}\n", "mode", "network", "red", "mean", "SD", "steps");
        let mut rows = Vec::new();
        for (mode, network, red) in SHIPPED {
            let scenario = Scenario { red, ..Scenario::of(mode, network).map_err(usage)? };
            let (episodes, seed, draws) = (request.episodes, request.seed, Numbers::Fast);
            let report = returns(&ReturnsOptions { scenario, policy, episodes, draws, seed }).map_err(usage)?;
            text.push_str(&format!(
                "{mode:<14} {network:<21} {:<9} {:>10.3} {:>10} {:>8.2}\n",
                red.name(),
                report.mean,
                number(report.sd),
                report.length_mean
            ));
            rows.push(Row { mode, network, red, report });
        }
        Output::of(text, &rows)
    }

    async fn sample(&self, policy: &str, episodes: u64, seed: u64) -> Result<Vec<i64>, EnvError> {
        let policy = self::policy(policy)?;
        // What a study plays where it sets no option.
        let scenario = Settings::default().scenario()?;
        each(&ReturnsOptions { scenario, policy, episodes, draws: Numbers::Fast, seed }).map_err(usage)
    }
}

/// The shipped modes, each on the network and with the red agent of the original's statistics.
const SHIPPED: [(&str, &str, RedKind); 4] = [
    ("default", "default_18", RedKind::Standard),
    ("dcbo", "dcbo_base", RedKind::Standard),
    ("dcbo", "dcbo_base", RedKind::Sine),
    ("low_skill_red", "default_18_set_entry", RedKind::Standard),
];

#[derive(Serialize)]
struct Row {
    mode: &'static str,
    network: &'static str,
    red: RedKind,
    #[serde(flatten)]
    report: ReturnsReport,
}

/// A recorded cell, played again.
#[derive(Serialize)]
struct Cell {
    mode: String,
    network: String,
    red: RedKind,
    policy: PolicyKind,
    #[serde(flatten)]
    report: ReturnsReport,
    recorded_mean: f64,
    z: f64,
    recorded_length: f64,
    length_z: f64,
}

impl Compared for Cell {
    fn z(&self) -> f64 {
        self.z
    }
}

/// Every cell of recorded statistics is played; z is the difference of means over its standard error.
fn against(file: &Path, request: &ReturnsRequest, draws: Numbers) -> Result<Output, EnvError> {
    let wrong = |what: &dyn std::fmt::Display| EnvError::Usage(format!("{}: {what}", file.display()));
    let recorded: RecordedReturns = recorded_in(file, std::fs::read_to_string(file))?;
    let mut table = format!(
        "{:<14} {:<9} {:<9} {:>10} {:>10} {:>7} {:>8} {:>8} {:>7}\n",
        "mode", "red", "policy", "mean", "recorded", "z", "steps", "recorded", "z"
    );
    let mut cells = Vec::new();
    for cell in recorded.cells {
        let red = RedKind::from_name(&cell.red).ok_or_else(|| wrong(&format!("there is no red `{}`", cell.red)))?;
        let scenario = Scenario { red, ..Scenario::of(&cell.mode, &cell.network).map_err(|error| wrong(&error))? };
        let (policy, episodes, seed) = (policy(&cell.blue)?, request.episodes, request.seed);
        let report =
            returns(&ReturnsOptions { scenario, policy, episodes, draws, seed }).map_err(|error| wrong(&error))?;
        let z = distance(report.mean - cell.mean, report.se.unwrap_or(0.0), cell.se);
        let length_error = report.length_sd.unwrap_or(0.0) / (episodes as f64).sqrt();
        let recorded_error = cell.length_sd / (cell.n.max(1) as f64).sqrt();
        let length_z = distance(report.length_mean - cell.length_mean, length_error, recorded_error);
        table.push_str(&format!(
            "{:<14} {:<9} {:<9} {:>10.3} {:>10.3} {z:>7.2} {:>8.2} {:>8.2} {length_z:>7.2}\n",
            cell.mode,
            red.name(),
            cell.blue,
            report.mean,
            cell.mean,
            report.length_mean,
            cell.length_mean
        ));
        cells.push(Cell {
            mode: cell.mode,
            network: cell.network,
            red,
            policy,
            report,
            recorded_mean: cell.mean,
            z,
            recorded_length: cell.length_mean,
            length_z,
        });
    }
    compared(table, cells, request.episodes)
}
