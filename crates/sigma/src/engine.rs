//! The seam to the library that parses and evaluates rules.

use std::borrow::Cow;
use std::collections::BTreeSet;

use rsigma_eval::{Engine, Event, EventValue};
use rsigma_parser::{CorrelationRule, Detection, DetectionItem, Modifier, SigmaRule};

use crate::{Level, LogSource, Record, patterns};

/// What the library makes of a file of rules.
#[derive(Default)]
pub struct Parsed {
    pub rules: Vec<SigmaRule>,
    /// Rules over several records.
    pub correlations: Vec<CorrelationRule>,
    /// Titles of rules that change others, which is not done.
    pub filters: Vec<String>,
    pub problems: Vec<String>,
}

/// Parses a file of rules. What cannot be read is a problem, and does not keep the rest from being read.
pub fn parse(text: &str) -> Parsed {
    match rsigma_parser::parse_sigma_yaml(text) {
        Ok(found) => Parsed {
            rules: found.rules,
            correlations: found.correlations,
            filters: found.filters.into_iter().map(|filter| filter.title).collect(),
            problems: found.errors,
        },
        Err(error) => Parsed { problems: vec![error.to_string()], ..Parsed::default() },
    }
}

/// The log source of a rule.
pub fn log_source(rule: &SigmaRule) -> LogSource {
    let source = &rule.logsource;
    LogSource { category: source.category.clone(), product: source.product.clone(), service: source.service.clone() }
}

/// A level as this program has it.
pub fn level(level: Option<rsigma_parser::Level>) -> Option<Level> {
    level.and_then(|level| level.as_str().parse().ok())
}

/// The placeholders that a rule leaves to whoever runs it, such as the names of a site's own servers.
pub fn placeholders(rule: &SigmaRule) -> BTreeSet<String> {
    let mut found = BTreeSet::new();
    rule.detection.named.values().for_each(|detection| collect(detection, &mut found));
    found
}

fn collect(detection: &Detection, found: &mut BTreeSet<String>) {
    match detection {
        Detection::AllOf(items) => items.iter().for_each(|item| collect_item(item, found)),
        Detection::AnyOf(parts) | Detection::And(parts) => parts.iter().for_each(|part| collect(part, found)),
        Detection::Keywords(_) => {}
        Detection::ArrayMatch { body, .. } => collect(body, found),
        Detection::Conditional { named, .. } => named.values().for_each(|part| collect(part, found)),
    }
}

fn collect_item(item: &DetectionItem, found: &mut BTreeSet<String>) {
    if item.field.modifiers.contains(&Modifier::Expand) {
        for value in &item.values {
            let text = value.to_string();
            // Names stand between percent signs: every second piece.
            found.extend(text.split('%').skip(1).step_by(2).filter(|name| !name.is_empty()).map(str::to_owned));
        }
    }
}

/// Rules of one gate, as one collection.
#[derive(Default)]
pub struct Collection {
    engine: Engine,
}

impl Collection {
    /// Takes rules under numbers, which [`matches`](Self::matches) gives back. They are indexed once. Returns those that the library
    /// cannot compile, with the reason.
    pub fn new(rules: Vec<(usize, SigmaRule)>) -> (Self, Vec<(usize, String)>) {
        let mut engine = Engine::new();
        let numbers: Vec<usize> = rules.iter().map(|(number, _)| *number).collect();
        let rules: Vec<SigmaRule> = rules.into_iter().map(|(number, rule)| numbered(number, rule)).collect();
        let failed = engine.add_rules(&rules);
        let failed =
            failed.into_iter().filter_map(|(index, error)| Some((*numbers.get(index)?, error.to_string()))).collect();
        (Self { engine }, failed)
    }

    /// Adds the numbers of the rules that match a record.
    pub fn matches(&self, record: &Record, found: &mut Vec<usize>) {
        for result in self.engine.evaluate(&Fields(record)) {
            found.extend(result.header.rule_id.and_then(|number| number.parse::<usize>().ok()));
        }
    }
}

/// A rule that answers with its number. What else it would carry into each answer is taken away.
fn numbered(number: usize, mut rule: SigmaRule) -> SigmaRule {
    rule.id = Some(number.to_string());
    rule.title.clear();
    rule.tags.clear();
    rule.custom_attributes.clear();
    rule.detection.named.values_mut().for_each(patterns::spell_out);
    rule
}

/// A record as the library asks for it.
struct Fields<'a>(&'a Record);

impl Event for Fields<'_> {
    fn get_field(&self, path: &str) -> Option<EventValue<'_>> {
        self.0.get(path).map(|value| EventValue::Str(Cow::Borrowed(value)))
    }

    fn any_string_value(&self, is: &dyn Fn(&str) -> bool) -> bool {
        self.0.fields().any(|(_, value)| is(value))
    }

    fn all_string_values(&self) -> Vec<Cow<'_, str>> {
        self.0.fields().map(|(_, value)| Cow::Borrowed(value)).collect()
    }

    fn visit_string_values(&self, visit: &mut dyn FnMut(&str)) {
        self.0.fields().for_each(|(_, value)| visit(value));
    }

    fn to_json(&self) -> serde_json::Value {
        self.0.fields().map(|(name, value)| (name.to_owned(), serde_json::Value::from(value))).collect()
    }

    fn field_keys(&self) -> Vec<Cow<'_, str>> {
        self.0.fields().map(|(name, _)| Cow::Borrowed(name)).collect()
    }

    fn top_level_keys(&self) -> Option<Vec<Cow<'_, str>>> {
        Some(self.field_keys())
    }

    fn visit_top_level_keys(&self, visit: &mut dyn FnMut(&str)) -> bool {
        self.0.fields().for_each(|(name, _)| visit(name));
        true
    }
}
