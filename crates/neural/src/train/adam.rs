//! AdamW in plain Rust, so that its state can be stored and read again.

use crate::preset::Optimiser;

/// A gradient for each tensor; none for one that the loss does not depend on.
pub type Gradients = Vec<Option<Vec<f32>>>;

/// State of the optimiser: two moments for each number.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct Adam {
    /// Steps that were made.
    pub steps: u64,
    /// Means of gradients, by tensor.
    pub first: Vec<Vec<f32>>,
    /// Means of squared gradients, by tensor.
    pub second: Vec<Vec<f32>>,
}

impl Adam {
    pub fn new(values: &[Vec<f32>]) -> Self {
        let zeros: Vec<Vec<f32>> = values.iter().map(|values| vec![0.0; values.len()]).collect();
        Self { steps: 0, first: zeros.clone(), second: zeros }
    }

    /// One step. Gradients that are longer together than the settings allow are shortened; tensors without one stay.
    pub fn step(&mut self, settings: &Optimiser, rate: f64, values: &mut [Vec<f32>], gradients: &[Option<Vec<f32>>]) {
        let squares =
            gradients.iter().flatten().flatten().fold(0.0_f64, |sum, one| sum + f64::from(*one) * f64::from(*one));
        let (length, longest) = (squares.sqrt(), f64::from(settings.clip) / 1000.0);
        let shorten = if length > longest { (longest / length) as f32 } else { 1.0 };
        self.steps += 1;
        let steps = i32::try_from(self.steps).unwrap_or(i32::MAX);
        let (beta1, beta2) = (f64::from(settings.beta1) / 1000.0, f64::from(settings.beta2) / 1000.0);
        let rate1 = (rate / (1.0 - beta1.powi(steps))) as f32;
        let scale2 = (1.0 / (1.0 - beta2.powi(steps))) as f32;
        let shrink = 1.0 - (rate * f64::from(settings.decay) / 1000.0) as f32;
        let (beta1, beta2) = (beta1 as f32, beta2 as f32);
        for (place, gradient) in gradients.iter().enumerate() {
            let Some(gradient) = gradient else { continue };
            let moments = self.first[place].iter_mut().zip(self.second[place].iter_mut());
            for ((value, gradient), (first, second)) in values[place].iter_mut().zip(gradient).zip(moments) {
                let gradient = gradient * shorten;
                *first = beta1 * *first + (1.0 - beta1) * gradient;
                *second = beta2 * *second + (1.0 - beta2) * gradient * gradient;
                *value = *value * shrink - rate1 * *first / ((*second * scale2).sqrt() + 1e-8);
            }
        }
    }
}
