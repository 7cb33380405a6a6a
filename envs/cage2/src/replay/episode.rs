//! One recorded episode, played along.

use super::Findings;
use super::sources::Source;
use crate::action::Action;
use crate::checksum::{Checksum, Observe, fold_reset, fold_step};
use crate::draws::{Draws, Fast, Mersenne, Seed};
use crate::names::Names;
use crate::options::Options;
use crate::recording::{Json, Line, ReadError, node_from_json, vector_text};
use crate::sim::Simulator;
use crate::view::push_real;

/// The horizon for which room is reserved, at most; longer episodes are played all the same.
const LONGEST: u64 = 100_000;

/// An episode under way.
pub(super) struct Played<D> {
    simulator: Simulator<D>,
    names: Names,
    checksum: Option<Observe>,
    buffer: Vec<u8>,
    /// The horizon that the `reset` line gives, if it gives one: the number of steps that must follow.
    horizon: Option<u64>,
}

const RESET_FIELDS: [&str; 14] = [
    "kind",
    "ep",
    "red",
    "green_agent",
    "policy",
    "horizon",
    "seed",
    "subnets",
    "ips",
    "tape",
    "blue_obs",
    "red_obs",
    "vector",
    "state",
];
const STEP_FIELDS: [&str; 18] = [
    "kind",
    "ep",
    "t",
    "blue",
    "blue_success",
    "green",
    "red",
    "red_success",
    "reward",
    "red_reward",
    "scores",
    "done",
    "vector",
    "tape",
    "blue_obs",
    "red_obs",
    "truth",
    "red_mind",
];
const END_FIELDS: [&str; 7] = ["kind", "ep", "steps", "ret", "error", "rng_check", "state"];
const ACTIONS_FIELDS: [&str; 10] =
    ["kind", "ep", "red", "green_agent", "horizon", "seed", "draws", "observe", "actions", "checksum"];

/// Every recorded field is compared, so a field that is not known is refused.
fn only(line: &Line<'_>, known: &[&str]) -> Result<(), ReadError> {
    match line.fields.iter().find(|(key, _)| !known.contains(&key.as_str())) {
        None => Ok(()),
        Some((key, _)) => Err(line.error(format!(
            "unknown field `{key}`: this is not the recording format that this version replays; it knows {}",
            known.join(", ")
        ))),
    }
}

/// Counts the fields that a line lacks.
fn count_missing(line: &Line<'_>, known: &[&str], findings: &mut Findings) {
    findings.report.lacks(known.iter().filter(|key| line.raw(key).is_none()).count());
}

pub(crate) fn options_of(line: &Line<'_>) -> Result<Options, ReadError> {
    let horizon = line.whole("horizon")?.unwrap_or(30).min(LONGEST);
    Ok(Options { red: line.red()?, green: line.green()?, horizon: u32::try_from(horizon).unwrap_or(30) })
}

impl<D: Source> Played<D> {
    pub(super) fn begin(line: &Line<'_>, findings: &mut Findings) -> Result<Self, ReadError> {
        only(line, &RESET_FIELDS)?;
        let checksum = findings.view_of(Observe::Vector, line)?;
        count_missing(line, &RESET_FIELDS, findings);
        findings.report.counts.episodes += 1;
        findings.episode = line.whole("ep")?.unwrap_or_default();
        findings.step = None;
        let mut source = D::open(line)?;
        source.before(line.tape()?, line)?;
        let mut simulator = Simulator::new(options_of(line)?, source);
        simulator.reset_unseeded();
        let horizon = line.whole("horizon")?;
        let mut played = Self { simulator, names: Names::original(), checksum, buffer: Vec::new(), horizon };
        played.check_draws(findings);
        played.check_layout(line, findings)?;
        played.check_views(line, findings)?;
        played.check(line, findings, "state", |simulator, _, out| simulator.inspect().full_state(out))?;
        if checksum == Some(Observe::Raw) {
            played.fold_text(line, findings)?;
        }
        Ok(played)
    }

