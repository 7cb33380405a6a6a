//! The section `limits` of a study.

use gimbal_core::Limits;
use gimbal_core::yaml::Node;

use crate::plan::error::Problem;
use crate::plan::members::{Members, decimal, whole};
use crate::run::StudyLimits;

/// Dollars, in millionths.
fn money(members: &mut Members<'_>, file: &str) -> Result<Option<u64>, Problem> {
    let Some(node) = members.get("cost") else { return Ok(None) };
    let dollars = decimal(node, file, "`cost` (in dollars)", 0.0, 1e9)?;
    Ok(Some((dollars * 1e6).round() as u64))
}

/// Limits on what was billed.
fn billed(node: &Node, file: &str, what: &str) -> Result<StudyLimits, Problem> {
    let mut members = Members::of(node, file, what)?;
    let cost_microdollars = money(&mut members, file)?;
    let tokens = members.get("tokens").map(|node| whole(node, file, "`tokens`", 1)).transpose()?;
    members.finish()?;
    Ok(StudyLimits { cost_microdollars, tokens })
}

/// Everything under `limits`.
#[derive(Default)]
pub(super) struct AllLimits {
    pub episode: Limits,
    pub cell: StudyLimits,
    pub study: StudyLimits,
}

/// The section `limits`.
pub(super) fn limits(node: &Node, file: &str) -> Result<AllLimits, Problem> {
    let mut members = Members::of(node, file, "`limits`")?;
    let mut episode = Limits::default();
    if let Some(node) = members.get("episode") {
        let mut members = Members::of(node, file, "`limits.episode`")?;
        let fields = [
            ("model_calls", &mut episode.model_calls),
            ("tool_calls", &mut episode.tool_calls),
            ("tokens", &mut episode.tokens),
            ("seconds", &mut episode.seconds),
            ("branch_calls", &mut episode.branch_calls),
        ];
        for (key, field) in fields {
            *field = members.get(key).map(|node| whole(node, file, &format!("`{key}`"), 1)).transpose()?;
        }
        episode.cost_microdollars = money(&mut members, file)?;
        members.finish()?;
    }
    let mut of = |key, what| members.get(key).map(|node| billed(node, file, what)).transpose();
    let (cell, study) = (of("cell", "`limits.cell`")?, of("study", "`limits.study`")?);
    members.finish()?;
    Ok(AllLimits { episode, cell: cell.unwrap_or_default(), study: study.unwrap_or_default() })
}
