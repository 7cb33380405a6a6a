//! The report of a run, in every form.

use gimbal_analysis::{Analysis, AnalysisError, Bill, Options, Rows, Table, tables};
use serde_json::{Value, json};

use crate::figure::{self, Figure};
use crate::meta::Meta;
use crate::page;
use crate::sentence::sentence;

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
        let analysis = Analysis::new(rows, options)?;
        let (sentence, tables, figures) = (sentence(&analysis), tables::all(&analysis), figure::all(&analysis));
        Ok(Self { meta, analysis, sentence, tables, figures })
    }

    /// The same report with the bill of the whole run as its last table.
    #[must_use]
    pub fn with_bill(mut self, bill: &Bill) -> Self {
        self.tables.extend(gimbal_analysis::bill::table(bill));
        self
    }

    /// All tables for a terminal of so many columns, the sentence on top.
    #[must_use]
    pub fn text(&self, width: usize) -> String {
        let mut out = format!("{}\n", gimbal_analysis::printable(&self.meta.study));
        out.push_str(&wrapped(&self.sentence, width));
        for table in &self.tables {
            out.push('\n');
            out.push_str(&table.to_text(width));
        }
        out
    }

    /// The main table alone for a terminal, with the sentence beneath: what a run prints at its end.
    #[must_use]
    pub fn brief(&self, width: usize) -> String {
        let main = self.tables.first().map(|table| table.to_text(width)).unwrap_or_default();
        format!("{main}\n{}", wrapped(&self.sentence, width))
    }

    /// Markdown with all tables.
    #[must_use]
    pub fn markdown(&self) -> String {
        let quoted = Table { key: "", title: self.meta.study.clone(), columns: vec![], rows: vec![], notes: vec![] }
            .to_markdown();
        let title = quoted.lines().next().map(|line| line.replacen("### ", "# ", 1)).unwrap_or_default();
        let tables: Vec<String> = self.tables.iter().map(Table::to_markdown).collect();
        format!("{title}\n\n> {}\n\n{}", self.sentence.replace('<', "&lt;"), tables.join("\n"))
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

    /// One self-contained HTML page: no script, no address outside itself.
    #[must_use]
    pub fn html(&self) -> String {
        page::render(self)
    }
}

fn wrapped(text: &str, width: usize) -> String {
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
