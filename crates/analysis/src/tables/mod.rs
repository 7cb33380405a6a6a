//! The standard tables of a study.

mod acted_notes;
mod apart;
pub(crate) mod cost;
mod detail;
mod faults;
mod log;
mod main_table;
mod paired;
mod trials;

use crate::cells::{Analysis, CellSummary};
use crate::marks::CellMark;
use crate::row::{CellInfo, Kind};
use crate::table::{Cell, Column, ColumnKind, Table};

pub use acted_notes::{HARDLY, acted_note};
use acted_notes::{HARDLY_NOTE, unusable_note};
pub use apart::{PastCell, apart, cells_named, set_apart, versions_named};
pub use cost::{cost, roles};
pub use detail::{failures, gaps, spread, stops};
pub use faults::faults;
pub use log::{instances, token_log};
pub use main_table::{essential, main};
pub use paired::paired;
pub use trials::trials;

/// Key and title of every table that a report can hold, in reading order.
pub const STANDARD: [(&str, &str); 13] = [
    ("cells", "Results by cell"),
    ("paired", "Paired differences against the baseline"),
    ("spread", "Spread, shares and bill by cell"),
    ("trials", "Returns by trial of a session"),
    ("cost", "Cost by cell"),
    ("roles", "Tokens, calls and money by role"),
    ("stops", "How episodes ended"),
    ("failures", "Calls that failed"),
    ("gaps", "What is missing"),
    ("faults", "Injected faults and recovery"),
    ("rescored", "Scores with tokens weighted by price"),
    ("apart", "No longer in the study"),
    ("bill", "Bill of the whole run"),
];

/// The keys of [`STANDARD`], in its order.
pub const KEYS: [&str; STANDARD.len()] = {
    let mut keys = [""; STANDARD.len()];
    let mut place = 0;
    while place < keys.len() {
        keys[place] = STANDARD[place].0;
        place += 1;
    }
    keys
};

/// A table whose rows begin with the labels of their cell, with the notes that its marks need.
#[must_use]
pub fn labelled(
    analysis: &Analysis,
    (key, title): (&'static str, &str),
    columns: Vec<Column>,
    rows: Vec<(&CellSummary, Vec<Cell>)>,
    mut notes: Vec<String>,
) -> Table {
    let columns = labels(analysis).into_iter().chain(columns).collect();
    let said = no_evidence(rows.iter().map(|(summary, _)| &summary.info)).trim().to_owned();
    if !said.is_empty() {
        notes.push(said);
    }
    notes.extend(mark_notes(analysis));
    let whole = |(summary, cells): (&CellSummary, Vec<Cell>)| label_cells(summary).into_iter().chain(cells).collect();
    let rows = rows.into_iter().map(whole).collect();
    Table { key, title: title.to_owned(), columns, rows, notes }
}

/// Every table that has something to say, in reading order: main, paired, spread, trials, cost, roles, stops, failures, gaps. Each has the same
/// columns whatever was played.
#[must_use]
pub fn all(analysis: &Analysis) -> Vec<Table> {
    [
        Some(main(analysis)),
        paired(analysis),
        Some(spread(analysis)),
        trials(analysis),
        cost(analysis),
        roles(analysis),
        stops(analysis),
        failures(analysis),
        gaps(analysis),
    ]
    .into_iter()
    .flatten()
    .collect()
}

/// The mark that a cell carries in every table: what keeps its numbers from being evidence about a language model, and whether its architecture
/// has a simulator.
#[must_use]
pub fn mark(info: &CellInfo) -> &'static str {
    let player = player_mark(info);
    if !info.simulator {
        return player;
    }
    match player {
        "" => SIMULATOR,
        "policy" => "policy, simulator",
        "scripted" => "scripted, simulator",
        "noisy expert" => "noisy expert, simulator",
        "reader" => "reader, simulator",
        "plumbing" => "plumbing, simulator",
        _ => "replayed, simulator",
    }
}

/// The mark of a cell whose architecture tries calls in copies of the environment.
pub const SIMULATOR: &str = "simulator";

