//! Numbers of the text, recomputed from the tables (CYC-024, 110-113).

use gimbal_analysis::AnalysisError;
use gimbal_analysis::papers::Check;

use super::{CycFacts, CycFormula, HALF, HALF_CENT, PaperControl};

/// Checks every claim.
pub(super) fn check(facts: &CycFacts, checks: &mut Vec<Check>) -> Result<(), AnalysisError> {
    for claim in &facts.claims {
        let place = format!("{}: {}", claim.claim, claim.place);
        let Some((value, half)) = value(facts, &claim.of) else {
            return Err(AnalysisError::Facts {
                place: format!("claims, `{place}`"),
                what: "has no value: no row of the tables is what it names".to_owned(),
            });
        };
        let reach = (value - half, value + half);
        let check = Check::judge("Claims", place, claim.printed, claim.digits, value, reach);
        checks.push(check.related(claim.relation));
    }
    Ok(())
}

/// A value and how far the rounding of its inputs can move it.
fn value(facts: &CycFacts, of: &CycFormula) -> Option<(f64, f64)> {
    let overall = |benchmark: &str, control: PaperControl| {
        let found = facts
            .cells
            .iter()
            .find(|cell| cell.table == "Tab. 2" && cell.benchmark == benchmark && cell.control == control);
        found.map(|cell| cell.sr[0])
    };
    let faulted = |benchmark: &str, control: PaperControl| {
        facts
            .robustness
            .iter()
            .find(|row| row.table == "Tab. 12" && row.benchmark == benchmark && row.control == control)
    };
    let percents = || facts.tokens.iter().flat_map(|pair| [pair.shared.percent, pair.all.percent]);
    let nodes = |family: &str, side: usize| {
        let own = facts.graphs.iter().filter(|graph| graph.benchmark.starts_with(family));
        own.map(|graph| graph.nodes[side]).collect::<Vec<f64>>().into_iter()
    };
    let words = |side: usize| facts.graphs.iter().map(move |graph| graph.words[side]);
    Some(match of {
        CycFormula::Sr { benchmark, control } => (overall(benchmark, *control)?, 0.0),
        CycFormula::Gap { benchmark, first, second } => {
            (overall(benchmark, *first)? - overall(benchmark, *second)?, 2.0 * HALF)
        }
        CycFormula::Led { control } => {
            let leads = |name: &str| {
                let own = overall(name, *control);
                let all = facts.cells.iter().filter(|cell| cell.table == "Tab. 2" && cell.benchmark == name);
                own.is_some_and(|own| all.map(|cell| cell.sr[0]).all(|other| other <= own))
            };
            (facts.benchmarks.iter().filter(|entry| leads(&entry.name)).count() as f64, 0.0)
        }
        CycFormula::KeptPercent { benchmark, control } => {
            let row = faulted(benchmark, *control)?;
            let kept = 100.0 * crate::cyclic::retention(row.sr_faulted[0], row.sr[0])?;
            (kept, 100.0 * HALF * (1.0 + kept / 100.0) / row.sr[0])
        }
        CycFormula::MoreCalls { benchmark, control } => {
            let row = faulted(benchmark, *control)?;
            (row.tc_faulted?[0] - row.tc?[0], 2.0 * HALF)
        }
        CycFormula::BestSr { benchmark, control } => {
            let own = facts
                .cells
                .iter()
                .filter(|cell| cell.table == "Tab. 9" && cell.benchmark == *benchmark && cell.control == *control);
            (own.map(|cell| cell.sr[0]).reduce(f64::max)?, 0.0)
        }
        CycFormula::MostTokenPercent {} => (percents().reduce(f64::max)?, HALF_CENT),
        CycFormula::LeastTokenPercent {} => (percents().reduce(f64::min)?, HALF_CENT),
        CycFormula::SpecialistsBetter {} => {
            let better = facts.cells.iter().filter(|cell| cell.table == "Tab. 10").filter(|cell| {
                let models: Vec<String> = std::iter::once("4o-mini".to_owned()).chain(cell.models.clone()).collect();
                let same = facts.cell("Tab. 9", &cell.benchmark, cell.control, &models);
                same.is_some_and(|general| cell.sr[0] > general.sr[0])
            });
            (better.count() as f64, 0.0)
        }
        CycFormula::LeastNodes { family } => (nodes(family, 0).reduce(f64::min)?, HALF),
        CycFormula::MostNodes { family } => (nodes(family, 1).reduce(f64::max)?, HALF),
        CycFormula::LeastWords {} => (words(0).reduce(f64::min)?, HALF),
        CycFormula::MostWords {} => (words(1).reduce(f64::max)?, HALF),
    })
}
