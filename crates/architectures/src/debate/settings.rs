//! Settings of `debate`.

use gimbal_agent::{Agent, Overrides};
use gimbal_core::{BuildError, Files, Milli, yaml};
use gimbal_evidence::judge::{Arithmetic, Band, Certainty, Judge};
use gimbal_evidence::rules::{Decision as Judging, RuleSet};
use gimbal_messages::Message;
use schemars::JsonSchema;
use serde::Deserialize;
use serde_json::Value;

use super::messages::{ANCHORED_POSITION, AUDIT, Contracts, ESTIMATE, NARRATION, POSITION};
use super::side::{Role, Strategy};
use super::{Debate, Gate, GateCertainty, Oracle, Speaker, Telling};
use crate::member::{Member, Place};

/// Rules of the agents by rule.
const RULES: &str = "rules/triage.yaml";
/// Rounds of a debate where a study does not say (ARES-043).
const ROUNDS: u32 = 3;
/// Most rounds, and most votes.
const MOST: u32 = 16;

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
    /// How often each side looks again at what it said itself, without hearing the other.
    #[schemars(range(max = 15))]
    pub self_correction: u32,
    /// Name of the judge: `v1`, `v1_extended`, `v2`, `v2_capped`, `v2_symmetric`, `calibrated`, or `claims` (ARES-060 to ARES-065).
    pub judge: String,
    /// Mean confidences that the judge `calibrated` subtracts.
    pub means: Option<Means>,
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
    /// Role by which the study names the agent's model; the study's `default` stands in for it.
    pub role: Option<String>,
    /// Overrides of its persona, before those of all agents.
    #[serde(flatten)]
    pub agent: Overrides,
}

/// Mean confidences of other tasks, from 0 to 1.
#[derive(Clone, Copy, Debug, Deserialize, JsonSchema)]
pub struct Means {
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

/// The architecture that the settings describe.
pub(super) fn resolve(name: &str, settings: &Value, files: &dyn Files) -> Result<Debate, BuildError> {
    let settings: Settings = crate::configuration::read(name, settings, files)?;
    let wrong = |key: &str, words: String| BuildError::new(format!("{name}: {words}")).at(key);
    checked(&settings).map_err(|(key, words)| wrong(key, words))?;
    let judge = judging(&settings).map_err(|(key, words)| wrong(key, words))?;
    let rules = rules(files).map_err(|words| wrong("", words))?;
    let contracts = Contracts::read().map_err(|error| wrong("", error.to_string()))?;
    let mut common = settings.agent.clone();
    if !settings.calibration {
        common.flags.include_calibration = Some(false);
    }
    let [architect, skeptic] = Role::BOTH.map(|role| speaker(name, role, &settings, &common, files));
    let agent = |wanted: bool, place: Place<'_>, member: &Member| -> Result<Option<Agent>, BuildError> {
        if wanted { place.agent(name, (member, &common), files).map(Some) } else { Ok(None) }
    };
    let place = |name: &'static str, persona: &'static str, message: &'static dyn Message| Place {
        name,
        persona,
        message: Some(message),
        delegates: &[],
    };
    let auditor = |role: Role| {
        let own = Member {
            persona: settings.auditor.persona.clone(),
            role: Some(settings.auditor.role.clone().unwrap_or_else(|| role_of(&settings, role))),
            agent: settings.auditor.agent.clone(),
        };
        let wanted = settings.audit && side(&settings, role).strategy == Strategy::Model;
        agent(wanted, place("auditor", "auditor", &AUDIT), &own)
    };
    let gate = settings.gate.as_ref().map(|gate| Gate {
        band: Band { low: Milli::from_f64(gate.low), high: Milli::from_f64(gate.high) },
        certainty: gate.certainty,
        miscalibration: gate.miscalibration,
    });
    let asks_oracle = gate.as_ref().is_some_and(|gate| gate.certainty == GateCertainty::Oracle);
    let member = |member: &Member, role: &str| Member {
        persona: member.persona.clone(),
        role: Some(member.role.clone().unwrap_or_else(|| role.to_owned())),
        agent: member.agent.clone(),
    };
    let oracle =
        agent(asks_oracle, place("oracle_agent", "oracle", &ESTIMATE), &member(&settings.oracle_agent, "oracle"))?;
    let active = match settings.active_oracle {
        OracleKind::Off => Oracle::Passive,
        OracleKind::Rules => Oracle::Rules,
        OracleKind::Model => Oracle::Model(place("challenger", "challenger", &POSITION).agent(
            name,
            (&settings.challenger, &common),
            files,
        )?),
    };
    let telling = match settings.narrator {
        NarratorKind::Off => Telling::Off,
        NarratorKind::Template => Telling::Template,
        NarratorKind::Model => Telling::Model(place("narrator_agent", "narrator", &NARRATION).agent(
            name,
            (&member(&settings.narrator_agent, "narrator"), &common),
            files,
        )?),
    };
    let auditors = [auditor(Role::Architect)?, auditor(Role::Skeptic)?];
    let sides = [architect?, skeptic?];
    let around = [oracle.as_ref(), active.agent(), telling.agent()].into_iter().flatten();
    let shown = sides.iter().filter_map(|side| side.agent.as_ref()).chain(around).next();
    let context = match shown {
        Some(agent) => crate::settings::context(name, agent.persona(), settings.context.clone())?,
        None => settings.context.clone().unwrap_or_default(),
    };
    let rounds = match (settings.self_correction, settings.votes) {
        (0, 1) => settings.rounds.unwrap_or(ROUNDS),
        (0, _) => 1,
        (again, _) => again + 1,
    };
    Ok(Debate {
        sides,
        auditors,
        oracle,
        active,
        telling,
        gate,
        judge,
        arithmetic: match settings.arithmetic {
            ArithmeticKind::Exact => Arithmetic::Exact,
            ArithmeticKind::FloatCompat => Arithmetic::FloatCompat,
        },
        certainty: match settings.certainty {
            CertaintyKind::Winner => Certainty::Winner,
            CertaintyKind::Margin => Certainty::Margin,
        },
        rounds,
        stops_early: settings.stops_early,
        anchored: settings.anchored,
        skeptic_sees_thesis: settings.skeptic_sees_thesis,
        swap: settings.swap,
        neutral: settings.neutral,
        isolated: settings.self_correction > 0,
        votes: settings.votes,
        audit: settings.audit,
        context,
        rules,
        contracts,
    })
}

