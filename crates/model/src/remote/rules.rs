//! What providers publish of the JSON Schemas that their strict modes accept: a schema is brought into that shape, and
//! what it still breaks is listed.
//!
//! Sources: OpenAI's guide to structured outputs, Anthropic's structured outputs, Gemini's structured output (see
//! `providers.yaml` for dates). What a provider cannot express is left out, so that the mask that is sent may be wider
//! than the one that was asked for; answers are judged by the one that was sent.

use gimbal_core::nearest;
use schemars::JsonSchema;
use serde::{Deserialize, Serialize};
use serde_json::{Map, Value, json};

/// Whose rules a JSON Schema must keep to.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Hash, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "snake_case")]
pub enum SchemaRules {
    /// Any schema is taken as it is: servers of one's own.
    #[default]
    Any,
    /// OpenAI's strict subset.
    Openai,
    /// Anthropic's subset.
    Anthropic,
    /// Gemini's subset.
    Gemini,
}

/// Most values of all enums of a schema (OpenAI).
const MOST_VALUES: usize = 1000;
/// Most characters of one enum of more than [`LONG_ENUM`] texts (OpenAI).
const MOST_ENUM_TEXT: usize = 15_000;
/// Texts from which on the length of an enum is bounded (OpenAI).
const LONG_ENUM: usize = 250;
/// Most characters of all names and values (OpenAI).
const MOST_TEXT: usize = 120_000;
/// Most properties of all objects (OpenAI).
const MOST_PROPERTIES: usize = 5000;
/// Most levels of objects (OpenAI).
const MOST_LEVELS: usize = 10;

/// Keywords that each set of rules knows.
const COMMON: [&str; 14] = [
    "$defs",
    "$ref",
    "additionalProperties",
    "anyOf",
    "const",
    "default",
    "description",
    "enum",
    "format",
    "items",
    "properties",
    "required",
    "title",
    "type",
];
const OPENAI: [&str; 8] =
    ["exclusiveMaximum", "exclusiveMinimum", "maxItems", "maximum", "minItems", "minimum", "multipleOf", "pattern"];
const ANTHROPIC: [&str; 2] = ["allOf", "minItems"];
const GEMINI: [&str; 6] = ["maxItems", "maximum", "minItems", "minimum", "oneOf", "prefixItems"];

/// Whose servers refuse a list without `items`, also within others. OpenAI: "array schema missing items"
/// (<https://github.com/sigoden/aichat/pull/1049>). Gemini: "items: missing field"
/// (<https://github.com/router-for-me/CLIProxyAPI/issues/5292>). Both were seen on 2026-11-28. Anthropic's page demands none.
const LISTS_NEED_ITEMS: [SchemaRules; 2] = [SchemaRules::Openai, SchemaRules::Gemini];

impl SchemaRules {
    /// All of them.
    pub const ALL: [Self; 4] = [Self::Any, Self::Openai, Self::Anthropic, Self::Gemini];

    fn knows(self, keyword: &str) -> bool {
        let own: &[&str] = match self {
            Self::Any => return true,
            Self::Openai => &OPENAI,
            Self::Anthropic => &ANTHROPIC,
            Self::Gemini => &GEMINI,
        };
        // Gemini lists no constants; an enum of one says the same.
        (COMMON.contains(&keyword) && !(self == Self::Gemini && keyword == "const")) || own.contains(&keyword)
    }

    /// Whether the root must be an object without alternatives, so that other schemas are sent within one.
    #[must_use]
    pub fn takes_as_root(self, schema: &Value) -> bool {
        self == Self::Any || (schema.get("type") == Some(&json!("object")) && schema.get("anyOf").is_none())
    }

    /// The schema as these rules take it: as [`Self::relaxed`], and where every member must be required, one that may be left out may be `null`
    /// in its place. [`Self::without_nulls`] takes such members out of an answer again.
    #[must_use]
    pub fn shaped(self, schema: &Value) -> Value {
        let mut shaped = self.relaxed(schema);
        if self == Self::Openai {
            require(&mut shaped);
        }
        shaped
    }

    /// What these rules can say of the schema: keywords that they do not know are left out, and enums that are too long become plain texts.
    #[must_use]
    pub fn relaxed(self, schema: &Value) -> Value {
        if self == Self::Any {
            return schema.clone();
        }
        let mut shaped = self.narrowed(schema);
        if self == Self::Openai && (values(&shaped) > MOST_VALUES || text(&shaped) > MOST_TEXT) {
            widen(&mut shaped);
        }
        shaped
    }

