//! The fold over the episodes of a run: numbers of each, transitions of each graph, and a few whole episodes to draw.

use std::collections::{BTreeMap, BTreeSet};

use gimbal_analysis::work_folds::TaskPart;
use gimbal_core::Stop;

use super::detect::{Finding, LastActs, Signal, findings};
use super::evidence::Evidence;
use super::repair::{Repair, repairs};
use super::trajectory::{Gate, Graph, Planned, Spend, Trajectory};
use super::{Condition, Setup, Visits, visits};
use gimbal_analysis::CellInfo;
use gimbal_analysis::acted::{CellActs, EpisodeActs};

/// One episode in numbers.
#[derive(Clone, Debug, PartialEq)]
pub struct Record {
    /// Environment, task and run: episodes of different cells with the same three played the same seed.
    pub environment: String,
    /// Task.
    pub task: String,
    /// The part of the data that it belongs to.
    pub part: Option<TaskPart>,
    /// Run.
    pub run: u32,
    /// Trial.
    pub trial: u32,
    /// Instance that the run belongs to.
    pub instance: u32,
    /// Whether it was won.
    pub won: bool,
    /// Why it ended.
    pub stop: Stop,
    /// Tool calls.
    pub tool_calls: u32,
    /// Steps of the environment.
    pub steps: u32,
    /// Whether its model acted.
    pub acts: EpisodeActs,
    /// Model calls and tokens of all roles of the agent.
    pub spent: Spend,
    /// Those of the planner.
    pub planner: Spend,
    /// Those of the router.
    pub router: Spend,
    /// Longest chain of waiting, in microseconds.
    pub wall_us: u64,
    /// Distinct situations.
    pub situations: Option<u32>,
    /// Visits.
    pub visits: Visits,
    /// Decisions that named no node.
    pub hallucinations: u32,
    /// Decisions that needed a repair.
    pub repaired: u32,
    /// Decisions that were taken from earlier ones.
    pub cached: u32,
    /// Those that an earlier call had decided (CYC-097).
    pub ahead: u32,
    /// Those that a state machine made (CYC-093).
    pub ruled: u32,
    /// Sum of candidates over decisions.
    pub candidates: u64,
    /// Size of the graph that was in force at the end.
    pub graph: Option<GraphSize>,
    /// What followed each fault.
    pub repairs: Vec<Repair>,
    /// Failure modes and where they show.
    pub findings: Vec<Finding>,
    /// What is said of an answer.
    pub evidence: Option<Evidence>,
    /// The planner's worth.
    pub planned: Option<Planned>,
    /// What gates before final answers said, in order.
    pub gates: Vec<Gate>,
    /// Pieces of evidence that each revisit brought, where they are followed.
    pub revisit_evidence: Vec<u32>,
}

impl Record {
    /// Where it was played: episodes of two cells with the same place are paired.
    #[must_use]
    pub fn place(&self) -> PlayedAt<'_> {
        PlayedAt { environment: &self.environment, task: &self.task, run: self.run, trial: self.trial }
    }
}

/// Environment, task, run and trial of an episode.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub struct PlayedAt<'a> {
    /// Environment.
    pub environment: &'a str,
    /// Task.
    pub task: &'a str,
    /// Run.
    pub run: u32,
    /// Trial.
    pub trial: u32,
}

/// Size of a task graph.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct GraphSize {
    /// Nodes.
    pub nodes: u32,
    /// Mean words of its criteria; `None` without edges.
    pub criterion_words: Option<f64>,
}

/// A transition of a graph.
#[derive(Clone, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub struct Transition {
    /// Id of the graph.
    pub graph: String,
    /// From where.
    pub from: String,
    /// Where to.
    pub to: String,
}

/// How often a transition was taken.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Use {
    /// In all episodes.
    pub all: u64,
    /// In won ones.
    pub won: u64,
}

/// One cell of a run.
#[derive(Clone, Debug, PartialEq)]
pub struct CellCycles {
    /// Labels.
    pub info: CellInfo,
    /// What the cell plays.
    pub condition: Condition,
    /// Its episodes, by environment, task, run and trial.
    pub records: Vec<Record>,
    /// Graphs that were in force, by id.
    pub graphs: BTreeMap<String, Graph>,
    /// Transitions that were taken (CYC-062).
    pub transitions: BTreeMap<Transition, Use>,
    /// Episodes worth drawing, by kind.
    pub samples: BTreeMap<SampleKind, Sample>,
    /// Episodes whose goal the run keeps.
    pub with_goal: usize,
}

impl CellCycles {
    /// Whether the model hardly acted ([`gimbal_analysis::acted`]): the cell has no rate of success.
    #[must_use]
    pub fn hardly_acted(&self) -> bool {
        let calls = !self.info.acts_by_messages;
        let acts = |one: &Record| EpisodeActs { without_call: calls && one.acts.without_call, ..one.acts };
        let acts: Vec<EpisodeActs> = self.records.iter().map(acts).collect();
        !self.info.models.is_empty() && CellActs::of(&acts).is_hardly()
    }
}

