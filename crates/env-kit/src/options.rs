//! The options of an environment. One table says what each option takes; the JSON Schema, the checks and the messages of
//! errors are made of it, and defaults are those of the settings' type.

use gimbal_core::{EnvError, nearest};
use serde::Serialize;
use serde::de::DeserializeOwned;
use serde_json::{Map, Value, json};

/// The options of one environment, in the order of its schema.
#[derive(Clone, Debug)]
pub struct Options {
    environment: &'static str,
    fields: Vec<Field>,
    defaults: Value,
}

/// One option.
#[derive(Clone, Debug)]
pub struct Field {
    key: &'static str,
    takes: Takes,
    /// What null means; none if it is refused.
    null: Option<&'static str>,
    has_default: bool,
    about: String,
}

/// What an option takes.
#[derive(Clone, Debug)]
enum Takes {
    /// One of these names.
    OneOf(Vec<String>),
    /// A whole number within bounds.
    Whole { least: u64, most: Option<u64> },
    /// True or false.
    Flag,
    /// A text that is not empty; what it is, such as `the path of a folder`.
    Text(&'static str),
    /// A map of options.
    Map(Vec<Field>),
    /// What a schema of its own describes: how to write it, and whether a value has its form.
    Shaped { schema: Value, give: &'static str, fits: fn(&Value) -> bool },
}

impl Field {
    const fn new(key: &'static str, takes: Takes, about: String) -> Self {
        Self { key, takes, null: None, has_default: true, about }
    }

    /// One of some names.
    pub fn one_of<T: Into<String>>(key: &'static str, names: impl IntoIterator<Item = T>, about: &str) -> Self {
        Self::new(key, Takes::OneOf(names.into_iter().map(Into::into).collect()), about.to_owned())
    }

    /// A whole number from `least` to `most`.
    #[must_use]
    pub fn whole(key: &'static str, least: u64, most: u64, about: &str) -> Self {
        Self::new(key, Takes::Whole { least, most: Some(most) }, about.to_owned())
    }

    /// A seed: any whole number of 64 bits.
    #[must_use]
    pub fn seed(key: &'static str, about: &str) -> Self {
        Self::new(key, Takes::Whole { least: 0, most: None }, about.to_owned())
    }

    /// True or false.
    #[must_use]
    pub fn flag(key: &'static str, about: &str) -> Self {
        Self::new(key, Takes::Flag, about.to_owned())
    }

    /// A text; `what` describes it, such as `the path of a folder`.
    #[must_use]
    pub fn text(key: &'static str, what: &'static str, about: &str) -> Self {
        Self::new(key, Takes::Text(what), about.to_owned())
    }

    /// A map of options.
    #[must_use]
    pub fn map(key: &'static str, fields: Vec<Self>, about: &str) -> Self {
        Self::new(key, Takes::Map(fields), about.to_owned())
    }

    /// A value of a form of its own: `schema` describes it, `give` says how to write it, and `fits` says whether a value has
    /// that form. The environment reads what is in it.
    #[must_use]
    pub fn shaped(key: &'static str, schema: Value, give: &'static str, fits: fn(&Value) -> bool) -> Self {
        Self::new(key, Takes::Shaped { schema, give, fits }, String::new())
    }

    /// Takes null as well; it means `meaning`.
    #[must_use]
    pub const fn or_null(mut self, meaning: &'static str) -> Self {
        self.null = Some(meaning);
        self
    }

    /// Shows no default in the schema, because it depends on other options.
    #[must_use]
    pub const fn without_default(mut self) -> Self {
        self.has_default = false;
        self
    }

    fn schema(&self, default: &Value) -> Value {
        let kind = |name: &str| if self.null.is_some() { json!([name, "null"]) } else { json!(name) };
        let mut schema = Map::new();
        let mut default = self.has_default.then(|| default.clone());
        match &self.takes {
            Takes::OneOf(names) => {
                let names = names.iter().map(|name| Value::from(name.as_str()));
                schema.insert("enum".to_owned(), names.chain(self.null.map(|_| Value::Null)).collect());
            }
            Takes::Whole { least, most } => {
                schema.insert("type".to_owned(), kind("integer"));
                schema.insert("minimum".to_owned(), (*least).into());
                if let Some(most) = most {
                    schema.insert("maximum".to_owned(), (*most).into());
                }
            }
            Takes::Flag => drop(schema.insert("type".to_owned(), kind("boolean"))),
            Takes::Text(_) => drop(schema.insert("type".to_owned(), kind("string"))),
            Takes::Map(fields) => {
                let inner = default.take().unwrap_or_default();
                schema.insert("type".to_owned(), "object".into());
                schema.insert("additionalProperties".to_owned(), false.into());
                schema.insert("description".to_owned(), self.about.as_str().into());
                schema.insert("properties".to_owned(), properties(fields, &inner));
                return Value::Object(schema);
            }
            Takes::Shaped { schema, .. } => return schema.clone(),
        }
        if let Some(default) = default {
            schema.insert("default".to_owned(), default);
        }
        schema.insert("description".to_owned(), self.about.as_str().into());
        Value::Object(schema)
    }

    /// Why a value does not fit; `path` is the key with those of the maps around it.
    fn check(&self, path: &str, value: &Value) -> Result<(), Wrong> {
        if value.is_null() && self.null.is_some() {
            return Ok(());
        }
        let or_null = self.null.map(|meaning| format!(", or null for {meaning}")).unwrap_or_default();
        let (fits, give) = match &self.takes {
            Takes::OneOf(names) => {
                if value.as_str().is_some_and(|value| names.iter().any(|name| name == value)) {
                    return Ok(());
                }
                let known = || names.iter().map(String::as_str);
                let hint = value.as_str().map(|value| nearest::hint(value, known())).unwrap_or_default();
                let known = known().collect::<Vec<_>>().join(", ");
                return Err(Wrong::at(path, format!("`{path}` is {value}{hint} (known: {known})")));
            }
            Takes::Map(fields) => {
                let Some(map) = value.as_object() else {
                    let message = format!("`{path}` is {value}; give a map of {}", keys(fields));
                    return Err(Wrong::at(path, message));
                };
                return check_map(fields, map, path);
            }
            Takes::Whole { least, most: None } => {
                (value.as_u64().is_some_and(|value| value >= *least), format!("a whole number of at least {least}"))
            }
            Takes::Whole { least, most: Some(most) } => (
                value.as_u64().is_some_and(|value| (*least..=*most).contains(&value)),
                format!("a whole number from {least} to {most}"),
            ),
            Takes::Flag => (value.is_boolean(), "true or false".to_owned()),
            Takes::Text(what) => (value.as_str().is_some_and(|text| !text.trim().is_empty()), (*what).to_owned()),
            Takes::Shaped { give, fits, .. } => (fits(value), (*give).to_owned()),
        };
        if fits { Ok(()) } else { Err(Wrong::at(path, format!("`{path}` is {value}; give {give}{or_null}"))) }
    }
}

/// An option that is wrong, and what would be right.
struct Wrong {
    key: String,
    message: String,
}

impl Wrong {
    fn at(key: &str, message: String) -> Self {
        Self { key: key.to_owned(), message }
    }
}

fn keys(fields: &[Field]) -> String {
    fields.iter().map(|field| field.key).collect::<Vec<_>>().join(", ")
}

fn properties(fields: &[Field], defaults: &Value) -> Value {
    let schema = |field: &Field| field.schema(defaults.get(field.key).unwrap_or(&Value::Null));
    Value::Object(fields.iter().map(|field| (field.key.to_owned(), schema(field))).collect())
}

/// Checks every member of a map; `path` names the map, and is empty for the options themselves.
fn check_map(fields: &[Field], map: &Map<String, Value>, path: &str) -> Result<(), Wrong> {
    for (key, value) in map {
        let Some(field) = fields.iter().find(|field| field.key == key) else {
            let hint = nearest::hint(key, fields.iter().map(|field| field.key));
            let of = if path.is_empty() { String::new() } else { format!("`{path}`: ") };
            let place = if path.is_empty() { key.clone() } else { format!("{path}.{key}") };
            let message = format!("{of}unknown key `{key}`{hint} (known: {})", keys(fields));
            return Err(Wrong::at(&place, message));
        };
        if path.is_empty() {
            field.check(key, value)?;
        } else {
            field.check(&format!("{path}.{key}"), value)?;
        }
    }
    Ok(())
}

/// Puts given values over defaults; a map of options keeps the defaults of the keys that are not given.
fn lay(fields: &[Field], given: &Map<String, Value>, settings: &mut Value) {
    let Some(settings) = settings.as_object_mut() else { return };
    for (key, value) in given {
        match (fields.iter().find(|field| field.key == key).map(|field| &field.takes), value, settings.get_mut(key)) {
            (Some(Takes::Map(inner)), Value::Object(given), Some(settings)) => lay(inner, given, settings),
            _ => drop(settings.insert(key.clone(), value.clone())),
        }
    }
}

impl Options {
    /// The options of an environment whose settings are of type `T`.
    #[must_use]
    pub fn of<T: Default + Serialize>(environment: &'static str, fields: Vec<Field>) -> Self {
        Self::with_defaults(environment, serde_json::to_value(T::default()).unwrap_or_default(), fields)
    }

    /// The options of an environment, with their defaults as a map.
    #[must_use]
    pub const fn with_defaults(environment: &'static str, defaults: Value, fields: Vec<Field>) -> Self {
        Self { environment, fields, defaults }
    }

    /// JSON Schema of the options.
    #[must_use]
    pub fn schema(&self) -> Value {
        json!({
            "type": "object", "additionalProperties": false, "properties": properties(&self.fields, &self.defaults),
        })
    }

    /// Reads options; what is missing takes its default.
    ///
    /// # Errors
    /// [`EnvError::Option`] for an option that does not exist or has a wrong value: which one, and what would be right.
    pub fn read<T: DeserializeOwned>(&self, options: &Value) -> Result<T, EnvError> {
        let empty = Map::new();
        let given = match options {
            Value::Null => &empty,
            Value::Object(given) => given,
            other => {
                return Err(self.wrong("", &format!("expected a map of {}, and found {other}", keys(&self.fields))));
            }
        };
        check_map(&self.fields, given, "").map_err(|wrong| self.wrong(&wrong.key, &wrong.message))?;
        let mut settings = self.defaults.clone();
        lay(&self.fields, given, &mut settings);
        serde_json::from_value(settings).map_err(|error| self.wrong("", &error.to_string()))
    }

    /// The error of an option whose value fits the table and is wrong for another reason.
    #[must_use]
    pub fn wrong(&self, key: &str, message: &dyn std::fmt::Display) -> EnvError {
        EnvError::Option { key: key.to_owned(), message: format!("options of `{}`: {message}", self.environment) }
    }
}

#[cfg(test)]
mod tests {
    use serde::Deserialize;

    use super::*;

    #[derive(Debug, PartialEq, Serialize, Deserialize)]
    struct Settings {
        steps: u32,
        last: Option<u32>,
        words: String,
        quick: bool,
        home: Home,
    }

    #[derive(Debug, Default, PartialEq, Serialize, Deserialize)]
    struct Home {
        rooms: u32,
        kind: Option<String>,
    }

    impl Default for Settings {
        fn default() -> Self {
            Self { steps: 30, last: None, words: "plain".to_owned(), quick: false, home: Home { rooms: 2, kind: None } }
        }
    }

    fn options() -> Options {
        let home = vec![
            Field::whole("rooms", 1, 8, "Rooms."),
            Field::one_of("kind", ["hot", "cold"], "The kind.").or_null("any"),
        ];
        Options::of::<Settings>(
            "small",
            vec![
                Field::whole("steps", 1, 100, "Steps of an episode."),
                Field::whole("last", 1, 9, "The last one.").or_null("none"),
                Field::one_of("words", ["plain", "odd"], "The words."),
                Field::flag("quick", "Whether it is quick."),
                Field::map("home", home, "The home."),
            ],
        )
    }

    fn refused(given: Value) -> (String, String) {
        match options().read::<Settings>(&given).unwrap_err() {
            EnvError::Option { key, message } => (key, message),
            other => panic!("{other:?}"),
        }
    }

    #[test]
    fn what_is_missing_takes_its_default_in_maps_too() {
        assert_eq!(options().read::<Settings>(&Value::Null).unwrap(), Settings::default());
        let read: Settings = options().read(&json!({ "steps": 7, "home": { "kind": "hot" }, "last": null })).unwrap();
        let home = Home { rooms: 2, kind: Some("hot".to_owned()) };
        assert_eq!(read, Settings { steps: 7, home, ..Settings::default() });
    }

    #[test]
    fn an_error_names_the_key_the_value_and_what_was_expected() {
        for (given, key, message) in [
            (json!({ "steps": 0 }), "steps", "`steps` is 0; give a whole number from 1 to 100"),
            (json!({ "steps": null }), "steps", "`steps` is null; give a whole number from 1 to 100"),
            (json!({ "last": "x" }), "last", "`last` is \"x\"; give a whole number from 1 to 9, or null for none"),
            (json!({ "words": "od" }), "words", "`words` is \"od\"; did you mean `odd`? (known: plain, odd)"),
            (json!({ "quick": 1 }), "quick", "`quick` is 1; give true or false"),
            (json!({ "home": 1 }), "home", "`home` is 1; give a map of rooms, kind"),
            (json!({ "home": { "rooms": 9 } }), "home.rooms", "`home.rooms` is 9; give a whole number from 1 to 8"),
            (json!({ "home": { "room": 1 } }), "home.room", "`home`: unknown key `room`; did you mean `rooms`?"),
            (json!({ "step": 1 }), "step", "unknown key `step`; did you mean `steps`?"),
            (json!([]), "", "expected a map of steps, last, words, quick, home, and found []"),
        ] {
            let found = refused(given);
            assert_eq!(found.0, key);
            assert!(found.1.starts_with(&format!("options of `small`: {message}")), "{found:?}");
        }
    }

    #[test]
    fn the_schema_is_made_of_the_same_table() {
        let schema = options().schema();
        let of = |key: &str| schema["properties"][key].to_string();
        assert_eq!(
            of("steps"),
            r#"{"type":"integer","minimum":1,"maximum":100,"default":30,"description":"Steps of an episode."}"#
        );
        assert_eq!(
            of("last"),
            r#"{"type":["integer","null"],"minimum":1,"maximum":9,"default":null,"description":"The last one."}"#
        );
        assert_eq!(
            schema["properties"]["home"]["properties"]["kind"].to_string(),
            r#"{"enum":["hot","cold",null],"default":null,"description":"The kind."}"#
        );
    }
}
