//! What gates before final answers decided, summed (CYC-095).

use super::{Gate, Part};

/// What gates decided on answers.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct GateSums {
    /// Answers that a gate passed.
    pub passed: u64,
    /// Answers that it held back.
    pub held: u64,
    /// Answers that went through against it.
    pub overruled: u64,
    /// Answers that it could not check.
    pub unread: u64,
    /// Episodes in which a gate held an answer back, of those that had a gate.
    pub episodes: Part,
    /// Backed figures of the first answer of each episode.
    pub before: Part,
    /// Backed figures of the answer that went through.
    pub after: Part,
    /// Figures that the verifier vouched for.
    pub claimed: u64,
    /// Those of them whose quotations are in the documents.
    pub verified: u64,
}

impl GateSums {
    pub(super) fn add(&mut self, gates: &[Gate]) {
        let Some(first) = gates.first() else { return };
        self.episodes.add(u64::from(gates.iter().any(|gate| gate.held)), 1);
        self.before.add(first.backed().into(), first.figures.into());
        if let Some(last) = gates.iter().rev().find(|gate| !gate.held) {
            self.after.add(last.backed().into(), last.figures.into());
        }
        for gate in gates {
            self.passed += u64::from(gate.passed);
            self.held += u64::from(gate.held);
            self.overruled += u64::from(gate.overruled());
            self.unread += u64::from(gate.unread);
            self.claimed += u64::from(gate.claimed);
            self.verified += u64::from(gate.verified);
        }
    }
}
