//! What is known of remote models before a request is sent: which grammars they enforce, which settings they take, how
//! much fits. Data with source and date, in `providers.yaml`; a study may state other values.

use std::collections::BTreeMap;
use std::sync::{Arc, LazyLock};

use gimbal_core::{GrammarKind, yaml};
use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

use crate::error::SetupError;
use crate::native_calls::NativeCalls;
use crate::remote::{Dialect, SchemaRules};

/// The table that comes with the program.
const BUILTIN: &str = include_str!("../../../providers.yaml");

/// Traits of a model. What is left out is not stated.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(default, deny_unknown_fields)]
pub struct Traits {
    /// Kinds of grammars that the server enforces: `schema`, `choice`, `regex`.
    #[serde(skip_serializing_if = "Option::is_none")]
    #[schemars(schema_with = "kinds")]
    pub masks: Option<Vec<GrammarKind>>,
    /// What a JSON Schema must be to be accepted.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub rules: Option<SchemaRules>,
    /// What the server enforces of native tool calls.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub native: Option<NativeCalls>,
    /// Whether it takes `parallel_tool_calls`.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub parallel: Option<bool>,
    /// Whether it takes stop texts.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub stop: Option<bool>,
    /// Whether it takes temperature and top_p.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub sampling: Option<bool>,
    /// Whether it takes a seed.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub seed: Option<bool>,
    /// Whether it takes a reasoning effort.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub effort: Option<bool>,
    /// What the bound of the output is called.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub bound: Option<Bound>,
    /// Tokens of prompt and output together.
    #[serde(skip_serializing_if = "Option::is_none")]
    #[schemars(range(min = 1))]
    pub context: Option<u64>,
    /// Most tokens of output.
    #[serde(skip_serializing_if = "Option::is_none")]
    #[schemars(range(min = 1))]
    pub output: Option<u32>,
}

fn kinds(_: &mut schemars::SchemaGenerator) -> schemars::Schema {
    let kinds = [GrammarKind::Schema, GrammarKind::Choice, GrammarKind::Regex].map(GrammarKind::name);
    let one = serde_json::json!({ "enum": kinds });
    schemars::json_schema!({ "anyOf": [one, { "type": "array", "items": one }] })
}

/// What the bound of the output is called in OpenAI's wire format.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "snake_case")]
pub enum Bound {
    /// `max_tokens`.
    #[default]
    MaxTokens,
    /// `max_completion_tokens`: what reasoning models take.
    MaxCompletionTokens,
}

/// What holds for one model, every trait decided.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Known {
    /// Kinds of grammars that the server enforces.
    pub masks: Vec<GrammarKind>,
    /// What a JSON Schema must be to be accepted.
    pub rules: SchemaRules,
    /// What the server enforces of native tool calls.
    pub native: NativeCalls,
    /// Whether it takes `parallel_tool_calls`.
    pub parallel: bool,
    /// Whether it takes stop texts.
    pub stop: bool,
    /// Whether it takes temperature and top_p.
    pub sampling: bool,
    /// Whether it takes a seed.
    pub seed: bool,
    /// Whether it takes a reasoning effort.
    pub effort: bool,
    /// What the bound of the output is called.
    pub bound: Bound,
    /// Tokens of prompt and output together, where known.
    pub context: Option<u64>,
    /// Most tokens of output, where known.
    pub output: Option<u32>,
    /// Where it says which grammars are enforced.
    pub source: String,
    /// Where it says what is enforced of native tool calls.
    pub native_source: String,
}

impl Known {
    /// Whether a grammar of this kind can be enforced.
    #[must_use]
    pub fn enforces(&self, kind: GrammarKind) -> bool {
        self.masks.contains(&kind)
    }
}

/// The table.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct TraitTable {
    rows: Vec<Row>,
}

#[derive(Clone, Debug, PartialEq, Eq)]
struct Row {
    model: String,
    traits: Traits,
    source: String,
}

#[derive(Deserialize)]
#[serde(deny_unknown_fields)]
struct TableFile {
    date: String,
    rows: Vec<RowFile>,
}

