//! The architecture that settings describe, and combinations that mean nothing.

use gimbal_agent::{Agent, Overrides};
use gimbal_core::{BuildError, Files, Milli};
use gimbal_evidence::judge::{Arithmetic, Band, Certainty, Judge};
use gimbal_evidence::rules::Decision as Judging;
use gimbal_messages::Message;
use serde_json::Value;

use super::messages::{ANCHORED_POSITION, AUDIT, Contracts, ESTIMATE, NARRATION, POSITION};
use super::settings::{ArithmeticKind, CertaintyKind, NarratorKind, OracleKind, Settings};
use super::side::{Role, Strategy};
use super::{Debate, Gate, GateCertainty, Narrator, Oracle, Speaker};
use crate::shared::member::{Member, Place};
use crate::shared::packet::{PACKET, rules};

/// Ends the name of a persona of anchored rounds.
pub(super) const ANCHORED: &str = "-anchored";
/// Rounds of a debate where a study does not say (ARES-043).
const ROUNDS: u32 = 3;
/// Most rounds, and most votes.
const MOST: u32 = 16;

/// The architecture that the settings describe.
pub(super) fn resolve(name: &str, settings: &Value, files: &dyn Files) -> Result<Debate, BuildError> {
    let settings: Settings = crate::shared::configuration::read(name, settings, files)?;
    let wrong = |key: &str, words: String| BuildError::new(format!("{name}: {words}")).at(key);
    checked(&settings).map_err(|(key, words)| wrong(key, words))?;
    let settings = used(settings);
    let judge = judging(&settings).map_err(|(key, words)| wrong(key, words))?;
    let rules = rules(files).map_err(|words| wrong("", words))?;
    let contracts = Contracts::read().map_err(|error| wrong("", error.to_string()))?;
    let mut common = settings.agent.clone();
    if !settings.calibration {
        common.flags.include_calibration = Some(false);
    }
    let temperature = settings.vote_temperature.map(Milli::from_f64);
    let [architect, skeptic] = Role::BOTH.map(|role| {
        let spoken = speaker(name, role, &settings, &common, files)?;
        Ok::<_, BuildError>(Speaker { agent: spoken.agent.map(|agent| agent.sampled(temperature, None)), ..spoken })
    });
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
            role: Some(settings.auditor.role.clone().unwrap_or_else(|| settings.role_of(role))),
            agent: settings.auditor.agent.clone(),
        };
        let wanted = settings.audit && settings.side(role).strategy == Strategy::Model;
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
    let narrator = match settings.narrator {
        NarratorKind::Off => Narrator::Off,
        NarratorKind::Template => Narrator::Template,
        NarratorKind::Model => Narrator::Model(place("narrator_agent", "narrator", &NARRATION).agent(
            name,
            (&member(&settings.narrator_agent, "narrator"), &common),
            files,
        )?),
    };
    let auditors = [auditor(Role::Architect)?, auditor(Role::Skeptic)?];
    let sides = [architect?, skeptic?];
    let around = [oracle.as_ref(), active.agent(), narrator.agent()].into_iter().flatten();
    let shown = sides.iter().filter_map(|side| side.agent.as_ref()).chain(around).next();
    let context = match shown {
        Some(agent) => crate::shared::settings::context(name, agent.persona(), settings.context.clone())?,
        // Nobody reads a block.
        None => Vec::new(),
    };
    let rounds = rounds(&settings);
    Ok(Debate {
        sides,
        auditors,
        oracle,
        active,
        narrator,
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
        vote_temperature: temperature,
        audit: settings.audit,
        context,
        rules,
        contracts,
    })
}

/// Most rounds.
fn rounds(settings: &Settings) -> u32 {
    match (settings.self_correction, settings.votes) {
        (0, 1) => settings.rounds.unwrap_or(ROUNDS),
        (0, _) => 1,
        (again, _) => again + 1,
    }
}

/// The settings without what this pipeline does not use: two cells never differ in name only.
fn used(mut settings: Settings) -> Settings {
    let [architect, skeptic] = Role::BOTH.map(|role| settings.side(role).strategy == Strategy::Model);
    let rounds = rounds(&settings);
    // A debate may stop between its second round and its last.
    settings.stops_early &= rounds > 2;
    // A Skeptic of code always answers the Architect.
    settings.skeptic_sees_thesis &= skeptic;
    // In a single turn nobody opens, unless one reads the other.
    settings.swap &= rounds > 1 || settings.skeptic_sees_thesis;
    // Code keeps no confidence of its own for a claim.
    settings.anchored &= architect || skeptic;
    if settings.votes == 1 || !(architect || skeptic) {
        settings.vote_temperature = None;
    }
    if settings.judge == "claims" {
        (settings.arithmetic, settings.certainty) = (ArithmeticKind::default(), CertaintyKind::default());
    }
    settings
}

/// What speaks for a side.
fn speaker(
    name: &str,
    role: Role,
    settings: &Settings,
    common: &Overrides,
    files: &dyn Files,
) -> Result<Speaker, BuildError> {
    let own = settings.side(role);
    let strategy = own.strategy;
    if strategy != Strategy::Model {
        return Ok(Speaker { strategy, agent: None, anchored: None });
    }
    let persona = if settings.neutral { "neutral" } else { role.name() };
    let persona = own.persona.clone().unwrap_or_else(|| persona.to_owned());
    let build = |persona: String, message: &'static dyn Message| {
        let member = Member { persona: Some(persona), role: Some(settings.role_of(role)), agent: own.agent.clone() };
        let place = Place { name: role.name(), persona: role.name(), message: Some(message), delegates: &[] };
        place.agent(name, (&member, common), files)
    };
    let anchored = settings.anchored.then(|| build(format!("{persona}{ANCHORED}"), &ANCHORED_POSITION)).transpose()?;
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
    // Prompts say that the whole packet is shown.
    if settings.context.as_ref().is_some_and(|blocks| !blocks.iter().any(|block| block == PACKET)) {
        return Err(("context", "agents of a debate see the packet: name the block `packet` among others".to_owned()));
    }
    let share = |number: f64| (0.0..=1.0).contains(&number);
    if let Some(gate) = &settings.gate
        && !(share(gate.low) && share(gate.high) && gate.low <= gate.high)
    {
        return Err(("gate", "`low` and `high` must be from 0 to 1, the lower one first".to_owned()));
    }
    if settings.vote_temperature.is_some_and(|temperature| !(0.0..=2.0).contains(&temperature)) {
        return Err(("vote_temperature", "`vote_temperature` must be from 0 to 2".to_owned()));
    }
    if let Some(means) = &settings.means
        && !(share(means.architect) && share(means.skeptic))
    {
        return Err(("means", "means must be from 0 to 1".to_owned()));
    }
    Ok(())
}