    pub(super) fn step(&mut self, line: &Line<'_>, findings: &mut Findings) -> Result<(), ReadError> {
        only(line, &STEP_FIELDS)?;
        count_missing(line, &STEP_FIELDS, findings);
        findings.report.counts.steps += 1;
        findings.step = Some(self.simulator.steps());
        self.check_place(line, findings)?;
        let tape = line.tape()?;
        self.simulator.draws().before(tape, line)?;
        let action = self.action(line, findings)?;
        self.simulator.step(action);
        self.check_draws(findings);
        self.check_views(line, findings)?;
        self.check(line, findings, "blue_success", |simulator, _, out| quoted(simulator.success().name(), out))?;
        self.check(line, findings, "red_success", |simulator, _, out| {
            quoted(simulator.red_success().name(), out);
        })?;
        self.check(line, findings, "green", |simulator, _, out| simulator.inspect().green_action(out))?;
        self.check(line, findings, "red", |simulator, _, out| simulator.inspect().red_action(out))?;
        self.check(line, findings, "reward", |simulator, _, out| push_real(out, simulator.reward()))?;
        self.check(line, findings, "red_reward", |simulator, _, out| {
            push_real(out, simulator.inspect().red_reward());
        })?;
        self.check(line, findings, "scores", |simulator, _, out| simulator.inspect().scores(out))?;
        self.check(line, findings, "done", |_, _, out| out.extend_from_slice(b"false"))?;
        self.check(line, findings, "truth", |simulator, _, out| simulator.inspect().truth(out))?;
        self.check(line, findings, "red_mind", |simulator, _, out| simulator.inspect().red_mind(out))?;
        self.fold(line, findings)
    }

    pub(super) fn end(mut self, line: &Line<'_>, findings: &mut Findings) -> Result<(), ReadError> {
        only(line, &END_FIELDS)?;
        count_missing(line, &END_FIELDS, findings);
        findings.step = Some(self.simulator.steps());
        let steps = u64::from(self.simulator.steps());
        if let Some(horizon) = self.horizon
            && horizon != steps
        {
            findings.differs("horizon", &horizon.to_string(), &steps.to_string());
        }
        if let Some(ep) = line.whole("ep")?
            && ep != findings.episode
        {
            let (expected, got) = (ep.to_string(), findings.episode.to_string());
            findings.differs("ep", &expected, &got);
        }
        self.check(line, findings, "steps", |simulator, _, out| {
            out.extend_from_slice(simulator.steps().to_string().as_bytes());
        })?;
        if let Some(recorded) = line.json("ret")? {
            let got = self.simulator.return_value();
            // Recordings may hold the plain sum of the floats or its rounding.
            if !recorded.as_real().is_some_and(|recorded| (recorded - got).abs() < 1e-6) {
                findings.differs("ret", line.raw("ret").unwrap_or_default(), &got.to_string());
            }
        }
        self.check(line, findings, "error", |_, _, out| out.extend_from_slice(b"false"))?;
        self.check(line, findings, "state", |simulator, _, out| simulator.inspect().full_state(out))?;
        if let (Some(recorded), Some(check)) = (line.whole("rng_check")?, self.simulator.draws().check_draw())
            && recorded != check
        {
            findings.differs("rng_check", &recorded.to_string(), &check.to_string());
        }
        Ok(())
    }

    fn check_place(&self, line: &Line<'_>, findings: &mut Findings) -> Result<(), ReadError> {
        for (key, got) in [("ep", findings.episode), ("t", u64::from(self.simulator.steps()))] {
            if let Some(recorded) = line.whole(key)?
                && recorded != got
            {
                findings.differs(key, &recorded.to_string(), &got.to_string());
            }
        }
        Ok(())
    }

    fn check_draws(&mut self, findings: &mut Findings) {
        if let Some((expected, got)) = self.simulator.draws().after() {
            findings.differs("tape", &expected, &got);
        }
    }

    fn check_layout(&mut self, line: &Line<'_>, findings: &mut Findings) -> Result<(), ReadError> {
        self.check(line, findings, "subnets", |simulator, _, out| {
            simulator.inspect().layout(out, &mut Vec::new());
        })?;
        self.check(line, findings, "ips", |simulator, _, out| {
            simulator.inspect().layout(&mut Vec::new(), out);
        })
    }

