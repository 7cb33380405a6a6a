//! The one sentence on what a run can and cannot tell.

use gimbal_analysis::acted::NAMED_FROM;
use gimbal_analysis::{Analysis, BaselineChoice, CellSummary, FEWEST, Kind};

/// Fewest episodes a cell for a run to be more than a hint.
const FEW: usize = 10;

/// What this run can and cannot tell: from the number of episodes, what played, and how wide the intervals are.
///
/// It never ranks configurations by plumbing or scripted rows, and never claims a difference that does not stand after
/// Holm's correction.
#[must_use]
pub fn sentence(analysis: &Analysis) -> String {
    sentence_of(analysis, false)
}

/// The same of a run that may be in progress: what is not played yet is not missing.
#[must_use]
pub(crate) fn sentence_of(analysis: &Analysis, in_progress: bool) -> String {
    let all: Vec<&CellSummary> = analysis.cells.iter().filter(|cell| cell.episodes > 0).collect();
    let (hardly, played): (Vec<&CellSummary>, Vec<&CellSummary>) =
        all.into_iter().partition(|cell| cell.hardly_acted());
    let mut text = lead(&hardly, played.iter().filter(|cell| !cell.info.models.is_empty()).count());
    let pick = |test: &dyn Fn(&CellSummary) -> bool| -> Vec<&CellSummary> {
        played.iter().copied().filter(|cell| test(cell)).collect()
    };
    let evidence = pick(&|cell| cell.info.is_evidence());
    let plumbing = pick(&|cell| cell.info.plumbing.is_some());
    let scripted = pick(&|cell| matches!(cell.info.kind, Kind::Scripted | Kind::NoisyExpert));
    let readers = pick(&|cell| cell.info.kind == Kind::Reader);
    let body = if played.is_empty() && !hardly.is_empty() {
        "No other cell was played: this run measures the fallback and no model".to_owned()
    } else if played.is_empty() {
        return match analysis.cells.iter().map(CellSummary::cuts).sum::<usize>() {
            0 if in_progress => format!("In progress, 0 of {} planned episodes played so far.", planned(analysis)),
            0 => format!("No episode has been played: this run shows nothing yet{}.", lost(analysis)),
            cut => format!(
                "Every episode that was played ({cut}) was cut by a limit of the episode: this run says nothing about returns."
            ),
        };
    } else if !evidence.is_empty() {
        with_evidence(analysis, &evidence)
    } else if !readers.is_empty() {
        let stand_ins = if scripted.is_empty() { "fixed readers" } else { "fixed readers and scripted stand-ins" };
        format!(
            "With {} and {stand_ins} in the place of models, this run shows what the requests tell a player by rule; it says nothing about language models",
            episodes(&readers),
        )
    } else if !plumbing.is_empty() {
        format!(
            "With {} and {} (plumbing), this run shows that the machinery works; it cannot rank configurations or say anything about better models",
            episodes(&plumbing),
            models(&plumbing),
        )
    } else if !scripted.is_empty() {
        format!(
            "With {} and scripted stand-ins for models, this run tests the scaffolding; it says nothing about language models",
            episodes(&scripted),
        )
    } else {
        policies(analysis, &played)
    };
    text.push_str(&body);
    text.push_str(&shares(&played));
    if !evidence.is_empty() && (!plumbing.is_empty() || !scripted.is_empty() || !readers.is_empty()) {
        text.push_str("; rows marked plumbing, scripted, noisy expert or reader are not evidence");
    }
    let cut: usize = analysis.cells.iter().map(CellSummary::cuts).sum();
    if cut > 0 {
        text.push_str(&format!(
            "; {cut} episode{} that a limit cut {} left out",
            if cut == 1 { "" } else { "s" },
            if cut == 1 { "is" } else { "are" }
        ));
    }
    let missing: usize = analysis.gaps().iter().map(gimbal_analysis::Gap::missing).sum();
    let planned = planned(analysis);
    if in_progress {
        let played: usize = analysis.cells.iter().map(|cell| cell.episodes + cell.cuts()).sum();
        return format!("In progress, {played} of {planned} planned episodes played so far. {text}.");
    }
    if missing > 0 {
        text.push_str(&format!("; {missing} of {planned} planned episodes are missing{}", lost(analysis)));
    }
    text.push('.');
    text
}

/// What most of the lost episodes were lost to, in the words of what failed; nothing where none was lost.
fn lost(analysis: &Analysis) -> String {
    let reasons = analysis.lost_because();
    let Some((why, count)) = reasons.first() else { return String::new() };
    let others = match reasons.len() - 1 {
        0 => String::new(),
        1 => ", and others to one more reason".to_owned(),
        more => format!(", and others to {more} more reasons"),
    };
    format!("; {count} lost to “{}”{others}", why.trim_end_matches('.'))
}