/// A row: the traits beside pattern, source and date.
#[derive(Deserialize)]
#[serde(deny_unknown_fields)]
struct RowFile {
    model: String,
    source: String,
    seen: String,
    masks: Option<Vec<GrammarKind>>,
    rules: Option<SchemaRules>,
    native: Option<NativeCalls>,
    parallel: Option<bool>,
    stop: Option<bool>,
    sampling: Option<bool>,
    seed: Option<bool>,
    effort: Option<bool>,
    bound: Option<Bound>,
    context: Option<u64>,
    output: Option<u32>,
}

impl TraitTable {
    /// The table that comes with the program, read once; a test reads it, so that it cannot be broken in a release.
    #[must_use]
    pub fn built_in() -> Arc<Self> {
        static READ: LazyLock<Arc<TraitTable>> =
            LazyLock::new(|| Arc::new(TraitTable::parse(BUILTIN, "built-in providers.yaml").unwrap_or_default()));
        Arc::clone(&READ)
    }

    /// Reads a table; `origin` is named in errors.
    ///
    /// # Errors
    /// [`SetupError::Settings`] with line and column.
    pub fn parse(text: &str, origin: &str) -> Result<Self, SetupError> {
        let file: TableFile = yaml::read(text, origin).map_err(|error| SetupError::Settings(error.to_string()))?;
        let fail = |model: &str, why: &str| Err(SetupError::Settings(format!("{origin}: `{model}`: {why}")));
        if !is_date(&file.date) {
            return Err(SetupError::Settings(format!("{origin}: `date` must be written YYYY-MM-DD")));
        }
        let mut rows: Vec<Row> = Vec::new();
        for row in file.rows {
            if row.source.trim().is_empty() || !is_date(&row.seen) {
                return fail(&row.model, "a row needs `source` and `seen` (YYYY-MM-DD)");
            }
            if row.model.find('*').is_some_and(|star| star + 1 != row.model.len()) {
                return fail(&row.model, "`*` is allowed at the end of a name only");
            }
            if rows.iter().any(|known| known.model == row.model) {
                return fail(&row.model, "duplicate row; drop one");
            }
            let traits = Traits {
                masks: row.masks,
                rules: row.rules,
                native: row.native,
                parallel: row.parallel,
                stop: row.stop,
                sampling: row.sampling,
                seed: row.seed,
                effort: row.effort,
                bound: row.bound,
                context: row.context,
                output: row.output,
            };
            rows.push(Row { model: row.model, traits, source: row.source });
        }
        rows.sort_by_key(|row| row.model.len());
        Ok(Self { rows })
    }

    /// What holds for a model: the table's word, then that of the study, first `dialect` of its endpoint and last
    /// `stated`.
    #[must_use]
    pub fn of(&self, name: &str, dialect: Option<Dialect>, stated: Option<&Traits>) -> Known {
        let mut all = Traits::default();
        let mut source = String::from("no row of providers.yaml");
        let mut native_source = source.clone();
        // The longest match comes last and goes over the others.
        for row in self.rows.iter().filter(|row| matches(&row.model, name)) {
            if row.traits.masks.is_some() {
                source.clone_from(&row.source);
            }
            if row.traits.native.is_some() {
                native_source.clone_from(&row.source);
            }
            all = all.under(&row.traits);
        }
        if let Some(dialect) = dialect {
            all.masks = Some(dialect.masks().to_vec());
            all.rules = Some(dialect.rules());
            all.native = Some(dialect.native());
            "`grammar` of the study's endpoint".clone_into(&mut source);
            native_source.clone_from(&source);
        }
        if let Some(stated) = stated {
            if stated.masks.is_some() {
                "`models.facts` of the study".clone_into(&mut source);
            }
            if stated.native.is_some() {
                "`models.facts` of the study".clone_into(&mut native_source);
            }
            all = all.under(stated);
        }
        Known {
            masks: all.masks.unwrap_or_default(),
            rules: all.rules.unwrap_or_default(),
            native: match all.native.unwrap_or_default() {
                // Its requests have no strict tools, whatever was stated.
                NativeCalls::Strict if name.starts_with("gemini/") => NativeCalls::Forced,
                native => native,
            },
            parallel: all.parallel.unwrap_or(true),
            stop: all.stop.unwrap_or(true),
            sampling: all.sampling.unwrap_or(true),
            seed: all.seed.unwrap_or(true),
            effort: all.effort.unwrap_or(false),
            bound: all.bound.unwrap_or_default(),
            context: all.context,
            output: all.output,
            source,
            native_source,
        }
    }

