//! Independent single turns whose verdicts are counted: the control at the cost of a debate.

use std::collections::{BTreeMap, BTreeSet};

use futures::future::join_all;
use gimbal_core::{EpisodeStopped, LaneId, Milli, Stage};
use gimbal_evidence::FactId;
use gimbal_evidence::judge::{Positions, Verdict};

use super::case::Case;
use super::decision::{Decision, decide};
use super::rounds::Exchange;
use super::side::Role;

/// The verdict of most of so many single turns; inconclusive where no verdict has more than each other one.
pub(super) async fn vote(case: &Case<'_>, stage: &dyn Stage, votes: u32) -> Result<Decision, EpisodeStopped> {
    let lanes: Vec<[LaneId; 2]> = (0..votes).map(|_| Role::BOTH.map(|role| stage.lane(role.name()))).collect();
    let spoken = join_all((1..).zip(&lanes).map(|(number, lanes)| async move {
        let case = Case { vote: Some(number), ..*case };
        let mut exchange = Exchange::open(case);
        exchange.first(stage, *lanes).await?;
        Ok::<_, EpisodeStopped>(exchange.last().map(|turns| (case, decide(&case, turns, &BTreeSet::new()))))
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
    let (verdict, is_majority) = match (leading.next(), leading.next()) {
        (Some(only), None) => (only, true),
        _ => (Verdict::Inconclusive, false),
    };
    let number = i64::try_from(decisions.len()).unwrap_or(i64::MAX).max(1);
    // How sure: the mean over all votes, where one for another verdict counts as 0. Without a majority there is nothing to be sure of.
    let agreeing = decisions.iter().filter(|decision| decision.verdict == verdict).map(|decision| decision.certainty.0);
    let certainty = if is_majority { agreeing.sum::<i64>() / number } else { 500 };
    let mean = |of: fn(&Positions) -> Milli| {
        Milli(decisions.iter().map(|decision| of(&decision.positions).0).sum::<i64>() / number)
    };
    let sum = |of: fn(&Positions) -> u32| {
        decisions.iter().map(|decision| of(&decision.positions)).fold(0, u32::saturating_add)
    };
    Decision {
        verdict,
        certainty: Milli(certainty),
        definition: "votes",
        positions: Positions {
            architect: mean(|positions| positions.architect),
            skeptic: mean(|positions| positions.skeptic),
            architect_facts: sum(|positions| positions.architect_facts),
            skeptic_facts: sum(|positions| positions.skeptic_facts),
        },
        weighed: None,
        facts: merged(decisions, verdict),
        fallback: decisions.iter().any(|decision| decision.fallback),
        round: 1,
    }
}

/// The facts of the votes that gave this verdict, or of all votes where none did: those of most votes first, then in the order of their
/// ids. A conclusion cites the first of them.
fn merged(decisions: &[Decision], verdict: Verdict) -> Vec<FactId> {
    let any = decisions.iter().any(|decision| decision.verdict == verdict);
    let mut votes: BTreeMap<FactId, usize> = BTreeMap::new();
    for decision in decisions.iter().filter(|decision| !any || decision.verdict == verdict) {
        for fact in decision.facts.iter().copied().collect::<BTreeSet<FactId>>() {
            *votes.entry(fact).or_default() += 1;
        }
    }
    let mut facts: Vec<(FactId, usize)> = votes.into_iter().collect();
    // The sort is stable: facts of as many votes stay in the order of their ids.
    facts.sort_by_key(|(_, count)| std::cmp::Reverse(*count));
    facts.into_iter().map(|(fact, _)| fact).collect()
}

#[cfg(test)]
mod tests {
    use gimbal_core::Milli;
    use gimbal_evidence::FactId;
    use gimbal_evidence::judge::{Positions, Verdict};

    use super::{Decision, majority};

    fn vote(verdict: Verdict, facts: &[u32]) -> Decision {
        Decision {
            verdict,
            certainty: Milli(800),
            definition: "winner",
            positions: Positions { architect: Milli(800), skeptic: Milli(200), architect_facts: 1, skeptic_facts: 1 },
            weighed: None,
            facts: facts.iter().map(|index| FactId::at(*index)).collect(),
            fallback: false,
            round: 1,
        }
    }

    fn cited(votes: &[Decision]) -> (Verdict, Vec<String>) {
        let all = majority(votes);
        (all.verdict, all.facts.iter().map(ToString::to_string).collect())
    }

    #[test]
    fn the_facts_of_most_votes_come_first() {
        use Verdict::{ThreatConfirmed, ThreatDismissed};
        let votes = [
            vote(ThreatConfirmed, &[8, 0]),
            vote(ThreatDismissed, &[1, 2]),
            vote(ThreatConfirmed, &[4, 8]),
            vote(ThreatConfirmed, &[8, 4, 4]),
        ];
        let facts = ["F009", "F005", "F001"].map(str::to_owned).to_vec();
        assert_eq!(cited(&votes), (ThreatConfirmed, facts));
    }

    #[test]
    fn votes_that_disagree_leave_the_facts_of_all() {
        use Verdict::{Inconclusive, ThreatConfirmed, ThreatDismissed};
        let facts = ["F003", "F001", "F002"].map(str::to_owned).to_vec();
        let votes = [vote(ThreatConfirmed, &[0, 2]), vote(ThreatDismissed, &[2, 1])];
        assert_eq!(cited(&votes), (Inconclusive, facts));
        let settled = [&votes[..], &[vote(Inconclusive, &[6])]].concat();
        assert_eq!(cited(&settled), (Inconclusive, vec!["F007".to_owned()]));
        // Nobody's verdict has most votes: nothing to be sure of. All agree: as sure as they are.
        assert_eq!((majority(&votes).certainty, majority(&votes[..1]).certainty), (Milli(500), Milli(800)));
    }
}
