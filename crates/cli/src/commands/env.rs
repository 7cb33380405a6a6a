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
        EnvVerb::Tasks { split, json } => tasks(name, split.as_deref(), json),
    }
}

fn tasks(name: &str, split: Option<&str>, json: bool) -> Result<(), Failure> {
    let registry = registry();
    let Some(family) = registry.environment(name) else {
        return Err(Failure::Usage(format!("there is no environment `{name}`")));
    };
    let mut all = Vec::new();
    for known in family.splits().iter().filter(|known| split.is_none_or(|split| split == **known)) {
        match family.tasks(known) {
            Ok(tasks) => all.extend(tasks.into_iter().map(|task| (*known, task))),
            // Without its data a split is left out of the list of all, and said so.
            Err(gimbal_core::EnvError::Data(why)) if split.is_none() => eprintln!("gimbal: split `{known}`: {why}"),
            Err(error) => return Err(Failure::world(error)),
        }
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
