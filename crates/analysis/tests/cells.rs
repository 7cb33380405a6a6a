//! From rows to summaries, comparisons and tables: worked examples.
#![allow(clippy::unwrap_used, clippy::expect_used, missing_docs)]

use crate::support;

use gimbal_analysis::calibration::{Forecast, brier, expected_calibration_error, reliability};
use gimbal_analysis::{
    Analysis, AnalysisError, BaselineChoice, Cell, CellInfo, Column, ColumnKind, Decoding, EpisodeRow, Kind, Options,
    RoleUsage, Rows, Stop, Table, TokenUse, tables,
};
use support::{cell, episode, study};

fn against(name: &str) -> Options {
    Options { baseline: Some(BaselineChoice::Configuration(name.into())), ..Options::default() }
}

#[track_caller]
fn near(ours: f64, wanted: f64) {
    assert!((ours - wanted).abs() < 1e-9, "{ours} is not {wanted}");
}

/// Numbers worked by hand on two cells of two episodes.
// covers: BOG-160, BOG-161, BOG-162, BOG-163, BOG-164, BOG-165, BOG-166, BOG-171
#[test]
fn a_small_study_by_hand() {
    let mut rows = Rows { cells: vec![cell("o", "obs", Some("m")), cell("n", "obs+net", Some("m"))], episodes: vec![] };
    rows.episodes = vec![
        episode("o", 0, -200_000, 9_000, 1_000),
        episode("o", 1, -100_000, 7_000, 3_000),
        episode("n", 0, -40_000, 11_000, 1_000),
        episode("n", 1, -60_000, 18_000, 2_000),
    ];
    let judge =
        RoleUsage { role: "judge".into(), environment: true, called: TokenUse { input: 5_000, ..TokenUse::default() } };
    let helper = RoleUsage {
        role: "analyst".into(),
        environment: false,
        called: TokenUse { input: 1_000, output: 1_000, ..TokenUse::default() },
    };
    rows.episodes[3].usage.extend([judge, helper]);
    let analysis = Analysis::new(&rows, &against("obs")).unwrap();
    let [obs, net] = analysis.cells.as_slice() else { panic!("two cells") };
    near(obs.returns.unwrap().mean, -150.0);
    near(obs.returns.unwrap().sd.unwrap(), 70.710_678_118_654_76);
    near(obs.returns.unwrap().min, -200.0);
    // Strictly below -150: one of two.
    near(obs.catastrophic.unwrap().share, 0.5);
    near(net.tokens_in.unwrap().mean, 15_000.0);
    near(net.tokens_out.unwrap().mean, 2_000.0);
    // (12 + 22) / 2 kTok: sub-agents count, the judge that the environment asked does not.
    near(net.tokens.unwrap().mean, 17_000.0);
    assert_eq!(net.environment_called.total(), 5_000);
    near(net.rpts.unwrap(), 100.0 / 17.0);
    assert_eq!(obs.rpts, None, "a baseline has no RPTS against itself");
    near(net.shifted.unwrap(), (225.0 - 50.0) / 17.0);
    // Two episodes a cell: no interval, and no mark of efficiency.
    assert_eq!((obs.efficient, net.efficient, obs.returns.unwrap().interval()), (None, None, None));
    // 32 tool calls an episode, one of them the fallback's own.
    near(net.invalid.share().unwrap(), 2.0 / 31.0);
    near(net.fallback.share().unwrap(), 1.0 / 30.0);
    near(net.latency_p50_ms.unwrap(), 5.5);
    let [comparison] = analysis.comparisons.as_slice() else { panic!("one comparison") };
    let paired = comparison.paired.unwrap();
    near(paired.difference.mean, 100.0);
    assert_eq!((paired.outcome.wins, paired.outcome.losses), (2, 0));
    near(comparison.marginal_percent.unwrap(), 100.0 * 100.0 / 150.0);
}

