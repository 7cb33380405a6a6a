//! Two cells, or two episodes, against each other: matched trajectories and their contrast (BOG-223).

use std::collections::BTreeMap;

use super::agents::{Agents, SINGLE};
use super::contrast::{Contrast, Divergence, divergence};
use super::{ActionFacts, Profile};
use crate::clusters::{Grouping, Place};
use crate::describe::Summary;
use crate::table::{Cell, Column, ColumnKind, Table};

/// Two episodes of the same environment.
#[derive(Clone, Debug, PartialEq)]
pub struct Match {
    /// Task id.
    pub task: String,
    /// Run number.
    pub run: u32,
    /// Trial within a session.
    pub trial: u32,
    /// Instance of the run.
    pub instance: u32,
    /// The environment part of the pairing key.
    environment: String,
    /// The first side's episode in numbers.
    pub first: Contrast,
    /// The second side's.
    pub second: Contrast,
    /// Where they part.
    pub divergence: Divergence,
}

impl Match {
    /// Task and run, and the trial where there are several.
    #[must_use]
    pub fn name(&self) -> String {
        let trial = if self.trial > 0 { format!("/{}", self.trial) } else { String::new() };
        format!("{}/{}{trial}", self.task, self.run)
    }

    /// Where both were played.
    fn place(&self) -> Place<'_> {
        ((&self.environment, &self.task, self.run, self.trial), self.instance)
    }

    /// First return minus second.
    #[must_use]
    pub fn difference(&self) -> f64 {
        self.first.episode_return - self.second.episode_return
    }
}

/// The trajectories of a first side that wait for their partners, then all pairs.
#[derive(Clone, Debug, Default)]
pub struct Matches {
    waiting: BTreeMap<(String, String, u32, u32), Profile>,
    pairs: Vec<Match>,
    facts: ActionFacts,
    agents: Agents,
    cut: usize,
}

impl Matches {
    /// Pairs trajectories of these actions; the contrast has lines for these agents.
    #[must_use]
    pub fn new(facts: ActionFacts, agents: Agents) -> Self {
        Self { facts, agents, ..Self::default() }
    }

    /// Takes in an episode of the first side; one that a limit cut takes no part.
    pub fn first(&mut self, profile: Profile) {
        if profile.is_cut() {
            self.cut += 1;
            return;
        }
        let key = (profile.environment.clone(), profile.task.clone(), profile.run, profile.trial);
        self.waiting.insert(key, profile);
    }

    /// Episodes of either side that a limit cut.
    #[must_use]
    pub fn cut(&self) -> usize {
        self.cut
    }

    /// Takes in an episode of the second side, after all of the first; one without a partner takes no part, nor one that a
    /// limit cut.
    pub fn second(&mut self, profile: &Profile) {
        if profile.is_cut() {
            self.cut += 1;
            return;
        }
        let key = (profile.environment.clone(), profile.task.clone(), profile.run, profile.trial);
        if let Some(partner) = self.waiting.remove(&key) {
            self.pair(&partner, profile);
        }
    }

    /// Pairs two episodes, whatever seeds they played.
    pub fn pair(&mut self, first: &Profile, second: &Profile) {
        self.pairs.push(Match {
            task: second.task.clone(),
            run: second.run,
            trial: second.trial,
            instance: first.instance,
            environment: second.environment.clone(),
            first: Contrast::of(first, &self.facts),
            second: Contrast::of(second, &self.facts),
            divergence: divergence(first, second),
        });
    }

    /// The pairs by difference, the first side's worst first; equals by task, run and trial.
    #[must_use]
    pub fn sorted(&self) -> Vec<&Match> {
        let mut sorted: Vec<&Match> = self.pairs.iter().collect();
        sorted.sort_by(|a, b| {
            let names = (&a.task, a.run, a.trial).cmp(&(&b.task, b.run, b.trial));
            a.difference().total_cmp(&b.difference()).then(names)
        });
        sorted
    }

    /// The pair whose returns lie furthest apart; among equals the first by task, run and trial.
    #[must_use]
    pub fn widest(&self) -> Option<&Match> {
        let mut widest: Option<&Match> = None;
        for pair in self.sorted() {
            let further = |best: &Match| pair.difference().abs() > best.difference().abs();
            if widest.is_none_or(further) {
                widest = Some(pair);
            }
        }
        widest
    }

