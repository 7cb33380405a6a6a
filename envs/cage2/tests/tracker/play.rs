//! An episode of the simulator, seen by a belief state.

use gimbal_cage2::draws::Fast;
use gimbal_cage2::tracker::{DecoyTable, HOSTNAME, HostBelief, HostTracker};
use gimbal_cage2::{Action, Names, Options, Simulator};
use gimbal_core::{Observation, Stepped, ToolCall, Tracker};

pub const BLOCKS: [&str; 3] = ["observation", "history", "status"];

pub struct Play {
    pub simulator: Simulator<Fast>,
    pub names: Names,
    pub tracker: HostTracker,
    pub step: u32,
}

impl Play {
    pub fn new(options: Options, seed: u64, names: Names) -> Self {
        let mut simulator = Simulator::new(options, Fast::new(0));
        simulator.reset(seed);
        let mut tracker = HostTracker::new(HostBelief::new(DecoyTable::of(&names)));
        tracker.begin(&observation(&simulator, &names));
        Self { simulator, names, tracker, step: 0 }
    }

    /// Takes a step; gives the call and what was seen.
    pub fn act(&mut self, action: Action, justification: Option<&str>) -> (ToolCall, Observation) {
        self.simulator.step(action);
        self.step += 1;
        let call = call(action, &self.names);
        let observation = observation(&self.simulator, &self.names);
        self.tracker.update(Stepped { step: self.step, call: &call, observation: &observation, justification });
        (call, observation)
    }

    pub fn block(&self, name: &str) -> String {
        self.tracker.block(name).unwrap()
    }
}

pub fn observation(simulator: &Simulator<Fast>, names: &Names) -> Observation {
    let mut text = Vec::new();
    simulator.write_observation(names, &mut text);
    let mut json = Vec::new();
    simulator.write_observation_json(names, &mut json);
    Observation {
        text: String::from_utf8(text).unwrap(),
        data: gimbal_core::Data::json(String::from_utf8(json).unwrap()),
    }
}

pub fn call(action: Action, names: &Names) -> ToolCall {
    match action.target() {
        Some((kind, host)) => ToolCall::with(names.kind(kind), &[(HOSTNAME, names.host(host))]),
        None => ToolCall::bare(&action.render(names)),
    }
}

/// Every query about every host.
pub fn answers(tracker: &HostTracker) -> Vec<String> {
    let hosts: Vec<&str> = tracker.belief().statuses().map(|(host, _)| host).collect();
    let ask = |query: &str, host: &str| tracker.query(&ToolCall::with(query, &[("subject", host)])).unwrap();
    hosts.iter().flat_map(|host| [ask("subject_state", host), ask("subject_baseline", host)]).collect()
}
