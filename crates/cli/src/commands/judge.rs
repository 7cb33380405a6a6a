//! `gimbal judge`.

use std::collections::BTreeSet;
use std::sync::Arc;

use gimbal_ares::tables::{Asked, NamedRanges, sweep as table};
use gimbal_core::{ArchitectureKind, Milli};
use gimbal_evidence::judge::sweep::{PUBLISHED, Range, thousandths};
use gimbal_evidence::judge::{Arithmetic, Judge};

use gimbal_messages::Record as _;
use gimbal_messages::records::debate::VerdictGiven;

use super::{report, tables};
use crate::args::{ArithmeticChoice, JudgeVerb, Sweep};
use crate::exit::Failure;
use crate::registry::registry;

/// The table of a run that holds what all judges make of its confidences.
const OF_RUN: &str = "ares-judges";

/// The verbs of `gimbal judge`.
pub fn judge(verb: &JudgeVerb) -> Result<(), Failure> {
    match verb {
        JudgeVerb::Sweep(Sweep { run: Some(run), format, .. }) => {
            let (table, bases) = report::table_of(run, OF_RUN)?;
            if table.rows.is_empty() {
                return Err(Failure::Usage(nothing_to_judge(&run.display().to_string(), &bases)));
            }
            tables::show(&table, *format);
            Ok(())
        }
        JudgeVerb::Sweep(options) => {
            let table = table(&asked(options)?).map_err(|error| Failure::Usage(format!("--step: {error}")))?;
            tables::show(&table, options.format);
            Ok(())
        }
    }
}

/// What a run of these architectures lacks that judges could be asked about.
fn nothing_to_judge(run: &str, bases: &BTreeSet<String>) -> String {
    let records = |kind: &&Arc<dyn ArchitectureKind>| kind.records().iter().any(|one| one.name == VerdictGiven::KIND);
    let registry = registry();
    let judged: Vec<&str> = registry.architectures.iter().filter(records).map(|kind| kind.name()).collect();
    let (known, given) = (judged.join(", "), bases.iter().map(String::as_str).collect::<Vec<_>>().join(", "));
    if judged.iter().any(|name| bases.contains(*name)) {
        return format!(
            "--run: no debate of the run `{run}` has ended with a verdict yet, so that there are no confidences to judge; \
             `gimbal report {run} --table stops` says how its episodes ended"
        );
    }
    format!(
        "--run: the run `{run}` has no debates, so that there are no confidences to judge: its architectures ({given}) record \
         no verdicts; name a run of a study with an architecture that records them ({known})"
    )
}

fn asked(options: &Sweep) -> Result<Asked, Failure> {
    let arithmetics = match options.arithmetic {
        ArithmeticChoice::Exact => vec![Arithmetic::Exact],
        ArithmeticChoice::FloatCompat => vec![Arithmetic::FloatCompat],
        ArithmeticChoice::Both => Arithmetic::ALL.to_vec(),
    };
    let step = number("--step", &options.step)?;
    Ok(Asked { judges: judges(options)?, arithmetics, phases: phases(options)?, step })
}

fn judges(options: &Sweep) -> Result<Vec<Judge>, Failure> {
    let means = match (&options.mean_architect, &options.mean_skeptic) {
        (Some(architect), Some(skeptic)) => {
            Some((number("--mean-architect", architect)?, number("--mean-skeptic", skeptic)?))
        }
        _ => None,
    };
    if options.judge.is_empty() && means.is_none() {
        return Ok(Judge::PLAIN.to_vec());
    }
    let mut judges = Vec::new();
    for name in &options.judge {
        let judge: Judge = name.parse().map_err(|error| Failure::Usage(format!("--judge: {error}")))?;
        judges.push(judge);
    }
    if judges.is_empty() {
        judges.push(Judge::Calibrated { architect: Milli::ZERO, skeptic: Milli::ZERO });
    }
    for judge in &mut judges {
        if let Judge::Calibrated { architect, skeptic } = judge {
            (*architect, *skeptic) = means.ok_or_else(|| {
                Failure::Usage(
                    "--judge calibrated: needs the mean confidences that it subtracts: give --mean-architect and \
                     --mean-skeptic"
                        .to_owned(),
                )
            })?;
        }
    }
    Ok(judges)
}

fn phases(options: &Sweep) -> Result<Vec<NamedRanges>, Failure> {
    let range = |flag: &str, text: &str| -> Result<Range, Failure> {
        text.parse().map_err(|error| Failure::Usage(format!("{flag}: {error}")))
    };
    match (&options.architect, &options.skeptic) {
        (Some(architect), Some(skeptic)) => {
            let (architect, skeptic) = (range("--architect", architect)?, range("--skeptic", skeptic)?);
            Ok(vec![NamedRanges { name: "as asked".to_owned(), architect, skeptic }])
        }
        _ => Ok(PUBLISHED.iter().map(NamedRanges::from).collect()),
    }
}

fn number(flag: &str, text: &str) -> Result<Milli, Failure> {
    thousandths(text).ok_or_else(|| {
        Failure::Usage(format!("{flag}: `{text}` is not a number from 0 to 1 with at most three decimals"))
    })
}
