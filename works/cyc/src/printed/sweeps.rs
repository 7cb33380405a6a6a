//! Tab. 2, 3 and 8-14: rates, calls, visits, faults, tokens and transitions.

use gimbal_analysis::AnalysisError;
use gimbal_analysis::papers::{Check, Verdict};

use super::{CycCell, CycFacts, HALF, HALF_CENT, MeanSd, Spread, TokenRow, named, nearest_rate, nearest_spread};
use super::{recompute, same};

/// STR = SR / TC, ASR = ATS - AUS, and a rate with an SD that three seeds can have (CYC-052, 060, 061).
pub(super) fn cells(facts: &CycFacts, checks: &mut Vec<Check>) -> Result<(), AnalysisError> {
    for cell in &facts.cells {
        let (table, name) = (cell.table.as_str(), named(cell.control, &cell.models, &cell.benchmark));
        if let (Some(printed), Some([tc, _])) = (cell.str, cell.tc) {
            let inputs = [(cell.sr[0], HALF), (tc, HALF)];
            checks.extend(recompute(table, format!("STR of {name}"), (printed, 1), inputs, |[sr, tc]| {
                (tc > 0.0).then(|| sr / tc)
            }));
        }
        if let (Some([asr, _]), Some([ats, _]), Some([aus, _])) = (cell.asr, cell.ats, cell.aus) {
            let inputs = [(ats, HALF), (aus, HALF)];
            let place = format!("ASR of {name}");
            checks.extend(recompute(table, place, (asr, 1), inputs, |[ats, aus]| Some(ats - aus)));
        }
        rate(facts, table, (&cell.benchmark, &name), cell.sr, checks)?;
    }
    Ok(())
}

/// A rate must be a mean of wins out of the test tasks, and its SD the population SD of such wins.
fn rate(
    facts: &CycFacts,
    table: &str,
    (benchmark, name): (&str, &str),
    [mean, sd]: MeanSd,
    checks: &mut Vec<Check>,
) -> Result<(), AnalysisError> {
    if facts.seeds != 3 {
        return Err(AnalysisError::Facts {
            place: format!("seeds, {}", facts.seeds),
            what: "means and SDs over seeds are checked for three of them".to_owned(),
        });
    }
    let Some(&tasks) = facts.benchmark(benchmark)?.test.first() else { return Ok(()) };
    let possible = nearest_rate(tasks, mean);
    let check = Check::judge(table, format!("SR of {name}"), mean, 1, possible, (possible, possible));
    let impossible = check.verdict == Verdict::Miss;
    checks.push(check);
    if let (false, Some(found)) = (impossible, nearest_spread(tasks, mean, sd, Spread::Population)) {
        checks.push(Check::judge(table, format!("SD of SR of {name}"), sd, 1, found, (found, found)));
    }
    Ok(())
}

/// Tab. 3 from Tab. 12 (CYC-063, R02).
pub(super) fn retention(facts: &CycFacts, checks: &mut Vec<Check>) -> Result<(), AnalysisError> {
    for row in &facts.retention {
        let name = format!("{} on {}", row.control.name(), row.benchmark);
        let of = facts.robustness.iter().find(|of| {
            of.table == "Tab. 12" && (of.benchmark.as_str(), of.control) == (row.benchmark.as_str(), row.control)
        });
        let of = of.ok_or_else(|| AnalysisError::Facts {
            place: format!("retention, `{name}`"),
            what: "Tab. 12 has no such row: add it to robustness".to_owned(),
        })?;
        let inputs = [(of.sr_faulted[0], HALF), (of.sr[0], HALF)];
        checks.extend(recompute(
            "Tab. 3",
            format!("SRR of {name}"),
            (row.retention, 3),
            inputs,
            |[faulted, nominal]| crate::cyclic::retention(faulted, nominal),
        ));
        if let (Some(printed), Some(nominal), Some(faulted)) = (row.more_calls, of.tc, of.tc_faulted) {
            let inputs = [(faulted[0], HALF), (nominal[0], HALF)];
            let place = format!("more calls of {name}");
            checks
                .extend(recompute("Tab. 3", place, (printed, 1), inputs, |[faulted, nominal]| Some(faulted - nominal)));
        }
    }
    Ok(())
}

