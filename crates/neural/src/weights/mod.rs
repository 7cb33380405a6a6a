//! Files of weights: a header that says what is in them, tensors, and a SHA-256 value of all before it.
//!
//! `gimbalnn`, the version and the length of the header as 32-bit integers, the header as JSON, the tensors one after the other, the digest. Integers and
//! numbers are little-endian. Blocks of Q8_0 are as llama.cpp writes them: a scale of half precision and 32 signed bytes.

mod error;

use gimbal_core::Digest;
use serde::{Deserialize, Serialize};
use serde_json::Value;

use crate::kernels::{BLOCK, BLOCK_BYTES, Matrix, Values};
use crate::math::{from_half, to_half};
use crate::spec::Shape;

pub use error::WeightsError;

/// What a file begins with.
pub const MAGIC: &[u8; 8] = b"gimbalnn";
/// The version that is read and written.
pub const VERSION: u32 = 1;
const DIGEST: usize = 32;
/// Longest header.
const MOST_HEADER: usize = 1 << 20;
/// Most tensors.
const MOST_TENSORS: usize = 4096;
/// Most numbers of all tensors: 1 GiB of f32.
const MOST_NUMBERS: usize = 1 << 28;
/// Bytes before the header.
const BEFORE: usize = MAGIC.len() + 8;

/// What a file holds.
#[derive(Clone, Debug, PartialEq)]
pub struct File {
    /// What it is: `arbiter`, `authority`, or `checkpoint`.
    pub what: String,
    /// What it says of itself.
    pub about: Value,
    /// Tensors, in their order.
    pub tensors: Vec<Tensor>,
}

/// A named tensor.
#[derive(Clone, Debug, PartialEq)]
pub struct Tensor {
    /// Its name.
    pub name: String,
    /// Rows.
    pub rows: usize,
    /// Columns; 1 for a vector.
    pub columns: usize,
    /// Numbers, row by row.
    pub values: Values,
}

#[derive(Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
struct Header {
    what: String,
    about: Value,
    tensors: Vec<Entry>,
}

#[derive(Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
struct Entry {
    name: String,
    shape: [usize; 2],
    r#type: Type,
}

#[derive(Clone, Copy, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
enum Type {
    F32,
    #[serde(rename = "q8_0")]
    Q8,
}

impl Tensor {
    /// The tensor as a matrix.
    pub(crate) fn into_matrix(self) -> Matrix {
        Matrix { rows: self.rows, columns: self.columns, values: self.values }
    }
}

impl Entry {
    /// Numbers and bytes of the tensor; `None` if they are too many or no whole blocks.
    fn size(&self) -> Option<(usize, usize)> {
        let numbers = self.shape[0].checked_mul(self.shape[1]).filter(|numbers| *numbers <= MOST_NUMBERS)?;
        match self.r#type {
            Type::F32 => Some((numbers, numbers * 4)),
            Type::Q8 if self.shape[1].is_multiple_of(BLOCK) => Some((numbers, numbers / BLOCK * BLOCK_BYTES)),
            Type::Q8 => None,
        }
    }
}

