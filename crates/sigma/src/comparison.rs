//! Rule hits on files beside the verdicts of the program's own rules, by what is known of the files.

use std::collections::BTreeMap;

use gimbal_analysis::columns::{count, label, words};
use gimbal_analysis::hypothesis::mcnemar;
use gimbal_analysis::{Cell, Column, ColumnKind, Table};
use gimbal_evidence::judge::Verdict;
use thiserror::Error;

use crate::{Found, Level};

/// A file with what rules of others hit in it and what the program's own rules make of it.
#[derive(Clone, Debug)]
pub struct Compared<'m> {
    /// The file.
    pub file: String,
    /// What is known of it, in a word such as `malicious`.
    pub label: Option<String>,
    /// The verdict of the program's own rules. They see no hit.
    pub verdict: Verdict,
    /// Records that rules of others were asked about.
    pub records: u64,
    /// Records that any of them matched.
    pub matched: u64,
    /// Rules that matched.
    pub found: Vec<Found<'m>>,
}

/// What a label says of a file, for the test.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Truth {
    Malicious,
    Harmless,
    Open,
}

impl Compared<'_> {
    fn truth(&self) -> Truth {
        match self.label.as_deref() {
            Some("malicious") => Truth::Malicious,
            Some("benign" | "background") => Truth::Harmless,
            _ => Truth::Open,
        }
    }

    /// Whether a rule of a level, or of a higher one, matched. Any rule does where no level is asked for.
    #[must_use]
    pub fn is_hit(&self, least: Option<Level>) -> bool {
        self.found.iter().any(|found| found.rule.level >= least)
    }

    fn highest(&self) -> Option<Level> {
        self.found.iter().filter_map(|found| found.rule.level).max()
    }

    fn is_confirmed(&self) -> bool {
        self.verdict == Verdict::ThreatConfirmed
    }
}

/// A table of labels that cannot be read.
#[derive(Clone, Debug, PartialEq, Eq, Error)]
pub enum LabelsError {
    /// A column is missing.
    #[error("{place}: has no column `{column}`; its first line must name the columns `file` and `label`")]
    Column {
        /// The file.
        place: String,
        /// The column.
        column: &'static str,
    },
    /// It is not a table of comma-separated values.
    #[error("{place}: {what}")]
    Form {
        /// The file.
        place: String,
        /// What is wrong, with the line.
        what: String,
    },
}

/// What is known of files, by their paths.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Labels(BTreeMap<String, String>);

impl Labels {
    /// Reads comma-separated values with the columns `file` and `label`; others are passed over. `place` names the file in messages.
    ///
    /// # Errors
    /// When a column is missing, or a line is not a line of the table.
    pub fn read(text: &str, place: &str) -> Result<Self, LabelsError> {
        let form = |error: csv::Error| LabelsError::Form { place: place.to_owned(), what: error.to_string() };
        let mut reader = csv::Reader::from_reader(text.as_bytes());
        let header = reader.headers().map_err(form)?.clone();
        let at = |column: &'static str| {
            let missing = || LabelsError::Column { place: place.to_owned(), column };
            header.iter().position(|name| name.trim() == column).ok_or_else(missing)
        };
        let (file, label) = (at("file")?, at("label")?);
        let mut labels = BTreeMap::new();
        for row in reader.records() {
            let row = row.map_err(form)?;
            if let (Some(file), Some(label)) = (row.get(file), row.get(label)) {
                labels.insert(file.trim().to_owned(), label.trim().to_owned());
            }
        }
        Ok(Self(labels))
    }

    /// The label of a file: that of the longest path in the table with which the file's path ends.
    #[must_use]
    pub fn of(&self, file: &str) -> Option<&str> {
        let ends = |path: &str| file.strip_suffix(path).is_some_and(|rest| rest.is_empty() || rest.ends_with('/'));
        let found = self.0.iter().filter(|(path, _)| !path.is_empty() && ends(path)).max_by_key(|(path, _)| path.len());
        found.map(|(_, label)| label.as_str())
    }
}

