//! The three draws of a network: entry nodes, high-value nodes, vulnerabilities (SPEC 2.1).

use std::cmp::Ordering;

use super::{DrawError, EntryPreference, HighValuePreference, Network, Parameters};
use crate::draws::{Draws, Purpose, Site};

/// What is known of a network for its draws, with room to work in.
#[derive(Clone, Debug)]
pub(crate) struct Special {
    parameters: Parameters,
    /// All nodes, in node order.
    all: Vec<u16>,
    /// The chance of each node to be an entry node; none if they cannot be drawn.
    probabilities: Option<Vec<f64>>,
    /// Hops between all nodes, where the preference asks for them.
    hops: Vec<Option<u16>>,
    means: Vec<(f64, u16)>,
    population: Vec<u16>,
    chosen: Vec<u32>,
}

impl Special {
    /// For a network.
    pub fn new(network: &Network) -> Self {
        let count = network.nodes.len();
        let Parameters { entry_preference, high_value_preference, .. } = network.parameters;
        let hops = match high_value_preference {
            HighValuePreference::None => Vec::new(),
            HighValuePreference::FurthestFromEntry => {
                (0..count).flat_map(|from| hops(&network.neighbours, from)).collect()
            }
        };
        Self {
            parameters: network.parameters,
            all: (0..count as u16).collect(),
            probabilities: probabilities(&network.neighbours, entry_preference),
            hops,
            means: Vec::with_capacity(count),
            population: Vec::with_capacity(count),
            chosen: Vec::with_capacity(count),
        }
    }

    /// Draws entry nodes.
    pub fn entry<D: Draws>(&mut self, draws: &mut D, entry: &mut [bool]) -> Result<(), DrawError> {
        let probabilities = self.probabilities.as_ref().ok_or(DrawError::Entry)?;
        let wanted = usize::try_from(self.parameters.entry_count).map_err(|_| DrawError::Entry)?;
        if wanted > probabilities.iter().filter(|chance| **chance > 0.0).count() {
            return Err(DrawError::Entry);
        }
        self.chosen.clear();
        self.chosen.resize(wanted, 0);
        draws.numpy_choice(Site::new(Purpose::EntryNodes), &self.all, probabilities, &mut self.chosen);
        entry.fill(false);
        self.chosen.iter().for_each(|at| entry[*at as usize] = true);
        Ok(())
    }

    /// Draws high-value nodes.
    pub fn high_value<D: Draws>(
        &mut self,
        draws: &mut D,
        entry: &[bool],
        high_value: &mut [bool],
    ) -> Result<(), DrawError> {
        let count = self.all.len();
        let entries = entry.iter().filter(|is| **is).count();
        if entries == 0 {
            return Err(DrawError::NoEntry);
        }
        let cap = ((count as f64 - entries as f64 + 1.0) * 0.15).ceil() as i64;
        let asked = self.parameters.high_value_count;
        let wanted = if asked > cap || asked <= 0 { cap } else { asked };
        self.population.clear();
        match self.parameters.high_value_preference {
            HighValuePreference::None => {
                self.population.extend(self.all.iter().filter(|node| !entry[**node as usize]));
                draws.arrange(Purpose::HighValueNodes, &mut self.population);
            }
            HighValuePreference::FurthestFromEntry => self.furthest(draws, entry, cap as usize)?,
        }
        self.chosen.clear();
        self.chosen.resize(usize::try_from(wanted).unwrap_or_default().min(self.population.len()), 0);
        draws.sample(Site::new(Purpose::HighValueNodes), &self.population, &mut self.chosen);
        high_value.fill(false);
        self.chosen.iter().for_each(|at| high_value[self.population[*at as usize] as usize] = true);
        Ok(())
    }

