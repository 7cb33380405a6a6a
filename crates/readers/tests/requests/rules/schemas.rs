//! Schemas as the providers take them: the mask that is sent, and the tools for native calls.

use gimbal_core::Grammar;
use gimbal_model::remote::SchemaRules;
use serde_json::{Value, json};

use super::super::letter::Letter;
use super::{Found, Scene, short};

/// Longest name of a tool (OpenAI, Anthropic, Gemini).
const NAME: usize = 64;

pub fn check(scene: &Scene, letter: &Letter<'_>, found: &mut Found) {
    if let Some(Grammar::JsonSchema(schema)) = letter.request.grammar.as_deref()
        && scene.is_new(&schema.to_string())
    {
        mask(schema, found);
    }
    for tool in letter.request.tools.iter() {
        if !scene.is_new(&format!("{} {}", tool.name, tool.parameters)) {
            continue;
        }
        let fits = |letter: char| letter.is_ascii_alphanumeric() || letter == '_' || letter == '-';
        if tool.name.is_empty() || tool.name.len() > NAME || !tool.name.chars().all(fits) {
            found.push(("a name of a tool that a provider refuses", tool.name.clone()));
        }
        native(&tool.name, &tool.parameters, found);
    }
}

/// A mask, in the shape in which the remote adapters send it: within an object where it must not be the root.
fn mask(schema: &Value, found: &mut Found) {
    lists(schema, &mut |what| found.push(("a schema that a provider refuses", what)));
    for rules in SchemaRules::ALL {
        let shaped = rules.shaped(schema);
        let sent = if rules.takes_as_root(&shaped) {
            shaped
        } else {
            json!({
                "type": "object", "properties": { "answer": shaped }, "required": ["answer"],
                "additionalProperties": false,
            })
        };
        for broken in rules.broken_by(&sent) {
            found.push((
                "a schema that a provider refuses",
                format!("{rules:?}: {broken}: {}", short(&schema.to_string())),
            ));
        }
    }
}

/// The arguments of a tool, which the adapters send as they are and not in the strict mode. The root is an object without
/// alternatives, every list says what is in it, and what is required exists; what the strict shape leaves is taken too.
fn native(name: &str, parameters: &Value, found: &mut Found) {
    let mut say = |what: String| found.push(("arguments of a tool that a provider refuses", format!("{name}: {what}")));
    let alternatives = ["anyOf", "oneOf", "allOf", "not", "enum", "$ref"];
    if parameters["type"] != json!("object") || alternatives.iter().any(|key| parameters.get(key).is_some()) {
        say(format!("the root must be an object without alternatives: {}", short(&parameters.to_string())));
    }
    let properties = parameters["properties"].as_object();
    for required in parameters["required"].as_array().into_iter().flatten() {
        if !properties.is_some_and(|known| required.as_str().is_some_and(|name| known.contains_key(name))) {
            say(format!("{required} is required and does not exist"));
        }
    }
    lists(parameters, &mut say);
    for rules in SchemaRules::ALL {
        // In the mode that is not strict an argument may be left out, and further ones may stand.
        let strict = |broken: &String| broken.contains("must be required") || broken.contains("additionalProperties");
        for broken in rules.broken_by(&rules.shaped(parameters)).into_iter().filter(|broken| !strict(broken)) {
            say(format!("{rules:?}: {broken}"));
        }
    }
}

/// Every list says what is in it. No provider demands more of it than this, and some refuse one that does not.
fn lists(schema: &Value, say: &mut impl FnMut(String)) {
    match schema {
        Value::Object(members) => {
            if members.get("type") == Some(&json!("array"))
                && members.get("items").is_none_or(|items| !items.is_object())
            {
                say(format!("a list without what is in it: {schema}"));
            }
            members.values().for_each(|member| lists(member, say));
        }
        Value::Array(items) => items.iter().for_each(|item| lists(item, say)),
        _ => {}
    }
}
