//! The audit of claims: each side answers every claim of the other, and a rebuttal counts only with a fact that the claim does not cite
//! (ARES-052, ARES-133).

use std::collections::{BTreeMap, BTreeSet};

use gimbal_core::{EpisodeStopped, LaneId, Stage};
use gimbal_evidence::FactId;
use gimbal_evidence::claim::{Assertion, Entailment, Predicate};
use gimbal_evidence::rules::{Position, SkepticKind, skeptic};
use gimbal_messages::StageExt;
use gimbal_messages::records::debate::{Audited, ClaimAudit};
use serde_json::{Value, json};

use super::advocate::Turn;
use super::case::{Case, hint, shown};
use super::consult::Request;
use super::form;
use super::messages::{AnswerKind, AnswerMessage, AuditMessage};
use super::reading::Refusal;
use super::rounds::Exchange;
use super::side::Role;

/// What the other side answers to a claim.
#[derive(Clone, Debug)]
struct Answer {
    /// `accept`, `rebut`, `no_contest`, or `none`.
    word: &'static str,
    /// Facts of a rebuttal that the claim does not cite.
    facts: Vec<FactId>,
}

/// Audits the claims of the last round. Returns the ids of those that do not survive.
///
/// # Errors
/// What stopped the episode.
pub(super) async fn audit(
    case: &Case<'_>,
    stage: &dyn Stage,
    exchange: &Exchange<'_>,
) -> Result<BTreeSet<String>, EpisodeStopped> {
    let mut struck = BTreeSet::new();
    let Some(turns) = exchange.last() else { return Ok(struck) };
    for (role, turn) in Role::BOTH.into_iter().zip(turns) {
        let mut answers = answers(case, stage, role, turn).await?;
        for (index, assertion) in turn.position.assertions.iter().enumerate() {
            let claim = role.claim(index);
            let answer = answers.remove(&claim).unwrap_or(Answer { word: "none", facts: Vec::new() });
            let check = case.packet.entails(assertion);
            let survives = check != Entailment::Contradicted && answer.word != "rebut";
            if !survives {
                struck.insert(claim.clone());
            }
            let audit = ClaimAudit {
                claim,
                support: case.packet.support(assertion).name().to_owned(),
                check: check.name().to_owned(),
                answer: answer.word.to_owned(),
                facts: answer.facts.iter().map(ToString::to_string).collect(),
                survives,
            };
            stage.record(LaneId::MAIN, &Audited { role: role.name().to_owned(), audit }).await;
        }
    }
    Ok(struck)
}

/// The answers of the other side to the claims of `role`.
async fn answers(
    case: &Case<'_>,
    stage: &dyn Stage,
    role: Role,
    turn: &Turn,
) -> Result<BTreeMap<String, Answer>, EpisodeStopped> {
    let claims = &turn.position.assertions;
    let by_rule = || -> BTreeMap<String, Answer> {
        let all = claims.iter().enumerate();
        all.map(|(index, claim)| (role.claim(index), rebuttal(case, role, claim))).collect()
    };
    let Some(agent) = case.debate.auditors[role.other().index()].as_ref().filter(|_| !claims.is_empty()) else {
        return Ok(by_rule());
    };
    let ids: Vec<String> = (0..claims.len()).map(|index| role.claim(index)).collect();
    let listed: Vec<Value> = claims.iter().enumerate().map(|(index, claim)| shown(role, index, claim, false)).collect();
    let message = json!({ "side": role.other().name(), "claims": listed });
    let message =
        stage.send(LaneId::MAIN, role.name(), role.other().name(), "audit", message).await.unwrap_or_default();
    let expert = case.hints.then(|| {
        let say = |answer: &dyn Fn(&str) -> Answer| {
            let one = |id: &String| {
                let Answer { word, facts } = answer(id);
                json!({ "claim": id, "answer": word, "facts": facts, "reason": "" })
            };
            json!({ "answers": ids.iter().map(one).collect::<Vec<_>>() })
        };
        let known = by_rule();
        let competent = say(&|id| known.get(id).cloned().unwrap_or(Answer { word: "no_contest", facts: Vec::new() }));
        let first = FactId::at(0);
        hint(
            &competent,
            &[
                say(&|_| Answer { word: "accept", facts: Vec::new() }),
                say(&|_| Answer { word: "rebut", facts: vec![first] }),
            ],
        )
    });
    let form = form::audit(case.packet, &ids);
    let request = Request { agent, contract: &case.debate.contracts.audit, message: &message, form, expert };
    let Some(audit) = request.ask::<AuditMessage>(case, stage, LaneId::MAIN).await? else { return Ok(BTreeMap::new()) };
    let mut found = BTreeMap::new();
    for one in &audit.answers {
        let id = &one.claim;
        let claim = ids.iter().position(|known| known == id).and_then(|index| claims.get(index));
        let read = claim
            .ok_or_else(|| Refusal::new("unknown_claim", &format!("{} has made no claim {id}", role.name())))
            .and_then(|claim| answer(case, claim, one));
        match read {
            Ok(answer) => {
                found.entry(id.clone()).or_insert(answer);
            }
            Err(refusal) => {
                case.refused(stage, LaneId::MAIN, (role.other().name(), turn.round, 1), refusal).await;
                // A rebuttal that cites nothing new contests nothing.
                if claim.is_some() {
                    found.entry(id.clone()).or_insert(Answer { word: "no_contest", facts: Vec::new() });
                }
            }
        }
    }
    Ok(found)
}

/// Reads one answer.
fn answer(case: &Case<'_>, claim: &Assertion, written: &AnswerMessage) -> Result<Answer, Refusal> {
    match written.answer {
        AnswerKind::Accept => Ok(Answer { word: "accept", facts: Vec::new() }),
        AnswerKind::Rebut => {
            let known = case
                .packet
                .validate(&written.facts)
                .map_err(|unknown| Refusal::new("unknown_fact", &unknown.to_string()))?;
            let facts: Vec<FactId> = known.into_iter().filter(|fact| !claim.facts.contains(fact)).collect();
            if facts.is_empty() {
                let what = format!("the rebuttal of {} cites no fact beyond those of the claim", claim.predicate);
                return Err(Refusal::new("no_new_fact", &what));
            }
            Ok(Answer { word: "rebut", facts })
        }
        AnswerKind::NoContest => Ok(Answer { word: "no_contest", facts: Vec::new() }),
    }
}

/// What rules answer to a claim: the Skeptic rebuts it where stated facts cover all that it cites; the Architect contests nothing, since what
/// its facts contradict falls by itself.
fn rebuttal(case: &Case<'_>, role: Role, claim: &Assertion) -> Answer {
    let nothing = Answer { word: "no_contest", facts: Vec::new() };
    if role == Role::Skeptic {
        return nothing;
    }
    let thesis = Position {
        assertions: vec![claim.clone()],
        confidence: claim.confidence,
        unknowns: Vec::new(),
        techniques: Vec::new(),
    };
    let against = skeptic(case.packet, &case.debate.rules, SkepticKind::Deterministic, &thesis);
    let explained: BTreeSet<FactId> = against
        .assertions
        .iter()
        .filter(|one| one.predicate == Predicate::Explained && case.packet.entails(one) == Entailment::Entailed)
        .flat_map(|one| one.facts.iter().copied())
        .collect();
    let facts: Vec<FactId> = explained.iter().filter(|fact| !claim.facts.contains(fact)).copied().collect();
    if !facts.is_empty() && claim.facts.iter().all(|fact| explained.contains(fact)) {
        Answer { word: "rebut", facts }
    } else {
        nothing
    }
}
