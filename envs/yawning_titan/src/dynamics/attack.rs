//! One attack, and what blue notices of attacks (SPEC 8).

use super::{Raised, State};
use crate::draws::{Draws, Purpose, Site};
use crate::rules::Discovery;

impl State {
    /// The attack that most of red's actions make.
    #[inline]
    pub(super) fn standard_attack<D: Draws>(&mut self, draws: &mut D, node: u16, sure: bool) -> Result<bool, Raised> {
        let (skill, uses_skill) = (self.rules.skill, self.rules.uses_skill);
        self.attack(draws, node, skill, uses_skill, sure || self.rules.always_succeeds)
    }

    /// An attack with a skill of its own; whether it succeeds.
    pub(super) fn attack<D: Draws>(
        &mut self,
        draws: &mut D,
        node: u16,
        skill: f64,
        uses_skill: bool,
        sure: bool,
    ) -> Result<bool, Raised> {
        let at = node as usize;
        let defence = if self.rules.ignores_defences { 0.0 } else { 1.0 - self.vulnerability[at] };
        let skill = if uses_skill { skill } else { 1.0 };
        if skill + defence == 0.0 {
            return Err(Raised::ZeroDivision);
        }
        let score = skill * skill / (skill + defence) * 100.0;
        let success = sure || score > f64::from(draws.randint(Site::of(Purpose::AttackRoll, node), 0, 100));
        if success {
            self.compromised[at] = true;
            self.marked = false;
            if self.known[at] {
                self.view[at] = true;
            }
            // QUIRK: drawn for deceptive nodes too, which are seen in any case.
            let roll = draws.randint(Site::of(Purpose::SeeIntrusion, node), 0, 99);
            if f64::from(roll) < self.rules.seen_at_once * 100.0 || self.is_deceptive(node) {
                self.view[at] = true;
                self.known[at] = true;
            }
        }
        Ok(success)
    }

    /// Red goes along with a successful attack.
    pub(super) fn follow(&mut self, target: u16) {
        match self.location {
            None if self.entry[target as usize] => self.location = Some(target),
            Some(from) if self.now.joined(from, target) => self.location = Some(target),
            _ => {}
        }
    }

    /// Which of this turn's attacks blue notices.
    pub(super) fn detect<D: Draws>(&mut self, draws: &mut D) {
        for at in 0..self.report.rows.len() {
            let row = self.report.rows[at];
            let Some(target) = row.target else { continue };
            if !row.attack {
                continue;
            }
            let rules = &self.rules;
            // QUIRK: the chance of a known compromise is not multiplied by 100.
            let (discovery, factor): (Discovery, f64) = match (row.success, self.view[target as usize]) {
                (false, _) => (rules.failed, 100.0),
                (true, true) => (rules.known, 1.0),
                (true, false) => (rules.unknown, 100.0),
            };
            // QUIRK: the switches are not asked for deceptive nodes.
            let chance = if self.is_deceptive(target) {
                100.0 * discovery.deceptive
            } else if discovery.used {
                factor * discovery.standard
            } else {
                continue;
            };
            if chance > f64::from(draws.randint(Site::of(Purpose::SeeAttack, target), 0, 99)) {
                self.detected.push((row.source, target));
            }
        }
    }
}