fn planned(analysis: &Analysis) -> usize {
    analysis.cells.iter().map(|cell| cell.info.planned as usize).sum()
}

/// What comes first where a model hardly acted: in how many cells, and both shares over them; nothing where all acted.
fn lead(hardly: &[&CellSummary], acted: usize) -> String {
    let Some(first) = hardly.first() else { return String::new() };
    // Every cell has one voice, as every episode has in its cell.
    let share = |mean: fn(&CellSummary) -> Option<f64>| {
        let means: Vec<f64> = hardly.iter().filter_map(|cell| mean(cell)).collect();
        if means.is_empty() {
            return "–".to_owned();
        }
        format!("{:.0}%", 100.0 * means.iter().sum::<f64>() / means.len() as f64)
    };
    let all = hardly.len() + acted;
    let cells = match (hardly.len(), acted) {
        (1, 0) => format!("In {} on {}, the one cell with a model,", first.info.configuration_label(), models(hardly)),
        (_, 0) => format!("In all {all} cells with a model ({})", models(hardly)),
        (some, _) => format!("In {some} of {all} cells with a model ({})", models(hardly)),
    };
    let messages = match hardly.iter().any(|cell| cell.unusable_mean.is_some()) {
        true => format!(
            "; of {} of the messages that it was asked for nothing could be used",
            share(|cell| cell.unusable_mean)
        ),
        false => String::new(),
    };
    let silent: u64 = hardly.iter().map(|cell| cell.without_call.count).sum();
    let silent = match silent {
        0 => String::new(),
        some => {
            let of: u64 = hardly.iter().map(|cell| cell.without_call.of).sum();
            format!("; {some} of {of} episodes, without any tool call, count as 100% of both")
        }
    };
    format!(
        "{cells} the model hardly acted: the fallback took {} of the steps, and {} of the attempts at an action were invalid{messages}{silent}. {} no measurement. ",
        share(|cell| cell.fallback_mean),
        share(|cell| cell.invalid_mean),
        if hardly.len() == 1 { "It is" } else { "They are" },
    )
}

/// Which shares of fallback, invalid attempts and unusable messages are high ([`NAMED_FROM`]) in cells that measure a model; nothing where
/// none is.
fn shares(played: &[&CellSummary]) -> String {
    type Share = (fn(&CellSummary) -> Option<f64>, &'static str, &'static str);
    const SHARES: [Share; 3] = [
        (|cell| cell.fallback_mean, "the fallback took ", " of the steps"),
        (|cell| cell.invalid_mean, "", " of the attempts at an action were invalid"),
        (|cell| cell.unusable_mean, "nothing could be used of ", " of the messages on which code acts"),
    ];
    let models: Vec<&CellSummary> = played.iter().copied().filter(|cell| cell.info.kind.is_model()).collect();
    let high = |cell: &CellSummary, share: &Share| share.0(cell).filter(|value| *value >= NAMED_FROM);
    let named: Vec<&CellSummary> =
        models.iter().copied().filter(|cell| SHARES.iter().any(|share| high(cell, share).is_some())).collect();
    let Some(first) = named.first() else { return String::new() };
    let up_to = if named.len() > 1 { "up to " } else { "" };
    let said = SHARES.iter().filter_map(|share| {
        let most = named.iter().filter_map(|cell| high(cell, share)).max_by(f64::total_cmp)?;
        Some(format!("{}{up_to}{:.0}%{}", share.1, 100.0 * most, share.2))
    });
    let place = match named.len() {
        1 => format!("in {} on {}", first.info.configuration_label(), first.info.model_label()),
        some => format!("in {some} of {} cells with a model", models.len()),
    };
    format!("; {place} {}", said.collect::<Vec<_>>().join(" and "))
}

/// "50 episodes a cell" or "2 to 50 episodes a cell".
fn episodes(cells: &[&CellSummary]) -> String {
    let least = cells.iter().map(|cell| cell.episodes).min().unwrap_or(0);
    let most = cells.iter().map(|cell| cell.episodes).max().unwrap_or(0);
    match (least, most) {
        (1, 1) => "1 episode a cell".to_owned(),
        (least, most) if least == most => format!("{least} episodes a cell"),
        (least, most) => format!("{least} to {most} episodes a cell"),
    }
}

/// The models of these cells, at most three by name.
fn models(cells: &[&CellSummary]) -> String {
    let mut names: Vec<String> = Vec::new();
    for cell in cells {
        let name = cell.info.model_label();
        if !names.contains(&name) {
            names.push(name);
        }
    }
    match names.as_slice() {
        [one] => one.clone(),
        [one, two] => format!("{one} and {two}"),
        [one, two, three] => format!("{one}, {two} and {three}"),
        many => format!("{} models", many.len()),
    }
}