/// Changes under faults, and the rows without faults that other tables print (CYC-063, 064, R02).
pub(super) fn robustness(facts: &CycFacts, checks: &mut Vec<Check>) -> Result<(), AnalysisError> {
    for row in &facts.robustness {
        let (table, name) = (row.table.as_str(), format!("{} on {}", row.control.name(), row.benchmark));
        let rates = [(row.sr_faulted[0], HALF), (row.sr[0], HALF)];
        let place = format!("change of SR of {name}");
        checks.extend(recompute(table, place, (row.change_sr, 1), rates, |[after, before]| Some(after - before)));
        if let (Some(printed), Some(before), Some(after)) = (row.change_tc, row.tc, row.tc_faulted) {
            let calls = [(after[0], HALF), (before[0], HALF)];
            let place = format!("change of TC of {name}");
            checks.extend(recompute(table, place, (printed, 1), calls, |[after, before]| Some(after - before)));
        }
        if let Some(printed) = row.relative {
            // From the change as printed: every other row follows from it to the digit.
            let inputs = [(row.change_sr, HALF), (row.sr[0], HALF)];
            let place = format!("relative difference of {name}");
            checks.extend(recompute(table, place, (printed, 1), inputs, |[change, before]| {
                crate::cyclic::relative_difference(before + change, before)
            }));
        }
        rate(facts, table, (&row.benchmark, &format!("{name} under faults")), row.sr_faulted, checks)?;
        let (source, roles) = if table == "Tab. 11" { ("Tab. 10", 2) } else { ("Tab. 9", 3) };
        let models = vec!["4o-mini".to_owned(); roles];
        let cell = facts.cell(source, &row.benchmark, row.control, &models).ok_or_else(|| lacking(source, &name))?;
        checks.push(same(table, format!("SR of {name}"), row.sr[0], cell.sr[0]));
        checks.push(same(table, format!("SD of SR of {name}"), row.sr[1], cell.sr[1]));
        if let (Some(printed), Some(value)) = (row.tc, cell.tc) {
            checks.push(same(table, format!("TC of {name}"), printed[0], value[0]));
            checks.push(same(table, format!("SD of TC of {name}"), printed[1], value[1]));
        }
    }
    Ok(())
}

fn lacking(table: &str, name: &str) -> AnalysisError {
    AnalysisError::Facts {
        place: format!("cells, `{name}`"),
        what: format!("another table names it and {table} lacks it: add the cell"),
    }
}

/// Excess and percentage, and ReAct's own mean that two blocks print (CYC-066).
pub(super) fn tokens(facts: &CycFacts, checks: &mut Vec<Check>) {
    for (place, pair) in facts.tokens.iter().enumerate() {
        let name = named(pair.control, &pair.models, &pair.benchmark);
        for (scope, row) in [("shared wins", pair.shared), ("all wins", pair.all)] {
            let TokenRow { react, cyclic, excess, percent } = row;
            let inputs = [(cyclic, HALF_CENT), (react, HALF_CENT)];
            let of = |what: &str| format!("{what} of {name}, {scope}");
            checks
                .extend(recompute("Tab. 8", of("excess"), (excess, 2), inputs, |[cyclic, react]| Some(cyclic - react)));
            checks.extend(recompute("Tab. 8", of("percent"), (percent, 2), inputs, |[cyclic, react]| {
                (react > 0.0).then(|| 100.0 * (cyclic - react) / react)
            }));
        }
        let earlier = facts.tokens[..place]
            .iter()
            .find(|other| (&other.benchmark, &other.react) == (&pair.benchmark, &pair.react));
        if let Some(earlier) = earlier {
            let of = format!("ReAct {} on {} beside {}", pair.react, pair.benchmark, pair.control.name());
            checks.push(same("Tab. 8", of, pair.all.react, earlier.all.react));
        }
    }
}

/// What is never won is the rest, and no graph has more transitions than the square of its nodes (CYC-062, R03).
pub(super) fn transitions(facts: &CycFacts, checks: &mut Vec<Check>) -> Result<(), AnalysisError> {
    for row in &facts.transitions {
        let (table, name) = (row.table.as_str(), named(row.control, &row.models, &row.benchmark));
        let rest = f64::from(row.all) - f64::from(row.won);
        let place = format!("UT never won of {name}");
        checks.push(Check::judge(table, place, f64::from(row.never_won), 0, rest, (rest, rest)));
        let source = if table == "Tab. 14" { "Tab. 10" } else { "Tab. 9" };
        let cell: &CycCell =
            facts.cell(source, &row.benchmark, row.control, &row.models).ok_or_else(|| lacking(source, &name))?;
        checks.push(same(table, format!("SR of {name}"), row.sr[0], cell.sr[0]));
        checks.push(same(table, format!("SD of SR of {name}"), row.sr[1], cell.sr[1]));
        let ranges =
            facts.graphs.iter().find(|graph| (&graph.benchmark, graph.control) == (&row.benchmark, row.control));
        if let Some(ranges) = ranges {
            let most = f64::from(row.all).min(ranges.nodes[1].powi(2));
            let place = format!("UT of {name} within the square of its nodes");
            checks.push(Check::judge(table, place, f64::from(row.all), 0, most, (most, most)));
        }
    }
    Ok(())
}
