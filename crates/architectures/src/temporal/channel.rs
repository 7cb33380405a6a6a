//! The channel of numbers between layers, as settings name it and an episode keeps it.

use std::collections::BTreeMap;

use gimbal_temporal::Layer;
use gimbal_temporal::channel::{Channel, Kind};
use schemars::JsonSchema;
use serde::Deserialize;

/// Whether the maps of the mathematics divide the context among layers and ask them.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Deserialize, JsonSchema)]
#[serde(rename_all = "snake_case")]
pub enum MapKind {
    /// No maps: requests and times are those of the layers alone.
    #[default]
    None,
    /// The residual map as it is printed, without a bound.
    Free,
    /// The residual map made doubly stochastic.
    Projected,
}

impl MapKind {
    /// The kind of map; `None` if there is no map.
    pub(super) const fn kind(self) -> Option<Kind> {
        match self {
            Self::None => None,
            Self::Free => Some(Kind::Free),
            Self::Projected => Some(Kind::Projected),
        }
    }
}

/// The channel of an episode.
#[derive(Debug)]
pub(super) struct Maps {
    pub kind: Kind,
    pub channel: Channel,
    /// Share of each layer in thousandths.
    pub shares: BTreeMap<Layer, u32>,
    /// When each layer was asked last.
    pub asked: BTreeMap<Layer, u32>,
}

impl Maps {
    pub(super) fn new(kind: Kind, layers: usize) -> Self {
        Self { kind, channel: Channel::new(kind, layers), shares: BTreeMap::new(), asked: BTreeMap::new() }
    }

    /// Remembers who is asked in a step.
    pub(super) fn note(&mut self, layers: impl Iterator<Item = Layer>, step: u32) {
        self.asked.extend(layers.map(|layer| (layer, step)));
    }
}
