//! Which configuration is what in a study of three axes: data with a shipped default.

use gimbal_analysis::AnalysisError;
use serde::{Deserialize, Serialize};

/// The protocol of a study: labels of its configurations and what each means.
///
/// The shipped one is `papers/protocol.yaml`; a label that a run does not hold leaves a gap and is not an error.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Protocol {
    /// Short name.
    pub name: String,
    /// Configuration that RPTS is measured against (BOG-163).
    pub baseline: String,
    /// Configuration that deliberation and hierarchy build on.
    pub anchor: String,
    /// The hierarchy without and with deliberation in every agent.
    pub hierarchy: HierarchyPair,
    /// Switches that tell configurations apart (Tab. 5).
    #[serde(default)]
    pub flags: Vec<Flag>,
    /// Axes in reading order.
    pub axes: Vec<Axis>,
    /// Layers of the system (Tab. 1).
    #[serde(default)]
    pub layers: Vec<Layer>,
    /// Changes of context that marginal percents are told about (Tab. 7).
    #[serde(default)]
    pub transitions: Vec<Transition>,
    /// Combinations whose synergy is told (Fig. 10).
    #[serde(default)]
    pub synergies: Vec<Synergy>,
    /// Paired differences (Tab. 25).
    #[serde(default)]
    pub contrasts: Vec<Contrast>,
    /// Configurations with a mediator against the same without (BOG-234).
    #[serde(default)]
    pub arbiters: Vec<Contrast>,
    /// The two configurations of win rates and token profiles (Tab. 15, 32).
    #[serde(rename = "match")]
    pub pairing: Contrast,
    /// What the work claims, in order.
    #[serde(default)]
    pub claims: Vec<Claim>,
    /// What a second environment has to settle.
    #[serde(default)]
    pub second_environment: Vec<Claim>,
}

/// The hierarchy without and with deliberation.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct HierarchyPair {
    /// Delegation alone.
    pub plain: String,
    /// Delegation with deliberation in every agent.
    pub deliberating: String,
}

/// A switch.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Flag {
    /// Name that configurations list.
    pub name: String,
    /// Heading of its column.
    pub title: String,
}

/// An axis and its configurations.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Axis {
    /// Short name, such as `context`.
    pub name: String,
    /// Heading.
    pub title: String,
    /// Whether its levels build on one another from the anchor up.
    #[serde(default)]
    pub ladder: bool,
    /// Configurations in order.
    pub configurations: Vec<Configuration>,
}

/// A configuration.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Configuration {
    /// Label in the rows.
    pub name: String,
    /// Switches that are on.
    #[serde(default)]
    pub flags: Vec<String>,
}

/// A layer of the system.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Layer {
    /// Name.
    pub name: String,
    /// What it is made of.
    pub parts: String,
    /// What it does.
    pub does: String,
    /// What a study may change in it.
    pub configured_by: String,
}

/// A change from one configuration to another.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Transition {
    /// Old configuration.
    pub from: String,
    /// New configuration.
    pub to: String,
    /// In words.
    pub change: String,
}

/// Two parts and their combination.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Synergy {
    /// Both together.
    pub combined: String,
    /// One alone.
    pub first: String,
    /// The other alone.
    pub second: String,
}

/// Two sides to compare: first minus second.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Contrast {
    /// First side.
    pub first: Side,
    /// Second side.
    pub second: Side,
}

/// One side of a comparison.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(untagged)]
pub enum Side {
    /// A configuration.
    Named(String),
    /// The configuration of an axis with the best value for the model: picked after the fact.
    Best {
        /// Axis, or `all`.
        best_of: String,
        /// Configurations that may not be picked.
        #[serde(default)]
        without: Vec<String>,
    },
}

impl Side {
    /// What tables call it.
    #[must_use]
    pub fn label(&self) -> String {
        match self {
            Self::Named(name) => name.clone(),
            Self::Best { best_of, without } if best_of == "all" && !without.is_empty() => "best other".to_owned(),
            Self::Best { best_of, .. } => format!("best {best_of}"),
        }
    }

    /// Whether it is picked after the fact.
    #[must_use]
    pub fn is_picked(&self) -> bool {
        matches!(self, Self::Best { .. })
    }
}

/// What a claim is about.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum Quantity {
    /// Paired difference of returns.
    Return,
    /// Ratio of tokens an episode.
    Tokens,
    /// Difference of returns per thousand tokens (BOG-163).
    Rpts,
    /// Ratio of standard deviations of the return.
    Spread,
    /// Difference of catastrophic rates.
    Catastrophic,
    /// An axis has a configuration on the frontier.
    Frontier,
    /// First is cheaper and better than second.
    Domination,
    /// Catastrophic rate of the mildest configuration.
    Floor,
    /// Largest over smallest effect between models.
    Magnitude,
}

