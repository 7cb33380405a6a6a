//! Named settings of `personas/configurations.yaml` and what a study writes over them.

use gimbal_agent::persona::{data::Configuration, shared_configurations};
use gimbal_core::{BuildError, Files, nearest};
use schemars::JsonSchema;
use serde::de::DeserializeOwned;
use serde_json::{Map, Value};

/// Reads settings of the architecture called `name`; where they name a configuration, over the settings of that one.
pub(crate) fn read<T: JsonSchema + DeserializeOwned + 'static>(
    name: &str,
    settings: &Value,
    files: &dyn Files,
) -> Result<T, BuildError> {
    read_whole(name, settings, files).map(|(settings, _)| settings)
}

/// The same, with the settings as they stand over their configuration, for whoever hands a part of them on.
pub(crate) fn read_whole<T: JsonSchema + DeserializeOwned + 'static>(
    name: &str,
    settings: &Value,
    files: &dyn Files,
) -> Result<(T, Value), BuildError> {
    let Some(wanted) = settings.get("configuration").and_then(Value::as_str) else {
        return Ok((crate::shared::settings::read(name, settings)?, settings.clone()));
    };
    // What is written over a configuration must be right by itself.
    let _: T = crate::shared::settings::read(name, settings)?;
    let base = configuration(name, wanted, files)?;
    let whole = merged(base, settings);
    let read = crate::shared::settings::read(name, &whole)
        .map_err(|error| BuildError { message: format!("configuration `{wanted}`: {error}"), ..error })?;
    Ok((read, whole))
}

/// The settings of the configuration called `wanted`.
fn configuration(name: &str, wanted: &str, files: &dyn Files) -> Result<Map<String, Value>, BuildError> {
    let all = shared_configurations(files).map_err(|error| BuildError::new(error.to_string()).at("configuration"))?;
    // Those of other architectures would be refused in the next try.
    let own = all.iter().filter(|configuration| configuration.base == name);
    let names = || own.clone().map(|configuration| configuration.name.as_str());
    match all.iter().find(|configuration| configuration.name == wanted) {
        Some(Configuration { base, settings, .. }) if base == name => Ok(settings.clone()),
        Some(Configuration { base, .. }) => {
            let words = format!("{name}: configuration `{wanted}` is one of `{base}`, not of `{name}`");
            Err(BuildError::new(words).at("configuration"))
        }
        None if names().next().is_none() => {
            let words = format!("{name}: this architecture has no named configurations: write its settings here");
            Err(BuildError::new(words).at("configuration"))
        }
        None => {
            let known: Vec<&str> = names().collect();
            let hint = nearest::hint(wanted, names());
            let known = known.join(", ");
            let words = format!("{name}: there is no configuration `{wanted}`{hint} (known: {known})");
            Err(BuildError::new(words).at("configuration"))
        }
    }
}

/// `base` with every key of `over`; maps are merged key by key.
fn merged(mut base: Map<String, Value>, over: &Value) -> Value {
    merge(&mut base, over);
    base.insert("configuration".to_owned(), Value::Null);
    Value::Object(base)
}

fn merge(base: &mut Map<String, Value>, over: &Value) {
    for (key, value) in over.as_object().into_iter().flatten().filter(|(_, value)| !value.is_null()) {
        match (base.get_mut(key).and_then(Value::as_object_mut), value.is_object()) {
            (Some(inner), true) => merge(inner, value),
            _ => {
                base.insert(key.clone(), value.clone());
            }
        }
    }
}
