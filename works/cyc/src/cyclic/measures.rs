//! The measures of one cell (CYC-052, 053, 060-065, 096).

use std::collections::{BTreeMap, BTreeSet};

use super::detect::Signal;
use super::evidence::Bottleneck;
use super::fold::{CellCycles, Record, Transition};
use super::gates::GateSums;
use super::{Condition, RepairMeans, plans::Plans, success_to_calls};
use gimbal_analysis::Agreement;

/// Mean and both standard deviations of a sample (CYC-052): the work gives the population SD of rates over seeds.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Moments {
    /// Values.
    pub n: usize,
    /// Mean.
    pub mean: f64,
    /// SD that divides by n.
    pub population_sd: f64,
    /// SD that divides by n - 1; `None` for one value.
    pub sample_sd: Option<f64>,
}

impl Moments {
    /// Of finite values; `None` without values.
    #[must_use]
    pub fn of(values: &[f64]) -> Option<Self> {
        if values.is_empty() || values.iter().any(|value| !value.is_finite()) {
            return None;
        }
        let n = values.len() as f64;
        let mean = values.iter().sum::<f64>() / n;
        let squares: f64 = values.iter().map(|value| (value - mean).powi(2)).sum();
        Some(Self {
            n: values.len(),
            mean,
            population_sd: (squares / n).sqrt(),
            sample_sd: (values.len() > 1).then(|| (squares / (n - 1.0)).sqrt()),
        })
    }
}

/// Means over a group of episodes: the won ones, the lost ones, or all.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct Group {
    /// Episodes.
    pub episodes: usize,
    /// Tool calls (TC).
    pub calls: Option<Moments>,
    /// Visits (ATS).
    pub visits: Option<Moments>,
    /// Different nodes (AUS).
    pub unique: Option<Moments>,
    /// Revisits (ASR).
    pub revisits: Option<Moments>,
    /// Self-loops.
    pub self_loops: Option<Moments>,
    /// Moves to another node.
    pub moves: Option<Moments>,
    /// Tokens, prompt and completion.
    pub tokens: Option<Moments>,
    /// Model calls.
    pub model_calls: Option<Moments>,
    /// Prompt tokens of the router.
    pub router_input: Option<Moments>,
    /// Seconds of waiting, one call after another (CYC-068).
    pub seconds: Option<Moments>,
    /// Distinct situations (CYC-067).
    pub situations: Option<Moments>,
}

impl Group {
    fn of<'a>(records: impl Iterator<Item = &'a Record>) -> Self {
        let records: Vec<&Record> = records.collect();
        let over = |value: &dyn Fn(&Record) -> f64| {
            Moments::of(&records.iter().map(|record| value(record)).collect::<Vec<f64>>())
        };
        let situations: Vec<f64> = records.iter().filter_map(|record| record.situations).map(f64::from).collect();
        Self {
            episodes: records.len(),
            calls: over(&|record| f64::from(record.tool_calls)),
            visits: over(&|record| f64::from(record.visits.total)),
            unique: over(&|record| f64::from(record.visits.unique)),
            revisits: over(&|record| f64::from(record.visits.revisits)),
            self_loops: over(&|record| f64::from(record.visits.self_loops)),
            moves: over(&|record| f64::from(record.visits.moves)),
            tokens: over(&|record| record.spent.tokens() as f64),
            model_calls: over(&|record| record.spent.calls as f64),
            router_input: over(&|record| record.router.input as f64),
            seconds: over(&|record| record.wall_us as f64 / 1e6),
            situations: Moments::of(&situations),
        }
    }
}

/// Unique transitions (CYC-062).
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct TransitionCount {
    /// Graphs in force (CYC-R03).
    pub graphs: usize,
    /// Most nodes of one of them.
    pub most_nodes: usize,
    /// Different pairs of nodes by name, over all graphs: as the work counts.
    pub all: usize,
    /// Those of won episodes.
    pub won: usize,
    /// The rest.
    pub never_won: usize,
    /// Most different transitions of a single graph: never above the square of its nodes.
    pub most_of_one_graph: usize,
    /// Summed over graphs: different transitions by graph.
    pub by_graph: usize,
}

