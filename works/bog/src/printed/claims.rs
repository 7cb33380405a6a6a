//! Numbers of the text, recomputed from the matrix (requirements BOG-141, BOG-200..210).

use gimbal_analysis::papers::{Check, Relation, Verdict};
use gimbal_analysis::{AnalysisError, metrics};

use super::derived::extreme;
use super::facts::{BogFacts, PaperCell};
use super::prices::{self, Order};
use super::recompute::{HALF, find, frontier, reach};
use super::shapes::{Formula, PaperClaim};

/// Checks every claim.
pub(super) fn check(facts: &BogFacts, checks: &mut Vec<Check>) -> Result<(), AnalysisError> {
    for claim in &facts.claims {
        let place = format!("{}: {}", claim.claim, claim.place);
        let Some((value, ends)) = value(facts, &claim.of)? else {
            return Err(AnalysisError::Facts {
                place: format!("claims, `{place}`"),
                what: "has no value: a denominator is zero, or no cell is left to count".to_owned(),
            });
        };
        let check = Check::judge("Claims", place, claim.printed, claim.digits, value, ends).related(claim.relation);
        checks.push(Check { note: contradiction(claim, &check), ..check });
    }
    Ok(())
}

/// What a text says that is wrong.
fn contradiction(claim: &PaperClaim, check: &Check) -> Option<String> {
    let word = match claim.relation {
        Relation::Equal => return None,
        Relation::Above => "more",
        Relation::Below => "less",
    };
    (check.verdict == Verdict::Miss).then(|| format!("{word} than {} is said", claim.printed))
}

/// A value and what the rounding of its inputs allows.
type Value = Option<(f64, (f64, f64))>;

fn exact(value: f64) -> Value {
    Some((value, (value, value)))
}

fn from<const N: usize>(inputs: [f64; N], formula: impl Fn([f64; N]) -> Option<f64>) -> Value {
    Some((formula(inputs)?, reach(inputs, formula)))
}

fn value(facts: &BogFacts, of: &Formula) -> Result<Value, AnalysisError> {
    let cell = |configuration: &str, model: &str| find(facts, configuration, model);
    let count = |holds: &dyn Fn(&str) -> Result<bool, AnalysisError>| -> Result<Value, AnalysisError> {
        let mut models = 0_u32;
        for model in &facts.models {
            models += u32::from(holds(model)?);
        }
        Ok(exact(f64::from(models)))
    };
    let episodes: f64 = facts.cells.iter().map(|cell| f64::from(cell.episodes)).sum();
    Ok(match of {
        Formula::Pairs => exact(facts.cells.len() as f64),
        Formula::Episodes => exact(episodes),
        Formula::Steps => {
            facts.totals.as_ref().and_then(|totals| exact(episodes * f64::from(totals.steps_of_an_episode)))
        }
        Formula::MillionTokens => {
            let tokens = |half: f64| -> f64 {
                facts.cells.iter().map(|cell| f64::from(cell.episodes) * (cell.kilotokens + half)).sum::<f64>() / 1000.0
            };
            Some((tokens(0.0), (tokens(-HALF), tokens(HALF))))
        }
        Formula::MarginalPercent { from: old, to: new, model } => {
            let inputs = [cell(old, model)?.mean, cell(new, model)?.mean];
            from(inputs, |[old, new]| metrics::marginal_percent(old, new))
        }
        Formula::Degradation { from: old, to: new, model } => {
            let inputs = [cell(old, model)?.mean, cell(new, model)?.mean];
            from(inputs, |[old, new]| metrics::degradation_ratio(old, new))
        }
        Formula::LeastTokenRatio { from, to } => token_ratio(facts, from, to, |new, old| new < old)?,
        Formula::MostTokenRatio { from, to } => token_ratio(facts, from, to, |new, old| new > old)?,
        Formula::ModelsBetter { first, second } => {
            count(&|model| Ok(cell(first, model)?.mean > cell(second, model)?.mean))?
        }
        Formula::ModelsBestAt { configuration, among } => {
            let names: Vec<&str> = match among.as_str() {
                "all" => facts.configurations.iter().map(|entry| entry.name.as_str()).collect(),
                axis => facts.axis(axis),
            };
            count(&|model| Ok(extreme(facts, &names, model, |new, old| new > old)?.configuration == *configuration))?
        }
        Formula::ModelsWithFrontier { axis } => {
            let names = facts.axis(axis);
            count(&|model| Ok(frontier(facts, model).iter().any(|name| names.contains(name))))?
        }
        Formula::ModelsDominated { first, second } => count(&|model| {
            let (first, second) = (cell(first, model)?, cell(second, model)?);
            Ok(first.mean > second.mean && first.kilotokens < second.kilotokens)
        })?,
        Formula::Kilotokens { configuration, model } => exact(cell(configuration, model)?.kilotokens),
        Formula::Sd { configuration, model } => from([cell(configuration, model)?.sd], |[sd]| Some(sd)),
        Formula::CatastrophicPercent { configuration, model } => {
            exact(cell(configuration, model)?.catastrophic_percent)
        }
        Formula::LeastCatastrophicPercent { model } => {
            let own = facts.cells.iter().filter(|cell| cell.model == *model);
            own.map(|cell: &PaperCell| cell.catastrophic_percent).reduce(f64::min).and_then(exact)
        }
        Formula::LeastProfileRatio { configuration } => profile(facts, configuration, f64::min),
        Formula::MostProfileRatio { configuration } => profile(facts, configuration, f64::max),
        Formula::ModelsInOrderByPrice { first, second } => {
            count(&|model| Ok(prices::order(facts, model, first, second)? == Order::Kept))?
        }
    })
}

fn token_ratio(facts: &BogFacts, old: &str, new: &str, better: fn(f64, f64) -> bool) -> Result<Value, AnalysisError> {
    let mut found: Value = None;
    for model in &facts.models {
        let inputs = [find(facts, old, model)?.kilotokens, find(facts, new, model)?.kilotokens];
        let next = from(inputs, |[old, new]| metrics::token_multiplier(old, new));
        let replaces = match (&next, &found) {
            (Some((next, _)), Some((best, _))) => better(*next, *best),
            (next, _) => next.is_some(),
        };
        if replaces {
            found = next;
        }
    }
    Ok(found)
}

/// The printed ratios themselves are the inputs here.
fn profile(facts: &BogFacts, configuration: &str, pick: fn(f64, f64) -> f64) -> Value {
    let own = facts.token_profiles.iter().filter(|profile| profile.configuration == configuration);
    let value = own.map(|profile| profile.ratio).reduce(pick)?;
    Some((value, (value - HALF, value + HALF)))
}
