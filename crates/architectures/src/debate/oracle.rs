//! The Oracle beyond the judge: its own number for the gate (ARES-049), and the attack on the side that is surer (ARES-132). Neither decides.

use std::collections::BTreeSet;

use gimbal_core::{EpisodeStopped, LaneId, Milli, Stage};
use gimbal_evidence::FactId;
use gimbal_evidence::claim::Entailment;
use gimbal_evidence::judge::Positions;
use gimbal_evidence::rules::Position;
use gimbal_messages::records::debate::Challenged;
use gimbal_messages::{StageExt, party};
use serde_json::{Value, json};

use super::Oracle;
use super::advocate::Turn;
use super::case::{Case, hint, share, shown, written};
use super::consult::Request;
use super::decision::{Decision, over};
use super::form;
use super::messages::EstimateMessage;
use super::reading::{Refusal, position};
use super::rounds::Exchange;
use super::side::{Role, Strategy};

/// What one fact against the surer side takes off its confidence, and the most that all of them do, in thousandths.
const DISCOUNT: (i64, i64) = (50, 300);

/// A turn as the agents around a debate read it.
pub(super) fn told(role: Role, position: &Position) -> Value {
    let claims = position.assertions.iter().enumerate();
    let claims: Vec<Value> = claims.map(|(index, claim)| shown(role, index, claim, false)).collect();
    json!({ "confidence": position.confidence.to_f64(), "assertions": claims })
}

/// What the challenger is told: whose position it attacks, and what both sides cited.
pub(super) fn attack(role: Role, position: &Position, cited: &BTreeSet<FactId>) -> Value {
    json!({ "against": role.name(), "position": told(role, position), "cited": cited })
}

/// How sure the Oracle agent is of a verdict; `None` if it gives no number.
///
/// # Errors
/// What stopped the episode.
pub(super) async fn estimate(
    case: &Case<'_>,
    stage: &dyn Stage,
    exchange: &Exchange<'_>,
    decision: &Decision,
) -> Result<Option<Milli>, EpisodeStopped> {
    let (Some(agent), Some([architect, skeptic])) = (&case.debate.oracle, exchange.last()) else { return Ok(None) };
    let message = json!({
        "verdict": decision.verdict, "architect": told(Role::Architect, &architect.position), "skeptic": told(Role::Skeptic, &skeptic.position),
    });
    let message = stage.send(LaneId::MAIN, party::JUDGE, agent.role(), "estimate", message).await.unwrap_or_default();
    let expert = case.hints.then(|| {
        let say = |confidence: Milli| json!({ "confidence": share(confidence), "reason": "" });
        hint(&say(decision.certainty), &[say(Milli(1000 - decision.certainty.0)), say(Milli(500))])
    });
    let contract = &case.debate.contracts.estimate;
    let request = Request { agent, contract, message: &message, form: form::estimate(), expert };
    let estimate: Option<EstimateMessage> = request.ask(case, stage, LaneId::MAIN).await?;
    Ok(estimate.map(|estimate| estimate.confidence))
}

