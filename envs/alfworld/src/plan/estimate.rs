//! How far the goal is, if nothing ever stopped holding, and which actions lead there first.

use super::ground::{Literal, Task};
use crate::engine::{Facts, Game};

const FAR: u32 = u32::MAX;

/// Tables that are used again for every estimate.
#[derive(Clone, Debug)]
pub struct Estimator {
    cost: Vec<u32>,
    /// The step by which a literal is reached at that cost.
    by: Vec<u32>,
    missing: Vec<u32>,
    sum: Vec<u32>,
    buckets: Vec<Vec<Literal>>,
    /// Predicates that change, with the numbers of their facts' places.
    marked: Vec<bool>,
    queue: Vec<Literal>,
}

/// The answer for one state.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Estimate {
    /// Actions that it takes at least in some sense; 0 at the goal.
    pub actions: usize,
    /// Those of them that can be done at once, in the order of the task.
    pub first: Vec<u32>,
}

impl Estimator {
    /// Tables for a task.
    #[must_use]
    pub fn new(task: &Task) -> Self {
        let literals = 2 * task.facts.len();
        Self {
            cost: vec![FAR; literals],
            by: vec![FAR; literals],
            missing: vec![0; task.steps.len()],
            sum: vec![0; task.steps.len()],
            buckets: Vec::new(),
            marked: vec![false; task.steps.len()],
            queue: Vec::new(),
        }
    }

    /// The estimate for a state; none if the goal cannot be reached from it at all.
    pub fn estimate(&mut self, game: &Game, task: &Task, state: &Facts) -> Option<Estimate> {
        self.start(game, task, state);
        self.spread(task);
        if self.cost[task.goal as usize] == FAR {
            return None;
        }
        Some(self.extract(task))
    }

    fn start(&mut self, game: &Game, task: &Task, state: &Facts) {
        for (at, cost) in self.cost.iter_mut().enumerate() {
            *cost = if at & 1 == 1 { 0 } else { FAR };
        }
        // What only leads to the goal is neither true nor false.
        for (at, (predicate, arguments)) in task.facts.iter().enumerate() {
            if *predicate == u16::MAX {
                self.cost[2 * at + 1] = FAR;
                continue;
            }
            let place = game.rules.predicates.all[usize::from(*predicate)].place;
            let holds = if place.binary {
                state.relation(place.index).has(arguments[0], arguments[1])
            } else {
                state.has_one(place.index, arguments[0])
            };
            if holds {
                self.cost[2 * at] = 0;
                self.cost[2 * at + 1] = FAR;
            }
        }
        for (step, (missing, sum)) in task.steps.iter().zip(self.missing.iter_mut().zip(&mut self.sum)) {
            *missing = step.needs.len() as u32;
            *sum = 0;
        }
        self.buckets.iter_mut().for_each(Vec::clear);
        if self.buckets.is_empty() {
            self.buckets.push(Vec::new());
        }
        for (at, cost) in self.cost.iter().enumerate() {
            if *cost == 0 {
                self.buckets[0].push(at as u32);
            }
        }
        for (at, step) in task.steps.iter().enumerate() {
            if step.needs.is_empty() {
                self.reached(task, at as u32);
            }
        }
    }

    /// All that a step needs is reached.
    fn reached(&mut self, task: &Task, at: u32) {
        let step = &task.steps[at as usize];
        let cost = self.sum[at as usize].saturating_add(u32::from(step.action.is_some()));
        for gives in &step.gives {
            if cost < self.cost[*gives as usize] {
                self.cost[*gives as usize] = cost;
                self.by[*gives as usize] = at;
                let bucket = cost as usize;
                if self.buckets.len() <= bucket {
                    self.buckets.resize(bucket + 1, Vec::new());
                }
                self.buckets[bucket].push(*gives);
            }
        }
    }

    fn spread(&mut self, task: &Task) {
        let mut bucket = 0;
        while bucket < self.buckets.len() {
            let Some(literal) = self.buckets[bucket].pop() else {
                bucket += 1;
                continue;
            };
            if self.cost[literal as usize] != bucket as u32 {
                continue;
            }
            if literal == task.goal {
                return;
            }
            for user in &task.users[literal as usize] {
                let at = *user as usize;
                self.sum[at] = self.sum[at].saturating_add(bucket as u32).min(100_000);
                self.missing[at] -= 1;
                if self.missing[at] == 0 {
                    self.reached(task, *user);
                }
            }
        }
    }

    /// The actions that lead to the goal, from the back.
    fn extract(&mut self, task: &Task) -> Estimate {
        self.queue.clear();
        self.queue.push(task.goal);
        let mut chosen = Vec::new();
        while let Some(literal) = self.queue.pop() {
            if self.cost[literal as usize] == 0 {
                continue;
            }
            let by = self.by[literal as usize];
            if std::mem::replace(&mut self.marked[by as usize], true) {
                continue;
            }
            chosen.push(by);
            self.queue.extend_from_slice(&task.steps[by as usize].needs);
        }
        chosen.iter().for_each(|step| self.marked[*step as usize] = false);
        chosen.retain(|step| task.steps[*step as usize].action.is_some());
        let actions = chosen.len();
        chosen.retain(|step| self.sum[*step as usize] == 0);
        chosen.sort_unstable();
        Estimate { actions, first: chosen }
    }
}
