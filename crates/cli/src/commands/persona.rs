//! `gimbal persona`.

use std::path::Path;
use std::sync::Arc;

use gimbal_agent::persona::configurations;
use gimbal_agent::shown::{FirstPrompts, ShownEnvironment};
use gimbal_agent::{Family, Persona, Team, prompt};
use gimbal_core::{Block, nearest};
use gimbal_study::plan::{self, labels};
use serde_json::{Map, Value, json};

use super::begun::{Begun, begun};
use crate::args::{PersonaShow, PersonaVerb};
use crate::exit::Failure;
use crate::home::Home;
use crate::registry::families;

/// The architecture of a persona that takes no place in another one.
const ALONE: &str = "react";
/// The environment whose brief fills templates, where nothing else is said.
const ENVIRONMENT: &str = "cage2";

/// The architecture of this name, where it asks agents.
fn family(base: &str) -> Option<Arc<dyn Family>> {
    families().into_iter().find(|family| family.name() == base && family.asks_agents())
}

/// The first environment that the architecture fits, where all its agents are shown context blocks: the usual environment may not have them.
/// `None` elsewhere, and if the settings are wrong, which is reported when agents are made of them.
fn fitting(home: &Home, family: &dyn Family, settings: &Map<String, Value>) -> Option<String> {
    if !family.shows_blocks_to_all() {
        return None;
    }
    let needs = family.build(&Value::Object(settings.clone()), &*home.files).ok()?.needs();
    let found =
        gimbal_environments::all().into_iter().find(|environment| needs.unmet(&environment.offers()).is_empty());
    found.map(|environment| environment.name().to_owned())
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
        base: ALONE.to_owned(),
        only: None,
        settings: Map::new(),
        environment: ENVIRONMENT.to_owned(),
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
    if let Some(family) = family(&subject.base).filter(|_| asked.study.is_none())
        && let Some(environment) = fitting(home, &*family, &subject.settings)
    {
        subject.environment = environment;
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

/// Puts a persona where it belongs: in its place in the first architecture that has one for it, or alone.
fn place(home: &Home, name: &str, subject: &mut Subject) -> Result<(), Failure> {
    let persona = Persona::load(name, &*home.files).map_err(Failure::usage)?;
    let found = families().into_iter().find_map(|family| family.place_of(&persona).map(|place| (family, place)));
    let Some((family, place)) = found else {
        subject.settings.insert("persona".to_owned(), json!(name));
        return Ok(());
    };
    family.name().clone_into(&mut subject.base);
    subject.only = Some(place);
    if let Value::Object(shown) = family.showing(place, name) {
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

/// The whole prompts of the second step of an episode, of which the first step is made up.
async fn show(home: &Home, asked: PersonaShow) -> Result<(), Failure> {
    let Subject { base, only, mut settings, environment: name, options } = subject(home, &asked)?;
    settings.retain(|_, value| !value.is_null());
    let family = family(&base).ok_or_else(|| Failure::Usage(format!("`{base}` asks no agent")))?;
    let Team { agents, context } = family.team(&Value::Object(settings), &*home.files).map_err(Failure::usage)?;
    let Begun { environment, tracker, first } = begun(&name, &options).await?;
    let mut blocks = Vec::new();
    for block in context {
        let Some(text) = tracker.block(&block) else {
            let known = tracker.blocks();
            let hint = nearest::hint(&block, known.iter().map(|name| name.as_ref()));
            let known = known.join(", ");
            let words = format!("context: `{name}` has no block `{block}`{hint} (known: {known})");
            return Err(Failure::Usage(words));
        };
        blocks.push(Block { name: block, text: text.into() });
    }
    let environment = ShownEnvironment::new(&*environment, tracker.queries()).seen_first(&first);
    let alone = agents.len() == 1;
    for placed in agents.iter().filter(|placed| only.is_none_or(|only| only == placed.place)) {
        let FirstPrompts { system, user, notes } =
            FirstPrompts::new(&*family, placed, &environment, &blocks).map_err(Failure::usage)?;
        let whose = if alone { String::new() } else { format!("{}, ", placed.place) };
        for (speaker, parts, notes) in [("system", &system, &[][..]), ("user, step 2", &user, &notes[..])] {
            println!("=== {whose}{speaker}");
            for note in notes {
                println!("({note})");
            }
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
