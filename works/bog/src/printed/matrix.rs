//! Tables that follow from the matrix of cells.

use gimbal_analysis::papers::{Check, Verdict};
use gimbal_analysis::{AnalysisError, metrics, t_half_width};

use super::facts::{BogFacts, PaperCell};
use super::recompute::{find, place, recompute};
use super::shapes::ByModel;

/// Tables that follow from the matrix alone: RPTS, marginals, degradation, deliberation, win records, catastrophic counts,
/// intervals, paired differences, shifted efficiency.
pub(super) fn check(facts: &BogFacts, checks: &mut Vec<Check>) -> Result<(), AnalysisError> {
    for cell in &facts.cells {
        rpts(facts, cell, checks)?;
        interval(facts, cell, checks);
        shifted(facts, cell, checks);
        catastrophic(facts, cell, checks);
    }
    marginals(facts, checks)?;
    degradation(facts, checks)?;
    deliberation(facts, checks)?;
    records(facts, checks);
    paired(facts, checks)
}

fn by_model<'a>(facts: &'a BogFacts, values: &'a ByModel) -> impl Iterator<Item = (&'a str, f64)> {
    facts.models.iter().filter_map(|model| Some((model.as_str(), *values.get(model)?)))
}

fn rpts(facts: &BogFacts, cell: &PaperCell, checks: &mut Vec<Check>) -> Result<(), AnalysisError> {
    let Some(printed) = cell.rpts else { return Ok(()) };
    let baseline = find(facts, &facts.baseline, &cell.model)?;
    let place = place(&cell.configuration, &cell.model);
    let inputs = [cell.mean, baseline.mean, cell.kilotokens];
    checks.extend(recompute("Tab. 4", place, (printed, 2), inputs, |[g, obs, tokens]| metrics::rpts(g, obs, tokens)));
    Ok(())
}

fn interval(facts: &BogFacts, cell: &PaperCell, checks: &mut Vec<Check>) {
    let formula = |[sd]: [f64; 1]| t_half_width(sd, cell.episodes as usize, facts.confidence);
    let place = place(&cell.configuration, &cell.model);
    checks.extend(recompute("Tab. 24", place, (cell.half_width, 1), [cell.sd], formula));
}

fn shifted(facts: &BogFacts, cell: &PaperCell, checks: &mut Vec<Check>) {
    let formula = |[g, tokens]: [f64; 2]| metrics::shifted_efficiency(facts.shift, g, tokens);
    let place = place(&cell.configuration, &cell.model);
    checks.extend(recompute("Tab. 26-31", place, (cell.shifted_efficiency, 4), [cell.mean, cell.kilotokens], formula));
}

/// A printed rate must be a whole number of episodes, and zero exactly when the minimum is not below the threshold.
fn catastrophic(facts: &BogFacts, cell: &PaperCell, checks: &mut Vec<Check>) {
    let episodes = f64::from(cell.episodes);
    let count = (cell.catastrophic_percent / 100.0 * episodes).round();
    let share = 100.0 * count / episodes;
    let place = place(&cell.configuration, &cell.model);
    let mut check = Check::judge("Tab. 23", place, cell.catastrophic_percent, 1, share, (share, share));
    if (count > 0.0) != (cell.min < facts.catastrophic_below) {
        check.verdict = Verdict::Miss;
        check.note = Some(format!("contradicts the printed minimum {}", cell.min));
    }
    checks.push(check);
}

fn marginals(facts: &BogFacts, checks: &mut Vec<Check>) -> Result<(), AnalysisError> {
    for change in &facts.marginals {
        for (model, printed) in by_model(facts, &change.percent) {
            let inputs = [find(facts, &change.from, model)?.mean, find(facts, &change.to, model)?.mean];
            let place = place(&format!("{} to {}", change.from, change.to), model);
            checks.extend(recompute("Tab. 7", place, (printed, 1), inputs, |[old, new]| {
                metrics::marginal_percent(old, new)
            }));
        }
    }
    Ok(())
}

fn degradation(facts: &BogFacts, checks: &mut Vec<Check>) -> Result<(), AnalysisError> {
    let (from, to) = (&facts.degradation.from, &facts.degradation.to);
    for (model, printed) in by_model(facts, &facts.degradation.ratio) {
        let inputs = [find(facts, from, model)?.mean, find(facts, to, model)?.mean];
        let place = place(&format!("{to} over {from}"), model);
        checks.extend(recompute("Tab. 8", place, (printed, 2), inputs, |[a, b]| metrics::degradation_ratio(a, b)));
    }
    Ok(())
}

