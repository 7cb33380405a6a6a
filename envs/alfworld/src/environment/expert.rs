//! The expert: follows the walkthrough as long as it leads on, and plans anew wherever it does not.

use std::sync::{Mutex, PoisonError};

use super::loaded::Loaded;
use crate::engine::Play;
use crate::plan::{Move, plan};

/// What is to be done next, if it is known.
#[derive(Clone, Debug, Default)]
enum Route {
    /// Nothing is known.
    #[default]
    Unknown,
    /// Commands as texts: the rest of the walkthrough.
    Commands(Vec<String>),
    /// Actions of our planner.
    Moves(Vec<Move>),
    /// There is no way to win any more.
    Lost,
}

/// An expert with a memory of its route; deterministic, because the route depends on the states alone.
#[derive(Debug, Default)]
pub struct Expert {
    /// Last first.
    route: Mutex<Route>,
}

impl Clone for Expert {
    fn clone(&self) -> Self {
        Self { route: Mutex::new(self.route.lock().unwrap_or_else(PoisonError::into_inner).clone()) }
    }
}

impl Expert {
    /// An expert that begins with a walkthrough; one that plans from the start if it is empty.
    pub fn new(walkthrough: &[String]) -> Self {
        let route = match walkthrough {
            [] => Route::Unknown,
            commands => Route::Commands(commands.iter().rev().cloned().collect()),
        };
        Self { route: Mutex::new(route) }
    }

    /// The place of its command among the admissible ones; none if the game is won or cannot be won any more.
    pub fn next(&self, loaded: &Loaded, play: &Play) -> Option<usize> {
        if play.won() {
            return None;
        }
        let mut route = self.route.lock().unwrap_or_else(PoisonError::into_inner);
        let known = match &*route {
            Route::Lost => return None,
            Route::Unknown => None,
            Route::Commands(commands) => commands.last().and_then(|command| play.find(command)),
            Route::Moves(moves) => moves.last().and_then(|next| play.find_grounded(next.action, &next.arguments)),
        };
        if known.is_some() {
            return known;
        }
        let Some(mut moves) = plan(&loaded.game, loaded.ground(), play.state()) else {
            *route = Route::Lost;
            return None;
        };
        moves.reverse();
        let next = moves.last().copied();
        *route = Route::Moves(moves);
        next.and_then(|next| play.find_grounded(next.action, &next.arguments))
    }

    /// Whether one of the admissible commands is the next one of the route.
    pub fn would(&self, play: &Play, at: usize) -> bool {
        match &*self.route.lock().unwrap_or_else(PoisonError::into_inner) {
            Route::Commands(commands) => commands.last().map(String::as_str) == play.command(at),
            Route::Moves(moves) => {
                moves.last().is_some_and(|next| play.find_grounded(next.action, &next.arguments) == Some(at))
            }
            Route::Unknown | Route::Lost => false,
        }
    }

    /// Takes in that a command was carried out: the next one of the route if `same`, one that changed something if
    /// `changed`.
    pub fn took(&self, same: bool, changed: bool) {
        let mut route = self.route.lock().unwrap_or_else(PoisonError::into_inner);
        match &mut *route {
            Route::Commands(commands) if same => drop(commands.pop()),
            Route::Moves(moves) if same => drop(moves.pop()),
            other if changed => *other = Route::Unknown,
            _ => {}
        }
    }
}
