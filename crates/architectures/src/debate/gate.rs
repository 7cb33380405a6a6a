//! The gate after a single turn: it lets the verdict stand, or lets the case go on (ARES-048, ARES-049, ARES-051, ARES-130). No model decides.

use std::collections::BTreeSet;

use gimbal_core::{EpisodeStopped, LaneId, Stage};
use gimbal_evidence::Class;
use gimbal_evidence::claim::Support;
use gimbal_evidence::judge::{Band, Basis, Certainty, Sign};
use gimbal_messages::StageExt;
use gimbal_messages::records::debate::Escalation;
use schemars::JsonSchema;
use serde::{Deserialize, Serialize};
use serde_json::{Value, json};

use super::case::Case;
use super::decision::Decision;
use super::oracle;
use super::rounds::Exchange;

/// What the gate takes for the certainty of a verdict: the work does not define it (ARES-049).
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "snake_case")]
pub enum GateCertainty {
    /// The winner's confidence; the mean of both where nothing is decided.
    #[default]
    Winner,
    /// The distance between the two confidences.
    Margin,
    /// The number that an Oracle agent gives, who decides nothing.
    Oracle,
}

impl GateCertainty {
    const fn name(self) -> &'static str {
        match self {
            Self::Winner => "winner",
            Self::Margin => "margin",
            Self::Oracle => "oracle",
        }
    }
}

/// A gate.
#[derive(Debug)]
pub struct Gate {
    /// Certainties at which a case goes on.
    pub band: Band,
    /// What they are.
    pub certainty: GateCertainty,
    /// Whether a sign of miscalibration lets it go on too.
    pub miscalibration: bool,
}

impl Gate {
    /// Everything that decides its behaviour.
    pub(super) fn resolved(&self) -> Value {
        json!({
            "low": self.band.low, "high": self.band.high, "certainty": self.certainty.name(),
            "miscalibration": self.miscalibration,
        })
    }

    /// Whether the case goes on.
    pub(super) async fn escalates(
        &self,
        case: &Case<'_>,
        stage: &dyn Stage,
        exchange: &Exchange<'_>,
        decision: &Decision,
    ) -> Result<bool, EpisodeStopped> {
        let by = |certainty: Certainty| certainty.of(decision.verdict, &decision.positions);
        let (certainty, definition) = match self.certainty {
            GateCertainty::Winner => (by(Certainty::Winner), "winner"),
            GateCertainty::Margin => (by(Certainty::Margin), "margin"),
            GateCertainty::Oracle => match oracle::estimate(case, stage, exchange, decision).await? {
                Some(certainty) => (certainty, "oracle"),
                // An Oracle that gives no number leaves the definition of the artefact.
                None => (by(Certainty::Winner), "winner"),
            },
        };
        let in_band = self.band.holds(certainty);
        let signs = if self.miscalibration { signs(case, exchange, decision) } else { Vec::new() };
        let escalated = in_band || !signs.is_empty();
        let record = Escalation {
            verdict: decision.verdict.name().to_owned(),
            certainty,
            definition: definition.to_owned(),
            low: self.band.low,
            high: self.band.high,
            in_band,
            signs: signs.into_iter().map(|sign| sign.name().to_owned()).collect(),
            escalated,
        };
        stage.record(LaneId::MAIN, &record).await;
        Ok(escalated)
    }
}

/// The signs of miscalibration that a single turn shows.
fn signs(case: &Case<'_>, exchange: &Exchange<'_>, decision: &Decision) -> Vec<Sign> {
    let packet = case.packet;
    let observed = |class: &Class| !class.is_context() && !class.is_opinion();
    let classes = |facts: &mut dyn Iterator<Item = Class>| facts.filter(observed).collect::<BTreeSet<Class>>().len();
    let claims: Vec<Support> = exchange
        .last()
        .into_iter()
        .flatten()
        .flat_map(|turn| turn.position.assertions.iter())
        .map(|assertion| packet.support(assertion))
        .collect();
    let cited = exchange.cited();
    Basis {
        positions: decision.positions,
        observed_classes: classes(&mut packet.facts().iter().map(|fact| fact.class)),
        cited_classes: classes(&mut cited.iter().filter_map(|id| packet.fact(*id)).map(|fact| fact.class)),
        claims: claims.len(),
        weak_claims: claims.iter().filter(|support| **support != Support::Supported).count(),
    }
    .signs()
}
