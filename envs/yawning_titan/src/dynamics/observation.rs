//! What blue sees, as a vector (SPEC 9). Computed in double precision, then rounded.

use super::State;
use crate::rules::Rules;

/// Where the parts of the vector begin; only those that are switched on.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub(crate) struct Layout {
    /// Nodes with room for all deceptive ones.
    pub width: usize,
    pub connections: Option<usize>,
    pub view: Option<usize>,
    pub vulnerabilities: Option<usize>,
    pub average: Option<usize>,
    pub connectivity: Option<usize>,
    pub attacking: Option<usize>,
    pub attacked: Option<usize>,
    pub entry: Option<usize>,
    pub high_value: Option<usize>,
    pub target: Option<usize>,
    pub skill: Option<usize>,
    /// QUIRK: a target part without a target has a 1 behind the nodes, and is one longer than announced.
    pub odd: bool,
    /// The length of the vector.
    pub length: usize,
}

impl Layout {
    pub fn new(rules: &Rules, base: usize, target_exists: bool) -> Self {
        let width = base + rules.deceptive_count;
        let parts = &rules.observation;
        let mut layout = Self { width, ..Self::default() };
        let mut next = 0;
        let mut part = |on: bool, length: usize| {
            let from = next;
            next += if on { length } else { 0 };
            on.then_some(from)
        };
        layout.connections = part(parts.connections, width * width + width);
        layout.view = part(parts.compromised, width);
        layout.vulnerabilities = part(parts.vulnerabilities, width);
        layout.average = part(parts.average, 1);
        layout.connectivity = part(parts.connectivity, 1);
        layout.attacking = part(parts.attacking, width);
        layout.attacked = part(parts.attacked, width);
        layout.entry = part(parts.special, width);
        layout.high_value = part(parts.special && rules.loss_high_value, width);
        let target = parts.special && rules.loss_target;
        layout.odd = target && !target_exists;
        layout.target = part(target, width + usize::from(layout.odd));
        layout.skill = part(parts.skill, 1);
        layout.length = next;
        layout
    }

    /// The length that the original announces.
    pub fn announced(&self) -> usize {
        self.length - usize::from(self.odd)
    }
}

impl State {
    /// Writes what may have changed of the vector.
    pub(crate) fn observe(&mut self) {
        let layout = self.layout;
        let width = layout.width;
        if self.moved {
            self.observe_network();
            self.changed = true;
        }
        let (base, sum) = (self.base, if self.changed { self.total_vulnerability() } else { 0.0 });
        let vector = &mut self.vector;
        let order = self.now.order();
        if let Some(from) = layout.view {
            flags(&mut vector[from..][..width], base, order, &self.view);
        }
        if self.changed {
            if let Some(from) = layout.vulnerabilities {
                let part = &mut vector[from..][..width];
                for (slot, value) in part[..base].iter_mut().zip(&self.vulnerability[..base]) {
                    *slot = *value as f32;
                }
                for (slot, node) in part[base..].iter_mut().zip(&order[base..]) {
                    *slot = self.vulnerability[*node as usize] as f32;
                }
                part[order.len()..].fill(0.0);
            }
            if let Some(at) = layout.average {
                vector[at] = (sum / order.len() as f64) as f32;
            }
        }
        let column = |node: u16| order.iter().position(|known| *known == node);
        if let Some(from) = layout.attacking {
            vector[from..][..width].fill(0.0);
            for at in self.detected.iter().filter_map(|(source, _)| column((*source)?)) {
                vector[from + at] = 1.0;
            }
        }
        if let Some(from) = layout.attacked {
            vector[from..][..width].fill(0.0);
            for at in self.detected.iter().filter_map(|(_, target)| column(*target)) {
                vector[from + at] = 1.0;
            }
        }
        self.moved = false;
        self.changed = false;
    }

    /// Writes the parts that only change with nodes, edges and marks of nodes.
    fn observe_network(&mut self) {
        let layout = self.layout;
        let base = self.base;
        let vector = &mut self.vector;
        let order = self.now.order();
        let width = layout.width;
        if let Some(from) = layout.connections {
            vector[from..from + width * width].fill(0.0);
            // Columns by node: the scratch is free between turns.
            let columns = &mut self.scratch.others;
            columns.clear();
            columns.resize(width, 0);
            for (column, node) in order.iter().enumerate() {
                columns[*node as usize] = column as u16;
            }
            for (row, node) in order.iter().enumerate() {
                for other in self.now.neighbours(*node) {
                    vector[from + row * width + columns[*other as usize] as usize] = 1.0;
                }
            }
            flags(&mut vector[from + width * width..][..width], base, order, &self.isolated);
        }
        if let Some(at) = layout.connectivity {
            vector[at] = self.initial.connectivity as f32;
        }
        if let Some(from) = layout.entry {
            flags(&mut vector[from..][..width], base, order, &self.entry);
        }
        if let Some(from) = layout.high_value {
            flags(&mut vector[from..][..width], base, order, &self.high_value);
        }
        if let Some(from) = layout.target {
            vector[from..][..width + usize::from(layout.odd)].fill(0.0);
            let place = self.target.map_or(Some(order.len()), |target| order.iter().position(|known| *known == target));
            if let Some(at) = place {
                vector[from + at] = 1.0;
            }
        }
        if let Some(at) = layout.skill {
            vector[at] = self.rules.skill as f32;
        }
    }
}

/// The nodes of the network itself keep their places, so that they need no look-up; only deceptive ones do.
#[inline]
fn flags(part: &mut [f32], base: usize, order: &[u16], flags: &[bool]) {
    for (slot, flag) in part[..base].iter_mut().zip(&flags[..base]) {
        *slot = f32::from(u8::from(*flag));
    }
    for (slot, node) in part[base..].iter_mut().zip(&order[base..]) {
        *slot = f32::from(u8::from(flags[*node as usize]));
    }
    part[order.len()..].fill(0.0);
}
