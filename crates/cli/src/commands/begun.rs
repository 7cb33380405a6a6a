//! An environment as commands show it that print prompts or check tools: one step after the beginning of its first task.

use std::sync::Arc;

use gimbal_agent::shown::offered_call;
use gimbal_core::tracker::Stepped;
use gimbal_core::{Data, Environment, Observation, Reply, Tracker, nearest};
use serde_json::Value;

use crate::exit::Failure;
use crate::registry::registry;

/// What a made-up step shows of an action that is not carried out.
const SEEN: &str = "(what was seen then)";

/// An environment after one step, with its belief state.
pub struct Begun {
    /// The environment.
    pub environment: Box<dyn Environment>,
    /// Its belief state.
    pub tracker: Box<dyn Tracker>,
    /// What was seen before the first step.
    pub first: String,
}

/// Opens an environment by name and takes one idle step in its first task. Where no prompt offers the idle call, its belief state takes in another
/// one that prompts offer, with a made-up result: nothing else is carried out, because it may reach a service.
pub async fn begun(name: &str, options: &Value) -> Result<Begun, Failure> {
    let registry = registry();
    let Some(family) = registry.environment(name) else {
        let known: Vec<&str> = registry.environments.iter().map(|family| family.name()).collect();
        let hint = nearest::hint(name, known.iter().copied());
        let known = known.join(", ");
        return Err(Failure::Usage(format!("there is no environment `{name}`{hint} (known: {known})")));
    };
    let options = family.resolve(options).map_err(Failure::usage)?;
    let mut environment = family.open(&options).map_err(Failure::usage)?;
    let task = family.splits().first().and_then(|split| family.tasks(split, &options).ok()?.into_iter().next());
    let Some(task) = task else { return Err(Failure::Usage(format!("`{name}` has no task"))) };
    let first = environment.reset(&task, 0).await.map_err(Failure::external)?;
    let mut tracker = environment.tracker();
    tracker.begin(&first);
    if let Some(call) = offered_call(&*environment) {
        let seen = if call == environment.brief().idle {
            match environment.call(&call).await {
                Ok(Reply::Step(transition)) => Some(transition.observation),
                _ => None,
            }
        } else {
            Some(Arc::new(Observation { text: SEEN.to_owned(), data: Data::default() }))
        };
        if let Some(observation) = seen {
            tracker.update(Stepped { step: 1, call: &call, observation: &observation, justification: None });
        }
    }
    Ok(Begun { environment, tracker, first: first.text.clone() })
}
