//! The work's check of its cost measure: tokens weighted by what a provider asks for a completion token (App. F, BOG-173).
//!
//! Prompt and completion tokens are printed apart for two configurations only (Tab. 32). Of the others the totals are known: their
//! weighted tokens lie between what the highest and the lowest printed ratio of their model give.

use gimbal_analysis::{AnalysisError, metrics};

use super::facts::BogFacts;
use super::recompute::find;
use super::shapes::TokenProfile;

/// Least and most that a number can be.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Bounds {
    /// Least.
    pub low: f64,
    /// Most.
    pub high: f64,
}

/// What weights make of the order of two configurations on one model.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Order {
    /// The one that is more efficient by tokens is so by price, however the tokens are split.
    Kept,
    /// The other one is more efficient by price, however the tokens are split.
    Turned,
    /// It depends on a split that is not printed.
    Open,
}

/// Two configurations on one model.
#[derive(Clone, Debug, PartialEq)]
pub struct Pair {
    /// Model.
    pub model: String,
    /// First configuration, in the order of the facts.
    pub first: String,
    /// Second configuration.
    pub second: String,
    /// Their order by price.
    pub order: Order,
}

/// The order by price of every pair of configurations, model by model.
///
/// # Errors
/// When the matrix lacks a cell, or a model has no weight or no printed split.
pub fn pairs(facts: &BogFacts) -> Result<Vec<Pair>, AnalysisError> {
    let mut pairs = Vec::new();
    for model in &facts.models {
        let names = || facts.configurations.iter().map(|entry| entry.name.as_str());
        for (place, first) in names().enumerate() {
            for second in names().skip(place + 1) {
                let order = order(facts, model, first, second)?;
                pairs.push(Pair { model: model.clone(), first: first.to_owned(), second: second.to_owned(), order });
            }
        }
    }
    Ok(pairs)
}

/// The pairs whose order by price is open, in one sentence; `None` where there are none, or the facts have no weights.
pub(super) fn open(facts: &BogFacts) -> Result<Option<String>, AnalysisError> {
    if facts.completion_weights.is_empty() {
        return Ok(None);
    }
    let all = pairs(facts)?;
    let open = all.iter().filter(|pair| pair.order == Order::Open);
    let named: Vec<String> = open.map(|pair| format!("{} and {} on {}", pair.first, pair.second, pair.model)).collect();
    Ok((!named.is_empty()).then(|| {
        format!(
            "Open order by efficiency over weighted tokens, since the split into prompt and completion tokens is not printed, \
             {} of {} pairs: {}.",
            named.len(),
            all.len(),
            named.join("; ")
        )
    }))
}

/// The order by price of two configurations on one model, by shifted efficiency.
pub(super) fn order(facts: &BogFacts, model: &str, first: &str, second: &str) -> Result<Order, AnalysisError> {
    let plain = |name: &str| -> Result<f64, AnalysisError> {
        let cell = find(facts, name, model)?;
        Ok(metrics::shifted_efficiency(facts.shift, cell.mean, cell.kilotokens).unwrap_or_default())
    };
    let (one, other) = (efficiency(facts, first, model)?, efficiency(facts, second, model)?);
    let (better, worse) = if plain(first)? >= plain(second)? { (one, other) } else { (other, one) };
    Ok(match () {
        () if better.low > worse.high => Order::Kept,
        () if better.high < worse.low => Order::Turned,
        () => Order::Open,
    })
}

/// Shifted efficiency of a cell over its weighted tokens.
fn efficiency(facts: &BogFacts, configuration: &str, model: &str) -> Result<Bounds, AnalysisError> {
    let mean = find(facts, configuration, model)?.mean;
    let tokens = kilotokens(facts, configuration, model)?;
    let of = |tokens: f64| metrics::shifted_efficiency(facts.shift, mean, tokens).unwrap_or_default();
    Ok(Bounds { low: of(tokens.high), high: of(tokens.low) })
}

/// Thousands of prompt tokens an episode that cost as much as the tokens of a cell.
pub(super) fn kilotokens(facts: &BogFacts, configuration: &str, model: &str) -> Result<Bounds, AnalysisError> {
    let missing = |what: &str| AnalysisError::Facts { place: format!("model `{model}`"), what: what.to_owned() };
    let weight = *facts.completion_weights.get(model).ok_or_else(|| missing("has no `completion_weights`: add it"))?;
    let total = find(facts, configuration, model)?.kilotokens;
    let ratio = |profile: &TokenProfile| profile.prompt / profile.completion;
    let weighted = |ratio: f64| total * (ratio + weight) / (ratio + 1.0);
    let own: Vec<&TokenProfile> = facts.token_profiles.iter().filter(|profile| profile.model == model).collect();
    if let Some(printed) = own.iter().find(|profile| profile.configuration == configuration) {
        let exact = weighted(ratio(printed));
        return Ok(Bounds { low: exact, high: exact });
    }
    let all = || own.iter().map(|profile| weighted(ratio(profile)));
    let low = all().reduce(f64::min).ok_or_else(|| missing("has no row in `token_profiles`: add one"))?;
    Ok(Bounds { low, high: all().reduce(f64::max).unwrap_or(low) })
}
