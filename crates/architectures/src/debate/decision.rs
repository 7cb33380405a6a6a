//! The verdict: arithmetic over the last positions (ARES-044, ARES-062). No model takes part.

use std::collections::BTreeSet;

use gimbal_core::{Milli, Stage};
use gimbal_evidence::claim::{Assertion, Entailment};
use gimbal_evidence::judge::{Certainty, ClaimScore, Positions, Side, Verdict, judge_claims};
use gimbal_evidence::rules::{Decision as Judging, scores};
use gimbal_evidence::{FactId, Packet};
use gimbal_messages::StageExt;
use gimbal_messages::records::debate::{VerdictGiven, Weighed};

use super::advocate::Turn;
use super::case::Case;
use super::side::Role;

/// A verdict, and what it follows from.
#[derive(Clone, Debug)]
pub(super) struct Decision {
    /// The verdict.
    pub verdict: Verdict,
    /// How sure the judge is of this verdict.
    pub certainty: Milli,
    /// What that number is.
    pub definition: &'static str,
    /// The positions.
    pub positions: Positions,
    /// The claims, where the judge weighs them.
    pub weighed: Option<Vec<Weighed>>,
    /// The facts of the side that the verdict follows; those of both where it decides nothing.
    pub facts: Vec<FactId>,
    /// Whether rules answered for a model.
    pub fallback: bool,
    /// The round.
    pub round: u32,
}

impl Decision {
    /// Records it.
    pub(super) async fn record(
        &self,
        case: &Case<'_>,
        stage: &dyn Stage,
        lane: gimbal_core::LaneId,
        after: &str,
        last: bool,
    ) {
        let record = VerdictGiven {
            after: after.to_owned(),
            round: self.round,
            vote: case.vote,
            judge: case.debate.judge.name().to_owned(),
            arithmetic: case.debate.arithmetic.name().to_owned(),
            architect: self.positions.architect,
            skeptic: self.positions.skeptic,
            architect_facts: self.positions.architect_facts,
            skeptic_facts: self.positions.skeptic_facts,
            claims: self.weighed.clone(),
            verdict: self.verdict.name().to_owned(),
            certainty: self.certainty,
            definition: self.definition.to_owned(),
            fallback: self.fallback,
            last,
        };
        stage.record(lane, &record).await;
    }
}

/// The verdict over these turns, the Architect's first. Claims whose id is in `struck` do not survive.
pub(super) fn decide(case: &Case<'_>, turns: [&Turn; 2], struck: &BTreeSet<String>) -> Decision {
    let [architect, skeptic] = turns;
    let count = |turn: &Turn| u32::try_from(turn.position.cited().len()).unwrap_or(u32::MAX);
    let positions = Positions {
        architect: architect.position.confidence,
        skeptic: skeptic.position.confidence,
        architect_facts: count(architect),
        skeptic_facts: count(skeptic),
    };
    let claims = claims(case, turns, struck);
    let (verdict, certainty, definition) = match case.debate.judge {
        Judging::Claims => {
            let scores: Vec<ClaimScore> = claims.iter().map(|(_, score)| *score).collect();
            let weighing = judge_claims(&scores);
            (weighing.verdict, weighing.confidence, "claims")
        }
        Judging::Positions(_) => {
            let (verdict, certainty) = over(case, &positions);
            let definition = match case.debate.certainty {
                Certainty::Winner => "winner",
                Certainty::Margin => "margin",
            };
            (verdict, certainty, definition)
        }
    };
    Decision {
        verdict,
        certainty,
        definition,
        positions,
        weighed: Some(claims.iter().map(weighed).collect()),
        facts: concluded(case.packet, turns, verdict, struck),
        fallback: turns.iter().any(|turn| turn.fell_back),
        round: architect.round,
    }
}

/// The verdict of a judge over positions, and how sure it is; nothing is decided where the judge weighs claims.
pub(super) fn over(case: &Case<'_>, positions: &Positions) -> (Verdict, Milli) {
    let verdict = match case.debate.judge {
        Judging::Positions(judge) => judge.verdict(positions, case.debate.arithmetic),
        Judging::Claims => Verdict::Inconclusive,
    };
    (verdict, case.debate.certainty.of_given(verdict, positions))
}

/// The claims of both sides with their ids, as the judge over claims sees them. Under one neutral prompt a claim speaks for the side of its
/// kind, else for the side that makes it.
pub(super) fn claims(case: &Case<'_>, turns: [&Turn; 2], struck: &BTreeSet<String>) -> Vec<(String, ClaimScore)> {
    let [architect, skeptic] = turns.map(|turn| &turn.position);
    let all = Role::BOTH.into_iter().zip([architect, skeptic]);
    let ids = all.flat_map(|(role, position)| {
        position.assertions.iter().enumerate().map(move |(index, assertion)| (role.claim(index), assertion.kind.side()))
    });
    let scored = scores(case.packet, architect, skeptic).into_iter().zip(ids);
    let neutral = case.debate.neutral;
    scored
        .map(|(score, (id, own))| {
            let side = if neutral { own } else { score.side };
            let survives = score.survives && !struck.contains(&id);
            (id, ClaimScore { side, survives, ..score })
        })
        .collect()
}

fn weighed((id, score): &(String, ClaimScore)) -> Weighed {
    let side = match score.side {
        Side::Threat => "threat",
        Side::Benign => "benign",
    };
    let ClaimScore { confidence, facts, survives, .. } = *score;
    Weighed { claim: id.clone(), side: side.to_owned(), confidence, facts, survives }
}

/// The facts that a conclusion cites, those of the surest claims first: of claims that stand, or of all where none does.
pub(super) fn concluded(
    packet: &Packet,
    turns: [&Turn; 2],
    verdict: Verdict,
    struck: &BTreeSet<String>,
) -> Vec<FactId> {
    let follows = |role: Role| match verdict {
        Verdict::ThreatConfirmed => role == Role::Architect,
        Verdict::ThreatDismissed => role == Role::Skeptic,
        Verdict::Inconclusive => true,
    };
    let mut claims: Vec<(bool, &Assertion)> = Vec::new();
    for (role, turn) in Role::BOTH.into_iter().zip(turns).filter(|(role, _)| follows(*role)) {
        for (index, assertion) in turn.position.assertions.iter().enumerate() {
            let stands = packet.entails(assertion) != Entailment::Contradicted && !struck.contains(&role.claim(index));
            claims.push((stands, assertion));
        }
    }
    if claims.iter().any(|(stands, _)| *stands) {
        claims.retain(|(stands, _)| *stands);
    }
    claims.sort_by_key(|(_, claim)| std::cmp::Reverse(claim.confidence));
    let mut facts: Vec<FactId> = Vec::new();
    for fact in claims.into_iter().flat_map(|(_, claim)| claim.facts.iter().copied()) {
        if !facts.contains(&fact) {
            facts.push(fact);
        }
    }
    facts
}
