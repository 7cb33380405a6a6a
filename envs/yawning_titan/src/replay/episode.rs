//! One recorded environment and its episodes, played along.

use std::collections::HashMap;

use gimbal_parity::{Json, Line, ReadError};

use super::Findings;
use super::truth::Truth;
use crate::draws::Tape;
use crate::dynamics::{Ids, Raised, State};
use crate::network::{Network, Uuid};
use crate::recording::{
    END_FIELDS, ENV_FIELDS, ERROR_FIELDS, Env, RESET_FIELDS, STEP_FIELDS, intent_text, key_error_text, names_of, only,
    read_tape,
};
use crate::rules::Rules;
use crate::sim::Simulator;

/// A recorded environment.
pub(super) struct Replayed {
    simulator: Simulator<Tape>,
    names: HashMap<String, u16>,
}

impl Replayed {
    /// Builds the environment of an `env` line: its network with the draws of its making, and its own.
    pub fn build(line: &Line<'_>, findings: &mut Findings) -> Result<Self, ReadError> {
        findings.count_missing(line, &ENV_FIELDS);
        let env = Env::read(line)?;
        findings.report.counts.environments += 1;
        (findings.environment, findings.episode, findings.step) = (env.number, None, None);
        let rules = Rules::of(&env.config).map_err(|error| line.error(error.to_string()))?;
        let unplayable = |error: crate::config::ConfigError| line.error(error.to_string());
        let state = State::new(rules.clone(), &env.net, env.red).map_err(unplayable)?;
        let names = names_of(&state.names);
        let mut tape = Tape::new(env.seed.as_ref(), findings.trust);
        tape.load(read_tape(line, &names)?);
        if let Some(made) = &env.made {
            let mut own = State::new(rules, made, env.red).map_err(unplayable)?;
            if let Err(error) = own.draw_network(&mut tape, &made.parameters) {
                findings.differs("net", "\"a network\"", &format!("{:?}", error.to_string()));
            } else {
                check_network(&env.net, made, &own, findings);
            }
        } else {
            findings.report.lacks(1);
        }
        let mut environment = Self { simulator: Simulator::assembled(state, env.net.parameters, tape), names };
        environment.simulator.build();
        environment.check_draws(findings);
        let simulator = &environment.simulator;
        let singles = [
            ("n_actions", Json::Whole(i128::from(simulator.action_count()))),
            ("obs_size", Json::Whole(simulator.announced_length() as i128)),
            ("connectivity", Json::Real(simulator.connectivity())),
            ("sine", sine(simulator)),
        ];
        for (key, got) in singles {
            check_json(line, findings, key, &got)?;
        }
        Ok(environment)
    }

    fn check_draws(&mut self, findings: &mut Findings) {
        if let Err(error) = self.simulator.draws().finish() {
            findings.differs("tape", "\"the recorded draws\"", &format!("{:?}", error.to_string()));
        }
    }

    fn name(&self, node: Option<u16>) -> Json {
        node.map_or(Json::Null, |node| Json::Text(self.simulator.name(node).to_owned()))
    }
}

fn sine(simulator: &Simulator<Tape>) -> Json {
    simulator.state().sine.map_or(Json::Null, |sine| {
        let shifts = (f64::from(sine.sine_shift), f64::from(sine.cosine_shift));
        Json::List([sine.time, shifts.0, shifts.1, sine.sine_factor, sine.cosine_factor].map(Json::Real).to_vec())
    })
}

fn check_network(recorded: &Network, made: &Network, own: &State, findings: &mut Findings) {
    let mut drawn = made.clone();
    for (at, node) in drawn.nodes.iter_mut().enumerate() {
        node.entry = own.initial.entry[at];
        node.high_value = own.initial.high_value[at];
        node.vulnerability = own.initial.vulnerability[at];
    }
    if drawn != *recorded {
        findings.differs("net", &told(recorded), &told(&drawn));
    }
}

/// A network in words: each node with what was drawn for it and its neighbours.
fn told(network: &Network) -> String {
    let named = |at: &u16| network.nodes.get(usize::from(*at)).map_or("?", |node| node.name.as_str());
    let nodes = network.nodes.iter().zip(&network.neighbours).map(|(node, neighbours)| {
        let kinds = [(node.entry, ", entry"), (node.high_value, ", high value")];
        let kinds: String = kinds.into_iter().filter(|(is, _)| *is).map(|(_, word)| word).collect();
        let neighbours: Vec<&str> = neighbours.iter().map(named).collect();
        format!(
            "{} ({}) vulnerability {:?}{kinds}, at {:?}, beside {}",
            node.name,
            node.uuid,
            node.vulnerability,
            node.place,
            neighbours.join(" ")
        )
    });
    nodes.collect::<Vec<_>>().join("; ")
}

