//! How an environment is set up from a command line: flags and `NAME=VALUE`, read by the schema of its options.

use gimbal_core::{EnvError, Environment, TaskId, nearest};
use serde_json::{Map, Value};

use super::Workbench;

/// How an environment is set up.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct Setup {
    /// Options as a study writes them.
    pub options: Map<String, Value>,
    /// The task to play.
    pub task: Option<String>,
    /// The split whose tasks are played.
    pub split: Option<String>,
}

/// What a command line gives of a setup.
#[derive(Clone, Copy, Debug, Default)]
pub struct Given<'a> {
    /// Flags, each an option of the same name, with their values.
    pub flags: &'a [(String, String)],
    /// The task that a flag of its own names.
    pub task: Option<&'a str>,
    /// The split that a flag of its own names.
    pub split: Option<&'a str>,
    /// Settings of the form `NAME=VALUE`.
    pub set: &'a [String],
}

impl Setup {
    /// Reads flags and settings. A name that only a map among the options has is set there. `horizon` is the environment's
    /// bound of steps, whatever it calls it. `task` and `split` decide what is played.
    ///
    /// # Errors
    /// When the environment has no such option, a value does not fit it, or a flag and a setting give it different values.
    pub fn read<W: Workbench + ?Sized>(family: &W, given: Given<'_>) -> Result<Self, EnvError> {
        let schema = family.schema();
        let setup = Self { options: family.alone(), ..Self::default() };
        let mut reading = Reading { environment: family.name(), schema: &schema, setup, sources: Vec::new() };
        for (name, value) in given.flags {
            reading.set(&format!("--{name}"), &format!("--{name} {value}"), name, value)?;
        }
        if let Some(task) = given.task {
            reading.task(&format!("--task {task}"), task)?;
        }
        if let Some(split) = given.split {
            reading.split(&format!("--split {split}"), split)?;
        }
        for setting in given.set {
            let (name, value) = setting.split_once('=').ok_or_else(|| {
                let example = known(&schema).first().map_or_else(|| "task".to_owned(), |(name, _)| name.clone());
                EnvError::Usage(format!("--set {setting}: write it as NAME=VALUE, such as `{example}=...`"))
            })?;
            reading.set(&format!("--set {}", name.trim()), &format!("--set {setting}"), name.trim(), value.trim())?;
        }
        match family.resolve(&reading.setup.options()) {
            Err(EnvError::Option { key, message }) => Err(reading.misfit(key, message)),
            // Anything else is reported where the environment is opened.
            _ => Ok(reading.setup),
        }
    }

    /// The options as one value.
    #[must_use]
    pub fn options(&self) -> Value {
        Value::Object(self.options.clone())
    }

    /// Opens the environment.
    ///
    /// # Errors
    /// When an option has a wrong value.
    pub fn open<W: Workbench + ?Sized>(&self, family: &W) -> Result<Box<dyn Environment>, EnvError> {
        family.open(&self.options())
    }

    /// The tasks to play: the named one, those of the named split, or those of the first split whose data are there.
    ///
    /// # Errors
    /// When there is no such split, it has no tasks, or no split has its data.
    pub fn tasks<W: Workbench + ?Sized>(&self, family: &W) -> Result<Vec<TaskId>, EnvError> {
        let options = self.options();
        if let Some(task) = &self.task {
            if let Some(split) = &self.split {
                family.tasks(split, &options)?;
            }
            return Ok(vec![TaskId(task.clone())]);
        }
        if let Some(split) = &self.split {
            let tasks = family.tasks(split, &options)?;
            if tasks.is_empty() {
                return Err(EnvError::Usage(format!("the split `{split}` has no tasks; name another")));
            }
            return Ok(tasks);
        }
        // Data that the user named must be there; a split whose own data are missing is passed over.
        let of_data = family.splits_of(&options);
        let named = of_data.is_none() && !self.options.is_empty() && self.options != family.alone();
        let mut missing = None;
        for split in of_data.unwrap_or_else(|| family.splits()) {
            match family.tasks(split, &options) {
                Ok(tasks) if !tasks.is_empty() => return Ok(tasks),
                Ok(_) => {}
                Err(error @ EnvError::Data(_)) if !named => missing = missing.or(Some(error)),
                Err(error) => return Err(error),
            }
        }
        Err(missing.unwrap_or_else(|| EnvError::Data(format!("`{}` has no tasks", family.name()))))
    }

    /// The task that a seed plays.
    ///
    /// # Errors
    /// As [`Setup::tasks`].
    pub fn task<W: Workbench + ?Sized>(&self, family: &W, seed: u64) -> Result<TaskId, EnvError> {
        let tasks = self.tasks(family)?;
        let place = (seed % tasks.len().max(1) as u64) as usize;
        tasks.into_iter().nth(place).ok_or_else(|| EnvError::Data(format!("`{}` has no tasks", family.name())))
    }
}

/// A setup that is being read from a command line.
struct Reading<'a> {
    environment: &'a str,
    schema: &'a Value,
    setup: Setup,
    sources: Vec<Source>,
}

/// Where the value of an option comes from.
struct Source {
    /// The key of the option, with that of the map around it.
    key: String,
    /// The argument as it was written.
    written: String,
    value: Value,
}

