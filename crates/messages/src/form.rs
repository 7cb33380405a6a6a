//! Forms: what a piece of a reply may be, as a regular expression and as a JSON Schema at once.

use serde_json::{Value, json};

/// Printable ASCII without what JSON must escape.
const SAFE: &str = r"[ !#-\[\]-~]";
/// The first and the last character of a name.
const EDGE: &str = r"[A-Za-z0-9_\-]";

/// What a piece of a reply may be. The expression has the one spacing in which this crate writes JSON.
#[derive(Clone, Debug, PartialEq)]
pub struct Form {
    /// Regular expression of the text.
    pub regex: String,
    /// JSON Schema of the value.
    pub schema: Value,
    /// Bytes of the longest text.
    pub longest: usize,
    /// What is bounded in it, by key.
    pub bounds: Vec<Bound>,
}

/// A bound of a text or of a list in a form.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Bound {
    /// The key under which it is; empty for what has none.
    pub key: String,
    /// Most characters of a text, or of each text of a list; 0 where it has no free text.
    pub characters: usize,
    /// Most entries of a list; 0 where it is none.
    pub entries: usize,
}

/// A member of an object.
#[derive(Clone, Debug, PartialEq)]
pub struct Member {
    /// Its key.
    pub key: String,
    /// What it may be.
    pub form: Form,
    /// Whether it may be missing.
    pub optional: bool,
}

impl Bound {
    fn text(characters: usize) -> Vec<Self> {
        vec![Self { key: String::new(), characters, entries: 0 }]
    }
}

impl Form {
    /// What has no free text in it.
    #[must_use]
    pub fn closed(regex: impl Into<String>, schema: Value, longest: usize) -> Self {
        Self { regex: regex.into(), schema, longest, bounds: Vec::new() }
    }

    /// Any line of at least one and at most `characters` characters, not in quotation marks.
    #[must_use]
    pub fn line(characters: usize) -> Self {
        Self {
            regex: format!("[ -~]{{1,{characters}}}"),
            schema: json!({ "type": "string", "pattern": format!("^{SAFE}{{1,{characters}}}$") }),
            longest: characters,
            bounds: Bound::text(characters),
        }
    }

    /// One of these texts, not in quotation marks.
    #[must_use]
    pub fn one_of(texts: &[String]) -> Self {
        if texts.is_empty() {
            return Self::line(64);
        }
        let regex = texts.iter().map(|text| escape(text)).collect::<Vec<_>>().join("|");
        let longest = texts.iter().map(String::len).max().unwrap_or(0);
        Self::closed(format!("({regex})"), json!({ "type": "string", "enum": texts }), longest)
    }

    /// One of these words as a JSON string.
    #[must_use]
    pub fn word<T: AsRef<str>>(words: &[T]) -> Self {
        let words: Vec<String> = words.iter().map(|word| Value::from(word.as_ref()).to_string()).collect();
        let values: Vec<Value> = words.iter().filter_map(|word| serde_json::from_str(word).ok()).collect();
        Self { schema: json!({ "type": "string", "enum": values }), ..Self::one_of(&words) }
    }

    /// A JSON string of bounded length.
    #[must_use]
    pub fn text(least: usize, most: usize) -> Self {
        Self {
            regex: format!("\"{SAFE}{{{least},{most}}}\""),
            schema: json!({ "type": "string", "pattern": format!("^{SAFE}{{{least},{most}}}$") }),
            longest: most + 2,
            bounds: Bound::text(most),
        }
    }

    /// A JSON string that is a name: at most so many letters, digits, blanks, underscores and hyphens, with no blank at
    /// either end.
    #[must_use]
    pub fn name(most: usize) -> Self {
        let name = match most {
            0 | 1 => EDGE.to_owned(),
            most => format!("{EDGE}([A-Za-z0-9 _\\-]{{0,{}}}{EDGE})?", most - 2),
        };
        Self {
            regex: format!("\"{name}\""),
            schema: json!({ "type": "string", "pattern": format!("^{name}$") }),
            longest: most.max(1) + 2,
            bounds: Bound::text(most.max(1)),
        }
    }

    /// A JSON boolean.
    #[must_use]
    pub fn flag() -> Self {
        Self::closed("(true|false)", json!({ "type": "boolean" }), 5)
    }

    /// A JSON number from 0 to 1 with at most two digits.
    #[must_use]
    pub fn share() -> Self {
        let schema = json!({ "type": "number", "minimum": 0, "maximum": 1, "multipleOf": 0.01 });
        Self::closed(r"(0(\.[0-9]{1,2})?|1(\.0)?)", schema, 8)
    }

    /// A JSON object with these members, in this order.
    #[must_use]
    pub fn object(members: &[(&str, Self)]) -> Self {
        let member =
            |(key, form): &(&str, Self)| Member { key: (*key).to_owned(), form: form.clone(), optional: false };
        Self::members(&members.iter().map(member).collect::<Vec<_>>())
    }