    /// The patterns of all rows with their sources, shortest first.
    #[must_use]
    pub fn sources(&self) -> BTreeMap<&str, &str> {
        self.rows.iter().map(|row| (row.model.as_str(), row.source.as_str())).collect()
    }
}

impl Traits {
    /// These, with those of `over` where it states any.
    fn under(self, over: &Self) -> Self {
        let over = over.clone();
        Self {
            masks: over.masks.or(self.masks),
            rules: over.rules.or(self.rules),
            native: over.native.or(self.native),
            parallel: over.parallel.or(self.parallel),
            stop: over.stop.or(self.stop),
            sampling: over.sampling.or(self.sampling),
            seed: over.seed.or(self.seed),
            effort: over.effort.or(self.effort),
            bound: over.bound.or(self.bound),
            context: over.context.or(self.context),
            output: over.output.or(self.output),
        }
    }
}

fn matches(pattern: &str, name: &str) -> bool {
    pattern.strip_suffix('*').map_or(pattern == name, |start| name.starts_with(start))
}

fn is_date(text: &str) -> bool {
    let parts: Vec<&str> = text.split('-').collect();
    let digits = |part: &str, length: usize| part.len() == length && part.bytes().all(|byte| byte.is_ascii_digit());
    matches!(parts[..], [year, month, day] if digits(year, 4) && digits(month, 2) && digits(day, 2))
}

#[cfg(test)]
mod tests {
    use gimbal_core::GrammarKind;

    use super::{BUILTIN, Bound, NativeCalls, TraitTable, Traits};
    use crate::price::PriceTable;
    use crate::remote::{Dialect, Provider, SchemaRules};

    #[test]
    fn the_built_in_table_reads_and_knows_every_family() {
        let table = TraitTable::parse(BUILTIN, "providers.yaml").unwrap();
        assert_eq!(table, *TraitTable::built_in());
        for provider in Provider::ALL {
            let family = format!("{}/*", provider.name());
            assert!(table.sources().contains_key(family.as_str()), "{family}");
        }
        for model in table.sources().keys() {
            let family = model.split('/').next().unwrap();
            assert!(Provider::ALL.iter().any(|provider| provider.name() == family), "{model}");
        }
        // Every model with a published price has a bound that is known, so that no default can exceed it unseen.
        for name in PriceTable::default().models.keys().filter(|name| !name.starts_with("openrouter/")) {
            assert!(table.of(name, None, None).context.is_some(), "{name}");
        }
    }

    // covers: BOG-045
    #[test]
    fn reasoning_models_take_neither_stop_texts_nor_sampling() {
        let table = TraitTable::built_in();
        for name in ["openai/o3-mini", "openai/gpt-5-mini", "openai/o4-mini"] {
            let known = table.of(name, None, None);
            assert_eq!((known.stop, known.sampling, known.effort), (false, false, true), "{name}");
            assert_eq!(known.bound, Bound::MaxCompletionTokens);
        }
        let opus = table.of("anthropic/claude-opus-4-7", None, None);
        assert_eq!((opus.stop, opus.sampling), (true, false));
        // OpenRouter writes the number with a point.
        for number in ["4.7", "4.8", "4.7-20261101"] {
            let routed = table.of(&format!("openrouter/anthropic/claude-opus-{number}"), None, None);
            assert_eq!((routed.stop, routed.sampling), (true, false), "{number}");
        }
        assert!(table.of("openrouter/anthropic/claude-opus-4.6", None, None).sampling);
        assert!(table.of("openai/gpt-4o-mini", None, None).sampling);
        assert!(table.of("vllm/gpt-5", None, None).sampling, "the same name elsewhere is that server's business");
    }

