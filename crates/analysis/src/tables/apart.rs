//! Cells that were played and are no longer in the study.

use crate::row::CellInfo;
use crate::table::{Cell, Column, ColumnKind, Table};

/// What was played of a cell that is no longer in the study.
#[derive(Clone, Debug, PartialEq)]
pub struct PastCell {
    /// Labels.
    pub info: CellInfo,
    /// What of the program has another version now, in words, where the study has the cell in all else; empty where the study
    /// was changed.
    pub versions: Vec<String>,
    /// Finished episodes.
    pub episodes: u64,
    /// Sum of their returns in thousandths.
    returns: i128,
    /// Prompt and completion tokens as called.
    tokens: (u64, u64),
}

impl PastCell {
    /// A cell of which nothing was taken in yet.
    #[must_use]
    pub const fn new(info: CellInfo, versions: Vec<String>) -> Self {
        Self { info, versions, episodes: 0, returns: 0, tokens: (0, 0) }
    }

    /// Takes in an episode: its return in thousandths, its prompt and completion tokens.
    pub fn add(&mut self, thousandths: i64, input: u64, output: u64) {
        self.episodes += 1;
        self.returns += i128::from(thousandths);
        self.tokens = (self.tokens.0.saturating_add(input), self.tokens.1.saturating_add(output));
    }
}

/// What a headline says of these cells: how many episodes are set apart, and why; `None` without any episode. `kept` are the models that the
/// study asks now.
#[must_use]
pub fn set_apart(cells: &[PastCell], kept: &[String]) -> Option<String> {
    let played = cells.iter().filter(|cell| cell.episodes > 0);
    let (program, study): (Vec<&PastCell>, Vec<&PastCell>) = played.partition(|cell| !cell.versions.is_empty());
    let count = |cells: &[&PastCell]| cells.iter().map(|cell| cell.episodes).sum::<u64>();
    let of_program = || format!("played by another version of the program ({})", versions(&program));
    let why = match (count(&program), count(&study)) {
        (0, 0) => return None,
        (0, episodes) => of_study(&study, kept, were(episodes)),
        (episodes, 0) => format!("{} {}", were(episodes), of_program()),
        (one, other) => {
            format!("{one} {}; as for the other {other}, {}", of_program(), of_study(&study, kept, were(other)))
        }
    };
    let episodes = count(&program) + count(&study);
    let are = if episodes == 1 { "episode is" } else { "episodes are" };
    Some(format!("{episodes} earlier {are} set apart (table `apart`), and in no other number here: {why}."))
}

const fn were(episodes: u64) -> &'static str {
    if episodes == 1 { "it was" } else { "they were" }
}

/// Why cells are no longer in a study that was changed.
fn of_study(cells: &[&PastCell], kept: &[String], were: &str) -> String {
    let mut gone: Vec<&str> = Vec::new();
    for model in cells.iter().flat_map(|cell| &cell.info.models) {
        if !kept.contains(&model.model) && !gone.contains(&model.model.as_str()) {
            gone.push(&model.model);
        }
    }
    match gone.is_empty() {
        true => format!("the study was changed after {were} played"),
        false => format!("{were} played by {}, and the study names other models now", gone.join(", ")),
    }
}

/// Versions that a notice names, at most. After many versions of the program a list of all would hide the rest of a notice.
const NAMED_VERSIONS: usize = 4;

/// Cells that a notice names, at most.
const NAMED_CELLS: usize = 8;

/// Versions in words for a notice, the oldest first: each once, of very many the newest, with the number of the others.
#[must_use]
pub fn versions_named<'a>(versions: impl IntoIterator<Item = &'a str>) -> String {
    let mut all: Vec<&str> = Vec::new();
    for words in versions {
        if !all.contains(&words) {
            all.push(words);
        }
    }
    newest(&all, NAMED_VERSIONS, "; ", ["version", "versions"])
}

/// Names of cells for a notice, the oldest first: of very many the newest, with the number of the others.
#[must_use]
pub fn cells_named(names: &[&str]) -> String {
    newest(names, NAMED_CELLS, ", ", ["cell", "cells"])
}

/// The last of a list, and how many come before them.
fn newest(all: &[&str], most: usize, between: &str, nouns: [&str; 2]) -> String {
    let others = all.len().saturating_sub(most);
    let named = all[others..].join(between);
    match others {
        0 => named,
        1 => format!("{named} and 1 more {}", nouns[0]),
        _ => format!("{named} and {others} more {}", nouns[1]),
    }
}

fn versions(cells: &[&PastCell]) -> String {
    versions_named(cells.iter().flat_map(|cell| &cell.versions).map(String::as_str))
}

