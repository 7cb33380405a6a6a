//! Rules over several records, as they are written: what of them can be asked.

use std::collections::BTreeMap;

use rsigma_parser::{
    ConditionExpr, ConditionOperator, CorrelationCondition, CorrelationRule, CorrelationType, WindowMode,
};

use crate::correlation::{Condition, Correlation, Expression, Grouping, Kind};

/// What a name in a rule means.
#[derive(Clone, Debug)]
pub enum Named {
    /// A rule that is asked, by its index.
    Asked(usize),
    /// One that is not, and why.
    Not(String),
    /// Several rules.
    Several,
}

/// Rules by their ids and names.
pub type Names = BTreeMap<String, Named>;

/// Enters a rule under its id and its name.
pub fn enter(names: &mut Names, keys: [Option<&str>; 2], named: &Named) {
    let mut before = None;
    for key in keys.into_iter().flatten().map(str::trim).filter(|key| !key.is_empty()) {
        // A rule whose name is its id has one key.
        if before != Some(key) {
            names.entry(key.to_owned()).and_modify(|known| *known = Named::Several).or_insert_with(|| named.clone());
        }
        before = Some(key);
    }
}

/// The rule as it is asked, under an index; or why it is not.
pub fn read(rule: &CorrelationRule, index: usize, names: &Names) -> Result<Correlation, String> {
    let word = rule.correlation_type.as_str();
    if rule.window != WindowMode::Sliding {
        return Err("its window does not slide, and no other kind is known here".to_owned());
    }
    let mut parts = Vec::with_capacity(rule.rules.len());
    for name in &rule.rules {
        let part = match names.get(name) {
            Some(Named::Asked(part)) => *part,
            Some(Named::Not(why)) => return Err(format!("it names `{name}`, {why}")),
            Some(Named::Several) => return Err(format!("it names `{name}`, which is more than one rule")),
            None => return Err(format!("it names `{name}`, and no rule here has that id or name")),
        };
        if parts.contains(&part) {
            return Err(format!("it names `{name}` twice"));
        }
        parts.push(part);
    }
    if parts.is_empty() {
        return Err("it names no rule (`rules`)".to_owned());
    }
    let fields = match &rule.condition {
        CorrelationCondition::Threshold { field, .. } => field.clone().unwrap_or_default(),
        CorrelationCondition::Extended(_) => Vec::new(),
    };
    let kind = match rule.correlation_type {
        CorrelationType::EventCount => Kind::EventCount,
        CorrelationType::ValueCount if fields.is_empty() => {
            return Err("it counts values and names no field (`condition.field`)".to_owned());
        }
        CorrelationType::ValueCount => Kind::ValueCount(fields),
        CorrelationType::Temporal => Kind::Temporal,
        CorrelationType::TemporalOrdered => Kind::TemporalOrdered,
        CorrelationType::ValueSum
        | CorrelationType::ValueAvg
        | CorrelationType::ValuePercentile
        | CorrelationType::ValueMedian => {
            return Err(format!(
                "`{word}` is not computed (known: event_count, value_count, temporal, temporal_ordered)"
            ));
        }
    };
    let wanted = wanted(rule, &kind, parts.len())?;
    let within = i64::try_from(rule.timespan.seconds).ok().and_then(|seconds| seconds.checked_mul(1_000_000));
    let within = within.ok_or_else(|| format!("its timespan of {} seconds is too long", rule.timespan.seconds))?;
    let group_by = rule.group_by.iter().map(|name| grouping(rule, name, names)).collect();
    Ok(Correlation { rule: index, parts, kind, wanted, within, group_by, generates: rule.generate })
}

fn wanted(rule: &CorrelationRule, kind: &Kind, parts: usize) -> Result<Condition, String> {
    let is_about_rules = matches!(kind, Kind::Temporal | Kind::TemporalOrdered);
    let predicates = match &rule.condition {
        CorrelationCondition::Threshold { predicates, .. } => predicates,
        CorrelationCondition::Extended(expression) if *kind == Kind::Temporal => {
            return Ok(Condition::Rules(self::expression(expression, &rule.rules)?));
        }
        CorrelationCondition::Extended(_) => {
            return Err("its condition is an expression, which only `temporal` rules have here".to_owned());
        }
    };
    let mut least = 1;
    for (operator, value) in predicates {
        let value = match operator {
            ConditionOperator::Gte => *value,
            ConditionOperator::Gt => value.saturating_add(1),
            ConditionOperator::Lt | ConditionOperator::Lte | ConditionOperator::Eq | ConditionOperator::Neq => {
                return Err(format!(
                    "its condition `{operator:?}` does not hold for good once it holds: a later record can undo it (known: gt, gte)"
                )
                .to_lowercase());
            }
        };
        least = least.max(value);
    }
    let all = parts as u64;
    if is_about_rules && least > all {
        return Err(format!("its condition asks for {least} rules, and it names {all}"));
    }
    // Without a condition all named rules must match. The parser writes that as `gte: 1`, so that a `gte: 1` of the rule's own cannot be
    // told from it and means all of them too.
    if is_about_rules && least == 1 {
        least = all;
    }
    if *kind == Kind::TemporalOrdered && least < all {
        return Err(format!("its condition asks for {least} of {all} rules in order, which is not known here"));
    }
    Ok(Condition::Least(least))
}

fn expression(written: &ConditionExpr, names: &[String]) -> Result<Expression, String> {
    let all = |parts: &[ConditionExpr]| parts.iter().map(|part| expression(part, names)).collect::<Result<Vec<_>, _>>();
    match written {
        ConditionExpr::And(parts) => all(parts).map(Expression::All),
        ConditionExpr::Or(parts) => all(parts).map(Expression::Any),
        ConditionExpr::Identifier(name) => names
            .iter()
            .position(|known| known == name)
            .map(Expression::Rule)
            .ok_or_else(|| format!("its condition names `{name}`, which is not among its `rules`")),
        ConditionExpr::Not(_) => Err("its condition has a `not`: a later record can undo it".to_owned()),
        ConditionExpr::Selector { .. } => {
            Err("its condition counts patterns of names, which is not known here".to_owned())
        }
    }
}

fn grouping(rule: &CorrelationRule, name: &str, names: &Names) -> Grouping {
    let alias = rule.aliases.iter().find(|alias| alias.alias == name);
    let fields = alias.into_iter().flat_map(|alias| &alias.mapping).filter_map(|(part, field)| match names.get(part) {
        Some(Named::Asked(part)) => Some((*part, field.clone())),
        _ => None,
    });
    Grouping { name: name.to_owned(), fields: fields.collect() }
}
