//! Layers: their time scales, and the settings that the work gives each (Tab. 3, Tab. 9; CTHA-001 to 010).

use std::fmt;
use std::str::FromStr;

use gimbal_core::Milli;
use gimbal_messages::records::temporal::LAYERS;
use serde::{Deserialize, Serialize};
use thiserror::Error;

/// A layer, from the fastest to the slowest (CTHA-001).
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum Layer {
    /// Acts at every step.
    Reflex,
    /// Orders the next steps.
    Tactical,
    /// Plans towards the goal.
    Strategic,
    /// Sets policies.
    Institutional,
    /// Watches over policies. In the ablation of layer counts alone (Tab. 19).
    Meta,
}

/// A name that is not a layer's.
#[derive(Clone, Debug, PartialEq, Eq, Error)]
#[error("there is no layer `{name}`{hint}")]
pub struct UnknownLayer {
    /// What was found.
    pub name: String,
    /// What was meant, and the names that exist.
    pub hint: String,
}

/// When a layer is asked, beside its triggers (Tab. 9, Eq. 27; CTHA-004).
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum Activation {
    /// At every step whose number, from 0, is a multiple of this.
    Period(u32),
    /// When a goal is reached, or something unexpected happens.
    GoalCompletion,
    /// When a session begins.
    SessionBoundary,
}

/// What a layer remembers (Tab. 3, Tab. 9; CTHA-003).
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum Memory {
    /// Nothing.
    None,
    /// The last so many steps.
    LastSteps(u32),
    /// Texts, found by meaning.
    Semantic,
    /// Policies, kept between episodes.
    Policies,
}

/// The settings of a layer.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Spec {
    /// The layer.
    pub layer: Layer,
    /// Shortest and longest time of its decisions in thousandths of a second (Tab. 3 in words: ms to s, s to min, min to h, h to days).
    pub scale: (Milli, Milli),
    /// Characteristic time in thousandths of a second. The work prints none; these are the only values with which Eq. 14, with a logarithm
    /// to base 10, gives the temperatures of Tab. 9 (CTHA-002).
    pub tau: Milli,
    /// Temperature (Tab. 9; CTHA-006).
    pub temperature: Milli,
    /// Most tokens of an answer (Tab. 9; CTHA-006).
    pub max_tokens: u32,
    /// Most tokens of a message that it sends: a quarter of the answer (CTHA-042; the work names k and gives no value).
    pub message_tokens: u32,
    /// When it is asked.
    pub activation: Activation,
    /// What it remembers.
    pub memory: Memory,
}

const SECOND: i64 = 1_000;
const MINUTE: i64 = 60 * SECOND;
const HOUR: i64 = 60 * MINUTE;
const DAY: i64 = 24 * HOUR;

const fn spec(layer: Layer, scale: (i64, i64), tau: i64, temperature: i64, tokens: u32) -> Spec {
    let (activation, memory) = match layer {
        Layer::Reflex => (Activation::Period(1), Memory::None),
        Layer::Tactical => (Activation::Period(3), Memory::LastSteps(8)),
        Layer::Strategic => (Activation::GoalCompletion, Memory::Semantic),
        Layer::Institutional | Layer::Meta => (Activation::SessionBoundary, Memory::Policies),
    };
    Spec {
        layer,
        scale: (Milli(scale.0), Milli(scale.1)),
        tau: Milli(tau),
        temperature: Milli(temperature),
        max_tokens: tokens,
        message_tokens: tokens / 4,
        activation,
        memory,
    }
}

/// The settings of all layers. Those of Meta are ours: the work names the layer and prints nothing of it, so each value goes on as from
/// Strategic to Institutional.
pub const SPECS: [Spec; 5] = [
    spec(Layer::Reflex, (1, SECOND), SECOND, 100, 256),
    spec(Layer::Tactical, (SECOND, MINUTE), 21_544, 300, 512),
    spec(Layer::Strategic, (MINUTE, HOUR), 464_159, 500, 1024),
    spec(Layer::Institutional, (HOUR, 7 * DAY), 10_000_000, 700, 2048),
    spec(Layer::Meta, (DAY, 365 * DAY), 215_443_469, 900, 4096),
];

/// Base of Eq. 14.
const BASE_TEMPERATURE: f64 = 0.1;
/// Slope of Eq. 14.
const TEMPERATURE_SLOPE: f64 = 0.15;

/// The temperature that Eq. 14 gives a layer of characteristic time `tau`, with a logarithm to base 10 (CTHA-007).
#[must_use]
pub fn temperature(tau: Milli) -> Milli {
    let ratio = tau.to_f64() / SPECS[0].tau.to_f64();
    if ratio <= 0.0 {
        return Milli::ZERO;
    }
    Milli::from_f64(BASE_TEMPERATURE + TEMPERATURE_SLOPE * ratio.log10())
}

impl Layer {
    /// All layers, from the fastest on.
    pub const ALL: [Self; 5] = [Self::Reflex, Self::Tactical, Self::Strategic, Self::Institutional, Self::Meta];

    /// The layers of a hierarchy of so many (Tab. 19; CTHA-010): Reflex alone, with Strategic, with Tactical, with Institutional, with Meta.
    /// None for 0 or more than 5.
    #[must_use]
    pub const fn of_count(count: usize) -> &'static [Self] {
        match count {
            1 => &[Self::Reflex],
            2 => &[Self::Reflex, Self::Strategic],
            3 => &[Self::Reflex, Self::Tactical, Self::Strategic],
            4 => &[Self::Reflex, Self::Tactical, Self::Strategic, Self::Institutional],
            5 => &Self::ALL,
            _ => &[],
        }
    }

    /// Its number in the work, from 1.
    #[must_use]
    pub const fn number(self) -> usize {
        self.index() + 1
    }

    /// Its place among all layers, from 0.
    #[must_use]
    pub const fn index(self) -> usize {
        match self {
            Self::Reflex => 0,
            Self::Tactical => 1,
            Self::Strategic => 2,
            Self::Institutional => 3,
            Self::Meta => 4,
        }
    }

    /// Its settings.
    #[must_use]
    pub const fn spec(self) -> Spec {
        SPECS[self.index()]
    }

    /// The name that files, events and tables use.
    #[must_use]
    pub const fn name(self) -> &'static str {
        LAYERS[self.index()]
    }
}

impl fmt::Display for Layer {
    fn fmt(&self, formatter: &mut fmt::Formatter<'_>) -> fmt::Result {
        formatter.pad(self.name())
    }
}

impl FromStr for Layer {
    type Err = UnknownLayer;

    fn from_str(name: &str) -> Result<Self, UnknownLayer> {
        Self::ALL.into_iter().find(|layer| layer.name() == name).ok_or_else(|| UnknownLayer {
            name: name.to_owned(),
            hint: gimbal_core::nearest::hint_among(name, &Self::ALL.map(Self::name)),
        })
    }
}