    /// The `cap` nodes with the largest mean of hops to the entry nodes, without these. QUIRK: among equal means the
    /// original keeps whichever comes first in a hash set; ours the first in node order, unless a tape says.
    fn furthest<D: Draws>(&mut self, draws: &mut D, entry: &[bool], cap: usize) -> Result<(), DrawError> {
        let count = self.all.len();
        self.means.clear();
        for node in &self.all {
            let (mut sum, mut known) = (0_u32, 0_u32);
            for from in (0..count).filter(|from| entry[*from]) {
                if let Some(hops) = self.hops[from * count + *node as usize] {
                    sum += u32::from(hops);
                    known += 1;
                }
            }
            if known > 0 {
                self.means.push((f64::from(sum) / f64::from(known), *node));
            }
        }
        if self.means.len() < cap {
            return Err(DrawError::Unreachable);
        }
        let further = |one: &(f64, u16), other: &(f64, u16)| {
            other.0.partial_cmp(&one.0).unwrap_or(Ordering::Equal).then(one.1.cmp(&other.1))
        };
        self.means.sort_unstable_by(further);
        let Some(last) = cap.checked_sub(1).map(|at| self.means[at].0) else { return Ok(()) };
        let surely = self.means.iter().take_while(|(mean, _)| *mean > last).count();
        let ties = self.means.iter().filter(|(mean, _)| *mean == last);
        let spare = ties.clone().filter(|(_, node)| entry[*node as usize]).count();
        let must = self.means[..surely].iter().filter(|(_, node)| !entry[*node as usize]);
        if let Some(recorded) = draws.population(Purpose::HighValueNodes) {
            let tied = recorded.iter().filter(|node| ties.clone().any(|(_, tie)| tie == *node)).count();
            let all_there = must.clone().all(|(_, node)| recorded.contains(node));
            let nothing_else = recorded.len() == must.clone().count() + tied;
            let no_entry = recorded.iter().all(|node| !entry[*node as usize]);
            if all_there && nothing_else && no_entry && tied <= cap - surely && tied + spare >= cap - surely {
                self.population.extend_from_slice(recorded);
                return Ok(());
            }
        }
        let furthest = self.means[..cap].iter().map(|(_, node)| *node);
        self.population.extend(furthest.filter(|node| !entry[*node as usize]));
        self.population.sort_unstable();
        Ok(())
    }

    /// Draws vulnerabilities of all nodes.
    pub fn vulnerabilities<D: Draws>(&self, draws: &mut D, vulnerability: &mut [f64]) {
        let Parameters { lower, upper, .. } = self.parameters;
        for value in vulnerability {
            *value = draws.uniform(Site::new(Purpose::Vulnerability), lower, upper);
        }
    }
}

/// Hops from a node to all others.
fn hops(neighbours: &[Vec<u16>], from: usize) -> Vec<Option<u16>> {
    let mut hops = vec![None; neighbours.len()];
    hops[from] = Some(0);
    let mut queue = vec![from];
    let mut next = 0;
    while let Some(node) = queue.get(next).copied() {
        next += 1;
        for other in &neighbours[node] {
            let other = *other as usize;
            if hops[other].is_none() {
                hops[other] = hops[node].map(|hops: u16| hops + 1);
                queue.push(other);
            }
        }
    }
    hops
}

fn probabilities(neighbours: &[Vec<u16>], preference: EntryPreference) -> Option<Vec<f64>> {
    let weights: Vec<f64> = match preference {
        EntryPreference::None => vec![1.0; neighbours.len()],
        EntryPreference::Central => centrality(neighbours).into_iter().map(|x| x.powf(4.0)).collect(),
        EntryPreference::Edge => centrality(neighbours).into_iter().map(|x| (1.0 / x).powf(4.0)).collect(),
    };
    let sum = weights.iter().fold(0.0, |sum, weight| sum + weight);
    // A centrality of 0, which the original cannot divide by either.
    (sum.is_finite() && sum > 0.0).then(|| weights.into_iter().map(|weight| weight / sum).collect())
}

/// The eigenvector centrality, by at most 500 rounds of powers.
fn centrality(neighbours: &[Vec<u16>]) -> Vec<f64> {
    let count = neighbours.len();
    let mut now = vec![1.0 / count as f64; count];
    for _ in 0..500 {
        let last = now.clone();
        for (node, list) in neighbours.iter().enumerate() {
            for other in list {
                now[*other as usize] += last[node];
            }
        }
        let norm = now.iter().fold(0.0, |sum, x| sum + x * x).sqrt();
        let norm = if norm == 0.0 { 1.0 } else { norm };
        now.iter_mut().for_each(|x| *x /= norm);
        let moved = now.iter().zip(&last).fold(0.0, |sum, (x, before)| sum + (x - before).abs());
        if moved < count as f64 * 1e-6 {
            return now;
        }
    }
    vec![0.5; count]
}
