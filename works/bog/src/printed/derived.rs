//! Tables that say again or pick from the matrix: T3, T6, T8-T12, T14, T16-T21, T32, T34.

use gimbal_analysis::papers::{Check, Verdict};
use gimbal_analysis::{AnalysisError, metrics};

use super::facts::{BogFacts, PaperCell};
use super::recompute::{HALF, find, place, recompute};

/// All of them.
pub(super) fn check(facts: &BogFacts, checks: &mut Vec<Check>) -> Result<(), AnalysisError> {
    repeated(facts, checks)?;
    levels(facts, checks)?;
    ranges(facts, checks)?;
    groups(facts, checks)?;
    ranks(facts, checks);
    profiles(facts, checks)?;
    totals(facts, checks);
    Ok(())
}

/// A number printed twice must be the same number.
fn repeated(facts: &BogFacts, checks: &mut Vec<Check>) -> Result<(), AnalysisError> {
    for entry in &facts.repeated {
        let cell = find(facts, &entry.configuration, &entry.model)?;
        let mut again = |what: &str, printed: Option<f64>, digits: i32, value: f64, half: f64| {
            let Some(printed) = printed else { return };
            let place = format!("{what} of {}", place(&entry.configuration, &entry.model));
            checks.push(Check::judge(&entry.table, place, printed, digits, value, (value - half, value + half)));
        };
        again("mean", entry.mean, 1, cell.mean, 0.0);
        again("SD", entry.sd, 1, cell.sd, 0.0);
        again("SD", entry.sd_rounded, 0, cell.sd, HALF);
        again("minimum", entry.min, 1, cell.min, 0.0);
        again("kTok", entry.kilotokens, 1, cell.kilotokens, 0.0);
        again("episodes", entry.episodes.map(f64::from), 0, f64::from(cell.episodes), 0.0);
    }
    Ok(())
}

fn levels(facts: &BogFacts, checks: &mut Vec<Check>) -> Result<(), AnalysisError> {
    for level in &facts.best_levels {
        let best = extreme(facts, &facts.axis("deliberation"), &level.model, |new, old| new > old)?;
        for (what, printed, value) in [("mean", level.mean, best.mean), ("kTok", level.kilotokens, best.kilotokens)] {
            let place = format!("{what} of the best level on {}", level.model);
            checks.push(Check::judge("Tab. 9", place, printed, 1, value, (value, value)));
        }
    }
    Ok(())
}

/// Configurations that a table picks from; deliberation counts from the anchor up.
fn candidates<'a>(facts: &'a BogFacts, among: &str) -> Vec<&'a str> {
    match among {
        "all" => facts.configurations.iter().map(|entry| entry.name.as_str()).collect(),
        "anchor" => vec![&facts.anchor],
        "deliberation" => std::iter::once(facts.anchor.as_str()).chain(facts.axis(among)).collect(),
        axis => facts.axis(axis),
    }
}

pub(super) fn extreme<'a>(
    facts: &'a BogFacts,
    candidates: &[&str],
    model: &str,
    better: fn(f64, f64) -> bool,
) -> Result<&'a PaperCell, AnalysisError> {
    let mut found: Option<&PaperCell> = None;
    for name in candidates {
        let cell = find(facts, name, model)?;
        if found.is_none_or(|best| better(cell.mean, best.mean)) {
            found = Some(cell);
        }
    }
    found.ok_or_else(|| AnalysisError::Facts {
        place: format!("ranges or groups, model `{model}`"),
        what: "no configuration to pick from: name an axis of the configurations, or all".to_owned(),
    })
}

fn ranges(facts: &BogFacts, checks: &mut Vec<Check>) -> Result<(), AnalysisError> {
    for range in &facts.ranges {
        let names = candidates(facts, &range.among);
        let worst = extreme(facts, &names, &range.model, |new, old| new < old)?;
        let best = extreme(facts, &names, &range.model, |new, old| new > old)?;
        let sides = [("worst", &range.worst, range.worst_mean, worst), ("best", &range.best, range.best_mean, best)];
        for (what, named, printed, found) in sides {
            let place = format!("{what} of {} on {}", range.among, range.model);
            let mut check = Check::judge(&range.table, place, printed, 1, found.mean, (found.mean, found.mean));
            if *named != found.configuration {
                check.verdict = Verdict::Miss;
                check.note = Some(format!("{named} is printed; it is {}", found.configuration));
            }
            checks.push(check);
        }
        let means = [worst.mean, best.mean];
        if let Some(gap) = range.gap {
            let place = format!("gap on {}", range.model);
            checks.extend(recompute(&range.table, place, (gap, 1), means, |[worst, best]| Some(best - worst)));
        }
        if let Some(percent) = range.improvement_percent {
            let place = format!("improvement among {} on {}", range.among, range.model);
            checks.extend(recompute(&range.table, place, (percent, 0), means, |[worst, best]| {
                metrics::marginal_percent(worst, best)
            }));
        }
    }
    Ok(())
}

