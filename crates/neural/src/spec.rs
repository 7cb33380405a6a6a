//! What a network is made of: its kind, its inputs, and the names and shapes of its tensors.

use serde::{Deserialize, Serialize};
use thiserror::Error;

use crate::data::{ACTION, Header};

/// Layers of a hierarchy: each has an output of its own (CTHA-R10) and an embedding.
pub const LAYERS: usize = gimbal_temporal::Layer::ALL.len();

/// The part between inputs and scores.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "snake_case", tag = "kind", deny_unknown_fields)]
pub enum Body {
    /// A weighted sum of the features, and a number for each layer.
    Linear,
    /// Two hidden layers with GELU, for each party alone.
    Mlp {
        /// Width of the hidden layers.
        hidden: usize,
    },
    /// A pre-norm transformer encoder over the parties of a conflict (Sec. A.4).
    Encoder {
        /// Blocks.
        blocks: usize,
        /// Width of a party's vector.
        width: usize,
        /// Width within the feed-forward part.
        inner: usize,
        /// Heads of attention.
        heads: usize,
        /// Places of the table of actions; 0 for none.
        table: usize,
    },
}

/// A network without its weights.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Spec {
    /// The part between inputs and scores.
    pub body: Body,
    /// Names of the features, in the order of the rows, without the layer that comes before them.
    pub columns: Vec<String>,
    /// Length of the vector of the context, which comes after them.
    pub context: usize,
}

/// A spec that no network has.
#[derive(Clone, Debug, PartialEq, Eq, Error)]
pub enum SpecError {
    /// A size is out of bounds.
    #[error("`{what}` is {found}; expected {least} to {most}")]
    Size {
        /// Which size.
        what: &'static str,
        /// What was found.
        found: usize,
        /// The lower bound.
        least: usize,
        /// The upper bound.
        most: usize,
    },
    /// The heads do not divide the width.
    #[error("{heads} heads do not divide the width {width}")]
    Heads {
        /// Heads.
        heads: usize,
        /// Width.
        width: usize,
    },
    /// A table of actions without a column for it.
    #[error(
        "a table of actions needs a column `{ACTION}`, and there is none; leave the table out (`--without actions`)"
    )]
    Action,
}

/// Name and shape of a tensor.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Shape {
    /// Its name.
    pub name: String,
    /// Rows: outputs, or places of a table.
    pub rows: usize,
    /// Columns: inputs; 1 for a vector.
    pub columns: usize,
    /// How it begins before training.
    pub start: Start,
}

/// How a tensor begins before training.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Start {
    /// At 0.
    Zero,
    /// At 1.
    One,
    /// Uniform, within the square root of 3 over the number of inputs: variance 1 over the inputs.
    Fan,
    /// Uniform with a standard deviation of 0.02: tables.
    Small,
    /// Uniform with a standard deviation of 1: tables whose rows are added up with weights of length 1.
    Wide,
    /// Not learned: read off the data.
    Given,
}

impl Shape {
    /// How many numbers.
    #[must_use]
    pub const fn len(&self) -> usize {
        self.rows * self.columns
    }

    /// Whether there is no number.
    #[must_use]
    pub const fn is_empty(&self) -> bool {
        self.len() == 0
    }

    /// Whether training changes it.
    #[must_use]
    pub fn is_learned(&self) -> bool {
        self.start != Start::Given
    }
}

impl Body {
    /// The published encoder: 4 x 256, feed-forward 1024, 4 heads, 10,000 actions (CTHA-077).
    #[must_use]
    pub const fn published() -> Self {
        Self::Encoder { blocks: 4, width: 256, inner: 1024, heads: 4, table: 10_000 }
    }

    /// The small encoder: 2 x 128, feed-forward 512, 4 heads, 2,048 actions.
    #[must_use]
    pub const fn small() -> Self {
        Self::Encoder { blocks: 2, width: 128, inner: 512, heads: 4, table: 2_048 }
    }

    /// The same without a table of actions.
    #[must_use]
    pub fn without_actions(self) -> Self {
        match self {
            Self::Encoder { blocks, width, inner, heads, .. } => {
                Self::Encoder { blocks, width, inner, heads, table: 0 }
            }
            other => other,
        }
    }

    /// The word that files and tables use.
    #[must_use]
    pub const fn name(&self) -> &'static str {
        match self {
            Self::Linear => "linear",
            Self::Mlp { .. } => "mlp",
            Self::Encoder { .. } => "encoder",
        }
    }
}

impl Spec {
    /// A network for data with this header.
    #[must_use]
    pub fn of(body: Body, header: &Header) -> Self {
        Self { body, columns: header.columns.clone(), context: header.context }
    }

