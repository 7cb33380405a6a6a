//! Rounds: both sides speak, hear each other, and speak again (ARES-042, ARES-043).

use std::collections::BTreeSet;

use futures::join;
use gimbal_core::{EpisodeStopped, LaneId, Milli, Stage};
use gimbal_evidence::FactId;
use gimbal_messages::StageExt;
use gimbal_messages::records::debate::Breach;

use super::advocate::{Advocate, ReceivedTurn, Turn};
use super::case::Case;
use super::side::{Role, Strategy};

/// A confidence that moves by less than this stays (ARES-043); by more than it, a fact must be named (ARES-046). In thousandths.
const STEP: i64 = 100;

/// Both sides of a case.
pub(super) struct Exchange<'a> {
    case: Case<'a>,
    sides: [Advocate<'a>; 2],
}

impl<'a> Exchange<'a> {
    /// Both sides, before anyone spoke.
    pub(super) const fn open(case: Case<'a>) -> Self {
        Self { case, sides: [Advocate::observe(case, Role::Architect), Advocate::observe(case, Role::Skeptic)] }
    }

    /// The last turns, the Architect's first; none before the first round.
    pub(super) fn last(&self) -> Option<[&Turn; 2]> {
        let [architect, skeptic] = &self.sides;
        Some([architect.last()?, skeptic.last()?])
    }

    /// How many rounds there were.
    pub(super) fn rounds(&self) -> u32 {
        self.last().map_or(0, |[turn, _]| turn.round)
    }

    /// Everything that was cited so far.
    pub(super) fn cited(&self) -> BTreeSet<FactId> {
        self.sides.iter().flat_map(Advocate::cited).collect()
    }

    fn side(&self, role: Role) -> &Advocate<'a> {
        &self.sides[role.index()]
    }

    /// A single turn on these lanes: each side sees the packet once (ARES-040). A Skeptic by rule answers the Architect, and so does a
    /// model where the debate says so (ARES-041); else neither waits for the other.
    pub(super) async fn first(&mut self, stage: &dyn Stage, lanes: [LaneId; 2]) -> Result<(), EpisodeStopped> {
        let debate = self.case.debate;
        let rules = self.side(Role::Skeptic).strategy() != Strategy::Model;
        let opener = if rules { Role::Architect } else { debate.opener() };
        if !rules && !debate.skeptic_sees_thesis {
            return self.apart(stage, lanes, 1).await;
        }
        self.speak(stage, lanes[opener.index()], 1, opener, false).await?;
        self.speak(stage, lanes[opener.other().index()], 1, opener.other(), true).await
    }

    /// Both sides at once; neither hears the other.
    async fn apart(&mut self, stage: &dyn Stage, lanes: [LaneId; 2], round: u32) -> Result<(), EpisodeStopped> {
        let [architect, skeptic] = &self.sides;
        let both = join!(architect.act(stage, lanes[0], round, None), skeptic.act(stage, lanes[1], round, None));
        let turns = [both.0?, both.1?];
        for (side, turn) in self.sides.iter_mut().zip(turns) {
            side.turns.push(turn);
        }
        Ok(())
    }

    /// One side speaks, with what it hears of the other.
    async fn speak(
        &mut self,
        stage: &dyn Stage,
        lane: LaneId,
        round: u32,
        role: Role,
        hears: bool,
    ) -> Result<(), EpisodeStopped> {
        let (side, other) = (self.side(role), self.side(role.other()));
        let summary = match (hears, side.strategy()) {
            (true, Strategy::Model) => other.send(stage, lane).await,
            _ => None,
        };
        let heard = other.last().filter(|_| hears).map(|turn| ReceivedTurn { turn, summary: summary.as_ref() });
        let turn = side.act(stage, lane, round, heard).await?;
        if let (Some(before), Some(heard)) = (side.last(), heard) {
            for breach in breaches(side, before, &turn, heard.turn) {
                stage.record(lane, &breach).await;
            }
        }
        self.sides[role.index()].turns.push(turn);
        Ok(())
    }

    /// The next round: the one who opens answers the other, who then has the last word. Under self-correction each only looks at what it said
    /// itself.
    pub(super) async fn next(&mut self, stage: &dyn Stage) -> Result<(), EpisodeStopped> {
        let round = self.rounds() + 1;
        if self.case.debate.isolated {
            let lanes = Role::BOTH.map(|role| stage.lane(role.name()));
            let spoken = self.apart(stage, lanes, round).await;
            stage.join(&lanes).await;
            return spoken;
        }
        let opener = self.case.debate.opener();
        self.speak(stage, LaneId::MAIN, round, opener, true).await?;
        self.speak(stage, LaneId::MAIN, round, opener.other(), true).await
    }

    /// Why there is no further round, after one that began with `known` facts cited.
    pub(super) fn stops(&self, known: &BTreeSet<FactId>) -> Option<&'static str> {
        let debate = self.case.debate;
        if self.rounds() >= debate.rounds {
            return Some("rounds");
        }
        if !debate.stops_early || self.rounds() < 2 {
            return None;
        }
        if self.cited().is_subset(known) {
            return Some("no_new_facts");
        }
        let moved = |side: &Advocate<'_>| match side.turns.as_slice() {
            [.., before, last] => (before.position.confidence.0 - last.position.confidence.0).abs(),
            _ => i64::MAX,
        };
        self.sides.iter().all(|side| moved(side) < STEP).then_some("settled")
    }
}

/// The rules of a debate that a turn breaks. They are counted and change nothing.
fn breaches(side: &Advocate<'_>, before: &Turn, turn: &Turn, heard: &Turn) -> Vec<Breach> {
    let breach = |rule: &str, claim: &str, change: i64| Breach {
        role: side.role.name().to_owned(),
        round: turn.round,
        rule: rule.to_owned(),
        claim: claim.to_owned(),
        change: Milli(change),
    };
    let mut found = Vec::new();
    if turn.strategy != Strategy::Model || turn.fell_back {
        return found;
    }
    let known = side.cited();
    let fresh = |turn: &Turn| turn.position.cited().iter().any(|fact| !known.contains(fact));
    let change = turn.position.confidence.0 - before.position.confidence.0;
    // An anchored Architect is asked to keep its confidence unless it is contradicted with facts; everybody else is asked to answer what is
    // newly cited.
    let must_answer = !(turn.anchored && side.role == Role::Architect) || side.is_explained_anew(heard);
    if change == 0 && fresh(heard) && !fresh(turn) && must_answer {
        found.push(breach("rigid", "overall", 0));
    }
    let named = |claim: &str| turn.reasons.iter().any(|(of, _)| of == claim);
    if change.abs() > STEP && !named("overall") && !fresh(turn) {
        found.push(breach("unfounded", "overall", change));
    }
    // A claim that is made again is the same claim.
    for (index, claim) in before.position.assertions.iter().enumerate() {
        let same =
            turn.position.assertions.iter().find(|other| {
                other.predicate == claim.predicate && other.facts == claim.facts && other.kind == claim.kind
            });
        let Some(same) = same.filter(|_| turn.anchored) else { continue };
        let (id, change) = (side.role.claim(index), same.confidence.0 - claim.confidence.0);
        if change.abs() > STEP && !named(&id) {
            found.push(breach("unfounded", &id, change));
        }
    }
    found
}
