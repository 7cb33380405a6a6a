//! Study files, plan, runner, stage and run folder.
//!
//! The way through: a study file becomes a plan ([`plan`]), in which everything is valid; the runner ([`runner`]) plays
//! what of it is not done yet, each episode on a stage ([`stage`]) that meters and journals everything, into a run
//! folder ([`run`]); what is read later is read from the folder alone ([`read`]).
//!
//! A run of one episode, which a command plays by itself, is read by [`single`].
//!
//! Attacks by text that a study plants are in [`attacks`], all other faults in [`faults`].
//!
//! *Invariant*: environments, architectures and models are known through [`registry`] only.

pub mod attacks;
pub mod faults;
pub mod plan;
pub mod probe;
pub mod read;
pub mod registry;
pub mod rehearsal;
pub mod rescore;
pub mod run;
pub mod runner;
pub mod single;
pub mod stage;
