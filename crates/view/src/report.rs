//! The report of a run, in every form.

use gimbal_analysis::recovery::Recoveries;
use gimbal_analysis::tables::PastCell;
use gimbal_analysis::{Analysis, AnalysisError, Bill, Options, Rows, Table, markdown_text, tables};
use serde_json::{Value, json};

use crate::figure;
use crate::kit::picture::Figure;
use crate::meta::Meta;
use crate::sentence::sentence_of;

/// Rows of the main table that a terminal shows: studies may have thousands of cells.
const MOST_ROWS: usize = 40;

/// A run in tables, figures and one sentence.
#[derive(Clone, Debug, PartialEq)]
pub struct Report {
    /// Facts of the run.
    pub meta: Meta,
    /// The numbers behind everything.
    pub analysis: Analysis,
    /// What the run can and cannot tell.
    pub sentence: String,
    /// Tables in reading order; the first is the main one.
    pub tables: Vec<Table>,
    /// Figures in reading order.
    pub figures: Vec<Figure>,
}

impl Report {
    /// Assembles a report.
    ///
    /// # Errors
    /// Those of [`Analysis::new`]: stray episodes, repeated cells, a baseline that matches nothing, a bad confidence.
    pub fn build(rows: &Rows, meta: Meta, options: &Options) -> Result<Self, AnalysisError> {
        Ok(Self::of(Analysis::new(rows, options)?, meta))
    }

    /// Assembles a report from the analysis of rows.
    #[must_use]
    pub fn of(analysis: Analysis, meta: Meta) -> Self {
        let (sentence, figures) = (sentence_of(&analysis, meta.in_progress), figure::all(&analysis));
        let mut tables = tables::all(&analysis);
        if let Some(gaps) = tables.iter_mut().find(|table| table.key == "gaps" && meta.in_progress) {
            "Still to be played".clone_into(&mut gaps.title);
            gaps.notes = vec!["The run is in progress: nothing here is lost.".to_owned()];
        }
        Self { meta, analysis, sentence, tables, figures }
    }

    /// The same report with what followed the injected faults, of the rows that it was built from.
    #[must_use]
    pub fn with_faults(mut self, rows: &Rows, recoveries: &Recoveries) -> Self {
        self.tables.extend(tables::faults(&self.analysis, rows, recoveries));
        self
    }

    /// The same report with what was played of cells that are no longer in the study: a table, and a word of it in the headline.
    #[must_use]
    pub fn with_past(mut self, past: &[PastCell]) -> Self {
        let models = self.analysis.cells.iter().flat_map(|cell| &cell.info.models);
        let kept: Vec<String> = models.map(|role| role.model.clone()).collect();
        if let Some(words) = tables::set_apart(past, &kept) {
            self.sentence = format!("{} {words}", self.sentence);
        }
        self.with_tables(tables::apart(past))
    }

    /// The same report with a warning in its headline that the ledger lacks calls of so many finished episodes.
    #[must_use]
    pub fn with_unbilled(mut self, episodes: u64) -> Self {
        if episodes > 0 {
            let noun = if episodes == 1 { "episode" } else { "episodes" };
            let verify = self.meta.commands.first().map_or("gimbal verify", String::as_str);
            self.sentence = format!(
                "{} The bill lacks rows of {episodes} finished {noun}, so that tokens and costs here are too low: run `{verify}`.",
                self.sentence
            );
        }
        self
    }

    /// The same report with the bill of the whole run as its last table.
    #[must_use]
    pub fn with_bill(mut self, bill: &Bill) -> Self {
        self.tables.extend(gimbal_analysis::bill::table(bill));
        self
    }

    /// The same report with what trajectories show, after the tables of rows.
    #[must_use]
    pub fn with_tables(mut self, tables: impl IntoIterator<Item = Table>) -> Self {
        self.tables.extend(tables);
        self
    }

    /// What identifies the run: episodes, cells, program, facts, hash of the study, digest; name and value, in order.
    #[must_use]
    pub fn facts(&self) -> Vec<(String, String)> {
        let cells = &self.analysis.cells;
        let played: usize = cells.iter().map(|cell| cell.episodes).sum();
        let planned: usize = cells.iter().map(|cell| cell.info.planned as usize).sum();
        let lost: usize = cells.iter().map(|cell| cell.infrastructure).sum();
        let unknown: u64 = cells.iter().map(|cell| cell.unknown_attempts).sum();
        let mut facts = Vec::new();
        if self.meta.in_progress {
            facts.push(("State".to_owned(), "in progress: a run works on this folder now".to_owned()));
        }
        facts.extend([
            (
                "Episodes".to_owned(),
                if planned > 0 { format!("{played} of {planned} planned") } else { played.to_string() },
            ),
            ("Cells".to_owned(), cells.len().to_string()),
            ("Program".to_owned(), self.meta.program_version.clone()),
        ]);
        let apart = [
            ("Cut by a limit of the episode", cells.iter().map(|cell| cell.cuts()).sum()),
            ("Lost to infrastructure", lost),
            ("Ended by a limit or called off", cells.iter().map(|cell| cell.withheld).sum()),
        ];
        for (name, count) in apart.into_iter().filter(|(_, count)| *count > 0) {
            facts.push((name.to_owned(), count.to_string()));
        }
        if unknown > 0 {
            facts.push(("Calls of unknown cost".to_owned(), unknown.to_string()));
        }
        facts.extend(self.meta.facts.iter().cloned());
        facts.extend(self.meta.study_hash.iter().map(|hash| ("Study hash".to_owned(), hash.clone())));
        facts.extend(self.meta.digest.iter().map(|digest| ("Run digest".to_owned(), digest.clone())));
        facts
    }

