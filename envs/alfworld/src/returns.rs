//! How built-in policies fare.

use std::sync::Arc;

use gimbal_parity::Fast;
use serde::Serialize;

use crate::engine::{Game, Play};
use crate::plan::{Task, plan};

/// A policy that needs no model.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize)]
#[serde(rename_all = "snake_case")]
pub enum Policy {
    /// The walkthrough of the file, and the planner where there is none.
    Expert,
    /// The planner.
    Planner,
    /// Admissible commands at random.
    Random,
    /// Looking around all the time.
    Nothing,
}

/// All policies with their names.
pub const POLICIES: [(&str, Policy); 4] = [
    ("expert", Policy::Expert),
    ("planner", Policy::Planner),
    ("random", Policy::Random),
    ("nothing", Policy::Nothing),
];

/// What a policy came to.
#[derive(Clone, Debug, PartialEq, Serialize)]
pub struct ReturnsReport {
    /// Episodes.
    pub episodes: u64,
    /// Episodes that were won within the calls.
    pub won: u64,
    /// Their share.
    pub success_rate: f64,
    /// Calls of won episodes on average; none if there are none.
    pub calls: Option<f64>,
    /// Sample SD of these.
    pub calls_sd: Option<f64>,
    /// Games that the policy gave up: no way was found.
    pub given_up: u64,
}

/// Plays so many episodes with at most `most` calls each: of fewer than there are games, games evenly spread over the
/// list; of more, each game once and again. Only random play differs from one episode of a game to the next: of the other
/// policies each game is played once.
#[must_use]
pub fn returns(games: &[Arc<Game>], policy: Policy, wanted: u64, most: u32, seed: u64) -> ReturnsReport {
    let mut draws = Fast::new(seed);
    let (mut episodes, mut given_up) = (0_u64, 0_u64);
    let mut calls: Vec<f64> = Vec::new();
    let count = games.len() as u64;
    let wanted = if policy == Policy::Random { wanted } else { wanted.min(count) };
    // Of the first `place` games so many episodes.
    let until = |place: u64| (u128::from(wanted) * u128::from(place) / u128::from(count.max(1))) as u64;
    for (place, game) in (0..).zip(games) {
        let rounds = until(place + 1) - until(place);
        if rounds == 0 {
            continue;
        }
        let mut play = Play::new(Arc::clone(game));
        let walkthrough = &game.walkthrough;
        let planned = match policy {
            Policy::Expert if !walkthrough.is_empty() => None,
            Policy::Expert | Policy::Planner => Some(plan(game, &Task::new(game), play.state())),
            Policy::Random | Policy::Nothing => None,
        };
        for _ in 0..rounds {
            play.reset();
            episodes += 1;
            let mut at = 0;
            while !play.won() && play.steps() < u64::from(most) {
                match (policy, &planned) {
                    (Policy::Random, _) => {
                        let count = play.admissible().len() as u32;
                        play.step_at(draws.below(count) as usize);
                    }
                    (Policy::Nothing, _) => drop(play.step("look")),
                    (_, None) => match walkthrough.get(at) {
                        Some(command) => drop(play.step(command)),
                        None => break,
                    },
                    (_, Some(moves)) => {
                        let next = moves.as_ref().and_then(|moves| moves.get(at));
                        let place = next.and_then(|next| play.find_grounded(next.action, &next.arguments));
                        match place {
                            Some(place) => drop(play.step_at(place)),
                            None => break,
                        }
                    }
                }
                at += 1;
            }
            if play.won() {
                calls.push(play.steps() as f64);
            } else if matches!(policy, Policy::Expert | Policy::Planner) {
                given_up += 1;
            }
        }
    }
    let won = calls.len() as u64;
    let mean = (won > 0).then(|| calls.iter().sum::<f64>() / won as f64);
    let sd = mean.filter(|_| won > 1).map(|mean| {
        let squares: f64 = calls.iter().map(|count| (count - mean).powi(2)).sum();
        (squares / (won - 1) as f64).sqrt()
    });
    let success_rate = won as f64 / episodes.max(1) as f64;
    ReturnsReport { episodes, won, success_rate, calls: mean, calls_sd: sd, given_up }
}
