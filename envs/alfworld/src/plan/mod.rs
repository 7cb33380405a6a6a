//! A planner of our own: solves games without their walkthrough, from any state that can still be won.
//!
//! States are searched best first by an estimate that leaves out what actions undo; the actions that this estimate would
//! take first are tried before all others. Where they lead nowhere, everything is tried. Deterministic.

mod estimate;
mod ground;

pub use estimate::{Estimate, Estimator};
pub use ground::{Step, Task};

use std::cmp::Reverse;
use std::collections::{BinaryHeap, HashSet};

use crate::engine::{Facts, Game, MOST_ARGUMENTS};
use crate::words::FastHash;

/// States that one search looks at; no game of the family needs a hundredth of it.
const MOST_STATES: usize = 20_000;

/// An action of a plan.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Move {
    /// Number of the action in the domain.
    pub action: u16,
    /// Symbols of the arguments.
    pub arguments: [u16; MOST_ARGUMENTS],
}

struct Node {
    state: Facts,
    parent: usize,
    step: Option<u32>,
    estimate: Estimate,
}

/// Actions that win a game from a state; none if there are none, they were not found within the bound, or the game has
/// more actions than are planned for (see [`Task::complete`]).
///
/// # Examples
/// ```
/// use gimbal_alfworld::home::{Dials, Household};
/// use gimbal_alfworld::plan::{Task, plan};
/// use gimbal_alfworld::Play;
///
/// let household = Household::generate(&Dials::default(), 3)?;
/// let play = Play::new(household.game()?.into());
/// let task = Task::new(play.game());
/// assert!(plan(play.game(), &task, play.state()).is_some_and(|moves| !moves.is_empty()));
/// # Ok::<(), Box<dyn std::error::Error>>(())
/// ```
#[must_use]
pub fn plan(game: &Game, task: &Task, state: &Facts) -> Option<Vec<Move>> {
    if !task.complete {
        return None;
    }
    let mut estimator = Estimator::new(task);
    search(game, task, state, &mut estimator, true).or_else(|| search(game, task, state, &mut estimator, false))
}

fn search(game: &Game, task: &Task, state: &Facts, estimator: &mut Estimator, guided: bool) -> Option<Vec<Move>> {
    let estimate = estimator.estimate(game, task, state)?;
    let mut seen: HashSet<Vec<u8>, FastHash> = HashSet::default();
    let mut nodes = vec![Node { state: state.clone(), parent: 0, step: None, estimate }];
    let mut open = BinaryHeap::from([Reverse((nodes[0].estimate.actions, 0_usize))]);
    seen.insert(bytes(state));
    while let Some(Reverse((_, at))) = open.pop() {
        if game.goal.holds(&game.view(&nodes[at].state), game.symbols) {
            return Some(path(task, &nodes, at));
        }
        let steps: Vec<u32> = match guided {
            true => nodes[at].estimate.first.clone(),
            false => {
                (0..task.steps.len() as u32).filter(|step| possible(game, task, *step, &nodes[at].state)).collect()
            }
        };
        for step in steps {
            let Some(action) = task.steps[step as usize].action else { continue };
            let mut next = nodes[at].state.clone();
            let arguments = task.steps[step as usize].arguments;
            game.carry_out(action, &arguments, &mut next);
            if !seen.insert(bytes(&next)) {
                continue;
            }
            let Some(estimate) = estimator.estimate(game, task, &next) else { continue };
            open.push(Reverse((estimate.actions, nodes.len())));
            nodes.push(Node { state: next, parent: at, step: Some(step), estimate });
            if nodes.len() >= MOST_STATES {
                return None;
            }
        }
    }
    None
}

/// Whether all that a step needs is true.
fn possible(game: &Game, task: &Task, step: u32, state: &Facts) -> bool {
    let step = &task.steps[step as usize];
    step.action.is_some()
        && step.needs.iter().all(|literal| {
            let (predicate, arguments) = task.facts[(literal / 2) as usize];
            let place = game.rules.predicates.all[usize::from(predicate)].place;
            game.view(state).holds(place, arguments[0], arguments[1]) == (literal & 1 == 0)
        })
}

fn bytes(state: &Facts) -> Vec<u8> {
    let mut out = Vec::with_capacity(512);
    state.bytes(&mut out);
    out
}

fn path(task: &Task, nodes: &[Node], mut at: usize) -> Vec<Move> {
    let mut moves = Vec::new();
    while let Some(step) = nodes[at].step {
        let step = &task.steps[step as usize];
        if let Some(action) = step.action {
            moves.push(Move { action, arguments: step.arguments });
        }
        at = nodes[at].parent;
    }
    moves.reverse();
    moves
}