/// Decisions (CYC-015, CYC-069).
#[derive(Clone, Copy, Debug, Default, PartialEq)]
pub struct Routing {
    /// Decisions.
    pub decisions: u64,
    /// Those that named no node after one repair.
    pub hallucinations: u64,
    /// Those that needed the repair.
    pub repaired: u64,
    /// Those that were taken from earlier ones without asking (CYC-097).
    pub cached: u64,
    /// Those that an earlier call had decided (CYC-097).
    pub ahead: u64,
    /// Those that a state machine made (CYC-093).
    pub ruled: u64,
    /// Mean candidates of a decision: the routing work W_m.
    pub candidates: Option<f64>,
    /// Mean prompt tokens of the router for a decision.
    pub input: Option<f64>,
    /// Share of all prompt tokens that the router read.
    pub share_of_input: Option<f64>,
}

/// What followed faults (CYC-096).
#[derive(Clone, Copy, Debug, Default, PartialEq)]
pub struct RepairSums {
    /// Faults.
    pub faults: u64,
    /// Those after which the controller found its way.
    pub by_choice: u64,
    /// Those after which a list reached the wanted node in its order.
    pub by_order: u64,
    /// Those after which the episode was won before that.
    pub by_success: u64,
    /// Those never set right.
    pub never: u64,
    /// Segments until repair, over repaired faults.
    pub segments: Option<Moments>,
    /// Tool calls.
    pub tool_calls: Option<Moments>,
    /// Model calls.
    pub model_calls: Option<Moments>,
    /// Tokens.
    pub tokens: Option<Moments>,
}

/// A failure mode in a cell.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct SignalSums {
    /// Episodes in which it shows.
    pub episodes: u64,
    /// Those of them that were won.
    pub won: u64,
    /// How often it shows.
    pub findings: u64,
    /// Segments that it covers.
    pub segments: u64,
    /// The first place, as `task/run segments first-last`.
    pub example: String,
}

/// A part of a whole, in counts.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Part {
    /// The part.
    pub count: u64,
    /// The whole.
    pub of: u64,
}

impl Part {
    pub(super) fn add(&mut self, count: u64, of: u64) {
        self.count += count;
        self.of += of;
    }
}

/// Figures of answers.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct FigureSums {
    /// Those that were stated.
    pub stated: u64,
    /// Those of them that are in a stored document or follow from such.
    pub supported: u64,
    /// Those of them that are in a stored document.
    pub stored: u64,
}

/// Revisits whose evidence was followed.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct RevisitSums {
    /// How many.
    pub followed: u64,
    /// Those that changed the evidence.
    pub changed: u64,
    /// Pieces of evidence that they brought.
    pub pieces: u64,
}

/// What is said of answers.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct EvidenceSums {
    /// Judged answers that passed, of all judged ones.
    pub answers: Part,
    /// Episodes that retrieved the document that holds the answer, of those of which it is known.
    pub retrieved: Part,
    /// Failures by bottleneck.
    pub bottlenecks: BTreeMap<Bottleneck, u64>,
    /// Figures of the answers.
    pub figures: FigureSums,
    /// Agreement of the two judges, item by item.
    pub agreement: Agreement,
    /// Gold documents that were read, of all (retrieval recall).
    pub gold: Part,
    /// Gates before final answers (CYC-095).
    pub gates: GateSums,
    /// Revisits whose evidence was followed.
    pub revisits: RevisitSums,
}

