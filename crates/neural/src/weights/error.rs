//! Why a file of weights is not used.

use gimbal_core::Digest;
use thiserror::Error;

use crate::spec::SpecError;

/// Why a file of weights is not used.
#[derive(Clone, Debug, PartialEq, Eq, Error)]
pub enum WeightsError {
    /// Too few bytes for any file.
    #[error("{found} bytes; a file of weights has at least {least}")]
    Short {
        /// What was found.
        found: usize,
        /// The least.
        least: usize,
    },
    /// Another kind of file.
    #[error("not a file of weights: it does not begin with `gimbalnn`")]
    Magic,
    /// Another version.
    #[error("version {found}; this program reads {expected}: train again, or use the program that wrote it")]
    Version {
        /// What was found.
        found: u32,
        /// What is read.
        expected: u32,
    },
    /// The length is not the one that the header leads to.
    #[error("{found} bytes; its header leads to {expected}: copy the file again")]
    Truncated {
        /// What was found.
        found: usize,
        /// What the header says.
        expected: usize,
    },
    /// The content was changed.
    #[error("the digest of its content is {found}; it says {expected}: copy the file again")]
    Digest {
        /// The digest of the content.
        found: Digest,
        /// What the file says.
        expected: Digest,
    },
    /// The header cannot be read.
    #[error("its header: {0}")]
    Header(String),
    /// A tensor that is too large, or in blocks that its rows do not fill.
    #[error("tensor `{name}` of {rows} x {columns}: too large, or no whole blocks of 32")]
    Size {
        /// The tensor.
        name: String,
        /// Rows.
        rows: usize,
        /// Columns.
        columns: usize,
    },
    /// A number that is none.
    #[error("tensor `{name}` holds a number that is not finite")]
    NotFinite {
        /// The tensor.
        name: String,
    },
    /// Weights of another thing.
    #[error("it holds `{found}`; expected `{expected}`")]
    What {
        /// What was found.
        found: String,
        /// What was expected.
        expected: &'static str,
    },
    /// A network that cannot be.
    #[error("its network: {0}")]
    Spec(#[from] SpecError),
    /// A tensor is missing.
    #[error("tensor `{name}` is missing")]
    Missing {
        /// The tensor.
        name: String,
    },
    /// A tensor too many.
    #[error("tensor `{name}` is not one of its network")]
    Unknown {
        /// The tensor.
        name: String,
    },
    /// A tensor of another shape.
    #[error("tensor `{name}` is {}; expected {}", by(found), by(expected))]
    Shape {
        /// The tensor.
        name: String,
        /// Rows and columns that were found.
        found: [usize; 2],
        /// Those that were expected.
        expected: [usize; 2],
    },
    /// The weights were made for other features.
    #[error("it was made for the columns {}; these data have {}: train on such data", found.join(", "), expected.join(", "))]
    Columns {
        /// The columns of the weights.
        found: Vec<String>,
        /// Those of the data.
        expected: Vec<String>,
    },
    /// The weights were made for another length of the context.
    #[error("it was made for a context of {found} numbers; these data have {expected}")]
    Context {
        /// That of the weights.
        found: usize,
        /// That of the data.
        expected: usize,
    },
}

fn by(shape: &[usize; 2]) -> String {
    format!("{} x {}", shape[0], shape[1])
}
