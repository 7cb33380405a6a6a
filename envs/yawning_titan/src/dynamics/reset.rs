//! The draws of a building and of a reset (SPEC 3).

use super::{Executed, Raised, Sine, State};
use crate::draws::{Draws, Fast, Purpose, Site};
use crate::network::{DrawError, Parameters, Uuid};

/// Where the ids of new deceptive nodes come from.
pub(crate) enum Ids<'a> {
    /// A stream of their own, as they come from the operating system in the original.
    Stream(&'a mut Fast),
    /// These, of a recording.
    Given(&'a [Uuid]),
}

impl State {
    /// Draws the initial network's special nodes and vulnerabilities, those that its parameters switch on.
    pub fn draw_network<D: Draws>(&mut self, draws: &mut D, parameters: &Parameters) -> Result<(), DrawError> {
        let initial = &mut self.initial;
        if parameters.random_entry {
            self.special.entry(draws, &mut initial.entry)?;
        }
        if parameters.random_high_value {
            self.special.high_value(draws, &initial.entry, &mut initial.high_value)?;
        }
        if parameters.random_vulnerabilities {
            self.special.vulnerabilities(draws, &mut initial.vulnerability);
        }
        Ok(())
    }

    /// The draws that building an environment makes on its network.
    pub fn draw_building<D: Draws>(&mut self, draws: &mut D) {
        // QUIRK: deceptive nodes are drawn even if blue may not use them, and made anew at every reset.
        for _ in 0..self.rules.deceptive_count {
            draws.uniform(Site::new(Purpose::Vulnerability), self.lower, self.upper);
        }
        if self.sine.is_some() {
            self.sine = Some(Sine::drawn(draws, self.rules.skill));
        }
    }

    /// Begins an episode.
    ///
    /// # Errors
    /// When the network cannot be drawn for.
    pub fn reset<D: Draws>(&mut self, draws: &mut D, ids: &mut Ids<'_>) -> Result<(), Raised> {
        if let Some(seed) = self.rules.seed {
            draws.seed(seed.unsigned_abs());
        }
        self.location = None;
        self.now.copy_from(&self.initial.graph);
        self.whole.copy_from(&self.initial.graph);
        let base = self.base;
        self.entry[..base].copy_from_slice(&self.initial.entry);
        self.high_value[..base].copy_from_slice(&self.initial.high_value);
        self.vulnerability[..base].copy_from_slice(&self.initial.vulnerability);
        for flags in [&mut self.compromised, &mut self.view, &mut self.known, &mut self.isolated] {
            flags.fill(false);
        }
        self.by_uuid.clear();
        self.by_uuid.extend_from_slice(&self.initial.by_uuid);
        for at in 0..self.rules.deceptive_count {
            self.vulnerability[base + at] = draws.uniform(Site::new(Purpose::Vulnerability), self.lower, self.upper);
            self.uuids[base + at] = match ids {
                Ids::Stream(stream) => Uuid::random(stream),
                Ids::Given(given) => given.get(at).copied().unwrap_or(self.uuids[base + at]),
            };
        }
        (self.pointer, self.in_play, self.full) = (0, 0, false);
        self.detected.clear();
        self.report.clear();
        self.raised = None;
        if let Err(error) = self.draw_again(draws) {
            self.raised = Some(error.into());
            return Err(error.into());
        }
        self.original.copy_from_slice(&self.vulnerability);
        self.stock = self.rules.zero_day_start;
        self.day = 0;
        self.steps = 0;
        self.reward = 0.0;
        self.done = false;
        self.did = Executed::DoNothing;
        self.moved = true;
        self.marked = false;
        self.observe();
        Ok(())
    }

    fn draw_again<D: Draws>(&mut self, draws: &mut D) -> Result<(), DrawError> {
        let base = self.base;
        if self.rules.new_entry {
            self.special.entry(draws, &mut self.entry[..base])?;
        }
        if self.rules.new_high_value {
            self.special.high_value(draws, &self.entry[..base], &mut self.high_value[..base])?;
        }
        // QUIRK: the network's own switch must be on too.
        if self.rules.new_vulnerabilities && self.random_vulnerabilities {
            self.special.vulnerabilities(draws, &mut self.vulnerability[..base]);
        }
        Ok(())
    }
}
