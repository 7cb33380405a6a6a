//! Conflicts with what each way to settle them was worth: the file `conflicts.jsonl` (CTHA-080).
//!
//! The first line is a [`Header`], each further one a [`Conflict`], as JSON. A conflict's parties are rows of numbers; the header names the
//! columns. Numbers alone are stored, and the plain features hold no name of a tool, a subject or an environment. The column `action` and the
//! context are names in disguise; each can be left out. The environment and the seed beside them divide the data and are not features.

mod conflict;
pub mod labelled;
mod read;
mod split;
pub mod synthetic;

pub use conflict::{ACTION, Candidate, Conflict, Dataset, FORMAT, Header, LAYER, Party, VERSION, chosen};
pub use read::{DataError, MOST_BYTES, Problem};
pub use split::{Part, Split};