/// Returns at the threshold are not below it, and a tie is equal after rounding to 0.1.
// covers: BOG-164, BOG-169
#[test]
fn thresholds_are_strict_and_ties_are_rounded() {
    let mut rows = Rows { cells: vec![cell("a", "a", Some("m")), cell("b", "b", Some("m"))], episodes: vec![] };
    for (run, (first, second)) in
        [(-150_000, -150_001), (-13_140, -13_060), (-13_149, -13_151), (-50, 0)].into_iter().enumerate()
    {
        rows.episodes.push(episode("a", run as u32, first, 1, 1));
        rows.episodes.push(episode("b", run as u32, second, 1, 1));
    }
    let analysis = Analysis::new(&rows, &against("b")).unwrap();
    assert_eq!(analysis.cells[0].catastrophic.unwrap().count, 0);
    assert_eq!(analysis.cells[1].catastrophic.unwrap().count, 1);
    let outcome = analysis.comparisons[0].paired.unwrap().outcome;
    // -150.0/-150.0 tie, -13.1/-13.1 tie, -13.1/-13.2 win, -0.1/0.0 loss.
    assert_eq!((outcome.wins, outcome.ties, outcome.losses), (1, 2, 1));
}

/// Several episodes of one seed are averaged before pairing; seeds of one side alone take no part.
// covers: BOG-168
#[test]
fn duplicates_are_averaged_before_pairing() {
    let mut rows = Rows { cells: vec![cell("a", "a", Some("m")), cell("b", "b", Some("m"))], episodes: vec![] };
    rows.episodes = vec![
        episode("a", 0, -10_000, 1, 1),
        episode("a", 0, -30_000, 1, 1),
        episode("a", 1, -40_000, 1, 1),
        episode("a", 2, -99_000, 1, 1),
        episode("b", 0, -50_000, 1, 1),
        episode("b", 1, -60_000, 1, 1),
    ];
    let analysis = Analysis::new(&rows, &against("b")).unwrap();
    let paired = analysis.comparisons[0].paired.unwrap();
    assert_eq!((paired.difference.n, paired.unmatched), (2, 1));
    near(paired.difference.mean, (30.0 + 20.0) / 2.0);
    near(analysis.cells[0].returns.unwrap().mean, -44.75);
    assert_eq!(analysis.cells[0].rpts_interval, None, "no interval of a ratio over unmatched seeds");
    // Two seeds have no interval, so that nothing is said of zero.
    assert_eq!((paired.difference.interval(), paired.excludes_zero), (None, None));
}

/// One episode: no SD, no interval, no NaN anywhere; two equal ones: no interval of no width either.
// covers: BOG-167
#[test]
fn few_or_equal_episodes_stay_honest() {
    let mut rows = Rows {
        cells: vec![cell("a", "a", Some("m")), cell("b", "b", Some("m")), cell("c", "c", Some("m"))],
        episodes: vec![],
    };
    rows.episodes =
        vec![episode("a", 0, -13_100, 100, 10), episode("b", 0, -13_100, 100, 10), episode("b", 1, -13_100, 100, 10)];
    let analysis = Analysis::new(&rows, &against("a")).unwrap();
    let one = analysis.cells[0].returns.unwrap();
    assert_eq!((one.sd, one.interval()), (None, None));
    let equal = analysis.cells[1].returns.unwrap();
    assert_eq!((equal.sd, equal.half_width), (Some(0.0), None));
    assert_eq!(analysis.cells[2].returns, None);
    for table in tables::all(&analysis) {
        for text in [table.to_text(120), table.to_markdown(), table.to_csv(), table.to_json().to_string()] {
            assert!(
                !text.contains("NaN")
                    && !text.contains("inf,")
                    && !text.contains("null,null,null,null,null,null,null,null,null,null,null,null"),
                "{text}"
            );
        }
    }
    insta::assert_snapshot!(tables::main(&analysis).to_text(120));
}

