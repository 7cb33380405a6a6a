//! Training of the classifier of authority: binary cross-entropy for each layer, batch 512, 1e-3 with a cosine, 500 steps of warm-up, 30 epochs,
//! AdamW 0.9 and 0.999, decay 0.01, dropout 0.1 (Tab. 24).

use candle_core::{Device, Result, Tensor};
use gimbal_core::Rng;
use gimbal_temporal::authority::Authority;

use super::adam::{Adam, Gradients};
use super::error::TrainError;
use super::graph::{Dropout, Variables};
use super::start::{first, one_thread};
use crate::authority::examples::{Example, labels};
use crate::authority::{Classifier, Form};
use crate::embed::Hashed;
use crate::preset::Optimiser;
use crate::spec::{LAYERS, Shape};

const BATCH: usize = 512;
const OPTIMISER: Optimiser = Optimiser { rate: 1_000, warm_up: 500, beta1: 900, beta2: 999, decay: 10, clip: 1_000 };
const DROPOUT: f32 = 0.1;

/// Trains a classifier for so many epochs (the work has 30) and returns its weights as a file, in Q8_0 with `eight`.
///
/// # Errors
/// When there is no example, the loss is not finite any more, or the tensor library refuses.
pub fn classifier(
    form: Form,
    authority: &Authority,
    examples: &[Example],
    epochs: u32,
    seed: u64,
    eight: bool,
) -> std::result::Result<Vec<u8>, TrainError> {
    if examples.is_empty() {
        return Err(TrainError::Empty { part: "training", conflicts: 0, episodes: 0 });
    }
    let shapes = form.shapes();
    let mut values = first(&shapes, seed, (Vec::new(), Vec::new()));
    let mut adam = Adam::new(&values);
    let pool = one_thread()?;
    let steps = (examples.len().div_ceil(BATCH) as u64) * u64::from(epochs);
    for epoch in 1..=epochs {
        let mut order: Vec<usize> = (0..examples.len()).collect();
        let mut rng = Rng::stream(seed, &format!("neural/authority/order/{epoch}"));
        for last in (1..order.len()).rev() {
            order.swap(last, rng.below(last as u64 + 1) as usize);
        }
        let mut drops = Rng::stream(seed, &format!("neural/authority/dropout/{epoch}"));
        for batch in order.chunks(BATCH) {
            let chosen: Vec<&Example> = batch.iter().map(|place| &examples[*place]).collect();
            let mut dropout = Dropout { share: DROPOUT, rng: &mut drops };
            let (loss, gradients) = pool.install(|| step(form, &shapes, &values, authority, &chosen, &mut dropout))?;
            if !loss.is_finite() {
                return Err(TrainError::Diverged { epoch });
            }
            let rate = OPTIMISER.rate_at(adam.steps, steps);
            adam.step(&OPTIMISER, rate, &mut values, &gradients);
        }
    }
    Ok(Classifier::file(form, &values, eight)?)
}

fn step(
    form: Form,
    shapes: &[Shape],
    values: &[Vec<f32>],
    authority: &Authority,
    examples: &[&Example],
    dropout: &mut Dropout<'_>,
) -> Result<(f32, Gradients)> {
    let device = &Device::Cpu;
    let inputs: Vec<f32> = examples.iter().flat_map(|one| Hashed::vector(&one.words, form.features)).collect();
    let wanted: Vec<f32> = examples
        .iter()
        .flat_map(|one| labels(authority, one))
        .map(|permitted| if permitted { 1.0 } else { 0.0 })
        .collect();
    let wanted = Tensor::from_vec(wanted, (examples.len(), LAYERS), device)?;
    let variables = Variables::new(shapes, values)?;
    let inputs = Tensor::from_vec(inputs, (examples.len(), form.features), device)?;
    let mut state = inputs.matmul(variables.named("table")?)?.broadcast_add(variables.named("table.bias")?)?;
    for layer in 1..=form.hidden {
        let hidden = dropout.apply(state.gelu_erf()?)?;
        let map = variables.named(&format!("map.{layer}"))?;
        state = hidden.matmul(&map.t()?)?.broadcast_add(variables.named(&format!("map.{layer}.bias"))?)?;
    }
    let chances = (((state * 0.5)?.tanh()? + 1.0)? * 0.5)?.clamp(1e-6_f64, 1.0 - 1e-6)?;
    let well = wanted.mul(&chances.log()?)?;
    let badly = wanted.affine(-1.0, 1.0)?.mul(&chances.affine(-1.0, 1.0)?.log()?)?;
    let loss = (well + badly)?.mean_all()?.neg()?;
    variables.gradients(shapes, &loss)
}
