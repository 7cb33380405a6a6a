//! Calls whose arguments hold free text, as a grammar: what the schema of a tool lets through, and not a list of calls.

use std::collections::BTreeSet;

use gimbal_core::ToolSpec;
use serde_json::{Map, Value, json};

use gimbal_messages::{Form, escape, range};

/// Longest text of an argument that a call needs, in characters. Prompts tell it.
pub const TEXT: usize = 600;
/// Longest text of an argument that may be left out, and of a text within a list. Prompts tell it.
pub const SHORT: usize = 120;
/// Most items of a list whose schema does not say. Prompts tell it.
pub const ITEMS: usize = 3;
/// Most items of a list, whatever its schema says: an expression must stay small enough to be compiled.
const LISTED: usize = 16;
/// Longest key of an object whose keys the agent chooses, in characters.
const KEY: usize = 60;

/// Bounds of the texts in calls, in characters, and of lists: what prompts tell. 0 where no call has such a text or list.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Bounds {
    /// Longest text of an argument that a call needs.
    pub longest: usize,
    /// Longest text within a list, or of an argument that may be left out.
    pub short: usize,
    /// Most items of a list.
    pub entries: usize,
}

/// The bounds of the calls of these tools. Those of a schema are followed, as far as a mask can hold them.
pub fn bounds<'a>(specs: impl IntoIterator<Item = &'a ToolSpec>) -> Bounds {
    let mut bounds = Bounds::default();
    for spec in specs {
        let (short, entries) = within(&spec.parameters, false);
        let needed: Vec<&str> = spec.required().collect();
        for (name, schema) in spec.parameters.get("properties").and_then(Value::as_object).into_iter().flatten() {
            let is_text = is_of(schema, "string") && schema.get("enum").is_none() && schema.get("pattern").is_none();
            if has_list(schema) {
                bounds.entries = bounds.entries.max(entries).max(ITEMS);
            }
            if needed.contains(&name.as_str()) && is_text {
                bounds.longest = bounds.longest.max(stated(schema, "maxLength").unwrap_or(TEXT).min(TEXT));
            } else if is_text || has_list(schema) {
                bounds.short = bounds.short.max(short).max(SHORT);
            }
        }
    }
    bounds
}

/// Whether a schema is of this type, or of this type or `null`.
fn is_of(schema: &Value, kind: &str) -> bool {
    match schema.get("type") {
        Some(Value::Array(types)) => types.iter().any(|one| one == kind),
        one => one.is_some_and(|one| one == kind),
    }
}

/// Whether a schema is a list, or has one among its members.
fn has_list(schema: &Value) -> bool {
    let members = schema.get("properties").and_then(Value::as_object).into_iter().flat_map(Map::values);
    is_of(schema, "array") || members.into_iter().any(has_list)
}

/// The longest text within a list and the most items of a list that a schema states; 0 where it states none.
fn within(schema: &Value, listed: bool) -> (usize, usize) {
    let (text, items) = (stated(schema, "maxLength"), stated(schema, "maxItems"));
    let own = (text.filter(|_| listed).map_or(0, |most| most.min(TEXT)), items.map_or(0, |most| most.min(LISTED)));
    let members = schema.get("properties").and_then(Value::as_object).into_iter().flat_map(Map::values);
    let members = members.map(|member| within(member, listed));
    let items = schema.get("items").map(|items| within(items, true));
    members.chain(items).fold(own, |most, one| (most.0.max(one.0), most.1.max(one.1)))
}

/// A bound that a schema states.
fn stated(schema: &Value, key: &str) -> Option<usize> {
    schema.get(key).and_then(Value::as_u64).and_then(|bound| usize::try_from(bound).ok())
}

/// A call of this tool as a line of text, `tool name="text", list=["a"]`, and the schema of its arguments. The arguments come in
/// the order of the usage that the prompt shows, or in the order of the alphabet, which is how a program writes a call. An
/// argument that may be left out is not offered where its schema does not say what it holds, or where there is a usage that
/// does not name it: the prompt says nothing of it then.
#[must_use]
pub fn call(spec: &ToolSpec, usage: Option<&str>) -> Form {
    call_within(spec, usage, TEXT)
}

