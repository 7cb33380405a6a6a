//! What a family of tasks is like, measured by playing its own expert and disturbing it (CYC-090).
//!
//! No model is asked. The expert of the environment's simulator plays a task; what its calls need, what they bring and what the
//! agent sees of it are counted. Then the same task is played again with one random legal call slipped in at a random
//! place, and the calls that the expert needs to recover are counted.

mod hidden;

use gimbal_core::{Catalogue, EnvError, Environment, Expert, Reply, Rng, TaskId, ToolCall};

/// Longest play of the expert.
const STEPS: usize = 200;
/// Fewer tasks than this say little of a family.
const FEW: u64 = 3;
/// Disturbed plays of a task.
const DISTURBED: u64 = 4;

/// What was counted over some tasks.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Probe {
    /// Tasks played.
    pub tasks: u64,
    /// Tasks that the expert solved.
    pub solved: u64,
    /// Calls of the expert.
    pub calls: u64,
    /// Of them, those that would not have brought the same at the start of the episode: refused, or seen otherwise.
    pub needing: u64,
    /// Of the calls, those whose words could not have been known at the start: not among what might then be filled in.
    pub discovered: u64,
    /// Of the calls, those that nothing was hidden from: what they name had been told before the agent acted at all, they
    /// did not have to be made to find out what later ones name, and what they changed could be told.
    pub told: u64,
    /// Steps that changed the true state.
    pub changes: u64,
    /// Of them, those that also changed what the agent can distinguish.
    pub seen: u64,
    /// Disturbed plays.
    pub disturbed: u64,
    /// Of them, those that the expert won nevertheless.
    pub mended: u64,
    /// Of the fixed ones, those that took more calls than the slip itself: something had to be gone back to.
    pub went_back: u64,
    /// Steps at which the expert asked a model (a reader) for what it needed.
    pub asked: u64,
}

impl Probe {
    /// Share of calls that needed an earlier one.
    #[must_use]
    pub fn prerequisite_density(&self) -> f64 {
        share(self.needing, self.calls)
    }

    /// Share of calls whose words had to be found out.
    #[must_use]
    pub fn state_uncertainty(&self) -> f64 {
        share(self.discovered, self.calls)
    }

    /// Share of what decides success, the expert's calls, that the agent could tell before it acted.
    #[must_use]
    pub fn observability(&self) -> f64 {
        share(self.told, self.calls)
    }

    /// Share of disturbed plays that were won nevertheless; `None` where no play was disturbed.
    #[must_use]
    pub fn mendable(&self) -> Option<f64> {
        (self.disturbed > 0).then(|| share(self.mended, self.disturbed))
    }

    /// Of those, the share in which something had to be gone back to; `None` where no play was fixed.
    #[must_use]
    pub fn backtracking(&self) -> Option<f64> {
        (self.mended > 0).then(|| share(self.went_back, self.mended))
    }

    /// What the measures are too few to say, a sentence each.
    #[must_use]
    pub fn warnings(&self) -> Vec<String> {
        let mut warnings = Vec::new();
        if self.tasks < FEW {
            let tasks = if self.tasks == 1 { "one task only".to_owned() } else { format!("{} tasks only", self.tasks) };
            warnings.push(format!("{tasks} probed: the measures are of these and not of a family"));
        }
        if self.mended == 0 {
            warnings.push(format!(
                "how failures are repaired is not known: {} of {} disturbed plays were won",
                self.mended, self.disturbed
            ));
        }
        warnings
    }

    fn add(&mut self, other: &Self) {
        self.tasks += other.tasks;
        self.solved += other.solved;
        self.calls += other.calls;
        self.needing += other.needing;
        self.discovered += other.discovered;
        self.told += other.told;
        self.changes += other.changes;
        self.seen += other.seen;
        self.disturbed += other.disturbed;
        self.mended += other.mended;
        self.went_back += other.went_back;
        self.asked += other.asked;
    }
}

fn share(part: u64, of: u64) -> f64 {
    if of == 0 { 0.0 } else { part as f64 / of as f64 }
}

/// Probes tasks of a family.
///
/// # Errors
/// When an environment cannot be opened or begun, or has no simulator to probe with.
pub async fn probe(
    family: &dyn Catalogue,
    options: &serde_json::Value,
    tasks: &[TaskId],
    seed: u64,
) -> Result<Probe, EnvError> {
    let mut total = Probe::default();
    for (index, task) in tasks.iter().enumerate() {
        let mut draws = Rng::stream(seed, &format!("probe/{index}"));
        total.add(&one(family, options, task, seed, &mut draws).await?);
    }
    Ok(total)
}