/// Losses to infrastructure are counted apart and touch no metric.
#[test]
fn infrastructure_is_no_outcome() {
    let rows = study();
    let mut lossy = rows.clone();
    for cell in rows.cells.iter().take(2) {
        let lost = EpisodeRow {
            infrastructure: true,
            stop: Stop::Infrastructure,
            unknown_attempts: 1,
            ..episode(&cell.id, 77, -225_000, 90_000, 5)
        };
        lossy.episodes.push(lost);
    }
    let (clean, with_losses) = (
        Analysis::new(&rows, &against("observation")).unwrap(),
        Analysis::new(&lossy, &against("observation")).unwrap(),
    );
    assert_eq!(tables::main(&clean), tables::main(&with_losses));
    assert_eq!(tables::paired(&clean), tables::paired(&with_losses));
    assert_eq!(with_losses.cells[0].infrastructure, 1);
    assert_eq!(with_losses.cells[0].unknown_attempts, 1);
    assert!(tables::gaps(&clean).is_none());
    let gaps = tables::gaps(&with_losses).unwrap();
    assert_eq!(gaps.rows.len(), 2);
}

/// An episode that met trouble on its way is told from one that did not.
// covers: BOG-047
#[test]
fn failed_calls_are_counted_by_kind_and_their_episodes_flagged() {
    let mut rows = study();
    assert!(tables::failures(&Analysis::new(&rows, &against("observation")).unwrap()).is_none());
    let cell = rows.cells[0].id.clone();
    let mut of_cell: Vec<&mut EpisodeRow> = rows.episodes.iter_mut().filter(|row| row.cell == cell).collect();
    of_cell[0].refusals = 3;
    of_cell[1].truncations = 2;
    of_cell[1].bad_shapes = 1;
    of_cell[2].outages = 4;
    of_cell[2].turned_down = 5;
    (of_cell[2].unknown_attempts, of_cell[2].infrastructure) = (1, true);
    assert_eq!(of_cell.iter().filter(|row| row.is_flagged()).count(), 3);
    let table = tables::failures(&Analysis::new(&rows, &against("observation")).unwrap()).unwrap();
    assert_eq!(table.rows.len(), 1);
    let counts = [3, 2, 1, 4, 5, 1, 3].map(gimbal_analysis::Cell::count);
    assert_eq!(table.rows[0][table.rows[0].len() - 7..], counts);
}

/// The fallback's calls are no attempts of the model, and a refusal is one that failed.
// covers: BOG-165, BOG-225
#[test]
fn the_invalid_rate_is_of_the_models_own_attempts() {
    let rate = |change: &dyn Fn(&mut EpisodeRow)| {
        let mut row = episode("a", 0, -10_000, 1, 1);
        change(&mut row);
        let rows = Rows { cells: vec![cell("a", "a", Some("m"))], episodes: vec![row] };
        let analysis = Analysis::new(&rows, &Options::default()).unwrap();
        (analysis.cells[0].invalid.share(), tables::main(&analysis))
    };
    let play = |tool_calls: u32, rejected: u32, failed: u32, fallbacks: u32| {
        rate(&move |row| {
            (row.tool_calls, row.rejected_calls) = (tool_calls, rejected);
            (row.failed_attempts, row.fallbacks) = (failed, fallbacks);
        })
    };
    // 30 steps of three rejected attempts and a fallback each: nothing that the model did was valid.
    assert_eq!(play(120, 90, 0, 30).0, Some(1.0));
    assert_eq!(play(40, 10, 0, 0).0, Some(0.25));
    // 30 steps of three refusals each: no call of the model's at all.
    assert_eq!(play(30, 0, 90, 30).0, Some(1.0));
    assert_eq!(play(35, 5, 10, 0).0, Some(15.0 / 45.0));
    // A record without the count of refusals: nothing is known, and no 0.0% is claimed.
    let (share, table) = play(30, 0, 0, 30);
    assert_eq!(share, None);
    assert!(!table.to_text(200).contains(" 0.0%"), "{}", table.to_text(200));
    // A fallback that a budget barred was never called.
    assert_eq!(play(6, 5, 0, 2).0, Some(1.0));
}