/// The same, where a text of an argument that a call needs has at most so many characters.
#[must_use]
pub fn call_within(spec: &ToolSpec, usage: Option<&str>, most: usize) -> Form {
    let needed: Vec<&str> = spec.required().collect();
    let empty = Map::new();
    let properties = spec.parameters.get("properties").and_then(Value::as_object).unwrap_or(&empty);
    let place = |name: &str| usage.and_then(|usage| shown_at(usage, name));
    let mut parts: Vec<Part> = Vec::new();
    for (name, schema) in properties {
        let needed = needed.contains(&name.as_str());
        if !needed && usage.is_some() && place(name).is_none() {
            continue;
        }
        let form = value(schema, if needed { most } else { SHORT });
        match form {
            Some(form) => parts.push(Part { name, form, needed }),
            None if needed => parts.push(Part { name, form: Form::text(0, SHORT), needed }),
            None => {}
        }
    }
    parts.sort_by_key(|part| part.name);
    let alphabetical = sequence(&parts);
    let longest = spec.name.len() + parts.iter().map(|part| part.name.len() + part.form.longest + 4).sum::<usize>();
    let members: Map<String, Value> =
        parts.iter().map(|part| (part.name.to_owned(), part.form.schema.clone())).collect();
    let schema = json!({
        "type": "object", "properties": members, "required": needed, "additionalProperties": false
    });
    // What the usage does not name comes last: needed arguments first, as their tool lists them.
    let listed = |name: &str| needed.iter().position(|known| *known == name).unwrap_or(usize::MAX);
    parts.sort_by_key(|part| (place(part.name).unwrap_or(usize::MAX), listed(part.name), part.name));
    let orders: BTreeSet<String> = [alphabetical, sequence(&parts)].into();
    let arguments = orders.into_iter().collect::<Vec<_>>().join("|");
    let regex = if parts.is_empty() { escape(&spec.name) } else { format!("{}( ({arguments}))", escape(&spec.name)) };
    let regex = if needed.is_empty() && !parts.is_empty() { format!("{regex}?") } else { regex };
    Form::closed(regex, schema, longest)
}

/// Where a usage shows an argument of this name, as `name=`.
fn shown_at(usage: &str, name: &str) -> Option<usize> {
    let edge =
        |before: &str| before.chars().next_back().is_none_or(|letter| !letter.is_alphanumeric() && letter != '_');
    usage
        .match_indices(name)
        .map(|(at, _)| at)
        .find(|at| edge(&usage[..*at]) && usage[at + name.len()..].starts_with('='))
}

struct Part<'a> {
    name: &'a str,
    form: Form,
    needed: bool,
}

impl Part<'_> {
    fn regex(&self) -> String {
        format!("{}={}", escape(self.name), self.form.regex)
    }
}

