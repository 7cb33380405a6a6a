//! Telemetry in real formats from a script and a seed: the same script gives the same bytes everywhere.
//!
//! A script has steps (who does what when) and perhaps a background, ordinary activity that is made of steps too. Steps become
//! records in order of time, and an engine renders these: event XML, syslog lines, records of the audit system, or datagrams of NetFlow
//! in a capture.

mod auditd;
mod background;
mod memory;
mod netflow;
mod syslog;
mod text;
mod windows;

use gimbal_core::seed::Rng;
use gimbal_evidence::Utc;

use crate::scenario::{Engine, Script, Step};
use text::Placeholders;

/// One record before it is rendered.
struct Record<'s> {
    micros: i64,
    step: &'s Step,
    host: &'s str,
    values: Placeholders<'s>,
    rng: Rng,
}

/// Renders a script.
///
/// # Errors
/// What the script asks for and no engine has, in words.
pub(super) fn render(script: &Script) -> Result<Vec<u8>, String> {
    let around = match &script.background {
        Some(background) => background::steps(background, script)?,
        None => Vec::new(),
    };
    let mut records: Vec<Record<'_>> = Vec::new();
    for step in script.steps.iter().chain(&around) {
        expand(script, step, &mut records);
    }
    // Records of one moment keep the order of the script.
    records.sort_by_key(|record| record.micros);
    match script.engine {
        Engine::Windows => windows::render(script, records),
        Engine::Syslog => syslog::render(script, records),
        Engine::Auditd => auditd::render(script, records),
        Engine::NetflowV5 => netflow::render(script, records, 5),
        Engine::NetflowV9 => netflow::render(script, records, 9),
    }
}

/// The records of a step.
fn expand<'s>(script: &'s Script, step: &'s Step, records: &mut Vec<Record<'s>>) {
    // Each step has a stream of its own, so that a twin without one of them keeps all other records.
    let mut rng = Rng::stream(script.seed, &stream(step));
    let micros = |seconds: f64| (seconds * 1_000_000.0).round() as i64;
    for index in 0..step.count {
        let mut at = script.start + micros(step.at) + micros(step.every * f64::from(index));
        if index > 0 {
            at += micros(step.every * step.jitter * (rng.unit() - 0.5));
        }
        at += i64::try_from(rng.below(90_000)).unwrap_or(0);
        let own = Rng::stream(rng.next_u64(), "record");
        records.push(Record {
            micros: at,
            step,
            host: step.host.as_deref().unwrap_or(&script.host),
            values: Placeholders { index, each: &step.each },
            rng: own,
        });
    }
}

/// The name of a step's stream: what the step is.
fn stream(step: &Step) -> String {
    let empty = String::new();
    let text = |text: &Option<String>| text.clone().unwrap_or_default();
    let exec = step.exec.as_ref().map_or(&empty, |exec| &exec.argv);
    let flow = step.flow.as_ref().map(|flow| format!("{} {} {}", flow.from, flow.to, flow.port)).unwrap_or_default();
    format!("{}|{}|{}|{}|{exec}|{flow}", step.at, text(&step.host), text(&step.event), text(&step.line))
}

/// A time as RFC 3339.
fn rfc3339(micros: i64) -> String {
    Utc::from_micros(micros).map(|time| time.to_string()).unwrap_or_default()
}

/// A step for a background.
fn step(at: f64, count: u32, every: f64) -> Step {
    Step {
        label: String::new(),
        source: 0,
        at,
        count,
        every,
        jitter: 0.5,
        each: std::collections::BTreeMap::new(),
        host: None,
        event: None,
        fields: std::collections::BTreeMap::new(),
        line: None,
        exec: None,
        flow: None,
    }
}
