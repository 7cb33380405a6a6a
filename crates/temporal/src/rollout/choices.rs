//! All that could be left of a conflict.

use std::collections::{BTreeMap, BTreeSet};

use gimbal_core::ToolCall;
use serde::{Deserialize, Serialize};

use super::rules::Rule;
use crate::arbiter::{Arbiter, Composed, Composition, Party, Scene, Skip, Verdict, compose};
use crate::commitments::Commitment;
use crate::conflict::Conflict;
use crate::{Directive, Layer, Proposal};

/// Sets of parties that are looked at before the search ends.
const SETS: usize = 65_536;

/// Who takes part in a decision.
#[derive(Clone, Copy, Debug)]
pub struct Contenders<'a> {
    /// What layers want now.
    pub proposals: &'a [Proposal],
    /// What holds.
    pub commitments: &'a [&'a Commitment],
}

/// The ways in which a conflict can be resolved.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct Choices {
    /// Who takes part, the fastest layer first.
    pub parties: Vec<Party>,
    /// Who excludes whom, by places of `parties`.
    pub conflicts: Vec<Conflict>,
    /// The ways, none twice: those that keep as many as they can come first.
    pub candidates: Vec<Candidate>,
    /// The way of each rule, by its name: a place of `candidates`.
    pub by_rule: BTreeMap<String, usize>,
    /// Whether some ways were left out, because there were too many.
    pub cut: bool,
}

/// One way to resolve a conflict.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct Candidate {
    /// Places of the parties that are in effect.
    pub kept: Vec<usize>,
    /// The sets of parties in conflict that lead here when Algorithm 1 leaves them. Several do where directives differ in words alone, or two layers
    /// want the same call.
    pub sets: Vec<Vec<usize>>,
    /// The call.
    pub call: ToolCall,
    /// The layer whose call it is; `None` for the idle call in the place of a call.
    pub caller: Option<Layer>,
    /// What holds after the call.
    pub holds: Vec<Held>,
    /// Whether nobody more could be kept. Algorithm 1 as printed also leaves sets to which someone could be added.
    pub is_full: bool,
}

/// A directive that holds after a call.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct Held {
    /// The layer that gave it.
    pub layer: Layer,
    /// What it lets through.
    pub directive: Directive,
    /// The last step in which it holds; `None` for the rest of the episode.
    pub until: Option<u32>,
}

impl Held {
    /// Whether it lets a call through at a step.
    #[must_use]
    pub fn allows(&self, call: &ToolCall, step: u32) -> bool {
        self.until.is_some_and(|until| step > until) || self.directive.allows(call)
    }

    /// Whether it binds any call at all; others are words for prompts.
    fn binds(&self) -> bool {
        !self.directive.forbids.is_empty() || !self.directive.only.is_empty()
    }
}

impl Candidate {
    /// What decides its value: the call, and the directives that bind calls. Directives that are words alone change no rollout.
    fn key(&self) -> (String, BTreeSet<String>) {
        let bound = |held: &&Held| held.binds();
        let shown = |held: &Held| format!("{:?} {:?} {:?}", held.directive.forbids, held.directive.only, held.until);
        let call = format!("{} {}", self.call.tool, self.call.canonical_arguments());
        (call, self.holds.iter().filter(bound).map(shown).collect())
    }
}