/// These arguments in this order, those that may be left out or not, with a comma between any two.
fn sequence(parts: &[Part<'_>]) -> String {
    let behind = |parts: &[Part<'_>]| -> String {
        parts.iter().map(|part| format!("(, {}){}", part.regex(), if part.needed { "" } else { "?" })).collect()
    };
    if let Some(first) = parts.iter().position(|part| part.needed) {
        let before: String = parts[..first].iter().map(|part| format!("({}, )?", part.regex())).collect();
        return format!("{before}{}{}", parts[first].regex(), behind(&parts[first + 1..]));
    }
    let starts = (0..parts.len()).map(|at| format!("{}{}", parts[at].regex(), behind(&parts[at + 1..])));
    starts.collect::<Vec<_>>().join("|")
}

/// The values that a schema describes; `None` if it does not say.
fn value(schema: &Value, most: usize) -> Option<Form> {
    if let Some(words) = schema.get("enum").and_then(Value::as_array) {
        let texts: Vec<String> = words.iter().map(Value::to_string).collect();
        return Some(Form { schema: json!({ "enum": words }), ..Form::one_of(&texts) });
    }
    // A list of types with `null` among them: the other one, or nothing.
    if let Some(Value::Array(types)) = schema.get("type") {
        let [plain] = types.iter().filter(|one| **one != "null").collect::<Vec<_>>()[..] else { return None };
        let mut inner = schema.clone();
        inner["type"] = plain.clone();
        let form = value(&inner, most)?;
        return Some(if types.len() > 1 { or_null(form) } else { form });
    }
    Some(match schema.get("type").and_then(Value::as_str)? {
        "string" => {
            let length = |key| stated(schema, key);
            let most = length("maxLength").unwrap_or(most).min(most);
            match schema.get("pattern").and_then(Value::as_str).and_then(whole_pattern) {
                Some(inside) => {
                    let bounds = json!({ "type": "string", "pattern": format!("^{inside}$") });
                    Form::closed(format!("\"{inside}\""), bounds, most + 2)
                }
                None => quoted(length("minLength").unwrap_or(0).min(most), most),
            }
        }
        "integer" | "number" => {
            let range = range::of_schema(schema);
            let longest = range.end().to_string().len();
            Form::closed(range::whole_numbers(*range.start(), *range.end())?, range::schema(&range), longest)
        }
        "boolean" => Form::flag(),
        "array" => {
            let item = value(schema.get("items")?, SHORT.max(within(schema, false).0))?;
            let count = |key| stated(schema, key);
            let (least, most) = (count("minItems").unwrap_or(0), count("maxItems").unwrap_or(ITEMS).min(LISTED));
            list(&item, least.min(most), most)
        }
        "object" if schema.get("properties").is_none() => keyed(&value(schema.get("additionalProperties")?, SHORT)?),
        "object" => {
            let members = schema.get("properties").and_then(Value::as_object)?;
            let own = |schema: &Value| if stated(schema, "maxLength").is_some() { most } else { SHORT };
            let forms: Vec<(&str, Form)> = members
                .iter()
                .map(|(name, schema)| Some((name.as_str(), value(schema, own(schema))?)))
                .collect::<Option<_>>()?;
            object(&forms)
        }
        _ => return None,
    })
}

/// The form of a value that may be `null`.
fn or_null(form: Form) -> Form {
    Form {
        regex: format!("({}|null)", form.regex),
        schema: json!({ "anyOf": [form.schema, { "type": "null" }] }),
        longest: form.longest.max("null".len()),
        ..form
    }
}

/// What is between the two ends of a pattern that says all of a text. Only patterns without quotation marks and backslashes
/// stand within a JSON text as they are.
fn whole_pattern(pattern: &str) -> Option<&str> {
    pattern.strip_prefix('^')?.strip_suffix('$').filter(|inside| !inside.contains(['"', '\\', '|']))
}

/// A JSON array of such items, with or without spaces.
fn list(item: &Form, least: usize, most: usize) -> Form {
    let regex = &item.regex;
    let filled = format!("{regex}(, ?{regex}){{{},{}}}", least.saturating_sub(1), most.saturating_sub(1));
    Form::closed(
        if least == 0 { format!("\\[({filled})?\\]") } else { format!("\\[{filled}\\]") },
        json!({ "type": "array", "items": item.schema, "minItems": least, "maxItems": most }),
        (item.longest + 2) * most + 2,
    )
}

/// A JSON object of at most [`ITEMS`] members whose keys the agent chooses. A schema cannot bound their number.
fn keyed(item: &Form) -> Form {
    let key = format!("[ !#-\\[\\]-~]{{1,{KEY}}}");
    let member = format!("\"{key}\": ?{}", item.regex);
    Form::closed(
        format!("\\{{({member}(, ?{member}){{0,{}}})?\\}}", ITEMS - 1),
        json!({
            "type": "object", "properties": {}, "patternProperties": { format!("^{key}$"): item.schema },
            "additionalProperties": false
        }),
        (KEY + item.longest + 6) * ITEMS + 2,
    )
}

/// A JSON object with all these members, in this order or the other way round, with or without spaces.
fn object(forms: &[(&str, Form)]) -> Form {
    let written = |forms: &mut dyn Iterator<Item = &(&str, Form)>| {
        let members: Vec<String> = forms.map(|(key, form)| format!("\"{}\": ?{}", escape(key), form.regex)).collect();
        members.join(", ?")
    };
    let orders: BTreeSet<String> = [written(&mut forms.iter()), written(&mut forms.iter().rev())].into();
    let plain = Form::object(forms);
    Form { regex: format!("\\{{({})\\}}", orders.into_iter().collect::<Vec<_>>().join("|")), ..plain }
}

/// A JSON string of `least` to `most` characters of printable ASCII; quotation marks, backslashes and line ends are escaped.
fn quoted(least: usize, most: usize) -> Form {
    let mut schema = json!({ "type": "string", "maxLength": most });
    if least > 0 {
        schema["minLength"] = least.into();
    }
    Form::closed(format!("\"([ !#-\\[\\]-~]|\\\\[\"\\\\n]){{{least},{most}}}\""), schema, 2 * most + 2)
}

#[cfg(test)]
mod tests {
    use regex::Regex;
    use serde_json::json;

    use super::*;

    fn search() -> ToolSpec {
        let texts = json!({ "type": "array", "items": { "type": "string" } });
        let source = json!({
            "type": "object", "required": ["url"],
            "properties": { "url": { "type": "string" }, "name": { "type": "string" } }
        });
        ToolSpec {
            name: "search".to_owned(),
            description: String::new(),
            parameters: json!({
                "type": "object", "required": ["query"], "additionalProperties": false,
                "properties": {
                    "query": { "type": "string", "minLength": 1 }, "ciks": texts, "page": { "type": "integer" },
                    "day": { "type": "string", "pattern": "^[0-9]{4}-[0-9]{2}-[0-9]{2}$" },
                    "sources": { "type": "array", "items": source }, "any": { "type": "object" },
                    "ranges": { "type": "object", "additionalProperties": {
                        "type": "array", "items": { "type": "integer", "minimum": 0 }, "maxItems": 2
                    } },
                }
            }),
        }
    }

    // covers: CYC-036
    #[test]
    fn a_call_is_whatever_its_schema_lets_through_and_nothing_else() {
        let form = call(&search(), None);
        let regex = Regex::new(&format!("^({})$", form.regex)).unwrap();
        for text in [
            r#"search query="net sales""#,
            r#"search query="\"Fenwick Group\" 8-K""#,
            r#"search query="x", ciks=["1", "2"], page=2"#,
            r#"search ciks=["1","2"], page=2, query="x""#,
            r#"search query="x", sources=[{"url":"https://a","name":"b"}]"#,
            r#"search query="x", sources=[{"name": "b", "url": "https://a"}]"#,
            r#"search query="x", ciks=[]"#,
            r#"search query="x", day="2024-01-31""#,
            r#"search query="x", ranges={"report 1": [0, 4000], "b":[]}"#,
        ] {
            assert!(regex.is_match(text) && text.len() <= form.longest, "{text}");
        }
        for text in [
            "search",
            r#"search ciks=["1"]"#,
            r#"search query="x", query="y""#,
            r#"search query="""#,
            r#"search query="x", any={}"#,
            r#"search query="x", day="last spring""#,
            r#"search query="x", day="""#,
            r#"search query="x", ranges={"a": [0, 1, 2]}"#,
            r#"search query="x", ranges={"": []}"#,
            r#"search query="x" page=2"#,
            r#"search query="un"closed""#,
            r#"Search query="x""#,
        ] {
            assert!(!regex.is_match(text), "{text}");
        }
        assert_eq!(form.schema["required"], json!(["query"]));
        assert!(form.schema["properties"].get("any").is_none(), "{}", form.schema);
        // The schema of native calls holds the same.
        let schema = jsonschema::validator_for(&form.schema).unwrap();
        for (arguments, fits) in [
            (json!({ "query": "x", "day": "2024-01-31", "ranges": { "a": [0, 9] } }), true),
            (json!({ "query": "" }), false),
            (json!({ "query": "x", "day": "May" }), false),
            (json!({ "query": "x", "ranges": { "a": ["b"] } }), false),
            (json!({ "query": "x", "ranges": { "": [] } }), false),
        ] {
            assert_eq!(schema.is_valid(&arguments), fits, "{arguments}");
        }
    }

    // covers: CYC-036
    #[test]
    fn a_usage_is_written_in_its_order_and_says_which_arguments_there_are() {
        let text = json!({ "type": "string" });
        let spec = ToolSpec {
            parameters: json!({
                "type": "object", "required": ["query"], "additionalProperties": false,
                "properties": { "query": text, "start": text, "end": text, "top": { "type": "integer", "maximum": 40, "minimum": 1 } }
            }),
            ..search()
        };
        let regex = |usage| Regex::new(&format!("^({})$", call(&spec, usage).regex)).unwrap();
        let shown = regex(Some(r#"search query="<words>", start="<day>", end="<day>""#));
        for text in [
            r#"search query="x", start="a", end="b""#,
            r#"search query="x", end="b""#,
            r#"search end="b", query="x", start="a""#,
        ] {
            assert!(shown.is_match(text), "{text}");
        }
        assert!(!shown.is_match(r#"search query="x", top=3"#), "an argument that no prompt names");
        let all = regex(None);
        for (number, fits) in [("0", false), ("1", true), ("40", true), ("41", false), ("007", false)] {
            assert_eq!(all.is_match(&format!(r#"search query="x", top={number}"#)), fits, "{number}");
        }
        let named = call(&spec, Some("search query=<words>, top=<number>"));
        assert_eq!(named.schema["properties"]["top"], json!({ "type": "integer", "minimum": 1, "maximum": 40 }));
        // `restart=` shows no `start`.
        assert_eq!(shown_at("search restart=1, start=2", "start"), Some(18));
    }

    /// Objects with a number that may be nothing, as ballots have.
    #[test]
    fn a_value_that_may_be_null_is_written_as_its_type_or_as_null() {
        let ballot = json!({
            "type": "object", "required": ["agent", "value"], "additionalProperties": false,
            "properties": { "agent": { "type": "string" }, "value": { "type": ["integer", "null"], "minimum": 0, "maximum": 50 } }
        });
        let spec = ToolSpec {
            parameters: json!({
                "type": "object", "required": ["ballots"], "additionalProperties": false,
                "properties": { "ballots": { "type": "array", "items": ballot } }
            }),
            ..search()
        };
        let form = call(&spec, None);
        let regex = Regex::new(&format!("^({})$", form.regex)).unwrap();
        for value in ["39", "null", "0"] {
            let text = format!(r#"search ballots=[{{"agent": "agent_1", "value": {value}}}]"#);
            assert!(regex.is_match(&text) && text.len() <= form.longest, "{text}");
        }
        assert!(!regex.is_match(r#"search ballots=[{"agent": "agent_1", "value": 51}]"#));
        let schema = jsonschema::validator_for(&form.schema).unwrap();
        assert!(
            schema.is_valid(&json!({ "ballots": [{ "agent": "a", "value": null }, { "agent": "b", "value": 3 }] }))
        );
        assert!(!schema.is_valid(&json!({ "ballots": "39" })));
    }

    /// As many ballots as there are agents, each with its whole reason.
    #[test]
    fn a_list_has_as_many_entries_as_its_schema_says_as_far_as_a_mask_can_hold_them() {
        let of = |most: usize| {
            let ballot = json!({
                "type": "object", "required": ["agent"],
                "properties": { "agent": { "type": "string" }, "reason": { "type": "string", "maxLength": 160 } }
            });
            let ballots = json!({ "type": "array", "items": ballot, "maxItems": most });
            let parameters = json!({ "type": "object", "required": ["ballots"], "properties": { "ballots": ballots } });
            ToolSpec { parameters, ..search() }
        };
        let call = |ballots: usize, letters: usize| {
            let ballot = json!({ "agent": "a", "reason": "x".repeat(letters) }).to_string();
            format!("search ballots=[{}]", vec![ballot; ballots].join(", "))
        };
        for (stated, held) in [(2, 2), (5, 5), (40, LISTED)] {
            let (spec, form) = (of(stated), call_form(&of(stated)));
            let regex = Regex::new(&format!("^({})$", form.regex)).unwrap();
            let fits = |ballots, letters| regex.is_match(&call(ballots, letters));
            assert!(fits(held, 160) && !fits(held + 1, 1) && !fits(1, 161), "{stated}");
            assert!(call(held, 160).len() <= form.longest, "{stated}");
            let told = bounds([&spec]);
            assert_eq!((told.short, told.entries), (160, held.max(ITEMS)), "{stated}: what prompts tell");
        }
        let told = bounds([&search()]);
        assert_eq!((told.short, told.entries), (SHORT, ITEMS), "a schema that states nothing");
        let conclude = ToolSpec {
            parameters: json!({"type": "object", "required": ["reason"], "properties": {"reason": {"type": "string", "maxLength": 512}}}),
            ..search()
        };
        assert_eq!(bounds([&conclude]), Bounds { longest: 512, short: 0, entries: 0 });
    }

    fn call_form(spec: &ToolSpec) -> Form {
        super::call(spec, None)
    }

    #[test]
    fn a_tool_without_needs_may_be_called_alone() {
        let of = |properties: Value| ToolSpec {
            parameters: json!({ "type": "object", "properties": properties, "required": [] }),
            ..search()
        };
        let regex = |spec: &ToolSpec| Regex::new(&format!("^({})$", call(spec, None).regex)).unwrap();
        let both = regex(&of(json!({ "a": { "type": "integer" }, "b": { "enum": ["x", "y"] } })));
        for text in ["search", "search a=1", "search b=\"y\"", "search a=1, b=\"x\""] {
            assert!(both.is_match(text), "{text}");
        }
        assert!(!both.is_match("search b=\"z\"") && !both.is_match("search , b=\"x\""));
        assert!(regex(&of(json!({}))).is_match("search"));
    }
}
