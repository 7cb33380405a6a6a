//! The simulator: a state and a source of randomness.

use crate::Trinary;
use crate::action::Action;
use crate::draws::Draws;
use crate::dynamics::State;
use crate::facts::Host;
use crate::names::Names;
use crate::options::Options;
use crate::view::{self, BlueRow, JsonSink, Node, PythonSink};

/// One environment of Scenario2 and where its randomness comes from.
///
/// Neither `reset` nor `step` allocates: the room for the horizon is reserved when it is built (but for
/// [`Simulator::growing`]). All views are lazy: what is not asked for costs nothing.
#[derive(Clone, Debug)]
pub struct Simulator<D> {
    state: State,
    draws: D,
}

impl<D: Draws> Simulator<D> {
    /// A simulator; call [`Simulator::reset`] before the first step.
    #[must_use]
    pub fn new(options: Options, draws: D) -> Self {
        Self { state: State::new(options), draws }
    }

    /// A simulator that takes room as it needs it: for many environments at once, each within a program that allocates at
    /// every step anyway. It plays the very same episodes.
    #[must_use]
    pub fn growing(options: Options, draws: D) -> Self {
        Self { state: State::with_room(options, None), draws }
    }

    /// A new episode from `seed`.
    pub fn reset(&mut self, seed: u64) {
        self.draws.seed(seed);
        self.state.reset(&mut self.draws);
    }

    /// A new episode that goes on drawing where the source is.
    pub fn reset_unseeded(&mut self) {
        self.state.reset(&mut self.draws);
    }

    /// One step: blue's action, then green, red, reward and blue's implicit monitor. `None` is an illegal action,
    /// which does nothing and costs 0.1. Returns blue's reward in tenths.
    #[inline]
    pub fn step(&mut self, action: impl Into<Option<Action>>) -> i32 {
        self.state.advance(&mut self.draws, action.into())
    }

    /// The source of randomness.
    pub const fn draws(&mut self) -> &mut D {
        &mut self.draws
    }

    /// The same true state with another source of randomness: another future.
    pub fn fork<E: Draws>(&self, draws: E) -> Simulator<E> {
        Simulator { state: self.state.clone(), draws }
    }
}

impl<D> Simulator<D> {
    /// What it was built with.
    pub const fn options(&self) -> Options {
        self.state.options
    }

    /// Steps taken since the reset.
    pub const fn steps(&self) -> u32 {
        self.state.step
    }

    /// Whether the horizon is reached. The environment itself has no end.
    pub const fn done(&self) -> bool {
        self.state.step >= self.state.options.horizon
    }

    /// Blue's reward of the last step, in tenths.
    pub const fn reward_tenths(&self) -> i32 {
        self.state.reward
    }

    /// Blue's reward of the last step, as CybORG rounds it.
    pub fn reward(&self) -> f64 {
        f64::from(self.state.reward) / 10.0
    }

    /// The sum of blue's rewards since the reset, in tenths.
    pub const fn return_tenths(&self) -> i64 {
        self.state.total
    }

    /// The sum of blue's rewards since the reset.
    pub fn return_value(&self) -> f64 {
        self.state.total as f64 / 10.0
    }

    /// The 52 bits of blue's table; the first bit of the vector is the highest (bit 51).
    #[inline]
    pub const fn vector(&self) -> u64 {
        self.state.table.bits
    }

    /// The vector bit by bit, in CybORG's order.
    pub fn vector_bits(&self) -> [u8; 52] {
        std::array::from_fn(|at| (self.state.table.bits >> (51 - at) & 1) as u8)
    }

    /// The success flag of blue's own action.
    pub const fn success(&self) -> Trinary {
        self.state.blue.success
    }

    /// The success flag of red's action.
    pub const fn red_success(&self) -> Trinary {
        self.state.red.last.success
    }

    /// The address of a host.
    pub const fn address(&self, host: Host) -> std::net::Ipv4Addr {
        std::net::Ipv4Addr::from_bits(self.state.addresses[host.index()])
    }

    /// Whether red holds a session on the host, and whether a privileged one. The agent cannot see this.
    pub const fn red_holds(&self, host: Host) -> (bool, bool) {
        (self.state.held & host.bit() != 0, self.state.privileged & host.bit() != 0)
    }

    /// The blue table, row by row in scenario order.
    pub fn table(&self) -> [BlueRow; 13] {
        view::rows(&self.state)
    }

    /// Appends the blue table as CybORG prints it, sorted by host name.
    pub fn write_table(&self, names: &Names, out: &mut String) {
        view::write_table(&self.state, names, out);
    }

    /// Blue's raw observation, typed and ordered.
    pub fn observation(&self, names: &Names) -> Node {
        Node::build(|sink| view::blue_observation(&self.state, names, sink))
    }

    /// Appends blue's raw observation as CybORG (Python) prints it.
    pub fn write_observation(&self, names: &Names, out: &mut Vec<u8>) {
        view::blue_observation(&self.state, names, &mut PythonSink::new(out));
    }

    /// Appends blue's raw observation as JSON with keys in CybORG's order.
    pub fn write_observation_json(&self, names: &Names, out: &mut Vec<u8>) {
        view::blue_observation(&self.state, names, &mut JsonSink::new(out));
    }

    /// Red's raw observation, typed and ordered.
    pub fn red_observation(&self, names: &Names) -> Node {
        Node::build(|sink| view::red_observation(&self.state, names, sink))
    }

    /// Appends red's raw observation as JSON with keys in CybORG's order.
    pub fn write_red_observation_json(&self, names: &Names, out: &mut Vec<u8>) {
        view::red_observation(&self.state, names, &mut JsonSink::new(out));
    }

    /// The rest of what recordings keep, each as ordered JSON.
    pub const fn inspect(&self) -> view::Inspect<'_> {
        view::Inspect::new(&self.state)
    }

    /// A hash of the true state: equal states of two episodes have equal digests.
    pub fn digest(&self) -> [u8; 32] {
        view::digest(&self.state)
    }
}
