//! `gimbal judge`.

use gimbal_ares::tables::{Asked, sweep as table};
use gimbal_core::Milli;
use gimbal_evidence::judge::sweep::{PUBLISHED, Range, thousandths};
use gimbal_evidence::judge::{Arithmetic, Judge};

use super::{report, tables};
use crate::args::{ArithmeticChoice, JudgeVerb, Sweep};
use crate::exit::Failure;

/// The table of a run that holds what all judges make of its confidences.
const OF_RUN: &str = "ares-judges";

/// The verbs of `gimbal judge`.
pub fn judge(verb: &JudgeVerb) -> Result<(), Failure> {
    match verb {
        JudgeVerb::Sweep(Sweep { run: Some(run), format, .. }) => report::table_of(run, OF_RUN, *format),
        JudgeVerb::Sweep(options) => {
            let table = table(&asked(options)?).map_err(|error| Failure::Usage(format!("--step: {error}")))?;
            tables::show(&table, options.format);
            Ok(())
        }
    }
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

fn phases(options: &Sweep) -> Result<Vec<(String, Range, Range)>, Failure> {
    let range = |flag: &str, text: &str| -> Result<Range, Failure> {
        text.parse().map_err(|error| Failure::Usage(format!("{flag}: {error}")))
    };
    match (&options.architect, &options.skeptic) {
        (Some(architect), Some(skeptic)) => {
            Ok(vec![("as asked".to_owned(), range("--architect", architect)?, range("--skeptic", skeptic)?)])
        }
        _ => Ok(PUBLISHED.iter().map(|phase| (phase.name.to_owned(), phase.architect, phase.skeptic)).collect()),
    }
}

fn number(flag: &str, text: &str) -> Result<Milli, Failure> {
    thousandths(text).ok_or_else(|| {
        Failure::Usage(format!("{flag}: `{text}` is not a number from 0 to 1 with at most three decimals"))
    })
}