const fn side(settings: &Settings, role: Role) -> &SideSettings {
    match role {
        Role::Architect => &settings.architect,
        Role::Skeptic => &settings.skeptic,
    }
}

fn role_of(settings: &Settings, role: Role) -> String {
    side(settings, role).role.clone().unwrap_or_else(|| role.name().to_owned())
}

/// What speaks for a side.
fn speaker(
    name: &str,
    role: Role,
    settings: &Settings,
    common: &Overrides,
    files: &dyn Files,
) -> Result<Speaker, BuildError> {
    let own = side(settings, role);
    let strategy = own.strategy;
    if strategy != Strategy::Model {
        return Ok(Speaker { strategy, agent: None, anchored: None });
    }
    let persona = if settings.neutral { "neutral" } else { role.name() };
    let persona = own.persona.clone().unwrap_or_else(|| persona.to_owned());
    let build = |persona: String, message: &'static dyn Message| {
        let member = Member { persona: Some(persona), role: Some(role_of(settings, role)), agent: own.agent.clone() };
        let place = Place { name: role.name(), persona: role.name(), message: Some(message), delegates: &[] };
        place.agent(name, (&member, common), files)
    };
    let anchored = settings.anchored.then(|| build(format!("{persona}-anchored"), &ANCHORED_POSITION)).transpose()?;
    Ok(Speaker { strategy, agent: Some(build(persona, &POSITION)?), anchored })
}

/// The judge that the settings name.
fn judging(settings: &Settings) -> Result<Judging, (&'static str, String)> {
    if settings.judge == "claims" {
        return Ok(Judging::Claims);
    }
    let judge: Judge = settings
        .judge
        .parse()
        .map_err(|error: gimbal_evidence::judge::UnknownJudge| ("judge", format!("{error}, and claims")))?;
    Ok(Judging::Positions(match (judge, settings.means) {
        (Judge::Calibrated { .. }, Some(means)) => {
            Judge::Calibrated { architect: Milli::from_f64(means.architect), skeptic: Milli::from_f64(means.skeptic) }
        }
        (judge, _) => judge,
    }))
}