/// One cell in numbers.
#[derive(Clone, Debug, PartialEq)]
pub struct Measures {
    /// What the cell plays.
    pub condition: Condition,
    /// Episodes.
    pub episodes: usize,
    /// Episodes whose goal the run keeps.
    pub with_goal: usize,
    /// Whether the model hardly acted ([`CellCycles::hardly_acted`]): what was won and lost is not its own.
    pub hardly_acted: bool,
    /// Tasks.
    pub tasks: usize,
    /// Runs: the work's seeds.
    pub runs: usize,
    /// Success rate in percent, over runs (SR); `None` without episodes.
    pub success: Option<Moments>,
    /// SR over the mean tool calls of won episodes (STR).
    pub success_to_calls: Option<f64>,
    /// Won episodes; empty where the model hardly acted.
    pub won: Group,
    /// Lost episodes.
    pub lost: Group,
    /// All episodes.
    pub all: Group,
    /// Unique transitions.
    pub transitions: TransitionCount,
    /// Mean nodes of a graph, over episodes with one.
    pub nodes: Option<f64>,
    /// Mean words of a criterion.
    pub criterion_words: Option<f64>,
    /// Decisions.
    pub routing: Routing,
    /// Share of revisits that brought a state not seen before (the evidence set changed).
    pub fruitful_revisits: Option<f64>,
    /// What followed faults.
    pub repair: RepairSums,
    /// Failure modes that show.
    pub signals: BTreeMap<Signal, SignalSums>,
    /// Answers; `None` where no episode has any.
    pub evidence: Option<EvidenceSums>,
    /// Episodes in which a planner was asked for a graph.
    pub planned: Plans,
}

/// Measures a cell.
#[must_use]
pub fn measure(cell: &CellCycles) -> Measures {
    let records = &cell.records;
    let mut by_run: BTreeMap<u32, (u32, u32)> = BTreeMap::new();
    for record in records {
        let counts = by_run.entry(record.run).or_default();
        counts.0 += 1;
        counts.1 += u32::from(record.won);
    }
    let rates: Vec<f64> = by_run.values().map(|(of, won)| 100.0 * f64::from(*won) / f64::from(*of)).collect();
    // Where the fallback played, what was won and lost is its own.
    let hardly_acted = cell.hardly_acted();
    let success = Moments::of(&rates).filter(|_| !hardly_acted);
    let won = Group::of(records.iter().filter(|record| record.won && !hardly_acted));
    let success_to_calls =
        success.zip(won.calls).and_then(|(success, calls)| success_to_calls(success.mean, calls.mean));
    let graphs = || records.iter().filter_map(|record| record.graph);
    let nodes: Vec<f64> = graphs().map(|graph| f64::from(graph.nodes)).collect();
    let words: Vec<f64> = graphs().filter_map(|graph| graph.criterion_words).collect();
    let revisits: u64 = records.iter().map(|record| u64::from(record.visits.revisits)).sum();
    let idle: u64 = records.iter().map(|record| u64::from(record.visits.idle_revisits)).sum();
    let mut planned = Plans::default();
    records.iter().filter_map(|record| record.planned).for_each(|plan| planned.add(plan.valid));
    Measures {
        with_goal: cell.with_goal,
        hardly_acted,
        condition: cell.condition.clone(),
        episodes: records.len(),
        tasks: records.iter().map(|record| (&record.environment, &record.task)).collect::<BTreeSet<_>>().len(),
        runs: by_run.len(),
        success,
        success_to_calls,
        won,
        lost: Group::of(records.iter().filter(|record| !record.won)),
        all: Group::of(records.iter()),
        transitions: transitions(cell),
        nodes: Moments::of(&nodes).map(|moments| moments.mean),
        criterion_words: Moments::of(&words).map(|moments| moments.mean),
        routing: routing(records),
        fruitful_revisits: (revisits > 0).then(|| (revisits - idle) as f64 / revisits as f64),
        repair: repair(records),
        signals: signals(records),
        evidence: evidence(records),
        planned,
    }
}

fn transitions(cell: &CellCycles) -> TransitionCount {
    let named = |transition: &Transition| (transition.from.clone(), transition.to.clone());
    let all: BTreeSet<(String, String)> = cell.transitions.keys().map(named).collect();
    let won: BTreeSet<(String, String)> =
        cell.transitions.iter().filter(|(_, used)| used.won > 0).map(|(key, _)| named(key)).collect();
    let mut each: BTreeMap<&str, usize> = BTreeMap::new();
    for transition in cell.transitions.keys() {
        *each.entry(&transition.graph).or_default() += 1;
    }
    TransitionCount {
        graphs: cell.graphs.len(),
        most_nodes: cell.graphs.values().map(|graph| graph.nodes.len()).max().unwrap_or(0),
        all: all.len(),
        won: won.len(),
        never_won: all.len() - won.len(),
        most_of_one_graph: each.into_values().max().unwrap_or(0),
        by_graph: cell.transitions.len(),
    }
}