impl Reading<'_> {
    /// Sets what `name` names; `flag` and `written` are the argument without and with its value.
    fn set(&mut self, flag: &str, written: &str, name: &str, value: &str) -> Result<(), EnvError> {
        let properties = &self.schema["properties"];
        let name = match name {
            "horizon" if properties.get("horizon").is_none() && properties.get("max_calls").is_some() => "max_calls",
            name => name,
        };
        if let Some(takes) = properties.get(name) {
            let value = read(takes, value);
            self.note(name.to_owned(), written, &value)?;
            self.setup.options.insert(name.to_owned(), value);
            return Ok(());
        }
        let inner = known(self.schema).into_iter().find(|(known, inside)| known == name && inside.is_some());
        let takes = |map: &str| properties[map]["properties"].get(name).cloned().unwrap_or_default();
        match (name, inner) {
            // A name of a task is not a value of an option that is called `task` too.
            (_, Some((_, Some(map)))) if name != "task" || is_listed(&takes(&map), value) => {
                let value = read(&takes(&map), value);
                self.note(format!("{map}.{name}"), written, &value)?;
                let members = self.setup.options.entry(map).or_insert_with(|| Map::new().into());
                if let Some(members) = members.as_object_mut() {
                    members.insert(name.to_owned(), value);
                }
                Ok(())
            }
            ("task", _) => self.task(written, value),
            ("split", _) => self.split(written, value),
            _ => Err(unknown(self.environment, self.schema, flag, name)),
        }
    }

    fn task(&mut self, written: &str, task: &str) -> Result<(), EnvError> {
        self.note("the task".to_owned(), written, &Value::from(task))?;
        self.setup.task = Some(task.to_owned());
        Ok(())
    }

    fn split(&mut self, written: &str, split: &str) -> Result<(), EnvError> {
        self.note("the split".to_owned(), written, &Value::from(split))?;
        self.setup.split = Some(split.to_owned());
        Ok(())
    }

    /// Notes where a value comes from; refuses a second one that differs.
    fn note(&mut self, key: String, written: &str, value: &Value) -> Result<(), EnvError> {
        if let Some(first) = self.sources.iter().find(|source| source.key == key && source.value != *value) {
            let first = &first.written;
            return Err(EnvError::Usage(format!(
                "`{first}` and `{written}` give {key} different values: leave one out"
            )));
        }
        self.sources.push(Source { key, written: written.to_owned(), value: value.clone() });
        Ok(())
    }

    /// The error of an option whose value does not fit, with the argument that it comes from.
    fn misfit(&self, key: String, message: String) -> EnvError {
        let is_of = |source: &&Source| {
            key.strip_prefix(source.key.as_str()).is_some_and(|rest| rest.is_empty() || rest.starts_with('.'))
        };
        match self.sources.iter().filter(is_of).max_by_key(|source| source.key.len()) {
            Some(source) => EnvError::Usage(format!("{}: {message}", source.written)),
            None => EnvError::Option { key, message },
        }
    }
}

/// The names that can be set, each with the map that it is in, if it is in one.
fn known(schema: &Value) -> Vec<(String, Option<String>)> {
    let mut names = Vec::new();
    for (name, takes) in schema["properties"].as_object().into_iter().flatten() {
        names.push((name.clone(), None));
        let inside = takes["properties"].as_object().into_iter().flatten().map(|(inner, _)| inner.clone());
        let listed = takes["propertyNames"]["enum"].as_array().into_iter().flatten();
        let listed = listed.filter_map(Value::as_str).map(str::to_owned);
        names.extend(inside.chain(listed).map(|inner| (inner, Some(name.clone()))));
    }
    names
}

fn is_listed(takes: &Value, value: &str) -> bool {
    takes["enum"].as_array().is_some_and(|listed| listed.iter().any(|known| known.as_str() == Some(value)))
}

/// A value as its option takes it: a text where it takes texts, else JSON, and a bare word for a text.
fn read(takes: &Value, value: &str) -> Value {
    let is_text = |kind: &Value| kind.as_str() == Some("string");
    let text = match &takes["type"] {
        Value::Array(kinds) => kinds.iter().any(is_text),
        kind => is_text(kind),
    };
    match serde_json::from_str(value) {
        Ok(json @ (Value::Null | Value::String(_))) => json,
        Ok(json) if !text && !is_listed(takes, value) => json,
        _ => Value::from(value),
    }
}

fn unknown(environment: &str, schema: &Value, flag: &str, name: &str) -> EnvError {
    let names = known(schema);
    let hint = nearest::hint(name, names.iter().map(|(name, _)| name.as_str()));
    let of = |map: Option<&str>| {
        let inside = names.iter().filter(|(_, inside)| inside.as_deref() == map).map(|(name, _)| name.as_str());
        inside.collect::<Vec<_>>().join(", ")
    };
    let mut listed = of(None);
    let mut maps: Vec<&str> = names.iter().filter_map(|(_, inside)| inside.as_deref()).collect();
    maps.dedup();
    for map in maps {
        listed.push_str(&format!("; in `{map}`: {}", of(Some(map))));
    }
    EnvError::Usage(format!("{flag}: `{environment}` has no option `{name}`{hint} (known: {listed})"))
}
