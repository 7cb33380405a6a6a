//! Episodes that a command plays by itself, without a study: what they are played on.

use std::path::Path;
use std::sync::Arc;

use gimbal_core::{Digest, EpisodeStopped, Stop, TaskId, Usage};
use gimbal_model::{Models, ModelsSection};
use gimbal_study::plan;
use gimbal_study::rehearsal::Rehearsal;
use serde_json::{Value, json};

use super::write_file;
use crate::exit::Failure;
use crate::home::Home;
use crate::registry::{registry, router};
use crate::stdio;

/// What is played: an environment, its options, a split, and the settings of the one role.
pub struct Asked<'a> {
    pub environment: &'a str,
    pub options: &'a str,
    pub split: Option<&'a str>,
    pub role: Value,
}

/// Resolves what is asked as a study of one cell would be, and opens its model.
pub async fn rehearsal(home: &Home, asked: Asked<'_>) -> Result<Rehearsal, Failure> {
    let options: Value = serde_json::from_str(asked.options).map_err(|error| {
        Failure::Usage(format!("--options: {error}; expected a JSON object such as {{\"horizon\": 30}}"))
    })?;
    let Value::Object(mut environment) = options else {
        return Err(Failure::Usage("--options: expected a JSON object such as {\"horizon\": 30}".to_owned()));
    };
    environment.insert("name".to_owned(), asked.environment.into());
    let tasks = asked.split.map_or_else(|| json!({}), |split| json!({ "split": split }));
    let study = json!({
        "study": "rehearsal", "environment": environment,
        "architectures": [{ "base": router()?.name(), "graph": "suggested" }],
        "roles": [{ "default": asked.role }], "episodes": { "tasks": tasks },
    });
    let study = plan::parse(&study.to_string(), "arguments").map_err(Failure::usage)?;
    let models: Arc<Models> = home.models(ModelsSection::default(), None)?;
    let resolved = plan::resolve(study, &plan::Options::default(), &registry(), &*models, &*home.files);
    let resolved = resolved.map_err(Failure::usage)?;
    let (missing, ready) = plan::ready(&resolved, &*models);
    ready.map_err(Failure::usage)?;
    for model in &missing {
        super::model::fetch_if_missing(model).await?;
    }
    Rehearsal::new(resolved, &*models).map_err(Failure::external)
}

/// The settings of the one role.
pub fn role(model: &str, constrained: bool, max_tokens: Option<u32>) -> Value {
    let mut role = json!({ "model": model, "decoding": decoding(constrained) });
    if let Some(most) = max_tokens {
        role["max_output_tokens"] = most.into();
    }
    role
}

/// The name of a way to decode.
pub const fn decoding(constrained: bool) -> &'static str {
    if constrained { "constrained" } else { "free" }
}

/// Prints the calls of a model and their cost.
pub fn say_cost(model: &str, (calls, usage): (u64, &Usage), dollars: Option<f64>) {
    let cost = dollars.map_or_else(|| "price unknown".to_owned(), |dollars| format!("${dollars:.6}"));
    stdio::message(&format!(
        "{model}: {}, {} prompt and {} completion tokens, {cost}",
        stdio::count(calls, "call", "calls"),
        usage.input,
        usage.output
    ));
}

/// The beginning of a hash of prompts, as files name it.
pub fn digest(prompts: &[String]) -> String {
    Digest::of(prompts.concat().as_bytes()).to_string().chars().take(12).collect()
}

/// An episode that broke off.
pub fn halted(halt: EpisodeStopped) -> Failure {
    match halt.stop {
        Stop::Cancelled => Failure::Interrupted,
        _ => Failure::External(halt.detail.unwrap_or_else(|| halt.stop.name().to_owned())),
    }
}

/// Writes a file in a folder that is made where it is missing.
pub fn write_below(path: &Path, text: &str) -> Result<(), Failure> {
    if let Some(folder) = path.parent().filter(|folder| !folder.as_os_str().is_empty()) {
        std::fs::create_dir_all(folder)
            .map_err(|error| Failure::External(format!("{}: cannot be made: {error}", folder.display())))?;
    }
    write_file(path, text)
}

/// `count` sessions, each a task and a run: tasks evenly spread, and further runs where there are fewer tasks.
pub fn spread(tasks: &[TaskId], count: usize) -> Vec<(TaskId, u32)> {
    let most = count.min(tasks.len()).max(1);
    let session = |index: usize| {
        let task = tasks.get((index % most) * tasks.len() / most)?.clone();
        Some((task, u32::try_from(index / most).unwrap_or(u32::MAX)))
    };
    (0..count).filter_map(session).collect()
}
