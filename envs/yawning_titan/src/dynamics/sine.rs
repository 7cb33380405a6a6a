//! The sine-wave red (SPEC 13).

use super::{Raised, State};
use crate::draws::{Draws, Purpose, Site};

/// Its clock and its wave; kept over resets.
#[derive(Clone, Copy, Debug, PartialEq)]
pub(crate) struct Sine {
    pub time: f64,
    pub sine_shift: i32,
    pub cosine_shift: i32,
    pub sine_factor: f64,
    pub cosine_factor: f64,
    skill: f64,
}

impl Sine {
    pub const fn new(skill: f64) -> Self {
        Self { time: 0.0, sine_shift: 0, cosine_shift: 0, sine_factor: 0.0, cosine_factor: 0.0, skill }
    }

    pub fn drawn<D: Draws>(draws: &mut D, skill: f64) -> Self {
        let site = Site::new(Purpose::Sine);
        Self {
            time: 0.0,
            sine_shift: draws.randint(site, 0, 10),
            cosine_shift: draws.randint(site, 0, 10),
            sine_factor: round(draws.uniform(site, 1.5, 2.25), 4),
            cosine_factor: round(draws.uniform(site, 2.75, 3.5), 4),
            skill,
        }
    }

    /// How many actions red takes this turn.
    fn runs<D: Draws>(&mut self, draws: &mut D) -> i32 {
        let site = Site::new(Purpose::Sine);
        self.time += round(draws.uniform(site, 0.2, 0.8), 2);
        if self.time >= 50.0 {
            self.time = 0.0;
            self.sine_shift = draws.randint(site, 0, 10);
            self.cosine_shift = draws.randint(site, 0, 10);
        }
        let sine = (self.sine_factor * self.time + f64::from(self.sine_shift)).sin();
        let cosine = (self.cosine_factor * self.time + f64::from(self.cosine_shift)).cos();
        let power = (sine + cosine + self.skill - 0.5).max(self.skill);
        let runs = power.floor();
        let roll = draws.randint(Site::new(Purpose::SineMoves), 0, 10);
        runs as i32 + i32::from((power - runs) * 10.0 > f64::from(roll))
    }
}

impl State {
    pub(super) fn sine_turn<D: Draws>(&mut self, draws: &mut D) -> Result<(), Raised> {
        let Some(mut sine) = self.sine else { return Ok(()) };
        let runs = sine.runs(draws);
        self.sine = Some(sine);
        // QUIRK: asks for spread where natural spreading is meant.
        if self.rules.spread_on {
            self.natural_spread(draws)?;
            self.report.passing = true;
        }
        let attacked = self.rules.zero_day && self.zero_day(draws)?;
        if !attacked {
            for _ in 0..runs {
                if !self.act(draws)? {
                    self.random_move(draws);
                    break;
                }
            }
        }
        self.zero_day_clock();
        self.detect(draws);
        Ok(())
    }
}

/// Python's `round`: to the nearest decimal, of the exact value.
pub(crate) fn round(value: f64, places: usize) -> f64 {
    use std::io::Write as _;
    let mut buffer = [0_u8; 340];
    let mut room = &mut buffer[..];
    let before = room.len();
    // The longest number has 309 digits before the point.
    if write!(room, "{value:.places$}").is_err() {
        return value;
    }
    let written = before - room.len();
    std::str::from_utf8(&buffer[..written]).ok().and_then(|text| text.parse().ok()).unwrap_or(value)
}

#[cfg(test)]
mod tests {
    use super::round;

    #[test]
    fn rounding_is_that_of_python() {
        for (value, places, expected) in [
            (0.125, 2, 0.12),
            (0.375, 2, 0.38),
            (2.675, 2, 2.67),
            (1.005, 2, 1.0),
            (0.5347258864156119, 2, 0.53),
            (1.70385, 4, 1.7039),
            (-0.015, 2, -0.01),
            (1e300, 2, 1e300),
        ] {
            assert_eq!(round(value, places), expected, "{value}");
        }
    }
}