    /// Numbers of a row: the layer, the features, the context.
    #[must_use]
    pub const fn width(&self) -> usize {
        1 + self.columns.len() + self.context
    }

    /// The place of the column of actions, among the features.
    #[must_use]
    pub fn action(&self) -> Option<usize> {
        self.columns.iter().position(|name| name == ACTION)
    }

    /// Features that are numbers: all but the action.
    #[must_use]
    pub fn numbers(&self) -> usize {
        self.columns.len() - usize::from(self.action().is_some())
    }

    /// Numbers that training decides.
    #[must_use]
    pub fn parameters(&self) -> usize {
        self.shapes().iter().filter(|shape| shape.is_learned()).map(Shape::len).sum()
    }

    /// Checks that such a network can be.
    ///
    /// # Errors
    /// See [`SpecError`].
    pub fn check(&self) -> Result<(), SpecError> {
        let within = |what, found: usize, least, most| {
            if (least..=most).contains(&found) { Ok(()) } else { Err(SpecError::Size { what, found, least, most }) }
        };
        within("columns", self.columns.len(), 1, 1024)?;
        within("context", self.context, 0, 1024)?;
        match self.body {
            Body::Linear => Ok(()),
            Body::Mlp { hidden } => within("hidden", hidden, 2, 4096),
            Body::Encoder { blocks, width, inner, heads, table } => {
                within("blocks", blocks, 1, 24)?;
                within("width", width, 4, 1024)?;
                within("inner", inner, 2, 8192)?;
                within("heads", heads, 1, width)?;
                within("table", table, 0, 1_000_000)?;
                if !width.is_multiple_of(heads) {
                    return Err(SpecError::Heads { heads, width });
                }
                if table > 0 && self.action().is_none() { Err(SpecError::Action) } else { Ok(()) }
            }
        }
    }

    /// Its tensors, in the order of the file.
    #[must_use]
    pub fn shapes(&self) -> Vec<Shape> {
        let numbers = self.numbers();
        let mut list = List(Vec::new());
        list.add("input.mean", numbers, 1, Start::Given);
        list.add("input.scale", numbers, 1, Start::Given);
        let wide = match self.body {
            Body::Linear => {
                for head in ["score", "outcome"] {
                    list.add(&format!("{head}.features"), 1, numbers, Start::Zero);
                    list.add(&format!("{head}.context"), 1, self.context, Start::Zero);
                    list.add(&format!("{head}.layers"), LAYERS, 1, Start::Zero);
                }
                return list.0;
            }
            Body::Mlp { hidden } => {
                self.inputs(&mut list, hidden);
                list.linear("hidden", hidden, hidden);
                hidden
            }
            Body::Encoder { blocks, width, inner, table, .. } => {
                self.inputs(&mut list, width);
                list.add("actions", table, width, Start::Small);
                for block in 0..blocks {
                    let name = |part: &str| format!("block.{block}.{part}");
                    list.norm(&name("norm1"), width);
                    for part in ["query", "key", "value", "output"] {
                        list.linear(&name(part), width, width);
                    }
                    list.norm(&name("norm2"), width);
                    list.linear(&name("up"), inner, width);
                    list.linear(&name("down"), width, inner);
                }
                list.norm("norm", width);
                list.linear("head", width / 2, width);
                width / 2
            }
        };
        list.linear("score", LAYERS, wide);
        list.linear("outcome", LAYERS, wide);
        list.0
    }

    /// What makes a vector of a row: features, context, and an embedding of the layer.
    fn inputs(&self, list: &mut List, width: usize) {
        list.add("features", width, self.numbers(), Start::Fan);
        list.add("context", width, self.context, Start::Fan);
        list.add("layers", LAYERS, width, Start::Small);
    }
}

/// Shapes as they are listed; those without numbers are left out.
struct List(Vec<Shape>);

impl List {
    fn add(&mut self, name: &str, rows: usize, columns: usize, start: Start) {
        if rows * columns > 0 {
            self.0.push(Shape { name: name.to_owned(), rows, columns, start });
        }
    }

    fn linear(&mut self, name: &str, rows: usize, columns: usize) {
        self.add(&format!("{name}.weight"), rows, columns, Start::Fan);
        self.add(&format!("{name}.bias"), rows, 1, Start::Zero);
    }

    fn norm(&mut self, name: &str, width: usize) {
        self.add(&format!("{name}.weight"), width, 1, Start::One);
        self.add(&format!("{name}.bias"), width, 1, Start::Zero);
    }
}
