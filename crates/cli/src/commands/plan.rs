//! `gimbal plan`: which differences a study can detect, and with how many runs.

use std::collections::BTreeSet;

use gimbal_analysis::Rows;
use gimbal_analysis::planned::{Demand, table};
use gimbal_core::Files as _;
use gimbal_report::planned::{Comparing, costs, rates};
use gimbal_study::plan::{self, Plan as Resolved, estimate};
use gimbal_study::read;
use gimbal_study::run::RunFolder;
use gimbal_view::work::{Planning, PrintedSds};

use super::planned::counted;
use super::tables;
use crate::args::{Plan, TableFormat};
use crate::exit::Failure;
use crate::home::Home;
use crate::registry::{catalogue, registry};
use crate::stdio;

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
    let comparing = Comparing {
        plan: &resolved,
        baseline: options.baseline.as_deref(),
        sd: options.sd,
        earlier: earlier.as_ref(),
        works: plannings(home)?,
        rates: rates(&resolved).await,
    };
    let compared = comparing.compared().map_err(Failure::usage)?;
    if compared.found.is_empty() && options.format == TableFormat::Text {
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
        tables::show(&table, options.format);
    }
    if options.no_cost {
        println!("\n{}", counted(&resolved));
        return Ok(());
    }
    let estimates = estimate::estimate(&resolved, &*models).await.map_err(Failure::usage)?;
    if options.format == TableFormat::Text {
        println!("\n{}\n", counted(&resolved));
    }
    tables::show(&costs(&estimates), options.format);
    Ok(())
}

/// What works know of plans, with the SDs that they print.
fn plannings(home: &Home) -> Result<Vec<(&'static Planning, Option<PrintedSds>)>, Failure> {
    let catalogue = catalogue();
    let plannings = catalogue.works().filter_map(|work| work.planning());
    let with_sds = |planning: &'static Planning| {
        let file = home.files.read(planning.file).map_err(Failure::usage)?;
        let sds = file.map(|(text, place)| (planning.sds)(&text, &place)).transpose().map_err(Failure::usage)?;
        Ok((planning, sds))
    };
    plannings.map(with_sds).collect()
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
