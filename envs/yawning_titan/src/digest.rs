//! The hash of the true state: what decides the future apart from draws, what blue remembers, and the score.

use sha2::{Digest as _, Sha256};

use crate::dynamics::Graph;
use crate::sim::Simulator;

struct Bytes(Vec<u8>);

impl Bytes {
    fn whole(&mut self, value: i64) {
        self.0.extend_from_slice(&value.to_le_bytes());
    }

    fn real(&mut self, value: f64) {
        self.0.extend_from_slice(&value.to_bits().to_le_bytes());
    }

    fn node(&mut self, node: Option<u16>) {
        self.whole(node.map_or(-1, i64::from));
    }

    fn graph(&mut self, graph: &Graph) {
        self.whole(graph.order().len() as i64);
        for node in graph.order() {
            self.node(Some(*node));
            self.whole(graph.neighbours(*node).len() as i64);
            graph.neighbours(*node).iter().for_each(|other| self.node(Some(*other)));
        }
    }
}

impl<D> Simulator<D> {
    /// A hash of the true state: equal states of two episodes have equal digests.
    #[must_use]
    pub fn digest(&self) -> [u8; 32] {
        let state = self.state();
        let mut bytes = Bytes(Vec::with_capacity(2048));
        bytes.whole(state.steps);
        bytes.real(self.return_value());
        bytes.graph(&state.now);
        bytes.graph(&state.whole);
        for at in 0..state.names.len() {
            bytes.real(state.vulnerability[at]);
            bytes.real(state.original[at]);
            for flags in
                [&state.compromised, &state.view, &state.known, &state.isolated, &state.entry, &state.high_value]
            {
                bytes.0.push(u8::from(flags[at]));
            }
            bytes.0.extend_from_slice(state.uuids[at].as_str().as_bytes());
        }
        bytes.node(state.location);
        [state.stock, state.day, state.pointer as i64, state.in_play as i64]
            .into_iter()
            .for_each(|value| bytes.whole(value));
        bytes.0.extend([state.full, state.done, state.raised.is_some()].map(u8::from));
        if let Some(sine) = state.sine {
            [sine.time, sine.sine_factor, sine.cosine_factor].into_iter().for_each(|value| bytes.real(value));
            [sine.sine_shift, sine.cosine_shift].into_iter().for_each(|value| bytes.whole(i64::from(value)));
        }
        Sha256::digest(&bytes.0).into()
    }
}
