//! `gimbal persona`.

use std::sync::Arc;

use gimbal_agent::{Agent, Overrides, Persona, prompt};
use gimbal_core::tracker::Stepped;
use gimbal_core::{Block, Environment, Reply, ToolCall};
use serde_json::json;

use crate::args::PersonaVerb;
use crate::exit::Failure;
use crate::home::Home;
use crate::registry::registry;

/// Shows personas.
pub async fn persona(home: &Home, verb: PersonaVerb) -> Result<(), Failure> {
    match verb {
        PersonaVerb::List => list(home),
        PersonaVerb::Show { name, environment, context, plain } => {
            show(home, &name, &environment, &context, plain).await
        }
    }
}

fn list(home: &Home) -> Result<(), Failure> {
    println!("personas");
    for name in Persona::list(&*home.files) {
        println!("  {name}");
    }
    println!("configurations (for `{{ base: ..., configuration: NAME }}` in a study)");
    for configuration in gimbal_agent::persona::configurations(&*home.files).map_err(Failure::usage)? {
        println!("  {:<16} {} {}", configuration.name, configuration.base, json!(configuration.settings));
    }
    Ok(())
}

/// The whole prompt of the second step of an episode in which the first step was idle.
async fn show(home: &Home, name: &str, environment: &str, context: &[String], plain: bool) -> Result<(), Failure> {
    let persona = Arc::new(Persona::load(name, &*home.files).map_err(Failure::usage)?);
    let registry = registry();
    let Some(family) = registry.environment(environment) else {
        return Err(Failure::Usage(format!("there is no environment `{environment}`")));
    };
    let mut world = family.open(&json!({})).map_err(Failure::usage)?;
    let task = family.splits().first().and_then(|split| family.tasks(split).ok()?.into_iter().next());
    let Some(task) = task else { return Err(Failure::Usage(format!("`{environment}` has no task"))) };
    let first = world.reset(&task, 0).await.map_err(Failure::world)?;
    let mut tracker = world.tracker();
    tracker.begin(&first);
    let idle = world.brief().idle.clone();
    if let Ok(Reply::Step(transition)) = world.call(&idle).await {
        tracker.update(Stepped { step: 1, call: &idle, observation: &transition.observation, justification: None });
    }
    let wanted = if context.is_empty() { persona.prompt.context.clone() } else { persona.ordered(context) };
    let mut blocks = Vec::new();
    for block in wanted {
        let Some(text) = tracker.block(&block) else {
            let known = tracker.blocks().join(", ");
            return Err(Failure::Usage(format!("--context: `{environment}` has no block `{block}` (known: {known})")));
        };
        blocks.push(Block { name: block, text: text.into() });
    }
    let agent = Agent::new(Arc::clone(&persona), "default", &Overrides::default()).map_err(Failure::usage)?;
    let idle_text = world.render(&idle);
    let actions = actions(&*world);
    let system = agent.show(world.brief(), tracker.queries(), &idle_text, &actions).map_err(Failure::usage)?;
    let about = prompt::World { brief: world.brief(), idle: &idle_text, tools: &[], actions: &actions };
    let user = prompt::user(&persona, about, 2, &blocks).map_err(Failure::usage)?;
    for (speaker, parts) in [("system", &system.parts), ("user, step 2", &user)] {
        println!("=== {speaker}");
        if plain {
            println!("{}\n", prompt::joined(parts));
            continue;
        }
        for part in parts {
            let origins: Vec<String> =
                part.origins.iter().map(|origin| format!("{} `{}`", origin.file, origin.key)).collect();
            println!("--- {} ({})\n{}\n", part.name, origins.join("; "), part.text);
        }
    }
    Ok(())
}

/// The action texts of tools with at most one parameter of known literals.
fn actions(world: &dyn Environment) -> Vec<String> {
    let mut actions = Vec::new();
    for tool in world.tools().iter() {
        let required: Vec<&str> = tool.required().collect();
        match required.as_slice() {
            [] => actions.push(world.render(&ToolCall::bare(&tool.name))),
            [parameter] => {
                for choice in world.choices(&tool.name, parameter).unwrap_or_default() {
                    actions.push(world.render(&ToolCall::with(&tool.name, &[(parameter, &*choice)])));
                }
            }
            _ => {}
        }
    }
    actions
}
