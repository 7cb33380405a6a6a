//! A game of agreement on a number: agents state values by rounds until two thirds of them vote to stop, and some of them may not follow the
//! rules.
//!
//! It is the scalar consensus game of Berdoz, Rugli and Wattenhofer (2026, arXiv 2603.01213), as far as it is public: values, sizes, share of
//! adversaries, votes and outcomes are theirs; the most rounds were not seen in what was read and are a setting.
//!
//! | module | what it holds |
//! |---|---|
//! | [`game`] | the plain simulator: starts, rounds, adversaries, outcome |
//! | [`rules`] | baselines without a model, each a function of what its agent has seen |
//! | [`tools`], [`action`] | the one call and how it is written |
//! | [`environment`], [`tracker`] | the seams of Gimbal on top |

pub mod action;
pub mod environment;
pub mod game;
pub mod rules;
pub mod tools;
pub mod tracker;
mod workbench;

pub use environment::Consensus;

/// The number of this environment's behaviour; results of different numbers must not be mixed.
pub const BEHAVIOUR: u32 = 2;
