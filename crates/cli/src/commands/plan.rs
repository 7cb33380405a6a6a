//! `gimbal plan`: which differences a study can detect, and with how many runs.

use std::collections::BTreeSet;

use gimbal_analysis::planned::{Demand, Discordance, PlannedComparison, SdSource, table};
use gimbal_analysis::{Cell, Column, ColumnKind, Options, Rows, Table, paired_test};
use gimbal_bog::axes::Side;
use gimbal_bog::printed::{BogFacts, paper_sd};
use gimbal_core::Files as _;
use gimbal_study::plan::{self, Cell as Planned, Plan as Resolved, estimate};
use gimbal_study::read;
use gimbal_study::run::RunFolder;

use super::planned::counted;
use super::tables;
use crate::args::{Plan, ReportFormat};
use crate::exit::Failure;
use crate::home::Home;
use crate::registry::registry;
use crate::stdio;

/// Facts whose SDs are used as long as nothing was played.
const FACTS: &str = "papers/bog.yaml";

/// Resolves the study and prints which differences it can detect, and its tokens and cost.
pub async fn plan(home: &Home, options: &Plan) -> Result<(), Failure> {
    check(options)?;
    let (text, name) = home.study(&options.study)?;
    let study = plan::parse(&text, &name).map_err(Failure::usage)?;
    let models = home.models(plan::models_section(&study).map_err(Failure::usage)?, None)?;
    let changes = plan::Options {
        only: options.only.clone(),
        limit: options.limit.map(u64::from),
        add_runs: options.add_runs,
        ..plan::Options::default()
    };
    let resolved = plan::resolve(study, &changes, &registry(), &*models, &*home.files).map_err(Failure::usage)?;
    for warning in &resolved.warnings {
        stdio::message(warning);
    }
    let demand = Demand { power: options.power, alpha: options.alpha, difference: options.difference };
    let earlier = earlier(options, &resolved);
    let facts = home
        .files
        .read(FACTS)
        .map_err(Failure::usage)?
        .map(|(text, place)| BogFacts::parse(&text, &place))
        .transpose()
        .map_err(Failure::usage)?;
    let rates = rates(&resolved).await;
    let compared = comparisons(options, &resolved, (earlier.as_ref(), facts.as_ref()), &rates)?;
    if compared.found.is_empty() && options.format == ReportFormat::Text {
        let names: BTreeSet<&str> = resolved.cells.iter().map(|cell| cell.info.configuration.as_str()).collect();
        let names = names.into_iter().collect::<Vec<_>>().join(", ");
        println!(
            "Nothing to compare: {} ({names}) and the baseline `{}` make no pair. Keep another configuration of the same \
             model, or name another baseline with --baseline.",
            stdio::count(resolved.cells.len(), "cell", "cells"),
            compared.baseline
        );
    } else {
        let mut table = table(&compared.found, &demand);
        table.notes.extend(compared.note());
        tables::show(&table, options.format)?;
    }
    if options.no_cost {
        println!("\n{}", counted(&resolved));
        return Ok(());
    }
    let estimates = estimate::estimate(&resolved, &*models).await.map_err(Failure::usage)?;
    if options.format == ReportFormat::Text {
        println!("\n{}\n", counted(&resolved));
    }
    tables::show(&costs(&estimates), options.format)
}

fn check(options: &Plan) -> Result<(), Failure> {
    if !(options.alpha > 0.0 && options.alpha < 1.0) {
        return Err(Failure::Usage("--alpha: give a share between 0 and 1, such as 0.05".to_owned()));
    }
    if !(options.power > options.alpha && options.power < 1.0) {
        return Err(Failure::Usage("--power: give a share above --alpha and below 1, such as 0.8".to_owned()));
    }
    if options.sd.is_some_and(|sd| !(sd > 0.0 && sd.is_finite())) {
        return Err(Failure::Usage("--sd: give a number above 0, in units of return".to_owned()));
    }
    Ok(())
}

