//! What the work knows of studies before they are played: which configurations it compares, and the SDs that it prints.

use gimbal_analysis::AnalysisError;
use gimbal_view::work::{Planning, PrintedSds};

use crate::axes::Side;
use crate::printed::{self, BogFacts, paper_sd};
use crate::protocol;

/// See [`gimbal_view::work::Work::planning`].
pub(crate) static PLANNING: Planning = Planning { baseline, pairs, file: printed::FILE, sds };

fn baseline() -> String {
    protocol().baseline.clone()
}

/// The protocol's contrasts between two configurations, then each level of its ladder against the anchor.
fn pairs() -> Vec<(String, String)> {
    let protocol = protocol();
    let named = |first: &Side, second: &Side| match (first, second) {
        (Side::Named(first), Side::Named(second)) => Some((first.clone(), second.clone())),
        _ => None,
    };
    let contrasts = protocol.contrasts.iter().filter_map(|contrast| named(&contrast.first, &contrast.second));
    let ladder = protocol.ladder().into_iter().skip(1).map(|level| (level.to_string(), protocol.anchor.clone()));
    contrasts.chain(ladder).collect()
}

fn sds(text: &str, name: &str) -> Result<PrintedSds, AnalysisError> {
    let facts = BogFacts::parse(text, name)?;
    Ok(Box::new(move |first, second| paper_sd(&facts, first, second)))
}
