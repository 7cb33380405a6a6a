//! `gimbal persona`.

use std::path::Path;
use std::sync::Arc;

use gimbal_agent::persona::configurations;
use gimbal_agent::{Persona, prompt};
use gimbal_architectures::control::Summariser;
use gimbal_architectures::{Family, Placed, families, place_of};
use gimbal_core::{Block, nearest};
use gimbal_messages::spaced;
use gimbal_study::plan::{self, labels};
use serde_json::{Map, Value, json};

use super::begun::{Begun, actions, begun};
use crate::args::{PersonaShow, PersonaVerb};
use crate::exit::Failure;
use crate::home::Home;

/// The environment that has packets of evidence.
const PACKETS: &str = "triage";
/// The environment that is played by ballots.
const BALLOTS: &str = "consensus";

/// The architecture of this name, where it asks agents.
fn family(base: &str) -> Option<Arc<dyn Family>> {
    families().into_iter().find(|family| family.name() == base && family.asks_agents())
}

/// Whether agents of this architecture that answer with a message are shown the context blocks.
fn shows_blocks(base: &str) -> bool {
    family(base).is_some_and(|family| family.shows_blocks_to_all())
}

/// Shows personas.
pub async fn persona(home: &Home, verb: PersonaVerb) -> Result<(), Failure> {
    match verb {
        PersonaVerb::List => list(home),
        PersonaVerb::Show(asked) => show(home, asked).await,
        PersonaVerb::Audit { environment } => super::audit::run(home, environment.as_deref()).await,
    }
}

fn list(home: &Home) -> Result<(), Failure> {
    println!("personas");
    for name in Persona::list(&*home.files) {
        println!("  {name}");
    }
    println!("configurations (for `{{ base: ..., configuration: NAME }}` in a study)");
    for configuration in configurations(&*home.files).map_err(Failure::usage)? {
        println!("  {:<16} {} {}", configuration.name, configuration.base, json!(configuration.settings));
    }
    Ok(())
}

/// Whose prompts are shown: an architecture's settings, and the environment that fills the template.
struct Subject {
    base: String,
    /// The one agent that is asked for, by its place in the architecture.
    only: Option<&'static str>,
    settings: Map<String, Value>,
    environment: String,
    options: Value,
}

fn subject(home: &Home, asked: &PersonaShow) -> Result<Subject, Failure> {
    let mut subject = Subject {
        base: "react".to_owned(),
        only: None,
        settings: Map::new(),
        environment: "cage2".to_owned(),
        options: json!({}),
    };
    if let (Some(file), Some(cell)) = (&asked.study, &asked.cell) {
        of_cell(home, file, cell, &mut subject)?;
    }
    if let Some(configuration) = &asked.configuration {
        subject.settings.insert("configuration".to_owned(), json!(configuration));
    }
    // A configuration says of which architecture it is.
    if let Some(wanted) = subject.settings.get("configuration").and_then(Value::as_str) {
        let all = configurations(&*home.files).map_err(Failure::usage)?;
        if let Some(found) = all.iter().find(|found| found.name == wanted) {
            subject.base.clone_from(&found.base);
        }
    }
    if let Some(name) = &asked.name {
        place(home, name, &mut subject)?;
    }
    if shows_blocks(&subject.base) && asked.study.is_none() {
        let by_ballots = subject.settings.get("rounds") == Some(&json!(true))
            || subject.settings.get("configuration") == Some(&json!("seats"));
        let shown = if by_ballots { BALLOTS } else { PACKETS };
        shown.clone_into(&mut subject.environment);
    }
    if let Some(environment) = asked.environment.as_ref().filter(|name| **name != subject.environment) {
        (subject.environment, subject.options) = (environment.clone(), json!({}));
    }
    let settings = &mut subject.settings;
    if settings.is_empty() {
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

/// Puts a persona where it belongs: alone, or in its place in the hierarchy.
fn place(home: &Home, name: &str, subject: &mut Subject) -> Result<(), Failure> {
    let persona = Persona::load(name, &*home.files).map_err(Failure::usage)?;
    let place = match persona.core.contract.as_deref() {
        Some(message) => place_of(message),
        None if persona.core.is_asked() => Some(("cyclic", "executor")),
        None if persona.core.tools.iter().any(|tool| tool.delegate.is_some()) => Some(("hierarchy", "planner")),
        None => None,
    };
    let Some((base, place)) = place else {
        subject.settings.insert("persona".to_owned(), json!(name));
        return Ok(());
    };
    base.clone_into(&mut subject.base);
    let (place, shown) = match family(base) {
        Some(family) => {
            let place = family.place(place, name);
            (place, family.showing(place, name))
        }
        None => (place, json!({ place: { "persona": name } })),
    };
    subject.only = Some(place);
    if let Value::Object(shown) = shown {
        subject.settings.extend(shown);
    }
    Ok(())
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
                if family(&variant.base).is_none() {
                    let words = format!("{name}: the cell `{cell}` is one of `{}`, which asks no agent", variant.base);
                    return Err(Failure::Usage(words));
                }
                subject.settings = variant.settings.as_object().cloned().unwrap_or_default();
                subject.settings.entry("configuration").or_insert(Value::Null);
                subject.base.clone_from(&variant.base);
                (subject.environment, subject.options) = (environment.name.clone(), environment.options.clone());
                return Ok(());
            }
            known.push(labels::architecture(variant));
        }
    }
    known.dedup();
    let hint = nearest::hint(cell, known.iter().map(String::as_str));
    Err(Failure::Usage(format!("{name}: there is no cell `{cell}`{hint} (known: {})", known.join(", "))))
}