    // covers: SH-01
    #[test]
    fn models_from_before_schemas_enforce_none() {
        let table = TraitTable::built_in();
        let enforces = |name: &str| table.of(name, None, None).enforces(GrammarKind::Schema);
        let before =
            ["gpt-3.5-turbo", "gpt-4", "gpt-4-0613", "gpt-4-turbo", "gpt-4-turbo-2024-04-09", "gpt-4o-2024-05-13"];
        for name in before.into_iter().chain(["chatgpt-4o-latest", "o1-mini", "o1-mini-2024-09-12", "o1-preview"]) {
            assert!(!enforces(&format!("openai/{name}")), "{name}");
            assert!(!enforces(&format!("openrouter/openai/{name}")), "{name}");
        }
        for name in
            ["gpt-4o", "gpt-4o-mini", "gpt-4o-2024-08-06", "gpt-4.1", "gpt-4.5-preview", "gpt-5", "o1", "o3-mini"]
        {
            assert!(enforces(&format!("openai/{name}")), "{name}");
        }
        // What it answers at most is its own as well.
        assert_eq!(table.of("openai/gpt-4o-2024-05-13", None, None).context, Some(128_000));
    }

    #[test]
    fn the_study_goes_over_the_table_and_the_longest_match_over_the_others() {
        let table = TraitTable::built_in();
        let known = |dialect, stated: Option<&Traits>| table.of("compatible/x", dialect, stated);
        assert!(known(None, None).masks.is_empty());
        let stated = known(Some(Dialect::Vllm), None);
        assert!(stated.enforces(GrammarKind::Regex) && stated.rules == SchemaRules::Any);
        let own = Traits { masks: Some(vec![GrammarKind::Schema]), context: Some(4096), ..Traits::default() };
        let stated = known(Some(Dialect::Vllm), Some(&own));
        assert_eq!((stated.masks.as_slice(), stated.context), (&[GrammarKind::Schema][..], Some(4096)));
        assert!(stated.source.contains("models.facts"), "{}", stated.source);
        assert!(!table.of("anthropic/claude-3-haiku", None, None).enforces(GrammarKind::Schema));
        assert!(table.of("anthropic/claude-haiku-4-5-20251001", None, None).enforces(GrammarKind::Choice));
    }

    #[test]
    fn what_is_enforced_of_native_calls_is_known_of_every_family() {
        let table = TraitTable::built_in();
        let native = |name: &str| table.of(name, None, None).native;
        for name in ["openai/gpt-4o", "openai/gpt-5-mini", "openai/o3-mini", "anthropic/claude-sonnet-4-6"] {
            assert_eq!(native(name), NativeCalls::Strict, "{name}");
        }
        assert_eq!(native("gemini/gemini-3-flash"), NativeCalls::Forced);
        for name in ["openai/gpt-4", "anthropic/claude-3-haiku", "vllm/x", "llamacpp/x", "ollama/x", "compatible/x"] {
            assert_eq!(native(name), NativeCalls::None, "{name}");
        }
        assert!(!table.of("openai/o4-mini", None, None).parallel && table.of("openai/gpt-4.1", None, None).parallel);
        assert_eq!(table.of("compatible/x", Some(Dialect::Openai), None).native, NativeCalls::Strict);
        let stated = Traits { native: Some(NativeCalls::Forced), ..Traits::default() };
        let stated = table.of("compatible/x", Some(Dialect::Openai), Some(&stated));
        assert_eq!(stated.native, NativeCalls::Forced);
        assert_eq!(table.of("gemini/x", Some(Dialect::Openai), None).native, NativeCalls::Forced);
        assert!(stated.native_source.contains("models.facts"), "{}", stated.native_source);
    }

    #[test]
    fn broken_tables_say_where() {
        for (text, part) in [
            ("date: soon\nrows: []", "YYYY-MM-DD"),
            ("date: 2026-01-01\nrows:\n  - { model: a/*b, source: x, seen: 2026-01-01 }", "end of a name"),
            ("date: 2026-01-01\nrows:\n  - { model: a/b, source: '', seen: 2026-01-01 }", "source"),
            ("date: 2026-01-01\nrows:\n  - { model: a/b, source: x, seen: 2026-01-01, mask: [] }", "masks"),
            ("date: 2026-01-01\nrows:\n  - { model: a/b, source: x, seen: 2026-01-01, masks: [gbnf] }", "gbnf"),
        ] {
            let error = TraitTable::parse(text, "providers.yaml").unwrap_err().to_string();
            assert!(error.starts_with("providers.yaml") && error.contains(part), "{error}");
        }
    }
}
