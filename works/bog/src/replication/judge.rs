//! One claim on the models of one environment.

use super::resampled::{Clusters, Sums};
use super::{Finding, Majority, Outcome, Replication};
use crate::axes::{Claim, Expectation, Grid, Quantity, Side};
use gimbal_analysis::EpisodeRow;
use gimbal_analysis::Options;
use gimbal_analysis::frontier::{Point, pareto};
use gimbal_analysis::metrics;
use gimbal_analysis::paired::{catastrophic_test, paired_test};
use gimbal_analysis::{FEWEST, Interval};

/// The outcome of a claim in an environment; `None` where no model has the cells, or the claim lacks what its kind needs.
/// `all` is what the claim is among: a claim about magnitudes is about theirs.
#[must_use]
pub fn judge(claim: &Claim, all: &[Claim], grid: &Grid<'_>, options: &Options) -> Option<Replication> {
    let findings: Vec<Finding> = if claim.of == Quantity::Magnitude {
        magnitudes(claim, all, grid)
    } else {
        grid.models.iter().filter_map(|model| on_model(claim, grid, model, options)).collect()
    };
    if findings.is_empty() {
        return None;
    }
    let mut one = Replication::of(claim.name(), claim.says.clone(), grid.environment, findings, options.confidence);
    if !matches!(claim.of, Quantity::Return | Quantity::Rpts | Quantity::Catastrophic) {
        (one.pooled, one.pooled_interval) = (None, None);
    }
    if claim.of == Quantity::Floor {
        one.majority = some_model(&one.findings);
    }
    Some(one)
}

/// "Some model is so" needs one.
fn some_model(findings: &[Finding]) -> Majority {
    if findings.iter().any(|finding| finding.outcome == Outcome::Holds) {
        Majority::Replicates
    } else if findings.iter().any(|finding| finding.expected) {
        Majority::DirectionOnly
    } else if findings.iter().all(|finding| finding.outcome == Outcome::Fails) {
        Majority::DoesNotReplicate
    } else {
        Majority::CannotTell
    }
}

fn on_model(claim: &Claim, grid: &Grid<'_>, model: &str, options: &Options) -> Option<Finding> {
    match claim.of {
        Quantity::Frontier => frontier(claim, grid, model),
        Quantity::Floor => floor(claim, grid, model),
        Quantity::Rpts => rpts(claim, grid, model, options),
        Quantity::Domination => domination(claim, grid, model, options),
        Quantity::Return | Quantity::Tokens | Quantity::Spread | Quantity::Catastrophic => {
            let first = grid.resolve(claim.first.as_ref()?, model)?;
            let second = grid.resolve(claim.second.as_ref()?, model)?;
            let measured = measure(claim.of, grid, (first, second), model, options)?;
            Some(measured.finding(model, (first, second), claim.expects?))
        }
        Quantity::Magnitude => None,
    }
}

/// An estimate with its interval, and what says "no difference".
pub(super) struct Measured {
    pub(super) estimate: f64,
    pub(super) interval: Option<Interval>,
    pub(super) p: Option<f64>,
    pub(super) neutral: f64,
}

impl Measured {
    pub(super) fn finding(self, model: &str, sides: (&str, &str), expects: Expectation) -> Finding {
        let away = self.estimate - self.neutral;
        let sign = if away > 0.0 { 1 } else { -i8::from(away < 0.0) };
        let wanted = if expects == Expectation::More { 1 } else { -1 };
        let decided =
            self.interval.map_or(0, |interval| match (interval.low > self.neutral, interval.high < self.neutral) {
                (true, _) => 1,
                (_, true) => -1,
                _ => 0,
            });
        let outcome = match decided * wanted {
            1 => Outcome::Holds,
            -1 => Outcome::Fails,
            _ => Outcome::CannotTell,
        };
        Finding {
            model: model.to_owned(),
            first: sides.0.to_owned(),
            second: sides.1.to_owned(),
            estimate: self.estimate,
            interval: self.interval,
            sign,
            expected: sign == wanted,
            p: self.p,
            p_holm: None,
            outcome,
        }
    }
}

