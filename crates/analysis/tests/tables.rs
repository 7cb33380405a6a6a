//! Tables as text, Markdown, CSV and JSON.
#![allow(clippy::unwrap_used, clippy::expect_used, missing_docs)]

use crate::support;

use gimbal_analysis::{Analysis, Cell, Column, ColumnKind, Kind, Options, Rate, Rows, Table, tables};
use support::{against, cell, episode, read_csv, study};

/// The whole set of tables of a study, as a person reads them.
// covers: BOG-162, BOG-163, BOG-164, BOG-165, BOG-166, BOG-167, BOG-168, BOG-169, BOG-171, BOG-172, SH-09
#[test]
fn tables_as_text() {
    let mut rows = study();
    rows.cells[3].kind = Kind::Embedded;
    rows.cells[3].plumbing = Some("SmolLM2-135M is too small to act as an agent".into());
    rows.cells[4].kind = Kind::NoisyExpert;
    rows.episodes.retain(|row| !(row.cell == "beta/small/2" && row.run > 5));
    let analysis = Analysis::new(&rows, &Options { bootstrap_minimum: 6, ..against("observation") }).unwrap();
    let text: Vec<String> = tables::all(&analysis).iter().map(|table| table.to_text(120)).collect();
    for line in text.iter().flat_map(|table| table.lines()) {
        assert!(line.chars().count() <= 120, "{line}");
    }
    insta::assert_snapshot!(text.join("\n"));
    insta::assert_snapshot!("markdown", tables::main(&analysis).to_markdown());
    insta::assert_snapshot!("csv", tables::main(&analysis).to_csv());
    insta::assert_json_snapshot!("json", tables::paired(&analysis).unwrap().to_json());
}

fn keys(table: &Table) -> Vec<&str> {
    table.columns.iter().map(|column| column.key.as_ref()).collect()
}

/// Whatever was played, CSV and JSON have the same columns; readers see those that say something.
// covers: SH-09
#[test]
fn machines_meet_the_same_columns_in_every_study() {
    let silent = Rows { cells: vec![cell("p", "p", None)], episodes: vec![episode("p", 0, -1_000, 0, 0)] };
    let unplayed = Rows { cells: vec![cell("a", "a", Some("m"))], episodes: vec![] };
    let mut several = study();
    several.cells[6].environment = "cage2 meander 30".into();
    let full = Analysis::new(&study(), &against("observation")).unwrap();
    for (rows, options) in
        [(silent, Options::default()), (unplayed, Options::default()), (several, against("observation"))]
    {
        let analysis = Analysis::new(&rows, &options).unwrap();
        for (one, two) in [
            (tables::main(&analysis), tables::main(&full)),
            (tables::spread(&analysis), tables::spread(&full)),
            (tables::paired(&analysis).unwrap_or(tables::paired(&full).unwrap()), tables::paired(&full).unwrap()),
        ] {
            assert_eq!(keys(&one), keys(&two));
            assert_eq!(one.to_csv().lines().next(), two.to_csv().lines().next());
            let columns = one.to_json()["columns"].as_array().unwrap().len();
            assert!(
                one.to_json()["rows"]
                    .as_array()
                    .unwrap()
                    .iter()
                    .all(|row| { row.as_object().unwrap().len() == columns })
            );
            assert!(keys(&one).contains(&"environment"));
        }
    }
    let text = tables::main(&full).to_text(400);
    assert!(!text.contains("Environment"), "one environment is no column for readers");
    let silent = Analysis::new(
        &Rows { cells: vec![cell("p", "p", None)], episodes: vec![episode("p", 0, -1_000, 0, 0)] },
        &Options::default(),
    );
    let main = tables::main(&silent.unwrap());
    assert!(
        !main.to_markdown().contains("RPTS |")
            && main.to_csv().contains("rpts")
            && main.to_json()["rows"][0]["rpts"].is_null()
    );
    let known: Vec<&str> = tables::all(&full).iter().map(|table| table.key).collect();
    assert!(known.iter().all(|key| tables::KEYS.contains(key)), "{known:?}");
}

/// A probability is never shown as nought, and machines still read every digit.
#[test]
fn a_small_probability_is_shown_as_less() {
    let table = Table {
        key: "t",
        title: "T".into(),
        columns: vec![
            Column::new("name", "Name", "g", ColumnKind::Label, ""),
            Column::new("p", "p", "g", ColumnKind::Probability(4), ""),
        ],
        rows: [3e-9, 0.000_06, 0.000_1, 0.049, 1.0].map(|p| vec![Cell::text("x"), Cell::Number(p)]).to_vec(),
        notes: vec![],
    };
    let shown: Vec<String> = (0..5).map(|row| table.shown(row, 1)).collect();
    assert_eq!(shown, ["<0.0001", "<0.0001", "0.0001", "0.0490", "1.0000"]);
    assert!(table.to_csv().contains("0.000000003") && table.to_markdown().contains("&lt;0.0001"));
}