    fn check_views(&mut self, line: &Line<'_>, findings: &mut Findings) -> Result<(), ReadError> {
        self.check(line, findings, "vector", |simulator, _, out| quoted(&vector_text(simulator.vector()), out))?;
        self.check(line, findings, "blue_obs", |simulator, names, out| {
            simulator.write_observation_json(names, out);
        })?;
        self.check(line, findings, "red_obs", |simulator, names, out| {
            simulator.write_red_observation_json(names, out);
        })
    }

    /// Compares a field, if it is recorded: first byte by byte, else by value and order of keys.
    fn check(
        &mut self,
        line: &Line<'_>,
        findings: &mut Findings,
        key: &str,
        write: impl FnOnce(&Simulator<D>, &Names, &mut Vec<u8>),
    ) -> Result<(), ReadError> {
        let Some(recorded) = line.raw(key) else { return Ok(()) };
        self.buffer.clear();
        write(&self.simulator, &self.names, &mut self.buffer);
        if self.buffer == recorded.as_bytes() {
            return Ok(());
        }
        let got = String::from_utf8_lossy(&self.buffer);
        let expected = Json::parse(recorded).map_err(|error| line.error(format!("`{key}`: {error}")))?;
        if Json::parse(&got).is_ok_and(|got| got == expected) {
            return Ok(());
        }
        findings.differs(key, recorded, &got);
        Ok(())
    }

    /// Blue's recorded action. Its index counts; the text beside it must agree: with the action's name, or, beside -1,
    /// with no action of the list.
    fn action(&self, line: &Line<'_>, findings: &mut Findings) -> Result<Option<Action>, ReadError> {
        let wrong = || line.error("`blue` must be [index, text] with an index from -1 to 144");
        let Some(blue) = line.json("blue")? else { return Err(line.error("`blue` is missing")) };
        let parts = blue.as_list().ok_or_else(wrong)?;
        let action = read_index(parts.first().ok_or_else(wrong)?).ok_or_else(wrong)?;
        let text = match parts.get(1) {
            None | Some(Json::Null) => return Ok(action),
            Some(text) => text.as_text().ok_or_else(wrong)?,
        };
        match action {
            Some(action) if action.to_string() != text => findings.differs("blue", text, &action.to_string()),
            None if Action::all().any(|listed| listed.to_string() == text) => {
                findings.differs("blue", text, "an action outside of the list (index -1)");
            }
            _ => {}
        }
        Ok(action)
    }

    fn fold(&mut self, line: &Line<'_>, findings: &mut Findings) -> Result<(), ReadError> {
        let Some(observe) = self.checksum else { return Ok(()) };
        findings.played.reward(self.simulator.reward_tenths());
        match line.json("reward")?.and_then(|reward| reward.as_real()) {
            Some(reward) => findings.recorded.reward((reward * 10.0).round() as i32),
            None => findings.complete = false,
        }
        match observe {
            Observe::None => {}
            Observe::Vector => {
                findings.played.word(self.simulator.vector());
                match line.json("vector")?.as_ref().and_then(Json::as_text).map(|bits| u64::from_str_radix(bits, 2)) {
                    Some(Ok(bits)) => findings.recorded.word(bits),
                    _ => findings.complete = false,
                }
            }
            Observe::Raw => self.fold_text(line, findings)?,
        }
        Ok(())
    }

    fn fold_text(&mut self, line: &Line<'_>, findings: &mut Findings) -> Result<(), ReadError> {
        self.buffer.clear();
        self.simulator.write_observation(&self.names, &mut self.buffer);
        findings.played.bytes(&self.buffer);
        match line.json("blue_obs")? {
            Some(recorded) => findings.recorded.bytes(node_from_json(&recorded).to_python().as_bytes()),
            None => findings.complete = false,
        }
        Ok(())
    }
}

fn quoted(text: &str, out: &mut Vec<u8>) {
    out.push(b'"');
    out.extend_from_slice(text.as_bytes());
    out.push(b'"');
}

