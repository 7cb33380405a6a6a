//! Conflicts as tensors: padded to the most parties and candidates of a batch.

use candle_core::{Device, Result, Tensor};

use crate::data::{Conflict, Dataset};
use crate::spec::{Body, LAYERS, Spec};

/// What is subtracted where something is padding.
const NEVER: f32 = -1e9;

/// A batch of conflicts.
pub struct Batch {
    /// Conflicts.
    pub size: usize,
    /// Parties of each, with padding.
    pub parties: usize,
    /// Features of all parties, normalised; `None` if there are none.
    pub numbers: Option<Tensor>,
    /// Their contexts; `None` if there are none.
    pub context: Option<Tensor>,
    /// One where the party is of the layer, parties x layers.
    pub layers: Tensor,
    /// Places of actions; none without a table.
    pub actions: Option<Tensor>,
    /// 0 for a party, far below for padding: conflicts x 1 x 1 x parties.
    pub absent: Tensor,
    /// One where a candidate keeps a party: conflicts x candidates x parties.
    pub kept: Tensor,
    /// The same, divided by the number of parties that it keeps.
    pub kept_share: Tensor,
    /// 0 for a candidate, far below for padding: conflicts x candidates.
    pub no_candidate: Tensor,
    /// The wanted share of each candidate times the weight of the conflict, over the sum of weights.
    pub target: Tensor,
    /// The weight of each outcome, over the sum of weights.
    pub outcome_weight: Tensor,
    /// One where it turned out well.
    pub outcome: Tensor,
}

/// Mean and inverse deviation of each feature but the action. A feature that is always the same has the scale 0.
pub fn statistics(data: &Dataset) -> (Vec<f32>, Vec<f32>) {
    let columns = &data.header.columns;
    let mut sums = vec![(0.0_f64, 0.0_f64); columns.len()];
    let mut count = 0.0;
    for party in data.conflicts.iter().flat_map(|conflict| &conflict.parties) {
        count += 1.0;
        for (sum, value) in sums.iter_mut().zip(&party.features) {
            sum.0 += f64::from(*value);
            sum.1 += f64::from(*value) * f64::from(*value);
        }
    }
    let numbers = columns.iter().zip(sums).filter(|(name, _)| *name != crate::data::ACTION);
    let of = |(sum, squares): (f64, f64)| {
        let mean = sum / f64::max(count, 1.0);
        let deviation = (squares / f64::max(count, 1.0) - mean * mean).max(0.0).sqrt();
        (mean as f32, if deviation > 1e-6 * (1.0 + mean.abs()) { (1.0 / deviation) as f32 } else { 0.0 })
    };
    numbers.map(|(_, sums)| of(sums)).unzip()
}

/// The shares that training wants of a conflict's candidates: all for the best; where it is tied, half for the best and half for the second (label
/// noise decides which of them is first).
pub fn wanted(conflict: &Conflict) -> Vec<(usize, f32)> {
    let others = conflict.candidates.iter().enumerate().filter(|(place, _)| *place != conflict.best);
    let second = others.max_by(|one, other| one.1.mean.total_cmp(&other.1.mean).then(other.0.cmp(&one.0)));
    match second {
        Some((second, _)) if conflict.tied => vec![(conflict.best, 0.5), (second, 0.5)],
        _ => vec![(conflict.best, 1.0)],
    }
}

impl Batch {
    pub fn new(spec: &Spec, conflicts: &[&Conflict], mean: &[f32], scale: &[f32]) -> Result<Self> {
        let size = conflicts.len();
        let parties = conflicts.iter().map(|conflict| conflict.parties.len()).max().unwrap_or(1);
        let candidates = conflicts.iter().map(|conflict| conflict.candidates.len()).max().unwrap_or(1);
        let (rows, cells) = (size * parties, size * candidates);
        let table = match spec.body {
            Body::Encoder { table, .. } => table,
            Body::Linear | Body::Mlp { .. } => 0,
        };
        let mut numbers = vec![0.0_f32; rows * mean.len()];
        let mut context = vec![0.0_f32; rows * spec.context];
        let mut layers = vec![0.0_f32; rows * LAYERS];
        let mut actions = vec![0_u32; rows];
        let mut absent = vec![NEVER; rows];
        let (mut kept, mut kept_share) = (vec![0.0_f32; cells * parties], vec![0.0_f32; cells * parties]);
        let mut no_candidate = vec![NEVER; cells];
        let (mut target, mut outcome, mut weight) = (vec![0.0_f32; cells], vec![0.0_f32; cells], vec![0.0_f32; cells]);
        let total: f32 = conflicts.iter().map(|conflict| conflict.weight).sum();
        for (index, conflict) in conflicts.iter().enumerate() {
            for (party, described) in conflict.parties.iter().enumerate() {
                let row = index * parties + party;
                absent[row] = 0.0;
                layers[row * LAYERS + described.layer.index()] = 1.0;
                context[row * spec.context..][..spec.context].copy_from_slice(&conflict.context);
                let mut place = row * mean.len();
                let mut number = 0;
                for (column, value) in described.features.iter().enumerate() {
                    if spec.action() == Some(column) {
                        actions[row] = if table == 0 { 0 } else { (*value as usize % table) as u32 };
                    } else {
                        numbers[place] = (value - mean[number]) * scale[number];
                        place += 1;
                        number += 1;
                    }
                }
            }
            let labelled =
                conflict.candidates.iter().filter(|one| one.outcome.is_some() && !one.kept.is_empty()).count();
            for (number, candidate) in conflict.candidates.iter().enumerate() {
                let cell = index * candidates + number;
                no_candidate[cell] = 0.0;
                for party in &candidate.kept {
                    kept[cell * parties + party] = 1.0;
                    kept_share[cell * parties + party] = 1.0 / candidate.kept.len() as f32;
                }
                if let Some(well) = candidate.outcome.filter(|_| !candidate.kept.is_empty()) {
                    outcome[cell] = if well { 1.0 } else { 0.0 };
                    weight[cell] = conflict.weight / total / labelled as f32;
                }
            }
            for (place, share) in wanted(conflict) {
                target[index * candidates + place] = share * conflict.weight / total;
            }
        }
        let device = &Device::Cpu;
        let some = |values: Vec<f32>, width: usize| {
            if width == 0 { Ok(None) } else { Tensor::from_vec(values, (rows, width), device).map(Some) }
        };
        let matrix = |values: Vec<f32>| Tensor::from_vec(values, (size, candidates), device);
        let cube = |values: Vec<f32>| Tensor::from_vec(values, (size, candidates, parties), device);
        Ok(Self {
            size,
            parties,
            numbers: some(numbers, mean.len())?,
            context: some(context, spec.context)?,
            layers: Tensor::from_vec(layers, (rows, LAYERS), device)?,
            actions: if table == 0 { None } else { Some(Tensor::from_vec(actions, rows, device)?) },
            absent: Tensor::from_vec(absent, (size, 1, 1, parties), device)?,
            kept: cube(kept)?,
            kept_share: cube(kept_share)?,
            no_candidate: matrix(no_candidate)?,
            target: matrix(target)?,
            outcome_weight: matrix(weight)?,
            outcome: matrix(outcome)?,
        })
    }
}
