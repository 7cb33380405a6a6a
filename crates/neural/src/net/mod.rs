//! Networks with weights: scores of the parties of a conflict (Eq. 25; CTHA-077, CTHA-082).

mod card;
mod encoder;
mod facts;
mod parts;

use gimbal_core::{Digest, Scorer};
use serde::{Deserialize, Serialize};

use crate::data::Header;
use crate::embed::Hashed;
use crate::kernels::Values;
use crate::math::sigmoid;
use crate::spec::{Body, LAYERS, Spec};
use crate::weights::{self, File, WeightsError};
use encoder::Encoder;
use parts::{Inputs, Linear, Tensors};

pub use card::{Card, Epoch};
pub use facts::NetFacts;
#[cfg(feature = "train")]
pub(crate) use parts::NORM_EPSILON;
pub use parts::Scratch;

/// What a file of the arbiter's weights says that it is.
pub const WHAT: &str = "arbiter";

#[derive(Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
struct About {
    spec: Spec,
    card: Card,
}

/// A network with weights.
#[derive(Clone, Debug)]
pub struct Net {
    spec: Spec,
    card: Card,
    digest: Digest,
    eight: bool,
    inputs: Inputs,
    body: Loaded,
}

#[derive(Clone, Debug)]
enum Loaded {
    Linear { heads: [LinearHead; 2] },
    Mlp { hidden: Linear, score: Linear, outcome: Linear },
    Encoder(Encoder),
}

#[derive(Clone, Debug)]
struct LinearHead {
    features: Vec<f32>,
    context: Vec<f32>,
    layers: Vec<f32>,
}

/// What a network says of a party.
#[derive(Clone, Copy, Debug, Default, PartialEq)]
pub struct Said {
    /// Its score, in units of a logarithm of odds.
    pub score: f32,
    /// The logarithm of the odds that a resolution in its favour turns out well.
    pub outcome: f32,
}

impl Net {
    /// Reads a file of weights.
    ///
    /// # Errors
    /// See [`WeightsError`].
    pub fn read(bytes: &[u8]) -> Result<Self, WeightsError> {
        let file = File::read(bytes)?;
        Self::of(file, File::digest(bytes).unwrap_or_default())
    }

    /// The network of a file with this digest.
    ///
    /// # Errors
    /// When the file holds something else, or tensors that its network does not have.
    pub fn of(file: File, digest: Digest) -> Result<Self, WeightsError> {
        if file.what != WHAT {
            return Err(WeightsError::What { found: file.what, expected: WHAT });
        }
        let About { spec, card } =
            serde_json::from_value(file.about).map_err(|error| WeightsError::Header(error.to_string()))?;
        spec.check()?;
        let eight = file.tensors.iter().any(|tensor| matches!(tensor.values, Values::Q8 { .. }));
        let mut tensors = Tensors::new(&spec, file.tensors)?;
        let inputs = Inputs::new(&spec, &mut tensors);
        let body = match spec.body {
            Body::Linear => Loaded::Linear {
                heads: ["score", "outcome"].map(|head| LinearHead {
                    features: tensors.vector(&format!("{head}.features")),
                    context: tensors.vector(&format!("{head}.context")),
                    layers: tensors.vector(&format!("{head}.layers")),
                }),
            },
            Body::Mlp { .. } => Loaded::Mlp {
                hidden: tensors.linear("hidden"),
                score: tensors.linear("score"),
                outcome: tensors.linear("outcome"),
            },
            Body::Encoder { blocks, width, heads, .. } => {
                Loaded::Encoder(Encoder::new(blocks, width, heads, &mut tensors))
            }
        };
        Ok(Self { spec, card, digest, eight, inputs, body })
    }

    /// The file of a network with these tensors, in the order of its shapes. With `eight`, every matrix whose rows are whole blocks of 32 is in
    /// Q8_0.
    ///
    /// # Errors
    /// When the header cannot be written.
    pub fn file(spec: &Spec, card: &Card, tensors: &[Vec<f32>], eight: bool) -> Result<Vec<u8>, WeightsError> {
        let about = about(spec, card)?;
        let tensors = weights::tensors(&spec.shapes(), "", tensors, eight);
        File { what: WHAT.to_owned(), about, tensors }.write()
    }

    /// What it is made of.
    #[must_use]
    pub const fn spec(&self) -> &Spec {
        &self.spec
    }

    /// How it was made.
    #[must_use]
    pub const fn card(&self) -> &Card {
        &self.card
    }

    /// The digest of its file.
    #[must_use]
    pub const fn digest(&self) -> Digest {
        self.digest
    }

    /// Checks that data have the features that it was made for.
    ///
    /// # Errors
    /// When columns or context differ.
    pub fn fits(&self, header: &Header) -> Result<(), WeightsError> {
        if self.spec.columns != header.columns {
            return Err(WeightsError::Columns { found: self.spec.columns.clone(), expected: header.columns.clone() });
        }
        if self.spec.context != header.context {
            return Err(WeightsError::Context { found: self.spec.context, expected: header.context });
        }
        Ok(())
    }

