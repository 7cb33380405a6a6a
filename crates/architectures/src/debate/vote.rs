//! Independent single turns whose verdicts are counted: the control at the cost of a debate.

use std::collections::{BTreeMap, BTreeSet};

use futures::future::join_all;
use gimbal_core::{Halt, LaneId, Milli, Stage};
use gimbal_evidence::judge::{Positions, Verdict};

use super::case::Case;
use super::decision::{Decision, decide};
use super::rounds::Exchange;
use super::side::Role;

/// The verdict of most of so many single turns; inconclusive where no verdict has more than each other one.
pub(super) async fn vote(case: &Case<'_>, stage: &dyn Stage, votes: u32) -> Result<Decision, Halt> {
    let lanes: Vec<[LaneId; 2]> = (0..votes).map(|_| Role::BOTH.map(|role| stage.lane(role.name()))).collect();
    let spoken = join_all((1..).zip(&lanes).map(|(number, lanes)| async move {
        let case = Case { vote: Some(number), ..*case };
        let mut exchange = Exchange::open(case);
        exchange.first(stage, *lanes).await?;
        Ok::<_, Halt>(exchange.last().map(|turns| (case, decide(&case, turns, &BTreeSet::new()))))
    }))
    .await;
    stage.join(&lanes.concat()).await;
    let mut decisions = Vec::new();
    for one in spoken {
        if let Some((case, decision)) = one? {
            decision.record(&case, stage, LaneId::MAIN, "vote", false).await;
            decisions.push(decision);
        }
    }
    Ok(majority(&decisions))
}

/// The majority of decisions.
fn majority(decisions: &[Decision]) -> Decision {
    let mut counts: BTreeMap<Verdict, i64> = BTreeMap::new();
    for decision in decisions {
        *counts.entry(decision.verdict).or_default() += 1;
    }
    let most = counts.values().copied().max().unwrap_or(0);
    let mut leading = counts.iter().filter(|(_, count)| **count == most).map(|(verdict, _)| *verdict);
    let verdict = match (leading.next(), leading.next()) {
        (Some(only), None) => only,
        _ => Verdict::Inconclusive,
    };
    let number = i64::try_from(decisions.len()).unwrap_or(i64::MAX).max(1);
    let share = counts.get(&verdict).copied().unwrap_or(0) * 1000 / number;
    let mean = |of: fn(&Positions) -> Milli| {
        Milli(decisions.iter().map(|decision| of(&decision.positions).0).sum::<i64>() / number)
    };
    let facts: BTreeSet<_> = decisions
        .iter()
        .filter(|decision| decision.verdict == verdict)
        .flat_map(|decision| decision.facts.iter().copied())
        .collect();
    let sum = |of: fn(&Positions) -> u32| {
        decisions.iter().map(|decision| of(&decision.positions)).fold(0, u32::saturating_add)
    };
    Decision {
        verdict,
        certainty: Milli(share),
        definition: "votes",
        positions: Positions {
            architect: mean(|positions| positions.architect),
            skeptic: mean(|positions| positions.skeptic),
            architect_facts: sum(|positions| positions.architect_facts),
            skeptic_facts: sum(|positions| positions.skeptic_facts),
        },
        weighed: Vec::new(),
        facts: facts.into_iter().collect(),
        fallback: decisions.iter().any(|decision| decision.fallback),
        round: 1,
    }
}
