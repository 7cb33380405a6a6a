//! `gimbal persona`.

use std::path::Path;

use gimbal_agent::{Persona, prompt};
use gimbal_architectures::react;
use gimbal_core::tracker::Stepped;
use gimbal_core::{Block, Environment, Reply, ToolCall, nearest};
use gimbal_study::plan::{self, labels};
use serde_json::{Map, Value, json};

use crate::args::{PersonaShow, PersonaVerb};
use crate::exit::Failure;
use crate::home::Home;
use crate::registry::registry;

/// Shows personas.
pub async fn persona(home: &Home, verb: PersonaVerb) -> Result<(), Failure> {
    match verb {
        PersonaVerb::List => list(home),
        PersonaVerb::Show(asked) => show(home, asked).await,
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

/// Whose prompt is shown: settings of `react`, and the environment that fills the template.
struct Subject {
    settings: Map<String, Value>,
    environment: String,
    options: Value,
}

fn subject(home: &Home, asked: &PersonaShow) -> Result<Subject, Failure> {
    let mut subject = Subject { settings: Map::new(), environment: "cage2".to_owned(), options: json!({}) };
    if let (Some(file), Some(cell)) = (&asked.study, &asked.cell) {
        of_cell(home, file, cell, &mut subject)?;
    }
    if let Some(configuration) = &asked.configuration {
        subject.settings.insert("configuration".to_owned(), json!(configuration));
    }
    if let Some(environment) = asked.environment.as_ref().filter(|name| **name != subject.environment) {
        (subject.environment, subject.options) = (environment.clone(), json!({}));
    }
    let settings = &mut subject.settings;
    if let Some(name) = &asked.name {
        settings.insert("persona".to_owned(), json!(name));
    } else if settings.is_empty() {
        let words = "name a persona, or --configuration NAME, or --study FILE --cell NAME (see `gimbal persona list`)";
        return Err(Failure::Usage(words.to_owned()));
    }
    if !asked.context.is_empty() {
        settings.insert("context".to_owned(), json!(asked.context));
    }
    if let Some(protocol) = &asked.protocol {
        settings.insert("protocol".to_owned(), json!(protocol));
    }
    if !asked.flag.is_empty() {
        let flags = settings.entry("flags").or_insert_with(|| json!({}));
        if let Some(flags) = flags.as_object_mut() {
            flags.extend(asked.flag.iter().map(|(name, value)| (name.clone(), json!(value))));
        }
    }
    Ok(subject)
}

/// The architecture of a study that a cell's name means, and the environment of that cell.
fn of_cell(home: &Home, file: &Path, cell: &str, subject: &mut Subject) -> Result<(), Failure> {
    let (text, name) = home.study(file)?;
    let study = plan::parse(&text, &name).map_err(Failure::usage)?;
    let mut known = Vec::new();
    for environment in &study.environments {
        for variant in &study.architectures {
            let label = labels::architecture(variant);
            let whole = format!("{} | {label}", labels::environment(environment));
            // What follows in a cell's name are models, which no prompt depends on.
            if cell == label
                || cell == whole
                || [label, whole.clone()].iter().any(|known| cell.starts_with(&format!("{known} | ")))
            {
                if variant.base != "react" {
                    let words = format!("{name}: the cell `{cell}` is one of `{}`, which asks no agent", variant.base);
                    return Err(Failure::Usage(words));
                }
                subject.settings = variant.settings.as_object().cloned().unwrap_or_default();
                subject.settings.entry("persona").or_insert(Value::Null);
                (subject.environment, subject.options) = (environment.name.clone(), environment.options.clone());
                return Ok(());
            }
            known.push(labels::architecture(variant));
        }
    }
    known.dedup();
    let hint = nearest::hint(cell, known.iter().map(String::as_str));
    Err(Failure::Usage(format!("{name}: there is no cell `{cell}`{hint} (cells: {})", known.join(", "))))
}

/// The whole prompt of the second step of an episode in which the first step was idle.
async fn show(home: &Home, asked: PersonaShow) -> Result<(), Failure> {
    let Subject { mut settings, environment, options } = subject(home, &asked)?;
    settings.retain(|_, value| !value.is_null());
    let (agent, wanted) = react::agent(&Value::Object(settings), &*home.files).map_err(Failure::usage)?;
    let persona = agent.persona();
    let registry = registry();
    let Some(family) = registry.environment(&environment) else {
        let known: Vec<&str> = registry.environments.iter().map(|family| family.name()).collect();
        let hint = nearest::hint(&environment, known.iter().copied());
        let known = known.join(", ");
        return Err(Failure::Usage(format!("there is no environment `{environment}`{hint} (known: {known})")));
    };
    let options = family.resolve(&options).map_err(Failure::usage)?;
    let mut world = family.open(&options).map_err(Failure::usage)?;
    let task = family.splits().first().and_then(|split| family.tasks(split).ok()?.into_iter().next());
    let Some(task) = task else { return Err(Failure::Usage(format!("`{environment}` has no task"))) };
    let first = world.reset(&task, 0).await.map_err(Failure::world)?;
    let mut tracker = world.tracker();
    tracker.begin(&first);
    let idle = world.brief().idle.clone();
    if let Ok(Reply::Step(transition)) = world.call(&idle).await {
        tracker.update(Stepped { step: 1, call: &idle, observation: &transition.observation, justification: None });
    }
    let mut blocks = Vec::new();
    for block in wanted {
        let Some(text) = tracker.block(&block) else {
            let known = tracker.blocks();
            let hint = nearest::hint(&block, known.iter().map(|name| name.as_ref()));
            let known = known.join(", ");
            let words = format!("context: `{environment}` has no block `{block}`{hint} (known: {known})");
            return Err(Failure::Usage(words));
        };
        blocks.push(Block { name: block, text: text.into() });
    }
    let idle_text = world.render(&idle);
    let actions = actions(&*world);
    let system = agent.show(world.brief(), tracker.queries(), &idle_text, &actions).map_err(Failure::usage)?;
    let about = prompt::World { brief: world.brief(), idle: &idle_text, tools: &[], actions: &actions };
    let user = prompt::user(persona, about, 2, &blocks).map_err(Failure::usage)?;
    for (speaker, parts) in [("system", &system.parts), ("user, step 2", &user)] {
        println!("=== {speaker}");
        if asked.plain {
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