    /// An answer without the members that are `null` because [`Self::shaped`] requires them; `schema` is the relaxed one.
    pub fn without_nulls(schema: &Value, answer: &mut Value) {
        match answer {
            Value::Object(members) => {
                let found =
                    branch(schema, members).and_then(|branch| Some((branch, branch.get("properties")?.as_object()?)));
                let Some((branch, properties)) = found else { return };
                let required = required(branch);
                members.retain(|name, value| {
                    let optional = !required.contains(&name.as_str());
                    !(optional && value.is_null() && properties.get(name).is_some_and(|schema| !takes_null(schema)))
                });
                for (name, value) in members {
                    if let Some(schema) = properties.get(name) {
                        Self::without_nulls(schema, value);
                    }
                }
            }
            Value::Array(items) => {
                let Some(schema) = schema.get("items") else { return };
                items.iter_mut().for_each(|item| Self::without_nulls(schema, item));
            }
            _ => {}
        }
    }

    fn narrowed(self, schema: &Value) -> Value {
        let Value::Object(members) = schema else { return schema.clone() };
        let mut out = Map::new();
        for (keyword, value) in members.iter().filter(|(keyword, _)| self.knows(keyword)) {
            let value = match (keyword.as_str(), value) {
                ("properties" | "$defs", Value::Object(members)) => {
                    let all = members.iter().map(|(name, member)| (name.clone(), self.narrowed(member)));
                    Value::Object(all.collect())
                }
                ("anyOf" | "oneOf" | "allOf" | "prefixItems", Value::Array(branches)) => {
                    branches.iter().map(|branch| self.narrowed(branch)).collect()
                }
                ("items", item) => self.narrowed(item),
                ("minItems", Value::Number(least)) if self == Self::Anthropic => {
                    json!(least.as_u64().unwrap_or(0).min(1))
                }
                ("enum", Value::Array(all)) if !self.takes_enum(all) => continue,
                (_, value) => value.clone(),
            };
            out.insert(keyword.clone(), value);
        }
        if self == Self::Gemini
            && let Some(only) = members.get("const")
        {
            out.insert("enum".to_owned(), json!([only]));
        }
        if let (None, Some(kind)) = (out.get("type"), type_of(&out, members)) {
            out.insert("type".to_owned(), kind);
        }
        Value::Object(out)
    }

    fn takes_enum(self, all: &[Value]) -> bool {
        let plain = all.iter().all(|value| !value.is_object() && !value.is_array());
        let long: usize = all.iter().filter_map(Value::as_str).map(|value| value.chars().count()).sum();
        plain && !(self == Self::Openai && all.len() > LONG_ENUM && long > MOST_ENUM_TEXT)
    }

    /// What a schema breaks of these rules, in words; nothing where it will be accepted.
    #[must_use]
    pub fn broken_by(self, schema: &Value) -> Vec<String> {
        let mut broken = Vec::new();
        if self == Self::Any {
            return broken;
        }
        if !self.takes_as_root(schema) {
            broken.push("the root must be an object without `anyOf`".to_owned());
        }
        self.walk(schema, "", 0, &mut broken);
        if self == Self::Openai {
            for (what, found, most) in [
                ("values of enums", values(schema), MOST_VALUES),
                (
                    "properties",
                    count(schema, "properties", &|found| found.as_object().map_or(0, Map::len)),
                    MOST_PROPERTIES,
                ),
                ("characters of names and values", text(schema), MOST_TEXT),
            ] {
                if found > most {
                    broken.push(format!("{found} {what}, and at most {most} are allowed"));
                }
            }
        }
        broken
    }