/// Rows of an earlier run of the study, if there is one that can be read.
fn earlier(options: &Plan, resolved: &Resolved) -> Option<Rows> {
    let folder = options.runs.join(&resolved.study.name);
    if !folder.exists() {
        return None;
    }
    match RunFolder::open(&folder).and_then(|folder| read::load_outcomes(&folder)) {
        Ok(rows) => Some(rows),
        Err(error) => {
            stdio::message(&format!("warning: {}: is not used: {error}", folder.display()));
            None
        }
    }
}

/// The environments of a plan whose mean reward is a rate, by label.
async fn rates(resolved: &Resolved) -> BTreeSet<String> {
    let (mut seen, mut rates) = (BTreeSet::new(), BTreeSet::new());
    for cell in &resolved.cells {
        let label = &cell.info.environment;
        if seen.insert(label.clone()) && cell.environment.is_rate().await {
            rates.insert(label.clone());
        }
    }
    rates
}

/// What a plan compares.
struct Compared {
    /// The configuration that the others are compared with.
    baseline: String,
    found: Vec<PlannedComparison>,
    /// Comparisons whose pairs in the earlier run all have the same difference.
    equal: Vec<String>,
}

impl Compared {
    fn note(&self) -> Option<String> {
        (!self.equal.is_empty()).then(|| {
            format!(
                "No SD from the earlier run, since all of its pairs have the same difference, which says nothing about others: \
                 {}.",
                self.equal.join("; ")
            )
        })
    }
}

/// Every configuration against the baseline, then the protocol's contrasts between two configurations, each once.
fn comparisons(
    options: &Plan,
    resolved: &Resolved,
    (earlier, facts): (Option<&Rows>, Option<&BogFacts>),
    rates: &BTreeSet<String>,
) -> Result<Compared, Failure> {
    let protocol = gimbal_bog::protocol();
    let held = |name: &str| resolved.cells.iter().any(|cell| cell.info.configuration == name);
    let baseline = match options.baseline.as_ref().or(resolved.study.baseline.as_ref().map(|(name, _)| name)) {
        // What --only leaves out is still the study's baseline.
        Some(name) if held(name) || options.baseline.is_none() => name.clone(),
        Some(name) => {
            let known = resolved.cells.iter().map(|cell| cell.info.configuration.as_str());
            let hint = gimbal_core::nearest::hint(name, known);
            return Err(Failure::Usage(format!("--baseline: no cell of this study is called `{name}`{hint}")));
        }
        None => protocol.baseline.clone(),
    };
    let (mut found, mut equal): (Vec<PlannedComparison>, Vec<String>) = Default::default();
    let mut add = |first: &Planned, second: &Planned| {
        let (one, two) = (&first.info.configuration, &second.info.configuration);
        let model = if first.roles.is_empty() { String::new() } else { first.info.model_label() };
        let known = |other: &PlannedComparison| {
            other.environment == first.info.environment
                && other.model == model
                && ((other.first == *one && other.second == *two) || (other.first == *two && other.second == *one))
        };
        if one == two || found.iter().any(known) {
            return;
        }
        let pairs = resolved.episodes_of(first).min(resolved.episodes_of(second));
        let is_rate = rates.contains(&first.info.environment);
        let sd = match options.sd {
            Some(sd) => Some((sd, SdSource::Given)),
            None => match played(earlier, first, second) {
                Some(sd) if sd > 0.0 => Some((sd, SdSource::Run)),
                // Measured values take precedence over those that a work printed for other models.
                Some(_) => {
                    let of = if model.is_empty() { String::new() } else { format!(" with {model}") };
                    equal.push(format!("{one} against {two}{of}"));
                    None
                }
                // The work's returns have another unit.
                None if is_rate => Some((Discordance::CLEAR.sd(), SdSource::Assumed)),
                None => facts.and_then(|facts| paper_sd(facts, one, two)),
            },
        };
        found.push(PlannedComparison {
            environment: first.info.environment.clone(),
            model,
            first: one.clone(),
            second: two.clone(),
            pairs,
            tasks: first.environment.tasks.len() as u64,
            is_rate,
            sd,
        });
    };
    let partner = |cell: &Planned, name: &str| -> Option<usize> {
        let alike = |other: &&Planned| {
            other.info.configuration == name
                && other.environment.environment == cell.environment.environment
                && (other.roles.is_empty()
                    || (other.info.model_label() == cell.info.model_label()
                        && other.info.decoding == cell.info.decoding))
        };
        resolved.cells.iter().position(|other| alike(&other))
    };
    for cell in &resolved.cells {
        if let Some(other) = partner(cell, &baseline) {
            add(cell, &resolved.cells[other]);
        }
    }
    for contrast in &protocol.contrasts {
        let (Side::Named(first), Side::Named(second)) = (&contrast.first, &contrast.second) else { continue };
        for cell in resolved.cells.iter().filter(|cell| cell.info.configuration == *first) {
            if let Some(other) = partner(cell, second) {
                add(cell, &resolved.cells[other]);
            }
        }
    }
    for level in protocol.ladder().into_iter().skip(1) {
        for cell in resolved.cells.iter().filter(|cell| cell.info.configuration == level) {
            if let Some(other) = partner(cell, &protocol.anchor) {
                add(cell, &resolved.cells[other]);
            }
        }
    }
    Ok(Compared { baseline, found, equal })
}