/// Combinations that mean nothing.
fn checked(settings: &Settings) -> Result<(), (&'static str, String)> {
    let rounds = settings.rounds.unwrap_or(ROUNDS);
    let models = [&settings.architect, &settings.skeptic].map(|side| side.strategy == Strategy::Model);
    let several = settings.votes > 1;
    let rules: [(bool, &str, &str); 14] = [
        (!(1..=MOST).contains(&rounds), "rounds", "rounds must be from 1 to 16"),
        (!(1..=MOST).contains(&settings.votes), "votes", "votes must be from 1 to 16"),
        (settings.self_correction >= MOST, "self_correction", "self_correction must be from 0 to 15"),
        (
            settings.architect.strategy == Strategy::Deterministic,
            "architect.strategy",
            "an Architect is a model or rules; `deterministic` is a Skeptic",
        ),
        (
            several && settings.rounds.is_some_and(|rounds| rounds > 1),
            "votes",
            "votes are single turns: set `rounds: 1`, or leave votes out",
        ),
        (
            several && (settings.gate.is_some() || settings.audit || settings.self_correction > 0),
            "votes",
            "votes are single turns: leave gate, audit and self_correction out",
        ),
        (
            several && settings.active_oracle != OracleKind::Off,
            "votes",
            "votes are single turns: leave active_oracle out",
        ),
        (
            settings.self_correction > 0 && settings.rounds.is_some(),
            "self_correction",
            "self_correction sets the number of rounds: leave rounds out",
        ),
        (
            settings.self_correction > 0 && (settings.anchored || settings.skeptic_sees_thesis || settings.swap),
            "self_correction",
            "under self_correction neither side hears the other: leave anchored, skeptic_sees_thesis and swap out",
        ),
        (
            settings.neutral && (settings.anchored || !models[0] || !models[1]),
            "neutral",
            "neutral gives one prompt to two models: leave anchored and strategies out",
        ),
        (
            settings.anchored && rounds < 2,
            "anchored",
            "only rounds after the first are anchored: set rounds to 2 or more",
        ),
        (
            settings.gate.is_some() && rounds < 2 && !settings.audit && settings.self_correction == 0,
            "gate",
            "a gate needs something that follows the single turn: set rounds to 2 or more, or `audit: true`",
        ),
        (
            settings.audit && settings.judge != "claims",
            "audit",
            "an audit strikes claims, and only the judge `claims` weighs them: set `judge: claims`",
        ),
        (
            settings.means.is_some() != (settings.judge == "calibrated"),
            "means",
            "the judge `calibrated` needs `means: {architect: ..., skeptic: ...}`, and no other judge takes them",
        ),
    ];
    if let Some((_, key, words)) = rules.iter().find(|(holds, _, _)| *holds) {
        return Err((key, (*words).to_owned()));
    }
    if settings.active_oracle != OracleKind::Off && settings.judge == "claims" {
        return Err(("active_oracle", "the active Oracle takes off confidence of a side, which the judge `claims` does not weigh: name another judge".to_owned()));
    }
    let share = |number: f64| (0.0..=1.0).contains(&number);
    if let Some(gate) = &settings.gate
        && !(share(gate.low) && share(gate.high) && gate.low <= gate.high)
    {
        return Err(("gate", "`low` and `high` must be from 0 to 1, the lower one first".to_owned()));
    }
    if let Some(means) = &settings.means
        && !(share(means.architect) && share(means.skeptic))
    {
        return Err(("means", "means must be from 0 to 1".to_owned()));
    }
    Ok(())
}

/// The rules of the agents by rule.
fn rules(files: &dyn Files) -> Result<RuleSet, String> {
    let found = files.read(RULES).map_err(|error| error.to_string())?;
    let (text, place) = found.ok_or_else(|| format!("the file {RULES} is missing: agents by rule need it"))?;
    let rules: RuleSet = yaml::read(&text, &place).map_err(|error| error.to_string())?;
    rules.check().map_err(|error| format!("{place}: {error}"))?;
    Ok(rules)
}
