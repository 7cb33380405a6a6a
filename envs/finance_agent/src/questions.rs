//! Questions with rubrics, read from the CSV of the public set or made beside the synthetic corpus.

use std::path::Path;

use gimbal_core::nearest;
use serde::{Deserialize, Serialize};
use thiserror::Error;

use crate::rubric::{self, Item, RubricError};

/// The nine kinds of question.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum Kind {
    /// A fact in words.
    QualitativeRetrieval,
    /// A figure as it is in a document.
    QuantitativeRetrieval,
    /// A figure to be computed.
    NumericalReasoning,
    /// Results held against guidance.
    BeatOrMiss,
    /// Adjustments of a measure.
    Adjustments,
    /// A projection.
    FinancialModeling,
    /// Several companies compared.
    MarketAnalysis,
    /// A measure over several years.
    Trends,
    /// Facts from several places.
    ComplexRetrieval,
}

impl Kind {
    /// All kinds.
    pub const ALL: [Self; 9] = [
        Self::QualitativeRetrieval,
        Self::QuantitativeRetrieval,
        Self::NumericalReasoning,
        Self::BeatOrMiss,
        Self::Adjustments,
        Self::FinancialModeling,
        Self::MarketAnalysis,
        Self::Trends,
        Self::ComplexRetrieval,
    ];

    /// The name in edition 2025-09.
    #[must_use]
    pub const fn name(self) -> &'static str {
        match self {
            Self::QualitativeRetrieval => "Qualitative Retrieval",
            Self::QuantitativeRetrieval => "Quantitative Retrieval",
            Self::NumericalReasoning => "Numerical Reasoning",
            Self::BeatOrMiss => "Beat or Miss",
            Self::Adjustments => "Adjustments",
            Self::FinancialModeling => "Financial Modeling",
            Self::MarketAnalysis => "Market Analysis",
            Self::Trends => "Trends",
            Self::ComplexRetrieval => "Complex Retrieval",
        }
    }

    /// The kind of either edition's name; none if there is no such kind.
    #[must_use]
    pub fn from_name(name: &str) -> Option<Self> {
        let words: Vec<&str> = name.split_whitespace().collect();
        let name = words.join(" ");
        match name.as_str() {
            "Simple retrieval - Qualitative" => Some(Self::QualitativeRetrieval),
            "Simple retrieval - Quantitative" => Some(Self::QuantitativeRetrieval),
            "Financial Modeling Projections" => Some(Self::FinancialModeling),
            _ => Self::ALL.into_iter().find(|kind| kind.name().eq_ignore_ascii_case(&name)),
        }
    }
}

/// A question with its reference answer and rubric.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Question {
    /// The question.
    pub text: String,
    /// The reference answer.
    pub answer: String,
    /// Its kind.
    pub kind: Kind,
    /// Minutes that an expert needed, where the table says.
    pub minutes: Option<u32>,
    /// What an answer is held against. A rubric that cannot be read is kept as it is, with the reason: the other
    /// questions of its table are not lost by it.
    pub rubric: Result<Vec<Item>, TableError>,
    /// The rubric as it stood in the table.
    pub rubric_text: String,
}

/// What is wrong with a table of questions: where, what, and what would be right.
#[derive(Clone, Debug, Error, PartialEq, Eq)]
pub enum TableError {
    /// The file cannot be read.
    #[error("{file}: cannot be read: {why}")]
    Unreadable {
        /// The file.
        file: String,
        /// Why.
        why: String,
    },
    /// A column is missing.
    #[error("{file}: there is no column `{column}`{hint}; a table of questions has: {COLUMN_NAMES}")]
    Column {
        /// The file.
        file: String,
        /// The column.
        column: &'static str,
        /// A column of a similar name.
        hint: String,
    },
    /// A row is not a row of the table.
    #[error("{file}: row {row}: {why}")]
    Row {
        /// The file.
        file: String,
        /// Its number, the header being row 1.
        row: usize,
        /// What is wrong.
        why: String,
    },
    /// A cell cannot be read.
    #[error("{file}: row {row}, column `{column}`, {why}")]
    Cell {
        /// The file.
        file: String,
        /// Its number, the header being row 1.
        row: usize,
        /// Name of the column.
        column: &'static str,
        /// What is wrong.
        why: String,
    },
}

/// The columns.
pub const COLUMNS: [&str; 5] = ["Question", "Answer", "Question Type", "Expert time (mins)", "Rubric"];
const COLUMN_NAMES: &str = "Question, Answer, Question Type, Expert time (mins), Rubric";

/// Reads a file of questions.
///
/// # Errors
/// When it cannot be read, lacks a column, or has a row that is none. A rubric that cannot be read is not an error here: see
/// [`Question::rubric`].
pub fn load(path: &Path) -> Result<Vec<Question>, TableError> {
    let file = path.file_name().map_or_else(|| path.display().to_string(), |name| name.to_string_lossy().into_owned());
    let bytes = std::fs::read(path)
        .map_err(|error| TableError::Unreadable { file: path.display().to_string(), why: error.to_string() })?;
    parse(&bytes, &file)
}

