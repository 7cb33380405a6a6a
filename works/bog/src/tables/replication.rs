//! What a run says to claims, and whether models and environments agree.

use crate::axes::{Claim, Grids};
use crate::replication::{Finding, OutcomeCounts, Replication, against_baseline, replications};
use gimbal_analysis::tables::{confidence_title, mark_notes};
use gimbal_analysis::{Cell, Column, ColumnKind, Table};

/// Claims by model, then every configuration against the baseline, each with a verdict by majority (BOG-200..211).
#[must_use]
pub fn replication(grids: &Grids<'_>) -> Table {
    let claims = &grids.protocol.claims;
    let judged = replications(claims, grids);
    let general = against_baseline(grids, &baseline(grids));
    let mut notes = explained(&judged);
    notes.extend(unheard(claims, &judged));
    notes.push("Rows “configuration − baseline”: the direction is that of most models, read off the data; p is corrected apart from that of the claims.".to_owned());
    let all: Vec<Replication> = judged.into_iter().chain(general).collect();
    table("replication", "What replicates, claim by claim and model by model", grids, &all, notes)
}

/// The claims that a second environment has to settle, by environment (BOG-180).
#[must_use]
pub fn second_environment(grids: &Grids<'_>) -> Table {
    let claims = &grids.protocol.second_environment;
    let mut judged = replications(claims, grids);
    // Environments of one claim stand together already: claims come first.
    judged.sort_by_key(|one| claims.iter().position(|claim| claim.name() == one.claim));
    let mut notes = explained(&judged);
    notes.extend(unheard(claims, &judged));
    if grids.grids.len() < 2 {
        notes.push("This run has one environment: whether a claim carries over needs another.".to_owned());
    }
    table("second-environment", "Do the two claims hold in each environment?", grids, &judged, notes)
}

fn baseline(grids: &Grids<'_>) -> String {
    match &grids.analysis.options.baseline {
        Some(gimbal_analysis::BaselineChoice::Configuration(label)) => label.clone(),
        _ => grids.protocol.baseline.clone(),
    }
}

fn columns(grids: &Grids<'_>) -> Vec<Column> {
    use ColumnKind::{Flag, Interval, Label, Number, Probability, Text};
    let column = Column::new;
    vec![
        column("claim", "Claim", "row", Label, "Id of the claim, or the difference"),
        column("model", "Model", "row", Label, "Model; `all` for the verdict by majority"),
        column("environment", "Environment", "row", Label, "Environment").shown_if(grids.several_environments()),
        column("says", "Says", "claim", Text, "The claim in words").shown_if(false),
        column("first", "First", "sides", Text, "Configuration of the first side"),
        column("second", "Second", "sides", Text, "Configuration of the second side"),
        column("sign", "Sign", "estimate", Text, "On which side of no difference the estimate lies"),
        column("estimate", "Estimate", "estimate", Number(2), "Difference or ratio; in `all` the mean over models"),
        column("ci", &confidence_title(grids.analysis), "estimate", Interval(2), "Its interval"),
        column("expected", "Expected", "verdict", Flag, "Whether the estimate lies on the expected side"),
        column("verdict", "Verdict", "verdict", Text, "Whether the claim holds"),
        column("p", "p", "tests", Probability(4), "Two-sided test, where there is one"),
        column("p_holm", "p Holm", "tests", Probability(4), "After Holm's correction"),
    ]
}

fn table(key: &'static str, title: &str, grids: &Grids<'_>, all: &[Replication], mut notes: Vec<String>) -> Table {
    let mut rows = Vec::new();
    for one in all {
        rows.extend(one.findings.iter().map(|finding| row(one, finding)));
        rows.push(verdict(one));
    }
    notes.push("Differences are first minus second over the same seeds (t, robust against clusters of runs of one task); ratios of tokens and of SDs are first over second (BCa bootstrap over clusters, or leaving out one at a time where there are few).".to_owned());
    notes.push("holds: the interval lies on the claim's side; fails: on the other; cannot tell: on both. By majority: replicates where it holds on more than half of the models, direction only where no more than the estimates do, does not replicate where it fails on more than half; the three numbers are the models on which it holds, fails, and that cannot tell.".to_owned());
    notes.push("“all”: mean over models and its t interval with models as units.".to_owned());
    notes.extend(grids.left_out_notes());
    notes.extend(mark_notes(grids.analysis).into_iter().filter(|note| !note.starts_with("policy")));
    if all.is_empty() {
        notes.insert(0, "This run has no cells that a claim is about.".to_owned());
    }
    Table { key, title: title.to_owned(), columns: columns(grids), rows, notes }
}

fn row(one: &Replication, finding: &Finding) -> Vec<Cell> {
    let sign = match finding.sign {
        1 => "+",
        -1 => "−",
        _ => "0",
    };
    vec![
        Cell::text(&one.claim),
        Cell::text(&finding.model),
        Cell::text(&one.environment),
        Cell::text(&one.says),
        Cell::text(&finding.first),
        Cell::text(&finding.second),
        Cell::text(sign),
        Cell::number(Some(finding.estimate)),
        Cell::interval(finding.interval),
        Cell::Flag(finding.expected),
        Cell::text(finding.outcome.label()),
        Cell::number(finding.p),
        Cell::number(finding.p_holm),
    ]
}

fn verdict(one: &Replication) -> Vec<Cell> {
    let OutcomeCounts { holds, fails, cannot_tell } = one.counts();
    let of = one.findings.len();
    let words = format!("{}: {holds}/{fails}/{cannot_tell}", one.majority.label());
    vec![
        Cell::text(&one.claim),
        Cell::text("all"),
        Cell::text(&one.environment),
        Cell::text(&one.says),
        Cell::Empty,
        Cell::Empty,
        Cell::text(format!("{}/{of}", one.expected())),
        Cell::number(one.pooled),
        Cell::interval(one.pooled_interval),
        Cell::Flag(2 * one.expected() > of),
        Cell::text(words),
    ]
}

fn explained(judged: &[Replication]) -> Vec<String> {
    let mut notes: Vec<String> = Vec::new();
    for one in judged {
        let note = format!("{}: {}.", one.claim, one.says);
        if !notes.contains(&note) {
            notes.push(note);
        }
    }
    notes
}

/// Claims that no environment says anything to.
fn unheard(claims: &[Claim], judged: &[Replication]) -> Option<String> {
    let silent: Vec<String> =
        claims.iter().map(Claim::name).filter(|name| !judged.iter().any(|one| one.claim == *name)).collect();
    (!silent.is_empty()).then(|| format!("No cells of this run are about {}.", silent.join(", ")))
}