    /// A JSON object with these members, in this order; those that may be missing come last.
    #[must_use]
    pub fn members(members: &[Member]) -> Self {
        let written = |member: &Member| format!("\"{}\": {}", escape(&member.key), member.form.regex);
        let needed: Vec<String> = members.iter().filter(|member| !member.optional).map(written).collect();
        let optional: Vec<String> = members.iter().filter(|member| member.optional).map(written).collect();
        let behind = |members: &[String]| members.iter().map(|one| format!("(, {one})?")).collect::<String>();
        let regex = if needed.is_empty() && !optional.is_empty() {
            // Whichever comes first has no comma before it.
            let firsts = optional.iter().zip(1..).map(|(first, next)| first.clone() + &behind(&optional[next..]));
            format!("({})?", firsts.collect::<Vec<_>>().join("|"))
        } else {
            needed.join(", ") + &behind(&optional)
        };
        let properties: serde_json::Map<String, Value> =
            members.iter().map(|member| (member.key.clone(), member.form.schema.clone())).collect();
        let required: Vec<&str> =
            members.iter().filter(|member| !member.optional).map(|member| member.key.as_str()).collect();
        let mut bounds: Vec<Bound> = Vec::new();
        for Member { key, form, .. } in members {
            for inner in &form.bounds {
                let mut bound = inner.clone();
                if bound.key.is_empty() {
                    bound.key.clone_from(key);
                }
                if !bounds.contains(&bound) {
                    bounds.push(bound);
                }
            }
        }
        Self {
            regex: format!("\\{{{regex}\\}}"),
            longest: members.iter().map(|member| member.key.len() + member.form.longest + 8).sum::<usize>() + 4,
            schema: json!({
                "type": "object", "properties": properties, "required": required, "additionalProperties": false
            }),
            bounds,
        }
    }

    /// What any of these forms is; `None` where there are none.
    #[must_use]
    pub fn any_of(forms: &[Self]) -> Option<Self> {
        if let [one] = forms {
            return Some(one.clone());
        }
        let regex: Vec<&str> = forms.iter().map(|form| form.regex.as_str()).collect();
        let schemas: Vec<&Value> = forms.iter().map(|form| &form.schema).collect();
        Some(Self {
            regex: format!("({})", regex.join("|")),
            schema: json!({ "anyOf": schemas }),
            longest: forms.iter().map(|form| form.longest).max()?,
            bounds: forms.iter().flat_map(|form| form.bounds.iter().cloned()).collect(),
        })
    }

    /// A JSON object of at most `most` members with names of their own, of at most `name` characters each.
    #[must_use]
    pub fn map(of: &Self, name: usize, most: usize) -> Self {
        let member = format!("{}: {}", Self::name(name).regex, of.regex);
        let filled = match most {
            0 => String::new(),
            most => format!("{member}(, {member}){{0,{}}}", most - 1),
        };
        Self {
            regex: format!("\\{{({filled})?\\}}"),
            schema: json!({ "type": "object", "additionalProperties": of.schema, "maxProperties": most }),
            longest: (name + of.longest + 6) * most + 4,
            bounds: vec![Bound { key: String::new(), characters: name, entries: most }],
        }
    }

    /// A JSON array of `least` to `most` such items.
    #[must_use]
    pub fn array(of: &Self, least: usize, most: usize) -> Self {
        let item = &of.regex;
        let filled = match most {
            0 => String::new(),
            1 => item.clone(),
            most => format!("{item}(, {item}){{{},{}}}", least.saturating_sub(1), most - 1),
        };
        let (own, inner): (Vec<Bound>, Vec<Bound>) = of.bounds.iter().cloned().partition(|bound| bound.key.is_empty());
        let characters = own.first().map_or(0, |bound| bound.characters);
        let bounds = [vec![Bound { key: String::new(), characters, entries: most }], inner].concat();
        Self {
            regex: if least == 0 { format!("\\[({filled})?\\]") } else { format!("\\[{filled}\\]") },
            schema: json!({ "type": "array", "items": of.schema, "minItems": least, "maxItems": most }),
            longest: (of.longest + 4) * most + 4,
            bounds,
        }
    }
}

/// `text` as a regular expression that matches it alone.
#[must_use]
pub fn escape(text: &str) -> String {
    let mut out = String::with_capacity(text.len() + 8);
    for character in text.chars() {
        match character {
            '\n' => out.push_str("\\n"),
            '\t' => out.push_str("\\t"),
            '\r' => out.push_str("\\r"),
            // The meta characters of the syntax and no others: escapes of further punctuation have meanings of their own.
            character => {
                if r"\.+*?()|[]{}^$#&-~".contains(character) {
                    out.push('\\');
                }
                out.push(character);
            }
        }
    }
    out
}