    /// The trace contrast over all pairs: means, and the mean paired difference with its interval (BOG-223).
    #[must_use]
    pub fn contrast(&self, names: (&str, &str), confidence: f64) -> Table {
        let (mut rows, mut clustered) = (Vec::new(), false);
        for metric in metrics(&self.facts, self.agents, self.pairs.iter().flat_map(|pair| [&pair.first, &pair.second]))
        {
            let values: Vec<Both> =
                self.pairs.iter().map(|pair| ((metric.of)(&pair.first), (metric.of)(&pair.second))).collect();
            let mean = |side: fn(&Both) -> Option<f64>| {
                crate::metrics::mean(&values.iter().filter_map(side).collect::<Vec<_>>())
            };
            let (places, both): (Vec<Place<'_>>, Vec<f64>) =
                self.pairs.iter().zip(&values).filter_map(|(pair, (a, b))| Some((pair.place(), (*a)? - (*b)?))).unzip();
            let difference = Summary::of(&both, confidence)
                .map(|difference| Grouping::of(&places).summary(difference, &both, confidence));
            clustered |= difference.is_some_and(|difference| difference.clusters.is_some());
            rows.push(vec![
                Cell::text(metric.name),
                Cell::number(mean(|pair| pair.0)),
                Cell::number(mean(|pair| pair.1)),
                Cell::number(difference.map(|difference| difference.mean)),
                Cell::interval(difference.and_then(|difference| difference.interval())),
                Cell::count(both.len() as u64),
            ]);
        }
        let one = self.pairs.len() == 1;
        let mut columns = vec![Column::new("metric", "Metric", "metric", ColumnKind::Label, "What is counted")];
        columns.extend(value_columns(names, if one { 1 } else { 2 }, confidence));
        columns.push(
            Column::new("pairs", "Pairs", "values", ColumnKind::Integer, "Pairs in which both sides have a value")
                .shown_if(!one),
        );
        let notes = if one {
            vec![TRACE_NOTE.to_owned()]
        } else {
            let interval = if clustered {
                "Intervals: Student t robust against clusters, the runs of one task and instance, with one degree of freedom less than clusters."
            } else {
                "Intervals: Student t, every pair for itself."
            };
            vec![format!("Means over {} matched episodes a side. {interval}", self.pairs.len()), TRACE_NOTE.to_owned()]
        };
        Table { key: "t33", title: "Trace contrast".to_owned(), columns, rows, notes }
    }

    /// How many pairs there are.
    #[must_use]
    pub fn len(&self) -> usize {
        self.pairs.len()
    }

    /// Whether there is none.
    #[must_use]
    pub fn is_empty(&self) -> bool {
        self.pairs.is_empty()
    }

    /// So many pairs, the first side's worst first: returns, difference, where they part. The pair whose traces are shown is
    /// among them, last where it is none of the worst.
    #[must_use]
    pub fn worst(&self, names: (&str, &str), most: usize, shown: Option<&Match>) -> Table {
        use ColumnKind::{Integer, Label, Number};
        let column = Column::new;
        let columns = vec![
            column("pair", "Pair", "pair", Label, "Task and run"),
            column("first", names.0, "returns", Number(1), "Return of the first side"),
            column("second", names.1, "returns", Number(1), "Return of the second side"),
            column("difference", "Difference", "returns", Number(1), "First minus second"),
            column("action", "Action parts", "parting", Integer, "First step with another action"),
            column("state", "Environment parts", "parting", Integer, "First step with another true state after it"),
        ];
        let step = |step: Option<u32>| step.map_or(Cell::Empty, |step| Cell::Integer(step.into()));
        let mut listed: Vec<&Match> = self.sorted().into_iter().take(most).collect();
        if let Some(shown) = shown.filter(|shown| listed.iter().all(|pair| pair.name() != shown.name())) {
            listed.extend(self.sorted().into_iter().find(|pair| pair.name() == shown.name()));
        }
        let rows = listed.into_iter().map(|pair| {
            vec![
                Cell::text(pair.name()),
                Cell::number(Some(pair.first.episode_return)),
                Cell::number(Some(pair.second.episode_return)),
                Cell::number(Some(pair.difference())),
                step(pair.divergence.action),
                step(pair.divergence.state),
            ]
        });
        let rows: Vec<Vec<Cell>> = rows.collect();
        let left = self.pairs.len().saturating_sub(rows.len());
        let notes = match left {
            0 => Vec::new(),
            1 => vec!["1 more pair.".to_owned()],
            more => vec![format!("{more} more pairs.")],
        };
        Table { key: "pairs", title: "Matched pairs, worst first".to_owned(), columns, rows, notes }
    }
}

/// What the lines of a trace contrast count.
pub const TRACE_NOTE: &str = "Messages an invocation: the sub-agent's own conversation without system messages. Steps at the \
                    floor: reward at or below the brief's floor. First steps: over the episodes that took such a step.";

fn value_columns(names: (&str, &str), digits: usize, confidence: f64) -> Vec<Column> {
    use ColumnKind::{Interval, Number};
    let percent = (100.0 * confidence * 1e6).round() / 1e6;
    vec![
        Column::new("first", names.0, "values", Number(digits), "First side"),
        Column::new("second", names.1, "values", Number(digits), "Second side"),
        Column::new("difference", "Difference", "values", Number(digits), "First minus second, over pairs with both"),
        Column::new(
            "difference_ci",
            &format!("{percent}% CI"),
            "values",
            Interval(digits),
            "Student t interval of the mean paired difference",
        ),
    ]
}

/// A value of each side.
type Both = (Option<f64>, Option<f64>);
/// What a line reads off an episode.
type Reading<'a> = Box<dyn Fn(&Contrast) -> Option<f64> + 'a>;

/// One line of the contrast.
struct Metric<'a> {
    name: String,
    of: Reading<'a>,
}