    /// All tables for a terminal of so many columns: what the study is on top, how to get it again beneath.
    #[must_use]
    pub fn text(&self, width: usize) -> String {
        let mut out = format!("{}\n", gimbal_analysis::printable(&self.meta.study));
        out.extend(self.meta.question.iter().map(|question| wrapped(question, width)));
        out.push_str(&wrapped(&self.sentence, width));
        out.push('\n');
        let facts = self.facts();
        let longest = facts.iter().map(|(name, _)| name.chars().count()).max().unwrap_or(0);
        for (name, value) in &facts {
            out.push_str(&gimbal_analysis::printable(&format!("{name:<longest$}  {value}")));
            out.push('\n');
        }
        for table in &self.tables {
            out.push('\n');
            out.push_str(&table.to_text(width));
        }
        if !self.meta.commands.is_empty() {
            out.push_str("\nHow to get this again\n");
        }
        for command in &self.meta.commands {
            out.push_str(&format!("  {}\n", gimbal_analysis::printable(command)));
        }
        out
    }

    /// One screen for a terminal: what the run can tell, the main table without its columns of detail and with 40 rows at most, and
    /// which other tables there are. What a run and a report print; [`Report::text`] has everything.
    #[must_use]
    pub fn brief(&self, width: usize) -> String {
        let headline = format!("{}: {}", gimbal_analysis::printable(&self.meta.study), self.sentence);
        let mut out = wrapped(&headline, width);
        if let Some(main) = self.tables.first() {
            out.push('\n');
            out.push_str(&tables::essential(main, &self.analysis).to_text_of(width, MOST_ROWS));
            if main.rows.len() > MOST_ROWS {
                let (all, key) = (main.rows.len(), main.key);
                let more =
                    format!("All {all} rows: `gimbal report RUN --table {key}`, or the page and the files beside it.");
                out.push('\n');
                out.push_str(&wrapped(&more, width));
            }
        }
        let others: Vec<&str> = self.tables.iter().skip(1).map(|table| table.key).collect();
        if !others.is_empty() {
            out.push('\n');
            out.push_str(&wrapped(&format!("More by `gimbal report RUN --table KEY`: {}.", others.join(", ")), width));
        }
        out
    }

    /// Markdown with all tables: what the study is on top, how to get it again beneath.
    #[must_use]
    pub fn markdown(&self) -> String {
        let mut out = format!("# {}\n\n", markdown_text(&self.meta.study));
        out.extend(self.meta.question.iter().map(|question| format!("{}\n\n", markdown_text(question))));
        out.push_str(&format!("> {}\n\n", markdown_text(&self.sentence)));
        for (name, value) in self.facts() {
            out.push_str(&format!("- {}: {}\n", markdown_text(&name), markdown_text(&value)));
        }
        out.push('\n');
        out.push_str(&self.tables.iter().map(Table::to_markdown).collect::<Vec<_>>().join("\n"));
        if !self.meta.commands.is_empty() {
            out.push_str("\n### How to get this again\n\n");
        }
        for command in &self.meta.commands {
            // An indented block shows every character as it is; no tag gets through a renderer that would let it.
            out.push_str(&format!("    {}\n", gimbal_analysis::printable(command).replace('<', "&lt;")));
        }
        out
    }

    /// The main table as CSV.
    #[must_use]
    pub fn csv(&self) -> String {
        self.tables.first().map(Table::to_csv).unwrap_or_default()
    }

    /// One table as CSV by its key (`cells`, `paired`, `spread`, `roles`, `stops`, `failures`, `gaps`, `bill`); `None` where there is none.
    #[must_use]
    pub fn csv_of(&self, key: &str) -> Option<String> {
        self.tables.iter().find(|table| table.key == key).map(Table::to_csv)
    }

    /// Everything as one JSON object: `study`, `sentence`, `meta`, `tables`.
    #[must_use]
    pub fn json(&self) -> Value {
        let tables: Vec<Value> = self.tables.iter().map(Table::to_json).collect();
        json!({"study": self.meta.study, "sentence": self.sentence, "meta": self.meta, "tables": tables})
    }
}

/// Words in lines of at most so many characters, control characters shown as escapes; ends with a line break.
#[must_use]
pub fn wrapped(text: &str, width: usize) -> String {
    let mut out = String::new();
    let mut used = 0;
    for word in gimbal_analysis::printable(text).split_whitespace() {
        let length = word.chars().count();
        if used > 0 && used + 1 + length > width {
            out.push('\n');
            used = 0;
        }
        if used > 0 {
            out.push(' ');
            used += 1;
        }
        out.push_str(word);
        used += length;
    }
    out.push('\n');
    out
}