/// Each hit: file, rule, author and licence, as the Detection Rule License asks.
#[must_use]
pub fn hits(files: &[Compared<'_>]) -> Table {
    let columns = vec![
        label("file", "File", "file", "The file"),
        count("records", "Records", "hit", "Records that the rule matched"),
        words("level", "Level", "rule", "Level that the rule gives itself"),
        words("title", "Title", "rule", "Title of the rule"),
        words("id", "Id", "rule", "Id of the rule"),
        words("author", "Author", "rule", "Author of the rule"),
        words("licence", "Licence", "rule", "Licence that the rule is under"),
    ];
    let rows = files.iter().flat_map(|file| {
        file.found.iter().map(|found| {
            vec![
                Cell::text(&file.file),
                Cell::count(found.records),
                Cell::text(found.rule.level.map_or("", Level::name)),
                Cell::text(&found.rule.title),
                Cell::text(&found.rule.id),
                Cell::text(&found.rule.author),
                Cell::text(&found.rule.licence),
            ]
        })
    });
    let notes =
        vec!["A hit says that a pattern matched a record. It is neither a verdict nor a proof of malice.".to_owned()];
    Table { key: "hits", title: "Rules that matched".to_owned(), columns, rows: rows.collect(), notes }
}

/// Each file: its label, the verdict of the program's own rules, and what rules of others hit.
#[must_use]
pub fn by_file(files: &[Compared<'_>]) -> Table {
    let columns = vec![
        label("file", "File", "file", "The file"),
        words("label", "Label", "file", "What is known of the file"),
        words("verdict", "Verdict", "own", "Verdict of the program's own rules, which see no hit"),
        count("asked", "Asked", "rules", "Records that rules were asked about"),
        count("matched", "Matched", "rules", "Records that any rule matched"),
        count("rules", "Rules", "rules", "Rules that matched"),
        words("highest", "Highest", "rules", "Highest level of a rule that matched"),
    ];
    let rows = files.iter().map(|file| {
        vec![
            Cell::text(&file.file),
            Cell::text(file.label.as_deref().unwrap_or("")),
            Cell::text(file.verdict.name()),
            Cell::count(file.records),
            Cell::count(file.matched),
            Cell::count(file.found.len() as u64),
            Cell::text(file.highest().map_or("", Level::name)),
        ]
    });
    Table { key: "files", title: "Rule hits by file".to_owned(), columns, rows: rows.collect(), notes: Vec::new() }
}

/// Levels from which on a hit counts: any, then the upper three.
const LEAST: [Option<Level>; 4] = [None, Some(Level::Medium), Some(Level::High), Some(Level::Critical)];

fn least_name(least: Option<Level>) -> &'static str {
    least.map_or("any", Level::name)
}

/// Each label: how many files, what the program's own rules say, and how many files have a hit of a level.
#[must_use]
pub fn by_label(files: &[Compared<'_>]) -> Table {
    let columns = vec![
        label("label", "Label", "label", "What is known of the files"),
        count("files", "Files", "label", "Files"),
        count("confirmed", "Confirmed", "own", "Confirmed by the program's own rules"),
        count("inconclusive", "Inconclusive", "own", "Inconclusive by the program's own rules"),
        count("dismissed", "Dismissed", "own", "Dismissed by the program's own rules"),
        count("any", "Any", "rules", "Files that any rule hit"),
        count("medium", "Medium", "rules", "Files that a rule of level medium or higher hit"),
        count("high", "High", "rules", "Files that a rule of level high or higher hit"),
        count("critical", "Critical", "rules", "Files that a rule of level critical hit"),
    ];
    let mut labels: BTreeMap<&str, Vec<&Compared<'_>>> = BTreeMap::new();
    for file in files {
        labels.entry(file.label.as_deref().unwrap_or("no label")).or_default().push(file);
    }
    let rows = labels.into_iter().map(|(label, files)| {
        let number =
            |test: &dyn Fn(&Compared<'_>) -> bool| Cell::count(files.iter().filter(|file| test(file)).count() as u64);
        let verdict = |verdict: Verdict| number(&|file| file.verdict == verdict);
        let mut row = vec![
            Cell::text(label),
            Cell::count(files.len() as u64),
            verdict(Verdict::ThreatConfirmed),
            verdict(Verdict::Inconclusive),
            verdict(Verdict::ThreatDismissed),
        ];
        row.extend(LEAST.map(|least| number(&|file| file.is_hit(least))));
        row
    });
    Table { key: "labels", title: "Rule hits by label".to_owned(), columns, rows: rows.collect(), notes: Vec::new() }
}

/// Hits of each level as if they were verdicts, against the program's own rules, over files that are labelled malicious or harmless:
/// McNemar's exact test on which of both is right.
#[must_use]
pub fn test(files: &[Compared<'_>]) -> Table {
    let columns = vec![
        label("least", "Least level", "rules", "Hits of this level or a higher one count"),
        count("malicious", "Malicious", "files", "Files labelled malicious"),
        count("harmless", "Harmless", "files", "Files labelled benign or background"),
        count("rules_malicious", "Hit", "malicious", "Malicious files with a hit"),
        count("own_malicious", "Confirmed", "malicious", "Malicious files that the program's own rules confirm"),
        count("rules_harmless", "Hit", "harmless", "Harmless files with a hit"),
        count("own_harmless", "Confirmed", "harmless", "Harmless files that the program's own rules confirm"),
        count("only_rules", "Only hits", "right", "Files on which hits alone are right"),
        count("only_own", "Only own", "right", "Files on which the program's own rules alone are right"),
        Column::new("p", "p", "right", ColumnKind::Probability(3), "McNemar's exact test, two-sided"),
    ];
    let of = |truth: Truth| files.iter().filter(move |file| file.truth() == truth);
    let rows = LEAST.map(|least| {
        let hit = |truth: Truth| of(truth).filter(|file| file.is_hit(least)).count() as u64;
        let confirmed = |truth: Truth| of(truth).filter(|file| file.is_confirmed()).count() as u64;
        let right = |says: bool, truth: Truth| says == (truth == Truth::Malicious);
        let only = |wanted: (bool, bool)| {
            let known = files.iter().filter(|file| file.truth() != Truth::Open);
            let both =
                known.map(|file| (right(file.is_hit(least), file.truth()), right(file.is_confirmed(), file.truth())));
            both.filter(|both| *both == wanted).count() as u64
        };
        let (only_rules, only_own) = (only((true, false)), only((false, true)));
        vec![
            Cell::text(least_name(least)),
            Cell::count(of(Truth::Malicious).count() as u64),
            Cell::count(of(Truth::Harmless).count() as u64),
            Cell::count(hit(Truth::Malicious)),
            Cell::count(confirmed(Truth::Malicious)),
            Cell::count(hit(Truth::Harmless)),
            Cell::count(confirmed(Truth::Harmless)),
            Cell::count(only_rules),
            Cell::count(only_own),
            Cell::number(Some(mcnemar(only_rules, only_own))),
        ]
    });
    let notes = vec![
        "A hit is taken for a verdict here only to compare. Files labelled otherwise than malicious, benign or background are left out."
            .to_owned(),
    ];
    Table { key: "test", title: "Rule hits against own rules".to_owned(), columns, rows: rows.to_vec(), notes }
}