/// One row a cell; `None` without any.
#[must_use]
pub fn apart(cells: &[PastCell]) -> Option<Table> {
    use ColumnKind::{Integer, Label, Number};
    if cells.is_empty() {
        return None;
    }
    let columns = vec![
        Column::new("cell", "Cell", "cell", Label, "Name that the cell had, and the beginning of its key"),
        Column::new("environment", "Environment", "cell", Label, "Environment and the options that tell cells apart"),
        Column::new("model", "Model", "cell", Label, "Model, by role where there are several"),
        Column::new("episodes", "n", "played", Integer, "Finished episodes"),
        Column::new("mean_return", "Mean", "played", Number(1), "Mean episode return"),
        Column::new("tokens_in", "In", "played", Integer, "Prompt tokens as called, all episodes"),
        Column::new("tokens_out", "Out", "played", Integer, "Completion tokens as called, all episodes"),
    ];
    let rows = cells
        .iter()
        .map(|cell| {
            vec![
                Cell::text(&cell.info.id),
                Cell::text(&cell.info.environment),
                Cell::text(cell.info.model_label()),
                Cell::count(cell.episodes),
                Cell::number((cell.episodes > 0).then(|| cell.returns as f64 / (1000.0 * cell.episodes as f64))),
                Cell::count(cell.tokens.0),
                Cell::count(cell.tokens.1),
            ]
        })
        .collect();
    let (program, study): (Vec<&PastCell>, Vec<&PastCell>) = cells.iter().partition(|cell| !cell.versions.is_empty());
    let mut notes = Vec::new();
    if !study.is_empty() {
        let which = if program.is_empty() { "these" } else { "the other" };
        notes.push(format!("The study was changed after {which} cells were played. Their episodes are in no other table but the bill, and come back when the study names the same cells again."));
    }
    if !program.is_empty() {
        let names: Vec<&str> = program.iter().map(|cell| cell.info.id.as_str()).collect();
        notes.push(format!(
            "Another version of the program played {}: {}. The study has the same settings now, but the present version may play them otherwise. \
             Their episodes are in no other table but the bill.",
            cells_named(&names),
            versions(&program)
        ));
    }
    Some(Table { key: "apart", title: "No longer in the study".to_owned(), columns, rows, notes })
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::row::RoleModel;
    use crate::{CellDecoding, Kind, Thresholds};

    fn past(id: &str, versions: &[&str], episodes: usize) -> PastCell {
        let info = CellInfo {
            id: id.to_owned(),
            environment: "cage2 b_line 30".to_owned(),
            configuration: "obs".to_owned(),
            axis: None,
            models: vec![RoleModel { role: "default".to_owned(), model: "a/b".to_owned() }],
            decoding: CellDecoding::Free,
            kind: Kind::Remote,
            plumbing: None,
            planned: 0,
            thresholds: Thresholds::default(),
            faults: String::new(),
            simulator: false,
            acts_by_messages: false,
        };
        let mut cell = PastCell::new(info, versions.iter().map(|&words| words.to_owned()).collect());
        (0..episodes).for_each(|_| cell.add(0, 1, 1));
        cell
    }

    #[test]
    fn a_headline_tells_a_changed_program_from_a_changed_study() {
        let kept = ["a/b".to_owned()];
        let said = |cells: &[PastCell]| set_apart(cells, &kept).unwrap_or_default();
        let older = [past("x", &["engine 8, now 9"], 2), past("y", &["engine 8, now 9", "debate 3, now 4"], 1)];
        let told = said(&older);
        assert!(
            told.ends_with(": they were played by another version of the program (engine 8, now 9; debate 3, now 4)."),
            "{told}"
        );
        let both = said(&[past("x", &["engine 8, now 9"], 2), past("z", &[], 1)]);
        let why = "2 played by another version of the program (engine 8, now 9); as for the other 1, the study was changed after it was played.";
        assert!(both.starts_with("3 earlier episodes are set apart") && both.ends_with(why), "{both}");
        assert!(said(&[past("z", &[], 1)]).ends_with("the study was changed after it was played."));
        assert_eq!(set_apart(&[past("x", &["engine 8, now 9"], 0)], &kept), None);
        let notes = apart(&older).unwrap().notes;
        assert!(
            notes.len() == 1 && notes[0].starts_with("Another version of the program played x, y: engine 8, now 9"),
            "{notes:?}"
        );
    }

    #[test]
    fn notices_name_the_newest_of_very_many_versions() {
        let versions: Vec<String> = (1..=40).map(|version| format!("engine {version}, now 41")).collect();
        let ids: Vec<String> = (1..=40).map(|version| format!("x{version}")).collect();
        let cells: Vec<PastCell> =
            ids.iter().zip(&versions).map(|(id, words)| past(id, &[words.as_str()], 1)).collect();
        let named = "engine 37, now 41; engine 38, now 41; engine 39, now 41; engine 40, now 41 and 36 more versions";
        let told = set_apart(&cells, &[]).unwrap();
        assert!(told.starts_with("40 earlier episodes") && told.ends_with(&format!("({named}).")), "{told}");
        let table = apart(&cells).unwrap();
        let note = &table.notes[0];
        let head = "Another version of the program played x33, x34, x35, x36, x37, x38, x39, x40 and 32 more cells: ";
        assert!(note.starts_with(&format!("{head}{named}. ")), "{note}");
        assert_eq!(table.rows.len(), 40, "the table has them all");
        let one_more = versions_named(versions[..5].iter().chain(&versions[..5]).map(String::as_str));
        assert!(one_more.starts_with("engine 2, now 41; ") && one_more.ends_with(" and 1 more version"), "{one_more}");
    }
}
