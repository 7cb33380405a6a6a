//! What a training begins with: first weights, and a thread.

use gimbal_core::Rng;

use super::error::TrainError;
use crate::spec::{Shape, Start};

/// The first weights; mean and scale of the inputs are given.
pub fn first(shapes: &[Shape], seed: u64, (mean, scale): (Vec<f32>, Vec<f32>)) -> Vec<Vec<f32>> {
    let mut rng = Rng::stream(seed, "neural/train/start");
    let mut uniform = |count: usize, deviation: f64| -> Vec<f32> {
        let widest = 3.0_f64.sqrt() * deviation;
        (0..count).map(|_| ((rng.unit() * 2.0 - 1.0) * widest) as f32).collect()
    };
    let of = |shape: &Shape| match shape.start {
        Start::Zero => vec![0.0; shape.len()],
        Start::One => vec![1.0; shape.len()],
        Start::Fan => uniform(shape.len(), (1.0 / shape.columns as f64).sqrt()),
        Start::Small => uniform(shape.len(), 0.02),
        Start::Wide => uniform(shape.len(), 1.0),
        Start::Given if shape.name == "input.mean" => mean.clone(),
        Start::Given => scale.clone(),
    };
    shapes.iter().map(of).collect()
}

/// A pool of one thread: candle's products ask rayon for threads, and in it they get one.
pub fn one_thread() -> Result<rayon::ThreadPool, TrainError> {
    let pool = rayon::ThreadPoolBuilder::new().num_threads(1).build();
    pool.map_err(|error| TrainError::Thread(error.to_string()))
}