fn with_evidence(analysis: &Analysis, evidence: &[&CellSummary]) -> String {
    let start = format!("With {} and {}", episodes(evidence), models(evidence));
    let least = evidence.iter().map(|cell| cell.episodes).min().unwrap_or(0);
    if least < FEWEST {
        return format!(
            "{start}, this run shows so few episodes that there is no interval (below {FEWEST} of a cell there is none), and it cannot rank configurations"
        );
    }
    let level = 1.0 - analysis.options.confidence;
    let percent = analysis.options.percent();
    let compared: Vec<_> = analysis
        .comparisons
        .iter()
        .filter(|entry| {
            analysis.cells[entry.cell].info.is_evidence() && analysis.cells[entry.against].info.is_evidence()
        })
        .filter_map(|entry| Some((entry.paired?, entry.p_holm?)))
        .collect();
    let mut halves: Vec<f64> = compared.iter().filter_map(|(paired, _)| paired.difference.half_width).collect();
    if !compared.iter().any(|(paired, _)| paired.difference.n >= FEWEST) {
        let halves: Vec<f64> = evidence.iter().filter_map(|cell| cell.returns?.half_width).collect();
        let sure = match varied(&halves) {
            true => format!("this run gives mean returns to within {} at {percent}%", widths(halves)),
            false => format!("{ALL_ALIKE}, so that no interval says how sure their means are"),
        };
        return format!("{start}, {sure}; without a baseline that played the same seeds it compares nothing");
    }
    // The correction is for everything that was compared, policies and marked rows included.
    let family = analysis.comparisons.iter().filter(|entry| entry.p_holm.is_some()).count();
    let standing = compared.iter().filter(|(_, p)| *p < level).count();
    let baseline = match &analysis.options.baseline {
        Some(BaselineChoice::Configuration(name)) => format!(" from “{name}”"),
        Some(BaselineChoice::Cell(_)) | None => " from the baseline".to_owned(),
    };
    halves.sort_by(f64::total_cmp);
    let finding = match (standing, compared.len()) {
        (0, 1) => format!("the one difference{baseline} does not hold at {percent}%"),
        (1, 1) => format!("the one difference{baseline} holds at {percent}%"),
        (0, all) => format!(
            "none of {all} differences{baseline} holds after correction for {family} comparisons ({percent}%, Holm)"
        ),
        (some, all) => {
            format!(
                "{some} of {all} differences{baseline} {} after correction for {family} comparisons ({percent}%, Holm)",
                if some == 1 { "holds" } else { "hold" }
            )
        }
    };
    let hint = if least < FEW { ", a hint and no more with so few episodes" } else { "" };
    let open = match varied(&halves) {
        true => format!("intervals of single differences reach {}, so smaller effects stay open", widths(halves)),
        false => format!("{ALL_ALIKE}, so that no interval says how sure a difference is"),
    };
    format!("{start}, {finding}{hint}; {open}, and other environments and models are not covered")
}

fn policies(analysis: &Analysis, played: &[&CellSummary]) -> String {
    let start = format!("With {} and no language model, this run measures policies alone", episodes(played));
    let halves: Vec<f64> = played.iter().filter_map(|cell| cell.returns?.half_width).collect();
    let percent = analysis.options.percent();
    if !played.iter().any(|cell| cell.episodes >= FEWEST) {
        return format!("{start}, by so few episodes that there is no interval; it says nothing about language models");
    }
    let sure = match varied(&halves) {
        true => format!("mean returns to within {} at {percent}%", widths(halves)),
        false => ALL_ALIKE.to_owned(),
    };
    format!("{start} ({sure}); it says nothing about language models")
}

/// Why there is no interval.
const ALL_ALIKE: &str = "the episodes of each configuration returned the same";

/// Whether there is any interval: without one, episodes that differ were not seen.
fn varied(halves: &[f64]) -> bool {
    !halves.is_empty()
}

/// "±12.3", or "±5.1 to ±20.4".
fn widths(mut halves: Vec<f64>) -> String {
    halves.sort_by(f64::total_cmp);
    let show = |value: f64| if value >= 10.0 { format!("±{value:.0}") } else { format!("±{value:.2}") };
    match (halves.first(), halves.last()) {
        (Some(least), Some(most)) if show(*least) != show(*most) => format!("{} to {}", show(*least), show(*most)),
        (Some(only), _) => show(*only),
        _ => "an unknown distance".to_owned(),
    }
}