/// The decision after an attack on the surer side; `None` if there is no active Oracle.
///
/// # Errors
/// What stopped the episode.
pub(super) async fn challenge(
    case: &Case<'_>,
    stage: &dyn Stage,
    exchange: &Exchange<'_>,
    decision: &Decision,
) -> Result<Option<Decision>, EpisodeStopped> {
    let (strategy, Some(turns)) = (case.debate.active.name(), exchange.last()) else { return Ok(None) };
    if matches!(case.debate.active, Oracle::Passive) {
        return Ok(None);
    }
    let (architect, skeptic) = (decision.positions.architect, decision.positions.skeptic);
    let against = match architect.cmp(&skeptic) {
        std::cmp::Ordering::Greater => Some(Role::Architect),
        std::cmp::Ordering::Less => Some(Role::Skeptic),
        std::cmp::Ordering::Equal => None,
    };
    let cited = exchange.cited();
    let facts = match (against, &case.debate.active) {
        (Some(role), Oracle::Model(agent)) => asked(case, stage, agent, role, turns[role.index()], &cited).await?,
        (Some(role), _) => found(case, role, turns[role.index()], &cited),
        (None, _) => BTreeSet::new(),
    };
    let (each, most) = DISCOUNT;
    let discount = i64::try_from(facts.len()).unwrap_or(i64::MAX).saturating_mul(each).min(most);
    let less = |role: Role, confidence: Milli| {
        if against == Some(role) { Milli((confidence.0 - discount).max(0)) } else { confidence }
    };
    let positions = Positions {
        architect: less(Role::Architect, architect),
        skeptic: less(Role::Skeptic, skeptic),
        ..decision.positions
    };
    let (verdict, certainty) = over(case, &positions);
    let challenged = Challenged {
        against: against.map(|role| role.name().to_owned()).unwrap_or_default(),
        strategy: strategy.to_owned(),
        facts: facts.iter().map(ToString::to_string).collect(),
        discount: Milli(discount),
        before: decision.verdict.name().to_owned(),
        after: verdict.name().to_owned(),
    };
    stage.record(LaneId::MAIN, &challenged).await;
    let cites = if verdict == decision.verdict {
        decision.facts.clone()
    } else {
        super::decision::concluded(case.packet, turns, verdict, &BTreeSet::new())
    };
    Ok(Some(Decision { verdict, certainty, positions, facts: cites, ..decision.clone() }))
}

/// Facts against a side that rules find and nobody cited: against the Architect what explains, against the Skeptic what is suspicious.
fn found(case: &Case<'_>, role: Role, turn: &Turn, cited: &BTreeSet<FactId>) -> BTreeSet<FactId> {
    let position = case.by_rule(role.other(), Strategy::Rules, Some(&turn.position));
    position.cited().into_iter().filter(|fact| !cited.contains(fact)).collect()
}

/// Facts against a side that a model names and nobody cited.
async fn asked(
    case: &Case<'_>,
    stage: &dyn Stage,
    agent: &gimbal_agent::Agent,
    role: Role,
    turn: &Turn,
    cited: &BTreeSet<FactId>,
) -> Result<BTreeSet<FactId>, EpisodeStopped> {
    let message = attack(role, &turn.position, cited);
    let message = stage.send(LaneId::MAIN, role.name(), agent.role(), "position", message).await.unwrap_or_default();
    let expert = case.hints.then(|| {
        let mut position = case.by_rule(role.other(), Strategy::Rules, Some(&turn.position));
        position.assertions.retain(|claim| claim.facts.iter().any(|fact| !cited.contains(fact)));
        let say = |assertions: Vec<Value>| {
            let sure = if assertions.is_empty() { Milli::ZERO } else { position.confidence };
            json!({ "assertions": assertions, "confidence": share(sure) })
        };
        hint(&say(written(&position, false)), &[say(Vec::new())])
    });
    let contract = &case.debate.contracts.position;
    let request = Request { agent, contract, message: &message, form: case.positions.get(case.packet, false), expert };
    // A position is read item by item, so that one assertion that cannot be used does not take the others with it.
    let Some(value) = request.ask::<Value>(case, stage, LaneId::MAIN).await? else { return Ok(BTreeSet::new()) };
    let count = |text: &str| stage.tokens(agent.role(), text);
    let reading = position(&value.to_string(), contract, case.packet, &count);
    for refusal in reading.refusals {
        case.refused(stage, LaneId::MAIN, (agent.role(), turn.round, 1), refusal).await;
    }
    let mut facts = BTreeSet::new();
    for claim in reading.spoken.map(|spoken| spoken.assertions).unwrap_or_default() {
        let fresh: Vec<FactId> = claim.facts.iter().filter(|fact| !cited.contains(fact)).copied().collect();
        if fresh.is_empty() || case.packet.entails(&claim) == Entailment::Contradicted {
            let what = format!("{} cites nothing new, or its facts contradict it", claim.predicate);
            let refusal = Refusal::new("no_new_fact", &what);
            case.refused(stage, LaneId::MAIN, (agent.role(), turn.round, 1), refusal).await;
        } else {
            facts.extend(fresh);
        }
    }
    Ok(facts)
}