/// Direction that a claim expects of first against second.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum Expectation {
    /// First is larger.
    More,
    /// First is smaller.
    Less,
}

/// A claim that a run can bear out or not.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Claim {
    /// Its id, such as `BOG-201`.
    pub id: String,
    /// Its part, where it has several.
    #[serde(default)]
    pub part: Option<String>,
    /// In words.
    pub says: String,
    /// What it is about.
    pub of: Quantity,
    /// First side.
    #[serde(default)]
    pub first: Option<Side>,
    /// Second side.
    #[serde(default)]
    pub second: Option<Side>,
    /// Axis of a claim about the frontier.
    #[serde(default)]
    pub axis: Option<String>,
    /// Direction.
    #[serde(default)]
    pub expects: Option<Expectation>,
    /// Share of a claim about a floor.
    #[serde(default)]
    pub share: Option<f64>,
    /// Range of a claim about magnitudes.
    #[serde(default)]
    pub between: Option<[f64; 2]>,
}

impl Claim {
    /// Id and part.
    #[must_use]
    pub fn name(&self) -> String {
        format!("{}{}", self.id, self.part.as_deref().unwrap_or_default())
    }
}

impl Protocol {
    /// Reads a protocol from YAML; `place` is what messages call the text.
    ///
    /// # Errors
    /// When the text is not a protocol, or names an axis or a flag that it does not define.
    pub fn parse(text: &str, place: &str) -> Result<Self, AnalysisError> {
        let wrong = |what: String| AnalysisError::Facts { place: place.to_owned(), what };
        let protocol: Self = serde_saphyr::from_str(text).map_err(|error| wrong(error.to_string()))?;
        let axes: Vec<&str> = protocol.axes.iter().map(|axis| axis.name.as_str()).collect();
        for axis in protocol.named_axes() {
            if axis != "all" && !axes.contains(&axis) {
                return Err(wrong(format!("there is no axis `{axis}`: name one of {}, or all", axes.join(", "))));
            }
        }
        for configuration in protocol.axes.iter().flat_map(|axis| &axis.configurations) {
            for flag in &configuration.flags {
                if !protocol.flags.iter().any(|known| known.name == *flag) {
                    let name = &configuration.name;
                    return Err(wrong(format!("configuration `{name}` has the flag `{flag}`: list it under `flags`")));
                }
            }
        }
        Ok(protocol)
    }

    fn named_axes(&self) -> impl Iterator<Item = &str> {
        let contrasts = self
            .contrasts
            .iter()
            .chain(&self.arbiters)
            .chain([&self.pairing])
            .flat_map(|contrast| [&contrast.first, &contrast.second]);
        let claims = self.claims.iter().chain(&self.second_environment);
        let sides = contrasts.chain(claims.clone().flat_map(|claim| claim.first.iter().chain(&claim.second)));
        let picked = sides.filter_map(|side| match side {
            Side::Best { best_of, .. } => Some(best_of.as_str()),
            Side::Named(_) => None,
        });
        picked.chain(claims.filter_map(|claim| claim.axis.as_deref()))
    }

    /// Labels of one axis, in order.
    #[must_use]
    pub fn axis(&self, name: &str) -> Vec<&str> {
        let chosen = self.axes.iter().filter(|axis| axis.name == name);
        chosen.flat_map(|axis| &axis.configurations).map(|configuration| configuration.name.as_str()).collect()
    }

    /// Labels of all axes, in order.
    #[must_use]
    pub fn configurations(&self) -> Vec<&str> {
        self.axes.iter().flat_map(|axis| &axis.configurations).map(|entry| entry.name.as_str()).collect()
    }

    /// The axis that a configuration belongs to.
    #[must_use]
    pub fn axis_of(&self, configuration: &str) -> Option<&Axis> {
        self.axes.iter().find(|axis| axis.configurations.iter().any(|entry| entry.name == configuration))
    }

    /// The anchor and the levels that build on it, in order (Tab. 11-13).
    #[must_use]
    pub fn ladder(&self) -> Vec<&str> {
        let levels = self.axes.iter().filter(|axis| axis.ladder).flat_map(|axis| &axis.configurations);
        std::iter::once(self.anchor.as_str()).chain(levels.map(|level| level.name.as_str())).collect()
    }

    /// Labels that a side may stand for.
    #[must_use]
    pub fn candidates<'a>(&'a self, side: &'a Side) -> Vec<&'a str> {
        match side {
            Side::Named(name) => vec![name],
            Side::Best { best_of, without } => {
                let all = if best_of == "all" { self.configurations() } else { self.axis(best_of) };
                all.into_iter().filter(|name| !without.iter().any(|left_out| left_out == name)).collect()
            }
        }
    }
}
