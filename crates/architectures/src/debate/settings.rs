//! Settings of `debate`.

use gimbal_agent::Overrides;
use gimbal_evidence::judge::Band;
use schemars::JsonSchema;
use serde::Deserialize;

use super::GateCertainty;
use super::side::{Role, Strategy};
use crate::shared::member::Member;

/// Settings of `debate`. What is left out is as the personas say.
#[derive(Debug, Deserialize, JsonSchema)]
#[serde(default)]
pub struct Settings {
    /// Name of a setting in `personas/configurations.yaml` to start from; every other key overrides it.
    pub configuration: Option<String>,
    /// Most rounds; 1 is a single turn (ARES-040), 3 where it is left out (ARES-043).
    #[schemars(range(min = 1, max = 16))]
    pub rounds: Option<u32>,
    /// Whether a debate stops before its last round, when no new fact was cited or both confidences moved by less than 0.10 (ARES-043).
    pub stops_early: bool,
    /// Whether rounds after the first are anchored: claims keep their confidence unless a fact is cited against them (ARES-046).
    pub anchored: bool,
    /// Whether the second to speak in the first round reads what the first one said (ARES-041).
    pub skeptic_sees_thesis: bool,
    /// Whether the Skeptic opens and the Architect answers. It separates the role from the place in the debate.
    pub swap: bool,
    /// Whether both sides have one neutral prompt and write how sure they are of a threat. It separates the role from the debate.
    pub neutral: bool,
    /// Whether the agents are told what a confidence means beyond its range (ARES-033, ARES-034).
    pub calibration: bool,
    /// Number of independent single turns whose verdicts are counted; 1 where it is left out.
    #[schemars(range(min = 1, max = 16))]
    pub votes: u32,
    /// Temperature of the votes, in the place of that of their roles; that of the roles where it is left out. A model that decodes greedily votes
    /// with copies of one vote.
    #[schemars(range(min = 0, max = 2))]
    pub vote_temperature: Option<f64>,
    /// How often each side looks again at what it said itself, without hearing the other.
    #[schemars(range(max = 15))]
    pub self_correction: u32,
    /// Name of the judge: `v1`, `v1_extended`, `v2`, `v2_capped`, `v2_symmetric`, `calibrated`, or `claims` (ARES-060 to ARES-065).
    pub judge: String,
    /// Mean confidences that the judge `calibrated` subtracts.
    pub means: Option<MeanConfidences>,
    /// How numbers are compared (ARES-R10).
    pub arithmetic: ArithmeticKind,
    /// How sure a verdict over two confidences is (ARES-049).
    pub certainty: CertaintyKind,
    /// What lets a single turn go on to what the other settings describe; everything goes on where it is left out (ARES-048).
    pub gate: Option<GateSettings>,
    /// Whether each side answers every claim of the other, and claims that are rebutted with other facts are struck; needs the judge `claims`
    /// (ARES-133).
    pub audit: bool,
    /// What attacks the side that is surer, with facts that nobody cited (ARES-132).
    pub active_oracle: OracleKind,
    /// Who puts the verdict into words (ARES-026).
    pub narrator: NarratorKind,
    /// Context blocks of the agents that see the packet.
    pub context: Option<Vec<String>>,
    /// The side that argues that there is a threat; persona and role `architect`.
    pub architect: SideSettings,
    /// The side that argues that there is none; persona and role `skeptic`.
    pub skeptic: SideSettings,
    /// The one that gives the gate its own number, with the certainty `oracle`; persona and role `oracle`.
    pub oracle_agent: Member,
    /// The one that attacks the surer side, with `active_oracle: model`; persona and role `challenger`.
    pub challenger: Member,
    /// The one that answers claims, with `audit` and for a side that a model speaks for; persona `auditor`, the role of its side.
    pub auditor: Member,
    /// The one that puts the verdict into words, with `narrator: model`; persona and role `narrator`.
    pub narrator_agent: Member,
    /// Overrides of all personas.
    #[serde(flatten)]
    pub agent: Overrides,
}