fn routing(records: &[Record]) -> Routing {
    let sum = |value: fn(&Record) -> u64| records.iter().map(value).sum::<u64>();
    let decisions = sum(|record| u64::from(record.visits.total));
    let mean = |total: u64| (decisions > 0).then(|| total as f64 / decisions as f64);
    let (input, all) = (sum(|record| record.router.input), sum(|record| record.spent.input));
    Routing {
        decisions,
        hallucinations: sum(|record| u64::from(record.hallucinations)),
        repaired: sum(|record| u64::from(record.repaired)),
        cached: sum(|record| u64::from(record.cached)),
        ahead: sum(|record| u64::from(record.ahead)),
        ruled: sum(|record| u64::from(record.ruled)),
        candidates: mean(sum(|record| record.candidates)),
        input: mean(input),
        share_of_input: (all > 0 && decisions > 0).then(|| input as f64 / all as f64),
    }
}

fn repair(records: &[Record]) -> RepairSums {
    let faults = || records.iter().flat_map(|record| &record.repairs);
    let taken: Vec<super::RepairCost> = faults().filter_map(|fault| fault.taken).collect();
    let over = |value: fn(&super::RepairCost) -> f64| Moments::of(&taken.iter().map(value).collect::<Vec<f64>>());
    let by = |way: RepairMeans| taken.iter().filter(|taken| taken.by == way).count() as u64;
    let faults = faults().count() as u64;
    RepairSums {
        faults,
        by_choice: by(RepairMeans::Choice),
        by_order: by(RepairMeans::Order),
        by_success: by(RepairMeans::Success),
        never: faults - taken.len() as u64,
        segments: over(|taken| f64::from(taken.segments)),
        tool_calls: over(|taken| taken.tool_calls as f64),
        model_calls: over(|taken| taken.spent.calls as f64),
        tokens: over(|taken| taken.spent.tokens() as f64),
    }
}

fn signals(records: &[Record]) -> BTreeMap<Signal, SignalSums> {
    let mut sums: BTreeMap<Signal, SignalSums> = BTreeMap::new();
    for record in records {
        let mut met: BTreeSet<Signal> = BTreeSet::new();
        for finding in &record.findings {
            let entry = sums.entry(finding.signal).or_default();
            entry.findings += 1;
            entry.segments += u64::from(finding.last - finding.first) + 1;
            if met.insert(finding.signal) {
                entry.episodes += 1;
                entry.won += u64::from(record.won);
            }
            if entry.example.is_empty() {
                let place = format!("{}/{}", record.task, record.run);
                entry.example = if finding.first == finding.last {
                    format!("{place} segment {}", finding.first)
                } else {
                    format!("{place} segments {}-{}", finding.first, finding.last)
                };
            }
        }
    }
    sums
}

fn evidence(records: &[Record]) -> Option<EvidenceSums> {
    let mut sums = EvidenceSums::default();
    for record in records {
        sums.gates.add(&record.gates);
        for gained in &record.revisit_evidence {
            sums.revisits.followed += 1;
            sums.revisits.changed += u64::from(*gained > 0);
            sums.revisits.pieces += u64::from(*gained);
        }
        let Some(evidence) = &record.evidence else { continue };
        sums.answers.add(evidence.judged.passed.into(), 1);
        let located = !evidence.unlocated;
        sums.retrieved.add((evidence.bottleneck.retrieved && located).into(), located.into());
        sums.gold.add(evidence.gold.read.into(), evidence.gold.all.into());
        sums.figures.stated += u64::from(evidence.figures.stated);
        sums.figures.supported += u64::from(evidence.figures.supported);
        sums.figures.stored += u64::from(evidence.figures.stored);
        evidence.judged.items.iter().for_each(|item| sums.agreement.add(Some(item.offline), item.model));
        if let Some(bottleneck) = evidence.bottleneck() {
            *sums.bottlenecks.entry(bottleneck).or_default() += 1;
        }
    }
    (sums.answers.of > 0 || sums.gates.episodes.of > 0 || sums.revisits.followed > 0).then_some(sums)
}
