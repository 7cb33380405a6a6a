//! Natural spreading (SPEC 7).

use super::{Raised, Reported, State};
use crate::draws::{Draws, Purpose, Site};

impl State {
    /// QUIRK: the two chances are crossed. Nodes next to a compromised one are tried with the chance for unconnected
    /// ones, and only if the chance for connected ones is above 0; all others with the latter. Both sets are hash
    /// sets in the original; ours are gone through in node order.
    pub(super) fn natural_spread<D: Draws>(&mut self, draws: &mut D) -> Result<(), Raised> {
        self.report.begin(Reported::NaturalSpread);
        self.mark_neighbours_of_compromised();
        let mut near = std::mem::take(&mut self.scratch.nodes);
        let mut far = std::mem::take(&mut self.scratch.others);
        near.clear();
        far.clear();
        let own = self.compromised[..self.base].iter().zip(&self.scratch.marks);
        for (node, (compromised, marked)) in own.enumerate() {
            if !compromised {
                if *marked { near.push(node as u16) } else { far.push(node as u16) }
            }
        }
        for node in &self.now.order()[self.base..] {
            let at = *node as usize;
            if !self.compromised[at] {
                if self.scratch.marks[at] { near.push(*node) } else { far.push(*node) }
            }
        }
        let result = self.spread_to(draws, &mut near, &mut far);
        self.scratch.nodes = near;
        self.scratch.others = far;
        result
    }

    fn spread_to<D: Draws>(&mut self, draws: &mut D, near: &mut [u16], far: &mut [u16]) -> Result<(), Raised> {
        let to_near = self.rules.to_unconnected * 100.0;
        let to_far = self.rules.to_connected * 100.0;
        if self.rules.to_connected > 0.0 {
            draws.arrange(Purpose::NaturalConnected, near);
            for node in near.iter() {
                if f64::from(draws.randint(Site::of(Purpose::NaturalConnected, *node), 0, 100)) < to_near {
                    // Marks are of before the first attack, as the two sets are: no attack changes them.
                    let source = self.scratch.sources[*node as usize];
                    let success = self.standard_attack(draws, *node, false)?;
                    self.report.attack(source, *node, success);
                }
            }
        }
        draws.arrange(Purpose::NaturalUnconnected, far);
        for node in far.iter() {
            if f64::from(draws.randint(Site::of(Purpose::NaturalUnconnected, *node), 0, 100)) < to_far {
                let success = self.standard_attack(draws, *node, false)?;
                self.report.attack(None, *node, success);
            }
        }
        Ok(())
    }

    /// Marks safe nodes next to compromised ones, with the last of these, in node order, as source. What is marked holds
    /// until a node is compromised or made safe, or an edge changes.
    pub(super) fn mark_neighbours_of_compromised(&mut self) {
        if self.marked {
            return;
        }
        self.marked = true;
        self.scratch.marks.fill(false);
        for node in self.now.order() {
            if self.compromised[*node as usize] {
                for other in self.now.neighbours(*node) {
                    if !self.compromised[*other as usize] {
                        self.scratch.marks[*other as usize] = true;
                        self.scratch.sources[*other as usize] = Some(*node);
                    }
                }
            }
        }
    }
}