/// The note under the success column says what a success is.
// covers: BOG-164
#[test]
fn the_thresholds_are_said() {
    let spread = tables::spread(&Analysis::new(&study(), &Options::default()).unwrap());
    for note in
        ["Success: share of episodes with a return above -50.", "Catastr.: share of episodes with a return below -150."]
    {
        assert!(spread.notes.iter().any(|said| said == note), "{:?}", spread.notes);
    }
}

/// A table that takes two blocks is cut in the middle rather than before its last column.
#[test]
fn blocks_are_balanced() {
    let column = |key, group| Column::new(key, "0123456789", group, ColumnKind::Integer, "");
    let mut columns = vec![Column::new("name", "Name", "cell", ColumnKind::Label, "")];
    columns.extend(["a", "b", "c", "d", "e", "f"].map(|key| column(key, "one")));
    let table = Table { key: "t", title: "T".into(), columns, rows: vec![vec![Cell::text("x")]], notes: vec![] };
    // Six and a label in 66 characters: five would fit, and the sixth would stand alone.
    assert_eq!(table.blocks(66, 20), [vec![0, 1, 2, 3], vec![0, 4, 5, 6]]);
    assert_eq!(table.blocks(200, 20).len(), 1);
    let groups = ["one", "one", "two", "two", "three", "four"];
    let mut whole = table.clone();
    for (column, group) in whole.columns[1..].iter_mut().zip(groups) {
        column.group = group.into();
    }
    // Groups stay whole: two, two, one, one.
    assert_eq!(whole.blocks(66, 20), [vec![0, 1, 2, 3, 4], vec![0, 5, 6]]);
}

/// A table with a label, a number and an interval a row.
fn named(names: &[&str], number: f64, (low, high): (f64, f64)) -> Table {
    Table {
        key: "t",
        title: "T".into(),
        columns: vec![
            Column::new("name", "Name", "g", ColumnKind::Label, ""),
            Column::new("x", "x", "g", ColumnKind::Number(1), ""),
            Column::new("ci", "CI", "g", ColumnKind::Interval(1), ""),
        ],
        rows: names
            .iter()
            .map(|name| vec![Cell::text(*name), Cell::Number(number), Cell::Interval(low, high)])
            .collect(),
        notes: vec![],
    }
}

/// CSV keeps every digit and survives any text; a small reader gets back what went in.
// covers: SH-09
#[test]
fn csv_reads_back() {
    let names = ["plain", "comma, inside", "quote \" inside", "line\r\nbreak", " spaces ", "ünïcode — 漢字"];
    let number = 1.0 / 3.0;
    let table = named(&names, number, (-number, 1e-300));
    let csv = table.to_csv();
    let read = read_csv(&csv);
    assert_eq!(read[0], ["name", "x", "ci_low", "ci_high"]);
    for (record, name) in read[1..].iter().zip(names) {
        assert_eq!(record[0], name);
        assert_eq!(record[1].parse::<f64>().unwrap().to_bits(), number.to_bits());
        assert_eq!(record[3].parse::<f64>().unwrap().to_bits(), 1e-300_f64.to_bits());
    }
    assert_eq!(read.len(), names.len() + 1);
    assert!(csv.ends_with("\r\n"));
}

/// A spreadsheet calculates nothing that a name brings, and a program reads the names of configurations as they are;
/// numbers below zero stay numbers.
// covers: SH-09
#[test]
fn csv_text_is_never_a_formula() {
    let names = [
        "=1+1",
        "+COT",
        "+",
        "+question+cot",
        "-2",
        "+A1",
        "+cmd|'x'!A",
        "-sum(a)",
        "@SUM(A1)",
        "\t=1",
        "=cmd|' /C calc'!A0, x",
        "a=b",
        "'quoted",
        "\u{ff1d}1+1",
        "\u{ff0b}A1",
        "\u{ff0d}sum(a)",
        "\u{ff20}SUM(A1)",
        " =1",
        "\u{3000}@x",
        "\u{feff}=1",
        "\r=1",
        "a\u{202e}b\u{1b}c",
    ];
    let expected = [
        "'=1+1",
        "+COT",
        "+",
        "+question+cot",
        "'-2",
        "'+A1",
        "'+cmd|'x'!A",
        "'-sum(a)",
        "'@SUM(A1)",
        "'\t=1",
        "'=cmd|' /C calc'!A0, x",
        "a=b",
        "'quoted",
        "'\u{ff1d}1+1",
        "'\u{ff0b}A1",
        "'\u{ff0d}sum(a)",
        "'\u{ff20}SUM(A1)",
        "' =1",
        "'\u{3000}@x",
        "'\\ufeff=1",
        "'\\u000d=1",
        "a\\u202eb\\u001bc",
    ];
    let table = named(&names, -1.5, (-2.0, -1.0));
    for (record, name) in read_csv(&table.to_csv())[1..].iter().zip(expected) {
        assert_eq!(*record, [name, "-1.5", "-2", "-1"]);
    }
}