fn deliberation(facts: &BogFacts, checks: &mut Vec<Check>) -> Result<(), AnalysisError> {
    for level in &facts.deliberation {
        for model in &facts.models {
            let (cell, anchor) = (find(facts, &level.configuration, model)?, find(facts, &facts.anchor, model)?);
            let gains = [
                ("return", level.return_gained.get(model), cell.mean, anchor.mean),
                ("kTok", level.kilotokens_added.get(model), cell.kilotokens, anchor.kilotokens),
            ];
            for (what, printed, new, old) in gains {
                let Some(printed) = printed else { continue };
                let place = format!("{what} of {} on {model}", level.configuration);
                checks.extend(recompute("Tab. 13", place, (*printed, 1), [new, old], |[new, old]| Some(new - old)));
            }
        }
    }
    Ok(())
}

fn records(facts: &BogFacts, checks: &mut Vec<Check>) {
    for model in &facts.models {
        let Some(record) = facts.win_tie_loss.outcome.get(model) else { continue };
        let sum = f64::from(record.wins + record.ties + record.losses);
        checks.push(Check::judge("Tab. 15", format!("total on {model}"), f64::from(record.total), 0, sum, (sum, sum)));
        for (what, printed, part) in
            [("wins", record.win_percent, record.wins), ("losses", record.loss_percent, record.losses)]
        {
            let Some(printed) = printed else { continue };
            let percent = 100.0 * f64::from(part) / f64::from(record.total);
            let place = format!("percent of {what} on {model}");
            checks.push(Check::judge("Tab. 15", place, printed, 0, percent, (percent, percent)));
        }
    }
}

fn paired(facts: &BogFacts, checks: &mut Vec<Check>) -> Result<(), AnalysisError> {
    for row in &facts.paired {
        for (model, printed) in by_model(facts, &row.difference) {
            let (first, second) = (resolve(facts, &row.first, model)?, resolve(facts, &row.second, model)?);
            let place = place(&format!("{} minus {}", row.first, row.second), model);
            let means = [first.mean, second.mean];
            let mut new: Vec<Check> =
                recompute("Tab. 25", place.clone(), (printed, 1), means, |[a, b]| Some(a - b)).into_iter().collect();
            for check in new.iter_mut().filter(|check| check.verdict == Verdict::Miss) {
                let unequal = first.episodes != second.episodes || first.episodes % 50 != 0;
                check.note = unequal.then(|| {
                    format!(
                        "{} and {} episodes: duplicates were averaged before pairing, which the means do not show",
                        first.episodes, second.episodes
                    )
                });
            }
            checks.append(&mut new);
            let Some(half) = row.half_width.get(model) else { continue };
            let marked = f64::from(u8::from(row.marked.contains(&model.to_owned())));
            let excludes = f64::from(u8::from(printed.abs() > *half));
            let mut mark =
                Check::judge("Tab. 25", format!("mark of {place}"), marked, 0, excludes, (excludes, excludes));
            if mark.verdict == Verdict::Miss {
                mark.note = Some(format!("{printed} ± {half} excludes zero and is not printed as such"));
            }
            checks.push(mark);
        }
    }
    Ok(())
}

/// A configuration, or the one picked after the fact for a model.
fn resolve<'a>(facts: &'a BogFacts, name: &str, model: &str) -> Result<&'a PaperCell, AnalysisError> {
    let candidates: Vec<&str> = match name {
        "best-context" => facts.axis("context").into_iter().filter(|label| *label != facts.baseline).collect(),
        "best-deliberation" => facts.axis("deliberation"),
        plain => vec![plain],
    };
    let mut best: Option<&PaperCell> = None;
    for candidate in candidates {
        let cell = find(facts, candidate, model)?;
        if best.is_none_or(|best| cell.mean > best.mean) {
            best = Some(cell);
        }
    }
    best.ok_or_else(|| AnalysisError::Facts {
        place: format!("paired, `{name}`"),
        what: "no configuration of that axis: give its configurations an `axis`".to_owned(),
    })
}
