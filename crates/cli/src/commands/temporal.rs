//! `gimbal temporal`: what follows from the rules and the mathematics of the temporal hierarchy.

use gimbal_core::Milli;
use gimbal_ctha::figures::{ACROSS_LAYERS, AMPLIFICATION, Asked, output};
use gimbal_ctha::tables as made;
use gimbal_ctha::title;

use super::{own_folder, tables, write_file};
use crate::args::{GainsArgs, TemporalVerb};
use crate::exit::Failure;
use crate::stdio::message;

/// The verbs of `gimbal temporal`.
pub fn temporal(verb: &TemporalVerb) -> Result<(), Failure> {
    match verb {
        TemporalVerb::Gains(options) => gains(options),
        TemporalVerb::Search { epsilon, format } => {
            let epsilons: Vec<Milli> = epsilon.iter().map(|thousandths| Milli(*thousandths)).collect();
            tables::show(&made::searched(&epsilons), *format);
            Ok(())
        }
    }
}

fn gains(options: &GainsArgs) -> Result<(), Failure> {
    let asked = Asked {
        layers: usize::from(options.layers),
        depth: usize::from(options.depth),
        draws: usize::from(options.draws),
        seed: options.seed,
        iterations: options.iterations.min(10_000),
    };
    if let Some(folder) = &options.figures {
        own_folder(folder)?;
        for key in [ACROSS_LAYERS, AMPLIFICATION] {
            let drawn = output(key, title(key), &asked);
            let path = folder.join(format!("{}.svg", drawn.file));
            write_file(&path, &drawn.figure.alone)?;
            message(&format!("{}: written", path.display()));
        }
    }
    tables::show(&made::gains(&asked, &asked.curves()), options.format);
    Ok(())
}