/// Compares a field by value, if it is recorded.
fn check_json(line: &Line<'_>, findings: &mut Findings, key: &str, got: &Json) -> Result<(), ReadError> {
    if let Some(expected) = line.json(key)?
        && expected != *got
    {
        findings.differs(key, line.raw(key).unwrap_or_default(), &got.to_string());
    }
    Ok(())
}

/// An episode under way.
pub(super) struct Episode {
    truth: Truth,
    /// What blue was shown, as recorded; none if the recording leaves it out.
    seen: Option<Vec<f64>>,
    steps: u64,
    total: f64,
    number: u64,
    horizon: Option<u64>,
    raised: Option<Raised>,
}

impl Episode {
    pub fn begin(environment: &mut Replayed, line: &Line<'_>, findings: &mut Findings) -> Result<Self, ReadError> {
        only(line, &RESET_FIELDS)?;
        findings.count_missing(line, &RESET_FIELDS);
        findings.report.counts.episodes += 1;
        let number = line.whole("ep")?.unwrap_or_default();
        (findings.episode, findings.step) = (Some(number), None);
        if let Some(env) = line.whole("env")? {
            findings.check("env", &env.to_string(), &findings.environment.to_string());
        }
        let seed = line.seed()?;
        let mut tape = Tape::new(seed.as_ref(), findings.trust);
        tape.load(read_tape(line, &environment.names)?);
        let deceptive = deceptive(line)?;
        let ids: Vec<Uuid> = deceptive.iter().map(|(_, id, _)| *id).collect();
        let reset = environment.simulator.restart(tape, &mut Ids::Given(&ids));
        if let Err(raised) = reset {
            findings.differs("reset", "\"an episode\"", &format!("{:?}", raised.to_string()));
        }
        environment.check_draws(findings);
        let base = environment.simulator.base_count();
        for (at, (name, _, vulnerability)) in deceptive.iter().enumerate() {
            let node = (base + at) as u16;
            if base + at >= environment.simulator.node_count() {
                findings.differs("deceptive", &format!("{} nodes", deceptive.len()), "fewer nodes");
                break;
            }
            findings.check("deceptive", name, environment.simulator.name(node));
            if environment.simulator.vulnerability(node) != *vulnerability {
                findings.differs(
                    "deceptive",
                    &vulnerability.to_string(),
                    &environment.simulator.vulnerability(node).to_string(),
                );
            }
        }
        let seen = first_observation(line)?;
        let truth = Truth::initial(&environment.simulator);
        let horizon = line.whole("horizon")?;
        let mut episode = Self { truth, seen, steps: 0, total: 0.0, number, horizon, raised: None };
        episode.check_observation(environment, findings);
        episode.check_state(environment, line, findings)?;
        Ok(episode)
    }

    pub fn step(
        &mut self,
        environment: &mut Replayed,
        line: &Line<'_>,
        findings: &mut Findings,
    ) -> Result<(), ReadError> {
        only(line, &STEP_FIELDS)?;
        findings.count_missing(line, &STEP_FIELDS);
        findings.report.counts.steps += 1;
        self.take_step(environment, line, findings)?;
        if let Some(raised) = self.raised {
            findings.differs("error", "null", &format!("{:?}", raised.to_string()));
        }
        let simulator = &environment.simulator;
        match line.json("did")? {
            // Where the original was not asked to report, there is nothing to compare.
            None | Some(Json::Null) => {}
            Some(did) if did.as_text() == Some(simulator.did().name()) => {}
            Some(_) => findings.differs("did", line.raw("did").unwrap_or_default(), simulator.did().name()),
        }
        check_json(line, findings, "red", &red(environment))?;
        let detected = simulator.detected().iter();
        let detected = detected
            .map(|(source, target)| Json::List(vec![environment.name(*source), environment.name(Some(*target))]));
        check_json(line, findings, "seen", &Json::List(detected.collect()))?;
        let reward = line.json("reward")?;
        self.total += reward.as_ref().and_then(Json::as_real).unwrap_or(simulator.reward());
        check_json(line, findings, "reward", &Json::Real(simulator.reward()))?;
        check_json(line, findings, "done", &Json::Bool(simulator.done()))?;
        self.change_observation(line)?;
        self.check_observation(environment, findings);
        self.check_state(environment, line, findings)?;
        if findings.asked {
            self.fold(environment, reward.as_ref().and_then(Json::as_real), findings);
        }
        self.steps += 1;
        Ok(())
    }

