//! Forms: what a piece of a reply may be, as a regular expression and as a JSON Schema at once.

use gimbal_core::Brief;
use serde_json::{Value, json};

use super::grammar::escape;
use crate::contract::{ANY, Focus, Severity, Situation, Status};
use crate::persona::data::Contract;

/// Printable ASCII without what JSON must escape.
pub(super) const SAFE: &str = r"[ !#-\[\]-~]";

/// What a piece of a reply may be. The expression has the one spacing in which this crate writes JSON.
#[derive(Clone, Debug, PartialEq)]
pub struct Form {
    /// Regular expression of the text.
    pub regex: String,
    /// JSON Schema of the value.
    pub schema: Value,
    /// Bytes of the longest text.
    pub longest: usize,
}

impl Form {
    /// Any line of at least one and at most `characters` characters, not in quotation marks.
    #[must_use]
    pub fn line(characters: usize) -> Self {
        Self {
            regex: format!("[ -~]{{1,{characters}}}"),
            schema: json!({ "type": "string", "pattern": format!("^{SAFE}{{1,{characters}}}$") }),
            longest: characters,
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
        Self { regex: format!("({regex})"), schema: json!({ "type": "string", "enum": texts }), longest }
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
        }
    }

    /// A JSON number from 0 to 1 with at most two digits.
    fn share() -> Self {
        Self {
            regex: r"(0\.[0-9]{1,2}|1\.0)".to_owned(),
            schema: json!({ "type": "number", "minimum": 0, "maximum": 1, "multipleOf": 0.01 }),
            longest: 8,
        }
    }

    /// A JSON object with these members, in this order.
    #[must_use]
    pub fn object(members: &[(&str, Self)]) -> Self {
        let regex: Vec<String> =
            members.iter().map(|(key, form)| format!("\"{}\": {}", escape(key), form.regex)).collect();
        let properties: serde_json::Map<String, Value> =
            members.iter().map(|(key, form)| ((*key).to_owned(), form.schema.clone())).collect();
        let required: Vec<&str> = members.iter().map(|(key, _)| *key).collect();
        Self {
            regex: format!("\\{{{}\\}}", regex.join(", ")),
            longest: members.iter().map(|(key, form)| key.len() + form.longest + 8).sum::<usize>() + 4,
            schema: json!({
                "type": "object", "properties": properties, "required": required, "additionalProperties": false
            }),
        }
    }

    /// A JSON array of `least` to `most` such items.
    #[must_use]
    pub fn array(of: &Self, least: usize, most: usize) -> Self {
        let item = &of.regex;
        let filled = match most {
            1 => item.clone(),
            most => format!("{item}(, {item}){{{},{}}}", least.saturating_sub(1), most - 1),
        };
        Self {
            regex: if least == 0 { format!("\\[({filled})?\\]") } else { format!("\\[{filled}\\]") },
            schema: json!({ "type": "array", "items": of.schema, "minItems": least, "maxItems": most }),
            longest: (of.longest + 4) * most + 4,
        }
    }

    /// The message that asks for suggestions (BOG-059).
    #[must_use]
    pub fn situation(brief: &Brief) -> Self {
        let [target, situation, severity, context] = Situation::keys(brief);
        let targets: Vec<&str> = brief.subjects.iter().map(String::as_str).chain([ANY]).collect();
        Self::object(&[
            (&target, Self::word(&targets)),
            (&situation, Self::text(1, 120)),
            (&severity, Self::word(&Severity::ALL.map(Severity::name))),
            (&context, Self::text(0, 120)),
        ])
    }

    /// The message of an adviser. `actions` are the legal ones, as their environment writes them.
    #[must_use]
    pub fn message(contract: Contract, brief: &Brief, actions: &[String]) -> Self {
        match contract {
            Contract::Analysis => {
                let finding = Self::object(&[
                    (&brief.subject, Self::word(&brief.subjects)),
                    ("status", Self::word(&Status::ALL.map(Status::name))),
                    ("severity", Self::word(&Severity::ALL.map(Severity::name))),
                    ("anomalies", Self::array(&Self::text(1, 60), 0, 3)),
                    ("suspected_c2", Self::array(&Self::text(1, 60), 0, 1)),
                    ("recommended_focus", Self::word(&Focus::ALL.map(Focus::name))),
                    ("rationale", Self::text(1, 160)),
                ]);
                Self::array(&finding, 1, 1)
            }
            Contract::Suggestions => {
                let action = if actions.is_empty() { Self::text(1, 80) } else { Self::word(actions) };
                Self::array(&Self::object(&[("action", action), ("confidence", Self::share())]), 1, 3)
            }
            // Who asks for these says what they must be.
            Contract::Graph
            | Contract::Subtasks
            | Contract::Routing
            | Contract::Guidance
            | Contract::Verification
            | Contract::Summary => Self::object(&[]),
        }
    }
}

#[cfg(test)]
mod tests {
    use super::Form;
    use crate::contract::{Finding, Suggestion, Tier};
    use crate::persona::data::Contract;
    use crate::sample;

    fn fits(form: &Form, text: &str) -> bool {
        let regex = regex::Regex::new(&format!("^(?:{})$", form.regex)).unwrap().is_match(text);
        let schema = jsonschema::validator_for(&form.schema).unwrap();
        assert_eq!(regex, serde_json::from_str(text).is_ok_and(|value| schema.is_valid(&value)), "{text}");
        regex
    }

    // covers: BOG-059, BOG-065, BOG-067
    #[test]
    fn what_fits_a_form_is_read_directly() {
        let (brief, actions) = (sample::brief(), sample::actions());
        let form = Form::message(Contract::Suggestions, &brief, &actions);
        let good = r#"[{"action": "Oil machine=lathe", "confidence": 0.45}, {"action": "Wait", "confidence": 0.2}]"#;
        assert!(fits(&form, good));
        assert_eq!(Suggestion::read(good).unwrap().1, Tier::Direct);
        assert!(good.len() <= form.longest);
        assert!(!fits(&form, r#"[{"action": "Oil machine=mill", "confidence": 0.45}]"#));
        let form = Form::message(Contract::Analysis, &brief, &[]);
        let good = r#"[{"machine": "lathe", "status": "changed", "severity": "high", "anomalies": ["hot"], "suspected_c2": [], "recommended_focus": "containment", "rationale": "hot"}]"#;
        assert!(fits(&form, good));
        assert_eq!(Finding::read(good, &brief).unwrap().1, Tier::Direct);
        let form = Form::situation(&brief);
        assert!(fits(&form, r#"{"target_machine": "press", "situation": "x", "severity": "low", "context": ""}"#));
        assert!(!fits(&form, r#"{"target_machine": "mill", "situation": "x", "severity": "low", "context": ""}"#));
    }
}