    /// What it says of the parties of several conflicts at once: `rows` of all of them, one after the other, and how many each has. A conflict
    /// gets the same bits beside others as alone. Rows of another width are taken for rows of zeros.
    #[must_use]
    pub fn forward(&self, rows: &[&[f32]], counts: &[usize], scratch: &mut Scratch) -> Vec<Said> {
        self.inputs.read(rows, scratch);
        match &self.body {
            Loaded::Linear { heads } => {
                let sum = |head: &LinearHead, party: usize, scratch: &Scratch| {
                    let numbers = &scratch.numbers[party * head.features.len()..][..head.features.len()];
                    let context = &scratch.context[party * head.context.len()..][..head.context.len()];
                    let products =
                        crate::kernels::dot(&head.features, numbers) + crate::kernels::dot(&head.context, context);
                    products + head.layers[scratch.layers[party]]
                };
                let [score, outcome] = heads;
                let of = |party| Said { score: sum(score, party, scratch), outcome: sum(outcome, party, scratch) };
                (0..rows.len()).map(of).collect()
            }
            Loaded::Mlp { hidden, score, outcome } => {
                self.inputs.embed(scratch);
                crate::kernels::gelu(&mut scratch.state);
                hidden.apply(&scratch.state, &mut scratch.one, &mut scratch.spare);
                crate::kernels::gelu(&mut scratch.one);
                said(score, outcome, scratch)
            }
            Loaded::Encoder(encoder) => {
                self.inputs.embed(scratch);
                encoder.forward(counts, scratch);
                said(&encoder.score, &encoder.outcome, scratch)
            }
        }
    }

    /// Scores and chances of outcomes of several conflicts at once, both in thousandths: for each what [`Scorer::score`] and [`Scorer::outcome`] give
    /// it alone (CTHA-082).
    #[must_use]
    pub fn together(&self, conflicts: &[Vec<Vec<f32>>]) -> Vec<(Vec<i64>, Vec<i64>)> {
        let rows: Vec<&[f32]> = conflicts.iter().flatten().map(Vec::as_slice).collect();
        let counts: Vec<usize> = conflicts.iter().map(Vec::len).collect();
        let mut said = self.forward(&rows, &counts, &mut Scratch::default()).into_iter();
        let of = |count: &usize| {
            let parties: Vec<Said> = said.by_ref().take(*count).collect();
            let score = |one: &Said| if *count < 2 { 0 } else { thousandths(one.score) };
            (parties.iter().map(score).collect(), parties.iter().map(|one| thousandths(sigmoid(one.outcome))).collect())
        };
        counts.iter().map(of).collect()
    }

    fn alone(&self, parties: &[Vec<f32>]) -> Vec<Said> {
        let rows: Vec<&[f32]> = parties.iter().map(Vec::as_slice).collect();
        self.forward(&rows, &[rows.len()], &mut Scratch::default())
    }
}

/// Score and outcome of each party, whose last vectors are in `scratch.one`: those of its own layer (CTHA-R10).
fn said(score: &Linear, outcome: &Linear, scratch: &mut Scratch) -> Vec<Said> {
    score.apply(&scratch.one, &mut scratch.two, &mut scratch.spare);
    let mut said: Vec<Said> = scratch
        .two
        .chunks_exact(LAYERS)
        .zip(&scratch.layers)
        .map(|(outputs, layer)| Said { score: outputs[*layer], outcome: 0.0 })
        .collect();
    outcome.apply(&scratch.one, &mut scratch.two, &mut scratch.spare);
    for ((said, outputs), layer) in said.iter_mut().zip(scratch.two.chunks_exact(LAYERS)).zip(&scratch.layers) {
        said.outcome = outputs[*layer];
    }
    said
}

/// What a file says of its network.
pub(crate) fn about(spec: &Spec, card: &Card) -> Result<serde_json::Value, WeightsError> {
    let about = About { spec: spec.clone(), card: card.clone() };
    serde_json::to_value(about).map_err(|error| WeightsError::Header(error.to_string()))
}

/// A number in thousandths; what is beyond a million counts as a million.
fn thousandths(value: f32) -> i64 {
    (value.clamp(-1e6, 1e6) * 1000.0).round() as i64
}

impl Scorer for Net {
    fn identity(&self) -> String {
        let form = if self.eight { "q8_0" } else { "f32" };
        format!("{}/{form}/{}/{}", self.spec.body.name(), weights::VERSION, self.digest)
    }

    fn width(&self) -> usize {
        self.spec.width()
    }

    /// The hashed vector of the text, as long as the network reads one.
    fn context(&self, text: &str) -> Vec<f32> {
        Hashed::vector(text, self.spec.context)
    }

    /// Scores in thousandths. A single party is in no conflict: it gets 0, and the network is passed over (CTHA-082).
    fn score(&self, parties: &[Vec<f32>]) -> Vec<i64> {
        if parties.len() < 2 {
            return vec![0; parties.len()];
        }
        self.alone(parties).iter().map(|said| thousandths(said.score)).collect()
    }

    fn outcome(&self, parties: &[Vec<f32>]) -> Vec<i64> {
        self.alone(parties).iter().map(|said| thousandths(sigmoid(said.outcome))).collect()
    }
}