/// First against second on one model.
pub(super) fn measure(
    of: Quantity,
    grid: &Grid<'_>,
    (first, second): (&str, &str),
    model: &str,
    options: &Options,
) -> Option<Measured> {
    let (rows, others) = grid.sides(first, second, model);
    match of {
        Quantity::Return => {
            let test = paired_test(rows, others, None, options)?;
            let p = test.p_clustered.or((test.basic.difference.n > 1).then_some(test.basic.p_sign));
            Some(Measured { estimate: test.basic.difference.mean, interval: test.clustered, p, neutral: 0.0 })
        }
        Quantity::Catastrophic => {
            let limit = grid.cell(first, model)?.info.thresholds.catastrophic_below?;
            let test = catastrophic_test(rows, others, limit, options)?;
            Some(Measured { estimate: test.estimate, interval: test.interval, p: Some(test.p), neutral: 0.0 })
        }
        Quantity::Tokens => ratio(rows, others, options, |side| side.kilotokens()),
        Quantity::Spread => ratio(rows, others, options, Sums::sd),
        _ => None,
    }
}

/// A ratio of the same number of two sides; its interval is made on logarithms, where it is nearer to symmetric.
fn ratio(
    first: &[&EpisodeRow],
    second: &[&EpisodeRow],
    options: &Options,
    of: impl Fn(&Sums) -> Option<f64>,
) -> Option<Measured> {
    let clusters = Clusters::new(&[first, second]);
    let (log, interval) = clusters.estimate(options, |sides| Some((of(&sides[0])? / of(&sides[1])?).ln()))?;
    let interval = interval.map(|interval| Interval { low: interval.low.exp(), high: interval.high.exp() });
    Some(Measured { estimate: log.exp(), interval, p: None, neutral: 1.0 })
}

/// Return per thousand tokens of the first minus that of the second; where a side is the best of several, it is chosen anew in
/// every resample: then the interval knows of the choice.
fn rpts(claim: &Claim, grid: &Grid<'_>, model: &str, options: &Options) -> Option<Finding> {
    let baseline = grid.protocol.baseline.as_str();
    let (first, second) = (claim.first.as_ref()?, claim.second.as_ref()?);
    let counts = |name: &&str| *name != baseline && grid.rpts(name, model).is_some();
    let own: Vec<&str> = grid.protocol.candidates(first).into_iter().filter(counts).collect();
    let usable = |name: &&str| counts(name) && !own.contains(name);
    let mut rivals: Vec<&str> = grid.protocol.candidates(second).into_iter().filter(usable).collect();
    if let Side::Best { best_of, .. } = second
        && best_of == "all"
    {
        // Configurations beyond the protocol are rivals too.
        let others = grid.configurations.iter().map(|entry| entry.name.as_str()).filter(usable);
        let known = grid.protocol.configurations();
        rivals.extend(others.filter(|name| !known.contains(name)));
    }
    let value = |name: &str| grid.rpts(name, model).unwrap_or(f64::NEG_INFINITY);
    let best = |names: &[&str]| names.iter().position(|name| names.iter().all(|other| value(other) <= value(name)));
    let (first, second) = (own[best(&own)?], rivals[best(&rivals)?]);
    let sides: Vec<&[&EpisodeRow]> = std::iter::once(baseline)
        .chain(own.iter().copied())
        .chain(rivals.iter().copied())
        .map(|name| grid.episodes(name, model))
        .collect();
    let gain = |sums: &Sums, baseline: f64| metrics::rpts(sums.mean()?, baseline, sums.kilotokens()?);
    let (estimate, interval) = Clusters::new(&sides).estimate(options, |sides| {
        let baseline = sides[0].mean()?;
        let (own, rivals) = sides[1..].split_at(own.len());
        let best = |sides: &[Sums]| {
            let gains = sides.iter().map(|side| gain(side, baseline)).collect::<Option<Vec<f64>>>()?;
            gains.into_iter().reduce(f64::max)
        };
        Some(best(own)? - best(rivals)?)
    })?;
    let measured = Measured { estimate, interval, p: None, neutral: 0.0 };
    Some(measured.finding(model, (first, second), claim.expects?))
}