/// What the player of a cell is, where it is not a language model that plays now.
fn player_mark(info: &CellInfo) -> &'static str {
    match (info.kind, &info.plumbing) {
        (Kind::Baseline, _) => "policy",
        (Kind::Scripted, _) => "scripted",
        (Kind::NoisyExpert, _) => "noisy expert",
        (Kind::Reader, _) => "reader",
        (_, Some(_)) => "plumbing",
        (Kind::Replayed, None) => "replayed",
        (Kind::Embedded | Kind::Remote, None) => "",
    }
}

/// Columns that name a cell: environment where the study has several, configuration, model, decoding, mark.
#[must_use]
pub fn labels(analysis: &Analysis) -> Vec<Column> {
    let label = |key, title, help| Column::new(key, title, "cell", ColumnKind::Label, help);
    vec![
        label("configuration", "Configuration", "Architecture and persona"),
        label("environment", "Environment", "Environment and the options that tell cells apart")
            .shown_if(several_environments(analysis)),
        label("model", "Model", "Model, by role where there are several"),
        label("decoding", "Decoding", "Whether a grammar masks the model's choices"),
        label("mark", "Mark", "What keeps the numbers from being evidence about a language model"),
    ]
}

/// Cells of [`labels`].
#[must_use]
pub fn label_cells(summary: &CellSummary) -> Vec<Cell> {
    let info = &summary.info;
    vec![
        Cell::text(info.configuration_label()),
        Cell::text(&info.environment),
        Cell::text(info.model_label()),
        Cell::text(info.decoding.label()),
        Cell::text(marks(summary)),
    ]
}

/// The mark of a cell: whether its model hardly acted, what keeps it from being evidence, what works mark it with, and how many of
/// its episodes a limit cut.
#[must_use]
pub fn marks(summary: &CellSummary) -> String {
    let mut marks: Vec<String> = Vec::new();
    if summary.hardly_acted() {
        marks.push(HARDLY.to_owned());
    }
    marks.push(mark(&summary.info).to_owned());
    marks.extend(summary.marks.iter().map(CellMark::shown));
    if summary.cuts() > 0 {
        marks.push(format!("{} of {} cut", summary.cuts(), summary.cuts() + summary.episodes));
    }
    marks.retain(|mark| !mark.is_empty());
    marks.join(", ")
}

/// Which cells have episodes that a limit of the episode cut, how many, and by which limit; `None` without any.
#[must_use]
pub fn cut_note<'c>(cells: impl IntoIterator<Item = &'c CellSummary>) -> Option<String> {
    const SHOWN: usize = 8;
    let cut: Vec<&CellSummary> = cells.into_iter().filter(|cell| cell.cuts() > 0).collect();
    let of = |cell: &CellSummary| cell.cuts() + cell.episodes;
    let (sum, all) = cut.iter().fold((0, 0), |(sum, all), cell| (sum + cell.cuts(), all + of(cell)));
    let several = cut.windows(2).any(|pair| pair[0].info.environment != pair[1].info.environment);
    let mut named: Vec<String> = cut
        .iter()
        .map(|cell| {
            let by: Vec<&str> = cell.cut.iter().map(|(stop, _)| stop.name()).collect();
            let place = if several { format!(" on {}", cell.info.environment) } else { String::new() };
            let (name, model) = (cell.info.configuration_label(), cell.info.model_label());
            format!("{name} on {model}{place}: {} of {} by {}", cell.cuts(), of(cell), by.join(", "))
        })
        .collect();
    let more = named.len().saturating_sub(SHOWN);
    named.truncate(SHOWN);
    let more = if more > 0 { format!("; and {more} more cells") } else { String::new() };
    (sum > 0).then(|| {
        format!(
            "Cut by a limit of the episode: {sum} of {all} episodes ({}{more}). What they would have returned nobody knows: they are in no mean, interval, test or rate, and what is left may be the easier part.",
            named.join("; ")
        )
    })
}

/// Configurations that returned the same in every episode: of a stand-in, whose acts depend on no context, and of a reader,
/// whose acts depend on what it is shown.
fn equal_notes(analysis: &Analysis) -> Vec<String> {
    let of = |kinds: &[Kind]| equal_groups(analysis, kinds);
    let stand_ins = of(&[Kind::Scripted, Kind::NoisyExpert]).map(|groups| {
        format!(
            "Equal returns, episode by episode: {groups}. A script or a noisy expert does not weigh the context that it is shown: such a difference of zero is so by construction and no finding."
        )
    });
    let readers = of(&[Kind::Reader]).map(|groups| {
        format!(
            "Equal returns of a reader, episode by episode: {groups}. A reader acts on what it is shown: what differs between these configurations changed none of its acts. Deliberation tools never do, by construction."
        )
    });
    stand_ins.into_iter().chain(readers).collect()
}

