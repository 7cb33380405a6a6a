//! `gimbal env`.

use crate::args::EnvVerb;
use crate::exit::Failure;
use crate::registry::{registry, workbench};

/// Does what was asked with an environment.
pub fn env(name: &str, verb: EnvVerb) -> Result<(), Failure> {
    let bench = workbench(name)?;
    match verb {
        EnvVerb::Play(options) => bench.play(&options),
        EnvVerb::Replay(options) => bench.replay(&options),
        EnvVerb::Bench(options) => bench.bench(&options),
        EnvVerb::Returns(options) => bench.returns(&options),
        EnvVerb::Evaluate(options) => bench.evaluate(&options),
        EnvVerb::Serve(options) => bench.serve(&options),
        EnvVerb::Tasks { split, set, json } => tasks(name, split.as_deref(), &set, json),
    }
}

fn tasks(name: &str, split: Option<&str>, set: &[String], json: bool) -> Result<(), Failure> {
    let registry = registry();
    let Some(family) = registry.environment(name) else {
        return Err(Failure::Usage(format!("there is no environment `{name}`")));
    };
    let mut options = serde_json::Map::new();
    for setting in set {
        let (key, value) = setting
            .split_once('=')
            .ok_or_else(|| Failure::Usage(format!("--set {setting}: write it as NAME=VALUE, such as `games=DIR`")))?;
        // A bare word is a text, and so is what only looks like a number, such as the edition `2025`.
        let value = serde_json::from_str(value).unwrap_or_else(|_| serde_json::Value::from(value));
        options.insert(key.trim().to_owned(), value);
    }
    let options = family.resolve(&options.into()).map_err(Failure::usage)?;
    let mut all = Vec::new();
    let mut absent: Vec<(String, Vec<&str>)> = Vec::new();
    for known in family.splits().iter().filter(|known| split.is_none_or(|split| split == **known)) {
        match family.tasks(known, &options) {
            Ok(tasks) => all.extend(tasks.into_iter().map(|task| (*known, task))),
            // Without its data a split is left out of the list of all, and said so, each reason once.
            Err(gimbal_core::EnvError::Data(why)) if split.is_none() => {
                match absent.iter_mut().find(|(reason, _)| *reason == why) {
                    Some((_, splits)) => splits.push(known),
                    None => absent.push((why, vec![known])),
                }
            }
            Err(error) => return Err(Failure::environment(error)),
        }
    }
    for (why, splits) in absent {
        eprintln!("gimbal: without {}: {why}", splits.join(", "));
    }
    if let Some(split) = split
        && !family.splits().contains(&split)
    {
        let hint = gimbal_core::nearest::hint(split, family.splits().iter().copied());
        return Err(Failure::Usage(format!(
            "there is no split `{split}`{hint} (known: {})",
            family.splits().join(", ")
        )));
    }
    if json {
        let rows: Vec<_> =
            all.iter().map(|(split, task)| serde_json::json!({ "split": split, "task": task })).collect();
        return super::print_json(&rows);
    }
    for (split, task) in all {
        println!("{split:<12} {task}");
    }
    Ok(())
}
