//! The network as candle computes it, and its loss.

use std::collections::BTreeMap;

use candle_core::{D, Device, Result, Tensor, Var};
use gimbal_core::Rng;

use super::adam::Gradients;
use super::batch::Batch;
use crate::data::Dataset;
use crate::net::{NORM_EPSILON, Said};
use crate::spec::{Body, Shape, Spec};

/// Learned tensors by name.
pub struct Variables(BTreeMap<String, Var>);

/// What is left out while training.
pub struct Dropout<'r> {
    /// The share of numbers.
    pub share: f32,
    /// Where it is drawn from.
    pub rng: &'r mut Rng,
}

impl Dropout<'_> {
    pub fn apply(&mut self, tensor: Tensor) -> Result<Tensor> {
        if self.share <= 0.0 {
            return Ok(tensor);
        }
        // 16 bits for each number: four numbers of a draw.
        let least = (f64::from(self.share) * 65_536.0) as u64;
        let scale = 1.0 / (1.0 - self.share);
        let count = tensor.elem_count();
        let mut mask = Vec::with_capacity(count + 3);
        while mask.len() < count {
            let bits = self.rng.next_u64();
            mask.extend((0..4).map(|part| if (bits >> (16 * part)) & 0xffff < least { 0.0 } else { scale }));
        }
        mask.truncate(count);
        tensor.mul(&Tensor::from_vec(mask, tensor.shape(), tensor.device())?)
    }
}

fn shape(shape: &Shape) -> Vec<usize> {
    if shape.columns == 1 { vec![shape.rows] } else { vec![shape.rows, shape.columns] }
}

impl Variables {
    pub fn new(shapes: &[Shape], values: &[Vec<f32>]) -> Result<Self> {
        let mut named = BTreeMap::new();
        for (one, values) in shapes.iter().zip(values).filter(|(one, _)| one.is_learned()) {
            let tensor = Tensor::from_slice(values, shape(one), &Device::Cpu)?;
            named.insert(one.name.clone(), Var::from_tensor(&tensor)?);
        }
        Ok(Self(named))
    }

    /// A loss and its gradients, in the order of the shapes; none for a tensor that the loss does not depend on.
    pub fn gradients(&self, shapes: &[Shape], loss: &Tensor) -> Result<(f32, Gradients)> {
        let mut made = loss.backward()?;
        let mut gradients = Vec::with_capacity(shapes.len());
        for shape in shapes {
            let gradient = self.0.get(&shape.name).and_then(|variable| made.remove(variable.as_tensor()));
            gradients.push(gradient.map(|gradient| gradient.flatten_all()?.to_vec1::<f32>()).transpose()?);
        }
        Ok((loss.to_scalar::<f32>()?, gradients))
    }

    /// A tensor that is learned.
    pub fn named(&self, name: &str) -> Result<&Tensor> {
        self.0
            .get(name)
            .map(Var::as_tensor)
            .ok_or_else(|| candle_core::Error::Msg(format!("there is no tensor `{name}`")))
    }

    fn linear(&self, name: &str, input: &Tensor) -> Result<Tensor> {
        input.matmul(&self.named(&format!("{name}.weight"))?.t()?)?.broadcast_add(self.named(&format!("{name}.bias"))?)
    }

    fn norm(&self, name: &str, input: &Tensor) -> Result<Tensor> {
        let centred = input.broadcast_sub(&input.mean_keepdim(D::Minus1)?)?;
        let variance = centred.sqr()?.mean_keepdim(D::Minus1)?;
        let normed = centred.broadcast_div(&(variance + f64::from(NORM_EPSILON))?.sqrt()?)?;
        normed
            .broadcast_mul(self.named(&format!("{name}.weight"))?)?
            .broadcast_add(self.named(&format!("{name}.bias"))?)
    }

    /// Score and outcome of each party of a batch: two vectors of conflicts x parties.
    pub fn outputs(&self, spec: &Spec, batch: &Batch, dropout: &mut Dropout<'_>) -> Result<[Tensor; 2]> {
        if spec.body == Body::Linear {
            let of = |head: &str| {
                let mut sum = batch.layers.matmul(&self.named(&format!("{head}.layers"))?.unsqueeze(1)?)?;
                for (name, input) in [("features", &batch.numbers), ("context", &batch.context)] {
                    if let Some(input) = input {
                        let weight = self.named(&format!("{head}.{name}"))?;
                        let weight = weight.reshape((weight.elem_count(), 1))?;
                        sum = (sum + input.matmul(&weight)?)?;
                    }
                }
                sum.squeeze(1)
            };
            return Ok([of("score")?, of("outcome")?]);
        }
        let mut state = batch.layers.matmul(self.named("layers")?)?;
        for (name, input) in [("features", &batch.numbers), ("context", &batch.context)] {
            if let Some(input) = input {
                let weight = self.named(name)?;
                let weight = if weight.rank() == 1 { weight.unsqueeze(1)? } else { weight.clone() };
                state = (state + input.matmul(&weight.t()?)?)?;
            }
        }
        if let Some(actions) = &batch.actions {
            state = (state + self.named("actions")?.index_select(actions, 0)?)?;
        }
        let last = match spec.body {
            Body::Encoder { blocks, heads, .. } => self.encoder(blocks, heads, state, batch, dropout)?,
            _ => {
                let hidden = dropout.apply(state.gelu_erf()?)?;
                dropout.apply(self.linear("hidden", &hidden)?.gelu_erf()?)?
            }
        };
        let of = |head: &str| self.linear(head, &last)?.mul(&batch.layers)?.sum(1);
        Ok([of("score")?, of("outcome")?])
    }