impl Default for Settings {
    fn default() -> Self {
        Self {
            configuration: None,
            rounds: None,
            stops_early: true,
            anchored: false,
            skeptic_sees_thesis: false,
            swap: false,
            neutral: false,
            calibration: true,
            votes: 1,
            vote_temperature: None,
            self_correction: 0,
            judge: "v2".to_owned(),
            means: None,
            arithmetic: ArithmeticKind::Exact,
            certainty: CertaintyKind::Winner,
            gate: None,
            audit: false,
            active_oracle: OracleKind::Off,
            narrator: NarratorKind::Template,
            context: None,
            architect: SideSettings::default(),
            skeptic: SideSettings::default(),
            oracle_agent: Member::default(),
            challenger: Member::default(),
            auditor: Member::default(),
            narrator_agent: Member::default(),
            agent: Overrides::default(),
        }
    }
}

/// Settings of a side.
#[derive(Debug, Default, Deserialize, JsonSchema)]
#[serde(default)]
pub struct SideSettings {
    /// What answers for it (ARES-022, ARES-131).
    pub strategy: Strategy,
    /// Persona of the agent. In anchored rounds it is the one beside it whose name ends in `-anchored`.
    pub persona: Option<String>,
    /// Role by which the study names the agent's model; else the study's `default`.
    pub role: Option<String>,
    /// Overrides of its persona, before those of all agents.
    #[serde(flatten)]
    pub agent: Overrides,
}

/// Mean confidences of other tasks, from 0 to 1.
#[derive(Clone, Copy, Debug, Deserialize, JsonSchema)]
#[schemars(rename = "Means")]
pub struct MeanConfidences {
    /// Of the Architect.
    #[schemars(range(min = 0, max = 1))]
    pub architect: f64,
    /// Of the Skeptic.
    #[schemars(range(min = 0, max = 1))]
    pub skeptic: f64,
}

/// When a single turn goes on.
#[derive(Clone, Copy, Debug, Deserialize, JsonSchema)]
#[serde(default)]
pub struct GateSettings {
    /// Lowest certainty at which it does, from 0 to 1; 0.35 where it is left out.
    #[schemars(range(min = 0, max = 1))]
    pub low: f64,
    /// Highest certainty at which it does, from 0 to 1; 0.65 where it is left out.
    #[schemars(range(min = 0, max = 1))]
    pub high: f64,
    /// What that certainty is (ARES-049).
    pub certainty: GateCertainty,
    /// Whether a sign of miscalibration lets it go on too (ARES-051).
    pub miscalibration: bool,
}

impl Default for GateSettings {
    fn default() -> Self {
        let Band { low, high } = Band::default();
        Self { low: low.to_f64(), high: high.to_f64(), certainty: GateCertainty::Winner, miscalibration: false }
    }
}

/// How numbers are compared.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Deserialize, JsonSchema)]
#[serde(rename_all = "snake_case")]
pub enum ArithmeticKind {
    /// Thousandths, exactly.
    #[default]
    Exact,
    /// Binary floating point, as the published code computes (ARES-R10).
    FloatCompat,
}

/// How sure a verdict is.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Deserialize, JsonSchema)]
#[serde(rename_all = "snake_case")]
pub enum CertaintyKind {
    /// The winner's confidence; the mean of both where nothing is decided.
    #[default]
    Winner,
    /// The distance between the two.
    Margin,
}

/// What attacks the surer side.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Deserialize, JsonSchema)]
#[serde(rename_all = "snake_case")]
pub enum OracleKind {
    /// Nothing.
    #[default]
    Off,
    /// Rules over facts.
    Rules,
    /// A model.
    Model,
}

/// Who puts the verdict into words.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Deserialize, JsonSchema)]
#[serde(rename_all = "snake_case")]
pub enum NarratorKind {
    /// Nobody.
    Off,
    /// Code.
    #[default]
    Template,
    /// A model.
    Model,
}

impl Settings {
    /// The settings of a side.
    pub(super) const fn side(&self, role: Role) -> &SideSettings {
        match role {
            Role::Architect => &self.architect,
            Role::Skeptic => &self.skeptic,
        }
    }

    /// The role by which a study names the model of a side.
    pub(super) fn role_of(&self, role: Role) -> String {
        self.side(role).role.clone().unwrap_or_else(|| role.name().to_owned())
    }
}