/// The configurations of these kinds that returned the same in every episode, in words; none without any.
fn equal_groups(analysis: &Analysis, kinds: &[Kind]) -> Option<String> {
    const SHOWN: usize = 6;
    let wanted = |cell: &&CellSummary| kinds.contains(&cell.info.kind) && cell.episodes > 1;
    let mut groups: Vec<(&CellSummary, Vec<String>)> = Vec::new();
    for cell in analysis.cells.iter().filter(wanted) {
        let same = |other: &CellSummary| {
            other.values == cell.values
                && (&other.info.environment, other.info.model_label())
                    == (&cell.info.environment, cell.info.model_label())
        };
        match groups.iter_mut().find(|(first, _)| same(first)) {
            Some((_, names)) => names.push(cell.info.configuration_label()),
            None => groups.push((cell, vec![cell.info.configuration_label()])),
        }
    }
    let mut told: Vec<String> = groups
        .into_iter()
        .filter(|(_, names)| names.len() > 1)
        .map(|(first, names)| {
            let place =
                if several_environments(analysis) { format!(" on {}", first.info.environment) } else { String::new() };
            format!("{} on {}{place}", names.join(", "), first.info.model_label())
        })
        .collect();
    let more = told.len().saturating_sub(SHOWN);
    told.truncate(SHOWN);
    let more = if more > 0 { format!("; and {more} more groups") } else { String::new() };
    (!told.is_empty()).then(|| format!("{}{more}", told.join("; ")))
}

/// What must be said of rows that are not evidence about language models, as far as there are any: a sentence behind a blank,
/// for captions; empty without any.
#[must_use]
pub fn no_evidence<'c>(cells: impl IntoIterator<Item = &'c CellInfo>) -> &'static str {
    let (mut readers, mut others) = (false, false);
    for info in cells.into_iter().filter(|info| !info.is_evidence()) {
        if info.kind == Kind::Reader {
            readers = true;
        } else {
            others = true;
        }
    }
    match (others, readers) {
        (false, false) => "",
        (true, false) => {
            " Scripted, noisy-expert and plumbing rows show what the scaffolding does and are not evidence about language models."
        }
        (false, true) => {
            " Reader rows show what requests tell a fixed player by rule and are not evidence about language models."
        }
        (true, true) => {
            " Scripted, noisy-expert and plumbing rows show what the scaffolding does, reader rows what requests tell a fixed player by rule; none is evidence about language models."
        }
    }
}

/// What must be said where contexts are equal by construction, since who plays reads no prompt (a policy) or does not weigh
/// it (a script, a noisy expert): sentences behind a blank, for captions; empty without any.
#[must_use]
pub fn by_construction<'c>(cells: impl IntoIterator<Item = &'c CellInfo>) -> String {
    let (mut policies, mut stand_ins) = (false, false);
    for info in cells {
        policies |= info.kind == Kind::Baseline;
        stand_ins |= matches!(info.kind, Kind::Scripted | Kind::NoisyExpert);
    }
    let mut said = String::new();
    if stand_ins {
        said.push_str(
            " A script or a noisy expert does not weigh the context that it is shown: for it contexts are equal by construction, and a difference of zero between them is not a finding.",
        );
    }
    if policies {
        said.push_str(" A policy reads no prompt: for it contexts are equal by construction.");
    }
    said
}

/// Whether any interval takes runs of one task and instance together.
#[must_use]
pub fn clustered(analysis: &Analysis) -> bool {
    analysis.cells.iter().any(|cell| cell.returns.is_some_and(|returns| returns.clusters.is_some()))
}

/// How intervals of ratios are made.
#[must_use]
pub fn ratio_note(analysis: &Analysis) -> String {
    let options = &analysis.options;
    let unit = if clustered(analysis) { "clusters" } else { "episodes" };
    format!(
        "Intervals of ratios: {}% BCa bootstrap over {unit}, {} resamples, seed {}; left out below {} of them, where resamples repeat one another.",
        options.percent(),
        options.resamples,
        options.seed,
        options.bootstrap_minimum
    )
}