/// Configurations of an axis on the model's frontier; a count, so that there is no interval.
fn frontier(claim: &Claim, grid: &Grid<'_>, model: &str) -> Option<Finding> {
    let axis = grid.protocol.axis(claim.axis.as_deref()?);
    let mut points = Vec::new();
    for entry in &grid.configurations {
        let both = grid.kilotokens(&entry.name, model).zip(grid.mean(&entry.name, model));
        // A configuration of too few episodes has no place on a frontier.
        let enough = grid.cell(&entry.name, model).is_some_and(|cell| cell.episodes >= FEWEST);
        points.extend(both.filter(|_| enough).map(|(cost, value)| (entry.name.as_str(), Point { cost, value })));
    }
    let others = points.iter().any(|(name, _)| !axis.contains(name));
    let own = points.iter().any(|(name, _)| axis.contains(name));
    if !(own && others) {
        return None;
    }
    let flags = pareto(&points.iter().map(|(_, point)| *point).collect::<Vec<_>>());
    let efficient: Vec<&str> = points
        .iter()
        .zip(flags)
        .filter(|((name, _), efficient)| *efficient && axis.contains(name))
        .map(|((name, _), _)| *name)
        .collect();
    let holds = !efficient.is_empty();
    Some(Finding {
        model: model.to_owned(),
        first: efficient.join(", "),
        second: String::new(),
        estimate: efficient.len() as f64,
        interval: None,
        sign: i8::from(holds),
        expected: holds,
        p: None,
        p_holm: None,
        outcome: if holds { Outcome::Holds } else { Outcome::Fails },
    })
}

/// First returns more and takes fewer tokens; both intervals must say so.
fn domination(claim: &Claim, grid: &Grid<'_>, model: &str, options: &Options) -> Option<Finding> {
    let sides = (grid.resolve(claim.first.as_ref()?, model)?, grid.resolve(claim.second.as_ref()?, model)?);
    let returns = measure(Quantity::Return, grid, sides, model, options)?.finding(model, sides, Expectation::More);
    let tokens = measure(Quantity::Tokens, grid, sides, model, options)?.finding(model, sides, Expectation::Less);
    let outcome = match (returns.outcome, tokens.outcome) {
        (Outcome::Holds, Outcome::Holds) => Outcome::Holds,
        (Outcome::Fails, _) | (_, Outcome::Fails) => Outcome::Fails,
        _ => Outcome::CannotTell,
    };
    Some(Finding { expected: returns.expected && tokens.expected, outcome, ..returns })
}

/// Catastrophic rate of the mildest configuration with its Wilson interval.
fn floor(claim: &Claim, grid: &Grid<'_>, model: &str) -> Option<Finding> {
    let share = claim.share?;
    let rates: Option<Vec<_>> =
        grid.known().into_iter().map(|name| Some((name, grid.cell(name, model)?.catastrophic?))).collect();
    let (name, mildest) =
        rates?.into_iter().reduce(|least, next| if next.1.share < least.1.share { next } else { least })?;
    let outcome = if mildest.interval.low >= share {
        Outcome::Holds
    } else if mildest.interval.high < share {
        Outcome::Fails
    } else {
        Outcome::CannotTell
    };
    // A share of episodes is a fraction: 24 of 50 is 48%.
    let expected = mildest.share >= share - 1e-9;
    Some(Finding {
        model: model.to_owned(),
        first: name.to_owned(),
        second: String::new(),
        estimate: mildest.share,
        interval: Some(mildest.interval),
        sign: if expected { 1 } else { -1 },
        expected,
        p: None,
        p_holm: None,
        outcome,
    })
}

/// Largest over smallest difference between models that lie on the expected side, for each claim about returns.
fn magnitudes(claim: &Claim, all: &[Claim], grid: &Grid<'_>) -> Vec<Finding> {
    let Some([low, high]) = claim.between else { return Vec::new() };
    let mut findings = Vec::new();
    for other in all.iter().filter(|other| other.of == Quantity::Return) {
        let (Some(Side::Named(first)), Some(Side::Named(second))) = (&other.first, &other.second) else { continue };
        let sign = if other.expects == Some(Expectation::Less) { -1.0 } else { 1.0 };
        let sizes: Vec<f64> = grid
            .models
            .iter()
            .filter_map(|model| metrics::marginal_percent(grid.mean(second, model)?, grid.mean(first, model)?))
            .map(|percent| sign * percent)
            .filter(|size| *size > 0.0)
            .collect();
        let ends = sizes.iter().copied().reduce(f64::max).zip(sizes.iter().copied().reduce(f64::min));
        let Some((largest, smallest)) = ends.filter(|_| sizes.len() > 1) else { continue };
        let factor = largest / smallest;
        let expected = (low..=high).contains(&factor);
        findings.push(Finding {
            model: format!("{} models", sizes.len()),
            first: first.clone(),
            second: second.clone(),
            estimate: factor,
            interval: None,
            sign: 1,
            expected,
            p: None,
            p_holm: None,
            outcome: if expected { Outcome::Holds } else { Outcome::Fails },
        });
    }
    findings
}