    fn walk(self, schema: &Value, path: &str, levels: usize, broken: &mut Vec<String>) {
        let Value::Object(members) = schema else { return };
        let place = if path.is_empty() { "the root" } else { path };
        for keyword in members.keys().filter(|keyword| !self.knows(keyword)) {
            let known = COMMON.iter().copied();
            broken.push(format!("{place}: `{keyword}` is not supported{}", nearest::hint(keyword, known)));
        }
        let object = members.get("type") == Some(&json!("object"));
        let levels = levels + usize::from(object);
        if object {
            let properties = members.get("properties").and_then(Value::as_object);
            if self != Self::Gemini && members.get("additionalProperties") != Some(&json!(false)) {
                broken.push(format!("{place}: an object must have `additionalProperties: false`"));
            }
            let required = required(schema);
            let optional = properties.into_iter().flatten().filter(|(name, _)| !required.contains(&name.as_str()));
            if self == Self::Openai {
                broken.extend(optional.map(|(name, _)| format!("{place}: `{name}` must be required")));
                if levels > MOST_LEVELS {
                    broken.push(format!("{place}: more than {MOST_LEVELS} levels of objects"));
                }
            }
        }
        let typed = ["type", "anyOf", "oneOf", "allOf", "$ref"].iter().any(|keyword| members.contains_key(*keyword));
        if self == Self::Openai && !typed {
            broken.push(format!("{place}: a `type` is missing"));
        }
        if let Some(Value::Array(all)) = members.get("enum")
            && !self.takes_enum(all)
        {
            broken.push(format!("{place}: the enum is too long or holds lists or objects"));
        }
        let listed = members.get("type").is_some_and(|kind| {
            kind == &json!("array") || kind.as_array().is_some_and(|kinds| kinds.contains(&json!("array")))
        });
        let filled = members.get("items").is_some_and(Value::is_object) || members.contains_key("prefixItems");
        if LISTS_NEED_ITEMS.contains(&self) && listed && !filled {
            broken.push(format!("{place}: a list must state its `items`"));
        }
        if self == Self::Anthropic && members.get("minItems").and_then(Value::as_u64).is_some_and(|least| least > 1) {
            broken.push(format!("{place}: `minItems` must be 0 or 1"));
        }
        for keyword in ["properties", "$defs"] {
            for (name, member) in members.get(keyword).and_then(Value::as_object).into_iter().flatten() {
                self.walk(member, &format!("{path}/{name}"), levels, broken);
            }
        }
        for keyword in ["anyOf", "oneOf", "allOf", "prefixItems"] {
            for (at, branch) in members.get(keyword).and_then(Value::as_array).into_iter().flatten().enumerate() {
                self.walk(branch, &format!("{path}/{keyword}[{at}]"), levels, broken);
            }
        }
        if let Some(item) = members.get("items") {
            self.walk(item, &format!("{path}/items"), levels, broken);
        }
    }
}

/// Names of the members that an object must have.
fn required(schema: &Value) -> Vec<&str> {
    let listed = schema.get("required").and_then(Value::as_array);
    listed.into_iter().flatten().filter_map(Value::as_str).collect()
}

/// Requires every member of every object; those that may be left out may be `null`.
fn require(schema: &mut Value) {
    let names: Vec<String> = required(schema).into_iter().map(str::to_owned).collect();
    let Value::Object(members) = schema else { return };
    if let Some(Value::Object(properties)) = members.get_mut("properties") {
        for (name, member) in properties.iter_mut() {
            require(member);
            if !names.contains(name) && !takes_null(member) {
                *member = json!({ "anyOf": [member.take(), { "type": "null" }] });
            }
        }
        let all: Vec<String> = properties.keys().cloned().collect();
        let stated = names.iter().filter(|name| !all.contains(name)).cloned();
        let all: Vec<String> = all.iter().cloned().chain(stated).collect();
        if !all.is_empty() || members.contains_key("required") {
            members.insert("required".to_owned(), json!(all));
        }
    }
    for keyword in ["anyOf", "oneOf", "allOf", "prefixItems"] {
        if let Some(Value::Array(branches)) = members.get_mut(keyword) {
            branches.iter_mut().for_each(require);
        }
    }
    if let Some(Value::Object(known)) = members.get_mut("$defs") {
        known.values_mut().for_each(require);
    }
    if let Some(items) = members.get_mut("items") {
        require(items);
    }
}

/// Whether `null` is among the values of a schema.
fn takes_null(schema: &Value) -> bool {
    let listed =
        |key: &str, value: &Value| schema.get(key).and_then(Value::as_array).is_some_and(|all| all.contains(value));
    let branches = schema.get("anyOf").and_then(Value::as_array);
    schema.get("type") == Some(&json!("null"))
        || listed("type", &json!("null"))
        || listed("enum", &Value::Null)
        || branches.is_some_and(|branches| branches.iter().any(takes_null))
}

