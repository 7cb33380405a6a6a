//! Small texts that recordings hold.

use crate::dynamics::Intent;
use crate::rules::Kind;
use crate::sim::Simulator;

/// The original's name of an action on one node.
pub(crate) const fn kind_text(kind: Kind) -> &'static str {
    match kind {
        Kind::ReduceVulnerability => "reduce_node_vulnerability",
        Kind::Restore => "restore_node",
        Kind::MakeSafe => "make_safe_node",
        Kind::Isolate => "isolate_node",
        Kind::Connect => "reconnect_node",
    }
}

/// The text beside an action's index.
pub(crate) fn intent_text<D>(simulator: &Simulator<D>, intent: Intent) -> String {
    match intent {
        Intent::Deceive(edge) => {
            let (a, b) = simulator.edges()[edge as usize];
            format!("add_deceptive_node {}-{}", simulator.name(a), simulator.name(b))
        }
        Intent::Scan => "scan_all_nodes".to_owned(),
        Intent::DoNothing => "do_nothing".to_owned(),
        Intent::On(kind, node) => format!("{} {}", kind_text(kind), simulator.name(node)),
        Intent::Empty(kind) => format!("{} empty_slot", kind_text(kind)),
        Intent::Outside => "outside".to_owned(),
    }
}

/// The beginning of the original's message of a `KeyError`, which is how Python shows the node.
pub(crate) fn key_error_text<D>(simulator: &Simulator<D>, node: u16) -> String {
    let (uuid, name) = (simulator.uuid(node), simulator.name(node));
    let high_value = if simulator.high_value(node) { "True" } else { "False" };
    let text = format!("Node(uuid='{uuid}', name='{name}', high_value_node={high_value}, ");
    text.chars().take(80).collect()
}

/// Appends a real as the shortest text that reads back as the same.
pub(crate) fn push_real(out: &mut String, value: f64) {
    use std::fmt::Write as _;
    // Writing to a string cannot fail.
    let _ = write!(out, "{value:?}");
}