fn several_environments(analysis: &Analysis) -> bool {
    analysis.cells.windows(2).any(|pair| pair[0].info.environment != pair[1].info.environment)
}

/// Digits after the point for returns: one where they reach tens, three for small scales such as success in [0, 1].
#[must_use]
pub fn return_digits(analysis: &Analysis) -> usize {
    let largest =
        analysis.cells.iter().flat_map(|cell| &cell.values).fold(0.0_f64, |most, value| most.max(value.abs()));
    if largest >= 10.0 { 1 } else { 3 }
}

/// What counts as catastrophic, where all cells agree on it (BOG-164).
#[must_use]
pub fn catastrophic_note(analysis: &Analysis) -> Option<String> {
    let limit = one(analysis.cells.iter().filter_map(|cell| cell.info.thresholds.catastrophic_below))?;
    Some(format!("Catastr.: share of episodes with a return below {}.", limit as f64 / 1000.0))
}

/// What counts as a success, where all cells agree on it.
fn success_note(analysis: &Analysis) -> Option<String> {
    let limit = one(analysis.cells.iter().filter_map(|cell| cell.info.thresholds.success_above))?;
    Some(format!("Success: share of episodes with a return above {}.", limit as f64 / 1000.0))
}

/// The one value that all agree on.
fn one(mut values: impl Iterator<Item = i64>) -> Option<i64> {
    let first = values.next()?;
    values.all(|value| value == first).then_some(first)
}

/// Heading of a column of intervals, such as `95% CI`.
#[must_use]
pub fn confidence_title(analysis: &Analysis) -> String {
    format!("{}% CI", analysis.options.percent())
}

/// What the marks of works mean, each once, in the order of cells.
fn work_notes(analysis: &Analysis) -> Vec<String> {
    let mut notes: Vec<String> = Vec::new();
    for note in analysis.cells.iter().flat_map(|cell| &cell.marks).map(CellMark::explained) {
        if !notes.contains(&note) {
            notes.push(note);
        }
    }
    notes
}

/// Notes on the marks that the cells carry, and on episodes that a limit cut.
#[must_use]
pub fn mark_notes(analysis: &Analysis) -> Vec<String> {
    let mut notes: Vec<String> = cut_note(&analysis.cells).into_iter().collect();
    if analysis.cells.iter().any(CellSummary::hardly_acted) {
        notes.push(format!("{HARDLY}: {}; such rows measure the fallback and no model.", crate::acted::rule()));
    }
    notes.extend(unusable_note(&analysis.cells));
    notes.extend(work_notes(analysis));
    let marked = |wanted: &str| analysis.cells.iter().any(|cell| player_mark(&cell.info) == wanted);
    if analysis.cells.iter().any(|cell| cell.info.simulator) {
        notes.push(format!(
            "{SIMULATOR}: the architecture tries calls in copies of the environment before it acts, and so sees what agents do not see; such rows compare with rows that have the same mark alone."
        ));
    }
    if marked("policy") {
        notes.push("policy: a rule without a language model; it spends no tokens.".to_owned());
    }
    if marked("scripted") {
        notes.push("scripted: rules play in place of a model; such rows test the scaffolding and say nothing about language models.".to_owned());
    }
    if marked("reader") {
        notes.push("reader: a fixed player by rule that sees only its requests; no evidence about language models, but it depends on what is shown.".to_owned());
    }
    if marked("noisy expert") {
        notes.push("noisy expert: an expert spoiled at a known rate plays in place of a model; such rows show what the scaffolding does with errors and say nothing about language models.".to_owned());
    }
    notes.extend(equal_notes(analysis));
    let mut reasons: Vec<&str> = Vec::new();
    for cell in &analysis.cells {
        if let Some(reason) = cell.info.plumbing.as_deref().filter(|reason| !reasons.contains(reason)) {
            reasons.push(reason);
        }
    }
    for reason in reasons {
        notes.push(format!("plumbing: {reason}; such rows show that the machinery works and are not evidence."));
    }
    if marked("replayed") {
        notes.push("replayed: a recording of a real model, played back.".to_owned());
    }
    notes
}