/// The agents of an architecture, by their places, and the context blocks of the one that acts.
fn agents(home: &Home, base: &str, settings: Map<String, Value>) -> Result<(Vec<Placed>, Vec<String>), Failure> {
    let settings = Value::Object(settings);
    if base == Summariser::PLACE {
        let summariser = Summariser::new(&settings, &*home.files).map_err(Failure::usage)?;
        return Ok((vec![(Summariser::PLACE, summariser.into_agent())], Vec::new()));
    }
    let family = family(base).ok_or_else(|| Failure::Usage(format!("`{base}` asks no agent")))?;
    family.agents(&settings, &*home.files).map_err(Failure::usage)
}

/// The whole prompts of the second step of an episode in which the first step was idle.
async fn show(home: &Home, asked: PersonaShow) -> Result<(), Failure> {
    let Subject { base, only, mut settings, environment: name, options } = subject(home, &asked)?;
    settings.retain(|_, value| !value.is_null());
    let (agents, wanted) = agents(home, &base, settings)?;
    let Begun { environment, tracker } = begun(&name, &options).await?;
    let mut blocks = Vec::new();
    for block in wanted {
        let Some(text) = tracker.block(&block) else {
            let known = tracker.blocks();
            let hint = nearest::hint(&block, known.iter().map(|name| name.as_ref()));
            let known = known.join(", ");
            let words = format!("context: `{name}` has no block `{block}`{hint} (known: {known})");
            return Err(Failure::Usage(words));
        };
        blocks.push(Block { name: block, text: text.into() });
    }
    let idle_text = environment.render(&environment.brief().idle);
    let actions = actions(&*environment);
    let about = prompt::PromptContext { brief: environment.brief(), idle: &idle_text, tools: &[], actions: &actions };
    let alone = agents.len() == 1;
    for (place, agent) in agents.iter().filter(|(place, _)| only.is_none_or(|only| only == *place)) {
        let system =
            agent.show(environment.brief(), tracker.queries(), &idle_text, &actions).map_err(Failure::usage)?;
        let user = match agent.message() {
            None if agent.persona().core.is_asked() => {
                let message = spaced(&json!({ "subtask": "(its name)", "what": "(its goal)", "memory": {} }));
                let question = prompt::Question { target: "(the name of a subtask)", message: &message };
                prompt::asked(agent.persona(), about, 2, &blocks, question)
            }
            None => prompt::user(agent.persona(), about, 2, &blocks),
            Some(message) => {
                let target = environment.brief().subjects.first().cloned().unwrap_or_default();
                let message = spaced(&message.request(environment.brief(), &target));
                let question = prompt::Question { target: &target, message: &message };
                // Who argues over a packet is shown it.
                let shown = if shows_blocks(&base) { &blocks[..] } else { &[] };
                prompt::asked(agent.persona(), about, 2, shown, question)
            }
        }
        .map_err(Failure::usage)?;
        let whose = if alone { String::new() } else { format!("{place}, ") };
        for (speaker, parts) in [("system", &system.parts), ("user, step 2", &user)] {
            println!("=== {whose}{speaker}");
            print_parts(parts, asked.plain);
        }
    }
    Ok(())
}

fn print_parts(parts: &[prompt::Part], plain: bool) {
    if plain {
        println!("{}\n", prompt::joined(parts));
        return;
    }
    for part in parts {
        let origins: Vec<String> =
            part.origins.iter().map(|origin| format!("{} `{}`", origin.file, origin.key)).collect();
        println!("--- {} ({})\n{}\n", part.name, origins.join("; "), part.text);
    }
}