/// Reads a table of questions; `file` is its name in messages.
///
/// # Errors
/// As [`load`].
pub fn parse(bytes: &[u8], file: &str) -> Result<Vec<Question>, TableError> {
    let bytes = bytes.strip_prefix(b"\xef\xbb\xbf").unwrap_or(bytes);
    let mut reader = csv::ReaderBuilder::new().flexible(true).from_reader(bytes);
    let unreadable = |error: csv::Error| TableError::Unreadable { file: file.to_owned(), why: error.to_string() };
    let header = reader.headers().map_err(unreadable)?.clone();
    let mut places = [0; COLUMNS.len()];
    for (place, column) in places.iter_mut().zip(COLUMNS) {
        let found = header.iter().position(|name| name.trim().eq_ignore_ascii_case(column));
        *place = found.ok_or_else(|| TableError::Column {
            file: file.to_owned(),
            column,
            hint: nearest::hint(column, header.iter()),
        })?;
    }
    let mut questions = Vec::new();
    for (index, record) in reader.records().enumerate() {
        let row = index + 2;
        let fail = |why: String| TableError::Row { file: file.to_owned(), row, why };
        let record = record.map_err(|error| fail(error.to_string()))?;
        let cell = |column: usize| {
            record.get(places[column]).map(str::trim).ok_or_else(|| {
                fail(format!("it has {} cells and no `{}`; are its quotes closed?", record.len(), COLUMNS[column]))
            })
        };
        let of_cell =
            |column: usize, why: String| TableError::Cell { file: file.to_owned(), row, column: COLUMNS[column], why };
        let kind = cell(2)?;
        let kind = Kind::from_name(kind).ok_or_else(|| {
            let hint = nearest::hint(kind, Kind::ALL.map(Kind::name));
            of_cell(2, format!("there is no type `{kind}`{hint}"))
        })?;
        if cell(0)?.is_empty() {
            return Err(of_cell(0, "the question is empty".to_owned()));
        }
        let rubric_text = cell(4)?.to_owned();
        let rubric =
            rubric::read(&rubric_text).map_err(|RubricError { at, why }| of_cell(4, format!("character {at}: {why}")));
        questions.push(Question {
            text: cell(0)?.to_owned(),
            answer: cell(1)?.to_owned(),
            kind,
            minutes: cell(3)?.parse().ok(),
            rubric,
            rubric_text,
        });
    }
    Ok(questions)
}

/// Writes questions as a table that [`parse`] reads.
#[must_use]
pub fn write(questions: &[Question]) -> Vec<u8> {
    let mut writer = csv::WriterBuilder::new().terminator(csv::Terminator::CRLF).from_writer(Vec::new());
    // Writing to memory cannot fail.
    let _ = writer.write_record(COLUMNS);
    for question in questions {
        let minutes = question.minutes.map(|minutes| minutes.to_string()).unwrap_or_default();
        let cells = [&question.text, &question.answer, question.kind.name(), minutes.as_str(), &question.rubric_text];
        let _ = writer.write_record(cells);
    }
    writer.into_inner().unwrap_or_default()
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::rubric::Operator;

    const HEADER: &str = "Question,Answer,Question Type,Expert time (mins),Rubric\r\n";

    fn parsed(rows: &str) -> Result<Vec<Question>, TableError> {
        parse(format!("{HEADER}{rows}").as_bytes(), "own.csv")
    }

    // covers: CYC-037
    #[test]
    fn one_bad_rubric_loses_nothing_and_is_named_by_row_and_column() {
        let good = r#""[{'operator': 'correctness', 'criteria': '5%'}]""#;
        let rows = format!(
            "Why?,Because,Trends,5,{good}\r\nHow?,\"So, so\",Beat or Miss,,[{{'operator' 'x'}}]\r\nWho?,She,Adjustments,2,{good}"
        );
        let questions = parsed(&rows).unwrap();
        assert_eq!(questions.len(), 3);
        assert_eq!(questions[0].rubric.as_ref().unwrap()[0].operator, Operator::Correctness);
        assert_eq!(questions[1].answer, "So, so");
        assert_eq!(questions[1].rubric_text, "[{'operator' 'x'}]");
        assert_eq!(
            questions[1].rubric.as_ref().unwrap_err().to_string(),
            "own.csv: row 3, column `Rubric`, character 14: `:` is missing before `'`"
        );
        assert_eq!(questions[2].minutes, Some(2));
        let again = parse(&write(&questions), "own.csv").unwrap();
        assert_eq!(again, questions);
    }

    #[test]
    fn a_table_that_is_none_is_refused_with_its_mend() {
        let said = |result: Result<Vec<Question>, TableError>| result.unwrap_err().to_string();
        assert!(
            said(parse(b"Question,Answr,Question Type,Expert time (mins),Rubric\n", "own.csv"))
                .contains("did you mean `Answr`?")
        );
        assert!(said(parsed("Why?,Because\r\n")).contains("row 2: it has 2 cells"));
        assert!(
            said(parsed("Why?,Because,Trend,5,[]\r\n"))
                .contains("row 2, column `Question Type`, there is no type `Trend`")
        );
        assert!(said(load(Path::new("nowhere.csv"))).starts_with("nowhere.csv: cannot be read"));
    }
}