/// Means over the cells of a group; the mean of rounded numbers may be off by half a unit and no more.
fn groups(facts: &BogFacts, checks: &mut Vec<Check>) -> Result<(), AnalysisError> {
    for group in &facts.groups {
        // Tab. 16 counts the anchor apart and with the contexts, not with deliberation.
        let names = match group.group.as_str() {
            "anchor" => vec![facts.anchor.as_str()],
            axis => facts.axis(axis),
        };
        let mut cells = Vec::new();
        for name in names {
            for model in &facts.models {
                cells.push(find(facts, name, model)?);
            }
        }
        let means: Vec<f64> = cells.iter().map(|cell| cell.mean).collect();
        let tokens: Vec<f64> = cells.iter().map(|cell| cell.kilotokens).collect();
        let numbers = [
            ("mean", group.mean, metrics::mean(&means), HALF),
            ("best", group.best, means.iter().copied().reduce(f64::max), 0.0),
            ("worst", group.worst, means.iter().copied().reduce(f64::min), 0.0),
            ("kTok", group.kilotokens, metrics::mean(&tokens), HALF),
        ];
        for (what, printed, value, half) in numbers {
            let Some(value) = value else {
                return Err(AnalysisError::Facts {
                    place: format!("groups, `{}`", group.group),
                    what: "no configuration has this axis: name one of the axes, or anchor".to_owned(),
                });
            };
            let place = format!("{what} of {}", group.group);
            checks.push(Check::judge("Tab. 16", place, printed, 1, value, (value - half, value + half)));
        }
    }
    Ok(())
}

/// Ranks by the mean over an axis; two means closer than their rounding may be in either order.
fn ranks(facts: &BogFacts, checks: &mut Vec<Check>) {
    type Printed = fn(&super::shapes::PaperRanks) -> u32;
    let columns: [(&str, Printed); 4] = [
        ("context", |ranks| ranks.context),
        ("deliberation", |ranks| ranks.deliberation),
        ("hierarchy", |ranks| ranks.hierarchy),
        ("all", |ranks| ranks.overall),
    ];
    for (axis, printed) in columns {
        let names = if axis == "all" { candidates(facts, "all") } else { facts.axis(axis) };
        let over = |model: &String| {
            let means: Option<Vec<f64>> = names.iter().map(|name| Some(facts.cell(name, model)?.mean)).collect();
            metrics::mean(&means?)
        };
        let values: Vec<Option<f64>> = facts.models.iter().map(over).collect();
        let places = metrics::places(&values);
        for (index, model) in facts.models.iter().enumerate() {
            let Some(entry) = facts.ranks.iter().find(|entry| entry.model == *model) else { continue };
            let (Some(rank), Some(mine)) = (places[index], values[index]) else { continue };
            let above = values.iter().flatten().filter(|other| **other > mine + 2.0 * HALF).count();
            let not_below = values.iter().flatten().filter(|other| **other >= mine - 2.0 * HALF).count();
            let place = format!("rank by {axis} of {model}");
            let reach = (above as f64 + 1.0, not_below as f64);
            checks.push(Check::judge("Tab. 20", place, f64::from(printed(entry)), 0, rank as f64, reach));
        }
    }
}

fn profiles(facts: &BogFacts, checks: &mut Vec<Check>) -> Result<(), AnalysisError> {
    for profile in &facts.token_profiles {
        let cell = find(facts, &profile.configuration, &profile.model)?;
        let place = place(&profile.configuration, &profile.model);
        let same = (cell.kilotokens, cell.kilotokens);
        checks.push(Check::judge("Tab. 32", format!("total of {place}"), profile.total, 1, same.0, same));
        let parts = [profile.prompt, profile.completion];
        let both = (format!("prompt and completion of {place}"), format!("P/C of {place}"));
        checks.extend(recompute("Tab. 32", both.0, (profile.total, 1), parts, |[prompt, completion]| {
            Some(prompt + completion)
        }));
        checks.extend(recompute("Tab. 32", both.1, (profile.ratio, 1), parts, |[prompt, completion]| {
            metrics::prompt_completion_ratio(prompt, completion)
        }));
    }
    Ok(())
}

fn totals(facts: &BogFacts, checks: &mut Vec<Check>) {
    let Some(totals) = &facts.totals else { return };
    for model in &facts.models {
        let Some(printed) = totals.episodes.get(model) else { continue };
        let cells = facts.cells.iter().filter(|cell| cell.model == *model);
        let sum: f64 = cells.map(|cell| f64::from(cell.episodes)).sum();
        checks.push(Check::judge("Tab. 34", format!("episodes on {model}"), *printed, 0, sum, (sum, sum)));
    }
}
