//! All integration tests of the crate in one binary, so that it is linked once.
#![allow(clippy::unwrap_used, clippy::expect_used, clippy::print_stdout, clippy::print_stderr, missing_docs)]

mod analysis;
mod arbiter;
mod bad_input;
mod common;
mod compare;
mod environments;
mod evidence;
mod finance;
mod gate;
mod golden;
mod graphs;
mod hostile;
mod households;
mod manifests;
mod models;
mod personas;
mod remarks;
mod rescore;
mod rules;
mod runs;
mod same_requests;
mod schema;
mod schema_reader;
mod second_environment;
mod shots;
mod studies;
mod temporal;
mod textcraft;
mod triage_model;
mod triage_table;
mod tutorial;
mod unacted;