impl File {
    /// The bytes of the file.
    ///
    /// # Errors
    /// When the header cannot be written.
    pub fn write(&self) -> Result<Vec<u8>, WeightsError> {
        let entries = self.tensors.iter().map(|tensor| Entry {
            name: tensor.name.clone(),
            shape: [tensor.rows, tensor.columns],
            r#type: match tensor.values {
                Values::F32(_) => Type::F32,
                Values::Q8 { .. } => Type::Q8,
            },
        });
        let header = Header { what: self.what.clone(), about: self.about.clone(), tensors: entries.collect() };
        let header = serde_json::to_vec(&header).map_err(|error| WeightsError::Header(error.to_string()))?;
        let length = u32::try_from(header.len()).unwrap_or(u32::MAX);
        let mut bytes = MAGIC.to_vec();
        bytes.extend(VERSION.to_le_bytes());
        bytes.extend(length.to_le_bytes());
        bytes.extend(header);
        for tensor in &self.tensors {
            match &tensor.values {
                Values::F32(values) => bytes.extend(values.iter().flat_map(|value| value.to_le_bytes())),
                Values::Q8 { scales, quants } => {
                    for (scale, block) in scales.iter().zip(quants.as_chunks::<BLOCK>().0) {
                        bytes.extend(to_half(*scale).to_le_bytes());
                        bytes.extend(block.iter().map(|quant| quant.cast_unsigned()));
                    }
                }
            }
        }
        bytes.extend(Digest::of(&bytes).0);
        Ok(bytes)
    }

    /// Reads a file.
    ///
    /// # Errors
    /// See [`WeightsError`]. Everything is checked before numbers are read.
    pub fn read(bytes: &[u8]) -> Result<Self, WeightsError> {
        let least = BEFORE + DIGEST;
        if bytes.len() < least {
            return Err(WeightsError::Short { found: bytes.len(), least });
        }
        if !bytes.starts_with(MAGIC) {
            return Err(WeightsError::Magic);
        }
        let version = integer(bytes, MAGIC.len());
        if version != VERSION {
            return Err(WeightsError::Version { found: version, expected: VERSION });
        }
        let length = integer(bytes, MAGIC.len() + 4) as usize;
        if length > MOST_HEADER {
            return Err(WeightsError::Header(format!("{length} bytes; at most {MOST_HEADER} are read")));
        }
        let Some(header) = bytes.get(BEFORE..BEFORE + length) else {
            return Err(WeightsError::Truncated { found: bytes.len(), expected: BEFORE + length + DIGEST });
        };
        let header: Header = serde_json::from_slice(header).map_err(|error| WeightsError::Header(error.to_string()))?;
        if header.tensors.len() > MOST_TENSORS {
            return Err(WeightsError::Header(format!(
                "{} tensors; at most {MOST_TENSORS} are read",
                header.tensors.len()
            )));
        }
        let mut expected = BEFORE + length + DIGEST;
        let mut numbers = 0_usize;
        for entry in &header.tensors {
            let size = entry.size().filter(|(count, _)| numbers + count <= MOST_NUMBERS);
            let Some((count, size)) = size else {
                return Err(WeightsError::Size {
                    name: entry.name.clone(),
                    rows: entry.shape[0],
                    columns: entry.shape[1],
                });
            };
            numbers += count;
            expected += size;
        }
        if bytes.len() != expected {
            return Err(WeightsError::Truncated { found: bytes.len(), expected });
        }
        let (before, digest) = bytes.split_at(bytes.len() - DIGEST);
        let made = Digest::of(before);
        if made.0 != digest {
            let mut stored = Digest::default();
            stored.0.copy_from_slice(digest);
            return Err(WeightsError::Digest { found: made, expected: stored });
        }
        let mut rest = &before[BEFORE + length..];
        let mut tensors = Vec::with_capacity(header.tensors.len());
        for entry in header.tensors {
            let (_, size) = entry.size().unwrap_or_default();
            let (own, others) = rest.split_at(size);
            rest = others;
            let values = match entry.r#type {
                Type::F32 => Values::F32(own.as_chunks().0.iter().map(|four| f32::from_le_bytes(*four)).collect()),
                Type::Q8 => blocks(own),
            };
            let finite = match &values {
                Values::F32(values) => values.iter().all(|value| value.is_finite()),
                Values::Q8 { scales, .. } => scales.iter().all(|scale| scale.is_finite()),
            };
            if !finite {
                return Err(WeightsError::NotFinite { name: entry.name });
            }
            tensors.push(Tensor { name: entry.name, rows: entry.shape[0], columns: entry.shape[1], values });
        }
        Ok(Self { what: header.what, about: header.about, tensors })
    }

    /// The digest that a file ends with: its identity. None of bytes that are too few.
    #[must_use]
    pub fn digest(bytes: &[u8]) -> Option<Digest> {
        bytes.last_chunk().map(|digest| Digest(*digest))
    }
}

/// Tensors with these shapes and numbers, each name with something before it. With `eight`, every matrix whose rows are whole blocks is in Q8_0.
pub(crate) fn tensors(shapes: &[Shape], before: &str, values: &[Vec<f32>], eight: bool) -> Vec<Tensor> {
    let of = |(shape, values): (&Shape, &Vec<f32>)| {
        let blocks = eight && shape.rows > 1 && shape.columns.is_multiple_of(BLOCK);
        let values = if blocks { Values::quantised(values) } else { Values::F32(values.clone()) };
        Tensor { name: format!("{before}{}", shape.name), rows: shape.rows, columns: shape.columns, values }
    };
    shapes.iter().zip(values).map(of).collect()
}

fn integer(bytes: &[u8], at: usize) -> u32 {
    bytes.get(at..).and_then(|rest| rest.first_chunk()).map_or(0, |four| u32::from_le_bytes(*four))
}

fn blocks(bytes: &[u8]) -> Values {
    let (mut scales, mut quants) = (Vec::new(), Vec::new());
    for block in bytes.as_chunks::<BLOCK_BYTES>().0 {
        scales.push(from_half(u16::from_le_bytes([block[0], block[1]])));
        quants.extend(block[2..].iter().map(|byte| byte.cast_signed()));
    }
    Values::Q8 { scales, quants }
}
