//! YAWNING-TITAN's generic network environment, exactly and fast.
//!
//! A plain typed library, usable alone: no async, no model, no allocation in a step. A network of nodes, a red agent that
//! chances drive, a blue agent with a discrete action space. With Python's generator ([`draws::Python`]) a seed gives the
//! very draws that YAWNING-TITAN 2.0.1 makes; with the fast one ([`draws::Fast`]) the same rules run on other draws. All
//! quirks of the original are kept in every mode; the code marks them `QUIRK`.
//!
//! In three places the original goes through hash sets of random ids, whose order differs between its processes: natural
//! spreading, red's moves, and the draw of high-value nodes. There a replay takes the order from the recording, and a free
//! run goes in node order. Ids of nodes come from the operating system in the original and from a stream of their own
//! here.
//!
//! ```
//! use gimbal_yawning_titan::draws::Python;
//! use gimbal_yawning_titan::policy::{Policy, PolicyKind};
//! use gimbal_yawning_titan::{Scenario, Simulator};
//!
//! let scenario = Scenario::of("default", "default_18")?;
//! let mut simulator = Simulator::new(&scenario, Python::new(0))?;
//! let mut policy = Policy::new(PolicyKind::Reactive);
//! simulator.rebuild(1)?;
//! while !simulator.done() {
//!     simulator.step(policy.act(&simulator))?;
//! }
//! assert!(simulator.lost());
//! # Ok::<(), Box<dyn std::error::Error>>(())
//! ```
//!
//! | module | what it holds |
//! |---|---|
//! | [`facts`], [`config`], [`rules`] | the original's tables, the 93 options, and what play asks of them |
//! | [`network`] | networks before play: stored ones, generators, their draws |
//! | [`draws`], [`generator`] | the three sources of randomness |
//! | `environment`, `sim` | the rules, and [`Simulator`] around them |
//! | [`policy`], [`returns`], [`mod@bench`] | baselines, their returns, speed |
//! | [`recording`], [`mod@replay`], [`checksum`] | recordings: read, written, replayed field by field |
//! | [`action`], [`names`], [`view`] | what agents write and read |
//! | [`environment`], [`tracker`] | the seams of Gimbal on top; nothing above knows them |

pub mod action;
pub mod bench;
pub mod checksum;
pub mod config;
mod digest;
pub mod draws;
mod dynamics;
pub mod environment;
pub mod facts;
pub mod generator;
pub mod names;
pub mod network;
pub mod policy;
pub mod recording;
pub mod replay;
pub mod returns;
pub mod rules;
mod sim;
pub mod tracker;
pub mod view;
mod workbench;

pub use config::{Config, Value};
pub use dynamics::{Executed, Intent, Raised, RedKind, Reported};
pub use environment::YawningTitan;
pub use rules::Kind;
pub use sim::{Place, Scenario, ScenarioError, Simulator, Source};

/// The number of this simulator's behaviour; results of different numbers must not be mixed. It is raised with
/// every change of what a seed gives, and a test on golden digests fails until it is.
pub const BEHAVIOUR: u32 = 1;
