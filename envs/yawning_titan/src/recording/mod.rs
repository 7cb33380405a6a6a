//! Recordings: one JSON object a line, plain or gzipped; read, checked and written.
//!
//! A file holds environments one after another: an `env` line, then its episodes, each a `reset` line, its `step` lines
//! and an `end` line, with an `error` line before it where the original raised an exception. The format is that of the
//! traces of the original; fields that a recording leaves out are not compared.

mod read;
mod text;
mod write;

pub use gimbal_parity::{Json, Line, Lines, ReadError};
pub(crate) use read::{
    END_FIELDS, ENV_FIELDS, ERROR_FIELDS, Env, RESET_FIELDS, STEP_FIELDS, names_of, only, read_tape,
};
pub(crate) use text::{intent_text, key_error_text, push_real};
pub use write::{RecordOptions, record};
