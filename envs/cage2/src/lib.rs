//! CybORG's CAGE Challenge 2, Scenario2, exactly and fast.
//!
//! A plain typed library, usable alone: no async, no model, no allocation in a step. With CPython's generator
//! ([`draws::Mersenne`]) a seed gives the very episode that CybORG 2.1 gives; with the fast one ([`draws::Fast`]) the
//! same rules run on other draws. All quirks of the original are kept in every mode; the code marks them `QUIRK`.
//!
//! ```
//! use gimbal_cage2::draws::Mersenne;
//! use gimbal_cage2::{Action, Names, Options, Simulator};
//!
//! let names = Names::original();
//! let mut simulator = Simulator::new(Options::default(), Mersenne::new(0));
//! simulator.reset(1_000_000);
//! while !simulator.done() {
//!     simulator.step(Action::SLEEP);
//! }
//! assert_eq!(simulator.return_value(), -223.8);
//! let restore = gimbal_cage2::action::parse("Restore hostname=User1", &names)?;
//! assert_eq!(restore.index(), 141);
//! # Ok::<(), gimbal_cage2::action::ActionError>(())
//! ```
//!
//! | module | what it holds |
//! |---|---|
//! | [`facts`], [`options`], [`names`] | the scenario's tables, an episode's options, names that a player reads |
//! | [`action`] | the 145 actions and the tolerant grammar |
//! | [`draws`] | the three sources of randomness |
//! | `dynamics`, `sim` | the rules, and [`Simulator`] around them |
//! | [`view`] | observations, table, true state: as text, JSON and typed |
//! | [`policy`], [`returns`], [`mod@bench`] | baselines, their returns, speed |
//! | [`recording`], [`mod@replay`], [`checksum`] | recordings: read, written, replayed field by field |
//! | [`environment`], [`tracker`], `workbench` | the seams of Gimbal on top; nothing above knows them |

pub mod action;
pub mod bench;
pub mod checksum;
pub mod draws;
mod dynamics;
pub mod environment;
pub mod facts;
pub mod names;
pub mod options;
pub mod policy;
pub mod recording;
pub mod replay;
pub mod returns;
mod sim;
pub mod tracker;
mod trinary;
pub mod view;
mod workbench;

pub use action::Action;
pub use dynamics::{Activity, Compromised};
pub use environment::Cage2;
pub use names::Names;
pub use options::{Green, Options, Red};
pub use sim::Simulator;
pub use trinary::Trinary;

/// The number of this simulator's behaviour; results of different numbers must not be mixed. It is raised with
/// every change of what a seed gives, and a test on golden digests fails until it is.
pub const BEHAVIOUR: u32 = 1;