    fn encoder(
        &self,
        blocks: usize,
        heads: usize,
        state: Tensor,
        batch: &Batch,
        dropout: &mut Dropout<'_>,
    ) -> Result<Tensor> {
        let (rows, width) = state.dims2()?;
        let (size, parties) = (batch.size, batch.parties);
        let mut state = dropout.apply(state)?;
        for block in 0..blocks {
            let name = |part: &str| format!("block.{block}.{part}");
            let normed = self.norm(&name("norm1"), &state)?;
            let split = |part: &str| {
                let made = self.linear(&name(part), &normed)?;
                made.reshape((size, parties, heads, width / heads))?.transpose(1, 2)?.contiguous()
            };
            let (query, key, value) = (split("query")?, split("key")?, split("value")?);
            let scale = 1.0 / ((width / heads) as f64).sqrt();
            let logits = (query.matmul(&key.transpose(2, 3)?.contiguous()?)? * scale)?.broadcast_add(&batch.absent)?;
            let shares = exponentials(&logits)?;
            let shares = shares.broadcast_div(&shares.sum_keepdim(D::Minus1)?)?;
            let mixed = shares.matmul(&value)?.transpose(1, 2)?.contiguous()?.reshape((rows, width))?;
            state = (state + dropout.apply(self.linear(&name("output"), &mixed)?)?)?;
            let normed = self.norm(&name("norm2"), &state)?;
            let inner = self.linear(&name("up"), &normed)?.gelu_erf()?;
            state = (state + dropout.apply(self.linear(&name("down"), &inner)?)?)?;
        }
        self.linear("head", &self.norm("norm", &state)?)?.gelu_erf()
    }

    /// The loss of a batch: cross-entropy over candidates, and `outcome` times the binary one over outcomes.
    pub fn loss(&self, spec: &Spec, batch: &Batch, outcome: f64, dropout: &mut Dropout<'_>) -> Result<Tensor> {
        let [scores, outcomes] = self.outputs(spec, batch, dropout)?;
        let column = |values: Tensor| values.reshape((batch.size, batch.parties, 1));
        let logits = (batch.kept.matmul(&column(scores)?)?.squeeze(2)? + &batch.no_candidate)?;
        let most = logits.max_keepdim(D::Minus1)?.detach();
        let shifted = logits.broadcast_sub(&most)?;
        let logs = shifted.broadcast_sub(&shifted.exp()?.sum_keepdim(D::Minus1)?.log()?)?;
        let cross = batch.target.mul(&logs)?.sum_all()?.neg()?;
        // The logistic function by the hyperbolic tangent, which cannot overflow.
        let chances = (((outcomes * 0.5)?.tanh()? + 1.0)? * 0.5)?;
        let chances = batch.kept_share.matmul(&column(chances)?)?.squeeze(2)?.clamp(1e-6_f64, 1.0 - 1e-6)?;
        let well = batch.outcome.mul(&chances.log()?)?;
        let badly = batch.outcome.affine(-1.0, 1.0)?.mul(&chances.affine(-1.0, 1.0)?.log()?)?;
        let binary = batch.outcome_weight.mul(&(well + badly)?)?.sum_all()?.neg()?;
        cross + (binary * outcome)?
    }
}

/// Exponentials of the differences to the highest value along the last dimension.
fn exponentials(logits: &Tensor) -> Result<Tensor> {
    logits.broadcast_sub(&logits.max_keepdim(D::Minus1)?.detach())?.exp()
}

/// What candle makes of the parties of some conflicts, one after the other, without dropout: for comparison with the plain inference. `values` are all
/// tensors of the network, in the order of its shapes.
///
/// # Errors
/// When shapes do not agree.
pub fn forward(spec: &Spec, values: &[Vec<f32>], data: &Dataset) -> Result<Vec<Said>> {
    let shapes = spec.shapes();
    let given = |name: &str| {
        let place = shapes.iter().position(|shape| shape.name == name);
        place.and_then(|place| values.get(place)).cloned().unwrap_or_default()
    };
    let conflicts: Vec<_> = data.conflicts.iter().collect();
    let batch = Batch::new(spec, &conflicts, &given("input.mean"), &given("input.scale"))?;
    let mut rng = Rng::stream(0, "");
    let variables = Variables::new(&shapes, values)?;
    let [scores, outcomes] = variables.outputs(spec, &batch, &mut Dropout { share: 0.0, rng: &mut rng })?;
    let (scores, outcomes) = (scores.to_vec1::<f32>()?, outcomes.to_vec1::<f32>()?);
    let mut said = Vec::new();
    for (index, conflict) in conflicts.iter().enumerate() {
        for party in 0..conflict.parties.len() {
            let row = index * batch.parties + party;
            said.push(Said { score: scores[row], outcome: outcomes[row] });
        }
    }
    Ok(said)
}