async fn one(
    family: &dyn Catalogue,
    options: &serde_json::Value,
    task: &TaskId,
    seed: u64,
    draws: &mut Rng,
) -> Result<Probe, EnvError> {
    let mut probe = Probe { tasks: 1, ..Probe::default() };
    let mut start = family.open(options)?;
    let first = start.reset(task, seed).await?;
    let Some(mut environment) = start.simulator().map(|simulator| simulator.fork(seed)) else {
        return Err(EnvError::Usage(format!(
            "`{}` cannot be probed: it has no simulator with an expert",
            family.name()
        )));
    };
    let mut length = 0;
    let mut way: Vec<Made> = Vec::new();
    while let Some(call) = expert(&*environment).filter(|_| length < STEPS) {
        length += 1;
        probe.calls += 1;
        probe.discovered += u64::from(!could_be_known(&*start, &call));
        let (state, situation) = (environment.state(), environment.situation());
        let Some(played) = step(&mut *environment, &call, &mut probe.asked).await else { break };
        let early = match start.simulator().map(|simulator| simulator.fork(seed)) {
            Some(mut early) => step(&mut *early, &call, &mut 0).await,
            None => None,
        };
        probe.needing += u64::from(early.is_none_or(|early| early.text != played.text));
        let changed = environment.state() != state;
        let seen = !changed || environment.situation() != situation;
        probe.changes += u64::from(changed);
        probe.seen += u64::from(changed && seen);
        let (over, won) = (played.over, played.won);
        way.push(Made { call, text: played.text, seen });
        if over {
            probe.solved += u64::from(won);
            break;
        }
    }
    probe.told += hidden::told(&*start, &first.text, seed, &way).await;
    if probe.solved == 1 {
        for _ in 0..DISTURBED {
            disturb(&*start, seed, length, draws, &mut probe).await;
        }
    }
    Ok(probe)
}

/// Plays the task again with one random legal call slipped in.
async fn disturb(start: &dyn Environment, seed: u64, length: usize, draws: &mut Rng, probe: &mut Probe) {
    let Some(mut environment) = start.simulator().map(|simulator| simulator.fork(seed)) else { return };
    let slip_at = draws.below(length as u64) as usize;
    let mut own = 0;
    for index in 0..STEPS {
        let call = if index == slip_at {
            match environment.decide("random", draws).or_else(|| any_call(&*environment, draws)) {
                Some(call) => call,
                None => return,
            }
        } else {
            match expert(&*environment) {
                Some(call) => call,
                None => break,
            }
        };
        let Some(played) = step(&mut *environment, &call, &mut 0).await else { break };
        own += usize::from(index != slip_at);
        if played.over {
            probe.mended += u64::from(played.won);
            probe.went_back += u64::from(played.won && own > length);
            break;
        }
    }
    probe.disturbed += 1;
}

fn expert(environment: &dyn Environment) -> Option<ToolCall> {
    environment.expert().and_then(Expert::next_call)
}

/// A random call among those whose words are known: of a random tool, with random literals.
fn any_call(environment: &dyn Environment, draws: &mut Rng) -> Option<ToolCall> {
    let filled = environment.tools().iter().filter_map(|tool| {
        let parameters = tool.required().map(|name| Some((name.to_owned(), environment.choices(&tool.name, name)?)));
        Some((tool.name.clone(), parameters.collect::<Option<Vec<_>>>()?))
    });
    let open: Vec<_> = filled.filter(|(_, parameters)| parameters.iter().all(|(_, of)| !of.is_empty())).collect();
    let (tool, parameters) = draws.choose(&open)?;
    let arguments = parameters.iter().filter_map(|(name, of)| Some((name.clone(), draws.choose(of)?.as_ref().into())));
    Some(ToolCall { tool: tool.clone(), arguments: arguments.collect() })
}

/// Whether every literal of the call might have been filled in at the start.
fn could_be_known(start: &dyn Environment, call: &ToolCall) -> bool {
    call.arguments.iter().all(|(name, value)| {
        let Some(text) = value.as_str() else { return true };
        start.choices(&call.tool, name).is_none_or(|choices| choices.iter().any(|choice| choice == text))
    })
}

/// A call of the expert, what it brought, and whether what it changed could be told.
struct Made {
    call: ToolCall,
    text: String,
    seen: bool,
}

struct Played {
    text: String,
    over: bool,
    won: bool,
}

/// One call; what the environment asks a model is answered with nothing, since no model is here. `None` where it is refused.
async fn step(environment: &mut dyn Environment, call: &ToolCall, asked: &mut u64) -> Option<Played> {
    let mut reply = environment.call(call).await.ok()?;
    for _ in 0..64 {
        match reply {
            Reply::Step(transition) => {
                return Some(Played {
                    text: transition.observation.text.clone(),
                    over: transition.done.is_some(),
                    won: transition.reward > gimbal_core::Milli::ZERO,
                });
            }
            Reply::Ask(_) => {
                *asked += 1;
                reply = environment.answer("").await.ok()?;
            }
        }
    }
    None
}