/// What a lost episode was billed is billed all the same.
// covers: BOG-161
#[test]
fn lost_episodes_are_on_the_bill() {
    let priced = |row: EpisodeRow, micro: u64| EpisodeRow { cost_microdollars: Some(micro), ..row };
    let mut rows = Rows { cells: vec![cell("a", "a", Some("m")), cell("b", "b", Some("m"))], episodes: vec![] };
    let lost = |row: EpisodeRow| EpisodeRow { infrastructure: true, stop: Stop::Infrastructure, ..row };
    rows.episodes = vec![
        priced(episode("a", 0, -1_000, 900, 100), 2_000),
        lost(priced(episode("a", 1, 0, 400, 50), 1_000)),
        lost(priced(episode("b", 0, 0, 70, 7), 500)),
    ];
    let analysis = Analysis::new(&rows, &Options::default()).unwrap();
    let [a, b] = analysis.cells.as_slice() else { panic!("two cells") };
    assert_eq!((a.billed.total(), b.billed.total()), (1_450, 77));
    near(a.cost_total.unwrap(), 0.003);
    near(a.cost.unwrap().mean, 0.002);
    near(b.cost_total.unwrap(), 0.000_5);
    assert_eq!(a.called.total(), 1_000, "efficiency sees the counted episode alone");
    let csv = read_csv(&tables::spread(&analysis).to_csv());
    let field = |row: usize, key: &str| csv[row][csv[0].iter().position(|name| name == key).unwrap()].clone();
    assert_eq!((field(1, "billed_tokens"), field(1, "cost_total")), ("1450".to_owned(), "0.003".to_owned()));
    rows.episodes[1].cost_microdollars = None;
    assert_eq!(Analysis::new(&rows, &Options::default()).unwrap().cells[0].cost_total, None);
}

/// The baseline is looked up within environment, model and decoding; a policy is compared with each model's baseline.
// covers: BOG-163, BOG-168
#[test]
fn each_model_has_its_own_baseline() {
    let analysis = Analysis::new(&study(), &against("observation")).unwrap();
    let pairs: Vec<(usize, usize)> = analysis.comparisons.iter().map(|entry| (entry.cell, entry.against)).collect();
    assert_eq!(pairs, [(1, 0), (2, 0), (4, 3), (5, 3), (6, 0), (6, 3)]);
    assert_eq!(analysis.baseline_of, [None, Some(0), Some(0), None, Some(3), Some(3), None]);
    let sleep = Analysis::new(&study(), &against("sleep")).unwrap();
    assert!(sleep.comparisons.iter().all(|entry| entry.against == 6) && sleep.comparisons.len() == 6);
    let one = Options { baseline: Some(BaselineChoice::Cell("beta/small/0".into())), ..Options::default() };
    assert_eq!(Analysis::new(&study(), &one).unwrap().comparisons.len(), 6);
}

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

