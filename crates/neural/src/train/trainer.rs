//! The loop of training.

use gimbal_core::{Digest, Rng};

use super::adam::{Adam, Gradients};
use super::batch::{Batch, statistics};
use super::checkpoint::State;
use super::error::TrainError;
use super::graph::{Dropout, Variables};
use super::start::{first, one_thread};
use super::validation::loss;
use crate::data::{Conflict, DataError, Dataset, Problem};
use crate::net::{self, Card, Epoch, Net};
use crate::preset::Settings;
use crate::spec::{Shape, Spec};
use crate::weights::{self, File};

/// A training, from its first weights to the last epoch.
pub struct Trainer {
    settings: Settings,
    spec: Spec,
    shapes: Vec<Shape>,
    training: Dataset,
    validation: Dataset,
    card: Card,
    fingerprint: Digest,
    pool: rayon::ThreadPool,
    state: State,
}

impl Trainer {
    /// A training on two parts of some data. Conflicts with one party or one candidate teach nothing and are left out. `card` says what is known
    /// of the data: their digest, what was changed, the preset; the rest of it is filled in.
    ///
    /// # Errors
    /// When a part is empty, or data and settings do not agree.
    pub fn new(settings: Settings, training: Dataset, validation: Dataset, card: Card) -> Result<Self, TrainError> {
        let spec = Spec::of(settings.body.clone(), &training.header);
        spec.check()?;
        if training.header != validation.header {
            let problem = Problem::Form("the headers of the two parts differ".to_owned());
            return Err(DataError { line: 1, problem }.into());
        }
        let counts = (training.conflicts.len() + validation.conflicts.len(), episodes(&[&training, &validation]));
        let of_use = |conflict: &Conflict| conflict.parties.len() > 1 && conflict.candidates.len() > 1;
        let (training, validation) = (training.only(of_use), validation.only(of_use));
        for (part, data) in [("training", &training), ("validation", &validation)] {
            if data.conflicts.is_empty() {
                return Err(TrainError::Empty { part, conflicts: counts.0, episodes: counts.1 });
            }
        }
        let fingerprint = Digest::of_parts(&[
            format!("{settings:?}{card:?}").as_bytes(),
            training.write()?.as_bytes(),
            validation.write()?.as_bytes(),
        ]);
        let card = Card {
            seed: settings.seed,
            trained_on: training.conflicts.len() as u64,
            validated_on: validation.conflicts.len() as u64,
            ..card
        };
        let shapes = spec.shapes();
        let values = first(&shapes, settings.seed, statistics(&training));
        let state = State {
            adam: Adam::new(&values),
            best: values.clone(),
            values,
            best_epoch: 0,
            best_loss: i64::MAX,
            history: Vec::new(),
        };
        let pool = one_thread()?;
        Ok(Self { settings, spec, shapes, training, validation, card, fingerprint, pool, state })
    }

    /// Goes on from a checkpoint of the same training.
    ///
    /// # Errors
    /// When it cannot be read, or belongs to other settings or data.
    pub fn resume(&mut self, checkpoint: &[u8]) -> Result<(), TrainError> {
        self.state = State::read(File::read(checkpoint)?, &self.shapes, self.fingerprint)?;
        Ok(())
    }

    /// A file from which [`Trainer::resume`] goes on.
    ///
    /// # Errors
    /// When its header cannot be written.
    pub fn checkpoint(&self) -> Result<Vec<u8>, TrainError> {
        Ok(self.state.write(&self.shapes, self.fingerprint)?)
    }

    /// What it is made of.
    #[must_use]
    pub const fn spec(&self) -> &Spec {
        &self.spec
    }

    /// Epochs so far.
    #[must_use]
    pub fn history(&self) -> &[Epoch] {
        &self.state.history
    }

    /// Whether training is over: all epochs are done, or the last ones brought no better validation loss.
    #[must_use]
    pub fn is_done(&self) -> bool {
        let done = self.done();
        done >= self.settings.epochs || (done > 0 && done - self.state.best_epoch >= self.settings.patience)
    }

    fn done(&self) -> u32 {
        u32::try_from(self.state.history.len()).unwrap_or(u32::MAX)
    }

