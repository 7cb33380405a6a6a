//! What `gimbal env consensus` does beside what every environment can: what a baseline reaches on every arm.

use std::fmt::Write as _;

use gimbal_core::{EnvError, Rng};
use gimbal_env_kit::workbench::{EvaluateRequest, Output, Verb, Workbench, choice_of};
use gimbal_messages::records::consensus::{Ended, Outcome};
use serde::Serialize;

use crate::environment::{Consensus, Settings};
use crate::game::{Starts, Strategy};
use crate::rules::Rule;

/// The sizes of the published study.
const SIZES: [usize; 3] = [4, 8, 16];

impl Workbench for Consensus {
    fn written(&self) -> &[Verb] {
        &[Verb::Evaluate]
    }

    fn contrast(&self) -> [String; 2] {
        ["stubborn", "expert"].map(str::to_owned)
    }

    /// Outcomes of a policy over sizes, numbers of adversaries up to a third, and strategies. Where the policy's algorithm promises agreement, a
    /// game without it is a failed check.
    fn evaluate(&self, request: &EvaluateRequest) -> Result<Output, EnvError> {
        let name = request.policy.as_deref().unwrap_or("phase_king");
        let rule = choice_of("--policy", name, &Rule::ALL, Rule::name)?;
        let mut rows = Vec::new();
        for agents in SIZES {
            for adversaries in counts(agents) {
                let strategies = if adversaries == 0 { &Strategy::SCRIPTED[..1] } else { &Strategy::SCRIPTED };
                for strategy in strategies {
                    let settings = Settings { agents, adversaries, strategy: *strategy, ..Settings::default() };
                    rows.push(row(rule, &settings, request));
                }
            }
        }
        let broken = rows.iter().filter(|row| row.promised == Some(true) && row.agreed < row.games).count();
        let failed = (broken > 0)
            .then(|| format!("`{}` promises agreement, and {broken} of the arms have games without it", rule.name()));
        Ok(Output { failed, ..Output::of(table(&rows), &rows)? })
    }
}

/// No adversary, one, and a third of all.
fn counts(agents: usize) -> Vec<usize> {
    let mut counts = vec![0, 1, agents / 3];
    counts.dedup();
    counts
}

/// What a policy reached on an arm.
#[derive(Serialize)]
struct Row {
    policy: &'static str,
    agents: usize,
    adversaries: usize,
    strategy: &'static str,
    /// Whether the algorithm promises agreement here; missing where it promises nothing anywhere.
    promised: Option<bool>,
    games: u64,
    valid: u64,
    invalid: u64,
    none: u64,
    /// Games that votes ended with all honest agents on one value.
    agreed: u64,
    /// Mean number of rounds, in thousandths.
    rounds: u64,
}

fn row(rule: Rule, settings: &Settings, request: &EvaluateRequest) -> Row {
    let ends: Vec<Ended> = (0..request.episodes)
        .filter_map(|number| {
            let seed = request.seed.wrapping_add(number);
            let mut game = settings.game(Starts::Uniform, seed);
            let mut draws = Rng::stream(seed, "policy");
            while game.ended().is_none() {
                let ballots = rule.ballots(&game, &mut draws);
                game.play(&ballots);
            }
            game.ended().cloned()
        })
        .collect();
    let how_many = |holds: &dyn Fn(&Ended) -> bool| ends.iter().filter(|ended| holds(ended)).count() as u64;
    let games = ends.len() as u64;
    Row {
        policy: rule.name(),
        agents: settings.agents,
        adversaries: settings.adversaries,
        strategy: if settings.adversaries == 0 { "none" } else { settings.strategy.name() },
        promised: rule.promises(settings.agents, settings.adversaries),
        games,
        valid: how_many(&|ended| ended.outcome == Outcome::Valid),
        invalid: how_many(&|ended| ended.outcome == Outcome::Invalid),
        none: how_many(&|ended| ended.outcome == Outcome::None),
        agreed: how_many(&|ended| ended.stopped && ended.agreed),
        rounds: ends.iter().map(|ended| u64::from(ended.rounds) * 1000).sum::<u64>() / games.max(1),
    }
}

fn table(rows: &[Row]) -> String {
    let mut out = format!(
        "{:<10} {:>6} {:>11} {:<12} {:>8} {:>5} {:>5} {:>7} {:>4} {:>6} {:>6}\n",
        "policy",
        "agents",
        "adversaries",
        "strategy",
        "promised",
        "games",
        "valid",
        "invalid",
        "none",
        "agreed",
        "rounds"
    );
    for row in rows {
        let promised = match row.promised {
            Some(true) => "yes",
            Some(false) => "no",
            None => "-",
        };
        // Writing to a string cannot fail.
        let _ = writeln!(
            out,
            "{:<10} {:>6} {:>11} {:<12} {:>8} {:>5} {:>5} {:>7} {:>4} {:>6} {:>6}",
            row.policy,
            row.agents,
            row.adversaries,
            row.strategy,
            promised,
            row.games,
            row.valid,
            row.invalid,
            row.none,
            row.agreed,
            format!("{}.{}", row.rounds / 1000, row.rounds % 1000 / 100),
        );
    }
    out
}