impl Choices {
    /// The ways to resolve the conflicts among parties, at most `most`, with those of `rules`, which are never left out; `None` where nobody
    /// excludes anyone by `arbiter`. What counts as a conflict, who may decide what, and what is composed is the arbiter's; its scores do not
    /// matter.
    ///
    /// Algorithm 1 leaves a set in which nobody excludes anyone, and in which someone is left of every group that is connected by
    /// conflicts; with some priorities each such set is left. Where its ties are wider than 0 it may also leave nobody of a group; that is
    /// among the ways of `rules` where one of them does it.
    #[must_use]
    pub fn of(
        arbiter: &Arbiter,
        rules: &[Rule],
        wanted: Contenders<'_>,
        scene: &Scene<'_>,
        most: usize,
    ) -> Option<Self> {
        let verdict = arbiter.resolve(wanted.proposals, wanted.commitments, &[], scene);
        if verdict.conflicts.is_empty() {
            return None;
        }
        let table = Table::of(arbiter, wanted, &verdict)?;
        let (sets, mut cut) = table.sets();
        let mut found = Found::default();
        for (set, is_full) in sets {
            if found.candidates.len() == most {
                cut = true;
                break;
            }
            let (composed, kept) = table.composed(&set, scene);
            found.add(table.candidate(composed, kept, &set, is_full));
        }
        let mut by_rule = BTreeMap::new();
        for rule in rules {
            let verdict = rule.arbiter.resolve(wanted.proposals, wanted.commitments, &rule.learned, scene);
            let masked: BTreeSet<usize> = verdict.masked.iter().map(|one| one.place).collect();
            let left: Vec<usize> = (0..verdict.parties.len()).filter(|place| !masked.contains(place)).collect();
            let is_full = table.is_full(&left);
            let candidate = table.candidate(verdict.composed, verdict.kept, &left, is_full);
            by_rule.insert(rule.name.clone(), found.add(candidate));
        }
        Some(Self {
            parties: verdict.parties,
            conflicts: verdict.conflicts,
            candidates: found.candidates,
            by_rule,
            cut,
        })
    }

    /// The proposal of each party.
    #[must_use]
    pub fn proposals<'a>(&self, wanted: Contenders<'a>) -> Vec<&'a Proposal> {
        proposals(&self.parties, wanted).unwrap_or_default()
    }
}

/// Candidates, none twice.
#[derive(Default)]
struct Found {
    candidates: Vec<Candidate>,
    places: BTreeMap<(String, BTreeSet<String>), usize>,
}

impl Found {
    /// The place of a candidate of that value; the first one stays.
    fn add(&mut self, candidate: Candidate) -> usize {
        let place = *self.places.entry(candidate.key()).or_insert(self.candidates.len());
        match self.candidates.get_mut(place) {
            Some(known) => {
                known.is_full |= candidate.is_full;
                let new: Vec<_> = candidate.sets.into_iter().filter(|set| !known.sets.contains(set)).collect();
                known.sets.extend(new);
            }
            None => self.candidates.push(candidate),
        }
        place
    }
}

fn proposals<'a>(parties: &[Party], wanted: Contenders<'a>) -> Option<Vec<&'a Proposal>> {
    let of = |party: &Party| match *party {
        Party::Proposal(place) => wanted.proposals.get(place),
        Party::Commitment(number) => {
            wanted.commitments.iter().find(|one| one.number == number).map(|one| &one.proposal)
        }
    };
    parties.iter().map(of).collect()
}

struct Table<'a> {
    arbiter: &'a Arbiter,
    parties: Vec<Party>,
    proposals: Vec<&'a Proposal>,
    /// The last step of each party.
    until: Vec<Option<u32>>,
    /// Who may decide what it wants.
    within: Vec<bool>,
    /// Whom each excludes.
    excludes: Vec<BTreeSet<usize>>,
}

impl<'a> Table<'a> {
    fn of(arbiter: &'a Arbiter, wanted: Contenders<'a>, verdict: &Verdict) -> Option<Self> {
        let proposals = proposals(&verdict.parties, wanted)?;
        let until = |party: &Party, proposal: &&Proposal| match *party {
            Party::Proposal(_) => proposal.until,
            Party::Commitment(number) => {
                wanted.commitments.iter().find(|one| one.number == number).and_then(|one| one.until)
            }
        };
        let until = verdict.parties.iter().zip(&proposals).map(|(party, proposal)| until(party, proposal)).collect();
        let mut within = vec![true; proposals.len()];
        for skipped in verdict.skipped.iter().filter(|one| one.why == Skip::Authority) {
            within[skipped.place] = false;
        }
        let mut excludes = vec![BTreeSet::new(); proposals.len()];
        for conflict in &verdict.conflicts {
            excludes[conflict.one].insert(conflict.other);
            excludes[conflict.other].insert(conflict.one);
        }
        Some(Self { arbiter, parties: verdict.parties.clone(), proposals, until, within, excludes })
    }