    /// Trains for one epoch.
    ///
    /// # Errors
    /// When the loss is not finite any more, or the tensor library refuses.
    pub fn epoch(&mut self) -> Result<Epoch, TrainError> {
        let epoch = self.done() + 1;
        let mut order: Vec<usize> = (0..self.training.conflicts.len()).collect();
        let mut rng = Rng::stream(self.settings.seed, &format!("neural/train/order/{epoch}"));
        for last in (1..order.len()).rev() {
            order.swap(last, rng.below(last as u64 + 1) as usize);
        }
        let batches: Vec<&[usize]> = order.chunks(self.settings.batch.max(1)).collect();
        let steps = batches.len() as u64 * u64::from(self.settings.epochs);
        let mut drops = Rng::stream(self.settings.seed, &format!("neural/train/dropout/{epoch}"));
        let mut sum = 0.0;
        for batch in &batches {
            let conflicts: Vec<&Conflict> = batch.iter().map(|place| &self.training.conflicts[*place]).collect();
            let mut dropout = Dropout { share: self.settings.dropout as f32 / 1000.0, rng: &mut drops };
            let (settings, spec, shapes, values) = (&self.settings, &self.spec, &self.shapes, &self.state.values);
            let (loss, gradients) =
                self.pool.install(|| step(settings, spec, shapes, values, &conflicts, &mut dropout))?;
            if !loss.is_finite() {
                return Err(TrainError::Diverged { epoch });
            }
            sum += f64::from(loss);
            let rate = self.settings.optimiser.rate_at(self.state.adam.steps, steps);
            self.state.adam.step(&self.settings.optimiser, rate, &mut self.state.values, &gradients);
        }
        let net = self.net(&self.state.values)?;
        let validation_loss = loss(&net, &self.validation, f64::from(self.settings.outcome) / 1000.0);
        let training_loss = (sum / batches.len().max(1) as f64 * 1e6).round() as i64;
        let made = Epoch { epoch, training_loss, validation_loss };
        self.state.history.push(made);
        if validation_loss < self.state.best_loss {
            self.state.best_loss = validation_loss;
            self.state.best_epoch = epoch;
            self.state.best.clone_from(&self.state.values);
        }
        Ok(made)
    }

    /// All tensors of the best epoch so far, in the order of the network's shapes.
    #[must_use]
    pub fn best(&self) -> &[Vec<f32>] {
        &self.state.best
    }

    /// The file of the weights of the best epoch so far; with `eight` in Q8_0.
    ///
    /// # Errors
    /// When its header cannot be written.
    pub fn weights(&self, eight: bool) -> Result<Vec<u8>, TrainError> {
        let card = Card {
            epochs: self.done(),
            best_epoch: self.state.best_epoch,
            validation_loss: if self.state.best_epoch == 0 { 0 } else { self.state.best_loss },
            history: self.state.history.clone(),
            ..self.card.clone()
        };
        Ok(Net::file(&self.spec, &card, &self.state.best, eight)?)
    }

    fn net(&self, values: &[Vec<f32>]) -> Result<Net, TrainError> {
        let file = File {
            what: net::WHAT.to_owned(),
            about: net::about(&self.spec, &self.card)?,
            tensors: weights::tensors(&self.shapes, "", values, false),
        };
        Ok(Net::of(file, Digest::default())?)
    }
}

/// Loss and gradients of a batch.
fn step(
    settings: &Settings,
    spec: &Spec,
    shapes: &[Shape],
    values: &[Vec<f32>],
    conflicts: &[&Conflict],
    dropout: &mut Dropout<'_>,
) -> Result<(f32, Gradients), candle_core::Error> {
    let given = |name: &str| {
        let place = shapes.iter().position(|shape| shape.name == name);
        place.map_or(&[][..], |place| values[place].as_slice())
    };
    let batch = Batch::new(spec, conflicts, given("input.mean"), given("input.scale"))?;
    let variables = Variables::new(shapes, values)?;
    let loss = variables.loss(spec, &batch, f64::from(settings.outcome) / 1000.0, dropout)?;
    variables.gradients(shapes, &loss)
}

fn episodes(parts: &[&Dataset]) -> usize {
    let conflicts = parts.iter().flat_map(|part| &part.conflicts);
    conflicts.map(|conflict| (&conflict.environment, conflict.seed)).collect::<std::collections::BTreeSet<_>>().len()
}