/// The lines that some of these episodes have something to say on, in a fixed order.
fn metrics<'a>(facts: &'a ActionFacts, agents: Agents, all: impl Iterator<Item = &'a Contrast>) -> Vec<Metric<'a>> {
    let mut kinds: Vec<&str> = facts.actions.iter().map(|entry| entry.name.as_str()).collect();
    let mut talkers: Vec<&str> = agents.deliberating.to_vec();
    let mut asked: Vec<&str> = agents.asked.to_vec();
    let (mut floor, mut deliberated, mut delegated) = (false, false, false);
    for contrast in all {
        let add = |known: &mut Vec<&'a str>, name: &'a String| {
            if !known.contains(&name.as_str()) {
                known.push(name);
            }
        };
        contrast.actions.keys().for_each(|name| add(&mut kinds, name));
        contrast
            .deliberations
            .keys()
            .filter(|name| agents.alone.is_none() || *name != SINGLE)
            .for_each(|name| add(&mut talkers, name));
        contrast.invocations.keys().for_each(|name| add(&mut asked, name));
        floor |= contrast.floor_steps.is_some();
        deliberated |= !contrast.deliberations.is_empty();
        delegated |= !contrast.invocations.is_empty();
    }
    let mut metrics: Vec<Metric<'a>> = Vec::new();
    let mut push = |name: String, of: Reading<'a>| metrics.push(Metric { name, of });
    push("Episode return".to_owned(), Box::new(|contrast| Some(contrast.episode_return)));
    for kind in kinds {
        let of = move |contrast: &Contrast| contrast.actions.get(kind).copied().unwrap_or_default();
        push(format!("{kind} actions"), Box::new(move |contrast| Some(f64::from(of(contrast)))));
    }
    for agent in talkers.into_iter().filter(|_| deliberated) {
        push(
            format!("Deliberation calls, {agent}"),
            Box::new(move |contrast| Some(f64::from(agents.deliberations(contrast, agent)))),
        );
    }
    for agent in asked.into_iter().filter(|_| delegated) {
        push(
            format!("Invocations, {agent}"),
            Box::new(move |contrast| Some(f64::from(contrast.invocations_of(agent)))),
        );
        push(
            format!("Messages an invocation, {agent}"),
            Box::new(move |contrast| contrast.messages_an_invocation(agent)),
        );
    }
    if floor {
        let limit = facts.floor.unwrap_or_default() as f64 / 1000.0;
        push(format!("Steps at {limit} or below"), Box::new(|contrast| contrast.floor_steps.map(f64::from)));
    }
    if let Some(strongest) = facts.strongest_remedy() {
        push(format!("First {strongest} at step"), Box::new(|contrast| contrast.first_strongest.map(f64::from)));
        push("First remedy at step".to_owned(), Box::new(|contrast| contrast.first_remedy.map(f64::from)));
    }
    push("Steps".to_owned(), Box::new(|contrast| Some(f64::from(contrast.steps))));
    push("Invalid attempts".to_owned(), Box::new(|contrast| Some(f64::from(contrast.invalid))));
    push("Fallback steps".to_owned(), Box::new(|contrast| Some(f64::from(contrast.fallbacks))));
    push("Model calls".to_owned(), Box::new(|contrast| Some(f64::from(contrast.model_calls))));
    push("Tokens".to_owned(), Box::new(|contrast| Some(contrast.tokens as f64)));
    metrics
}
