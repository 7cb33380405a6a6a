//! Household text games: ALFWorld's real game files exactly and fast, and a generator of new households.
//!
//! A plain typed library, usable alone: no async, no model, no allocation in a step but where a command is met for the first
//! time. A game is a domain and a problem in PDDL, and a grammar that holds all its words. All three are read from the
//! file; nothing of them is built in, so that both published wordings run, and our own households run on the same engine
//! with rules and words of ours.
//!
//! ```
//! use gimbal_alfworld::home::{Dials, Household};
//! use gimbal_alfworld::Play;
//!
//! let household = Household::generate(&Dials { receptacles: 8, ..Dials::default() }, 1)?;
//! let mut play = Play::new(household.game()?.into());
//! let there = play.admissible().find(|command| command.starts_with("go to")).map(str::to_owned);
//! if let Some(command) = there {
//!     assert!(play.step(&command).accepted);
//! }
//! # Ok::<(), Box<dyn std::error::Error>>(())
//! ```
//!
//! | module | what it holds |
//! |---|---|
//! | [`pddl`], [`grammar`], [`library`] | readers of domains, problems, grammars, game files; typed errors with their lines |
//! | [`engine`] | facts in tables, conditions as plans, texts into buffers: [`Game`] and [`Play`] |
//! | [`plan`] | a planner that needs no walkthrough |
//! | [`home`] | our own rules and words, the generator, the file form of a household |
//! | [`mod@replay`], [`mod@bench`] | recordings, speed |
//! | [`scene`], [`environment`], [`tracker`] | what agents can tell apart, and the seams of Gimbal on top |

pub mod bench;
pub mod engine;
pub mod environment;
pub mod error;
pub mod grammar;
pub mod home;
pub mod library;
pub mod pddl;
pub mod plan;
pub mod replay;
pub mod returns;
pub mod scene;
pub mod tracker;
mod words;
mod workbench;

pub use engine::{Game, Play, Stepped};
pub use environment::Alfworld;
pub use error::{Fault, GameError};
pub use library::{Library, Wording};

/// The number of this simulator's behaviour; results of different numbers must not be mixed. It is raised with every
/// change of what a game or a seed gives, and a test on golden digests fails until it is.
pub const BEHAVIOUR: u32 = 5;