/// The alternative that an object was written by: the first one that has its members, with values of its lists.
fn branch<'a>(schema: &'a Value, members: &Map<String, Value>) -> Option<&'a Value> {
    let Some(branches) = schema.get("anyOf").and_then(Value::as_array) else { return Some(schema) };
    let fits = |branch: &Value| {
        let Some(properties) = branch.get("properties").and_then(Value::as_object) else { return false };
        members.iter().all(|(name, value)| {
            let listed = |schema: &Value| {
                schema.get("enum").and_then(Value::as_array).is_none_or(|all| all.contains(value))
                    && schema.get("const").is_none_or(|only| only == value)
            };
            properties.get(name).is_some_and(|schema| value.is_null() || listed(schema))
        })
    };
    branches.iter().find_map(|inner| branch(inner, members).filter(|inner| fits(inner)))
}

/// The type of a schema that states none, from its values.
fn type_of(shaped: &Map<String, Value>, stated: &Map<String, Value>) -> Option<Value> {
    let name = |value: &Value| match value {
        Value::Null => "null",
        Value::Bool(_) => "boolean",
        Value::Number(number) if number.is_f64() => "number",
        Value::Number(_) => "integer",
        Value::String(_) => "string",
        Value::Array(_) => "array",
        Value::Object(_) => "object",
    };
    if shaped.contains_key("anyOf") || shaped.contains_key("$ref") {
        return None;
    }
    let all = match (stated.get("enum"), stated.get("const")) {
        (Some(Value::Array(all)), _) => all.clone(),
        (_, Some(only)) => vec![only.clone()],
        _ => return None,
    };
    let mut names: Vec<&str> = all.iter().map(name).collect();
    names.sort_unstable();
    names.dedup();
    match names[..] {
        [] => None,
        [only] => Some(json!(only)),
        _ => Some(json!(names)),
    }
}

/// A sum over all keywords of this name.
fn count(schema: &Value, keyword: &str, of: &dyn Fn(&Value) -> usize) -> usize {
    match schema {
        Value::Object(members) => members
            .iter()
            .map(|(name, value)| if name == keyword { of(value) } else { 0 } + count(value, keyword, of))
            .sum(),
        Value::Array(items) => items.iter().map(|item| count(item, keyword, of)).sum(),
        _ => 0,
    }
}

fn values(schema: &Value) -> usize {
    count(schema, "enum", &|all| all.as_array().map_or(0, Vec::len))
}

fn text(schema: &Value) -> usize {
    let length = |value: &Value| value.as_str().map_or(0, |value| value.chars().count());
    let names = |members: &Value| members.as_object().into_iter().flatten().map(|(name, _)| name.chars().count()).sum();
    count(schema, "enum", &|all| all.as_array().into_iter().flatten().map(length).sum())
        + count(schema, "const", &length)
        + count(schema, "properties", &names)
        + count(schema, "$defs", &names)
}

/// Takes every enum of more than one value out.
fn widen(schema: &mut Value) {
    match schema {
        Value::Object(members) => {
            if members.get("enum").and_then(Value::as_array).is_some_and(|all| all.len() > 1) {
                members.remove("enum");
            }
            members.values_mut().for_each(widen);
        }
        Value::Array(items) => items.iter_mut().for_each(widen),
        _ => {}
    }
}

#[cfg(test)]
mod tests {
    use serde_json::json;

    use super::SchemaRules;

