//! What several tests need.
#![allow(dead_code, clippy::unwrap_used, clippy::expect_used, clippy::print_stdout, missing_docs)]

use std::path::PathBuf;

use gimbal_core::{Ask, Catalogue, Environment, Observation, Reply, TaskId, ToolCall, Transition};
use gimbal_finance_agent::FinanceAgent;
use serde_json::Value;

/// The folder of public questions, if it is at hand.
pub fn reference() -> Option<PathBuf> {
    let set = std::env::var_os("GIMBAL_DATA").map(PathBuf::from);
    let data = set.unwrap_or_else(|| PathBuf::from(concat!(env!("CARGO_MANIFEST_DIR"), "/../../../shared/reference")));
    let folder = data.join("finance_agent");
    if folder.is_dir() {
        return Some(folder);
    }
    println!("skipped: no public questions in {}", folder.display());
    None
}

pub fn open(options: Value) -> Box<dyn Environment> {
    FinanceAgent.open(&options).unwrap()
}

pub async fn reset(environment: &mut dyn Environment, task: &str, seed: u64) -> Observation {
    environment.reset(&TaskId(task.to_owned()), seed).await.unwrap()
}

pub fn call(tool: &str, arguments: Value) -> ToolCall {
    ToolCall { tool: tool.to_owned(), arguments: arguments.as_object().unwrap().clone().into_iter().collect() }
}

pub async fn step(environment: &mut dyn Environment, call: &ToolCall) -> Transition {
    match environment.call(call).await {
        Ok(Reply::Step(step)) => step,
        other => panic!("{other:?}"),
    }
}

pub async fn said(environment: &mut dyn Environment, call: &ToolCall) -> String {
    step(environment, call).await.observation.text.clone()
}

pub async fn ask(environment: &mut dyn Environment, call: &ToolCall) -> Ask {
    match environment.call(call).await {
        Ok(Reply::Ask(ask)) => ask,
        other => panic!("{other:?}"),
    }
}

/// A text with the leading digit of every figure of three digits and more changed.
pub fn with_other_figures(text: &str) -> String {
    let mut out = text.to_owned();
    for figure in gimbal_finance_agent::number::figures(text).into_iter().filter(|figure| figure.digits() >= 3) {
        let at = figure.place.start + text[figure.place.clone()].find(|letter: char| letter.is_ascii_digit()).unwrap();
        let digit = if text[at..].starts_with('9') { "1" } else { "9" };
        out.replace_range(at..=at, digit);
    }
    out
}