    /// A step in which the original raised an exception.
    pub fn error(
        &mut self,
        environment: &mut Replayed,
        line: &Line<'_>,
        findings: &mut Findings,
    ) -> Result<(), ReadError> {
        only(line, &ERROR_FIELDS)?;
        findings.count_missing(line, &ERROR_FIELDS);
        findings.report.counts.exceptions += 1;
        self.take_step(environment, line, findings)?;
        let Some(raised) = self.raised else {
            findings.differs("error", line.raw("error").unwrap_or_default(), "null");
            return Ok(());
        };
        check_json(line, findings, "error", &Json::Text(raised.name().to_owned()))?;
        if let Some(text) = line.json("text")? {
            let text = text.as_text().unwrap_or_default().to_owned();
            match raised {
                Raised::Key(node) => findings.check("text", &text, &key_error_text(&environment.simulator, node)),
                Raised::ZeroDivision if text.ends_with("division by zero") => {}
                other => findings.check("text", &text, &other.to_string()),
            }
        }
        Ok(())
    }

    fn take_step(
        &mut self,
        environment: &mut Replayed,
        line: &Line<'_>,
        findings: &mut Findings,
    ) -> Result<(), ReadError> {
        findings.step = Some(self.steps);
        for (key, got) in [("ep", self.number), ("t", self.steps)] {
            if let Some(recorded) = line.whole(key)? {
                findings.check(key, &recorded.to_string(), &got.to_string());
            }
        }
        let tape = read_tape(line, &environment.names)?;
        environment.simulator.draws().load(tape);
        let action = action(environment, line, findings)?;
        self.raised = environment.simulator.step(action).err();
        environment.check_draws(findings);
        Ok(())
    }

    pub fn end(
        &mut self,
        environment: &mut Replayed,
        line: &Line<'_>,
        findings: &mut Findings,
    ) -> Result<(), ReadError> {
        only(line, &END_FIELDS)?;
        findings.count_missing(line, &END_FIELDS);
        findings.step = Some(self.steps);
        for (key, got) in [("ep", self.number), ("steps", self.steps)] {
            if let Some(recorded) = line.whole(key)? {
                findings.check(key, &recorded.to_string(), &got.to_string());
            }
        }
        let over = environment.simulator.done() || self.raised.is_some();
        if let Some(horizon) = self.horizon
            && (self.steps > horizon || (self.steps < horizon && !over))
        {
            findings.differs("horizon", &horizon.to_string(), &self.steps.to_string());
        }
        if let Some(recorded) = line.json("ret")?
            && !recorded.as_real().is_some_and(|recorded| (recorded - self.total).abs() < 1e-6)
        {
            findings.differs("ret", line.raw("ret").unwrap_or_default(), &self.total.to_string());
        }
        let raised = self.raised.map_or(Json::Null, |raised| Json::Text(raised.name().to_owned()));
        check_json(line, findings, "error", &raised)?;
        if let Some((python, numpy)) = environment.simulator.draws().check() {
            let got = Json::List(vec![Json::Whole(i128::from(python)), Json::Real(numpy)]);
            check_json(line, findings, "rng_check", &got)?;
        }
        Ok(())
    }

    fn change_observation(&mut self, line: &Line<'_>) -> Result<(), ReadError> {
        let Some(changes) = line.json("obs_d")? else {
            self.seen = None;
            return Ok(());
        };
        if let Some(seen) = &mut self.seen {
            put_values(seen, &changes)
                .ok_or_else(|| line.error("`obs_d` must be a list of [index, value] within the observation"))?;
        }
        Ok(())
    }

    fn check_observation(&self, environment: &Replayed, findings: &mut Findings) {
        let Some(seen) = &self.seen else { return };
        let vector = environment.simulator.vector();
        if seen.len() != vector.len() {
            findings.differs("obs.n", &seen.len().to_string(), &vector.len().to_string());
            return;
        }
        let first = seen.iter().zip(vector).enumerate().find(|(_, (seen, got))| **seen != f64::from(**got));
        if let Some((at, (seen, got))) = first {
            findings.differs(&format!("obs[{at}]"), &seen.to_string(), &f64::from(*got).to_string());
        }
    }