    #[test]
    fn each_published_rule_is_checked() {
        let closed = |properties: serde_json::Value| {
            let required: Vec<&String> = properties.as_object().unwrap().keys().collect();
            json!({ "type": "object", "properties": properties, "required": required, "additionalProperties": false })
        };
        let many = |length: usize, each: &str| (0..length).map(|number| format!("{each}{number}")).collect::<Vec<_>>();
        let fine = closed(json!({ "a": { "type": "string", "enum": ["x"] } }));
        for rules in SchemaRules::ALL {
            assert_eq!(rules.broken_by(&fine), Vec::<String>::new(), "{rules:?}");
        }
        let deep = (0..11).fold(json!({ "type": "string" }), |inner, _| closed(json!({ "a": inner })));
        let open = json!({ "type": "object", "properties": {}, "required": [] });
        let optional = json!({ "type": "object", "properties": { "a": { "type": "string" } }, "required": [],
            "additionalProperties": false });
        for (rules, schema, part) in [
            (SchemaRules::Openai, json!({ "anyOf": [fine.clone()] }), "root"),
            (SchemaRules::Anthropic, json!({ "type": "string" }), "root"),
            (SchemaRules::Gemini, json!({ "anyOf": [fine.clone()] }), "root"),
            (SchemaRules::Openai, open.clone(), "additionalProperties"),
            (SchemaRules::Anthropic, open, "additionalProperties"),
            (SchemaRules::Openai, optional, "`a` must be required"),
            (SchemaRules::Openai, deep, "levels"),
            (SchemaRules::Openai, closed(json!({ "a": { "enum": ["x"] } })), "`type` is missing"),
            (
                SchemaRules::Openai,
                closed(json!({ "a": { "type": "string", "enum": many(1001, "") } })),
                "values of enums",
            ),
            (
                SchemaRules::Openai,
                closed(json!({ "a": { "type": "string", "enum": many(251, &"x".repeat(60)) } })),
                "too long",
            ),
            (SchemaRules::Openai, closed(json!({ "a": { "allOf": [] } })), "`allOf`"),
            (SchemaRules::Openai, closed(json!({ "a": { "type": "string", "maxLength": 3 } })), "`maxLength`"),
            (SchemaRules::Anthropic, closed(json!({ "a": { "type": "string", "pattern": "x" } })), "`pattern`"),
            (SchemaRules::Anthropic, closed(json!({ "a": { "type": "integer", "minimum": 1 } })), "`minimum`"),
            (SchemaRules::Anthropic, closed(json!({ "a": { "type": "array", "minItems": 2 } })), "minItems"),
            (SchemaRules::Anthropic, closed(json!({ "a": { "enum": [{}] } })), "objects"),
            (SchemaRules::Gemini, closed(json!({ "a": { "type": "string", "pattern": "x" } })), "`pattern`"),
            (SchemaRules::Openai, closed(json!({ "a": { "type": "array", "maxItems": 0 } })), "`items`"),
            (SchemaRules::Openai, closed(json!({ "a": { "type": ["array", "null"] } })), "`items`"),
            (
                SchemaRules::Gemini,
                closed(json!({ "a": { "type": "array", "items": { "type": "array" } } })),
                "/a/items: a list must state its `items`",
            ),
        ] {
            let broken = rules.broken_by(&schema);
            assert!(broken.iter().any(|words| words.contains(part)), "{rules:?} {part}: {broken:?}");
        }
    }

    #[test]
    fn schemas_are_brought_into_shape_and_long_enums_become_texts() {
        let item = json!({ "type": "object", "required": ["n", "k"], "additionalProperties": false, "properties": {
            "n": { "type": "integer", "minimum": 1, "maximum": 9 }, "k": { "const": "x" },
            "t": { "type": "string", "pattern": "^a{0,9}$", "maxLength": 9 },
        } });
        let openai = SchemaRules::Openai.shaped(&item);
        assert_eq!(openai["properties"]["n"], json!({ "type": "integer", "minimum": 1, "maximum": 9 }));
        assert_eq!(openai["properties"]["k"], json!({ "const": "x", "type": "string" }));
        let texts = json!({ "type": "string", "pattern": "^a{0,9}$" });
        assert_eq!(SchemaRules::Openai.relaxed(&item)["properties"]["t"], texts);
        assert_eq!(openai["properties"]["t"], json!({ "anyOf": [texts, { "type": "null" }] }));
        assert_eq!(
            (&openai["required"], SchemaRules::Openai.broken_by(&openai)),
            (&json!(["n", "k", "t"]), Vec::new())
        );
        let anthropic = SchemaRules::Anthropic.shaped(&item);
        assert_eq!(anthropic["properties"]["n"], json!({ "type": "integer" }));
        assert_eq!(anthropic["properties"]["t"], json!({ "type": "string" }));
        let gemini = SchemaRules::Gemini.shaped(&item);
        assert_eq!(gemini["properties"]["k"], json!({ "enum": ["x"], "type": "string" }));
        let values: Vec<String> = (0..1200).map(|number| number.to_string()).collect();
        let long = json!({ "type": "object", "required": ["a"], "additionalProperties": false,
            "properties": { "a": { "type": "string", "enum": values } } });
        assert_eq!(SchemaRules::Openai.shaped(&long)["properties"]["a"], json!({ "type": "string" }));
        assert_eq!(SchemaRules::Any.shaped(&long), long);
    }
}