/// Which of the four traces of the work an episode resembles (CYC-098, CYC-100).
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub enum SampleKind {
    /// Won by going back.
    WonByRevisits,
    /// Lost to and fro.
    LostOscillating,
    /// Lost at a node that cannot get on.
    LostInDeadEnd,
    /// Lost by acts that lead nowhere.
    LostDrifting,
}

impl SampleKind {
    /// All, in the order of the figures.
    pub const ALL: [Self; 4] = [Self::WonByRevisits, Self::LostOscillating, Self::LostInDeadEnd, Self::LostDrifting];

    /// What a run lacks where it has none.
    #[must_use]
    pub const fn missing(self) -> &'static str {
        match self {
            Self::WonByRevisits => "no won episode that went back to a subtask",
            Self::LostOscillating => "no lost episode that went to and fro between subtasks",
            Self::LostInDeadEnd => "no lost episode that stayed at a subtask with too few tools, or at one alone",
            Self::LostDrifting => "no lost episode whose calls drifted or ended the task too early",
        }
    }

    /// How well an episode shows it, and whether it does at all. More is better.
    fn score(self, walk: &Trajectory, visits: Visits, findings: &[Finding]) -> Option<(u64, u64)> {
        let spread = |signals: &[Signal]| -> u64 {
            let own = findings.iter().filter(|one| signals.contains(&one.signal));
            own.map(|one| u64::from(one.last - one.first) + 1).sum()
        };
        let (wanted, main, other) = match self {
            Self::WonByRevisits => (true, u64::from(visits.revisits), u64::from(visits.moves)),
            Self::LostOscillating => {
                (false, spread(&[Signal::Oscillation, Signal::Cycle]), spread(&[Signal::Thrashing]))
            }
            Self::LostInDeadEnd => (false, spread(&[Signal::DeadEnd]), spread(&[Signal::SelfLoops])),
            // With tools enough: what drifts in a dead end is the other trace.
            Self::LostDrifting if spread(&[Signal::DeadEnd]) > 0 => return None,
            Self::LostDrifting => (false, spread(&[Signal::Drift, Signal::PrematureAct]), spread(&[Signal::Drift])),
        };
        // A streak of self-loops is a dead end of its own where no node is restricted.
        let main = if self == Self::LostInDeadEnd { 2 * main + other } else { main };
        (walk.won == wanted && main > 0 && !walk.segments.is_empty()).then_some((main, other))
    }
}

/// A whole episode.
#[derive(Clone, Debug, PartialEq)]
pub struct Sample {
    /// The episode.
    pub trajectory: Trajectory,
    /// What was found in it.
    pub findings: Vec<Finding>,
    /// How well it shows what it is to show.
    pub score: (u64, u64),
}

/// A run's cells, in the order of the study.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct Cycles {
    /// The cells.
    pub cells: Vec<CellCycles>,
}

/// An episode under way in the fold: what ends a task is known only when all were read.
struct Open {
    record: Record,
    /// Calls without effect, by segment.
    fruitless: Vec<(String, u32)>,
}

#[derive(Default)]
struct Cell {
    open: Vec<Open>,
    sources: BTreeSet<String>,
    /// Who made given graphs, and with which summaries.
    makers: BTreeSet<(String, String)>,
    specialists: bool,
    graphs: BTreeMap<String, Graph>,
    transitions: BTreeMap<Transition, Use>,
    samples: BTreeMap<SampleKind, Sample>,
    with_goal: usize,
}

/// Takes in episodes in any order.
pub struct Fold {
    infos: Vec<(CellInfo, Setup)>,
    cells: BTreeMap<String, Cell>,
    last_acts: LastActs,
}

impl Fold {
    /// A fold over the cells of a study.
    #[must_use]
    pub fn new(infos: Vec<(CellInfo, Setup)>) -> Self {
        let cells = infos.iter().map(|(info, _)| (info.id.clone(), Cell::default())).collect();
        Self { infos, cells, last_acts: LastActs::default() }
    }