/// An action by its index; -1 is an action outside of the list, hence none.
pub(crate) fn read_index(value: &Json) -> Option<Option<Action>> {
    match value.as_whole()? {
        -1 => Some(None),
        index => Action::from_index(usize::try_from(index).ok()?).map(Some),
    }
}

/// What an `actions` line holds.
pub(crate) struct ActionList {
    pub options: Options,
    pub seed: Seed,
    pub actions: Vec<Option<Action>>,
    /// The view that its checksum is of.
    pub observe: Observe,
    pub draws: ListDraws,
}

/// The generator of an action list; the fast one with its seed.
#[derive(Clone, Copy)]
pub(crate) enum ListDraws {
    Fast(u64),
    Mersenne,
}

impl ActionList {
    /// # Errors
    /// When a field is missing or malformed, or the fast generator shall take a seed beyond 64 bits.
    pub(crate) fn read(line: &Line<'_>) -> Result<Self, ReadError> {
        only(line, &ACTIONS_FIELDS)?;
        let options = options_of(line)?;
        let seed = line.seed()?.ok_or_else(|| line.error("`seed` is missing"))?;
        let wrong = || line.error("`actions` must be a list of indices from -1 to 144");
        let actions = line.json("actions")?.ok_or_else(wrong)?;
        let actions = actions.as_list().ok_or_else(wrong)?.iter();
        let actions = actions.map(read_index).collect::<Option<Vec<_>>>().ok_or_else(wrong)?;
        let observe = Observe::from_name(&line.text("observe")?)
            .ok_or_else(|| line.error("`observe` must be none, vector or raw"))?;
        let draws = match line.text("draws")?.as_str() {
            "fast" => {
                let small = seed.small();
                ListDraws::Fast(small.ok_or_else(|| line.error("`seed` of the fast generator has at most 64 bits"))?)
            }
            "mersenne" => ListDraws::Mersenne,
            other => return Err(line.error(format!("`draws` is `{other}`; expected fast or mersenne"))),
        };
        Ok(Self { options, seed, actions, observe, draws })
    }
}

/// Plays `actions` lines: episodes that hold an action list and a checksum only.
#[derive(Default)]
pub(super) struct Actions {
    text: Vec<u8>,
}

impl Actions {
    pub(super) fn play(&mut self, line: &Line<'_>, findings: &mut Findings) -> Result<(), ReadError> {
        let ActionList { options, seed, actions, observe, draws } = ActionList::read(line)?;
        let checksum = findings.view_of(observe, line)?;
        findings.report.counts.episodes += 1;
        findings.episode = line.whole("ep")?.unwrap_or_default();
        findings.step = None;
        let own = match draws {
            ListDraws::Fast(seed) => {
                let mut simulator = Simulator::new(options, Fast::new(0));
                simulator.reset(seed);
                self.fold(&mut simulator, &actions, observe, checksum, findings)
            }
            ListDraws::Mersenne => {
                let mut simulator = Simulator::new(options, Mersenne::from_seed(&seed));
                simulator.reset_unseeded();
                self.fold(&mut simulator, &actions, observe, checksum, findings)
            }
        };
        let recorded = line.text("checksum")?;
        if recorded != own.hex() {
            findings.differs("checksum", &recorded, &own.hex());
        }
        findings.report.counts.steps += actions.len() as u64;
        findings.complete = false;
        Ok(())
    }

    fn fold<D: Draws>(
        &mut self,
        simulator: &mut Simulator<D>,
        actions: &[Option<Action>],
        observe: Observe,
        checksum: Option<Observe>,
        findings: &mut Findings,
    ) -> Checksum {
        let mut own = Checksum::default();
        fold_reset(simulator, observe, &mut self.text, &mut own);
        if let Some(asked) = checksum {
            fold_reset(simulator, asked, &mut self.text, &mut findings.played);
        }
        for action in actions {
            simulator.step(*action);
            fold_step(simulator, observe, &mut self.text, &mut own);
            if let Some(asked) = checksum {
                fold_step(simulator, asked, &mut self.text, &mut findings.played);
            }
        }
        own
    }
}
