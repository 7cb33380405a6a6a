//! Financial questions answered from filings: tools, document store, judges, and a synthetic corpus on loopback.
//!
//! Questions are those of the public set of the Finance Agent benchmark, where its table is at hand, or synthetic ones
//! about fictitious companies, whose filings a server on this machine serves in the protocols of the real services. The
//! core is plain and synchronous; only fetching waits.
//!
//! ```
//! use gimbal_finance_agent::judge::{offline, passed};
//! use gimbal_finance_agent::rubric::read;
//!
//! let rubric = read(r#"[{"operator": "correctness", "criteria": "Gross margin: 41.2%"}]"#)?;
//! let verdicts = offline("What was the gross margin?", &rubric, "The gross margin came to 41.23 percent.");
//! assert!(passed(&verdicts));
//! # Ok::<(), gimbal_finance_agent::rubric::RubricError>(())
//! ```
//!
//! | module | what it holds |
//! |---|---|
//! | [`questions`], [`rubric`], [`mod@split`] | the public table, its rubrics, the work's split |
//! | [`number`], [`judge`], [`kappa`], [`spans`] | figures, judges and their agreement, evidence for answers |
//! | [`query`], [`corpus`] | the query language, the fictitious companies and their index |
//! | [`html`], [`store`], [`reader`] | pages as text, the documents of an episode, how long ones are read |
//! | [`tools`], [`action`] | schemas, calls and texts of the five tools, and how actions are written |
//! | [`net`], [`wire`], [`server`] | fetching, the services' formats, the server on loopback |
//! | [`audit`] | where an episode got stuck; what its last observation says is [`gimbal_messages::records::filings`] |
//! | [`environment`], [`tracker`] | the seams of Gimbal on top |

pub mod action;
pub mod audit;
pub mod binary;
pub mod corpus;
pub mod environment;
pub mod html;
pub mod judge;
pub mod kappa;
pub mod net;
pub mod number;
pub mod query;
pub mod questions;
pub mod reader;
pub mod rubric;
pub mod server;
pub mod spans;
pub mod split;
pub mod store;
pub mod tools;
pub mod tracker;
pub mod wire;
mod workbench;

pub use environment::FinanceAgent;

/// The number of this environment's behaviour; results of different numbers must not be mixed. It is raised with every change
/// of what a seed gives, and a test on golden digests fails until it is.
pub const BEHAVIOUR: u32 = 3;