    /// All sets that Algorithm 1 can leave, the full ones first, then the larger ones; and whether some are missing.
    fn sets(&self) -> (Vec<(Vec<usize>, bool)>, bool) {
        let parties: Vec<usize> = (0..self.proposals.len()).filter(|place| self.within[*place]).collect();
        let groups = self.groups();
        let mut search = Search { table: self, parties: &parties, chosen: Vec::new(), found: Vec::new(), looked: 0 };
        search.go(0);
        let cut = search.looked > SETS;
        let mut sets: Vec<(Vec<usize>, bool)> = search
            .found
            .into_iter()
            .filter(|set| groups.iter().all(|group| group.iter().any(|place| set.contains(place))))
            .map(|set| {
                let is_full = self.is_full(&set);
                (set, is_full)
            })
            .collect();
        sets.sort_by_key(|(set, is_full)| (!is_full, usize::MAX - set.len(), set.clone()));
        (sets, cut)
    }

    /// Those that depend on one another by conflicts.
    fn groups(&self) -> Vec<BTreeSet<usize>> {
        let mut groups: Vec<BTreeSet<usize>> = Vec::new();
        for place in (0..self.proposals.len()).filter(|place| !self.excludes[*place].is_empty()) {
            if groups.iter().any(|group| group.contains(&place)) {
                continue;
            }
            let (mut group, mut open) = (BTreeSet::from([place]), vec![place]);
            while let Some(next) = open.pop() {
                open.extend(self.excludes[next].iter().copied().filter(|other| group.insert(*other)));
            }
            groups.push(group);
        }
        groups
    }

    /// Whether everybody who is not in a set is excluded by someone in it.
    fn is_full(&self, set: &[usize]) -> bool {
        (0..self.proposals.len())
            .filter(|place| self.within[*place] && !set.contains(place))
            .all(|place| set.iter().any(|kept| self.excludes[place].contains(kept)))
    }

    fn composed(&self, set: &[usize], scene: &Scene<'_>) -> (Composed, Vec<usize>) {
        let left: Vec<(usize, &Proposal)> = set.iter().map(|place| (*place, self.proposals[*place])).collect();
        let Composition { composed, kept, .. } = compose(&left, &self.arbiter.authority, scene);
        (composed, kept)
    }

    /// What is left after a decision: the directives that are kept, and policies that hold on though they were passed over.
    fn candidate(&self, composed: Composed, kept: Vec<usize>, set: &[usize], is_full: bool) -> Candidate {
        let passed_over = (0..self.proposals.len()).filter(|place| {
            let policy = self.proposals[*place].layer >= Layer::Institutional;
            policy && !set.contains(place) && matches!(self.parties[*place], Party::Commitment(_))
        });
        let mut holding: Vec<usize> = kept.iter().copied().chain(passed_over).collect();
        holding.sort_unstable();
        let held = holding.iter().filter_map(|place| {
            let directive = self.proposals[*place].as_directive()?.clone();
            Some(Held { layer: self.proposals[*place].layer, directive, until: self.until[*place] })
        });
        let in_conflict = set.iter().copied().filter(|place| !self.excludes[*place].is_empty()).collect();
        let Composed { call, caller, .. } = composed;
        Candidate { kept, sets: vec![in_conflict], call, caller, holds: held.collect(), is_full }
    }
}

/// All sets in which nobody excludes anyone; who is in no conflict is in all of them.
struct Search<'a, 'b> {
    table: &'a Table<'b>,
    parties: &'a [usize],
    chosen: Vec<usize>,
    found: Vec<Vec<usize>>,
    looked: usize,
}

impl Search<'_, '_> {
    fn go(&mut self, next: usize) {
        self.looked += 1;
        if self.looked > SETS {
            return;
        }
        let Some(&place) = self.parties.get(next) else {
            self.found.push(self.chosen.clone());
            return;
        };
        let excludes = &self.table.excludes[place];
        if self.chosen.iter().all(|kept| !excludes.contains(kept)) {
            self.chosen.push(place);
            self.go(next + 1);
            self.chosen.pop();
        }
        if !excludes.is_empty() {
            self.go(next + 1);
        }
    }
}
