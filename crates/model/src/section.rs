//! The section `models:` of a study: where models are reached, how fast, and how often failed calls are repeated.

use std::collections::BTreeMap;
use std::path::PathBuf;

use schemars::JsonSchema;
use serde::{Deserialize, Serialize};
use serde_json::{Value, json};

use crate::config::{CacheConfig, Endpoint, ModelsConfig, Rate, RecordConfig, RetryPolicy, Timeouts};
use crate::remote::Provider;
use crate::traits::Traits;

/// The section `models:` of a study. Everything is optional.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(default, deny_unknown_fields)]
pub struct ModelsSection {
    /// Where models are served, by family (`vllm`) or model (`vllm/qwen3-4b`); the model goes before the family.
    pub endpoints: BTreeMap<String, Endpoint>,
    /// How fast models may be asked, by family or model.
    pub rates: BTreeMap<String, Rate>,
    /// What is known of models, where the study knows better than the table that comes with the program.
    pub facts: BTreeMap<String, Traits>,
    /// How failed calls are repeated.
    pub retry: RetryPolicy,
    /// How long a provider may take.
    pub timeouts: Timeouts,
    /// Folder in which answers are kept, so that equal calls of equal episodes are not paid for twice.
    pub cache: Option<PathBuf>,
    /// Folder into which conversations are recorded, for `replay/<folder>`.
    pub record: Option<PathBuf>,
}

impl ModelsSection {
    /// Names of the families that take endpoints and rates.
    pub fn families() -> impl Iterator<Item = &'static str> {
        Provider::ALL.into_iter().map(Provider::name)
    }

    /// JSON Schema of the section.
    #[must_use]
    pub fn schema() -> Value {
        let mut schema = schemars::schema_for!(Self).to_value();
        let families = Self::families().collect::<Vec<_>>().join("|");
        for key in ["endpoints", "rates", "facts"] {
            if let Some(Value::Object(map)) = schema.pointer_mut(&format!("/properties/{key}")) {
                map.insert("propertyNames".to_owned(), json!({ "pattern": format!("^({families})(/.+)?$") }));
            }
        }
        schema
    }

    /// The settings of models, with those of the section in place of `base`'s.
    #[must_use]
    pub fn over(self, base: ModelsConfig) -> ModelsConfig {
        ModelsConfig {
            endpoints: self.endpoints,
            rates: self.rates,
            facts: self.facts,
            retry: self.retry,
            timeouts: self.timeouts,
            cache: self.cache.map(|folder| CacheConfig { folder }),
            record: self.record.map(|folder| RecordConfig { folder }),
            ..base
        }
    }
}

/// Whether a text can be the name of an environment variable as keys have it: capital letters, digits and `_`. Keys
/// themselves hold small letters, so that a key pasted in the place of its variable is found out.
#[must_use]
pub fn is_variable_name(text: &str) -> bool {
    text.starts_with(|first: char| first.is_ascii_uppercase() || first == '_')
        && text.chars().all(|letter| letter.is_ascii_uppercase() || letter.is_ascii_digit() || letter == '_')
}

#[cfg(test)]
mod tests {
    use super::{ModelsSection, is_variable_name};
    use crate::remote::Provider;

    const PAGE: &str = include_str!("../../../docs/models.md");

    #[test]
    fn the_page_lists_every_family_and_setting() {
        for provider in Provider::ALL {
            let optional = if provider.needs_key() { "" } else { " (optional)" };
            let base = provider.base().map_or_else(|| "must be given".to_owned(), |base| format!("`{base}`"));
            let (name, key, variable) = (provider.name(), provider.key_variable(), provider.base_variable());
            let row = format!("| `{name}` | `{key}`{optional} | `{variable}` | {base} |");
            assert!(PAGE.contains(&row), "{row}");
        }
        let default = serde_json::to_value(ModelsSection::default()).unwrap();
        for (section, settings) in default.as_object().unwrap() {
            assert!(PAGE.contains(&format!("\n  {section}:")), "{section}");
            for (key, value) in settings.as_object().into_iter().flatten() {
                assert!(PAGE.contains(&format!("{key}: {value}")), "{section}.{key}");
            }
        }
    }

    #[test]
    fn the_example_on_the_page_is_a_section() {
        let example = PAGE.split("```yaml\n").nth(1).and_then(|rest| rest.split("\n```").next()).unwrap();
        let value: serde_json::Value = gimbal_core::yaml::read(example, "docs/models.md").unwrap();
        let section: ModelsSection = serde_json::from_value(value["models"].clone()).unwrap();
        assert!(section.facts["compatible/my-model"].masks.is_some() && section.cache.is_some());
    }

    #[test]
    fn keys_are_no_names_of_variables() {
        assert!(["MY_KEY", "_K2", "OPENAI_API_KEY"].into_iter().all(is_variable_name));
        assert!(!["sk-abc", "AIzaSyAbc", "gsk_abc", "", "2KEY", "MY KEY", "$KEY"].into_iter().any(is_variable_name));
    }
}
