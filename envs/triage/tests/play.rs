//! Playing without a runtime.

use std::future::Future;
use std::task::{Context, Poll, Waker};

use gimbal_core::{Catalogue, Environment, Observation, Rejection, Reply, TaskId, ToolCall, Transition};
use gimbal_evidence::Marking;
use gimbal_triage::Triage;
use gimbal_triage::corpus::Corpus;
use serde_json::{Value, json};

/// This environment never waits: a future is ready at once.
pub fn now<T>(future: impl Future<Output = T>) -> T {
    let mut future = std::pin::pin!(future);
    match future.as_mut().poll(&mut Context::from_waker(Waker::noop())) {
        Poll::Ready(value) => value,
        Poll::Pending => panic!("the environment waited"),
    }
}

/// An environment at the beginning of a task, with what is seen first.
pub fn begin(task: &str, options: &Value) -> (Box<dyn Environment>, Observation) {
    let mut environment = Triage.open(options).unwrap();
    let first = now(environment.reset(&TaskId(task.to_owned()), 1)).unwrap();
    (environment, first)
}

pub fn act(environment: &mut dyn Environment, call: &ToolCall) -> Result<Transition, Rejection> {
    match now(environment.call(call))? {
        Reply::Step(transition) => Ok(transition),
        Reply::Ask(_) => panic!("this environment asks nobody"),
    }
}

/// The text of a call's result.
pub fn said(environment: &mut dyn Environment, tool: &str, arguments: &[(&str, &str)]) -> String {
    act(environment, &ToolCall::with(tool, arguments)).unwrap().observation.text.clone()
}

pub fn conclude(verdict: &str, confidence: u64, facts: &str) -> ToolCall {
    let mut call = ToolCall::with("conclude", &[("verdict", verdict), ("facts", facts)]);
    call.arguments.insert("confidence".to_owned(), json!(confidence));
    call
}

pub fn marking(transition: &Transition) -> Marking {
    Marking::read(&transition.observation.text).unwrap_or_else(|| panic!("{}", transition.observation.text))
}

/// Tasks of all splits that need no data.
pub fn tasks() -> Vec<String> {
    let corpus = Corpus::built_in().unwrap_or_else(|error| panic!("{error}"));
    let made = corpus.all().iter().filter(|scenario| !scenario.splits.iter().any(|split| split == "real"));
    made.map(|scenario| scenario.id.clone()).collect()
}

/// A count with its share and the 95% interval of Wilson's score, as tables print it: `34 (62%, 49 to 73)`.
pub fn with_interval(count: usize, of: usize) -> String {
    if of == 0 {
        return "0 of 0".to_owned();
    }
    let (count_f, n, z) = (count as f64, of as f64, 1.959_964_f64);
    let (share, square) = (count_f / n, z * z);
    let middle = (share + square / (2.0 * n)) / (1.0 + square / n);
    let half = z * (share * (1.0 - share) / n + square / (4.0 * n * n)).sqrt() / (1.0 + square / n);
    let percent = |value: f64| (100.0 * value).round().clamp(0.0, 100.0) + 0.0;
    format!("{count} ({}%, {} to {})", percent(share), percent(middle - half), percent(middle + half))
}
