//! Writes recordings of our own simulator in the format of the original's traces.

use std::io::{self, Write};

use crate::action::Action;
use crate::draws::{Drawn, Entry, Mersenne, Recorder};
use crate::names::Names;
use crate::options::Options;
use crate::policy::{Policy, PolicyKind};
use crate::sim::Simulator;
use crate::view::push_real;

/// What to record.
#[derive(Clone, Copy, Debug)]
pub struct RecordOptions {
    /// The episodes' options.
    pub options: Options,
    /// Blue's policy.
    pub policy: PolicyKind,
    /// Episodes.
    pub episodes: u32,
    /// The seed of the first episode; the others count up.
    pub seed: u64,
}

/// Plays episodes of a policy with CPython's generator and writes them down.
///
/// # Errors
/// When writing fails.
pub fn record(what: &RecordOptions, out: &mut impl Write) -> io::Result<()> {
    let mut simulator = Simulator::new(what.options, Recorder::new(Mersenne::new(0)));
    let mut policy = Policy::new(what.policy);
    for episode in 0..what.episodes {
        let seed = what.seed.wrapping_add(u64::from(episode));
        policy.reset(seed);
        let mut writer = Episode::begin(&mut simulator, episode, seed, what.policy.name(), out)?;
        for _ in 0..what.options.horizon {
            let action = policy.act(writer.simulator.vector());
            writer.step(Some(action), &action.to_string(), out)?;
        }
        writer.end(out)?;
    }
    Ok(())
}

/// Plays one episode with given actions, each with its recorded text (`None` is an illegal one), and writes it down.
///
/// # Errors
/// When writing fails.
pub fn record_actions(
    options: Options,
    episode: u32,
    seed: u64,
    policy: &str,
    actions: &[(Option<Action>, String)],
    out: &mut impl Write,
) -> io::Result<()> {
    let mut simulator = Simulator::new(options, Recorder::new(Mersenne::new(0)));
    let mut writer = Episode::begin(&mut simulator, episode, seed, policy, out)?;
    for (action, text) in actions {
        writer.step(*action, text, out)?;
    }
    writer.end(out)
}

struct Episode<'a> {
    simulator: &'a mut Simulator<Recorder<Mersenne>>,
    names: Names,
    episode: u32,
}

/// A line under way: JSON fields in order.
struct Fields(Vec<u8>);

impl Fields {
    fn new(kind: &str, episode: u32) -> Self {
        Self(format!("{{\"kind\":\"{kind}\",\"ep\":{episode}").into_bytes())
    }

    fn add(&mut self, key: &str, value: impl FnOnce(&mut Vec<u8>)) {
        self.0.extend_from_slice(format!(",\"{key}\":").as_bytes());
        value(&mut self.0);
    }

    fn text(&mut self, key: &str, text: &str) {
        self.add(key, |out| {
            use crate::view::Sink as _;
            crate::view::JsonSink::new(out).text(text);
        });
    }

    fn plain(&mut self, key: &str, value: impl std::fmt::Display) {
        self.add(key, |out| out.extend_from_slice(value.to_string().as_bytes()));
    }

    fn write(mut self, out: &mut impl Write) -> io::Result<()> {
        self.0.extend_from_slice(b"}\n");
        out.write_all(&self.0)
    }
}

impl<'a> Episode<'a> {
    fn begin(
        simulator: &'a mut Simulator<Recorder<Mersenne>>,
        episode: u32,
        seed: u64,
        policy: &str,
        out: &mut impl Write,
    ) -> io::Result<Self> {
        simulator.reset(seed);
        let names = Names::original();
        let options = simulator.options();
        let mut line = Fields::new("reset", episode);
        line.text("red", options.red.recorded_name());
        line.text("green_agent", options.green.recorded_name());
        line.text("policy", policy);
        line.plain("horizon", options.horizon);
        line.plain("seed", seed);
        let (mut subnets, mut addresses) = (Vec::new(), Vec::new());
        simulator.inspect().layout(&mut subnets, &mut addresses);
        line.add("subnets", |out| out.append(&mut subnets));
        line.add("ips", |out| out.append(&mut addresses));
        let tape = simulator.draws().take();
        line.add("tape", |out| write_tape(&tape, out));
        line.add("blue_obs", |out| simulator.write_observation_json(&names, out));
        line.add("red_obs", |out| simulator.write_red_observation_json(&names, out));
        line.text("vector", &vector_text(simulator.vector()));
        line.add("state", |out| simulator.inspect().full_state(out));
        line.write(out)?;
        Ok(Self { simulator, names, episode })
    }

    fn step(&mut self, action: Option<Action>, text: &str, out: &mut impl Write) -> io::Result<()> {
        let simulator = &mut *self.simulator;
        let before = simulator.steps();
        simulator.step(action);
        let mut line = Fields::new("step", self.episode);
        line.plain("t", before);
        line.add("blue", |out| {
            use crate::view::Sink as _;
            let mut sink = crate::view::JsonSink::new(out);
            sink.list();
            sink.int(action.map_or(-1, |action| action.index() as i64));
            sink.text(text);
            sink.end_list();
        });
        line.text("blue_success", simulator.success().name());
        line.add("green", |out| simulator.inspect().green_action(out));
        line.add("red", |out| simulator.inspect().red_action(out));
        line.text("red_success", simulator.red_success().name());
        line.add("reward", |out| push_real(out, simulator.reward()));
        line.add("red_reward", |out| push_real(out, simulator.inspect().red_reward()));
        line.add("scores", |out| simulator.inspect().scores(out));
        line.plain("done", false);
        line.text("vector", &vector_text(simulator.vector()));
        let tape = simulator.draws().take();
        line.add("tape", |out| write_tape(&tape, out));
        line.add("blue_obs", |out| simulator.write_observation_json(&self.names, out));
        line.add("red_obs", |out| simulator.write_red_observation_json(&self.names, out));
        line.add("truth", |out| simulator.inspect().truth(out));
        line.add("red_mind", |out| simulator.inspect().red_mind(out));
        line.write(out)
    }

    fn end(self, out: &mut impl Write) -> io::Result<()> {
        let simulator = self.simulator;
        let mut line = Fields::new("end", self.episode);
        line.plain("steps", simulator.steps());
        line.add("ret", |out| push_real(out, simulator.return_value()));
        line.plain("error", false);
        let check = simulator.draws().inner().getrandbits(64);
        line.plain("rng_check", check);
        line.add("state", |out| simulator.inspect().full_state(out));
        line.write(out)
    }
}

/// The vector as recordings write it: 52 characters, 0 or 1.
pub(crate) fn vector_text(bits: u64) -> String {
    format!("{bits:052b}")
}

/// Appends a tape as recordings write it.
pub(crate) fn write_tape(tape: &[Entry], out: &mut Vec<u8>) {
    use crate::view::Sink as _;
    let mut sink = crate::view::JsonSink::new(out);
    sink.list();
    for entry in tape {
        sink.list();
        sink.text(entry.site.phase.name());
        sink.text(entry.site.purpose.name());
        sink.text(entry.function.name());
        sink.list();
        entry.arguments.iter().for_each(|argument| sink.int(i64::from(*argument)));
        sink.end_list();
        match &entry.result {
            Drawn::Whole(value) => sink.int(i64::from(*value)),
            Drawn::Real(value) => sink.real(*value),
            Drawn::List(values) => {
                sink.list();
                values.iter().for_each(|value| sink.int(i64::from(*value)));
                sink.end_list();
            }
        }
        sink.end_list();
    }
    sink.end_list();
}