    fn check_state(
        &mut self,
        environment: &Replayed,
        line: &Line<'_>,
        findings: &mut Findings,
    ) -> Result<(), ReadError> {
        let Some(state) = line.json("state")? else { return Ok(()) };
        self.truth.apply(&state).ok_or_else(|| line.error("`state` is malformed"))?;
        self.truth.check(&state, &environment.simulator, findings);
        Ok(())
    }

    fn fold(&self, environment: &Replayed, reward: Option<f64>, findings: &mut Findings) {
        findings.played.step(environment.simulator.reward(), environment.simulator.vector());
        match (&self.seen, reward) {
            (Some(seen), Some(reward)) => {
                let vector: Vec<f32> = seen.iter().map(|value| *value as f32).collect();
                findings.recorded.step(reward, &vector);
            }
            _ => findings.complete = false,
        }
    }
}

fn red(environment: &Replayed) -> Json {
    let acts = environment.simulator.red().map(|(kind, rows)| {
        let (mut sources, mut targets, mut successes) = (Vec::new(), Vec::new(), Vec::new());
        for (place, success) in rows {
            if let Some((source, target)) = place {
                sources.push(environment.name(source));
                targets.push(environment.name(target));
            }
            successes.push(Json::Whole(i128::from(success)));
        }
        let kind = Json::Text(kind.name().to_owned());
        Json::List(vec![kind, Json::List(sources), Json::List(targets), Json::List(successes)])
    });
    Json::List(acts.collect())
}

/// Blue's recorded action. Its index counts; the text beside it must agree with what the index means now.
fn action(environment: &Replayed, line: &Line<'_>, findings: &mut Findings) -> Result<u32, ReadError> {
    let wrong = || line.error("`blue` must be [index, text] with an index of at least 0");
    let blue = line.needed("blue")?;
    let parts = blue.as_list().ok_or_else(wrong)?;
    let index = parts.first().and_then(Json::as_whole).and_then(|index| u32::try_from(index).ok()).ok_or_else(wrong)?;
    match parts.get(1) {
        None | Some(Json::Null) => {}
        Some(text) => {
            let text = text.as_text().ok_or_else(wrong)?;
            findings.check("blue", text, &intent_text(&environment.simulator, environment.simulator.intent(index)));
        }
    }
    Ok(index)
}

/// Names, ids and vulnerabilities of the deceptive nodes.
fn deceptive(line: &Line<'_>) -> Result<Vec<(String, Uuid, f64)>, ReadError> {
    let wrong = || line.error("`deceptive` must be a list of [name, uuid, vulnerability]");
    let Some(list) = line.json("deceptive")? else { return Ok(Vec::new()) };
    let rows = list.as_list().ok_or_else(wrong)?.iter().map(|row| {
        let [name, id, vulnerability] = row.as_list()? else { return None };
        Some((name.as_text()?.to_owned(), Uuid::parse(id.as_text()?)?, vulnerability.as_real()?))
    });
    rows.collect::<Option<Vec<_>>>().ok_or_else(wrong)
}

/// No observation is longer: that of the largest network with the most deceptive nodes.
const LONGEST_OBSERVATION: usize = 3000 * 3100;

fn first_observation(line: &Line<'_>) -> Result<Option<Vec<f64>>, ReadError> {
    let wrong = || line.error("`obs` must hold n and nz, a list of [index, value]");
    let Some(obs) = line.json("obs")? else { return Ok(None) };
    let length = obs.get("n").and_then(Json::as_whole).and_then(|length| usize::try_from(length).ok());
    let mut values = vec![0.0; length.filter(|length| *length <= LONGEST_OBSERVATION).ok_or_else(wrong)?];
    put_values(&mut values, obs.get("nz").ok_or_else(wrong)?).ok_or_else(wrong)?;
    Ok(Some(values))
}

fn put_values(values: &mut [f64], changes: &Json) -> Option<()> {
    for change in changes.as_list()? {
        let [index, value] = change.as_list()? else { return None };
        let index = usize::try_from(index.as_whole()?).ok()?;
        *values.get_mut(index)? = value.as_real()?;
    }
    Some(())
}