/// A policy has no model in the paired table either; whose baseline it is measured against stands beside it.
#[test]
fn a_policy_is_paired_under_its_own_name() {
    let analysis = Analysis::new(&study(), &against("observation")).unwrap();
    let table = tables::paired(&analysis).unwrap();
    let csv = read_csv(&table.to_csv());
    let field = |row: usize, key: &str| csv[row][csv[0].iter().position(|name| name == key).unwrap()].clone();
    for (row, model) in [(5, "alpha/large"), (6, "beta/small")] {
        assert_eq!(
            [field(row, "configuration"), field(row, "model"), field(row, "decoding")],
            ["sleep", "none", "none"]
        );
        assert_eq!(
            (field(row, "against_model"), field(row, "against_decoding")),
            (model.to_owned(), "free".to_owned())
        );
    }
    assert!(table.to_text(200).contains("observation · beta/small · free"));
    let mut alone = study();
    alone.cells.truncate(6);
    alone.episodes.retain(|row| row.cell != "sleep");
    let table = tables::paired(&Analysis::new(&alone, &against("observation")).unwrap()).unwrap();
    assert!(!table.to_text(200).contains(" · ") && table.to_csv().contains("against_model"));
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

/// A free and a constrained cell of one model are no rivals: each decoding has a frontier of its own.
// covers: BOG-172
#[test]
fn a_frontier_never_mixes_decodings() {
    let free = |id: &str| cell(id, id, Some("m"));
    let masked = |id: &str| CellInfo { decoding: Decoding::Constrained, ..free(id) };
    let rows = Rows {
        cells: vec![free("a"), free("b"), masked("c"), masked("d")],
        episodes: (0..3)
            .flat_map(|run| {
                [
                    episode("a", run, -100_000, 9_000, 100),
                    episode("b", run, -110_000, 9_500, 100),
                    // Cheaper and better than both free ones.
                    episode("c", run, -50_000, 4_000, 100),
                    episode("d", run, -60_000, 4_500, 100),
                ]
            })
            .collect(),
    };
    let analysis = Analysis::new(&rows, &Options::default()).unwrap();
    let efficient: Vec<Option<bool>> = analysis.cells.iter().map(|cell| cell.efficient).collect();
    assert_eq!(efficient, [Some(true), Some(false), Some(true), Some(false)]);
}

/// Every table that holds a noisy expert's cell marks it so, and says whose tokens are estimates.
#[test]
fn stand_ins_are_marked_by_kind() {
    let with = |kind: Kind| {
        let mut rows = study();
        rows.cells.iter_mut().filter(|cell| !cell.models.is_empty()).for_each(|cell| cell.kind = kind);
        rows.cells.iter_mut().for_each(|cell| cell.planned = 9);
        rows.episodes.iter_mut().for_each(|row| row.tokens_estimated = true);
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

fn read_csv(text: &str) -> Vec<Vec<String>> {
    let (mut records, mut record, mut field, mut quoted) = (vec![], vec![], String::new(), false);
    let mut characters = text.chars().peekable();
    while let Some(character) = characters.next() {
        match character {
            '"' if quoted && characters.peek() == Some(&'"') => {
                characters.next();
                field.push('"');
            }
            '"' => quoted = !quoted,
            ',' if !quoted => record.push(std::mem::take(&mut field)),
            '\r' if !quoted => {}
            '\n' if !quoted => {
                record.push(std::mem::take(&mut field));
                records.push(std::mem::take(&mut record));
            }
            other => field.push(other),
        }
    }
    records
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

#[test]
fn what_cannot_be_answered_is_said_with_place_and_mend() {
    let rows = study();
    let message = |rows: &Rows, options: &Options| Analysis::new(rows, options).unwrap_err().to_string();
    insta::assert_snapshot!(message(&rows, &against("obsrvation")));
    let mut stray = rows.clone();
    stray.episodes[3].cell = "elsewhere".into();
    insta::assert_snapshot!(message(&stray, &Options::default()));
    let twice = Rows { cells: vec![CellInfo { ..cell("a", "x", None) }; 2], episodes: vec![] };
    assert_eq!(
        Analysis::new(&twice, &Options::default()).unwrap_err(),
        AnalysisError::DuplicateCell { cell: "a".into() }
    );
    let odd = Options { confidence: 95.0, ..Options::default() };
    insta::assert_snapshot!(message(&rows, &odd));
}

/// Forecasts of a known reliability table.
// covers: SH-07
#[test]
fn calibration_by_hand() {
    let forecast = |stated, happened| Forecast { stated, happened };
    let list =
        [forecast(0.9, true), forecast(0.8, true), forecast(0.7, false), forecast(0.1, false), forecast(0.2, true)];
    near(brier(&list).unwrap(), (0.01 + 0.04 + 0.49 + 0.01 + 0.64) / 5.0);
    let bins = reliability(&list, 2, 0.95);
    assert_eq!(bins.iter().map(|bin| (bin.observed.count, bin.observed.of)).collect::<Vec<_>>(), [(1, 2), (2, 3)]);
    near(expected_calibration_error(&list, 2).unwrap(), (2.0 * 0.35 + 3.0 * (0.8 - 2.0 / 3.0)) / 5.0);
    assert_eq!(brier(&[forecast(1.2, true)]), None);
    assert_eq!(brier(&[]), None);
}

/// Two equal values would have an interval of no width, and a mark of efficiency: tables, and what figures are drawn from,
/// have a dash. From three on both are there.
// covers: BOG-167, BOG-172
#[test]
fn fewer_than_three_episodes_have_no_interval_and_no_mark() {
    let play = |episodes: u32| {
        let cells = vec![cell("a", "a", Some("m")), cell("b", "b", Some("m"))];
        let rows = (0..episodes)
            .flat_map(|run| [episode("a", run, -100_000, 10_000, 1_000), episode("b", run, -50_000, 20_000, 1_000)]);
        Analysis::new(&Rows { cells, episodes: rows.collect() }, &against("a")).unwrap()
    };
    for episodes in 1..=4 {
        let analysis = play(episodes);
        let told = episodes >= 3;
        for cell in &analysis.cells {
            assert_eq!(cell.returns.unwrap().interval().is_some(), told, "{episodes}");
            assert_eq!(cell.tokens.unwrap().interval().is_some(), told, "{episodes}");
            assert_eq!(cell.catastrophic.unwrap().told().is_some(), told, "{episodes}");
            assert_eq!(cell.efficient, told.then_some(true), "{episodes}");
        }
        assert_eq!(analysis.comparisons[0].paired.unwrap().difference.interval().is_some(), told, "{episodes}");
        let main = tables::main(&analysis);
        let at = |key: &str| main.columns.iter().position(|column| column.key == key).unwrap();
        for key in ["ci", "pareto"] {
            assert_eq!(*main.cell(0, at(key)) == Cell::Empty, !told, "{key} of {episodes}");
        }
        let spread = tables::all(&analysis).into_iter().find(|table| table.key == "spread").unwrap();
        for (place, column) in spread.columns.iter().enumerate() {
            let interval = matches!(column.kind, gimbal_analysis::ColumnKind::Interval(_));
            assert!(told || !interval || *spread.cell(0, place) == Cell::Empty, "{} of {episodes}", column.key);
        }
        let legend = main.notes.iter().any(|note| note.contains("Fewer than 3 episodes have no interval"));
        assert_eq!(legend, !told, "{:?}", main.notes);
    }
}

/// One long episode that the fallback played does not make nine of the model's own no measurement, nor do many short ones
/// of the fallback's hide behind a long one of the model's: the mean over episodes decides.
// covers: BOG-225
#[test]
fn whether_a_model_acted_is_decided_by_the_mean_over_episodes() {
    let acted = |plays: &[(u32, u32, u32)]| {
        let rows = plays.iter().zip(0..).map(|((steps, fallbacks, episodes), group)| {
            (0..*episodes).map(move |run| EpisodeRow {
                steps: *steps,
                fallbacks: *fallbacks,
                tool_calls: *steps,
                rejected_calls: 0,
                failed_attempts: 0,
                ..episode("a", 100 * group + run, -10_000, 1_000, 100)
            })
        });
        let rows = Rows { cells: vec![cell("a", "a", Some("m"))], episodes: rows.flatten().collect() };
        Analysis::new(&rows, &Options::default()).unwrap()
    };
    // 200 of 245 steps are the fallback's, and nine of ten episodes are the model's.
    let long = acted(&[(200, 200, 1), (5, 0, 9)]);
    assert!(!long.cells[0].hardly_acted() && long.cells[0].fallback.share().unwrap() > 0.8);
    // 9 of 209 steps are the fallback's, and nine of ten episodes are.
    let short = acted(&[(200, 0, 1), (1, 1, 9)]);
    assert!(short.cells[0].hardly_acted() && short.cells[0].fallback.share().unwrap() < 0.1);
    // At the threshold, and in episodes without a step there is nothing to count.
    assert!(acted(&[(10, 5, 3)]).cells[0].hardly_acted() && !acted(&[(10, 4, 3)]).cells[0].hardly_acted());
    assert!(acted(&[(10, 5, 3), (0, 0, 5)]).cells[0].hardly_acted());
}
