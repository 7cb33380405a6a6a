//! The options of an environment as flags of the command line.

use serde_json::Value;

use super::Workbench;
use super::show::listed;

/// An option of an environment as a flag.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Flag {
    /// Name of the option.
    pub name: String,
    /// What it is, what it takes and its default.
    pub about: String,
}

/// A flag for each option whose value is one word, in the order of the schema. Maps are set by `--set`.
pub fn flags<W: Workbench + ?Sized>(family: &W) -> Vec<Flag> {
    let (schema, alone) = (family.schema(), family.alone());
    let options = schema["properties"].as_object().into_iter().flatten();
    let words = options.filter(|(_, takes)| takes["type"] != "object");
    words
        .map(|(name, takes)| {
            let about = takes["description"].as_str().unwrap_or_default().trim_end_matches('.');
            let default = match alone.get(name).or_else(|| takes.get("default")) {
                None | Some(Value::Null) => String::new(),
                Some(Value::String(text)) => format!(" [default: {text}]"),
                Some(other) => format!(" [default: {other}]"),
            };
            Flag { name: name.clone(), about: format!("{about}{}{default}", listed(takes).replace('"', "")) }
        })
        .collect()
}
