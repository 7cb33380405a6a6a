//! Settings of `temporal`.

use gimbal_agent::Overrides;
use gimbal_core::Milli;
use gimbal_temporal::arbiter::{Tie, Weights};
use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

use super::channel::MapKind;
use crate::shared::member::Member;

/// The embedder where none is named: it needs no weights.
pub(super) const HASHED: &str = "hashed";
/// The setting by which there is no embedder.
pub(super) const NONE: &str = "none";

/// Settings of `temporal`. What is left out is as the published system has it.
#[derive(Debug, Deserialize, JsonSchema)]
#[serde(default)]
pub struct Settings {
    /// Name of a setting in `personas/configurations.yaml` to start from; every other key overrides it.
    pub configuration: Option<String>,
    /// Number of layers, 1 to 5: Reflex; with Strategic; with Tactical; with Institutional; with Meta (Tab. 19). One layer plays as `react`
    /// does, with the persona of `reflex` or `planner` (CTHA-009).
    #[schemars(range(min = 1, max = 5))]
    pub layers: u32,
    /// Whether layers talk by the three contracts. Without them every layer writes free text to all others.
    pub contracts: bool,
    /// Whether a layer is held to its authority (Tab. 10) and to the policies and plans of slower layers.
    pub authority: bool,
    /// Who decides among proposals.
    pub arbiter: ArbiterKind,
    /// Whether directives of plans and policies hold at once, or are proposals in the step in which they are made.
    pub directives: DirectiveKind,
    /// Weights of the score (Eq. 24), such as those that `gimbal arbiter tune` found; the default ones where they are left out. For arbiters that go
    /// by the score: `greedy`, `literal`, `published`.
    pub weights: Option<RuleWeights>,
    /// Plays the ways to resolve each conflict out in copies of the environment, and records what each is worth. The arbiter `rollout` goes by
    /// it; with any other one it only labels. Needs an environment that can be forked.
    pub rollouts: Option<Rollouts>,
    /// Whether the maps of the mathematics divide the tokens for context among layers and ask them (CTHA-031).
    pub maps: MapKind,
    /// How noisy experts in the layers' places speak; no model reads it.
    pub experts: Option<Experts>,
    /// Temperatures of the layers.
    pub temperatures: Temperatures,
    /// At every how many steps Tactical is asked (Tab. 9).
    #[schemars(range(min = 1, max = 1000))]
    pub tactical_period: u32,
    /// Whether layers whose incoming messages and resources are disjoint are asked side by side (Eq. 28): each then reads what had arrived before them.
    pub parallel: bool,
    /// Whether a slower layer is not asked again while what it would see is the same (Eq. 29).
    pub cache: bool,
    /// The embedder by which Strategic's notes are found, `hashed` where it is left out. `none`: the latest notes are shown (CTHA-003).
    pub embedder: String,
    /// Context blocks of Reflex and Tactical, and of `react` with one layer; those of each persona where it is left out.
    pub context: Option<Vec<String>>,
    /// Persona and role of Reflex.
    pub reflex: Member,
    /// Persona and role of Tactical.
    pub tactical: Member,
    /// Persona and role of Strategic.
    pub strategic: Member,
    /// Persona and role of Institutional.
    pub institutional: Member,
    /// Persona and role of Meta.
    pub meta: Member,
    /// Overrides of all personas.
    #[serde(flatten)]
    pub agent: Overrides,
}

/// Who decides among proposals.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Deserialize, JsonSchema)]
#[serde(rename_all = "snake_case")]
pub enum ArbiterKind {
    /// The score, the best party first; the faster of two tied ones (CTHA-R02).
    #[default]
    Greedy,
    /// The score, with the masking and the tie rule of Algorithm 1 as printed (CTHA-R01).
    Literal,
    /// Algorithm 1 and Eq. 23 as printed, without emergencies and policies before the score.
    Published,
    /// Always the faster layer.
    Faster,
    /// Always the slower layer.
    Slower,
    /// By chance, from the seed of the episode.
    Random,
    /// The score with what a learned part adds; its weights are the artefact `arbiter`.
    Learned,
    /// The way that is worth most in rollouts: a ceiling, which sees the true state.
    Rollout,
    /// Nobody: the last action written in a step is carried out, and directives bind nobody.
    Last,
}

impl ArbiterKind {
    /// Its name in settings and records.
    #[must_use]
    pub const fn name(self) -> &'static str {
        match self {
            Self::Greedy => "greedy",
            Self::Literal => "literal",
            Self::Published => "published",
            Self::Faster => "faster",
            Self::Slower => "slower",
            Self::Random => "random",
            Self::Learned => "learned",
            Self::Rollout => "rollout",
            Self::Last => "last",
        }
    }
}

