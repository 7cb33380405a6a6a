//! `gimbal persona audit`: no prompt may give away which world this is (BOG-025).

use std::collections::BTreeSet;

use gimbal_agent::persona::configurations;
use gimbal_agent::{Agent, audit, prompt};
use gimbal_architectures::{hierarchy, react};
use gimbal_core::{Brief, Environment, ToolSpec};
use serde_json::{Value, json};

use super::persona::{actions, opened};
use crate::exit::Failure;
use crate::home::Home;
use crate::registry::registry;

/// Every switch on: whatever a configuration may show.
fn everything() -> Value {
    json!({
        "include_tool_raise_a_question": true,
        "include_tool_critique_the_answer": true,
        "include_tool_improve_based_on_critique": true,
        "include_COT_instruction": true,
        "add_examples": true,
        "add_tool_examples": true,
    })
}

/// A world as prompts see it.
struct World {
    brief: std::sync::Arc<Brief>,
    queries: Vec<ToolSpec>,
    idle: String,
    actions: Vec<String>,
}

impl World {
    fn of(world: &dyn Environment, queries: &[ToolSpec]) -> Self {
        let brief = std::sync::Arc::clone(world.brief());
        Self { queries: queries.to_vec(), idle: world.render(&brief.idle), actions: actions(world), brief }
    }
}

/// Audits the prompts of all agents of all configurations, as they are and with every switch on, in every environment
/// or in the one that is named.
pub async fn run(home: &Home, only: Option<&str>) -> Result<(), Failure> {
    let registry = registry();
    let names: Vec<&str> = registry.environments.iter().map(|family| family.name()).collect();
    let names: Vec<&str> = match only {
        Some(only) => vec![only],
        None => names,
    };
    let mut bad = 0;
    println!("{:<16} {:<20} {:<10} {:>6}  findings", "environment", "configuration", "agent", "parts");
    for name in names {
        let (world, tracker, _) = opened(name, &json!({})).await?;
        let world = World::of(&*world, tracker.queries());
        for configuration in configurations(&*home.files).map_err(Failure::usage)? {
            for (variant, settings) in [
                (configuration.name.clone(), json!({ "configuration": configuration.name })),
                (
                    format!("{}, all on", configuration.name),
                    json!({ "configuration": configuration.name, "flags": everything() }),
                ),
            ] {
                for agent in agents(home, &configuration.base, &settings)? {
                    let (parts, found) = look(&agent, &world)?;
                    bad += found.len();
                    let words = if found.is_empty() { "none".to_owned() } else { found.join("; ") };
                    println!("{name:<16} {variant:<20} {:<10} {parts:>6}  {words}", agent.role());
                }
            }
        }
    }
    if bad > 0 {
        return Err(Failure::Check(format!("{bad} words stand in prompts that must not be there (BOG-025)")));
    }
    Ok(())
}

fn agents(home: &Home, base: &str, settings: &Value) -> Result<Vec<Agent>, Failure> {
    Ok(match base {
        "hierarchy" => hierarchy::agents(settings, &*home.files).map_err(Failure::usage)?.0.into(),
        "react" => vec![react::agent(settings, &*home.files).map_err(Failure::usage)?.0],
        _ => Vec::new(),
    })
}

/// How many parts the prompts of an agent have, and what must not stand in them.
fn look(agent: &Agent, world: &World) -> Result<(usize, Vec<String>), Failure> {
    let listed = if agent.settings().inject_action_list { &world.actions[..] } else { &[] };
    let system = agent.show(&world.brief, &world.queries, &world.idle, listed).map_err(Failure::usage)?;
    let about = prompt::World { brief: &world.brief, idle: &world.idle, tools: &[], actions: listed };
    let target = world.brief.subjects.first().cloned().unwrap_or_default();
    let question = prompt::Question { target: &target, message: "{}" };
    let user = prompt::asked(agent.persona(), about, 2, &[], question).map_err(Failure::usage)?;
    // Names of subjects are what an agent has seen, and the list of actions is made of them.
    let mut parts: Vec<_> = system.parts.into_iter().filter(|part| part.name != "actions").collect();
    parts.extend(user.into_iter().map(|mut part| {
        part.text = part.text.replace(&target, "");
        part
    }));
    let found: BTreeSet<String> = audit(&parts, &world.brief)
        .into_iter()
        .map(|finding| format!("`{}` in {} ({})", finding.word, finding.part, finding.origins[0]))
        .collect();
    Ok((parts.len(), found.into_iter().collect()))
}
