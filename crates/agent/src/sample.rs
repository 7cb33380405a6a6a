//! A made-up brief, with which personas are checked before any environment is opened.

use std::sync::Arc;

use gimbal_core::{Brief, GlossaryEntry, Thresholds, ToolCall, ToolSpec};

/// The brief of a workshop that does not exist: every field holds something.
#[must_use]
pub fn brief() -> Brief {
    let entry = |name: &str, kind: &str, description: &str, usage: &str| GlossaryEntry {
        name: name.to_owned(),
        kind: kind.to_owned(),
        description: description.to_owned(),
        usage: usage.to_owned(),
        published: None,
    };
    Brief {
        environment: "sample-workshop".to_owned(),
        goal: "Keep every machine of the workshop running.".to_owned(),
        role: "You look after the machines of a workshop.".to_owned(),
        subject: "machine".to_owned(),
        subjects: vec!["lathe".to_owned(), "press".to_owned()],
        glossary: vec![
            entry("Wait", "passive", "lets a step go by", "Wait"),
            entry("Oil", "proactive", "oils one machine", "Oil machine=<name>"),
        ],
        horizon: 10,
        reward_range: None,
        thresholds: Thresholds::default(),
        idle: ToolCall::bare("Wait"),
        segment_calls: None,
        seconds_per_step: None,
        manifest: gimbal_core::Manifest::default(),
        runs_on: false,
        materials: Vec::new(),
        tool_names: [
            ("subject_state", "get_machine_state"),
            ("analyse_subject", "get_machine_analysis"),
            ("suggest_action", "get_next_step"),
        ]
        .map(|(generic, name)| (generic.to_owned(), name.to_owned()))
        .into(),
        legend: [("wear".to_owned(), "`high`: the machine needs oil.".to_owned())].into(),
        forbidden_words: vec!["sample-workshop".to_owned()],
        literals_change: false,
        free_arguments: false,
        free_numbers: false,
        answer: None,
        objective: None,
        efficiency_shift: None,
    }
}

/// Queries that the made-up environment answers.
#[must_use]
pub fn queries() -> Arc<[ToolSpec]> {
    let subject: &[(&str, &str)] = &[("subject", "Name of the machine.")];
    Arc::new([
        ToolSpec::of_strings("subject_state", "Tells the present state of a machine.", subject),
        ToolSpec::of_strings("subject_baseline", "Tells the initial state of a machine.", subject),
    ])
}

/// Legal actions of the made-up environment, as it writes them.
#[must_use]
pub fn actions() -> Vec<String> {
    ["Wait", "Oil machine=lathe", "Oil machine=press"].map(str::to_owned).to_vec()
}