/// SD of the paired differences of an earlier run, where it has two pairs at least.
fn played(earlier: Option<&Rows>, first: &Planned, second: &Planned) -> Option<f64> {
    let rows = earlier?;
    // Ids of cells are the same in a plan and in its run.
    let of = |cell: &Planned| -> Vec<_> { rows.episodes.iter().filter(|row| row.cell == cell.info.id).collect() };
    let options = Options { flips: 0, resamples: 1, ..Options::default() };
    paired_test(&of(first), &of(second), None, &options).and_then(|test| test.basic.difference.sd)
}

/// What the cells take.
fn costs(estimates: &[estimate::Estimate]) -> Table {
    let number = |key, title, help| Column::new(key, title, "cost", ColumnKind::Integer, help);
    let columns = vec![
        Column::new("cell", "Cell", "cell", ColumnKind::Label, "Cell"),
        number("episodes", "Episodes", "Episodes planned"),
        number("tokens_in", "Tokens in", "Estimated prompt tokens of all of them"),
        number("tokens_out", "Tokens out", "Estimated completion tokens of all of them"),
        Column::new("cost", "Cost", "cost", ColumnKind::Number(4), "Estimated cost of all of them").unit("$"),
    ];
    let line = |name: &str, counts: [u64; 3], cost: Option<u64>| {
        let mut row = vec![Cell::text(name)];
        row.extend(counts.map(Cell::count));
        row.push(Cell::number(cost.map(|micro| micro as f64 / 1e6)));
        row
    };
    let mut rows: Vec<Vec<Cell>> = Vec::new();
    let (mut counts, mut cost) = ([0_u64; 3], Some(0_u64));
    for one in estimates {
        let own = [one.episodes, one.input_tokens, one.output_tokens];
        rows.push(line(&one.cell, own, one.cost_microdollars));
        for (sum, more) in counts.iter_mut().zip(own) {
            *sum = sum.saturating_add(more);
        }
        cost = cost.zip(one.cost_microdollars).map(|(sum, more)| sum.saturating_add(more));
    }
    rows.push(line("all", counts, cost));
    let notes = vec![format!(
        "Tokens are estimates: one episode of each cell, played by {}, counted by length. –: a price is not known.",
        estimate::STAND_IN
    )];
    Table { key: "cost", title: "What the study takes".to_owned(), columns, rows, notes }
}
