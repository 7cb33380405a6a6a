//! Recordings: one JSON object a line, plain or gzipped; read, checked and written.
//!
//! An episode is a `reset` line, its `step` lines and an `end` line. The format is that of the traces of the
//! original simulator; fields that a recording leaves out are not compared. One more kind of line is ours:
//! `actions`, a whole episode as its action list and a checksum (see [`crate::bench`]).

mod read;
mod typed;
mod write;

pub use gimbal_parity::{Json, JsonError};
pub(crate) use read::WANTED;
pub use read::{Line, Lines, ReadError, Recorded};
pub use typed::node_from_json;
pub use write::{RecordOptions, record, record_actions};

pub(crate) use write::{vector_text, write_tape};