/// Every table that holds a noisy expert's cell marks it so, and says whose tokens are estimates.
#[test]
fn stand_ins_are_marked_by_kind() {
    let with = |kind: Kind| {
        let mut rows = study();
        rows.cells.iter_mut().filter(|cell| !cell.models.is_empty()).for_each(|cell| cell.kind = kind);
        rows.cells.iter_mut().for_each(|cell| cell.planned = 9);
        rows.episodes.iter_mut().for_each(|row| row.tokens_estimated = Rate { count: 1, of: 4 });
        tables::all(&Analysis::new(&rows, &against("observation")).unwrap())
    };
    for (kind, word) in
        [(Kind::NoisyExpert, "noisy expert"), (Kind::Scripted, "scripted"), (Kind::Replayed, "replayed")]
    {
        let tables = with(kind);
        assert_eq!(
            tables.iter().map(|table| table.key).collect::<Vec<_>>(),
            ["cells", "paired", "spread", "cost", "stops", "gaps"]
        );
        for table in &tables {
            let mark = table.columns.iter().position(|column| column.key == "mark").unwrap();
            assert_eq!(*table.cell(1, mark), Cell::text(word), "{}", table.key);
            assert!(table.notes.iter().any(|note| note.starts_with(&format!("{word}: "))), "{}", table.key);
        }
    }
    let said = |kind: Kind, words: &str| with(kind)[0].notes.iter().any(|note| note.contains(words));
    for kind in [Kind::Scripted, Kind::NoisyExpert] {
        assert!(said(kind, "estimates by length of text") && !said(kind, "provider"));
    }
    assert!(said(Kind::Remote, "usage from the provider") && !said(Kind::Remote, "by length of text"));
}

/// Where a provider's count is missing or cannot be true, the screen marks the tokens and names the share of calls.
#[test]
fn estimated_tokens_are_marked_on_the_screen() {
    let screen = |estimated: u64| {
        let mut rows = study();
        rows.cells.iter_mut().filter(|cell| !cell.models.is_empty()).for_each(|cell| cell.kind = Kind::Remote);
        rows.episodes.iter_mut().for_each(|row| row.tokens_estimated = Rate { count: estimated, of: 4 });
        let analysis = Analysis::new(&rows, &against("observation")).unwrap();
        let main = tables::main(&analysis);
        (main.to_csv(), tables::essential(&main, &analysis).to_text(200))
    };
    let ((plain, reported), (same, marked)) = (screen(0), screen(1));
    assert!(!reported.contains('~') && !reported.contains("usage from the provider"), "{reported}");
    assert!(marked.contains("calls (25%) came back without usage from the provider"), "{marked}");
    let tokens = marked.lines().filter(|line| line.contains(" ~") && line.matches('~').count() == 2).count();
    assert!(tokens > 0, "{marked}");
    assert_eq!(plain, same, "numbers stay numbers where programs read them");
}

/// Blocks hold every column once beside the labels and are as narrow as asked where whole columns can be.
#[test]
fn blocks_of_a_wide_table_lose_no_column() {
    let analysis = Analysis::new(&study(), &against("observation")).unwrap();
    for table in tables::all(&analysis) {
        for width in [60, 90, 120, 400] {
            let blocks = table.blocks(width, 20);
            let labels = table.columns.iter().filter(|column| column.kind == ColumnKind::Label).count();
            let mut numbers: Vec<usize> = blocks.iter().flat_map(|block| block[labels..].to_vec()).collect();
            assert!(blocks.iter().all(|block| block[..labels] == blocks[0][..labels]));
            numbers.extend(&blocks[0][..labels]);
            numbers.sort_unstable();
            assert_eq!(numbers, (0..table.columns.len()).collect::<Vec<_>>(), "{} at {width}", table.key);
            assert!(width < 400 || blocks.len() == 1);
        }
    }
}

/// Names come from files: they may not move the cursor, open a column or bring markup.
// covers: SH-09
#[test]
fn hostile_names_stay_words() {
    let hostile = "a|b\u{1b}[31m\n<script>alert(1)</script>\u{202e}`x`";
    let mut rows = Rows { cells: vec![cell("a", hostile, Some("m"))], episodes: vec![episode("a", 0, -1_000, 1, 1)] };
    rows.episodes[0].task = hostile.into();
    let analysis = Analysis::new(&rows, &Options::default()).unwrap();
    for table in tables::all(&analysis) {
        let (text, markdown) = (table.to_text(120), table.to_markdown());
        assert!(!text.contains('\u{1b}') && !text.contains('\u{202e}') && !markdown.contains('\u{1b}'));
        assert!(!markdown.contains("<script") && !markdown.contains("a|b"), "{markdown}");
    }
}
