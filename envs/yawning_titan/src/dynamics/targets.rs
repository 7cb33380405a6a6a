//! Whom red attacks (SPEC 7).

use super::{Raised, State};
use crate::draws::{Draws, Purpose, Site};
use crate::rules::Targeting;

impl State {
    /// Draws a target; none if there is no candidate. With it comes the node from which it is attacked.
    pub(super) fn target<D: Draws>(&mut self, draws: &mut D) -> Result<Option<(u16, Option<u16>)>, Raised> {
        if self.rules.any_node {
            self.mark_neighbours_of_compromised();
        } else {
            self.marked = false;
            self.scratch.marks.fill(false);
            if let Some(from) = self.location.filter(|_| self.rules.main_node_only) {
                for other in self.now.neighbours(from) {
                    if !self.compromised[*other as usize] {
                        self.scratch.marks[*other as usize] = true;
                        self.scratch.sources[*other as usize] = Some(from);
                    }
                }
            }
        }
        let mut candidates = std::mem::take(&mut self.scratch.nodes);
        candidates.clear();
        for node in &self.by_uuid {
            let at = *node as usize;
            if self.scratch.marks[at] || self.is_way_in(*node) {
                candidates.push(*node);
            }
        }
        let mut weights = std::mem::take(&mut self.scratch.weights);
        weights.clear();
        let chosen = self.weigh(&candidates, &mut weights).map(|()| {
            (!candidates.is_empty()).then(|| {
                let at = draws.weighted(Site::new(Purpose::Target), &candidates, &weights);
                let node = candidates[at];
                // A safe entry node is attacked from nowhere, even next to a compromised one.
                (node, if self.is_way_in(node) { None } else { self.scratch.sources[node as usize] })
            })
        });
        self.scratch.nodes = candidates;
        self.scratch.weights = weights;
        chosen
    }

    #[inline]
    fn is_way_in(&self, node: u16) -> bool {
        self.entry[node as usize] && !self.compromised[node as usize]
    }

    fn weigh(&mut self, candidates: &[u16], weights: &mut Vec<f64>) -> Result<(), Raised> {
        match self.rules.targeting {
            Targeting::Random => weights.extend(candidates.iter().map(|_| 1.0)),
            Targeting::Connected => {
                weights.extend(candidates.iter().map(|node| self.now.neighbours(*node).len() as f64));
            }
            Targeting::Unconnected => weights.extend(candidates.iter().map(|node| {
                let degree = self.now.neighbours(*node).len();
                1.0 / if degree == 0 { 0.1 } else { degree as f64 }
            })),
            Targeting::Vulnerable | Targeting::Resilient => {
                for node in candidates {
                    let vulnerability = self.vulnerability[*node as usize];
                    if vulnerability == 0.0 {
                        return Err(Raised::ZeroDivision);
                    }
                    weights.push(1.0 / vulnerability);
                }
            }
            Targeting::Specific { shortest } => self.weigh_by_hops(candidates, weights, shortest)?,
            Targeting::None => return Err(Raised::NoTarget),
        }
        let sum = weights.iter().fold(0.0, |sum, weight| sum + weight);
        if sum == 0.0 {
            weights.fill(1.0);
        }
        let sum = if sum == 0.0 { weights.len() as f64 } else { sum };
        weights.iter_mut().for_each(|weight| *weight /= sum);
        Ok(())
    }

    fn weigh_by_hops(&mut self, candidates: &[u16], weights: &mut Vec<f64>, shortest: bool) -> Result<(), Raised> {
        let target = self.target.ok_or(Raised::NoTarget)?;
        self.hops_from(target);
        for node in candidates {
            let hops = self.scratch.hops[*node as usize].ok_or(Raised::Key(*node))?;
            weights.push(f64::from(hops));
        }
        if shortest {
            let least = weights.iter().fold(f64::INFINITY, |least, hops| least.min(*hops));
            weights.iter_mut().for_each(|hops| *hops = f64::from(u8::from(*hops == least)));
        } else {
            let sum = weights.iter().fold(0.0, |sum, hops| sum + hops);
            weights.iter_mut().for_each(|hops| *hops = if *hops == 0.0 { 1.0 } else { *hops / sum });
        }
        Ok(())
    }

    fn hops_from(&mut self, target: u16) {
        let mut queue = std::mem::take(&mut self.scratch.others);
        queue.clear();
        queue.push(target);
        let hops = &mut self.scratch.hops;
        hops.fill(None);
        hops[target as usize] = Some(0);
        let mut next = 0;
        while let Some(node) = queue.get(next).copied() {
            next += 1;
            for other in self.now.neighbours(node) {
                if hops[*other as usize].is_none() {
                    hops[*other as usize] = hops[node as usize].map(|hops| hops + 1);
                    queue.push(*other);
                }
            }
        }
        self.scratch.others = queue;
    }
}