    /// Takes in an episode; one of an unknown cell is passed over.
    pub fn add(&mut self, walk: &Trajectory) {
        self.last_acts.learn(walk);
        let Some(cell) = self.cells.get_mut(&walk.cell) else { return };
        cell.with_goal += usize::from(walk.goal.is_some());
        for graph in &walk.graphs {
            cell.sources.insert(graph.source.clone());
            cell.makers.insert((graph.planner.clone(), graph.shots.clone()));
            cell.specialists |= graph.has_specialists();
            cell.graphs.entry(graph.id.clone()).or_insert_with(|| graph.clone());
        }
        let id = walk.graph().map_or("", |graph| &graph.id);
        for (from, to) in walk.transitions() {
            let used = cell
                .transitions
                .entry(Transition { graph: id.to_owned(), from: from.to_owned(), to: to.to_owned() })
                .or_default();
            used.all += 1;
            used.won += u64::from(walk.won);
        }
        // An agent without a graph has no subtasks to go wrong at.
        let found = if walk.graphs.is_empty() { Vec::new() } else { findings(walk, &LastActs::default()) };
        let counts = visits(walk);
        for kind in SampleKind::ALL.into_iter().filter(|_| !walk.graphs.is_empty()) {
            let Some(score) = kind.score(walk, counts, &found) else { continue };
            // The better one stays; among equals the one that comes first by task and run, whatever order they are read in.
            let place = |one: &Trajectory| (one.task.clone(), one.run, one.trial);
            let better = cell.samples.get(&kind).is_none_or(|known| {
                (known.score, std::cmp::Reverse(place(&known.trajectory))) < (score, std::cmp::Reverse(place(walk)))
            });
            if better {
                let sample = Sample { trajectory: walk.clone(), findings: found.clone(), score };
                cell.samples.insert(kind, sample);
            }
        }
        let segments = if walk.graphs.is_empty() { &[][..] } else { &walk.segments };
        let fruitless = segments.iter().flat_map(|segment| {
            let acts = segment.acts.iter().filter(|act| act.effect.is_fruitless());
            acts.map(|act| (act.key(), segment.index))
        });
        cell.open.push(Open { record: record(walk, counts, found), fruitless: fruitless.collect() });
    }

    /// The cells, in the study's order.
    #[must_use]
    pub fn finish(mut self) -> Cycles {
        let last_acts = std::mem::take(&mut self.last_acts);
        let cells = self.infos.into_iter().map(|(info, setup)| {
            let cell = self.cells.remove(&info.id).unwrap_or_default();
            let sources: Vec<String> = cell.sources.into_iter().collect();
            let condition = Condition::of(&info, &setup, &sources, cell.specialists);
            // Of several makers none can be named.
            let maker = cell.makers.first().filter(|_| cell.makers.len() == 1);
            let condition = match maker {
                Some((planner, shots)) => condition.made((planner, shots)),
                None => condition,
            };
            let mut records: Vec<Record> = cell.open.into_iter().map(|open| learned(open, &last_acts)).collect();
            records.sort_by(|one, other| one.place().cmp(&other.place()));
            CellCycles {
                info,
                condition,
                records,
                graphs: cell.graphs,
                transitions: cell.transitions,
                samples: cell.samples,
                with_goal: cell.with_goal,
            }
        });
        Cycles { cells: cells.collect() }
    }
}

/// Adds the premature acts that only other episodes tell.
fn learned(open: Open, last_acts: &LastActs) -> Record {
    let Open { mut record, fruitless } = open;
    if let Some(known) = last_acts.at(&record.environment, &record.task) {
        let early = fruitless.into_iter().filter(|(key, _)| known.contains(key));
        let early = early.map(|(_, at)| Finding { signal: Signal::PrematureAct, first: at, last: at });
        record.findings.extend(early);
        record.findings.sort_unstable();
        record.findings.dedup();
    }
    record
}

fn record(walk: &Trajectory, visits: Visits, findings: Vec<Finding>) -> Record {
    let decisions = || walk.visits().map(|(_, routed)| routed);
    let count = |holds: fn(&super::Routed) -> bool| decisions().filter(|routed| holds(routed)).count() as u32;
    let router = walk.segments.iter().fold(Spend::default(), |sum, segment| sum.plus(segment.router));
    let mut known: BTreeSet<&str> = BTreeSet::new();
    let revisits = walk.visits().filter(|(segment, _)| !known.insert(&segment.node));
    let revisit_evidence = revisits.filter_map(|(segment, _)| segment.evidence_gained).collect();
    Record {
        environment: walk.environment.clone(),
        task: walk.task.clone(),
        part: walk.part.clone(),
        run: walk.run,
        trial: walk.trial,
        instance: walk.instance,
        won: walk.won,
        stop: walk.stop,
        tool_calls: walk.tool_calls,
        steps: walk.steps,
        acts: walk.acts(),
        spent: walk.spent,
        planner: walk.planner,
        router,
        wall_us: walk.wall_us,
        situations: walk.situations,
        visits,
        hallucinations: count(|routed| !routed.valid),
        // A choice that is none after the repair was none before it; older journals do not say so.
        repaired: count(|routed| routed.repaired || !routed.valid),
        cached: count(|routed| routed.cached),
        ahead: count(|routed| routed.ahead),
        ruled: count(|routed| routed.ruled),
        candidates: decisions().map(|routed| u64::from(routed.candidates)).sum(),
        graph: walk
            .graph()
            .map(|graph| GraphSize { nodes: graph.nodes.len() as u32, criterion_words: graph.criterion_words() }),
        repairs: repairs(walk),
        findings,
        evidence: walk.evidence.clone(),
        planned: walk.planned,
        gates: walk.gates.clone(),
        revisit_evidence,
    }
}