/// What directives of plans and policies are when they arrive.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Deserialize, JsonSchema)]
#[serde(rename_all = "snake_case")]
pub enum DirectiveKind {
    /// Commitments, at urgency 0: the arbiter may release one that loses.
    #[default]
    Committed,
    /// Proposals with an urgency of their own (a plan's deadline, the priority of a policy's rule), which hold where the arbiter keeps them.
    Proposed,
}

/// How ways are played out.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub struct Rollouts {
    /// The environment's built-in policy that plays on after the call, such as `restore_changed`.
    pub policy: String,
    /// Futures that each way meets; 1 where the environment has no chance.
    #[serde(default = "futures")]
    #[schemars(range(min = 1, max = 1024))]
    pub futures: u64,
    /// Most steps that are played, the call's own included; to the end of the episode where it is left out.
    #[serde(default)]
    #[schemars(range(min = 1))]
    pub steps: Option<u32>,
    /// Most ways that are played of one conflict.
    #[serde(default = "ways")]
    #[schemars(range(min = 2, max = 256))]
    pub ways: usize,
    /// Another built-in policy that each way is played out with too, in the same futures: how far labels are a matter of the policy. It decides
    /// nothing.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub second: Option<String>,
}

/// Weights of the score in thousandths (Eq. 24).
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub struct RuleWeights {
    /// Base priority of each layer, from Reflex to Meta.
    pub base: [i32; 5],
    /// Weight of urgency.
    pub urgency: i32,
    /// Weight of confidence.
    pub confidence: i32,
    /// The margin by which a priority must be higher; closer ones are tied.
    #[schemars(range(min = 0))]
    pub epsilon: u32,
    /// Whether emergencies and policies come before the score; as the arbiter has it where it is left out.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub rules: Option<bool>,
    /// Which of two tied parties is kept; as the arbiter has it where it is left out.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub tie: Option<TieRule>,
}

/// Which of two tied parties is kept.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "snake_case")]
pub enum TieRule {
    /// The faster one.
    KeepFaster,
    /// The slower one.
    KeepSlower,
}

impl From<TieRule> for Tie {
    fn from(rule: TieRule) -> Self {
        match rule {
            TieRule::KeepFaster => Self::KeepFaster,
            TieRule::KeepSlower => Self::KeepSlower,
        }
    }
}

impl From<RuleWeights> for Weights {
    fn from(weights: RuleWeights) -> Self {
        let milli = |value: i32| Milli(i64::from(value));
        Self {
            base: weights.base.map(milli),
            urgency: milli(weights.urgency),
            confidence: milli(weights.confidence),
            epsilon: Milli(i64::from(weights.epsilon)),
        }
    }
}

/// How noisy experts speak. Without it right answers always have the same confidence, and right plans exclude nothing: then confidence
/// gives mistakes away, and every directive of a plan in a conflict is a mistaken one.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub struct Experts {
    /// Share of mistaken answers that are as sure of themselves as right ones, in thousandths. Confidence is drawn: 0.6 to 0.9 for those, 0.3 to 0.6
    /// for the others.
    #[schemars(range(min = 0, max = 1000))]
    pub overconfident: u32,
    /// Whether right plans exclude a kind of call that the expert would not make now. It may be wanted later, while the plan still holds.
    #[serde(default)]
    pub excluding: bool,
}

const fn futures() -> u64 {
    64
}

const fn ways() -> usize {
    16
}

/// Temperatures of the layers (CTHA-R06).
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Deserialize, JsonSchema)]
#[serde(rename_all = "snake_case")]
pub enum Temperatures {
    /// Those of the roles in the study.
    #[default]
    Roles,
    /// 0.1, 0.3, 0.5 and 0.7 from the fastest on (Tab. 9).
    Published,
    /// 0 for all, as the work evaluates (CTHA-133).
    Zero,
}

impl Default for Settings {
    fn default() -> Self {
        Self {
            configuration: None,
            layers: 4,
            contracts: true,
            authority: true,
            arbiter: ArbiterKind::default(),
            directives: DirectiveKind::default(),
            weights: None,
            rollouts: None,
            maps: MapKind::default(),
            experts: None,
            temperatures: Temperatures::default(),
            tactical_period: 3,
            parallel: false,
            cache: true,
            embedder: HASHED.to_owned(),
            context: None,
            reflex: Member::default(),
            tactical: Member::default(),
            strategic: Member::default(),
            institutional: Member::default(),
            meta: Member::default(),
            agent: Overrides::default(),
        }
    }
}
