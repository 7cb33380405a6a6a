//! Settings of training (Tab. 24; CTHA-078, CTHA-079), and named ones.

use std::str::FromStr;

use serde::{Deserialize, Serialize};
use thiserror::Error;

use crate::spec::Body;

/// Named settings.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub enum Preset {
    /// A tiny encoder for a few epochs: ends within a minute.
    Test,
    /// A linear model.
    Linear,
    /// A two-layer MLP.
    Mlp,
    /// The small encoder.
    Small,
    /// The published encoder.
    Published,
}

/// A name that is not a preset's.
#[derive(Clone, Debug, PartialEq, Eq, Error)]
#[error("there is no preset `{name}`{hint}")]
pub struct UnknownPreset {
    /// What was found.
    pub name: String,
    /// What was meant, and the names that exist.
    pub hint: String,
}

/// How a network is trained. Rates are in millionths, so that they can be stored and compared.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Settings {
    /// The network.
    pub body: Body,
    /// Seed of first weights, order and dropout.
    pub seed: u64,
    /// Most epochs.
    pub epochs: u32,
    /// Conflicts of a step.
    pub batch: usize,
    /// How weights are moved.
    pub optimiser: Optimiser,
    /// Share of numbers that are left out while training, in thousandths.
    pub dropout: u32,
    /// Weight of the loss of outcomes, in thousandths.
    pub outcome: u32,
    /// Epochs without a better validation loss after which training ends.
    pub patience: u32,
}

/// Settings of AdamW.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Optimiser {
    /// Highest learning rate, in millionths.
    pub rate: u32,
    /// Steps over which the rate rises; at most a tenth of all steps.
    pub warm_up: u64,
    /// Decay of the first moment, in thousandths.
    pub beta1: u32,
    /// Decay of the second moment, in thousandths.
    pub beta2: u32,
    /// Weight decay, in thousandths.
    pub decay: u32,
    /// Longest gradient, in thousandths; a longer one is cut to it.
    pub clip: u32,
}

impl Preset {
    /// All of them.
    pub const ALL: [Self; 5] = [Self::Test, Self::Linear, Self::Mlp, Self::Small, Self::Published];

    /// The name on the command line.
    #[must_use]
    pub const fn name(self) -> &'static str {
        match self {
            Self::Test => "test",
            Self::Linear => "linear",
            Self::Mlp => "mlp",
            Self::Small => "small",
            Self::Published => "published",
        }
    }

    /// Its settings: those of Tab. 24 for all but `test`, and a rate ten times as high for the linear model, which has few weights to move.
    #[must_use]
    pub const fn settings(self, seed: u64) -> Settings {
        let mut settings = Settings {
            body: Body::published(),
            seed,
            epochs: 50,
            batch: 256,
            optimiser: Optimiser { rate: 300, warm_up: 1_000, beta1: 900, beta2: 950, decay: 100, clip: 1_000 },
            dropout: 100,
            outcome: 300,
            patience: 5,
        };
        match self {
            Self::Published => {}
            Self::Small => settings.body = Body::small(),
            Self::Mlp => settings.body = Body::Mlp { hidden: 128 },
            Self::Linear => {
                settings.body = Body::Linear;
                settings.optimiser.rate = 3_000;
            }
            Self::Test => {
                settings.body = Body::Encoder { blocks: 1, width: 32, inner: 64, heads: 2, table: 256 };
                settings.epochs = 8;
                settings.batch = 32;
                settings.optimiser.rate = 3_000;
            }
        }
        settings
    }
}

impl FromStr for Preset {
    type Err = UnknownPreset;

    fn from_str(name: &str) -> Result<Self, UnknownPreset> {
        Self::ALL.into_iter().find(|preset| preset.name() == name).ok_or_else(|| UnknownPreset {
            name: name.to_owned(),
            hint: gimbal_core::nearest::hint_among(name, &Self::ALL.map(Self::name)),
        })
    }
}

impl Optimiser {
    /// The learning rate at a step, from 0, of so many: it rises over the warm-up, then falls to 0 along a cosine.
    #[must_use]
    pub fn rate_at(&self, step: u64, steps: u64) -> f64 {
        let highest = f64::from(self.rate) / 1e6;
        let warm_up = self.warm_up.min(steps / 10);
        if step < warm_up {
            return highest * (step + 1) as f64 / warm_up as f64;
        }
        let share = (step - warm_up) as f64 / (steps - warm_up).max(1) as f64;
        highest * 0.5 * (1.0 + (std::f64::consts::PI * share.min(1.0)).cos())
    }
}

#[cfg(test)]
mod tests {
    use super::Preset;

    // covers: CTHA-079
    #[test]
    fn the_rate_rises_and_falls_as_published() {
        let settings = Preset::Published.settings(1).optimiser;
        let steps = 50 * 313;
        assert!(
            (settings.rate_at(999, steps) - 3e-4).abs() < 1e-12
                && (settings.rate_at(499, steps) - 1.5e-4).abs() < 1e-12
        );
        assert!(settings.rate_at(steps - 1, steps) < 1e-8);
        // So few steps have a short warm-up.
        assert!((settings.rate_at(9, 100) - 3e-4).abs() < 1e-12);
        assert_eq!("small".parse(), Ok(Preset::Small));
        assert!("smal".parse::<Preset>().unwrap_err().to_string().contains("`small`"));
    }
}
